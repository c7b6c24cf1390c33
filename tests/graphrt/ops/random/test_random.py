"""Random numbers: streams, seeds and distributions, and TensorFlow's numbers."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.ops.random import philox as random_bits
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/random")


def test_philox_of_the_published_example():
    # the known answers that come with the publication of Philox 4x32-10
    assert random_bits.one_block(0, 0) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    everything = 2**128 - 1
    assert random_bits.one_block(2**64 - 1, everything) == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)


def test_blocks_one_by_one_and_in_bulk_are_the_same():
    counter = (7 << 64) + 2**64 - 5  # carries into the upper half on the way
    bulk = random_bits.blocks(123, counter, 20)
    assert bulk.tolist() == [list(random_bits.one_block(123, counter + i)) for i in range(20)]


def test_a_global_seed_repeats_what_follows():
    def draw():
        tf.random.set_seed(11)
        return [tf.random.uniform([3]).numpy().tolist() for _ in range(3)]

    first = draw()
    assert first == draw()
    assert first[0] != first[1]


def test_without_seeds_calls_differ():
    tf.random.set_seed(None)
    drawn = {tuple(tf.random.uniform([2]).numpy().tolist()) for _ in range(5)}
    assert len(drawn) == 5


def test_a_function_draws_anew_at_each_call_and_repeats_after_the_seed():
    @tf.function
    def draw():
        return tf.random.uniform([2]), tf.random.normal([2], seed=4)

    def values():
        return [t.numpy().tolist() for t in draw()]

    tf.random.set_seed(3)
    first, second = values(), values()
    assert first != second
    tf.random.set_seed(3)
    assert values() == first


def test_two_draws_in_one_function_differ():
    tf.random.set_seed(None)

    @tf.function
    def draw():
        return tf.random.uniform([4]), tf.random.uniform([4])

    a, b = draw()
    assert a.numpy().tolist() != b.numpy().tolist()


def test_shapes_given_by_tensors():
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def draw(x):
        return tf.random.uniform(tf.shape(x)), tf.random.normal([tf.shape(x)[0], 2])

    a, b = draw(tf.zeros([5, 3]))
    assert (a.shape, b.shape) == ([5, 3], [5, 2])


@pytest.mark.parametrize(
    ("draw", "mean", "deviation"),
    [
        (lambda n, s: tf.random.stateless_uniform([n], s, -1.0, 3.0), 1.0, 4 / 12**0.5),
        (lambda n, s: tf.random.stateless_normal([n], s, 2.0, 3.0), 2.0, 3.0),
        (lambda n, s: tf.random.stateless_truncated_normal([n], s), 0.0, 0.87963),
        (lambda n, s: tf.random.stateless_gamma([n], s, 2.5, 2.0), 1.25, 2.5**0.5 / 2),
        (lambda n, s: tf.random.stateless_gamma([n], s, 0.4), 0.4, 0.4**0.5),
        (lambda n, s: tf.cast(tf.random.stateless_poisson([n], s, 3.5), tf.float32), 3.5, 3.5**0.5),
        (lambda n, s: tf.cast(tf.random.stateless_poisson([n], s, 40.0), tf.float32), 40.0, 40**0.5),
        (lambda n, s: tf.cast(tf.random.stateless_binomial([n], s, 10.0, 0.3), tf.float32), 3.0, 2.1**0.5),
        (lambda n, s: tf.cast(tf.random.stateless_binomial([n], s, 200.0, 0.7), tf.float32), 140.0, 42**0.5),
        (
            lambda n, s: tf.cast(tf.random.stateless_categorical([[0.0, np.log(3.0)]], n, s)[0], tf.float32),
            0.75,
            0.1875**0.5,
        ),
        (lambda n, s: tf.random.stateless_parameterized_truncated_normal([n], s, 0.0, 1.0, -1.0, 1.0), 0.0, 0.53956),
        (lambda n, s: tf.cast(tf.random.stateless_uniform([n], s, 0, 7, tf.int32), tf.float32), 3.0, 2.0),
    ],
)
def test_moments(draw, mean, deviation):
    n = 20000
    values = draw(n, (3, 5)).numpy().astype(np.float64)
    assert abs(values.mean() - mean) < 5 * deviation / n**0.5
    assert abs(values.std() - deviation) < 0.03 * deviation
    assert draw(n, (3, 5)).numpy().tolist() == values.tolist()
    assert draw(n, (3, 6)).numpy().tolist() != values.tolist()


def test_bounds_of_any_shape_broadcast():
    low, high = [-1.0, -2.0, -1000.0], [[10000.0], [1.0]]
    x = tf.random.stateless_parameterized_truncated_normal([10, 2, 3], (7, 17), 0.0, tf.ones([2, 3]), low, high).numpy()
    assert x.shape == (10, 2, 3) and np.all((low <= x) & (x <= np.array(high)))


def test_a_shuffle_is_a_permutation_of_the_rows():
    rows = tf.reshape(tf.range(20), [10, 2])
    shuffled = tf.random.shuffle(rows, seed=1).numpy().tolist()
    assert sorted(shuffled) == rows.numpy().tolist()
    assert all(b == a + 1 for a, b in shuffled)


@pytest.mark.parametrize("top", [0, 1, 6, 100])
def test_an_index_shuffle_is_a_permutation(top):
    found = tf.random_index_shuffle(tf.range(top + 1), (1, 2, 3), top).numpy().tolist()
    assert sorted(found) == list(range(top + 1))


def test_the_gradient_of_gamma_samples():
    alpha = tf.constant([0.7, 3.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(alpha)
        mean = tf.reduce_mean(tf.random.stateless_gamma([4000, 2], (1, 2), alpha, dtype=tf.float64), axis=0)
        total = tf.reduce_sum(mean)
    np.testing.assert_allclose(tape.gradient(total, alpha).numpy(), [1.0, 1.0], atol=0.1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.random.uniform([2], dtype=tf.int32),
        lambda: tf.random.uniform([2], dtype=tf.bool),
        lambda: tf.random.stateless_uniform([2], (1, 2), 0, 5, tf.uint32),
        lambda: tf.random.stateless_uniform([2], (1, 2), 0, None, tf.int32),
        lambda: tf.random.stateless_uniform([2], (1, 2), alg="threefry"),
    ],
)
def test_what_cannot_be_drawn(call):
    with pytest.raises(ValueError):
        call()


def test_an_empty_range_is_refused_when_it_is_drawn_from():
    with pytest.raises(tf.errors.InvalidArgumentError, match="minval < maxval"):
        tf.random.uniform([2], 5, 5, dtype=tf.int32)
    assert tf.random.uniform([0], 5, 5, dtype=tf.int32).shape == [0]


def test_seeds_may_hold_variables():
    step = tf.Variable(1)
    wanted = tf.random.stateless_normal([2], [1, 0]).numpy().tolist()
    assert tf.random.stateless_normal([2], [step, 0]).numpy().tolist() == wanted
    assert tf.function(lambda: tf.random.stateless_normal([2], [step, 0]))().numpy().tolist() == wanted
    assert tf.function(lambda: tf.random.stateless_normal([2], (step, step - 1)))().numpy().tolist() == wanted
