"""Signatures as messages: nests of Python values and type specs, written as `StructuredValue` and read again.

Format: tensorflow/core/protobuf/struct.proto.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from graphrt import errors
from graphrt.graphdef.export import write_shape, write_tensor
from graphrt.graphdef.read_values import read_dims, read_dtype, read_tensor
from graphrt.graphdef.schema import message_class
from graphrt.ir.op import ops  # late: the specs of handles stand in rooms above
from graphrt.ops.array.indexed_slices import IndexedSlicesSpec
from graphrt.ops.lists.tensor_array import TensorArraySpec
from graphrt.ops.ragged.tensor import RaggedTensorSpec
from graphrt.ops.sparse.tensor import SparseTensorSpec
from graphrt.tensor.tensor import EagerTensor, raw_of
from graphrt.types.dtype import DType
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape, dims_of
from graphrt.types.spec import CompositeSpec, NoneTensorSpec, TensorSpec, TypeSpec

__all__ = ["UnwritableValue", "encoded", "read_value"]

_NEST = 50  # levels
_OF_HANDLES = {5: lambda: ops.saved_dataset_spec, 7: lambda: ops.saved_optional_spec}
_REGISTERED = 12  # of the specs that are told by name


class UnwritableValue(TypeError):
    """A value for which the format has no place."""


class _SpecKind(NamedTuple):
    """How a spec of composite tensors is written."""

    number: int
    name: str
    state: Callable[[Any], tuple[object, ...]]
    made: Callable[..., Any]


_SPECS: dict[type, _SpecKind] = {
    RaggedTensorSpec: _SpecKind(
        3, "RaggedTensorSpec", lambda s: (s.shape, s.dtype, s.ragged_rank, s.row_splits_dtype),
        lambda shape, dtype, rank, splits, *flat: RaggedTensorSpec(shape, dtype, rank, splits),
    ),
    SparseTensorSpec: _SpecKind(1, "SparseTensorSpec", lambda s: (s.shape, s.dtype), SparseTensorSpec),
    IndexedSlicesSpec: _SpecKind(
        2, "IndexedSlicesSpec",
        lambda s: (s.shape, s.dtype, s.indices_dtype, s.dense_shape_dtype, s.indices_shape), IndexedSlicesSpec,
    ),
    TensorArraySpec: _SpecKind(
        4, "TensorArraySpec", lambda s: (s.element_shape, s.dtype, s.dynamic_size, s.infer_shape), TensorArraySpec,
    ),
    NoneTensorSpec: _SpecKind(_REGISTERED, "tf.NoneTensorSpec", lambda s: (), NoneTensorSpec),
}  # fmt: skip
_BY_NUMBER = {kind.number: kind for kind in _SPECS.values() if kind.number != _REGISTERED}
_BY_NAME = {kind.name: kind for kind in _SPECS.values() if kind.number == _REGISTERED}


def encoded(value: object) -> Any:
    """`value` as a `StructuredValue`.

    >>> encoded((1, "a")).tuple_value.values[1].string_value
    'a'

    Raises:
      UnwritableValue: it holds something that the format cannot hold.
    """
    message = message_class("StructuredValue")()
    _write(message, value, 0)
    return message


def _write(message: Any, value: object, depth: int) -> None:
    if depth > _NEST:
        raise UnwritableValue(f"a value nested more than {_NEST} levels deep")
    if value is None:
        message.none_value.SetInParent()
    elif isinstance(value, bool):
        message.bool_value = value
    elif isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 63:
            raise UnwritableValue(f"the number {value}")
        message.int64_value = value
    elif isinstance(value, float):
        message.float64_value = value
    elif isinstance(value, str):
        message.string_value = value
    elif isinstance(value, TensorShape):
        write_shape(message.tensor_shape_value, dims_of(value))
    elif isinstance(value, EagerTensor) and value.dtype.kind != "O":
        write_tensor(message.tensor_value, raw_of(value))
    elif isinstance(value, (np.ndarray, np.generic)):
        _write_array(message.numpy_value, value)
    elif isinstance(value, DType):
        message.tensor_dtype_value = value.as_datatype_enum
    elif type(value) in _SPECS:
        _write_spec(message.type_spec_value, value, depth)
    elif isinstance(value, TensorSpec):
        message.tensor_spec_value.name = value.name or ""
        write_shape(message.tensor_spec_value.shape, value.dims)
        message.tensor_spec_value.dtype = value.dtype.as_datatype_enum
    elif isinstance(value, TypeSpec) and value.__saved_number__ is not None:
        _write_named_spec(message.type_spec_value, value, depth)
    elif isinstance(value, TypeSpec):
        raise UnwritableValue(f"a spec of class {type(value).__name__}")
    else:
        _write_container(message, value, depth)


def _write_array(message: Any, value: Any) -> None:
    try:
        write_tensor(message, value)
    except (TypeError, ValueError) as error:
        raise UnwritableValue(f"an array of dtype {value.dtype}: {error}") from None


def _write_spec(message: Any, spec: Any, depth: int) -> None:
    kind = _SPECS[type(spec)]
    message.type_spec_class = kind.number
    message.type_spec_class_name = kind.name
    message.num_flat_components = 1 if isinstance(spec, TensorArraySpec) else len(spec.component_specs)
    _write(message.type_state, kind.state(spec), depth + 1)


def _write_named_spec(message: Any, spec: Any, depth: int) -> None:
    found = spec.__saved_form__()
    if found is None:
        kind = spec.value_type.__name__
        raise UnwritableValue(
            f"a spec of class {type(spec).__name__}, which has no name in files: set `__name__ = 'package.{kind}'` in the "
            f"body of class {kind}"
        )
    message.type_spec_class = spec.__saved_number__
    message.type_spec_class_name, state = found
    message.num_flat_components = len(spec.component_specs)
    _write(message.type_state, state, depth + 1)


def _write_container(message: Any, value: object, depth: int) -> None:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        message.named_tuple_value.name = type(value).__name__
        for name, part in zip(value._fields, value):
            pair = message.named_tuple_value.values.add()
            pair.key = name
            _write(pair.value, part, depth + 1)
    elif isinstance(value, (list, tuple)):
        inner = message.list_value if isinstance(value, list) else message.tuple_value
        inner.SetInParent()
        for part in value:
            _write(inner.values.add(), part, depth + 1)
    elif isinstance(value, Mapping):
        message.dict_value.SetInParent()
        for key, part in value.items():
            if not isinstance(key, str):
                raise UnwritableValue(f"a dictionary with the key {shown(key)}, which is no string")
            _write(message.dict_value.fields[key], part, depth + 1)
    else:
        raise UnwritableValue(f"{shown(value)} of type {type(value).__name__}")


@functools.lru_cache(maxsize=256)
def _named(name: str, fields: tuple[str, ...]) -> type[Any]:
    return collections.namedtuple(name, fields, rename=True)


def read_value(message: Any, what: str, depth: int = 0) -> Any:
    """The value of a `StructuredValue`; `what` is named in errors.

    Raises:
      InvalidArgumentError: the message is malformed, or nested too deep.
      UnimplementedError: it has a type that does not exist here.
    """
    if depth > _NEST:
        raise errors.InvalidArgumentError(None, None, f"{what}: a signature nested more than {_NEST} levels deep")
    kind = message.WhichOneof("kind")
    if kind in (None, "none_value"):
        return None
    held = getattr(message, kind)
    if kind in ("float64_value", "int64_value", "string_value", "bool_value"):
        return held
    if kind == "tensor_shape_value":
        return TensorShape(read_dims(held, what))
    if kind == "tensor_dtype_value":
        return read_dtype(held, what)
    if kind in ("tensor_spec_value", "bounded_tensor_spec_value"):
        return TensorSpec(read_dims(held.shape, what), read_dtype(held.dtype, what), held.name or None)
    if kind == "list_value":
        return [read_value(v, what, depth + 1) for v in held.values]
    if kind == "tuple_value":
        return tuple(read_value(v, what, depth + 1) for v in held.values)
    if kind == "dict_value":
        return {k: read_value(held.fields[k], what, depth + 1) for k in sorted(held.fields)}
    if kind == "named_tuple_value":
        return _read_named(held, what, depth)
    if kind == "type_spec_value":
        return _read_spec(held, what, depth)
    if kind in ("tensor_value", "numpy_value"):
        array = read_tensor(held, what)
        return EagerTensor(array, read_dtype(held.dtype, what)) if kind == "tensor_value" else array
    raise errors.UnimplementedError(None, None, f"{what}: a value of kind {kind!r} in a signature")


def _read_named(held: Any, what: str, depth: int) -> Any:
    names = tuple(pair.key for pair in held.values)
    values = [read_value(pair.value, what, depth + 1) for pair in held.values]
    name = held.name if held.name.isidentifier() else "NamedTuple"
    if len(set(names)) != len(names) or not all(n.isidentifier() for n in names):
        raise errors.InvalidArgumentError(None, None, f"{what}: a named tuple with the fields {list(names)}")
    return _named(name, names)(*values)


def _read_spec(held: Any, what: str, depth: int) -> Any:
    number = held.type_spec_class
    kind = _BY_NAME.get(held.type_spec_class_name) if number == _REGISTERED else _BY_NUMBER.get(number)
    state = read_value(held.type_state, what, depth + 1)
    named = next((c.__of_saved_form__ for c in CompositeSpec.__subclasses__() if c.__saved_number__ == number), None)
    if number in _OF_HANDLES:
        named = _OF_HANDLES[number]()
    if named is not None and isinstance(state, tuple):
        try:
            return named(held.type_spec_class_name, state)
        except (TypeError, ValueError, AttributeError) as error:
            told = f"{what}: a wrong {held.type_spec_class_name!r}: {error}"
            raise errors.InvalidArgumentError(None, None, told) from None
    if kind is None or not isinstance(state, tuple):
        raise errors.UnimplementedError(
            None, None,
            f"{what}: a value of type {shown(held.type_spec_class_name or held.type_spec_class)} in a signature",
        )  # fmt: skip
    try:
        return kind.made(*state)
    except (TypeError, ValueError, AttributeError) as error:
        raise errors.InvalidArgumentError(None, None, f"{what}: a wrong {kind.name}: {error}") from None
