"""From Python values to arrays: numbers, strings, sequences of any kind, and arrays of others.

>>> from graphrt.tensor.values import to_numpy
>>> to_numpy([1.5, 2]).dtype
dtype('float32')
"""

from __future__ import annotations

import math
from collections import UserString
from collections.abc import Mapping
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import provide
from graphrt.tensor.context import current_graph
from graphrt.tensor.tensor import EagerTensor, Tensor, raw_of
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import DType, as_dtype, from_numpy
from graphrt.types.float_warnings import silently
from graphrt.types.likes import Array
from graphrt.types.limits import made
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape

_INT32 = np.iinfo(np.int32)
_INT64 = np.iinfo(np.int64)
_UINT64 = np.iinfo(np.uint64)


def scalar_to_numpy(value: Any, dtype: DType | None) -> Any:
    """A Python number, bool, str or bytes as a NumPy scalar (bytes for strings) of `dtype`, or of its natural dtype.

    Raises:
      TypeError: the value is not of that kind (a float for an integer dtype, say).
      ValueError: the value does not fit the dtype.
    """
    kind = type(value)
    if dtype is None:
        if kind is bool:
            return np.bool_(value)
        if kind is int:
            if _INT32.min <= value <= _INT32.max:
                return np.int32(value)
            if _INT64.min <= value <= _INT64.max:
                return np.int64(value)
            if 0 <= value <= _UINT64.max:
                raise ValueError(f"{value} does not fit into int64: ask for dtype=tf.uint64")
            raise ValueError(f"{value} does not fit into any integer dtype")
        if kind is float:
            return _natural_float(value)
        if kind is complex:
            return np.complex128(value)
        if kind is str:
            return np.array(value.encode("utf-8", "surrogateescape"), object)
        if kind is bytes:
            return np.array(value, object)
        raise TypeError(f"not a scalar: {shown(value)}")
    wanted = dtype.kind
    if wanted == "b":
        if kind is bool:
            return np.bool_(value)
    elif wanted in "iu":
        if kind is int or kind is bool:
            try:
                return dtype.as_numpy_dtype(value)
            except OverflowError:
                raise ValueError(
                    f"{value} does not fit into {dtype.name}, which holds {dtype.min} to {dtype.max}"
                ) from None
    elif wanted == "f":
        if kind is float or kind is int or kind is bool:
            if -60000.0 < value < 60000.0:  # nothing can overflow: spare the cost of silencing it
                return dtype.as_numpy_dtype(value)
            return silently(dtype.as_numpy_dtype, value)
    elif wanted == "c":
        if kind in (float, int, complex, bool):
            return dtype.as_numpy_dtype(value)
    elif wanted == "S" and kind in (str, bytes):
        return scalar_to_numpy(value, None)
    elif wanted == "q":
        return np.array(scalar_to_numpy(value, _counted(dtype)), dtype.as_numpy_dtype)[()]
    raise TypeError(f"Cannot convert {shown(value)} of type {kind.__name__} to a tensor of dtype {dtype.name}.")


def _counted(dtype: DType) -> DType:
    """The integers of which a quantized type is made."""
    return as_dtype(dtype.name.removeprefix("q"))


def _natural_float(value: float) -> Any:
    found = silently(np.float32, value)
    if np.isinf(found) and not math.isinf(value):
        raise ValueError(f"{value} does not fit into float32: ask for dtype=tf.float64")
    return found


def to_numpy(value: object, dtype: DType | None = None, hint: DType | None = None) -> Any:
    """`value` as an ndarray or NumPy scalar that holds elements of `dtype` (or of its natural dtype).

    Arrays keep their dtype unless `dtype` is given. `hint` is used where the value leaves the dtype open and fits.

    Raises:
      TypeError, ValueError: the value is no tensor, is ragged, or does not fit `dtype`.
    """
    kind = type(value)
    if kind in (int, float, bool, complex, str, bytes):
        if dtype is None and hint is not None:
            try:
                return scalar_to_numpy(value, hint)
            except (TypeError, ValueError):
                pass
        return scalar_to_numpy(value, dtype)
    return made("the tensor", _to_array, value, dtype, hint)


_SIZE = "Of a size that is not known while a graph is traced `x.shape[0]` is None: take `tf.shape(x)[0]`."
_SHAPE = "Take `tf.shape(x)` in place of `x.shape`: the graph knows the sizes when it runs."


