"""What is said of structures that Python's stack cannot hold."""

from __future__ import annotations

from typing import Any

import pytest

import graphrt as tf
from graphrt.types.nesting import bounded, depth_of, shown

DEPTH = 5_000


def _deep(kind: Any) -> Any:
    found: Any = 1
    for _ in range(DEPTH + 1):
        found = [found] if isinstance(kind, list) else {"a": found}
    return found


@pytest.mark.parametrize("kind", [[], {}])
def test_the_error(kind: Any) -> None:
    with pytest.raises(ValueError, match=f"is nested {DEPTH + 1} levels deep: Python's limit of recursion"):
        bounded(tf.nest.flatten)(_deep(kind))


def test_a_function_that_recurses_itself_is_not_blamed_on_its_structure() -> None:
    def endless(value: object) -> Any:
        return tf.nest.map_structure(endless, [value])

    with pytest.raises(RecursionError):
        endless(1)


def test_depths() -> None:
    own: list[Any] = []
    own.append(own)
    same = [1]
    assert depth_of(own) == (1, True) and depth_of([same, same, {"a": same}]) == (3, False)
    assert depth_of(_deep({})) == (DEPTH + 1, False)
    assert depth_of("text") == (0, False) and shown([1]) == "[1]"
    try:
        whole = repr(_deep([]))  # Python 3.13.0 can
    except RecursionError:
        assert len(shown(_deep([]))) < 100
    else:
        assert shown(_deep([])) == whole
