"""Strings joined and split."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from graphrt.errors import OutOfRangeError, ShapeError
from graphrt.ir.code import NONE, Code, Template, commas
from graphrt.ir.graph import InferContext, Node
from graphrt.ir.op import define
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import ones_like
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.repetition import repeat
from graphrt.ops.array.shape import rank
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.math.casting import cast
from graphrt.ops.math.cumulative import Cumsum
from graphrt.ops.ragged.dispatch import by_segments, elementwise_list, reduced
from graphrt.ops.ragged.functions import bincount_splits, ragged_rows
from graphrt.ops.ragged.rules import known_axes, rule
from graphrt.ops.ragged.tensor import RaggedTensor
from graphrt.ops.strings.text import length, lossless_bytes, lossless_text, no_gradient, substr
from graphrt.ops.strings.unicode import UnsortedSegmentJoin
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, TensorLike, static_array
from graphrt.types.dtype import int32
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, merge
from graphrt.types.structure import Repeatable

__all__ = ["bytes_split", "join", "reduce_join", "split"]


# --- joining ---------------------------------------------------------------------------------------------------------
def _join_dims(c: InferContext) -> Dims:
    dims: Dims = ()
    for v in c.inputs:
        if v.dims != ():
            dims = v.dims if dims == () else merge(dims, v.dims)
    return dims


def _join_kernel(inputs: list[Any], *, separator: str) -> Array:
    sep = lossless_bytes(separator)
    arrays = [np.asarray(v) for v in inputs]
    shapes = [a.shape for a in arrays if a.ndim]
    if any(s != shapes[0] for s in shapes):
        raise bad(
            f"Input shapes do not match: {text_of(shapes[0])} vs. {text_of(next(s for s in shapes if s != shapes[0]))}"
        )
    if not shapes:
        return np.array(sep.join(a.item() for a in arrays), object)
    out = np.empty(shapes[0], object)
    columns = [a.reshape(-1).tolist() if a.ndim else [a.item()] * out.size for a in arrays]
    out.reshape(-1)[:] = [*map(sep.join, zip(*columns))]
    return out


StringJoin = define(
    "StringJoin", "inputs: N * string -> output: string", attrs="N: int >= 0; separator: string = ''",
    infer=_join_dims, kernel=_join_kernel, vjp=no_gradient,
)  # fmt: skip
rule(StringJoin)(elementwise_list)


def join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """The strings of several tensors of one shape (scalars fit any), joined element by element.

    >>> import graphrt as tf
    >>> tf.strings.join(["a", ["b", "c"]], "-").numpy().tolist()
    [b'a-b', b'a-c']

    Raises:
      InvalidArgumentError: the shapes differ.
    """
    if isinstance(inputs, Repeatable):  # a list that grew in a staged loop
        return ReduceJoin(as_tensor(inputs), 0, separator=separator, name=name)
    return StringJoin(list(inputs), separator=separator, name=name)


def _reduce_join_kernel(x: Array, axes: Array, *, keep_dims: bool, separator: str) -> Array:
    sep = lossless_text(separator).encode("utf-8", "surrogateescape")
    array = np.asarray(x)
    found = []
    for a in np.ravel(axes).tolist():
        if not -array.ndim <= a < array.ndim:
            raise OutOfRangeError(
                None, None, f"Invalid reduction dimension {a} for input with {array.ndim} dimension(s)"
            )
        found.append(a % array.ndim)
    if len(set(found)) != len(found):
        raise bad(f"Duplicate reduction dimension {found[-1]}")
    kept = [i for i in range(array.ndim) if i not in found]
    sizes = (math.prod(array.shape[i] for i in part) for part in (kept, found))
    rows = array.transpose(kept + found[::-1]).reshape(*sizes)
    out = np.empty(len(rows), object)
    for i, row in enumerate(rows.tolist()):
        out[i] = sep.join(row)
    dims = [1 if i in found else d for i, d in enumerate(array.shape)] if keep_dims else [array.shape[i] for i in kept]
    return out.reshape(dims)


def _reduce_join_dims(c: InferContext) -> Dims:
    dims, axes = c.dims(0), c.const(1)
    if dims is None or axes is None:
        return None if not (dims is not None and c.attrs["keep_dims"]) else (None,) * len(dims)
    gone = set()
    for a in np.ravel(axes).tolist():
        if not -len(dims) <= a < len(dims):
            raise ShapeError(f"Invalid reduction dimension {a} for input with {len(dims)} dimensions.")
        gone.add(a % len(dims))
    if c.attrs["keep_dims"]:
        return tuple(1 if i in gone else d for i, d in enumerate(dims))
    return tuple(d for i, d in enumerate(dims) if i not in gone)


ReduceJoin = define(
    "ReduceJoin", "inputs: string, reduction_indices: int32 -> output: string",
    attrs="keep_dims: bool = False; separator: string = ''", infer=_reduce_join_dims, kernel=_reduce_join_kernel,
    vjp=no_gradient,
)  # fmt: skip


@rule(ReduceJoin)
def _reduce_join(args: tuple[Any, ...], attrs: dict[str, Any], apply: Any) -> Any:
    x, glue = args[0], attrs.get("separator", "")
    axes = known_axes(args[1], x) if np.size(static_array(as_tensor(args[1]))) else list(range(x.ndim))

    def dense(t: Any, axis: int) -> Any:
        return ReduceJoin(t, np.int32(axis), separator=glue)

    def join(values: Any, ids: Any, count: Any) -> Any:
        return UnsortedSegmentJoin(values, ids, cast(count, int32), separator=glue)

    def rows(values: Any, ids: Any, count: Any) -> Any:
        return by_segments(join, values, ids, count)

    return reduced(x, axes, attrs.get("keep_dims", False), rows, dense)


def reduce_join(
    inputs: TensorLike, axis: Any = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Tensor:
    """The strings joined along `axis`, one axis or several in that order (all of them, from the last, when None).

    >>> import graphrt as tf
    >>> tf.strings.reduce_join(["a", "b"], separator="+").numpy()
    b'a+b'

    Raises:
      OutOfRangeError: there is no such axis.
    """
    x = as_tensor(inputs)
    if axis is None:
        # the last axis is joined first: elements come in their own order
        axis = np.arange(len(x.dims), dtype=np.int32)[::-1] if x.dims is not None else range_(rank(x) - 1, -1, -1)
    return ReduceJoin(x, axis, keep_dims=keepdims, separator=separator, name=name or "ReduceJoin")


# --- splitting -------------------------------------------------------------------------------------------------------
def _split_kernel(x: Array, sep: Array, *, maxsplit: int) -> tuple[Array, Array, Array]:
    if np.ndim(x) != 1:
        raise bad(f"input must be a vector, got shape: {text_of(np.shape(x))}")
    between = np.asarray(sep).item()
    most, texts = max(maxsplit, -1), x.tolist()
    pieces: list[bytes] = []
    ends = []
    if len(between) == 1 and most < 0:
        pieces = _all_pieces(texts, between)
        ends = list(itertools.accumulate(text.count(between) + 1 for text in texts))
    else:
        for text in texts:  # no list of rows is kept: that would be one object more for each
            pieces += text.split(between or None, most) if most else (text,)
            ends.append(len(pieces))
    number = len(pieces)
    starts = np.array([0, *ends], np.int64)
    counts = np.diff(starts)
    places = np.empty((number, 2), np.int64)
    places[:, 0] = np.arange(len(texts)).repeat(counts)
    places[:, 1] = np.arange(number) - starts[:-1].repeat(counts)
    return places, np.fromiter(pieces, object, number), np.array([len(texts), counts.max(initial=0)], np.int64)


def _split_values(x: Array, sep: Array, *, maxsplit: int) -> Array:
    """The pieces alone."""
    between = np.asarray(sep).item()
    if len(between) > 1 or maxsplit >= 0 or np.ndim(x) != 1:
        return _split_kernel(x, sep, maxsplit=maxsplit)[1]
    pieces = _all_pieces(x.tolist(), between)
    return np.fromiter(pieces, object, len(pieces))


def _all_pieces(texts: list[bytes], between: bytes) -> list[bytes]:
    """What lies between blanks, or one separator, in all texts: the same as in one text, with a separator where they meet.

    A longer one could be found where a part of it at the end of a text comes before the whole.
    """
    return (between or b" ").join(texts).split(between or None) if texts else []


_PIECES = Template("{}({}, maxsplit={})")


def _emit_split(e: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    """A call that makes the pieces only, where nobody asks which row they are of."""
    if e.is_used(node.outputs[0]) or e.is_used(node.outputs[2]):
        return None
    most = e.literal(node.attrs["maxsplit"], "maxsplit")
    return [NONE, _PIECES(e.bind(_split_values, "k_split_values"), commas(inputs), most), NONE]


StringSplitV2 = define(
    "StringSplitV2", "input: string[1], sep: string[0] -> indices: int64, values: string, shape: int64",
    attrs="maxsplit: int = -1", infer=lambda c: [(None, 2), (None,), (2,)], kernel=_split_kernel, vjp=no_gradient,
    emit=_emit_split,
)  # fmt: skip


def split(input: TensorLike, sep: str | None = None, maxsplit: int = -1, name: str | None = None) -> RaggedTensor | Any:
    """The pieces of each string between separators (blanks when None), as rows of a ragged tensor.

    The pieces of a scalar string are a vector.

    >>> import graphrt as tf
    >>> tf.strings.split("a b c").numpy().tolist()
    [b'a', b'b', b'c']
    >>> tf.strings.split(["a b", "c"])
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

    Raises:
      ValueError: the rank of `input` is not known.
    """

    def rows(x: Tensor) -> tuple[Tensor, Tensor]:
        places, values, shape = StringSplitV2(x, "" if sep is None else sep, maxsplit=maxsplit, name=name)
        return values, bincount_splits(places[:, 0], shape[0])

    return ragged_rows(input, rows)


def bytes_split(input: TensorLike, name: str | None = None) -> RaggedTensor | Any:
    """The bytes of each string, as strings of length 1: a vector for a scalar string, else rows of a ragged tensor.

    >>> import graphrt as tf
    >>> tf.strings.bytes_split("abc").numpy().tolist()
    [b'a', b'b', b'c']
    >>> tf.strings.bytes_split(["ab", "c"])
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>

    Raises:
      ValueError: the rank of `input` is not known.
    """

    def rows(x: Tensor) -> tuple[Tensor, Tensor]:
        sizes = length(x)
        splits = concat([[0], Cumsum(cast(sizes, "int64"), np.int32(0))], 0)
        each = repeat(x, sizes)
        places = cast(range_(shape_(each, out_type="int64")[0]) - repeat(splits[:-1], sizes), "int32")
        return substr(each, places, ones_like(places), name=name), splits

    return ragged_rows(input, rows)
