"""What layers and models refuse, and take.

Covers: graphrt/keras/layers/base.py, graphrt/keras/layers/preprocessing.py.
"""

import itertools
import json

import numpy as np
import pytest

import graphrt as tf
from tests.collecting import while_collecting

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


class SoftmaxOverSteps(LAYERS.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs, mask=None):
        assert mask is not None
        weights = tf.exp(inputs) * tf.cast(mask, "float32")[..., None]
        return weights / tf.reduce_sum(weights, axis=1, keepdims=True)


def test_call_gets_the_mask_when_a_model_is_put_together():
    entry = tf.keras.Input((None,), dtype="int32")
    x = LAYERS.Dense(1)(LAYERS.Embedding(10, 4, mask_zero=True)(entry))
    model = tf.keras.Model(entry, SoftmaxOverSteps()(x))
    found = model(np.array([[1, 2, 0], [3, 0, 0]]))[..., 0].numpy()
    assert (found[[0, 1, 1], [2, 1, 2]] == 0).all() and np.allclose(found.sum(1), 1)


@pytest.mark.parametrize("rank", [1, 2])
@pytest.mark.parametrize("padding", ["valid", "same"])
def test_strides_together_with_dilation(rank, padding):
    rng = np.random.RandomState(0)
    x = rng.randn(1, *(9,) * rank, 2).astype("float32")
    kernel = rng.randn(*(3,) * rank, 2, 1).astype("float32")
    depthwise = getattr(LAYERS, f"DepthwiseConv{rank}D")(3, 2, padding, dilation_rate=2, use_bias=False)
    depthwise.build(x.shape)
    depthwise.set_weights([kernel])
    dense = np.zeros((*(3,) * rank, 2, 2), "float32")  # the same as a convolution of all channels
    for channel in range(2):
        dense[..., channel, channel] = kernel[..., channel, 0]
    wanted = tf.nn.convolution(x, dense, padding=padding.upper(), dilations=2)
    if padding == "valid":  # every second of the positions
        wanted = wanted[(slice(None), *(slice(None, None, 2),) * rank)]
        np.testing.assert_allclose(depthwise(x), wanted, rtol=1e-4, atol=1e-5)
    separable = getattr(LAYERS, f"SeparableConv{rank}D")(2, 3, 2, padding, dilation_rate=2, use_bias=False)
    separable.build(x.shape)
    separable.set_weights([kernel, np.eye(2, dtype="float32").reshape(*(1,) * rank, 2, 2)])
    np.testing.assert_allclose(separable(x), depthwise(x), rtol=1e-4, atol=1e-5)
    assert depthwise(x).shape == (1, *(3 if padding == "valid" else 5,) * rank, 2)
    with pytest.raises(ValueError, match="`strides > 1` not supported in conjunction"):
        getattr(LAYERS, f"Conv{rank}D")(2, 3, 2, dilation_rate=2)


def test_several_tensors_for_one():
    x, y = np.ones((4, 3), "float32"), np.ones((4, 1), "float32")
    for parts in ([LAYERS.Dense(1)], [tf.keras.Input((3,)), LAYERS.Dense(1)]):
        model = tf.keras.Sequential(parts)
        model.compile("sgd", "mse")
        for run in (lambda: model([x, x]), lambda: model.fit([x, x], y, verbose=0), lambda: model.predict([x, x])):
            with pytest.raises(ValueError, match=r"Layer 'dense.*' expects 1 input\(s\), but it received 2"):
                run()
        assert model.fit([x], y, verbose=0).history.keys() == {"loss"}
    with pytest.raises(ValueError, match=r"The input of the model is one tensor, found a dict with keys \['a'\]"):
        model({"a": x})


@pytest.mark.parametrize(
    "make", [lambda **k: LAYERS.Dense(2, **k), lambda **k: LAYERS.EinsumDense("ab,bc->ac", 2, **k), lambda **k: LAYERS.Embedding(3, 2, **k)]
)  # fmt: skip
def test_quantization_is_told_to_be_none(make, tmp_path):
    config = make().get_config()
    assert config["quantization_config"] is None
    assert type(make()).from_config(config).get_config() == config
    with pytest.raises(ValueError, match="cannot be quantized: `quantization_config` must be None, found 'int8'"):
        make(quantization_config="int8")
    model = tf.keras.Sequential([tf.keras.Input((2,)), make()])
    assert "quantization_config" not in model.to_json()  # which older Kerases refuse


