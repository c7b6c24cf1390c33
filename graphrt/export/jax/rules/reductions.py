"""Ops that reduce axes, run along them, or gather segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.export.jax.package import jax, jnp, lax
from graphrt.export.jax.replay import Rule, Use, as_array


def _reduce(function: Callable[..., Any]) -> Rule:
    def rule(c: Use) -> Any:
        x = as_array(c[0])
        axes = tuple(a % x.ndim for a in c.ints(1, "the axes")) if x.ndim else ()
        return function(x, axis=axes, keepdims=bool(c.attr("keep_dims")))

    return rule


def _extremum(function: Callable[..., Any], neutral: Callable[[Any], Any]) -> Callable[..., Any]:
    def reduce(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
        if not axis:
            return x
        return function(x, axis=axis, keepdims=keepdims, initial=neutral(x.dtype))

    return reduce


def _least(dtype: Any) -> Any:
    return -np.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def _greatest(dtype: Any) -> Any:
    return np.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).max


def _same_dtype(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, axis, keepdims: function(x, axis=axis, keepdims=keepdims, dtype=x.dtype)


def _mean(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    if jnp.issubdtype(x.dtype, jnp.integer):
        is_unsigned = jnp.issubdtype(x.dtype, jnp.unsignedinteger)
        wide = jax.dtypes.canonicalize_dtype(np.uint64 if is_unsigned else np.int64)  # of 32 bits unless JAX was asked
        total = jnp.sum(x, axis, keepdims=keepdims, dtype=wide)
        return lax.div(total, jnp.full_like(total, np.prod([x.shape[a] for a in axis], dtype=np.int64))).astype(x.dtype)
    return jnp.mean(x, axis, keepdims=keepdims)


def _euclidean(x: Any, axis: tuple[int, ...], keepdims: bool) -> Any:
    return jnp.sqrt(jnp.sum(x * jnp.conj(x), axis, keepdims=keepdims))


def _arg(function: Callable[..., Any], last: float) -> Rule:
    def rule(c: Use) -> Any:
        x = as_array(c[0])
        if jnp.issubdtype(x.dtype, jnp.floating):  # what is no number is passed over
            x = jnp.where(jnp.isnan(x), jnp.full_like(x, last), x)
        return function(x, int(c.known(1, "the axis").reshape(())))

    return rule


def _cumulative(function: Callable[..., Any], neutral: float) -> Rule:
    def rule(c: Use) -> Any:
        x, axis = as_array(c[0]), int(c.known(1, "the axis").reshape(()))
        axis %= x.ndim
        if c.attr("reverse"):
            x = jnp.flip(x, axis)
        if c.attr("exclusive"):
            first = jnp.full_like(lax.slice_in_dim(x, 0, min(1, x.shape[axis]), axis=axis), neutral)
            x = jnp.concatenate([first, lax.slice_in_dim(x, 0, max(x.shape[axis] - 1, 0), axis=axis)], axis)
        made = function(x, axis=axis)
        return jnp.flip(made, axis) if c.attr("reverse") else made

    return rule


def _segments(function: Callable[..., Any]) -> Rule:
    def rule(c: Use) -> Any:
        x, ids = as_array(c[0]), as_array(c[1])
        count = int(c.known(2, "the number of segments").reshape(()))
        rows = x.reshape(-1, *x.shape[ids.ndim :])
        flat = jnp.where(ids < 0, count, ids).reshape(-1)  # past the end: left out
        return function(rows, flat, num_segments=count)

    return rule


def _extreme_segments(function: Callable[..., Any], neutral: str, bound: Callable[[Any, Any], Any]) -> Rule:
    """Segments without elements have the least, or greatest, finite number."""
    rule = _segments(function)

    def bounded(c: Use) -> Any:
        made = rule(c)
        if not jnp.issubdtype(made.dtype, jnp.floating):
            return made
        return bound(made, np.asarray(getattr(jnp.finfo(made.dtype), neutral), made.dtype))

    return bounded


def _softmax(c: Use) -> Any:
    return jax.nn.softmax(as_array(c[0]), -1)


def _cross_entropy(c: Use) -> Any:
    logits, labels = as_array(c[0]), as_array(c[1])
    logs = jax.nn.log_softmax(logits, -1)
    labels = jnp.broadcast_to(labels, logs.shape)
    return -jnp.sum(labels * logs, -1), jnp.exp(logs) - labels


def _sparse_cross_entropy(c: Use) -> Any:
    logits, labels = as_array(c[0]), as_array(c[1])
    logs = jax.nn.log_softmax(logits, -1)
    hot = labels[:, None] == jnp.arange(logits.shape[-1], dtype=labels.dtype)
    return -jnp.sum(jnp.where(hot, logs, jnp.zeros_like(logs)), -1), jnp.exp(logs) - hot.astype(logs.dtype)


def _l2_loss(c: Use) -> Any:
    x = as_array(c[0])
    return jnp.sum(x * x) / 2


def _bias_grad(c: Use) -> Any:
    g = as_array(c[0])
    kept = 1 if c.attr("data_format") == "NCHW" else g.ndim - 1
    return jnp.sum(g, [a for a in range(g.ndim) if a != kept])


# names: the ops of this family
RULES: dict[str, Rule] = {
    "All": _reduce(lambda x, axis, keepdims: jnp.all(x, axis, keepdims=keepdims)),
    "Any": _reduce(lambda x, axis, keepdims: jnp.any(x, axis, keepdims=keepdims)),
    "ArgMax": _arg(jnp.argmax, -np.inf),
    "ArgMin": _arg(jnp.argmin, np.inf),
    "BiasAddGrad": _bias_grad,
    "Cumprod": _cumulative(jnp.cumprod, 1),
    "Cumsum": _cumulative(jnp.cumsum, 0),
    "CumulativeLogsumexp": _cumulative(lax.cumlogsumexp, -np.inf),
    "EuclideanNorm": _reduce(_euclidean),
    "L2Loss": _l2_loss,
    "LogSoftmax": lambda c: jax.nn.log_softmax(as_array(c[0]), -1),
    "Max": _reduce(_extremum(jnp.max, _least)),
    "Mean": _reduce(_mean),
    "Min": _reduce(_extremum(jnp.min, _greatest)),
    "Prod": _reduce(_same_dtype(jnp.prod)),
    "Softmax": _softmax,
    "SoftmaxCrossEntropyWithLogits": _cross_entropy,
    "SparseSoftmaxCrossEntropyWithLogits": _sparse_cross_entropy,
    "Sum": _reduce(_same_dtype(jnp.sum)),
    "UnsortedSegmentMax": _extreme_segments(jax.ops.segment_max, "min", jnp.maximum),
    "UnsortedSegmentMin": _extreme_segments(jax.ops.segment_min, "max", jnp.minimum),
    "UnsortedSegmentProd": _segments(jax.ops.segment_prod),
    "UnsortedSegmentSum": _segments(jax.ops.segment_sum),
}
