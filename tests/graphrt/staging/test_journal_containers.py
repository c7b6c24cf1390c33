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
from graphrt import errors
from tests.graphrt.programs.comparing import plain


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


# --- containers of the standard library that are Python code --------------------------------------------------------------
def chained(n):
    m = collections.ChainMap({"a": 0}, {"a": 1, "b": 2})
    for i in range(n):
        m["a"] += m["b"] + i
    return m["a"], m["b"]


def chained_in_while(n):
    under = {"a": 0}
    m = collections.ChainMap(under).new_child({"a": 3})
    while n > 0:
        if n % 2 == 0:
            m["a"] += n
        n -= 1
    return m["a"], m.parents["a"], under["a"]


def chained_update(n):
    m = collections.ChainMap({"a": 0})
    for i in range(n):
        m.update(a=m["a"] + i)
    return m["a"]


class Settings(collections.ChainMap):
    def bump(self, by):
        if by > 2:
            self["a"] += by


def own_kind(n):
    m = Settings({"a": 1})
    for i in range(n):
        m.bump(i)
    return m["a"], m.get("a", 0), "a" in m, len(m)


def counted(n):
    c = collections.Counter(a=1, b=9)
    for i in range(n):
        c.update({"a": i})
        c.subtract(b=1)
    return c["a"], c["b"], c["none"]


def counted_in_branches(n):
    c = collections.Counter(a=0, b=0)
    while n > 0:
        if n % 3 == 0:
            c["a"] += n
        elif n % 3 == 1:
            c.update(b=2)
        n -= 1
    return c["a"], c["b"]


@pytest.mark.parametrize("program", [chained, chained_in_while, chained_update, own_kind, counted, counted_in_branches])
@pytest.mark.parametrize("n", [0, 1, 7])
def test_containers_in_python_code_keep_what_staged_code_writes(program, n):
    found = tf.function(program)(tf.constant(n))
    assert [int(v) for v in tf.nest.flatten(found)] == tf.nest.flatten(program(n))


def test_a_new_key_of_a_chain_in_a_branch_is_refused():
    def program(n):
        m = collections.ChainMap({"a": 0}, {"b": 2})
        if n > 3:
            m["b"] = n
        return m["b"]

    with pytest.raises(Exception, match="AG204"):
        tf.function(program)(tf.constant(6))


def places(d):
    return ["abc".index(key) for key in d]


class Recent(collections.OrderedDict):
    def take(self, key):
        found = self[key]
        self.move_to_end(key)
        return found


def moved_in_both(d, x):
    if x > 2:
        d.move_to_end("a")
        d["b"] += x
    else:
        d["a"] = d.pop("a") - x
    return places(d), list(d.values()), d.popitem(last=False)[1]


def moved_in_each_of_several(d, x):
    if x > 2:
        if x > 5:
            d.move_to_end("a")
            d["c"] = 7
        else:
            d.move_to_end("a")
    elif x > 1:
        d["a"] = d.pop("a") - x
    else:
        v = d["a"]
        del d["a"]
        d["a"] = v * 2
    return places(d), list(d.values())


def taken(d, x):
    r = d.take("a") + x if x > 2 else d.take("a")
    return r, places(d)


def all_of_them_in_turn(d, x):
    while x > 0:
        for key in list(d):
            d.move_to_end(key)
            d[key] += x
        x -= 1
    return places(d), list(d.values())


@pytest.mark.parametrize("program", [moved_in_both, moved_in_each_of_several, taken, all_of_them_in_turn])
def test_keys_come_to_be_in_the_order_that_all_paths_leave(program):
    of = lambda x: program(Recent(a=1, b=2, c=x), x)
    for x in (0, 2, 3, 6):
        assert plain(tf.function(of)(tf.constant(x))) == plain(of(x))


def test_plain_dictionaries_too():
    def f(x):
        d = {"a": 1, "b": x, "c": 3}
        if x > 2:
            d["a"] = d.pop("a") + x
            d["b"] = d.pop("b") * x
        else:
            d["a"] = d.pop("a") - x
            d["b"] = d.pop("b") - x
        return places(d), list(d.values())

    for x in (0, 5):
        assert plain(tf.function(f)(tf.constant(x))) == plain(f(x))


def moved_in_one(d, x):
    if x > 2:
        d.move_to_end("a")
    return d.popitem(last=False)


def moved_in_a_loop(d, x):
    for _ in range(x):
        d.move_to_end(next(iter(d)))
    return list(d.values())


@pytest.mark.parametrize("program", [moved_in_one, moved_in_a_loop])
def test_an_order_that_only_the_graph_knows_is_refused(program):
    @tf.function
    def f(x):
        return program(collections.OrderedDict(a=1, b=2, c=x), x)

    with pytest.raises(
        errors.SideEffectError, match=r"keys of a OrderedDict come to be in another order .* by `d.move_to_end"
    ):
        f(tf.constant(3))