def test_a_layer_that_calls_itself_while_it_is_built():
    class Traced(LAYERS.Layer):
        def build(self, input_shape):
            super().build(input_shape)
            self.kernel = self.add_weight(shape=(input_shape[-1], 2), initializer="ones", name="kernel")
            traced = tf.function(self).get_concrete_function(tf.TensorSpec(input_shape, tf.float32))
            self.shapes = traced.output_shapes

        def call(self, x):
            return x @ self.kernel

    layer = Traced()
    assert not layer.built
    assert layer(tf.ones((1, 3))).numpy().tolist() == [[3, 3]]
    assert layer.built and layer.shapes == [1, 2]
    plain = LAYERS.Layer()
    plain.build((None, 2))
    assert plain.built


@pytest.mark.parametrize(
    ("equation", "size", "axes", "bias"),
    [
        ("ab...,bc->ac...", (6,), "c", (6, 1)),
        ("ab...,bcd->acd...", (3, 4), "c", (3, 1, 1)),
        ("ab...,bcd->acd...", (3, 4), "d", (4, 1)),
        ("ab...,bcd->acd...", (3, 4), "cd", (3, 4, 1)),
        ("...a,ab->...b", (None, 5), "b", (5,)),
        ("abc,cd->abd", (3, 5), "b", (3, 1)),
    ],
)
def test_bias_of_products_with_axes_behind(equation, size, axes, bias):
    x = np.arange(24.0, dtype="float32").reshape(2, 3, 4)
    layer = LAYERS.EinsumDense(equation, size, bias_axes=axes, kernel_initializer="ones")
    layer.build(x.shape)
    assert tuple(layer.bias.shape) == bias
    layer.bias.assign(np.arange(np.prod(bias)).reshape(bias))
    plain = LAYERS.EinsumDense(equation, size, kernel_initializer="ones")(x)
    np.testing.assert_allclose(layer(x), plain + layer.bias)


@pytest.mark.parametrize(
    ("kind", "one", "two"),  # what Keras 3.15 gives where the first has a mask, and where both have
    [
        ("Maximum", [[0, 0], [0, 0], [-1, -2], [-3, -4]], [[0, 0], [-1, -2], [-1, -2], [-3, -4]]),
        ("Minimum", [[0, 0], [-1, -2], [-1, -2], [-3, -4]], [[0, 0], [-1, -2], [-1, -2], [-3, -4]]),
        ("Multiply", [[0, 0], [0, 0], [-1, -2], [9, 16]], [[0, 0], [-1, -2], [-1, -2], [9, 16]]),
        ("Add", [[0, 0], [-1, -2], [-1, -2], [-6, -8]], [[0, 0], [-1, -2], [-1, -2], [-6, -8]]),
    ],
)
def test_masked_steps_are_not_merged(kind, one, two):
    x, y = tf.constant([[[0.0, 0], [-1, -2], [0, 0], [-3, -4]]]), tf.constant([[[0.0, 0], [0, 0], [-1, -2], [-3, -4]]])
    masked = LAYERS.Masking()
    merge = getattr(LAYERS, kind)()
    assert merge([masked(x), y]).numpy()[0].tolist() == one
    found = merge([masked(x), masked(y)])
    assert found.numpy()[0].tolist() == two
    assert found._keras_mask.numpy().tolist() == [[False, True, True, True]]
    ints = getattr(LAYERS, kind)()([masked(tf.cast(x, tf.int32)), masked(tf.cast(y, tf.int32))])
    assert ints.numpy()[0].tolist() == two
    for given in ((x, [None, None]), ([x, y], masked(x)), ([x, y], [None])):
        with pytest.raises(ValueError, match="should (be a list|have the same length)"):
            merge.compute_mask(*given)


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (
            lambda: LAYERS.Cropping2D(((1, 2), (3, 4, 5))),
            ValueError,
            "The `cropping` argument must be a tuple of 2 integers",
        ),
        (lambda: LAYERS.Cropping3D(None), ValueError, "`cropping` should be an integer, or a tuple of 3"),
        (
            lambda: LAYERS.ZeroPadding2D(((1, 2), (1,))),
            ValueError,
            "The `padding` argument must be a tuple of 2 integers",
        ),
        (lambda: LAYERS.RepeatVector(0), ValueError, "Argument `n` should be a positive integer. Received: n=0"),
        (
            lambda: LAYERS.UpSampling1D(-2),
            ValueError,
            "Argument `size` should be a positive integer. Received: size=-2",
        ),
        (lambda: LAYERS.UpSampling1D(1.5), TypeError, "Expected an integer value for `size`"),
        (lambda: LAYERS.Reshape((-1, -1)), ValueError, "at most one unknown dimension"),
        (lambda: LAYERS.GroupNormalization(0), ValueError, "invalid value for argument `groups`"),
        (lambda: LAYERS.GroupNormalization(1.5), ValueError, "invalid value for argument `groups`"),
        (lambda: LAYERS.UnitNormalization("x"), TypeError, "Invalid value for `axis` argument"),
        (lambda: LAYERS.PReLU(shared_axes=[5])(np.ones((2, 3))), IndexError, "the inputs have rank 2"),
        (lambda: LAYERS.Dropout(0.5, noise_shape="a"), ValueError, "Expected a tuple or list of integers"),
        (lambda: LAYERS.Embedding(-1, 2), ValueError, "`input_dim`, expected a positive integer"),
        (lambda: LAYERS.Embedding(3, 1.5), ValueError, "`output_dim`, expected a positive integer"),
        (lambda: LAYERS.CategoryEncoding(0), ValueError, "`num_tokens` must be >= 1"),
        (lambda: LAYERS.Dot(axes="x"), TypeError, "it should be a list or an int"),
        (lambda: LAYERS.Dot(axes=(1, 2, 3)), ValueError, "should be an integer or two of them"),
        (lambda: LAYERS.Dot(axes=5)([np.ones((2, 3))] * 2), IndexError, r"are \(5, 5\), the inputs have ranks 2 and 2"),
        (lambda: LAYERS.Conv2D(1, 3)(np.ones((1, 2, 2, 1))), ValueError, "output size would be negative or zero"),
        (lambda: LAYERS.InputLayer(batch_shape=(1, 2), batch_size=2), ValueError, "cannot pass both `batch_size`"),
        (lambda: tf.keras.Input((2,), sparse=True, ragged=True), ValueError, "cannot be sparse and ragged"),
        (
            lambda: LAYERS.InputLayer((3,), input_tensor=tf.keras.Input((2,))),
            ValueError,
            "`input_tensor` has the shape",
        ),
        (
            lambda: LAYERS.InputLayer(dtype="int32", input_tensor=tf.keras.Input((2,))),
            ValueError,
            "has the dtype float32",
        ),
    ],
)
def test_arguments_that_no_layer_can_take(make, kind, said):
    with pytest.raises(kind, match=said):
        make()


