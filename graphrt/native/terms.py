"""What a native program is made of, before it is text: terms, and the steps that make them.

A rule turns each node of a graph into steps, which know nothing of graphs:

    %4: f32[8,3] = Sigmoid(%3)      ->      a = point("-{}", x); b = call(exp, a); c = point("1 / (1 + {})", b)

A `Point` is an expression for one element: points over the same shape become one loop. A `Call` is anything else; it
takes arrays and makes arrays. Sizes that are not known before the program runs are `Dim`s, equal when they are the same
object.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from graphrt.ir.code import Code
from graphrt.types.dtype import DType

if TYPE_CHECKING:
    from graphrt.native.text import Text

# The dtypes that machine code has, by the names of NumPy.
_MACHINE = frozenset([
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64",
    "complex128",
])  # fmt: skip


class Unsupported(Exception):
    """A node stays in NumPy; the text says why."""


class Dim:
    """A size that is known when the program runs.

    Attributes:
      of: the array and axis that have it, or
      among: the sizes that broadcast to it.
    """

    __slots__ = ("among", "axis", "made", "of")

    def __init__(
        self,
        of: Term | None = None,
        axis: int = 0,
        among: Sequence[Size] = (),
        made: Callable[[Text], Code] | None = None,
    ) -> None:
        self.of = of
        self.axis = axis
        self.among = among
        self.made = made


Size: TypeAlias = "int | Dim"
Sizes: TypeAlias = "tuple[Size, ...]"


class Term:
    """A number, an array, or a list of arrays of a native program.

    Attributes:
      dtype: the name of NumPy's type.
      dims: its sizes; () for a number.
      code: what it is called, or a number as it is written; None before it is made.
      uniform: the number that every element is, if they are all equal: such an array is made only when it must.
      step: what makes it; None for what is given.
      hint: what its name should be like.
    """

    __slots__ = ("code", "dims", "dtype", "hint", "step", "uniform")

    def __init__(self, dtype: str, dims: Sizes, code: Code | None = None, hint: str = "v") -> None:
        self.dtype = dtype
        self.dims = dims
        self.code = code
        self.uniform: Term | None = None
        self.step: Step | None = None
        self.hint = hint

    @property
    def kind(self) -> str:
        """NumPy's letter for the kind of the dtype."""
        return np.dtype(self.dtype).kind

    def __repr__(self) -> str:
        return f"<term {self.dtype}{list(self.dims)} {self.code or self.hint}>"


class Step:
    """Makes terms of terms."""

    __slots__ = ("args", "outs")

    def __init__(self, args: list[Term], outs: list[Term]) -> None:
        self.args = args
        self.outs = outs
        for out in outs:
            out.step = self


class Point(Step):
    """One expression for each element: `rule` writes it, given those of the arguments at that element."""

    __slots__ = ("rule",)

    def __init__(self, rule: Callable[..., Code], args: list[Term], out: Term) -> None:
        super().__init__(args, [out])
        self.rule = rule


class Call(Step):
    """Whatever takes whole arrays: `emit(text)` writes it, and gives its `outs` their names.

    Attributes:
      in_order: whether it must keep its place among others of its kind, as reads and writes of lists.
    """

    __slots__ = ("emit", "in_order")

    def __init__(
        self, emit: Callable[[Text], None], args: list[Term], outs: list[Term], in_order: bool = False
    ) -> None:
        super().__init__(args, outs)
        self.emit = emit
        self.in_order = in_order


def machine_type(dtype: DType) -> str:
    """The name of NumPy's type for `dtype`.

    Raises:
      Unsupported: machine code has none.
    """
    if dtype.kind in "SO":
        raise Unsupported(f"its dtype is {dtype.name}")
    name = np.dtype(dtype.as_numpy_dtype).name
    if name not in _MACHINE:
        raise Unsupported(f"its dtype is {dtype.name}")
    return name


def same_size(a: Size, b: Size) -> bool:
    """Whether two sizes are certainly equal."""
    return a is b or (isinstance(a, int) and isinstance(b, int) and a == b)


def same_sizes(a: Sizes, b: Sizes) -> bool:
    """Whether two shapes are certainly equal."""
    return len(a) == len(b) and all(same_size(x, y) for x, y in zip(a, b))


def broadcast(shapes: Sequence[Sizes]) -> Sizes:
    """The shape that arrays of these shapes broadcast to.

    Raises:
      Unsupported: they certainly do not.
    """
    rank = max(map(len, shapes), default=0)
    return tuple(_joined([s[len(s) - rank + i] for s in shapes if len(s) - rank + i >= 0]) for i in range(rank))


def _joined(sizes: list[Size]) -> Size:
    found: list[Size] = []
    for size in sizes:
        if not same_size(size, 1) and not any(same_size(size, f) for f in found):
            found.append(size)
    if len(found) < 2:
        return found[0] if found else 1
    known = [f for f in found if isinstance(f, int)]
    if len(known) > 1:
        raise Unsupported("its shapes do not broadcast")
    return Dim(among=tuple(found))


class ListTerm(Term):
    """A list of arrays of one shape: rows of one array, how many there are, and which of them were set.

    Attributes:
      element: the shape of each element.
      names: what these are called.
      is_marked: whether there may be elements that were never set: else nothing is noted of that.
      is_owned: whether nobody else holds this version, so that it may be changed in place.
    """

    __slots__ = ("element", "is_marked", "is_owned", "names")

    def __init__(self, dtype: str, element: Sizes, is_marked: bool) -> None:
        super().__init__(dtype, (), hint="rows")
        self.element = element
        self.names: tuple[Code, ...] = ()
        self.is_marked = is_marked
        self.is_owned = True

    def named(self, rows: Code, length: Code, marks: Code | None) -> None:
        """Says what its parts are called."""
        self.code = rows
        self.names = (rows, length) if marks is None else (rows, length, marks)

    @property
    def parts(self) -> tuple[Code, ...]:
        """What its rows, its length and, if it has any, its marks are called."""
        assert self.names
        return self.names
