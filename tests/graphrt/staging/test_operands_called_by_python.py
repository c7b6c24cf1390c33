"""What functions written in C, patterns and modules call by themselves is converted where a graph is traced."""

from __future__ import annotations

import bisect
import contextlib
import functools
import heapq
import operator
import traceback
import types
import warnings
from collections import deque

import numpy as np
import pytest

import graphrt as tf


class Ranked:
    """Is ordered and compared by numbers, and counts in tensors how often it was asked."""

    def __init__(self, rank, x):
        self.rank, self.x, self.asked = rank, x, x * 0

    def __lt__(self, other):
        if self.x > 0:
            self.asked = self.asked + 1
        else:
            self.asked = self.asked - 1
        return self.rank < other.rank

    def __eq__(self, other):
        if self.x > 0:
            self.asked = self.asked + 1
        else:
            self.asked = self.asked - 1
        return self.rank == other.rank

    __hash__ = None

    def __add__(self, other):
        total = Ranked(self.rank + other.rank, self.x)
        if self.x > 0:
            total.x = self.x + other.x
        else:
            total.x = self.x - other.x
        return total

    def __iter__(self):
        for i in range(self.rank):
            yield self.x + i


class Managed:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        if self.x > 0:
            self.x = self.x + 1
        return self.x

    def __exit__(self, *error):
        if self.x > 0:
            self.x = self.x * 10
        return False

    def __call__(self, y):
        if self.x > 0:
            return y + self.x
        return y


class Taken:
    __match_args__ = ("first",)

    def __init__(self, x):
        self.x = x

    @property
    def first(self):
        if self.x > 0:
            return self.x * 2
        return self.x

    @property
    def kind(self):
        if self.x > 0:
            self.seen = self.x + 1
        else:
            self.seen = self.x
        return "taken"


def ranked(x):
    return [Ranked(r, x) for r in (3, 1, 2)]


def state(items):
    return [i.rank for i in items], sum(i.asked for i in items)


def sorts(x):
    items = ranked(x)
    items.sort(reverse=True)
    return state(items)


def heaps(x):
    heap, more = ranked(x), Ranked(0, x)
    heapq.heapify(heap)
    heapq.heappush(heap, more)
    first = heapq.heappop(heap)
    return state(heap), first is more


def bisects(x):
    items = sorted(ranked(x))
    bisect.insort(items, Ranked(1.5, x))
    return state(items), bisect.bisect_left(items, items[2])


def searches(x):
    items = ranked(x)
    wanted = Ranked(2, x)
    found = items.index(wanted), items.index(wanted, 1), items.count(wanted), tuple(items).count(wanted)
    items.remove(wanted)
    try:
        items.index(wanted)
    except ValueError:
        found += (-1,)
    return found, state(items), state(deque(items))


def reduces(x):
    total = functools.reduce(operator.add, ranked(x))
    return total.rank, total.x


def maps(x):
    return [*map(Managed(x), [x, x + 1])], [m.x for m in map(Managed, [x])], sum(map(abs, [x, -x]))


def extends(x):
    items = [x]
    items.extend(Ranked(2, x))
    return items


def stacks(x):
    managed, pushed = Managed(x), Managed(x + 2)

    def call(y):
        if x > 0:
            managed.x = managed.x + y
        else:
            managed.x = managed.x - y

    with contextlib.ExitStack() as stack:
        entered = stack.enter_context(managed)
        same = stack.push(pushed) is pushed, stack.callback(call, 5) is call
    return entered, same, managed.x, pushed.x


def matches(x):
    taken = Taken(x)
    match taken:
        case Taken(first, kind="taken"):
            return first, taken.seen
    return None


MODULE = types.ModuleType("made_for_a_test")


def _missing(name):
    if MODULE.x > 0:
        return MODULE.x + len(name)
    return MODULE.x


MODULE.__getattr__ = _missing


def asks_module(x):
    MODULE.x = x
    local = MODULE
    return MODULE.four, local.three, getattr(MODULE, "x"), getattr(MODULE, "sixsix"), hasattr(MODULE, "other")


def reads_in_loop(x):
    taken, total = Taken(x), x * 0
    while total < 20:
        total = total + tf.abs(taken.first) + 1
    return total


@pytest.mark.parametrize(
    "function", [sorts, heaps, bisects, searches, reduces, maps, extends, stacks, matches, asks_module, reads_in_loop]
)
@pytest.mark.parametrize("x", [3, -3])
def test_traced_as_it_runs(function, x):
    expected = tf.nest.flatten(function(tf.constant(x)))
    found = tf.nest.flatten(tf.function(function)(tf.constant(x)))
    MODULE.x = None
    assert [np.asarray(v).tolist() for v in found] == [np.asarray(v).tolist() for v in expected]


def divides(x):
    zero = np.zeros(2)
    np.divide(1.0, zero)
    np.ones(2) / zero
    return x


def test_warnings_name_the_line_of_the_user():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tf.function(divides)(tf.constant(1))
    assert [(w.filename, w.lineno) for w in caught] == [(__file__, divides.__code__.co_firstlineno + i) for i in (2, 3)]


def takes(x):
    try:
        return operator.itemgetter(len([x]))([x, x][:1])
    except IndexError as error:
        return "".join(traceback.format_exception(error))


def test_tracebacks_are_those_of_the_program():
    found = []

    def function(x):
        found.append(takes(x))
        return x

    tf.function(function)(tf.constant(1))
    assert found == [takes(tf.constant(1))]
