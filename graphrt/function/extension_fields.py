"""Fields of extension types: which annotations there may be, and values as the fields hold them.

values: tf.Tensor                       converts what it is given
parts: typing.Mapping[str, tf.Tensor]
next: typing.Optional["Node"] = None    a name that is looked up when an instance is made
"""

from __future__ import annotations

import collections.abc
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from graphrt import errors
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import DType, as_dtype
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape
from graphrt.types.spec import CompositeSpec, TensorSpec, TypeSpec
from graphrt.types.structure import Composite

PLAIN = (bool, int, float, str, bytes)


class ImmutableDict(Mapping[Any, Any]):
    """A mapping that cannot be changed.

    >>> ImmutableDict({"a": 1})
    ImmutableDict({'a': 1})
    """

    __slots__ = ("_items",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return f"ImmutableDict({self._items!r})"


# --- fields ----------------------------------------------------------------------------------------------------------
def check_annotation(annotation: Any, field: str, owner: str) -> None:
    """TypeError when fields cannot have this type."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        for part in typing.get_args(annotation):
            check_annotation(part, field, owner)
        return
    if origin is tuple:
        for part in typing.get_args(annotation):
            if part is not ...:
                check_annotation(part, field, owner)
        return
    if origin is collections.abc.Mapping:
        for part in typing.get_args(annotation):
            check_annotation(part, field, owner)
        return
    if origin is typing.Literal or annotation is typing.Any or annotation is None or annotation is type(None):
        return
    if isinstance(annotation, TypeSpec):
        return
    if isinstance(annotation, type) and issubclass(annotation, (*PLAIN, Tensor, DType, TensorShape, Composite)):
        return
    if annotation in (tuple, typing.Tuple, collections.abc.Mapping, typing.Mapping):  # noqa: UP006
        raise TypeError(f"In field {field!r} of {owner}: say of what: tuple[T, ...] or Mapping[K, V]")
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    raise TypeError(f"In field {field!r}: Unsupported type annotation '{text}'")


def converted(annotation: Any, value: Any, path: str, spec: bool) -> Any:
    """`value` as a field of this type holds it; with `spec`, as the spec of one does."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return _convert_union(parts, value, path, spec, annotation)
    if origin is tuple:
        if not isinstance(value, (tuple, list)):
            _refuse(path, "tuple", value)
        if len(parts) == 2 and parts[1] is ...:
            parts = (parts[0],) * len(value)
        if parts == ((),):
            parts = ()
        if len(parts) != len(value):
            raise TypeError(f"{path}: expected a tuple of {len(parts)} elements, got {len(value)}")
        return tuple(converted(p, v, f"{path}[{i}]", spec) for i, (p, v) in enumerate(zip(parts, value)))
    if origin is collections.abc.Mapping:
        if not isinstance(value, collections.abc.Mapping):
            _refuse(path, "mapping", value)
        kind, of = parts
        return ImmutableDict(
            {
                converted(kind, k, f"{path}.keys()[{i}]", False): converted(of, v, f"{path}[{k!r}]", spec)
                for i, (k, v) in enumerate(value.items())
            }
        )
    if origin is typing.Literal:
        if value not in parts:
            raise TypeError(f"{path}: expected one of {shown(list(parts))}, got {shown(value)}")
        return value
    if annotation is typing.Any:
        return value
    if annotation is None or annotation is type(None):
        if value is not None:
            _refuse(path, "None", value)
        return None
    if isinstance(annotation, TypeSpec):
        return _convert_to_spec(annotation, value, path, spec)
    if issubclass(annotation, Tensor):
        return _convert_tensor(value, path, spec, None)
    if annotation is DType:
        return as_dtype(value)
    if annotation is TensorShape:
        return TensorShape(value)
    if issubclass(annotation, Composite) and spec and isinstance(value, CompositeSpec):
        if issubclass(value.value_type, annotation):
            return value
        _refuse(path, getattr(annotation, "Spec", annotation).__qualname__, value)
    if not isinstance(value, annotation):
        _refuse(path, annotation.__name__, value)
    return value


def _convert_union(parts: tuple[Any, ...], value: Any, path: str, spec: bool, annotation: Any) -> Any:
    if value is None and type(None) in parts:
        return None
    # what is already of one of the types stays what it is: only then are tensors made of values
    for strict in (True, False):
        for part in parts:
            makes_tensor = isinstance(part, TypeSpec) or (isinstance(part, type) and issubclass(part, Tensor))
            if strict and makes_tensor and not isinstance(value, (Tensor, TypeSpec)):
                continue
            try:
                return converted(part, value, path, spec)
            except (TypeError, ValueError):
                continue
    return _refuse(path, str(annotation), value)


def _convert_to_spec(wanted: TypeSpec, value: Any, path: str, spec: bool) -> Any:
    if not isinstance(wanted, TensorSpec):
        if not wanted.is_compatible_with(value):
            _refuse(path, repr(wanted), value)
        return value
    found = _convert_tensor(value, path, spec, wanted.dtype)
    if not wanted.is_compatible_with(found):
        raise ValueError(f"{path}: expected {wanted!r}, got {shown(found)}")
    return found


def _convert_tensor(value: Any, path: str, spec: bool, dtype: DType | None) -> Any:
    if spec:
        if not isinstance(value, TensorSpec):
            _refuse(path, "tf.TensorSpec", value)
        return value
    if value is None:
        raise TypeError(f"{path}: expected a Tensor, got 'NoneType'")
    try:
        return convert_to_tensor(value, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{path}: {error}") from None


def _refuse(path: str, wanted: str, value: Any) -> Any:
    raise TypeError(f"{path}: expected {wanted!r}, got {type(value).__name__!r}")


# --- names that stand for types ------------------------------------------------------------------------------------------
def resolved(annotation: Any, scope: dict[str, Any]) -> Any:
    """An annotation with the names in it (`"Node"`, `Optional["Node"]`) replaced by the types that they have in `scope`.

    Raises:
      NameError: there is none of that name yet.
    """
    if isinstance(annotation, str):
        return resolved(eval(annotation, scope), scope)
    if isinstance(annotation, typing.ForwardRef):
        return resolved(annotation.__forward_arg__, scope)
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is None or origin is typing.Literal or not _has_names(annotation):
        return annotation
    new = tuple(part if part is ... else resolved(part, scope) for part in parts)
    if origin in (typing.Union, types.UnionType):
        return typing.Union[new]  # noqa: UP007
    return (tuple if origin is tuple else Mapping)[new]


def _has_names(annotation: Any) -> bool:
    return isinstance(annotation, (str, typing.ForwardRef)) or any(map(_has_names, typing.get_args(annotation)))


def types_of(annotations: dict[str, Any], scope: dict[str, Any], owner: str) -> dict[str, Any]:
    """The types of fields.

    Raises:
      NameError: one names a type that there is not, or not yet.
    """
    found = {}
    for name, annotation in annotations.items():
        try:
            found[name] = resolved(annotation, scope) if _has_names(annotation) else annotation
        except NameError as error:
            raise NameError(
                errors.at_user_line(f"the type of field {name!r} of {owner} is {shown(annotation)}, but {error}")
            ) from None
    return found
