"""Images changed at random, by the global generator or as a seed has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.padding import reverse
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import Shape, reshape
from graphrt.ops.array.slicing import Slice
from graphrt.ops.image.color import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from graphrt.ops.image.transforms import image_and_top
from graphrt.ops.math.comparison import greater, less
from graphrt.ops.math.division import FloorMod
from graphrt.ops.random.distributions import stateless_uniform, uniform
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike, static_array

__all__ = [
    "random_brightness", "random_contrast", "random_crop", "random_flip_left_right", "random_flip_up_down",
    "random_hue", "random_saturation", "stateless_random_brightness", "stateless_random_contrast",
    "stateless_random_crop", "stateless_random_flip_left_right", "stateless_random_flip_up_down",
    "stateless_random_hue", "stateless_random_saturation",
]  # fmt: skip


# --- at random -------------------------------------------------------------------------------------------------------
def _flip(image: Any, draw: Callable[..., Any], axis: int, name: str) -> Tensor:
    x, top = image_and_top(image)
    with scope(None, name):
        if not top:
            back = less(draw([]), 0.5)
            return where(back, reverse(x, [axis]), x)
        batch = Shape(x)[:1]
        back = reshape(greater(draw(batch), 0.5), concat([batch, [1, 1, 1]], 0))
        return where(back, reverse(x, [axis + 1]), x)


def _stateful(seed: int | None) -> Callable[..., Any]:
    return lambda shape, low=0.0, high=1.0: uniform(shape, low, high, seed=seed)


def _stateless(seed: Any) -> Callable[..., Any]:
    return lambda shape, low=0.0, high=1.0: stateless_uniform(shape, seed, low, high)


def random_flip_left_right(image: TensorLike, seed: int | None = None) -> Tensor:
    """`flip_left_right`, or not: as likely.

    >>> import graphrt as tf
    >>> tf.image.random_flip_left_right(tf.ones([2, 2, 1])).shape
    TensorShape([2, 2, 1])
    """
    return _flip(image, _stateful(seed), 1, "random_flip_left_right")


def random_flip_up_down(image: TensorLike, seed: int | None = None) -> Tensor:
    """`flip_up_down`, or not: as likely.

    >>> import graphrt as tf
    >>> tf.image.random_flip_up_down(tf.ones([2, 2, 1])).shape
    TensorShape([2, 2, 1])
    """
    return _flip(image, _stateful(seed), 0, "random_flip_up_down")


def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """`flip_left_right`, or not, as the two numbers of `seed` have it.

    >>> import graphrt as tf
    >>> tf.image.stateless_random_flip_left_right(tf.ones([2, 2, 1]), [1, 2]).shape
    TensorShape([2, 2, 1])
    """
    return _flip(image, _stateless(seed), 1, "stateless_random_flip_left_right")


def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """`flip_up_down`, or not, as the two numbers of `seed` have it.

    >>> import graphrt as tf
    >>> tf.image.stateless_random_flip_up_down(tf.ones([2, 2, 1]), [1, 2]).shape
    TensorShape([2, 2, 1])
    """
    return _flip(image, _stateless(seed), 0, "stateless_random_flip_up_down")


def _span(low: Any, high: Any, what: str) -> None:
    if not hasattr(low, "dims") and not hasattr(high, "dims"):
        if high <= low:
            raise ValueError(errors.at_user_line(f"{what}: upper must be > lower, found {low} and {high}"))
        if low < 0:
            raise ValueError(errors.at_user_line(f"{what}: lower must be non-negative, found {low}"))


def _checked_delta(max_delta: Any, top: float | None = None) -> float:
    if max_delta < 0:
        raise ValueError(errors.at_user_line("max_delta must be non-negative."))
    if top is not None and max_delta > top:
        raise ValueError(errors.at_user_line(f"max_delta must be <= {top}."))
    return max_delta


def random_brightness(image: TensorLike, max_delta: TensorLike, seed: int | None = None) -> Tensor:
    """`adjust_brightness` by up to `max_delta`.

    >>> import graphrt as tf
    >>> tf.image.random_brightness(tf.ones([2, 2, 1]), 0.2).shape
    TensorShape([2, 2, 1])

    Raises:
      ValueError: `max_delta` is negative.
    """
    delta = _checked_delta(max_delta)
    return adjust_brightness(image, _stateful(seed)([], -delta, delta))


def stateless_random_brightness(image: TensorLike, max_delta: TensorLike, seed: TensorLike) -> Tensor:
    """`adjust_brightness` by up to `max_delta`, as `seed` has it.

    >>> import graphrt as tf
    >>> tf.image.stateless_random_brightness(tf.ones([2, 2, 1]), 0.2, [1, 2]).shape
    TensorShape([2, 2, 1])

    Raises:
      ValueError: `max_delta` is negative.
    """
    delta = _checked_delta(max_delta)
    return adjust_brightness(image, _stateless(seed)([], -delta, delta))


def random_contrast(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: int | None = None) -> Tensor:
    """`adjust_contrast` by a factor of `lower` to `upper`.

    >>> import graphrt as tf
    >>> tf.image.random_contrast(tf.ones([2, 2, 1]), 0.2, 0.5).shape
    TensorShape([2, 2, 1])

    Raises:
      ValueError: the bounds are no range.
    """
    _span(lower, upper, "random_contrast")
    return adjust_contrast(image, _stateful(seed)([], lower, upper))


def stateless_random_contrast(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: TensorLike) -> Tensor:
    """`adjust_contrast` by a factor of `lower` to `upper`, as `seed` has it.

    >>> import graphrt as tf
    >>> tf.image.stateless_random_contrast(tf.ones([2, 2, 1]), 0.2, 0.5, [1, 2]).shape
    TensorShape([2, 2, 1])

    Raises:
      ValueError: the bounds are no range.
    """
    _span(lower, upper, "stateless_random_contrast")
    return adjust_contrast(image, _stateless(seed)([], lower, upper))


def random_hue(image: TensorLike, max_delta: TensorLike, seed: int | None = None) -> Tensor:
    """`adjust_hue` by up to `max_delta`, which is at most 0.5.

    >>> import graphrt as tf
    >>> tf.image.random_hue(tf.ones([2, 2, 3]), 0.2).shape
    TensorShape([2, 2, 3])

    Raises:
      ValueError: `max_delta` is out of range.
    """
    delta = _checked_delta(max_delta, 0.5)
    return adjust_hue(image, _stateful(seed)([], -delta, delta))


def stateless_random_hue(image: TensorLike, max_delta: TensorLike, seed: TensorLike) -> Tensor:
    """`adjust_hue` by up to `max_delta`, as `seed` has it.

    >>> import graphrt as tf
    >>> tf.image.stateless_random_hue(tf.ones([2, 2, 3]), 0.2, [1, 2]).shape
    TensorShape([2, 2, 3])

    Raises:
      ValueError: `max_delta` is out of range.
    """
    delta = _checked_delta(max_delta, 0.5)
    return adjust_hue(image, _stateless(seed)([], -delta, delta))


def random_saturation(image: TensorLike, lower: TensorLike, upper: TensorLike, seed: int | None = None) -> Tensor:
    """`adjust_saturation` by a factor of `lower` to `upper`.

    >>> import graphrt as tf
    >>> tf.image.random_saturation(tf.ones([2, 2, 3]), 0.2, 0.5).shape
    TensorShape([2, 2, 3])

    Raises:
      ValueError: the bounds are no range.
    """
    _span(lower, upper, "random_saturation")
    return adjust_saturation(image, _stateful(seed)([], lower, upper))


def stateless_random_saturation(
    image: TensorLike, lower: TensorLike, upper: TensorLike, seed: TensorLike | None = None
) -> Tensor:
    """`adjust_saturation` by a factor of `lower` to `upper`, as `seed` has it.

    >>> import graphrt as tf
    >>> tf.image.stateless_random_saturation(tf.ones([2, 2, 3]), 0.2, 0.5, [1, 2]).shape
    TensorShape([2, 2, 3])

    Raises:
      ValueError: the bounds are no range.
    """
    _span(lower, upper, "stateless_random_saturation")
    return adjust_saturation(image, _stateless(seed)([], lower, upper))


def _random_crop(value: Any, size: Any, draw: Callable[..., Any], name: str | None, default: str) -> Tensor:
    with scope(name, default):
        x, wanted = as_tensor(value), as_tensor(size, "int32")
        shape = Shape(x)
        known = static_array(wanted)
        if (
            known is not None
            and x.dims is not None
            and None not in x.dims
            and any(n < w for n, w in zip(x.dims, known.tolist()))
        ):
            raise errors.InvalidArgumentError(
                None, None, errors.at_user_line(f"Need value.shape >= size, got {x.dims} and {known.tolist()}")
            )
        limit = shape - wanted + 1
        top = int(np.iinfo(np.int32).max)
        offset = FloorMod(draw(Shape(shape), top), limit)
        return Slice(x, offset, wanted)


def random_crop(value: TensorLike, size: TensorLike, seed: int | None = None, name: str | None = None) -> Tensor:
    """A part of shape `size`, anywhere in `value`.

    >>> import graphrt as tf
    >>> tf.image.random_crop(tf.ones([4, 4, 3]), [2, 2, 3]).shape
    TensorShape([2, 2, 3])

    Raises:
      InvalidArgumentError: `value` is smaller.
    """

    def draw(shape: Tensor, top: int) -> Tensor:
        return uniform(shape, 0, top, "int32", seed=seed)

    return _random_crop(value, size, draw, name, "random_crop")


def stateless_random_crop(value: TensorLike, size: TensorLike, seed: TensorLike, name: str | None = None) -> Tensor:
    """A part of shape `size` in `value`, where `seed` has it.

    >>> import graphrt as tf
    >>> tf.image.stateless_random_crop(tf.ones([4, 4, 3]), [2, 2, 3], [1, 2]).shape
    TensorShape([2, 2, 3])

    Raises:
      InvalidArgumentError: `value` is smaller.
    """

    def draw(shape: Tensor, top: int) -> Tensor:
        return stateless_uniform(shape, seed, 0, top, "int32")

    return _random_crop(value, size, draw, name, "stateless_random_crop")
