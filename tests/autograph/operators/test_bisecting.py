"""`bisect` in Python beside Python's own."""

import bisect
import random

import pytest

from autograph.operators.bisecting import IN_PYTHON


@pytest.mark.parametrize("function", [bisect.bisect_left, bisect.bisect_right])
def test_places(function):
    numbers = random.Random(1)
    for _ in range(300):
        items = sorted(numbers.choices(range(6), k=numbers.randrange(8)))
        bounds = sorted(numbers.choices(range(len(items) + 1), k=2))[: numbers.randrange(3)]
        x = numbers.randrange(-1, 7)
        assert IN_PYTHON[function](items, x, *bounds) == function(items, x, *bounds)
        items.reverse()
        key = int.__neg__
        assert IN_PYTHON[function](items, -x, *bounds, key=key) == function(items, -x, *bounds, key=key)
