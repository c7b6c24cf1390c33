"""Graphs become Python functions: plan what runs, write it as text, compile and call it."""

from graphrt.executor.emit import Emitter
from graphrt.executor.program import Program, compile_graph, program_of

__all__ = ["Emitter", "Program", "compile_graph", "program_of"]
