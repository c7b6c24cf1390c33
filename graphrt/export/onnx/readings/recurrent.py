"""`LSTM`, `GRU` and `RNN`: what each says in one node becomes a loop over the steps.

x: (steps, batch, inputs)  ->  x @ W + b, for all steps at once  ->  one turn a step: + h @ R, gates, new h
"""

# names of another format: those of ONNX's ops

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np

from graphrt.control_flow.while_loop import while_loop
from graphrt.export.onnx.reader import Reading, Use
from graphrt.export.onnx.readings.arrays import shape64
from graphrt.export.onnx.readings.elementwise import number, vector
from graphrt.ops.array.concat_split import Pack, Split
from graphrt.ops.array.creation import Fill, zeros_like
from graphrt.ops.array.padding import ReverseSequence, ReverseV2
from graphrt.ops.array.selection import SelectV2
from graphrt.ops.array.shape import ExpandDims, Transpose
from graphrt.ops.linalg.matmul import MatMul, matmul
from graphrt.ops.lists.tensor_array import TensorArray
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Greater, GreaterEqual, Less
from graphrt.ops.math.elementwise import Expm1, Sigmoid, Tanh
from graphrt.ops.nn.activations import Softplus, Softsign
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import int32
from graphrt.types.shape import TensorShape

Activation: TypeAlias = "Callable[[Tensor], Tensor]"
# from what a step takes (x @ W + b, and what is carried) to what it gives, carried too: the first is the result
Step: TypeAlias = "Callable[[Tensor, list[Tensor]], list[Tensor]]"
_DIRECTIONS = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}
# how often an activation takes of alpha and beta, and what they are when nothing is given
_TAKES: dict[str, tuple[float, ...]] = {
    "affine": (1.0, 0.0), "elu": (1.0,), "hardsigmoid": (0.2, 0.5), "leakyrelu": (0.01,), "relu": (),
    "scaledtanh": (1.0, 1.0), "sigmoid": (), "softplus": (), "softsign": (), "tanh": (), "thresholdedrelu": (1.0,),
}  # fmt: skip


def _activation(c: Use, name: str, alpha: float, beta: float) -> Activation:
    zero, one, a, b = (number(c, v) for v in (0.0, 1.0, alpha, beta))
    known: dict[str, Activation] = {
        "affine": lambda x: x * a + b,
        "elu": lambda x: SelectV2(Less(x, zero), Expm1(x) * a, x),
        "hardsigmoid": lambda x: Maximum(zero, Minimum(one, x * a + b)),
        "leakyrelu": lambda x: SelectV2(GreaterEqual(x, zero), x, x * a),
        "relu": lambda x: Maximum(x, zero),
        "scaledtanh": lambda x: Tanh(x * b) * a,
        "sigmoid": Sigmoid,
        "softplus": Softplus,
        "softsign": Softsign,
        "tanh": Tanh,
        "thresholdedrelu": lambda x: SelectV2(Greater(x, a), x, zero),
    }
    return known[name]


