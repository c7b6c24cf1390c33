"""`filter`, and its like in `itertools`, in Python beside Python's own."""

import itertools
import random

import pytest

from autograph.operators.selecting import IN_PYTHON


def _even(number):
    return number % 2 == 0


@pytest.mark.parametrize("function", [filter, itertools.filterfalse, itertools.takewhile, itertools.dropwhile])
def test_of_a_predicate(function):
    numbers = random.Random(1)
    for _ in range(100):
        items = numbers.choices(range(4), k=numbers.randrange(7))
        assert IN_PYTHON[function](_even, items) == [*function(_even, items)]


@pytest.mark.parametrize("function", [filter, itertools.filterfalse])
def test_of_their_truth(function):
    items = [0, 1, "", "a", None, [], [0]]
    assert IN_PYTHON[function](None, items) == [*function(None, items)]
