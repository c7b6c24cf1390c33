"""Rows of a table, looked up by id."""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.ir.op import ops, provide
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import TensorLike

__all__ = ["embedding_lookup"]


# --- embeddings ------------------------------------------------------------------------------------------------------
@provide
def embedding_lookup(params: Any, ids: TensorLike, max_norm: Any = None, name: str | None = None) -> Any:
    """The rows of the table `params` with the numbers `ids`; rows longer than `max_norm` are scaled down to it.

    >>> import graphrt as tf
    >>> tf.nn.embedding_lookup([[1., 2.], [3., 4.]], [1]).numpy().tolist()
    [[3.0, 4.0]]

    Raises:
      ValueError: `params` is None or an empty list.
      InvalidArgumentError: there is no such row.
    """
    if params is None or (isinstance(params, (list, tuple)) and not params):
        raise ValueError(errors.at_user_line("params must be specified"))
    if isinstance(params, (list, tuple)) and len(params) > 1 and any(hasattr(p, "dtype") for p in params):
        table: Any = ops.concat([as_tensor(p) for p in params], 0)
    else:
        table = params[0] if isinstance(params, (list, tuple)) and hasattr(params[0], "dtype") else params
    with scope(name, "embedding_lookup") as own:
        rows = ops.GatherV2(table, as_tensor(ids, name="ids"), 0, name=own)
        if max_norm is not None:
            places = as_tensor(ids)
            axes: Any = ops.range(ops.rank(places), ops.rank(rows))
            if places.dims is not None and rows.dims is not None:
                axes = list(range(len(places.dims), len(rows.dims)))
            size = ops.sqrt(ops.reduce_sum(rows * rows, axes, keepdims=True))
            rows = rows * (ops.cast(max_norm, rows.dtype) / ops.maximum(size, ops.cast(max_norm, rows.dtype)))
        return ops.identity(rows)
