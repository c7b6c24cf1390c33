"""Rewrites of graphs before they are compiled. Each pass is a function `Graph -> bool`: did it change anything?

A pass takes a valid graph and leaves a valid graph that computes the same, to the last bit, with the same effects in
the same order. It rewrites the graph and the graphs that this runs in place (branches and loop bodies); called graphs
are programs of their own.
"""

from __future__ import annotations

from collections.abc import Callable

from graphrt.ir import verify
from graphrt.ir.copy import copy_graph
from graphrt.ir.graph import Graph
from graphrt.passes.algebra import simplify_algebra
from graphrt.passes.common_subexpressions import merge_common_subexpressions
from graphrt.passes.constant_folding import fold_constants
from graphrt.passes.dead_nodes import drop_dead_nodes
from graphrt.passes.hoist_invariants import hoist_invariants
from graphrt.passes.identities import remove_identities
from graphrt.passes.index_directly import index_directly
from graphrt.passes.inline_calls import inline_calls
from graphrt.passes.list_reads import read_rows_directly
from graphrt.passes.list_stacks import stack_directly
from graphrt.passes.list_writes import write_rows_directly
from graphrt.passes.pool_first import pool_first
from graphrt.passes.variable_reads import read_variables_once
from graphrt.types.nesting import shown

Pass = Callable[[Graph], bool]

PIPELINE: tuple[Pass, ...] = (
    inline_calls,  # first: the others then see through calls
    remove_identities,  # before all that looks at producers
    drop_dead_nodes,  # before work is spent on dead nodes
    fold_constants,  # takes known branches, so algebra and merging see straight code
    simplify_algebra,
    index_directly,  # when constants are known; leaves index vectors without users
    read_rows_directly,
    stack_directly,
    write_rows_directly,  # all three before hoisting and merging, which see tensors instead of lists then
    read_variables_once,  # before hoisting and merging, for which reads are all different
    hoist_invariants,  # before merging: what several loops, or condition and body, bring out is often the same
    merge_common_subexpressions,
    pool_first,  # when merging has left each activation one node
    drop_dead_nodes,  # last: what the others left unused
)


def run_passes(graph: Graph, until: str | None = None) -> Graph:
    """A copy of `graph` after all passes, or after the first one named `until`.

    Raises:
      ValueError: no pass is named `until`.
    """
    names = [p.__name__ for p in PIPELINE]
    if until is not None and until not in names:
        raise ValueError(f"there is no pass {shown(until)}; the passes are {', '.join(dict.fromkeys(names))}")
    copy = copy_graph(graph, merge_numbers=True)
    for name, pass_ in zip(names, PIPELINE):
        pass_(copy)
        if verify.ENABLED:
            verify.verify(copy)
        if name == until:
            break
    return copy


__all__ = ["PIPELINE", "Pass", "run_passes"]
