"""Recurrent layers: a cell run over the steps of sequences.

While a function is traced the steps are one `While` node, so the length may be unknown; eagerly they are a Python loop.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Unpack

import graphrt as tf
from graphrt import errors
from graphrt.errors import at_user_line
from graphrt.keras.configurable import Identifier, serialize
from graphrt.keras.layer_classes import deserialize
from graphrt.keras.layers.base import InputSpec, Layer
from graphrt.keras.layers.cells import GRUCell, LSTMCell, SimpleRNNCell, StackedRNNCells, initial_state_of, run_cell
from graphrt.keras.layers.core import Wrapper
from graphrt.keras.layers.options import LayerOptions, RecurrentOptions
from graphrt.keras.names import path_scope
from graphrt.keras.signatures import takes_what
from graphrt.keras.symbolic import any_symbolic
from graphrt.keras.variable import Variable
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import said, shown

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "Bidirectional",
    "SimpleRNN",
    "TimeDistributed",
]


class RNN(Layer):
    """Runs `cell` (or several, stacked) over (batch, steps, features).

    Gives the last output, or with `return_sequences` all; with `return_state` a tuple of the output and the last states.
    `stateful` keeps the states for the next batch, until `reset_state`.

    >>> import graphrt as tf
    >>> class Sum(tf.keras.layers.Layer):
    ...     state_size = 3
    ...     def call(self, x, states):
    ...         total = states[0] + x
    ...         return total, [total]
    >>> tf.keras.layers.RNN(Sum())(tf.ones([1, 5, 3])).numpy().tolist()
    [[5.0, 5.0, 5.0]]

    Raises:
      ValueError: `cell` has no `call` or no `state_size`.
    """

    def __init__(
        self,
        cell: object,
        return_sequences: bool = False,
        return_state: bool = False,
        go_backwards: bool = False,
        stateful: bool = False,
        unroll: bool = False,
        zero_output_for_mask: bool = False,
        **kwargs: Unpack[LayerOptions],
    ) -> None:
        super().__init__(**kwargs)
        if isinstance(cell, (list, tuple)):
            cell = StackedRNNCells(cell)
        if not hasattr(cell, "call"):
            raise ValueError(f"Argument `cell` should have a `call` method. Received: cell={said(cell)}")
        if not hasattr(cell, "state_size"):
            raise ValueError("The RNN cell should have a `state_size` attribute (single integer or list of integers, "
                             f"one integer per RNN state). Received: cell={said(cell)}")  # fmt: skip
        self.cell: Any = cell
        self.return_sequences, self.return_state, self.go_backwards = return_sequences, return_state, go_backwards
        self.stateful, self.unroll, self.zero_output_for_mask = stateful, unroll, zero_output_for_mask
        self.supports_masking = True
        self.input_spec = InputSpec(ndim=3) if self._wants_vectors else InputSpec(min_ndim=2)
        self.states: Any = None

    _untracked = Layer._untracked | {"states"}
    _wants_vectors = False  # cells of one's own may take steps of any rank

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:
        """Builds the cell, and the kept states of a stateful layer."""
        step = (sequences_shape[0], *sequences_shape[2:])
        if isinstance(self.cell, Layer) and not self.cell.built:
            with path_scope(self.cell.name):
                self.cell.build(step)
            self.cell.built = True
        if self.stateful:
            if sequences_shape[0] is None:
                raise ValueError(
                    "When using `stateful=True` in a RNN, the batch size must be static. Found dynamic batch size: "
                    f"sequence.shape={sequences_shape}"
                )
            first = structure.flatten(initial_state_of(self.cell, sequences_shape[0]))
            self.states = [Variable(s, trainable=False, name=f"state_{i}") for i, s in enumerate(first)]

    def reset_state(self) -> None:
        """Kept states become zeros again."""
        for state in self.states or ():
            state.assign(tf.zeros_like(state))

    reset_states = reset_state

    def get_initial_state(self, batch_size: Any) -> list[Any]:
        """The states that the cell begins with."""
        return initial_state_of(self.cell, batch_size)

    def __call__(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = None) -> Any:
        """The outputs for `sequences`; a list is taken for the sequences and their initial states."""
        if isinstance(sequences, (list, tuple)) and sequences and initial_state is None:
            sequences, initial_state = sequences[0], list(sequences[1:])
        given = {"mask": mask, "training": training}
        if initial_state is not None:
            given["initial_state"] = initial_state
        return super().__call__(sequences, **{k: v for k, v in given.items() if v is not None})

    def call(self, sequences: Tensor, initial_state: Any = None, mask: Any = None, training: Any = False) -> Any:
        """The outputs, and the states if asked for."""
        batch = tf.shape(sequences)[0] if sequences.shape[0] is None else sequences.shape[0]
        if initial_state is not None:
            states: Any = initial_state if isinstance(initial_state, (list, tuple)) else [initial_state]
            states = list(states)
        elif self.stateful:
            states = structure.pack_like(
                initial_state_of(self.cell, batch), [tf.convert_to_tensor(s) for s in self.states]
            )
        else:
            states = self.get_initial_state(batch)
        cells = self.cell.cells if isinstance(self.cell, StackedRNNCells) else [self.cell]
        drawing = [c for c in cells if hasattr(c, "_masks")]
        for cell in drawing[:1] if len(cells) == 1 else []:
            if training:
                cell._masks = cell.draw_masks(sequences[:, 0], training)
            else:
                cell.skip_masks()
        try:
            last, outputs, states = self._run(sequences, states, mask, training)
        finally:
            for cell in drawing:
                cell._masks = None
        if self.stateful:
            for kept, state in zip(self.states, structure.flatten(states)):
                kept.assign(state)
        output = outputs if self.return_sequences else last
        return (output, *states) if self.return_state else output

    def _run(
        self, sequences: Any, states: list[Tensor | list[Tensor]], mask: Any, training: bool | None
    ) -> tuple[Any, Any, Any]:
        """The last output, all outputs (None unless wanted), and the last states."""
        length = sequences.shape[1]
        steps = tf.transpose(sequences, [1, 0, *range(2, len(sequences.shape))])
        masks = None if mask is None else tf.transpose(mask, [1, 0])
        if self.go_backwards:
            steps = tf.reverse(steps, [0])
            masks = None if masks is None else tf.reverse(masks, [0])
        if length is not None and (self.unroll or tf.executing_eagerly()):
            return self._in_python(steps, states, masks, training, length)
        return self._in_graph(steps, states, masks, training)

    def _step(self, x: Tensor, mask: Any, output: Tensor | None, states: Any, training: bool | None) -> tuple[Any, Any]:
        """One step; where the mask is False the output and the states stay what they were."""
        found, following = run_cell(self.cell, x, states, training)
        if mask is None:
            return found, following
        shown = tf.zeros_like(found) if output is None or self.zero_output_for_mask else output
        kept = _where(mask, found, shown)
        return kept, structure.map_structure(lambda new, old: _where(mask, new, old), following, list(states))

    def _in_python(
        self, steps: Tensor, states: list[Tensor | list[Tensor]], masks: Any, training: bool | None, length: int
    ) -> tuple[Any, Any, Any]:
        output, outputs = None, []
        for t in range(length):
            output, states = self._step(steps[t], None if masks is None else masks[t], output, states, training)
            outputs.append(output)
        if masks is not None and self.zero_output_for_mask and not self.return_sequences:
            output = outputs[-1]
        return output, tf.stack(outputs, axis=1) if self.return_sequences else None, states

    def _in_graph(self, steps: Tensor, states: Any, masks: Any, training: bool | None) -> tuple[Any, Any, Any]:
        length = tf.shape(steps)[0]
        static = steps.shape[0]
        shape, dtype = self._output_spec(steps, states, training)
        batch = steps.shape[1] if steps.shape[1] is not None else tf.shape(steps)[1]
        first = tf.zeros([batch, *shape], dtype)
        outputs = tf.TensorArray(dtype, size=length, element_shape=[steps.shape[1], *shape])
        keep_all = self.return_sequences

        def body(
            t: Tensor, output: Tensor, outputs: Any, states: list[Tensor]
        ) -> tuple[Tensor, Tensor, Any, list[Tensor]]:
            output, states = self._step(steps[t], None if masks is None else masks[t], output, states, training)
            return t + 1, output, outputs.write(t, output) if keep_all else outputs, states

        _, last, outputs, states = tf.while_loop(
            lambda t, *_: t < length, body, (tf.constant(0), first, outputs, list(states)),
            maximum_iterations=static,
        )  # fmt: skip
        if not keep_all:
            return last, None, states
        stacked = outputs.stack()
        stacked = tf.ensure_shape(stacked, [static, steps.shape[1], *shape])
        return last, tf.transpose(stacked, [1, 0, *range(2, len(stacked.shape))]), states

    def _output_spec(self, steps: Tensor, states: list[Tensor], training: bool | None) -> tuple[list[int], Any]:
        """Shape (without the batch) and dtype of the outputs, which the loop has to know before its first step."""
        size = getattr(self.cell, "output_size", None)
        if isinstance(size, int):
            return [size], tf.as_dtype(self.compute_dtype)
        if size is not None:
            return list(size), tf.as_dtype(self.compute_dtype)
        state = self.cell.state_size[0] if isinstance(self.cell.state_size, (list, tuple)) else self.cell.state_size
        return ([state] if isinstance(state, int) else list(state)), tf.as_dtype(self.compute_dtype)

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Any:
        """The mask of the steps, where they are all given."""
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        output = mask if self.return_sequences else None
        if not self.return_state:
            return output
        return [output] + [None] * len(structure.flatten(self.cell.state_size))

    @classmethod
    def from_config(cls, config: Any) -> Any:
        """The layer that `get_config` described."""
        config = dict(config)
        if isinstance(config.get("cell"), dict):
            config["cell"] = deserialize(config["cell"])
        return cls(**config)


def _where(mask: Tensor, new: Any, old: Any) -> Any:
    while len(mask.shape) < len(new.shape):
        mask = tf.expand_dims(mask, -1)
    return tf.where(mask, new, old)


def parted(options: Mapping[str, Any], taken_by_cell: Collection[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a cell is told of `options`, and what its layer is."""
    of_both = ("dtype", "trainable")
    of_cell = {k: v for k, v in options.items() if k in taken_by_cell or k in of_both}
    return of_cell, {k: v for k, v in options.items() if k not in of_cell or k in of_both}


