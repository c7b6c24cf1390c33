"""Losses: cross entropies and their kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.code import NONE, Code, Template
from graphrt.ir.graph import InferContext, Node
from graphrt.ir.op import TAKES_NONE, define
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import OneHot, zeros_like
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.selection import Select, where
from graphrt.ops.array.shape import expand_dims, reshape, transpose
from graphrt.ops.array.shape import rank as rank_of
from graphrt.ops.array.shape import shape as shape_
from graphrt.ops.array.slicing import getitem
from graphrt.ops.math.arithmetic import AddV2
from graphrt.ops.math.casting import cast
from graphrt.ops.math.division import DivNoNan
from graphrt.ops.math.elementwise import abs as abs_
from graphrt.ops.math.elementwise import exp, log, log1p
from graphrt.ops.math.reduction import reduce_sum
from graphrt.ops.nn.activations import log_softmax, relu, softmax
from graphrt.ops.support.kernel_helpers import bad, log_softmax_rows, place_in, summed_in, text_of
from graphrt.ops.support.shape_rules import as_tensor, unbroadcast
from graphrt.tensor.call import Call
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import FLOATING, INDEX, float32, float64
from graphrt.types.likes import Array
from graphrt.types.nesting import shown, walkable
from graphrt.types.shape import Dims, TensorShape, broadcast, compatible, merge

__all__ = [
    "compute_average_loss", "l2_loss", "log_poisson_loss", "scale_regularization_loss",
    "sigmoid_cross_entropy_with_logits", "softmax_cross_entropy_with_logits",
    "sparse_softmax_cross_entropy_with_logits", "weighted_cross_entropy_with_logits",
]  # fmt: skip


_CALLED = Template("{}({}, {})")


# --- cross entropies -------------------------------------------------------------------------------------------------
def _cross_entropy(features: Array, labels: Array) -> tuple[Any, Any]:
    logs, y = _logarithms(features, labels)
    loss = -np.add.reduce(y * logs, axis=-1, dtype=logs.dtype)
    return loss, _exp_less(logs, y)


def _entropy_slopes(features: Array, labels: Array) -> Array:
    """The second output alone: who trains may not ask for the loss."""
    return _exp_less(*_logarithms(features, labels))


def _logarithms(features: Array, labels: Array) -> tuple[Array, Array]:
    """The logarithms of the softmax, which are nobody else's, and the labels."""
    x, y = features, labels
    if np.shape(x) != np.shape(y):
        try:
            x, y = np.broadcast_arrays(features, labels)
        except ValueError:
            raise bad(
                f"logits and labels must be broadcastable: logits_size={text_of(np.shape(features))} "
                f"labels_size={text_of(np.shape(labels))}"
            ) from None
    if np.ndim(x) != 2:
        raise bad(f"logits must be 2-dimensional, but got shape {text_of(np.shape(x))}")
    return log_softmax_rows(x) if x.size else np.empty(x.shape, x.dtype), y


def _exp_less(logs: Array, y: Array) -> Array:
    """`exp(logs) - y` in the place of `logs`."""
    np.exp(logs, out=logs)
    logs -= y
    return logs


