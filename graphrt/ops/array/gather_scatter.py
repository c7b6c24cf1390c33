"""Elements picked by index, and put back by index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import ALIASES, KEEPS_KIND, OpDef, define, ops, provide  # late: math.segments imports this file
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.indexed_slices import indexed_slices
from graphrt.ops.array.shape import broadcast_to, reshape, squeeze, transpose
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import getitem
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.reduction import reduce_prod
from graphrt.ops.support.kernel_helpers import axis_in, bad, const_int, entries, of_now, text_of, unwrapped
from graphrt.ops.support.shape_rules import as_tensor, runs_now
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike, raw_of, static_array
from graphrt.types.accumulate import combine_at
from graphrt.types.dtype import INDEX, DType, as_dtype, int32
from graphrt.types.likes import Array, AxisLike, ShapeLike
from graphrt.types.shape import Dims, merge

__all__ = [
    "gather", "gather_nd", "scatter_nd", "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub", "tensor_scatter_nd_update",
]  # fmt: skip

_ND_INDEX = (as_dtype("int16"), *INDEX)


# --- GatherV2 --------------------------------------------------------------------------------------------------------
def _gathered_dims(c: InferContext) -> Dims:
    params, indices, axis, batch = c.dims(0), c.dims(1), const_int(c, 2), c.attrs["batch_dims"]
    if params is None or indices is None:
        return None
    if not params:
        raise ShapeError("params must be at least 1 dimensional")
    if batch < 0:
        batch += len(indices)
    if axis is None:
        return (None,) * (len(params) + len(indices) - 1 - batch)
    if not -len(params) <= axis < len(params):
        raise ShapeError(f"Shape must be at least rank {axis + 1 if axis >= 0 else -axis} but is rank {len(params)}")
    axis += len(params) if axis < 0 else 0
    if batch > axis:
        raise ShapeError(f"batch_dims ({batch}) must be less than or equal to axis ({axis}).")
    lead = tuple(merge((p,), (i,))[0] for p, i in zip(params[:batch], indices[:batch]))  # type: ignore[index]
    return lead + params[batch:axis] + indices[batch:] + params[axis + 1 :]


def _gather_entries(c: InferContext) -> list[int | None] | None:
    if c.rank(0) != 1 or c.rank(1) not in (0, 1) or c.dtype(0).kind not in "iu":
        return None
    known, indices = entries(c.inputs[0]), c.const(1)
    if known is None or indices is None or c.attrs["batch_dims"]:
        return None
    places = np.ravel(indices).tolist()
    if any(not 0 <= i < len(known) for i in places):
        return None
    return [known[i] for i in places] if c.rank(1) else known[places[0]]


def _gather_kernel(params: Any, indices: Any, axis: Array | int, *, batch_dims: int) -> Array:
    rank = np.ndim(params)
    if not rank:
        raise bad("params must be at least 1 dimensional")
    try:
        at = axis_in(int(axis), rank)
    except IndexError:
        raise bad(
            f"Shape must be at least rank {int(axis) + 1 if axis >= 0 else -int(axis)} but is rank {rank}"
        ) from None
    size = params.shape[at]
    if type(indices) is np.int32 or type(indices) is np.int64:  # one row, as loops over rows want it
        if not 0 <= indices < size:
            raise bad(f"indices = {indices} is not in [0, {size})")
        return unwrapped(params[indices] if at == 0 else np.take(params, indices, at))
    batch = batch_dims + np.ndim(indices) if batch_dims < 0 else batch_dims
    if isinstance(indices, np.ndarray):
        if indices.size and (indices.min() < 0 or indices.max() >= size):
            where = np.argwhere((indices < 0) | (indices >= size))[0]
            raise bad(f"indices{text_of(where)} = {indices[tuple(where)]} is not in [0, {size})")
    elif not 0 <= indices < size:
        raise bad(f"indices = {indices} is not in [0, {size})")
    if batch == 0:
        return unwrapped(np.take(params, indices, at))
    if batch > at:
        raise bad(f"batch_dims ({batch}) must be less than or equal to axis ({at}).")
    if params.shape[:batch] != indices.shape[:batch]:
        raise bad(
            f"params.shape{text_of(params.shape[:batch])} should be equal to indices.shape"
            f"{text_of(indices.shape[:batch])} in the first {batch} dimensions"
        )
    moved = np.moveaxis(params, at, batch)  # batch..., axis, between..., rest...
    grids = np.ogrid[tuple(slice(d) for d in indices.shape)]
    found = moved[(*grids[:batch], indices)]  # batch..., indices..., between..., rest...
    extra = indices.ndim - batch
    for _ in range(at - batch):  # each dimension between batch and axis goes in front of the indices
        found = np.moveaxis(found, batch + extra + (at - batch) - 1, batch)
    return unwrapped(found)


def _gather_vjp(call: Any, g: Any) -> Any:
    params, indices, axis = call.inputs
    batch = call.attrs["batch_dims"]
    known = static_array(axis)
    if known is not None and int(known) == batch == 0:
        return [indexed_slices(g, indices, shape_(params)), None, None]
    if params.dims is None or indices.dims is None or known is None:
        raise LookupError("the gradient of gather needs the ranks of params and indices, and a constant axis")
    rank, k = len(params.dims), len(indices.dims)
    at = int(known) % rank
    batch += k if batch < 0 else 0
    shape = shape_(params)
    # g: batch..., between..., indices..., rest...  ->  batch..., indices..., between..., rest...
    between, extra = at - batch, k - batch
    if between:
        order = [*range(batch), *range(at, at + extra), *range(batch, at), *range(at + extra, rank - 1 + extra)]
        g = transpose(g, order)
    size = getitem(shape, at)
    lead: Any = reduce_prod(getitem(shape, slice(None, batch))) if batch else None
    tail = concat([getitem(shape, slice(batch, at)), getitem(shape, slice(at + 1, None))], 0)
    places = indices if indices.dtype is int32 else cast(indices, int32)
    if batch:
        offset = reshape(range_(lead), concat([getitem(shape, slice(None, batch)), [1] * extra], 0))
        places = places + offset * size
    places = reshape(places, [-1])
    rows = size * lead if batch else size
    flat = reshape(g, concat([shape_(places), tail], 0))
    total = ops.UnsortedSegmentSum(flat, places, rows)
    parts = [getitem(shape, slice(None, batch)), stack([size]), tail]
    total = reshape(total, concat(parts, 0))
    if between:  # the gathered dimension goes back behind those between
        total = transpose(total, [*range(batch), *range(batch + 1, at + 1), batch, *range(at + 1, rank)])
    return [reshape(total, shape), None, None]


GatherV2 = define(
    "GatherV2", "params: Tparams[1+], indices: Tindices, axis: Taxis[0] -> output: Tparams", attrs="batch_dims: int = 0",
    allowed={"Tindices": _ND_INDEX, "Taxis": INDEX},
    infer=_gathered_dims, kernel=_gather_kernel, vjp=_gather_vjp, partial=_gather_entries, traits=(ALIASES, KEEPS_KIND),
)  # fmt: skip


def whole(x: Any) -> Tensor:
    """`x`, whose gradient is a tensor, and not rows of one: for functions that happen to look up rows."""
    return reshape(x, shape_(x))


@provide
def gather(
    params: TensorLike, indices: TensorLike, validate_indices: Any = None, axis: AxisLike = None, batch_dims: int = 0,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The slices of `params` along `axis` (by default `batch_dims`) whose numbers are in `indices`.

    >>> import graphrt as tf
    >>> tf.gather([[1, 2], [3, 4], [5, 6]], [2, 0]).numpy().tolist()
    [[5, 6], [1, 2]]

    Raises:
      InvalidArgumentError: an index is not in range (negative ones never are).
    """
    if axis is None:
        axis = batch_dims
    if type(params) is EagerTensor and type(axis) is int and runs_now() and params.dtype.kind != "O":
        places = (
            raw_of(indices)
            if type(indices) is EagerTensor and indices.dtype in INDEX
            else (
                np.array(indices, np.int32) if type(indices) is list and all(type(i) is int for i in indices) else None
            )
        )
        if places is not None:
            try:
                return of_now(_gather_kernel(raw_of(params), places, axis, batch_dims=batch_dims), params)
            except (errors.OpError, ValueError, OverflowError):
                pass  # the long way finds the message
    return GatherV2(params, indices, axis, batch_dims=batch_dims, name=name)


