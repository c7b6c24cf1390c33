"""The table of what ops do with ragged tensors, filled by `rule`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import OpDef  # late: what it calls stands in rooms above
from graphrt.ops.ragged.tensor import (
    ELEMENTS,
    RaggedTensor,
    positive_axis,
)
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, static_array

if TYPE_CHECKING:
    pass


Rule = Callable[[tuple[Any, ...], dict[str, Any], Callable[..., Any]], Any]


def rule(*ops: OpDef | str) -> Callable[[Rule], Rule]:
    """Enters a rule for these ops, and for all ops with these traits."""

    def enter(function: Rule) -> Rule:
        ELEMENTS.update(dict.fromkeys(ops, function))
        return function

    return enter


def known_axis(axis: int, x: RaggedTensor | Tensor, extra: int = 0) -> int:
    found = static_array(as_tensor(axis))
    if found is None:
        raise ValueError(errors.at_user_line("the axis must be known when ragged tensors are given"))
    rank = None if x.ndim is None else x.ndim + extra
    return positive_axis(int(np.ravel(found)[0]), rank)


def known_axes(axis: Any, x: RaggedTensor) -> list[int]:
    known = static_array(as_tensor(axis))
    if known is None:
        raise ValueError(errors.at_user_line("the axis must be known when ragged tensors are given"))
    return sorted({positive_axis(int(a), x.ndim) for a in np.ravel(known).tolist()})