def _in_graph(advice: str) -> str:
    return "" if current_graph() is None else f" {advice}"


def partially_known(shape: TensorShape) -> str:
    """What is wrong with a shape of unknown sizes where numbers are needed."""
    return f"Cannot convert a partially known TensorShape {shape} to a Tensor.{_in_graph(_SHAPE)}"


def _to_array(value: Any, dtype: DType | None, hint: DType | None) -> Any:
    kind = type(value)
    if isinstance(value, (np.ndarray, np.generic)):
        if dtype is None and hint is not None:
            try:
                return _from_array(value, hint)
            except (TypeError, ValueError):
                pass
        return _from_array(value, dtype)
    if isinstance(value, EagerTensor):
        return _from_array(np.asarray(raw_of(value)), dtype)
    if value is None:
        raise ValueError(f"None values not supported.{_in_graph(_SIZE)}")
    if isinstance(value, (list, tuple, range)):
        return _from_sequence(value, dtype, hint)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError(partially_known(value))
        kind_wanted = dtype or (hint if hint in dtypes.INDEX else dtypes.int32)
        if kind_wanted not in dtypes.INDEX:
            raise TypeError(f"Cannot convert a TensorShape to a tensor of dtype {kind_wanted.name}: it holds integers.")
        return np.array(value.as_list(), kind_wanted.as_numpy_dtype).reshape(-1)
    if isinstance(value, (bool, int, float, complex, str, bytes)):  # subclasses: IntEnum, numpy-like floats, ...
        base: Any = next(t for t in (bool, int, float, complex, str, bytes) if isinstance(value, t))
        return to_numpy(base(value), dtype, hint)
    if hasattr(value, "__array__"):
        array = np.asarray(value)
        if (
            array.dtype != object or array.ndim or array[()] is not value
        ):  # else it is no array after all, such as a class
            return _from_array(array, dtype)
        raise ValueError(f"Attempt to convert a value ({shown(value)}) with an unsupported type ({kind}) to a Tensor.")
    if hasattr(value, "__dlpack__"):
        return _from_array(np.from_dlpack(value), dtype)
    if isinstance(value, (memoryview, bytearray)):
        return _from_array(np.asarray(value), dtype)
    if is_other_sequence(value):
        return _from_sequence(listed(value), dtype, hint)
    raise ValueError(f"Attempt to convert a value ({shown(value)}) with an unsupported type ({kind}) to a Tensor.")


_NO_OTHER = (
    Tensor, np.ndarray, np.generic, list, tuple, str, bytes, bytearray, memoryview, Mapping, UserString,
    TensorShape,
)  # fmt: skip


@provide
def is_other_sequence(value: object) -> bool:
    """Whether a value is a sequence by what it can do: a deque, an array of Python's, a class of the user's."""
    kind = type(value)
    if kind in _PLAIN or isinstance(value, _NO_OTHER):
        return False
    offers = {name for base in kind.__mro__ for name in vars(base)}  # `hasattr` would see what a metaclass offers, too
    return {"__getitem__", "__len__"} <= offers and offers.isdisjoint(("__array__", "dtype", "shape"))


def listed(value: Any) -> list[Any]:
    """The elements of such a sequence."""
    return [value[i] for i in range(len(value))]


def _from_array(array: Any, dtype: DType | None) -> Array:
    if array.dtype.kind in "SU":
        array = _bytes_array(array)
    elif array.dtype == object:
        array = _object_array(array, dtype)
    found = from_numpy(array.dtype)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if dtype is None or found is dtype:
        if isinstance(array, np.ndarray) and array.ndim:
            return np.array(array)
        return array if found.kind == "S" else array[()]
    return cast_exactly(array, found, dtype)


def cast_exactly(array: Array, found: DType, dtype: DType) -> Array:
    """`array` in another dtype, refused where values would change their meaning or not fit."""
    if dtype.kind == "O":
        raise TypeError(f"Cannot convert an array of dtype {found.name} to a tensor of dtype {dtype.name}.")
    if dtype.kind == "q" != found.kind:
        return cast_exactly(array, found, _counted(dtype)).astype(dtype.as_numpy_dtype)
    if (
        "q" in (found.kind, dtype.kind)
        or "S" in (found.kind, dtype.kind)
        or (found.kind == "c" and dtype.kind != "c")
        or (dtype.kind == "b" and found.kind != "b" and array.size)
        or (
            found.kind == "f"
            and dtype.kind in "iu"
            and not (np.isfinite(array).all() and np.equal(np.trunc(array), array).all())
        )
    ):
        raise TypeError(f"Cannot convert an array of dtype {found.name} to a tensor of dtype {dtype.name}.")
    if dtype.kind in "iu" and array.size:
        low, high = int(array.min()), int(array.max())
        if low < dtype.min or high > dtype.max:
            worst = low if low < dtype.min else high
            raise ValueError(f"{worst} does not fit into {dtype.name}, which holds {dtype.min} to {dtype.max}")
    result = silently(np.asarray(array).astype, dtype.as_numpy_dtype)
    return result if result.ndim else result[()]


