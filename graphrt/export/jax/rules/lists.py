"""Tensor lists: arrays of all elements. Their size is known; writes of a list that has no array yet give it one."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.export.jax.package import jnp, lax
from graphrt.export.jax.replay import Rows, Rule, Use, as_array


def _known_dims(c: Use, index: int) -> tuple[int, ...] | None:
    """The shape of elements, where an input says it."""
    dims = c.known(index, "the shape of elements")
    found = tuple(int(d) for d in np.atleast_1d(dims))
    return None if np.ndim(dims) == 0 or any(d < 0 for d in found) else found


def _element_dtype(c: Use) -> Any:
    dtype = c.node.attrs["element_dtype"]
    if dtype.kind in "OS":
        c.refuse(f"lists of {dtype.name} have no counterpart")
    return dtype.as_numpy_dtype


def _reserve(c: Use) -> Rows:
    size, dims = int(c.known(1, "the number of elements").reshape(())), _known_dims(c, 0)
    return Rows(None if dims is None else jnp.zeros((size, *dims), _element_dtype(c)), size)


def _empty(c: Use) -> Rows:
    return Rows(None, 0)


def _from_tensor(c: Use) -> Rows:
    values = as_array(c[0])
    return Rows(values, values.shape[0])


def _values(c: Use) -> Any:
    rows = c.rows(0)
    if rows.values is None and len(c) > 1:
        shape = _known_dims(c, len(c) - 1) if c.node.inputs[-1].dtype.name in ("int32", "int64") else None
        if shape is not None:
            return jnp.zeros((rows.size, *shape), _element_dtype(c))
    if rows.values is None:
        c.refuse("the shape of elements is not known before one is written")
    return rows.values


def _get(c: Use) -> Any:
    return lax.dynamic_index_in_dim(_values(c), c[1], 0, False)


def _set(c: Use) -> Rows:
    rows, item = c.rows(0), as_array(c[2])
    if rows.values is None and rows.size == 0:
        c.refuse("a list that grows has no counterpart: give the TensorArray its size")
    held = jnp.zeros((rows.size, *item.shape), item.dtype) if rows.values is None else rows.values
    return Rows(lax.dynamic_update_index_in_dim(held, item, c[1], 0), rows.size)


def _push(c: Use) -> Rows:
    rows, item = c.rows(0), as_array(c[1])
    if rows.values is None:
        if rows.size:
            c.refuse("it has elements that nobody wrote")
        return Rows(item[None], 1)
    return Rows(jnp.concatenate([rows.values, item[None]]), rows.size + 1)


def _pop(c: Use) -> Any:
    values = _values(c)
    size = c.rows(0).size
    if not size:
        c.refuse("the list is empty")
    return [Rows(values[:-1], size - 1), values[-1]]


def _stack(c: Use) -> Any:
    return _values(c)


def _gather(c: Use) -> Any:
    return jnp.take(_values(c), as_array(c[1]), 0)


def _scatter(c: Use) -> Rows:
    rows, items, at = c.rows(0), as_array(c[1]), as_array(c[2])
    held = jnp.zeros((rows.size, *items.shape[1:]), items.dtype) if rows.values is None else rows.values
    return Rows(held.at[at].set(items), rows.size)


def _concat(c: Use) -> Any:
    values = _values(c)
    lengths = np.full(values.shape[0], values.shape[1] if values.ndim > 1 else 0, np.int64)
    return [values.reshape(-1, *values.shape[2:]), lengths]


def _element_shape(c: Use) -> Any:
    rows = c.rows(0)
    if rows.values is None:
        c.refuse("the shape of elements is not known before one is written")
    return np.asarray(rows.values.shape[1:], c.dtype())


# names: the ops of this family
RULES: dict[str, Rule] = {
    "EmptyTensorList": _empty,
    "TensorListConcatV2": _concat,
    "TensorListElementShape": _element_shape,
    "TensorListFromTensor": _from_tensor,
    "TensorListGather": _gather,
    "TensorListGetItem": _get,
    "TensorListLength": lambda c: np.asarray(c.rows(0).size, np.int32),
    "TensorListPopBack": _pop,
    "TensorListPushBack": _push,
    "TensorListReserve": _reserve,
    "TensorListScatterIntoExistingList": _scatter,
    "TensorListSetItem": _set,
    "TensorListStack": _stack,
}
