"""`tf.experimental.ExtensionType`: classes made of tensors, which pass through functions like tensors.

    class MaskedTensor(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

A function traces such an argument by its spec: the dtypes and shapes of its tensors, and its Python fields by value.
Instances never change once they are made.
"""

from __future__ import annotations

import collections.abc
import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from graphrt import errors
from graphrt.ir.op import ops
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import DType, as_dtype
from graphrt.types.shape import TensorShape
from graphrt.types.spec import CompositeSpec, TensorSpec, TypeSpec
from graphrt.types.structure import Composite

_PLAIN = (bool, int, float, str, bytes)


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
def _check_annotation(annotation: Any, field: str, owner: str) -> None:
    """TypeError when fields cannot have this type."""
    origin = typing.get_origin(annotation)
    if origin in (typing.Union, types.UnionType):
        for part in typing.get_args(annotation):
            _check_annotation(part, field, owner)
        return
    if origin is tuple:
        for part in typing.get_args(annotation):
            if part is not ...:
                _check_annotation(part, field, owner)
        return
    if origin is collections.abc.Mapping:
        for part in typing.get_args(annotation):
            _check_annotation(part, field, owner)
        return
    if origin is typing.Literal or annotation is typing.Any or annotation is None or annotation is type(None):
        return
    if isinstance(annotation, TypeSpec):
        return
    if isinstance(annotation, type) and issubclass(annotation, (*_PLAIN, Tensor, DType, TensorShape, Composite)):
        return
    if annotation in (tuple, typing.Tuple, collections.abc.Mapping, typing.Mapping):  # noqa: UP006
        raise TypeError(f"In field {field!r} of {owner}: say of what: tuple[T, ...] or Mapping[K, V]")
    shown = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    raise TypeError(f"In field {field!r}: Unsupported type annotation {shown!r}")


def _convert(annotation: Any, value: Any, path: str, spec: bool) -> Any:
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
        return tuple(_convert(p, v, f"{path}[{i}]", spec) for i, (p, v) in enumerate(zip(parts, value)))
    if origin is collections.abc.Mapping:
        if not isinstance(value, collections.abc.Mapping):
            _refuse(path, "mapping", value)
        kind, of = parts
        return ImmutableDict(
            {
                _convert(kind, k, f"{path}.keys()[{i}]", False): _convert(of, v, f"{path}[{k!r}]", spec)
                for i, (k, v) in enumerate(value.items())
            }
        )
    if origin is typing.Literal:
        if value not in parts:
            raise TypeError(f"{path}: expected one of {list(parts)!r}, got {value!r}")
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
                return _convert(part, value, path, spec)
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
        raise ValueError(f"{path}: expected {wanted!r}, got {found!r}")
    return found


