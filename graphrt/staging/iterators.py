"""Where iterators are gone through: Python's give each element once.

pairs = zip(a, b)
for x, y in pairs:        takes all of them
    ...
return len(list(pairs))   refused: in Python there are none left, or, after a `break`, as many as nobody here knows
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from autograph.backends.state import lasting, seen
from graphrt import errors
from graphrt.staging.lists import StagedList
from graphrt.tensor.context import current_graph
from graphrt.tensor.func_graph import FuncGraph, encloses


class SeenLists:
    """Lists that something was computed of, by `text`, before Python would look at what is in them.

    Attributes:
      of: the lists, as the program has them.
    """

    __slots__ = ("_handles", "_place", "of", "text")

    def __init__(self, text: str, sources: Iterable[Any] = ()) -> None:
        found = [(rows, handles) for rows in map(lasting, sources) if (handles := _handles(rows)) is not None]
        self.text = text
        self.of = [rows for rows, _ in found]
        self._handles = [handles for _, handles in found]
        self._place = errors.user_location()

    def check(self) -> None:
        """Called where Python would look.

        Raises:
          OperatorNotAllowedInGraphError: one of the lists has changed since, or changes in the loop that this is about.
        """
        for rows, before in zip(self.of, self._handles):
            now = _handles(rows) or ()
            if len(now) != len(before) or not all(a is b for a, b in zip(now, before)):
                at = "" if self._place is None else f", made at {errors.shown_place(*self._place)},"
                text = (
                    f"a list changes while this `{self.text}`{at} goes through it, and what was computed of the list ahead "
                    f"of that does not: loop over the list itself, or over `list({self.text})`"
                )
                raise errors.OperatorNotAllowedInGraphError(errors.at_user_line(text))


def _handles(rows: Any) -> tuple[Any, ...] | None:
    """What says whether a list has changed: its elements, if Python has them."""
    found = seen(rows)
    if isinstance(found, list):
        return tuple(found)
    return found.handles if isinstance(found, StagedList) and not found.once else None


class Uses:
    """Those of one iterator, such as `zip(a, b)`, of the graph that is being traced when it is made.

    Where a graph is traced again, or thrown away, what was done in it has not been done.
    """

    __slots__ = ("_home", "_takings", "lists", "text")

    def __init__(self, text: str, sources: Iterable[Any] = ()) -> None:
        self.text = text
        self.lists = SeenLists(text, sources)
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
        self.lists.check()
        for taken, place in self._takings:
            if taken is graph or encloses(graph, taken) or _is_part_of(taken, graph):
                where = "before" if place is None else f"at {errors.shown_place(*place)}"
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
