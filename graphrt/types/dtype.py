"""Element types: TensorFlow's names and enum numbers over NumPy's dtypes.

>>> float32.is_floating, int8.max, as_dtype("int64") is int64
(True, 127, True)
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt.errors import MissingExtraError
from graphrt.types.nesting import shown

if TYPE_CHECKING:
    from graphrt.types.likes import DTypeLike


class DType:
    """The type of the elements of a tensor. Instances are singletons: compare them with `is` or `==`.

    >>> import graphrt as tf
    >>> tf.float32.name, tf.float32.as_datatype_enum, tf.float32.size
    ('float32', 1, 4)
    """

    __slots__ = ("_enum", "_name", "_numpy", "kind")

    def __init__(self, name: str, enum: int, numpy_type: Any, kind: str) -> None:
        self._name = name
        self._enum = enum
        self._numpy = numpy_type
        # one of "f" float, "i" int, "u" unsigned, "c" complex, "b" bool, "q" quantized, "S" string, "O" handle
        self.kind = kind

    @property
    def name(self) -> str:
        """The dtype's name, such as 'float32'."""
        return self._name

    @property
    def as_datatype_enum(self) -> int:
        """The number of this type in the `DataType` enumeration of GraphDef."""
        return self._enum

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type that holds the elements (`object` for strings and handles).

        That of a quantized type is a dtype of one field, so that arrays of it cannot be taken for numbers.

        Raises:
          MissingExtraError: bfloat16 without the `ml_dtypes` package.
        """
        if self._numpy is None:
            _load_bfloat16()
        return self._numpy

    @property
    def is_floating(self) -> bool:
        """Whether this is a real floating-point type."""
        return self.kind == "f"

    @property
    def is_integer(self) -> bool:
        """Whether this is a signed or unsigned integer type (bool is not)."""
        return self.kind in "iu"

    @property
    def is_unsigned(self) -> bool:
        """Whether this is an unsigned integer type."""
        return self.kind == "u"

    @property
    def is_complex(self) -> bool:
        """Whether this is a complex type."""
        return self.kind == "c"

    @property
    def is_bool(self) -> bool:
        """Whether this is the boolean type."""
        return self.kind == "b"

    @property
    def is_numeric(self) -> bool:
        """Whether arithmetic works on it."""
        return self.kind in "fiucq"

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether a NumPy dtype holds it."""
        return self.kind != "O"

    @property
    def is_quantized(self) -> bool:
        """Whether this is a quantized type: integers that stand for the numbers of a range."""
        return self.kind == "q"

    @property
    def base_dtype(self) -> DType:
        """The dtype itself (reference types do not exist here)."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real part."""
        return {"complex64": float32, "complex128": float64}.get(self._name, self)

    @property
    def size(self) -> int:
        """Bytes an element takes; 0 for strings, 1 for handles."""
        if self.kind in "SO":
            return int(self.kind == "O")
        return int(np.dtype(self.as_numpy_dtype).itemsize)

    @property
    def min(self) -> Any:
        """The least value an element can have."""
        return self._limit("min", False)

    @property
    def max(self) -> Any:
        """The greatest value an element can have."""
        return self._limit("max", True)

    def _limit(self, which: str, boolean: bool) -> Any:
        if self.kind == "b":
            return boolean
        if self.kind in "iu":
            return getattr(np.iinfo(self._numpy), which)
        if self is bfloat16:
            import ml_dtypes  # lazy: an optional extra

            return getattr(ml_dtypes.finfo(self.as_numpy_dtype), which)
        if self.kind == "f":
            return self._numpy(getattr(np.finfo(self._numpy), which)).item()
        raise TypeError(f"Cannot find {which}imum value of {'the quantized type ' * self.is_quantized}{self!r}.")

    @property
    def limits(self) -> tuple[Any, Any]:
        """Between which values images of this type stand: from 0 to the greatest integer, or to 1.

        >>> import graphrt as tf
        >>> tf.uint8.limits, tf.int8.limits, tf.float32.limits
        ((0, 255), (0, 127), (0, 1))

        Raises:
          ValueError: images are not of this type.
        """
        if self.kind not in "iufb":
            raise ValueError(f"{self!r} does not have defined limits.")
        return (0, self.max) if self.kind in "iu" else (False, True) if self.kind == "b" else (0, 1)

    def __int__(self) -> int:
        return self._enum

    def is_compatible_with(self, other: DTypeLike) -> bool:
        """Whether a tensor of dtype `other` may stand where this dtype is wanted."""
        return self is as_dtype(other)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None:
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __ne__(self, other: object) -> bool:
        return not self.__eq__(other)

    def __hash__(self) -> int:
        return self._enum

    def __str__(self) -> str:
        return f"<dtype: {self._name!r}>"

    def __repr__(self) -> str:
        return f"tf.{self._name}"

    def __reduce__(self) -> Any:
        return as_dtype, (self._name,)


