"""What stands, in programs that need nothing but NumPy, for things of this library and of Python's.

Everything here is copied into such programs as it stands, so it uses built-in names and NumPy only.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import itertools
import math
import operator
import threading
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from graphrt import errors
from graphrt.ops.math.special import gamma_kernels
from graphrt.ops.support import threads
from graphrt.state.storage import Storage
from graphrt.tensor import changes
from graphrt.types import float_warnings, limits
from graphrt.types.dtype import DType
from graphrt.types.likes import Array, DTypeLike, TensorLike
from graphrt.types.shape import Dims, TensorShape

__all__ = ["STANDINS"]

T = TypeVar("T")


class ElementType:
    """The type of the elements of a tensor."""

    def __init__(self, name: str, numpy_type: DTypeLike | None, kind: str, size: int, number: int) -> None:
        self.name, self.as_numpy_dtype, self.kind, self.size = name, numpy_type, kind, size
        self.as_datatype_enum = number
        self.is_floating, self.is_complex, self.is_bool = kind == "f", kind == "c", kind == "b"
        self.is_integer, self.is_unsigned, self.is_numeric = kind in "iu", kind == "u", kind in "fiuc"
        self.base_dtype = self
        if kind in "iuf" and numpy_type is not None:
            held: Any = np.iinfo(numpy_type) if kind != "f" else np.finfo(numpy_type)
            self.min, self.max = (np.array(v, numpy_type).item() for v in (held.min, held.max))  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return self.name


class Variable:
    """A value that calls may change."""

    def __init__(self, name: str, dtype: ElementType, dims: Dims, *value: Array) -> None:
        self.name, self.dtype, self.dims, self.lock = name, dtype, dims, Lock()
        if value:
            self.value = value[0]

    @property
    def initialized(self) -> bool:
        return hasattr(self, "value")

    def assign(self, value: Array) -> None:
        own, dims = self.dims, np.shape(value)
        if own is not None and (len(own) != len(dims) or any(m is not None and m != n for m, n in zip(own, dims))):
            raise ValueError(f"variable {self.name}: a value of shape {dims}, of {own}")
        self.value = value

    def update(self, value: Array, combine: np.ufunc) -> None:
        if np.shape(self.value) != np.shape(value):
            raise ValueError(f"variable {self.name}: a value of shape {np.shape(value)}, of {np.shape(self.value)}")
        self.value = combine(self.value, value)


class ShownShape:
    """A shape in a message."""

    def __init__(self, dims: Dims) -> None:
        self.dims = dims

    def __repr__(self) -> str:
        return "<unknown>" if self.dims is None else str(tuple(self.dims))


class Lock:
    """Nothing to wait for: a program of one thread."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


class Error(Exception):
    """An op failed."""

    def __init__(self, node_def: object = None, op: object = None, message: str = "", *rest: object) -> None:
        super().__init__(message if op is None and message else node_def)


def the_message(message: str) -> str:
    return message


def nothing(*args: object, **kwargs: object) -> None:
    pass


def as_one(call: Callable[[int, int], T], count: int, most: int) -> list[T]:
    return [call(0, count)]


def just_one(most: int) -> int:
    return 1


def called(function: Callable[..., T], /, *args: object, **kwargs: object) -> T:
    return function(*args, **kwargs)


def second(kind: object, value: T) -> T:
    return value


def partial(function: Callable[..., T], /, *given: object, **named: object) -> Callable[..., T]:
    return lambda *args, **kwargs: function(*given, *args, **{**named, **kwargs})


def reduce(function: Callable[[T, T], T], values: Iterable[T], *start: T) -> T:
    rest = iter(values)
    total = start[0] if start else next(rest)
    for value in rest:
        total = function(total, value)
    return total


def itself(function: T) -> T:
    return function


def with_itself(*args: object, **kwargs: object) -> Callable[[T], T]:
    return itself


def prod(values: Iterable[int], *, start: int = 1) -> int:
    for value in values:
        start = start * value
    return start


def sqrt(x: float) -> float:
    return float(np.sqrt(np.float64(x)))


def log(x: float) -> float:
    return float(np.log(np.float64(x)))


def log2(x: float) -> float:
    return float(np.log2(np.float64(x)))


def exp(x: float) -> float:
    return float(np.exp(np.float64(x)))


def floor(x: float) -> int:
    return int(np.floor(x))


def ceil(x: float) -> int:
    return int(np.ceil(x))


def isfinite(x: float) -> bool:
    return bool(np.isfinite(x))


def isinf(x: float) -> bool:
    return bool(np.isinf(x))


def isnan(x: float) -> bool:
    return bool(np.isnan(x))


def erf(x: float) -> float:
    return float(gamma_kernels.erf(np.array([x]))[0])


def erfc(x: float) -> float:
    return float(gamma_kernels.erfc(np.array([x]))[0])


def lgamma(x: float) -> float:
    return float(gamma_kernels.lgamma(np.array([x]))[0])


def product(*groups: Iterable[T], repeat: int = 1) -> Iterator[tuple[T, ...]]:
    found: list[tuple[T, ...]] = [()]
    for group in [list(g) for g in groups] * repeat:
        found = [(*left, right) for left in found for right in group]
    return iter(found)


