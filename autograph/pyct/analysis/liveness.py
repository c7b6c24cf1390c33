"""Which symbols may still be read after a point: the variables a loop or a branch has to hand on."""

from __future__ import annotations

from typing import Any

from autograph.pyct.analysis.cfg import ControlFlow, Graph
from autograph.pyct.analysis.facts import Analysis, Facts
from autograph.pyct.nodes import Node


class Liveness(Analysis[list[int]]):
    """For each node of a function's graph the symbols that are live when it is entered."""

    @staticmethod
    def compute(node: Node, facts: Facts) -> list[int]:
        """Goes backwards until nothing changes."""
        return _live(facts.get(ControlFlow, node), fails=True)


class LivenessWithoutErrors(Analysis[list[int]]):
    """The same where nothing fails on its way, as TensorFlow sees it."""

    @staticmethod
    def compute(node: Node, facts: Facts) -> list[int]:
        """Goes backwards until nothing changes."""
        return _live(facts.get(ControlFlow, node), fails=False)


def _live(graph: Graph, fails: bool) -> list[int]:
    count = len(graph.gen)
    reads = _with_closures(graph)
    for header, iterated in graph.repeated.items():  # as TensorFlow has it, which asks for it in each iteration
        reads[header] |= graph.gen[iterated]
    live = [0] * count
    live[graph.exit] = graph.lasting
    order = graph.order
    changed = True
    while changed:
        changed = False
        for number in reversed(order):
            after = 0
            if fails or number not in graph.swallowing:
                for successor in graph.succ[number]:
                    after |= live[successor]
            before = reads[number] | (after & ~(graph.bind[number] | graph.unbind[number]))
            if fails and graph.exc[number] >= 0:
                before |= live[graph.exc[number]]
            if before != live[number]:
                live[number] = before
                changed = True
    return live


def _with_closures(graph: Graph) -> list[int]:
    """Reads of each node; once a function is defined, each later node may call it and so reads what it captured.

    Where nothing is evaluated, only somebody else may do so.
    """
    if not any(graph.captured):
        return list(graph.gen)
    entering = graph.spread(graph.captured)
    # The definition itself does not call; only what comes after it may.
    arriving = [0] * len(entering)
    for number in graph.order:
        for successor in graph.succ[number]:
            arriving[successor] |= entering[number] | graph.captured[number]
    arriving[graph.exit] = 0
    return [
        gen | (more if number in graph.evaluating else more & ~graph.confined)
        for number, (gen, more) in enumerate(zip(graph.gen, arriving))
    ]


class Dead(Analysis[dict[Any, set[str]]]):
    """For each branch or loop the variables it sets that are used neither before nor after it, however it is left.

    Computed before jumps are lowered: afterwards some ways through a function seem possible that are not.
    """

    @staticmethod
    def compute(node: Node, facts: Facts) -> dict[Any, set[str]]:
        """Collects what is live where a statement is entered and wherever it is left."""
        graph = facts.get(ControlFlow, node)
        live = facts.get(Liveness, node)
        seems = 0  # used, once jumps are lowered: by what stands behind a jump
        for number in graph.order[: graph.order.index(1)]:
            seems |= graph.gen[number]
        result: dict[Any, set[str]] = {}
        for statement, block in graph.blocks.items():
            used = live[block.entry] | seems
            for number in range(block.entry, block.end):
                if number == block.after:
                    continue
                for successor in graph.leads_to(number):
                    if not block.entry <= successor < block.end or successor == block.after:
                        used |= live[successor]
            dead = block.modified & ~graph.symbols.composites & ~used
            result[statement] = {symbol.text for symbol in graph.symbols.listed(dead)}
        return result
