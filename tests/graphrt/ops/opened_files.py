"""Runs every kernel with names of files wherever a string fits, and tells which files each op touched.

    python opened_files.py FOLDER       ->       {"ReadFile": ["open"], ...}

With `--all` it tries numbers, vectors and matrices beside scalar strings, which takes a minute.
An audit hook listens, so this has to be a process of its own.
"""

import contextlib
import json
import os
import signal
import sys

import numpy as np

import graphrt as tf
from graphrt.data import spec_text
from graphrt.data.pipeline import Elements, Source, iterate
from graphrt.ir.graph import Graph
from graphrt.ir.op import REGISTRY, declare_all
from graphrt.types import dtype as dtypes

SECONDS = 0.05  # for one call: some ops wait for others
HEARD = ("open", "os.", "shutil.", "glob.", "pathlib.", "tempfile.", "subprocess.", "socket.", "mmap.")

heard: list[str] = []
listening = False


def listen(event, arguments):
    if listening and event.startswith(HEARD) and any(FOLDER in _text(a) for a in arguments):
        heard.append(event)


def _text(value):
    return os.fsdecode(value) if isinstance(value, (str, bytes)) else ""


def too_long(*_):
    raise TimeoutError


# --- what a kernel is given ------------------------------------------------------------------------------------------
class Handle:
    """What stands behind a handle: it takes attributes, and those that nobody has set are None."""

    def __getattr__(self, name):
        return None


def array(dtype, shape, name):
    if dtype.kind == "S":
        found = np.empty(shape, object)
        found[...] = name
        return found
    if dtype.name == "variant":
        return Elements([(array(dtypes.string, (), name),)])
    if dtype.kind == "O":
        return Handle()
    return np.ones(shape, dtype.as_numpy_dtype)[()]


def attribute(attr, dtype, name):
    """A value for an attribute; for a string `name`, which is "" where another one is at trial."""
    if attr.kind.startswith("list("):
        if isinstance(attr.default, (list, tuple)):
            return list(attr.default)
        return [] if attr.kind == "list(func)" else [attribute(type(attr)(attr.name, attr.kind[5:-1]), dtype, name)]
    if attr.name == "spec":  # of elements: without one nothing is written
        return spec_text.to_text(tf.TensorSpec([], dtypes.string))
    if attr.kind == "string":
        return name if name or not isinstance(attr.default, str) else attr.default
    if attr.kind == "type" and attr.allowed and dtype not in attr.allowed:
        return next(t for t in attr.allowed if t.name != "bfloat16")
    usual = {"type": dtype, "int": 1, "float": 1.0, "bool": True, "shape": (1,), "func": Graph("f")}
    return attr.default if isinstance(attr.default, (int, float)) else usual.get(attr.kind)


def calls(op, path):
    """Arguments for the kernel: strings and numbers, scalars and vectors; each string is the path in its turn."""
    places = ["all", *(a.name for a in op.attrs.values() if "string" in a.kind), *(a.name for a in op.inputs)]
    whole = "--all" in sys.argv
    some = ((), (1,)) if any(a.list_attr for a in op.inputs) else ((),)
    for dtype in (dtypes.string, dtypes.float32) if whole else (dtypes.string,):
        for shape in ((), (1,), (1, 1)) if whole else some:
            for place in places:
                for name in (path, f"file://{path}", f"{path[:-1]}[v]"):

                    def named(key, place=place, name=name):
                        return name if place in ("all", key) else ""

                    attrs = {k: attribute(a, dtype, named(k)) for k, a in op.attrs.items()}
                    inputs = []
                    for arg in op.inputs:
                        if arg.list_attr:
                            attrs[arg.list_attr] = [dtype]
                        kind = dtype if arg.list_attr else arg.dtype if arg.dtype is not None else attrs[arg.type_attr]
                        value = array(kind, shape, named(arg.name).encode())
                        inputs.append([value] if arg.is_list else value)
                    yield inputs, {k: attrs[k] for k in op.kernel_attrs}


def run(op, inputs, attrs):
    with contextlib.suppress(TimeoutError):  # also one that comes when all is done
        try:
            signal.setitimer(signal.ITIMER_REAL, SECONDS)
            call(op, inputs, attrs)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def call(op, inputs, attrs):
    try:
        found = op.kernel(*inputs, **attrs)
        for value in found if isinstance(found, (list, tuple)) else [found]:
            if isinstance(value, Source):
                for _, _ in zip(range(2), iterate(value)[1]):
                    pass
    except BaseException as error:  # most calls make no sense
        if isinstance(error, KeyboardInterrupt):
            raise


def main():
    global listening
    declare_all()
    found = {}
    signal.signal(signal.SIGALRM, too_long)
    sys.addaudithook(listen)
    for type_, op in sorted(REGISTRY.items()):
        if op.kernel is None:
            continue
        for inputs, attrs in calls(op, os.path.join(FOLDER, "numbers.csv")):
            with open(os.path.join(FOLDER, "numbers.csv"), "w") as file:
                file.write("a,1.0\n")
            heard.clear()
            listening = True
            with np.errstate(all="ignore"), contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
                run(op, inputs, attrs)
            listening = False
            if heard:
                found.setdefault(type_, set()).update(heard)
    json.dump({type_: sorted(events) for type_, events in found.items()}, sys.stdout)


if __name__ == "__main__":
    FOLDER = sys.argv[1]
    os.chdir(FOLDER)  # an empty name is a name, too
    main()
