"""The statement `assert` of converted code (with `Feature.ASSERT_STATEMENTS`).

assert x > 0, 'no'    ->   ag__.assert_stmt(x > 0, lambda: 'no')
"""

from __future__ import annotations

from autograph.backends.own_builtins import OWN
from autograph.backends.protocol import Thunk
from autograph.backends.registry import backend_of

globals()["__builtins__"] = OWN


def assert_stmt(test: object, message_thunk: Thunk | None = None) -> None:
    """`assert test, message_thunk()`; without a message when there is no thunk."""
    backend = backend_of(test)
    if backend is not None:
        backend.assert_stmt(test, message_thunk or (lambda: "Assertion error"))
        return
    if test:
        return
    if message_thunk is None:
        raise AssertionError
    raise AssertionError(message_thunk())
