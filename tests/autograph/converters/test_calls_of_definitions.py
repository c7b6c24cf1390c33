"""Definitions and other statements of several parts: each part is converted, and means what it did.

Covers: autograph/converters/calls.py, autograph/converters/variables.py, autograph/pyct/analysis/liveness.py.
"""

from __future__ import annotations

import contextlib

import pytest

import autograph
from autograph import generated
from autograph.conversion.convert import convert_source
from autograph.options import STANDARD_OPTIONS
from tests.autograph.backends import text_backend


def chosen(c):
    if c > 0:
        found = c + 1
    else:
        found = 0 - c
    return found


def with_base(c):
    def made(n):
        return type("Base", (), {"n": chosen(n)})

    class A(made(c)):
        pass

    return A.n


def with_keyword(c):
    class Base:
        def __init_subclass__(cls, n):
            cls.n = n

    class A(Base, n=chosen(c)):
        pass

    return A.n


def with_decorator(c):
    def marked(n):
        def mark(cls):
            cls.n = chosen(n)
            return cls

        return mark

    @marked(c)
    class A:
        pass

    return A.n


def with_error_type(c):
    found = []

    def kinds(n):
        found.append(chosen(n))
        return KeyError

    try:
        raise KeyError
    except kinds(c):
        return found[0]


@pytest.mark.parametrize("program", [with_base, with_keyword, with_decorator, with_error_type])
@pytest.mark.parametrize("value", [3, -4])
def test_calls_are_converted(program, value, backend):
    assert text_backend.run(backend, autograph.convert(program), value) == program(value) == chosen(value)


def test_annotations_stay(backend):
    # `from __future__` above makes them texts
    def program(x):
        def inner(a: not x, b: (1 if x else 2), c: chosen(x) = 3) -> chosen(x):
            d: chosen(a) = 1
            return d

        class A:
            e: not x = 1

        return inner.__annotations__, A.__annotations__

    assert "a: ag__.not_(x)" in autograph.to_code(program)
    assert autograph.convert(program)(1) == program(1)


def deleted_together(x, y, c):
    if c:
        del (x, [y])
    else:
        del [x], y
    try:
        return x
    except UnboundLocalError as error:
        return str(error)


def deleted_in_loop(x, y, c):
    n = 0
    while n < 3:
        del [x]
        n += 1
        x = n
    del ()
    return x, n


def deleted_in_order(x, y, c):
    x = {y: 1, "k": 2}
    del x[y], (y, x["k"])
    return x


def read_by_later_function(x, y, c):
    k = lambda: x
    again = lambda: lambda: x

    def h():
        return k(), again()()

    if c:
        x = y
    return h()


def read_by_iterator(x, y, c):
    def k():
        yield x
        yield x

    found = k()
    if c:
        x = y
    return list(found)


def caught(x, y, c):
    for n in (1, 2):
        try:
            if n > c:
                raise ValueError(n)
        except ValueError as error:
            x = x + error.args[0]
    try:
        return error  # noqa: F821 (which has no value by then)
    except UnboundLocalError as error:
        return x, str(error)


def loops_behind_return(x, y, c):
    for n in (1, 2):
        if n > c:
            return n
    for n in (3, 4):
        x = x + n
    while x < 20:
        x = x + y
    return x


def negated(x, y, c):
    return not (x if c else y), not ((x if y else c) if c else not y)


@pytest.mark.parametrize(
    "program",
    [
        deleted_together,
        deleted_in_loop,
        deleted_in_order,
        read_by_later_function,
        read_by_iterator,
        caught,
        loops_behind_return,
        negated,
    ],
)
@pytest.mark.parametrize("c", [0, 1, 5])
def test_plain_values(program, c):
    assert autograph.convert(program)(7, 2, c) == program(7, 2, c)


@pytest.mark.parametrize("program", [read_by_later_function, negated])
@pytest.mark.parametrize("c", [0, 1])
def test_staged_values(program, c, backend):
    found = text_backend.run(backend, autograph.convert(program), 7, 2, c)
    assert found == program(7, 2, c)


ERRORS = """
def swallowed(values, manager):
    found = []
    for value in values:
        with manager(KeyError):
            last = {1: "a"}[value]
        found.append(last)
    return found

def caught(values, manager):
    found = []
    while values:
        try:
            last = {1: "a"}[values[0]]
        except KeyError:
            found.append(last)
        finally:
            values = values[1:]
    return found

def chosen(values, manager):
    if values:
        with manager(KeyError):
            last = {1: "a"}[values[-1]]
        return last
"""


@pytest.mark.parametrize("name", ["swallowed", "caught", "chosen"])
@pytest.mark.parametrize("values", [[1, 2, 1, 3], [1, 1], [2, 1], []])
def test_what_an_error_left(name, values):
    """The same in modules that are converted, whose text runs: what an iteration found is there in the next one."""

    def outcome(function):
        try:
            return function(values, contextlib.suppress)
        except UnboundLocalError as error:
            return str(error)

    plain, dumped = {}, {"ag__": generated}
    exec(ERRORS, plain)
    exec(compile(convert_source(ERRORS, "errors.py", STANDARD_OPTIONS), "errors.py", "exec"), dumped)
    assert outcome(dumped[name]) == outcome(plain[name])
