"""Places in native code remember what they called last, and notice when it is no longer that."""

from __future__ import annotations

import functools
import gc
import linecache
import time
import weakref

import pytest

import autograph


def first(a=1):
    return ("first", a)


class Made:
    def __init__(self, a):
        self.a = a

    def get(self, k=2):
        return (self.a, k)

    def __call__(self, b):
        return self.a + b if b else self.a


def calls_function():
    return first()


def calls_method(made):
    return made.get()


def makes(times):
    found = []
    for n in range(times):
        found.append(Made(n).a)
        if n == 1:
            Made.__init__ = other_init
    return found


def other_init(self, a):
    self.a = -a


def test_a_place_notices_new_code_and_defaults(monkeypatch):
    converted = autograph.convert(calls_function)
    assert converted() == converted() == ("first", 1)
    monkeypatch.setattr(first, "__defaults__", (5,))
    assert converted() == converted() == ("first", 5)
    monkeypatch.setattr(first, "__code__", (lambda a: a).__code__)
    assert converted() == 5


def test_a_place_notices_new_methods(monkeypatch):
    converted = autograph.convert(calls_method)
    made = Made(3)
    assert converted(made) == converted(made) == (3, 2)
    monkeypatch.setattr(Made, "get", lambda self: "new")
    assert converted(made) == "new"
    made.get = lambda: "own"
    assert converted(made) == "own"


def test_classes_notice_a_new_init(monkeypatch):
    monkeypatch.setattr(Made, "__init__", Made.__init__)
    assert autograph.convert(makes)(4) == [0, 1, -2, -3]


def test_what_a_loop_remembers_of_its_own_functions_is_let_go():
    def f():
        def inner(x):
            return x + 1

        total = 0
        for i in range(3):
            total += inner(i)
        ref = weakref.ref(inner)
        del inner
        gc.collect()
        return total, ref()

    assert autograph.convert(f)() == (6, None)


def test_partials_and_callable_objects_in_loops():
    def f():
        partial, made, found = functools.partial(first, a=1), Made(2), []
        for n in range(4):
            found.append((partial(), made(n)))
            partial.keywords["a"] = n
        return found

    assert autograph.convert(f)() == f()


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n" + "".join(f"    if x == {i}:\n        return {i}\n" for i in range(400)) + "    return -1\n",
        "def f(x):\n    return " + " and ".join(f"x > {i}" for i in range(1500)) + "\n",
        "def f(x):\n    return " + " or ".join(f"x == {i} and {i}" for i in range(700)) + "\n",
        "def f(x):\n    return 0 <= x" + "".join(f" < {i + 1500}" for i in range(700)) + "\n",
    ],
    ids=["returns", "and", "or", "comparisons"],
)
def test_long_rows_take_no_more_than_their_share(text):
    filename = f"<row {len(text)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace: dict = {}
    exec(compile(text, filename, "exec"), namespace)
    start = time.process_time()
    converted = autograph.to_graph(namespace["f"])
    assert time.process_time() - start < 30
    for x in (0, 1, 690, 1499, 2000):
        assert converted(x) == namespace["f"](x)
