"""NumPy's functions on tensors: `np.sum(x)`, `np.where(c, x, y)`, `np.concatenate([x, y])` become ops.

Eager and symbolic tensors take the same way, so a traced function gives what it gives eagerly, and gradients flow. A
function (or an argument of one) without a counterpart runs in NumPy on concrete tensors; on symbolic ones it is
refused by name.
"""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import ops, provide
from graphrt.numpy_api.ufuncs import (
    _boolean,
    _dtype,
    _floating,
    _rank,
    _typed,
    any_symbolic,
    counterpart,
    from_arrays,
    implements,
    is_tensor_like,
    matmul,
    reduced,
    tensor_of_any,
    to_arrays,
    together,
)
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types import dtype as dtypes

__all__: list[str] = []

_SIBLINGS = ("graphrt.numpy_api.linalg", "graphrt.numpy_api.order_and_windows")


@provide
def array_function(func: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What a NumPy function gives when a tensor is among its arguments.

    Raises:
      TypeError: `out=` is given, or a symbolic tensor meets a function or an argument that has no counterpart.
    """
    name = getattr(func, "__name__", str(func))
    if kwargs.get("out") is not None:
        raise TypeError(
            errors.at_user_line(
                f"np.{name}(..., out=...) cannot write the result of tensors into an array: use the value it returns."
            )
        )
    kwargs = {k: v for k, v in kwargs.items() if k != "out" and v is not np._NoValue}
    for sibling in _SIBLINGS:
        importlib.import_module(sibling)  # enters its rules
    rule, found = counterpart(func, args, kwargs)
    if found is not NotImplemented:
        return found
    if any_symbolic(args) or any_symbolic(kwargs):
        why = "has no counterpart among the ops" if rule is None else "has no counterpart with these arguments"
        raise TypeError(
            errors.at_user_line(
                f"np.{name} {why}, and a symbolic tensor has no elements for NumPy to work on. Use a tf function, or "
                "tf.numpy_function."
            )
        )
    return from_arrays(func(*to_arrays(args), **to_arrays(kwargs)))


@provide
def array_namespace(api_version: str | None = None) -> Any:
    """The namespace of the array API standard.

    Raises:
      ValueError: `api_version` is not one that the namespace keeps to.
    """
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f"the array API of version {api_version!r} is not supported; 2024.12 is the newest")
    return importlib.import_module("graphrt.array_api")


@provide
def to_device(tensor: Any, device: Any, stream: Any = None) -> Any:
    """`tensor` itself, if `device` is the CPU.

    Raises:
      ValueError: it is another device, or a stream is given.
    """
    if stream is not None or str(device).lower() not in ("cpu", "cpu:0", "/cpu:0", tensor.device.lower()):
        raise ValueError(errors.at_user_line(f"there is one device, the CPU, and no streams; found {device!r}"))
    return tensor


def _countable(x: Any) -> Any:
    return ops.cast(x, dtypes.int64) if x.dtype.is_bool else x


# --- reductions ------------------------------------------------------------------------------------------------------
@implements(np.sum)
def _sum(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Any:  # fmt: skip
    x = _typed(_countable(tensor_of_any(a)), dtype)
    return reduced("reduce_sum", np.add, x, axis, keepdims, initial, where)


@implements(np.prod)
def _prod(
    a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True
) -> Any:  # fmt: skip
    x = _typed(_countable(tensor_of_any(a)), dtype)
    return reduced("reduce_prod", np.multiply, x, axis, keepdims, initial, where)


@implements(np.mean)
def _mean(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, where: Any = True) -> Any:
    x = _measured(tensor_of_any(a), dtype)
    if where is True:
        return ops.reduce_mean(x, axis, keepdims)
    chosen = ops.broadcast_to(tensor_of_any(where), ops.Shape(x))
    return _sum(x, axis, keepdims=keepdims, where=chosen) / _sum(ops.cast(chosen, x.dtype), axis, keepdims=keepdims)


@implements(np.average)
def _average(a: Any, axis: Any = None, weights: Any = None, *, keepdims: bool = False) -> Any:
    x = _measured(tensor_of_any(a))
    if weights is None:
        return ops.reduce_mean(x, axis, keepdims)
    x, w = together([x, weights])
    if axis is not None and _rank(w) == 1 and _rank(x) > 1:
        w = ops.Reshape(w, [-1 if i == axis % _rank(x) else 1 for i in range(_rank(x))])
    w = ops.broadcast_to(w, ops.Shape(x))
    return _sum(x * w, axis, keepdims=keepdims) / _sum(w, axis, keepdims=keepdims)


def _measured(x: Any, dtype: Any = None) -> Any:
    """As NumPy's statistics compute: integers in float64."""
    if dtype is not None:
        return ops.cast(x, _dtype(dtype))
    return x if x.dtype.kind in "fc" else ops.cast(x, dtypes.float64)


@implements(np.var)
def _var(a: Any, axis: Any = None, dtype: Any = None, *, ddof: int = 0, keepdims: bool = False) -> Any:
    x = _measured(tensor_of_any(a), dtype)
    found = ops.reduce_variance(x, axis, keepdims)
    if ddof == 0:
        return found
    count = ops.cast(ops.Size(x), found.dtype) / ops.cast(ops.Maximum(ops.Size(found), 1), found.dtype)
    return found * (count / (count - float(ddof)))


@implements(np.std)
def _std(a: Any, axis: Any = None, dtype: Any = None, *, ddof: int = 0, keepdims: bool = False) -> Any:
    return ops.Sqrt(_var(a, axis, dtype, ddof=ddof, keepdims=keepdims))


@implements(np.max, np.amax)
def _max(a: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
    if tensor_of_any(a).dtype.is_bool:
        return _any(a, axis, keepdims=keepdims, where=where)
    return reduced("reduce_max", np.maximum, tensor_of_any(a), axis, keepdims, initial, where)


@implements(np.min, np.amin)
def _min(a: Any, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
    if tensor_of_any(a).dtype.is_bool:
        return _all(a, axis, keepdims=keepdims, where=where)
    return reduced("reduce_min", np.minimum, tensor_of_any(a), axis, keepdims, initial, where)


@implements(np.ptp)
def _ptp(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _max(a, axis, keepdims=keepdims) - _min(a, axis, keepdims=keepdims)


@implements(np.any)
def _any(a: Any, axis: Any = None, *, keepdims: bool = False, where: Any = True) -> Any:
    return reduced("reduce_any", np.logical_or, _boolean(tensor_of_any(a)), axis, keepdims, None, where)


@implements(np.all)
def _all(a: Any, axis: Any = None, *, keepdims: bool = False, where: Any = True) -> Any:
    return reduced("reduce_all", np.logical_and, _boolean(tensor_of_any(a)), axis, keepdims, None, where)


@implements(np.count_nonzero)
def _count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return ops.count_nonzero(tensor_of_any(a), axis, keepdims)


@implements(np.argmax)
def _argmax(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _position("argmax", a, axis, keepdims)


@implements(np.argmin)
def _argmin(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _position("argmin", a, axis, keepdims)


def _position(name: str, a: Any, axis: Any, keepdims: bool) -> Any:
    x = tensor_of_any(a)
    if axis is None:
        found = getattr(ops, name)(_orderable(ops.Reshape(x, [-1])), 0)
        return ops.Reshape(found, [1] * _rank(x)) if keepdims else found
    found = getattr(ops, name)(_orderable(x), axis)
    return ops.ExpandDims(found, axis) if keepdims else found


def _orderable(x: Any) -> Any:
    return ops.cast(x, dtypes.uint8) if x.dtype.is_bool else x


@implements(np.cumsum)
def _cumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    x = _typed(_countable(tensor_of_any(a)), dtype)
    return ops.cumsum(ops.Reshape(x, [-1]) if axis is None else x, 0 if axis is None else axis)


@implements(np.cumprod)
def _cumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    x = _typed(_countable(tensor_of_any(a)), dtype)
    return ops.cumprod(ops.Reshape(x, [-1]) if axis is None else x, 0 if axis is None else axis)


# --- shapes ----------------------------------------------------------------------------------------------------------
@implements(np.shape)
def _shape(a: Any) -> Any:
    x = tensor_of_any(a)
    if x.dims is not None and None not in x.dims:
        return tuple(x.dims)
    return tuple(ops.unstack(ops.Shape(x))) if x.dims is not None else NotImplemented


@implements(np.ndim)
def _ndim(a: Any) -> Any:
    return _rank(tensor_of_any(a))


@implements(np.size)
def _size(a: Any, axis: Any = None) -> Any:
    x = tensor_of_any(a)
    if axis is None:
        return math.prod(x.dims) if x.dims is not None and None not in x.dims else ops.Size(x)
    return x.dims[axis] if x.dims is not None and x.dims[axis] is not None else ops.Shape(x)[axis]


@implements(np.reshape)
def _reshape(a: Any, shape: Any, order: str = "C") -> Any:
    if order != "C":
        return NotImplemented
    return ops.reshape(tensor_of_any(a), [shape] if isinstance(shape, (int, np.integer)) else shape)


@implements(np.ravel)
def _ravel(a: Any) -> Any:
    return ops.Reshape(tensor_of_any(a), [-1])


@implements(np.transpose, np.permute_dims)
def _transpose(a: Any, axes: Any = None) -> Any:
    x = tensor_of_any(a)
    return ops.transpose(x, None if axes is None else [i % _rank(x) for i in axes])


@implements(np.matrix_transpose)
def _matrix_transpose(x: Any) -> Any:
    return _swapaxes(x, -1, -2)


@implements(np.swapaxes)
def _swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    x = tensor_of_any(a)
    order = list(range(_rank(x)))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return ops.transpose(x, order)


@implements(np.moveaxis)
def _moveaxis(a: Any, source: Any, destination: Any) -> Any:
    x = tensor_of_any(a)
    rank = _rank(x)
    sources = [s % rank for s in np.atleast_1d(source).tolist()]
    places = [d % rank for d in np.atleast_1d(destination).tolist()]
    order = [i for i in range(rank) if i not in sources]
    for place, origin in sorted(zip(places, sources)):
        order.insert(place, origin)
    return ops.transpose(x, order)


@implements(np.expand_dims)
def _expand_dims(a: Any, axis: Any) -> Any:
    x = tensor_of_any(a)
    if isinstance(axis, (int, np.integer)):
        return ops.ExpandDims(x, int(axis))
    rank = _rank(x) + len(axis)
    for place in sorted(i % rank for i in axis):
        x = ops.ExpandDims(x, place)
    return x


@implements(np.squeeze)
def _squeeze(a: Any, axis: Any = None) -> Any:
    return ops.squeeze(tensor_of_any(a), None if axis is None else np.atleast_1d(axis).tolist())


@implements(np.atleast_1d)
def _atleast_1d(*arys: Any) -> Any:
    found = [x if _rank(x) else ops.Reshape(x, [1]) for x in map(tensor_of_any, arys)]
    return found[0] if len(found) == 1 else tuple(found)


@implements(np.atleast_2d)
def _atleast_2d(*arys: Any) -> Any:
    found = [x if _rank(x) > 1 else ops.ExpandDims(_atleast_1d(x), 0) for x in map(tensor_of_any, arys)]
    return found[0] if len(found) == 1 else tuple(found)


@implements(np.broadcast_to)
def _broadcast_to(array: Any, shape: Any) -> Any:
    return ops.broadcast_to(tensor_of_any(array), shape)


@implements(np.flip)
def _flip(m: Any, axis: Any = None) -> Any:
    x = tensor_of_any(m)
    axes = list(range(_rank(x))) if axis is None else np.atleast_1d(axis).tolist()
    return ops.ReverseV2(x, axes) if axes else x


@implements(np.flipud)
def _flipud(m: Any) -> Any:
    return _flip(m, 0)


@implements(np.fliplr)
def _fliplr(m: Any) -> Any:
    return _flip(m, 1)


@implements(np.roll)
def _roll(a: Any, shift: Any, axis: Any = None) -> Any:
    x = tensor_of_any(a)
    if axis is None:
        return ops.Reshape(ops.roll(ops.Reshape(x, [-1]), shift, 0), ops.Shape(x))
    return ops.roll(x, shift, axis)


@implements(np.copy)
def _copy(a: Any) -> Any:
    return tensor_of_any(a)


@implements(np.zeros_like)
def _zeros_like(a: Any, dtype: Any = None) -> Any:
    return ops.zeros_like(tensor_of_any(a), None if dtype is None else _dtype(dtype))


@implements(np.empty_like)
def _empty_like(prototype: Any, dtype: Any = None) -> Any:
    return _zeros_like(prototype, dtype)


@implements(np.ones_like)
def _ones_like(a: Any, dtype: Any = None) -> Any:
    return ops.ones_like(tensor_of_any(a), None if dtype is None else _dtype(dtype))


@implements(np.full_like)
def _full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    x = tensor_of_any(a)
    value = ops.cast(fill_value, x.dtype if dtype is None else _dtype(dtype))
    return ops.BroadcastTo(value, ops.Shape(x))


# --- joining and cutting ---------------------------------------------------------------------------------------------
@implements(np.concatenate)
def _concatenate(arrays: Any, axis: Any = 0, *, dtype: Any = None) -> Any:
    parts = [_typed(x, dtype) for x in together(_items(arrays))]
    if axis is None:
        parts, axis = [ops.Reshape(x, [-1]) for x in parts], 0
    return ops.concat(parts, axis)


def _items(arrays: Any) -> Any:
    return ops.unstack(tensor_of_any(arrays)) if is_tensor_like(arrays) else list(arrays)


@implements(np.stack)
def _stack(arrays: Any, axis: int = 0, *, dtype: Any = None) -> Any:
    return ops.stack([_typed(x, dtype) for x in together(_items(arrays))], axis)


@implements(np.vstack)
def _vstack(tup: Any) -> Any:
    return ops.concat([_atleast_2d(x) for x in together(_items(tup))], 0)


@implements(np.hstack)
def _hstack(tup: Any) -> Any:
    parts = [_atleast_1d(x) for x in together(_items(tup))]
    return ops.concat(parts, 0 if _rank(parts[0]) == 1 else 1)


@implements(np.column_stack)
def _column_stack(tup: Any) -> Any:
    return ops.concat([ops.ExpandDims(x, 1) if _rank(x) == 1 else x for x in together(_items(tup))], 1)


@implements(np.append)
def _append(arr: Any, values: Any, axis: Any = None) -> Any:
    return _concatenate([arr, values], axis)


@implements(np.split)
def _split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    x = tensor_of_any(ary)
    if isinstance(indices_or_sections, (int, np.integer)):
        return ops.split(x, int(indices_or_sections), axis)
    lead = (slice(None),) * (axis % _rank(x))
    edges = [None, *np.asarray(indices_or_sections).tolist(), None]
    return [x[(*lead, slice(a, b))] for a, b in itertools.pairwise(edges)]


@implements(np.tile)
def _tile(A: Any, reps: Any) -> Any:
    x = tensor_of_any(A)
    times = np.atleast_1d(reps).tolist()
    for _ in range(len(times) - _rank(x)):
        x = ops.ExpandDims(x, 0)
    return ops.tile(x, [1] * (_rank(x) - len(times)) + times)


@implements(np.repeat)
def _repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    return ops.repeat(tensor_of_any(a), repeats, axis)


@implements(np.pad)
def _pad(array: Any, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0) -> Any:
    x = tensor_of_any(array)
    if mode not in ("constant", "reflect", "symmetric") or not isinstance(constant_values, (int, float)):
        return NotImplemented
    widths = np.broadcast_to(np.asarray(pad_width), (_rank(x), 2)).astype(np.int32)
    return ops.pad(x, widths, mode=mode.upper(), constant_values=constant_values)


@implements(np.take)
def _take(a: Any, indices: Any, axis: Any = None) -> Any:
    x = tensor_of_any(a)
    indices = tensor_of_any(indices)
    if axis is None:
        x, axis = ops.Reshape(x, [-1]), 0
    known = static_array(indices)
    if known is not None and (not np.size(known) or np.min(known) >= 0):
        return ops.gather(x, indices, axis=axis)
    size = ops.cast(ops.Shape(x)[axis], indices.dtype)
    zero = convert_to_tensor(0, indices.dtype)
    return ops.gather(x, ops.where(ops.Less(indices, zero), indices + size, indices), axis=axis)


@implements(np.diff)
def _diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    x = tensor_of_any(a)
    place = axis % _rank(x)
    lead = (slice(None),) * place
    for _ in range(n):
        after, before = x[(*lead, slice(1, None))], x[(*lead, slice(None, -1))]
        x = ops.NotEqual(after, before) if x.dtype.is_bool else after - before
    return x


@implements(np.sort)
def _sort(a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Any:
    x = _ravel(a) if axis is None else tensor_of_any(a)
    found = ops.sort(_orderable(x), axis=-1 if axis is None else axis)
    return ops.cast(found, x.dtype) if x.dtype.is_bool else found


@implements(np.argsort)
def _argsort(a: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Any:
    x = _orderable(_ravel(a) if axis is None else tensor_of_any(a))
    return ops.cast(ops.argsort(x, axis=-1 if axis is None else axis, stable=True), "int64")


@implements(np.nonzero)
def _nonzero(a: Any) -> Any:
    x = tensor_of_any(a)
    return tuple(ops.unstack(ops.where(_boolean(x)), num=_rank(x), axis=1))


@implements(np.argwhere)
def _argwhere(a: Any) -> Any:
    return ops.where(_boolean(tensor_of_any(a)))


@implements(np.meshgrid)
def _meshgrid(*xi: Any, indexing: str = "xy") -> Any:
    vectors = [ops.Reshape(tensor_of_any(x), [-1]) for x in xi]
    places = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        places[:2] = [1, 0]
    full = [ops.Size(vectors[i]) for i in sorted(range(len(vectors)), key=places.__getitem__)]
    shapes = [[-1 if i == place else 1 for i in range(len(vectors))] for place in places]
    return tuple(ops.BroadcastTo(ops.Reshape(x, s), ops.Pack(full)) for x, s in zip(vectors, shapes))


# --- choices ---------------------------------------------------------------------------------------------------------
@implements(np.where)
def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    mask = _boolean(tensor_of_any(condition))
    if x is None and y is None:
        return _nonzero(mask)
    first, second = together([x, y])
    return ops.where(mask, first, second)


@implements(np.clip)
def _clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    low, high = a_min if min is None else min, a_max if max is None else max
    x = tensor_of_any(a)
    plain = (int, float)
    fits = x.dtype.kind == "f" or type(low) is type(high) is int
    if fits and type(low) in plain and type(high) in plain and low <= high:
        return ops.clip_by_value(x, low, high)  # as one writes it without NumPy
    if low is not None:
        x = ops.Maximum(*together([x, low]))
    return x if high is None else ops.Minimum(*together([x, high]))


@implements(np.nan_to_num)
def _nan_to_num(x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    t = tensor_of_any(x)
    if t.dtype.kind != "f":
        return t
    high = convert_to_tensor(t.dtype.max if posinf is None else posinf, t.dtype)
    low = convert_to_tensor(t.dtype.min if neginf is None else neginf, t.dtype)
    found = ops.where(ops.IsNan(t), convert_to_tensor(nan, t.dtype), t)
    infinite = ops.IsInf(found)
    zero = convert_to_tensor(0, t.dtype)
    return ops.where(infinite, ops.where(ops.Greater(found, zero), high, low), found)


@implements(np.isclose)
def _isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    x, y = (_floating(v) for v in together([a, b]))
    near = ops.LessEqual(ops.abs(x - y), atol + rtol * ops.abs(y))
    near = ops.LogicalOr(ops.LogicalAnd(near, ops.IsFinite(y)), ops.Equal(x, y))
    return ops.LogicalOr(near, ops.LogicalAnd(ops.IsNan(x), ops.IsNan(y))) if equal_nan else near


@implements(np.allclose)
def _allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    return ops.reduce_all(_isclose(a, b, rtol, atol, equal_nan))


@implements(np.array_equal)
def _array_equal(a1: Any, a2: Any) -> Any:
    x, y = together([a1, a2])
    if x.dims is None or y.dims is None or None in x.dims or None in y.dims:
        return NotImplemented
    return ops.reduce_all(ops.Equal(x, y)) if x.dims == y.dims else convert_to_tensor(False)


@implements(np.round, np.around)
def _round(a: Any, decimals: int = 0) -> Any:
    x = tensor_of_any(a)
    if decimals == 0:
        return ops.round(x)
    if x.dtype.kind != "f":
        return NotImplemented if decimals < 0 else x
    scale = convert_to_tensor(10.0 ** abs(decimals), x.dtype)
    return ops.Round(x * scale) / scale if decimals > 0 else ops.Round(x / scale) * scale


@implements(np.real)
def _real(val: Any) -> Any:
    return ops.real(tensor_of_any(val))


@implements(np.imag)
def _imag(val: Any) -> Any:
    return ops.imag(tensor_of_any(val))


@implements(np.angle)
def _angle(z: Any) -> Any:
    return ops.angle(tensor_of_any(z))


@implements(np.iscomplexobj)
def _iscomplexobj(x: Any) -> Any:
    return tensor_of_any(x).dtype.is_complex


@implements(np.isrealobj)
def _isrealobj(x: Any) -> Any:
    return not tensor_of_any(x).dtype.is_complex


@implements(np.result_type)
def _result_type(*arrays_and_dtypes: Any) -> Any:
    return np.result_type(
        *(np.dtype(v.dtype.as_numpy_dtype) if isinstance(v, Tensor) else v for v in arrays_and_dtypes)
    )


# --- products --------------------------------------------------------------------------------------------------------
@implements(np.dot)
def _dot(a: Any, b: Any) -> Any:
    x, y = together([a, b])
    if _rank(x) == 0 or _rank(y) == 0:
        return ops.Mul(x, y)
    if _rank(x) <= 2 and _rank(y) <= 2:
        return matmul(x, y)
    letters = "abcdefghijklmnopqrstuvw"
    left, right = letters[: _rank(x) - 1], letters[_rank(x) : _rank(x) + _rank(y) - 1]
    inner = f"{right}z" if len(right) == 0 else f"{right[:-1]}z{right[-1]}"
    return ops.einsum(f"{left}z,{inner}->{left}{right}", x, y)


@implements(np.inner)
def _inner(a: Any, b: Any) -> Any:
    x, y = together([a, b])
    if _rank(x) == 0 or _rank(y) == 0:
        return ops.Mul(x, y)
    return _tensordot(x, y, ([-1], [-1]))


@implements(np.vdot)
def _vdot(a: Any, b: Any) -> Any:
    x, y = together([a, b])
    return ops.reduce_sum(ops.conj(ops.Reshape(x, [-1])) * ops.Reshape(y, [-1]))


@implements(np.outer)
def _outer(a: Any, b: Any) -> Any:
    x, y = together([a, b])
    return ops.Mul(ops.Reshape(x, [-1, 1]), ops.Reshape(y, [1, -1]))


@implements(np.tensordot)
def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    x, y = together([a, b])
    if isinstance(axes, (int, np.integer)):
        places = list(range(_rank(x) - int(axes), _rank(x))), list(range(int(axes)))
    else:
        places = tuple(np.atleast_1d(v).tolist() for v in axes)
    left = [i % _rank(x) for i in places[0]]
    right = [i % _rank(y) for i in places[1]]
    names_x = [f"{chr(97 + i)}" for i in range(_rank(x))]
    names_y = [names_x[left[right.index(j)]] if j in right else chr(97 + _rank(x) + j) for j in range(_rank(y))]
    kept = [n for i, n in enumerate(names_x) if i not in left] + [n for j, n in enumerate(names_y) if j not in right]
    return ops.einsum(f"{''.join(names_x)},{''.join(names_y)}->{''.join(kept)}", x, y)


@implements(np.einsum)
def _einsum(subscripts: Any, *operands: Any) -> Any:
    if not isinstance(subscripts, str):
        return NotImplemented
    return ops.einsum(_explicit(subscripts), *together(operands))


def _explicit(subscripts: str) -> str:
    """`subscripts` with its output spelt out: the letters that occur once, in order of the alphabet."""
    text = subscripts.replace(" ", "")
    if "->" in text:
        return text
    letters = text.replace(",", "").replace("...", "")
    once = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    return f"{text}->{'...' if '...' in text else ''}{once}"


@implements(np.tril)
def _tril(m: Any, k: int = 0) -> Any:
    return _band(m, lambda i, j: ops.LessEqual(j, i + k))


@implements(np.triu)
def _triu(m: Any, k: int = 0) -> Any:
    return _band(m, lambda i, j: ops.GreaterEqual(j, i + k))


def _band(m: Any, keep: Callable[[Any, Any], Any]) -> Any:
    x = tensor_of_any(m)
    shape = ops.Shape(x)
    rows, columns = ops.ExpandDims(ops.range(shape[-2]), 1), ops.ExpandDims(ops.range(shape[-1]), 0)
    return ops.where(keep(rows, columns), x, ops.zeros_like(x))


@implements(np.diag)
def _diag(v: Any, k: int = 0) -> Any:
    x = tensor_of_any(v)
    if _rank(x) not in (1, 2):
        return NotImplemented
    return _diagonal(x, k) if _rank(x) == 2 else ops.diag(x, k=k)


@implements(np.diagflat)
def _diagflat(v: Any, k: int = 0) -> Any:
    return ops.diag(_ravel(v), k=k)


@implements(np.diagonal)
def _diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    x = _moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = x.dims[-2:]
    if rows is not None and columns is not None and not -rows < offset < columns:
        return x[..., 0, :0]  # NumPy: nothing stands so far out
    return ops.diag_part(x, k=offset)


@implements(np.trace)
def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    return _sum(_diagonal(a, offset, axis1, axis2), -1, dtype)


@implements(np.sinc)
def _sinc(x: Any) -> Any:
    t = _floating(tensor_of_any(x)) * math.pi
    zero = convert_to_tensor(0, t.dtype)
    at = ops.where(ops.Equal(t, zero), ops.ones_like(t), t)
    return ops.where(ops.Equal(t, zero), ops.ones_like(t), ops.Sin(at) / at)
