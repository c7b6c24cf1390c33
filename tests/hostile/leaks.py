"""What stays behind: `python -m tests.hostile.leaks [--scale F] [NAME...]`.

Each does the same very often; told are bytes of memory a turn between the first third and the end, and by how much open files,
threads and entries of `linecache` have grown. More than a few bytes a turn is a leak.
"""

from __future__ import annotations

import argparse
import gc
import linecache
import os
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import graphrt as tf
from tests.hostile import swept

MOST = 40.0  # bytes a turn; what pages and arenas make of no leak at all


@dataclass(frozen=True)
class Work:
    name: str
    turns: int
    make: Callable[[], Callable[[int], Any]]


WORKS: list[Work] = []


def work(turns: int) -> Callable[[Callable[[], Callable[[int], Any]]], Work]:
    def add(make: Callable[[], Callable[[int], Any]]) -> Work:
        WORKS.append(Work(make.__name__, turns, make))
        return WORKS[-1]

    return add


@work(100_000)
def retraces() -> Callable[[int], Any]:
    f = tf.function(lambda x, n: x + n, max_traces=50)
    one = tf.constant(1)
    return lambda i: f(one, i)


@work(100_000)
def functions_made_and_dropped() -> Callable[[int], Any]:
    one = tf.constant(1)

    def plus(x: Any) -> Any:
        return x + 1

    return lambda i: tf.function(plus)(one)


@work(10_000)
def datasets() -> Callable[[int], Any]:
    return lambda i: list(tf.data.Dataset.range(2).map(lambda x: x + 1).batch(2))


@work(10_000)
def failed_traces() -> Callable[[int], Any]:
    def fails(x: Any) -> Any:
        raise KeyError(x)

    f = tf.function(fails)

    def turn(i: int) -> None:
        try:
            f(tf.constant(1))
        except KeyError:
            pass

    return turn


PROGRAM = """
import graphrt as tf

class Counter:
    def __init__(self):
        self.count = tf.Variable(0)
        self.seen = []

    def add(self, x):
        self.count.assign_add(1)
        return x + tf.cast(self.count, x.dtype)

@tf.function
def program(x, counter):
    def scaled(v, by=2):
        return v * by if v > 0 and v < 5 or v == 7 else v
    total = x
    for i in tf.range(3):
        if total > 3 and not total > 100:
            total = scaled(total)
        elif (half := total / 2) is not None:
            total = tf.cast(half, x.dtype)
        while total > 50:
            total -= 7
            if total == 51:
                break
    try:
        with tf.name_scope("a"):
            found = [scaled(v) for v in (total, x)]
    finally:
        total = counter.add(total)
    return {"total": total, "found": found} if total > 0 else {"total": -total, "found": found}
"""


@work(2_000)
def programs() -> Callable[[int], Any]:
    """Modules of their own, with classes, staged statements of every kind, two signatures; dropped whole."""

    def turn(i: int) -> None:
        space: dict[str, Any] = {"__name__": "dropped"}
        linecache.cache["<dropped>"] = (len(PROGRAM), None, PROGRAM.splitlines(True), "<dropped>")
        exec(compile(PROGRAM, "<dropped>", "exec"), space)
        counter = space["Counter"]()
        for x in (tf.constant(i % 9), tf.constant(float(i % 9))):
            space["program"](x, counter)

    return turn


@work(1_000)
def gradients() -> Callable[[int], Any]:
    """Tapes, second derivatives, gradients of staged loops, functions with gradients of their own."""

    def turn(i: int) -> None:
        @tf.custom_gradient
        def cubed(x: Any) -> Any:
            return x**3, lambda dy: dy * 3 * x**2

        @tf.function
        def slope(x: Any) -> Any:
            with tf.GradientTape(persistent=True) as outer:
                outer.watch(x)
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = x
                    for _ in tf.range(3):
                        y = cubed(y) if y < 2 else y * x
                dy = tape.gradient(y, x)
            return outer.gradient(dy, x)

        slope(tf.constant(0.5))
        v = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(cubed(v))
        tape.gradient(y, v)

    return turn


@work(200)
def models() -> Callable[[int], Any]:
    """Models that are built, trained, asked and dropped."""
    x, y = tf.ones((8, 3)), tf.zeros((8, 1))

    def turn(i: int) -> None:
        model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
        model.compile("adam", "mse", metrics=["mae"])
        model.fit(x, y, batch_size=4, epochs=1, verbose=0)
        model.predict(x, verbose=0)

    return turn


@work(300)
def saved() -> Callable[[int], Any]:
    """Functions that are saved, loaded, called, exported and dropped."""

    def turn(i: int) -> None:
        with tempfile.TemporaryDirectory() as folder:
            module = tf.Module()
            module.v = tf.Variable(2.0)
            module.f = tf.function(lambda x: x * module.v if x > 0 else -x, input_signature=[tf.TensorSpec([])])
            tf.saved_model.save(module, folder)
            tf.saved_model.load(folder).f(tf.constant(3.0))

    return turn


def memory() -> int:
    """Bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def counts() -> dict[str, int]:
    """What else may grow."""
    gc.collect()
    tf.function(lambda: tf.constant(0) + 1)()  # texts of programs that are gone leave with the next one that is made
    gc.collect()
    return {
        "files": len(os.listdir("/proc/self/fd")),
        "threads": threading.active_count(),
        "linecache": len(linecache.cache),
        "objects": len(gc.get_objects()),
    }


def measured(one: Work, turns: int) -> tuple[float, dict[str, int]]:
    """Bytes a turn, and growth of the counts, over the last two thirds of `turns`."""
    turn = one.make()
    first = turns // 3
    for i in range(first):
        turn(i)
    before, taken = counts(), memory()
    for i in range(first, turns):
        turn(i)
    after, now = counts(), memory()
    return (now - taken) / max(turns - first, 1), {k: after[k] - before[k] for k in before}


def is_leak(per_turn: float, grown: dict[str, int], turns: int) -> bool:
    """Whether these figures are more than noise."""
    things = grown["files"] > 2 or grown["threads"] > 2 or grown["linecache"] > 20
    return things or grown["objects"] > max(turns * 0.02, 500) or (turns >= 10_000 and per_turn > MOST)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.leaks", description=__doc__)
    parser.add_argument("names", nargs="*", help="works; all if none is named")
    parser.add_argument("--scale", type=float, default=1.0, help="how many of the turns")
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    leaks = 0
    for one in WORKS:
        if chosen.names and one.name not in chosen.names:
            continue
        began = time.perf_counter()
        turns = max(int(one.turns * chosen.scale), 30)
        per_turn, grown = measured(one, turns)
        leaks += is_leak(per_turn, grown, turns)
        told = ", ".join(f"{k} {v:+d}" for k, v in grown.items())
        print(
            f"{one.name}: {turns} turns, {per_turn:+.1f} bytes a turn, {told}, {time.perf_counter() - began:.0f} s",
            flush=True,
        )
    return 1 if leaks else 0


if __name__ == "__main__":
    sys.exit(swept(main)(sys.argv[1:]))
