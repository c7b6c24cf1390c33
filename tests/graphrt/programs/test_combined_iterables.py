"""`itertools` and `math.prod` of ranges, lists and iterators whose length only the graph knows."""

import itertools
import math
import operator

import pytest

import graphrt as tf
from graphrt import errors
from tests.graphrt.staging.test_nested_lists import plain


def after_one(iterable):
    first = next(iterable, 5)
    return first, list(itertools.chain(iterable, [7], iterable))


def pairs_until(n):
    t = 0
    for a, b in itertools.product(range(n), range(n)):
        if a > b:
            continue
        if a * b > 6:
            break
        t += a * b
    return t


PROGRAMS = {
    "chain": lambda n: [v * 2 for v in itertools.chain(range(n), [n], range(2))],
    "chain of an iterator": lambda n: after_one(iter([i for i in range(n)])),
    "islice": lambda n: list(itertools.islice(range(n), 2)),
    "islice with a step": lambda n: list(itertools.islice([i for i in range(n)], 1, None, 2)),
    "accumulate": lambda n: list(itertools.accumulate(range(n))),
    "accumulate a function": lambda n: list(itertools.accumulate(range(n), lambda a, b: b if b > 2 else a, initial=9)),
    "accumulate by names": lambda n: list(itertools.accumulate(range(n), func=operator.mul, initial=n)),
    "accumulate largest": lambda n: list(itertools.accumulate([i * 7 % 5 for i in range(n)], max)),
    "pairwise": lambda n: [a * b for a, b in itertools.pairwise(range(n))],
    "pairwise lists": lambda n: list(itertools.pairwise([[i, n] for i in range(n)])),
    "product": lambda n: [a + b + c for a, b, c in itertools.product(range(n), range(2), [n, 1])],
    "product of tuples": lambda n: list(itertools.product([n, 1], range(n))),
    "product repeated": lambda n: [a * b for a, b in itertools.product(range(n), repeat=2)],
    "product in a loop": pairs_until,
    "repeat": lambda n: list(itertools.repeat([1, 2], n)),
    "map over repeat": lambda n: list(map(pow, range(n), itertools.repeat(2, n))),
    "starmap": lambda n: list(itertools.starmap(pow, [(i, 2) for i in range(n)])),
    "compress": lambda n: list(itertools.compress(range(n), [1, 0, 1])),
    "zip": lambda n: [a * b for a, b in zip(itertools.chain(range(n), [1]), itertools.accumulate(range(n)))],
    "prod": lambda n: math.prod([i + 1 for i in range(n)], start=2),
    "of Python's": lambda n: [n * a * b for a, b in itertools.product(range(2), repeat=2)],
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_graph_gives_what_python_gives(program):
    traced = tf.function(program, input_signature=[tf.TensorSpec([], tf.int32)])
    for n in (0, 1, 2, 5):
        assert plain(traced(tf.constant(n))) == program(n), n


def test_what_is_left_of_an_iterator_is_not_known():
    def left(iterable):
        taken = list(itertools.islice(iterable, 2))
        return taken, list(iterable)

    with pytest.raises(errors.OperatorNotAllowedInGraphError, match="which are left is not known in a graph"):
        tf.function(lambda n: left(iter([i for i in range(n)])))(tf.constant(3))
