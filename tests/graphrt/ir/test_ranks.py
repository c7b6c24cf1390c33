"""Ranks in schemas of ops."""

from __future__ import annotations

import pytest

from graphrt.errors import ShapeError
from graphrt.ir.ranks import Ranks, parsed


@pytest.mark.parametrize("text, found", [("2", (2, 2)), ("1+", (1, None)), ("0..1", (0, 1))])
def test_parsed(text: str, found: tuple[int, int | None]) -> None:
    assert parsed(text) == found
    assert parsed(None) is None


@pytest.mark.parametrize(
    "ranks, rank, said",
    [
        (Ranks(2, 2), 1, "Shape must be rank 2 but is rank 1"),
        (Ranks(1, None), 0, "Shape must be at least rank 1 but is rank 0"),
        (Ranks(0, 1), 3, "Shape must be at most rank 1 but is rank 3"),
    ],
)
def test_check(ranks: Ranks, rank: int, said: str) -> None:
    with pytest.raises(ShapeError, match=said):
        ranks.check(rank)
    ranks.check(ranks.low)
