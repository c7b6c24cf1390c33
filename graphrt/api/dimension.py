"""What `tf.compat.v1` has about sizes."""

from __future__ import annotations

from graphrt import errors
from graphrt.ops.legacy.values import PlaceholderWithDefault
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike
from graphrt.types.dimension import Dimension
from graphrt.types.likes import ShapeLike
from graphrt.types.shape import TensorShape

__all__ = ["Dimension", "dimension_at_index", "placeholder_with_default"]


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """The size of a shape along a dimension.

    >>> import graphrt as tf
    >>> tf.compat.v1.dimension_at_index(tf.TensorShape([2, None]), 1)
    Dimension(None)
    """
    return Dimension(None if shape.rank is None else shape.as_list()[index])


def placeholder_with_default(input: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """`input` as a tensor of the static shape `shape` in graphs: programs of TensorFlow 2 forget sizes by it.

    >>> import graphrt as tf
    >>> @tf.function
    ... def known(x):
    ...     return tf.compat.v1.placeholder_with_default(x, [None, 2]).shape.as_list() == [None, 2]
    >>> known(tf.ones([3, 2])).numpy()
    np.True_

    Raises:
      ValueError: the shapes are not compatible.
    """
    tensor = convert_to_tensor(input)
    if isinstance(tensor, EagerTensor):
        return tensor
    if not TensorShape(shape).is_compatible_with(tensor.shape):
        raise ValueError(errors.at_user_line(f"the shape of the input, {tensor.shape}, is not compatible with {shape}"))
    return PlaceholderWithDefault(tensor, shape=shape, name=name)
