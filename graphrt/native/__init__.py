"""Machine code for traced functions, through Numba: what `tf.function(jit_compile=True)` runs.

The optimised graph is cut into regions (`cut`); each region becomes a Python function of loops over numbers (`lower`,
`rules`, `text`), which Numba compiles (`building`, `with_numba`) or the disk holds already (`disk`). What cannot be
compiled stays in the NumPy program around the regions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from graphrt.executor.program import Program, compile_graph
from graphrt.ir.copy import copy_graph
from graphrt.ir.graph import Graph
from graphrt.ir.op import CALL
from graphrt.native.building import require_numba
from graphrt.native.cut import NATIVE, Cut, cut
from graphrt.native.region import Region
from graphrt.native.stacked_functions import compute_whole_stacks
from graphrt.native.variables import carry_variables
from graphrt.passes import PIPELINE, Pass
from graphrt.passes.list_stacks import stack_directly
from graphrt.passes.list_writes import write_rows_directly

_OF_NUMPY: tuple[Pass, ...] = (stack_directly, write_rows_directly)  # lists of native code are arrays anyway


class Traced(Protocol):
    """What is asked of a concrete function.

    Attributes:
      graph: its graph.
      native: its native program, once there is one.
    """

    graph: Any
    native: Any


class NativeProgram:
    """A graph as native regions within a NumPy program.

    Attributes:
      program: the program, which calls the regions.
      regions: in the order in which they stand in the program.
      cut: which nodes were compiled, and which not.
      calls_others: whether functions are called that were not inlined; they are compiled when they are first called.
    """

    def __init__(self, graph: Graph, plain: bool = False) -> None:
        self.regions: list[Region] = []
        self.cut = Cut()
        self.calls_others = False
        self._whole: Callable[..., tuple[Any, ...]] | None = None

        def make(body: Graph) -> Callable[..., Any]:
            region = Region(body, plain)
            self.regions.append(region)
            return region.run

        def prepare(called: Graph) -> Graph:
            ready = copy_graph(called, merge_numbers=True)
            for pass_ in PIPELINE:
                if pass_ not in _OF_NUMPY:
                    pass_(ready)
            carry_variables(ready)
            compute_whole_stacks(ready)
            parts = (ready, *ready.functions().values())
            self.calls_others |= any(n.op.structure == CALL for part in parts for n in part.nodes)
            cut(ready, make, self.cut)
            for pass_ in _OF_NUMPY:
                pass_(ready)  # on what stays in NumPy
            if called is graph:
                self._whole = _only_region(ready)
            return ready

        self.program: Program = compile_graph(graph, prepare=prepare)

    @property
    def function(self) -> Callable[..., tuple[Any, ...]]:
        """What runs: the one region by itself, where the program around it would only hand on what it takes and gives."""
        return self._whole or self.program.function

    @property
    def source(self) -> str:
        """The programs of all regions, and the NumPy program around them."""
        parts = [f"# region {i}\n{r.source.text}" for i, r in enumerate(self.regions)]
        return "\n".join([*parts, f"# around them\n{self.program.source}"])


def _only_region(graph: Graph) -> Callable[..., tuple[Any, ...]] | None:
    """What runs the region that takes all inputs of `graph` and gives all outputs; None if there is none."""
    nodes = [n for n in graph.nodes if not n.is_constant and not n.is_parameter]
    if len(nodes) != 1 or nodes[0].op is not NATIVE:
        return None
    if list(nodes[0].inputs) != list(graph.inputs) or list(nodes[0].outputs) != list(graph.outputs):
        return None
    run: Callable[..., tuple[Any, ...]] = nodes[0].attrs["run"]
    return run


def program_for(concrete: Traced) -> NativeProgram:
    """The native program of a trace, made once; nothing is compiled before it runs."""
    if concrete.native is None:
        concrete.native = NativeProgram(concrete.graph)
    found: NativeProgram = concrete.native
    return found


def compile(concrete: Traced) -> Callable[..., tuple[Any, ...]]:
    """What runs a trace: a backend of `graphrt.function.compiled`.

    Raises:
      MissingExtraError: Numba is not installed.
    """
    require_numba()
    return program_for(concrete).function


__all__ = ["NativeProgram", "compile", "program_for"]