def _bytes_array(array: Array) -> Array:
    out = np.empty(np.shape(array), object)
    flat = [v if isinstance(v, bytes) else str(v).encode("utf-8", "surrogateescape") for v in np.ravel(array).tolist()]
    out[...] = np.array([*flat, None], object)[:-1].reshape(np.shape(array))
    return out


def _object_array(array: Array, dtype: DType | None) -> Array:
    items = np.ravel(array).tolist()
    if all(isinstance(v, (str, bytes)) for v in items):
        return _bytes_array(array)
    return np.asarray(to_numpy(items, dtype)).reshape(np.shape(array))


_DEEPEST = 254  # as many dimensions as a tensor of TensorFlow's may have


def leaves_of(value: Any, found: list[Any], depth: int = 1) -> None:
    """Appends what a sequence holds, at any depth, to `found`."""
    if depth > _DEEPEST:
        raise errors.ConversionError(
            errors.at_user_line(f"a sequence nested more than {_DEEPEST} levels deep is no tensor, and may hold itself")
        )
    for item in value:
        if type(item) in _PLAIN:
            found.append(item)
        elif isinstance(item, (list, tuple, range)):
            leaves_of(item, found, depth + 1)
        elif is_other_sequence(item):
            leaves_of(listed(item), found, depth + 1)
        else:
            found.append(item)


_RANK = {"b": 0, "q": 0, "u": 1, "i": 1, "f": 2, "c": 3}


_PLAIN = frozenset({int, float, bool, complex})


def _from_sequence(value: Any, dtype: DType | None, hint: DType | None) -> Array:
    leaves: list[Any] = []
    leaves_of(value, leaves)
    kinds = set(map(type, leaves))
    if type(None) in kinds:
        raise ValueError(f"None values not supported.{_in_graph(_SIZE)}")
    if any(issubclass(k, (str, bytes)) for k in kinds):
        return _strings(value, leaves, dtype)
    if not leaves:
        array = _rectangular(value, np.float64)
        return array.astype((dtype or hint or dtypes.float32).as_numpy_dtype)
    if dtype is None and hint is not None:
        try:
            return _from_sequence(value, hint, None)
        except (TypeError, ValueError):
            pass
    plain = kinds <= _PLAIN
    target = dtype
    if target is None:
        target = _plain_dtype(leaves, kinds) if plain else _common_dtype(leaves)
    if target.kind in "SO":
        raise TypeError(f"Cannot convert {shown(leaves[0])} to a tensor of dtype {target.name}.")
    if plain:
        _check_plain(leaves, kinds, target)
    else:
        for v in leaves:
            if type(v) in _PLAIN:
                scalar_to_numpy(v, target)
            else:
                to_numpy(v, None if dtype is None else target)
    array = _rectangular(value, target.as_numpy_dtype)
    if dtype is None and target is dtypes.float32 and np.isinf(array).any():
        for v in leaves:
            if type(v) is float:
                _natural_float(v)
    return array


def _plain_dtype(leaves: list[Any], kinds: set[type]) -> DType:
    """The natural dtype of Python numbers: that of the most general one; a boolean first stands for booleans only."""
    if len(kinds) > 1 and type(leaves[0]) is bool:
        raise TypeError(_mixed(leaves))
    if complex in kinds:
        return dtypes.complex128
    if float in kinds:
        return dtypes.float32
    if int not in kinds:
        return dtypes.bool_
    widest = {scalar_to_numpy(v, None).dtype.itemsize for v in (min(leaves), max(leaves)) if type(v) is int}
    return dtypes.int64 if 8 in widest else dtypes.int32