# --- GatherNd, ScatterNd ---------------------------------------------------------------------------------------------
def _gather_nd_dims(c: InferContext) -> Dims:
    params, indices = c.dims(0), c.dims(1)
    if params is None or indices is None or not indices or indices[-1] is None:
        return None
    if indices[-1] > len(params):
        raise ShapeError(f"indices.shape[-1] must be <= params.rank, but saw indices shape: {text_of(indices)} and "
                         f"params shape: {text_of(params)}")  # fmt: skip
    return indices[:-1] + params[indices[-1] :]


def _columns(indices: Array, dims: tuple[int, ...], what: str) -> tuple[Any, ...]:
    """The index vectors in `indices` as one index array per dimension, checked against `dims`."""
    depth = indices.shape[-1]
    sizes = np.array(dims[:depth], np.int64)
    wrong = (indices < 0) | (indices >= sizes)
    if wrong.any():
        where = np.argwhere(wrong.any(axis=-1))[0]
        label = "indices" + (text_of(where) if len(where) else "")
        shown = "[" + ", ".join(str(v) for v in indices[tuple(where)].tolist()) + "]"
        raise bad(f"{label} = {shown} does not index into {what} {text_of(dims)}")
    return tuple(indices[..., i] for i in range(depth))


def _gather_nd_kernel(params: Array, indices: Array, *, bad_indices_policy: str) -> Array:
    if np.ndim(indices) < 1:
        raise bad("indices must be at least a vector")
    dims = np.shape(params)
    if indices.shape[-1] > len(dims):
        raise bad(f"index innermost dimension length must be <= params rank; saw: {indices.shape[-1]} vs. {len(dims)}")
    if indices.shape[-1] == 0:
        return np.broadcast_to(params, indices.shape[:-1] + dims).copy()
    return unwrapped(np.asarray(params)[_columns(indices, dims, "param shape")])


