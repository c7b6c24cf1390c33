"""Branches of which one changes what is in an object, and the other puts another one in its place."""

import types
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

import pytest

import graphrt as tf


class Thing:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Values(list):
    pass


class Table(dict):
    pass


Pair = namedtuple("Pair", "a b")


def item_or_another_list(x):
    o = types.SimpleNamespace(c=[1, 2])
    if x > 0:
        o.c[1] += x
    else:
        o.c = [0, x]
    return o.c[1]


def growth_or_another_list(x):
    o = types.SimpleNamespace(c=[1, 2])
    if x > 0:
        o.c.append(x)
    else:
        o.c = [0, x]
    return o.c[-1], len(o.c)


def in_dictionaries(x):
    d = {"c": {"k": 1}}
    if x > 0:
        d["c"]["k"] = x * 2
    else:
        d["c"] = {"k": x}
    return d["c"]["k"]


def objects_in_objects(x):
    o = Thing(p=Thing(v=1))
    q = Thing(v=5)
    if x > 0:
        o.p.v = x * 2
    else:
        o.p = q
    return o.p.v


def loop_or_another_list(x):
    o = types.SimpleNamespace(c=[1, 2])
    if x > 0:
        for i in range(x):
            o.c[1] = i * 7
    else:
        o.c = [0, x]
    return o.c[1]


def under_two_names(x):
    o = types.SimpleNamespace(c=[1, 2])
    l = o.c
    if x > 0:
        o.c[1] = x * 2
    else:
        o.c = [0, x]
    return o.c[1], l[1]


def lists_in_lists(x):
    L = [[1], [2]]
    if x > 0:
        L[0][0] = x
        L[1] = [x * 2]
    else:
        L[1] = [4]
        L[0][0] = 7
    return L[0][0], L[1][0]


def either_of_two(x):
    a = Thing(v=1)
    b = Thing(v=2)
    c = Thing(o=a)
    if x > 0:
        a.v = x
        c.o = a
    else:
        c.o = b
        b.v = 5
    return c.o.v, a.v, b.v


def lists_of_other_lengths(x):
    a = Thing(l=[1])
    b = Thing(l=[2])
    p = a
    if x > 0:
        a.l[0] = x
    else:
        p = b
        b.l.append(3)
    return p.l[0], len(p.l)


def one_list_in_two(x):
    L = [1]
    o1 = Thing(c=L)
    o2 = Thing(c=L)
    if x > 0:
        p = o1
        L[0] = x
    else:
        p = o2
    return p.c[0], L[0]


def deep(x):
    d = {"a": {"b": [1]}}
    if x > 0:
        d["a"]["b"][0] = x
    else:
        d["a"] = {"b": [2]}
    return d["a"]["b"][0]


def deques(x):
    q = deque([1, 2])
    o = Thing(q=q)
    if x > 0:
        q.append(x)
        q.popleft()
    else:
        o.q = deque([4, x])
    return o.q[0], o.q[1], q[1]


def slots(x):
    class S:
        __slots__ = ("l",)

    s = S()
    s.l = [1]
    if x > 0:
        s.l[0] = x
    else:
        s.l = [x * 2]
    return s.l[0]


def in_expressions(x):
    a = Thing(v=1)

    def set():
        a.v = x
        return a

    r = set() if x > 0 else Thing(v=7)
    return r.v


def returned(x):
    a = Thing(v=1, c=[1])

    def f(y):
        if y > 0:
            a.c[0] = y
            return a
        return Thing(v=2, c=[3])

    r = f(x)
    return r.c[0], r.v


def counters(x):
    c = Counter({"a": 1})
    if x > 0:
        c["a"] += x
    else:
        c = Counter({"a": 9})
    return c["a"], len(c)


def defaults(x):
    o = Thing(d=defaultdict(list, a=[1]))
    if x > 0:
        o.d["a"].append(x)
    else:
        o.d = defaultdict(list, a=[4, 5])
    return o.d["a"][1], len(o.d["a"])


def ordered(x):
    o = Thing(d=OrderedDict(a=x, b=2))
    if x > 0:
        o.d["a"] = o.d["b"] * x
    else:
        o.d = OrderedDict(a=3, b=x)
    return list(o.d.values())


def growth_one_after_the_other(x):
    o = Thing(c=[1])
    for i in range(3):
        if x > i:
            o.c.append(x)
        else:
            o.c = [i]
    return o.c[-1], len(o.c)


def kinds_of_ones_own(x):
    values, table, pair = Values([1, 2]), Table(a=1), Pair([1], 2)
    if x > 0:
        values[0] = table["a"] = pair.a[0] = x
    else:
        values, table, pair = Values([3, 4]), Table(a=5), Pair([x * 3], 5)
    return values[0], table["a"], pair.a[0], pair.b, type(values) is Values, type(table) is Table


PROGRAMS = [
    kinds_of_ones_own,
    counters,
    defaults,
    ordered,
    growth_one_after_the_other,
    item_or_another_list,
    growth_or_another_list,
    in_dictionaries,
    objects_in_objects,
    loop_or_another_list,
    under_two_names,
    lists_in_lists,
    either_of_two,
    lists_of_other_lengths,
    one_list_in_two,
    deep,
    deques,
    slots,
    in_expressions,
    returned,
]


def plain(value):
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else getattr(value, "numpy", lambda: value)()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_graph_is_python(program):
    traced = tf.function(program)
    for x in (3, -2):
        assert plain(traced(tf.constant(x))) == plain(program(x))


def test_lists_of_tensors_are_sorted_in_place():
    def program(x):
        values = other = [3, x, 1]
        values.sort(reverse=True)
        by_size = [x, -1, 2]
        by_size.sort(key=lambda v: v * v)
        return other, by_size

    traced = tf.function(program)
    for x in (4, -2):
        assert plain(traced(tf.constant(x))) == plain(program(x))
