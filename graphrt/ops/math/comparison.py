"""Comparisons of two tensors, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.code import Code
from graphrt.ir.graph import InferContext, Node
from graphrt.ir.op import COMMUTATIVE, ELEMENTWISE, OpDef, define, infix, provide
from graphrt.ops.support.shape_rules import broadcast_two, runs_now, scalar_or_none
from graphrt.tensor.changes import SWITCH
from graphrt.tensor.promotion import as_numpy_promotes
from graphrt.tensor.tensor import EagerTensor, Tensor, TensorLike, raw_of
from graphrt.types.dtype import NUMERIC, REAL, plain
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, broadcast

__all__ = [
    "approximate_equal", "equal", "greater", "greater_equal", "less", "less_equal", "not_equal",
]  # fmt: skip


def _order(type_: str, kernel: np.ufunc, symbol: str) -> OpDef:
    return define(
        type_, "x: T, y: T -> z: bool", allowed={"T": REAL}, infer=broadcast_two, kernel=kernel,
        vjp=lambda c, g: [None, None], emit=infix(symbol), traits=(ELEMENTWISE,),
    )  # fmt: skip


Less = _order("Less", np.less, "<")
LessEqual = _order("LessEqual", np.less_equal, "<=")
Greater = _order("Greater", np.greater, ">")
GreaterEqual = _order("GreaterEqual", np.greater_equal, ">=")


# --- equality --------------------------------------------------------------------------------------------------------
def _equality_dims(c: InferContext) -> Dims:
    a, b = c.dims(0), c.dims(1)
    if c.attrs["incompatible_shape_error"]:
        return broadcast(a, b)
    try:
        known = broadcast(a, b)
    except errors.ShapeError:
        return ()
    return known


def _certain(a: Any, b: Any) -> bool:
    short = min(len(a), len(b))
    return all(m == 1 or n == 1 or (m == n and m is not None) for m, n in zip(a[len(a) - short :], b[len(b) - short :]))


def _equality(function: np.ufunc, when_incompatible: bool) -> Callable[..., Any]:
    def kernel(x: Array, y: Array, *, incompatible_shape_error: bool) -> Any:
        if not incompatible_shape_error and np.shape(x) != np.shape(y):
            try:
                np.broadcast_shapes(np.shape(x), np.shape(y))
            except ValueError:
                return np.bool_(when_incompatible)
        if not isinstance(x, (np.ndarray, np.generic)):
            raise errors.UnimplementedError(None, None, "Resources and variants cannot be compared")
        found = function(plain(x), plain(y))
        return found if found.__class__ is not bool and found.dtype == np.bool_ else np.asarray(found, np.bool_)[()]

    return kernel


def _emit_equality(symbol: str) -> Callable[..., Any]:
    straight = infix(symbol)

    def emit(emitter: object, node: Node, inputs: list[Code]) -> list[Code] | None:
        a, b = (v.dims for v in node.inputs)
        if node.attrs["incompatible_shape_error"] or (a is not None and b is not None and _certain(a, b)):
            return straight(emitter, node, inputs)
        return None

    return emit


Equal = define(
    "Equal", "x: T, y: T -> z: bool", attrs="incompatible_shape_error: bool = True",
    infer=_equality_dims, kernel=_equality(np.equal, False), vjp=lambda c, g: [None, None],
    emit=_emit_equality("=="), traits=(ELEMENTWISE, COMMUTATIVE),
)  # fmt: skip
NotEqual = define(
    "NotEqual", "x: T, y: T -> z: bool", attrs="incompatible_shape_error: bool = True",
    infer=_equality_dims, kernel=_equality(np.not_equal, True), vjp=lambda c, g: [None, None],
    emit=_emit_equality("!="), traits=(ELEMENTWISE, COMMUTATIVE),
)  # fmt: skip


def _approximately(x: Array, y: Array, *, tolerance: float) -> Array:
    if np.shape(x) != np.shape(y):
        raise errors.InvalidArgumentError(
            None, None, f"x and y must be of the same shape. x shape: {list(np.shape(x))}. y shape: {list(np.shape(y))}"
        )
    distance = np.where(x > y, x - y, y - x) if x.dtype.kind in "iu" else np.absolute(x - y)
    return np.less(distance, np.float32(tolerance) if x.dtype == np.float32 else tolerance)[()]


ApproximateEqual = define(
    "ApproximateEqual", "x: T, y: T -> z: bool", attrs="tolerance: float = 1e-05", allowed={"T": NUMERIC},
    infer=broadcast_two, kernel=_approximately, vjp=lambda c, g: [None, None], traits=(ELEMENTWISE, COMMUTATIVE),
)  # fmt: skip


# --- what Python's == and != call ------------------------------------------------------------------------------------
def _against(x: Any, other: Any, op: Any, against_none: bool) -> Tensor | bool:
    if other is None:
        return against_none  # a plain answer, known before a graph runs
    if SWITCH.promoting:
        x, other = as_numpy_promotes(x, other)
    if type(x) is EagerTensor and x.dtype.kind in "biufc" and runs_now():
        value = None
        if type(other) is EagerTensor:
            value = raw_of(other) if other.dtype is x.dtype else None
        elif type(other) in (int, float):
            value = scalar_or_none(other, x.dtype)
        if value is not None:
            return EagerTensor(op.kernel(raw_of(x), value, incompatible_shape_error=False))
    return op(x, other, incompatible_shape_error=False)


@provide
def tensor_equals(x: TensorLike, other: object) -> Any:
    """What `x == other` gives: a boolean tensor; False for None, or for shapes that do not broadcast."""
    return _against(x, other, Equal, False)


@provide
def tensor_not_equals(x: TensorLike, other: object) -> Any:
    """What `x != other` gives: a boolean tensor; True for None, or for shapes that do not broadcast."""
    return _against(x, other, NotEqual, True)


# --- public functions ------------------------------------------------------------------------------------------------
@provide
def less(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Where `x < y`.

    >>> import graphrt as tf
    >>> tf.less([1, 5], 3).numpy().tolist()
    [True, False]
    """
    return Less(x, y, name=name)


