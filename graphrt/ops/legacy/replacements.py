"""How an earlier op is told in terms of the one that replaced it."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from graphrt.ir.op import OpDef
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike

__all__: list[str] = []

NO_GRADIENTS = lambda call, *g: [None] * len(call.inputs)  # nothing flows through


def forwarded(
    op: OpDef, adapt: Callable[[list[Any], Any], tuple[list[Any], dict[str, Any]]],
    keep: Callable[..., Any] | None = None
) -> Callable[..., Any]:  # fmt: skip
    """The gradient of `op`, whose inputs and attributes `adapt` makes of ours; `keep` picks our gradients."""

    def vjp(call: Any, *g: object) -> list[Any]:
        inputs, attrs = adapt(list(call.inputs), call.attrs)
        newer = SimpleNamespace(inputs=inputs, outputs=call.outputs, attrs=attrs)
        rule = op.vjp
        assert rule is not None
        found: list[Any] = rule(newer, *g)
        return found if keep is None else keep(found)

    return vjp


def i32(value: TensorLike) -> Tensor:
    return as_tensor(np.array(value, np.int32))
