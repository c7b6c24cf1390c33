"""What all trace types can do, and how the arguments of a call are fitted to them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from graphrt import errors
from graphrt.tensor.tensor import Tensor
from graphrt.types.shape import Dims, TensorShape, covers
from graphrt.types.spec import TensorSpec

Shapes = Iterator[Dims]  # of tensors, in walking order
Names = Iterator[str | None]  # those that declared specs have
Described = Iterator[tuple[Dims, str | None]]
Pairs = list[tuple["TraceType", "TraceType", str]]  # parts of two types of one form, with the text that selects them


def part(at: int) -> Any:
    """A property that reads one part of a trace type."""
    return property(operator.itemgetter(at))


class TraceType(tuple[Any, ...]):
    """What an argument is. Types are tuples, `(class, *parts)`, so that Python compares and hashes them at once."""

    __slots__ = ()

    def __new__(cls, *parts: object) -> TraceType:
        return tuple.__new__(cls, (cls, *parts))

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self[1:]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self[1:]))})"

    # --- what it says ---
    def describe(self, dims: Described | None = None) -> str:
        """As TensorFlow writes trace types; `dims` yields the shapes of the tensors and the names of their specs."""
        raise NotImplementedError(type(self).__name__)

    def spec(self, dims: Shapes, names: Names) -> Any:
        """A structure with a `TensorSpec` for each tensor (named by `names`) and Python values as they are."""
        raise NotImplementedError(type(self).__name__)

    def tensor_count(self) -> int:
        """How many tensors there are."""
        return 0

    def leaf_names(self, base: str, full: str, found: list[tuple[str, str]]) -> None:
        """Adds for each tensor its `(argument, full name)`: `("y", "y_q_0")` for `y["q"][0]`."""

    # --- beside another ---
    def parts_with(self, other: TraceType) -> Pairs | None:
        """The parts of this and `other`; None where they are not of one form."""
        return None

    def includes(self, other: TraceType) -> bool:
        """Whether a trace for this type serves arguments of `other`."""
        return len(self) == len(other) and all(map(includes, self, other))

    def common(self, other: TraceType) -> TraceType | None:
        """The type that includes both; None where there is none."""
        parts = _common_parts(self, other)
        return None if parts is None else type(self)(*parts[1:])

    # --- arguments ---
    def fit(self, value: object, path: str, fitting: Fitting) -> None:
        """Takes the tensors that this type wants out of `value`.

        Python numbers, lists and arrays become tensors where the type has one.

        Raises:
          Mismatch: naming the argument, what was expected and what was found.
        """
        found, leaves, dims = fitting.type_of(value)
        if found != self and not self.takes(found, value, path, fitting):
            return
        for leaf, shape in zip(leaves, dims):
            wanted = next(fitting.dims)
            if not covers(wanted, shape):
                raise Mismatch(f"argument {path}: expected shape {TensorShape(wanted)}, found {TensorShape(shape)}")
            fitting.leaves.append(leaf)

    def takes(self, found: TraceType, value: Any, path: str, fitting: Fitting) -> bool:
        """Whether `value`, of another type, fits nevertheless; False where it was taken apart; Mismatch if not."""
        raise Mismatch(self.refusal(value, path))

    def refusal(self, value: object, path: str) -> str:
        """Why `value` does not fit."""
        return f"argument {path}: expected {self.describe()}, found {shown(value)}"

    def write_test(self, tests: ArgumentTests, dims: Shapes, expression: str, value: Any) -> None:
        """Writes the test that `expression`, which is `value` now, is of this type.

        Raises:
          Unrecognizable: only a walk over the argument can tell.
        """
        raise Unrecognizable


class Fitting:
    """The arguments of a call on their way into a trace: the shapes that it wants, and the tensors found so far."""

    __slots__ = ("dims", "leaves", "type_of", "variables")

    def __init__(self, dims: Shapes, type_of: Callable[[Any], tuple[TraceType, list[Any], list[Dims]]]) -> None:
        self.dims = dims
        self.leaves: list[Any] = []
        self.type_of = type_of
        self.variables: dict[int, Any] = {}  # where the values of variables are, by alias


class ArgumentTests(Protocol):
    """Generated code that tests arguments, while it is written (`fast_dispatch.py`)."""

    lines: list[str]

    def miss_if(self, test: str) -> None:
        """Writes that the call is another one if `test` holds."""

    def fresh(self, prefix: str) -> str:
        """A new name of a local variable."""

    def bind(self, thing: object, hint: str) -> str:
        """A name for an object."""

    def literal(self, value: object) -> str:
        """A Python value as text."""

    def check(self, type_: TraceType, dims: Shapes, expression: str, value: Any) -> None:
        """Writes the test of a part."""

    def tensor(self, dtype: Any, dims: Dims, expression: str, value: Any) -> None:
        """Writes the test of a tensor."""

    def python_value(self, kind: type, read: Callable[[], object], expression: str, value: Any) -> None:
        """Writes the test of a Python value; `read` gives the one that the trace was made for."""

    def identity(self, reference: Callable[[], object], expression: str, value: object) -> None:
        """Writes the test of an object."""

    def variable(self, type_: Any, expression: str, value: Any) -> None:
        """Writes the test of a variable, which is passed by where its value is."""


class Unrecognizable(Exception):
    """An argument that only the slow way can recognize."""


# --- keys, which hold types in tuples --------------------------------------------------------------------------------
def includes(general: Any, special: Any) -> bool:
    """Whether a trace for the static part `general` serves calls of `special`: they differ in trace types at most."""
    if not isinstance(general, tuple) or not isinstance(special, tuple):
        return bool(general == special)
    if isinstance(general, TraceType):
        return isinstance(special, TraceType) and general.includes(special)
    return len(general) == len(special) and all(map(includes, general, special))


def common(a: Any, b: Any) -> Any:
    """The static part that includes `a` and `b`; None when they differ in more than trace types with a supertype."""
    if not isinstance(a, tuple) or not isinstance(b, tuple):
        return a if a == b else None
    if isinstance(a, TraceType):
        return a.common(b) if isinstance(b, TraceType) else None
    return _common_parts(a, b)


def _common_parts(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...] | None:
    if len(a) != len(b):
        return None
    parts = [x if x is y else common(x, y) for x, y in zip(a, b)]
    return None if any(p is None and x is not None for p, x in zip(parts, a)) else tuple(parts)


# --- refusals --------------------------------------------------------------------------------------------------------
class Mismatch(TypeError):
    """An argument does not have the type that a trace was made for."""


class DtypeMismatch(Mismatch, errors.InvalidArgumentError):
    """A tensor has another dtype than a trace was made for."""

    def __init__(self, declared: str, computed: str) -> None:
        errors.InvalidArgumentError.__init__(self, None, None, computed)
        self.declared = declared


class ShapeMismatch(Mismatch, ValueError):
    """A tensor has another shape than a trace was made for."""


def shown(value: object) -> str:
    """A value as errors tell it."""
    if isinstance(value, Tensor):
        return f"a tensor of dtype {value.dtype.name} and shape {value.shape}"
    text = repr(value)
    return f"{text if len(text) < 80 else text[:77] + '...'} of type {type(value).__name__}"


def tensor_specs(parts: tuple[TraceType, ...], dims: Shapes, names: Names) -> list[TensorSpec]:
    """The specs of parts that are tensors."""
    return [p.spec(dims, names) for p in parts]
