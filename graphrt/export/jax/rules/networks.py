"""Convolutions, pooling and normalisation."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.export.jax.package import jax, jnp, lax
from graphrt.export.jax.replay import Rule, Use, as_array


def _layout(c: Use, rank: int) -> tuple[str, str, str]:
    """The names of axes of images, filters and results."""
    channels_last = c.attr("data_format") in ("NHWC", "NDHWC")
    space = "DHW"[5 - rank :]
    images = f"N{space}C" if channels_last else f"NC{space}"
    return images, f"{space}IO", images


def _of_space(c: Use, values: Any) -> tuple[int, ...]:
    """The entries of an attribute that belong to axes of space."""
    given = tuple(values)
    return given[1:-1] if c.attr("data_format") in ("NHWC", "NDHWC") else given[2:]


def _padding(c: Use) -> Any:
    if c.attr("padding") != "EXPLICIT":
        return c.attr("padding")
    flat = c.attr("explicit_paddings")
    pairs = list(zip(flat[::2], flat[1::2]))
    return list(_of_space(c, pairs))


def _convolution(c: Use, x: Any, k: Any) -> Any:
    layout = _layout(c, x.ndim)
    channels = x.shape[layout[0].index("C")]
    return lax.conv_general_dilated(
        x, k, _of_space(c, c.attr("strides")), _padding(c), rhs_dilation=_of_space(c, c.attr("dilations")),
        dimension_numbers=layout, feature_group_count=channels // k.shape[-2], precision=lax.Precision.HIGHEST,
    )  # fmt: skip


def _depthwise_filter(k: Any) -> Any:
    return k.reshape(*k.shape[:-2], 1, -1)


def _depthwise(c: Use, x: Any, k: Any) -> Any:
    return _convolution(c, x, _depthwise_filter(k))


def _forward(function: Any) -> Rule:
    return lambda c: function(c, as_array(c[0]), as_array(c[1]))


def _to_input(function: Any) -> Rule:
    """The gradient by the images: (sizes, filters, gradient)."""

    def rule(c: Use) -> Any:
        k, g = as_array(c[1]), as_array(c[2])
        at = jnp.zeros(c.ints(0, "the shape of the images"), g.dtype)
        return jax.linear_transpose(lambda x: function(c, x, k), at)(g)[0]

    return rule


def _to_filter(function: Any) -> Rule:
    """The gradient by the filters: (images, sizes, gradient)."""

    def rule(c: Use) -> Any:
        x, g = as_array(c[0]), as_array(c[2])
        at = jnp.zeros(c.ints(1, "the shape of the filters"), g.dtype)
        return jax.linear_transpose(lambda k: function(c, x, k), at)(g)[0]

    return rule


def _windows(c: Use, x: Any) -> tuple[tuple[int, ...], tuple[int, ...], Any]:
    sizes, strides = tuple(c.attr("ksize")), tuple(c.attr("strides"))
    padding = c.attr("padding")
    if padding == "EXPLICIT":
        flat = c.attr("explicit_paddings")
        padding = list(zip(flat[::2], flat[1::2]))
    return sizes, strides, padding


def _max_pool(c: Use, x: Any) -> Any:
    least = -np.inf if jnp.issubdtype(x.dtype, jnp.floating) else jnp.iinfo(x.dtype).min
    return lax.reduce_window(x, np.asarray(least, x.dtype), lax.max, *_windows(c, x))


def _average_pool(c: Use, x: Any) -> Any:
    sizes, strides, padding = _windows(c, x)
    zero = np.zeros((), x.dtype)
    total = lax.reduce_window(x, zero, lax.add, sizes, strides, padding)
    return total / lax.reduce_window(jnp.ones_like(x), zero, lax.add, sizes, strides, padding)


def _max_pool_grad(c: Use) -> Any:
    x, g = as_array(c[0]), as_array(c[2])
    return jax.vjp(lambda v: _max_pool(c, v), x)[1](g)[0]


def _average_pool_grad(c: Use) -> Any:
    g = as_array(c[1])
    at = jnp.zeros(c.ints(0, "the shape of the images"), g.dtype)
    return jax.vjp(lambda v: _average_pool(c, v), at)[1](g)[0]


def _bias_add(c: Use) -> Any:
    x, b = as_array(c[0]), as_array(c[1])
    if c.attr("data_format") == "NCHW" and x.ndim > 2:
        return x + b.reshape(-1, *[1] * (x.ndim - 2))
    return x + b


def _channels(c: Use, x: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The axes that are averaged, and the shape of something for each channel."""
    at = x.ndim - 1 if c.attr("data_format") in ("NHWC", "NDHWC") else 1
    return tuple(a for a in range(x.ndim) if a != at), tuple(x.shape[at] if a == at else 1 for a in range(x.ndim))


