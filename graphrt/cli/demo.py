"""The main job on one screen: Python is converted, traced into a graph, and run. `python -m graphrt demo`."""

from __future__ import annotations

import argparse
import inspect
import time
from collections.abc import Callable
from typing import Any

import autograph
import graphrt as tf
from graphrt.cli.console import say


def collatz(n: Any) -> Any:
    """How many steps `n` takes to reach 1."""
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def _heading(write: Callable[[str], Any], number: int, title: str, remark: str) -> None:
    write(f"\n{number}. {title}\n   {remark}\n\n")


def _indented(text: str) -> str:
    return "".join(f"    {line}\n" if line else "\n" for line in text.rstrip().split("\n"))


def add_parser(commands: Any) -> None:
    """Adds the command to the parser of the command line."""
    demo = commands.add_parser("demo", help="show on one screen what becomes of a Python function")
    demo.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Writes the demonstration to standard output."""
    show()
    return 0


def show(write: Callable[[str], Any] = say) -> None:
    """Writes the demonstration, step by step, through `write`."""
    write("From plain Python to a dataflow graph to numbers, in five steps.\n")
    _heading(write, 1, "A Python function", "Nothing about it is special; on an int it runs as Python does.")
    write(_indented(inspect.getsource(collatz)))
    write(f"\n    collatz(27) = {collatz(27)}\n")

    _heading(
        write,
        2,
        "Converted: autograph.to_code(collatz)",
        "`while` and `if` became calls, with the variables that they change as explicit state. On an int these\n"
        "   calls do what Python does; on a tensor they build a graph.",
    )
    write(_indented(autograph.to_code(collatz)))

    function = tf.function(collatz)
    start = time.perf_counter()
    concrete = function.get_concrete_function(tf.TensorSpec([], tf.int64))
    elapsed = time.perf_counter() - start
    _heading(
        write,
        3,
        "Traced: graphrt.function(collatz)",
        f"The converted function ran once, on a symbolic int64 tensor, and recorded this graph ({elapsed * 1000:.0f} ms).\n"
        "   The loop is one node; its condition and its body are graphs of their own.",
    )
    for line in graph_lines(concrete.graph):
        write(f"    {line}\n")

    _heading(
        write,
        4,
        "Compiled: concrete.source",
        "After optimisation the graph is written as one Python function of NumPy operations. What nobody needs (the\n"
        "   loop counter, the copies) is gone.",
    )
    write(_indented(concrete.source))

    _heading(write, 5, "Run", "The graph gives the same numbers. It is traced once for each dtype and shape.")
    for value in (27, 97, 837799):
        result = function(tf.constant(value, tf.int64))
        write(f"    collatz({value}) = {result.numpy()}    Python says {collatz(value)}\n")
    write(f"    traced {function.experimental_get_tracing_count()} time(s)\n")
    write("\nNext: `autograph dump --help`, `graphrt dump --help`, and the pages in docs/ of the source.\n")


def graph_lines(graph: Any, indent: str = "") -> list[str]:
    """A graph as a list of lines, its inner graphs indented below the node that holds them."""
    lines = []
    for node in graph.nodes:
        inputs = ", ".join(v.name for v in node.inputs)
        value = f" {node.attrs['value']}" if node.is_constant else ""
        lines.append(f"{indent}{node.name} = {node.type}({inputs}){value}")
        for key, inner in node.subgraphs():
            lines.append(f"{indent}  {key}:")
            lines += graph_lines(inner, indent + "    ")
    return lines
