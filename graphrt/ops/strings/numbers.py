"""Numbers as strings, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.ir.op import PER_ELEMENT, define
from graphrt.ops.strings.text import each_element, lossless_text, no_gradient
from graphrt.ops.support.kernel_helpers import bad
from graphrt.ops.support.numerals import real_number, whole_number
from graphrt.ops.support.shape_rules import same_shape
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import COMPLEX, INDEX, REAL, DType, as_dtype, bool_, float32, string
from graphrt.types.likes import Array, DTypeLike
from graphrt.types.limits import check_bytes

__all__ = ["as_string", "to_number"]


# --- numbers as strings and back -------------------------------------------------------------------------------------
def _number_text(
    dtype: DType, precision: int, scientific: bool, shortest: bool, width: int, fill: str
) -> Callable[[Any], bytes]:
    if dtype.kind == "S":
        return lambda v: _padded(v, width, "-" if fill == "-" else "")
    if dtype.kind in "iu":
        return lambda v: _padded(b"%d" % int(v), width, fill)
    if dtype.kind == "b":
        return lambda v: b"true" if v else b"false"
    style = "e" if scientific else "g" if shortest else "f"
    spec = f".{precision}{style}" if precision >= 0 else style

    def one(v: Array) -> bytes:
        number = float(v)
        if not math.isfinite(number):  # zeros are for numbers
            return _padded(b"%a" % number, width, "" if fill == "0" else fill)
        return _padded(format(number, spec if precision >= 0 or style != "g" else ".6g").encode(), width, fill)

    if dtype.kind == "c":
        return lambda v: b"(%b,%b)" % (one(v.real), one(v.imag))
    return one


def _as_string_kernel(
    x: Array, *, T: DType, precision: int, scientific: bool, shortest: bool, width: int, fill: str
) -> Array:
    pad = lossless_text(fill)
    if len(pad) > 1:
        raise bad(f"Fill string must be one or fewer characters: {pad}")
    if scientific and shortest:
        raise bad("Cannot select both scientific and shortest notation")
    if precision >= 0 and T.kind not in "fc":
        raise bad(f"precision not supported for datatype {T.name}")
    write = _number_text(T, precision, scientific, shortest, width, pad)
    array = np.asarray(x)
    check_bytes(array.size * max(width, precision, 1), "The texts")
    out = np.empty(array.shape, object)
    flat = out.reshape(-1)
    for i, v in enumerate(array.reshape(-1)):
        flat[i] = write(v)
    return out


def _padded(text: bytes, width: int, fill: str) -> bytes:
    if width <= len(text):
        return text
    if fill == "-":
        return text.ljust(width)
    if fill == "0":
        sign = text[:1] if text[:1] in (b"-", b"+") else b""
        return sign + text[len(sign) :].rjust(width - len(sign), b"0")
    return text.rjust(width)


AsString = define(
    "AsString", "input: T -> output: string",
    attrs="T: type; precision: int = -1; scientific: bool = False; shortest: bool = False; width: int = -1; "
    "fill: string = ''",
    allowed={"T": (*REAL, *COMPLEX, bool_, string)}, infer=same_shape, kernel=_as_string_kernel, vjp=no_gradient,
    traits=(PER_ELEMENT,),
)  # fmt: skip


def as_string(
    input: TensorLike, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1,
    fill: str = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """Each element as a string, as C's `printf` writes it.

    >>> import graphrt as tf
    >>> tf.strings.as_string([3, 2]).numpy().tolist(), tf.strings.as_string(1.5).numpy()
    ([b'3', b'2'], b'1.500000')

    Raises:
      InvalidArgumentError: the options do not fit each other or the dtype.
    """
    return AsString(
        input, precision=precision, scientific=scientific, shortest=shortest, width=width, fill=fill, name=name
    )


def _to_number_kernel(x: Array, *, out_type: DType) -> Array:
    kind = out_type.as_numpy_dtype

    def parse(text: bytes) -> Array:
        try:
            if out_type.is_integer:
                number = whole_number(text)
                if not out_type.min <= number <= out_type.max:
                    raise ValueError
                return kind(number)
            return kind(real_number(text))
        except ValueError:
            raise bad(f"StringToNumberOp could not correctly convert string: {lossless_text(text)}") from None

    found = _plain_numbers(np.asarray(x), out_type)
    return each_element(parse, x, kind) if found is None else found


def _plain_numbers(x: Array, dtype: DType) -> Array | None:
    """Texts that are numbers to Python, too, all at once; None where one may be something else."""
    texts = x.reshape(-1).tolist()
    if not x.ndim or not all(isinstance(t, bytes) for t in texts) or b"_" in b"".join(texts):
        return None
    try:
        if not dtype.is_integer:
            return np.array([*map(float, texts)], np.float64).astype(dtype.as_numpy_dtype).reshape(x.shape)
        numbers = [*map(int, texts)]
    except ValueError:
        return None
    if numbers and not dtype.min <= min(numbers) <= max(numbers) <= dtype.max:
        return None
    return np.array(numbers, dtype.as_numpy_dtype).reshape(x.shape)


StringToNumber = define(
    "StringToNumber", "string_tensor: string -> output: out_type", attrs="out_type: type = float32",
    allowed={"out_type": (float32, as_dtype("float64"), *INDEX, as_dtype("uint32"), as_dtype("uint64"))},
    infer=same_shape, kernel=_to_number_kernel, vjp=no_gradient,
    traits=(PER_ELEMENT,),
)  # fmt: skip


def to_number(input: TensorLike, out_type: DTypeLike = float32, name: str | None = None) -> Tensor:
    """Each string as a number of dtype `out_type`.

    >>> import graphrt as tf
    >>> tf.strings.to_number(["1.5", "2"]).numpy().tolist()
    [1.5, 2.0]

    Raises:
      InvalidArgumentError: a string is no number.
    """
    return StringToNumber(input, out_type=as_dtype(out_type), name=name)