def _normalised(c: Use) -> Any:
    x = as_array(c[0])
    scale, offset, mean, variance = (as_array(c[i]) for i in range(1, 5))
    axes, dims = _channels(c, x)
    wide = x.astype(scale.dtype)
    epsilon, factor = c.attr("epsilon"), c.node.attrs.get("exponential_avg_factor", 1.0)
    if not c.attr("is_training"):
        new_mean, new_variance, used_mean, used_variance = mean, variance, mean, variance
        kept = jnp.zeros_like(mean), jnp.zeros_like(variance)
    else:
        used_mean = jnp.mean(wide, axes)
        used_variance = jnp.mean((wide - used_mean.reshape(dims)) ** 2, axes)
        count = wide.size // used_mean.size
        unbiased = used_variance * (count / max(count - 1, 1))
        new_mean = used_mean if factor == 1.0 else mean * (1 - factor) + used_mean * factor
        new_variance = unbiased if factor == 1.0 else variance * (1 - factor) + unbiased * factor
        kept = used_mean, used_variance
    if not c.attr("is_training"):
        kept = mean, variance
    rate = lax.rsqrt(used_variance + np.asarray(epsilon, scale.dtype)) * scale
    y = (wide - used_mean.reshape(dims)) * rate.reshape(dims) + offset.reshape(dims)
    return [y.astype(x.dtype), new_mean, new_variance, *kept, jnp.zeros((), scale.dtype)][: len(c.node.outputs)]


def _normalised_grad(c: Use) -> Any:
    g, x, scale, mean, variance = (as_array(c[i]) for i in range(5))
    axes, dims = _channels(c, x)
    g, x = g.astype(scale.dtype), x.astype(scale.dtype)
    rate = lax.rsqrt(variance + np.asarray(c.attr("epsilon"), scale.dtype))
    centred = (x - mean.reshape(dims)) * rate.reshape(dims)
    by_offset, by_scale = jnp.sum(g, axes), jnp.sum(g * centred, axes)
    if c.attr("is_training"):
        count = x.size // mean.size
        inner = g - (by_offset / count).reshape(dims) - centred * (by_scale / count).reshape(dims)
    else:
        inner = g
    by_x = (scale * rate).reshape(dims) * inner
    empty = jnp.zeros((0,), scale.dtype)
    return [by_x, by_scale, by_offset, empty, empty]


# names: the ops of this family
RULES: dict[str, Rule] = {
    "AvgPool": lambda c: _average_pool(c, as_array(c[0])),
    "AvgPool3D": lambda c: _average_pool(c, as_array(c[0])),
    "AvgPoolGrad": _average_pool_grad,
    "AvgPool3DGrad": _average_pool_grad,
    "BiasAdd": _bias_add,
    "Conv2D": _forward(_convolution),
    "Conv2DBackpropFilter": _to_filter(_convolution),
    "Conv2DBackpropInput": _to_input(_convolution),
    "Conv3D": _forward(_convolution),
    "Conv3DBackpropFilterV2": _to_filter(_convolution),
    "Conv3DBackpropInputV2": _to_input(_convolution),
    "DepthwiseConv2dNative": _forward(_depthwise),
    "DepthwiseConv2dNativeBackpropFilter": _to_filter(_depthwise),
    "DepthwiseConv2dNativeBackpropInput": _to_input(_depthwise),
    "FusedBatchNorm": _normalised,
    "FusedBatchNormGrad": _normalised_grad,
    "FusedBatchNormGradV2": _normalised_grad,
    "FusedBatchNormGradV3": _normalised_grad,
    "FusedBatchNormV2": _normalised,
    "FusedBatchNormV3": _normalised,
    "MaxPool": lambda c: _max_pool(c, as_array(c[0])),
    "MaxPool3D": lambda c: _max_pool(c, as_array(c[0])),
    "MaxPoolGrad": _max_pool_grad,
    "MaxPool3DGrad": _max_pool_grad,
}
