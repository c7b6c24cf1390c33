"""Recurrent layers over sequences of pictures: an LSTM whose products are convolutions.

i, f, c, o = split(convolution(x, kernel) + convolution(h, recurrent_kernel) + bias, 4)
"""

from __future__ import annotations

from typing import Any, Unpack

import graphrt as tf
from graphrt.keras.config import standardize_data_format
from graphrt.keras.configurable import Identifier
from graphrt.keras.layers.base import InputSpec
from graphrt.keras.layers.cells import LSTMCell
from graphrt.keras.layers.options import CellOptions
from graphrt.keras.layers.recurrent import LSTM, RNN, KnownRNN, parted
from graphrt.keras.layers.windows import as_before, channels_last, padding_of, sizes
from graphrt.keras.signatures import takes_what
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import PerAxis

__all__ = [
    "ConvLSTM1D",
    "ConvLSTM2D",
    "ConvLSTM3D",
]


class _Cell(LSTMCell):
    """One step over `rank` axes; the states are as large as what the convolution of a step gives."""

    def __init__(
        self, rank: int, filters: int, kernel_size: PerAxis, strides: PerAxis, padding: str, data_format: str | None,
        dilation_rate: PerAxis, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(filters, **kwargs)
        self.rank, self.filters = rank, filters
        self.kernel_size = sizes(kernel_size, rank, "kernel_size")
        self.strides = sizes(strides, rank, "strides")
        self.dilation_rate = sizes(dilation_rate, rank, "dilation_rate")
        self.padding = padding_of(padding, self.name)
        self.data_format = standardize_data_format(data_format)
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
                f"Received: strides={self.strides} and dilation_rate={self.dilation_rate}"
            )

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, `recurrent_kernel` and `bias`, for all four gates."""
        *lengths, channels = (
            input_shape[1:] if self.data_format == "channels_last" else (*input_shape[2:], input_shape[1])
        )
        if None in lengths or channels is None:
            raise ValueError(
                "ConvLSTM layers only support static input shapes: all sizes but the batch and the steps must be known. "
                f"Received invalid input shape: input_shape={input_shape}"
            )
        found = [self._length(n, axis) for axis, n in enumerate(lengths)]
        last = self.data_format == "channels_last"
        self.output_size = (*found, self.filters) if last else (self.filters, *found)
        width = self.filters * self.gates
        self.kernel = self.add_weight(
            name="kernel", shape=(*self.kernel_size, channels, width), initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        self.recurrent_kernel = self.add_weight(
            name="recurrent_kernel", shape=(*self.kernel_size, self.filters, width),
            initializer=self.recurrent_initializer, regularizer=self.recurrent_regularizer,
            constraint=self.recurrent_constraint,
        )  # fmt: skip
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias", shape=(width,), initializer=self.initial_bias(), regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )  # fmt: skip

    def _length(self, length: int, axis: int) -> int:
        window = (self.kernel_size[axis] - 1) * self.dilation_rate[axis] if self.padding == "valid" else 0
        found = -(-(length - window) // self.strides[axis])
        if found < 1:
            raise ValueError(
                f"a window of {window + 1} does not fit into axis {axis} of a step, which has length {length}: make "
                "`kernel_size` or `dilation_rate` smaller, or use padding='same'"
            )
        return found

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Zeros, for the output and for the memory."""
        return [tf.zeros([batch_size, *self.output_size], self.compute_dtype) for _ in range(2)]

    def _mask_count(self) -> int:
        return self.gates

    def call(self, sequence: Tensor, states: Any, training: Any = False) -> Any:
        """The output and the new states."""
        of_inputs, of_states = (m and [self._last(part) for part in m] for m in self.masks_for(sequence, training))
        kept, self._masks = self._masks, (of_inputs, of_states)
        try:
            output, states = super().call(self._last(sequence), [self._last(s) for s in states], training)
        finally:
            self._masks = kept
        output, memory = (as_before(v, self.data_format) for v in states)
        return output, [output, memory]

    def _last(self, x: Any) -> Any:
        return channels_last(x, self.data_format)

    def _product(self, x: Any, masks: Any, kernel: Any) -> Tensor:
        """`x` (channels last), or for each gate what its mask leaves of it, convolved with the kernel of the inputs."""
        strides = list(self.strides)
        return self._convolved(x, masks, kernel, strides, self.padding.upper(), list(self.dilation_rate))

    def _product_of_state(self, state: Any, masks: Any) -> Tensor:
        return self._convolved(state, masks, self.recurrent_kernel, 1, "SAME", 1)

    def _convolved(self, x: Any, masks: Any, kernel: Any, strides: Any, padding: str, dilations: Any) -> Tensor:
        if masks is None:
            return tf.nn.convolution(x, kernel, strides=strides, padding=padding, dilations=dilations)
        parts = tf.split(tf.convert_to_tensor(kernel), self.gates, axis=-1)
        found = [
            tf.nn.convolution(x * m, k, strides=strides, padding=padding, dilations=dilations)
            for m, k in zip(masks, parts)
        ]
        return tf.concat(found, axis=-1)


