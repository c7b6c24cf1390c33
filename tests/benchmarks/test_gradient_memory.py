"""Gradients of loops keep what they need and no more; who takes no gradients pays nothing."""

import tracemalloc

import numpy as np

import graphrt as tf

SIZE = 20_000  # elements of the loop's variable
ARRAY = SIZE * 8


def step(x, w):
    return tf.sin(x) * w


@tf.function
def loop(x, w, n):
    for _ in tf.range(n):
        x = step(x, w)
    return tf.reduce_sum(x)


@tf.function
def inner(x, w, n):
    for _ in tf.range(n):
        x = step(x, w)
    return x


@tf.function
def in_pieces(x, w, n):
    piece = tf.recompute_grad(inner)
    for _ in tf.range(n):
        x = piece(x, w, n)
    return tf.reduce_sum(x)


def peak(function, *arguments):
    """Bytes that `function` had allocated at most at one time."""
    function(*arguments)
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def gradient_of(function):
    def compute(x, w, n):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = function(x, w, n)
        return tape.gradient(y, [x, w])

    return compute


X, W = tf.constant(np.linspace(0.1, 1.0, SIZE)), tf.constant(np.linspace(0.9, 1.1, SIZE))


def test_memory_of_a_gradient_is_linear_in_the_iterations():
    small, large = (peak(gradient_of(loop), X, W, tf.constant(n)) for n in (50, 100))
    assert 40 * ARRAY < large - small < 50 * 2.3 * ARRAY  # two intermediates an iteration


def test_memory_of_a_gradient_in_a_graph_is_linear_too():
    compute = tf.function(gradient_of(loop))
    small, large = (peak(compute, X, W, tf.constant(n)) for n in (50, 100))
    assert 40 * ARRAY < large - small < 50 * 2.3 * ARRAY


def test_forward_alone_keeps_nothing():
    gradient_of(loop)(X, W, tf.constant(3))
    small, large = (peak(loop, X, W, tf.constant(n)) for n in (50, 400))
    assert large < small + 2 * ARRAY
    assert large < 8 * ARRAY


def test_recomputed_pieces_need_the_square_root():
    whole = peak(gradient_of(loop), X, W, tf.constant(144))
    pieces = peak(gradient_of(in_pieces), X, W, tf.constant(12))
    assert pieces < whole / 4
    for a, b in zip(gradient_of(loop)(X, W, tf.constant(144)), gradient_of(in_pieces)(X, W, tf.constant(12))):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-12)


def test_taking_gradients_leaves_the_forward_program_as_it_was():
    @tf.function
    def f(x):
        y = x
        for i in tf.range(3):
            if y[0] > 1.0:
                y = tf.sin(y) * x
            else:
                y = tf.exp(y)
        return y

    concrete = f.get_concrete_function(X)
    before = concrete.source
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = f(X)
    tape.gradient(y, X)
    assert concrete.source == before
    from graphrt.executor.program import compile_graph
    from graphrt.passes import run_passes

    assert compile_graph(concrete.graph, prepare=run_passes).source == before
