"""Blocks of generators are left whatever happens, and errors go on."""

import contextlib
import contextvars
import threading

import pytest

from autograph.backends import block, setting


@block
def noted(words, word="in"):
    try:
        words.append(word)
        yield from (len(words),)
    finally:
        words.remove(word)


def test_what_as_binds_and_what_is_left():
    words = []
    with noted(words) as first, noted(words, "on") as second:
        assert (first, second, words) == (1, 2, ["in", "on"])
    assert words == []


@pytest.mark.parametrize(
    "error", [ValueError("no"), KeyboardInterrupt(), StopIteration(3), GeneratorExit(), SystemExit()]
)
def test_errors_go_on(error):
    words = []
    with pytest.raises(type(error)) as told, noted(words):
        raise error
    assert told.value is error and words == []


def test_return_break_and_continue():
    words = []

    def run():
        for word in ("a", "b", "c"):
            with noted(words, word):
                if word == "a":
                    continue
                if word == "b":
                    break
        with noted(words):
            return list(words)

    assert run() == ["in"] and words == []


def test_an_error_where_it_is_entered_or_left():
    @block
    def bad(where):
        if where == "in":
            raise ValueError("in")
        yield from (None,)
        raise ValueError("out")

    with pytest.raises(ValueError, match="in"), bad("in"):
        raise AssertionError
    with pytest.raises(ValueError, match="out"), bad("out"):
        pass


def test_as_a_decorator_and_in_stacks():
    words = []

    @noted(words)
    def run():
        return list(words)

    assert run() == run() == ["in"] and words == []
    with contextlib.ExitStack() as stack:
        assert [stack.enter_context(noted(words, w)) for w in "ab"] == [1, 2]
    assert words == []


def test_a_block_is_entered_once():
    one = noted([])
    with one:
        pass
    with pytest.raises(RuntimeError, match="entered already"), one:
        pass


def test_one_that_is_forgotten_is_left():
    words = []
    one = noted(words)
    one.__enter__()
    assert words == ["in"]
    del one
    assert words == []


def test_settings_are_those_of_the_context():
    number = contextvars.ContextVar("number", default=0)
    inside = contextvars.copy_context()
    with setting(number, 1):
        assert (number.get(), inside.run(number.get)) == (1, 0)
    assert number.get() == 0


def test_a_variable_that_was_not_set_is_not_set_again():
    number = contextvars.ContextVar("number", default=0)
    with setting(number, 1), setting(number, 2):
        assert number.get() == 2
    assert number not in contextvars.copy_context() and number.get() == 0
    number.set(3)
    with setting(number, 4):
        pass
    assert number.get() == 3


def test_a_forgotten_block_that_another_thread_collects():
    variable = contextvars.ContextVar("variable", default=None)

    def steps():
        with setting(variable, None):
            yield

    found = []
    with setting(variable, "outer"):
        waiting = [steps()]
        next(waiting[0])
        thread = threading.Thread(target=lambda: (waiting.clear(), found.append(variable.get())))
        thread.start()
        thread.join()
    assert found == [None] and variable.get() is None