def _check_plain(leaves: list[Any], kinds: set[type], target: DType) -> None:
    """Raises what `scalar_to_numpy` raises for the first number that does not fit `target`."""
    fitting: Any = {"b": {bool}, "i": {int, bool}, "u": {int, bool}, "q": {int}, "f": {int, float, bool}}.get(
        target.kind, _PLAIN
    )
    if not kinds <= fitting:
        scalar_to_numpy(next(v for v in leaves if type(v) not in fitting), target)
    if target.kind in "iuq":
        scalar_to_numpy(min(leaves), target)
        scalar_to_numpy(max(leaves), target)


def _common_dtype(leaves: list[Any]) -> DType:
    """The dtype of a sequence that holds arrays, NumPy scalars or tensors among its numbers."""
    explicit: DType | None = None
    natural = dtypes.bool_
    booleans = 0
    for v in leaves:
        if isinstance(v, EagerTensor) or (isinstance(v, (np.ndarray, np.generic)) and not isinstance(v, float)):
            found = v.dtype if isinstance(v, EagerTensor) else from_numpy(v.dtype)
            if found is dtypes.int64 and not isinstance(v, EagerTensor):
                found = _narrow(v)  # NumPy's default integers count as Python's
                natural = found if _more_general(found, natural) else natural
            elif found is not dtypes.bool_:
                if explicit is not None and explicit is not found:
                    found = from_numpy(np.promote_types(explicit.as_numpy_dtype, found.as_numpy_dtype))
                explicit = found
        else:
            if not isinstance(v, (bool, int, float, complex)) and not hasattr(v, "__array__"):
                raise ValueError(
                    f"Attempt to convert a value ({shown(v)}) with an unsupported type ({type(v)}) to a Tensor."
                )
            if isinstance(v, np.float64) and not isinstance(leaves[0], np.float64):
                found = dtypes.float32
            else:
                found = from_numpy(np.asarray(to_numpy(v)).dtype)
            natural = found if _more_general(found, natural) else natural
        booleans += found is dtypes.bool_
    if booleans and booleans < len(leaves) and isinstance(leaves[0], (bool, np.bool_)):
        raise TypeError(_mixed(leaves))
    if explicit is None:
        return natural
    return natural if natural.kind in "fc" and explicit.kind in "iu" else explicit


def _narrow(value: Any) -> DType:
    fits = np.size(value) == 0 or (np.min(value) >= _INT32.min and np.max(value) <= _INT32.max)
    return dtypes.int32 if fits else dtypes.int64


def _more_general(found: DType, natural: DType) -> bool:
    if natural is dtypes.bool_:
        return found is not natural
    return _RANK[found.kind] > _RANK[natural.kind] or (found.kind == natural.kind and found.size > natural.size)


def _strings(value: Any, leaves: list[Any], dtype: DType | None) -> Array:
    if any(not isinstance(v, (str, bytes)) for v in leaves):
        raise ValueError(_mixed(leaves))
    if dtype is not None and dtype.kind != "S":
        raise TypeError(
            f"Cannot convert {shown(leaves[0])} of type {type(leaves[0]).__name__} to a tensor of dtype {dtype.name}."
        )
    return _bytes_array(_rectangular(value, object))


def _mixed(leaves: list[Any]) -> str:
    def kind(v: float | str) -> str:
        return v.dtype.name if hasattr(v, "dtype") else type(v).__name__

    first = leaves[0]
    other = next(
        v
        for v in leaves
        if isinstance(v, (str, bytes)) != isinstance(first, (str, bytes))
        or isinstance(v, (bool, np.bool_)) != isinstance(first, (bool, np.bool_))
    )
    return (
        f"Can't convert Python sequence with mixed types to Tensor: {first!r} is of type {kind(first)}, but "
        f"{other!r} of type {kind(other)}. A tensor has one dtype: convert the elements to one "
        "type first, or pass them as separate tensors."
    )


def _rectangular(value: Any, numpy_type: Any) -> Array:
    try:
        array = silently(np.array, value, numpy_type)
        if numpy_type is object and _depth(value) != array.ndim:
            raise ValueError
        return array
    except OverflowError:
        raise ValueError(f"a value of {shown(value)} does not fit into {np.dtype(numpy_type).name}") from None
    except (ValueError, TypeError):
        raise ValueError(
            f"Can't convert non-rectangular Python sequence to Tensor: {shown(value)}. All rows of one level must have "
            "the same length."
        ) from None


def _depth(value: Any) -> int:
    depth = 0
    while isinstance(value, (list, tuple, range)):
        depth += 1
        if not len(value):
            break
        value = value[0]
    return depth
