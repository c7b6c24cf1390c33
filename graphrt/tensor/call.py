"""What a gradient rule is given: one use of an op, recorded in a graph or run at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from graphrt.ir.graph import Node
    from graphrt.ir.op import OpDef
    from graphrt.tensor.tensor import Tensor


class Call(Protocol):
    """One use of an op.

    Attributes:
      op: the op.
      inputs: the tensors it took, flat.
      attrs: the complete static attributes.
      wanted: for each input, whether its gradient is needed.
    """

    op: OpDef
    inputs: list[Tensor]
    attrs: dict[str, Any]
    wanted: list[bool]

    @property
    def outputs(self) -> list[Tensor]:
        """The tensors it gave, flat."""

    @property
    def node(self) -> Node | None:
        """The node recorded for this call; None when it ran at once."""
