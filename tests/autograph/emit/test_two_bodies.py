"""While no backend is active a converted function is the original: the same code, at its speed."""

from __future__ import annotations

import asyncio
import inspect
import sys

import pytest

import autograph
from autograph.backends import registry

pytestmark = pytest.mark.usefixtures("plain_bodies")
counter = 0


class Sometimes(autograph.backends.StagingBackend):
    """Is active when it is told so."""

    name = "sometimes"

    class Value:
        pass

    staged_types = (Value,)
    active = False

    def is_active(self):
        return self.active

    def if_stmt(self, cond, body, orelse, get_state, set_state, symbol_names, nouts):
        body()


@pytest.fixture
def sometimes():
    registered = autograph.backends.register_backend(Sometimes())
    yield registered
    autograph.backends.unregister_backend(registered)


def codes(function):
    return [c for c in function.__code__.co_consts if inspect.iscode(c)]


def frames_inside(function):
    """The names of the functions on the stack of a call made by `function`."""
    found = []

    def look():
        frame = sys._getframe(1)
        while frame.f_code.co_name != "frames_inside":
            found.append(frame.f_code.co_name)
            frame = frame.f_back

    function(look)
    return found


def test_no_frame_is_added():
    def f(look):
        if look:
            for _ in range(1):
                look()

    assert frames_inside(autograph.convert(f)) == ["f"]


def test_idle_follows_backends(sometimes):
    assert registry.idle()
    sometimes.active = True
    assert not registry.idle()
    other = autograph.backends.register_backend(type("Other", (Sometimes,), {"staged_types": (complex,)})())
    sometimes.active = False
    assert registry.idle()
    other.active = True
    assert not registry.idle()
    autograph.backends.unregister_backend(other)
    assert registry.idle()


def test_backend_without_is_active_always_counts():
    class Always(autograph.backends.StagingBackend):
        staged_types = (bytearray,)

    always = autograph.backends.register_backend(Always())
    assert not registry.idle()
    autograph.backends.unregister_backend(always)
    assert registry.idle()


def test_body_is_chosen_at_each_call(sometimes):
    @autograph.convert
    def f(x):
        if x:
            return 1
        return 2

    x = Sometimes.Value()
    sometimes.active = True
    assert f(x) == 1
    assert f(0) == 2
    Sometimes.Value.__bool__ = lambda self: False
    try:
        assert f(x) == 1
        sometimes.active = False
        assert f(x) == 2
    finally:
        del Sometimes.Value.__bool__


def test_inner_functions_are_the_users_own():
    def f():
        def g():
            return [i for i in (1, 2)]

        class A:
            pass

        return g, (lambda: 1), (i for i in ()), A, {k: 1 for k in ()}

    converted = autograph.convert(f)
    own = {id(c) for c in codes(f)}
    g, h, gen, a, _ = converted()
    assert {id(g.__code__), id(h.__code__), id(gen.gi_code)} <= own
    assert all(any(c is d for d in codes(converted)) for c in codes(f))
    assert g.__qualname__ == f.__qualname__ + ".<locals>.g"
    assert a.__qualname__ == f.__qualname__ + ".<locals>.A"


def test_function_defined_while_idle_is_converted_when_it_is_called_staged(sometimes):
    @autograph.convert
    def make():
        def inner(x):
            if x:
                return "yes"
            return "no"

        return inner

    @autograph.convert
    def call(function, x):
        return function(x)

    inner = make()
    sometimes.active = True
    Sometimes.Value.__bool__ = lambda self: False
    try:
        assert inner(Sometimes.Value()) == "no"
        assert call(inner, Sometimes.Value()) == "yes"
    finally:
        del Sometimes.Value.__bool__


def test_global_and_nonlocal_declarations():
    n = 0

    @autograph.convert
    def f(flag):
        """Doc."""
        if flag:
            global counter
            counter = 5
        for _ in range(2):
            nonlocal n
            n += 1
        try:
            pass
        finally:
            global another
            another = 1
        return counter

    assert f(True) == 5
    assert n == 2
    assert counter == 5
    assert globals().pop("another") == 1
    registry.always_staging(True)
    assert f(True) == 5
    assert n == 4
    assert f.__doc__ == "Doc."


