"""Loops with `checkpoint`: the same gradients as without, in memory that grows with the square root."""

import logging
import tracemalloc

import numpy as np
import pytest

import graphrt as tf
from tests import whole

V = tf.Variable(np.float64(0.9))
TABLE = tf.Variable(np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]))
set_loop_options = tf.autograph.experimental.set_loop_options


@tf.custom_gradient
def odd_square(x):
    inner = tf.sin(x)
    return x * x, lambda g: g * inner * 2.0


@tf.function
def called(x):
    for _ in tf.range(2):
        x = tf.tanh(x * V)
    return x


def hand_written(x, w, n, ck):
    def body(i, x, array):
        x = tf.cond(i % 3 == 0, lambda: tf.sin(x) * w * V, lambda: x * x * 0.5 + V)
        return i + 1, x, array.write(i, x)

    array = tf.TensorArray(tf.float64, 0, dynamic_size=True, element_shape=[3])
    _, x, array = tf.while_loop(lambda i, x, a: i < n, body, (0, x, array), checkpoint=ck)
    return tf.reduce_sum(x) + tf.reduce_sum(tf.sin(array.stack()))


def staged(x, w, n, ck):
    i = tf.constant(0)
    while i < n:
        set_loop_options(checkpoint=ck)
        i += 1
        if i == 7:
            continue
        if i == 13:
            break
        x = tf.sin(x) * w + V
    return tf.reduce_sum(x * w)


def nested(x, w, n, ck):
    for i in tf.range(n):
        set_loop_options(checkpoint=ck)
        for j in tf.range(i % 4):
            set_loop_options(checkpoint=ck)
            x = tf.sin(x * w) + tf.cast(j, tf.float64) * V
        x = x * 0.9
    return tf.reduce_sum(x)


def outer_only(x, w, n, ck):
    for i in tf.range(n):
        set_loop_options(checkpoint=ck)
        for _ in tf.range(i % 4):
            if x[0] > 0.2:
                x = tf.sin(x * w)
            else:
                x = x + 0.3
    return tf.reduce_sum(x)


def inner_only(x, w, n, ck):
    for i in tf.range(3):
        for _ in tf.range(n):
            set_loop_options(checkpoint=ck)
            x = tf.sin(x * w) + V * tf.cast(i, tf.float64)
    return tf.reduce_sum(x)


def calls(x, w, n, ck):
    for _ in tf.range(n):
        set_loop_options(checkpoint=ck)
        x = called(x) * w + odd_square(x) * 0.1
    return tf.reduce_sum(x)


def effects(x, w, n, ck):
    count = tf.constant(0)
    for i in tf.range(n):
        set_loop_options(checkpoint=ck)
        tf.debugging.assert_less(i, 1000)
        x = x * w + tf.reshape(tf.cast(tf.py_function(lambda k: k * 2, [i], tf.int32), tf.float64), []) * 0.01
        count += 1
    return tf.reduce_sum(x) * tf.cast(count, tf.float64)


def growing(x, w, n, ck):
    y = x[:1]
    for _ in tf.range(n):
        set_loop_options(checkpoint=ck, shape_invariants=[(y, tf.TensorShape([None]))])
        y = tf.concat([y, tf.sin(y[-1:]) * w[:1]], 0)
    return tf.reduce_sum(y)


def slices(x, w, n, ck):
    total = tf.constant(0.0, tf.float64)
    for row in tf.reshape(tf.tile(x, [n]), [n, 3]):
        set_loop_options(checkpoint=ck)
        total = tf.tanh(total + tf.reduce_sum(row * w))
    return total


def static_count(x, w, n, ck):
    for _ in tf.range(11):
        set_loop_options(checkpoint=ck)
        x = x - tf.sin(x) * 0.1 * w
    return tf.reduce_sum(x)


def complex_numbers(x, w, n, ck):
    z = tf.complex(x, w)
    for _ in tf.range(n):
        set_loop_options(checkpoint=ck)
        z = z * z * (0.2 + 0.1j) + tf.cast(0.1, tf.complex128)
    return tf.reduce_sum(tf.abs(z))


def gradients_inside(x, w, n, ck):
    for _ in tf.range(n):
        set_loop_options(checkpoint=ck)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(w * x**3)
        x = x - 0.02 * tape.gradient(y, x)
    return tf.reduce_sum(x)


def looked_up(x, w, n, ck):
    for i in tf.range(n):
        set_loop_options(checkpoint=ck)
        x = tf.sin(x * tf.gather(w, i % 3)) + tf.gather(TABLE, i % 2) * V
    return tf.reduce_sum(x)


def in_a_dictionary(x, w, n, ck):
    state = {"x": x, "i": tf.constant(0)}
    while state["i"] < n:
        set_loop_options(checkpoint=ck)
        state["x"] = tf.sin(state["x"]) * w
        state["i"] += 1
    return tf.reduce_sum(state["x"])