def test_arguments_at_the_edge():
    assert LAYERS.InputLayer(input_tensor=tf.keras.Input((2,))).output.shape == (None, 2)
    assert LAYERS.Dropout(1)(np.ones((2, 3)), training=True).numpy().tolist() == [[0] * 3] * 2
    layer = LAYERS.PReLU(shared_axes=[-1], alpha_initializer="ones")
    assert layer(np.full((2, 3, 4), -1.0)).numpy().tolist() == [[[-1] * 4] * 3] * 2 and layer.alpha.shape == [3, 1]


@pytest.mark.parametrize(
    "call, kind, text",
    [
        (lambda k: k.Dense(2, name="a")(), TypeError, "layer 'a' was called without 'inputs'"),
        (lambda k: k.MultiHeadAttention(2, 3, name="a")(tf.ones([1, 2, 4])), TypeError, "layer 'a' .* without 'value'"),
        (
            lambda k: k.Dense(2, name="a")([tf.ones([1, 2])]),
            ValueError,
            "'a' takes a tensor, but was called with a list",
        ),
        (lambda k: k.LayerNormalization(name="a")({"x": tf.ones([1, 2])}), ValueError, "'a' takes a tensor, .* a dict"),
        (
            lambda k: k.BatchNormalization(axis=5, name="a")(tf.ones([1, 2])),
            ValueError,
            "'a' needs a known size of axis 5",
        ),
        (lambda k: k.LSTMCell(2, name="a")(tf.ones([]), []), ValueError, "layer 'a' .* expected min_ndim=1"),
        (lambda k: k.CenterCrop(2, 2, name="a")(tf.ones([2, 3])), ValueError, "layer 'a' .* expected min_ndim=3"),
        (lambda k: k.CenterCrop(2, 2, name="a")(tf.keras.Input((None, None, 3))), ValueError, "'a' needs images of a"),
        (lambda k: k.Bidirectional(k.Dense(2)), TypeError, "`layer` must be a recurrent layer"),
    ],
)
def test_calls_that_a_layer_does_not_expect_name_it(call, kind, text):
    with pytest.raises(kind, match=text):
        call(tf.keras.layers)


