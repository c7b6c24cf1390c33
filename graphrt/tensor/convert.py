"""From Python values to tensors.

>>> import graphrt as tf
>>> tf.constant([1, 2]).dtype, tf.constant(1.5).dtype, tf.constant("a").dtype
(tf.int32, tf.float32, tf.string)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import ops
from graphrt.tensor.context import current_graph, scope
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import DType, as_dtype, from_numpy
from graphrt.types.shape import TensorShape, dims_of

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
                return np.uint64(value)
            raise ValueError(f"{value} does not fit into any integer dtype")
        if kind is float:
            return np.float32(value)
        if kind is complex:
            return np.complex128(value)
        if kind is str:
            return np.array(value.encode("utf-8", "surrogateescape"), object)
        if kind is bytes:
            return np.array(value, object)
        raise TypeError(f"not a scalar: {value!r}")
    wanted = dtype.kind
    if wanted == "b":
        if kind is bool:
            return np.bool_(value)
    elif wanted in "iu":
        if kind is int:
            try:
                return dtype._numpy(value)
            except OverflowError:
                raise ValueError(
                    f"{value} does not fit into {dtype.name}, which holds {dtype.min} to {dtype.max}"
                ) from None
    elif wanted == "f":
        if kind is float or kind is int:
            with np.errstate(over="ignore"):
                return dtype.as_numpy_dtype(value)
    elif wanted == "c":
        if kind in (float, int, complex):
            return dtype._numpy(value)
    elif wanted == "S" and kind in (str, bytes):
        return scalar_to_numpy(value, None)
    raise TypeError(f"Cannot convert {value!r} of type {kind.__name__} to a tensor of dtype {dtype.name}.")


def to_numpy(value: Any, dtype: DType | None = None, hint: DType | None = None) -> Any:
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
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_array(value, dtype)
    if isinstance(value, EagerTensor):
        return _from_array(np.asarray(value._value), dtype)
    if value is None:
        raise ValueError("None values not supported.")
    if isinstance(value, (list, tuple, range)):
        return _from_sequence(value, dtype, hint)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
        return np.array(value.as_list(), (dtype or hint or dtypes.int32)._numpy).reshape(-1)
    if isinstance(value, DType):
        return np.int32(value.as_datatype_enum)
    if isinstance(value, (bool, int, float, complex, str, bytes)):  # subclasses: IntEnum, numpy-like floats, ...
        base = next(t for t in (bool, int, float, complex, str, bytes) if isinstance(value, t))
        return to_numpy(base(value), dtype, hint)
    if hasattr(value, "__array__"):
        return _from_array(np.asarray(value), dtype)
    if hasattr(value, "__dlpack__"):
        return _from_array(np.from_dlpack(value), dtype)
    if isinstance(value, (memoryview, bytearray)):
        return _from_array(np.asarray(value), dtype)
    raise ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({kind}) to a Tensor."
    )


def _from_array(array: Any, dtype: DType | None) -> Any:
    if array.dtype.kind in "SU":
        array = _bytes_array(array)
    elif array.dtype == object:
        array = _object_array(array, dtype)
    found = from_numpy(array.dtype)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if dtype is None or found is dtype:
        return np.array(array) if isinstance(array, np.ndarray) and array.ndim else array[()] if found.kind != "S" else array
    return cast_exactly(array, found, dtype)


def cast_exactly(array: Any, found: DType, dtype: DType) -> Any:
    """`array` in another dtype, refused where values would change their meaning or not fit."""
    if "S" in (found.kind, dtype.kind) or (found.kind == "c" and dtype.kind != "c") or (
        (found.kind == "b") != (dtype.kind == "b")
    ) or (found.kind == "f" and dtype.kind in "iu" and not np.all(np.equal(np.trunc(array), array))):
        raise TypeError(f"Cannot convert an array of dtype {found.name} to a tensor of dtype {dtype.name}.")
    if dtype.kind in "iu" and array.size:
        low, high = array.min().item(), array.max().item()
        if low < dtype.min or high > dtype.max:
            worst = low if low < dtype.min else high
            raise ValueError(f"{worst} does not fit into {dtype.name}, which holds {dtype.min} to {dtype.max}")
    with np.errstate(over="ignore"):
        result = np.asarray(array).astype(dtype.as_numpy_dtype)
    return result if result.ndim else result[()]


def _bytes_array(array: Any) -> Any:
    out = np.empty(np.shape(array), object)
    flat = [v if isinstance(v, bytes) else str(v).encode("utf-8", "surrogateescape") for v in np.ravel(array).tolist()]
    out[...] = np.array([*flat, None], object)[:-1].reshape(np.shape(array))
    return out


def _object_array(array: Any, dtype: DType | None) -> Any:
    items = np.ravel(array).tolist()
    if all(isinstance(v, (str, bytes)) for v in items):
        return _bytes_array(array)
    return np.asarray(to_numpy(items, dtype)).reshape(np.shape(array))


def _leaves(value: Any, found: list[Any]) -> None:
    for item in value:
        if isinstance(item, (list, tuple, range)):
            _leaves(item, found)
        else:
            found.append(item)


_RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def _from_sequence(value: Any, dtype: DType | None, hint: DType | None) -> Any:
    leaves: list[Any] = []
    _leaves(value, leaves)
    if any(v is None for v in leaves):
        raise ValueError("None values not supported.")
    if any(isinstance(v, (str, bytes)) for v in leaves):
        return _strings(value, leaves, dtype)
    if not leaves:
        array = _rectangular(value, np.float64)
        return array.astype((dtype or hint or dtypes.float32).as_numpy_dtype)
    target = dtype if dtype is not None else _common_dtype(leaves, hint)
    if target.kind == "S":
        raise TypeError(f"Cannot convert {leaves[0]!r} to a tensor of dtype string.")
    for v in leaves:
        if type(v) in (int, float, bool, complex):
            if type(v) is not int or target.kind in "iu":
                scalar_to_numpy(v, target)
            elif target.kind == "b":
                raise TypeError(f"Cannot convert {v!r} to a tensor of dtype bool.")
        else:
            to_numpy(v, target if dtype is not None else None)
    return _rectangular(value, target.as_numpy_dtype)


def _common_dtype(leaves: list[Any], hint: DType | None) -> DType:
    explicit: DType | None = None
    natural = dtypes.bool_
    kinds = set()
    for v in leaves:
        if isinstance(v, (np.ndarray, np.generic, EagerTensor)) and not isinstance(v, float):
            found = v.dtype if isinstance(v, EagerTensor) else from_numpy(v.dtype)
            if explicit is not None and explicit is not found:
                found = from_numpy(np.promote_types(explicit.as_numpy_dtype, found.as_numpy_dtype))
            explicit = found
        else:
            if not isinstance(v, (bool, int, float, complex)) and not hasattr(v, "__array__"):
                raise ValueError(
                    f"Attempt to convert a value ({v!r}) with an unsupported type ({type(v)}) to a Tensor."
                )
            found = from_numpy(np.asarray(to_numpy(v)).dtype)
            if _RANK[found.kind] > _RANK[natural.kind] or (
                found.kind == natural.kind and found.size > natural.size
            ) or (natural is dtypes.bool_ and found is not natural):
                natural = found
        kinds.add(found.kind == "b")
    if len(kinds) > 1:
        raise TypeError(_mixed(leaves))
    if explicit is not None:
        return natural if natural.kind in "fc" and explicit.kind in "iu" else explicit
    if hint is not None and hint.kind in "fciu" and _RANK[natural.kind] <= _RANK[hint.kind] and natural.kind != "b":
        return hint
    return natural


def _strings(value: Any, leaves: list[Any], dtype: DType | None) -> Any:
    if any(not isinstance(v, (str, bytes)) for v in leaves):
        raise ValueError(_mixed(leaves))
    if dtype is not None and dtype.kind != "S":
        raise TypeError(f"Cannot convert {leaves[0]!r} of type {type(leaves[0]).__name__} to a tensor of dtype {dtype.name}.")
    return _bytes_array(_rectangular(value, object))


def _mixed(leaves: list[Any]) -> str:
    def kind(v: Any) -> str:
        return v.dtype.name if hasattr(v, "dtype") else type(v).__name__

    first = leaves[0]
    other = next(
        v for v in leaves if isinstance(v, (str, bytes)) != isinstance(first, (str, bytes))
        or isinstance(v, (bool, np.bool_)) != isinstance(first, (bool, np.bool_))
    )
    return (
        f"Can't convert Python sequence with mixed types to Tensor: {first!r} is of type {kind(first)}, but {other!r} of "
        f"type {kind(other)}. A tensor has one dtype: convert the elements to one type first, or pass them as separate "
        "tensors."
    )


def _rectangular(value: Any, numpy_type: Any) -> Any:
    try:
        with np.errstate(over="ignore"):
            array = np.array(value, numpy_type)
        if numpy_type is object and _depth(value) != array.ndim:
            raise ValueError
        return array
    except OverflowError:
        raise ValueError(f"a value of {value!r} does not fit into {np.dtype(numpy_type).name}") from None
    except (ValueError, TypeError):
        raise ValueError(
            f"Can't convert non-rectangular Python sequence to Tensor: {value!r}. All rows of one level must have "
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


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None, preferred_dtype: Any = None
) -> Any:
    """Converts `value` to a Tensor of `dtype`, or of its natural dtype (`dtype_hint` where that fits).

    While a graph is being traced the result is symbolic.

    >>> import graphrt as tf
    >>> tf.convert_to_tensor([[1, 2], [3, 4]], tf.float32).shape
    TensorShape([2, 2])

    Raises:
      TypeError: the value's type does not fit.
      ValueError: the value is no tensor, is ragged, does not fit, or is a Tensor of another dtype.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        if wanted is not None and value.dtype is not wanted:
            raise ValueError(
                errors.at_user_line(
                    f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype {value.dtype.name}: "
                    f"{value!r}. Use tf.cast to convert it."
                )
            )
        return value
    hint = dtype_hint if dtype_hint is not None else preferred_dtype
    hint = None if hint is None else as_dtype(hint)
    convert = getattr(value, "__tf_tensor__", None)
    if convert is not None:
        return convert(wanted, name)
    if isinstance(value, (list, tuple)):
        leaves: list[Any] = []
        _leaves(value, leaves)
        if any(isinstance(v, SymbolicTensor) or hasattr(v, "__tf_tensor__") for v in leaves) or (
            any(isinstance(v, EagerTensor) for v in leaves) and (current_graph() is not None or _tracked())
        ):
            return _pack(value, wanted or _leaf_dtype(leaves) or hint, name)
    graph = current_graph()
    try:
        array = to_numpy(value, wanted, hint)
    except (TypeError, ValueError) as error:
        raise type(error)(errors.at_user_line(str(error))) from None
    if graph is None:
        return EagerTensor(array)
    return graph.constant(array, name)


