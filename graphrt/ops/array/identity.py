"""Ops that pass values on: identities, gradient stops, static checks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.ir.graph import InferContext, partial_value, static_value
from graphrt.ir.op import (
    ALIASES,
    FORWARDS,
    KEEPS_KIND,
    OPAQUE,
    PER_ELEMENT,
    PRESERVES_ZERO,
    QUIET,
    STATEFUL,
    TAKES_NONE,
    TAKES_SLICES,
    define,
    provide,
)
from graphrt.ops.support.never_fails import always
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import current_graph, scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.scopes import control_dependencies
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types import structure
from graphrt.types.likes import Array, ShapeLike
from graphrt.types.nesting import shown
from graphrt.types.shape import compatible, merge

if TYPE_CHECKING:
    from graphrt.ops.ragged.tensor import RaggedTensor
    from graphrt.ops.sparse.tensor import SparseTensor

__all__ = [
    "ensure_shape", "grad_pass_through", "guarantee_const", "identity", "identity_n", "stop_gradient", "timestamp",
    "tuple_",
]  # fmt: skip

Identity = define(
    "Identity", "input: T -> output: T",
    infer=lambda c: c.dims(0), kernel=lambda x: x, vjp=lambda call, g: [g],
    partial=lambda c: _same_value(c), emit=lambda e, node, inputs: [inputs[0]],
    traits=(ALIASES, FORWARDS, KEEPS_KIND, PER_ELEMENT, PRESERVES_ZERO, TAKES_NONE, TAKES_SLICES, QUIET),
    never_fails=always,
)  # fmt: skip


def _same_value(c: InferContext) -> Any:
    """What is known of the value of an op that passes its input on."""
    known = static_value(c.inputs[0])
    if known is not None:
        return known.tolist() if known.ndim <= 1 and known.dtype.kind in "iu" else None
    return partial_value(c.inputs[0])


IdentityN = define(
    "IdentityN", "input: T... -> output: T...", attrs="T: list(type) >= 1",
    infer=lambda c: [v.dims for v in c.inputs], kernel=lambda xs: list(xs), vjp=lambda call, *gs: list(gs),
    emit=lambda e, node, inputs: list(inputs), traits=(ALIASES, FORWARDS, QUIET),
)  # fmt: skip
StopGradient = define(
    "StopGradient", "input: T -> output: T",
    infer=lambda c: c.dims(0), kernel=lambda x: x, vjp=lambda call, g: [None],
    emit=lambda e, node, inputs: [inputs[0]], traits=(ALIASES, FORWARDS, QUIET, PRESERVES_ZERO, PER_ELEMENT),
)  # fmt: skip


def _prevented(call: Any, grad: object) -> Any:
    message = call.attrs["message"]
    raise LookupError(f"Gradient explicitly disabled. Reason: {shown(message)}.")


PreventGradient = define(
    "PreventGradient", "input: T -> output: T", attrs="message: string = ''",
    infer=lambda c: c.dims(0), kernel=lambda x: x, vjp=_prevented, traits=(ALIASES, FORWARDS, QUIET, PER_ELEMENT),
)  # fmt: skip


def _ensured(x: Array, *, shape: tuple[int | None, ...]) -> Array:
    if not compatible(np.shape(x), shape):
        raise errors.InvalidArgumentError(
            None, None,
            f"Shape of tensor input {_brackets(np.shape(x))} is not compatible with expected shape {_brackets(shape)}.",
        )  # fmt: skip
    return x


def _brackets(dims: Any) -> str:
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]" if dims is not None else "<unknown>"


EnsureShape = define(
    "EnsureShape", "input: T -> output: T", attrs="shape: shape",
    infer=lambda c: merge(c.attrs["shape"], c.dims(0)), kernel=_ensured, vjp=lambda call, g: [g], traits=(ALIASES,),
)  # fmt: skip
Timestamp = define(
    "Timestamp", "-> ts: float64", infer=lambda c: (), kernel=lambda: np.float64(time.time()),
    vjp=lambda call, g: [], traits=(STATEFUL, OPAQUE),
)  # fmt: skip


def _map_composite(function: Callable[[Any], Any], value: RaggedTensor | SparseTensor) -> RaggedTensor | SparseTensor:
    return value.with_components([function(part) for part in value.components()])


@provide
def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with the same elements and shape as `input`.

    >>> import graphrt as tf
    >>> tf.identity([1, 2]).numpy().tolist()
    [1, 2]
    """
    if isinstance(input, structure.Composite):
        return _map_composite(identity, input)
    return Identity(convert_to_tensor(input) if not isinstance(input, Tensor) else input, name=name)


def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """The tensors of the list `input`, through one op.

    >>> import graphrt as tf
    >>> [t.numpy().item() for t in tf.identity_n([1, 2.5])]
    [1, 2.5]
    """
    return IdentityN(list(input), name=name)


@provide
def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """`input`, through which no gradient flows back.

    >>> import graphrt as tf
    >>> tf.stop_gradient([1., 2.]).numpy().tolist()
    [1.0, 2.0]
    """
    if isinstance(input, structure.Composite):
        return _map_composite(stop_gradient, input)
    return StopGradient(input, name=name)


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function like `f` whose gradient is that of the identity.

    >>> import graphrt as tf
    >>> tf.grad_pass_through(tf.round)(1.4).numpy().item()
    1.0
    """

    def passed(x: TensorLike) -> Tensor:
        value = convert_to_tensor(x)
        return value + stop_gradient(f(value) - value)

    return passed


@provide
def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """`x`, checked when it runs to have a shape compatible with `shape`, and known while tracing to have it.

    >>> import graphrt as tf
    >>> tf.ensure_shape([[1, 2]], [None, 2]).shape
    TensorShape([1, 2])

    Raises:
      InvalidArgumentError: the shape differs (ValueError too, where it is known while tracing).
    """
    return EnsureShape(x, shape=shape, name=name)


def timestamp(name: str | None = None) -> Tensor:
    """Seconds since the epoch, as a float64 tensor.

    >>> import graphrt as tf
    >>> tf.timestamp().dtype
    tf.float64
    """
    return Timestamp(name=name)


def tuple_(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """The tensors, each of which waits for all of them (and for `control_inputs`) to be there.

    >>> import graphrt as tf
    >>> [t.numpy().item() for t in tf.tuple([tf.constant(1), tf.constant(2)])]
    [1, 2]

    Raises:
      ValueError: there is no tensor.
    """
    found = [None if t is None else as_tensor(t) for t in tensors]
    if not any(t is not None for t in found):
        raise ValueError(errors.at_user_line("Must have at least one Tensor."))
    if current_graph() is None:
        return found
    with scope(name, "tuple"), control_dependencies([t for t in found if t is not None] + list(control_inputs or ())):
        return [None if t is None else identity(t) for t in found]


GuaranteeConst = define(
    "GuaranteeConst", "input: T -> output: T", infer=lambda c: c.dims(0), kernel=lambda x: x,
    vjp=lambda call, g: [None], traits=(STATEFUL,),
)  # fmt: skip


def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """`input`, promised to be the same at each call.

    >>> import graphrt as tf
    >>> tf.guarantee_const(3).numpy().item()
    3
    """
    return GuaranteeConst(input, name=name)
