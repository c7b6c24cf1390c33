"""Objects and what is in them, joined of two, replaced in loops and written under several names, by programs beside Python.

Covers: graphrt/staging/aliases.py.
"""

import copy
import dataclasses
import operator

import pytest

import autograph
import graphrt as tf
from graphrt import errors


class Box:
    def __init__(self, v):
        self.v = v
        self.l = [v, 1]

    def get(self):
        return self.v

    def __iter__(self):
        return iter([self.v])

    def __enter__(self):
        return self.v

    def __exit__(self, *error):
        return None


class Slots:
    __slots__ = ("v",)

    def __init__(self, v):
        self.v = v


@dataclasses.dataclass
class Data:
    v: object
    w: int = 1


@tf.autograph.experimental.do_not_convert
def unconverted(v):
    return Box(v)


# --- as Python has it --------------------------------------------------------------------------------------------------
def replaced_in_a_branch_of_a_branch(x):
    m = Box(x)
    if x > 0:
        if x > 2:
            m = Box(x + 1)
        m.v += 1
    return m.v


def with_slots(x):
    m = Slots(x)
    if x > 0:
        if x > 2:
            m = Slots(x + 1)
        m.v += 1
    return m.v


def replaced_by_a_loop_in_a_branch(x):
    m = Box(x)
    if x > 0:
        for i in range(x):
            m = Box(i)
        m.v += 1
    return m.v


def written_and_replaced_in_a_loop(x):
    m = Box(x)
    for i in range(abs(x)):
        m.v += 1
        if i % 2 == 0:
            m = Box(m.v + i)
        m.l[0] += i
    return m.v, m.l[0]


def a_loop_separates_two_names(x):
    p = q = Box(x)
    for i in range(abs(x)):
        p.v += 1
        p = Box(i)
        q = Box(i + 5)
    return p.v, q.v


def a_loop_gives_two_names(x):
    p, q = Box(x), Box(1)
    for i in range(abs(x)):
        p.v += 1
        p = q = Box(i)
    return p.v, q.v


def exchanged(x):
    p, q = Box(x), Box(1)
    a, b = [x], [1]
    if x > 0:
        p, q = q, p
        a, b = b, a
    p.v += 1
    a[0] += 1
    for _ in range(abs(x)):
        p, q = q, p
        p.v += 1
    return p.v, q.v, a[0], b[0]


def exchanged_in_a_list(x):
    boxes = [Box(x), Box(2)]
    for _ in range(abs(x)):
        boxes[0].v += 1
        boxes = [boxes[1], boxes[0]]
    return boxes[0].v, boxes[1].v


def within_an_object(x):
    o = Box(Box(x))
    for i in range(abs(x)):
        o.v.v += 1
        if i > 1:
            o.v = Box(7)
    return o.v.v


def made_without_conversion(x):
    m = unconverted(x)
    if x > 0:
        m = unconverted(7)
    m.v += 1
    for i in range(abs(x)):
        m = unconverted(i)
    m.v += 1
    return m.v


def copies_of_grown_lists(x):
    o, d = Box(x), Data([x])
    for i in range(abs(x)):
        o.l.append(i)
        d.v.append(i)
    deep = copy.deepcopy(o)
    deep.l.append(3)
    return len(deep.l), len(o.l), len(dataclasses.asdict(d)["v"]), d == Data([x]), [d.v] == [[x]], [[x]].count(d.v)


def one_or_not(x):
    p, q = Box(x), Box(x)
    m = p
    k = p if x > 0 else p
    return m is p, m is q, k is p, p == m, p != q


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "function",
    [
        replaced_in_a_branch_of_a_branch,
        with_slots,
        replaced_by_a_loop_in_a_branch,
        written_and_replaced_in_a_loop,
        a_loop_separates_two_names,
        a_loop_gives_two_names,
        exchanged,
        exchanged_in_a_list,
        within_an_object,
        made_without_conversion,
        copies_of_grown_lists,
        one_or_not,
    ],
)
def test_graph_is_python(function):
    traced = tf.function(function)
    for x in (4, 2, -4):
        found = traced(tf.constant(x))
        assert [int(v) for v in tf.nest.flatten(found)] == [int(v) for v in tf.nest.flatten(function(x))]


# --- refused, as nobody knows what is in the other one -----------------------------------------------------------------
def one_in_one_branch(x):
    if x > 0:
        p = q = Box(x)
    else:
        p, q = Box(1), Box(2)
    p.v += 1
    return q.v


def one_in_each_iteration(x):
    p, q = Box(x), Box(1)
    for i in range(abs(x)):
        p = q = Box(i)
    p.v += 1
    return q.v


