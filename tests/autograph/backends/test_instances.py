"""Objects taken apart, put together, and guarded while there are others; joined by the state kit."""

import collections
import enum
import functools
import operator
import queue
import random
import re
import threading
from fractions import Fraction
from typing import Generic, TypeVar

import pytest

import autograph
from autograph.backends import state
from autograph.backends.instances import fields_of, fill_instance, instance, is_one_of
from autograph.backends.journal import note_attribute

T = TypeVar("T")


class Point:
    __slots__ = ("__dict__", "__weakref__", "_x")

    def __init__(self, x, y):
        self._x, self.y = x, y

    @functools.cached_property
    def sum(self):
        return self._x + self.y


class Bare:
    __slots__ = ("a", "b")


def test_attributes_and_slots():
    p = Point(1, 2)
    assert p.sum == 3
    assert fields_of(p) == {"y": 2, "_x": 1}
    q = instance(Point, {"_x": 5})
    fill_instance(q, {"y": 6})
    assert (type(q), q._x, q.y, q.sum) == (Point, 5, 6, 11)
    b = Bare()
    b.a = 1
    assert fields_of(b) == {"a": 1}


class Kind(enum.Enum):
    A = 1


class Numbers(list):
    pass


IN_C = [
    re.compile("a"),
    operator.itemgetter(1),
    functools.partial(len),
    random.Random(1),
    threading.local(),
    queue.SimpleQueue(),
    collections.deque(),
    collections.defaultdict(int),
]


@pytest.mark.parametrize(
    "value", [1, None, "a", [1], Numbers(), Kind.A, Kind, len, fields_of, enum, ValueError(), {1: 2}, *IN_C]
)
def test_what_is_more_than_its_attributes(value):
    assert fields_of(value) is None


def test_how_a_generic_object_was_made_is_nothing_that_it_holds():
    class Box(Generic[T]):
        def __init__(self, v):
            self.v = v

    assert Box[int](1).__orig_class__ == Box[int]
    assert fields_of(Box[int](1)) == fields_of(Box(1)) == {"v": 1}


def test_writes_are_refused_while_others_are_there():
    class Refused(Exception):
        pass

    with state.tracing(lambda value, stand_in: None):
        old, made = Point(1, 2), Point(3, 4)
        is_one_of(made, [[old], [made]], None, lambda: Refused)
        with pytest.raises(Refused):
            note_attribute(made, "y")
        note_attribute(made, "sum", computed=True)
        note_attribute(Point(1, 2), "y")
        del old
        note_attribute(made, "y")
        is_one_of(made, [[Bare()]], None, lambda: Refused)  # nobody can tell whether that one lives
        with pytest.raises(Refused):
            note_attribute(made, "y")
    note_attribute(made, "y")
    is_one_of(made, [[Fraction(1)]], None, lambda: Refused)  # in no trace


class _Staged:
    """A statement of two branches, each of which sets one variable."""

    def __init__(self):
        self.p = None

    def statement(self):
        return state.State(lambda: (self.p,), self._set, ("p",), 1)

    def _set(self, values):
        (self.p,) = values

    def sets(self, value):
        def branch():
            self.p = value

        return branch


def test_state_kit_joins_attributes():
    def joined(a, b):
        holder = _Staged()
        statement = holder.statement()
        then, other = statement.run(holder.sets(a)), statement.run(holder.sets(b))
        statement.join(then, other, lambda name, x, y: f"{name}: {x} or {y}", lambda v: isinstance(v, Point))
        return holder.p

    shared = Point(7, 8)
    found = joined(Point(1, shared), Point(2, shared))
    assert (type(found), found._x, found.y is shared) == (Point, "p._x: 1 or 2", True)
    assert joined(Point(1, Point(2, 3)), Point(1, Point(4, 3))).y._x == "p.y._x: 2 or 4"
    with state.tracing(lambda value, stand_in: None):
        a = Point(1, 2)
        found = joined(a, Point(3, 2))
        with pytest.raises(autograph.errors.BranchMismatchError, match="'p' is one of two objects"):
            note_attribute(found, "y")
