"""tf.random.Generator: numbers and states recorded from TensorFlow 2.20."""

import numpy as np
import pytest

import graphrt as tf


@pytest.mark.parametrize(
    ("seed", "state"),
    [
        (0, [0, 0, 0]),
        (1234, [1234, 0, 0]),
        (-5, [-5, -1, -1]),
        (2**70, [0, 64, 0]),
        ([1, 2], [0, 1, 2]),
        ([1, 2, 3], [1, 2, 3]),
    ],
)
def test_states_of_seeds(seed, state):
    assert tf.random.Generator.from_seed(seed).state.numpy().tolist() == state


def test_a_sequence_of_draws():
    g = tf.random.Generator.from_seed(1)
    np.testing.assert_allclose(g.uniform([3]), [0.78749514, 0.39065111, 0.29263055], rtol=1e-6)
    assert g.state.numpy().tolist() == [769, 0, 0]
    np.testing.assert_allclose(
        g.normal([5]), [-0.83932251, 0.16036783, -0.86178455, -1.19931769, -0.29267356], rtol=1e-5
    )
    assert g.state.numpy().tolist() == [2049, 0, 0]
    np.testing.assert_allclose(
        g.truncated_normal([5]), [0.95607162, 0.43019655, -0.31551504, 0.28167197, -0.08948538], rtol=1e-5
    )
    assert g.uniform([3], 0, 10, tf.int32).numpy().tolist() == [3, 4, 6]
    assert g.uniform_full_int([3]).numpy().tolist() == [8645169672042352723, 1057656798894713629, 2163174483472255437]
    assert g.state.numpy().tolist() == [4865, 0, 0]
    assert g.make_seeds(2).shape == [2, 2]
    before = g.skip(7).numpy().tolist()
    assert g.state.numpy().tolist() == [before[0] + 7 * 256, 0, 0]


def test_a_function_moves_the_state_on():
    g = tf.random.Generator.from_seed(1)

    @tf.function
    def draw(n):
        return g.uniform([n])

    first, second = draw(tf.constant(3)), draw(tf.constant(3))
    np.testing.assert_allclose(first, [0.78749514, 0.39065111, 0.29263055], rtol=1e-6)
    np.testing.assert_allclose(second, [0.6941341, 0.7800473, 0.3360424], rtol=1e-6)
    assert g.state.numpy().tolist() == [1537, 0, 0]


def test_resets_and_copies():
    g = tf.random.Generator.from_seed(9)
    g.uniform([4])
    twin = tf.random.Generator(copy_from=g)
    assert twin.uniform([2]).numpy().tolist() == g.uniform([2]).numpy().tolist()
    g.reset_from_seed(3)
    assert g.state.numpy().tolist() == [3, 0, 0]
    g.reset_from_key_counter(5, [1, 2])
    assert g.state.numpy().tolist() == [1, 2, 5]
    assert int(g.key) == 5
    a, b = g.split(2)
    assert a.uniform([3]).numpy().tolist() != b.uniform([3]).numpy().tolist()


def test_the_counter_carries_into_its_upper_half():
    g = tf.random.Generator.from_state([-256, 0, 0], "philox")
    g.uniform([2])
    assert g.state.numpy().tolist() == [256, 1, 0]


def test_misuse():
    with pytest.raises(ValueError):
        tf.random.Generator()
    with pytest.raises(ValueError, match="Philox"):
        tf.random.Generator.from_seed(1, alg="threefry")
    with pytest.raises(ValueError, match="maxval"):
        tf.random.Generator.from_seed(1).uniform([2], dtype=tf.int32)


def test_binomial_counts():
    counts = tf.random.Generator.from_seed(2).binomial([2000], 10.0, 0.3).numpy()
    assert abs(counts.mean() - 3.0) < 0.2
    assert counts.min() >= 0
    assert counts.max() <= 10
