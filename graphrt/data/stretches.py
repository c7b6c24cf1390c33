"""Elements many at a time: stretches of a pipeline, whose components are stacked arrays.

A source that can make its elements so says so by `Source.stretches`; the sources behind it that understand stretches
then work on arrays instead of on one element after the other. What comes out is the same, in the same order.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import numpy as np

from graphrt.data.elements import rows
from graphrt.data.pipeline import Element, Source, with_captured
from graphrt.executor.program import Program, program_of
from graphrt.ir.graph import Graph, Value
from graphrt.passes import run_passes
from graphrt.passes.rewrite import frozen, is_object
from graphrt.passes.stack import stacked
from graphrt.types.likes import Array

Stretches = Iterator[Element]

_FIRST, _MOST = 16, 1 << 14  # elements: whoever takes a few waits for a few
_BYTES = 1 << 18  # of a component: what is made ahead stays small


def cuts(count: int, bytes_each: int) -> Iterator[slice]:
    """Where stretches of `count` elements begin and end: short ones first, none of more bytes than fit a cache."""
    most = max(1, min(_MOST, _BYTES // max(bytes_each, 1)))
    size, start = min(_FIRST, most), 0
    while start < count:
        yield slice(start, min(start + size, count))
        start += size
        size = min(size * 4, most)


def one_by_one(stretches: Stretches) -> Iterator[Element]:
    """The elements of stretches."""
    return itertools.chain.from_iterable(zip(*map(rows, stretch)) for stretch in stretches)


def regrouped(stretches: Stretches, size: int) -> Stretches:
    """The same elements in stretches of `size`; the last one may be shorter."""
    held: list[Element] = []  # what is left over, fewer than `size` elements in all
    missing = size
    for stretch in stretches:
        count, at = len(stretch[0]), 0
        if held and count >= missing:
            yield _joined([*held, tuple([c[:missing] for c in stretch])])
            held, at, missing = [], missing, size
        if not held:
            whole = (count - at) // size
            end = at + whole * size
            yield from zip(*[c[at:end].reshape(whole, size, *c.shape[1:]) for c in stretch])  # row by row
            at = end
        if at < count:
            held.append(tuple([c[at:] for c in stretch]))
            missing -= count - at
    if held:
        yield _joined(held)


def first(stretches: Stretches, count: int) -> Stretches:
    """The first `count` elements."""
    while count > 0 and (stretch := next(stretches, None)) is not None:
        yield stretch if len(stretch[0]) <= count else tuple([c[:count] for c in stretch])
        count -= len(stretch[0])


def behind(stretches: Stretches, count: int) -> Stretches:
    """The elements after the first `count`."""
    for stretch in stretches:
        if len(stretch[0]) > count:
            yield tuple([c[count:] for c in stretch]) if count else stretch
        count = max(0, count - len(stretch[0]))


def side_by_side(parts: list[Stretches]) -> Stretches:
    """The elements of several, each with those of the others at the same place, as long as the shortest."""
    held: list[Element] = [()] * len(parts)
    while True:
        for position, part in enumerate(parts):
            if not held[position] or not len(held[position][0]):
                stretch = next(part, None)
                if stretch is None:
                    return
                held[position] = stretch
        count = min(len(stretch[0]) for stretch in held)
        yield tuple([c[:count] for stretch in held for c in stretch])
        held = [tuple([c[count:] for c in stretch]) for stretch in held]


def _joined(parts: list[Element]) -> Element:
    return parts[0] if len(parts) == 1 else tuple([np.concatenate(column) for column in zip(*parts)])


# --- functions of the user -------------------------------------------------------------------------------------------
# state: weak, under its lock: what the graphs of users' functions are for many elements; None where they are nothing
_STACKED: weakref.WeakKeyDictionary[Graph, tuple[int, Program | None]] = weakref.WeakKeyDictionary()
# state: bounded, under its lock: the same by what graphs compute, for pipelines that are written in a loop
_ALIKE: dict[Hashable, Program | None] = {}
_MOST_ALIKE = 64
_LARGEST_KEY = 40  # nodes
_LOCK = threading.Lock()


def _stacked(graph: Graph, elements: int) -> Program | None:
    with _LOCK:
        found = _STACKED.get(graph)
    if found is not None and found[0] == graph.version:
        return found[1]
    key = _key(graph, elements)
    with _LOCK:
        is_known, made = key in _ALIKE, _ALIKE.get(key)
    if not is_known:
        many = stacked(run_passes(graph), elements)
        made = None if many is None else program_of(many, _as_it_is)
    with _LOCK:
        _STACKED[graph] = (graph.version, made)
        if key is not None and not is_known:
            if len(_ALIKE) >= _MOST_ALIKE:
                del _ALIKE[next(iter(_ALIKE))]
            _ALIKE[key] = made
    return made


def _key(graph: Graph, elements: int) -> Hashable:
    """Equal for graphs of equal results; None where that takes long to tell.

    It says nothing of names and lines, which only errors show: graphs for many elements cannot fail.
    """
    if len(graph.nodes) > _LARGEST_KEY or graph.is_foreign or graph.is_atomic:
        return None
    places: dict[Value, int] = {}
    found: list[Hashable] = [elements, len(graph.inputs)]
    for node in graph.nodes:
        if node.stateful or node.controls or any(is_object(v) for v in node.attrs.values()):
            return None
        found += node.op, *[places[v] for v in node.inputs], *[(k, frozen(v)) for k, v in node.attrs.items()]
        for value in node.outputs:
            places[value] = len(places)
            found += value.dtype.as_datatype_enum, value.dims
    return *found, *[places[v] for v in (*graph.inputs, *graph.outputs)]


def _as_it_is(graph: Graph) -> Graph:
    return graph  # the passes have seen it before it was stacked


def for_many(graph: Graph, captured: list[Any]) -> Callable[..., tuple[Array, ...]] | None:
    """A user's function as a callable of stretches; None where it must be called for each element."""
    many = _stacked(graph, len(graph.inputs) - len(captured))
    return None if many is None else with_captured(many.function, captured)


def through(source: Source, graph: Graph, captured: list[Any]) -> tuple[Stretches, Callable[..., Any]] | None:
    """The stretches of `source`, and a function for them; None where one of the two cannot be."""
    stretches = source.stretches()
    if stretches is None:
        return None
    function = for_many(graph, captured)
    return None if function is None else (stretches, function)
