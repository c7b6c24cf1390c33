"""Ops that write, with arguments that fail: `python -m tests.hostile.effects [--seed N] [--count N] [--jit] [OP...]`.

Each op that takes a handle is called with tensors drawn at random, most of which do not fit: at once, in a traced function, and
with `--jit` (numba installed) natively. Whatever a call that fails was given must hold afterwards what it held before.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import graphrt as tf
from graphrt.ir.op import REGISTRY, OpDef, declare_all
from graphrt.tensor.changes import Undoable
from tests.hostile import arguments, swept

# what only reads, ends a thing for good, waits for others, or is no op of its own outside a graph
LEFT_OUT = (
    "DestroyResourceOp", "MutexLock", "CacheDatasetV2", "RandomDatasetV2", "ShuffleDatasetV3", "CloseSummaryWriter", "CreateSummaryFileWriter",
    "FlushSummaryWriter", "QueueCloseV2", "WriteGraphSummary", "WriteRawProtoSummary", "WriteSummary",
)  # fmt: skip
DTYPES = ("float32", "float64", "int32", "int64", "string", "complex64", "bool", "float16")
SHAPES = ((), (), (1,), (2,), (3,), (4,), (0,), (3, 2), (2, 2), (1, 2), (2, 1), (0, 2), (3, 1), (2, 3, 2), (4, 1))
QUEUE_TYPES = (tf.float32, tf.int32)


def names() -> list[str]:
    """The ops that write behind a handle."""
    declare_all()
    takes = (n for n, op in REGISTRY.items() if any(a.dtype is tf.resource for a in op.inputs))
    return sorted(n for n in takes if n not in LEFT_OUT)


class Thing:
    """Something behind a handle, made anew, and how to see what it holds."""

    def __init__(self, kind: str, dtype: str) -> None:
        self.dtype = dtype
        if kind == "variable":
            shape = (3, 2) if dtype != "int64" else (3,)
            values = np.arange(int(np.prod(shape))).reshape(shape)
            self.object: Any = tf.Variable(tf.cast(values, dtype))
            self.handle = self.object.handle
        elif kind == "queue":
            self.object = tf.queue.FIFOQueue(3, QUEUE_TYPES, ([], [2]))
            self.object.enqueue((tf.constant(1.0), tf.constant([2, 3])))
            self.handle = self.object.queue_ref
        elif kind == "iterator":
            self.object = iter(tf.data.Dataset.range(9))
            self.handle = None
        else:
            self.object = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)
            self.object.insert(tf.constant([1, 2], tf.int64), tf.constant([1.0, 2.0]))
            self.handle = self.object.resource_handle

    def state(self) -> object:
        """What it holds, as a text."""
        if isinstance(self.object, tf.queue.QueueBase):
            return int(self.object.size())
        behind = next((v for v in vars(self.handle).values() if isinstance(v, Undoable)), None)
        if behind is None and hasattr(self.handle, "numpy"):
            behind = _behind(self.handle)
        return repr(behind.saved()) if isinstance(behind, Undoable) else None


def _behind(handle: Any) -> Any:
    from graphrt.tensor.tensor import raw_of  # lazy: only this trial looks behind handles

    return raw_of(handle)


def kind_of(op: OpDef) -> str:
    """What an op works on."""
    if "Table" in op.type:
        return "table"
    return "queue" if op.type.startswith("Queue") else "iterator" if "Iterator" in op.type else "variable"


def _tensor(chance: random.Random, dtype: str) -> Any:
    shape = chance.choice(SHAPES)
    count = int(np.prod(shape))
    if dtype == "string":
        return tf.constant(np.array([chance.choice("ab") for _ in range(count)], object).reshape(shape), tf.string)
    values = [chance.choice([0, 1, 2, 2, 3, 7, -1]) for _ in range(count)]
    return tf.cast(np.array(values, "int64").reshape(shape), dtype)


def drawn(chance: random.Random, op: OpDef) -> tuple[list[Thing], list[Any], dict[str, Any]]:
    """Things, arguments and attributes for one call."""
    kind = kind_of(op)
    shared = chance.choice(["float32", "float32", "float64", "int32", "int64"])
    things: list[Thing] = []
    given: list[Any] = []
    places = chance.choice(["int32", "int64"])
    for arg in op.inputs:
        if arg.dtype is tf.resource:
            same = chance.random() < 0.85
            things.append(
                Thing(kind, "int64" if "Rng" in op.type or "Binomial" in op.type else shared if same else "int64")
            )
            given.append(things[-1].handle)
        elif arg.list_attr:
            given.append([_tensor(chance, t.name if chance.random() < 0.9 else "float64") for t in QUEUE_TYPES])
        else:
            dtype = (
                arg.dtype.name
                if arg.dtype is not None
                else places
                if str(arg.type_attr) in ("Tindices", "Index")
                else shared
            )
            if kind == "table":
                dtype = {"Tin": "int64", "Tkey": "int64"}.get(str(arg.type_attr), "float32")
            given.append(_tensor(chance, dtype if chance.random() < 0.92 else chance.choice(DTYPES)))
    attrs: dict[str, Any] = {}
    for attr in op.attrs.values():
        if attr.name in ("dtype", "T") and not any(attr.name == a.type_attr for a in op.inputs):
            attrs[attr.name] = tf.as_dtype(shared)
        elif attr.name == "component_types":
            attrs[attr.name] = list(QUEUE_TYPES)
        elif attr.name == "timeout_ms":
            attrs[attr.name] = -1
        elif attr.name == "limit":
            attrs[attr.name] = chance.randint(0, 3)
    return things, given, attrs


def _whole(op: OpDef, given: list[Any], attrs: dict[str, Any], how: str) -> Callable[[], Any]:
    """The call: at once, traced with what shapes are known, or natively."""
    if how == "eager":
        return lambda: op(*given, **attrs)
    loose = [v for v in given if isinstance(v, tf.Tensor) and v.dtype != tf.resource]

    def body(*tensors: Any) -> Any:
        left = iter(tensors)
        new = [next(left) if isinstance(v, tf.Tensor) and v.dtype != tf.resource else v for v in given]
        found = op(*new, **attrs)
        return [v for v in (found if isinstance(found, list) else [found]) if isinstance(v, tf.Tensor)]

    specs = [tf.TensorSpec(None if how == "unknown" else v.shape, v.dtype) for v in loose]
    jit = True if how == "native" else None
    return lambda: tf.function(body, input_signature=specs, autograph=False, jit_compile=jit)(*loose)


def wrong(name: str, seed: int, count: int, ways: tuple[str, ...]) -> tuple[list[str], int, int]:
    """What an op does wrong, and how many of its calls failed and worked."""
    op, found, failed, worked = REGISTRY[name], {}, 0, 0
    chance = random.Random(f"{seed} {name}")
    for number in range(count):
        how = ways[number % len(ways)]
        things, given, attrs = drawn(chance, op)
        before = [t.state() for t in things]
        shown = f"{name} {how} {[v.dtype.name + str(v.shape) for v in given if isinstance(v, tf.Tensor)]} {attrs}"
        signal.setitimer(signal.ITIMER_REAL, arguments.SECONDS)
        try:
            _whole(op, given, attrs, how)()
            worked += 1
        except arguments.TOLD:
            failed += 1
            after = [t.state() for t in things]
            if after != before:
                found["state"] = f"{shown} fails and leaves {after}, before {before}"
        except TimeoutError:
            found["time"] = f"{shown} takes too long"
        except Exception as error:
            found[type(error).__name__] = f"{shown} raises {type(error).__name__}: {error}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return list(found.values()), failed, worked


def _too_long(*_: object) -> None:
    raise TimeoutError


def trial(seed: int, count: int, chosen: list[str], ways: tuple[str, ...]) -> Iterator[tuple[str, list[str], int, int]]:
    """By op, what is wrong."""
    old = signal.signal(signal.SIGALRM, _too_long)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in chosen or names():
                if kind_of(REGISTRY[name]) != "iterator":
                    yield (name, *wrong(name, seed, count, ways))
    finally:
        signal.signal(signal.SIGALRM, old)


def main(given: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.effects", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--jit", action="store_true")
    options = parser.parse_args(given)
    declare_all()
    total, calls, useful = 0, [0, 0], 0
    for name, found, failed, worked in trial(
        options.seed, options.count, options.names, ("eager", "traced", "unknown", *["native"] * options.jit)
    ):
        total += len(found)
        calls = [calls[0] + failed, calls[1] + worked]
        useful += failed > 0
        for text in found:
            print(text[:600], flush=True)
    print(f"{total} wrong; {calls[0]} calls failed, {calls[1]} worked, {useful} ops failed at all")
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(swept(main)(sys.argv[1:]))