def one_from_the_second_iteration_on(x):
    p, q = Box(x), Box(1)
    for _ in range(abs(x)):
        p.v += 1
        p = q
    return q.v


def set_in_one_branch(x):
    k = [x, 1]
    if x > 0:
        m = k
    if x > 0:
        m[0] = 9
    return k[0]


def put_there_by_a_branch(x):
    z = [x, 1]
    p, o = Box(2), Box(1)
    if x > 0:
        p.l = z
        o = p
    o.l[0] = 5
    return z[0]


def list_in_a_list_of_an_object(x):
    z = [x, 1]
    p, o = Box(2), Box(1)
    p.l, o.l = [z], [[3, 4]]
    if x > 0:
        o = p
    o.l[0][0] = 5
    return z[0]


def equal_dataclasses(x):
    a, b = Data(1), Data(1)
    m = a
    if x > 0:
        m = b
    m.v = 7
    return a.v


def _read(read):
    def program(x):
        a = b = Box(x)
        h = Box(b)
        get = b.get
        if x > 0:
            a = Box(2)
        a.v = 9
        return read(b, h, get)

    return program


_READS = [
    lambda b, h, get: h.v.v,
    lambda b, h, get: get(),
    lambda b, h, get: vars(b)["v"],
    lambda b, h, get: getattr(b, "v"),
    lambda b, h, get: operator.attrgetter("v")(b),
    lambda b, h, get: copy.deepcopy(h).v.v,
    lambda b, h, get: [v for v in b],
    lambda b, h, get: b,
]


def entered(x):
    a = b = Box(x)
    if x > 0:
        a = Box(2)
    a.v = 9
    with b as v:
        return v


def matched(x):
    a = b = Box(x)
    if x > 0:
        a = Box(2)
    a.v = 9
    match b:
        case Box(v=v):
            return v


@pytest.mark.parametrize(
    "function",
    [
        one_in_one_branch,
        one_in_each_iteration,
        one_from_the_second_iteration_on,
        set_in_one_branch,
        put_there_by_a_branch,
        list_in_a_list_of_an_object,
        equal_dataclasses,
        entered,
        matched,
        *map(_read, _READS),
    ],
)
def test_others_are_lost(function):
    with pytest.raises(
        errors.SideEffectError, match=r"'[\w.\[\]]+' is one of two objects.* It is written at .*\.py:\d+"
    ):
        tf.function(function)(tf.constant(4))


def test_whether_two_are_one():
    @tf.function
    def named(x):
        m = p = [x]
        if x > 0:
            m = [3]
        return m is p

    @tf.function
    def equal(x):
        m = p = Box(x)
        if x > 0:
            m = Box(3)
        return p != m

    for function, kind in ((named, "list"), (equal, "Box")):
        with pytest.raises(autograph.errors.PythonOnlyConstructError, match=f"two objects of type {kind} are one"):
            function(tf.constant(4))


def test_what_is_frozen_stays_so_under_other_names():
    @tf.function
    def by_another_name(x):
        rows, row = [], [x, 1]
        for _ in range(x):
            rows.append(row)
        if x > 0:
            row = [5, 6]
        row[0] = 9
        return rows[0][0]

    @tf.function
    def in_the_next_iteration(x):
        rows, row = [], [x, 0]
        for i in range(x):
            row[1] = i
            if i > 1:
                row = [5, 5]
            rows.append(row)
        return rows[0][1]

    @tf.function
    def complete(x):
        rows, row = [], [x, 0]
        for i in range(x):
            row[1] = i
            if i % 2 == 1:
                rows.append(row)
                row = [i, i]
        return rows[0][1], rows[1][1]

    for function, text in (
        (by_another_name, "is written to after it was put"),
        (in_the_next_iteration, "one of two objects"),
    ):
        with pytest.raises(errors.SideEffectError, match=text):
            function(tf.constant(4))
    assert [int(v) for v in complete(tf.constant(4))] == [1, 3]


class Holder:
    kept = None


@pytest.mark.parametrize(
    "make, write, read",
    [
        (lambda v: Box(v), lambda m: setattr(m, "v", 5), lambda m: m.v),
        (lambda v: [v], lambda m: m.append(5), lambda m: m[0]),
        (lambda v: {"k": v}, lambda m: m.update(k=5), lambda m: m["k"]),
    ],
)
def test_what_is_lost_is_so_when_the_trace_has_ended(make, write, read):
    holder = Holder()

    @tf.function
    def function(x):
        m = holder.kept = make(1.0)
        if x > 0:
            m = make(2.0)
        write(m)
        return x

    function(tf.constant(1))
    with pytest.raises(tf.errors.InaccessibleTensorError, match="one_of_two"):
        read(holder.kept) + tf.constant(1.0)
