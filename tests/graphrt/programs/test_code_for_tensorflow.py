"""What code written for TensorFlow does and other tests do not: each of these failed in somebody's program."""

import numpy as np
import pytest

import graphrt as tf


def test_tensors_take_attributes():
    x = tf.constant([1.0])
    x._mark, x.note = 1, "a"
    assert (x._mark, x.note) == (1, "a")

    @tf.function
    def f(x):
        x.factor = 3
        y = x + 1
        y.shift = 4
        return y * x.factor + y.shift

    assert f(tf.constant(1)).numpy() == 10


def test_python_functions_as_decorators():
    @tf.numpy_function(Tout=tf.float32)
    def sinh(x):
        return np.sinh(x)

    @tf.py_function(Tout=tf.float32)
    def product(x, y):
        return x * y + tf.reduce_sum(y)

    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def traced(x):
        return sinh(x * 2), product(x, x)

    np.testing.assert_allclose(sinh(tf.constant([1.0, 2.0])), np.sinh([1.0, 2.0]), rtol=1e-6)
    np.testing.assert_allclose(product(tf.constant(2.0), tf.constant([3.0, 4.0])), [13, 15])
    one, two = traced(tf.constant([3.0]))
    np.testing.assert_allclose(one, np.sinh([6.0]), rtol=1e-6)
    np.testing.assert_allclose(two, [12.0])
    assert sinh.__name__ == "sinh"


@pytest.mark.parametrize("n", [1, 2, 3])
def test_convolution_of_any_rank(n):
    form = {1: "ncw", 2: "nchw", 3: "ncdhw"}[n]
    rng = np.random.RandomState(0)
    x = rng.rand(2, 3, *[6] * n, 2).astype("float32")
    w = rng.rand(*[3] * n, 2, 4).astype("float32")
    found = tf.nn.convolution(x, w, padding="SAME")
    assert found.shape == (2, 3, *[6] * n, 4), form
    kind = {1: tf.nn.conv1d, 2: tf.nn.conv2d, 3: tf.nn.conv3d}[n]
    np.testing.assert_allclose(found[1], kind(x[1], w, [1] * (n + 2), "SAME"), rtol=1e-5)
    traced = tf.function(lambda x: tf.nn.convolution(x, w))
    shape = traced.get_concrete_function(tf.TensorSpec([None, 3, *[6] * n, 2])).output_shapes
    assert shape.as_list() == [None, 3, *[4] * n, 4]
    with pytest.raises(ValueError, match="num_spatial_dims"):
        tf.nn.convolution(x, tf.ones([3] * 6))


def test_numpy_on_complex_tensors():
    x = tf.constant([1 + 2j, complex("nan")])
    assert np.isclose(x, x).numpy().tolist() == [True, False]
    assert np.isclose(x, x, equal_nan=True).numpy().tolist() == [True, True]
    assert np.nan_to_num(x).numpy().tolist() == [1 + 2j, 0j]
    np.testing.assert_allclose(x[:1], [1 + 2j])


def test_equal_seeds_of_variables_made_inside():
    class Two(tf.Module):
        a = None

        @tf.function
        def __call__(self):
            if self.a is None:
                self.a = tf.Variable(tf.random.uniform([2], seed=5))
                self.b = tf.Variable(lambda: tf.random.uniform([2], seed=5))
            return self.a + 0.0, self.b + 0.0

    tf.random.set_seed(3)
    for found in Two()():
        np.testing.assert_allclose(found, [0.3976692, 0.84256816], rtol=1e-6)


@pytest.mark.parametrize("name", ["Concatenate", "Add", "Multiply", "Average", "Maximum", "Minimum", "Subtract", "Dot"])
def test_layers_promote(name):
    layer = getattr(tf.keras.layers, name)(**({"axes": 1} if name == "Dot" else {}))
    found = layer([tf.constant([[1, 2]], tf.int64), tf.constant([[1.0, 2.0]])])
    assert found.dtype is tf.float32
    same = layer([tf.constant([[1.0, 2.0]]), tf.constant([[1.0, 2.0]])])
    assert found.numpy().tolist() == same.numpy().tolist()


