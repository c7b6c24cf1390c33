"""Extension types that are stacked and taken apart, and the encoders that say how.

    class Point(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        y: tf.Tensor

A type whose tensors do not stack one by one has an encoder of its own, `__batch_encoder__`: what it encodes values as is
stacked, unstacked or concatenated by datasets and `map_fn`, and decoded again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from graphrt import errors
from graphrt.function.extension_fields import ImmutableDict
from graphrt.function.extension_type import ExtensionType, ExtensionTypeSpec, fields_of, spec_over, value_over
from graphrt.tensor.tensor import Tensor
from graphrt.types.shape import TensorShape
from graphrt.types.spec import CompositeSpec, TensorSpec, TypeSpec, element_of, stack_of
from graphrt.types.structure import Composite


def _mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """A field with `function(part)` for its tensors, specs and static shapes."""
    if isinstance(value, (Tensor, TypeSpec, Composite, TensorShape)):
        return function(value)
    if isinstance(value, tuple):
        return tuple(_mapped(v, function) for v in value)
    if isinstance(value, ImmutableDict):
        return ImmutableDict({k: _mapped(v, function) for k, v in value.items()})
    return value


def _changed(spec: ExtensionTypeSpec, function: Callable[[Any], Any]) -> ExtensionTypeSpec:
    return spec_over(spec, {name: _mapped(value, function) for name, value in fields_of(spec).items()})


def _parts(holder: ExtensionTypeSpec | ExtensionType) -> Iterator[Any]:
    """The tensors and composite values (or their specs) in the fields, in order; nested ones whole."""
    found: list[Any] = []

    def seen(part: Any) -> Any:
        if not isinstance(part, TensorShape):
            found.append(part)
        return part

    for value in fields_of(holder).values():
        _mapped(value, seen)
    return iter(found)


class ExtensionTypeBatchEncoder:
    """Says how values of a `BatchableExtensionType` are stacked and taken apart: as their tensors are, one by one.

    A type for which this is not right derives a class from this one, and keeps an instance of it in
    `__batch_encoder__`. Stacking, unstacking or concatenating what `encode` gives and decoding the result must mean the
    same as stacking, unstacking or concatenating the values.

    >>> import graphrt as tf
    >>> class Flat(tf.experimental.ExtensionTypeBatchEncoder):
    ...     def encode(self, spec, value, minimum_rank=0):
    ...         return tf.stack([value.low, value.high], axis=-1)
    ...     def encoding_specs(self, spec):
    ...         return tf.TensorSpec([*spec.low.shape, 2], spec.low.dtype)
    ...     def decode(self, spec, encoded_value):
    ...         return Interval(*tf.unstack(encoded_value, axis=-1))
    >>> class Interval(tf.experimental.BatchableExtensionType):
    ...     low: tf.Tensor
    ...     high: tf.Tensor
    ...     __batch_encoder__ = Flat()
    >>> dataset = tf.data.Dataset.from_tensor_slices(Interval(low=[1, 2, 3], high=[5, 6, 7])).batch(2)
    >>> [x.high.numpy().tolist() for x in dataset]
    [[5, 6], [7]]
    """

    def batch(self, spec: Any, batch_size: int | None) -> Any:
        """The spec of `batch_size` (None: as many as there are) values of `spec`: each tensor and `TensorShape` grows.

        Raises:
          TypeError: a part of it cannot be stacked.
        """

        def grown(part: Any) -> Any:
            if isinstance(part, TensorShape):
                return TensorShape([batch_size]).concatenate(part)
            if isinstance(part, TensorSpec):
                return TensorSpec(None if part.dims is None else (batch_size, *part.dims), part.dtype)
            return stack_of(part, batch_size)

        return _changed(spec, grown)

    def unbatch(self, spec: Any) -> Any:
        """The spec of one of the values that `spec` holds: each tensor and `TensorShape` loses its first dimension.

        Raises:
          TypeError, ValueError: a part of it cannot be taken apart.
        """

        def row(part: Any) -> Any:
            if isinstance(part, TensorShape):
                return part[1:]
            if not isinstance(part, TensorSpec):
                return element_of(part)
            if part.dims == ():
                raise ValueError(errors.at_user_line("Unbatching a tensor is only supported for rank >= 1"))
            return TensorSpec(None if part.dims is None else part.dims[1:], part.dtype)

        return _changed(spec, row)

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """`value` as a structure of things that can be stacked: its tensors and composite values, in order.

        Args:
          spec: the spec of `value`.
          value: what is encoded.
          minimum_rank: how many times what is given must be possible to take apart.
        """
        return tuple(_parts(value))

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """The value of `spec` that a structure as `encode` gives it stands for.

        Args:
          spec: that of the result: `batch` of the one that was encoded after stacking, `unbatch` of it after taking apart.
          encoded_value: what `encode` gave, stacked, unstacked or concatenated.
        """
        supply = iter(encoded_value)

        def filled(part: Any) -> Any:
            return part if isinstance(part, TensorShape) else next(supply)

        return value_over(spec.value_type, {name: _mapped(field, filled) for name, field in fields_of(spec).items()})

    def encoding_specs(self, spec: Any) -> Any:
        """The specs of what `encode` gives for values of `spec`, in the same structure."""
        return tuple(_parts(spec))


class BatchableExtensionType(ExtensionType):
    """An extension type that has rows: `map_fn` and datasets go along the first dimension of its tensors.

    >>> import graphrt as tf
    >>> class Point(tf.experimental.BatchableExtensionType):
    ...     x: tf.Tensor
    ...     y: tf.Tensor
    >>> points = Point(x=tf.constant([1, 2, 3]), y=tf.constant([10, 20, 30]))
    >>> tf.map_fn(lambda p: p.x + p.y, points, fn_output_signature=tf.int32).numpy().tolist()
    [11, 22, 33]
    """

    __batch_encoder__: ClassVar[ExtensionTypeBatchEncoder] = ExtensionTypeBatchEncoder()


def stacks_by_itself(spec: CompositeSpec) -> bool:
    """Whether stacking the tensors of values of `spec`, one by one, stacks the values."""
    encoder = getattr(spec.value_type, "__batch_encoder__", None)
    if encoder is None or not isinstance(spec, ExtensionTypeSpec):
        return True
    return type(encoder) is ExtensionTypeBatchEncoder and all(
        isinstance(part, TensorSpec) or (isinstance(part, ExtensionTypeSpec) and stacks_by_itself(part))
        for part in _parts(spec)
    )


__all__ = ["BatchableExtensionType", "ExtensionTypeBatchEncoder"]
