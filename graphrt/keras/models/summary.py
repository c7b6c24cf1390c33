"""The table that `Model.summary` prints."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from graphrt.keras.layers.base import Layer
from graphrt.keras.symbolic import call_behind, calls_of, place_behind
from graphrt.types import structure


def print_summary(
    model: Any, line_length: int | None = None, print_fn: Any = None, expand_nested: bool = False,
    show_trainable: bool = False,
) -> None:  # fmt: skip
    """Prints the layers of a model with their outputs' shapes and numbers of parameters, and totals."""
    connected = _branches(model)
    header = ["Layer (type)", "Output Shape", "Param #"] + (["Connected to"] if connected else [])
    widths = [19, 17, 10, 17] if connected else [31, 22, 13]
    if show_trainable:
        header.append("Trai…")
        widths = [*(widths if connected else [27, 21, 10]), 5]
    rows = list(_rows(model, connected, show_trainable, expand_nested, ""))
    if line_length is not None:
        widths[0] = max(widths[0], line_length - sum(widths[1:]) - 3 * len(widths) - 1)
    text = [f'Model: "{model.name}"', *_table(header, rows, widths), *_totals(model)]
    if print_fn is None:
        builtins.print("\n".join(text))
    else:
        print_fn("\n".join(text) + "\n")


def _branches(model: Any) -> bool:
    """Whether some layer takes from, or gives to, more than its neighbour."""
    graph = getattr(model, "_graph", None)
    if graph is None or type(model).__name__ == "Sequential":
        return False
    taken: dict[int, int] = {}
    for node in graph.nodes:
        for tensor in node.inputs:
            taken[id(tensor)] = taken.get(id(tensor), 0) + 1
        if len(node.inputs) > 1:
            return True
    layers = [id(n.layer) for n in graph.nodes]
    return any(n > 1 for n in taken.values()) or len(set(layers)) < len(layers) or len(graph.flat_inputs) > 1


def _rows(model: Any, connected: bool, show_trainable: bool, nested: bool, prefix: str) -> Any:
    graph = getattr(model, "_graph", None)
    layers = graph.layers if graph is not None and type(model).__name__ != "Sequential" else model.layers
    for layer in layers:
        count = _count(layer.weights) if isinstance(layer, Layer) else 0
        unbuilt = isinstance(layer, Layer) and not layer.built
        row = [
            f"{prefix}{layer.name} ({_kind(layer)})", _shape(layer), "0 (unbuilt)" if unbuilt else f"{count:,}"
        ]  # fmt: skip
        if connected:
            taken = [t for call in calls_of(layer)[:1] for t in call.inputs if call_behind(t) is not None]
            places = [f"{maker.layer.name}[{maker.index}][{at}]" for maker, at in map(place_behind, taken)]
            row.append(", ".join(places) or "-")
        if show_trainable:
            row.append(("Y" if layer.trainable else "N") if getattr(layer, "weights", None) else "-")
        yield row
        if nested and getattr(layer, "layers", None):
            yield from _rows(layer, connected, show_trainable, nested, prefix + "   └ ")


def _kind(layer: Any) -> str:
    if isinstance(layer, Layer):
        return type(layer).__name__
    return "".join(part.capitalize() for part in str(layer.label).split("_"))


def _shape(layer: Any) -> str:
    calls = calls_of(layer)
    if calls:
        shapes = [_as_text(t.shape) for t in calls[0].outputs]
        return shapes[0] if len(shapes) == 1 else f"[{', '.join(shapes)}]"
    seen = getattr(layer, "_seen_output", None)
    if seen is None or type(layer).__name__ == "Sequential":
        return "?" if seen is None else _as_text(seen)
    found = [_as_text(s) for s in structure.flatten(seen)]
    return found[0] if len(found) == 1 else f"[{', '.join(found)}]"


def _as_text(shape: tuple[int | None, ...]) -> str:
    return str(tuple(shape))


def _count(weights: Any) -> int:
    return sum(int(np.prod(tuple(v.shape), dtype=np.int64)) for v in weights)


def _bytes(weights: Any) -> str:
    size = float(sum(int(np.prod(tuple(v.shape), dtype=np.int64)) * v.dtype.size for v in weights))
    for unit in ("B", "KB", "MB", "GB"):
        if size < 1024 or unit == "GB":
            return f"{size:.2f} {unit}"
        size /= 1024
    return ""


def _totals(model: Any) -> list[str]:
    optimizer = getattr(model, "optimizer", None)
    kept = optimizer.variables if optimizer is not None and optimizer.built else []
    every, trained, rest = model.weights, model.trainable_weights, model.non_trainable_weights
    lines = [
        f" Total params: {_count(every) + _count(kept):,} ({_bytes([*every, *kept])})",
        f" Trainable params: {_count(trained):,} ({_bytes(trained)})",
        f" Non-trainable params: {_count(rest):,} ({_bytes(rest)})",
    ]
    if kept:
        lines.append(f" Optimizer params: {_count(kept):,} ({_bytes(kept)})")
    return lines


def _wrapped(cell: str, width: int) -> list[str]:
    """The lines of a cell; words too long for its column end in `…`."""
    lines: list[str] = []
    for part in cell.split("\n"):
        line, indent = "", part[: len(part) - len(part.lstrip())]
        for word in part.split():
            longer = f"{line} {word}" if line else indent + word
            if len(longer) <= width or not line:
                line = longer
                continue
            lines.append(line)
            line = word
        lines.append(line)
    return [line if len(line) <= width else f"{line[: width - 1]}…" for line in lines]


def _table(header: list[str], rows: list[list[str]], widths: list[int]) -> list[str]:
    widths = [max(width, len(head)) for width, head in zip(widths, header)]
    wrapped = [[_wrapped(cell, width) for cell, width in zip(row, widths)] for row in rows]

    def line(left: str, fill: str, middle: str, right: str) -> str:
        return left + middle.join(fill * (w + 2) for w in widths) + right

    def cells(values: list[str], bar: str) -> str:
        shown = [v.rjust(w) if i == 2 else v.ljust(w) for i, (v, w) in enumerate(zip(values, widths))]
        if header[-1] == "Trai…" and values is not header:
            shown[-1] = values[-1].center(widths[-1])
        return bar + bar.join(f" {v} " for v in shown) + bar

    found = [line("┏", "━", "┳", "┓"), cells(header, "┃"), line("┡", "━", "╇", "┩")]
    for position, row in enumerate(wrapped):
        if position:
            found.append(line("├", "─", "┼", "┤"))
        for at in range(max(map(len, row))):
            found.append(cells([parts[at] if at < len(parts) else "" for parts in row], "│"))
    return [*found, line("└", "─", "┴", "┘")]
