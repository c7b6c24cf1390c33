"""Handlers that answer for public functions when they are given extension types."""

from typing import List  # noqa: UP035

import pytest

import graphrt as tf


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


@pytest.fixture
def masked():
    return Masked([1.0, -4.0], [True, False])


def test_unary_functions_hand_on_their_other_arguments(masked):
    seen = []

    @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    def handler(function, x):
        seen.append(getattr(function, "__name__", None) or function.func.__name__)
        return Masked(function(x.values), x.mask)

    try:
        assert tf.abs(masked).values.numpy().tolist() == [1.0, 4.0]
        assert tf.math.abs(masked).mask.numpy().tolist() == [True, False]
        assert tf.cast(masked, tf.int32).values.dtype is tf.int32
        assert tf.nn.leaky_relu(masked, alpha=0.5).values.numpy().tolist() == [1.0, -2.0]
        assert tf.function(lambda m: tf.nn.relu(m).values)(masked).numpy().tolist() == [1.0, 0.0]
        assert seen == ["abs", "abs", "cast", "leaky_relu", "relu"]
    finally:
        tf.experimental.unregister_dispatch_for(handler)
    with pytest.raises((TypeError, ValueError)):
        tf.abs(masked)
    assert tf.abs(-1).numpy() == 1


def test_binary_functions_need_both_types(masked):
    @tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
    def handler(function, x, y):
        return Masked(function(x.values, y.values), x.mask & y.mask)

    try:
        assert tf.add(masked, masked).values.numpy().tolist() == [2.0, -8.0]
        assert tf.greater(masked, masked).values.numpy().tolist() == [False, False]
        with pytest.raises((TypeError, ValueError)):
            tf.add(masked, 1.0)
    finally:
        tf.experimental.unregister_dispatch_for(handler)


def test_signatures_and_annotations(masked):
    @tf.experimental.dispatch_for_api(tf.reduce_sum)
    def total(input_tensor: Masked, axis=None, keepdims=False, name=None):
        return tf.reduce_sum(tf.where(input_tensor.mask, input_tensor.values, 0.0), axis, keepdims)

    @tf.experimental.dispatch_for_api(tf.concat, {"values": List[Masked]}, {"values": list[Masked]})  # noqa: UP006
    def joined(values, axis, name=None):
        return Masked(tf.concat([v.values for v in values], axis), tf.concat([v.mask for v in values], axis))

    try:
        assert tf.reduce_sum(masked).numpy() == 1.0
        assert tf.math.reduce_sum(masked, axis=0).numpy() == 1.0
        assert tf.reduce_sum([1.0, 2.0]).numpy() == 3.0
        assert tf.concat([masked, masked], 0).values.shape == [4]
        assert tf.concat([[1], [2]], 0).numpy().tolist() == [1, 2]
    finally:
        tf.experimental.unregister_dispatch_for(total)
        tf.experimental.unregister_dispatch_for(joined)


def test_a_handler_of_tensors_too_calls_the_function_on_tensors(masked):
    @tf.experimental.dispatch_for_api(tf.stack)
    def stack(values: list[Masked | tf.Tensor], axis=0):
        parts = [v if isinstance(v, Masked) else Masked(v, tf.ones_like(v, tf.bool)) for v in values]
        return Masked(tf.stack([p.values for p in parts], axis), tf.stack([p.mask for p in parts], axis))

    try:
        found = tf.stack([masked, tf.zeros_like(masked.values)])
        assert isinstance(found, Masked) and found.values.shape[0] == 2
        assert isinstance(tf.stack([tf.constant(1), tf.constant(2)]), tf.Tensor)
    finally:
        tf.experimental.unregister_dispatch_for(stack)


def test_what_cannot_be_registered():
    with pytest.raises(ValueError, match="does not match API's signature"):
        tf.experimental.dispatch_for_api(tf.reduce_mean, {"input_tensor": Masked})(lambda x: x)
    with pytest.raises(ValueError, match="does not support dispatch"):
        tf.experimental.dispatch_for_api(len)
    with pytest.raises(ValueError, match="annotate"):
        tf.experimental.dispatch_for_api(tf.rank)(lambda input, name: 0)
    with pytest.raises(ValueError, match="was not registered"):
        tf.experimental.unregister_dispatch_for(len)
