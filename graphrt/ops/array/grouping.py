"""Tensors that wait for each other, are stacked in parallel, or are said to be constant."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import STATEFUL, define, ops
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import current_graph, scope
from graphrt.tensor.scopes import control_dependencies, current_scope
from graphrt.tensor.tensor import TensorLike

__all__ = ["get_current_name_scope", "guarantee_const", "parallel_stack", "tuple_"]


def get_current_name_scope() -> str:
    """The name scope in force, "" outside of all.

    >>> import graphrt as tf
    >>> with tf.name_scope("a"), tf.name_scope("b"):
    ...     print(tf.get_current_name_scope())
    a/b
    """
    return (current_scope() or "").rstrip("/")


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
        return [None if t is None else ops.identity(t) for t in found]


ParallelConcat = define(
    "ParallelConcat", "values: N * T -> output: T", attrs="N: int >= 1; T: type; shape: shape",
    infer=lambda c: tuple(c.attrs["shape"]) if c.attrs["shape"] is not None else None,
    kernel=lambda values: np.concatenate(values, 0),
    vjp=lambda call, g: ops.split(g, len(call.inputs), 0),
)  # fmt: skip


def parallel_stack(values: Any, name: str = "parallel_stack") -> Any:
    """Tensors of one static shape, stacked.

    >>> import graphrt as tf
    >>> tf.parallel_stack([[1, 2], [3, 4]]).numpy().tolist()
    [[1, 2], [3, 4]]

    Raises:
      ValueError: a shape is not known.
    """
    with scope(name, "parallel_stack"):
        found = [as_tensor(v) for v in values]
        dims = found[0].dims
        if dims is None or None in dims:
            raise ValueError(errors.at_user_line("parallel_stack needs tensors of a static shape"))
        return ParallelConcat([ops.ExpandDims(v, 0) for v in found], shape=[len(found), *dims])


GuaranteeConst = define(
    "GuaranteeConst", "input: T -> output: T", infer=lambda c: c.dims(0), kernel=lambda x: x,
    vjp=lambda call, g: [None], traits=(STATEFUL,),
)  # fmt: skip


def guarantee_const(input: TensorLike, name: str | None = None) -> Any:
    """`input`, promised to be the same at each call.

    >>> import graphrt as tf
    >>> tf.guarantee_const(3).numpy().item()
    3
    """
    return GuaranteeConst(input, name=name)
