"""How many Python calls a cached call takes: the way is short, and stays short."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest

import graphrt as tf

BUDGET = 4  # the function, the entry, the program, and one to spare


def python_calls(call):
    """The Python functions that `call` runs, itself left out."""
    seen = []

    def watch(frame, event, _):
        # without a global lock Python is asked in Python whether what is traced is this thread's
        if event == "call" and frame.f_code.co_qualname != "of_its_thread.<locals>.get":
            seen.append(frame.f_code.co_qualname)

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen[1:]


class Scale:
    def __init__(self):
        self.v = tf.Variable(2.0)

    @tf.function
    def run(self, x):
        return x * self.v


X = tf.constant(1.0)
VARIABLE = tf.Variable(0.0)
FIVE = [tf.constant(float(i)) for i in range(5)]
NEST = {"a": X, "b": {"c": [X, 2]}}
ADD = tf.function(lambda x, n=1: x + n)
CONCRETE = ADD.get_concrete_function(X)
SUM = tf.function(lambda a, b, c, d, e: a + b + c + d + e)
FROM_NEST = tf.function(lambda n: {"sum": n["a"] + n["b"]["c"][0], "all": [n["a"], None]})
COUNT = tf.function(lambda x: VARIABLE.assign_add(x))
OUTER = tf.function(lambda x: ADD(x) + ADD(x, 2))
DECLARED = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([None])])


@pytest.mark.parametrize(
    "call",
    [
        lambda: ADD(X), lambda: ADD(X, 3), lambda: ADD(X, n=3), lambda: ADD(x=X), lambda: ADD(np.float32(1)),
        lambda: ADD(ARRAY), lambda: SUM(*FIVE), lambda: FROM_NEST(NEST), lambda: COUNT(X), lambda: OUTER(X),
        lambda: DECLARED(ROW), lambda: CONCRETE(X),
    ],
)  # fmt: skip
def test_cached_calls(call):
    for _ in range(3):
        call()
    names = python_calls(call)
    assert len(names) <= BUDGET, names


ROW = tf.constant([1.0, 2.0])
ARRAY = np.ones(3)


def test_methods_take_one_more():
    scale = Scale()
    for _ in range(3):
        scale.run(X)
    names = python_calls(lambda: scale.run(X))
    assert len(names) <= BUDGET + 1, names


def test_control_flow_calls_nothing():
    @tf.function
    def collatz(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    start = tf.constant(27)
    for _ in range(3):
        collatz(start)
    assert len(python_calls(lambda: collatz(start))) <= BUDGET


def test_a_trace_starts_seven_frames_below_the_call():
    depths = []

    @tf.function
    def f(x):
        frame, depth = sys._getframe().f_back, 0
        while frame.f_code.co_filename.startswith(os.path.dirname(tf.__file__)):
            frame, depth = frame.f_back, depth + 1
        depths.append(depth)
        return x

    f(X)
    assert depths == [7]