def _convert_tensor(value: Any, path: str, spec: bool, dtype: DType | None) -> Any:
    if spec:
        if not isinstance(value, TensorSpec):
            _refuse(path, "tf.TensorSpec", value)
        return value
    try:
        return convert_to_tensor(value, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{path}: {error}") from None


def _refuse(path: str, wanted: str, value: Any) -> Any:
    raise TypeError(f"{path}: expected {wanted!r}, got {type(value).__name__!r}")


def _walk(value: Any) -> Iterator[Any]:
    """The tensors (or specs) in a field, in order."""
    if isinstance(value, (Tensor, TensorSpec)):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _walk(part)
    elif isinstance(value, ImmutableDict):
        for part in value.values():
            yield from _walk(part)
    elif isinstance(value, Composite):
        yield from value.components()
    elif isinstance(value, CompositeSpec):
        yield from value._components()


def _mapped(value: Any, supply: Iterator[Any], function: Callable[[Any, Iterator[Any]], Any]) -> Any:
    """A field with `function(part, supply)` for its tensors, specs and nested extension types."""
    if isinstance(value, (Tensor, TensorSpec, Composite, CompositeSpec)):
        return function(value, supply)
    if isinstance(value, tuple):
        return tuple(_mapped(v, supply, function) for v in value)
    if isinstance(value, ImmutableDict):
        return ImmutableDict({k: _mapped(v, supply, function) for k, v in value.items()})
    return value


def _next_value(part: Any, supply: Iterator[Any]) -> Any:
    if isinstance(part, Composite):
        return part.with_components([next(supply) for _ in part.components()])
    if isinstance(part, CompositeSpec):
        return part._build([next(supply) for _ in part._components()])
    return next(supply)


def _next_spec(part: Any, supply: Iterator[Any]) -> Any:
    spec = getattr(part, "_type_spec", None) if isinstance(part, Composite) else None
    if isinstance(spec, CompositeSpec):
        return spec._with_specs([next(supply) for _ in part.components()])
    if isinstance(part, CompositeSpec):
        return part._with_specs([next(supply) for _ in part._components()])
    return next(supply)


# --- specs -----------------------------------------------------------------------------------------------------------
class ExtensionTypeSpec(CompositeSpec):
    """The static type of an extension type: a spec for each tensor, and the values of its Python fields.

    >>> import graphrt as tf
    >>> class Pair(tf.experimental.ExtensionType):
    ...     first: tf.Tensor
    ...     second: tf.Tensor
    >>> spec = Pair.Spec(tf.TensorSpec([2]), tf.TensorSpec([], tf.int32))
    >>> isinstance(spec, tf.experimental.ExtensionTypeSpec), spec.is_compatible_with(Pair([1.0, 2.0], 3))
    (True, True)
    """

    __slots__ = ("_fields",)

    _of: ClassVar[type[ExtensionType]]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        given = self._of._bind(args, kwargs)
        self._fields = {
            name: _convert(annotation, given[name], name, True) for name, annotation in self._of._annotations.items()
        }

    @classmethod
    def _made(cls, fields: dict[str, Any]) -> ExtensionTypeSpec:
        made = object.__new__(cls)
        made._fields = fields
        return made

    @property
    def value_type(self) -> type:
        """The extension type."""
        return self._of

    def __getattr__(self, name: str) -> Any:
        try:
            return object.__getattribute__(self, "_fields")[name]
        except KeyError:
            raise AttributeError(f"{type(self).__qualname__!r} object has no attribute {name!r}") from None

    def _components(self) -> list[TensorSpec]:
        return [leaf for value in self._fields.values() for leaf in _walk(value)]

    def _with_specs(self, specs: list[Any]) -> ExtensionTypeSpec:
        supply = iter(specs)
        return self._made({k: _mapped(v, supply, _next_spec) for k, v in self._fields.items()})

    def _build(self, components: list[Any]) -> Any:
        """A value of this type over `components`."""
        supply = iter(components)
        return self._of._made({k: _mapped(v, supply, _next_value) for k, v in self._fields.items()})

    def _row(self) -> Any:
        if not issubclass(self._of, BatchableExtensionType):
            raise TypeError(errors.at_user_line(f"{self!r} has no slices: derive it from BatchableExtensionType"))
        return self._with_specs(
            [TensorSpec(None if s.dims is None else s.dims[1:], s.dtype) for s in self._components()]
        )

    def _batched(self, size: int | None) -> Any:
        if not issubclass(self._of, BatchableExtensionType):
            raise TypeError(errors.at_user_line(f"{self!r} cannot be batched: derive it from BatchableExtensionType"))
        return self._with_specs(
            [TensorSpec(None if s.dims is None else (size, *s.dims), s.dtype) for s in self._components()]
        )

    def _static(self) -> ExtensionTypeSpec:
        """What must agree for two values to share a trace: all but the shapes."""
        return self._with_specs([TensorSpec(None, s.dtype) for s in self._components()])

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every value of this type is also of type `other`."""
        if type(self) is not type(other) or self._static() != other._static():
            return False
        return all(a.is_subtype_of(b) for a, b in zip(self._components(), other._components()))

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value (or any value of a spec) may be of this type."""
        other = spec_or_value._type_spec if isinstance(spec_or_value, ExtensionType) else spec_or_value
        if type(self) is not type(other) or self._static() != other._static():
            return False
        return all(a.is_compatible_with(b) for a, b in zip(self._components(), other._components()))

    def most_specific_common_supertype(self, others: Any) -> Any:
        """The narrowest spec that includes this one and `others`, or None."""
        found = self._components()
        for other in others:
            if type(self) is not type(other) or self._static() != other._static():
                return None
            found = [a.most_specific_common_supertype([b]) for a, b in zip(found, other._components())]  # type: ignore[misc]
        return self._with_specs(found)

    def __eq__(self, other: Any) -> bool:
        return type(self) is type(other) and _typed(self._fields) == _typed(other._fields)

    def __hash__(self) -> int:
        return hash((type(self), tuple(self._fields), tuple(self._components())))

    def __repr__(self) -> str:
        return f"{type(self).__qualname__.rpartition('<locals>.')[2]}({_shown(self._fields)})"

    def __reduce__(self) -> Any:
        return _restore_spec, (self._of, self._fields)


def _typed(value: Any) -> Any:
    """`value` with the types of its numbers: 1, 1.0 and True are three values."""
    if isinstance(value, (dict, ImmutableDict)):
        return {k: _typed(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return tuple(_typed(v) for v in value)
    return (type(value), value) if isinstance(value, _PLAIN) else value


def _shown(fields: dict[str, Any]) -> str:
    return ", ".join(f"{k}={v!r}" for k, v in fields.items())


def _restore_spec(of: type[ExtensionType], fields: dict[str, Any]) -> Any:
    return of.Spec._made(fields)


def _restore(of: type[ExtensionType], fields: dict[str, Any]) -> Any:
    return of._made(fields)


# --- the class -------------------------------------------------------------------------------------------------------
class _Closing(type):
    """Closes instances when their constructor, whoever wrote it, is done."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if not cls.__dict__.get("_annotations") and cls.__bases__ == (Composite,):
            raise TypeError("tf.experimental.ExtensionType is a base class: derive a class with fields from it")
        made: Any = object.__new__(typing.cast(Any, cls))
        made.__dict__["_open"] = True
        made.__init__(*args, **kwargs)
        made._close()
        return made


class ExtensionType(Composite, metaclass=_Closing):
    """Base of classes that are made of tensors and Python values, which functions and control flow take and return.

    Fields are annotated: `tf.Tensor`, a `tf.TensorSpec`, numbers, strings, `tf.DType`, `tf.TensorShape`, other
    extension types, `tuple[T, ...]`, `Mapping[K, V]` and unions of these. A constructor is made that takes them in
    order; what is given for a tensor is converted. `__validate__`, if defined, is called last. `cls.Spec` is the class
    of the specs.

    >>> import graphrt as tf
    >>> class Pair(tf.experimental.ExtensionType):
    ...     left: tf.Tensor
    ...     right: tf.Tensor
    ...     name: str = "pair"
    >>> f = tf.function(lambda p: Pair(p.right, p.left, "swapped"))
    >>> f(Pair(1, 2.5)).left.numpy().item()
    2.5
    >>> Pair.Spec(tf.TensorSpec([]), tf.TensorSpec([2]))  # doctest: +ELLIPSIS
    Pair.Spec(left=TensorSpec(shape=(), dtype=tf.float32, name=None), ...

    Raises:
      TypeError: a value does not have the type of its field, or an annotation cannot be used.
      AttributeError: a field is set after the constructor.
    """

    _annotations: ClassVar[dict[str, Any]] = {}
    _defaults: ClassVar[dict[str, Any]] = {}
    _signature: ClassVar[inspect.Signature] = inspect.Signature()
    Spec: ClassVar[type[ExtensionTypeSpec]] = ExtensionTypeSpec

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        scope = {**sys._getframe(1).f_locals, cls.__name__: cls}
        found = dict(cls._annotations)
        for name, annotation in inspect.get_annotations(cls).items():
            if isinstance(annotation, str):
                annotation = eval(annotation, vars(sys.modules[cls.__module__]), scope)
            if typing.get_origin(annotation) is not ClassVar:
                found[name] = annotation
        for name, annotation in found.items():
            if hasattr(ExtensionType, name) or name.startswith("_"):
                raise ValueError(f"The field name {name!r} is reserved.")
            _check_annotation(annotation, name, cls.__name__)
        cls._annotations = found
        inherited = dict(cls._defaults)
        inherited.update({n: cls.__dict__[n] for n in found if n in cls.__dict__})
        cls._defaults = {n: _convert(found[n], v, f"default value for {cls.__name__}.{n}", False)
                         for n, v in inherited.items()}  # fmt: skip
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        required = [inspect.Parameter(n, kind) for n in found if n not in cls._defaults]
        optional = [inspect.Parameter(n, kind, default=cls._defaults[n]) for n in found if n in cls._defaults]
        if [p.name for p in (*required, *optional)] != list(found):  # what follows a default is by keyword
            keyword = inspect.Parameter.KEYWORD_ONLY
            parameters, seen = [], False
            for name in found:
                seen = seen or name in cls._defaults
                default = cls._defaults.get(name, inspect.Parameter.empty)
                parameters.append(inspect.Parameter(name, keyword if seen else kind, default=default))
            cls._signature = inspect.Signature(parameters)
        else:
            cls._signature = inspect.Signature([*required, *optional])
        if "__init__" not in cls.__dict__:
            cls.__signature__ = cls._signature  # type: ignore[attr-defined]
        for name in cls._defaults:
            if name in cls.__dict__:
                delattr(cls, name)  # instances have their own
        spec = type("Spec", (ExtensionTypeSpec,), {"_of": cls, "__slots__": (), "__module__": cls.__module__})
        spec.__qualname__ = f"{cls.__qualname__}.Spec"
        cls.Spec = spec

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name, value in self._bind(args, kwargs).items():
            object.__setattr__(self, name, value)

    @classmethod
    def _bind(cls, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        try:
            bound = cls._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(errors.at_user_line(f"{cls.__name__}{cls._signature}: {error}")) from None
        bound.apply_defaults()
        return {name: bound.arguments[name] for name in cls._annotations}

    @classmethod
    def _made(cls, fields: dict[str, Any]) -> Any:
        """A value over fields that are known to fit."""
        made = object.__new__(cls)
        for name, value in fields.items():
            object.__setattr__(made, name, value)
        return made

    def _close(self) -> None:
        for name, annotation in self._annotations.items():
            if name not in self.__dict__:
                if name not in self._defaults:
                    raise AttributeError(f"{type(self).__name__}.__init__ did not set the field {name!r}")
                self.__dict__[name] = self._defaults[name]
            try:
                self.__dict__[name] = _convert(annotation, self.__dict__[name], name, False)
            except TypeError as error:
                raise TypeError(errors.at_user_line(str(error))) from None
        del self.__dict__["_open"]
        self.__validate__()

    def __validate__(self) -> None:
        """May be defined to check the fields when an instance is made."""

    def __setattr__(self, name: str, value: Any) -> None:
        if "_open" not in self.__dict__:
            raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType.")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if "_open" not in self.__dict__:
            raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType.")
        object.__delattr__(self, name)

    # --- as a value made of tensors ---
    def _field_values(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self._annotations}

    def components(self) -> list[Any]:
        """The tensors in its fields."""
        return [leaf for value in self._field_values().values() for leaf in _walk(value)]

    def with_components(self, components: list[Any]) -> Any:
        """A value like this one, made of other tensors."""
        supply = iter(components)
        return self._made({k: _mapped(v, supply, _next_value) for k, v in self._field_values().items()})

    @property
    def _type_spec(self) -> ExtensionTypeSpec:
        supply = iter([TensorSpec(t.shape, t.dtype) for t in self.components()])
        return self.Spec._made({k: _mapped(v, supply, _next_spec) for k, v in self._field_values().items()})

    def __eq__(self, other: Any) -> Any:
        if type(self) is not type(other) or not self._type_spec.is_compatible_with(other):
            return False
        pairs = list(zip(self.components(), other.components()))
        equal = [ops.reduce_all(ops.equal(a, b)) for a, b in pairs]
        return ops.reduce_all(ops.Pack(equal)) if equal else True

    def __ne__(self, other: Any) -> Any:
        same = self.__eq__(other)
        return ops.logical_not(same) if isinstance(same, Tensor) else not same

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_shown(self._field_values())})"

    def __reduce__(self) -> Any:
        return _restore, (type(self), self._field_values())

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


__all__ = ["ExtensionType", "ExtensionTypeSpec", "ImmutableDict"]


class BatchableExtensionType(ExtensionType):
    """An extension type whose tensors all have the same first dimension: `map_fn` and datasets go along it.

    >>> import graphrt as tf
    >>> class Point(tf.experimental.BatchableExtensionType):
    ...     x: tf.Tensor
    ...     y: tf.Tensor
    >>> points = Point(x=tf.constant([1, 2, 3]), y=tf.constant([10, 20, 30]))
    >>> tf.map_fn(lambda p: p.x + p.y, points, fn_output_signature=tf.int32).numpy().tolist()
    [11, 22, 33]
    """

    _has_rows: ClassVar[bool] = True
