"""ONNX graphs under construction.

    g.emit("Add", x, g.constant(1.0))      ->      Add_1 = Add(x, c)

A name is used once in a whole model: ONNX shows the names of outer graphs in the graphs inside, and forbids the same name
twice. Constants stand in the outermost graph. The same op of the same inputs is emitted once. Where ONNX Runtime has no
kernel for an element type, `emit` computes in a wider type that holds all of its values, and goes back.
"""

# names of another format: those of ONNX's ops

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import numpy as np

from graphrt.export.onnx.kernels import KERNELS
from graphrt.types.dtype import DType, float32, float64, from_numpy, int32, int64, string, uint8
from graphrt.types.float_warnings import silently
from graphrt.types.likes import Array
from graphrt.types.shape import Dims


class Ref(NamedTuple):
    """A tensor of a model: its name and element type."""

    name: str
    dtype: DType


NO_REF = Ref("", float32)  # an input that is left out
Attribute: TypeAlias = "int | float | str | bytes | Sequence[int] | Sequence[float] | Array | OnnxGraph"


class Port(NamedTuple):
    """An input or output of a graph."""

    ref: Ref
    dims: Dims
    is_sequence: bool = False


@dataclass(slots=True)
class Step:
    """One node."""

    op: str
    inputs: list[str]
    outputs: list[str]
    attrs: dict[str, Attribute]
    domain: str = ""


@dataclass(slots=True)
class Shared:
    """What the graphs of one model share."""

    names: set[str] = field(default_factory=set)
    constants: dict[tuple[str, tuple[int, ...], bytes], Ref] = field(default_factory=dict)
    arrays: dict[str, Array] = field(default_factory=dict)  # the constants by name, in order of first use
    counts: dict[str, int] = field(default_factory=dict)


_NOT_NAME = re.compile(r"[^A-Za-z0-9_./]+")
_WIDER = {  # wider types to compute in, best first
    "bool": (uint8, int32, int64), "float16": (float32, float64), "bfloat16": (float32, float64),
    "int8": (int32, int64, float32), "uint8": (int32, int64, float32), "int16": (int32, int64, float32),
    "uint16": (int32, int64, float32), "int32": (int64, float64), "uint32": (int64, float64), "uint64": (int64,),
}  # fmt: skip
_RANDOM = {"RandomUniform", "RandomNormal", "RandomUniformLike", "RandomNormalLike", "Multinomial", "Bernoulli"}


class Kernel(NamedTuple):
    """Of an op, which inputs and outputs have the type that varies, and for which types there are kernels."""

    inputs: frozenset[int]
    first_of_rest: int  # the input from which on all have it
    outputs: frozenset[int]
    dtypes: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Kernel:
        """The kernel that an entry of the table tells of."""
        ports, _, names = text.partition(":")
        left, _, right = ports.partition("->")
        rest = [int(p[:-3]) for p in left.split() if p.endswith("...")]
        inputs = frozenset(int(p) for p in left.split() if not p.endswith("..."))
        return cls(inputs, min(rest, default=1 << 30), frozenset(map(int, right.split())), frozenset(names.split()))

    def takes(self, position: int) -> bool:
        """Whether the input at `position` has the type that varies."""
        return position in self.inputs or position >= self.first_of_rest


_ALL = Kernel(frozenset(), 1 << 30, frozenset(), frozenset())


