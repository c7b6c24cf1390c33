"""Sets as the rows of tensors, and the sparse result that sets and decoders give."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.array.gather_scatter import gather_nd
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.sparse.tensor import SparseTensor
from graphrt.ops.support.kernel_helpers import bad, ints, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import INDEX, int8, int16, int32, int64, string, uint8, uint16
from graphrt.types.likes import Array, TensorLike
from graphrt.types.nesting import shown

__all__ = ["difference", "edit_distance", "intersection", "size", "union"]

_KINDS = (int8, int16, int32, int64, uint8, uint16, string)


# --- sparse and dense ------------------------------------------------------------------------------------------------
def _to_dense(indices: Array, shape: Array, values: Array, default: Array, *, validate_indices: bool) -> Array:
    dims = ints(shape)
    rows = np.asarray(indices).reshape(-1, max(len(dims), 1)) if np.ndim(indices) else np.reshape(indices, (1, 1))
    if rows.size and ((rows < 0).any() or (rows >= np.array(dims)).any()):
        at = int(np.flatnonzero(((rows < 0) | (rows >= np.array(dims))).any(axis=1))[0])
        raise bad(f"indices[{at}] = {text_of(rows[at])} is out of bounds: need 0 <= index < {text_of(dims)}")
    if validate_indices and len(rows) > 1:
        flat = np.ravel_multi_index(tuple(rows.T), dims)
        if (np.diff(flat) <= 0).any():
            at = int(np.flatnonzero(np.diff(flat) <= 0)[0]) + 1
            why = "repeated" if flat[at] == flat[at - 1] else "out of order. Many sparse ops require sorted indices"
            raise bad(f"indices[{at}] = {text_of(rows[at])} is {why}.\n    Use `tf.sparse.reorder` to create a correctly "
                      "ordered copy.")  # fmt: skip
    out = np.empty(dims, object) if isinstance(default, np.ndarray) and default.dtype == object else np.empty(
        dims, np.asarray(values).dtype)  # fmt: skip
    out[...] = default.item() if out.dtype == object else default
    if len(rows):
        out[tuple(rows.T)] = values
    return out


SparseToDense = define(
    "SparseToDense",
    "sparse_indices: Tindices, output_shape: Tindices[1], sparse_values: T, default_value: T -> dense: T",
    attrs="validate_indices: bool = True", allowed={"Tindices": INDEX}, infer=lambda c: c.shape_from(1),
    kernel=_to_dense,
    vjp=lambda call, g: [None, None, gather_nd(g, call.inputs[0]),
                         reduce_sum(g, None) - reduce_sum(gather_nd(g, call.inputs[0]), None)],
)  # fmt: skip


# --- sets ------------------------------------------------------------------------------------------------------------
def _check_sparse(indices: Array, values: Array, shape: Array, validate: bool = True) -> None:
    """Raises InvalidArgumentError when these are no sparse tensor, or (with `validate`) not in order or out of range."""
    rows, dims = np.asarray(indices), ints(shape)
    if rows.ndim != 2 or len(rows) != len(values) or rows.shape[1] != len(dims):
        raise bad(
            f"no sparse tensor: indices of shape {text_of(rows.shape)}, {len(values)} values, {len(dims)} dimensions"
        )
    if not validate or not rows.size:
        return
    if (rows < 0).any() or (rows >= np.array(dims)).any():
        raise bad(f"an index is out of bounds: need 0 <= index < {text_of(dims)}")
    if (np.diff(np.ravel_multi_index(tuple(rows.T), dims)) <= 0).any():
        raise bad(
            "the indices are repeated or out of order.\n    Use `tf.sparse.reorder` to create a correctly ordered copy."
        )


_Elements = tuple[Array, Array]  # the place of the row that each element is in, and the elements


def _of_dense(x: Array) -> _Elements:
    places = np.indices(x.shape[:-1]).reshape(x.ndim - 1, -1).T
    return places.repeat(x.shape[-1], axis=0), x.reshape(-1)


def _of_sparse(indices: Array, values: Array, shape: Array, validate: bool) -> _Elements:
    _check_sparse(indices, values, shape, validate)
    places = np.asarray(indices)[:, :-1]
    if not validate and places.size and places.min() < 0:
        raise bad("an index is out of bounds: it is negative")
    return places, np.asarray(values)


class _Numbered:
    """Rows, and elements, as one number for both that sorts as they do."""

    def __init__(self, sides: list[_Elements], lead: tuple[int, ...]) -> None:
        places, values = (np.concatenate(each) for each in zip(*sides))
        self._known_values, numbers = _small(values)
        self._span = int(numbers.max(initial=0)) + 1
        self._grid = [max(n, int(column.max(initial=0)) + 1) for n, column in zip(lead, places.T)]
        flat = np.ravel_multi_index(tuple(places.T), self._grid) if lead else np.zeros(len(values), np.int64)
        self._known_rows, rows = _small(flat)
        ends = np.cumsum([len(v) for _, v in sides])[:-1]
        self.sides = [_distinct(part) for part in np.split(rows * self._span + numbers, ends)]

    def rows(self, numbers: Array) -> Array:
        """Which rows numbers belong to: numbers that sort as the rows do."""
        return numbers // self._span

    def places(self, numbers: Array) -> Array:
        """The places of the rows that numbers belong to."""
        found = np.unravel_index(self._known_rows(self.rows(numbers)), self._grid) if self._grid else ()
        return np.stack(found, 1) if found else np.empty((len(numbers), 0), np.int64)

    def elements(self, numbers: Array) -> Array:
        """The elements that numbers stand for."""
        return self._known_values(numbers % self._span)


def _small(values: Array) -> tuple[Callable[[Array], Array], Array]:
    """Numbers below 2 ** 31 that sort as `values` do, and what gives the values back."""
    if values.dtype != object and values.size:
        least = int(values.min())
        if int(values.max()) - least < 1 << 31:
            return (lambda numbers: (numbers + least).astype(values.dtype)), values.astype(np.int64) - least
    known, numbers = np.unique(values, return_inverse=True)
    return known.__getitem__, numbers


def _distinct(numbers: Array) -> Array:
    """What np.unique gives, which may take ten times as long."""
    found = np.sort(numbers, kind="stable")
    first = np.ones(len(found), np.bool_)
    first[1:] = found[1:] != found[:-1]
    return found[first]


def _without(a: Array, b: Array) -> Array:
    """The numbers of one side that are not on the other."""
    return a[b[np.searchsorted(b, a).clip(max=len(b) - 1)] != a] if len(b) else a


def _in_both(a: Array, b: Array) -> Array:
    both = np.sort(np.concatenate([a, b]), kind="stable")
    return both[1:][both[1:] == both[:-1]]


_OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "a-b": _without, "b-a": lambda a, b: _without(b, a), "intersection": _in_both,
    "union": lambda a, b: _distinct(np.concatenate([a, b])),
}  # fmt: skip


def _operate(
    one: _Elements, two: _Elements, lead: tuple[int, ...], kind: str, other: tuple[int, ...] | None = None
) -> tuple[Array, Array, Array]:
    if other is not None and tuple(other) != tuple(lead):
        raise bad(f"Shapes of sets differ before the last dimension: {text_of(lead)} and {text_of(other)}")
    rule = _OPERATIONS.get(kind.lower())
    if rule is None:
        raise bad(f"Invalid set_operation {kind}.")
    numbered = _Numbered([one, two], lead)
    found = rule(*numbered.sides)
    rows = numbered.rows(found)
    within = np.arange(len(rows)) - np.searchsorted(rows, rows)
    indices = np.concatenate([numbered.places(found), within[:, None]], axis=1)
    widest = int(within.max(initial=-1)) + 1
    return indices, numbered.elements(found), np.array([*lead, widest], np.int64)


def _dense_sets(a: Array, b: Array, *, set_operation: str, validate_indices: bool) -> tuple[Array, Array, Array]:
    if np.ndim(a) != np.ndim(b) or np.ndim(a) < 2 or a.shape[:-1] != b.shape[:-1]:
        raise bad(f"Shapes of sets differ before the last dimension: {text_of(np.shape(a))} and {text_of(np.shape(b))}")
    return _operate(_of_dense(a), _of_dense(b), a.shape[:-1], set_operation)


def _set_dims(c: InferContext) -> list[tuple[int | None, ...]]:
    dims = c.dims(0)
    rank = None if dims is None else len(dims)
    return [(None, rank), (None,), (rank,)]


DenseToDenseSetOperation = define(
    "DenseToDenseSetOperation",
    "set1: T[2+], set2: T[2+] -> result_indices: int64, result_values: T, result_shape: int64",
    attrs="set_operation: string; validate_indices: bool = True", allowed={"T": _KINDS}, infer=_set_dims,
    kernel=_dense_sets, vjp=lambda call, *g: [None, None],
)  # fmt: skip


def _sparse_set_dims(c: InferContext) -> list[tuple[int | None, ...]]:
    sizes = [
        dims[position] for dims, position in ((c.dims(0), 1), (c.dims(2), 0), (c.dims(3), 1), (c.dims(5), 0)) if dims
    ]
    rank = next((n for n in sizes if n is not None), None)
    return [(None, rank), (None,), (rank,)]


SparseToSparseSetOperation = define(
    "SparseToSparseSetOperation",
    "set1_indices: int64[2], set1_values: T[1], set1_shape: int64[1], set2_indices: int64[2], set2_values: T[1], "
    "set2_shape: int64[1] "
    "-> result_indices: int64, result_values: T, result_shape: int64",
    attrs="set_operation: string; validate_indices: bool = True", allowed={"T": _KINDS},
    infer=_sparse_set_dims, vjp=lambda call, *g: [None] * 6,
    kernel=lambda i, v, s, j, w, t, *, set_operation, validate_indices: _operate(
        _of_sparse(i, v, s, validate_indices), _of_sparse(j, w, t, validate_indices), tuple(ints(s)[:-1]),
        set_operation, tuple(ints(t)[:-1]),
    ),
)  # fmt: skip
DenseToSparseSetOperation = define(
    "DenseToSparseSetOperation",
    "set1: T[2+], set2_indices: int64[2], set2_values: T[1], set2_shape: int64[1] "
    "-> result_indices: int64, result_values: T, result_shape: int64",
    attrs="set_operation: string; validate_indices: bool = True", allowed={"T": _KINDS}, infer=_set_dims,
    vjp=lambda call, *g: [None] * 4,
    kernel=lambda a, j, w, t, *, set_operation, validate_indices: _operate(
        _of_dense(a), _of_sparse(j, w, t, validate_indices), a.shape[:-1], set_operation, tuple(ints(t)[:-1]),
    ),
)  # fmt: skip


def _set_size(indices: Array, values: Array, shape: Array, *, validate_indices: bool) -> Array:
    dims = tuple(ints(shape)[:-1])
    out = np.zeros(dims, np.int32)
    numbered = _Numbered([_of_sparse(indices, values, shape, validate_indices)], dims)
    (numbers,) = numbered.sides
    np.add.at(out, tuple(numbered.places(numbers).T), 1)
    return out


SetSize = define(
    "SetSize", "set_indices: int64, set_values: T, set_shape: int64 -> size: int32",
    attrs="validate_indices: bool = True", allowed={"T": _KINDS}, infer=lambda c: None, kernel=_set_size,
    vjp=lambda call, g: [None] * 3,
)  # fmt: skip


def _operation(a: TensorLike, b: TensorLike, kind: str, validate: bool) -> SparseTensor:
    if isinstance(b, SparseTensor) and not isinstance(a, SparseTensor):
        found = DenseToSparseSetOperation(a, *b, set_operation=kind, validate_indices=validate)
    elif isinstance(a, SparseTensor):
        if not isinstance(b, SparseTensor):  # the other way round: the difference is, too
            swapped = {"a-b": "b-a", "b-a": "a-b"}.get(kind, kind)
            found = DenseToSparseSetOperation(b, *a, set_operation=swapped, validate_indices=validate)
        else:
            found = SparseToSparseSetOperation(*a, *b, set_operation=kind, validate_indices=validate)
    else:
        left = as_tensor(a)
        found = DenseToDenseSetOperation(
            left, b if isinstance(b, Tensor) else as_tensor(b, left.dtype), set_operation=kind,
            validate_indices=validate,
        )  # fmt: skip
    return SparseTensor(*found)


def union(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """For each row what is in one of the two, sorted.

    >>> import graphrt as tf
    >>> tf.sets.union([[1, 2]], [[2, 3]]).values.numpy().tolist()
    [1, 2, 3]

    Raises:
      InvalidArgumentError: the shapes differ before the last axis.
    """
    return _operation(a, b, "union", validate_indices)


def intersection(a: TensorLike, b: TensorLike, validate_indices: bool = True) -> SparseTensor:
    """For each row what is in both, sorted.

    >>> import graphrt as tf
    >>> tf.sets.intersection([[1, 2]], [[2, 3]]).values.numpy().tolist()
    [2]

    Raises:
      InvalidArgumentError: the shapes differ before the last axis.
    """
    return _operation(a, b, "intersection", validate_indices)


def difference(a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """For each row what is in the first only (or in the second only).

    >>> import graphrt as tf
    >>> tf.sets.difference([[1, 2]], [[2, 3]]).values.numpy().tolist()
    [1]

    Raises:
      InvalidArgumentError: the shapes differ before the last axis.
    """
    return _operation(a, b, "a-b" if aminusb else "b-a", validate_indices)


def size(a: Any, validate_indices: bool = True) -> Tensor:
    """How many different elements each row of a sparse tensor has.

    >>> import graphrt as tf
    >>> tf.sets.size(tf.SparseTensor([[0, 0], [0, 1]], [7, 7], [1, 2])).numpy().tolist()
    [1]

    Raises:
      TypeError: `a` is not sparse.
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(errors.at_user_line(f"Expected `SparseTensor`, got {a}."))
    return SetSize(*a, validate_indices=validate_indices)


