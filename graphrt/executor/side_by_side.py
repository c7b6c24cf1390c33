"""Python functions without effects that do not wait for each other run at the same time.

    a = numpy_function(f, x)                   first, second = run((f, x), (g, y))
    b = numpy_function(g, y)        ->         a = taken(first)
                                               b = taken(second)

They may wait for something, or work while NumPy or the system does; everything else that takes long is on several
threads already. What has effects keeps its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from graphrt.ir.graph import Node, Value
from graphrt.ir.op import CALLS_PYTHON
from graphrt.ops.support import threads


@dataclass(slots=True)
class Together:
    """Nodes that may run at the same time."""

    nodes: list[Node]


def _may_wait(node: Node) -> bool:
    return node.op.has(CALLS_PYTHON) and not node.stateful and not node.controls


def gathered(nodes: list[Node]) -> list[Node]:
    """The nodes in an order in which those that may run at the same time follow each other."""
    waiting = [n for n in nodes if _may_wait(n)]
    if len(waiting) < 2:
        return nodes
    place = {node: at for at, node in enumerate(nodes)}
    moved: set[Node] = set()
    ahead: dict[Node, list[Node]] = {}  # what has to come before a node, for the sake of those that come with it
    beside: dict[Node, list[Node]] = {}
    for leader in waiting:
        if leader in moved:
            continue
        for node in waiting:
            if place[node] > place[leader] and node not in moved:
                needed = _needed(node, place[leader], place)
                if needed is not None:
                    ahead.setdefault(leader, []).extend(n for n in needed if n not in moved)
                    beside.setdefault(leader, []).append(node)
                    moved.update(needed, [node])
    found: list[Node] = []
    for node in nodes:
        if node not in moved:
            found += [*sorted(ahead.get(node, ()), key=place.__getitem__), node, *beside.get(node, ())]
    return found


def _needed(node: Node, before: int, place: dict[Node, int]) -> list[Node] | None:
    """What has to run before the place if `node` is to run there; None if something of it cannot, or is what is there."""
    stack, seen = [node], {node}
    while stack:
        for value in stack.pop().inputs:
            needed = value.node
            at = place.get(needed, -1)
            if at < before or needed in seen:
                continue
            if at == before or needed.stateful or needed.controls or _may_wait(needed):
                return None
            seen.add(needed)
            stack.append(needed)
    return [n for n in seen if n is not node]


def paired(
    items: Iterable[tuple[Any, Sequence[Value]]],
) -> Iterator[tuple[Any, Sequence[Value]]]:
    """Nodes, and what dies at them, where those that may run at the same time are one."""
    group: list[Node] = []
    ends: list[Value] = []
    for item, dying in items:
        if isinstance(item, Node) and _may_wait(item):
            if any(v.node in group for v in item.inputs):
                yield Together(group), ends
                group, ends = [], []
            group.append(item)
            ends = [*ends, *dying]
            continue
        if group:
            yield (Together(group) if len(group) > 1 else group[0]), ends
            group, ends = [], []
        yield item, dying
    if group:
        yield (Together(group) if len(group) > 1 else group[0]), ends


# --- when they run ----------------------------------------------------------------------------------------------------
class Failed:
    """An error, to be raised where the result of its node is taken."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error


def _tried(call: Callable[..., Any], inputs: list[Any]) -> Any:
    try:
        return call(*inputs)
    except Exception as error:
        return Failed(error)


def run(*calls: tuple[Callable[..., Any], list[Any]]) -> list[Any]:
    """What each of the calls gives, or `Failed`."""
    if threads.INTER.number() < 2 or threads.is_worker():
        found: list[Any] = []
        for call, inputs in calls:
            found.append(_tried(call, inputs))
        return found
    return threads.side_by_side(_tried, calls)


def taken(result: Any) -> Any:
    """The result of a call.

    Raises:
      Exception: the call has failed.
    """
    if isinstance(result, Failed):
        raise result.error
    return result