class OnnxGraph:
    """A graph under construction, or finished: the model's own, a branch or a loop body.

    Attributes:
      name: its name in the file.
      outer: the graph in which it stands, or None.
      inputs, outputs: its ports, in order.
      steps: its nodes, in order.
    """

    def __init__(self, name: str, outer: OnnxGraph | None = None) -> None:
        self.name = name
        self.outer = outer
        self.inputs: list[Port] = []
        self.outputs: list[Port] = []
        self.steps: list[Step] = []
        self.shared: Shared = outer.shared if outer is not None else Shared()
        self._known: dict[object, list[Ref]] = {}

    # --- names ---
    def fresh(self, hint: str) -> str:
        """A name that the model does not have yet, like `hint`."""
        text = _NOT_NAME.sub("_", hint) or "value"
        if text not in self.shared.names:
            self.shared.names.add(text)
            return text
        count = self.shared.counts.get(text, 1)
        while (candidate := f"{text}_{count}") in self.shared.names:
            count += 1
        self.shared.counts[text] = count + 1
        self.shared.names.add(candidate)
        return candidate

    def argument(self, hint: str, dtype: DType, dims: Dims, is_sequence: bool = False) -> Ref:
        """A new input."""
        ref = Ref(self.fresh(hint), dtype)
        self.inputs.append(Port(ref, dims, is_sequence))
        return ref

    # --- constants ---
    def constant(self, value: object, dtype: DType | None = None, hint: str = "c") -> Ref:
        """A constant of the model. The same values are one constant."""
        array = np.asarray(value) if dtype is None else np.asarray(value, dtype.as_numpy_dtype)
        dtype = dtype or from_numpy(array.dtype)
        body = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
        key = (dtype.name, array.shape, body)
        found = self.shared.constants.get(key)
        if found is None:
            found = self.shared.constants[key] = Ref(self.fresh(hint), dtype)
            self.shared.arrays[found.name] = array
        return found

    def known(self, ref: Ref) -> Array | None:
        """The value of a constant; None when `ref` is none."""
        return self.shared.arrays.get(ref.name)

    def ints(self, values: int | Iterable[int]) -> Ref:
        """A constant of int64, as ONNX wants axes, shapes and positions."""
        return self.constant(values if isinstance(values, int) else list(values), int64)

    # --- nodes ---
    def emit(self, op: str, *inputs: Ref, dtype: DType | None = None, hint: str = "", **attrs: Attribute) -> Ref:
        """A node with one output, of `dtype` (that of the first input, if not given)."""
        if op == "Gather" and inputs[0].dtype is string and attrs.get("axis", 0) == 0:
            # ONNX Runtime (1.32) gathers rows of strings wrongly, and by GatherND rightly
            places = self.emit("Unsqueeze", self.cast(inputs[1], int64), self.ints([-1]))
            return self.emit_all("GatherND", [inputs[0], places], [string], hint)[0]
        return self.emit_all(op, inputs, [dtype or inputs[0].dtype], hint, attrs)[0]

    def emit_all(
        self, op: str, inputs: Sequence[Ref], dtypes: Sequence[DType], hint: str = "",
        attrs: dict[str, Attribute] | None = None, domain: str = "",
    ) -> list[Ref]:  # fmt: skip
        """A node with an output for each of `dtypes`."""
        attrs = attrs or {}
        kernel = _kernel(op) if not domain else _ALL
        narrow = next((r.dtype for i, r in enumerate(inputs) if kernel.takes(i) and r.name), None)
        wide = _wide(kernel, narrow)
        if narrow is None or wide is None:
            return self._add(op, inputs, dtypes, hint, attrs, domain)
        widened = [self.cast(r, wide) if kernel.takes(i) and r.name else r for i, r in enumerate(inputs)]
        found = self._add(
            op, widened, [wide if i in kernel.outputs else d for i, d in enumerate(dtypes)], hint, attrs, ""
        )
        return [self.cast(r, d) for r, d in zip(found, dtypes)]

    def _add(
        self, op: str, inputs: Sequence[Ref], dtypes: Sequence[DType], hint: str, attrs: dict[str, Attribute], domain: str
    ) -> list[Ref]:  # fmt: skip
        key = _key(op, inputs, attrs, domain)
        if key is not None:
            graph: OnnxGraph | None = self
            while graph is not None:
                if key in graph._known:
                    return graph._known[key]
                graph = graph.outer
        outputs = [Ref(self.fresh(hint or op), d) for d in dtypes]
        self.steps.append(Step(op, [r.name for r in inputs], [r.name for r in outputs], attrs, domain))
        if key is not None:
            self._known[key] = outputs
        return outputs

    def cast(self, ref: Ref, dtype: DType) -> Ref:
        """`ref` as `dtype`."""
        if ref.dtype is dtype:
            return ref
        value = self.known(ref)
        if value is not None and value.size < 1024 and value.dtype != object and dtype.kind in "fiub":
            return self.constant(silently(value.astype, dtype.as_numpy_dtype), dtype)
        from graphrt.export.onnx.schema import NUMBERS  # lazy: protobuf, which only writing needs

        return self._add("Cast", [ref], [dtype], "", {"to": NUMBERS[dtype]}, "")[0]


def _kernel(op: str) -> Kernel:
    text = KERNELS.get(op)
    return _ALL if text is None else Kernel.of(text)


def _wide(kernel: Kernel, narrow: DType | None) -> DType | None:
    if narrow is None or not kernel.dtypes or narrow.name in kernel.dtypes:
        return None
    return next((t for t in _WIDER.get(narrow.name, ()) if t.name in kernel.dtypes), None)


def _key(op: str, inputs: Sequence[Ref], attrs: dict[str, Attribute], domain: str) -> object:
    """By what a node is known; None for one that must be emitted each time."""
    if op in _RANDOM or any(isinstance(v, (OnnxGraph, np.ndarray)) for v in attrs.values()):
        return None
    return op, domain, tuple([r.name for r in inputs]), repr(sorted(attrs.items()))
