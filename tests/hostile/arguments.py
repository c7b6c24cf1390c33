"""Public functions on arguments that they do not expect: `python -m tests.hostile.arguments [--seed N] [--count N] [NAME...]`.

Each public callable is called with values of other kinds, ranks and dtypes: wrong is an error that says nothing to who made
the call (AttributeError, KeyError, IndexError, RecursionError, NameError, ...), and a call of more than five seconds. Classes
whose objects only graphrt makes are left out, and so is what changes the process.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import itertools
import os
import random
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import graphrt as tf
from tests.hostile import swept
from tests.public_names import callables

TOLD = (TypeError, ValueError, OSError, NotImplementedError, BufferError, OverflowError, MemoryError, tf.errors.OpError)
SECONDS = 5.0
LEFT_OUT = (
    # what changes the process or asks for a program
    "config.", "keras.callbacks.CallbackList", "experimental.numpy.experimental_enable", "debugging.disable", "debugging.enable", "test.", "io.gfile", "keras.utils.set_random", "load_ipython",
    # classes whose objects graphrt makes
    "ConcreteFunction", "Function", "Operation", "data.Iterator", "summary.SummaryWriter",
    # enumerations: what is wrong with them Python says
    "data.experimental.AutoShardPolicy", "random.Algorithm", "UnconnectedGradients",
)  # fmt: skip
SAID = {  # errors of other types that say what is wrong, by their first words
    "RuntimeError": ("tf.gradients is not", "A non-persistent", "tf.hessians is not", "import_graph_def needs", "GPU:"),
    "IndexError": ("too many indices", "tuple index out of range", "Only integers, slices", "axis ", "Row key "),
    "KeyError": ("Registering two gradient",),
    "SourceNotFoundError": ("AG",),
    "AttributeError": ("'EagerTensor' object has no attribute 'assign'",),
    "ZeroDivisionError": ("float division by zero",),  # a frequency of no samples, as in NumPy
}


def values() -> list[Any]:
    """What calls are made of."""
    of = tf.constant
    return [
        of(2.0), of([1.0, 2.0, 3.0]), of([[1.0, 2.0], [3.0, 4.0]]), tf.zeros([2, 3, 4]), tf.zeros([2, 3, 4, 5]),
        tf.zeros([1, 2, 3, 4, 2]), tf.zeros([0]), tf.zeros([0, 3]), of(1), of([1, 0, 2]), of([[1, 2], [0, 1]]),
        of([1, 2], tf.int64), of([True, False]), of("s"), of(["a", "b"]), of([1j, 2.0]), of([1, 2], tf.uint8),
        of([1.0, 2.0], tf.float16), 0, 1, -1, 3, 7, -5, 2.5, 0.0, 10**30, [1, 2], [0], [], [None], {}, [[1, 1], [2, 2]],
        [[1, 2], [3]], (3, 3), "SAME", "mean", "float32", b"b", "\u00e9\0", True, False, None, tf.int32, tf.float32, int,
        object(), len, float("nan"), 1 + 2j, range(3), np.arange(6.0).reshape(2, 3), np.array(3), tf.Variable(1.0),
        tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.SparseTensor([[0, 1]], [1.0], [2, 2]), tf.TensorSpec([None]),
    ]  # fmt: skip


def _taken(function: Any) -> tuple[int, int, list[str]]:
    """How many positional arguments a callable needs, and takes, and the names of those that have a default."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1, 2, []
    taken = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    named = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY or (p in taken and p.default is not p.empty)]
    least = sum(p.default is p.empty for p in taken)
    return least, max(least, len(taken)), named


def calls(name: str, function: Any, seed: int, count: int) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """`count` pairs of arguments, positional and named; those of a name and a seed are always the same."""
    chance = random.Random(f"{seed} {name}")
    least, most, named = _taken(function)
    given = values()
    for _ in range(count):
        number = least if chance.random() < 0.6 else chance.randint(least, min(most, least + 3))
        behind = named[max(0, number - least) :]
        keywords = {key: chance.choice(given) for key in behind if chance.random() < 0.15}
        yield tuple(chance.choice(given) for _ in range(number)), keywords


class _TooLong(Exception):
    pass


def _used(result: object) -> None:
    """Takes a few elements of what is lazy: its errors belong to the call."""
    if isinstance(result, (Iterator, tf.data.Dataset)):
        for _ in itertools.islice(iter(result), 4):
            pass


def _ring(*_: object) -> None:
    raise _TooLong


def wrong(name: str, function: Any, seed: int, count: int, state: Callable[[], object] = tuple) -> list[str]:
    """What a callable does wrong, once for each place; what `state` gives must be equal after a call that fails."""
    found: dict[str, str] = {}
    for positional, named in calls(name, function, seed, count):
        arguments = (*positional, named) if named else positional
        before = state()
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                _used(function(*positional, **named))
        except TOLD:
            if state() != before:
                found["state"] = f"{name} fails and leaves another state with {arguments!r}"
        except _TooLong:
            found["time"] = f"{name} takes more than {SECONDS:g} s with {arguments!r}"
        except Exception as error:
            kind, text = type(error).__name__, str(error).strip("\"'")
            if "the arguments do not fit a" in text:
                continue
            if text.startswith(tuple(s.strip("\"'") for s in SAID.get(kind, ()))) and kind in SAID:
                continue
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{os.path.relpath(place.filename)}:{place.lineno}"
            found[where] = f"{name} raises {kind}: {str(error)[:100]!r} at {where} with {arguments!r}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return list(found.values())


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """Within it calls may take SECONDS, their files land in a folder that goes away, and nobody is warned."""
    old, folder = signal.signal(signal.SIGALRM, _ring), os.getcwd()
    with tempfile.TemporaryDirectory() as scratch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        os.chdir(scratch)
        try:
            yield
        finally:
            os.chdir(folder)
            signal.signal(signal.SIGALRM, old)


def trial(seed: int, count: int, names: list[str]) -> list[str]:
    """What all public callables, or those named, do wrong."""
    every = callables()
    with apart():
        chosen = names or [n for n in every if not n.startswith(LEFT_OUT)]
        return [text for name in chosen for text in wrong(name, every[name], seed, count)]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.arguments", description=__doc__)
    parser.add_argument("names", nargs="*", help="public names, such as nn.conv2d; all if none is named")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=20, help="calls of each")
    chosen = parser.parse_args(arguments)
    found = trial(chosen.seed, chosen.count, chosen.names)
    print("\n".join(found))
    print(f"{len(found)} wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(swept(main)(sys.argv[1:]))
