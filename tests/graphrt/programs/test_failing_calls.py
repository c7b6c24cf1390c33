"""A call that fails leaves variables, arrays and weights as they were: one failing part of several, the others before it."""

import numpy as np
import pytest

import graphrt as tf


def _weights(target, change):
    before = target.get_weights()
    with pytest.raises(ValueError):
        change(target, [w + 1 for w in before])
    return all(np.array_equal(a, b) for a, b in zip(before, target.get_weights()))


@pytest.mark.parametrize("last", [np.ones(7), np.ones((2, 2)), "x", None], ids=["longer", "rank", "text", "missing"])
def test_weights_that_do_not_fit(last):
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(4), tf.keras.layers.Dense(2)])
    for target in (model, model.layers[0]):
        assert _weights(target, lambda t, new: t.set_weights(new[:-1] if last is None else [*new[:-1], last]))


def test_metric_whose_last_part_fails():
    metric = tf.keras.metrics.R2Score()
    metric.update_state([[1.0], [2.0]], [[1.0], [3.0]])
    before = [v.numpy() for v in metric.variables]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        metric.update_state(tf.ones([4, 1]), tf.ones([4, 2]))
    assert all(np.array_equal(a, v.numpy()) for a, v in zip(before, metric.variables))


def test_array_of_tensors_of_which_one_index_is_out_of_range():
    array = tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack([1.0, 2.0, 3.0])
    for places in ([0, 9], [1, -1]):
        with pytest.raises(tf.errors.OutOfRangeError):
            array.scatter(places, [7.0, 8.0])
        assert array.stack().numpy().tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("kind", ["update", "add", "sub", "max", "min", "mul", "div"])
@pytest.mark.parametrize("traced", [False, True])
def test_variables_of_which_one_row_is_out_of_range(kind, traced):
    variable = tf.Variable(tf.ones([3, 2]))

    def scatter(places):
        getattr(variable, f"scatter_{kind}")(tf.IndexedSlices(tf.fill([3, 2], 5.0), places))

    with pytest.raises(tf.errors.InvalidArgumentError):
        (tf.function(scatter) if traced else scatter)(tf.constant([0, 1, 9]))
    assert (variable.numpy() == 1).all()


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad", "Adafactor", "Lion", "Lamb", "Ftrl"])
def test_optimizers_whose_second_gradient_does_not_fit(name):
    optimizer = getattr(tf.keras.optimizers, name)(0.1)
    a, b = tf.Variable(tf.ones([2])), tf.Variable(tf.ones([3]))
    optimizer.apply_gradients([(tf.ones([2]), a), (tf.ones([3]), b)])
    held = [a, b, *optimizer.variables]
    before = [v.numpy() for v in held]
    sparse = tf.IndexedSlices(tf.ones([1]), tf.constant([7]), tf.constant([3]))
    for wrong in (tf.ones([4]), sparse):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            optimizer.apply_gradients([(tf.ones([2]), a), (wrong, b)])
        assert all(np.array_equal(x, v.numpy()) for x, v in zip(before, held))
