"""Tensors made shorter: clipped by their own norm, or by the norm of several together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

from graphrt import errors
from graphrt.ir.op import provide
from graphrt.ops.array.concat_split import Pack
from graphrt.ops.array.creation import ones_like
from graphrt.ops.array.identity import identity
from graphrt.ops.array.selection import Select
from graphrt.ops.math.arithmetic import Maximum, Minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Greater
from graphrt.ops.math.elementwise import Sqrt
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.nn.losses import L2Loss
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.likes import AxisLike

if TYPE_CHECKING:
    from graphrt.ops.array.indexed_slices import IndexedSlices

__all__ = ["clip_by_global_norm", "clip_by_norm", "global_norm"]


@provide
def clip_by_norm(t: TensorLike, clip_norm: TensorLike, axes: AxisLike = None, name: str | None = None) -> Tensor | Any:
    """`t` scaled down so that its Euclidean norm over `axes` (all when None) is at most `clip_norm`.

    `IndexedSlices` are scaled by the norm of their values.

    >>> import graphrt as tf
    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy().round(4)
    array([0.6, 0.8], dtype=float32)
    """
    if _is_slices(t):
        return t.map_values(lambda values: clip_by_norm(values, clip_norm, axes, name))
    with scope(name, "clip_by_norm") as full:
        x = as_tensor(t, name="t")
        squares = reduce_sum(x * x, axis=axes, keepdims=True)
        positive = Greater(squares, 0)
        norm = Select(positive, Sqrt(Select(positive, squares, ones_like(squares))), squares)
        clip_norm = Maximum(as_tensor(clip_norm, x.dtype), 0)  # a norm is not less than that
        scaled = x * clip_norm
        if x.dims is not None and scaled.dims is not None and len(scaled.dims) > len(x.dims):
            raise errors.ShapeError(errors.at_user_line(f"clip_norm changes the shape of t, {x.shape}"))
        return identity(scaled / Maximum(norm, clip_norm), name=full)


@provide
def global_norm(t_list: TensorLike, name: str | None = None) -> Tensor:
    """The Euclidean norm of all elements of all tensors of `t_list` together; None entries count nothing.

    >>> import graphrt as tf
    >>> tf.linalg.global_norm([[3.0], [4.0]]).numpy().item()
    5.0

    Raises:
      TypeError: `t_list` is no list.
    """
    tensors = _listed(t_list)
    with scope(name, "global_norm"):
        halves = [L2Loss(_values(t)) for t in tensors if t is not None]
        if not halves:
            raise ValueError(errors.at_user_line("global_norm needs at least one tensor that is not None"))
        total = reduce_sum(Pack(halves, name="stack"))
        return Sqrt(total * cast(as_tensor(2.0, total.dtype), total.dtype), name="global_norm")


def _is_slices(value: object) -> TypeGuard[IndexedSlices]:
    return hasattr(value, "map_values")


def _values(tensor: list[float]) -> Any:
    return tensor.values if _is_slices(tensor) else as_tensor(tensor)


def _listed(t_list: Any) -> list[Any]:
    if not isinstance(t_list, (list, tuple)):
        raise TypeError(errors.at_user_line(f"`t_list` should be a sequence of tensors, found {type(t_list)}"))
    return list(t_list)


@provide
def clip_by_global_norm(
    t_list: TensorLike, clip_norm: TensorLike, use_norm: Any = None, name: str | None = None
) -> tuple[list[Tensor], Tensor]:
    """The tensors of `t_list`, scaled by one factor so that their global norm is at most `clip_norm`, and that norm.

    If the norm is infinite or NaN, so is all that comes back.

    >>> import graphrt as tf
    >>> clipped, norm = tf.clip_by_global_norm([[3.0], [4.0]], 1.0)
    >>> norm.numpy().item(), clipped[0].numpy().round(4)
    (5.0, array([0.6], dtype=float32))

    Raises:
      TypeError: `t_list` is no list.
    """
    tensors = _listed(t_list)
    norm = global_norm(tensors) if use_norm is None else use_norm
    with scope(name, "clip_by_global_norm"):
        norm = as_tensor(norm)
        one = as_tensor(1.0, norm.dtype)
        scale = clip_norm * Minimum(1.0 / norm, one / clip_norm)
        scale = scale + (norm - norm)  # NaN where the norm is not finite
        values = [None if t is None else _values(t) for t in tensors]
        scaled = [None if t is None else t * cast(scale, t.dtype) for t in values]
        names = [f"clip_by_global_norm/_{i}" for i in range(len(scaled))]
        found = [None if t is None else identity(t, name=n) for t, n in zip(scaled, names)]
        return [_placed(t, f) for t, f in zip(tensors, found)], norm


def _placed(like: Any, values: Any) -> Any:
    """`values` in the places of `like`, if that is slices."""
    return like.map_values(lambda _: values) if _is_slices(like) else values
