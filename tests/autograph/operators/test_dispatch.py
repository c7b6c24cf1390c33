"""Operators of the user's classes beside plain values: asked in Python's order, as often, with Python's errors."""

from __future__ import annotations

import operator
import re
from collections import deque

import pytest

import autograph
from autograph.backends import registry

LOG: list[str] = []


def make():
    class Refusing:
        def __add__(self, other):
            LOG.append("Refusing.add")
            return NotImplemented

        def __radd__(self, other):
            LOG.append("Refusing.radd")
            return NotImplemented

        def __iadd__(self, other):
            LOG.append("Refusing.iadd")
            return NotImplemented

        def __mul__(self, other):
            LOG.append("Refusing.mul")
            return NotImplemented

        def __rmul__(self, other):
            LOG.append("Refusing.rmul")
            return NotImplemented

        def __sub__(self, other):
            LOG.append("Refusing.sub")
            return NotImplemented

        def __lt__(self, other):
            LOG.append("Refusing.lt")
            return NotImplemented

        def __eq__(self, other):
            LOG.append("Refusing.eq")
            return NotImplemented

        __hash__ = object.__hash__

    class Counted(Refusing):
        def __index__(self):
            LOG.append("Counted.index")
            return 2

    class Reflected:
        def __radd__(self, other):
            LOG.append("Reflected.radd")
            return "added"

        def __rmul__(self, other):
            LOG.append("Reflected.rmul")
            return "multiplied"

        def __gt__(self, other):
            LOG.append("Reflected.gt")
            return "less"

    class Row(list):
        def __add__(self, other):
            LOG.append("Row.add")
            return NotImplemented

        def __mul__(self, other):
            LOG.append("Row.mul")
            return NotImplemented

    class Late(list):
        def __radd__(self, other):
            LOG.append("Late.radd")
            return NotImplemented

        def __rmul__(self, other):
            LOG.append("Late.rmul")
            return NotImplemented

        def __imul__(self, other):
            LOG.append("Late.imul")
            return NotImplemented

    class Word(str):
        def __radd__(self, other):
            LOG.append("Word.radd")
            return "word"

    class Number(int):
        def __add__(self, other):
            LOG.append("Number.add")
            return NotImplemented

        def __rmul__(self, other):
            LOG.append("Number.rmul")
            return NotImplemented

    return {
        "Refusing": Refusing,
        "Counted": Counted,
        "Reflected": Reflected,
        "Row": lambda: Row([1]),
        "Late": lambda: Late([2]),
        "Word": lambda: Word("s"),
        "Number": lambda: Number(2),
    }


PLAIN = {
    "list": lambda: [1],
    "tuple": lambda: (1,),
    "str": lambda: "x",
    "bytes": lambda: b"y",
    "bytearray": lambda: bytearray(b"z"),
    "deque": lambda: deque([1]),
    "int": lambda: 2,
    "float": lambda: 1.5,
    "None": lambda: None,
    "range": lambda: range(2),
}


def outcome(symbol, a, b):
    LOG.clear()
    try:
        if symbol == "+":
            a = a + b
        elif symbol == "*":
            a = a * b
        elif symbol == "-":
            a = a - b
        elif symbol == "<":
            a = a < b
        elif symbol == "==":
            a = a == b
        elif symbol == "+=":
            a += b
        else:
            a *= b
    except TypeError as error:
        a = str(error)
    return re.sub("0x[0-9a-f]+", "", f"{type(a).__name__} {a!r}"), list(LOG)


@pytest.mark.parametrize("name", ["Refusing", "Counted", "Reflected", "Row", "Late", "Word", "Number"])
@pytest.mark.parametrize("symbol", ["+", "*", "-", "<", "==", "+=", "*="])
def test_operands_are_asked_as_python_asks_them(name, symbol):
    users = make()
    converted = autograph.convert()(outcome)
    for other in (*PLAIN.values(), *users.values()):
        for sides in ((users[name], other), (other, users[name])):
            expected = outcome(symbol, *(side() for side in sides))
            before = registry.always_staging(True)
            found = converted(symbol, *(side() for side in sides))
            registry.always_staging(before)
            assert found == expected


def test_none_is_compared_with_objects():
    class Same:
        def __eq__(self, other):
            return NotImplemented

    def compare(x):
        return x == None, None == x, None != x, operator.eq(None, x)  # noqa: E711

    before = registry.always_staging(True)
    found = autograph.convert()(compare)(Same())
    registry.always_staging(before)
    assert found == (False, False, True, False)
