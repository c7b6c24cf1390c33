"""Operands of NumPy's functions as tensors, and the table of what functions do with tensors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NoReturn, TypeVar

import numpy as np

from graphrt import errors
from graphrt.ops.io.printing import assert_that
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import NotEqual
from graphrt.ops.math.division import FloorMod, TruncateMod
from graphrt.ops.support.kernel_helpers import place_in
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import SymbolicTensor, Tensor, static_array
from graphrt.types.dtype import DType, as_dtype, bool_, from_numpy, int32, int64, uint8, uint64
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown, told, walkable

# --- functions that are no ufuncs -----------------------------------------------------------------------------------
# state: registry, filled by declarations
_FUNCTIONS: dict[Any, Callable[..., Any]] = {}
# state: registry, filled by declarations
_SIGNATURES: dict[Any, inspect.Signature] = {}
_F = TypeVar("_F", bound=Callable[..., Any])


def implements(*functions: object) -> Callable[[_F], _F]:
    """Enters a rule as what `functions` do with tensors; it returns NotImplemented for arguments it does not take.

    Functions that the oldest NumPy of this package does not have are given by their names.
    """

    def enter(rule: _F) -> _F:
        for given in functions:
            function = getattr(np, given, None) if isinstance(given, str) else given
            if function is None:
                continue
            _FUNCTIONS[function] = rule
            _SIGNATURES[function] = inspect.signature(rule)
        return rule

    return enter


def counterpart(func: object, args: tuple[Any, ...], kwargs: dict[Any, Any]) -> tuple[Any, Any]:
    """The rule of a NumPy function, or None, and what it gives for these arguments, or NotImplemented."""
    rule = _FUNCTIONS.get(func)
    if rule is None:
        return None, NotImplemented
    try:
        bound = _SIGNATURES[func].bind(*args, **kwargs)
    except TypeError:
        return rule, NotImplemented
    return rule, rule(*map(walkable, bound.args), **bound.kwargs)


# --- operands --------------------------------------------------------------------------------------------------------
def is_tensor_like(value: object) -> bool:
    """Whether `value` is a tensor or stands for one (a variable)."""
    return isinstance(value, Tensor) or hasattr(value, "__tf_tensor__")


def tensor_of_any(value: Any) -> Any:
    """A tensor or variable as a Tensor, anything else converted."""
    return value if isinstance(value, Tensor) else convert_to_tensor(value)


# state: context-local, reset when the call ends
_LENIENT: ContextVar[bool] = ContextVar("graphrt_lenient", default=False)


def strictly() -> bool:
    """Whether NumPy itself is asked: `tnp` and `keras.ops` take and give what TensorFlow does."""
    return not _LENIENT.get()


def leniently(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function of NumPy gives for `tnp` and `keras.ops`."""
    token = _LENIENT.set(True)
    try:
        return function(*args, **kwargs)
    finally:
        _LENIENT.reset(token)


def require(condition: Any, error: Exception) -> None:
    """Raises `error` unless `condition` holds; where that is not known yet, a recorded assertion fails with its text."""
    known = static_array(condition) if isinstance(condition, Tensor) else condition
    if known is None:
        assert_that(condition, [str(error)])
    elif not known:
        raise type(error)(errors.at_user_line(str(error)))


def any_symbolic(value: object) -> bool:
    """Whether a symbolic tensor is inside nested lists, tuples and dicts."""
    try:
        return _any_symbolic(value)
    except RecursionError as error:
        raise told((value,), error) from None


def _any_symbolic(value: object) -> bool:
    if isinstance(value, SymbolicTensor):
        return True
    if isinstance(value, (list, tuple)):
        return any(_any_symbolic(v) for v in value)
    if isinstance(value, dict):
        return any(_any_symbolic(v) for v in value.values())
    return False


def together(values: Any) -> list[Any]:
    """Tensors and values as tensors of one dtype: that of the tensors where all fit, else NumPy's promotion."""
    found = [v if isinstance(v, Tensor) else convert_to_tensor(v) if is_tensor_like(v) else v for v in values]
    tensors = [v for v in found if isinstance(v, Tensor)]
    kinds = {t.dtype for t in tensors}
    if len(kinds) == 1:
        try:
            return [v if isinstance(v, Tensor) else convert_to_tensor(v, tensors[0].dtype) for v in found]
        except (TypeError, ValueError):
            pass
    if any(t.kind == "S" for t in kinds):
        return [v if isinstance(v, Tensor) else convert_to_tensor(v) for v in found]
    weak = [_stand_in(v) for v in found]
    target = from_numpy(np.result_type(*weak))
    return [cast(v, target) if isinstance(v, Tensor) else convert_to_tensor(v, target) for v in found]