def _emit_entropy(emitter: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    if emitter.is_used(node.outputs[0]):
        return None
    return [NONE, _CALLED(emitter.bind(_entropy_slopes, "entropy_slopes"), *inputs)]


def _entropy_dims(c: InferContext) -> list[Dims]:
    dims = broadcast(c.dims(0), c.dims(1))
    return [(None,), (None, None)] if dims is None else [dims[:1], dims]


def _entropy_vjp(call: Any, g_loss: Any, g_back: Any) -> list[Any]:
    logits, labels = call.inputs
    found = expand_dims(g_loss, -1) * call.outputs[1] if g_loss is not None else zeros_like(logits)
    if g_back is not None:
        s = softmax(logits)
        found += (g_back - reduce_sum(g_back * s, -1, keepdims=True)) * s
    to_labels = None if g_loss is None else expand_dims(g_loss, -1) * -log_softmax(logits)
    if g_back is not None:  # backprop is softmax(logits) - labels
        to_labels = -g_back if to_labels is None else to_labels - g_back
    if logits.dims == labels.dims:
        return [found, to_labels]
    return [unbroadcast(found, logits, labels), None if to_labels is None else unbroadcast(to_labels, labels, logits)]


SoftmaxCrossEntropyWithLogits = define(
    "SoftmaxCrossEntropyWithLogits", "features: T[2], labels: T[2] -> loss: T, backprop: T", allowed={"T": FLOATING},
    infer=_entropy_dims, kernel=_cross_entropy, vjp=_entropy_vjp, emit=_emit_entropy, traits=(TAKES_NONE,),
)  # fmt: skip


def _sparse_entropy(features: Array, labels: Array) -> tuple[Any, Any]:
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


def _sparse_dims(c: InferContext) -> list[Dims]:
    dims, labels = c.dims(0), c.dims(1)
    if dims is not None and len(dims) != 2:
        raise ShapeError(f"Shape must be rank 2 but is rank {len(dims)}")
    batch = merge(None if dims is None else dims[:1], labels)
    size = None if batch is None else batch[0]
    return [(size,), (size, None if dims is None else dims[1])]


SparseSoftmaxCrossEntropyWithLogits = define(
    "SparseSoftmaxCrossEntropyWithLogits", "features: T, labels: Tlabels[1] -> loss: T, backprop: T",
    attrs="T: type; Tlabels: type = int64", allowed={"T": FLOATING, "Tlabels": INDEX},
    infer=_sparse_dims, kernel=_sparse_entropy,
    vjp=lambda call, g, _: [None if g is None else expand_dims(g, -1) * _backprop(call), None],
)  # fmt: skip


def _backprop(call: Call) -> Tensor:
    """The derivative of the losses by the logits, written so that it can be derived again."""
    logits, labels = call.inputs
    return softmax(logits) - cast(OneHot(labels, getitem(shape_(logits), 1), 1.0, 0.0, axis=-1),
                                          logits.dtype)  # fmt: skip


def softmax_cross_entropy_with_logits(labels: TensorLike, logits: TensorLike, axis: int = -1,
                                      name: str | None = None) -> Tensor:  # fmt: skip
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
            y = cast(y, x.dtype)
        rank = None if x.dims is None else len(x.dims)
        if rank is not None and axis not in (-1, rank - 1):
            place = place_in(axis, rank)
            order = [*[i for i in range(rank) if i != place], place]
            x, y = transpose(x, order), transpose(y, order)
        elif rank is None and axis != -1:  # the last dimension may be another one
            count = rank_of(x)
            at = count + np.int32(axis) if axis < 0 else as_tensor(np.int32(axis))
            turn = concat([range_(at), range_(at + 1, count), [at]], 0)
            x, y = transpose(x, turn), transpose(y, turn)
        if rank == 2:
            if y.dims is not None and len(y.dims) not in (0, 2):
                y = reshape(y, concat([[-1], getitem(shape_(y), slice(-1, None))], 0))
            return SoftmaxCrossEntropyWithLogits(x, y, name=own)[0]
        shape = shape_(x)
        classes = getitem(shape, slice(-1, None))
        flat = concat([[-1], classes], 0)
        loss = SoftmaxCrossEntropyWithLogits(reshape(x, flat), reshape(y, flat), name=own)[0]
        found = reshape(loss, getitem(shape, slice(None, -1)))
        if hasattr(found, "value") and x.dims is not None:
            found.set_shape(x.dims[:-1])
        return found


def sparse_softmax_cross_entropy_with_logits(labels: TensorLike, logits: TensorLike, name: str | None = None) -> Tensor:
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
                raise ValueError(errors.at_user_line(f"`logits` cannot be a scalar. Received logits={shown(x)}"))
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
        shape = shape_(y)
        rows = reshape(x, stack([-1, getitem(shape_(x), -1)]))
        loss = SparseSoftmaxCrossEntropyWithLogits(rows, reshape(y, [-1]))[0]
        return reshape(loss, shape)


def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None
) -> Tensor:
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
        zeros = zeros_like(x)
        positive = x >= zeros
        relu_x = Select(positive, x, zeros)
        minus = Select(positive, -x, x)
        return AddV2(relu_x - x * y, log1p(exp(minus)), name=own)


