"""The ops on variables. Their resource input is a handle: a tensor whose element is a `Storage`.

In a generated program a read is `r.value` and an assignment of known shape `r.value = x`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.code import Code, Template, sign
from graphrt.ir.graph import InferContext, Node, Value
from graphrt.ir.op import (  # late: start-up
    FRESH,
    QUIET,
    READS,
    SETS,
    STATEFUL,
    TAKES_SLICES,
    TYPED,
    UNORDERED,
    OpDef,
    define,
    ops,
)
from graphrt.state.storage import Storage, check_assigned, update_mismatch
from graphrt.types import dtype as dtypes
from graphrt.types.accumulate import combine_at
from graphrt.types.dtype import DType
from graphrt.types.likes import Array, TensorLike
from graphrt.types.shape import Dims, compatible, is_static, merge

NUMBERS = dtypes.NUMERIC
INDEX: dict[str, tuple[dtypes.DType, ...]] = {"Tindices": dtypes.INDEX}


def storage_of(value: Value) -> Storage | None:
    """The storage behind a handle, when it is known while tracing."""
    return value.info if isinstance(value.info, Storage) else None


def handle_dims(value: Value) -> Dims:
    """Static shape of the variable behind a handle."""
    storage = storage_of(value)
    if storage is not None:
        return storage.dims
    if value.node is not None and value.node.op is VarHandleOp:
        return value.node.attrs["shape"]
    return None


# --- reading and assigning -------------------------------------------------------------------------------------------
def _handle_kernel(*, dtype: DType, shape: tuple[int | None, ...], shared_name: str) -> Storage:
    return Storage(dtype, shape, shared_name or "Variable", True)


# What programs say of a variable.
_INITIALIZED = Template("{}({}.initialized)")
_READ = Template("{}.value")
_STORED = Template("{}.value = {}")
_ASSIGNED = Template("{}.assign({})")
_LOCKED = Template("with {}.lock:")
_UPDATED_HERE = Template("{0}.value = {0}.value {1} {2}")
_UPDATED_OVER = Template("{0}.value = {1}({0}.value, {2}, out={2})")
_UPDATED = Template("{}.update({}, {})")

VarHandleOp = define(
    "VarHandleOp", "-> resource: resource",
    attrs="container: string = ''; shared_name: string = ''; debug_name: string = ''; dtype: type; shape: shape; "
    "allowed_devices: list(string) = []",
    infer=lambda c: (), kernel=_handle_kernel, traits=(STATEFUL, UNORDERED),
)  # fmt: skip

VarIsInitializedOp = define(
    "VarIsInitializedOp", "resource: resource -> is_initialized: bool",
    infer=lambda c: (), kernel=lambda r: np.bool_(r.initialized),
    vjp=lambda call, *grads: [None] * len(call.inputs), traits=(STATEFUL, READS),
    emit=lambda e, node, inputs: [_INITIALIZED(e.bind(np.bool_, "bool_"), inputs[0])],
)  # fmt: skip


def _destroy(resource: Storage, *, ignore_lookup_error: bool) -> None:
    if resource.initialized:
        del resource.value
    elif not ignore_lookup_error:
        raise errors.NotFoundError(None, None, f"Resource {resource.name} does not exist.")


DestroyResourceOp = define(
    "DestroyResourceOp", "resource: resource ->", attrs="ignore_lookup_error: bool = True",
    infer=lambda c: [], kernel=_destroy, traits=(STATEFUL,),
)  # fmt: skip

ReadVariableOp = define(
    "ReadVariableOp", "resource: resource -> value: dtype", attrs="dtype: type",
    infer=lambda c: handle_dims(c.inputs[0]), kernel=lambda r: r.value, vjp=lambda call, grad: [grad],
    emit=lambda e, node, inputs: [_READ(inputs[0])], traits=(STATEFUL, TYPED, READS, TAKES_SLICES, QUIET),
)  # fmt: skip


def _assign_infer(c: InferContext) -> list[Dims]:
    storage = storage_of(c.inputs[0])
    if storage is not None:
        check_assigned(storage, c.dims(1))
    return []


def _assign_emit(e: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    own, new = handle_dims(node.inputs[0]), node.inputs[1].dims
    fits = node.inputs[0].info is not None and (own is None or (own == new and is_static(own)))
    e.line((_STORED if fits else _ASSIGNED)(inputs[0], inputs[1]))
    return []


AssignVariableOp = define(
    "AssignVariableOp", "resource: resource, value: dtype ->", attrs="validate_shape: bool = False; dtype: type",
    infer=_assign_infer, kernel=lambda r, value: r.assign(value), emit=_assign_emit, traits=(STATEFUL, TYPED, SETS, QUIET),
)  # fmt: skip


def _update_infer(c: InferContext) -> list[Dims]:
    own, other = handle_dims(c.inputs[0]), c.dims(1)
    if not compatible(own, other):
        storage = storage_of(c.inputs[0])
        raise errors.ShapeError(
            update_mismatch(storage, own, other)
            if storage is not None
            else f"Cannot update a variable with shape {own} using a Tensor with shape {other}, shapes must be equal."
        )
    return []


def _update_op(type_: str, symbol: str, combine: np.ufunc) -> OpDef:
    operator = sign(symbol)

    def emit(e: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
        own, other = handle_dims(node.inputs[0]), node.inputs[1].dims
        if own == other and is_static(own):
            with e.block(_LOCKED(inputs[0])):
                if e.may_write_over(node.inputs[1]):
                    e.line(_UPDATED_OVER(inputs[0], e.bind(combine, f"np_{combine.__name__}"), inputs[1]))
                else:
                    e.line(_UPDATED_HERE(inputs[0], operator, inputs[1]))
        else:
            e.line(_UPDATED(inputs[0], inputs[1], e.bind(combine, combine.__name__)))
        return []

    return define(
        type_, "resource: resource, value: dtype ->", attrs="dtype: type", allowed={"dtype": NUMBERS},
        infer=_update_infer, kernel=lambda r, value: r.update(value, combine), emit=emit, traits=(STATEFUL, TYPED, FRESH),
    )  # fmt: skip


AssignAddVariableOp = _update_op("AssignAddVariableOp", "+", np.add)
AssignSubVariableOp = _update_op("AssignSubVariableOp", "-", np.subtract)


VariableShape = define(
    "VariableShape", "input: resource -> output: out_type", attrs="out_type: type = int32",
    infer=lambda c: (None if handle_dims(c.inputs[0]) is None else len(handle_dims(c.inputs[0]) or ()),),
    kernel=lambda r, *, out_type: np.array(np.shape(r.value), out_type.as_numpy_dtype),
    vjp=lambda call, *grads: [None] * len(call.inputs), traits=(STATEFUL, READS),
)  # fmt: skip


# --- gathering -------------------------------------------------------------------------------------------------------
def _check_indices(op: str, indices: Array, size: int) -> None:
    bad = (indices < 0) | (indices >= size)
    if np.any(bad):
        where = np.argwhere(np.atleast_1d(bad))[0]
        value = int(np.atleast_1d(indices)[tuple(where)])
        place = "" if np.ndim(indices) == 0 else "[" + ",".join(map(str, where.tolist())) + "]"
        raise errors.InvalidArgumentError(None, None, f"indices{place} = {value} is not in [0, {size})")


def _gather_infer(c: InferContext) -> Dims:
    own, indices = handle_dims(c.inputs[0]), c.dims(1)
    if own is None or indices is None:
        return None
    batch = c.attrs["batch_dims"]
    if len(own) <= batch:
        raise errors.ShapeError(f"params must be at least {batch + 1} dimensional, found a variable of shape {own}")
    return own[: batch + 1][:batch] + indices[batch:] + own[batch + 1 :]


def _gather_kernel(resource: Any, indices: Any, *, batch_dims: int) -> Array:
    params = resource.value
    _check_indices(ResourceGather.type, indices, np.shape(params)[batch_dims])
    if batch_dims == 0:
        return np.take(params, indices, axis=0)
    flat = np.reshape(params, (-1, *np.shape(params)[batch_dims:]))
    rows = np.reshape(indices, (flat.shape[0], -1))
    taken = np.stack([block[row] for block, row in zip(flat, rows)]) if len(flat) else flat[:, :0]
    return np.reshape(taken, np.shape(indices) + np.shape(params)[batch_dims + 1 :])


def _gather_vjp(call: Any, grad: object) -> list[Any]:
    handle, indices = call.inputs
    shape = VariableShape(handle)
    if call.attrs["batch_dims"]:
        raise LookupError("the gradient of a gather with batch_dims from a variable is not defined: read it first")
    return [ops.indexed_slices(grad, indices, shape), None]


ResourceGather = define(
    "ResourceGather", "resource: resource, indices: Tindices -> output: dtype",
    attrs="batch_dims: int = 0; validate_indices: bool = True; dtype: type", allowed=INDEX,
    infer=_gather_infer, kernel=_gather_kernel, vjp=_gather_vjp, traits=(STATEFUL, TYPED, READS),
)  # fmt: skip


def _gather_nd_infer(c: InferContext) -> Dims:
    own, indices = handle_dims(c.inputs[0]), c.dims(1)
    if indices is not None and not indices:
        raise errors.ShapeError("indices must be at least a vector")
    if own is None or indices is None or indices[-1] is None:
        return None
    if indices[-1] > len(own):
        raise errors.ShapeError(
            f"indices.shape[-1] must be <= params.rank, but saw indices shape {indices} and params {own}"
        )
    return indices[:-1] + own[indices[-1] :]


def _split_indices(indices: Array, dims: tuple[int, ...]) -> tuple[Any, ...]:
    depth = indices.shape[-1]
    for position in range(depth):
        column = indices[..., position]
        bad = (column < 0) | (column >= dims[position])
        if np.any(bad):
            row = np.argwhere(np.atleast_1d(bad))[0].tolist()
            found = indices.reshape(-1, depth)[int(np.flatnonzero(np.ravel(bad))[0])].tolist()
            raise errors.InvalidArgumentError(
                None, None,
                f"indices[{','.join(map(str, row))}] = {found} does not index into param shape {_listed(dims)}",
            )  # fmt: skip
    return tuple(indices[..., position] for position in range(depth))


def _listed(dims: Any) -> str:
    return "[" + ",".join(map(str, dims)) + "]"


def _gather_nd_kernel(resource: Storage, indices: Array) -> Array:
    params = np.asarray(resource.value)
    if not indices.shape[-1]:
        return np.array(np.broadcast_to(params, indices.shape[:-1] + params.shape))
    found = params[_split_indices(indices, params.shape)]
    return np.array(found) if np.ndim(found) else found


def _gather_nd_vjp(call: Any, grad: Any) -> list[Any]:
    handle, indices = call.inputs
    shape = ops.cast(VariableShape(handle), indices.dtype)
    if indices.dims is not None and len(indices.dims) == 2 and indices.dims[1] == 1:
        return [ops.indexed_slices(grad, ops.squeeze(indices, [1]), shape), None]
    return [ops.scatter_nd(indices, grad, shape), None]


ResourceGatherNd = define(
    "ResourceGatherNd", "resource: resource, indices: Tindices -> output: dtype", attrs="dtype: type", allowed=INDEX,
    infer=_gather_nd_infer, kernel=_gather_nd_kernel, traits=(STATEFUL, TYPED, READS),
    vjp=_gather_nd_vjp,
)  # fmt: skip


# --- scattering ------------------------------------------------------------------------------------------------------
def _div(array: Array, where: Array, updates: Array) -> None:
    if array.dtype.kind not in "iu":
        combine_at(np.divide, array, where, updates)
        return
    rows = np.broadcast_to(updates, np.shape(where) + array.shape[1:]).reshape(-1, *array.shape[1:])
    for row, by in zip(np.ravel(where), rows):  # towards zero
        quotient, rest = np.divmod(array[row], by)
        array[row] = quotient + ((rest != 0) & ((array[row] < 0) != (by < 0)))


def _set(array: Array, where: Array | tuple[Array, ...], updates: Array) -> None:
    array[where] = updates


def _scatter_into(resource: Storage, indices: Array, updates: Array, change: Callable[..., Any], op: str) -> None:
    with resource.lock:
        array = np.array(resource.value)  # a new array: readers keep the old one
        if array.ndim == 0:
            raise errors.InvalidArgumentError(
                None, None, f"{op} needs a variable of rank 1 or more, '{resource.name}' is a scalar"
            )
        _check_indices(op, indices, array.shape[0])
        wanted = np.shape(indices) + array.shape[1:]
        if np.shape(updates) not in (wanted, ()):
            raise errors.ShapeError(
                f"shape of indices ({_listed(np.shape(indices))}) is not compatible with the shape of updates "
                f"({_listed(np.shape(updates))})"
            )
        change(array, indices, updates)
        resource.value = array


def _scatter_infer(c: InferContext) -> list[Dims]:
    own, indices, updates = handle_dims(c.inputs[0]), c.dims(1), c.dims(2)
    if own is not None and indices is not None and updates is not None and updates != ():
        merge(indices + own[1:], updates)
    return []


def _scatter_op(type_: str, change: Callable[..., Any], allowed: tuple[DType, ...] | None = None) -> OpDef:
    return define(
        type_, "resource: resource, indices: Tindices, updates: dtype ->", attrs="dtype: type",
        allowed=INDEX if allowed is None else {**INDEX, "dtype": allowed}, infer=_scatter_infer,
        kernel=lambda r, indices, updates: _scatter_into(r, indices, updates, change, type_),
        traits=(STATEFUL, TYPED),
    )  # fmt: skip


ResourceScatterUpdate = _scatter_op("ResourceScatterUpdate", _set)
ResourceScatterAdd = _scatter_op("ResourceScatterAdd", partial(combine_at, np.add), NUMBERS)
ResourceScatterSub = _scatter_op("ResourceScatterSub", partial(combine_at, np.subtract), NUMBERS)
ResourceScatterMul = _scatter_op("ResourceScatterMul", partial(combine_at, np.multiply), NUMBERS)
ResourceScatterDiv = _scatter_op("ResourceScatterDiv", _div, NUMBERS)
ResourceScatterMin = _scatter_op("ResourceScatterMin", partial(combine_at, np.minimum), NUMBERS)
ResourceScatterMax = _scatter_op("ResourceScatterMax", partial(combine_at, np.maximum), NUMBERS)


def _scatter_nd_into(resource: Storage, indices: Array, updates: Array, change: Callable[..., Any]) -> None:
    with resource.lock:
        array = np.array(resource.value)
        where = _split_indices(indices, array.shape)
        wanted = indices.shape[:-1] + array.shape[indices.shape[-1] :]
        if np.shape(updates) != wanted:
            raise errors.ShapeError(
                f"Must have updates.shape = indices.shape[:-1] + params.shape[indices.shape[-1]:], saw updates of "
                f"shape {_listed(np.shape(updates))} where {_listed(wanted)} is wanted"
            )
        change(array, where, updates)
        resource.value = array


def _scatter_nd_infer(c: InferContext) -> list[Dims]:
    own, indices, updates = handle_dims(c.inputs[0]), c.dims(1), c.dims(2)
    if own is not None and indices and indices[-1] is not None and updates is not None:
        merge(indices[:-1] + own[indices[-1] :], updates)
    return []


def _scatter_nd_op(type_: str, change: Callable[..., Any]) -> OpDef:
    return define(
        type_, "ref: resource, indices: Tindices, updates: T ->",
        attrs="use_locking: bool = True; bad_indices_policy: string = ''", allowed=INDEX, infer=_scatter_nd_infer,
        kernel=lambda r, indices, updates: _scatter_nd_into(r, indices, updates, change), traits=(STATEFUL, TYPED),
    )  # fmt: skip


ResourceScatterNdUpdate = _scatter_nd_op("ResourceScatterNdUpdate", _set)
ResourceScatterNdAdd = _scatter_nd_op("ResourceScatterNdAdd", partial(combine_at, np.add))
ResourceScatterNdSub = _scatter_nd_op("ResourceScatterNdSub", partial(combine_at, np.subtract))
ResourceScatterNdMin = _scatter_nd_op("ResourceScatterNdMin", partial(combine_at, np.minimum))
ResourceScatterNdMax = _scatter_nd_op("ResourceScatterNdMax", partial(combine_at, np.maximum))


# --- slices ----------------------------------------------------------------------------------------------------------
def _strided_key(
    begin: Array,
    end: Array,
    strides: Array,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink: int,
) -> tuple[Any, ...]:
    key: list[Any] = []
    for i, (start, stop, step) in enumerate(zip(begin.tolist(), end.tolist(), strides.tolist())):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink & bit:
            key.append(start)
        else:
            key.append(slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step))
    return tuple(key)


def _strided_assign(
    resource: Storage, begin: Array, end: Array, strides: Array, value: Array, *, begin_mask: int, end_mask: int,
    ellipsis_mask: int, new_axis_mask: int, shrink_axis_mask: int,
) -> None:  # fmt: skip
    key = _strided_key(begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    assign_part(resource, key, value)


def assign_part(resource: Storage, key: Any, value: TensorLike) -> None:
    """Replaces the elements that `key` selects; InvalidArgumentError when they cannot take `value`."""
    with resource.lock:
        array = np.array(resource.value)
        try:
            given, dims = np.asarray(value), np.shape(array[key])
            while given.ndim > len(dims) and given.shape[0] == 1:
                given = given[0]
            array[key] = np.broadcast_to(given, dims)[()]  # an element takes a string, not the array that holds it
        except (IndexError, ValueError) as error:
            raise errors.ShapeError(
                f"cannot assign to a slice of variable '{resource.name}:0' of shape {_listed(array.shape)}: {error}"
            ) from error
        resource.value = array


ResourceStridedSliceAssign = define(
    "ResourceStridedSliceAssign", "ref: resource, begin: Index, end: Index, strides: Index, value: T ->",
    attrs="begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int = 0; "
    "shrink_axis_mask: int = 0",
    allowed={"Index": dtypes.INDEX}, infer=lambda c: [], kernel=_strided_assign, traits=(STATEFUL, TYPED),
)  # fmt: skip


def _count_up(resource: Storage, *, limit: int) -> Array:
    with resource.lock:
        old = resource.value
        if old >= limit:
            raise errors.OutOfRangeError(None, None, f"Reached limit of {limit}")
        resource.value = old + type(old)(1)
    return old


ResourceCountUpTo = define(
    "ResourceCountUpTo", "resource: resource -> output: T", attrs="limit: int; T: type",
    allowed={"T": dtypes.INDEX}, infer=lambda c: (), kernel=_count_up, traits=(STATEFUL, TYPED),
)  # fmt: skip
