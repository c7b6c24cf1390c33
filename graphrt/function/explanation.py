"""Why a call needs a trace of its own: the nearest trace there is, and what differs.

f(x) needs a new trace. The nearest of 3 traces differs in:
  argument 'x': shape (3,), now (4,). Use tf.function(reduce_retracing=True), or ...
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from graphrt.function.trace_type import (
    COMPOSITE,
    LITERAL,
    MAPPING,
    METHOD,
    OBJECT,
    PROTOCOL,
    RECORD,
    SEQUENCE,
    TENSOR,
    VARIABLE,
    Tree,
    covers,
    describe,
)
from graphrt.types.shape import TensorShape

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


def _walk(x: Tree, a: Any, y: Tree, b: Any, path: str) -> Iterator[Difference]:
    if x[0] == y[0] == TENSOR:
        before, now = next(a), next(b)
        if x[1] is not y[1]:
            yield Difference(path, "dtype", _tensor(x), _tensor(y), _DTYPE)
        elif not covers(before, now):
            yield Difference(path, "shape", str(TensorShape(before)), str(TensorShape(now)), _SHAPE)
        return
    parts = _parts(x, y)
    if parts is not None:
        for one, other, step in parts:
            yield from _walk(one, a, other, b, path + step)
        return
    if x != y:
        yield _different(x, y, path)
    for _ in range(count(x)):
        next(a)
    for _ in range(count(y)):
        next(b)


def _different(x: Tree, y: Tree, path: str) -> Difference:
    if x[0] == LITERAL and y[0] == LITERAL:
        return Difference(path, "value", describe(x), describe(y), _VALUE)
    if x[0] == y[0] and x[0] in (OBJECT, VARIABLE):
        return Difference(path, "object", describe(x), f"another {describe(y)}", _OBJECT)
    if TENSOR in (x[0], y[0]) and LITERAL in (x[0], y[0]):
        return Difference(path, "value", _tensor(x), _tensor(y), "Pass a tensor each time.")
    return Difference(path, "structure", _tensor(x), _tensor(y), _FORM)


def _tensor(tree: Tree) -> str:
    return describe(tree)


def _parts(x: Tree, y: Tree) -> list[tuple[Tree, Tree, str]] | None:
    """The parts of two trees of one form, with the text that selects them."""
    if x[0] != y[0] or x[1] is not y[1]:
        return None
    if x[0] == SEQUENCE and len(x[2]) == len(y[2]):
        return [(p, q, f"[{i}]") for i, (p, q) in enumerate(zip(x[2], y[2]))]
    if x[0] == MAPPING and x[2] == y[2]:
        return [(p, q, f"[{key!r}]") for (_, key), p, q in zip(x[2], x[3], y[3])]
    if x[0] == RECORD and len(x[2]) == len(y[2]) and x[3] == y[3]:
        fields = getattr(x[1], "_fields", None)
        return [(p, q, f".{fields[i]}" if fields else f"[{i}]") for i, (p, q) in enumerate(zip(x[2], y[2]))]
    if x[0] == COMPOSITE and x[2] == y[2] and len(x[3]) == len(y[3]):
        return [(p, q, f".components()[{i}]") for i, (p, q) in enumerate(zip(x[3], y[3]))]
    return None


def count(tree: Tree) -> int:
    """How many tensors a tree has."""
    tag = tree[0]
    if tag == TENSOR or (tag == OBJECT and tree[2] == "handle"):
        return 1
    if tag == SEQUENCE:
        return sum(map(count, tree[2]))
    if tag in (MAPPING, COMPOSITE):
        return sum(map(count, tree[3]))
    if tag == RECORD:
        return sum(map(count, tree[2])) + (count(tree[3]) if tree[3] is not None else 0)
    if tag == PROTOCOL:
        return len(tree[2])
    if tag == METHOD:
        return count(tree[1]) + count(tree[2])
    return 0


def defined_at(function: Callable[..., Any]) -> str:
    """`file:line` of a function, or ''."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else ""
