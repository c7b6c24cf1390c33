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
from graphrt.ir.op import ops
from graphrt.staging.lists import StagedList
from graphrt.tensor.convert import convert_to_tensor
from graphrt.types.dtype import ALL, DType, float64, from_numpy

np: Any = numpy  # tensors take part in NumPy's functions by its protocols, which the types of NumPy do not know

_MATH = {
    "sqrt": "Sqrt", "exp": "Exp", "expm1": "Expm1", "log1p": "Log1p", "sin": "Sin", "cos": "Cos", "tan": "Tan",
    "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "tanh": "Tanh", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "erf": "Erf", "erfc": "Erfc", "lgamma": "Lgamma", "fabs": "Abs",
}  # fmt: skip
_TESTS = {"isnan": "IsNan", "isinf": "IsInf", "isfinite": "IsFinite"}
_PAIRS = {"pow": "Pow", "atan2": "Atan2", "fmod": "TruncateMod"}


def _real(x: Any) -> Any:
    """A floating tensor; integers as `math` takes them, in double precision."""
    found = convert_to_tensor(x)
    return found if found.dtype.is_floating else ops.cast(found, float64)


def _both(x: Any, y: Any) -> tuple[Any, Any]:
    x, y = (v if hasattr(v, "dtype") else convert_to_tensor(v, float64) for v in (x, y))
    kind = x.dtype if x.dtype.is_floating else y.dtype if y.dtype.is_floating else float64
    return ops.cast(x, kind), ops.cast(y, kind)


def _log(x: Any, *base: Any) -> Any:
    found = ops.Log(_real(x))
    return found / ops.cast(ops.Log(_real(base[0])), found.dtype) if base else found


def _whole(op: str) -> Callable[[Any], Any]:
    def rounded(x: Any) -> Any:
        found = convert_to_tensor(x)
        return ops.cast(getattr(ops, op)(found), "int64") if found.dtype.is_floating else found

    return rounded


def _one(op: str) -> Callable[[Any], Any]:
    return lambda x: getattr(ops, op)(_real(x))


def _two(op: str) -> Callable[[Any, Any], Any]:
    return lambda x, y: getattr(ops, op)(*_both(x, y))


def _hypot(*xs: Any) -> Any:
    total: Any = None
    for x in xs:
        square = ops.Square(_real(x))
        total = square if total is None else total + ops.cast(square, total.dtype)
    return ops.Sqrt(total)


def _dims(shape: Any) -> Any:
    """A shape as a vector."""
    found = convert_to_tensor(list(shape) if isinstance(shape, tuple) else shape)
    return ops.reshape(found, [1]) if found.dims == () else found


def _kind(dtype: Any, otherwise: DType = float64) -> DType:
    if dtype is None:
        return otherwise
    return dtype if isinstance(dtype, DType) else from_numpy(np.dtype(dtype))


def _zeros(shape: Any, dtype: Any = None, order: str = "C", **_: Any) -> Any:
    kind = _kind(dtype)
    return ops.fill(_dims(shape), convert_to_tensor(False if kind.is_bool else 0, kind))


def _array(object: Any, dtype: Any = None, copy: Any = None, order: Any = None, **_: Any) -> Any:
    """np.array of something that holds symbolic tensors: NumPy's promotion of all that is in it."""
    found = _stacked(object)
    return found if dtype is None else ops.cast(found, _kind(dtype))


def _stacked(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return np.stack([_stacked(v) for v in value])
    if type(value) in (int, float, complex, bool):
        return np.asarray(value)
    return value.stack() if hasattr(value, "stack") and not hasattr(value, "__array__") else value


def _of_list(function: Any) -> Callable[..., Any]:
    """np.stack(rows) where rows grew in a staged loop: the rows are one tensor already."""

    def rule(arrays: Any, *args: Any, **kwargs: Any) -> Any:
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
    def rule(n: Any, d: Any = 1.0, **_: Any) -> Any:
        n = convert_to_tensor(n)
        middle = (n - 1) // 2 + 1
        places = ops.range(n // 2 + 1) if half else ops.concat([ops.range(middle), ops.range(-(n // 2), 0)], 0)
        return ops.cast(places, float64) / (ops.cast(n, float64) * ops.cast(d, float64))

    return rule


def _ones(shape: Any, dtype: Any = None, order: str = "C", **_: Any) -> Any:
    kind = _kind(dtype)
    return ops.fill(_dims(shape), convert_to_tensor(True if kind.is_bool else 1, kind))


def _full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C", **_: Any) -> Any:
    value = convert_to_tensor(fill_value if hasattr(fill_value, "dtype") else np.asarray(fill_value))
    return ops.broadcast_to(value if dtype is None else ops.cast(value, _kind(dtype)), _dims(shape))


def _eye(N: Any, M: Any = None, k: int = 0, dtype: Any = None, order: str = "C", **_: Any) -> Any:
    rows, columns = convert_to_tensor(N), convert_to_tensor(N if M is None else M)
    on = ops.Equal(ops.ExpandDims(ops.range(rows), 1) + k, ops.cast(ops.range(columns), rows.dtype))
    return ops.cast(on, _kind(dtype))


def _arange(*limits: Any, dtype: Any = None, **_: Any) -> Any:
    whole = not any(isinstance(v, float) or getattr(getattr(v, "dtype", None), "kind", "i") == "f" for v in limits)
    kind = _kind(dtype, from_numpy(np.dtype(np.int64)) if whole else float64)
    return ops.range(*(ops.cast(convert_to_tensor(v), kind) for v in limits))


def register() -> None:
    """Makes the counterparts known to converted code."""
    for table, make in ((_MATH, _one), (_TESTS, _one), (_PAIRS, _two)):
        for name, op in table.items():
            register_counterpart(getattr(math, name), make(op))
    for name, op in (("floor", "Floor"), ("ceil", "Ceil"), ("trunc", "Floor")):
        register_counterpart(getattr(math, name), _whole(op) if name != "trunc" else lambda x: ops.cast(x, "int64"))
    register_counterpart(math.log, _log)
    register_counterpart(math.log2, lambda x: _log(x, 2.0))
    register_counterpart(math.log10, lambda x: _log(x, 10.0))
    register_counterpart(math.hypot, _hypot)
    register_counterpart(math.radians, lambda x: _real(x) * (math.pi / 180))
    register_counterpart(math.degrees, lambda x: _real(x) * (180 / math.pi))
    for function, rule in (
        (np.zeros, _zeros), (np.empty, _zeros), (np.ones, _ones), (np.full, _full), (np.eye, _eye),
        (np.identity, _eye), (np.arange, _arange), (np.array, _array), (np.asarray, _array),
        (np.ascontiguousarray, _array), (np.asanyarray, _array),
        (np.linspace, _linspace), (np.fft.fftfreq, _fftfreq(False)), (np.fft.rfftfreq, _fftfreq(True)),
    ):  # fmt: skip
        register_counterpart(function, rule)
    for function in (np.stack, np.concatenate, np.vstack, np.hstack):
        register_counterpart(function, _of_list(function))
    for kind in ALL:
        if kind.kind in "fiucb" and kind._numpy is not None:
            register_counterpart(kind._numpy, _scalar_type(kind))
