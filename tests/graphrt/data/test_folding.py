"""Loops over datasets run as loops over stretches of elements, with the results, effects and errors of single steps."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.data import folding


def ranges():
    yield tf.data.Dataset.range(0)
    yield tf.data.Dataset.range(1)
    yield tf.data.Dataset.range(700)
    yield tf.data.Dataset.range(100).map(lambda x: x * 3)
    yield tf.data.Dataset.from_tensor_slices(np.arange(300).reshape(100, 3)).map(lambda x: x[1])
    yield tf.data.Dataset.range(50).shuffle(10, seed=1, reshuffle_each_iteration=False)


def total(dataset):
    s = tf.constant(0, tf.int64)
    for x in dataset:
        s = s * 3 % 1000 + x
    return s


def first_above(dataset):
    found = tf.constant(-1, tf.int64)
    for x in dataset:
        if x > 40:
            found = x
            break
        if x % 2 == 0:
            continue
        found += x
    return found


def nested(dataset):
    s = tf.constant(0, tf.int64)
    for x in dataset:
        n = x
        while n > 0:
            s += n % 10
            n //= 10
    return s


def collected(dataset):
    found = tf.TensorArray(tf.int64, 0, dynamic_size=True)
    i = 0
    for x in dataset:
        if x % 5 == 0:
            found = found.write(i, x)
            i += 1
    return found.stack()


@pytest.mark.parametrize("function", [total, first_above, nested, collected])
def test_what_a_function_finds_is_what_single_steps_find(function):
    for dataset in ranges():
        elements = list(dataset.as_numpy_iterator())
        wanted = function([tf.constant(e) for e in elements]).numpy() if elements else None
        found = tf.function(function)(dataset).numpy()
        if wanted is not None:
            assert found.dtype == wanted.dtype and found.tolist() == wanted.tolist()


def test_reduce_with_structures_and_captured_values():
    k = tf.constant(7.0)
    dataset = tf.data.Dataset.from_tensor_slices(
        {"a": np.arange(40.0, dtype=np.float32), "b": np.ones((40, 2), np.float32)}
    )
    state = (tf.constant(0.0), tf.zeros([2]))
    found = dataset.reduce(state, lambda s, e: (s[0] * 0.5 + e["a"] * k, s[1] + e["b"] * e["a"]))
    a, b = np.float32(0), np.zeros(2, np.float32)
    for i in range(40):
        a, b = a * np.float32(0.5) + np.float32(i) * np.float32(7), b + np.ones(2, np.float32) * np.float32(i)
    assert found[0].numpy() == a and found[1].numpy().tolist() == b.tolist()


def test_it_is_one_loop():
    dataset = tf.data.Dataset.range(10)
    traced = dataset.reduce  # the loop is made where elements come in stretches
    assert traced(tf.constant(0, tf.int64), lambda s, x: s + x).numpy() == 45
    graph = tf.function(lambda s, x: s + x).get_concrete_function(tf.constant(0), tf.constant(1)).graph
    fold = folding.over_stretches(graph, 1, 0, -1)
    assert fold is not None and folding.over_stretches(graph, 1, 0, -1) is fold
    assert fold(np.int32(4), np.int32(10), np.arange(4, dtype=np.int32)) == (16,)


def test_effects_come_in_their_order():
    seen = []
    v = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def f(dataset):
        for x in dataset:
            tf.numpy_function(lambda x: seen.append(int(x)), [x], [])
            v.assign_add(x)
        return v + 0

    assert f(tf.data.Dataset.range(50)).numpy() == 1225
    assert seen == list(range(50))


def test_an_error_names_its_element():
    dataset = tf.data.Dataset.range(100)
    with pytest.raises(tf.errors.InvalidArgumentError, match="for element number 37"):
        dataset.reduce(tf.constant(0, tf.int64), lambda s, x: s + 100 // (37 - x))

    @tf.function
    def f(dataset):
        s = tf.constant(0, tf.int64)
        for x in dataset:
            s += 100 // (37 - x)
        return s

    with pytest.raises(tf.errors.InvalidArgumentError):
        f(dataset)


def test_elements_after_a_break_do_no_harm():
    @tf.function
    def f(dataset):
        s = tf.constant(0, tf.int64)
        for x in dataset:
            s += 100 // (37 - x)
            if x == 30:
                break
        return s

    assert f(tf.data.Dataset.range(100)).numpy() == sum(100 // (37 - x) for x in range(31))


def test_gradients_go_through():
    w = tf.Variable(2.0)
    dataset = tf.data.Dataset.from_tensor_slices(np.array([1, 2, 3], np.float32))

    @tf.function
    def f():
        with tf.GradientTape() as tape:
            s = tf.constant(0.0)
            for x in dataset:
                s = s * w + x
        return s, tape.gradient(s, w)

    s, g = f()
    assert (s.numpy(), g.numpy()) == (11.0, 6.0)
