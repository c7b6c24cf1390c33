"""Threads that do the same with the same objects: `python -m tests.hostile.threads [--rounds N] [--threads N] [--seed N] [NAME...]`.

A round is one thread's run of a program, begun together with the others' on shared objects, while Python changes threads every
10 microseconds. Each must give the right answer, and all must end.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

import graphrt as tf
from graphrt.ir.op import REGISTRY, declare_all
from tests.hostile import swept
from tests.hostile.programs import PROGRAMS, Program, collatz, program
from tests.hostile.shared import SHARED

TIMEOUT = 300.0  # seconds for a round of all threads


def _shared_function() -> Any:
    return tf.function(lambda x, n: x * tf.cast(n, x.dtype))


@program([2.0, 4.0], _shared_function)
def first_calls_of_one_function(f: Any) -> Any:
    return f(tf.constant([1.0, 2.0]), tf.constant(2)).numpy().tolist()


@program("one trace", lambda: tf.function(lambda x: x + 1))
def concrete_functions(f: Any) -> Any:
    wanted = f.get_concrete_function(tf.TensorSpec([], tf.int32))
    same = f.get_concrete_function(tf.TensorSpec([], tf.int32)) is wanted
    return "one trace" if same and int(wanted(tf.constant(1))) == 2 else "another"


@program(True, lambda: tf.function(lambda x: x + 1))
def explanations(f: Any) -> Any:
    f(tf.zeros([2]))
    return "lambda" in str(f.explain_retrace(tf.zeros([3])))


@program([0, 1, 2], lambda: tf.data.Dataset.range(3))
def iterators_of_one_dataset(data: Any) -> Any:
    return [int(x) for x in data]


class Doubled(tf.keras.layers.Layer):
    def call(self, x: Any) -> Any:
        return x * 2.0


@program(["Doubled", 4.0])
def custom_object_scopes(_: Any) -> Any:
    with tf.keras.utils.custom_object_scope({"Doubled": Doubled}):
        made = tf.keras.layers.deserialize({"class_name": "Doubled", "config": {}})
    return [type(made).__name__, float(made(tf.constant(2.0)))]


@program(True)
def registries(_: Any) -> Any:
    declare_all()
    return len(list(REGISTRY)) > 500 and all(name for name in list(REGISTRY)) and len(dir(tf)) > 100


@program(3.0, lambda: tf.Variable(1.0))
def variables_that_are_read(v: Any) -> Any:
    with tf.GradientTape() as tape:
        y = tf.function(lambda: v * 3.0)()
    return float(tape.gradient(y, v))


@program(111, lambda: {"f": tf.function(collatz)})
def first_calls_that_convert(state: Any) -> Any:
    return int(state["f"](tf.constant(27)))


@program([2.0, "a/b/"])
def scopes(_: Any) -> Any:
    @tf.function
    def named(x: Any) -> Any:
        with tf.name_scope("a"), tf.name_scope("b") as name:
            found.append(name)
            return x + x

    found: list[str] = []
    result = float(named(tf.constant(1.0)))
    return [result, found[0]]


def together(one: Program, number: int, make: Callable[[], Any]) -> list[str]:
    """What goes wrong when `number` threads run a program on the same objects at once."""
    state = make()
    barrier = threading.Barrier(number)
    wrong: list[str] = []

    def body() -> None:
        try:
            barrier.wait(TIMEOUT)
            one.check(state, alone=False)
        except BaseException:
            wrong.append(traceback.format_exc())

    threads = [threading.Thread(target=body, daemon=True) for _ in range(number)]
    for thread in threads:
        thread.start()
    until = time.monotonic() + TIMEOUT
    for thread in threads:
        thread.join(max(until - time.monotonic(), 0))
    if any(t.is_alive() for t in threads):
        wrong.append("threads wait for ever")
    wrong += [f"{name} is left" for name in one.left(state)]
    return wrong


ALONE = {"atomic", "update_of_an_optimizer"}  # what they compare belongs to all threads


def stressed(
    programs: list[Program], rounds: int, number: int, seed: int, interval: float = 1e-5
) -> dict[str, list[str]]:
    """Name of a program -> what went wrong in its share of `rounds`."""
    chance = random.Random(seed)
    found: dict[str, list[str]] = {p.name: [] for p in programs}
    before = sys.getswitchinterval()
    sys.setswitchinterval(interval)
    try:
        done = 0
        while done < rounds:
            order = list(programs)
            chance.shuffle(order)
            for one in order:
                if done >= rounds:
                    break
                found[one.name] += together(one, number, one.make)
                done += number
    finally:
        sys.setswitchinterval(before)
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.threads", description=__doc__)
    parser.add_argument("names", nargs="*", help="programs; all if none is named")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=16)
    chosen = parser.parse_args(arguments)
    programs = [p for p in [*PROGRAMS, *SHARED] if (not chosen.names or p.name in chosen.names) and p.name not in ALONE]
    began = time.perf_counter()
    found = stressed(programs, chosen.rounds, chosen.threads, chosen.seed)
    failures = 0
    for name, wrong in found.items():
        failures += len(wrong)
        if wrong:
            print(f"{name}: {len(wrong)} wrong\n  " + wrong[0].strip().replace("\n", "\n  "), flush=True)
    print(
        f"{chosen.rounds} rounds of {len(programs)} programs, {failures} failures, {time.perf_counter() - began:.0f} s"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(swept(main)(sys.argv[1:]))
