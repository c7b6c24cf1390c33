"""Functions of `math`, and NumPy's that make arrays, called on symbolic values: their counterparts among the ops.

    np.zeros(n)       np.arange(n)      math.sqrt(x)        ->   ops, when `n` or `x` is symbolic

NumPy hands over to a tensor what takes arrays; these take sizes and numbers, which they would want to know now.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from autograph.backends import register_counterpart
from graphrt.ir.op import OpDef, ops  # late: start-up, `import graphrt` reads this file
from graphrt.staging.lists import StagedList
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.weak import weak_cast
from graphrt.types.dtype import ALL, DType, float64, from_numpy, int64, numpy_type
from graphrt.types.likes import TensorLike

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know

# The ops are looked up when they are called: the modules that declare them need not be imported before.
_OF_ONE: dict[Callable[..., Any], Callable[[], OpDef]] = {
    math.sqrt: lambda: ops.Sqrt, math.exp: lambda: ops.Exp, math.expm1: lambda: ops.Expm1,
    math.log1p: lambda: ops.Log1p, math.sin: lambda: ops.Sin, math.cos: lambda: ops.Cos, math.tan: lambda: ops.Tan,
    math.asin: lambda: ops.Asin, math.acos: lambda: ops.Acos, math.atan: lambda: ops.Atan,
    math.sinh: lambda: ops.Sinh, math.cosh: lambda: ops.Cosh, math.tanh: lambda: ops.Tanh,
    math.asinh: lambda: ops.Asinh, math.acosh: lambda: ops.Acosh, math.atanh: lambda: ops.Atanh,
    math.erf: lambda: ops.Erf, math.erfc: lambda: ops.Erfc, math.lgamma: lambda: ops.Lgamma,
    math.fabs: lambda: ops.Abs, math.isnan: lambda: ops.IsNan, math.isinf: lambda: ops.IsInf,
    math.isfinite: lambda: ops.IsFinite,
}  # fmt: skip
_OF_TWO: dict[Callable[..., Any], Callable[[], OpDef]] = {
    math.pow: lambda: ops.Pow, math.atan2: lambda: ops.Atan2, math.fmod: lambda: ops.TruncateMod,
}  # fmt: skip


def _real(x: TensorLike) -> Tensor:
    """A floating tensor; integers as `math` takes them, in double precision."""
    found = convert_to_tensor(x)
    return found if found.dtype.is_floating else ops.cast(found, float64)


def _both(x: TensorLike, y: Any) -> tuple[Any, Any]:
    x, y = (v if hasattr(v, "dtype") else convert_to_tensor(v, float64) for v in (x, y))
    kind = x.dtype if x.dtype.is_floating else y.dtype if y.dtype.is_floating else float64
    return ops.cast(x, kind), ops.cast(y, kind)


def _log(x: Tensor, *base: Any) -> Tensor:
    found = ops.Log(_real(x))
    return found / ops.cast(ops.Log(_real(base[0])), found.dtype) if base else found


def _whole(op: Callable[[], OpDef]) -> Callable[[Any], Any]:
    def rounded(x: Tensor) -> Tensor:
        found = convert_to_tensor(x)
        return weak_cast(op()(found), int64) if found.dtype.is_floating else found

    return rounded


def _one(op: Callable[[], OpDef]) -> Callable[[Any], Any]:
    return lambda x: op()(_real(x))


def _two(op: Callable[[], OpDef]) -> Callable[[Any, Any], Any]:
    return lambda x, y: op()(*_both(x, y))


def _hypot(*xs: TensorLike) -> Tensor:
    total: Any = None
    for x in xs:
        square = ops.Square(_real(x))
        total = square if total is None else total + ops.cast(square, total.dtype)
    return ops.Sqrt(total)


def _dims(shape: Any) -> Tensor:
    """A shape as a vector."""
    found = convert_to_tensor(list(shape) if isinstance(shape, tuple) else shape)
    return ops.reshape(found, [1]) if found.dims == () else found


def _kind(dtype: Any, otherwise: DType = float64) -> DType:
    if dtype is None:
        return otherwise
    return dtype if isinstance(dtype, DType) else from_numpy(np.dtype(dtype))


def _zeros(shape: TensorLike, dtype: type | None = None, order: str = "C", **_: object) -> Tensor:
    kind = _kind(dtype)
    return ops.fill(_dims(shape), convert_to_tensor(False if kind.is_bool else 0, kind))


def _array(object: object, dtype: Any = None, copy: bool | None = None, order: Any = None, **_: object) -> Any:
    """np.array of something that holds symbolic tensors: NumPy's promotion of all that is in it."""
    found = _stacked(object)
    return found if dtype is None else ops.cast(found, _kind(dtype))


def _stacked(value: object) -> Any:
    if isinstance(value, (list, tuple)):
        return np.stack([_stacked(v) for v in value])
    if type(value) in (int, float, complex, bool):
        return np.asarray(value)
    return value.stack() if hasattr(value, "stack") and not hasattr(value, "__array__") else value


