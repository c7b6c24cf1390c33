"""What `heapq` does in C, where a heap, or what is put there, is staged: the same in Python, converted.

A heap is a list whose element at `k` is not greater than those at `2 k + 1` and `2 k + 2`. Elements are compared, and end
up in the places, as in CPython: https://docs.python.org/3/library/heapq.html.
"""

from __future__ import annotations

import _heapq
from collections.abc import Callable, Iterable
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of, first_backend
from autograph.backends.trace import lasting, seen
from autograph.operators.calls import Args
from autograph.operators.decisions import Scope, library_twin

globals()["__builtins__"] = OWN


Rise = Callable[[list[Any], int, int], None]
Sink = Callable[[list[Any], int], int]


def _rise(heap: list[Any], top: int, place: int) -> None:
    """Takes the element at `place` up to where its parent is not greater, at most to `top`."""
    item = heap[place]
    while place > top and item < heap[(place - 1) // 2]:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = item


def _sink(heap: list[Any], top: int) -> int:
    """Takes the element at `top` down to a place without children, which is returned, and the lesser of these up."""
    place, item, size = top, heap[top], len(heap)
    child = 2 * place + 1
    while child < size:
        if child + 1 < size and not heap[child] < heap[child + 1]:
            child = child + 1
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    return place


def _heappush(rise: Rise, sink: Sink, heap: list[Any], item: Any) -> None:
    heap.append(item)
    rise(heap, 0, len(heap) - 1)


def _heappop(rise: Rise, sink: Sink, heap: list[Any]) -> Any:
    found = heap.pop()
    if len(heap) > 0:
        last = found
        found = heap[0]
        heap[0] = last
        rise(heap, 0, sink(heap, 0))
    return found


def _heapreplace(rise: Rise, sink: Sink, heap: list[Any], item: Any) -> Any:
    found = heap[0]
    heap[0] = item
    rise(heap, 0, sink(heap, 0))
    return found


def _heappushpop(rise: Rise, sink: Sink, heap: list[Any], item: Any) -> Any:
    found = item
    if len(heap) > 0 and heap[0] < item:
        found = heap[0]
        heap[0] = item
        rise(heap, 0, sink(heap, 0))
    return found


def _heapify(rise: Rise, sink: Sink, heap: list[Any]) -> None:
    half = len(heap) // 2
    for k in range(half):
        top = half - 1 - k
        rise(heap, top, sink(heap, top))


IN_PYTHON: dict[object, Any] = {
    _heapq.heappush: _heappush, _heapq.heappop: _heappop, _heapq.heapreplace: _heapreplace,
    _heapq.heappushpop: _heappushpop, _heapq.heapify: _heapify,
}  # fmt: skip


def _parts(values: Iterable[Any]) -> list[Any]:
    return [part for value in values for part in (value if type(value) is tuple else (value,))]


def heaped(f: Callable[..., object], args: Args, kwargs: dict[str, object], scope: Scope) -> object:
    """What a function of `heapq` gives; NotImplemented where nothing is staged."""
    items: Any = seen(args[0]) if args and f in IN_PYTHON and not kwargs else None
    there = items if type(items) is list else ()
    staged = backend_of(items) or first_backend(_parts(args[1:])) or first_backend(_parts(there))
    if items is None or staged is None:
        return NotImplemented
    functions: tuple[Any, ...] = _rise, _sink, IN_PYTHON[f]
    rise, sink, twin = (library_twin(function, scope) for function in functions)
    return NotImplemented if twin is None else twin(rise, sink, lasting(args[0]), *args[1:])  # by the program's name
