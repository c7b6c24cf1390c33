"""Tensors joined and taken apart along their dimensions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import ALIASES, KEEPS_KIND, QUIET, OpDef, define, ops, provide  # late: a circle
from graphrt.ops.array.identity import Identity
from graphrt.ops.array.shape import ExpandDims, shape, transpose
from graphrt.ops.array.shape import rank as rank_
from graphrt.ops.math.casting import cast
from graphrt.ops.math.division import FloorMod
from graphrt.ops.support.kernel_helpers import bad, const_int, entries, ints, of_now, text_of, unwrapped
from graphrt.ops.support.shape_rules import as_tensor, runs_now
from graphrt.tensor.context import current_graph, scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike, raw_of, static_array
from graphrt.types.dtype import INDEX, int32
from graphrt.types.likes import Array, AxisLike
from graphrt.types.nesting import bounded
from graphrt.types.shape import Dims, TensorShape, merge
from graphrt.types.structure import Repeatable

__all__ = ["concat", "parallel_stack", "split", "stack", "unstack"]


# --- Pack, Unpack ----------------------------------------------------------------------------------------------------
def _packed_dims(c: InferContext) -> Dims:
    dims = c.dims(0)
    for i in range(1, len(c.inputs)):
        try:
            dims = merge(dims, c.dims(i))
        except ShapeError:
            raise ShapeError(
                f"Shapes of all inputs must match: values[0].shape = {text_of(c.dims(0))} != values[{i}].shape = "
                f"{text_of(c.dims(i))}"
            ) from None
    if dims is None:
        return None
    axis, rank = c.attrs["axis"], len(dims) + 1
    if not -rank <= axis < rank:
        raise ShapeError(f"axis = {axis} not in [{-rank}, {rank})")
    axis += rank if axis < 0 else 0
    return dims[:axis] + (len(c.inputs),) + dims[axis:]


def _packed_entries(c: InferContext) -> list[int | None] | None:
    if c.dtype(0).kind not in "iu" or any(v.dims != () for v in c.inputs) or len(c.inputs) > 64:
        return None
    return [(entries(v) or [None])[0] for v in c.inputs]


def _pack_kernel(values: list[Any], *, axis: int) -> Array:
    first = values[0]
    if isinstance(first, np.generic) and axis in (0, -1) and all(isinstance(v, np.generic) for v in values):
        return np.array(values, first.dtype)
    dims = np.shape(first)
    for i, v in enumerate(values):
        if np.shape(v) != dims:
            raise bad(
                f"Shapes of all inputs must match: values[0].shape = {text_of(dims)} != values[{i}].shape = "
                f"{text_of(np.shape(v))}"
            )
    rank = len(dims) + 1
    if not -rank <= axis < rank:
        raise bad(f"axis = {axis} not in [{-rank}, {rank})")
    return np.stack(values, axis)


Pack = define(
    "Pack", "values: N * T -> output: T", attrs="N: int >= 1; T: type; axis: int = 0",
    infer=_packed_dims, kernel=_pack_kernel, partial=_packed_entries,
    vjp=lambda call, g: list(Unpack(g, num=len(call.inputs), axis=call.attrs["axis"])),
    traits=(KEEPS_KIND, QUIET),
)  # fmt: skip


def _unpacked_dims(c: InferContext) -> list[Dims]:
    dims, axis, num = c.dims(0), c.attrs["axis"], c.attrs["num"]
    if dims is None:
        return [None] * num
    if not -len(dims) <= axis < len(dims):
        raise ShapeError(f"axis = {axis} not in [{-len(dims)}, {len(dims)})")
    axis += len(dims) if axis < 0 else 0
    if dims[axis] not in (None, num):
        raise ShapeError(f"Input shape axis {axis} must equal {num}, got shape {text_of(dims)}")
    return [dims[:axis] + dims[axis + 1 :]] * num


def _unpack_kernel(x: Array, *, num: int, axis: int) -> list[Any]:
    rank = np.ndim(x)
    if not -rank <= axis < rank:
        raise bad(f"axis = {axis} not in [{-rank}, {rank})")
    if np.shape(x)[axis] != num:
        raise bad(f"Input shape axis {axis} must equal {num}, got shape {text_of(np.shape(x))}")
    moved = x if axis == 0 else np.moveaxis(x, axis, 0)
    return [v if isinstance(v, (np.ndarray, np.generic)) else unwrapped(v) for v in moved]


def _filled(call: Any, grads: Any) -> list[Any]:
    return [ops.zeros_like(o) if g is None else g for o, g in zip(call.outputs, grads)]


Unpack: OpDef = define(
    "Unpack", "value: T -> output: num * T", attrs="num: int >= 0; T: type; axis: int = 0",
    infer=_unpacked_dims, kernel=_unpack_kernel, traits=(KEEPS_KIND, ALIASES, QUIET),
    vjp=lambda call, *gs: [Pack(_filled(call, gs), axis=call.attrs["axis"])],
)  # fmt: skip


@provide
@bounded
def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Tensor:
    """Joins tensors of one shape along a new dimension `axis`.

    >>> import graphrt as tf
    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]

    Raises:
      InvalidArgumentError: the shapes differ (ValueError too, where they are known while tracing).
      ValueError: `axis` is out of range.
    """
    if isinstance(values, (str, bytes)):
        raise errors.unexpected(values, "values", "a list of tensors, or a tensor")
    if not isinstance(values, Tensor) and hasattr(values, "__tf_tensor__"):  # a list that grew in a staged loop
        rows = convert_to_tensor(values)
        rank = 0 if rows.dims is None else len(rows.dims)
        if axis == 0 or not rank:
            return rows
        place = axis % rank
        return transpose(rows, [*range(1, place + 1), 0, *range(place + 1, rank)])
    if type(values) is list and type(axis) is int and _alike(values) and runs_now():
        try:
            return of_now(np.stack([raw_of(v) for v in values], axis), values[0])
        except ValueError:
            pass  # the long way finds the message
    if isinstance(values, np.ndarray) and values.ndim:
        values = as_tensor(values)  # of its own dtype: rows of it, taken as lists, would be of Python's
    if isinstance(values, Tensor):
        if axis == 0 and values.dims != ():
            return values
        values = list(unstack(values))
    if axis == 0 and (current_graph() is not None or not any(type(v) is EagerTensor for v in values)):
        try:
            return convert_to_tensor(list(values), name=name or "stack")
        except (TypeError, ValueError):
            pass  # Pack says it better
    items = _items(values)
    if items and items[0].dims is not None:
        rank = len(items[0].dims) + 1
        if not -rank <= axis < rank:
            raise ValueError(errors.at_user_line(f"Argument `axis` = {axis} not in range [{-rank}, {rank})"))
    if not items:
        raise ValueError(errors.at_user_line("stack needs at least one tensor: an empty list has no shape to stack."))
    return Pack(list(values), axis=axis, name=name or "stack")


def _alike(values: list[Any]) -> bool:
    """Whether `values` are tensors of one dtype that hold their elements."""
    if not values or type(values[0]) is not EagerTensor or values[0].dtype.kind == "O":
        return False
    dtype = values[0].dtype
    return all(type(v) is EagerTensor and v.dtype is dtype for v in values)


def _items(values: Any) -> list[Any]:
    dtype = next((v.dtype for v in values if isinstance(v, Tensor)), None)
    return [as_tensor(v, dtype) for v in list(values)[:1]]


@provide
def unstack(value: TensorLike, num: int | None = None, axis: int = 0, name: str | None = "unstack") -> list[Tensor]:
    """The slices of `value` along `axis`, as a list; `num` says how many where the shape does not.

    >>> import graphrt as tf
    >>> [t.numpy().tolist() for t in tf.unstack([[1, 2], [3, 4]], axis=1)]
    [[1, 3], [2, 4]]

    Raises:
      ValueError: `axis` is out of range, or the number of slices is not known.
    """
    tensor = as_tensor(value)
    if num is None:
        if tensor.dims is not None:
            rank = len(tensor.dims)
            if not -rank <= axis < rank:
                raise ValueError(errors.at_user_line(f"Argument `axis` = {axis} not in range [{-rank}, {rank})"))
            num = tensor.dims[axis]
        if num is None:
            raise ValueError(errors.at_user_line(f"Cannot infer argument `num` from shape {tensor.shape}"))
    return Unpack(tensor, num=num, axis=axis, name=name or "unstack") if num else []


# --- ConcatV2 --------------------------------------------------------------------------------------------------------
def _concat_dims(c: Any) -> Dims:
    count = c.attrs["N"]
    axis = const_int(c, count)
    rank = next((len(c.dims(i)) for i in range(count) if c.dims(i) is not None), None)
    if rank is None:
        return None
    if rank == 0:
        raise ShapeError("Can't concatenate scalars (use tf.stack instead)")
    for i in range(count):
        if len(c.dims(i) or (None,) * rank) != rank:
            first = next(c.dims(j) for j in range(count) if c.dims(j) is not None)
            raise ShapeError(
                f"Ranks of all input tensors should match: shape[0] = {text_of(first)} vs. shape[{i}] = "
                f"{text_of(c.dims(i))}"
            )
    if axis is None:
        return (None,) * rank
    if not -rank <= axis < rank:
        raise ShapeError(f"Expected concatenating dimensions in the range [{-rank}, {rank}), but got {axis}")
    axis += rank if axis < 0 else 0
    total: int | None = 0
    dims: list[int | None] = [None] * rank
    for i in range(count):
        each = c.dims(i) or (None,) * rank
        size = each[axis]
        total = None if total is None or size is None else total + size
        for k in range(rank):
            if k == axis or each[k] is None:
                continue
            if dims[k] is not None and dims[k] != each[k]:
                raise ShapeError(
                    f"Dimension {k} in both shapes must be equal: shape[0] = {text_of(c.dims(0))} vs. shape[{i}] = "
                    f"{text_of(c.dims(i))}"
                )
            dims[k] = each[k]
    dims[axis] = total
    return tuple(dims)


def _concat_entries(c: InferContext) -> list[int | None] | None:
    found: list[Any] = []
    for i in range(c.attrs["N"]):
        known = entries(c.inputs[i]) if c.rank(i) == 1 and c.dtype(i).kind in "iu" else None
        if known is None:
            return None
        found += known
    return found if len(found) <= 64 else None


def _concat_kernel(values: list[Any], axis: Array) -> Array:
    at = int(axis)
    try:
        return np.concatenate(values, at)
    except (ValueError, IndexError):
        raise bad("ConcatOp : " + _concat_trouble([np.shape(v) for v in values], at)) from None


def _concat_trouble(shapes: list[Any], axis: int) -> str:
    first = shapes[0]
    if not first:
        return "Can't concatenate scalars (use tf.stack instead)"
    rank = len(first)
    for i, dims in enumerate(shapes):
        if len(dims) != rank:
            return (
                f"Ranks of all input tensors should match: shape[0] = {text_of(first)} vs. shape[{i}] = {text_of(dims)}"
            )
    if not -rank <= axis < rank:
        return f"Expected concatenating dimensions in the range [{-rank}, {rank}), but got {axis}"
    axis += rank if axis < 0 else 0
    for i, dims in enumerate(shapes):
        for k in range(rank):
            if k != axis and dims[k] != first[k]:
                return (
                    f"Dimension {k} in both shapes must be equal: shape[0] = {text_of(first)} vs. shape[{i}] = "
                    f"{text_of(dims)}"
                )
    return "the inputs do not fit"


def _concat_vjp(call: Any, g: object) -> list[Any]:
    values, axis = call.inputs[:-1], call.inputs[-1]
    known = static_array(axis)
    if known is not None and all(v.dims is not None and v.dims[int(known)] is not None for v in values):
        sizes: Any = np.array([v.dims[int(known)] for v in values], np.int32)
    else:
        at = FloorMod(axis, cast(rank_(values[0]), axis.dtype))
        sizes = stack([ops.GatherV2(shape(v), at, 0) for v in values])
    return [*SplitV(g, sizes, axis if axis.dtype is int32 else cast(axis, int32), num_split=len(values)), None]


ConcatV2 = define(
    "ConcatV2", "values: N * T, axis: Tidx[0] -> output: T", attrs="N: int >= 2; T: type; Tidx: type = int32",
    allowed={"Tidx": INDEX}, infer=_concat_dims, kernel=_concat_kernel, vjp=_concat_vjp, partial=_concat_entries,
)  # fmt: skip


@provide
@bounded
def concat(values: TensorLike, axis: Any, name: str | None = "concat") -> Tensor:
    """Joins tensors along their dimension `axis`; the other dimensions must agree.

    >>> import graphrt as tf
    >>> tf.concat([[[1, 2]], [[3, 4]]], 0).numpy().tolist()
    [[1, 2], [3, 4]]

    Raises:
      InvalidArgumentError: the shapes do not fit (ValueError too, where they are known while tracing).
    """
    if type(values) is list and type(axis) is int and _alike(values) and runs_now():
        try:
            return of_now(np.concatenate([raw_of(v) for v in values], axis), values[0])
        except ValueError:
            pass  # the long way finds the message
    if isinstance(values, Repeatable):  # a list that grew in a staged loop
        joined: Tensor = values.joined(axis)
        return joined
    if not isinstance(values, (list, tuple)):
        values = [values]
    if not values:
        raise errors.ShapeError(errors.at_user_line("concat needs at least one tensor [Op:ConcatV2]"))
    if len(values) == 1:
        with scope(name, "concat") as own:
            at = convert_to_tensor(axis, dtype=None, dtype_hint=int32, name="concat_dim")
            if at.dims not in ((), None):
                raise ValueError(errors.at_user_line(f"axis must be a scalar, got shape {at.shape}"))
            return Identity(values[0], name="concat" if own else None)
    if runs_now() and np.shape(axis) == (1,):  # the kernel takes it, graphs do not
        axis = np.asarray(axis)[0]
    return ConcatV2(list(values), axis, name=name or "concat")


# --- Split, SplitV ---------------------------------------------------------------------------------------------------
def _split_dims(c: InferContext) -> list[Dims]:
    axis, dims, num = const_int(c, 0), c.dims(1), c.attrs["num_split"]
    if num < 1:
        raise ShapeError(f"num_split must be at least 1, got {num}")
    if dims is None:
        return [None] * num
    if axis is None:
        return [(None,) * len(dims)] * num
    if not -len(dims) <= axis < len(dims):
        raise ShapeError(f"-input rank(-{len(dims)}) <= split_dim < input rank ({len(dims)}), but got {axis}")
    axis += len(dims) if axis < 0 else 0
    each = None
    if dims[axis] is not None:
        if dims[axis] % num:
            raise ShapeError(
                f"Dimension size must be evenly divisible by {num} but is {dims[axis]}. Number of ways to split should "
                "evenly divide the split dimension"
            )
        each = dims[axis] // num
    return [dims[:axis] + (each,) + dims[axis + 1 :]] * num


def _split_kernel(axis: Array, x: Array, *, num_split: int) -> list[Any]:
    rank, at = np.ndim(x), int(axis)
    if not -rank <= at < rank:
        raise bad(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {at}")
    if num_split < 1 or np.shape(x)[at] % num_split:
        raise bad(
            "Number of ways to split should evenly divide the split dimension, but got split_dim "
            f"{at} (size = {np.shape(x)[at]}) and num_split {num_split}"
        )
    return _parts(x, at, [np.shape(x)[at] // num_split] * num_split)


def _parts(x: Array, axis: int, sizes: Iterable[int]) -> list[Any]:
    """Views of `x`, one behind the other; `numpy.split` takes several times as long to make them."""
    before = (slice(None),) * (axis % x.ndim)
    edges = itertools.accumulate(sizes, initial=0)
    return [x[(*before, slice(a, b))] for a, b in itertools.pairwise(edges)]


Split = define(
    "Split", "split_dim: int32, value: T -> output: num_split * T", attrs="num_split: int >= 1; T: type",
    infer=_split_dims, kernel=_split_kernel, traits=(ALIASES,),
    vjp=lambda call, *gs: [None, ConcatV2(_filled(call, gs), call.inputs[0])],
)  # fmt: skip


def _splitv_dims(c: InferContext) -> list[Dims]:
    dims, sizes, axis, num = c.dims(0), entries(c.inputs[1]), const_int(c, 2), c.attrs["num_split"]
    if dims is None:
        return [None] * num
    if axis is None:
        return [(None,) * len(dims)] * num
    if not -len(dims) <= axis < len(dims):
        raise ShapeError(f"-input rank(-{len(dims)}) <= split_dim < input rank ({len(dims)}), but got {axis}")
    axis += len(dims) if axis < 0 else 0
    sizes = sizes or [None] * num
    if len(sizes) != num:
        raise ShapeError(f"Length of size_splits should be equal to num_outputs, got {len(sizes)} and {num}")
    total = dims[axis]
    given = c.const(1) is not None
    if given and total is not None:
        sizes = _full_sizes([int(s or 0) for s in sizes], total, ShapeError)
    return [dims[:axis] + (None if s is None or s < 0 else s,) + dims[axis + 1 :] for s in sizes]


def _full_sizes(sizes: list[int], total: int, fail: Callable[..., Any] | type) -> list[Any]:
    known = sum(s for s in sizes if s >= 0)
    if sizes.count(-1) > 1:
        raise fail("Only one dimensions can have a value of -1.")
    if (-1 in sizes and known > total) or (-1 not in sizes and known != total):
        raise fail(
            "Determined shape must either match input shape along split_dim exactly if fully specified, or be less "
            f"than the size of the input along split_dim if not fully specified.  Got: {known}"
        )
    return [total - known if s == -1 else s for s in sizes]


def _splitv_kernel(x: Array, sizes: Array, axis: Array, *, num_split: int) -> list[Any]:
    rank, at = np.ndim(x), int(axis)
    if not -rank <= at < rank:
        raise bad(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {at}")
    full = _full_sizes(ints(sizes), np.shape(x)[at], bad)
    if len(full) != num_split:
        raise bad(f"Length of size_splits should be equal to num_outputs, got {len(full)} and {num_split}")
    if any(s < 0 for s in full):
        raise bad(f"Split size at index {next(i for i, s in enumerate(full) if s < 0)} must be >= 0.")
    return _parts(x, at, full)


SplitV = define(
    "SplitV", "value: T[1+], size_splits: Tlen, split_dim: int32 -> output: num_split * T",
    attrs="num_split: int >= 1; T: type; Tlen: type = int64", allowed={"Tlen": INDEX},
    infer=_splitv_dims, kernel=_splitv_kernel, traits=(ALIASES,),
    vjp=lambda call, *gs: [ConcatV2(_filled(call, gs), call.inputs[2]), None, None],
)  # fmt: skip


@provide
def split(
    value: TensorLike, num_or_size_splits: TensorLike, axis: AxisLike = 0, num: int | None = None,
    name: str | None = "split"
) -> list[Tensor]:  # fmt: skip
    """The parts of `value` along `axis`: so many equal ones, or parts of the given sizes (one may be -1).

    >>> import graphrt as tf
    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4, 5], [1, -1])]
    [[1], [2, 3, 4, 5]]

    Raises:
      InvalidArgumentError: the sizes do not fit (ValueError too, where they are known while tracing).
      ValueError: the number of parts is not known.
    """
    if isinstance(num_or_size_splits, (int, np.integer)) and not isinstance(num_or_size_splits, bool):
        return Split(axis, value, num_split=int(num_or_size_splits), name=name or "split")
    sizes = convert_to_tensor(num_or_size_splits)
    if sizes.dims == ():
        raise ValueError(
            errors.at_user_line("Scalar tensors for `num_or_size_splits` are not supported: give a Python int.")
        )
    if num is None:
        num = sizes.dims[0] if sizes.dims is not None and len(sizes.dims) == 1 else None
        if num is None:
            raise ValueError(
                errors.at_user_line(f"Cannot infer argument `num` from shape {TensorShape(sizes.dims)}: pass num=...")
            )
    return SplitV(value, sizes, axis, num_split=num, name=name or "split")


def _parallel(values: list[Array], *, shape: Dims) -> Array:
    wrong = next(
        (v for v in values if np.shape(v)[:1] != (1,) or (shape is not None and v.shape[1:] != shape[1:])), None
    )
    if wrong is not None or (shape is not None and shape[0] != len(values)):
        found = np.shape(values[0] if wrong is None else wrong)
        raise bad(
            f"{len(values)} values of one row each do not make the shape {text_of(shape)}: found {text_of(found)}"
        )
    return np.concatenate(values, 0)


ParallelConcat = define(
    "ParallelConcat", "values: N * T -> output: T", attrs="N: int >= 1; T: type; shape: shape",
    infer=lambda c: tuple(c.attrs["shape"]) if c.attrs["shape"] is not None else None,
    kernel=_parallel, vjp=lambda call, g: split(g, len(call.inputs), 0),
)  # fmt: skip


def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """Tensors of one static shape, stacked.

    >>> import graphrt as tf
    >>> tf.parallel_stack([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [3, 4]]

    Raises:
      ValueError: a shape is not known.
    """
    with scope(name, "parallel_stack"):
        found = [as_tensor(v) for v in values]
        if not found:
            raise ValueError(errors.at_user_line("parallel_stack needs at least one tensor"))
        dims = found[0].dims
        if dims is None or None in dims:
            raise ValueError(errors.at_user_line("parallel_stack needs tensors of a static shape"))
        return ParallelConcat([ExpandDims(v, 0) for v in found], shape=[len(found), *dims])
