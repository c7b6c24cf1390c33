"""`operators/heaps.py`: the same as `heapq`, place by place, where it runs as Python; in a graph see `programs`."""

import _heapq
import heapq
import random

import pytest

from autograph.operators import heaps


@pytest.mark.parametrize("seed", range(20))
def test_elements_end_up_in_the_same_places(seed):
    chance = random.Random(seed)
    values = [(chance.randint(0, 4), k) if seed % 2 else chance.randint(0, 9) for k in range(chance.randint(0, 25))]
    mine, right = [*values], [*values]
    heaps.IN_PYTHON[_heapq.heapify](heaps._rise, heaps._sink, mine)
    heapq.heapify(right)
    assert mine == right
    for k in range(30):
        name = chance.choice(["heappush", "heappop", "heapreplace", "heappushpop"])
        given = [] if name == "heappop" else [(chance.randint(0, 4), 30 + k) if seed % 2 else chance.randint(0, 9)]
        if not right and name in ("heappop", "heapreplace"):
            continue
        function = getattr(_heapq, name)
        assert heaps.IN_PYTHON[function](heaps._rise, heaps._sink, mine, *given) == function(right, *given)
        assert mine == right
