"""Python functions as ops: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/python`)."""

import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/python")


CALLS = []


def cubed(x):
    CALLS.append(1)
    return x * x * x


def called(function, *args):
    """The result of a function, and how often `cubed` ran."""
    CALLS.clear()
    return tf.nest.map_structure(lambda t: t.numpy().tolist(), function(*args)), len(CALLS)


@tf.function
def slope(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.py_function(cubed, [x], tf.float32)
    return tape.gradient(y, x)


def test_gradients_in_functions_call_once():
    for _ in range(2):
        assert called(slope, tf.constant([2.0, 3.0])) == ([12, 27], 1)
    forward = tf.function(lambda x: tf.py_function(cubed, [x], tf.float32))

    def outer(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = forward(x)
        return tape.gradient(y, x)

    assert called(outer, tf.constant(3.0)) == (27, 1)
    for _ in range(40):  # kept calls that no gradient asks for are let go of
        assert called(forward, tf.constant(3.0)) == (27, 1)
    assert called(outer, tf.constant(4.0)) == (48, 1)


def test_gradients_of_gradients_and_of_loops_are_right():
    @tf.function
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            y = slope.python_function(x)
        return outer.gradient(y, x)

    assert called(second, tf.constant(3.0))[0] == 18

    @tf.function
    def loop(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(n):
                y = tf.reshape(tf.py_function(lambda v: cubed(v) / (v * v), [y], tf.float32) * 2.0, [])
        return tape.gradient(y, x)

    assert called(loop, tf.constant(3.0), 4) == (16, 4)
    assert called(loop, tf.constant(3.0), 20)[0] == 2.0**20  # more calls than are kept


def test_gradients_beside_integers_and_several_results():
    @tf.function
    def slopes(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            first, _ = tf.py_function(
                lambda a, b: (cubed(a) * tf.cast(b, tf.float32), b), [x, n], [tf.float32, tf.int32]
            )
        return tape.gradient(first, x)

    assert called(slopes, tf.constant(2.0), tf.constant(3)) == (36, 1)
    assert called(slopes, tf.constant(2.0), tf.constant(5)) == (60, 1)  # other arguments, another call


@pytest.mark.parametrize(
    ("raised", "of_op"),
    [
        (KeyError, tf.errors.UnknownError),
        (AttributeError, tf.errors.UnknownError),
        (ValueError, tf.errors.InvalidArgumentError),
        (TypeError, tf.errors.InvalidArgumentError),
        (StopIteration, tf.errors.OutOfRangeError),
        (NotImplementedError, tf.errors.UnimplementedError),
        (MemoryError, tf.errors.ResourceExhaustedError),
        (tf.errors.NotFoundError, tf.errors.NotFoundError),
    ],
)
def test_what_a_function_raises(raised, of_op):
    error = raised(None, None, "oops") if issubclass(raised, tf.errors.OpError) else raised("oops")

    def failing(x):
        raise error

    def by_numpy(x):
        return tf.numpy_function(failing, [x], tf.float32)

    def by_python(x):
        return tf.py_function(failing, [x], tf.float32)

    with pytest.raises(raised, match="oops") as found:
        by_numpy(1.0)
    assert found.value is error
    with pytest.raises(of_op, match="oops"):
        by_python(1.0)
    for function in (by_numpy, by_python):
        with pytest.raises(of_op, match="oops"):
            tf.function(function)(1.0)
