"""What layers and models refuse, and take.

Covers: graphrt/keras/layers/base.py, graphrt/keras/layers/preprocessing.py.
"""

import numpy as np
import pytest

import graphrt as tf

LAYERS = tf.keras.layers


@pytest.mark.parametrize(
    ("layer", "value", "wanted"),
    [
        (lambda: LAYERS.CategoryEncoding(3), [[0, 2]], [[1.0, 0.0, 1.0]]),
        (lambda: LAYERS.CategoryEncoding(3, output_mode="one_hot"), [0, 2], [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
        (lambda: LAYERS.CategoryEncoding(3), 2, [0.0, 0.0, 1.0]),
        (lambda: LAYERS.Discretization([0.0, 1.0]), [[-1.0, 0.5, 2.0]], [[0, 1, 2]]),
        (lambda: LAYERS.Rescaling(0.5), [1.0, 2.0], [0.5, 1.0]),
        (lambda: LAYERS.CenterCrop(1, 1), [[[1.0], [2.0]]], [[[1.0]]]),
        (lambda: LAYERS.Resizing(2, 2), [[[1.0], [2.0]]], [[[1.0], [2.0]], [[1.0], [2.0]]]),
        (lambda: LAYERS.Normalization(mean=1.0, variance=4.0), [[1.0], [3.0]], [[0.0], [1.0]]),
    ],
)
def test_preprocessing_layers_take_lists(layer, value, wanted):
    assert layer()(value).numpy().tolist() == wanted


@pytest.mark.parametrize("value", [3, 1.5, [1.0, 2.0]])
def test_other_layers_take_tensors(value):
    with pytest.raises(ValueError, match="Only input tensors may be passed"):
        LAYERS.Dense(2)(value)


@pytest.mark.parametrize("shape", [[], [3]])
def test_a_rank_that_is_too_small_is_told_before_the_layer_is_built(shape):
    layer = LAYERS.Dense(2)
    with pytest.raises(ValueError, match=f"expected min_ndim=2, found ndim={len(shape)}"):
        layer(tf.ones(shape))
    assert not layer.built


def test_windows_larger_than_the_input_are_value_errors():
    image = np.ones([1, 5, 5, 2], np.float32)
    for layer in (LAYERS.Conv2D(1, 7), LAYERS.DepthwiseConv2D(7), LAYERS.MaxPool2D(7, strides=1)):
        with pytest.raises(ValueError, match="output size would be negative"):
            layer(image)
    with pytest.raises(ValueError, match="output size would be negative"):
        tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([5, 5, 5, 1, 1]), [1] * 5, "VALID")


def test_an_output_that_is_another_input():
    inputs, other = tf.keras.Input((4,)), tf.keras.Input((2,), name="other")
    with pytest.raises(ValueError, match="'other', which is not among"):
        tf.keras.Model(inputs, other)
    with pytest.raises(ValueError, match="'other', which is not among"):
        tf.keras.Model(inputs, LAYERS.Dense(1)(other))
    assert tf.keras.Model([inputs, other], other)([tf.ones([1, 4]), tf.ones([1, 2])]).shape == [1, 2]


def test_a_file_that_is_not_there(tmp_path):
    for kind in (ValueError, FileNotFoundError):
        with pytest.raises(kind, match="File not found"):
            tf.keras.models.load_model(tmp_path / "none.keras")


def test_axes_that_inputs_do_not_have():
    for kind in (tf.keras.layers.LayerNormalization, tf.keras.layers.RMSNormalization):
        with pytest.raises(IndexError, match=r"axis 5 of layer .* is out of range: the inputs have rank 2"):
            kind(axis=[1, 5])(tf.ones([2, 2]))


def test_input_layers_of_keras_2():
    assert tf.keras.layers.InputLayer(input_shape=(3,)).output.shape == (None, 3)
    assert tf.keras.layers.InputLayer(batch_input_shape=(2, 3)).output.shape == (2, 3)
    with pytest.raises(ValueError, match="Unrecognized keyword arguments passed to InputLayer: {'size': 3}"):
        tf.keras.layers.InputLayer((3,), size=3)


def test_boundaries_of_bins():
    rng = np.random.RandomState(0)
    cases = [  # what Keras 3.15 finds
        (np.arange(9.0), 3, 0.01, [2.0, 5.0]),
        (rng.randn(1000), 4, 0.01, [-0.7047, -0.05859, 0.60632]),
        (rng.randn(50, 3), 7, 0.1, [-0.99728, -0.47986, -0.09216, 0.17946, 0.53736, 1.04717]),
        (rng.rand(5), 10, 0.01, [0.22182, 0.49395, 0.66721, 0.79808]),
        (tf.data.Dataset.from_tensor_slices(rng.randn(500)).batch(64), 5, 0.05, [-0.70074, -0.19288, 0.32388, 0.90987]),
    ]
    for data, bins, epsilon, wanted in cases:
        layer = tf.keras.layers.Discretization(num_bins=bins, epsilon=epsilon)
        layer.adapt(data)
        np.testing.assert_allclose(layer.bin_boundaries, wanted, atol=1e-5)
        again = tf.keras.layers.Discretization.from_config(layer.get_config())
        assert again.bin_boundaries == layer.bin_boundaries and again.num_bins == bins


def test_learned_statistics_fit_beside_inputs():
    x = np.arange(24.0).reshape(4, 3, 2)
    for axis, shape in ((-1, (1, 1, 2)), (1, (1, 3, 1)), ((1, 2), (1, 3, 2)), (None, (1, 1, 1))):
        layer = tf.keras.layers.Normalization(axis=axis)
        assert layer.mean is None
        layer.adapt(x)
        assert layer.mean.shape == layer.variance.shape == shape
        np.testing.assert_allclose(
            layer(x), (x - layer.mean.numpy()) / np.sqrt(layer.variance.numpy()), rtol=1e-5, atol=1e-6
        )
    assert tf.keras.layers.Normalization(mean=3.0, variance=2.0).mean == 3.0