class _Recurrent:
    """One node: its attributes, and what it takes for each direction."""

    def __init__(self, c: Use, gates: int, carried: int, activations: list[str]) -> None:
        self.c = c
        self.gates = gates
        self.carried = carried
        self.is_batch_first = bool(c.whole("layout", 0))
        kind = c.text("direction", "forward")
        if kind not in _DIRECTIONS:
            raise ValueError(f"the direction {kind!r}")
        self.directions = _DIRECTIONS[kind]
        hidden = c.dims(2)[2]
        if hidden is None or c.whole("hidden_size", hidden) != hidden:
            raise ValueError(f"its hidden_size is {c.whole('hidden_size', -1)}, its recurrent weights are for {hidden}")
        for i in range(3):
            if c.rank(i) != 3:
                raise ValueError(f"its input {i} has rank {c.rank(i)}, expected 3")
        self.hidden = hidden
        self.lengths = c.given(4)
        self.activations = list(self._activations(activations))

    def _activations(self, default: list[str]) -> Iterator[list[Activation]]:
        """For each direction its activations; the numbers that they take are told in one list for all of them."""
        c = self.c
        names = [n.decode(errors="replace") for n in c.items("activations")] if c.has("activations") else []
        names = [n.lower() for n in names] or default * len(self.directions)
        if len(names) != len(default) * len(self.directions) or not set(names) <= set(_TAKES):
            raise ValueError(f"the activations {names}")
        lists = [[float(v) for v in c.items(n)] if c.has(n) else [] for n in ("activation_alpha", "activation_beta")]
        made = []
        for name in names:
            numbers = [of.pop(0) if of else usual for of, usual in zip(lists, _TAKES[name])]
            made.append(_activation(c, name, *[*numbers, 0.0, 0.0][:2]))
        for start in range(0, len(made), len(default)):
            yield made[start : start + len(default)]

    def clipped(self, x: Tensor) -> Tensor:
        """What goes into an activation."""
        if not self.c.has("clip"):
            return x
        most = self.c.number("clip", 0.0)
        return Maximum(Minimum(x, number(self.c, most)), number(self.c, -most))

    def split(self, x: Tensor, parts: int) -> list[Tensor]:
        """The gates that stand in one row."""
        found = Split(np.int32(-1), x, num_split=parts)
        return list(found) if isinstance(found, (list, tuple)) else [found]

    def biases(self, direction: int) -> tuple[Tensor, Tensor] | None:
        """Those of the inputs, and those of the recurrence."""
        if self.c.given(3) is None:
            return None
        own, recurrent = self.split(self.c[3][direction], 2)
        return own, recurrent

    def start(self, index: int, direction: int, batch: Tensor) -> Tensor:
        """What is carried into the first step: that input, or zeros."""
        given = self.c.given(index)
        if given is None:
            return Fill(Pack([batch, convert_to_tensor(np.int32(self.hidden))]), number(self.c, 0.0))
        return given[:, direction] if self.is_batch_first else given[direction]

    def run(self, step_of: Callable[[int], Step], with_biases: Callable[[int], Tensor | None]) -> list[Tensor]:
        """All results of the node."""
        x = Transpose(self.c[0], vector([1, 0, 2])) if self.is_batch_first else self.c[0]
        batch = cast(shape64(x)[1], int32)
        rows, ends = [], []
        for d, is_reversed in enumerate(self.directions):
            taken = matmul(self.turned(x) if is_reversed else x, Transpose(self.c[1][d], vector([1, 0])))
            bias = with_biases(d)
            starts = [self.start(5 + i, d, batch) for i in range(self.carried)]
            made, last = self.steps(taken if bias is None else taken + bias, starts, step_of(d))
            rows.append(self.turned(made) if is_reversed else made)
            ends.append(last)
        axis = 1 if self.is_batch_first else 0
        every = Pack(rows, axis=1)  # (steps, directions, batch, hidden)
        if self.is_batch_first:
            every = Transpose(every, vector([2, 0, 1, 3]))
        return [every, *(Pack([last[i] for last in ends], axis=axis) for i in range(self.carried))]

    def turned(self, x: Tensor) -> Tensor:
        """The steps of `x` from the last to the first, of each sequence as many as it has."""
        if self.lengths is None:
            return ReverseV2(x, vector([0]))
        return ReverseSequence(x, self.lengths, seq_dim=0, batch_dim=1)

    def steps(self, taken: Tensor, starts: list[Tensor], step: Step) -> tuple[Tensor, list[Tensor]]:
        """Every result, and what is carried out of the last step: a sequence that has ended keeps what it has."""
        count = cast(shape64(taken)[0], int32)
        shape = TensorShape([taken.shape[1], self.hidden])
        rows = TensorArray(taken.dtype, size=count, element_shape=shape)

        def turn(i: Tensor, carried: list[Tensor], rows: TensorArray) -> Any:
            made = step(taken[i], carried)
            row = made[0]
            if self.lengths is not None:
                goes_on = ExpandDims(Less(i, cast(self.lengths, int32)), np.int32(1))
                row = SelectV2(goes_on, row, zeros_like(row))
                made = [SelectV2(goes_on, new, old) for new, old in zip(made, carried)]
            return i + convert_to_tensor(np.int32(1)), made, rows.write(i, row)

        invariants = (TensorShape([]), [shape] * len(starts), TensorShape(None))
        start = (convert_to_tensor(np.int32(0)), starts, rows)
        _, ends, rows = while_loop(lambda i, *_: Less(i, count), turn, start, invariants)
        return rows.stack(), ends