class KnownRNN(RNN):
    """A recurrent layer of a cell of ours: its arguments are the cell's and RNN's."""

    _wants_vectors = True
    _floats = True
    _cell_class: Any = None
    taken_by_cell = frozenset((
        "units", "activation", "recurrent_activation", "use_bias", "kernel_initializer", "recurrent_initializer",
        "bias_initializer", "unit_forget_bias", "kernel_regularizer", "recurrent_regularizer", "bias_regularizer",
        "kernel_constraint", "recurrent_constraint", "bias_constraint", "dropout", "recurrent_dropout", "reset_after",
        "seed", "kernel", "recurrent_kernel", "bias",
    ))  # fmt: skip

    def __init__(
        self, units: int, activation: Identifier = "tanh", *, activity_regularizer: Identifier = None,
        return_sequences: bool = False, return_state: bool = False, go_backwards: bool = False, stateful: bool = False,
        unroll: bool = False, use_cudnn: str = "auto", **kwargs: Unpack[RecurrentOptions],
    ) -> None:  # fmt: skip
        kwargs.pop("implementation", None)  # how it is computed, which makes no difference
        of_cell, of_layer = parted(kwargs, self.taken_by_cell)
        super().__init__(
            self._cell_class(units, activation, **of_cell, name=_cell_name(self._cell_class)),
            return_sequences, return_state, go_backwards, stateful, unroll,
            activity_regularizer=activity_regularizer, **of_layer,
        )  # fmt: skip

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "cell" not in self.__dict__ or name not in self.taken_by_cell:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {shown(name)}")
        return getattr(self.cell, name)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer."""
        config = super().get_config()
        config.pop("use_cudnn", None)
        config.pop("implementation", None)
        return {**config, "zero_output_for_mask": self.zero_output_for_mask}

    @classmethod
    def from_config(cls, config: Any) -> Any:
        """The layer that `get_config` described."""
        return cls(**config)


_OF_RNN = "return_sequences return_state go_backwards stateful unroll"


def _cell_name(cls: type) -> str:
    return {"SimpleRNNCell": "simple_rnn_cell", "LSTMCell": "lstm_cell", "GRUCell": "gru_cell"}[cls.__name__]


@takes_what(
    SimpleRNNCell, {"bias_regularizer": "activity_regularizer", "recurrent_dropout": _OF_RNN}, without=["use_cudnn"]
)
class SimpleRNN(KnownRNN):
    """A recurrent layer of `SimpleRNNCell`.

    >>> import graphrt as tf
    >>> tf.keras.layers.SimpleRNN(4, return_sequences=True)(tf.ones([2, 5, 3])).shape
    TensorShape([2, 5, 4])

    Raises:
      ValueError: the input has another rank than 3.
    """

    _cell_class = SimpleRNNCell
    _told_if_other = frozenset({"seed"})


@takes_what(LSTMCell, {"bias_regularizer": "activity_regularizer", "seed": f"{_OF_RNN} use_cudnn"})
class LSTM(KnownRNN):
    """A recurrent layer of `LSTMCell`.

    >>> import graphrt as tf
    >>> output, h, c = tf.keras.layers.LSTM(4, return_state=True)(tf.ones([2, 5, 3]))
    >>> output.shape, c.shape
    (TensorShape([2, 4]), TensorShape([2, 4]))

    Raises:
      ValueError: the input has another rank than 3.
    """

    _cell_class = LSTMCell


@takes_what(GRUCell, {"bias_regularizer": "activity_regularizer", "seed": f"{_OF_RNN} reset_after use_cudnn"})
class GRU(KnownRNN):
    """A recurrent layer of `GRUCell`.

    >>> import graphrt as tf
    >>> tf.keras.layers.GRU(4)(tf.ones([2, 5, 3])).shape
    TensorShape([2, 4])

    Raises:
      ValueError: the input has another rank than 3.
    """

    _cell_class = GRUCell


_RECURRENT = "a recurrent layer, which has `go_backwards` and `return_sequences`"


class Bidirectional(Wrapper):
    """A recurrent layer over the sequences, and another over them backwards; outputs are put together.

    `merge_mode` is 'concat', 'sum', 'mul', 'ave', or None for a list of both.

    >>> import graphrt as tf
    >>> tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(4))(tf.ones([2, 5, 3])).shape
    TensorShape([2, 8])

    Raises:
      ValueError: `merge_mode` is not known, or the layers do not fit together.
    """

    def __init__(
        self, layer: RNN, merge_mode: str | None = "concat", weights: TensorLike | None = None,
        backward_layer: Any = None, **kwargs: Unpack[LayerOptions]
    ) -> None:  # fmt: skip
        if merge_mode not in ("sum", "mul", "ave", "concat", None):
            raise ValueError(
                f"Invalid merge mode. Received: {merge_mode}. Merge mode should be one of "
                "{'sum', 'mul', 'ave', 'concat', None}"
            )
        if not hasattr(layer, "go_backwards"):
            raise errors.unexpected(layer, "layer", _RECURRENT)
        if backward_layer is not None and not hasattr(backward_layer, "go_backwards"):
            raise errors.unexpected(backward_layer, "backward_layer", _RECURRENT)
        super().__init__(layer, **kwargs)
        self.merge_mode = merge_mode
        self.layer, self.input_spec = layer, layer.input_spec
        config = layer.get_config()
        name = layer.name.removeprefix("forward_")  # which the layer of a configuration has
        self.forward_layer = type(layer).from_config({**config, "name": f"forward_{name}"})
        if backward_layer is None:
            self.backward_layer = type(layer).from_config(
                {**config, "go_backwards": not layer.go_backwards, "name": f"backward_{name}"}
            )
        else:
            if backward_layer.go_backwards == layer.go_backwards:
                raise ValueError(
                    "Forward layer and backward layer should have different `go_backwards` value. Received: "
                    f"forward_layer.go_backwards={layer.go_backwards}, "
                    f"backward_layer.go_backwards={backward_layer.go_backwards}"
                )
            self.backward_layer = backward_layer
        self.return_sequences, self.return_state = layer.return_sequences, layer.return_state
        for one in (self.forward_layer, self.backward_layer):
            one.zero_output_for_mask = self.return_sequences  # what is past the end is nothing from either side
        self.supports_masking = True

    _untracked = Layer._untracked | {"layer"}

    def build(self, sequences_shape: Any, initial_state_shape: Any = None) -> None:  # type: ignore[override]
        """Builds both layers."""
        for layer in (self.forward_layer, self.backward_layer):
            if not layer.built:
                layer.build(sequences_shape)

    def __call__(self, sequences: Any, initial_state: Any = None, mask: Any = None, training: Any = None) -> Tensor:
        """The outputs for `sequences`; `initial_state` has the states of the forward layer, then the other's."""
        if isinstance(sequences, (list, tuple)) and initial_state is None and not any_symbolic(sequences[1:]):
            sequences, initial_state = sequences[0], list(sequences[1:]) or None
        given = {"initial_state": initial_state, "mask": mask, "training": training}
        return super().__call__(sequences, **{k: v for k, v in given.items() if v is not None})

    def call(self, sequences: Tensor, initial_state: Any = None, mask: Any = None, training: Any = None) -> Any:
        """The outputs, and the states if asked for."""
        half = None if initial_state is None else len(initial_state) // 2
        forward = self.forward_layer(
            sequences, None if half is None else initial_state[:half], mask=mask, training=training
        )
        backward = self.backward_layer(
            sequences, None if half is None else initial_state[half:], mask=mask, training=training
        )
        states: list[Any] = []
        if self.return_state:
            states = [*forward[1:], *backward[1:]]
            forward, backward = forward[0], backward[0]
        if self.return_sequences:
            backward = tf.reverse(backward, [1])
        if self.merge_mode is None:
            return (forward, backward, *states)
        output = {
            "concat": lambda: tf.concat([forward, backward], axis=-1),
            "sum": lambda: forward + backward,
            "ave": lambda: (forward + backward) / 2.0,
            "mul": lambda: forward * backward,
        }[self.merge_mode]()
        return (output, *states) if states else output

    def compute_mask(self, inputs: TensorLike, mask: Any = None) -> Any:
        """The mask of the steps, where they are all given."""
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        if not self.return_sequences:
            return None
        return mask if self.merge_mode is not None else [mask, mask]

    def reset_state(self) -> None:
        """Kept states become zeros again.

        Raises:
          AttributeError: the layers are not `stateful`.
        """
        if not getattr(self.forward_layer, "stateful", False):
            raise AttributeError(at_user_line("Only a layer made with stateful=True has states that are kept."))
        self.forward_layer.reset_state()
        self.backward_layer.reset_state()

    def get_config(self) -> dict[str, Any]:
        """The arguments that make an equal layer; weights are no part of it."""
        config = super().get_config()
        config.pop("weights", None)
        return {**config, "layer": serialize(self.forward_layer)}

    reset_states = reset_state


