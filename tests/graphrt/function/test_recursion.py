"""Functions that call themselves with tensors: one graph that holds calls of itself."""

from __future__ import annotations

import sys
import traceback

import numpy as np
import pytest

import autograph
import graphrt as tf
from autograph.errors import StagedRecursionError


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


def test_shapes_that_differ_at_each_level():
    @tf.function
    def grow(x, n):
        if n == 0:
            return x
        return grow(tf.concat([x, x], 0), n - 1)

    assert value(grow(tf.constant([1]), tf.constant(3))) == [1] * 8
    declared = tf.function(
        lambda x, n: x if n == 0 else declared(tf.concat([x, x], 0), n - 1),
        input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)],
    )
    assert value(declared(tf.constant([1]), tf.constant(3))) == [1] * 8

    @tf.function
    def endless(x):
        return endless(tf.concat([x, x], 0))

    with pytest.raises(RecursionError, match="endless calls itself with tensors of other shapes.*input_signature"):
        endless(tf.constant([1]))


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


# --- functions without a decorator ---
def power(x, n):
    if n == 0:
        return 1
    half = power(x, n // 2)
    return half * half if n % 2 == 0 else half * half * x


def hanoi(n, a=1, b=2, c=3):
    if n == 0:
        return 0
    return hanoi(n - 1, a, c, b) + a * 100 + c + hanoi(n - 1, b, a, c)


def total(v):
    if len(v) == 0:
        return 0
    return v[0] + total(v[1:])


def counted(n, acc=0, *, by=2):
    if n <= 0:
        return acc
    return counted(n - 1, acc + by, by=by)


def pair(n):
    if n == 0:
        return {"a": 0, "b": (1, 1)}
    below = pair(n - 1)
    return {"a": below["b"][0], "b": (below["a"] + below["b"][0], n)}


def mapped(n):
    if n <= 0:
        return 1
    return sum(map(mapped, [n - 1, n - 2])) + sum([mapped(n - k) for k in (2, 3)])


def ping(n):
    return 0 if n <= 0 else pong(n - 1) + 1


def pong(n):
    return 100 if n <= 0 else ping(n - 1) * 2


def around(n):
    k = n * 2

    def inner(m):
        if m <= 0:
            return k
        return inner(m - 1) + 1

    return inner(n) + inner(k)


def under_loops(n):
    count = 0
    while n > 0:
        for _ in range(n):
            count += under_loops(n - 1)
        n -= 1
    return count + 1


def acker(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return acker(m - 1, 1)
    return acker(m - 1, acker(m, n - 1))


class Walker:
    def __init__(self, k):
        self.k = k

    def walk(self, n):
        if n <= 0:
            return self.k
        return self.walk(n - 1) + self.walk(n - 2)

    @classmethod
    def steps(cls, n):
        return 0 if n <= 0 else 2 + cls.steps(n - 1)

    def __call__(self, n):
        if n > 3:
            return self(n - 2) + 1
        return n


by_lambda = lambda n: 1 if n <= 1 else n * by_lambda(n - 1)  # noqa: E731
walker = Walker(3)


PROGRAMS = [
    (power, (3, 5)), (hanoi, (3,)), (total, ([4, 5, 6],)), (total, (list(range(30)),)), (counted, (5,)), (pair, (5,)),
    (mapped, (3,)), (ping, (5,)), (around, (2,)), (under_loops, (3,)), (acker, (2, 2)), (walker.walk, (4,)),
    (Walker.steps, (4,)), (walker, (8,)), (by_lambda, (5,)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "args", "dtype"),
    [
        (function, args, dtype)
        for function, args in PROGRAMS
        for dtype in ("int32", "int64", "float32")
        if (function, dtype) != (under_loops, "float32")  # `range` takes no floats
    ],
)
def test_functions_without_a_decorator(function, args, dtype):
    wanted = tf.nest.map_structure(float, function(*map(np.array, args)))
    ways = [tf.function(lambda *given: function(*given))]
    if function is not acker or dtype == "int32":  # called with 1 first, by a function that is no part of the recursion
        ways.append(tf.function(function))
    for wrapped in ways:
        found = wrapped(*[tf.constant(a, dtype) for a in args])
        assert tf.nest.map_structure(float, found) == wanted


def test_gradients_and_variables_of_functions_without_a_decorator():
    def poly(x, n):
        if n == 0:
            return 1.0
        return x * poly(x, n - 1)

    @tf.function
    def slope(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = poly(x, n)
        return tape.gradient(y, x)

    assert value(slope(tf.constant(2.0), tf.constant(3))) == 12.0
    visits = tf.Variable(0)

    def visit(n):
        visits.assign_add(1)
        return 0 if n <= 0 else visit(n - 1) + visit(n - 2)

    assert value(tf.function(visit)(tf.constant(4))) == 0 and value(visits) == 15


def test_what_a_node_cannot_do_is_refused():
    calls = []

    def told(n):
        calls.append(n)
        if n <= 0:
            return 0
        return told(n - 1) + 1

    def growing(rows, n):
        if n <= 0:
            return rows[0]
        return growing([*rows, n], n - 1)

    def texts(n, text="a"):
        return text if n == 0 else texts(n - 1, text + "b")

    for f in (told, lambda n: growing([n], n), texts):
        with pytest.raises(
            StagedRecursionError, match=r"AG207 .*test_recursion.py:\d+: '(told|growing|texts)' calls itself"
        ):
            tf.function(f)(tf.constant(3))


def test_mistakes_are_told_of_before_recursion():
    def name(n):
        if n <= 0:
            return 0
        return name(n - 1) + undefined_name  # noqa: F821

    def dtypes(n):
        if n <= 0:
            return tf.constant(1.5)
        return dtypes(n - 1) + n

    def result(n):
        if n <= 0:
            return 0
        return {result(n - 1)}

    mistakes = (
        (name, NameError, "undefined_name"),
        (dtypes, TypeError, "dtype"),
        (result, TypeError, "AG203"),
    )
    for f, error, text in mistakes:
        for wrapped in (tf.function(f), tf.function(lambda n: f(n))):
            with pytest.raises(error, match=text) as caught:
                wrapped(tf.constant(2))
            assert not isinstance(caught.value, RecursionError)
            shown = "".join(traceback.format_exception(caught.value))
            assert "AG207" not in shown and "test_recursion.py" in shown


def test_calls_elsewhere_are_as_they_were():
    """That calls become nodes concerns the trace in which they would not end."""
    assert value(tf.function(lambda n: ping(n))(tf.constant(3))) == ping(3)
    assert autograph.convert(ping)(3) == ping(3)
    seen = []
    assert value(tf.function(lambda x: seen.append(type(ping(3))) or x)(tf.constant(1))) == 1 and seen == [int]