def chained(groups: Iterable[Iterable[T]]) -> Iterator[T]:
    return (value for group in groups for value in group)


def chain(*groups: Iterable[T]) -> Iterator[T]:
    return (value for group in groups for value in group)


def pairwise(values: Iterable[T]) -> Iterator[tuple[T, T]]:
    held = list(values)
    return iter([(held[i], held[i + 1]) for i in range(len(held) - 1)])


def accumulate(
    values: Iterable[int], function: Callable[[int, int], int] | None = None, *, initial: int | None = None
) -> Iterator[int]:
    found = [] if initial is None else [initial]
    for value in values:
        found.append(value if not found else found[-1] + value if function is None else function(found[-1], value))
    return iter(found)


def combinations(values: Iterable[T], size: int) -> Iterator[tuple[T, ...]]:
    held = list(values)
    if size == 0:
        return iter([()])
    return iter([(v, *rest) for i, v in enumerate(held) for rest in combinations(held[i + 1 :], size - 1)])


class suppress:
    """Leaves out errors."""

    def __init__(self, *kinds: type[BaseException]) -> None:
        self.kinds = kinds

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: object) -> bool:
        return kind is not None and issubclass(kind, self.kinds)


_OPERATORS: dict[Any, Callable[..., Any]] = {
    operator.add: lambda a, b: a + b, operator.sub: lambda a, b: a - b, operator.mul: lambda a, b: a * b,
    operator.truediv: lambda a, b: a / b, operator.floordiv: lambda a, b: a // b, operator.mod: lambda a, b: a % b,
    operator.pow: lambda a, b: a**b, operator.and_: lambda a, b: a & b, operator.or_: lambda a, b: a | b,
    operator.xor: lambda a, b: a ^ b, operator.lshift: lambda a, b: a << b, operator.rshift: lambda a, b: a >> b,
    operator.lt: lambda a, b: a < b, operator.le: lambda a, b: a <= b, operator.gt: lambda a, b: a > b,
    operator.ge: lambda a, b: a >= b, operator.eq: lambda a, b: a == b, operator.ne: lambda a, b: a != b,
    operator.neg: lambda a: -a, operator.index: int, operator.not_: lambda a: not a, operator.getitem: lambda a, b: a[b],
}  # fmt: skip

_OF_PYTHON: list[tuple[Any, Any]] = [
    (threading.Lock, Lock), (threading.RLock, Lock), (type(threading.Lock()), Lock), (typing.cast, second),
    (functools.partial, partial), (functools.reduce, reduce), (functools.wraps, with_itself), (functools.cache, itself),
    (math.prod, prod), (math.sqrt, sqrt), (math.log, log), (math.log2, log2), (math.exp, exp), (math.floor, floor),
    (math.ceil, ceil), (math.isfinite, isfinite), (math.isinf, isinf), (math.isnan, isnan),
    (math.erf, erf), (math.erfc, erfc), (math.lgamma, lgamma),
    (itertools.product, product), (itertools.chain, chain), (itertools.chain.from_iterable, chained),
    (itertools.pairwise, pairwise), (itertools.accumulate, accumulate), (itertools.combinations, combinations),
    (contextlib.suppress, suppress), (Sequence, (list, tuple)), (Iterable, (list, tuple, dict, set, np.ndarray)),
    (Mapping, dict), *_OPERATORS.items(),
]  # fmt: skip
_OF_OURS: list[tuple[Any, Any]] = [
    (DType, ElementType), (TensorShape, ShownShape), (Storage, Variable), (errors.OpError, Error),
    (errors.at_user_line, the_message),
    (limits.check_bytes, nothing), (float_warnings.silently, called), (changes.Undoable, builtins.object),
    (threads.in_parts, as_one), (threads.useful, just_one),
]  # fmt: skip

STANDINS: dict[Any, Any] = dict([*_OF_PYTHON, *_OF_OURS])  # what stands for a thing


def given(value: TensorLike, numpy_type: type[object], dims: Dims, name: str) -> Array:
    """An argument as the function takes it."""
    if numpy_type is object:
        array = np.array(value, object)
        flat = [v.encode() if isinstance(v, str) else v for v in array.reshape(-1).tolist()]
        array = np.array([*flat, None], object)[:-1].reshape(array.shape)
    else:
        array = np.asarray(value)
        if array.dtype != numpy_type:
            same = array.astype(numpy_type) if array.dtype.kind in "biufc" else None
            near = isinstance(value, (float, list, tuple)) and np.dtype(numpy_type).kind in "fc"
            if same is None or not (near or np.array_equal(array, same, equal_nan=True)):
                raise TypeError(f"{name}: an array of {array.dtype}, of {np.dtype(numpy_type)}")
            array = same
    shape = array.shape
    if dims is not None and (len(dims) != len(shape) or any(m is not None and m != n for m, n in zip(dims, shape))):
        raise ValueError(f"{name}: an array of shape {shape}, of {dims}")
    return array[()] if array.ndim == 0 and array.dtype != object else array
