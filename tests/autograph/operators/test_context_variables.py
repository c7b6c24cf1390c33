"""A `ContextVar` that a staged branch or loop sets is set there, and nowhere else."""

import contextlib
import contextvars

import pytest

import graphrt as tf
from graphrt import errors
from tests.graphrt.programs.comparing import plain

NUMBER = contextvars.ContextVar("NUMBER", default=7)
UNSET = contextvars.ContextVar("UNSET")


def set_in_one_branch(x):
    NUMBER.set(x * 0)
    if x > 2:
        NUMBER.set(x)
    return NUMBER.get()


def set_where_it_was_not(x):
    if x > 2:
        NUMBER.set(x)
    if x > 4:
        UNSET.set(x)
    else:
        UNSET.set(-x)
    return NUMBER.get(), UNSET.get()


def reset_in_both(x):
    token = UNSET.set(x)
    inner = UNSET.set(x + 1)
    if x > 2:
        found = UNSET.get()
        UNSET.reset(inner)
    else:
        UNSET.reset(inner)
        found = UNSET.get() * 10
    between = UNSET.get()
    if x > 3:
        UNSET.reset(token)
    else:
        UNSET.reset(token)
    return found, between, UNSET.get(-1)


def reset_in_one(x):
    token = NUMBER.set(x)
    if x > 2:
        NUMBER.reset(token)
    return NUMBER.get()


@contextlib.contextmanager
def scaled(x):
    token = UNSET.set(x)
    try:
        yield
    finally:
        UNSET.reset(token)


def scopes_in_a_loop(x):
    total = 0
    while x > 0:
        with scaled(x):
            total += UNSET.get()
            if x % 2 == 0:
                with scaled(x * 2):
                    total += UNSET.get()
            total += UNSET.get()
        x -= 1
    return total, UNSET.get(-1)


def counted_in_a_loop(x):
    UNSET.set(0)
    for i in range(x):
        token = UNSET.set(UNSET.get() + i)
        if UNSET.get() > 8:
            UNSET.reset(token)
            break
        if i % 2:
            continue
        UNSET.set(UNSET.get() * 2)
    return UNSET.get()


PROGRAMS = [set_in_one_branch, set_where_it_was_not, reset_in_both, reset_in_one, scopes_in_a_loop, counted_in_a_loop]


@pytest.mark.parametrize("program", PROGRAMS)
def test_it_is_what_python_has(program):
    run = lambda f, x: contextvars.Context().run(lambda: plain(f(x)))
    for x in (0, 2, 3, 5):
        assert run(tf.function(program), tf.constant(x)) == run(program, x)


def test_nothing_is_left_where_a_trace_fails():
    @tf.function
    def f(x):
        if x > 2:
            UNSET.set(x)
            raise_it()
        return x

    def check():
        with pytest.raises(ZeroDivisionError):
            f(tf.constant(1))
        assert UNSET not in contextvars.copy_context()

    contextvars.Context().run(check)


def raise_it():
    return 1 // 0


def test_a_variable_that_only_some_paths_leave_set_is_refused():
    @tf.function
    def f(x):
        if x > 2:
            UNSET.set(x)
        return UNSET.get()

    with pytest.raises(
        errors.BranchMismatchError, match=r"'UNSET.get\(\)' must also be initialized in the else branch"
    ):
        contextvars.Context().run(f, tf.constant(1))
