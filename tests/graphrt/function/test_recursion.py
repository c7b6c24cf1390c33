"""Functions that call themselves with tensors: one graph that holds calls of itself."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import graphrt as tf


def value(x):
    return np.asarray(x).tolist()


@tf.function
def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@tf.function
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@tf.function
def by_cond(n):
    return tf.cond(n < 2, lambda: n, lambda: by_cond(n - 1) + by_cond(n - 2))


@tf.function
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, tf.constant(1))
    return ackermann(m - 1, ackermann(m, n - 1))


@tf.function
def tree(depth):
    total = tf.constant(1)
    if depth > 0:
        for _ in tf.range(2):
            total += tree(depth - 1)
    return total


@tf.function
def even(n):
    if n == 0:
        return True
    return odd(n - 1)


@tf.function
def odd(n):
    if n == 0:
        return False
    return even(n - 1)


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        (factorial, (6,), 720), (fibonacci, (12,), 144), (by_cond, (9,), 34), (ackermann, (2, 3), 9), (tree, (3,), 15),
        (even, (10,), True), (odd, (10,), False), (even, (7,), False), (odd, (7,), True),
    ],
)  # fmt: skip
def test_values(function, args, expected):
    for _ in range(3):
        assert value(function(*map(tf.constant, args))) == expected


def test_the_graph_calls_itself():
    f = tf.function(factorial.python_function)
    concrete = factorial.get_concrete_function(tf.TensorSpec([], tf.int32))
    (branch,) = [g for name, g in concrete.graph.functions().items() if "false" in name]
    (call,) = [n for n in branch.nodes if n.type == "PartitionedCall"]
    assert call.attrs["f"] is concrete.graph
    assert f(tf.constant(3)).numpy() == 6  # the name `factorial` means the other function: a call like any other


def test_recursion_counts_one_trace():
    f = tf.function(lambda n: n if n < 1 else f(n - 1))
    assert value(f(tf.constant(5))) == 0 and f.experimental_get_tracing_count() == 1


def test_variables_and_captured_tensors():
    calls, extra = tf.Variable(0), tf.constant([10, 20])

    @tf.function
    def count(n):
        calls.assign_add(1)
        if n == 0:
            return extra
        return count(n - 1) + extra

    assert value(count(tf.constant(4))) == [50, 100] and value(calls) == 5


def test_methods_and_variables_of_the_first_call():
    class Power(tf.Module):
        def __init__(self):
            self.base = None

        @tf.function
        def raised(self, n):
            if self.base is None:
                self.base = tf.Variable(2)
            if n == 0:
                return tf.constant(1)
            return self.raised(n - 1) * self.base

    power = Power()
    assert [value(power.raised(tf.constant(n))) for n in (3, 5)] == [8, 32]


def test_shapes_that_grow_need_a_signature():
    @tf.function
    def grow(x, n):
        if n == 0:
            return x
        return grow(tf.concat([x, x], 0), n - 1)

    with pytest.raises(RecursionError, match="grow calls itself with tensors of other shapes.*input_signature"):
        grow(tf.constant([1]), tf.constant(3))
    declared = tf.function(
        lambda x, n: x if n == 0 else declared(tf.concat([x, x], 0), n - 1),
        input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)],
    )
    assert value(declared(tf.constant([1]), tf.constant(3))) == [1] * 8


def test_calls_without_end_name_the_cycle():
    @tf.function
    def first(n):
        return second(n)

    @tf.function
    def second(n):
        return first(n)

    with pytest.raises(RecursionError, match=r"first calls itself.*\(first -> second -> first\)") as caught:
        first(tf.constant(1))
    assert "test_recursion.py" in str(caught.value)
    assert tf.executing_eagerly()


def test_results_must_agree():
    @tf.function
    def f(n):
        if n == 0:
            return 1.5
        return tf.cast(f(n - 1), tf.int32)

    with pytest.raises(TypeError, match="float32.*int32"):
        f(tf.constant(1))


def test_calls_from_other_functions():
    assert value(tf.function(lambda n: factorial(n) + factorial(n))(tf.constant(4))) == 48


def test_gradients():
    @tf.function
    def power(x):
        if x < 1.0:
            return x
        return x * power(x - 1.0)

    x = tf.constant(2.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x)
    assert value(y) == 1.875 and value(tape.gradient(y, x)) == 5.75


def test_what_an_interrupt_leaves_is_no_call_of_itself(monkeypatch):
    """The key of a trace in the making is not taken out where Ctrl-C comes while its dtypes are hashed."""

    @tf.function
    def f(x):
        raise KeyboardInterrupt

    x = tf.constant(1.0)
    hashed = tf.DType.__hash__

    def interrupted(self):
        if sys._getframe(1).f_code.co_name == "_trace_locked" and sys.exc_info()[0] is KeyboardInterrupt:
            raise KeyboardInterrupt
        return hashed(self)

    with monkeypatch.context() as patch:
        patch.setattr(tf.DType, "__hash__", interrupted)
        with pytest.raises(KeyboardInterrupt):
            f(x)
    with pytest.raises(KeyboardInterrupt):
        f(x)
    assert f.experimental_get_tracing_count() == 0
