"""Layers of every file of the folder: what their arguments, masks and shapes may be, as Keras 3 answers."""

import numpy as np
import pytest

import graphrt as tf

layers = tf.keras.layers
X = np.ones((2, 3, 4), "float32")


@pytest.mark.parametrize(
    "make",
    [
        lambda: layers.ReLU(), lambda: layers.Dropout(0.5), lambda: layers.Masking(), lambda: layers.Identity(),
        lambda: layers.MaxPooling1D(), lambda: layers.GlobalMaxPooling2D(), lambda: layers.UnitNormalization(),
    ],
)  # fmt: skip
def test_layers_without_weights_are_built_from_the_start(make):
    layer = make()

    class Building(type(layer)):
        def build(self, input_shape):
            self.extra = self.add_weight(shape=(1,))

    assert layer.built
    assert not Building.from_config(layer.get_config()).built
    plain = layers.Flatten()
    plain.build((None, 2, 3))
    assert plain.built


def _merged(name, first, second):
    masked = layers.Masking()
    output = getattr(layers, name)()([masked(tf.constant(first)), masked(tf.constant(second))])
    return output.numpy().tolist(), output._keras_mask.numpy().tolist()


@pytest.mark.parametrize("name, expected", [("Maximum", 3.0), ("Minimum", 1.0), ("Multiply", 3.0)])
def test_what_is_masked_in_one_input_is_left_to_the_other(name, expected):
    first, second = [[[1.0], [0.0], [-2.0], [0.0]]], [[[3.0], [5.0], [0.0], [0.0]]]
    assert _merged(name, first, second) == ([[[expected], [5.0], [-2.0], [0.0]]], [[True, True, True, False]])
    one = layers.Masking()(tf.constant(first))
    assert getattr(layers, name)()([one, tf.constant(second)]).numpy()[0, 1::2].tolist() == [[5.0], [0.0]]


def test_masks_of_merged_inputs_are_a_list_as_long():
    x = tf.constant(X)
    for inputs, mask in (([x, x], x), (x, [None, None]), ([x, x], [None])):
        with pytest.raises(ValueError, match="should be a list|should have the same length"):
            layers.Add().compute_mask(inputs, mask)
    added = layers.Add()
    added.build(((2, 3), (2, 3)))
    assert added.built and added((x, x)).shape == (2, 3, 4)


def test_masks_stay_with_inputs_that_are_cast():
    x = layers.Masking(dtype="float64")(tf.constant([[[1.0], [0.0]]], tf.float64))
    assert layers.Dense(2)(x)._keras_mask.numpy().tolist() == [[True, False]]


def test_softmax_of_what_is_masked_is_zero():
    softmax = layers.Softmax()
    mask = np.array([[True, True, False], [False, False, False]])
    assert softmax(np.ones((2, 3)), mask=mask).numpy().tolist() == [[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]
    for shape in ((2, 3), (1, 1, 3)):
        with pytest.raises(ValueError, match="broadcastable"):
            softmax(np.ones((1, 3)), mask=np.ones(shape))


def test_a_mask_of_steps_has_their_number():
    each = layers.TimeDistributed(layers.Dense(1))
    assert each(X, mask=np.ones((2, 3), bool)).shape == (2, 3, 1)
    with pytest.raises(ValueError, match="does not fit"):
        each(X, mask=np.ones((2, 5), bool))
    with pytest.raises(ValueError, match="must be a list"):
        layers.Attention()([X, X], mask=np.ones((2, 3)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: layers.GroupNormalization(groups=0), lambda: layers.GroupNormalization(groups=2.5),
        lambda: layers.Embedding(0, 3), lambda: layers.Embedding(3, "a"), lambda: layers.Dense(2, trainable="a"),
        lambda: layers.Dropout(0.5, noise_shape=(0, 1)), lambda: layers.Dropout(0.5, noise_shape=(1.5, 1)),
        lambda: layers.Dropout(0.5, noise_shape=3), lambda: layers.Cropping2D("12"), lambda: layers.Cropping2D(-1),
        lambda: layers.Cropping2D(((1, 2), (3, -4))), lambda: layers.Cropping2D((1.5, 2)),
        lambda: layers.Conv2D(2, 5)(np.ones((1, 3, 3, 2))), lambda: layers.Conv1D(2, 3, dilation_rate=2)(X),
        lambda: layers.DepthwiseConv2D(5)(tf.keras.Input((3, 3, 2))),
        lambda: layers.SeparableConv2D(2, 5).compute_output_shape((1, 3, 3, 2)),
        lambda: layers.InputLayer(batch_size=3, batch_shape=(1, 1)),
        lambda: layers.InputLayer(input_tensor=tf.keras.Input((3,)), dtype="int32"),
    ],
)  # fmt: skip
def test_arguments_that_say_nothing_are_refused(make):
    with pytest.raises(ValueError):
        make()


def test_arguments_that_were_not_taken():
    assert layers.Dropout(0.5, noise_shape=[2, None]).noise_shape == (2, None)
    symbol = tf.keras.Input((3,), dtype="int32")
    assert layers.InputLayer(input_tensor=symbol).output is symbol
    with pytest.raises(TypeError, match="axis"):
        layers.UnitNormalization(axis={"a": 1})
    dense = layers.Dense(2)
    dense.activation = None
    assert dense(np.ones((1, 2))).shape == (1, 2)


def test_bias_of_an_einsum_with_dots_behind():
    layer = layers.EinsumDense("bc...,cde->bde...", output_shape=(3, 4, 2), bias_axes="d")
    output = layer(np.ones((2, 5, 2), "float32"))
    assert output.shape == (2, 3, 4, 2) and tuple(layer.bias.shape) == (3, 1, 1)


def test_a_penalty_on_no_samples_is_none():
    layer = layers.Dense(2, activity_regularizer="l2")
    layer(np.ones((0, 3), "float32"))
    assert layer.losses[0].numpy() == 0.0
