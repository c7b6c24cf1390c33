"""Calls of functions that a backend makes in its own way, for a while, in its own thread."""

from __future__ import annotations

import threading

import autograph
from autograph.backends import calls_of, is_called_otherwise
from tests.autograph.backends.text_backend import Text


def double(x):
    return x + x


def calls_double(x):
    return double(x)


def test_calls_are_made_otherwise_while_the_block_is_open(backend):
    staged = Text("a")
    converted = autograph.convert(calls_double)
    assert str(converted(staged)) == "Text((a + a))"
    asked = []

    def how(f):
        asked.append(f)
        return lambda x: "instead"

    elsewhere = []
    with calls_of([double.__code__], how):
        assert is_called_otherwise(double.__code__)
        assert converted(staged) == "instead" and converted(3) == 6
        thread = threading.Thread(target=lambda: elsewhere.append(str(converted(staged))))
        thread.start()
        thread.join()
    assert not is_called_otherwise(double.__code__)
    assert asked == [double] and elsewhere == ["Text((a + a))"]
    assert str(converted(staged)) == "Text((a + a))"


def test_functions_made_by_converted_code_and_callbacks(backend):
    def program(x):
        def inner(y):
            return y + 1

        return inner(x), list(map(inner, [x, 1]))

    converted = autograph.convert(program)
    found = converted(1)
    assert found == (2, [2, 2])
    codes = [c for c in program.__code__.co_consts if hasattr(c, "co_code")]
    with calls_of(codes, lambda f: lambda y: "instead"):
        assert converted(1) == (2, [2, 2])
        assert converted(Text("a")) == ("instead", ["instead", 2])
