"""Dropout: elements set to 0 at random, the others scaled so that the mean stays."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import shape
from graphrt.ops.math.arithmetic import Mul, Sub
from graphrt.ops.math.comparison import GreaterEqual
from graphrt.ops.math.division import RealDiv
from graphrt.ops.random.distributions import stateless_uniform, uniform
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.convert import constant
from graphrt.tensor.queries import is_symbolic_tensor, is_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.likes import ShapeLike
from graphrt.types.shape import TensorShape

if TYPE_CHECKING:
    from graphrt.ops.random.sampling_ops import Algorithm

__all__ = ["dropout", "general_dropout", "stateless_dropout"]


def dropout(
    x: TensorLike, rate: TensorLike | None, noise_shape: object = None, seed: int | None = None, name: str | None = None
) -> Tensor:
    """`x` with elements set to 0 at random with probability `rate`, the others divided by `1 - rate`.

    The numbers are those of `tf.random.uniform` for the global seed and `seed`.

    >>> import graphrt as tf
    >>> tf.random.set_seed(1)
    >>> tf.nn.dropout([1., 2., 3., 4.], rate=0.5, seed=2).numpy().tolist()
    [0.0, 4.0, 0.0, 0.0]

    Sizes of 1 in `noise_shape` drop whole parts together; None stands for the size that `x` has there:

    >>> tf.nn.dropout(tf.ones([3, 2]), rate=0.5, noise_shape=[None, 1], seed=2).numpy().tolist()
    [[0.0, 0.0], [2.0, 2.0], [2.0, 2.0]]

    Args:
      x: a tensor of floats.
      rate: a number in [0, 1), or a scalar tensor of the dtype of `x`.

    Raises:
      ValueError: `rate` is no number in [0, 1) or scalar tensor of `x`'s dtype, or `x` is not of floats.
      InvalidArgumentError: `noise_shape` does not broadcast to the shape of `x`.
    """
    return _dropped(x, rate, partial(uniform, seed=seed), noise_shape, name, "dropout")


def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: Algorithm | int | str | None = None,
    noise_shape: ShapeLike = None,
    name: str | None = None,
) -> Tensor:
    """`x` with elements set to 0 at random with probability `rate`, which follow from `seed`, two integers, alone.

    >>> import graphrt as tf
    >>> tf.nn.experimental.stateless_dropout(tf.ones([3]), .5, seed=[1, 0]).numpy().tolist()
    [2.0, 0.0, 2.0]

    Raises:
      ValueError: `rate` is no number in [0, 1) or scalar tensor of `x`'s dtype, or `x` is not of floats.
    """
    sampler = partial(stateless_uniform, seed=seed, alg="auto_select" if rng_alg is None else rng_alg)
    return _dropped(x, rate, sampler, noise_shape, name, "stateless_dropout")


def general_dropout(
    x: TensorLike,
    rate: TensorLike | None,
    uniform_sampler: Callable[..., Any],
    noise_shape: ShapeLike = None,
    name: str | None = None,
) -> Tensor:
    """`x` without the elements for which `uniform_sampler(shape=, dtype=)` gives less than `rate`; the others scaled.

    >>> import graphrt as tf
    >>> keep = lambda shape, dtype: tf.constant([.1, .9])
    >>> tf.nn.experimental.general_dropout([1., 1.], .5, keep).numpy().tolist()
    [0.0, 2.0]

    Raises:
      ValueError: `rate` is no number in [0, 1) or scalar tensor of `x`'s dtype, or `x` is not of floats.
    """
    return _dropped(x, rate, uniform_sampler, noise_shape, name, "general_dropout")


def _dropped(
    x: TensorLike, rate: Any, sampler: Callable[..., Any], noise_shape: object, name: str | None, default: str
) -> Tensor:
    with scope(name, default):
        value = as_tensor(x, name="x")
        is_number = isinstance(rate, Real)
        if is_number and (rate < 0 or rate >= 1):
            raise _bad(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
        if not value.dtype.is_floating:
            raise _bad(
                f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={value.dtype!r}"
            )
        if is_number and rate == 0:
            return value
        if is_number:
            scaled = Mul(value, constant(1 / (1 - float(rate)), value.dtype))
        else:
            rate = _rate_tensor(rate, value)
            scaled = RealDiv(value, Sub(constant(1, value.dtype), rate))
        chance = sampler(shape=_noise_shape(value, noise_shape), dtype=value.dtype)
        found = where(GreaterEqual(chance, rate), scaled, constant(0, value.dtype))
        if is_symbolic_tensor(found):
            if not found.shape.is_compatible_with(value.shape):
                raise _bad(f"`noise_shape` does not broadcast to the shape of `x`, {value.shape}: {noise_shape}")
            found.set_shape(value.shape)
        return found


def _bad(text: str) -> ValueError:
    return ValueError(errors.at_user_line(text))


def _rate_tensor(rate: Any, value: Tensor) -> Tensor:
    if not is_tensor(rate):
        raise _bad(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    if rate.dtype != value.dtype:
        raise _bad(
            "`x.dtype` must be compatible with `rate.dtype`. "
            f"Received: x.dtype={value.dtype!r} and rate.dtype={rate.dtype!r}"
        )
    if rate.shape.rank not in (0, None):
        raise _bad(f"`rate` must be a scalar tensor, found the shape {rate.shape}")
    return as_tensor(rate)


def _noise_shape(value: Tensor, given: object) -> Any:
    """The shape of the mask: `given`, with the sizes of `value` in place of None."""
    if given is None:
        return shape(value)
    sizes = given.as_list() if isinstance(given, TensorShape) and given.rank is not None else given
    if not isinstance(sizes, (list, tuple)) or None not in sizes:
        return given
    rank = value.shape.rank
    if rank not in (len(sizes), None):
        raise _bad(
            f"`noise_shape` has None for a size of `x`, and so has to be as long as the shape of `x`, {value.shape}. "
            f"Received: noise_shape={given}"
        )
    known = value.shape.as_list() if rank is not None else [None] * len(sizes)
    filled = [known[i] if size is None else size for i, size in enumerate(sizes)]
    if None in filled:  # not known before it runs
        actual = shape(value)
        filled = [actual[i] if size is None else size for i, size in enumerate(filled)]
    return filled
