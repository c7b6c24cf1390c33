"""`[*rows, x]` of lists whose length only the graph knows."""

import pytest

import graphrt as tf
from tests.graphrt.programs.comparing import collector, plain

CASES = []
case = collector(CASES)


@case((3,), (0,))
def at_its_end(n):
    rows = []
    for i in range(n):
        rows = [*rows, i]
    return [*rows, 7]


@case((3,), (0,))
def at_its_begin(n):
    rows = [n]
    while n > 0:
        n -= 1
        rows = [n, *rows]
    return rows


@case((4,), (1,))
def of_branches(n):
    rows = [n]
    for i in range(n):
        rows = [i, *rows] if i > 1 else [*rows, *rows]
    alias = rows
    rows = [*rows, 5]
    return len(alias), len(rows), rows[-1], isinstance(rows, list)


@case((4,), (0,))
def of_other_things(n):
    rows = [*range(n), *range(2)]
    doubled = [*(i * 2 for i in range(n)), 1]
    return rows, doubled, [*rows, *doubled], [0, *(1, 2), *[3]]


@case((3,), (0,))
def of_pairs(n):
    rows = []
    for i in range(n):
        rows = [*rows, [i, i + 1]]
    return rows


@pytest.mark.parametrize(("program", "calls"), CASES)
def test_as_python(program, calls):
    traced = tf.function(program)
    for arguments in calls:
        assert plain(traced(*map(tf.constant, arguments))) == plain(program(*arguments))


def test_what_is_no_list_is_iterated_over():
    class Countdown:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            while self.n > 0:
                yield self.n
                self.n -= 1

    @tf.function
    def f(x):
        return [*Countdown(3), x, *{"a": 1}.values(), *tf.unstack(tf.stack([x, x]))]

    assert plain(f(tf.constant(5))) == [3, 2, 1, 5, 1, 5, 5]
