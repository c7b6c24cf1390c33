"""Loops and branches carry the variables that they read and assign, and are compiled whole."""

import numpy as np
import pytest

import graphrt as tf
from graphrt import errors
from graphrt.native import NativeProgram


def scaled(a, b, c, n):
    for i in tf.range(n):
        a.assign(a * 1.5 - b)
        b.assign_add(0.1 * tf.cast(i, tf.float32) * tf.ones([3]))
        c.assign_add(1)
        if a[0] < -10.0:
            a.assign(tf.ones([3]))
        elif c > 3:
            b.assign_sub(tf.ones([3]))
            c.assign_add(2)
    return a + b, c * 2


def nested(a, b, c, n):
    for i in tf.range(n):
        j = 0
        while j < i:
            if j % 2 == 0:
                a.assign_add(b * 0.5)
            else:
                c.assign(c + j)
            j += 1
        b.assign(a - b)
    return a.read_value(), b.read_value(), c.read_value()


def told_by_a_variable(a, b, c, n):
    while c < n:
        c.assign_add(1)
        a.assign(b)
    return a * 1.0


def only_read(a, b, c, n):
    s = tf.zeros([3])
    for _ in tf.range(n):
        s = s * a + b
    a.assign(s)
    return s


def exchanged(a, b, c, n):
    for _ in tf.range(n):
        old = a.read_value()
        a.assign(b)
        b.assign(old + 1.0)
    return a - b


def in_branches(a, b, c, n):
    if n > 2:
        a.assign(a * 2.0 + b)
        b.assign(-b)
    else:
        c.assign_sub(1)
    return a + b, c + 0


def counted(a, b, c, n):
    for i in tf.range(n):
        c.assign_add(i)
        c.assign_sub(1)
    return c + 1


def trained(a, b, c, n):
    for _ in tf.range(n):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((a * a - b) ** 2)
        for variable, gradient in zip([a, b], tape.gradient(loss, [a, b])):
            variable.assign_sub(0.01 * gradient)
    return a * b


def result(function, n, plain):
    """What two calls give and leave, by the NumPy program (None), or natively; and how many loops stay in NumPy."""
    variables = [tf.Variable([1.0, -0.5, 2.0]), tf.Variable([0.5, 0.25, -1.0]), tf.Variable(2)]
    concrete = tf.function(lambda n: function(*variables, n)).get_concrete_function(tf.TensorSpec([], tf.int32))
    native = None if plain is None else NativeProgram(concrete.graph, plain)
    program = concrete.program if native is None else native.program
    raw = concrete.raw_inputs((tf.constant(n),), {})
    found = [v for _ in range(2) for v in program.function(*raw)]
    staying = [] if native is None else [r for r in native.cut.refused if r.node.op.in_place]
    return [*found, *(v.numpy() for v in variables)], staying


FUNCTIONS = [scaled, nested, told_by_a_variable, only_read, exchanged, in_branches, counted, trained]


@pytest.mark.parametrize("how", ["plain", "compiled"])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_loops_and_branches_on_variables_mean_the_same_and_are_compiled(function, how, monkeypatch):
    if how == "compiled":
        pytest.importorskip("numba")
        monkeypatch.setenv("GRAPHRT_NATIVE_CACHE", "")
    for n in (0, 1, 5):
        wanted, _ = result(function, n, None)
        found, staying = result(function, n, how == "plain")
        assert not staying, staying
        for w, f in zip(wanted, found, strict=True):
            assert (w.dtype, np.shape(w)) == (f.dtype, np.shape(f))
            np.testing.assert_array_equal(w, f)


def with_another_effect(a, b, c, n):
    for _ in tf.range(n):
        a.assign(a + 1.0)
        tf.debugging.assert_greater(tf.reduce_sum(a), -100.0)
        b.assign(b * a)
    return a + b


def test_what_others_can_tell_stays_in_numpy():
    wanted, _ = result(with_another_effect, 3, None)
    found, staying = result(with_another_effect, 3, True)
    assert [r.node.type for r in staying] == ["While"]
    for w, f in zip(wanted, found, strict=True):
        np.testing.assert_array_equal(w, f)


def test_a_variable_that_changes_its_shape_stays_in_numpy():
    d = tf.Variable([1.0], shape=[None])

    @tf.function
    def f(n):
        for _ in tf.range(n):
            d.assign(tf.concat([d, d], 0))
        return d + 0.0

    concrete = f.get_concrete_function(tf.TensorSpec([], tf.int32))
    native = NativeProgram(concrete.graph, True)
    (found,) = native.program.function(*concrete.raw_inputs((tf.constant(2),), {}))
    assert found.tolist() == [1.0] * 4
    assert any(r.node.type == "While" for r in native.cut.refused)


def test_a_loop_that_fails_leaves_its_variables_as_they_were():
    v = tf.Variable(8)

    @tf.function
    def f(n):
        for i in tf.range(n):
            v.assign(v // (2 - i))
        return v + 0

    concrete = f.get_concrete_function(tf.TensorSpec([], tf.int32))
    native = NativeProgram(concrete.graph, True)
    raw = concrete.raw_inputs((tf.constant(4),), {})
    with pytest.raises(errors.InvalidArgumentError, match="division by zero"):
        native.program.function(*raw)
    assert v.numpy() == 8
