"""Calls of printed code that are made at once: nothing that is staged, or the user's, may get past the full way."""

from __future__ import annotations

import autograph.generated as ag__
from autograph.operators.quick_calls import converted_call
from tests.autograph.backends.text_backend import Text

SCOPE = ag__.FunctionScope("f", "fscope", ag__.STD)


class Sized:
    """Has a length that a function of the user's says."""

    seen: list[str] = []

    def __len__(self):
        self.seen.append("len")
        return 3


def plus_one(x):
    return x + 1


def test_plain_arguments():
    assert converted_call(len, ([1, 2],), None, SCOPE) == 2
    assert converted_call("A".lower, (), None, SCOPE) == "a"
    assert converted_call({1: 2}.get, (3, 4), None, SCOPE) == 4
    assert converted_call(int, ("12",), {"base": 3}, SCOPE) == 5


def test_staged_arguments(backend):
    assert "abs" in repr(converted_call(abs, (Text("t"),), None, SCOPE))
    assert repr(converted_call(plus_one, (Text("t"),), None, SCOPE)) == "Text((t + 1))"


def test_objects_of_the_users():
    assert converted_call(len, (Sized(),), None, SCOPE) == 3
    assert converted_call(max, ([Sized(), Sized()],), {"key": len}, SCOPE).seen[-1] == "len"


def test_methods():
    class Adding:
        def __init__(self, n):
            self.n = n

        def to(self, x):
            return self.n + x

    method = Adding(2).to
    assert [converted_call(method, (n,), None, SCOPE) for n in (1, 2)] == [3, 4]
    assert converted_call(str.upper, ("a",), None, SCOPE) == "A"


def test_a_function_whose_code_is_replaced(backend):
    assert [converted_call(replaced, (n,), None, SCOPE) for n in (1, 2)] == [1, 2]
    ag__.autograph_artifact(replaced)
    assert [converted_call(replaced, (n,), None, SCOPE) for n in (1, 2)] == [1, 2]
    replaced.__code__ = plus_one.__code__
    assert [converted_call(replaced, (n,), None, SCOPE) for n in (1, 2)] == [2, 3]
    assert repr(converted_call(replaced, (Text("t"),), None, SCOPE)) == "Text((t + 1))"


def replaced(x):
    return x


class Unhashable(type):
    """A metaclass whose classes cannot be hashed."""

    __hash__ = None


def test_classes_that_cannot_be_hashed():
    class Items(list, metaclass=Unhashable):
        pass

    items = Items()
    converted_call(items.append, (items,), None, SCOPE)
    assert converted_call(len, (items,), None, SCOPE) == 1
    assert converted_call(max, (1, items), {"key": id}, SCOPE) in (1, items)
