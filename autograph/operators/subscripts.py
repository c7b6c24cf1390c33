"""Subscripts of converted code (with `Feature.LISTS`).

    x = l[i]      ->   x = ag__.get_item(l, i, opts=ag__.GetItemOpts(element_dtype=None))
    l[i] = x      ->   l = ag__.set_item(l, i, x)
"""

from __future__ import annotations

from typing import Any, NamedTuple

from autograph.backends.registry import backend_of


class GetItemOpts(NamedTuple):
    """What is known about the element: its dtype, or None."""

    element_dtype: Any = None


def get_item(target: Any, i: Any, opts: GetItemOpts | None = None) -> Any:
    """`target[i]`."""
    backend = backend_of(target) or backend_of(i)
    return target[i] if backend is None else backend.get_item(target, i)


def set_item(target: Any, i: Any, x: Any) -> Any:
    """`target[i] = x`; returns `target`, or what a backend made of it."""
    backend = backend_of(target) or backend_of(i)
    if backend is not None:
        return backend.set_item(target, i, x)
    target[i] = x
    return target
