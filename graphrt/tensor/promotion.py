"""What tensors of different dtypes become together, where a program asks for it.

    tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
    tf.constant(1, tf.int32) + tf.constant(1.5, tf.float32)     float32
    tf.constant(1, tf.int8) + 2                                 int8: a number of Python has no dtype of its own
    tf.constant(2) + tf.constant(1, tf.int8)                    int8: nor has a tensor made of one, which is *weak*

The switch belongs to the context that it was set in: other threads and tasks that began before keep their own. Functions
have traces of their own under each of its states.

Modes are `legacy` (operators promote as NumPy does, nothing is weak), `all`, and `safe`, which refuses what may lose
bits or widens both operands.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np

from graphrt import errors
from graphrt.ir.op import ELEMENTWISE, KEEPS_KIND, MATRIX_PRODUCT, OpDef, ops  # late: ops stand above tensors
from graphrt.tensor.changes import SWITCH, switching
from graphrt.tensor.convert import constant, convert_to_tensor
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types.dtype import (
    DType,
    as_dtype,
    bfloat16,
    bool_,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    from_numpy,
    int32,
    int64,
)
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike
from graphrt.types.nesting import shown

_Result = TypeVar("_Result")
Kind: TypeAlias = "tuple[DType, bool]"  # a dtype, and whether it is weak

MODES = ("all", "legacy", "safe")


@dataclass(frozen=True, slots=True)
class Conversion:
    """What a program asked for.

    Attributes:
      mode: one of `MODES`.
      prefer_float32: whether numbers of Python become float32 where NumPy makes float64 of them.
    """

    mode: str
    prefer_float32: bool = False

    @property
    def is_weak(self) -> bool:
        """Whether numbers of Python make weak tensors."""
        return self.mode != "legacy"


_conversion: ContextVar[Conversion | None] = ContextVar("graphrt_conversion", default=None)

conversion: Callable[[], Conversion | None] = _conversion.get
"""What holds in this context; None when nothing was asked for."""


class _Asking:
    """Is there as long as a context that asked for conversions: contexts that end let go of it."""

    __slots__ = ("__weakref__",)


_asking: ContextVar[_Asking | None] = ContextVar("graphrt_asking_for_conversion", default=None)
# state: weak: what is in here asks operators to look
_ASKING: weakref.WeakSet[_Asking] = weakref.WeakSet()


def convert_dtypes(wanted: Conversion | None) -> None:
    """Sets what holds from now on in this context."""
    _conversion.set(wanted)
    if wanted is None:
        _asking.set(None)
        _nobody_asks()
        return
    asking = _Asking()
    weakref.finalize(asking, _nobody_asks).atexit = False
    _asking.set(asking)
    with switching:
        _ASKING.add(asking)
        SWITCH.set(promoting=_Promotions())  # somebody has to look, until no context asks any more


def _nobody_asks() -> None:
    with switching:  # another context may begin to ask
        if next(iter(_ASKING), None) is None:
            SWITCH.set(promoting=None)


def weakly() -> Conversion | None:
    """What holds in this context, if that makes weak tensors."""
    found = _conversion.get()
    return found if found is not None and found.mode != "legacy" else None


# --- the table -------------------------------------------------------------------------------------------------------
_WEAK = (int32, int64, float32, float64, complex128)  # among each other the later one wins
_DIGITS = {bfloat16: 8, float16: 11, float32: 24, float64: 53, complex64: 24, complex128: 53}


def joined(a: Kind, b: Kind) -> Kind:
    """What two kinds become together in the mode `all`."""
    if a == b or b[0] is bool_:
        return a
    if a[0] is bool_:
        return b
    if a[1] and b[1]:
        return max(a, b, key=lambda kind: _WEAK.index(kind[0]))
    if a[1] or b[1]:
        weak, strong = (a[0], b[0]) if a[1] else (b[0], a[0])
        return _with_weak(weak, strong)
    return _strong(a[0], b[0])


def _with_weak(weak: DType, strong: DType) -> Kind:
    if weak.is_integer or strong.is_complex or (weak.is_floating and strong.is_floating):
        return strong, False
    if strong.is_integer:
        return (float64 if weak.is_floating else complex128), True
    return (complex128 if strong is float64 else complex64), False


def _strong(a: DType, b: DType) -> Kind:
    if a.is_integer and b.is_integer:
        found = from_numpy(np.promote_types(a.as_numpy_dtype, b.as_numpy_dtype))
        return found, found.is_floating  # no integer holds those of uint64 and a signed one
    if a.is_integer or b.is_integer:
        return (b if a.is_integer else a), False
    if a.is_complex or b.is_complex:
        return (complex128 if complex128 in (a, b) or float64 in (a, b) else complex64), False
    if {a, b} == {bfloat16, float16}:
        return float32, False
    return max(a, b, key=lambda dtype: dtype.size), False


def _is_safe(kind: Kind, other: Kind, found: Kind) -> bool:
    """Whether `found` is one of the two and holds all that the strong ones hold."""
    if found[0] not in (kind[0], other[0]):
        return False
    return all(_holds(found[0], dtype) for dtype, weak in (kind, other) if not weak)


def _holds(wide: DType, narrow: DType) -> bool:
    if narrow.is_integer and wide in _DIGITS:
        return 8 * narrow.size - (not narrow.is_unsigned) <= _DIGITS[wide]
    return True


def promoted_kind(kinds: Sequence[Kind]) -> Kind:
    """What kinds become together under the mode of this context.

    Raises:
      TypeError: the mode is `safe`, and the conversion is not.
    """
    asked = _conversion.get()
    found = kinds[0]
    for kind in kinds[1:]:
        before, found = found, joined(found, kind)
        if asked is not None and asked.mode == "safe" and not _is_safe(before, kind, found):
            first, second = (f"({dtype}, weak={weak})" for dtype, weak in (before, kind))
            raise TypeError(
                errors.at_user_line(
                    f"In promotion mode PromoMode.SAFE, implicit dtype promotion between {first} and {second} is "
                    "disallowed. You need to explicitly specify the dtype in your op, or relax your dtype promotion rules "
                    "(such as from SAFE mode to ALL mode)."
                )
            )
    return found


# --- values ----------------------------------------------------------------------------------------------------------
def kind_of(value: TensorLike) -> Kind | None:
    """The kind of a value: tensors and arrays have a dtype, numbers of Python and lists of them a weak one; else None."""
    if isinstance(value, Tensor):
        in_graph = type(value) is SymbolicTensor and value.value.weak is not None
        return value.dtype, (value.weak or in_graph) and value.dtype in _WEAK
    if isinstance(value, (np.ndarray, np.generic)):
        return from_numpy(value.dtype), False
    if hasattr(value, "__tf_tensor__"):
        return as_dtype(getattr(value, "dtype", None)), False
    if isinstance(value, (bool, int, float, complex)):
        return _kind_of_number(value)
    if isinstance(value, (list, tuple)) and value:
        kinds = [kind_of(v) for v in value]
        return None if None in kinds else promoted_kind([k for k in kinds if k is not None])
    return None


def _kind_of_number(value: complex) -> Kind:
    if isinstance(value, bool):
        return bool_, False
    if isinstance(value, int):
        return (int32 if int32.min <= value <= int32.max else int64), True
    return (float32 if isinstance(value, float) else complex128), True


def is_plain(value: object) -> bool:
    """Whether `value` is a number of Python, or a list of such."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(map(is_plain, value))
    return type(value) in (int, float, complex)


