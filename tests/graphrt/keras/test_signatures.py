"""Constructors that take what their base takes: by name and by position, and as `inspect.signature` shows them."""

import inspect

import pytest

import graphrt as tf
from graphrt.keras.signatures import takes_what

OPTIONS = [
    "weight_decay", "clipnorm", "clipvalue", "global_clipnorm", "use_ema", "ema_momentum", "ema_overwrite_frequency",
    "loss_scale_factor", "gradient_accumulation_steps", "name", "kwargs",
]  # fmt: skip
OWN = {
    "SGD": ["learning_rate", "momentum", "nesterov"],
    "RMSprop": ["learning_rate", "rho", "momentum", "epsilon", "centered"],
    "Adam": ["learning_rate", "beta_1", "beta_2", "epsilon", "amsgrad"],
    "Lamb": ["learning_rate", "beta_1", "beta_2", "epsilon"],
    "Lion": ["learning_rate", "beta_1", "beta_2"],
    "Adagrad": ["learning_rate", "initial_accumulator_value", "epsilon"],
}


@pytest.mark.parametrize("name", OWN)
def test_options_of_optimizers_follow_their_own(name):
    assert list(inspect.signature(getattr(tf.keras.optimizers, name)).parameters) == OWN[name] + OPTIONS


def test_an_own_argument_of_an_optional_name_keeps_its_place():
    shown = list(inspect.signature(tf.keras.optimizers.AdamW).parameters)
    assert shown == ["learning_rate", "weight_decay", "beta_1", "beta_2", "epsilon", "amsgrad", *OPTIONS[1:]]


def test_options_are_taken_by_position():
    made = tf.keras.optimizers.Adam(0.1, 0.8, 0.99, 1e-6, False, None, 1.0)
    assert (made.beta_1, made.weight_decay, made.clipnorm, made.clipvalue) == (0.8, None, 1.0, None)
    again = tf.keras.optimizers.Adam.from_config(made.get_config())
    assert again.get_config() == made.get_config()


@pytest.mark.parametrize(
    ("args", "options", "error", "text"),
    [
        ((0.1, 0.0, False, None, 1.0), {"clipnorm": 2.0}, TypeError, "multiple values for argument 'clipnorm'"),
        (range(30), {}, TypeError, "takes 14 positional arguments but 31 were given"),
        ((), {"clip_norm": 1.0}, ValueError, "not recognized: {'clip_norm': 1.0}"),
    ],
)
def test_wrong_arguments_are_told(args, options, error, text):
    with pytest.raises(error, match=text):
        tf.keras.optimizers.SGD(*args, **options)


@pytest.mark.parametrize(
    ("name", "rank"), [("Conv1D", None), ("Conv2D", 2), ("Conv3D", 3), ("Conv2DTranspose", 2), ("SeparableConv2D", 2)]
)
def test_convolutions_show_strides_of_their_rank(name, rank):
    parameters = inspect.signature(getattr(tf.keras.layers, name)).parameters
    assert parameters["strides"].default == parameters["dilation_rate"].default == ((1,) * rank if rank else 1)
    assert parameters["kwargs"].kind is inspect.Parameter.VAR_KEYWORD


def test_layers_show_the_arguments_of_their_constructor():
    assert list(inspect.signature(tf.keras.layers.Dense).parameters)[:3] == ["units", "activation", "use_bias"]
    assert "inputs" not in inspect.signature(tf.keras.layers.Dense).parameters
    assert list(inspect.signature(tf.keras.layers.Dense(2).call).parameters)[:1] == ["inputs"]


def test_the_users_subclass_has_the_signature_of_its_own_constructor():
    class Half(tf.keras.optimizers.SGD):
        def __init__(self, rate):
            super().__init__(rate / 2, 0.0, False, None, 3.0)

    assert str(inspect.signature(Half)) == "(rate)"
    assert Half(1.0).clipnorm == 3.0


def test_defaults_are_shown_and_not_passed():
    class Base:
        def __init__(self, size=1, **kwargs):
            self.size, self.more = size, kwargs

    @takes_what(Base, size=(1, 1))
    class Square(Base):
        pass

    assert str(inspect.signature(Square.__init__)) == "(self, size=(1, 1), **kwargs)"
    assert Square().size == 1
    assert Square(2, depth=3).more == {"depth": 3}


def test_parameters_of_the_base_keep_their_order():
    layers = tf.keras.layers
    shown = list(inspect.signature(layers.GRU).parameters)
    assert shown[:4] == ["units", "activation", "recurrent_activation", "use_bias"]
    assert shown[-4:] == ["unroll", "reset_after", "use_cudnn", "kwargs"]
    made = layers.GRU(2, "relu", "tanh", False)
    assert made.get_config()["activation"] == "relu" and made.get_config()["recurrent_activation"] == "tanh"
    assert made.use_bias is False
    assert layers.LSTM(2).recurrent_activation is tf.keras.activations.sigmoid
    assert layers.Conv3DTranspose(1, 2, 2, "valid", "channels_first", 1).output_padding == (1, 1, 1)
    assert layers.DepthwiseConv1D(3, 1, "same", 2).depth_multiplier == 2


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda layers: layers.SimpleRNNCell(2, recurrent_activation="tanh"), "unexpected keyword argument 'recurrent_activation'"),
        (lambda layers: layers.SimpleRNN(2, use_cudnn=True), "unexpected keyword argument 'use_cudnn'"),
        (lambda layers: layers.LSTM(), "LSTM.__init__.. missing 1 required positional argument: 'units'"),
        (lambda layers: layers.Conv2D(), "missing 2 required positional arguments: 'filters' and 'kernel_size'"),
    ],
)  # fmt: skip
def test_what_is_missing_or_not_taken_is_told(make, text):
    with pytest.raises(TypeError, match=text):
        make(tf.keras.layers)
