"""Converting twice gives the same object, from any thread; what nobody uses any more is forgotten."""

import functools
import gc
import linecache
import threading
import weakref

import pytest

import autograph
from autograph import Feature
from tests import memory_of_conversion, whole


def plain(x, y=1):
    if x > 0:
        return y
    return -y


class Thing:
    def __init__(self, weight=2):
        self.weight = weight

    def method(self, x):
        return self.weight if x else 0

    def __call__(self, x):
        return x or self.weight

    @property
    def size(self):
        return self.weight and 1

    @staticmethod
    def fixed(x):
        return not x


def test_the_same_function_gives_the_same_twin():
    for options in ({}, {"recursive": False}, {"optional_features": Feature.LISTS}, {"strict": "strict"}):
        first = autograph.convert(**options)(plain)
        assert first is not plain
        assert autograph.convert(**options)(plain) is first
        assert autograph.convert(**options)(first) is first
    assert autograph.to_graph(plain) is autograph.to_graph(plain)
    assert autograph.to_graph(plain) is autograph.convert(plain)
    assert autograph.to_graph(autograph.to_graph(plain)) is autograph.to_graph(plain)
    assert autograph.convert(recursive=False)(plain) is not autograph.convert(plain)


def test_methods_objects_and_wrappers():
    thing = Thing()
    assert autograph.convert(thing.method) == autograph.convert(thing.method)
    assert autograph.to_graph(thing.method) == autograph.to_graph(thing.method)
    called = autograph.convert(thing)
    assert called is not thing and autograph.convert(thing) is called and autograph.convert(called) is called
    assert autograph.convert(Thing()) is not called
    part = autograph.convert(functools.partial(plain, 1))
    assert autograph.convert(part) is part
    for kind in (property, staticmethod, classmethod):
        once = autograph.convert(kind(plain))
        assert type(once) is kind and autograph.convert(once) is once


def test_a_class_is_converted_once():
    class Local(Thing):
        def method(self, x):
            return 1 if x else 2

        @property
        def size(self):
            return 3 if self.weight else 4

    assert autograph.convert(Local) is Local
    before = dict(vars(Local))
    assert autograph.convert(Local) is Local
    assert {k: v for k, v in vars(Local).items() if before.get(k) is not v} == {}


def test_closures_over_other_variables_have_twins_of_their_own():
    def make(n):
        def f(x):
            return n if x else 0

        return f

    one, two = make(1), make(2)
    assert autograph.to_graph(one) is not autograph.to_graph(two)
    assert (autograph.to_graph(one)(1), autograph.to_graph(two)(1)) == (1, 2)


def test_changed_defaults_and_code_are_seen():
    def f(x=1, *, y=2):
        return x + y

    def g(x=1, *, y=2):
        return x * y + 100

    twin = autograph.to_graph(f)
    f.__defaults__, f.__kwdefaults__ = (5,), {"y": 6}
    assert autograph.to_graph(f) is twin and twin() == 11
    f.__code__ = g.__code__
    assert autograph.to_graph(f)() == 130
    assert autograph.to_graph(f) is not twin


def test_nothing_is_kept_alive():
    def f(x):
        return x if x else 1

    twin = autograph.convert(f)
    twin(1)
    autograph.backends.converted_call(f, (1,), None)
    watch = weakref.ref(f), weakref.ref(twin), weakref.ref(twin.__code__)
    del f, twin
    gc.collect()
    # The code of `f` is a constant of this test, so its converted code lives on; the functions do not.
    assert [w() is None for w in watch[:2]] == [True, True]
    thing = Thing()
    seen = weakref.ref(thing), weakref.ref(autograph.convert(thing))
    del thing
    gc.collect()
    assert [w() for w in seen] == [None, None]


def test_threads_get_the_same_object():
    text = "def f(x):\n" + "".join(f"    if x > {n}:\n        x += {n}\n" for n in range(60)) + "    return x\n"
    filename = "<converted by many>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    namespace = {}
    exec(compile(text, filename, "exec"), namespace)
    f, count = namespace["f"], 8
    barrier, found, errors = threading.Barrier(count), [], []

    def work():
        try:
            barrier.wait()
            twin = autograph.to_graph(f)
            found.append(twin)
            assert twin(3) == f(3)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == [] and len(found) == count and len({id(twin) for twin in found}) == 1


def test_threads_convert_what_they_call():
    def leaf(x):
        return x + 1 if x > 0 else x - 1

    def branch(x, depth):
        if depth == 0:
            return leaf(x)
        return branch(x, depth - 1) + leaf(x)

    twin, results = autograph.to_graph(branch), []
    threads = [threading.Thread(target=lambda n=n: results.append((n, twin(n, 5)))) for n in range(-4, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [(n, branch(n, 5)) for n in range(-4, 5)]


@pytest.mark.parametrize("count", whole.some([40, 150], 1))
def test_tables_do_not_grow(count):
    _, grown = memory_of_conversion.measure(count, 50)
    assert {name: size for name, size in grown.items() if size > 5 and not name.endswith("._scopes")} == {}


def test_scopes_are_bounded(monkeypatch):
    from autograph.operators import function_scope

    monkeypatch.setattr(function_scope, "_MOST_SCOPES", 20)
    function_scope._scopes.clear()
    memory_of_conversion.measure(30, 0)
    assert len(function_scope._scopes) <= 21