# --- distances -------------------------------------------------------------------------------------------------------
class _Sequences:
    """The values of a sparse tensor along its last dimension, one sequence for each place of the others.

    Attributes:
      values: those of the first place, then those of the next.
      sizes: how many each place has.
    """

    __slots__ = ("_starts", "sizes", "values")

    def __init__(self, indices: Array, values: Array, lead: list[int]) -> None:
        rows = indices[:, :-1]
        if rows.size and ((rows < 0).any() or (rows >= np.array(lead)).any()):
            raise bad(f"an index is out of bounds: need 0 <= index < {text_of(lead)}")
        places = np.ravel_multi_index(tuple(rows.T), lead) if lead else np.zeros(len(rows), np.int64)
        self.values = values[np.argsort(places, kind="stable")]
        self.sizes = np.bincount(places, minlength=math.prod(lead))
        self._starts = self.sizes.cumsum() - self.sizes

    def of(self, place: int) -> list[Any]:
        """The values of one place."""
        start = self._starts[place]
        return self.values[start : start + self.sizes[place]].tolist()

    def columns(self, places: Array) -> Array:
        """The values of some places, as columns; behind the shorter ones stands anything."""
        longest = int(self.sizes[places].max(initial=0))
        if not longest:
            return np.empty((0, len(places)), self.values.dtype)
        return self.values.take(self._starts[places] + np.arange(longest)[:, None], mode="clip")


