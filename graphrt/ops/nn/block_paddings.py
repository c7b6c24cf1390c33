"""How much to pad so that sizes divide into blocks."""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.ir.op import ops
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import TensorLike, static_array
from graphrt.types.dtype import int32

__all__ = ["required_space_to_batch_paddings"]


def required_space_to_batch_paddings(
    input_shape: TensorLike, block_shape: TensorLike, base_paddings: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """The paddings `[n, 2]` that `tf.space_to_batch` needs, at least `base_paddings`, and the crops that take them off.

    >>> import graphrt as tf
    >>> [t.numpy().tolist() for t in tf.required_space_to_batch_paddings([5, 6], [2, 3])]
    [[[0, 1], [0, 0]], [[0, 1], [0, 0]]]

    Raises:
      ValueError: the shapes of the arguments do not fit.
    """
    with scope(name, "required_space_to_batch_paddings"):
        sizes, blocks = as_tensor(input_shape, int32), as_tensor(block_shape, int32)
        if blocks.dims is None or len(blocks.dims) != 1 or blocks.dims[0] is None:
            raise ValueError(errors.at_user_line(f"block_shape must be a vector of known length, found {blocks.shape}"))
        count = blocks.dims[0]
        if sizes.dims is not None and sizes.dims != (count,) and sizes.dims != (None,):
            raise ValueError(errors.at_user_line(f"Shapes {sizes.shape} and {blocks.shape} are incompatible"))
        if base_paddings is None:
            base = ops.zeros([count, 2], int32)
        else:
            base = as_tensor(base_paddings, int32)
            if base.dims is not None and base.dims != (count, 2):
                raise ValueError(errors.at_user_line(f"base_paddings must have shape [{count}, 2], found {base.shape}"))
        known = static_array(blocks)
        if known is not None and (known <= 0).any():
            raise ValueError(errors.at_user_line(f"block_shape must be positive, found {known.tolist()}"))
        start, end = base[:, 0], base[:, 1]
        more = (blocks - (sizes + start + end) % blocks) % blocks
        paddings = ops.Pack([start, end + more], axis=1)
        crops = ops.Pack([ops.zeros([count], int32), more], axis=1)
        return paddings, crops