def test_recurrent_layers_give_their_states_in_a_tuple():
    found = [getattr(LAYERS, kind)(2, return_state=True)(tf.ones([1, 3, 4])) for kind in ("LSTM", "GRU", "SimpleRNN")]
    assert [(type(f), len(f)) for f in found] == [(tuple, 3), (tuple, 2), (tuple, 2)]


def test_attributes_that_come_while_others_are_looked_at():
    layer, numbers = LAYERS.Layer(), itertools.count()
    layer.own = tf.Variable(1.0)
    held = vars(layer)  # which is made now
    while_collecting(lambda: layer.variables, lambda: setattr(layer, f"other_{next(numbers)}", 1))
    assert layer.variables == [held["own"]] and next(numbers)


class GivenDtypes(tf.keras.layers.Layer):
    def call(self, x, other=None):
        self.found = [v.dtype.name for v in (*(x if isinstance(x, list) else [x]), other) if v is not None]
        return tf.zeros([1, 1])


def test_sparse_and_ragged_inputs_are_cast_as_others_are():
    sparse = tf.sparse.from_dense(np.array([[1.0, 0.0]]))
    ragged = tf.ragged.constant([[1.0, 2.0], [3.0]], tf.float64)
    layer = GivenDtypes()
    for args in ((sparse,), (ragged,), ([tf.constant([1.0]), sparse],), (tf.constant([1.0]), ragged)):
        layer(*args)
        assert set(layer.found) == {"float32"}
    layer(tf.sparse.from_dense(np.array([[1, 0]])))
    assert layer.found == ["int64"]
    as_they_are = GivenDtypes(autocast=False)
    as_they_are(sparse, ragged)
    assert as_they_are.found == ["float64", "float64"]
    half = GivenDtypes(dtype="float16")
    half(tf.constant([1.0]), ragged)
    assert half.found == ["float16", "float16"]


def test_layers_of_images_take_a_list_of_these():
    images = [np.arange(75, dtype=np.uint8).reshape(5, 5, 3)] * 2
    for layer in (LAYERS.CenterCrop(3, 3), LAYERS.Resizing(3, 3), LAYERS.Rescaling(0.5)):
        found, wanted = layer(images), layer(np.stack(images))
        np.testing.assert_array_equal(found, wanted)
        assert found.dtype is wanted.dtype
    with pytest.raises(ValueError, match=r"expects 1 input\(s\), but it received 2"):
        LAYERS.Conv2D(2, 3)(images)


SIZED = {
    "LayerNormalization": (lambda n: LAYERS.LayerNormalization(axis=n), [4, 8]), "UnitNormalization": (lambda n: LAYERS.UnitNormalization(n), [4, 8]),
    "Dense": (lambda n: LAYERS.Dense(n), [3]), "Conv2D": (lambda n: LAYERS.Conv2D(n, n, strides=n), [4, 4, 1]),
    "Conv1D": (lambda n: LAYERS.Conv1D(n, [n]), [4, 2]), "LSTM": (lambda n: LAYERS.LSTM(n), [3, 2]), "GRU": (lambda n: LAYERS.GRU(n), [3, 2]),
    "RepeatVector": (lambda n: LAYERS.RepeatVector(n), [3]), "ZeroPadding2D": (lambda n: LAYERS.ZeroPadding2D(((n, 0), (0, n))), [4, 4, 1]),
    "UpSampling1D": (lambda n: LAYERS.UpSampling1D(n), [3, 2]), "MaxPool2D": (lambda n: LAYERS.MaxPool2D((n, n)), [4, 4, 1]),
    "GroupNormalization": (lambda n: LAYERS.GroupNormalization(n), [4, 8]), "Embedding": (lambda n: LAYERS.Embedding(n, n), [3]),
}  # fmt: skip


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("name", SIZED)
def test_sizes_may_be_integers_of_numpy(name, kind):
    """As `tf.reduce_prod(shape).numpy()` gives them; configurations hold Python's."""
    make, dims = SIZED[name]
    layer, plain = make(kind(2)), make(2)
    assert {**layer.get_config(), "name": ""} == {**plain.get_config(), "name": ""}
    json.dumps(layer.get_config())
    x = tf.zeros([1, *dims])
    assert layer(x).shape == plain(x).shape
    with pytest.raises((TypeError, ValueError)):
        make(np.float64(2.5))