def _of_list(function: Any) -> Callable[..., Any]:
    """np.stack(rows) where rows grew in a staged loop: the rows are one tensor already."""

    def rule(arrays: object, *args: Any, **kwargs: Any) -> Tensor:
        if not isinstance(arrays, StagedList):
            return function(arrays, *args, **kwargs)
        stacked = arrays.stack()
        axis = args[0] if args else kwargs.get("axis", 0)
        if function is np.stack:
            return np.moveaxis(stacked, 0, axis) if axis != 0 else stacked
        if function is np.vstack and stacked.ndim == 2:
            return stacked
        if function is np.hstack:
            axis = 0 if stacked.ndim == 2 else 1
        moved = np.moveaxis(stacked, 0, axis) if axis != 0 else stacked  # beside the dimension it is joined with
        shape = ops.Shape(moved)
        return ops.Reshape(moved, ops.concat([shape[:axis], [-1], shape[axis + 2 :]], 0))

    return rule


def _linspace(
    start: Any, stop: Any, num: Any = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, **_: Any
) -> Any:  # fmt: skip
    if not hasattr(num, "dtype"):
        return np.linspace(start, stop, num, endpoint, retstep, dtype)
    low, high = _both(start, stop)
    pieces = ops.cast(num - 1 if endpoint else num, low.dtype)
    step = (high - low) / ops.Maximum(pieces, convert_to_tensor(1, low.dtype))
    found = low + ops.cast(ops.range(num), low.dtype) * step
    if dtype is not None:
        found = ops.cast(found, _kind(dtype))
    return (found, step) if retstep else found


def _scalar_type(kind: DType) -> Callable[..., Any]:
    """np.float64(x) of a symbolic value: a cast."""
    return lambda x=0: ops.cast(convert_to_tensor(x), kind)


def _fftfreq(half: bool) -> Callable[..., Any]:
    def rule(n: Any, d: Any = 1.0, **_: object) -> Any:
        n = convert_to_tensor(n)
        middle = (n - 1) // 2 + 1
        places = ops.range(n // 2 + 1) if half else ops.concat([ops.range(middle), ops.range(-(n // 2), 0)], 0)
        return ops.cast(places, float64) / (ops.cast(n, float64) * ops.cast(d, float64))

    return rule


def _ones(shape: Tensor, dtype: type | None = None, order: str = "C", **_: object) -> Tensor:
    kind = _kind(dtype)
    return ops.fill(_dims(shape), convert_to_tensor(True if kind.is_bool else 1, kind))


def _full(
    shape: TensorLike, fill_value: TensorLike, dtype: type | None = None, order: str = "C", **_: object
) -> Tensor:
    value = convert_to_tensor(fill_value if hasattr(fill_value, "dtype") else np.asarray(fill_value))
    return ops.broadcast_to(value if dtype is None else ops.cast(value, _kind(dtype)), _dims(shape))


def _eye(N: Tensor, M: Any = None, k: int = 0, dtype: Any = None, order: str = "C", **_: object) -> Tensor:
    rows, columns = convert_to_tensor(N), convert_to_tensor(N if M is None else M)
    on = ops.Equal(ops.ExpandDims(ops.range(rows), 1) + k, ops.cast(ops.range(columns), rows.dtype))
    return ops.cast(on, _kind(dtype))


def _arange(*limits: TensorLike, dtype: type | None = None, **_: object) -> Tensor:
    whole = not any(isinstance(v, float) or getattr(getattr(v, "dtype", None), "kind", "i") == "f" for v in limits)
    kind = _kind(dtype, from_numpy(np.dtype(np.int64)) if whole else float64)
    numbers: Any = (ops.cast(convert_to_tensor(v), kind) for v in limits)
    return ops.range(*numbers)


def register() -> None:
    """Makes the counterparts known to converted code."""
    for function, op in _OF_ONE.items():
        register_counterpart(function, _one(op))
    for function, op in _OF_TWO.items():
        register_counterpart(function, _two(op))
    register_counterpart(math.floor, _whole(lambda: ops.Floor))
    register_counterpart(math.ceil, _whole(lambda: ops.Ceil))
    register_counterpart(math.trunc, lambda x: weak_cast(convert_to_tensor(x), int64))
    register_counterpart(math.log, _log)
    register_counterpart(math.log2, lambda x: _log(x, 2.0))
    register_counterpart(math.log10, lambda x: _log(x, 10.0))
    register_counterpart(math.hypot, _hypot)
    register_counterpart(math.radians, lambda x: _real(x) * (math.pi / 180))
    register_counterpart(math.degrees, lambda x: _real(x) * (180 / math.pi))
    rules: tuple[tuple[Any, Callable[..., Any]], ...] = (
        (np.zeros, _zeros), (np.empty, _zeros), (np.ones, _ones), (np.full, _full), (np.eye, _eye),
        (np.identity, _eye), (np.arange, _arange), (np.array, _array), (np.asarray, _array),
        (np.ascontiguousarray, _array), (np.asanyarray, _array),
        (np.linspace, _linspace),
        ("numpy.fft._helper:fftfreq", _fftfreq(False)), ("numpy.fft._helper:rfftfreq", _fftfreq(True)),  # slow to import
    )  # fmt: skip
    for function, rule in rules:
        register_counterpart(function, rule)
    for function in (np.stack, np.concatenate, np.vstack, np.hstack):
        register_counterpart(function, _of_list(function))
    for kind in ALL:
        if kind.kind in "fiucb" and numpy_type(kind) is not None:
            register_counterpart(numpy_type(kind), _scalar_type(kind))
