"""Ops of neural networks beyond activations and convolutions: losses, normalization, dropout, embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.op import define, ops, provide
from graphrt.ops.support.kernel_helpers import bad, log_softmax_rows, summed_in, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import FLOATING, INDEX, float32
from graphrt.types.shape import Dims, TensorShape, broadcast, compatible, merge

__all__ = [
    "batch_normalization", "bias_add", "embedding_lookup", "l2_loss", "l2_normalize", "layer_normalization",
    "log_poisson_loss", "moments", "normalize_moments", "sigmoid_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits", "sparse_softmax_cross_entropy_with_logits",
    "weighted_cross_entropy_with_logits", "weighted_moments",
]  # fmt: skip


# --- cross entropies -------------------------------------------------------------------------------------------------
def _cross_entropy(features: Any, labels: Any) -> tuple[Any, Any]:
    try:
        x, y = np.broadcast_arrays(features, labels)
    except ValueError:
        raise bad(
            f"logits and labels must be broadcastable: logits_size={text_of(np.shape(features))} "
            f"labels_size={text_of(np.shape(labels))}"
        ) from None
    if x.ndim != 2:
        raise bad(f"logits must be 2-dimensional, but got shape {text_of(x.shape)}")
    logs = log_softmax_rows(x)
    return -(y * logs).sum(axis=-1, dtype=x.dtype), np.exp(logs) - y


def _entropy_dims(c: Any) -> list[Dims]:
    dims = broadcast(c.dims(0), c.dims(1))
    return [(None,), (None, None)] if dims is None else [dims[:1], dims]


def _entropy_vjp(call: Any, g_loss: Any, g_back: Any) -> list[Any]:
    logits, _ = call.inputs
    found = ops.expand_dims(g_loss, -1) * call.outputs[1] if g_loss is not None else ops.zeros_like(logits)
    if g_back is not None:
        s = ops.softmax(logits)
        found += (g_back - ops.reduce_sum(g_back * s, -1, keepdims=True)) * s
    to_labels = None if g_loss is None else ops.expand_dims(g_loss, -1) * -ops.log_softmax(logits)
    if g_back is not None:  # backprop is softmax(logits) - labels
        to_labels = -g_back if to_labels is None else to_labels - g_back
    return [found, to_labels]


SoftmaxCrossEntropyWithLogits = define(
    "SoftmaxCrossEntropyWithLogits", "features: T, labels: T -> loss: T, backprop: T", allowed={"T": FLOATING},
    infer=_entropy_dims, kernel=_cross_entropy, vjp=_entropy_vjp,
)  # fmt: skip


def _sparse_entropy(features: Any, labels: Any) -> tuple[Any, Any]:
    if np.ndim(features) != 2:
        raise bad(f"logits must be 2-D, but got shape {text_of(np.shape(features))}")
    if np.ndim(labels) != 1 or len(labels) != len(features):
        raise bad(
            "labels must be 1-D and have the same first dimension as logits, got "
            f"{text_of(np.shape(labels))} and {text_of(np.shape(features))}"
        )
    classes = features.shape[1]
    wrong = (labels < 0) | (labels >= classes)
    if wrong.any():
        first = int(labels[wrong][0])
        raise bad(
            f"Received a label value of {first} which is outside the valid range of [0, {classes}).  "
            f"Label values: {' '.join(map(str, labels.tolist()))}"
        )
    logs = log_softmax_rows(features)
    rows = np.arange(len(labels))
    back = np.exp(logs)
    back[rows, labels] -= features.dtype.type(1)
    return -logs[rows, labels], back


def _sparse_dims(c: Any) -> list[Dims]:
    dims, labels = c.dims(0), c.dims(1)
    if dims is not None and len(dims) != 2:
        raise ShapeError(f"Shape must be rank 2 but is rank {len(dims)}")
    batch = merge(None if dims is None else dims[:1], labels)
    size = None if batch is None else batch[0]
    return [(size,), (size, None if dims is None else dims[1])]


SparseSoftmaxCrossEntropyWithLogits = define(
    "SparseSoftmaxCrossEntropyWithLogits", "features: T, labels: Tlabels -> loss: T, backprop: T",
    attrs="T: type; Tlabels: type = int64", allowed={"T": FLOATING, "Tlabels": INDEX},
    infer=_sparse_dims, kernel=_sparse_entropy,
    vjp=lambda call, g, _: [None if g is None else ops.expand_dims(g, -1) * _backprop(call), None],
)  # fmt: skip


def _backprop(call: Any) -> Any:
    """The derivative of the losses by the logits, written so that it can be derived again."""
    logits, labels = call.inputs
    return ops.softmax(logits) - ops.cast(ops.OneHot(labels, ops.getitem(ops.shape(logits), 1), 1.0, 0.0, axis=-1),
                                          logits.dtype)  # fmt: skip


def softmax_cross_entropy_with_logits(labels: TensorLike, logits: TensorLike, axis: int = -1,
                                      name: str | None = None) -> Any:  # fmt: skip
    """The cross entropy between the distributions `labels` and softmax(`logits`) along `axis`.

    >>> import graphrt as tf
    >>> tf.nn.softmax_cross_entropy_with_logits([[1., 0.]], [[0., 0.]]).numpy().round(2)
    array([0.69], dtype=float32)

    Raises:
      InvalidArgumentError: the shapes do not fit.
    """
    with scope(name, "softmax_cross_entropy_with_logits") as own:
        x = as_tensor(logits, name="logits")
        y = as_tensor(labels, None if isinstance(labels, Tensor) else x.dtype, name="labels")
        if y.dtype is not x.dtype and y.dtype.is_floating and x.dtype.is_floating:
            y = ops.cast(y, x.dtype)
        rank = None if x.dims is None else len(x.dims)
        if rank is not None and axis not in (-1, rank - 1):
            order = [*[i for i in range(rank) if i != axis % rank], axis % rank]
            x, y = ops.transpose(x, order), ops.transpose(y, order)
        if rank == 2:
            return SoftmaxCrossEntropyWithLogits(x, y, name=own)[0]
        shape = ops.shape(x)
        classes = ops.getitem(shape, slice(-1, None))
        flat = ops.concat([[-1], classes], 0)
        loss = SoftmaxCrossEntropyWithLogits(ops.reshape(x, flat), ops.reshape(y, flat), name=own)[0]
        found = ops.reshape(loss, ops.getitem(shape, slice(None, -1)))
        if hasattr(found, "value") and x.dims is not None:
            found.set_shape(x.dims[:-1])
        return found


def sparse_softmax_cross_entropy_with_logits(labels: TensorLike, logits: TensorLike, name: str | None = None) -> Any:
    """The cross entropy between softmax(`logits`) and the classes whose numbers `labels` gives.

    >>> import graphrt as tf
    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([0], [[0., 0.]]).numpy().round(2)
    array([0.69], dtype=float32)

    Raises:
      ValueError: the ranks do not fit.
      InvalidArgumentError: there is no such class.
    """
    with scope(name, "SparseSoftmaxCrossEntropyWithLogits"):
        x, y = as_tensor(logits), as_tensor(labels)
        if x.dims is not None and y.dims is not None:
            if not x.dims:
                raise ValueError(errors.at_user_line(f"`logits` cannot be a scalar. Received logits={x!r}"))
            if len(y.dims) != len(x.dims) - 1:
                raise ValueError(
                    errors.at_user_line(
                        "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
                        f"labels.shape={y.shape} of rank {len(y.dims)} and logits.shape={x.shape} of rank {len(x.dims)}"
                    )
                )
            if not compatible(y.dims, x.dims[:-1]):
                raise ValueError(
                    errors.at_user_line(
                        "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
                        f"labels.shape={y.shape} and logits.shape={x.shape}"
                    )
                )
        if x.dims is not None and len(x.dims) == 2:
            return SparseSoftmaxCrossEntropyWithLogits(x, y)[0]
        shape = ops.shape(y)
        rows = ops.reshape(x, ops.stack([-1, ops.getitem(ops.shape(x), -1)]))
        loss = SparseSoftmaxCrossEntropyWithLogits(rows, ops.reshape(y, [-1]))[0]
        return ops.reshape(loss, shape)


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Any:
    """The cross entropy between `labels` (0 to 1) and sigmoid(`logits`), element by element.

    >>> import graphrt as tf
    >>> tf.nn.sigmoid_cross_entropy_with_logits([1.], [0.]).numpy().round(2)
    array([0.69], dtype=float32)

    Raises:
      ValueError: the shapes differ.
    """
    with scope(name, "logistic_loss") as own:
        x = as_tensor(logits, name="logits")
        y = as_tensor(labels, None if isinstance(labels, Tensor) else x.dtype, name="labels")
        _same_shape(x, y, "logits", "labels")
        zeros = ops.zeros_like(x)
        positive = x >= zeros
        relu_x = ops.Select(positive, x, zeros)
        minus = ops.Select(positive, -x, x)
        return ops.AddV2(relu_x - x * y, ops.log1p(ops.exp(minus)), name=own)


def _same_shape(x: Any, y: Any, what_x: str, what_y: str) -> None:
    if not compatible(x.dims, y.dims):
        raise ValueError(
            errors.at_user_line(
                f"`{what_x}` and `{what_y}` must have the same shape, received ({TensorShape(x.dims)} vs "
                f"{TensorShape(y.dims)})."
            )
        )


def weighted_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, pos_weight: Any, name: str | None = None
) -> Any:
    """As `sigmoid_cross_entropy_with_logits`, with positive labels counted `pos_weight` times.

    >>> import graphrt as tf
    >>> tf.nn.weighted_cross_entropy_with_logits([1.], [0.], 2.).numpy().round(2)
    array([1.39], dtype=float32)

    Raises:
      ValueError: the shapes differ.
    """
    with scope(name, "logistic_loss"):
        x = as_tensor(logits)
        y = as_tensor(labels, None if isinstance(labels, Tensor) else x.dtype)
        _same_shape(x, y, "logits", "labels")
        weight = 1 + (pos_weight - 1) * y
        return (1 - y) * x + weight * (ops.log1p(ops.exp(-ops.abs(x))) + ops.relu(-x))


# --- bias, loss, normalization ---------------------------------------------------------------------------------------
def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _bias_kernel(value: Any, bias: Any, *, data_format: Any) -> Any:
    if np.ndim(value) < 2:
        raise bad(f"Input tensor must be at least 2D: {text_of(np.shape(value))}")
    if np.ndim(bias) != 1:
        raise bad(f"Biases must be 1D: {text_of(np.shape(bias))}")
    axis = 1 if _text(data_format) == "NCHW" else value.ndim - 1
    if value.shape[axis] != len(bias):
        raise bad(
            "Must provide as many biases as the last dimension of the input tensor: "
            f"{text_of(bias.shape)} vs. {text_of(value.shape)}"
        )
    return value + bias.reshape((-1,) + (1,) * (value.ndim - 1 - axis))


def _bias_dims(c: Any) -> Dims:
    dims, bias = c.dims(0), c.dims(1)
    if dims is not None and len(dims) < 2:
        raise ShapeError(f"Shape must be at least rank 2 but is rank {len(dims)}")
    if bias is not None and len(bias) != 1:
        raise ShapeError(f"Shape must be rank 1 but is rank {len(bias)}")
    if dims is None or bias is None:
        return dims
    axis = 1 if _text(c.attrs["data_format"]) == "NCHW" else len(dims) - 1
    size = merge(dims[axis : axis + 1], bias)
    return dims[:axis] + size + dims[axis + 1 :]


BiasAdd = define(
    "BiasAdd", "value: T, bias: T -> output: T", attrs="T: type; data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    infer=_bias_dims, kernel=_bias_kernel,
    vjp=lambda call, g: [g, ops.BiasAddGrad(g, data_format=call.attrs["data_format"])],
)  # fmt: skip


def _bias_grad_kernel(g: Any, *, data_format: Any) -> Any:
    if np.ndim(g) < 2:
        raise bad(f"Input tensor must be at least 2D: {text_of(np.shape(g))}")
    axis = 1 if _text(data_format) == "NCHW" else g.ndim - 1
    return g.sum(axis=tuple(i for i in range(g.ndim) if i != axis), dtype=g.dtype)


def _bias_grad_dims(c: Any) -> Dims:
    dims = c.dims(0)
    return (None if dims is None else dims[1 if _text(c.attrs["data_format"]) == "NCHW" else -1],)


def _bias_grad_vjp(call: Any, g: Any) -> list[Any]:
    x = call.inputs[0]
    if _text(call.attrs["data_format"]) == "NCHW":
        g = ops.reshape(g, [1, -1] + [1] * (len(x.dims) - 2))
    return [ops.broadcast_to(g, ops.shape(x))]


BiasAddGrad = define(
    "BiasAddGrad", "out_backprop: T -> output: T", attrs="T: type; data_format: {'NHWC', 'NCHW'} = 'NHWC'",
    infer=_bias_grad_dims,
    kernel=_bias_grad_kernel, vjp=_bias_grad_vjp,
)  # fmt: skip
L2Loss = define(
    "L2Loss", "t: T -> output: T", allowed={"T": FLOATING}, infer=lambda c: (),
    kernel=lambda t: t.dtype.type(np.sum(np.square(t.astype(summed_in(t.dtype), copy=False))) / 2),
    vjp=lambda call, g: [call.inputs[0] * g],
)  # fmt: skip


def bias_add(value: TensorLike, bias: TensorLike, data_format: str | None = None, name: str | None = None) -> Any:
    """`value` plus the vector `bias`, along the channels (the last dimension, or the second for "NC...").

    >>> import graphrt as tf
    >>> tf.nn.bias_add([[1., 2.]], [10., 20.]).numpy().tolist()
    [[11.0, 22.0]]

    Raises:
      ValueError: the data format is not known.
      InvalidArgumentError: the shapes do not fit.
    """
    if data_format is None or (data_format.startswith("N") and data_format.endswith("C")):
        kind = "NHWC"
    elif data_format.startswith("NC"):
        kind = "NCHW"
    else:
        raise ValueError(
            errors.at_user_line(f"`data_format` must be of the form `N...C` or `NC...`. Received: {data_format}")
        )
    return BiasAdd(value, bias, data_format=kind, name=name or "BiasAdd")


def l2_loss(t: TensorLike, name: str | None = None) -> Any:
    """Half the sum of the squares.

    >>> import graphrt as tf
    >>> tf.nn.l2_loss([3., 4.]).numpy().item()
    12.5
    """
    return L2Loss(t, name=name)


@provide
def l2_normalize(
    x: TensorLike, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None
) -> Any:
    """`x` divided by its euclidean norm along `axis`.

    >>> import graphrt as tf
    >>> tf.math.l2_normalize([0., 4.]).numpy().tolist()
    [0.0, 1.0]
    """
    axis = dim if axis is None else axis
    with scope(name, "l2_normalize") as own:
        value = as_tensor(x, name="x")
        if value.dtype.is_complex:
            squares = ops.reduce_sum(ops.square(ops.real(value)) + ops.square(ops.imag(value)), axis, keepdims=True)
            return ops.Mul(value, ops.cast(ops.rsqrt(ops.maximum(squares, epsilon)), value.dtype), name=own)
        total = ops.reduce_sum(ops.square(value), axis, keepdims=True)
        return ops.Mul(value, ops.rsqrt(ops.maximum(total, epsilon)), name=own)


@provide
def moments(x: TensorLike, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None) -> Any:
    """Mean and variance of `x` over `axes`.

    >>> import graphrt as tf
    >>> [t.numpy().item() for t in tf.nn.moments([1., 3.], [0])]
    [2.0, 1.0]
    """
    with scope(name, "moments"):
        value = as_tensor(x, name="x")
        wide = ops.cast(value, float32) if value.dtype.name in ("float16", "bfloat16") else value
        mean = ops.reduce_mean(wide, axes, keepdims=True, name="mean")
        spread = ops.SquaredDifference(wide, ops.stop_gradient(mean))
        variance = ops.reduce_mean(spread, axes, keepdims=True, name="variance")
        if not keepdims:
            mean, variance = ops.squeeze(mean, axes), ops.squeeze(variance, axes)
        if wide is not value:
            mean, variance = ops.cast(mean, value.dtype), ops.cast(variance, value.dtype)
        return mean, variance


def _number_or_tensor(value: Any) -> Any:
    return value if isinstance(value, (int, float)) else as_tensor(value)


def batch_normalization(
    x: TensorLike, mean: TensorLike, variance: TensorLike, offset: Any, scale: Any, variance_epsilon: Any,
    name: str | None = None,
) -> Any:  # fmt: skip
    """`x` less `mean`, divided by the standard deviation, times `scale`, plus `offset`.

    >>> import graphrt as tf
    >>> tf.nn.batch_normalization([3.], [1.], [4.], None, None, 0.).numpy().tolist()
    [1.0]
    """
    with scope(name, "batchnorm"):
        value = as_tensor(x)
        mean, variance = _number_or_tensor(mean), _number_or_tensor(variance)
        factor = ops.rsqrt(variance + variance_epsilon)
        if scale is not None:
            factor = factor * scale
        scaled = value * ops.cast(factor, value.dtype)
        shift = (offset - mean * factor) if offset is not None else -mean * factor
        return scaled + ops.cast(shift, value.dtype)


def layer_normalization(
    x: TensorLike, scale: Any = None, offset: Any = None, axis: Any = -1, epsilon: float = 1e-3, name: str | None = None
) -> Any:
    """`x` less its mean over `axis`, divided by its standard deviation, times `scale`, plus `offset`.

    >>> import graphrt as tf
    >>> tf.nn.layer_normalization([1., 3.], epsilon=0.).numpy().tolist()
    [-1.0, 1.0]
    """
    with scope(name, "layer_norm"):
        value = as_tensor(x)
        mean, variance = moments(value, [axis] if isinstance(axis, int) else axis, keepdims=True)
        out = (value - mean) * ops.rsqrt(variance + ops.cast(epsilon, value.dtype))
        if scale is not None:
            out = out * scale
        return out if offset is None else out + offset


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


# --- smaller ones ----------------------------------------------------------------------------------------------------
def weighted_moments(
    x: TensorLike, axes: Any, frequency_weights: TensorLike, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Mean and variance of `x` over `axes`, each element counted as often as its weight says.

    >>> import graphrt as tf
    >>> [t.numpy().item() for t in tf.nn.weighted_moments([0., 4.], [0], [1., 3.])]
    [3.0, 3.0]
    """
    with scope(name, "weighted_moments"):
        value = as_tensor(x)
        weights = as_tensor(frequency_weights, None if isinstance(frequency_weights, Tensor) else value.dtype)
        weights = ops.cast(weights, value.dtype) + ops.zeros_like(value)
        total = ops.reduce_sum(weights, axes, keepdims=True)
        mean = ops.reduce_sum(weights * value, axes, keepdims=True) / total
        variance = ops.reduce_sum(weights * ops.SquaredDifference(value, mean), axes, keepdims=True) / total
        if not keepdims:
            mean, variance = ops.squeeze(mean, axes), ops.squeeze(variance, axes)
        return mean, variance


