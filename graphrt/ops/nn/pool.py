"""Pools, and other windowed functions, of any number of dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ops.array.concat_split import stack
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.shape import ExpandDims, shape, squeeze, transpose
from graphrt.ops.math.division import FloorMod
from graphrt.ops.nn.pooling import AvgPool, MaxPool
from graphrt.ops.nn.pooling_3d import AvgPool3D, MaxPool3D
from graphrt.ops.nn.space_to_batch import BatchToSpaceND, SpaceToBatchND
from graphrt.ops.nn.windows import leads
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.likes import PerAxis
from graphrt.types.nesting import shown

__all__ = ["pool", "with_space_to_batch"]


# --- pools of any number of dimensions -------------------------------------------------------------------------------
def _per_dimension(value: Any, count: int, what: str) -> list[int]:
    if value is None:
        return [1] * count
    found = [int(v) for v in value] if isinstance(value, (list, tuple, np.ndarray)) else [int(value)] * count
    if len(found) != count:
        raise ValueError(errors.at_user_line(f"{what} must have {count} entries, found {found}"))
    return found


def with_space_to_batch(
    input: TensorLike, dilation_rate: PerAxis, padding: str, op: Callable[..., Any],
    filter_shape: TensorLike | None = None, spatial_dims: Any = None, data_format: str | None = None
) -> Tensor:  # fmt: skip
    """`op` on an input whose pixels, `dilation_rate` apart, have been put into batches of their own.

    `op` is called with the batches, `num_spatial_dims` and `padding`.

    >>> import graphrt as tf
    >>> x = tf.ones([1, 4, 4, 1])
    >>> tf.nn.with_space_to_batch(x, [2, 2], "VALID", lambda t, num_spatial_dims, padding: t * 2., [1, 1]).shape
    TensorShape([1, 4, 4, 1])

    Raises:
      ValueError: a rate is not positive, or the padding is not known.
    """
    x = as_tensor(input)
    rates = [int(v) for v in np.ravel(np.asarray(dilation_rate))]
    count = len(rates)
    if any(r < 1 for r in rates):
        raise ValueError(errors.at_user_line("dilation_rate must be positive"))
    if padding not in ("SAME", "VALID"):
        raise ValueError(errors.at_user_line(f"padding must be SAME or VALID, found {shown(padding)}"))
    if all(r == 1 for r in rates):
        return op(x, count, padding)
    first = leads(data_format)
    if first:
        order = [0, *range(2, 2 + count), 1]
        x = transpose(x, order)
    window = _per_dimension(filter_shape, count, "filter_shape") if padding == "SAME" else [1] * count
    total = [(w - 1) * r for w, r in zip(window, rates)]
    base = [(t // 2, t - t // 2) for t in total] if padding == "SAME" else [(0, 0)] * count
    sizes = shape(x)[1 : 1 + count]
    block = np.array(rates, np.int32)
    front, back = (np.array([b[i] for b in base], np.int32) for i in (0, 1))
    full = sizes + (front + back)
    extra = FloorMod(block - FloorMod(full, block), block)
    paddings = stack([as_tensor(front), back + extra], axis=1)
    crops = stack([zeros_like(extra), extra], axis=1)
    found = op(SpaceToBatchND(x, block, paddings), count, "VALID")
    found = BatchToSpaceND(found, block, crops)
    if first:
        found = transpose(found, [0, count + 1, *range(1, 1 + count)])
    return found


def pool(
    input: TensorLike, window_shape: PerAxis, pooling_type: str, strides: PerAxis | None = None, padding: str = "VALID",
    data_format: str | None = None, dilations: PerAxis | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """The greatest ("MAX") or mean ("AVG") element of windows in 1, 2 or 3 dimensions.

    >>> import graphrt as tf
    >>> tf.nn.pool(tf.reshape(tf.range(4.), [1, 4, 1]), [2], "MAX", strides=[2]).numpy().ravel().tolist()
    [1.0, 3.0]

    Raises:
      ValueError: the type, the rank or an option is not known.
    """
    with scope(name, pooling_type.lower() if pooling_type in ("MAX", "AVG") else "pool"):
        x = as_tensor(input)
        window = [int(v) for v in np.ravel(np.asarray(window_shape))]
        count = len(window)
        if count not in (1, 2, 3):
            raise ValueError(
                errors.at_user_line(f"`len(window_shape)` must be 1, 2, or 3. Received: window_shape={window_shape}")
            )
        if pooling_type not in ("MAX", "AVG"):
            raise ValueError(errors.at_user_line(f"{count}-D {pooling_type} pooling is not supported."))
        steps, rates = _per_dimension(strides, count, "strides"), _per_dimension(dilations, count, "dilations")
        if any(s > 1 for s in steps) and any(r > 1 for r in rates):
            raise ValueError(errors.at_user_line("`strides > 1` not supported in conjunction with `dilations > 1`."))
        if padding == "SAME" and pooling_type == "AVG" and any(r > 1 for r in rates):
            raise ValueError(
                errors.at_user_line("pooling_type='AVG' with padding='SAME' is not supported with dilations > 1.")
            )
        first = leads(data_format)
        if first:
            x = transpose(x, [0, *range(2, 2 + count), 1])

        def one(part: Tensor, num_spatial_dims: int, padding: str) -> Tensor:
            return _pooled(part, window, steps, padding, pooling_type)

        found = with_space_to_batch(x, rates, padding, one, window)
        return transpose(found, [0, count + 1, *range(1, 1 + count)]) if first else found


_POOLS = {("MAX", False): MaxPool, ("MAX", True): MaxPool3D, ("AVG", False): AvgPool, ("AVG", True): AvgPool3D}


def _pooled(x: Any, window: list[int], steps: list[int], padding: str, kind: str) -> Any:
    wide = len(window) == 1
    if wide:
        x, window, steps = ExpandDims(x, np.int32(1)), [1, *window], [1, *steps]
    op = _POOLS[kind, len(window) == 3]
    found = op(x, ksize=[1, *window, 1], strides=[1, *steps, 1], padding=padding)
    return squeeze(found, [1]) if wide else found
