"""Ragged tensors behind handles, as TensorFlow's graphs put them into lists: values, and gradients to all orders."""

import numpy as np
import pytest

import graphrt as tf

ROWS = [0, 2, 2, 6]
X = np.array([1, 2, 3, 1, 2, 3], np.float32)


def encoded(x, *splits, batched=True):
    splits = [tf.constant(s, tf.int64) for s in splits]
    return tf.raw_ops.RaggedTensorToVariant(rt_nested_splits=splits, rt_dense_values=x, batched_input=batched)


def decoded(variant, rank, given=-1):
    parts = tf.raw_ops.RaggedTensorFromVariant(
        encoded_ragged=variant, input_ragged_rank=given, output_ragged_rank=rank, Tvalues=tf.float32, Tsplits=tf.int64
    )
    return *parts[0], parts[1]


def mapped(x, function, used=(0, 1, 2)):
    """What `map_fn` of ragged rows is in TensorFlow's graphs: rows are variants in lists."""
    rows = tf.raw_ops.TensorListFromTensor(tensor=encoded(x, ROWS), element_shape=tf.constant([], tf.int32))
    out = tf.raw_ops.TensorListReserve(element_shape=-1, num_elements=len(used), element_dtype=tf.variant)

    def body(i, out):
        row = tf.raw_ops.TensorListGetItem(
            input_handle=rows,
            index=tf.gather(used, i),
            element_shape=tf.constant([], tf.int32),
            element_dtype=tf.variant,
        )
        made = encoded(function(decoded(row, 0)[0]), batched=False)
        return i + 1, tf.raw_ops.TensorListSetItem(input_handle=out, index=i, item=made)

    _, out = tf.while_loop(lambda i, _: i < len(used), body, (0, out))
    whole = tf.raw_ops.TensorListStack(
        input_handle=out, element_shape=tf.constant([], tf.int32), element_dtype=tf.variant, num_elements=len(used)
    )
    return decoded(whole, 1)


@pytest.mark.parametrize("traced", [False, True])
def test_rows_are_mapped_and_have_gradients(traced):
    def run(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                splits, values = mapped(x, lambda row: row * row * row)
            first = tape.gradient(values, x)
        return splits, values, first, outer.gradient(first, x)

    splits, values, first, second = (tf.function(run) if traced else run)(tf.constant(X))
    assert splits.numpy().tolist() == ROWS
    assert np.allclose(values, X**3) and np.allclose(first, 3 * X**2) and np.allclose(second, 6 * X)


@pytest.mark.parametrize("traced", [False, True])
def test_rows_that_nothing_depends_on_have_no_gradient(traced):
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            splits, values = mapped(x, lambda row: row * row, (2, 1))
        return splits, tape.gradient(values, x)

    splits, gradient = (tf.function(run) if traced else run)(tf.constant(X))
    assert splits.numpy().tolist() == [0, 4, 4]
    assert gradient.numpy().tolist() == [0.0, 0.0, *(2 * X[2:]).tolist()]


@pytest.mark.parametrize("dims", [[], [2], [2, 1]])
def test_variants_of_any_shape_are_decoded_and_have_gradients(dims):
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            variants = encoded(x, [0, 1, 3], ROWS, batched=bool(dims))
            rank = 2 if len(dims) < 2 else 3
            parts = tf.raw_ops.RaggedTensorFromVariant(
                encoded_ragged=tf.raw_ops.Reshape(tensor=variants, shape=tf.constant(dims, tf.int32)),
                input_ragged_rank=-1, output_ragged_rank=rank, Tvalues=tf.float32, Tsplits=tf.int64,
            )  # fmt: skip
            *splits, values = *parts[0], parts[1]
            total = tf.reduce_sum(values * values)
        return splits, tape.gradient(total, x)

    splits, gradient = tf.function(run)(tf.constant(X))
    assert [s.numpy().tolist() for s in splits][-2:] == [[0, 1, 3], ROWS]
    assert [s.numpy().tolist() for s in splits][:-2] == ([[0, 1, 2]] if len(dims) == 2 else [])
    assert np.array_equal(gradient, 2 * X)


def test_contradictions_are_told_while_tracing():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def wrong(x):
        return decoded(encoded(x, ROWS), 3, 1)

    with pytest.raises(ValueError, match="output_ragged_rank 3 does not fit input_ragged_rank 1"):
        wrong.get_concrete_function()

    with pytest.raises(tf.errors.InvalidArgumentError, match="doesn't hold a RaggedTensorVariant"):
        decoded(tf.raw_ops.TensorListReserve(element_shape=0, num_elements=1, element_dtype=tf.int32), 0)
