"""Variables as arguments: handles are passed, so that one trace serves all variables of a dtype and a shape."""

import gc
import weakref

import pytest

import graphrt as tf


def counted(function):
    traces = []

    @tf.function
    def traced(*args):
        traces.append(args)
        return function(*args)

    return traced, traces


def test_one_trace_for_two_variables():
    def add(v):
        v.assign_add(1.0)
        return v

    f, traces = counted(add)
    a, b = tf.Variable(1.0), tf.Variable(5.0)
    assert [f(v).numpy() for v in (a, b, b, a, b, a)] == [2.0, 6.0, 7.0, 3.0, 8.0, 4.0]
    assert (a.numpy(), b.numpy(), len(traces)) == (4.0, 8.0, 1)


def test_a_trace_for_each_way_in_which_arguments_are_the_same():
    def add(v, w):
        v.assign_add(1.0)
        return v + w

    f, traces = counted(add)
    a, b = tf.Variable(1.0), tf.Variable(5.0)
    for _ in range(3):
        a.assign(1.0)
        b.assign(5.0)
        assert [f(v, w).numpy() for v, w in ((a, a), (a, b), (b, b), (b, a))] == [4.0, 8.0, 12.0, 10.0]
    assert len(traces) == 2


def test_dtypes_shapes_and_structures():
    f, traces = counted(lambda v: v["x"][0] + 1)
    for value in ([1.0], [2.0], [1], [1.0, 2.0]):
        f({"x": tf.Variable(value)})
    f({"x": tf.Variable([1.0], trainable=False)})
    assert len(traces) == 4


def test_captures_stay_what_they_are():
    kept = tf.Variable(3)

    @tf.function
    def f(v):
        kept.assign_add(1)
        v.assign_add(10)
        return kept + 0

    assert f(tf.Variable(0)).numpy() == 4
    assert f(kept).numpy() == 15  # it is both: what is written to one is read from the other
    assert kept.numpy() == 15


def test_gradients():
    square, traces = counted(lambda v: v * v)
    a, b = tf.Variable(3.0), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        y = square(a) + 2.0 * square(b)
    assert [g.numpy() for g in tape.gradient(y, [a, b])] == [6.0, 20.0]
    assert tape.watched_variables()[0] is a

    @tf.function
    def inside(v):
        with tf.GradientTape() as tape:
            y = square(v) * v
        return tape.gradient(y, v)

    assert [inside(v).numpy() for v in (a, b)] == [27.0, 75.0]
    assert len(traces) == 1


def test_assignments_in_loops_and_of_parts():
    @tf.function
    def grow(v, n):
        for i in tf.range(n):
            if i > 1:
                v.assign_add(1.0)
        return v.read_value()

    a, b = tf.Variable(0.0), tf.Variable(10.0)
    assert [grow(v, 5).numpy() for v in (a, b)] == [3.0, 13.0]
    assert (a.numpy(), b.numpy()) == (3.0, 13.0)

    @tf.function
    def part(v):
        v[1:].assign([7.0, 8.0])
        return v

    rows = [tf.Variable([1.0, 2.0, 3.0]), tf.Variable([0.0, 0.0, 0.0])]
    assert [part(v).numpy().tolist() for v in rows] == [[1.0, 7.0, 8.0], [0.0, 7.0, 8.0]]


def test_concrete_functions():
    f, _ = counted(lambda v, w: v + w)
    a, b = tf.Variable(1.0), tf.Variable(5.0)
    concrete = f.get_concrete_function(a, b)
    assert concrete(b, a).numpy() == 6.0
    with pytest.raises(TypeError):
        concrete(a, tf.Variable(1))


def test_a_trace_keeps_no_variable_alive():
    f, _ = counted(lambda v: v + 1.0)
    variable = tf.Variable(1.0)
    gone = weakref.ref(variable.storage)
    f(variable)
    f(variable)
    del variable
    gc.collect()
    assert gone() is None


def test_optimizers_in_functions_of_variables():
    optimizer = tf.keras.optimizers.SGD(0.25)

    @tf.function
    def step(w, x):
        with tf.GradientTape() as tape:
            loss = tf.square(w * x)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))

    w = tf.Variable(2.0)
    for expected in (1.0, 0.5):
        step(w, tf.constant(1.0))
        assert w.numpy() == expected
