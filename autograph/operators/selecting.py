"""What takes some elements of an iterable in C, where only a backend can tell which: `filter`, and its like in `itertools`.

Each is then what Python's documentation says it is equivalent to, converted. Otherwise it is what it was.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of
from autograph.backends.trace import current_trace, seen
from autograph.operators.bisecting import Result, Work
from autograph.operators.calls import Args, callback
from autograph.operators.comprehensions import MOST_TRIED, asks_backend, generated, taken_over
from autograph.operators.decisions import Scope, library_twin
from autograph.operators.iterators import forked

globals()["__builtins__"] = OWN

Predicate = Callable[[object], bool]


def _filter(holds: Predicate | None, items: Iterable[object]) -> list[object]:
    return [item for item in items if (item if holds is None else holds(item))]


def _filterfalse(holds: Predicate | None, items: Iterable[object]) -> list[object]:
    return [item for item in items if not (item if holds is None else holds(item))]


def _takewhile(holds: Predicate, items: Iterable[object]) -> list[object]:
    taken = []
    for item in items:
        if not holds(item):
            break
        taken.append(item)
    return taken


def _dropwhile(holds: Predicate, items: Iterable[object]) -> list[object]:
    left = []
    dropping = True
    for item in items:
        dropping = dropping and holds(item)
        if not dropping:
            left.append(item)
    return left


IN_PYTHON: dict[object, Any] = {
    filter: _filter, itertools.filterfalse: _filterfalse,
    itertools.takewhile: _takewhile, itertools.dropwhile: _dropwhile,
}  # fmt: skip


def selected(otherwise: Work) -> Work:
    """What such a function gives as the result; where Python knows what to take, what `otherwise` gives."""

    def work(f: Callable[..., object], args: Args, kwargs: dict[str, object], scope: Scope) -> object:
        if len(args) != 2 or kwargs or current_trace() is None:
            return otherwise(f, args, kwargs, scope)
        function = callback(args[0], scope)
        items: Any = seen(args[1])
        asks = backend_of(items) is not None and f is not filter  # for which there is an operator
        ahead = forked(items)
        if ahead is not None:
            asks = asks_backend(itertools.islice(ahead, MOST_TRIED), function or (lambda item: item))
        twin = library_twin(IN_PYTHON[f], scope) if asks else None
        if twin is None:
            return otherwise(f, args, kwargs, scope)
        given = args[1] if ahead is None else taken_over(items)
        return Result(generated(twin(function, given), given, f"{f.__name__}(...)"))

    return work
