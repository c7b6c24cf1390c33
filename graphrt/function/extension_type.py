"""`tf.experimental.ExtensionType`: classes made of tensors, which pass through functions like tensors.

    class MaskedTensor(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

A function traces such an argument by its spec: the dtypes and shapes of its tensors, and its Python fields by value.
Instances never change once they are made.
"""

from __future__ import annotations

import functools
import inspect
import sys
import typing
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from graphrt import errors
from graphrt.function.extension_fields import PLAIN, ImmutableDict, check_annotation, converted, resolved, types_of
from graphrt.ops.array.concat_split import Pack
from graphrt.ops.math.comparison import equal as equal_
from graphrt.ops.math.logical import logical_not
from graphrt.ops.math.reduction import reduce_all
from graphrt.tensor.tensor import Tensor
from graphrt.types.nesting import shown
from graphrt.types.spec import CompositeSpec, TensorSpec
from graphrt.types.structure import Composite


def _walk(value: Any) -> Iterator[Any]:
    """The tensors (or specs) in a field, in order."""
    if isinstance(value, (Tensor, TensorSpec)):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _walk(part)
    elif isinstance(value, ImmutableDict):
        for key in _in_order(value):
            yield from _walk(value[key])
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
        found = {k: _mapped(value[k], supply, function) for k in _in_order(value)}
        return ImmutableDict({k: found[k] for k in value})
    return value


def _in_order(value: ImmutableDict) -> list[Any]:
    """The keys as `tf.nest` orders them: files do not tell in which order they were set."""
    try:
        return sorted(value)
    except TypeError:
        return list(value)


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

    __slots__ = ("_fields", "_is_open")

    _of: ClassVar[type[ExtensionType]]
    _fields: dict[str, Any]
    _is_open: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._fields.update(self._of._bind(args, kwargs))

    def __new__(cls, *args: Any, **kwargs: Any) -> ExtensionTypeSpec:
        if cls is ExtensionTypeSpec:
            raise TypeError(errors.at_user_line("this is the base of `Spec` of extension types: make one of those"))
        return cls._made({}, True)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        constructor = cls.__init__

        @functools.wraps(constructor)
        def init(self: ExtensionTypeSpec, *args: Any, **kwargs: Any) -> None:
            constructor(self, *args, **kwargs)
            self._close()

        cls.__init__ = init  # type: ignore[method-assign]

    @classmethod
    def _made(cls, fields: dict[str, Any], is_open: bool = False) -> ExtensionTypeSpec:
        made = object.__new__(cls)
        object.__setattr__(made, "_fields", fields)
        object.__setattr__(made, "_is_open", is_open)
        return made

    def _close(self) -> None:
        """Takes what a constructor has set for the fields."""
        object.__setattr__(self, "_is_open", False)
        types = self._of._types()
        missing = [name for name in types if name not in self._fields]
        if missing:
            raise ValueError(
                errors.at_user_line(f"Missing required fields: {set(missing)}: set them in {self._named()}.__init__")
            )
        given = {name: converted(annotation, self._fields[name], name, True) for name, annotation in types.items()}
        object.__setattr__(self, "_fields", given)
        validate = getattr(self, "__validate__", None)
        if validate is not None:
            validate()

    def __setattr__(self, name: str, value: object) -> None:
        if not self._is_open or name not in self._of._annotations:
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionTypeSpec, or one that is "
                f"no field of {self._of.__name__}."
            )
        self._fields[name] = value

    def _named(self) -> str:
        return type(self).__qualname__.rpartition("<locals>.")[2]

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

    def _encoder(self) -> Any:
        return getattr(self._of, "__batch_encoder__", None)

    def _row(self) -> Any:
        encoder = self._encoder()
        if encoder is None:
            raise TypeError(errors.at_user_line(f"{self!r} has no slices: derive it from BatchableExtensionType"))
        return encoder.unbatch(self)

    def _batched(self, size: int | None) -> Any:
        encoder = self._encoder()
        if encoder is None:
            raise TypeError(errors.at_user_line(f"{self!r} cannot be batched: derive it from BatchableExtensionType"))
        return encoder.batch(self, size)

    __saved_number__ = 13  # EXTENSION_TYPE_SPEC

    def __saved_form__(self) -> tuple[str, tuple[object, ...]] | None:
        """The name that the type says it has, and its fields."""
        name = vars(self._of).get("__name__")
        return (f"{name}.Spec", tuple(self._fields.items())) if isinstance(name, str) else None

    @classmethod
    def __of_saved_form__(cls, name: str, state: tuple[object, ...]) -> ExtensionTypeSpec:
        """The spec of the type of that name and those fields; where the program has none, of one made for the fields."""
        fields = {}
        for pair in state:
            if not (isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)):
                raise TypeError(f"expected pairs of names and values, found {shown(pair)}")
            fields[pair[0]] = _frozen(pair[1])
        of = _type_named(name.removesuffix(".Spec"))
        if of is None or list(of._annotations) != list(fields):
            return _anonymous(tuple(fields)).Spec._made(fields)
        return of.Spec._made({n: converted(a, fields[n], n, True) for n, a in of._types().items()})

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
        return f"{self._named()}({_shown(self._fields)})"

    def __reduce__(self) -> Any:
        return _restore_spec, (self._of, self._fields)


