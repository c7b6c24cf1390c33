"""Elements of datasets: structures of tensors, and the specs that describe them.

Tuples, named tuples, dictionaries, attrs and data classes are structure; a list is one tensor. An element travels
through a pipeline flat, as a tuple of raw arrays: one for each *component* of its spec.

>>> from graphrt.types.spec import TensorSpec
>>> spec = {"a": TensorSpec([], "int32"), "b": (TensorSpec([2], "float32"),)}
>>> [s.dtype for s in component_specs(spec)]
[tf.int32, tf.float32]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Operation, Tensor, raw_of
from graphrt.types import structure
from graphrt.types.dtype import plain, variant
from graphrt.types.likes import Array
from graphrt.types.nesting import bounded, shown
from graphrt.types.shape import TensorShape, relax
from graphrt.types.spec import NoneTensorSpec, TensorSpec, TypeSpec

if TYPE_CHECKING:
    from graphrt.data.dataset import Dataset, DatasetSpec
    from graphrt.data.optional import Optional, OptionalSpec


def is_structure(value: object) -> bool:
    """Whether `value` has parts: lists do not, they are tensors."""
    return not isinstance(value, list) and structure.is_nested(value)


def walk(value: object) -> Iterator[Any]:
    """The leaves of an element, or of a spec of elements."""
    if is_structure(value):
        for _, part in structure.children(value):
            yield from walk(part)
    else:
        yield value


def map_leaves(function: Callable[..., Any], value: object, *others: Any) -> Any:
    """A structure like `value` of `function(leaf, *other_leaves)`."""
    if not is_structure(value):
        return function(value, *others)
    parts = [structure.children(v) for v in (value, *others)]
    return structure.rebuild(value, [map_leaves(function, *(p for _, p in row)) for row in zip(*parts, strict=True)])


def component_specs(spec: object) -> list[TensorSpec]:
    """The spec of each component of elements of `spec`, in order."""
    found: list[TensorSpec] = []
    for leaf in walk(spec):
        if isinstance(leaf, TensorSpec):
            found.append(leaf)
        elif hasattr(leaf, "component_specs"):
            found += leaf.component_specs
        else:
            raise errors.unexpected(leaf, "element_spec", "made of tf.TypeSpecs")
    return found


def output_attrs(spec: object) -> dict[str, Any]:
    """The attributes by which nodes describe elements."""
    specs = component_specs(spec)
    return {"output_types": [s.dtype for s in specs], "output_shapes": [s.dims for s in specs]}


def _leaf_of(value: Any) -> tuple[Any, list[Any]]:
    """Spec and tensors of one leaf."""
    if value is None:
        return NoneTensorSpec(), []
    if isinstance(value, structure.Composite):
        spec = getattr(value, "_type_spec", None) or getattr(value, "spec", None)
        if spec is None:
            raise TypeError(f"a {type(value).__name__} cannot be part of a dataset's element")
        return spec, [v if isinstance(v, Tensor) else convert_to_tensor(v) for v in value.components()]
    if isinstance(value, (Operation, TypeSpec)):
        raise TypeError(f"{shown(value)} is no value")
    tensor = value if isinstance(value, Tensor) else convert_to_tensor(value)
    return TensorSpec(tensor.dims, tensor.dtype), [tensor]


@bounded
def to_element(value: object) -> tuple[Any, list[Any]]:
    """The spec of `value` as an element, and its components as tensors.

    Raises:
      TypeError, ValueError: a part of it can be no tensor.
    """
    tensors: list[Any] = []

    def leaf(part: object) -> DatasetSpec | TensorSpec:
        spec, found = _leaf_of(part)
        tensors.extend(found)
        return spec

    return map_leaves(leaf, value), tensors


def from_components(spec: object, tensors: list[Tensor | _Raw]) -> Any:
    """The element of `spec` that has these component tensors."""
    supply = iter(tensors)

    def leaf(part: Any) -> Any:
        if isinstance(part, TensorSpec):
            return next(supply)
        return part.from_components([next(supply) for _ in part.component_specs])

    return map_leaves(leaf, spec)


def packer(spec: object) -> Callable[[tuple[Any, ...]], Any]:
    """A function from the raw components of an element to the element, made of concrete tensors."""
    new, kind = EagerTensor.__new__, EagerTensor
    if isinstance(spec, TensorSpec):
        only = spec.dtype

        def pack_one(raw: tuple[Any, ...]) -> Tensor:
            tensor = new(kind)
            tensor._value = raw[0]
            tensor._dtype = only
            return tensor

        return pack_one
    dtypes = [s.dtype for s in component_specs(spec)]
    if type(spec) is tuple and all(isinstance(s, TensorSpec) for s in spec):
        return lambda raw: tuple([kind(v, t) for v, t in zip(raw, dtypes)])
    return lambda raw: from_components(spec, [kind(v, t) for v, t in zip(raw, dtypes)])


def numpy_packer(spec: object) -> Callable[[tuple[Any, ...]], Any]:
    """A function from the raw components of an element to the element, made of arrays and scalars of NumPy.

    Raises:
      TypeError: the elements hold something else than tensors (datasets, say) or None.
    """
    composite = False
    for leaf in walk(spec):
        if getattr(leaf, "ragged_rank", None) is not None or type(leaf).__name__ == "SparseTensorSpec":
            composite = True
        elif not isinstance(leaf, (TensorSpec, NoneTensorSpec)) or (
            isinstance(leaf, TensorSpec) and leaf.dtype.kind == "O"
        ):
            kind = getattr(leaf, "value_type", type(leaf))
            raise TypeError(
                errors.at_user_line(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of type "
                    f"{kind}"
                )
            )
    if isinstance(spec, TensorSpec):
        return lambda raw: as_numpy(raw[0])
    if composite:
        pack = packer(spec)
        return lambda raw: map_leaves(_whole, pack(raw))
    return lambda raw: map_leaves(
        lambda v: None if v is None else as_numpy(v), from_components(spec, [_Raw(v) for v in raw])
    )


def _whole(value: Any) -> Any:
    """A leaf of an element as NumPy has it: sparse tensors are filled up, ragged ones are arrays of arrays."""
    if value is None:
        return None
    if isinstance(value, Tensor):
        return as_numpy(raw_of(value))
    return value.to_dense().numpy() if hasattr(value, "to_dense") else value.numpy()


class _Raw:
    """A raw component on its way through a structure: arrays must not be mistaken for leaves of another kind."""

    __slots__ = ("value",)

    def __init__(self, value: Array) -> None:
        self.value = value


def as_numpy(value: Array | _Raw) -> Any:
    """A raw component as users see it: an array of their own, a scalar, bytes."""
    if isinstance(value, _Raw):
        value = value.value
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return value.item() if value.dtype == object else plain(value)[()]
        return plain(value).copy()
    return plain(value) if isinstance(value, np.void) else value


def unpacks(value: Tensor | dict[str, Tensor] | tuple[Tensor | tuple[Tensor, Tensor], ...]) -> bool:
    """Whether an element is given to functions as several arguments: plain tuples are."""
    return type(value) is tuple


# --- specs compared --------------------------------------------------------------------------------------------------
def same_structure(a: object, b: object) -> bool:
    """Whether two specs have the same form, whatever their leaves are."""
    if is_structure(a) != is_structure(b):
        return False
    if not is_structure(a):
        return True
    if isinstance(a, dict) and isinstance(b, dict):
        if set(a) != set(b):
            return False
    elif type(a) is not type(b):
        return False
    parts, others = structure.children(a), structure.children(b)
    return len(parts) == len(others) and all(same_structure(x, y) for (_, x), (_, y) in zip(parts, others))


def common(a: TensorSpec, b: TensorSpec) -> Any:
    """The most specific spec that includes two leaves; None when there is none."""
    if isinstance(a, TensorSpec) and isinstance(b, TensorSpec):
        return TensorSpec(relax(a.dims, b.dims), a.dtype) if a.dtype is b.dtype else None
    return a.most_specific_common_supertype([b]) if isinstance(a, TypeSpec) else None


def common_spec(a: object, b: object) -> Any:
    """The most specific spec that includes two; None when they differ in structure or dtype."""
    if not same_structure(a, b):
        return None
    leaves = [common(x, y) for x, y in zip(walk(a), walk(b))]
    if any(leaf is None for leaf in leaves):
        return None
    supply = iter(leaves)
    return map_leaves(lambda _: next(supply), a)


def compatible_spec(a: object, b: object) -> bool:
    """Whether a value may be of both specs."""
    return same_structure(a, b) and all(x.is_compatible_with(y) for x, y in zip(walk(a), walk(b)))


def is_subtype(a: object, b: object) -> bool:
    """Whether every element of spec `a` is one of spec `b`."""
    return same_structure(a, b) and all(x.is_subtype_of(y) for x, y in zip(walk(a), walk(b)))


class HandleSpec(TypeSpec):
    """Base of the specs of things behind one handle: datasets, iterators, optionals."""

    __slots__ = ("_element_spec",)

    def __init__(self, element_spec: object) -> None:
        self._element_spec = element_spec

    @property
    def element_spec(self) -> Any:
        """The spec of the elements."""
        return self._element_spec

    @property
    def component_specs(self) -> list[TensorSpec]:
        """The handle."""
        return [TensorSpec([], variant)]

    def to_components(self, value: Optional) -> list[Any]:
        """The handle of `value`."""
        return list(value.components())

    @classmethod
    def from_value(cls, value: Dataset) -> DatasetSpec:
        """The spec of `value`."""
        return value._type_spec

    def __saved_form__(self) -> tuple[str, tuple[object, ...]]:
        """The name and the state under which a saved signature holds the spec."""
        return type(self).__name__, (self._element_spec,)

    @classmethod
    def of_saved_form(cls, state: tuple[object, ...]) -> Any:
        """The spec that a saved signature holds.

        Raises:
          TypeError: it holds something else.
        """
        if not state or not all(isinstance(s, TypeSpec) for s in walk(state[0])):
            raise TypeError(f"expected the spec of elements, found {shown(state)}")
        return cls(state[0])

    def is_compatible_with(self, spec_or_value: Optional | OptionalSpec) -> bool:
        """Whether a value, or those of a spec, may be of this type."""
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        return type(other) is type(self) and compatible_spec(self._element_spec, other._element_spec)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every value of this type is also one of `other`."""
        return type(other) is type(self) and is_subtype(self._element_spec, other._element_spec)

    def most_specific_common_supertype(self, others: list[OptionalSpec]) -> Any:
        """The narrowest spec that includes this one and `others`, or None."""
        found = self._element_spec
        for other in others:
            if type(other) is not type(self):
                return None
            found = common_spec(found, other._element_spec)
            if found is None:
                return None
        return type(self)(found)

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is type(self)
            and same_structure(self._element_spec, other._element_spec)
            and list(walk(self._element_spec)) == list(walk(other._element_spec))
        )

    def __hash__(self) -> int:
        return hash((type(self), tuple(walk(self._element_spec))))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._element_spec!r}, {TensorShape([])!r})"
