"""Which symbols may, and which must, have a value when a point is reached."""

from __future__ import annotations

from autograph.pyct.analysis.cfg import ControlFlow, Graph
from autograph.pyct.analysis.facts import Analysis, Facts
from autograph.pyct.nodes import Node


class MayBeSet(Analysis[list[int]]):
    """For each node the symbols that some way to it from the beginning of the function sets."""

    @staticmethod
    def compute(node: Node, facts: Facts) -> list[int]:
        """Goes forward until nothing changes."""
        graph = facts.get(ControlFlow, node)
        reached = reached_nodes(graph, swallowed=True)
        return graph.spread([bits if number in reached else 0 for number, bits in enumerate(graph.bind)], graph.unbind)


def must_be_set(graph: Graph, extra: dict[int, int], cleared: dict[int, int]) -> list[int]:
    """For each node the symbols that every way to it sets.

    `extra` are symbols that a node sets besides its own (by the lines that generated code has there), `cleared` those
    that are new variables from a node on, because it starts a function of its own. Where no way leads, all is set.
    That a context manager may swallow an exception is left out of account: few do, and what follows them seldom reads
    what they cut short.
    """
    entering = [(1 << len(graph.symbols.names)) - 1] * len(graph.gen)
    entry = 1
    entering[entry] = 0
    changed = True
    while changed:
        changed = False
        for number in graph.order:
            before = (entering[number] | extra.get(number, 0)) & ~cleared.get(number, 0)
            found = (before | graph.bind[number] & ~graph.perhaps.get(number, 0)) & ~graph.unbind[number]
            for successor in () if number in graph.swallowing else graph.succ[number]:
                if entering[successor] & ~found:
                    entering[successor] &= found
                    changed = True
            target = graph.exc[number]
            if target > 0 and entering[target] & ~(before & ~graph.unbind[number]):
                entering[target] &= before & ~graph.unbind[number]
                changed = True
    return entering


def reached_nodes(graph: Graph, swallowed: bool = False) -> set[int]:
    """The nodes that some way leads to; that a context manager may swallow an exception is one only if `swallowed`."""
    reached = {1}
    stack = [1]
    while stack:
        new = set(graph.leads_to(stack.pop(), swallowed)) - reached
        reached |= new
        stack += new
    return reached


class ReadUnset(Analysis[set[str]]):
    """The variables of a function that some statement may read before they are set."""

    @staticmethod
    def compute(node: Node, facts: Facts) -> set[str]:
        """Compares each node's reads with what is surely set there."""
        graph = facts.get(ControlFlow, node)
        must = must_be_set(graph, {}, {})
        reached, all_reached = reached_nodes(graph), reached_nodes(graph, swallowed=True)
        found = 0
        for number in all_reached:
            found |= graph.exposed[number] & graph.locals & ~(must[number] if number in reached else 0)
        return {symbol.text for symbol in graph.symbols.listed(found)}
