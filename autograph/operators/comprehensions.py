"""List comprehensions and generator expressions of converted code (with `Feature.LISTS`).

    [x + 1 for x in xs]    ->    ag__.list_comp(xs, lambda items: [x + 1 for x in items], lambda x: x + 1, None)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograph.backends.registry import backend_of

Function = Callable[..., Any]


def list_comp(iterable: Any, plain: Function, element: Function, condition: Function | None) -> Any:
    """The list of `element(item)` for each item for which `condition(item)` holds."""
    backend = backend_of(iterable)
    return plain(iterable) if backend is None else backend.list_comp(iterable, plain, element, condition)


def gen_exp(iterable: Any, plain: Function, element: Function, condition: Function | None) -> Any:
    """The same as a generator; a staged one is the list of its elements."""
    backend = backend_of(iterable)
    return plain(iterable) if backend is None else backend.list_comp(iterable, plain, element, condition)
