"""Iterators of Python's that can be gone through ahead of time, without moving them on."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.operators.list_loops import Watched, check_iterated, iterated_by

globals()["__builtins__"] = OWN

_VIEWS: tuple[type, ...] = type({}.keys()), type({}.values()), type({}.items())
_LASTING = frozenset(map(id, (list, tuple, range, dict, set, frozenset, str, bytes, *_VIEWS)))
_OVER_THOSE: tuple[Any, ...] = (
    [], (), range(0), range(1 << 99), {}, set(), "", "\xe9", b"", {}.values(), {}.items(), reversed([]), reversed({}),
    reversed({}.values()), reversed({}.items()), reversed(()),
)  # fmt: skip
_COPIED = frozenset((id(Watched), *(id(type(iter(value))) for value in _OVER_THOSE)))


def is_lasting(iterable: object) -> bool:
    """Whether each loop over `iterable` begins anew."""
    return id(type(iterable)) in _LASTING


def forked(iterable: Any) -> Iterable[Any] | None:
    """What gives the elements that `iterable` has yet to give, and leaves it where it is.

    None where that cannot be: something computes the elements, or reads them from elsewhere.

    Raises:
      PythonOnlyConstructError: it goes through a list that has something in its stead.
    """
    kind: Any = type(iterable)
    if id(kind) in _LASTING:
        found: Iterable[Any] = iterable
        return found
    if id(kind) in _COPIED:
        of = iterated_by(iterable)
        if of is not None:
            check_iterated(of)
        return copy.copy(iterable)
    if kind is not enumerate and kind is not zip:
        return None
    _, parts, *state = iterable.__reduce__()
    inner = [forked(part) for part in (parts[:1] if kind is enumerate else parts)]
    if any(part is None for part in inner):
        return None
    if kind is enumerate:
        return enumerate(inner[0] or (), parts[1])
    return zip(*(part or () for part in inner), strict=bool(state))
