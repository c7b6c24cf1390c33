"""Systems solved step by step, with nothing but products."""

from __future__ import annotations

import collections
from typing import Any

from graphrt import errors
from graphrt.control_flow.while_loop import while_loop
from graphrt.linear_operators.base import LinearOperator
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.shape import expand_dims
from graphrt.ops.linalg.norms import norm
from graphrt.ops.math.casting import cast
from graphrt.ops.math.elementwise import conj
from graphrt.ops.math.logical import logical_and
from graphrt.ops.math.reduction import reduce_any, reduce_sum
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike

__all__ = ["conjugate_gradient"]

_State = collections.namedtuple("_State", ["i", "x", "r", "p", "gamma"])
_State.__name__ = _State.__qualname__ = "CGState"


def _dot(a: Tensor, b: Tensor) -> Tensor:
    return reduce_sum(conj(a) * b, -1)


def conjugate_gradient(
    operator: LinearOperator, rhs: TensorLike, preconditioner: LinearOperator | None = None,
    x: TensorLike | None = None, tol: float = 1e-5, max_iter: int = 20, name: str = "conjugate_gradient"
) -> Any:  # fmt: skip
    """The solution of a self-adjoint, positive definite system, approached in steps.

    The result has the fields `i` (steps done), `x` (the solution), `r` (what is left), `p` and `gamma`.

    >>> import graphrt as tf
    >>> a = tf.linalg.LinearOperatorFullMatrix([[2., 0.], [0., 4.]], is_self_adjoint=True, is_positive_definite=True)
    >>> tf.linalg.experimental.conjugate_gradient(a, [2., 4.]).x.numpy().round(3).tolist()
    [1.0, 1.0]

    Raises:
      ValueError: the operator (or the preconditioner) is not known to be self-adjoint and positive definite.
    """
    errors.expect(operator, LinearOperator, "operator", "a tf.linalg.LinearOperator")
    for one in (operator, preconditioner):
        errors.expect(one, (LinearOperator, type(None)), "preconditioner", "a tf.linalg.LinearOperator, or None")
        if one is not None and not (one.is_self_adjoint and one.is_positive_definite):
            raise ValueError(errors.at_user_line(f"{one.name} is expected to be self-adjoint and positive definite."))
    right = as_tensor(rhs, operator.dtype)
    start = zeros_like(right) if x is None else as_tensor(x, operator.dtype)
    residual = right if x is None else right - operator.matvec(start)
    limit = cast(tol, right.dtype) * norm(right, axis=-1)

    def towards(r: Tensor) -> Tensor:
        return r if preconditioner is None else preconditioner.matvec(r)

    def unfinished(state: Any) -> Tensor:
        left = norm(state.r, axis=-1)
        above = cast(left, "float64") > cast(limit, "float64")
        return logical_and(state.i < max_iter, reduce_any(above))

    def step(state: Any) -> tuple[Any]:
        z = operator.matvec(state.p)
        alpha = expand_dims(state.gamma / _dot(state.p, z), -1)
        moved, r = state.x + alpha * state.p, state.r - alpha * z
        q = towards(r)
        gamma = _dot(r, q)
        beta = expand_dims(gamma / state.gamma, -1)
        return (_State(state.i + 1, moved, r, q + beta * state.p, gamma),)

    first = towards(residual)
    begin = _State(as_tensor(0), start, residual, first, _dot(residual, first))
    return while_loop(unfinished, step, (begin,))[0]
