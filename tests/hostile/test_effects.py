"""A short form of the trial of ops that write."""

from __future__ import annotations

import pytest

import graphrt as tf
from tests.hostile import effects


def test_ops_that_fail_leave_what_they_write_to() -> None:
    failed = worked = ops = 0
    for _, found, fails, works in effects.trial(1, 6, [], ("eager", "traced", "unknown")):
        assert not found, "\n".join(found)
        failed, worked, ops = failed + fails, worked + works, ops + (fails > 0)
    assert failed > 100 and worked > 20 and ops > 50


@pytest.mark.parametrize("how", ["eager", "known", "given"])
@pytest.mark.parametrize("name", ["normal", "truncated_normal", "uniform", "uniform_full_int"])
def test_draws_of_a_generator_that_fail(name: str, how: str) -> None:
    generator = tf.random.Generator.from_seed(7)
    draw = getattr(generator, name)
    calls = {
        "eager": lambda shape: draw(shape),
        "known": lambda shape: tf.function(lambda: draw(shape))(),
        "given": lambda shape: tf.function(draw)(tf.constant(shape)),
    }
    for shape in ([-1], [2, -3], [-1, -1]):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            calls[how](shape)
    assert generator.state.numpy().tolist() == [7, 0, 0]
    assert calls[how]([2]).shape == [2]
    assert generator.state.numpy().tolist() == [7 + 512, 0, 0]


@pytest.mark.parametrize("bounds", [(5, 5), (5, 2)])
def test_integers_of_no_range(bounds: tuple[int, int]) -> None:
    generator = tf.random.Generator.from_seed(7)
    for call in (
        lambda: generator.uniform([2], *bounds, tf.int32),
        tf.function(lambda: generator.uniform([2], *bounds, tf.int32)),
        lambda: tf.function(lambda a, b: generator.uniform([2], a, b, tf.int32))(*map(tf.constant, bounds)),
    ):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            call()
    assert generator.state.numpy().tolist() == [7, 0, 0]


def test_binomials_that_do_not_fit() -> None:
    generator = tf.random.Generator.from_seed(7)
    for shape in ([-1], [3]):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            generator.binomial(shape, [1.0, 2.0], [0.5, 0.5])
    assert generator.state.numpy().tolist() == [7, 0, 0]


def test_binomials_of_texts_and_of_more_than_memory_holds() -> None:
    generator = tf.random.Generator.from_seed(7)
    for call in (
        lambda: generator.binomial([2], "a", "b"),
        lambda: generator.binomial([2], 3.0, 0.5, tf.uint8),
        lambda: generator.binomial([2**20, 2**20, 2**20], 3.0, 0.5),
    ):
        for run in (call, tf.function(call)):
            with pytest.raises((ValueError, TypeError, MemoryError, tf.errors.OpError)):
                run()
    assert generator.state.numpy().tolist() == [7, 0, 0]


@pytest.mark.parametrize("name", ["normal", "truncated_normal", "uniform"])
def test_parameters_that_do_not_fit_the_shape(name: str) -> None:
    generator = tf.random.Generator.from_seed(7)
    draw = tf.function(
        lambda shape, value: getattr(generator, name)(shape, value),
        input_signature=[tf.TensorSpec([1], tf.int32), tf.TensorSpec(None)],
    )
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        draw([2], [[1.0, 2.0, 3.0]])
    assert generator.state.numpy().tolist() == [7, 0, 0]
    assert draw([3], [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]).shape == [2, 3]
    assert generator.state.numpy().tolist() == [7 + 3 * 256, 0, 0]
