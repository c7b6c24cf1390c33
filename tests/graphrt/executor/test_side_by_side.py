"""Python functions without effects run at the same time, and give what they give one after the other."""

import threading

import numpy as np
import pytest

import graphrt as tf
from graphrt.ops.support import threads


@pytest.fixture
def two_threads(monkeypatch):
    monkeypatch.setattr(threads.INTER, "chosen", 2)


def waiting_for_another(meeting):
    def function(x):
        meeting.wait()
        return x * np.float32(2)

    return function


def stateless(function, x, Tout=tf.float32):
    return tf.numpy_function(function, [x], Tout, stateful=False)


def test_two_that_wait_for_each_other_end(two_threads):
    meeting = threading.Barrier(2, timeout=30)
    function = waiting_for_another(meeting)

    @tf.function
    def f(x):
        a = stateless(function, x)
        b = stateless(function, x + 1.0)
        return a + b

    for _ in range(3):
        assert f(tf.constant(1.0)).numpy() == 6.0
    assert "run(" in f.get_concrete_function(tf.constant(1.0)).source


def test_work_between_does_not_part_them(two_threads):
    function = waiting_for_another(threading.Barrier(2, timeout=30))

    @tf.function
    def f(x, v):
        a = stateless(function, x)
        a = tf.tanh(a) * 3.0
        b = stateless(function, tf.constant(4.0))
        c = tf.numpy_function(lambda t: t + np.float32(1), [a], tf.float32, stateful=False)
        return a, b, c

    a, b, c = f(tf.constant(1.0), tf.constant(0.0))
    wanted = np.tanh(np.float32(2)) * np.float32(3)
    assert (a.numpy(), b.numpy(), c.numpy()) == (wanted, 8.0, wanted + np.float32(1))


def test_one_after_the_other_with_one_thread(monkeypatch):
    monkeypatch.setattr(threads.INTER, "chosen", 1)
    seen = []

    def function(x):
        seen.append((float(x), threading.current_thread()))
        return x

    f = tf.function(lambda x: (stateless(function, x), stateless(function, x * 2.0), stateless(function, x * 3.0)))
    assert [t.numpy() for t in f(tf.constant(1.0))] == [1.0, 2.0, 3.0]
    assert seen == [(float(i), threading.current_thread()) for i in (1, 2, 3)]


def test_what_has_effects_keeps_its_order(two_threads):
    seen = []

    def note(name):
        def function(x):
            seen.append(name)
            return x

        return function

    @tf.function
    def f(x):
        a = tf.numpy_function(note("a"), [x], tf.float32)
        b = tf.numpy_function(note("b"), [x], tf.float32)
        return a + b

    f(tf.constant(1.0))
    assert seen == ["a", "b"] and "run(" not in f.get_concrete_function(tf.constant(1.0)).source


@pytest.mark.parametrize("bad", [0, 1])
def test_an_error_names_the_function_that_failed(two_threads, bad):
    def fails(x):
        raise ValueError("no such thing")

    functions = [lambda x: x, lambda x: x]
    functions[bad] = fails

    @tf.function
    def f(x):
        a = tf.numpy_function(functions[0], [x], tf.float32, stateful=False, name="first")
        b = tf.numpy_function(functions[1], [x], tf.float32, stateful=False, name="second")
        return a + b

    with pytest.raises(tf.errors.InvalidArgumentError, match="no such thing") as info:
        f(tf.constant(1.0))
    assert ("node first" if bad == 0 else "node second") in str(info.value)


def test_several_results_none_and_loops(two_threads):
    @tf.function
    def f(x):
        total = tf.constant(0.0)
        for i in tf.range(3):
            a, b = tf.numpy_function(lambda t: (t, t + np.float32(1)), [x], [tf.float32, tf.float32], stateful=False)
            c = stateless(lambda t: t * np.float32(10), x)
            total += tf.reshape(a + b + c, [])
        return total

    assert f(tf.constant(2.0)).numpy() == 75.0


def test_the_setting_is_that_of_the_configuration():
    before = tf.config.threading.get_inter_op_parallelism_threads()
    try:
        tf.config.threading.set_inter_op_parallelism_threads(7)
        assert threads.INTER.number() == 7
    finally:
        tf.config.threading.set_inter_op_parallelism_threads(before)
