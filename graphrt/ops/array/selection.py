"""Choosing between two tensors, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.ir.code import Template
from graphrt.ir.graph import InferContext
from graphrt.ir.op import ELEMENTWISE, KEEPS_KIND, define, ops, provide  # late: array.creation imports this file
from graphrt.ops.support.kernel_helpers import bad, entries, select, text_of, unwrapped
from graphrt.ops.support.shape_rules import as_tensor, broadcast_all, runs_now, scalar_or_none, unbroadcast_to
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike, raw_of
from graphrt.types.dtype import NUMERIC, bool_
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, merge

__all__ = ["where"]


# --- choosing --------------------------------------------------------------------------------------------------------
def _select_kernel(condition: Array, t: Array, e: Array) -> Array:
    try:
        out = select(condition, t, e)
    except ValueError:
        shapes = [text_of(np.shape(v)) for v in (condition, t, e)]
        raise bad(f"condition {shapes[0]}, then {shapes[1]}, and else {shapes[2]} must be broadcastable") from None
    return out if out.ndim or out.dtype == object else out[()]


def _select_vjp(call: Any, g: Any) -> list[Any]:
    condition, t, e = call.inputs
    zero = ops.zeros_like(g)
    return [
        None,
        unbroadcast_to(SelectV2(condition, g, zero), t),
        unbroadcast_to(SelectV2(condition, zero, g), e),
    ]


def _select_entries(c: InferContext) -> Any:
    if c.dtype(1).kind not in "iu" or any(v.dims is None or len(v.dims) > 1 for v in c.inputs[1:]):
        return None
    condition = c.const(0)
    if condition is None or condition.ndim:
        return None
    known = entries(c.inputs[1 if condition else 2])
    return known[0] if known and c.inputs[1 if condition else 2].dims == () else known


_CHOSEN = Template("({} if {} else {})")
SelectV2 = define(
    "SelectV2", "condition: bool, t: T, e: T -> output: T",
    infer=broadcast_all, kernel=_select_kernel, vjp=_select_vjp, partial=_select_entries,
    emit=lambda e, node, inputs: [_CHOSEN(inputs[1], inputs[0], inputs[2])]
    if all(v.dims == () for v in node.inputs)
    else None,
    traits=(ELEMENTWISE, KEEPS_KIND),
)  # fmt: skip


def _select_v1_dims(c: InferContext) -> Dims:
    dims, condition = merge(c.dims(1), c.dims(2)), c.dims(0)
    if condition in ((), None) or dims is None:
        return dims
    return merge(dims, condition) if len(condition) == len(dims) else dims


def _select_v1_kernel(condition: Array, t: Array, e: Array) -> Array:
    shape = np.shape(t)
    if np.shape(e) != shape or np.shape(condition) not in ((), shape, shape[:1]):
        raise bad(
            f"Inputs to operation Select must have the same size and shape. Condition: {text_of(np.shape(condition))}, "
            f"inputs: {text_of(shape)} != {text_of(np.shape(e))}"
        )
    if np.ndim(condition) == 1 and np.ndim(t) > 1:
        condition = np.reshape(condition, (-1,) + (1,) * (np.ndim(t) - 1))
    return _select_kernel(condition, t, e)


def _select_v1_vjp(call: Any, g: Any) -> list[Any]:
    zero = ops.zeros_like(g)
    return [None, Select(call.inputs[0], g, zero), Select(call.inputs[0], zero, g)]


Select = define(
    "Select", "condition: bool, t: T, e: T -> output: T",
    infer=_select_v1_dims, kernel=_select_v1_kernel, vjp=_select_v1_vjp,
)  # fmt: skip


def _where_kernel(x: Array) -> Array:
    if not np.ndim(x):
        raise bad("WhereOp : input must be at least 1-D, found a scalar")
    return np.argwhere(x).astype(np.int64, copy=False)


Where = define(
    "Where", "input: T -> index: int64", attrs="T: type = bool", allowed={"T": (*NUMERIC, bool_)},
    infer=lambda c: (None, c.rank(0)), kernel=_where_kernel,
    vjp=lambda call, g: [None],
)  # fmt: skip


@provide
def where(condition: TensorLike, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Elements of `x` where `condition` holds, of `y` elsewhere; with `condition` alone, where it holds.

    >>> import graphrt as tf
    >>> tf.where([True, False], [1, 2], 0).numpy().tolist()
    [1, 0]
    >>> tf.where([[True, False], [False, True]]).numpy().tolist()
    [[0, 0], [1, 1]]

    Raises:
      ValueError: only one of `x` and `y` is given.
      InvalidArgumentError: the shapes do not broadcast.
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must both be non-None or both be None.")
    if x is None:
        tensor = as_tensor(condition)
        return Where(tensor, name=name)
    if type(condition) is EagerTensor and condition.dtype is bool_ and runs_now():
        found = _chosen_now(raw_of(condition), x, y)
        if found is not None:
            return found
    return SelectV2(condition, x, y, name=name)


def _chosen_now(condition: Any, x: Any, y: Any) -> Tensor | None:
    """`where` of tensors that hold their elements; None when the long way is needed."""
    like = x if type(x) is EagerTensor else y
    if type(like) is not EagerTensor or like.dtype.kind in "SO":
        return None
    parts = [raw_of(v) if type(v) is EagerTensor and v.dtype is like.dtype else
             scalar_or_none(v, like.dtype) if isinstance(v, (int, float)) else None for v in (x, y)]  # fmt: skip
    if parts[0] is None or parts[1] is None:
        return None
    try:
        return EagerTensor(unwrapped(np.where(condition, parts[0], parts[1])))
    except ValueError:
        return None
