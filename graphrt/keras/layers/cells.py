"""Cells of recurrent layers: one step, from an input and states to an output and new states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

import graphrt as tf
from graphrt.keras import activations, constraints, initializers, random, regularizers
from graphrt.keras.configurable import Identifier, serialize
from graphrt.keras.layer_classes import deserialize
from graphrt.keras.layers.base import InputSpec, Layer
from graphrt.keras.layers.core import positive
from graphrt.keras.layers.options import CellOptions, LayerOptions
from graphrt.keras.signatures import takes_what
from graphrt.tensor.tensor import Tensor
from graphrt.types.nesting import shown

if TYPE_CHECKING:
    from graphrt.keras.initializers import Zeros

__all__ = [
    "GRUCell",
    "LSTMCell",
    "SimpleRNNCell",
    "StackedRNNCells",
]


class _Cell(Layer):
    """What the cells share: initializers, regularizers, and dropout of inputs and states."""

    gates = 1
    state_size: Any
    input_spec = InputSpec(min_ndim=1)

    def __init__(
        self,
        units: int,
        activation: Identifier = "tanh",
        recurrent_activation: Identifier = None,
        use_bias: bool = True,
        kernel_initializer: Identifier = "glorot_uniform",
        recurrent_initializer: Identifier = "orthogonal",
        bias_initializer: Identifier = "zeros",
        kernel_regularizer: Identifier = None,
        recurrent_regularizer: Identifier = None,
        bias_regularizer: Identifier = None,
        kernel_constraint: Identifier = None,
        recurrent_constraint: Identifier = None,
        bias_constraint: Identifier = None,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        seed: int | None = None,
        **kwargs: Unpack[LayerOptions],
    ) -> None:
        super().__init__(**kwargs)
        self.units = positive(units, "units")
        self.seed = seed
        if recurrent_activation is None:  # the order in which seeds are drawn is Keras's
            self.seed_generator = random.SeedGenerator(seed)
        self.activation = activations.get(activation)
        if recurrent_activation is not None:
            self.recurrent_activation = activations.get(recurrent_activation)
        self.use_bias = use_bias
        self.kernel_initializer = initializers.get(kernel_initializer)
        self.recurrent_initializer = initializers.get(recurrent_initializer)
        self.bias_initializer = initializers.get(bias_initializer)
        self.kernel_regularizer = regularizers.get(kernel_regularizer)
        self.recurrent_regularizer = regularizers.get(recurrent_regularizer)
        self.bias_regularizer = regularizers.get(bias_regularizer)
        self.kernel_constraint = constraints.get(kernel_constraint)
        self.recurrent_constraint = constraints.get(recurrent_constraint)
        self.bias_constraint = constraints.get(bias_constraint)
        self.dropout = min(1.0, max(0.0, dropout))
        self.recurrent_dropout = min(1.0, max(0.0, recurrent_dropout))
        if recurrent_activation is not None:
            self.seed_generator = random.SeedGenerator(seed)
        self.state_size: Any = units
        self.output_size: Any = units
        self._masks: tuple[Any, Any] | None = None

    def build(self, input_shape: Any) -> None:
        """Makes `kernel`, `recurrent_kernel` and `bias`."""
        width = self.units * self.gates
        self.kernel = self.add_weight(
            name="kernel", shape=(input_shape[-1], width), initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint,
        )  # fmt: skip
        self.recurrent_kernel = self.add_weight(
            name="recurrent_kernel", shape=(self.units, width), initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer, constraint=self.recurrent_constraint,
        )  # fmt: skip
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight(
                name="bias", shape=self._bias_shape(), initializer=self.initial_bias(),
                regularizer=self.bias_regularizer, constraint=self.bias_constraint,
            )  # fmt: skip

    def _bias_shape(self) -> tuple[int, ...]:
        return (self.units * self.gates,)

    def initial_bias(self) -> Zeros:
        """How the bias begins."""
        return self.bias_initializer

    def draw_masks(self, step: Any, training: bool | None) -> tuple[Any, Any]:
        """What inputs and states are multiplied by, drawn once for a sequence; with `recurrent_dropout` for each gate."""
        count = self._mask_count()

        def drawn(like: Tensor, rate: float) -> Any:
            if not training or rate == 0:
                return None
            return [random.dropout(like, rate, seed=self.seed_generator) for _ in range(count)]

        states = tf.ones_like(self.get_initial_state(tf.shape(step)[0])[0], step.dtype)
        return drawn(tf.ones_like(step), self.dropout), drawn(states, self.recurrent_dropout)

    def _mask_count(self) -> int:
        return self.gates if self.recurrent_dropout > 0 else 1

    def skip_masks(self) -> None:
        """Moves the seeds on as if masks had been drawn: a layer does so at each call, whether it trains or not."""
        drawn = self._mask_count() * ((self.dropout > 0) + (self.recurrent_dropout > 0))
        if drawn:
            self.seed_generator.state.assign_add([0, drawn])

    def masks_for(self, step: Any, training: bool | None) -> tuple[Any, Any]:
        """The masks of the sequence that is run, or for a step alone newly drawn ones."""
        return self._masks if self._masks is not None else self.draw_masks(step, training)

    def _product(self, x: Any, masks: Any, kernel: Any) -> Tensor:
        """`x @ kernel`, of what the masks leave of `x`: one for all gates, or one for each."""
        if masks is None:
            return tf.matmul(x, kernel)
        if len(masks) == 1:
            return tf.matmul(x * masks[0], kernel)
        parts = tf.split(tf.convert_to_tensor(kernel), len(masks), axis=1)
        return tf.concat([tf.matmul(x * mask, part) for mask, part in zip(masks, parts)], axis=1)

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """Zeros, a tensor for each state."""
        sizes = self.state_size if isinstance(self.state_size, (list, tuple)) else [self.state_size]
        return [tf.zeros([batch_size, size], self.compute_dtype) for size in sizes]


@takes_what(_Cell, {}, without=["recurrent_activation"])
class SimpleRNNCell(_Cell):
    """One step: `activation(inputs @ kernel + state @ recurrent_kernel + bias)`.

    >>> import graphrt as tf
    >>> output, states = tf.keras.layers.SimpleRNNCell(4)(tf.ones([2, 3]), [tf.zeros([2, 4])])
    >>> output.shape, len(states)
    (TensorShape([2, 4]), 1)
    """

    def call(self, sequence: Tensor, states: Any, training: Any = False) -> Any:
        """The output and the new states."""
        nested = isinstance(states, (list, tuple))
        for_inputs, for_states = self.masks_for(sequence, training)
        x = self._product(sequence, for_inputs, self.kernel)
        if self.bias is not None:
            x += self.bias
        state = states[0] if nested else states
        output = self.activation(x + self._product(state, for_states, self.recurrent_kernel))
        return output, [output] if nested else output


@takes_what(_Cell, {"bias_initializer": "unit_forget_bias"}, recurrent_activation="sigmoid")
class LSTMCell(_Cell):
    """One step of a long short-term memory; states are the output and the carried memory.

    >>> import graphrt as tf
    >>> output, (h, c) = tf.keras.layers.LSTMCell(4)(tf.ones([2, 3]), [tf.zeros([2, 4]), tf.zeros([2, 4])])
    >>> output.shape, c.shape
    (TensorShape([2, 4]), TensorShape([2, 4]))
    """

    gates = 4

    def __init__(
        self,
        units: int,
        activation: Identifier = "tanh",
        *,
        unit_forget_bias: bool = True,
        **kwargs: Unpack[CellOptions],
    ) -> None:
        kwargs.setdefault("recurrent_activation", "sigmoid")
        super().__init__(units, activation, **kwargs)
        self.unit_forget_bias = unit_forget_bias
        self.state_size = [units, units]

    def initial_bias(self) -> Any:
        """How the bias begins: at one for the forget gate, if so told."""
        if not self.unit_forget_bias:
            return self.bias_initializer

        def ones_for_the_forget_gate(shape: tuple[int | None, ...], dtype: Any = None) -> Tensor:
            n = self.units
            first, rest = self.bias_initializer((n,), dtype), self.bias_initializer((2 * n,), dtype)
            return tf.concat([first, tf.ones([n], dtype), rest], axis=0)

        return ones_for_the_forget_gate

    def call(self, sequence: Tensor, states: Any, training: Any = False) -> Any:
        """The output and the new states."""
        memory = states[1]
        for_inputs, for_states = self.masks_for(sequence, training)
        z = self._product(sequence, for_inputs, self.kernel)
        z += self._product_of_state(states[0], for_states)
        if self.bias is not None:
            z += self.bias
        i, f, c, o = tf.split(z, 4, axis=-1)
        memory = self.recurrent_activation(f) * memory + self.recurrent_activation(i) * self.activation(c)
        output = self.recurrent_activation(o) * self.activation(memory)
        return output, [output, memory]

    def _product_of_state(self, state: Any, masks: Any) -> Tensor:
        return self._product(state, masks, self.recurrent_kernel)


@takes_what(_Cell, {"recurrent_dropout": "reset_after"}, recurrent_activation="sigmoid")
class GRUCell(_Cell):
    """One step of a gated recurrent unit; `reset_after` says where the reset gate stands.

    >>> import graphrt as tf
    >>> output, states = tf.keras.layers.GRUCell(4)(tf.ones([2, 3]), [tf.zeros([2, 4])])
    >>> output.shape
    TensorShape([2, 4])
    """

    gates = 3

    def __init__(
        self, units: int, activation: Identifier = "tanh", *, reset_after: bool = True, **kwargs: Unpack[CellOptions]
    ) -> None:
        kwargs.setdefault("recurrent_activation", "sigmoid")
        super().__init__(units, activation, **kwargs)
        self.reset_after = reset_after

    def _bias_shape(self) -> tuple[int, ...]:
        return (2, 3 * self.units) if self.reset_after else (3 * self.units,)

    def call(self, sequence: Tensor, states: Any, training: Any = False) -> Any:
        """The output and the new states."""
        nested = isinstance(states, (list, tuple))
        state = states[0] if nested else states
        for_inputs, for_states = self.masks_for(sequence, training)
        first: Any = None
        second: Any = None
        if self.bias is not None:
            first, second = (self.bias[0], self.bias[1]) if self.reset_after else (self.bias, None)
        x = self._product(sequence, for_inputs, self.kernel)
        if first is not None:
            x += first
        x_z, x_r, x_h = tf.split(x, 3, axis=1)
        if self.reset_after:
            inner = self._product(state, for_states, self.recurrent_kernel)
            if second is not None:
                inner += second
            r_z, r_r, r_h = tf.split(inner, 3, axis=1)
            z, r = self.recurrent_activation(x_z + r_z), self.recurrent_activation(x_r + r_r)
            h = self.activation(x_h + r * r_h)
        else:
            n = self.units
            kernel = tf.convert_to_tensor(self.recurrent_kernel)
            gates, last = (for_states[:2], for_states[2]) if for_states is not None else (None, 1.0)
            r_z, r_r = tf.split(self._product(state, gates, kernel[:, : 2 * n]), 2, axis=1)
            z, r = self.recurrent_activation(x_z + r_z), self.recurrent_activation(x_r + r_r)
            h = self.activation(x_h + tf.matmul(r * state * last, kernel[:, 2 * n :]))
        output = z * state + (1.0 - z) * h
        return output, [output] if nested else output


class StackedRNNCells(Layer):
    """Cells one above the other, as one cell.

    >>> import graphrt as tf
    >>> cells = tf.keras.layers.StackedRNNCells([tf.keras.layers.LSTMCell(2), tf.keras.layers.LSTMCell(3)])
    >>> tf.keras.layers.RNN(cells)(tf.ones([1, 4, 5])).shape
    TensorShape([1, 3])

    Raises:
      ValueError: something in `cells` is no cell.
    """

    input_spec = InputSpec(min_ndim=1)

    def __init__(self, cells: Any, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        for cell in cells:
            if not hasattr(cell, "call") or not hasattr(cell, "state_size"):
                raise ValueError(
                    f"All cells must have a `call` method and a `state_size` attribute. Found: {shown(cell)}"
                )
        self.cells = list(cells)

    @property
    def state_size(self) -> list[Any]:
        """The sizes of the states, a list for each cell."""
        return [c.state_size for c in self.cells]

    @property
    def output_size(self) -> int:
        """The size of the output of the last cell."""
        return getattr(self.cells[-1], "output_size", _first(self.cells[-1].state_size))

    def get_initial_state(self, batch_size: Any = None) -> list[Any]:
        """The initial states of all cells."""
        return [initial_state_of(cell, batch_size) for cell in self.cells]

    def draw_masks(self, step: Any, training: bool | None) -> tuple[Any, Any]:
        """Nothing: the cells draw their own."""
        return None, None

    def call(self, sequence: Tensor, states: Any, training: Any = False) -> Any:
        """The output of the last cell and the states of all."""
        x, found = sequence, []
        for cell, state in zip(self.cells, states):
            nested = isinstance(state, (list, tuple))
            x, state = run_cell(cell, x, state if nested else [state], training)
            found.append(state if nested else _first(state))
        return x, found

    def build(self, input_shape: Any) -> None:
        """Builds the cells."""
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                cell.build(input_shape)
            input_shape = (input_shape[0], getattr(cell, "output_size", None) or _first(cell.state_size))

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer."""
        return {**super().get_config(), "cells": [serialize(c) for c in self.cells]}

    @classmethod
    def from_config(cls, config: Any) -> Any:
        """The layer that `get_config` described."""
        return cls(**{**config, "cells": [deserialize(c) if isinstance(c, dict) else c for c in config["cells"]]})


def _first(value: list[int]) -> int:
    return value[0] if isinstance(value, (list, tuple)) else value


def run_cell(cell: Any, x: Tensor, states: Any, training: bool | None) -> tuple[Any, Any]:
    """One step of any cell, also of one whose `call` knows nothing of `training`."""
    output, states = cell(x, states, training=training) if isinstance(cell, Layer) else cell(x, states)
    return output, list(states) if isinstance(states, (list, tuple)) else [states]


def initial_state_of(cell: Any, batch_size: Any) -> list[Any]:
    """The states that a cell begins with."""
    if hasattr(cell, "get_initial_state"):
        found = cell.get_initial_state(batch_size)
        return list(found) if isinstance(found, (list, tuple)) else [found]
    sizes = cell.state_size if isinstance(cell.state_size, (list, tuple)) else [cell.state_size]
    dims = [list(s) if isinstance(s, (list, tuple)) else [s] for s in sizes]
    return [tf.zeros([batch_size, *d], getattr(cell, "compute_dtype", "float32")) for d in dims]