def weakened(tensor: _Result, weak: bool = True) -> _Result:
    """`tensor`, which nobody else has yet, as a weak one if `weak` says so and its dtype can be weak."""
    if weak and isinstance(tensor, Tensor) and tensor.dtype in _WEAK:
        tensor.weak = True
    return tensor


def converted(value: TensorLike, dtype: DType) -> Tensor:
    """A value as a tensor of `dtype`."""
    mixed = isinstance(value, (list, tuple)) and not is_plain(value)
    if mixed or isinstance(value, Tensor) or hasattr(value, "__tf_tensor__"):
        tensor: Tensor = convert_to_tensor(value)
        return tensor if tensor.dtype is dtype else ops.Cast(tensor, DstT=dtype)
    if is_plain(value) and dtype.is_integer:
        return convert_to_tensor(value, dtype)  # which refuses what does not fit
    return convert_to_tensor(np.asarray(value).astype(dtype.as_numpy_dtype))


def agreed(*values: TensorLike) -> tuple[list[Tensor], bool] | None:
    """Values as tensors of one dtype, and whether that is weak; None when some have no dtype that could be promoted."""
    kinds = [kind_of(v) for v in values]
    known = [k for k in kinds if k is not None and (k[0].is_numeric or k[0] is bool_)]
    if len(known) < len(values):
        return None
    dtype, weak = promoted_kind(known)
    return [converted(v, dtype) for v in values], weak


