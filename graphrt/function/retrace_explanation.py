"""Why a call needs a trace of its own: the nearest trace there is, and what differs.

f(x) needs a new trace. The nearest of 3 traces differs in:
  argument 'x': shape (3,), now (4,). Use tf.function(reduce_retracing=True), or ...
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.function.trace_types.base import Shapes, TraceType
from graphrt.function.trace_types.leaves import LiteralType, ObjectType, OwnVariableType, TensorType
from graphrt.types.shape import TensorShape, covers

if TYPE_CHECKING:
    from graphrt.function.concrete import ArgumentType, ConcreteFunction
    from graphrt.function.signature import Signature

SEARCHED = 64  # traces, the latest first

_SHAPE = "Use tf.function(reduce_retracing=True), or an input_signature with unknown dimensions (None)."
_VALUE = "each Python value is traced on its own. Pass a tensor, tf.constant(value), if the value changes often."
_OBJECT = "each object is traced on its own. Pass what changes as a tensor or a variable."
_DTYPE = "Use tf.cast, or make the values with one dtype."
_FORM = "Pass the same structure each time."


@dataclasses.dataclass(frozen=True, slots=True)
class Difference:
    """One way in which a call differs from a trace.

    Attributes:
      argument: the argument, with the way to the part that differs: `x['a'][0]`.
      property: 'shape', 'dtype', 'value', 'object', 'structure' or 'arguments'.
      before, now: what the trace was made for, and what the call has.
      remedy: how to make one trace serve both.
    """

    argument: str
    property: str
    before: str
    now: str
    remedy: str

    def __str__(self) -> str:
        if self.property == "arguments":
            return f"the number or the names of the arguments changed: {self.before}, now {self.now}. {self.remedy}"
        if self.property == "shape":
            return f"argument {self.argument!r} had shape {self.before}, now {self.now}. {self.remedy}"
        return f"argument {self.argument!r} was {self.before}, now {self.now}: {self.remedy}"


@dataclasses.dataclass(frozen=True, slots=True)
class Explanation:
    """What a call would do: run a trace that exists, or make one.

    Attributes:
      retraces: whether it would make one.
      concrete: the trace that serves the call, or the one that is nearest to it; None when there is no trace.
      differences: between the call and that trace; empty when it serves the call.
    """

    name: str
    retraces: bool
    concrete: ConcreteFunction | None
    differences: tuple[Difference, ...]
    traces: int
    note: str = ""

    def __str__(self) -> str:
        if not self.retraces and self.concrete is not None:
            return f"{self.name} runs a trace made before: {self.concrete.pretty_printed_signature(False)}"
        if self.note:
            return f"{self.name} {self.note}"
        if self.concrete is None:
            return f"{self.name} needs a trace: there is none yet."
        head = f"{self.name} needs a new trace. The nearest of {self.traces} traces differs in:"
        return "\n".join([head, *(f"  {d}" for d in self.differences)])

    def __bool__(self) -> bool:
        return self.retraces


def nearest(
    traces: list[ConcreteFunction], wanted: ArgumentType, signature: Signature, skipped: int
) -> tuple[ConcreteFunction | None, tuple[Difference, ...]]:
    """The trace that differs least from `wanted` (the latest of several), and the differences."""
    best: tuple[ConcreteFunction | None, tuple[Difference, ...]] = (None, ())
    for concrete in traces[: -SEARCHED - 1 : -1]:
        found = tuple(compare(concrete.argument_type, wanted, signature, skipped))
        if best[0] is None or _distance(found) < _distance(best[1]):
            best = concrete, found
    return best


def _distance(found: tuple[Difference, ...]) -> int:
    weights = {"shape": 1, "value": 1, "object": 2, "dtype": 2, "structure": 4, "arguments": 16}
    return sum(weights[d.property] for d in found)


def compare(old: ArgumentType, new: ArgumentType, signature: Signature, skipped: int) -> Iterator[Difference]:
    """The differences between the types of two calls."""
    if len(old.positional) != len(new.positional) or old.keywords != new.keywords:
        yield Difference("", "arguments", _arguments(old), _arguments(new), "")
        return
    names = [signature.name_of(i + skipped) for i in range(len(new.positional))]
    a, b = iter(old.dims), iter(new.dims)
    for name, x, y in zip((*names, *new.keywords), (*old.positional, *old.trees), (*new.positional, *new.trees)):
        yield from _walk(x, a, y, b, name)


def _arguments(type_: ArgumentType) -> str:
    return f"{len(type_.positional)} by position" + (
        f" and {', '.join(type_.keywords)} by name" if type_.keywords else ""
    )


def _walk(x: TraceType, a: Shapes, y: TraceType, b: Shapes, path: str) -> Iterator[Difference]:
    if isinstance(x, TensorType) and isinstance(y, TensorType):
        before, now = next(a), next(b)
        if x.dtype is not y.dtype:
            yield Difference(path, "dtype", x.describe(), y.describe(), _DTYPE)
        elif not covers(before, now):
            yield Difference(path, "shape", str(TensorShape(before)), str(TensorShape(now)), _SHAPE)
        return
    parts = x.parts_with(y)
    if parts is not None:
        for one, other, step in parts:
            yield from _walk(one, a, other, b, path + step)
        return
    if x != y:
        yield _different(x, y, path)
    for _ in range(x.tensor_count()):
        next(a)
    for _ in range(y.tensor_count()):
        next(b)


def _different(x: TraceType, y: TraceType, path: str) -> Difference:
    before, now = x.describe(), y.describe()
    kinds = {type(x), type(y)}
    if kinds == {LiteralType}:
        return Difference(path, "value", before, now, _VALUE)
    if len(kinds) == 1 and isinstance(x, (ObjectType, OwnVariableType)):
        return Difference(path, "object", before, f"another {now}", _OBJECT)
    if kinds == {TensorType, LiteralType}:
        return Difference(path, "value", before, now, "Pass a tensor each time.")
    return Difference(path, "structure", before, now, _FORM)


def defined_at(function: Callable[..., Any]) -> str:
    """`file:line` of a function, or ''."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{errors.shown_place(code.co_filename, code.co_firstlineno)}" if code is not None else ""