GatherNd = define(
    "GatherNd", "params: Tparams, indices: Tindices[1+] -> output: Tparams", attrs="bad_indices_policy: string = ''",
    allowed={"Tindices": _ND_INDEX}, infer=_gather_nd_dims, kernel=_gather_nd_kernel,
    vjp=lambda call, g: _gather_nd_vjp(call, g), traits=(ALIASES,),
)  # fmt: skip


def _gather_nd_vjp(call: Any, g: object) -> list[Any]:
    params, indices = call.inputs
    shape = shape_(params, out_type=_shape_type(indices))
    if indices.dims is not None and len(indices.dims) == 2 and indices.dims[1] == 1:
        return [indexed_slices(g, squeeze(indices, [1]), shape), None]
    return [ScatterNd(indices, g, shape), None]


def _shape_type(indices: Tensor) -> DType:
    return indices.dtype if indices.dtype in INDEX else int32


@provide
def gather_nd(
    params: TensorLike, indices: TensorLike, batch_dims: int = 0, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """The elements or slices of `params` that the index vectors in the last dimension of `indices` name.

    >>> import graphrt as tf
    >>> tf.gather_nd([[1, 2], [3, 4]], [[1, 0], [0, 1]]).numpy().tolist()
    [3, 2]

    Raises:
      InvalidArgumentError: an index vector is out of range.
    """
    if batch_dims == 0:
        return GatherNd(params, indices, name=name, bad_indices_policy=bad_indices_policy)
    data, places = as_tensor(params), as_tensor(indices)
    if places.dims is None or data.dims is None:
        raise ValueError(errors.at_user_line("gather_nd with batch_dims needs tensors of known rank"))
    if not 0 < batch_dims < len(places.dims) or batch_dims >= len(data.dims):
        raise ValueError(
            errors.at_user_line(
                f"batch_dims = {batch_dims} must be less than rank(indices) = {len(places.dims)} and rank(params) = "
                f"{len(data.dims)}"
            )
        )
    shape = shape_(places)
    grids = []
    for i in range(batch_dims):
        steps = cast(range_(getitem(shape, i)), places.dtype)
        steps = reshape(steps, [1] * i + [-1] + [1] * (len(places.dims) - i - 1))
        target = concat([getitem(shape, slice(None, -1)), [1]], 0)
        grids.append(broadcast_to(steps, target))
    return GatherNd(data, concat([*grids, places], -1), name=name)


def _check_scatter(indices: Array, updates: Array, dims: tuple[int, ...], tensor: bool) -> None:
    outer = indices.shape[:-1]
    depth = indices.shape[-1] if indices.ndim else 0
    if depth > len(dims):
        raise bad(
            f"Last dimension of indices must be less than or equal to the rank of the output: {depth} vs. {len(dims)}"
        )
    wanted = outer + tuple(dims[depth:])
    if np.shape(updates) == wanted or (not indices.size and not np.size(updates)):
        return
    if np.shape(updates)[: len(outer)] != outer:
        if tensor:
            raise bad(
                "Outer dimensions of indices and update must match. Indices shape: "
                f"{text_of(indices.shape)}, updates shape:{text_of(np.shape(updates))}"
            )
        n = len(outer)
        raise bad(
            f"Dimensions [0,{n}) of indices[shape={text_of(indices.shape)}] must match dimensions [0,{n}) of "
            f"updates[shape={text_of(np.shape(updates))}]"
        )
    raise bad(
        f"Inner dimensions of output shape must match inner dimensions of updates shape. Output: {text_of(dims)} "
        f"updates: {text_of(np.shape(updates))}"
    )


def _scatter_kernel(indices: Array, updates: Array, shape: Array, *, bad_indices_policy: str) -> Array:
    dims = tuple(shape.tolist())
    _check_scatter(indices, updates, dims, False)
    values = np.asarray(updates)
    if values.dtype == object:
        out = np.empty(dims, object)
        out[...] = b""
        if indices.size or indices.shape[-1:] == (0,):  # texts are added, too
            _accumulate(out, indices, values, np.add)
        return out
    out = np.zeros(dims, values.dtype)
    if indices.size or indices.shape[-1:] == (0,):
        _accumulate(out, indices, values, np.add if values.dtype != np.bool_ else np.logical_or)
    return out


def _accumulate(out: Array, indices: Array, values: Array, ufunc: np.ufunc) -> None:
    dims = out.shape
    if indices.shape[-1] == 0:
        for v in values.reshape((-1, *dims)):
            out[...] = ufunc(out, v)
        return
    combine_at(ufunc, out, _columns(indices, dims, "shape"), values)


def _scatter_dims(c: InferContext) -> Dims:
    found = c.shape_from(2)
    indices, updates = c.dims(0), c.dims(1)
    if found is not None and indices and indices[-1] is not None and updates is not None and None not in found:
        depth = indices[-1]
        if depth <= len(found):
            wanted = indices[:-1] + found[depth:]
            try:
                merge(wanted, updates)
            except ShapeError:
                if not (0 in updates or 0 in indices):
                    n = len(indices) - 1
                    raise ShapeError(
                        f"Dimensions [0,{n}) of indices[shape={text_of(indices)}] must match dimensions [0,{n}) of "
                        f"updates[shape={text_of(updates)}]"
                    ) from None
    return found


ScatterNd = define(
    "ScatterNd",
    "indices: Tindices[1+], updates: T[1+], shape: Tindices[1] -> output: T", attrs="bad_indices_policy: string = ''",
    allowed={"Tindices": _ND_INDEX}, infer=_scatter_dims, kernel=_scatter_kernel,
    vjp=lambda call, g: [None, GatherNd(g, call.inputs[0]), None],
)  # fmt: skip


@provide
def scatter_nd(
    indices: TensorLike, updates: TensorLike, shape: ShapeLike, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """Zeros of shape `shape`, with `updates` added at the places that the index vectors in `indices` name.

    >>> import graphrt as tf
    >>> tf.scatter_nd([[1], [1], [0]], [1, 2, 3], [3]).numpy().tolist()
    [3, 3, 0]

    Raises:
      InvalidArgumentError: an index vector is out of range, or the shapes do not fit.
    """
    return ScatterNd(indices, updates, shape, name=name, bad_indices_policy=bad_indices_policy)


def _update(ufunc: np.ufunc | None) -> Callable[..., Any]:
    def kernel(x: Array, indices: Array, updates: Array, *, bad_indices_policy: str) -> Array:
        _check_scatter(indices, updates, np.shape(x), True)
        if np.ndim(x) < 1:
            raise bad("Tensor must be at least 1-D")
        out = np.array(x)
        values = np.asarray(updates)
        if not indices.size:
            return out
        if ufunc is None:
            out[_columns(indices, out.shape, "shape")] = values
        else:
            _accumulate(out, indices, values, ufunc)
        return out

    return kernel


def _masked(call: Any, g: Any) -> Tensor:
    """`g` with zeros at the places that were written."""
    zeros = zeros_like(GatherNd(g, call.inputs[1]))
    return TensorScatterUpdate(g, call.inputs[1], zeros)


def _extreme_vjp(call: Any, g: Any) -> list[Any]:
    x, indices, updates = call.inputs
    out = call.outputs[0]
    new = GatherNd(out, indices)
    here = cast(Equal(updates, new), g.dtype)
    stays = cast(Equal(x, out), g.dtype)
    share = stays + ScatterNd(indices, here, shape_(x, out_type=_shape_type(indices)))
    each = g / share
    return [each * stays, None, GatherNd(each, indices) * here]


def _update_dims(c: InferContext) -> Dims:
    dims, indices, updates = c.dims(0), c.dims(1), c.dims(2)
    if dims is not None and indices and indices[-1] is not None and updates is not None and indices[-1] <= len(dims):
        try:
            merge(indices[:-1] + dims[indices[-1] :], updates)
        except ShapeError:
            if not (0 in updates or 0 in indices):
                raise ShapeError(
                    f"The shapes of indices {text_of(indices)} and updates {text_of(updates)} do not fit a tensor of "
                    f"shape {text_of(dims)}"
                ) from None
    return dims


def _declare_update(type_: str, ufunc: np.ufunc | None, vjp: Callable[..., Any]) -> OpDef:
    return define(
        type_, "tensor: T[1+], indices: Tindices[1+], updates: T -> output: T", attrs="bad_indices_policy: string = ''",
        allowed={"Tindices": _ND_INDEX}, infer=_update_dims, kernel=_update(ufunc), vjp=vjp,
    )  # fmt: skip


TensorScatterUpdate = _declare_update(
    "TensorScatterUpdate", None, lambda call, g: [_masked(call, g), None, GatherNd(g, call.inputs[1])]
)
TensorScatterAdd = _declare_update("TensorScatterAdd", np.add, lambda call, g: [g, None, GatherNd(g, call.inputs[1])])
TensorScatterSub = _declare_update(
    "TensorScatterSub", np.subtract, lambda call, g: [g, None, -GatherNd(g, call.inputs[1])]
)
TensorScatterMin = _declare_update("TensorScatterMin", np.minimum, _extreme_vjp)
TensorScatterMax = _declare_update("TensorScatterMax", np.maximum, _extreme_vjp)


@provide
def tensor_scatter_nd_update(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, name: str | None = None
) -> Tensor:
    """A copy of `tensor` with `updates` in the places that the index vectors in `indices` name.

    >>> import graphrt as tf
    >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [7, 8]).numpy().tolist()
    [7, 2, 8]

    Raises:
      InvalidArgumentError: an index vector is out of range, or the shapes do not fit.
    """
    return TensorScatterUpdate(tensor, indices, updates, name=name)


def tensor_scatter_nd_add(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """A copy of `tensor` with `updates` added in the places that the index vectors in `indices` name.

    >>> import graphrt as tf
    >>> tf.tensor_scatter_nd_add([1, 2], [[0], [0]], [7, 8]).numpy().tolist()
    [16, 2]

    Raises:
      InvalidArgumentError: an index vector is out of range, or the shapes do not fit.
    """
    return TensorScatterAdd(tensor, indices, updates, name=name, bad_indices_policy=bad_indices_policy)


def tensor_scatter_nd_sub(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """A copy of `tensor` with `updates` subtracted in the places that the index vectors in `indices` name.

    >>> import graphrt as tf
    >>> tf.tensor_scatter_nd_sub([1, 2], [[0]], [7]).numpy().tolist()
    [-6, 2]

    Raises:
      InvalidArgumentError: an index vector is out of range, or the shapes do not fit.
    """
    return TensorScatterSub(tensor, indices, updates, name=name, bad_indices_policy=bad_indices_policy)


def tensor_scatter_nd_max(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """A copy of `tensor` with the greater of element and update in the places that `indices` names.

    >>> import graphrt as tf
    >>> tf.tensor_scatter_nd_max([1, 9], [[0], [1]], [7, 8]).numpy().tolist()
    [7, 9]

    Raises:
      InvalidArgumentError: an index vector is out of range, or the shapes do not fit.
    """
    return TensorScatterMax(tensor, indices, updates, name=name, bad_indices_policy=bad_indices_policy)


def tensor_scatter_nd_min(
    tensor: TensorLike, indices: TensorLike, updates: TensorLike, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """A copy of `tensor` with the lesser of element and update in the places that `indices` names.

    >>> import graphrt as tf
    >>> tf.tensor_scatter_nd_min([1, 9], [[0], [1]], [7, 8]).numpy().tolist()
    [1, 8]

    Raises:
      InvalidArgumentError: an index vector is out of range, or the shapes do not fit.
    """
    return TensorScatterMin(tensor, indices, updates, name=name, bad_indices_policy=bad_indices_policy)