def _stand_in(value: TensorLike) -> Any:
    """What NumPy's promotion looks at: a dtype, or a Python number, which has a weak one."""
    if isinstance(value, Tensor):
        return np.dtype(value.dtype.as_numpy_dtype)
    return value if type(value) in (int, float, complex) else np.asarray(value).dtype


def numeric(x: Tensor) -> Tensor:
    """`x`, which holds numbers.

    Raises:
      DTypeMismatchError: it holds texts; a cast would say so only when the graph runs.
    """
    if x.dtype.kind == "S":
        raise errors.DTypeMismatchError(errors.at_user_line("numbers are expected, found a tensor of strings"))
    return x


def as_floats(x: Tensor) -> Any:
    """Integers and booleans as floats, of the width NumPy takes for them."""
    if numeric(x).dtype.kind in "fc":
        return x
    return cast(x, from_numpy(np.result_type(np.sqrt(np.zeros((), x.dtype.as_numpy_dtype)))))


def rank_of(x: Any) -> int:
    if x.dims is None:
        raise TypeError(errors.at_user_line(f"this NumPy function needs a tensor of known rank, found {shown(x)}"))
    return len(x.dims)


def as_places(x: Any) -> Any:
    """Integers as positions, which floats are not."""
    if x.dtype.kind not in "biu" or x.dtype is uint64:
        raise TypeError(errors.at_user_line(f"positions are integers that fit int64, found {x.dtype.name}"))
    return cast(x, int64)


def axes_in(axis: Any, rank: int, name: str | None = None) -> list[int]:
    """The axes as places, none of them twice."""
    found = [place_in(i, rank) for i in np.atleast_1d(np.asarray(axis, np.int64)).tolist()]
    if len(set(found)) != len(found):
        refuse(f"repeated axis in `{name}` argument" if name else "repeated axis")
    return found


def refuse(message: str) -> NoReturn:
    """Raises NumPy's ValueError, with the user's line; for eager shapes it is TensorFlow's error, too."""
    raise errors.ShapeError(errors.at_user_line(message))


def typed(x: TensorLike, dtype: DTypeLike | None) -> Any:
    return x if dtype is None else cast(x, dtype_of(dtype))


def as_booleans(x: Tensor) -> Tensor:
    return x if x.dtype.is_bool else NotEqual(x, convert_to_tensor(0, x.dtype))


def number_like(value: float, x: Tensor) -> Tensor:
    return convert_to_tensor(value, x.dtype)


def held_in(value: Any, dtype: DType) -> Any:
    """A number of Python as one of `dtype`.

    Raises:
      OverflowError, ValueError: it does not fit, as NumPy says.
    """
    return np.dtype(dtype.as_numpy_dtype).type(value) if type(value) in (int, float) and strictly() else value


def dtype_of(dtype: Any) -> DType:
    return as_dtype(dtype) if isinstance(dtype, DType) else from_numpy(np.dtype(dtype))


def of_bits(op: Callable[..., Any]) -> Callable[..., Any]:
    """An op that orders or multiplies, and takes booleans as 0 and 1."""

    def apply(*parts: Tensor) -> Any:
        if not parts[0].dtype.is_bool:
            return op(*parts)
        return cast(op(*(cast(p, uint8) for p in parts)), bool_)

    return apply


def truncated_mod(x: Tensor, y: Tensor) -> Any:
    """`np.fmod` of tensors of one dtype, which the op has for some."""
    if x.dtype.is_unsigned:
        return FloorMod(x, y)
    if x.dtype.kind == "i" and x.dtype.size < 4:
        return cast(TruncateMod(cast(x, int32), cast(y, int32)), x.dtype)
    return TruncateMod(x, y)


def check_numbers(name: str, *values: object) -> None:
    """Raises TypeError for what is no number; an array that holds itself would end the process in NumPy."""
    for value in values:
        if getattr(value, "ndim", 0) or not any(
            hasattr(value, way) for way in ("__float__", "__index__", "__complex__")
        ):
            raise TypeError(errors.at_user_line(f"{name} takes numbers, found {shown(value)}"))
