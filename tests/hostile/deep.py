"""Structures that are too deep, or hold themselves, in every public function: `python -m tests.hostile.deep [NAME...]`.

Each public callable is called with a list and a dictionary nested 100,000 deep, and ones that hold themselves, in the place of each
of its first arguments. Wrong is a RecursionError, any other error that says nothing, a call that does not end, and one that ends the
process.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import graphrt as tf
from tests.hostile import arguments, swept
from tests.public_names import callables

DEPTH = 100_000
# what a call may need beside the structure, of which the first that works with the others is taken
BESIDE = (lambda: tf.constant([1.0, 2.0]), lambda: 1, lambda: "s")


@functools.cache
def structures(depth: int = DEPTH) -> dict[str, Any]:
    """The structures, by what they are."""
    deep_list: Any = [1.0]
    deep_dict: Any = {"a": 1.0}
    deep_tuple: Any = (1.0,)
    for _ in range(depth):
        deep_list, deep_dict, deep_tuple = [deep_list], {"a": deep_dict}, (deep_tuple,)
    own_list: Any = [1.0]
    own_list.append(own_list)
    own_dict: Any = {"a": 1.0}
    own_dict["b"] = own_dict
    own_array = np.empty(2, object)
    own_array[:] = [own_array, 1.0]
    return {
        "a deep list": deep_list, "a deep dict": deep_dict, "a deep tuple": deep_tuple, "a list in itself": own_list,
        "a dict in itself": own_dict, "an array in itself": own_array,
    }  # fmt: skip


def calls(function: Callable[..., Any], depth: int) -> Iterator[tuple[str, int, list[Any]]]:
    """What is given, where it stands, and all arguments."""
    least, most, _ = arguments._taken(function)
    for place in range(min(max(least, 1), 2)):
        for kind, structure in structures(depth).items():
            for make in BESIDE[: 1 if least < 2 else 2]:
                yield kind, place, [structure if i == place else make() for i in range(max(least, 1))]


def wrong(name: str, function: Callable[..., Any], depth: int = DEPTH) -> list[str]:
    """What a callable does wrong, once for each place."""
    found: dict[str, str] = {}
    for kind, place, given in calls(function, depth):
        signal.setitimer(signal.ITIMER_REAL, arguments.SECONDS)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                result = function(*given)
                if isinstance(result, (Iterator, tf.data.Dataset)):
                    list(itertools.islice(iter(result), 2))
        except arguments.TOLD as error:
            if len(str(error)) > 20_000:
                found["long"] = f"{name}: the error about {kind} has {len(str(error))} characters"
        except arguments._TooLong:
            found[f"time {kind}"] = f"{name} takes more than {arguments.SECONDS:g} s with {kind} as argument {place}"
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            ours = next(
                (f for f in reversed(frames) if "/graphrt/" in f.filename or "/autograph/" in f.filename), frames[-1]
            )
            text = f"{type(error).__name__}: {str(error)[:80]!r} at {ours.filename[-40:]}:{ours.lineno}"
            found[f"{ours.filename}:{ours.lineno}"] = f"{name} with {kind} as argument {place}: {text}"
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return list(found.values())


def trial(names: list[str], depth: int = DEPTH) -> Iterator[str]:
    """What all public callables, or those named, do wrong."""
    every = callables()
    chosen = names or [n for n in every if not n.startswith(arguments.LEFT_OUT)]
    with arguments.apart():
        for name in chosen:
            yield from wrong(name, every[name], depth)


def apart(names: list[str], depth: int = DEPTH) -> Iterator[str]:
    """What `trial` finds, in processes of their own: what ends one of them is told, and the next goes on behind it."""
    left = list(names)
    while left:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            with os.fdopen(writing, "w") as out:
                for name in left:
                    found = list(trial([name], depth))
                    print(json.dumps([name, found]), file=out, flush=True)
                out.flush()
                os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as lines:
            for line in lines:
                name, found = json.loads(line)
                left.remove(name)
                yield from found
        status = os.waitpid(child, 0)[1]
        if status and left:
            yield f"{left.pop(0)} ends the process: {os.waitstatus_to_exitcode(status)}"


def main(given: list[str]) -> int:
    count = 0
    names = given or [n for n in callables() if not n.startswith(arguments.LEFT_OUT)]
    for count, text in enumerate(apart(names), 1):
        print(text, flush=True)
    print(f"{count} wrong")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(swept(main)(sys.argv[1:]))
