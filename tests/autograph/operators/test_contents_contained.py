"""`in` of what Python goes through itself: deques, views and iterators may hold what is staged, or be asked for it."""

import collections
import itertools
import types

import pytest

import graphrt as tf
from autograph.errors import PythonOnlyConstructError, UnrollLimitError
from autograph.operators import control_flow


def values(a):
    return 2 in {"x": a[0], "y": a[2]}.values(), 9 not in {"x": a[0]}.values(), a[0] in {"x": 3}.values()


def items(a):
    return ("x", 3) in {"x": a[0]}.items(), ("y", 3) in {"x": a[0]}.items(), ("x", 4) not in {"x": a[0]}.items()


def keys(a):
    return a[0] in {1: 2, 3: 4}.keys(), a[0] in {1: 2}.keys(), 1 in {1: a[0]}.keys()


def deques(a):
    return 3 in collections.deque([a[0], a[1]]), a[0] in collections.deque([1]), 4 in collections.deque([])


def iterators(a):
    made = [a[0], a[1]]
    return (
        6 in map(lambda v: v * 2, made), 3 in reversed(made), 9 in iter(made), 3 not in (v for v in made),
        a[0] in iter([1, 3]), a[0] not in (v for v in [1, 2]), 3 in itertools.chain(made, [4]),
    )  # fmt: skip


def pairs(a):
    return (0, a[0]) in enumerate([3, 4]), (a[0], 4) in zip([3, 4], [4, 5]), (1, a[0]) in enumerate([3, 4])


def mappings(a):
    around = collections.ChainMap({3: 1}), types.MappingProxyType({4: 1}), collections.OrderedDict({3: 1})
    return [a[0] in mapping for mapping in around], a[0] in collections.UserList([3]), a[0] in {3, 4}


def up_to_what_is_certain(a):
    g = iter([1, 2, 3])
    return 2 in g, [v + a[0] for v in g]


PROGRAMS = (values, items, keys, deques, iterators, pairs, mappings, up_to_what_is_certain)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(program):
    given = [3, 1, 2]
    found = tf.nest.map_structure(
        lambda v: v.numpy().item() if tf.is_tensor(v) else v, tf.function(program)(tf.constant(given))
    )
    assert found == program(given)


def what_is_left(a):
    g = (v for v in [a[0], a[1]])
    return 3 in g, list(g)


def test_what_is_left_of_an_iterator_is_not_known():
    with pytest.raises(PythonOnlyConstructError, match="gone through"):
        tf.function(what_is_left)(tf.constant([3, 1]))


class Odd:
    """Equal to odd numbers."""

    def __eq__(self, other):
        return other % 2 == 1

    __hash__ = None


def by_the_users_comparison(a):
    return Odd() in collections.deque([a[1] - 1, a[0]]), Odd() in {"x": a[0] - 1}.values(), Odd() in iter([2, 4, 5])


def test_comparisons_of_the_user():
    found = [bool(v) for v in tf.function(by_the_users_comparison)(tf.constant([3, 1]))]
    assert found == [True, False, True]


def counted(container, x):
    return x in container


def test_what_is_first_asked_without_a_graph():
    converted = tf.autograph.to_graph(counted)
    for _ in range(3):
        assert converted(collections.deque([1, 2]), 2) and not converted({"x": 1}.values(), 2)
    run = tf.function(lambda a: (converted(collections.deque([a, a + 1]), 2), converted({"x": a}.values(), 2)))
    assert [bool(v) for v in run(tf.constant(1))] == [True, False]


def within_what_has_no_end(a):
    return a[0] in itertools.count()


def any_of_what_has_no_end(a):
    return any(v == a[0] for v in itertools.count())


@pytest.mark.parametrize("program", [within_what_has_no_end, any_of_what_has_no_end], ids=lambda f: f.__name__)
def test_a_search_without_an_end_is_refused(program, monkeypatch):
    monkeypatch.setattr(control_flow, "UNROLL_LIMIT", 20)
    with pytest.raises(UnrollLimitError, match="AG206.*search.*unrolled 20 times"):
        tf.function(program)(tf.constant([3, 1]))


def within_a_long_list(a):
    return a[0] in [*range(30)]


def test_a_search_with_an_end_is_not(monkeypatch):
    monkeypatch.setattr(control_flow, "UNROLL_LIMIT", 20)
    assert tf.function(within_a_long_list)(tf.constant([29, 1]))
