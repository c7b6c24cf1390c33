"""Where iterators are gone through: Python's give each element once.

pairs = zip(a, b)
for x, y in pairs:        takes all of them
    ...
return len(list(pairs))   refused: in Python there are none left, or, after a `break`, as many as nobody here knows
"""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.tensor.context import current_graph
from graphrt.tensor.func_graph import FuncGraph, encloses


class Uses:
    """Those of one iterator, such as `zip(a, b)`, of the graph that is being traced when it is made.

    Where a graph is traced again, or thrown away, what was done in it has not been done.
    """

    __slots__ = ("_home", "_takings", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._home = current_graph()
        self._takings: list[tuple[FuncGraph, tuple[str, int] | None]] = []

    def take(self) -> None:
        """Called by what goes through it.

        Raises:
          OperatorNotAllowedInGraphError: it is not the first to do so, or does so in each iteration of a loop.
        """
        graph = self.check()
        part = graph
        while part is not None and part is not self._home:
            if part.is_repeated:
                raise self._refused("is made outside of the loop, and Python's iterators give each element once")
            part = part.outer
        found = graph, errors.user_location()
        self._takings.append(found)
        graph.when_undone(lambda: self._takings.remove(found))

    def check(self) -> Any:
        """The graph that is being traced.

        Raises:
          OperatorNotAllowedInGraphError: something has gone through it.
        """
        graph = current_graph()
        for taken, place in self._takings:
            if taken is graph or encloses(graph, taken) or _is_part_of(taken, graph):
                where = "before" if place is None else "at {}:{}".format(*place)
                raise self._refused(f"was gone through {where}, and Python's iterators give each element once")
        return graph

    def _refused(self, why: str) -> errors.OperatorNotAllowedInGraphError:
        words = f"this `{self.text}` {why}: which are left is not known in a graph. Go through `list({self.text})`"
        return errors.OperatorNotAllowedInGraphError(errors.at_user_line(words))


def _is_part_of(part: Any, graph: FuncGraph) -> bool:
    """Whether `part` is, however deep, a branch or body of a node that `graph` has."""
    while part is not None and part is not graph:
        node, part = part.parent_node, part.outer
        if node is None or not any(n is node for n in reversed(part.nodes)):
            return False
    return part is graph
