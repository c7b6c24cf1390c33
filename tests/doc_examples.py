"""Runs the examples in TensorFlow's own docstrings, on TensorFlow and on graphrt in its place, and lists what differs.

    python -m tests.doc_examples FOLDER --tensorflow PYTHON [name ...] [--again]

`PYTHON` is one that has tensorflow 2.20: it dumps the examples of its public names to `FOLDER/examples.json` and says how it
runs them, in `FOLDER/tensorflow.json`; both are kept until `--again`, and neither is part of this project. A `name` restricts
the run to public names that begin with it (`keras.ops`, `strings`).

An example counts where TensorFlow itself gives what its docstring says. It holds where graphrt does, with numbers compared to
three digits. Those after one that fails are not told. Prints how many hold, and writes the others to `FOLDER/differing.txt`.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import doctest
import inspect
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import warnings
from types import FrameType, ModuleType
from typing import Any

_NUMBER = re.compile(r"[+-]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?|\bnan\b|\binf\b")
_OUT = (
    "compat",
    "dtensor",
    "distribute.experimental",
    "tpu",
    "lite",
    "keras.applications",
    "keras.datasets",
    "version",
)
_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
_SECONDS = 40

Example = tuple[str, str]  # source, what is printed
Outcome = tuple[str, str, str, str]  # ok, differs or fails; source; wanted; found


# --- the examples ----------------------------------------------------------------------------------------------------
def dumped(root: ModuleType) -> dict[str, list[Example]]:
    """The examples in the docstrings of the public names below a module, each object once."""
    parser, seen, found = doctest.DocTestParser(), {id(root)}, {}

    def take(name: str, thing: object) -> None:
        with contextlib.suppress(Exception):  # texts that are no examples, names that cannot be asked
            examples = [(e.source, e.want) for e in parser.get_examples(inspect.getdoc(thing) or "", name)]
            if examples:
                found[name] = examples

    def walk(module: ModuleType, path: str) -> None:
        for own in dir(module):
            name = f"{path}.{own}" if path else own
            if own.startswith("_") or name.startswith(_OUT) or name.count(".") > 5:
                continue
            thing = getattr(module, own, None)
            if id(thing) in seen:
                continue
            seen.add(id(thing))
            if isinstance(thing, ModuleType):
                if (
                    thing.__name__.split(".")[0] in ("tensorflow", "keras", "keras_api")
                    or "tensorflow" in thing.__name__
                ):
                    walk(thing, name)
                continue
            take(name, thing)
            for method in dir(thing) if inspect.isclass(thing) else ():
                inner = None if method.startswith("_") else getattr(thing, method, None)
                if inner is not None and id(inner) not in seen:
                    take(f"{name}.{method}", inner)

    walk(root, "")
    return found


# --- running them ----------------------------------------------------------------------------------------------------
def _worded(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\s*([\[\](),=])\s*", r"\1", _NUMBER.sub("N", text))).strip()


def says(want: str, got: str) -> bool:
    """Whether an output is what a docstring says: the same words, and the same numbers to three digits."""
    if not want.strip() or doctest.OutputChecker().check_output(want, got, _FLAGS):
        return True
    if "..." in want:
        pattern = ".*".join(re.escape(_worded(part)) for part in want.split("..."))
        return re.fullmatch(pattern, _worded(got), re.DOTALL) is not None
    first, second = ([float(n) for n in _NUMBER.findall(text)] for text in (want, got))
    return _worded(want) == _worded(got) and all(
        abs(x - y) <= 1e-3 + 1e-3 * abs(x) or (x != x and y != y) for x, y in zip(first, second)
    )


class TooLong(BaseException):
    """The limit of an example is over."""


def _end(number: int, frame: FrameType | None) -> None:
    raise TooLong


def outcomes(examples: list[Example], names: dict[str, Any]) -> list[Outcome]:
    """What the examples of one docstring come to, one after the other."""
    space, told = dict(names), []
    for source, want in examples:
        said, error = io.StringIO(), ""
        try:
            signal.alarm(_SECONDS)
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
                exec(compile(source, "<example>", "single"), space)
        except TooLong:
            error = "TimeoutError: too long"
        except (Exception, SystemExit) as raised:
            error = f"{type(raised).__name__}: {str(raised)[:300]}"
        finally:
            signal.alarm(0)
        got = error or said.getvalue()
        if want.startswith("Traceback"):
            kind = want.strip().split("\n")[-1].split(":")[0].split(".")[-1].strip()
            state = "ok" if error and (kind in error or "..." in want) else "differs"
        else:
            state = "fails" if error else "ok" if says(want, got) else "differs"
        told.append((state, source, want, got))
    return told


def _names() -> dict[str, Any]:
    """What docstrings take for granted: names of the rooms that they stand in."""
    import numpy as np
    import tensorflow as tf

    keras = tf.keras
    found: dict[str, Any] = {}
    rooms = (
        tf.linalg, tf.data, tf.experimental, keras.utils, keras.regularizers, keras.initializers, keras.losses,
        keras.metrics, keras.layers, keras,
    )  # fmt: skip
    for room in rooms:
        for name in dir(room):
            if not name.startswith("_") and not hasattr(builtins, name):
                with contextlib.suppress(Exception):
                    found[name] = getattr(room, name)
    np.set_printoptions(legacy="1.25")
    return {**found, "tf": tf, "np": np, "keras": keras, "os": os, "ops": keras.ops, "to_graph": tf.autograph.to_graph}


def work(what: str, source: str, target: str) -> None:
    """What a process does: `dump`s examples, or runs them on `tensorflow` or `graphrt`."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    warnings.simplefilter("ignore")
    if what == "graphrt":
        import graphrt.as_tensorflow

        graphrt.as_tensorflow.activate()
    import tensorflow as tf

    if what == "dump":
        pathlib.Path(target).write_text(json.dumps(dumped(tf)))
        return
    signal.signal(signal.SIGALRM, _end)
    names = _names()
    examples = json.loads(pathlib.Path(source).read_text())
    told: dict[str, list[Outcome]] = {}
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place):
        os.environ["TMPDIR"] = place
        for name, own in examples.items():
            told[name] = _forked(own, names) if what == "graphrt" else outcomes(own, names)
    pathlib.Path(target).write_text(json.dumps(told))