def _tracked() -> bool:
    from graphrt.tensor.context import recorders  # cheap; only lists of eager tensors come here

    return bool(recorders())


def _leaf_dtype(leaves: list[Any]) -> DType | None:
    for v in leaves:
        if isinstance(v, Tensor) or hasattr(v, "__tf_tensor__"):
            return as_dtype(v.dtype)
    return None


def _pack(value: Any, dtype: DType | None, name: str | None) -> Any:
    with scope(name, "packed") as own:
        parts = [
            _pack(v, dtype, str(i)) if isinstance(v, (list, tuple)) else convert_to_tensor(v, dtype=dtype, name=str(i))
            for i, v in enumerate(value)
        ]
        return ops.Pack(parts, name=own)


def constant(value: Any, dtype: Any = None, shape: Any = None, name: str = "Const") -> Any:
    """A tensor of constant `value`; `shape` repeats a single value or reshapes as many as it needs.

    >>> import graphrt as tf
    >>> tf.constant(7, shape=[2, 2]).numpy().tolist()
    [[7, 7], [7, 7]]

    Raises:
      TypeError: the value has another kind than `dtype`, or too few elements for `shape`.
      ValueError: the value is ragged or does not fit `dtype`.
    """
    if shape is None:
        if isinstance(value, SymbolicTensor) and dtype is None:
            return value
        return convert_to_tensor(value, dtype, name=name)
    tensor = convert_to_tensor(value, dtype, name=name)
    dims = dims_of(shape)
    if dims is None or None in dims:
        raise TypeError(f"the shape of a constant must be fully known, found {TensorShape(dims)}")
    if isinstance(tensor, SymbolicTensor) and tensor.op.type != "Const":
        return ops.BroadcastTo(tensor, list(dims)) if tensor.dims == () else ops.Reshape(tensor, list(dims))
    array = np.asarray(tensor._value if isinstance(tensor, EagerTensor) else tensor.value.node.attrs["value"])
    wanted = int(np.prod(dims, dtype=np.int64))
    if array.size == wanted:
        array = array.reshape(dims)
    elif array.size == 1:
        array = np.full(dims, array.reshape(-1)[0], array.dtype)
    else:
        raise TypeError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {tensor!r} (converted from {value!r}) has "
            f"{array.size} elements, but got `shape` {TensorShape(dims)} with {wanted} elements)."
        )
    graph = current_graph()
    return EagerTensor(array if array.ndim else array[()]) if graph is None else graph.constant(array, name)
