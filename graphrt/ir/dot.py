"""Graphs as pictures: text for Graphviz (`dot -Tsvg`), with a box around each graph that a node holds."""

from __future__ import annotations

from graphrt.ir.graph import Graph, Node, static_value
from graphrt.ir.printer import array_text, type_text

_PARAMETER, _CONSTANT, _EFFECT, _HOLDER, _PLAIN = "#dbeafe", "#f3f4f6", "#fee2e2", "#fef3c7", "white"


def dot_text(graph: Graph) -> str:
    """`graph` in the language of Graphviz.

    Nodes with effects are red, those that hold graphs yellow and tied to them by dashed lines; solid edges carry
    tensors and their types, dotted ones only say what runs before what.
    """
    lines = [
        f"digraph {_quoted(graph.name)} {{",
        '  graph [fontname="Helvetica", rankdir=TB, compound=true];',
        '  node [fontname="Helvetica", fontsize=11, shape=box, style="rounded,filled", fillcolor=white];',
        '  edge [fontname="Helvetica", fontsize=9];',
    ]
    numbers = {id(graph): 0}
    _write(graph, numbers, lines, "  ")
    waiting = [graph]
    written = {id(graph)}
    while waiting:
        current = waiting.pop(0)
        for node in current.nodes:
            for key, held in node.subgraphs():
                number = numbers.setdefault(id(held), len(numbers))
                if id(held) not in written:
                    written.add(id(held))
                    waiting.append(held)
                    lines.append(f"  subgraph cluster_{number} {{")
                    lines.append(f"    label={_quoted(held.name)}; color=gray60; style=rounded;")
                    _write(held, numbers, lines, "    ")
                    lines.append("  }")
                if held.nodes:
                    start, end = _id(current, node, numbers), _id(held, held.nodes[0], numbers)
                    lines.append(f"  {start} -> {end} [style=dashed, label={_quoted(key)}, lhead=cluster_{number}];")
    lines.append("}")
    return "\n".join(lines) + "\n"


def _write(graph: Graph, numbers: dict[int, int], lines: list[str], indent: str) -> None:
    position = {node: i for i, node in enumerate(graph.nodes)}
    number = numbers[id(graph)]

    def name(node: Node) -> str:
        return f"g{number}_{position[node]}"

    for node in graph.nodes:
        lines.append(f'{indent}{name(node)} [label={_quoted(_label(node))}, fillcolor="{_fill(node)}"];')
    last = None
    for node in graph.nodes:
        for value in node.inputs:
            label = _quoted(type_text(value.dtype, value.dims))
            lines.append(f"{indent}{name(value.node)} -> {name(node)} [label={label}];")
        for other in node.controls:
            lines.append(f"{indent}{name(other)} -> {name(node)} [style=dotted];")
        if node.stateful:
            if last is not None and last not in node.controls:
                lines.append(f"{indent}{name(last)} -> {name(node)} [style=dotted];")
            last = node
    for index, value in enumerate(graph.outputs):
        lines.append(f'{indent}g{number}_out{index} [label="output {index}", shape=ellipse, fillcolor="#dcfce7"];')
        label = _quoted(type_text(value.dtype, value.dims))
        lines.append(f"{indent}{name(value.node)} -> g{number}_out{index} [label={label}];")


def _id(graph: Graph, node: Node, numbers: dict[int, int]) -> str:
    return f"g{numbers[id(graph)]}_{graph.nodes.index(node)}"


def _fill(node: Node) -> str:
    if node.is_parameter:
        return _PARAMETER
    if node.is_constant:
        return _CONSTANT
    return _EFFECT if node.stateful else _HOLDER if any(node.subgraphs()) else _PLAIN


def _label(node: Node) -> str:
    if node.is_constant:
        value = static_value(node.outputs[0])
        if value is not None and value.size <= 4:
            return f"{node.name}\n{array_text(value, False)}"
    return f"{node.name}\n{node.type}" if node.name != node.type else node.name


def _quoted(text: str) -> str:
    body = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{body}"'
