"""Convolutions over one, two and three axes; transposed, depthwise and separable ones."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Unpack

import graphrt as tf
from graphrt.keras import activations, constraints, initializers, regularizers
from graphrt.keras.config import standardize_data_format
from graphrt.keras.configurable import Identifier
from graphrt.keras.layers.base import InputSpec, Layer
from graphrt.keras.layers.core import positive
from graphrt.keras.layers.options import BaseOptions, ConvolutionOptions
from graphrt.keras.layers.windows import as_before, channel_axis, channels_last, padding_of, sizes
from graphrt.keras.signatures import takes_what
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import PerAxis, TensorLike

if TYPE_CHECKING:
    from graphrt.keras.variable import Variable

__all__ = [
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
    "DepthwiseConv1D",
    "DepthwiseConv2D",
    "SeparableConv1D",
    "SeparableConv2D",
    "SeparableConvolution1D",
    "SeparableConvolution2D",
]


class _BaseConv(Layer):
    """The arguments that all convolutions have."""

    rank = 2
    _floats = True
    _either = True  # strides or dilation, not both

    def __init__(
        self, kernel_size: PerAxis, strides: PerAxis = 1, padding: str = "valid", data_format: str | None = None,
        dilation_rate: PerAxis = 1, activation: Identifier = None, use_bias: bool = True,
        bias_initializer: Identifier = "zeros", bias_regularizer: Identifier = None,
        activity_regularizer: Identifier = None, bias_constraint: Identifier = None, **kwargs: Unpack[BaseOptions]
    ) -> None:  # fmt: skip
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.kernel_size = sizes(kernel_size, self.rank, "kernel_size")
        self.strides = sizes(strides, self.rank, "strides")
        self.dilation_rate = sizes(dilation_rate, self.rank, "dilation_rate")
        self.padding = padding_of(padding, self.name, causal=self.rank == 1)
        self.data_format = standardize_data_format(data_format)
        self.activation = activations.get(activation)
        self.use_bias = use_bias
        self.bias_initializer = initializers.get(bias_initializer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.bias_constraint = constraints.get(bias_constraint)
        self.input_spec = InputSpec(min_ndim=self.rank + 2)
        if self._either and max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
                f"Received: strides={self.strides} and dilation_rate={self.dilation_rate}"
            )

    def _channels(self, input_shape: Any) -> int:
        axis = channel_axis(self.data_format)
        count = input_shape[axis]
        if count is None:
            raise ValueError(
                "The channel dimension of the inputs should be defined. The input_shape received by layer "
                f"{self.name!r} is {input_shape}, where axis {axis} (0-based) is the channel dimension, which found "
                "to be `None`."
            )
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={axis: count})
        return int(count)

    def _add_bias(self, count: int) -> None:
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias", shape=(count,), initializer=self.bias_initializer, regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )  # fmt: skip

    def _padded(self, x: Tensor) -> tuple[Any, str]:
        """Inputs and padding of the op: a causal convolution looks at the past only."""
        if self.padding != "causal":
            return x, self.padding.upper()
        before = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        return tf.pad(x, [[0, 0], [before, 0], [0, 0]]), "VALID"

    def _finished(self, x: Tensor) -> Tensor:
        if self.bias is not None:
            x += self.bias
        return self.activation(as_before(x, self.data_format))


# where the arguments about the kernel stand among those that all convolutions have
_AROUND_KERNEL = {
    "use_bias": "kernel_initializer", "bias_initializer": "kernel_regularizer", "activity_regularizer": "kernel_constraint",
}  # fmt: skip


@takes_what(_BaseConv, _AROUND_KERNEL | {"dilation_rate": "groups"})
class _Conv(_BaseConv):
    """A convolution over `rank` axes."""

    __saved_names__ = MappingProxyType({"kernel": "_kernel"})

    def __init__(
        self, filters: int, kernel_size: PerAxis, strides: PerAxis = 1, padding: str = "valid", *, groups: int = 1,
        kernel_initializer: Identifier = "glorot_uniform", kernel_regularizer: Identifier = None,
        kernel_constraint: Identifier = None, **kwargs: Unpack[ConvolutionOptions],
    ) -> None:  # fmt: skip
        super().__init__(kernel_size, strides, padding, **kwargs)
        self.filters, self.groups = positive(filters, "filters"), positive(groups, "groups")
        if filters % groups != 0:
            raise ValueError(
                "The number of filters must be evenly divisible by the number of groups. "
                f"Received: groups={groups}, filters={filters}."
            )
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` (window, channels, filters) and `bias` (filters)."""
        channels = self._channels(input_shape)
        if channels % self.groups != 0:
            raise ValueError(
                "The number of input channels must be evenly divisible by the number of groups. Received groups="
                f"{self.groups}, but the input has {channels} channels (full input shape is {input_shape})."
            )
        self.kernel = self.add_weight(
            name="kernel", shape=(*self.kernel_size, channels // self.groups, self.filters),
            initializer=self.kernel_initializer, regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        self._add_bias(self.filters)

    def call(self, inputs: Any) -> Tensor:
        """The convolved inputs."""
        x, padding = self._padded(channels_last(inputs, self.data_format))
        self._check_room(x.shape.as_list()[1:-1], padding)
        if self.groups == 1:
            return self._finished(self._convolve(x, self.kernel, padding))
        parts = [
            self._convolve(part, kernel, padding)
            for part, kernel in zip(
                tf.split(x, self.groups, axis=-1), tf.split(tf.convert_to_tensor(self.kernel), self.groups, axis=-1)
            )
        ]
        return self._finished(tf.concat(parts, axis=-1))

    def _check_room(self, found: list[int | None], padding: str) -> None:
        """Refuses inputs that the window does not fit into once."""
        needed = [d * (k - 1) + 1 for k, d in zip(self.kernel_size, self.dilation_rate)]
        if padding == "VALID" and any(n is not None and 0 < n < least for n, least in zip(found, needed)):
            raise ValueError(
                f"Computed output size would be negative or zero: the window of layer {self.name!r} takes {needed}, the "
                f"inputs have {found} (kernel_size={self.kernel_size}, dilation_rate={self.dilation_rate})"
            )

    def _convolve(self, x: Tensor, kernel: Tensor | Variable, padding: str) -> Tensor:
        strides = self.strides if max(self.dilation_rate) == 1 else (1,) * self.rank
        if self.rank == 3:
            return tf.nn.conv3d(x, kernel, [1, *strides, 1], padding, dilations=[1, *self.dilation_rate, 1])
        return tf.nn.convolution(x, kernel, strides=list(strides), padding=padding, dilations=list(self.dilation_rate))


class Conv1D(_Conv):
    """A convolution over the steps of (batch, steps, channels); `padding` may be 'causal'.

    >>> import graphrt as tf
    >>> tf.keras.layers.Conv1D(4, 3, padding="causal")(tf.ones([2, 8, 3])).shape
    TensorShape([2, 8, 4])

    Raises:
      ValueError: a size is not positive, or the input has another rank or number of channels.
    """

    rank = 1


@takes_what(_Conv, strides=(1, 1), dilation_rate=(1, 1))
class Conv2D(_Conv):
    """A convolution over images (batch, rows, columns, channels).

    >>> import graphrt as tf
    >>> layer = tf.keras.layers.Conv2D(4, 3, activation="relu")
    >>> layer(tf.ones([2, 8, 8, 3])).shape, tuple(layer.kernel.shape)
    (TensorShape([2, 6, 6, 4]), (3, 3, 3, 4))

    Raises:
      ValueError: a size is not positive, or the input has another rank or number of channels.
    """

    rank = 2


@takes_what(_Conv, strides=(1, 1, 1), dilation_rate=(1, 1, 1))
class Conv3D(_Conv):
    """A convolution over volumes (batch, depth, rows, columns, channels).

    >>> import graphrt as tf
    >>> tf.keras.layers.Conv3D(2, 2)(tf.ones([1, 4, 4, 4, 1])).shape
    TensorShape([1, 3, 3, 3, 2])

    Raises:
      ValueError: a size is not positive, or the input has another rank or number of channels.
    """

    rank = 3


@takes_what(_BaseConv, _AROUND_KERNEL | {"padding": "output_padding"})
class _ConvTranspose(_BaseConv):
    """The transpose of a convolution over `rank` axes: it makes inputs larger."""

    def __init__(
        self, filters: int, kernel_size: PerAxis, strides: PerAxis = 1, padding: str = "valid", *,
        output_padding: Any = None, kernel_initializer: Identifier = "glorot_uniform",
        kernel_regularizer: Identifier = None, kernel_constraint: Identifier = None,
        **kwargs: Unpack[ConvolutionOptions],
    ) -> None:  # fmt: skip
        super().__init__(kernel_size, strides, padding, **kwargs)
        if self.padding == "causal":
            raise ValueError(f"layer {self.name!r}: a transposed convolution cannot be causal")
        self.filters = positive(filters, "filters")
        self.output_padding = None if output_padding is None else sizes(
            output_padding, self.rank, "output_padding", allow_zero=True
        )  # fmt: skip
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` (window, filters, channels) and `bias` (filters)."""
        channels = self._channels(input_shape)
        self.kernel = self.add_weight(
            name="kernel", shape=(*self.kernel_size, self.filters, channels), initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        self._add_bias(self.filters)

    def _length(self, length: Any, axis: int) -> int:
        window = (self.kernel_size[axis] - 1) * self.dilation_rate[axis] + 1
        stride = self.strides[axis]
        if self.output_padding is None:
            return length * stride + max(window - stride, 0) if self.padding == "valid" else length * stride
        pad = window // 2 if self.padding == "same" else 0
        return (length - 1) * stride + window - 2 * pad + self.output_padding[axis]

    def call(self, inputs: Any) -> Tensor:
        """The inputs, spread out."""
        x = channels_last(inputs, self.data_format)
        shape = tf.shape(x)
        static = x.shape.as_list()
        lengths = [
            self._length(static[axis + 1] if static[axis + 1] is not None else shape[axis + 1], axis)
            for axis in range(self.rank)
        ]
        batch = static[0] if static[0] is not None else shape[0]
        x = transposed(x, tf.convert_to_tensor(self.kernel), batch, lengths, self.strides, self.padding,
                       self.dilation_rate)  # fmt: skip
        return self._finished(x)


def transposed(
    x: TensorLike, kernel: Tensor, batch: TensorLike, lengths: list[Any], strides: tuple[int, ...], padding: str,
    dilations: tuple[int, ...]
) -> Tensor:  # fmt: skip
    """The transposed convolution; holes of a dilated kernel are filled with zeros."""
    for axis, dilation in enumerate(dilations):
        if dilation > 1:
            kernel = _spread(kernel, axis, dilation)
    rank = len(lengths)
    filters = kernel.shape[-2]
    if rank == 3:
        return tf.nn.conv3d_transpose(
            x, kernel, [batch, *lengths, filters], strides=[1, *strides, 1], padding=padding.upper()
        )
    if rank == 1:
        x, kernel = tf.expand_dims(x, 1), tf.expand_dims(kernel, 0)
        lengths, strides = [1, *lengths], (1, *strides)
    x = tf.nn.conv2d_transpose(x, kernel, [batch, *lengths, filters], strides=[1, *strides, 1], padding=padding.upper())
    return tf.squeeze(x, 1) if rank == 1 else x


def _spread(kernel: Any, axis: int, dilation: int) -> Any:
    """The kernel with `dilation - 1` zeros between its entries along `axis`."""
    shape = kernel.shape.as_list()
    stacked = tf.stack([kernel] + [tf.zeros_like(kernel)] * (dilation - 1), axis=axis + 1)
    shape[axis] *= dilation
    spread = tf.reshape(stacked, shape)
    begin = [0] * len(shape)
    shape[axis] -= dilation - 1
    return tf.slice(spread, begin, shape)


class Conv1DTranspose(_ConvTranspose):
    """The transpose of `Conv1D`.

    >>> import graphrt as tf
    >>> tf.keras.layers.Conv1DTranspose(2, 3, strides=2)(tf.ones([1, 4, 3])).shape
    TensorShape([1, 9, 2])

    Raises:
      ValueError: a size is not positive, or the input has another rank or number of channels.
    """

    rank = 1


@takes_what(_ConvTranspose, strides=(1, 1), dilation_rate=(1, 1))
class Conv2DTranspose(_ConvTranspose):
    """The transpose of `Conv2D`: an image becomes larger by the strides.

    >>> import graphrt as tf
    >>> tf.keras.layers.Conv2DTranspose(2, 3, strides=2, padding="same")(tf.ones([1, 4, 4, 3])).shape
    TensorShape([1, 8, 8, 2])

    Raises:
      ValueError: a size is not positive, or the input has another rank or number of channels.
    """

    rank = 2


@takes_what(_ConvTranspose, {"padding": "data_format output_padding"}, strides=(1, 1, 1), dilation_rate=(1, 1, 1))
class Conv3DTranspose(_ConvTranspose):
    """The transpose of `Conv3D`.

    >>> import graphrt as tf
    >>> tf.keras.layers.Conv3DTranspose(1, 2, strides=2)(tf.ones([1, 2, 2, 2, 1])).shape
    TensorShape([1, 4, 4, 4, 1])

    Raises:
      ValueError: a size is not positive, or the input has another rank or number of channels.
    """

    rank = 3


@takes_what(
    _BaseConv,
    {
        "padding": "depth_multiplier", "use_bias": "depthwise_initializer", "bias_initializer": "depthwise_regularizer",
        "activity_regularizer": "depthwise_constraint",
    },
)  # fmt: skip
class _Depthwise(_BaseConv):
    """A convolution of each channel with kernels of its own."""

    _either = False

    def __init__(
        self, kernel_size: PerAxis, strides: PerAxis = 1, padding: str = "valid", *, depth_multiplier: int = 1,
        depthwise_initializer: Identifier = "glorot_uniform", depthwise_regularizer: Identifier = None,
        depthwise_constraint: Identifier = None, **kwargs: Unpack[ConvolutionOptions],
    ) -> None:  # fmt: skip
        super().__init__(kernel_size, strides, padding, **kwargs)
        self.depth_multiplier = positive(depth_multiplier, "depth_multiplier")
        self.depthwise_initializer = initializers.get(depthwise_initializer)
        self.depthwise_regularizer = regularizers.get(depthwise_regularizer)
        self.depthwise_constraint = constraints.get(depthwise_constraint)

    def build(self, input_shape: Any) -> None:
        """Makes `kernel` (window, channels, multiplier) and `bias`."""
        channels = self._channels(input_shape)
        self.kernel = self.add_weight(
            name="kernel", shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer, regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )  # fmt: skip
        self._add_bias(channels * self.depth_multiplier)

    def call(self, inputs: Any) -> Tensor:
        """The convolved inputs."""
        x, padding = self._padded(channels_last(inputs, self.data_format))
        return self._finished(depthwise(x, self.kernel, self.strides, padding, self.dilation_rate))


def depthwise(
    x: Tensor, kernel: TensorLike, strides: tuple[int, ...], padding: str, dilations: tuple[int, ...]
) -> Tensor:
    """A depthwise convolution over one or two axes, with strides that need not be equal."""
    kernel = tf.convert_to_tensor(kernel)
    if len(strides) == 1:
        x = depthwise(tf.expand_dims(x, 1), tf.expand_dims(kernel, 0), (strides[0],) * 2, padding, (1, dilations[0]))
        return tf.squeeze(x, 1)
    if strides[0] == strides[1]:
        return tf.nn.depthwise_conv2d(x, kernel, [1, *strides, 1], padding, dilations=list(dilations))
    channels, multiplier = kernel.shape[-2], kernel.shape[-1]  # the op wants equal strides
    parts = [
        tf.nn.conv2d(x[..., c : c + 1], kernel[:, :, c : c + 1, :], list(strides), padding, dilations=list(dilations))
        for c in range(channels)
    ]
    assert multiplier is not None
    return tf.concat(parts, axis=-1)


class DepthwiseConv1D(_Depthwise):
    """Convolves each channel of (batch, steps, channels) by itself.

    >>> import graphrt as tf
    >>> tf.keras.layers.DepthwiseConv1D(3, depth_multiplier=2)(tf.ones([1, 8, 3])).shape
    TensorShape([1, 6, 6])

    Raises:
      ValueError: a size is not positive, or the input has another rank or number of channels.
    """

    rank = 1


@takes_what(_Depthwise, strides=(1, 1), dilation_rate=(1, 1))
class DepthwiseConv2D(_Depthwise):
    """Convolves each channel of an image by itself.

    >>> import graphrt as tf
    >>> tf.keras.layers.DepthwiseConv2D(3)(tf.ones([1, 8, 8, 3])).shape
    TensorShape([1, 6, 6, 3])

    Raises:
      ValueError: a size is not positive, or the input has another rank or number of channels.
    """

    rank = 2


@takes_what(
    _BaseConv,
    {
        "dilation_rate": "depth_multiplier", "use_bias": "depthwise_initializer pointwise_initializer",
        "bias_initializer": "depthwise_regularizer pointwise_regularizer",
        "activity_regularizer": "depthwise_constraint pointwise_constraint",
    },
)  # fmt: skip
class _Separable(_BaseConv):
    """A depthwise convolution, then one over the channels only."""

    _either = False

    def __init__(
        self, filters: int, kernel_size: PerAxis, strides: PerAxis = 1, padding: str = "valid", *,
        depth_multiplier: int = 1, depthwise_initializer: Identifier = "glorot_uniform",
        pointwise_initializer: Identifier = "glorot_uniform", depthwise_regularizer: Identifier = None,
        pointwise_regularizer: Identifier = None, depthwise_constraint: Identifier = None,
        pointwise_constraint: Identifier = None, **kwargs: Unpack[ConvolutionOptions],
    ) -> None:  # fmt: skip
        super().__init__(kernel_size, strides, padding, **kwargs)
        self.filters = positive(filters, "filters")
        self.depth_multiplier = positive(depth_multiplier, "depth_multiplier")
        self.depthwise_initializer = initializers.get(depthwise_initializer)
        self.pointwise_initializer = initializers.get(pointwise_initializer)
        self.depthwise_regularizer = regularizers.get(depthwise_regularizer)
        self.pointwise_regularizer = regularizers.get(pointwise_regularizer)
        self.depthwise_constraint = constraints.get(depthwise_constraint)
        self.pointwise_constraint = constraints.get(pointwise_constraint)

    def build(self, input_shape: Any) -> None:
        """Makes `depthwise_kernel`, `pointwise_kernel` and `bias`."""
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            name="depthwise_kernel", shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer, regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )  # fmt: skip
        self.pointwise_kernel = self.add_weight(
            name="pointwise_kernel", shape=(*(1,) * self.rank, channels * self.depth_multiplier, self.filters),
            initializer=self.pointwise_initializer, regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
        )  # fmt: skip
        self._add_bias(self.filters)

    def call(self, inputs: Any) -> Tensor:
        """The convolved inputs."""
        x, padding = self._padded(channels_last(inputs, self.data_format))
        x = depthwise(x, self.depthwise_kernel, self.strides, padding, self.dilation_rate)
        x = tf.nn.convolution(x, tf.convert_to_tensor(self.pointwise_kernel), padding="VALID")
        return self._finished(x)


class SeparableConv1D(_Separable):
    """A depthwise `Conv1D`, then one over the channels.

    >>> import graphrt as tf
    >>> tf.keras.layers.SeparableConv1D(4, 3)(tf.ones([1, 8, 3])).shape
    TensorShape([1, 6, 4])

    Raises:
      ValueError: a size is not positive, or the input has another rank or number of channels.
    """

    rank = 1


@takes_what(_Separable, strides=(1, 1), dilation_rate=(1, 1))
class SeparableConv2D(_Separable):
    """A depthwise `Conv2D`, then one over the channels.

    >>> import graphrt as tf
    >>> tf.keras.layers.SeparableConv2D(4, 3)(tf.ones([1, 8, 8, 3])).shape
    TensorShape([1, 6, 6, 4])

    Raises:
      ValueError: a size is not positive, or the input has another rank or number of channels.
    """

    rank = 2


Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
Convolution1DTranspose, Convolution2DTranspose, Convolution3DTranspose = (
    Conv1DTranspose, Conv2DTranspose, Conv3DTranspose,
)  # fmt: skip
SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D
