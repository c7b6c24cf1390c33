"""Operands of NumPy's functions as tensors, and the table of what functions do with tensors."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from graphrt import errors
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import NotEqual
from graphrt.ops.math.division import FloorMod, TruncateMod
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types.dtype import DType, as_dtype, bool_, from_numpy, int32, uint8
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


def typed(x: TensorLike, dtype: DTypeLike | None) -> Any:
    return x if dtype is None else cast(x, dtype_of(dtype))


def as_booleans(x: Tensor) -> Tensor:
    return x if x.dtype.is_bool else NotEqual(x, convert_to_tensor(0, x.dtype))


def number_like(value: float, x: Tensor) -> Tensor:
    return convert_to_tensor(value, x.dtype)


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
