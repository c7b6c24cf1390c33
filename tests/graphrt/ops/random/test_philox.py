"""Permutations: a few numbers are exchanged one by one, many at once."""

import numpy as np
import pytest

from graphrt.ops.random import philox


def one_by_one(others, count):
    order = list(range(count))
    for i, j in enumerate(others):
        order[i], order[j] = order[j], order[i]
    return order


@pytest.mark.parametrize("count", [1, 2, 399, 400, 401, 5000])
def test_exchanges_at_once_are_those_one_by_one(count):
    rng = np.random.default_rng(count)
    at = np.arange(count - 1)
    for others in (at, np.full(count - 1, count - 1), np.minimum(at + 1, count - 1), rng.integers(at, count)):
        assert philox.exchanged(others, count).tolist() == one_by_one(others.tolist(), count)


@pytest.mark.parametrize("count", [0, 1, 7, 3000])
def test_a_permutation_has_each_number_once(count):
    found = philox.shuffled(5, 9, count)
    assert found.dtype == np.int64 and sorted(found.tolist()) == list(range(count))
    assert np.array_equal(found, philox.shuffled(5, 9, count))
