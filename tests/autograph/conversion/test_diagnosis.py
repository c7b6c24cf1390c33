"""The reason why Python itself asks a staged value for its truth."""

import pytest

import autograph
from tests.autograph.backends import text_backend


class Asking(text_backend.Text):
    def __bool__(self):
        raise autograph.backends.truth_error(self.expression)


class AskingBackend(text_backend.TextBackend):
    staged_types = (Asking,)


@pytest.fixture
def x():
    backend = autograph.backends.register_backend(AskingBackend())
    yield Asking("a0")
    autograph.backends.unregister_backend(backend)


def plain_callee(x):
    if x:
        return 1


def in_generator(x):
    def values():
        if x:
            yield x

    return list(values())


def in_comprehension(x):
    return [1 for i in range(3) if x]


def in_locals(x):
    if x:
        return locals()


def in_assert(x):
    assert x


def in_call(x):
    return bytes([x]) if isinstance(x, int) else str.join("", [1 and bool.__new__(bool, x)])


@autograph.do_not_convert
def marked(x):
    return 1 if x else 2


def calls_marked(x):
    return marked(x)


class Key:
    def __init__(self, value):
        self.value = value

    def __hash__(self):
        return 1 if self.value else 2

    def __eq__(self, other):
        return True if self.value else other is self

    def __index__(self):
        return 1 if self.value else 0


class Equal(Key):
    def __hash__(self):
        return 3


def as_key(x):
    return {Key(x): 1}


def as_equal_keys(x):
    return {Equal(x), Equal(x)}


def as_index(x):
    return "ab"[Key(x)]


def out_of_finally(x):
    for _ in range(2):
        try:
            pass
        finally:
            if x:
                break  # noqa: B012


def out_of_what_stays(x):
    def values():
        for i in range(2):
            if x:
                return
            yield i

    return list(values())


def in_class(x):
    class A:
        if x:
            y = 1

    return A


def in_while(x):
    def values():
        while x:
            yield 1

    return list(values())


@pytest.mark.parametrize(
    "function, reason",
    [
        (in_generator, "the `if` at {} stays Python, because it holds `yield`; collect the values in a list"),
        (
            out_of_finally,
            "the `if` at {} stays Python, because it holds a jump out of a `finally`; move the jump behind",
        ),
        (
            out_of_what_stays,
            "the `if` at {} stays Python, because it holds a jump out of a statement that stays Python;",
        ),
        (
            in_class,
            "the `if` at {} stays Python, because it is in the body of a class; choose the value before the class",
        ),
        (as_key, "'__hash__' ({}) is not converted: keys of dictionaries and sets are found by their hash"),
        (as_equal_keys, "'__eq__' ({}) is not converted: keys and elements are compared by Python"),
        (as_index, "'__index__' ({}) is not converted: an index, a slice or a `range` needs the number itself"),
        (in_while, "the `while` at {} stays Python, because it holds `yield`"),
        (
            in_comprehension,
            "a condition in a comprehension at {} stays Python, because comprehensions are not converted",
        ),
        (in_locals, "the `if` at {} stays Python, because its function uses `locals`"),
        (in_assert, "the `assert` at {} stays Python; turn on Feature.ASSERT_STATEMENTS"),
        (in_call, "the call `bool.__new__(...)` at {} stays Python, because the function called needs the value"),
        (calls_marked, "'marked' ({}) is not converted: it is marked with do_not_convert"),
    ],
)
def test_reason(function, reason, x):
    with pytest.raises(autograph.errors.PythonOnlyConstructError) as caught:
        autograph.to_graph(function)(x)
    error = caught.value
    assert error.code == "AG203" and error.filename == __file__
    assert reason.format(f"{__file__}:{error.lineno}") in str(error)
    with open(__file__) as file:
        line = file.readlines()[error.lineno - 1]
    assert "x" in line or "self.value" in line


def test_unconverted_caller(x):
    with pytest.raises(
        autograph.errors.PythonOnlyConstructError, match="'plain_callee' .* is not converted: it was called by code"
    ):
        plain_callee(x)


def test_why_python():
    def method():
        return autograph.backends.why_python()

    assert "'test_why_python'" in method() and "is not converted" in method()


def endless(x):
    if x > 0:
        return endless(x - 1)
    return x


def test_a_recursion_that_no_staged_condition_ends(backend, monkeypatch):
    monkeypatch.setattr(text_backend.TextBackend, "unconverted_modules", (text_backend.__name__,))
    with pytest.raises(RecursionError) as caught:
        autograph.convert()(endless)(text_backend.Text("a0"))
    error = autograph.backends.recursion_error(caught.value, "Try a loop.")
    assert isinstance(error, autograph.errors.StagedRecursionError)
    assert error.lineno == endless.__code__.co_firstlineno + 2
    assert "'endless' calls itself" in str(error) and "Try a loop." in str(error)
    assert autograph.backends.recursion_error(error) is error


def test_a_recursion_without_staged_conditions_is_the_users_own():
    def deep(n):
        return deep(n + 1)

    with pytest.raises(RecursionError) as caught:
        autograph.convert()(deep)(0)
    assert autograph.backends.recursion_error(caught.value) is caught.value
