"""Comparisons of lists, tuples and dictionaries that hold tensors: `autograph/operators/contents.py`, on graphs."""

import dataclasses
import typing

import pytest

import graphrt as tf


class V:
    def __init__(s, n):
        s.n = n

    def __eq__(s, o):
        return isinstance(o, V) and s.n == o.n

    def __lt__(s, o):
        return s.n < o.n

    def __bool__(s):
        return s.n > -10

    __hash__ = None


@dataclasses.dataclass(order=True)
class P:
    x: object
    y: object = 0


class NT(typing.NamedTuple):
    a: object
    b: object = 1


class S:
    def __init__(self, v):
        self.v = v

    def __len__(self):
        return self.v if self.v > 0 else 0

    def __int__(self):
        return self.v + 1 if self.v > 0 else 5

    def __bool__(self):
        return self.v > 0

    def __contains__(self, o):
        return o > self.v

    def __abs__(self):
        return self.v if self.v > 0 else -self.v


def dataclasses_equal(x):
    return P(x, 1) == P(3, 1), P(x, 1) != P(3, 1)


def dataclasses_in_order(x):
    return P(x, 1) < P(2, 5), P(x, 1) >= P(3, 1)


def dataclasses_in_conditions(x):
    if P(x) == P(3):
        return 1
    return 0


def named_tuples(x):
    return NT(x) == NT(3), NT(x) < NT(2, 3), NT(x) == (3, 1), NT(x) != NT(3)


def numbers_of_objects(x):
    return len(S(x)), int(S(x)), abs(S(x))


def dataclasses_in_lists(x):
    return [P(x, 1)] == [P(3, 1)], P(x) in [P(1), P(3)], [P(x)].count(P(3))


def truths_of_objects(x):
    return bool(S(x)), 5 in S(x), not S(x)


def dataclasses_in_dataclasses(x):
    return P(P(x), 1) == P(P(3), 1), P(x) == 3, P(1) == P(1)


def dataclasses_with_texts(x):
    return P(x, "a") == P(3, "a"), P([x, 1]) == P([3, 1])


def dataclasses_in_a_loop(x):
    n = 0
    for p in (P(1), P(x), P(3)):
        n += 1 if p == P(3) else 0
    return n


def orders(x):
    return (x, 1) < (2, 5), (x, 1) <= (3, 1), (x, 7) > (3, 1), (1, x) >= (1, 3)


def nested_lists(x):
    return [[x, 1], [2]] == [[3, 1], [2]], [[x]] != [[3]]


def dictionaries(x):
    return {"a": [x, 1], "b": 2} == {"b": 2, "a": [3, 1]}


def contained(x):
    return (x, 1) in [(3, 1), (4, 2)], [x] not in [[3]]


def counted(x):
    return [x, 3, x].count(3), (x, 3).count(x)


def index_of(x):
    return [1, x, 3].index(3)


def in_conditions(x):
    if (x, 2) == (3, 2) and [x] < [4]:
        return 1
    return 0


def of_the_users(x):
    return [V(x)] == [V(3)], (V(x), 1) < (V(2), 0), V(x) in [V(1), V(3)], [V(1), V(x)].count(V(3))


def with_texts_and_none(x):
    return [x, "a"] == [3, "a"], [x, "a"] == [3, "b"], [x] == [x], [x, None] == [3, None]


def of_other_types(x):
    return [x, 1] == (x, 1), [x] == 3, (x,) != "a"


def holding_itself(x):
    l = [x]
    l.append(l)
    return l == l


def held_by_variables(x):
    t = (x, 1)
    u = (3, 1)
    return t == u, t is u


def against_others(x):
    d = {"p": (x, 2)}
    return d == {"p": (3, 2)}, d != {"p": (3, 2)}, d == {}


def in_a_loop(x):
    n = 0
    for p in [(1, 2), (x, 4), (3, 4)]:
        if p == (3, 4):
            n += 1
    return n


def in_a_comprehension(x):
    return [i for i, p in enumerate([(x, 1), (3, 1)]) if p == (3, 1)]


def in_generators(x):
    return any((v, 1) == (3, 1) for v in [x, 5]), all(p < (9, 9) for p in [(x, 1)])


def asserted(x):
    assert [x, 1] == [x, 1], "no"
    assert (x, 1) <= (3, 1) or x > 100
    return x


def by_truth(x):
    v = V(x)
    assert v, "too low"
    return x


PROGRAMS = [
    dataclasses_equal,
    dataclasses_in_order,
    dataclasses_in_conditions,
    named_tuples,
    numbers_of_objects,
    dataclasses_in_lists,
    truths_of_objects,
    dataclasses_in_dataclasses,
    dataclasses_with_texts,
    dataclasses_in_a_loop,
    orders,
    nested_lists,
    dictionaries,
    contained,
    counted,
    index_of,
    in_conditions,
    of_the_users,
    with_texts_and_none,
    of_other_types,
    holding_itself,
    held_by_variables,
    against_others,
    in_a_loop,
    in_a_comprehension,
    in_generators,
    asserted,
    by_truth,
]


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.numpy().tolist() if hasattr(value, "numpy") else value


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_graph_is_python(program):
    traced = tf.function(program)
    for x in (3, -2):
        assert plain(traced(tf.constant(x))) == plain(program(x))


def test_truth_of_objects_is_asserted():
    with pytest.raises(tf.errors.InvalidArgumentError, match="too low"):
        tf.function(by_truth)(tf.constant(-12))


def test_an_index_that_only_a_graph_finds_missing():
    traced = tf.function(lambda x: [x, x + 1].index(3))
    assert traced(tf.constant(2)) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in the list"):
        traced(tf.constant(7))
    with pytest.raises(ValueError, match="not in list"):
        tf.function(lambda x: [V(1), V(2)].index(V("a")))(tf.constant(1))


def test_a_staged_remove():
    @tf.function
    def f(x):
        xs = [V(x), V(5), V(3)]
        xs.remove(V(5))
        return len(xs), xs[0].n, xs[1].n

    assert [v.numpy() if tf.is_tensor(v) else v for v in f(tf.constant(3))] == [2, 3, 3]
    assert [v.numpy() if tf.is_tensor(v) else v for v in f(tf.constant(5))] == [2, 5, 3]