def test_only_a_declaration_in_a_branch():
    @autograph.convert
    def f(flag):
        if flag:
            global counter
        return flag

    assert f(3) == 3


def test_generators_and_coroutines():
    @autograph.convert
    def numbers(n):
        for i in range(n):
            if i % 2:
                yield i

    @autograph.convert
    async def answer(n):
        if n:
            await asyncio.sleep(0)
        return n

    @autograph.convert
    async def stream(n):
        for i in range(n):
            yield i

    async def collect():
        return [i async for i in stream(3)]

    assert inspect.isgeneratorfunction(numbers)
    assert inspect.iscoroutinefunction(answer)
    assert inspect.isasyncgenfunction(stream)
    assert list(numbers(5)) == [1, 3]
    assert asyncio.run(answer(4)) == 4
    assert asyncio.run(collect()) == [0, 1, 2]


def test_private_names_and_super():
    class Base:
        def get(self):
            return 1

    class Derived(Base):
        __secret = 3

        @autograph.convert
        def get(self):
            if self.__secret:
                return super().get() + self.__secret
            return __class__

    assert Derived().get() == 4


def test_lambda():
    f = autograph.convert(lambda x, y=2: x and (lambda: y))
    assert f(0) == 0
    assert f(1)() == 2


def test_locals_and_eval():
    @autograph.convert
    def f(x):
        y = x + 1
        if y:
            return locals(), eval("x + y")

    assert f(1) == ({"x": 1, "y": 2}, 3)


def test_errors_are_the_users():
    @autograph.convert
    def f(x):
        if x:
            y = 1
        del x
        return y

    with pytest.raises(UnboundLocalError) as caught:
        f(0)
    assert str(caught.value) == "cannot access local variable 'y' where it is not associated with a value"
    assert not hasattr(caught.value, "__notes__")
    assert len(caught.traceback) == 2


def test_signature_and_variables():
    def f(a, /, b, *c, d=1, **e):
        """Doc."""
        x = a
        return x

    converted = autograph.convert(f)
    assert inspect.signature(converted) == inspect.signature(f)
    count = f.__code__.co_argcount + f.__code__.co_kwonlyargcount + 2
    assert converted.__code__.co_varnames[:count] == f.__code__.co_varnames[:count]
    assert converted.__doc__ == "Doc."


def test_recursion_goes_as_deep():
    @autograph.convert
    def depth(n):
        if n == 0:
            return 0
        return 1 + depth(n - 1)

    room = sys.getrecursionlimit() - len(inspect.stack()) - 20
    assert depth(room) == room


def test_lines_seen_by_a_tracer():
    def f(x):
        "Doc."
        if x:
            y = 1
        else:
            y = 2
        return y

    def lines(function):
        found = []

        def trace(frame, event, arg):
            if frame.f_code.co_filename == __file__ and frame.f_code.co_name == "f":
                found.append((event, frame.f_lineno))
                return trace
            return None

        sys.settrace(trace)
        try:
            function(0)
            function(1)
        finally:
            sys.settrace(None)
        return found

    assert lines(autograph.convert(f)) == lines(f)


def test_size_does_not_multiply_with_nesting():
    text = "def f0():\n"
    for depth in range(1, 9):
        text += "    " * depth + f"def f{depth}():\n"
    text += "    " * 9 + "return 1\n"
    for depth in range(8, 0, -1):
        text += "    " * depth + f"return f{depth}\n"
    import linecache

    linecache.cache["<deep>"] = (len(text), None, text.splitlines(True), "<deep>")
    namespace = {"__name__": "deep"}
    exec(compile(text, "<deep>", "exec"), namespace)

    def size(code):
        return 1 + sum(size(c) for c in code.co_consts if inspect.iscode(c))

    assert size(autograph.convert(namespace["f0"]).__code__) <= 3 * size(namespace["f0"].__code__)
