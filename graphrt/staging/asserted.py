"""A staged `assert`, whose message belongs to what happens where the test fails.

assert x > 0, f"it is {x}"          one op, whose message cannot fail
assert not found, found[0]          a conditional around it: there may be nothing to say where the test holds
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.backends.state import recording
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.ops.support.never_fails import cannot_fail
from graphrt.staging.if_stmt import if_stmt
from graphrt.staging.truths import condition
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.likes import TensorLike


def assert_stmt(test: TensorLike, message: Callable[[], Any]) -> None:
    """Records `assert test, message()`; what the message changes is undone, as nothing runs where it is asked for."""
    holds, graph = condition(test, "assert statement"), current_graph()
    mark, count = graph.checkpoint(), len(graph.nodes)
    parts = _said(message)
    if all(node.is_constant or cannot_fail(node) for node in graph.nodes[count:]):
        ops.Assert(holds, parts)
        return
    graph.rollback(mark)
    if_stmt(
        ops.LogicalNot(holds), lambda: ops.Assert(convert_to_tensor(False), _said(message)), lambda: None,
        lambda: (), lambda _: None, (), 0,
    )  # fmt: skip


def _said(message: Callable[[], Any]) -> list[Tensor]:
    with recording() as book:
        found = message()
        book.undo()
    parts = list(found) if isinstance(found, (list, tuple)) else [found]
    return [convert_to_tensor(_printable(p)) for p in parts]


def _printable(value: Any) -> Any:
    if isinstance(value, (Tensor, str, bytes, int, float, bool)) or hasattr(value, "__tf_tensor__"):
        return value
    return str(value)