@provide
def less_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Where `x <= y`.

    >>> import graphrt as tf
    >>> tf.less_equal([3, 5], 3).numpy().tolist()
    [True, False]
    """
    return LessEqual(x, y, name=name)


@provide
def greater(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Where `x > y`.

    >>> import graphrt as tf
    >>> tf.greater([1, 5], 3).numpy().tolist()
    [False, True]
    """
    return Greater(x, y, name=name)


@provide
def greater_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Where `x >= y`.

    >>> import graphrt as tf
    >>> tf.greater_equal([3, 1], 3).numpy().tolist()
    [True, False]
    """
    return GreaterEqual(x, y, name=name)


@provide
def equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Where `x` equals `y`.

    >>> import graphrt as tf
    >>> tf.equal(["a", "b"], "b").numpy().tolist()
    [False, True]

    Raises:
      InvalidArgumentError: the shapes do not broadcast.
    """
    return Equal(x, y, name=name)


@provide
def not_equal(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Where `x` differs from `y`.

    >>> import graphrt as tf
    >>> tf.not_equal([1, 2], 2).numpy().tolist()
    [True, False]

    Raises:
      InvalidArgumentError: the shapes do not broadcast.
    """
    return NotEqual(x, y, name=name)


@provide
def approximate_equal(x: TensorLike, y: TensorLike, tolerance: float = 1e-05, name: str | None = None) -> Tensor:
    """Where `x` and `y`, of one shape, differ by less than `tolerance`.

    >>> import graphrt as tf
    >>> from graphrt.ops.math.comparison import approximate_equal
    >>> approximate_equal([1.0, 2.0], [1.0000001, 2.1]).numpy().tolist()
    [True, False]
    """
    return ApproximateEqual(x, y, tolerance=tolerance, name=name)
