"""What a node gives to the functions that it calls has their types, and so has what it says they give.

Arrays go from caller to callee as they are. So a call whose attributes say another dtype than the function has, as graphs
from files and raw ops may, would make tensors whose arrays are of a type that is not theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.ir.op import BRANCH, CALL, LOOP

if TYPE_CHECKING:
    from graphrt.ir.graph import Graph, Value
    from graphrt.ir.op import OpDef
    from graphrt.types.dtype import DType

_FIRST = {CALL: 0, BRANCH: 1, LOOP: 0}  # the first input that functions get


def check_functions(op: OpDef, inputs: Sequence[DType], attrs: Mapping[str, Any]) -> None:
    """Compares the functions among `attrs` with the inputs of a call, branch or loop, and the outputs it declares.

    Raises:
      DTypeMismatchError: a function takes or gives other dtypes.
    """
    given = list(inputs[_FIRST[str(op.structure)] :])
    declared = given if op.structure == LOOP else attrs["Tout"]
    for name, value in attrs.items():
        for graph in value if isinstance(value, list) else (value,):
            if not getattr(graph, "finished", False):
                continue  # no function, or one that is traced now and calls itself
            _compare(op, f"`{name}` takes", graph.inputs, given)
            if name != "cond":
                _compare(op, f"`{name}` gives", graph.outputs, declared)


def _compare(op: OpDef, what: str, values: list[Value], wanted: Sequence[DType]) -> None:
    if len(values) == len(wanted) and all(v.dtype is t for v, t in zip(values, wanted)):
        return
    found = ", ".join(v.dtype.name for v in values) or "nothing"
    expected = ", ".join(t.name for t in wanted) or "nothing"
    raise errors.DTypeMismatchError(
        errors.at_user_line(f"{op.type}: {what} {found}, where the call has {expected} [Op:{op.type}]")
    )


def has_one_truth(graph: Graph) -> bool:
    """Whether a predicate is known to give one boolean scalar."""
    outputs = graph.outputs
    return len(outputs) == 1 and outputs[0].dtype.kind == "b" and outputs[0].dims == ()
