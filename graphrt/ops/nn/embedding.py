"""Rows of a table, looked up by id."""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.ir.op import provide
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.identity import identity
from graphrt.ops.array.shape import rank
from graphrt.ops.math.arithmetic import maximum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import sqrt
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike

__all__ = ["embedding_lookup"]


# --- embeddings ------------------------------------------------------------------------------------------------------
@provide
def embedding_lookup(
    params: TensorLike, ids: TensorLike, max_norm: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The rows of the table `params` with the numbers `ids`; rows longer than `max_norm` are scaled down to it.

    A list holds parts of the table, which stand one after the other.

    >>> import graphrt as tf
    >>> tf.nn.embedding_lookup(tf.constant([[1., 2.], [3., 4.]]), [1]).numpy().tolist()
    [[3.0, 4.0]]
    >>> tf.nn.embedding_lookup([[[1., 2.]], [[3., 4.]]], [1]).numpy().tolist()
    [[3.0, 4.0]]

    Raises:
      ValueError: `params` is None or an empty list.
      InvalidArgumentError: there is no such row.
    """
    if params is None or (isinstance(params, (list, tuple)) and not params):
        raise ValueError(errors.at_user_line("params must be specified"))
    table: Any = params
    if isinstance(params, (list, tuple)) and (hasattr(params[0], "dtype") or isinstance(params[0], (list, tuple))):
        table = concat([as_tensor(p) for p in params], 0) if len(params) > 1 else params[0]
    with scope(name, "embedding_lookup") as own:
        rows = GatherV2(table, as_tensor(ids, name="ids"), 0, name=own)
        if max_norm is not None:
            places = as_tensor(ids)
            axes: Any = range_(rank(places), rank(rows))
            if places.dims is not None and rows.dims is not None:
                axes = list(range(len(places.dims), len(rows.dims)))
            size = sqrt(reduce_sum(rows * rows, axes, keepdims=True))
            rows = rows * (cast(max_norm, rows.dtype) / maximum(size, cast(max_norm, rows.dtype)))
        return identity(rows)