def normalize_moments(counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None) -> Any:
    """Mean and variance from the number of elements, their sum and the sum of their squares (less `shift`).

    >>> import graphrt as tf
    >>> [t.numpy().item() for t in tf.nn.normalize_moments(2., 4., 10., None)]
    [2.0, 1.0]
    """
    with scope(name, "normalize"):
        divisor = ops.reciprocal(as_tensor(counts))
        shifted = mean_ss * divisor
        mean = shifted if shift is None else shifted + shift
        return mean, variance_ss * divisor - ops.square(shifted)


def log_poisson_loss(
    targets: TensorLike, log_input: TensorLike, compute_full_loss: bool = False, name: str | None = None
) -> Any:
    """The loss of a Poisson model that predicts `exp(log_input)` where `targets` was seen.

    >>> import graphrt as tf
    >>> tf.nn.log_poisson_loss([1.], [0.]).numpy().tolist()
    [1.0]

    Raises:
      ValueError: the shapes differ.
    """
    with scope(name, "log_poisson_loss"):
        x = as_tensor(log_input)
        z = as_tensor(targets, None if isinstance(targets, Tensor) else x.dtype)
        _same_shape(x, z, "log_input", "targets")
        loss = ops.exp(x) - x * z
        if compute_full_loss:
            stirling = z * ops.log(z) - z + 0.5 * ops.log(2.0 * np.pi * z)
            loss = loss + ops.where((z >= 0) & (z <= 1), ops.zeros_like(z), stirling)
        return loss
