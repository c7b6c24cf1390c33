"""Specs: the static type of a value that flows through a graph.

>>> TensorSpec([None, 3], "float32", name="x")
TensorSpec(shape=(None, 3), dtype=tf.float32, name='x')
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, TypeVar

from graphrt.types.dtype import DType, as_dtype, float32
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, TensorShape, dims_of, relax

_Value = TypeVar("_Value")


class TypeSpec:
    """Base of all specs. A spec says of which type a value is, which parts it has, and which specs include it.

    >>> import graphrt as tf
    >>> issubclass(tf.TensorSpec, tf.TypeSpec), tf.type_spec_from_value(tf.ones([2])).shape
    (True, TensorShape([2]))
    """

    __slots__ = ()

    __saved_number__: ClassVar[int | None] = (
        None  # of a class whose specs stand in saved signatures by a name of their own
    )

    def __saved_form__(self) -> tuple[str, tuple[object, ...]] | None:
        """The name and the state under which a saved signature holds the spec, or None where it cannot."""
        return None

    @property
    def value_type(self) -> type:
        """The Python type of the values this spec describes."""
        raise TypeError(f"{type(self).__name__} does not say which values it describes")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value (or any value of a spec) may be of this type."""
        return self == spec_or_value

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every value of this type is also of type `other`."""
        return bool(self == other)

    def most_specific_common_supertype(self, others: Any) -> Any:
        """The narrowest spec that includes this one and `others`, or None."""
        return self if all(self == other for other in others) else None

    def most_specific_compatible_type(self, other: object) -> Any:
        """The narrowest spec that includes this one and `other`.

        >>> import graphrt as tf
        >>> tf.TensorSpec([2]).most_specific_compatible_type(tf.TensorSpec([3]))
        TensorSpec(shape=(None,), dtype=tf.float32, name=None)

        Raises:
          ValueError: no spec includes both.
        """
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self!r} and {shown(other)}")
        return found


class NoneTensorSpec(TypeSpec):
    """The spec of None as (a part of) an element."""

    __slots__ = ()

    @property
    def value_type(self) -> type:
        """The type of None."""
        return type(None)

    @property
    def component_specs(self) -> list[TensorSpec]:
        """None has no tensors."""
        return []

    def to_components(self, value: Any) -> list[Any]:
        """None has no tensors."""
        return []

    def from_components(self, components: list[Any]) -> None:
        """None."""
        return

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the other one is None, or its spec."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"


class CompositeSpec(TypeSpec):
    """Base of the specs of values that are made of tensors, and of Python values that are part of their type."""

    __slots__ = ()

    @classmethod
    def __of_saved_form__(cls, name: str, state: tuple[object, ...]) -> Any:
        """The spec that a saved signature holds."""
        raise TypeError(f"specs of class {cls.__name__} are not saved")

    def _components(self) -> list[Any]:
        """The specs of the tensors, in order."""
        raise TypeError(f"{type(self).__name__} does not say which tensors its values are made of")

    def _with_specs(self, specs: list[Any]) -> Any:
        """This spec with others for its tensors."""
        raise TypeError(f"{type(self).__name__} cannot be rebuilt from specs")

    def _build(self, components: list[Any]) -> Any:
        """A value of this type over `components`."""
        raise TypeError(f"{type(self).__name__} cannot build values")

    def _element(self, components: list[Any]) -> Any:
        """A value over `components` that stands for all elements of this type in a function of a dataset."""
        return self._build(components)

    def _static(self) -> Any:
        """What must agree for two values to share a trace: all but the shapes."""
        raise TypeError(f"{type(self).__name__} does not say what is static")

    def _covers(self, other: Any) -> bool:
        """Whether a trace for this static part serves values of the static part `other`."""
        return bool(self == other)

    def _shared(self, other: object) -> CompositeSpec | None:
        """The static part that covers this one and `other`; None where there is none."""
        return self if self == other else None

    def _told(self, value: _Value) -> _Value:
        """`value`, which stands for all values of this static part, with what that knows of it."""
        return value

    def _row(self) -> Any:
        """The spec of one element along the first dimension.

        Raises:
          TypeError: values of this type cannot be taken apart.
        """
        raise TypeError(f"{self!r} has no slices")

    def _batched(self, size: int | None) -> Any:
        """The spec of `size` values of this type, stacked.

        Raises:
          TypeError: values of this type cannot be stacked.
        """
        raise TypeError(f"a {self.value_type.__name__} cannot be batched: use flat_map")

    def _encoder(self) -> Any:
        """What encodes values of this type for stacking them, if the type says so."""
        return None

    @property
    def component_specs(self) -> list[Any]:
        """The specs of the tensors, in order."""
        return self._components()

    def from_components(self, components: list[Any]) -> Any:
        """A value of this type over `components`."""
        return self._build(components)


def spec_with(spec: CompositeSpec, specs: list[Any]) -> Any:
    """A spec like `spec` whose tensors have these specs."""
    return spec._with_specs(specs)


def fixed_part(spec: CompositeSpec) -> Any:
    """What all values of one trace have in common."""
    return spec._static()


def serves(general: CompositeSpec, other: Any) -> bool:
    """Whether a trace for the fixed part `general` serves values of the fixed part `other`."""
    return general._covers(other)


def shared_part(spec: CompositeSpec, other: object) -> CompositeSpec | None:
    """The fixed part that serves both; None where there is none."""
    return spec._shared(other)


def told(spec: CompositeSpec, value: _Value) -> _Value:
    """`value`, which stands for all values of the fixed part `spec`, with what that knows of it."""
    return spec._told(value)


def any_element(spec: CompositeSpec, components: list[Any]) -> Any:
    """A value over `components` that stands for all elements of type `spec` in a function of a dataset."""
    return spec._element(components)


def element_of(spec: CompositeSpec) -> Any:
    """The spec of one element along the first dimension.

    Raises:
      TypeError: values of this type cannot be taken apart.
    """
    return spec._row()


def stack_of(spec: CompositeSpec, size: int | None) -> Any:
    """The spec of `size` values of this type, stacked.

    Raises:
      TypeError: values of this type cannot be stacked.
    """
    return spec._batched(size)


def encoder_of(spec: CompositeSpec) -> Any:
    """What encodes values of this type for stacking and taking apart (an `ExtensionTypeBatchEncoder`), or None."""
    return spec._encoder()


# state: registry, filled by an import
_TENSOR: list[type] = []  # told by `graphrt.tensor.tensor`, which is a higher layer


def set_tensor_type(cls: type) -> None:
    """Says which class the values of a `TensorSpec` have."""
    _TENSOR[:] = [cls]


class Shaped:
    """What specs have that are made of a shape and a dtype."""

    __slots__ = ()
    _dims: Dims
    _dtype: DType

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return TensorShape(self._dims)

    @property
    def dims(self) -> Dims:
        """The static shape as a plain tuple, or None for unknown rank."""
        return self._dims

    @property
    def dtype(self) -> DType:
        """The element type."""
        return self._dtype


class TensorSpec(Shaped, TypeSpec):
    """Shape, dtype and (optionally) the name of a tensor.

    >>> import graphrt as tf
    >>> tf.TensorSpec([None]).is_compatible_with(tf.TensorSpec([3]))
    True
    """

    __slots__ = ("_dims", "_dtype", "_name")

    def __init__(self, shape: object = None, dtype: DTypeLike = float32, name: str | None = None) -> None:
        self._dims = dims_of(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @property
    def value_type(self) -> type:
        """`tf.Tensor`."""
        return _TENSOR[0]

    @property
    def name(self) -> str | None:
        """The name of the argument it stands for, if it has one."""
        return self._name

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> TensorSpec:
        """A copy of `spec`, renamed if `name` is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec that describes `tensor`.

        Raises:
          ValueError: it is no tensor.
        """
        if not isinstance(getattr(tensor, "dtype", None), DType):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Whether dtype and shape fit: unknown dimensions on either side fit anything."""
        dtype, shape = getattr(spec_or_value, "dtype", None), getattr(spec_or_value, "shape", None)
        if dtype is None or shape is None:
            return False
        return self._dtype == dtype and self.shape.is_compatible_with(shape)

    def is_subtype_of(self, other: TensorSpec) -> bool:
        """Whether every tensor of this spec is also one of `other`."""
        return (
            isinstance(other, TensorSpec)
            and self._dtype is other._dtype
            and self.shape.is_subtype_of(other.shape)
            and (other._name is None or other._name == self._name)
        )

    def most_specific_common_supertype(self, others: list[TensorSpec]) -> TensorSpec | None:
        """The narrowest spec that includes this one and `others`; None when a dtype differs."""
        dims, name = self._dims, self._name
        for other in others:
            if not isinstance(other, TensorSpec) or other._dtype is not self._dtype:
                return None
            dims = relax(dims, other._dims)
            name = name if name == other._name else None
        return TensorSpec(dims, self._dtype, name)

    # --- as a trace type, see graphrt.types.experimental ---
    def placeholder_value(self, placeholder_context: Any) -> Any:
        """The tensor that stands for a value of this type while a function is traced."""
        return placeholder_context.next_tensor()

    def to_tensors(self, value: TensorLike) -> list[Any]:
        """`value` alone."""
        return [value]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """The next of `tensors`."""
        return next(tensors)

    def flatten(self) -> list[TensorSpec]:
        """This spec alone."""
        return [self]

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TensorSpec)
            and self._dims == other._dims
            and self._dtype is other._dtype
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((self._dims, self._dtype, self._name))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self._dtype!r}, name={shown(self._name)})"

    def __reduce__(self) -> Any:
        return TensorSpec, (self._dims, self._dtype, self._name)