PROGRAMS = [hand_written, staged, nested, outer_only, inner_only, calls, effects, growing, slices, static_count]
PROGRAMS += [complex_numbers, gradients_inside, looked_up, in_a_dictionary]
X = tf.constant([0.3, 0.5, -0.2], tf.float64)
W = tf.constant([1.1, 0.9, 1.0], tf.float64)


def first(f, n):
    with tf.GradientTape() as tape:
        tape.watch([X, W])
        y = f(X, W, n)
    return [y, *tape.gradient(y, [X, W, V], unconnected_gradients="zero")]


def second(f, n):
    with tf.GradientTape() as outer:
        outer.watch([X, W])
        with tf.GradientTape() as tape:
            tape.watch([X, W])
            y = f(X, W, n)
        found = tape.gradient(y, [X, W, V], unconnected_gradients="zero")
        z = sum(tf.reduce_sum(tf.sin(g) * g) for g in found)
    return [y, *found, *outer.gradient(z, [X, W, V], unconnected_gradients="zero")]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_gradients_are_those_of_the_loop_without(program, caplog):
    plain = tf.function(lambda x, w, n: program(x, w, n, False))
    saving = tf.function(lambda x, w, n: program(x, w, n, True))
    in_graph = tf.function(lambda n: (first(saving, n), second(saving, n)))
    with caplog.at_level(logging.WARNING, "graphrt"):
        for n in whole.some((0, 1, 5, 16), 2, PROGRAMS.index(program)):
            if program is slices and n == 0:
                continue
            n = tf.constant(n)
            expected = first(plain, n), second(plain, n)
            found_in = [(first(saving, n), second(saving, n))]
            if program in (nested, effects, looked_up):
                found_in.append(in_graph(n))
            for found in found_in:
                for order, (a, b) in enumerate(zip(expected, found)):
                    for k, (p, q) in enumerate(zip(a, b)):
                        np.testing.assert_allclose(p.numpy(), q.numpy(), rtol=1e-9, atol=1e-12, err_msg=f"{order} {k}")
    assert not caplog.records


def test_it_works_where_ops_run_at_once():
    for n in (0, 1, 9):
        a, b = (second(lambda x, w, n, ck=ck: hand_written(x, w, n, ck), tf.constant(n)) for ck in (False, True))
        for p, q in zip(a, b):
            np.testing.assert_allclose(p.numpy(), q.numpy(), rtol=1e-9)


def test_effects_happen_once():
    counter = tf.Variable(0)
    seen = []

    @tf.function
    def f(x):
        for i in tf.range(10):
            set_loop_options(checkpoint=True)
            counter.assign_add(1)
            tf.py_function(seen.append, [i], [])
            x = tf.sin(x)
        return x

    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    tape.gradient(y, X)
    assert counter.numpy() == 10
    assert len(seen) == 10


def test_random_numbers_are_the_same_when_run_again():
    @tf.function
    def f(x):
        product = tf.ones([], tf.float64)
        for _ in tf.range(12):
            set_loop_options(checkpoint=True)
            r = tf.random.uniform([], 0.5, 1.5, tf.float64)
            x = x * r
            product *= r
        return x, product

    x = tf.constant(2.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, product = f(x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), product.numpy(), rtol=1e-12)


def test_variables_count_with_their_values_of_the_forward_run():
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        for _ in tf.range(5):
            set_loop_options(checkpoint=True)
            x = x * v
        return x

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    v.assign(100.0)
    dx, dv = tape.gradient(y, [x, v])
    assert (dx.numpy(), dv.numpy()) == (32.0, 80.0)


def test_a_loop_that_cannot_run_twice_says_so_and_keeps_all(caplog):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        for _ in tf.range(4):
            set_loop_options(checkpoint=True)
            v.assign_add(1.0)
            x = x * v
        return x

    x = tf.constant(1.0)
    with caplog.at_level(logging.WARNING, "graphrt"), tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy() == 120.0
    assert "not checkpointed" in caplog.text
    assert "test_checkpoints.py" in caplog.text


def memory(ck, n):
    size = 1000

    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            set_loop_options(checkpoint=ck)
            x = tf.sin(x) * 1.1
        return tf.reduce_sum(x)

    x = tf.constant(np.linspace(0.1, 1.0, size))

    def gradient(n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, n)
        return tape.gradient(y, x)

    gradient(tf.constant(n))
    tracemalloc.start()
    try:
        gradient(tf.constant(n))
        current, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert current < 20 * 8 * size  # freed after the call
    return peak / (8 * size)


def test_memory_grows_with_the_square_root():
    small, large = memory(True, 225), memory(True, 900)
    assert large < 2.6 * small
    assert large < memory(False, 900) / 6
