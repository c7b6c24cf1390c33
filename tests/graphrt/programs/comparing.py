"""What the tests that compare a graph with Python share."""

import numpy as np
import pytest


def plain(value):
    """A result as plain Python values; tuples as lists."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    value = value.numpy() if hasattr(value, "numpy") else value
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def collector(cases):
    """A decorator that puts a function and the arguments of its calls among the cases of a test.

    case = collector(CASES)

    @case((3,), (-3,))
    def f(x): ...
    """

    def case(*calls):
        def register(function):
            cases.append(pytest.param(function, calls, id=function.__name__))
            return function

        return register

    return case


def collector_of_functions(cases):
    """The same for functions that are all called alike."""

    def case(function):
        cases.append(pytest.param(function, id=function.__name__))
        return function

    return case