def _levenshtein(a: list[Any], b: list[Any]) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a):
        corner, row[0] = row[0], i + 1
        for j, y in enumerate(b):
            corner, row[j + 1] = row[j + 1], min(corner + (x != y), row[j] + 1, row[j + 1] + 1)
    return row[-1]


_FEW = 8  # pairs of sequences up to which each is compared by itself


def _distances(ours: _Sequences, theirs: _Sequences) -> Array:
    """The Levenshtein distance at each place: of those that are about as long at once."""
    found = np.maximum(ours.sizes, theirs.sizes)  # where one of them has none
    both = np.flatnonzero((ours.sizes > 0) & (theirs.sizes > 0))
    alike = np.frexp(ours.sizes[both])[1] << 8 | np.frexp(theirs.sizes[both])[1]
    for key in np.unique(alike):
        places = both[alike == key]
        if len(places) <= _FEW:
            found[places] = [_levenshtein(ours.of(i), theirs.of(i)) for i in places]
        else:
            found[places] = _distances_at_once(ours, theirs, places)
    return found


def _distances_at_once(ours: _Sequences, theirs: _Sequences, places: Array) -> Array:
    """`_levenshtein` of the sequences at some places, row after row of all of their tables."""
    sizes, ends, b = ours.sizes[places], theirs.sizes[places], theirs.columns(places)
    columns = np.arange(len(b) + 1)[:, None]
    row = np.repeat(columns, len(places), axis=1)
    found, each = ends, np.arange(len(places))
    for i, x in enumerate(ours.columns(places)):
        above = np.minimum(row[:-1] + (b != x), row[1:] + 1)  # by a change, or by an element of ours
        row[0] = i + 1
        row[1:] = above
        row = np.minimum.accumulate(row - columns, axis=0) + columns  # or by one of theirs
        found = np.where(sizes == i + 1, row[ends, each], found)
    return found