def _forked(examples: list[Example], names: dict[str, Any]) -> list[Outcome]:
    """The outcomes in a process of their own: seeds, options and registered names end with it."""
    reading, writing = os.pipe()
    if not (child := os.fork()):
        os.close(reading)
        with os.fdopen(writing, "w") as file:
            file.write(json.dumps(outcomes(examples, names)))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        text = file.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else [("fails", *examples[0], "the process ended")]


# --- comparing -------------------------------------------------------------------------------------------------------
def compared(ours: dict[str, list[Outcome]], theirs: dict[str, list[Outcome]]) -> tuple[int, int, list[str]]:
    """How many examples count, how many of them hold, and what differs."""
    count = held = 0
    lines = []
    for name, told in ours.items():
        for i, (state, source, want, got) in enumerate(told):
            if theirs[name][i][0] != "ok":
                continue
            count += 1
            held += state == "ok"
            if state != "ok":
                lines.append(
                    f"## {name} [{state}]\n{source.rstrip()}\n-- want {want.rstrip()[:400]}\n-- got  {got.rstrip()[:400]}\n"
                )
            if state == "fails":
                break  # the examples after it stand on it
    return count, held, lines


def main() -> int:
    """Runs and compares; returns 1 where fewer than 98 % hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="beginnings of public names; all")
    parser.add_argument("--tensorflow", metavar="PYTHON", required=True)
    parser.add_argument("--again", action="store_true", help="ask TensorFlow even where its answers are kept")
    given = parser.parse_intermixed_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    examples, theirs, chosen, ours = (folder / f"{n}.json" for n in ("examples", "tensorflow", "chosen", "graphrt"))
    root = pathlib.Path(__file__).resolve().parents[1]

    def call(python: str, what: str, source: pathlib.Path, target: pathlib.Path) -> None:
        code = f"from tests.doc_examples import work; work({what!r}, {str(source)!r}, {str(target)!r})"
        environment = {**os.environ, "PYTHONPATH": str(root), "TF_CPP_MIN_LOG_LEVEL": "3"}
        subprocess.run([python, "-c", code], cwd=folder, env=environment, check=True)

    if given.again or not examples.exists():
        call(given.tensorflow, "dump", examples, examples)
    if given.again or not theirs.exists():
        call(given.tensorflow, "tensorflow", examples, theirs)
    found = json.loads(examples.read_text())
    wanted = {k: v for k, v in found.items() if not given.names or k.startswith(tuple(given.names))}
    chosen.write_text(json.dumps(wanted))
    call(sys.executable, "graphrt", chosen, ours)
    count, held, lines = compared(json.loads(ours.read_text()), json.loads(theirs.read_text()))
    (folder / "differing.txt").write_text("\n".join(lines))
    print(f"of {count} examples in {len(wanted)} docstrings {held} hold ({held / max(count, 1):.1%})")
    return int(held < 0.98 * count)


if __name__ == "__main__":
    sys.exit(main())
