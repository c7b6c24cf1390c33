"""Tests of handlers in converted code: what cannot be staged is no error of Python's, and caught by its own name alone."""

import asyncio
import contextlib

import pytest

import autograph
import graphrt as tf
from autograph.errors import PythonOnlyConstructError, StagingError


class OwnError(Exception):
    pass


def refused(x):
    return len({x: 1})


def caught_with_all(x):
    try:
        return refused(x)
    except:  # noqa: E722
        return -1


def caught_as_exception(x):
    try:
        found = refused(x)
    except Exception as error:
        found = len(str(error))
    return found


def caught_as_its_base(x):
    try:
        found = refused(x)
    except (OwnError, (KeyError, TypeError)):
        found = -1
    return found


def caught_further_out(x):
    try:
        try:
            found = refused(x)
        except KeyError:
            found = -1
        finally:
            x += 1
    except ValueError:
        found = -2
    except BaseException:
        found = -3
    return found


@pytest.mark.parametrize("function", [caught_with_all, caught_as_exception, caught_as_its_base, caught_further_out])
def test_no_handler_of_pythons_errors_catches_it(function):
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="key of a dictionary") as raised:
        tf.function(function)(tf.constant(5))
    assert raised.value.__context__ is None


@pytest.mark.parametrize("kind", [StagingError, PythonOnlyConstructError, (KeyError, autograph.errors.AutoGraphError)])
def test_a_handler_that_names_it_does(kind):
    @tf.function
    def named(x):
        try:
            found = refused(x)
        except kind:
            found = -1
        return found

    assert named(tf.constant(5)).numpy() == -1


def errors_of_pythons(x):
    found = []
    try:
        found.append(x.numpy())
    except AttributeError:
        found.append(1)
    try:
        found.append({}["missing"])
    except Exception:
        found.append(2)
    try:
        found.append(1 if tf.stack([x, x]) > 0 else 0)
    except ValueError:
        found.append(3)
    try:
        raise OwnError
    except (OwnError, TypeError):
        found.append(4)
    return found


def test_what_python_raises_is_caught_as_ever():
    assert [v.numpy() for v in tf.function(errors_of_pythons)(tf.constant(5))] == [1, 2, 3, 4]


def test_it_is_caught_where_no_trace_is():
    @autograph.convert()
    def outside(x):
        try:
            return tf.function(refused)(x)
        except TypeError as error:
            return type(error).__name__

    assert outside(tf.constant(5)) == "OperatorNotAllowedInGraphError"


@tf.function
def half(n):
    try:
        return 0 if n <= 1 else half(n // 2) + 1
    except Exception:
        return -100


def test_a_function_that_is_being_learned_passes_handlers_too():
    assert half(tf.constant(20)).numpy() == 4


def test_a_handler_that_is_no_class_is_refused_as_python_does():
    @tf.function
    def wrong(x):
        try:
            return refused(x)
        except 5:
            return x

    with pytest.raises(TypeError, match="catching classes"):
        wrong(tf.constant(1))


class Swallowing:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


class SwallowingByNumber(Swallowing):
    def __exit__(self, *error):
        return 1


class Quiet(contextlib.suppress):
    pass


def stack_of(entered=None, pushed=None):
    stack = contextlib.ExitStack()
    if entered is not None:
        stack.enter_context(entered)
    if pushed is not None:
        stack.push(pushed)
    return stack


@pytest.mark.parametrize(
    "manager",
    [
        lambda: contextlib.suppress(Exception),
        Swallowing,
        SwallowingByNumber,
        lambda: Quiet(Exception),
        lambda: stack_of(contextlib.suppress(Exception)),
        lambda: stack_of(Swallowing()),
        lambda: stack_of(pushed=lambda *error: True),
    ],
)
def test_managers_that_swallow_errors_let_it_pass(manager):
    @tf.function
    def f(x):
        with manager():
            return refused(x)
        return x

    with pytest.raises(StagingError):
        f(tf.constant(5))


def test_managers_swallow_what_they_name_and_what_python_raises():
    @tf.function
    def f(x):
        with contextlib.suppress(StagingError):
            x = refused(x)
        with contextlib.suppress(KeyError, ValueError):
            x = {}[0]
        with Swallowing():
            x = [][0]
        return x

    assert f(tf.constant(5)).numpy() == 5


def test_an_exit_stack_is_entered_as_itself():
    @tf.function
    def f(x):
        told = []
        with contextlib.ExitStack() as stack:
            stack.callback(told.append, 1)
            stack.enter_context(contextlib.suppress(KeyError))
            x = {}[0]
        return x, len(told)

    assert [int(v) for v in f(tf.constant(5))] == [5, 1]


class SwallowingLater:
    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        return True


def test_asynchronous_managers_let_it_pass():
    @tf.function
    def f(x):
        async def inner():
            async with SwallowingLater():
                return refused(x)
            return x

        return asyncio.run(inner())

    with pytest.raises(StagingError):
        f(tf.constant(5))


def dropped_by_return(x):
    try:
        return refused(x)
    finally:
        return x  # noqa: B012


def dropped_by_break(x):
    for _ in range(2):
        try:
            x = refused(x)
        finally:
            x += 1
            if bool:
                break
    return x


def dropped_by_continue_after_cleaning_up(x):
    for _ in range(2):
        try:
            x = refused(x)
        finally:
            with contextlib.nullcontext():
                for _ in range(2):
                    break
                continue
    return x


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("function", [dropped_by_return, dropped_by_break, dropped_by_continue_after_cleaning_up])
def test_no_jump_out_of_finally_drops_it(function):
    with pytest.raises(StagingError):
        tf.function(function)(tf.constant(3))


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_a_jump_out_of_finally_drops_what_is_an_error_of_pythons():
    @tf.function
    def f(x):
        try:
            raise OwnError
        finally:
            return x + 1  # noqa: B012

    assert f(tf.constant(3)) == 4
    assert autograph.do_not_convert(f)(tf.constant(3)) == 4