def _as_numbers(*values: Array) -> list[Array]:
    """Arrays of strings as arrays of numbers that are equal where these are."""
    numbers: dict[Any, int] = {}
    return [np.array([numbers.setdefault(v, len(numbers)) for v in array.tolist()], np.int64) for array in values]


def _edit_kernel(hi: Array, hv: Array, hs: Array, ti: Array, tv: Array, ts: Array, *, normalize: bool) -> Array:
    _check_sparse(hi, hv, hs, False)
    _check_sparse(ti, tv, ts, False)
    lead = [max(a, b) for a, b in zip(ints(hs)[:-1], ints(ts)[:-1])]
    if hv.dtype == object:
        hv, tv = _as_numbers(hv, tv)
    ours, theirs = _Sequences(hi, hv, lead), _Sequences(ti, tv, lead)
    steps = _distances(ours, theirs)
    if normalize:
        ends = theirs.sizes
        steps = np.where((steps > 0) & (ends == 0), np.inf, steps / np.maximum(ends, 1))
    return steps.astype(np.float32).reshape(lead)


def _edit_dims(c: InferContext) -> Any:
    ours, theirs = c.const(2), c.const(5)
    if ours is None or theirs is None:
        return None
    return tuple(max(a, b) for a, b in zip(ints(ours)[:-1], ints(theirs)[:-1]))


EditDistance = define(
    "EditDistance",
    "hypothesis_indices: int64[2], hypothesis_values: T[1], hypothesis_shape: int64[1], truth_indices: int64[2], "
    "truth_values: T[1], "
    "truth_shape: int64[1] -> output: float32",
    attrs="normalize: bool = True", infer=_edit_dims, kernel=_edit_kernel, vjp=lambda call, g: [None] * 6,
)  # fmt: skip


def edit_distance(
    hypothesis: SparseTensor, truth: SparseTensor, normalize: bool = True, name: str = "edit_distance"
) -> Tensor:
    """How many insertions, deletions and changes lead from one sequence to the other, over the length of `truth`.

    >>> import graphrt as tf
    >>> one = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    >>> two = tf.SparseTensor([[0, 0], [0, 1]], ["a", "c"], [1, 2])
    >>> tf.edit_distance(one, two).numpy().tolist()
    [0.5]

    Raises:
      TypeError: an argument is not sparse.
    """
    for one in (hypothesis, truth):
        if not isinstance(one, SparseTensor):
            raise TypeError(errors.at_user_line(f"edit_distance takes SparseTensors, found {shown(one)}"))
    return EditDistance(*hypothesis, *truth, normalize=normalize, name=name)
