"""Jumps out of `with` statements whose managers fail or swallow."""

from __future__ import annotations

import pytest

import autograph


class Manager:
    def __init__(self, mode):
        self.mode = mode

    def __enter__(self):
        return self

    def __exit__(self, kind, error, tb):
        if self.mode == "fail":
            raise ValueError("exit")
        return self.mode == "swallow"


MODES = ("swallow", "fail", "")


def returns(a, b):
    with Manager(a), Manager(b):
        return 1
    return 2


def breaks(a, b):
    seen = []
    for i in range(3):
        with Manager(a), Manager(b) as both:
            if i == 1:
                break
            continue
        seen.append((i, both.mode))
    return seen, i


def three(a, b):
    with Manager("swallow"), Manager(a), Manager(b):
        if a:
            return a
        return b
    return "none"


def unset(a, b):
    with Manager(a), Manager(b):
        value = 1 // 0
    return value


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("b", MODES)
@pytest.mark.parametrize("a", MODES)
@pytest.mark.parametrize("function", [returns, breaks, three, unset])
def test_as_python_does(function, a, b):
    assert outcome(autograph.convert(function), a, b) == outcome(function, a, b)


def lambda_in_an_update(a, b):
    if a == "never":
        missing = 1
    total = 0
    total += (lambda d: sum(1 for missing in range(missing)))(b)
    return total


def deleted_before_the_lambda_runs(a, b):
    kept = []
    value = 1
    total = 0
    total += len([kept.append(lambda: value)])
    if a:
        del value
    return total + kept[0]()


@pytest.mark.parametrize("a", MODES)
@pytest.mark.parametrize("function", [lambda_in_an_update, deleted_before_the_lambda_runs])
def test_lambdas_read_variables_without_a_value(function, a):
    assert outcome(autograph.convert(function), a, 1) == outcome(function, a, 1)
