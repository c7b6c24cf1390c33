"""Bad arguments with stars, and names of lambdas: converted code says what Python says."""

from __future__ import annotations

import pytest

import autograph


def callee(*args, **kwargs):
    return args, kwargs


class Method:
    def method(self, *args, **kwargs):
        return args, kwargs

    def __call__(self, *args, **kwargs):
        return args, kwargs


CALLS = (
    lambda f, v: f(*v),
    lambda f, v: f(1, *v),
    lambda f, v: f(*v, 1),
    lambda f, v: f(*[1], *v),
    lambda f, v: f(**v),
    lambda f, v: f(a=1, **v),
    lambda f, v: f(**v, a=1),
    lambda f, v: f(*v, **v),
    lambda f, v: f(1, **{"a": 2}, **v),
)
VALUES = (3, None, {"a": 1}, {1: 2}, "ab", [1, 2], {}, (i for i in ()))


def outcome(call, *args):
    try:
        return call(*args)
    except Exception as error:
        return str(error)


@pytest.mark.parametrize("target", [callee, Method().method, Method(), max, int, print.__class__], ids=list("abcdef"))
@pytest.mark.parametrize("number", range(len(CALLS)))
def test_star_arguments(target, number):
    plain = CALLS[number]
    converted = autograph.convert(plain)
    for value in VALUES:
        if value == {1: 2} and (target is max or isinstance(target, type)):
            continue  # what is written in C looks at keywords in an order of its own
        expected, found = outcome(plain, target, value), outcome(converted, target, value)
        assert found == expected


def test_order_of_evaluation():
    log = []

    def note(x):
        log.append(x)
        return x

    def f():
        note(callee)(note(1), *note([2]), note(3), a=note(4), **note({"b": 5}), c=note(6))

    f()
    expected, log[:] = list(log), []
    autograph.convert(f)()
    assert log == expected


def test_lambda_with_a_folded_body_keeps_its_name():
    def f():
        return (lambda: 1 and 3), (lambda: 0 or (lambda: 2)), [lambda x=(lambda: 4): x, lambda: None]

    for original, converted in zip(flat(f()), flat(autograph.convert(f)())):
        assert (converted.__name__, converted.__qualname__) == (original.__name__, original.__qualname__)


def flat(functions):
    one, two, (three, four) = functions
    return one, two, two(), three, three(), four


def test_thunk_around_a_lambda_is_no_lambda():
    def f(x):
        return x or (lambda: 7) or 3

    assert autograph.convert(f)(0).__name__ == "<lambda>"
    assert autograph.convert(f)(0)() == 7