def test_masks_are_attributes():
    x = tf.keras.layers.Embedding(5, 3, mask_zero=True)(tf.constant([[1, 0, 2]]))
    assert x._keras_mask.numpy().tolist() == [[True, False, True]]
    x._keras_mask = tf.constant([[False, False, True]])
    pooled = tf.keras.layers.GlobalAveragePooling1D()(x)
    np.testing.assert_allclose(pooled[0], x[0, 2], rtol=1e-6)


def test_prefix_of_a_ragged_shape():
    shape = tf.experimental.DynamicRaggedShape.from_tensor(tf.ragged.constant([[[1, 2]], [[3], []], []], ragged_rank=2))
    assert repr(shape[:1]) == "<DynamicRaggedShape lengths=[3] num_row_partitions=0>"
    assert repr(shape[:2]) == "<DynamicRaggedShape lengths=[3, (1, 2, 0)] num_row_partitions=1>"
    assert repr(shape[:3]) == repr(shape)
    with pytest.raises(ValueError, match="uniform"):
        shape[1:]


def test_iterators_have_next():
    iterator = iter(tf.data.Dataset.range(1))
    assert iterator.next().numpy() == 0
    with pytest.raises(StopIteration):
        iterator.next()


def test_classes_keep_their_dtype_when_resampled():
    dataset = tf.data.Dataset.from_tensor_slices([0, 0, 0, 1]).rejection_resample(lambda x: x, [0.5, 0.5], seed=1)
    assert dataset.element_spec[0].dtype is tf.int32
    assert {int(c) for c, _ in dataset.repeat(20)} == {0, 1}


def test_length_of_a_tensor_array():
    assert len(tf.TensorArray(tf.float32, 3)) == 3
    assert tf.TensorArray(tf.float32, 0)
    assert tf.function(lambda: tf.constant(len(tf.TensorArray(tf.float32, 3))))().numpy() == 3

    @tf.function
    def unknown(n):
        return len(tf.TensorArray(tf.float32, n))

    with pytest.raises(errors := tf.errors.OperatorNotAllowedInGraphError, match=r"size\(\)"):
        unknown(tf.constant(2))
    assert errors


def test_absolute_values_of_a_dataset():
    @tf.function
    def total(dataset):
        found = tf.constant(0, tf.int64)
        for x in abs(dataset):
            found += x
        return found

    assert total(tf.data.Dataset.from_tensor_slices(tf.constant([-1, -2, 3], tf.int64))).numpy() == 6


def test_a_loop_over_nothing():
    with pytest.raises(ValueError, match="loop_vars"):
        tf.while_loop(lambda: True, lambda: (), [])
    with pytest.raises(ValueError, match="loop_vars"):
        tf.function(lambda: tf.while_loop(lambda: True, lambda: (), []))()


def test_assertions_on_tensors_from_outside():
    c = tf.constant([1, 2])

    @tf.function
    def f(x):
        tf.debugging.assert_equal(c, c)
        tf.debugging.assert_equal(c, x)
        tf.debugging.assert_less(x, c + 1)
        return x

    assert f(c).numpy().tolist() == [1, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"x \(shape=\(2,\) dtype=int32\)"):
        f(tf.constant([1, 3]))


def test_strings_are_joined_in_their_order():
    x = tf.constant([["a", "b"], ["c", "d"]])
    assert tf.strings.reduce_join(x).numpy() == b"abcd"
    assert tf.strings.reduce_join(x, axis=[0, 1]).numpy() == b"acbd"
    assert tf.function(tf.strings.reduce_join, input_signature=[tf.TensorSpec(None, tf.string)])(x).numpy() == b"abcd"


def test_messages_show_the_shapes_given():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[2,3\] vs. \[4\]"):
        tf.ones([2, 3]) + tf.ones([4])
    with pytest.raises(ValueError, match=r"\[3\] vs. \[1,2,4\]"):
        tf.function(lambda: tf.maximum(tf.ones([3]), tf.ones([1, 2, 4])))()


def test_masks_within_tuples():
    x = tf.reshape(tf.range(12), [3, 4])
    assert x[(True, False, True),].numpy().tolist() == [[0, 1, 2, 3], [8, 9, 10, 11]]
    assert x[:, (True, False, True, False)].numpy().tolist() == [[0, 2], [4, 6], [8, 10]]