float16 = DType("float16", 19, np.float16, "f")
half = float16
bfloat16 = DType("bfloat16", 14, None, "f")
float32 = DType("float32", 1, np.float32, "f")
float64 = DType("float64", 2, np.float64, "f")
double = float64
int8 = DType("int8", 6, np.int8, "i")
int16 = DType("int16", 5, np.int16, "i")
int32 = DType("int32", 3, np.int32, "i")
int64 = DType("int64", 9, np.int64, "i")
uint8 = DType("uint8", 4, np.uint8, "u")
uint16 = DType("uint16", 17, np.uint16, "u")
uint32 = DType("uint32", 22, np.uint32, "u")
uint64 = DType("uint64", 23, np.uint64, "u")
complex64 = DType("complex64", 8, np.complex64, "c")
complex128 = DType("complex128", 18, np.complex128, "c")
bool_ = DType("bool", 10, np.bool_, "b")
qint8 = DType("qint8", 11, np.dtype([("qint8", np.int8)]), "q")
quint8 = DType("quint8", 12, np.dtype([("quint8", np.uint8)]), "q")
qint16 = DType("qint16", 15, np.dtype([("qint16", np.int16)]), "q")
quint16 = DType("quint16", 16, np.dtype([("quint16", np.uint16)]), "q")
qint32 = DType("qint32", 13, np.dtype([("qint32", np.int32)]), "q")
string = DType("string", 7, object, "S")
resource = DType("resource", 20, object, "O")
variant = DType("variant", 21, object, "O")

ALL = (
    float16, bfloat16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
    complex64, complex128, bool_, qint8, quint8, qint16, quint16, qint32, string, resource, variant,
)  # fmt: skip
QUANTIZED = (qint8, quint8, qint16, quint16, qint32)
QUANTIZED_DTYPES = frozenset(QUANTIZED)
FLOATING = (bfloat16, float16, float32, float64)
INTEGER = (int8, int16, int32, int64, uint8, uint16, uint32, uint64)
COMPLEX = (complex64, complex128)
REAL = FLOATING + INTEGER
NUMERIC = REAL + COMPLEX
INEXACT = FLOATING + COMPLEX
INDEX = (int32, int64)

BY_NAME = {t.name: t for t in ALL} | {"half": float16, "double": float64, "float": float32, "str": string}
BY_ENUM = {t.as_datatype_enum: t for t in ALL}
# state: bounded by the dtypes there are
_BY_NUMPY: dict[Any, DType] = {np.dtype(t._numpy): t for t in ALL if t._numpy is not None and t.kind not in "SO"}
_BY_NUMPY[np.dtype(object)] = string
_BY_PYTHON: dict[Any, DType] = {
    float: float32,
    int: int32,
    bool: bool_,
    complex: complex128,
    str: string,
    bytes: string,
}


def numpy_type(dtype: DType) -> Any:
    """The NumPy scalar type of the elements; None for bfloat16 while nobody has used it."""
    return dtype._numpy


# state: bounded: one entry for each tuple of dtypes in our source
@functools.cache
def numpy_dtypes(allowed: tuple[DType, ...], bfloat16_type: Any) -> frozenset[np.dtype[Any]]:
    """NumPy's dtypes for these, while NumPy's type for bfloat16 is this; many ops allow the same."""
    return frozenset(np.dtype(t._numpy) for t in allowed if t._numpy is not None and t.kind != "O")


def plain(value: Any) -> Any:
    """Elements of a quantized type as the integers that they are, others unchanged.

    >>> plain(np.zeros(2, qint8.as_numpy_dtype)), plain(np.float32(1))
    (array([0, 0], dtype=int8), np.float32(1.0))
    """
    names = value.dtype.names
    return value if names is None else value[names[0]]


def _load_bfloat16() -> Any:
    try:
        import ml_dtypes  # lazy: 20 ms and 5 MB that only users of bfloat16 pay
    except ImportError as error:
        raise MissingExtraError("bfloat16 needs the package ml_dtypes: pip install 'graphrt[bfloat16]'") from error
    if bfloat16._numpy is None:
        bfloat16._numpy = ml_dtypes.bfloat16
        _BY_NUMPY[np.dtype(ml_dtypes.bfloat16)] = bfloat16
    return ml_dtypes.bfloat16


def from_numpy(dtype: np.dtype[Any]) -> DType:
    """The DType of a NumPy dtype.

    Raises:
      TypeError: no DType holds it (datetime64, structured dtypes, ...).
    """
    found = _BY_NUMPY.get(dtype)
    if found is not None:
        return found
    if dtype.kind in "SU":
        return string
    if dtype.name == "bfloat16":
        _load_bfloat16()
        return bfloat16
    native = dtype.newbyteorder("=")
    if native in _BY_NUMPY:
        return _BY_NUMPY[native]
    raise TypeError(f"Cannot convert value {shown(dtype)} to a TensorFlow DType.")


def as_dtype(type_value: Any) -> DType:
    """The DType that `type_value` names: a DType, a name, an enum number, a NumPy dtype or a Python type.

    >>> import graphrt as tf
    >>> import numpy as np
    >>> tf.as_dtype("float"), tf.as_dtype(np.int8), tf.as_dtype(9), tf.as_dtype(bool)
    (tf.float32, tf.int8, tf.int64, tf.bool)

    Raises:
      TypeError: nothing known has that name.
    """
    if type(type_value) is DType:
        return type_value
    try:
        if isinstance(type_value, str) and type_value in BY_NAME:
            return BY_NAME[type_value]
        if isinstance(type_value, int) and not isinstance(type_value, bool) and type_value in BY_ENUM:
            return BY_ENUM[type_value]
        if isinstance(type_value, type) and type_value in _BY_PYTHON:
            return _BY_PYTHON[type_value]
        if type_value is not None and not isinstance(type_value, int):
            inner = getattr(type_value, "dtype", None)
            if isinstance(inner, DType):
                return inner
            return from_numpy(np.dtype(type_value))
    except (TypeError, ValueError, SyntaxError, RecursionError):  # NumPy reads a text with a comma as one of Python
        pass
    raise TypeError(f"Cannot convert value {shown(type_value)} to a TensorFlow DType.")