def _typed(value: Any) -> Any:
    """`value` with the types of its numbers: 1, 1.0 and True are three values."""
    if isinstance(value, (dict, ImmutableDict)):
        return {k: _typed(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return tuple(_typed(v) for v in value)
    return (type(value), value) if isinstance(value, PLAIN) else value


def _shown(fields: dict[str, Any]) -> str:
    return ", ".join(f"{k}={v!r}" for k, v in fields.items())


def _frozen(value: Any) -> Any:
    """A value of a file, as fields hold it."""
    if isinstance(value, dict):
        return ImmutableDict({k: _frozen(v) for k, v in value.items()})
    return tuple(_frozen(v) for v in value) if isinstance(value, (list, tuple)) else value


def _type_named(name: str) -> type[ExtensionType] | None:
    """The extension type whose body says that this is its `__name__`; of several the last one."""
    found = None
    waiting: list[type[ExtensionType]] = [ExtensionType]
    for cls in waiting:
        waiting += cls.__subclasses__()
        if cls is not ExtensionType and vars(cls).get("__name__") == name:
            found = cls
    return found


@functools.lru_cache(maxsize=256)
def _anonymous(names: tuple[str, ...]) -> type[ExtensionType]:
    """A type with fields of these names: that of a file has a class that the program does not have."""
    for name in names:
        if not name.isidentifier():
            raise ValueError(f"{name!r} is no name of a field")
    return type("AnonymousExtensionType", (ExtensionType,), {"__annotations__": dict.fromkeys(names, Any)})


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
    _scope: ClassVar[dict[str, Any]] = {}
    _globals: ClassVar[dict[str, Any]] = {}
    _looked_up: ClassVar[dict[str, Any] | None] = None
    _signature: ClassVar[inspect.Signature] = inspect.Signature()
    Spec: ClassVar[type[ExtensionTypeSpec]] = ExtensionTypeSpec

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._scope = {**sys._getframe(1).f_locals, cls.__name__: cls}
        cls._globals = sys._getframe(1).f_globals
        found = cls._annotations = cls._collected()
        known = cls._known()
        inherited = dict(cls._defaults)
        inherited.update({n: cls.__dict__[n] for n in found if n in cls.__dict__})
        cls._defaults = {
            n: converted(known[n], v, f"default value for {cls.__name__}.{n}", False) if n in known else v
            for n, v in inherited.items()
        }
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
        own = vars(cls.__dict__["Spec"]) if "Spec" in cls.__dict__ else {}
        members = {k: v for k, v in own.items() if k not in ("__dict__", "__weakref__")}
        spec = type(
            "Spec", (ExtensionTypeSpec,), {**members, "_of": cls, "__slots__": (), "__module__": cls.__module__}
        )
        spec.__name__, spec.__qualname__ = f"{cls.__name__}.Spec", f"{cls.__qualname__}.Spec"
        cls.Spec = spec

    @classmethod
    def _collected(cls) -> dict[str, Any]:
        """The annotations of its fields; names of types that are not there yet stay names."""
        found = dict(cls._annotations)
        for name, annotation in inspect.get_annotations(cls).items():
            try:
                annotation = resolved(annotation, cls._names())
            except NameError:
                pass
            if typing.get_origin(annotation) is not ClassVar:
                found[name] = annotation
        for name in found:
            if hasattr(ExtensionType, name) or name.startswith("_"):
                raise ValueError(f"The field name {name!r} is reserved.")
        return found

    @classmethod
    def _names(cls) -> dict[str, Any]:
        module = sys.modules.get(cls.__module__)  # none where the class was made by `exec`
        return {**(cls._globals if module is None else vars(module)), **cls._scope}

    @classmethod
    def _known(cls) -> dict[str, Any]:
        """The types of those fields whose annotations name nothing that is yet to come."""
        found: dict[str, Any] = {}
        for name, annotation in cls._annotations.items():
            try:
                found[name] = resolved(annotation, cls._names())
            except NameError:
                continue
            check_annotation(found[name], name, cls.__name__)
        return found

    @classmethod
    def _types(cls) -> dict[str, Any]:
        """The types of all fields; looked up once all of them are there."""
        found: dict[str, Any] | None = cls.__dict__.get("_looked_up")
        if found is None:
            found = types_of(cls._annotations, cls._names(), cls.__name__)
            for name, annotation in found.items():
                check_annotation(annotation, name, cls.__name__)
            cls._looked_up = found
        return found

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
        for name, annotation in self._types().items():
            if name not in self.__dict__:
                if name not in self._defaults:
                    raise AttributeError(f"{type(self).__name__}.__init__ did not set the field {name!r}")
                self.__dict__[name] = self._defaults[name]
            try:
                self.__dict__[name] = converted(annotation, self.__dict__[name], name, False)
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
        equal = [reduce_all(equal_(a, b)) for a, b in pairs]
        return reduce_all(Pack(equal)) if equal else True

    def __ne__(self, other: Any) -> Any:
        same = self.__eq__(other)
        return logical_not(same) if isinstance(same, Tensor) else not same

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_shown(self._field_values())})"

    def __reduce__(self) -> Any:
        return _restore, (type(self), self._field_values())

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self


def fields_of(holder: ExtensionType | ExtensionTypeSpec) -> dict[str, Any]:
    """The fields of a value, or of a spec, by name."""
    return holder._field_values() if isinstance(holder, ExtensionType) else holder._fields


def spec_over(spec: ExtensionTypeSpec, fields: dict[str, Any]) -> ExtensionTypeSpec:
    """A spec of the type of `spec` with other fields, which are known to fit."""
    return spec._made(fields)


def value_over(of: type[ExtensionType], fields: dict[str, Any]) -> Any:
    """A value over fields that are known to fit."""
    return of._made(fields)


__all__ = ["ExtensionType", "ExtensionTypeSpec", "ImmutableDict"]