def promoted(function: Callable[..., Any], x: TensorLike, y: TensorLike, *args: object) -> Any:
    """`function(x, y, ...)` of operands that agree, where weak tensors exist; None when there is nothing to do."""
    asked = weakly()
    found = agreed(x, y) if asked is not None else None
    if found is None:
        return None
    return weakened(under_none(function, *found[0], *args), found[1])


def under_none(function: Callable[..., _Result], *args: object) -> _Result:
    """`function(...)` as it is where nothing was asked for."""
    asked = _conversion.get()
    _conversion.set(None)
    try:
        return function(*args)
    finally:
        _conversion.set(asked)


def weak_constant(value: TensorLike, dtype: DTypeLike | None, shape: ShapeLike, name: str) -> Tensor | None:
    """`tf.constant` where weak tensors exist: tensors are converted, what has no dtype is weak; None elsewhere."""
    if weakly() is None:
        return None
    if dtype is not None and kind_of(value) is not None:
        return under_none(constant, converted(value, as_dtype(dtype)), dtype, shape, name)
    return weakened(under_none(constant, value, dtype, shape, name), dtype is None and is_plain(value))


def assignable(value: TensorLike | None, dtype: DType, what: str) -> TensorLike | None:
    """What a variable of `dtype` is given, as `what` says; TypeError where that would need another dtype."""
    kind = kind_of(value) if value is not None and weakly() is not None else None
    if value is None or kind is None:
        return value
    if promoted_kind([(dtype, False), kind])[0] is not dtype:
        raise TypeError(
            errors.at_user_line(
                f"Variable dtype is immutable. Calling {what} of Variable (with dtype {dtype!r}) on {value!r} requires "
                f"converting {value!r} to {dtype!r}. This is disabled in the current promotion semantics. Please convert "
                f"{shown(value)} manually before calling {what}."
            )
        )
    return converted(value, dtype)


# --- ops -------------------------------------------------------------------------------------------------------------
def promoted_arguments(op: OpDef, args: tuple[Any, ...], attrs: dict[str, Any]) -> tuple[tuple[Any, ...], bool]:
    """The arguments of an op with operands that agree, and whether what it makes of them is weak."""
    if not op.traits & {ELEMENTWISE, KEEPS_KIND, MATRIX_PRODUCT} or len(args) != len(op.inputs):
        return args, False
    shared = op.outputs[0].type_attr if len(op.outputs) == 1 else None
    found, weak = list(args), False
    by_type: dict[str, list[int]] = {}
    for i, arg in enumerate(op.inputs):
        if arg.type_attr and not arg.is_list and attrs.get(arg.type_attr) is None:
            by_type.setdefault(arg.type_attr, []).append(i)
    for attr, places in by_type.items():
        if len(places) == 1:
            kind = kind_of(args[places[0]])
            is_weak = kind is not None and kind[1]
        elif KEEPS_KIND in op.traits:
            continue
        else:
            agreement = agreed(*(args[i] for i in places))
            if agreement is None:
                continue
            is_weak = agreement[1]
            for i, tensor in zip(places, agreement[0]):
                found[i] = tensor
        weak = weak or (attr == shared and is_weak)
    return tuple(found), weak


def as_numpy_promotes(x: TensorLike, y: TensorLike) -> tuple[TensorLike, TensorLike]:
    """Two operands of an operator; under the mode `legacy` both of the dtype that NumPy gives them together."""
    asked = _conversion.get()
    if asked is None or asked.is_weak:
        return x, y
    first, second = _legacy_type(x), _legacy_type(y)
    if first is None or second is None:
        return x, y
    dtype = from_numpy(np.result_type(first, second))
    return converted(x, dtype), converted(y, dtype)


_NUMBERS = {"b": True, "i": 1, "f": 1.0, "c": 1j}  # what NumPy takes for a number of Python of that kind


def _legacy_type(value: TensorLike) -> type | complex | None:
    kind = kind_of(value)
    if kind is None or not (kind[0].is_numeric or kind[0] is bool_):
        return None
    return _NUMBERS[kind[0].kind] if is_plain(value) or type(value) is bool else kind[0].as_numpy_dtype


class _Promotions:
    """See `changes.Promoting`."""

    operands = staticmethod(as_numpy_promotes)
    constant = staticmethod(weak_constant)
