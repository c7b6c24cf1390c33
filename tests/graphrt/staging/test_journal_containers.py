"""Containers that are older than a trace stay what they are, and hold nothing of a trace afterwards.

Covers: autograph/backends/journal.py.
"""

import collections
import contextlib
import gc
import warnings

import pytest

import autograph
import graphrt as tf


class OwnList(list):
    pass


class OwnDict(dict):
    pass


CONTAINERS = {
    "list": lambda: [1],
    "dict": lambda: {"k": 1},
    "set": lambda: {1},
    "deque": lambda: collections.deque([1]),
    "defaultdict": lambda: collections.defaultdict(int, k=1),
    "OrderedDict": lambda: collections.OrderedDict(k=1),
    "Counter": lambda: collections.Counter(k=1),
    "UserDict": lambda: collections.UserDict(k=1),
    "UserList": lambda: collections.UserList([1]),
    "bytearray": lambda: bytearray(b"a"),
    "OwnList": lambda: OwnList([1]),
    "OwnDict": lambda: OwnDict(k=1),
}


def put(container):
    """Puts a Python value into a container."""
    if isinstance(container, (dict, collections.UserDict)):
        container["new"] = 2
    elif isinstance(container, set):
        container.add(2)
    else:
        container.append(2)


class Putting:
    def method(self, container):
        put(container)


CONTEXTS = {}


def context(function):
    CONTEXTS[function.__name__] = function
    return function


@context
def in_while(c, x):
    while x < 3:
        put(c)
        x = x + 1
    return x


@context
def in_for(c, x):
    for _ in tf.range(2):
        put(c)
    return x


@context
def in_if(c, x):
    if x > 0:
        put(c)
    return x


@context
def before_a_return(c, x):
    if x > 0:
        put(c)
        return x
    return x + 1


@context
def in_a_method(c, x):
    if x > 0:
        Putting().method(c)
    return x


@context
def in_a_function_left_alone(c, x):
    if x > 0:
        autograph.do_not_convert(put)(c)
    return x


@pytest.mark.parametrize("inside", CONTEXTS.values(), ids=CONTEXTS)
@pytest.mark.parametrize("make", CONTAINERS.values(), ids=CONTAINERS)
def test_outer_containers_stay_what_they_are(make, inside):
    outer = make()
    alias, kind = [outer], type(outer)
    wanted = make()
    put(wanted)
    function = tf.function(lambda x: inside(outer, x))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tf.errors.SideEffectWarning)
        function(tf.constant(1))
        assert type(outer) is kind and alias[0] is outer
        assert outer == wanted and len(outer) == len(wanted) and repr(outer) == repr(wanted)
        function(tf.constant(1.5))
        if kind not in (collections.deque, list, bytearray, OwnList, collections.UserList):
            assert outer == wanted


def test_nothing_of_a_trace_is_left():
    outer = []

    @tf.function
    def grows(x):
        xs = []
        for i in tf.range(3):
            xs.append(i)
        if x > 0:
            outer.append("a")
        return len(xs)

    @tf.function
    def fails(x):
        if x > 0:
            outer.append(x)
            len(3)
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tf.errors.SideEffectWarning)
        grows(tf.constant(1))
        with contextlib.suppress(TypeError):
            fails(tf.constant(1))
    gc.collect()
    kinds = {"StagedList", "Journal", "Trace"}
    assert [
        o
        for o in gc.get_objects()
        if type(o).__name__ in kinds and type(o).__module__.startswith(("autograph", "graphrt"))
    ] == []