_LAST = "return_sequences return_state go_backwards stateful"


@takes_what(LSTM, {"bias_regularizer": "activity_regularizer", "seed": _LAST}, without=["units", "use_cudnn"])
class _ConvLSTM(KnownRNN):
    """The arguments are those of a convolution, then those of `LSTM`."""

    rank = 2
    taken_by_cell = KnownRNN.taken_by_cell | {
        "filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate",
    }  # fmt: skip

    def __init__(
        self, filters: int, kernel_size: PerAxis, strides: PerAxis = 1, padding: str = "valid",
        data_format: str | None = None, dilation_rate: PerAxis = 1, *, activity_regularizer: Identifier = None,
        return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False, stateful: bool = False,
        **kwargs: Unpack[CellOptions],
    ) -> None:  # fmt: skip
        of_cell, of_layer = parted(kwargs, self.taken_by_cell)
        cell = _Cell(
            self.rank, filters, kernel_size, strides, padding, data_format, dilation_rate, **of_cell,
            name="conv_lstm_cell",
        )  # fmt: skip
        RNN.__init__(
            self, cell, return_sequences, return_state, go_backwards, stateful,
            activity_regularizer=activity_regularizer, **of_layer,
        )  # fmt: skip
        self.input_spec = InputSpec(ndim=self.rank + 3)


class ConvLSTM1D(_ConvLSTM):
    """An LSTM over sequences of rows (batch, steps, length, channels), whose products are convolutions.

    >>> import graphrt as tf
    >>> tf.keras.layers.ConvLSTM1D(4, 3)(tf.ones([2, 5, 8, 3])).shape
    TensorShape([2, 6, 4])

    Raises:
      ValueError: a size is not positive, or the input has another rank or unknown sizes.
    """

    rank = 1


class ConvLSTM2D(_ConvLSTM):
    """An LSTM over sequences of images (batch, steps, rows, columns, channels), whose products are convolutions.

    >>> import graphrt as tf
    >>> layer = tf.keras.layers.ConvLSTM2D(4, 3, padding="same", return_sequences=True)
    >>> layer(tf.ones([2, 5, 8, 8, 3])).shape, tuple(layer.kernel.shape)
    (TensorShape([2, 5, 8, 8, 4]), (3, 3, 3, 16))

    Raises:
      ValueError: a size is not positive, or the input has another rank or unknown sizes.
    """

    rank = 2


class ConvLSTM3D(_ConvLSTM):
    """An LSTM over sequences of volumes (batch, steps, depth, rows, columns, channels), whose products are convolutions.

    >>> import graphrt as tf
    >>> tf.keras.layers.ConvLSTM3D(2, 2)(tf.ones([1, 3, 4, 4, 4, 1])).shape
    TensorShape([1, 3, 3, 3, 2])

    Raises:
      ValueError: a size is not positive, or the input has another rank or unknown sizes.
    """

    rank = 3
