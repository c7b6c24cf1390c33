"""Lists in containers, which a staged statement has changed: whatever they are handed to, they are what they were."""

from __future__ import annotations

import collections
import contextlib
import copy
import dataclasses
import functools
import operator

import pytest

import graphrt as tf
from graphrt import errors


def set_first(box, value):
    box[0] = value


def set_and_return(box, value):
    box[0] = value
    return box


@functools.wraps(set_first)
def wrapped(*args):
    return set_first(*args)


@tf.autograph.experimental.do_not_convert
def unconverted(box, value):
    box[0] = value


@contextlib.contextmanager
def setting(box, value):
    box[0] = value
    yield box


def entered(box, value):
    with setting(box, value) as same:
        same[0] += 0


class Setter:
    """Sets the first item, by all that can be called."""

    def __init__(self, box=None, value=None):
        if box is not None:
            box[0] = value

    def __call__(self, box, value):
        box[0] = value

    def method(self, box, value):
        box[0] = value

    @staticmethod
    def static(box, value):
        box[0] = value

    @classmethod
    def of_class(cls, box, value):
        box[0] = value


CALLS = {
    "function": set_first,
    "returned": set_and_return,
    "decorated": wrapped,
    "unconverted": unconverted,
    "context manager": entered,
    "lambda": lambda box, value: box.__setitem__(0, value),
    "object": Setter(),
    "method": Setter().method,
    "static method": Setter.static,
    "class method": Setter.of_class,
    "class": Setter,
    "partial": lambda box, value: functools.partial(set_first, box)(value),
    "setitem": lambda box, value: operator.setitem(box, 0, value),
    "map": lambda box, value: list(map(lambda b: b.__setitem__(0, value), [box])),
    "generator": lambda box, value: [set_first(b, value) for b in (c for c in [box])],
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_what_calls_write_to_a_container_with_a_list_inside(call):
    def program(x):
        box = [x, [x]]
        also = box
        if x > 0:
            box[1].append(x)
        call(box, x * 7)
        also[0] += 1
        return box[0] * 10 + len(also[1])

    traced = tf.function(program)
    for x in (3, -3):
        assert traced(tf.constant(x)) == program(x)


class Box:
    """Has an attribute."""


@dataclasses.dataclass
class Record:
    """Has two."""

    items: list
    rest: list = dataclasses.field(default_factory=list)


Pair = collections.namedtuple("Pair", "a b")


def with_attribute(xs):
    box = Box()
    box.items = xs
    setattr(box, "more", xs)  # noqa: B010
    box.__dict__["last"] = xs
    return [box.items, box.more, box.last]


HOLDERS = {
    "append": lambda xs: [rows := [], rows.append(xs)][0],
    "insert": lambda xs: [rows := [0], rows.insert(0, xs)][0][:1],
    "list": lambda xs: list([xs]),  # noqa: C410
    "tuple": lambda xs: tuple([xs]),  # noqa: C409
    "deque": lambda xs: collections.deque([xs]),
    "appendleft": lambda xs: [q := collections.deque(), q.appendleft(xs)][0],
    "dict": lambda xs: dict(a=xs).values(),  # noqa: C408
    "update": lambda xs: [d := {}, d.update(a=xs), d.update({"b": xs})][0].values(),
    "setdefault": lambda xs: [{}.setdefault("a", xs)],
    "get": lambda xs: [{"a": xs}.get("a"), {}.get("b", xs)],
    "copy": lambda xs: copy.copy([xs]),
    "reversed": lambda xs: reversed([xs]),
    "zip": lambda xs: [a for a, _ in zip([xs], [1])],
    "enumerate": lambda xs: [a for _, a in enumerate([xs])],
    "map": lambda xs: map(lambda a: a, [xs]),
    "slice": lambda xs: [xs, 0][:1],
    "sum of lists": lambda xs: [xs] + [xs],
    "stars": lambda xs: [*[xs], *(xs,)],
    "attributes": with_attribute,
    "dataclass": lambda xs: [(r := Record(xs, [xs])).items, r.rest[0], dataclasses.replace(r, rest=[]).items],
    "namedtuple": lambda xs: [(p := Pair(xs, [xs])).a, p.b[0], p._replace(b=1).a],
    "unpacked": lambda xs: [a for a, *_ in [[xs, 1, 2]]],
}


@pytest.mark.parametrize("held", HOLDERS.values(), ids=HOLDERS)
def test_what_holds_a_list_holds_the_very_list(held):
    def program(x):
        xs = [x]
        if x > 0:
            xs.append(x)
        found = [*held(xs)]
        same = 0
        for row in found:
            same += row is xs
            if x > 1:
                row.append(x)
        return sum(xs), len(found) - same

    traced = tf.function(program)
    for x in (3, 1, -3):
        assert tuple(map(int, traced(tf.constant(x)))) == program(x)


def test_an_item_is_set_beside_a_list_that_a_called_function_returns():
    def put(x, into):
        if x > 1:
            into.append(x)
        return into

    def program(a, b, n):
        rows = [[a], b]
        also = rows
        for _ in range(n):
            rows[1] = rows[1] + a
            put(b, rows[0])
        return sum(rows[0]) + also[1], also is rows

    for numbers in ((3, 5, 4), (3, -5, 4), (3, 5, 0)):
        total, same = tf.function(program)(*map(tf.constant, numbers))
        assert (int(total), bool(same)) == program(*numbers)


def test_an_item_at_a_symbolic_index_beside_lists_that_have_grown():
    def program(x):
        rows = [[x], [x]]
        also = rows
        if x > 0:
            rows[0].append(x)
        rows[x - 3] = [x, x]
        return sum(also[0])

    assert tf.function(program)(tf.constant(3)) == program(3)


def _loop(rows, x):
    for v in x:
        rows.append(v)


def _two_loops(rows, x):
    for v in x:
        rows.append(v)
    for v in x:
        rows.append(v + 1)


def _pairs(rows, x):
    for v in x:
        rows.append((v, v * 2))


def _branch(rows, x):
    if tf.reduce_sum(x) > 0:
        rows.append(x)


def _extended(rows, x):
    rows.extend([v for v in x if v > 0])


def _front(rows, x):
    for v in x:
        rows.appendleft(v)


_GROWN = [
    *[(list, write) for write in (_loop, _two_loops, _pairs, _branch, _extended)],
    *[(collections.deque, write) for write in (_loop, _two_loops, _branch, _front)],
    *[(lambda: collections.deque(maxlen=2), write) for write in (_loop, _two_loops, _branch, _front)],
]


@pytest.mark.parametrize("make, write", _GROWN)
def test_what_grew_in_an_earlier_trace_grows_in_the_next_whatever_its_dtype(make, write):
    rows = make()

    @tf.function
    def f(x):
        write(rows, x)
        return tf.reduce_sum(x)

    for x in (tf.constant([1, 2, 3]), tf.constant([1.0, 2.0, 3.0]), tf.constant([4], tf.int64), tf.constant([1, 2, 3])):
        assert f(x).numpy() == sum(x.numpy())
    assert type(rows) is type(make()) and rows


@pytest.mark.parametrize(
    "read", [len, list, lambda rows: rows, lambda rows: {"a": rows}, lambda rows: rows[0], lambda rows: rows.pop(), sum]
)
@pytest.mark.parametrize("make", [list, collections.deque])
def test_what_an_earlier_trace_left_in_a_list_is_refused_where_the_list_is_read(make, read):
    rows = make()

    @tf.function
    def f(x):
        _loop(rows, x)
        return read(rows)

    f(tf.constant([1, 2, 3]))
    with pytest.raises(errors.InaccessibleTensorError, match="out of scope"):
        f(tf.constant([1.0, 2.0]))


def test_a_list_that_is_cleared_begins_anew_in_each_trace():
    rows = []

    @tf.function
    def f(x):
        rows.clear()
        _loop(rows, x)
        return tf.stack(rows)

    assert f(tf.constant([1, 2])).numpy().tolist() == [1, 2]
    assert f(tf.constant([1.5])).numpy().tolist() == [1.5]