def _weights(c: Use, direction: int) -> Tensor:
    """The recurrent weights, for products from the left."""
    return Transpose(c[2][direction], vector([1, 0]))


def _rnn(c: Use) -> list[Tensor]:
    node = _Recurrent(c, 1, 1, ["tanh"])

    def step_of(d: int) -> Step:
        weights, (f,) = _weights(c, d), node.activations[d]
        return lambda x, carried: [f(node.clipped(x + MatMul(carried[0], weights)))]

    return node.run(step_of, lambda d: _added(node.biases(d)))


def _added(biases: tuple[Tensor, Tensor] | None) -> Tensor | None:
    return None if biases is None else biases[0] + biases[1]


def _gru(c: Use) -> list[Tensor]:
    node = _Recurrent(c, 3, 1, ["sigmoid", "tanh"])
    is_late = bool(c.whole("linear_before_reset", 0))  # the reset gate works on what the recurrence has made

    def step_of(d: int) -> Step:
        f, g = node.activations[d]
        weights = _weights(c, d)
        of_gates, of_new = weights[:, : 2 * node.hidden], weights[:, 2 * node.hidden :]
        biases = node.biases(d)
        late = number(c, 0.0) if biases is None else biases[1][2 * node.hidden :]

        def step(x: Tensor, carried: list[Tensor]) -> list[Tensor]:
            (h,) = carried
            update, reset = node.split(f(node.clipped(x[:, : 2 * node.hidden] + MatMul(h, of_gates))), 2)
            back = reset * (MatMul(h, of_new) + late) if is_late else MatMul(reset * h, of_new)
            new = g(node.clipped(x[:, 2 * node.hidden :] + back))
            return [(number(c, 1.0) - update) * new + update * h]

        return step

    def with_biases(d: int) -> Tensor | None:
        biases = node.biases(d)
        if biases is None or not is_late:
            return _added(biases)
        mask = np.repeat([1, 1, 0], node.hidden).astype(c.dtype.as_numpy_dtype)  # that of the new values comes later
        return biases[0] + biases[1] * convert_to_tensor(mask)

    return node.run(step_of, with_biases)


def _lstm(c: Use) -> list[Tensor]:
    node = _Recurrent(c, 4, 2, ["sigmoid", "tanh", "tanh"])
    is_coupled = bool(c.whole("input_forget", 0))

    def step_of(d: int) -> Step:
        f, g, h = node.activations[d]
        weights = _weights(c, d)
        looks = None if c.given(7) is None else node.split(c[7][d], 3)  # at the memory: to take, to give, to forget

        def step(x: Tensor, carried: list[Tensor]) -> list[Tensor]:
            before, memory = carried
            take, give, forget, new = node.split(x + MatMul(before, weights), 4)
            if looks is not None:
                take, forget = take + looks[0] * memory, forget + looks[2] * memory
            take = f(node.clipped(take))
            forget = number(c, 1.0) - take if is_coupled else f(node.clipped(forget))
            memory = forget * memory + take * g(node.clipped(new))
            if looks is not None:
                give = give + looks[1] * memory
            return [f(node.clipped(give)) * h(node.clipped(memory)), memory]

        return step

    return node.run(step_of, lambda d: _added(node.biases(d)))


READINGS: dict[str, Reading] = {
    "GRU": _gru,
    "LSTM": _lstm,
    "RNN": _rnn,
}