def _same_shape(x: Tensor, y: Tensor, what_x: str, what_y: str) -> None:
    if not compatible(x.dims, y.dims):
        raise ValueError(
            errors.at_user_line(
                f"`{what_x}` and `{what_y}` must have the same shape, received ({TensorShape(x.dims)} vs "
                f"{TensorShape(y.dims)})."
            )
        )


def weighted_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, pos_weight: Any, name: str | None = None
) -> Tensor:
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
        weight = 1 + (walkable(pos_weight) - 1) * y
        return (1 - y) * x + weight * (log1p(exp(-abs_(x))) + relu(-x))


L2Loss = define(
    "L2Loss", "t: T -> output: T", allowed={"T": FLOATING}, infer=lambda c: (),
    kernel=lambda t: t.dtype.type(np.sum(np.square(t.astype(summed_in(t.dtype), copy=False))) / 2),
    vjp=lambda call, g: [call.inputs[0] * g],
)  # fmt: skip


def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of the squares.

    >>> import graphrt as tf
    >>> tf.nn.l2_loss([3., 4.]).numpy().item()
    12.5
    """
    return L2Loss(t, name=name)


def log_poisson_loss(
    targets: TensorLike, log_input: TensorLike, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
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
        loss = exp(x) - x * z
        if compute_full_loss:
            stirling = z * log(z) - z + 0.5 * log(2.0 * np.pi * z)
            loss = loss + where((z >= 0) & (z <= 1), zeros_like(z), stirling)
        return loss


# --- losses of one replica -------------------------------------------------------------------------------------------
def _of_floats(losses: Tensor) -> Tensor:
    """Losses of which an average may be taken: those of integers as floats."""
    return cast(losses, float32 if losses.dtype.size < 4 else float64) if losses.dtype.is_integer else losses


def compute_average_loss(
    per_example_loss: TensorLike, sample_weight: TensorLike | None = None, global_batch_size: TensorLike | None = None
) -> Tensor:
    """The sum of the losses of examples, times their weights, over the size of the batch.

    >>> import graphrt as tf
    >>> tf.nn.compute_average_loss([1., 2., 3.], global_batch_size=6).numpy().item()
    1.0

    Raises:
      ValueError: the losses are a scalar, or the size of the batch is no integer.
    """
    losses = _of_floats(as_tensor(per_example_loss))
    if losses.dims == ():
        raise ValueError(errors.at_user_line("`per_example_loss` must have rank at least 1"))
    dtype = losses.dtype
    if sample_weight is not None:
        weight = cast(as_tensor(sample_weight), dtype)
        if weight.dims is not None and losses.dims is not None and len(weight.dims) < len(losses.dims):
            weight = reshape(weight, concat([shape_(weight), [1] * (len(losses.dims) - len(weight.dims))], 0))
        losses = losses * weight
    losses = cast(losses, dtype)
    if global_batch_size is None:
        size = shape_(losses)[0]
    else:
        size = as_tensor(global_batch_size)
        if size.dims not in ((), None):
            raise ValueError(errors.at_user_line("global_batch_size must be scalar."))
        if not size.dtype.is_integer:
            raise TypeError(errors.at_user_line("global_batch_size must be an int."))
    return DivNoNan(reduce_sum(losses), cast(size, dtype))


def scale_regularization_loss(regularization_loss: TensorLike) -> Tensor:
    """The sum of the losses: what one of a single replica adds to the loss of all.

    >>> import graphrt as tf
    >>> tf.nn.scale_regularization_loss([1., 2.]).numpy().item()
    3.0
    """
    return reduce_sum(_of_floats(as_tensor(regularization_loss)))
