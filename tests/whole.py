"""Long rows of cases that one mechanism makes: the suite runs a part of them, `python -m pytest --whole` all.

What alone would show a fault stays in the suite: a part is for what proves by its volume, as generated programs do.
A test that is marked `whole` is left out unless all are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import pytest

_T = TypeVar("_T")
_asked = [False]  # set by `conftest.py` before it imports a test

only = pytest.mark.whole


def ask(all_of_it: bool) -> None:
    """Says whether all cases are asked for."""
    _asked[0] = all_of_it


def is_asked() -> bool:
    """Whether all cases are asked for."""
    return _asked[0]


def some(cases: Iterable[_T], count: int, turn: int = 0) -> list[_T]:
    """`count` of the cases, spread over them evenly and always the same; all with `--whole`.

    Where each of many things is tried with a part of the cases, `turn` says the how manieth it is: the next ones take
    the next cases, so that none is left out.

    >>> some("abcdefghij", 3)
    ['a', 'd', 'g']
    >>> some("abcdefghij", 3, turn=1)
    ['b', 'e', 'h']
    """
    found = list(cases)
    if _asked[0] or len(found) <= count:
        return found
    return [found[(i * len(found) // count + turn) % len(found)] for i in range(count)]
