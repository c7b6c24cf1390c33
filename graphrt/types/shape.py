"""Static shapes: what is known of a tensor's shape before it exists.

Inside graphrt a shape is a plain tuple of `int | None`, or None where even the rank is unknown (`Dims`);
`TensorShape` is the face it shows to users.

>>> TensorShape([None, 3]).concatenate([4])
TensorShape([None, 3, 4])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from graphrt.errors import ShapeError
from graphrt.types.dimension import Dimension, size_of

if TYPE_CHECKING:
    from graphrt.types.likes import ShapeLike, TensorLike

Dims: TypeAlias = tuple[int | None, ...] | None


def dims_of(shape: Any) -> Dims:
    """The `Dims` of a TensorShape, list, tuple, int, array or None.

    Raises:
      TypeError: an entry is no dimension.
      ValueError: a dimension is negative.
    """
    if shape is None:
        return None
    if isinstance(shape, TensorShape):
        return shape._dims
    if isinstance(shape, tuple) and all(type(d) is int and d >= 0 for d in shape):
        return shape
    if isinstance(shape, int):
        return (size_of(shape),)
    if hasattr(shape, "numpy") and not hasattr(shape, "graph"):
        shape = shape.numpy()
    if hasattr(shape, "tolist"):
        shape = shape.tolist()
        if isinstance(shape, int):
            shape = [shape]
    if isinstance(shape, (str, bytes)) or not isinstance(shape, Iterable):
        raise TypeError(f"Dimension value must be integer or None or have an __index__ method, got value {shape!r}")
    return tuple(size_of(d) for d in shape)


def num_elements(dims: Dims) -> int | None:
    """How many elements a tensor of this shape has; None when unknown."""
    if dims is None:
        return None
    total = 1
    for d in dims:
        if d is None:
            return None
        total *= d
    return total


def is_static(dims: Dims) -> bool:
    """Whether rank and all dimensions are known."""
    return dims is not None and None not in dims


def merge(a: Dims, b: Dims) -> Dims:
    """What is known when both `a` and `b` hold of one tensor.

    Raises:
      ShapeError: they contradict each other.
    """
    if a is None:
        return b
    if b is None or a == b:
        return a
    if len(a) != len(b):
        raise ShapeError(f"Shapes {TensorShape(a)} and {TensorShape(b)} must have the same rank")
    merged = []
    for m, n in zip(a, b):
        if m is not None and n is not None and m != n:
            raise ShapeError(f"Shapes {TensorShape(a)} and {TensorShape(b)} are not compatible")
        merged.append(n if m is None else m)
    return tuple(merged)


def relax(a: Dims, b: Dims) -> Dims:
    """The most precise shape that both `a` and `b` satisfy: known only where they agree."""
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(m if m == n else None for m, n in zip(a, b))


def covers(general: Dims, special: Dims) -> bool:
    """Whether every tensor of shape `special` also has shape `general`."""
    if general is None:
        return True
    return (
        special is not None
        and len(general) == len(special)
        and all(g is None or g == s for g, s in zip(general, special))
    )


def compatible(a: Dims, b: Dims) -> bool:
    """Whether one tensor could have both shapes."""
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(m is None or n is None or m == n for m, n in zip(a, b))


def broadcast(a: Dims, b: Dims) -> Dims:
    """The static shape of an element-wise op on shapes `a` and `b`.

    Raises:
      ShapeError: they do not broadcast.
    """
    if a == b and a is not None and None not in a:
        return a
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    out: list[int | None] = []
    for m, n in zip((1,) * (rank - len(a)) + tuple(a), (1,) * (rank - len(b)) + tuple(b)):
        if m == 1:
            out.append(n)
        elif n == 1 or m == n:
            out.append(m)
        elif m is None:
            out.append(n)
        elif n is None:
            out.append(m)
        else:
            raise ShapeError(f"Incompatible shapes: {_plain(a)} vs. {_plain(b)}")
    return tuple(out)


def _plain(dims: Dims) -> str:
    return str(list(dims or ())).replace(" ", "").replace("None", "?")


class TensorShape:
    """The static shape of a tensor; dimensions, or the rank itself, may be unknown.

    >>> import graphrt as tf
    >>> s = tf.TensorShape([2, None])
    >>> s.rank, s.as_list(), s.is_fully_defined(), s[0]
    (2, [2, None], False, 2)
    """

    __slots__ = ("_dims",)

    def __init__(self, dims: object) -> None:
        self._dims: Dims = dims_of(dims)

    @property
    def rank(self) -> int | None:
        """Number of dimensions, or None."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as a list, or None for unknown rank."""
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    def as_list(self) -> list[int | None]:
        """The dimensions as a list.

        Raises:
          ValueError: the rank is unknown.
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """Number of elements, or None when not fully defined."""
        return num_elements(self._dims)

    def is_fully_defined(self) -> bool:
        """Whether every dimension is known."""
        return is_static(self._dims)

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError unless every dimension is known."""
        if not is_static(self._dims):
            raise ValueError(f"Shape {self} is not fully defined")

    def merge_with(self, other: Any) -> TensorShape:
        """This shape with unknown dimensions filled in from `other`; ValueError when they disagree."""
        return TensorShape(merge(self._dims, dims_of(other)))

    def is_compatible_with(self, other: object) -> bool:
        """Whether a tensor could have both shapes."""
        return compatible(self._dims, dims_of(other))

    def assert_is_compatible_with(self, other: TensorLike) -> None:
        """Raises ValueError unless a tensor could have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {as_shape(other)} are incompatible")

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError when the rank is known and not `rank`."""
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: TensorLike) -> None:
        """Raises ValueError when both ranks are known and differ."""
        o = as_shape(other)
        if self._dims is not None and o._dims is not None and len(self._dims) != len(o._dims):
            raise ValueError(f"Shapes {self} and {o} must have the same rank")

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, known to have `rank` dimensions; ValueError when it has another rank."""
        return self.merge_with((None,) * rank if self._dims is None else self._check_rank(rank))

    def _check_rank(self, rank: int) -> TensorShape:
        self.assert_has_rank(rank)
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; ValueError when its rank is known and below `rank`."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; ValueError when its rank is known and above `rank`."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def concatenate(self, other: ShapeLike) -> TensorShape:
        """The dimensions of this shape followed by those of `other`; unknown rank wins."""
        o = dims_of(other)
        return TensorShape(None if self._dims is None or o is None else self._dims + o)

    def most_specific_compatible_shape(self, other: ShapeLike) -> TensorShape:
        """The most precise shape that allows for both."""
        return TensorShape(relax(self._dims, dims_of(other)))

    def most_specific_common_supertype(self, others: Sequence[TensorShape]) -> TensorShape | None:
        """The most precise shape that includes this one and `others`; None where one of them is no shape.

        >>> import graphrt as tf
        >>> tf.TensorShape([2, 3]).most_specific_common_supertype([tf.TensorShape([2, 4])])
        TensorShape([2, None])
        """
        if any(not isinstance(other, TensorShape) for other in others):
            return None
        dims = self._dims
        for other in others:
            dims = relax(dims, other._dims)
        return TensorShape(dims)

    def is_subtype_of(self, other: object) -> bool:
        """Whether every tensor of this shape also has shape `other`."""
        o = dims_of(other)
        if o is None:
            return True
        return (
            self._dims is not None
            and len(o) == len(self._dims)
            and all(n is None or m == n for m, n in zip(self._dims, o))
        )

    def __bool__(self) -> bool:
        return self._dims is not None

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __iter__(self) -> Iterator[int | None]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __getitem__(self, key: int | slice) -> Any:
        if self._dims is None:
            return unknown_slice(key)
        found = self._dims[key]
        return TensorShape(found) if isinstance(key, slice) else found

    def __add__(self, other: ShapeLike) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: TensorLike) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        try:
            return self._dims == dims_of(other)
        except (TypeError, ValueError):
            return False

    def __hash__(self) -> int:
        return hash(self._dims)

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        if len(self._dims) == 1:
            return f"({self._dims[0]},)"
        return "(" + ", ".join(map(str, self._dims)) + ")"

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __reduce__(self) -> Any:
        return TensorShape, (self._dims,)


def unknown_slice(key: int | slice) -> TensorShape | None:
    """What `key` selects from a shape of unknown rank."""
    if not isinstance(key, slice):
        return None
    start = key.start or 0
    if key.step is not None or key.stop is None or start < 0 or key.stop < 0:
        return TensorShape(None)
    return TensorShape([None] * max(key.stop - start, 0))


def as_shape(value: TensorLike) -> TensorShape:
    """`value` as a TensorShape."""
    return value if isinstance(value, TensorShape) else TensorShape(value)
