"""`keras.layers`.

>>> import graphrt as tf
>>> tf.keras.layers.Dense(3)(tf.ones([2, 4])).shape
TensorShape([2, 3])
"""

from __future__ import annotations

from typing import Any

from graphrt.keras import configurable as _configurable
from graphrt.keras.layers.activation import ELU, Activation, ActivityRegularization, LeakyReLU, PReLU, ReLU, Softmax
from graphrt.keras.layers.attention import AdditiveAttention, Attention, MultiHeadAttention
from graphrt.keras.layers.base import InputSpec, Layer
from graphrt.keras.layers.cells import GRUCell, LSTMCell, SimpleRNNCell, StackedRNNCells
from graphrt.keras.layers.convolution import (
    Conv1D,
    Conv1DTranspose,
    Conv2D,
    Conv2DTranspose,
    Conv3D,
    Conv3DTranspose,
    Convolution1D,
    Convolution1DTranspose,
    Convolution2D,
    Convolution2DTranspose,
    Convolution3D,
    Convolution3DTranspose,
    DepthwiseConv1D,
    DepthwiseConv2D,
    SeparableConv1D,
    SeparableConv2D,
    SeparableConvolution1D,
    SeparableConvolution2D,
)
from graphrt.keras.layers.core import (
    Dense,
    EinsumDense,
    Embedding,
    Identity,
    Input,
    InputLayer,
    Lambda,
    Masking,
    Wrapper,
)
from graphrt.keras.layers.merging import (
    Add,
    Average,
    Concatenate,
    Dot,
    Maximum,
    Minimum,
    Multiply,
    Subtract,
    add,
    average,
    concatenate,
    dot,
    maximum,
    minimum,
    multiply,
    subtract,
)
from graphrt.keras.layers.noise import (
    AlphaDropout,
    Dropout,
    GaussianDropout,
    GaussianNoise,
    SpatialDropout1D,
    SpatialDropout2D,
    SpatialDropout3D,
)
from graphrt.keras.layers.normalization import (
    BatchNormalization,
    GroupNormalization,
    LayerNormalization,
    RMSNormalization,
    UnitNormalization,
)
from graphrt.keras.layers.pooling import (
    AveragePooling1D,
    AveragePooling2D,
    AveragePooling3D,
    AvgPool1D,
    AvgPool2D,
    AvgPool3D,
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
    GlobalAvgPool1D,
    GlobalAvgPool2D,
    GlobalAvgPool3D,
    GlobalMaxPool1D,
    GlobalMaxPool2D,
    GlobalMaxPool3D,
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
    MaxPool1D,
    MaxPool2D,
    MaxPool3D,
    MaxPooling1D,
    MaxPooling2D,
    MaxPooling3D,
)
from graphrt.keras.layers.preprocessing import (
    CategoryEncoding,
    CenterCrop,
    Discretization,
    Normalization,
    Rescaling,
    Resizing,
)
from graphrt.keras.layers.recurrent import GRU, LSTM, RNN, Bidirectional, SimpleRNN, TimeDistributed
from graphrt.keras.layers.reshaping import (
    Cropping1D,
    Cropping2D,
    Cropping3D,
    Flatten,
    Permute,
    RepeatVector,
    Reshape,
    UpSampling1D,
    UpSampling2D,
    UpSampling3D,
    ZeroPadding1D,
    ZeroPadding2D,
    ZeroPadding3D,
)

__all__ = [
    "ELU",
    "GRU",
    "LSTM",
    "RNN",
    "Activation",
    "ActivityRegularization",
    "Add",
    "AdditiveAttention",
    "AlphaDropout",
    "Attention",
    "Average",
    "AveragePooling1D",
    "AveragePooling2D",
    "AveragePooling3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "BatchNormalization",
    "Bidirectional",
    "CategoryEncoding",
    "CenterCrop",
    "Concatenate",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "Convolution1D",
    "Convolution1DTranspose",
    "Convolution2D",
    "Convolution2DTranspose",
    "Convolution3D",
    "Convolution3DTranspose",
    "Cropping1D",
    "Cropping2D",
    "Cropping3D",
    "Dense",
    "DepthwiseConv1D",
    "DepthwiseConv2D",
    "Discretization",
    "Dot",
    "Dropout",
    "EinsumDense",
    "Embedding",
    "Flatten",
    "GRUCell",
    "GaussianDropout",
    "GaussianNoise",
    "GlobalAveragePooling1D",
    "GlobalAveragePooling2D",
    "GlobalAveragePooling3D",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "GlobalMaxPooling1D",
    "GlobalMaxPooling2D",
    "GlobalMaxPooling3D",
    "GroupNormalization",
    "Identity",
    "Input",
    "InputLayer",
    "InputSpec",
    "LSTMCell",
    "Lambda",
    "Layer",
    "LayerNormalization",
    "LeakyReLU",
    "Masking",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "Maximum",
    "Minimum",
    "MultiHeadAttention",
    "Multiply",
    "Normalization",
    "PReLU",
    "Permute",
    "RMSNormalization",
    "ReLU",
    "RepeatVector",
    "Rescaling",
    "Reshape",
    "Resizing",
    "SeparableConv1D",
    "SeparableConv2D",
    "SeparableConvolution1D",
    "SeparableConvolution2D",
    "SimpleRNN",
    "SimpleRNNCell",
    "Softmax",
    "SpatialDropout1D",
    "SpatialDropout2D",
    "SpatialDropout3D",
    "StackedRNNCells",
    "Subtract",
    "TimeDistributed",
    "UnitNormalization",
    "UpSampling1D",
    "UpSampling2D",
    "UpSampling3D",
    "Wrapper",
    "ZeroPadding1D",
    "ZeroPadding2D",
    "ZeroPadding3D",
    "add",
    "average",
    "concatenate",
    "deserialize",
    "dot",
    "maximum",
    "minimum",
    "multiply",
    "serialize",
    "subtract",
]  # fmt: skip

_KNOWN = {n: v for n, v in globals().items() if isinstance(v, type) and issubclass(v, Layer)}


def serialize(layer: Layer) -> dict[str, Any]:
    """The configuration from which `deserialize` makes the layer again.

    >>> import graphrt as tf
    >>> tf.keras.layers.serialize(tf.keras.layers.Flatten(name="f"))["class_name"]
    'Flatten'
    """
    return {"class_name": type(layer).__name__, "config": layer.get_config()}


def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """The layer, or model, of a configuration.

    >>> import graphrt as tf
    >>> config = tf.keras.layers.serialize(tf.keras.layers.Dense(2))
    >>> tf.keras.layers.deserialize(config).units
    2

    Raises:
      ValueError: the class is not known; `custom_objects` and `keras.utils.register_keras_serializable` make it so.
    """
    from graphrt.keras import models  # models are layers too, and are made of them

    name = config["class_name"]
    known = {**_KNOWN, "Sequential": models.Sequential, "Functional": models.Functional, "Model": models.Model}
    with _configurable.custom_object_scope(custom_objects):
        cls: Any = _configurable.known_custom(name) or known.get(name)
        if cls is None:
            raise ValueError(f"Unknown layer: {name!r}. Give it in `custom_objects`, or register the class with "
                             "`@keras.utils.register_keras_serializable()`.")  # fmt: skip
        return cls.from_config(config["config"])