class TimeDistributed(Wrapper):
    """Applies a layer to each step of its inputs.

    >>> import graphrt as tf
    >>> tf.keras.layers.TimeDistributed(tf.keras.layers.Dense(4))(tf.ones([2, 5, 3])).shape
    TensorShape([2, 5, 4])

    Raises:
      ValueError: the input has fewer than three axes.
    """

    def __init__(self, layer: Any, **kwargs: Unpack[LayerOptions]) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                f"Please initialize `TimeDistributed` layer with a `keras.layers.Layer` instance. Received: {said(layer)}"
            )
        super().__init__(layer, **kwargs)
        self.supports_masking = True

    def build(self, input_shape: Any = None) -> None:
        """Builds the layer inside for one step."""
        if len(input_shape) < 3:
            raise ValueError(
                "`TimeDistributed` Layer should be passed an `input_shape` with at least 3 dimensions, received: "
                f"{input_shape}"
            )
        if not self.layer.built:
            self.layer.build((input_shape[0], *input_shape[2:]))

    def call(self, inputs: Tensor, training: Any = None, mask: Any = None) -> Tensor:
        """The outputs for all steps."""
        static = inputs.shape.as_list()
        if mask is not None and any(None not in (m, n) and m != n for m, n in zip(mask.shape[:2], static)):
            raise ValueError(f"The `mask` passed to the `TimeDistributed` layer has a shape {tuple(mask.shape)} that does "
                             f"not fit inputs of shape {tuple(static)}: both begin with batch and steps.")  # fmt: skip
        shape = tf.shape(inputs)
        batch, length = (static[i] if static[i] is not None else shape[i] for i in (0, 1))
        flat = tf.reshape(inputs, [-1, *[n if n is not None else shape[i + 2] for i, n in enumerate(static[2:])]])
        found = self.layer(flat, training=training)
        rest = found.shape.as_list()[1:]
        inner = tf.shape(found)
        rest = [n if n is not None else inner[i + 1] for i, n in enumerate(rest)]
        return tf.reshape(found, [batch, length, *rest])
