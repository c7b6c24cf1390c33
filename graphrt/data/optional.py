"""Optionals: an element, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt.data import structure as st
from graphrt.data.declaration import DESCRIBED, PURE, as_declared, described_dims, invalid, scalar_dims
from graphrt.data.pipeline import Element
from graphrt.ir.op import define, provide
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import DType
from graphrt.types.likes import TensorLike
from graphrt.types.shape import Dims
from graphrt.types.structure import Composite

if TYPE_CHECKING:
    pass


class OptionalValue:
    """What stands behind the handle of an optional: the raw components of an element, or nothing."""

    __slots__ = ("__weakref__", "element")

    def __init__(self, element: Element | None) -> None:
        self.element = element


def _value_of(optional: Any, *, output_types: list[DType], output_shapes: list[Dims]) -> list[Any]:
    if optional.element is None:
        raise invalid("The given optional does not have a value.")
    return as_declared(optional.element, output_types, output_shapes)


OptionalFromValue = define(
    "OptionalFromValue", "components: Toutput_types... -> optional: variant", attrs="Toutput_types: list(type) >= 1",
    infer=scalar_dims, traits=PURE, kernel=lambda components: OptionalValue(tuple(components)),
)  # fmt: skip
OptionalNone = define(
    "OptionalNone", "-> optional: variant", infer=scalar_dims, kernel=lambda: OptionalValue(None), traits=PURE
)
OptionalHasValue = define(
    "OptionalHasValue", "optional: variant -> has_value: bool", infer=scalar_dims, traits=PURE,
    kernel=lambda optional: np.bool_(optional.element is not None),
)  # fmt: skip
OptionalGetValue = define(
    "OptionalGetValue", "optional: variant -> components: output_types...", attrs=DESCRIBED, infer=described_dims,
    kernel=_value_of, traits=PURE,
)  # fmt: skip


class OptionalSpec(st.HandleSpec):
    """The static type of an optional whose value, if there is one, has `element_spec`.

    >>> import graphrt as tf
    >>> tf.OptionalSpec(tf.TensorSpec([], tf.int64))
    OptionalSpec(TensorSpec(shape=(), dtype=tf.int64, name=None))
    """

    __slots__ = ()
    __saved_number__ = 7  # OPTIONAL_SPEC

    @property
    def value_type(self) -> type:
        """Optional."""
        return Optional

    def from_components(self, components: list[Any]) -> Optional:
        """The optional behind a handle."""
        return Optional(components[0], self._element_spec)

    def __repr__(self) -> str:
        return f"OptionalSpec({self._element_spec!r})"


@provide
def saved_optional_spec(name: str, state: tuple[object, ...]) -> OptionalSpec:
    """The spec that a saved signature holds under `name`."""
    spec: OptionalSpec = OptionalSpec.of_saved_form(state)
    return spec


class Optional(Composite):
    """An element of a dataset, or none.

    >>> import graphrt as tf
    >>> some = tf.experimental.Optional.from_value(tf.constant(3))
    >>> some.has_value().numpy(), some.get_value().numpy()
    (np.True_, np.int32(3))
    """

    __slots__ = ("_element_spec", "_variant")

    def __init__(self, variant_tensor: TensorLike, element_spec: object) -> None:
        self._variant = variant_tensor
        self._element_spec = element_spec

    @staticmethod
    def from_value(value: TensorLike) -> Optional:
        """An optional that has a value, any nested structure of tensors."""
        spec, tensors = st.to_element(value)
        return Optional(OptionalFromValue(tensors), spec)

    @staticmethod
    def empty(element_spec: object) -> Optional:
        """An optional without a value, of the type of those that have one of `element_spec`."""
        return Optional(OptionalNone(), element_spec)

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is a value: a bool tensor."""
        return OptionalHasValue(self._variant, name=name)

    def get_value(self, name: str | None = None) -> Tensor:
        """The value.

        Raises:
          InvalidArgumentError: there is none.
        """
        found = OptionalGetValue(self._variant, name=name, **st.output_attrs(self._element_spec))
        return st.from_components(self._element_spec, found)

    @property
    def element_spec(self) -> Any:
        """The spec of the value."""
        return self._element_spec

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._element_spec)

    def components(self) -> list[Any]:
        """The handle."""
        return [self._variant]

    def with_components(self, components: list[Any]) -> Optional:
        """The optional behind another handle."""
        return Optional(components[0], self._element_spec)

    def __repr__(self) -> str:
        return f"<Optional element_spec={self._element_spec!r}>"
