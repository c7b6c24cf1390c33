"""Rewrites assertions, so that a staged condition is checked when the graph runs.

    assert c, m    ->    ag__.assert_stmt(c, lambda: m)
"""

from __future__ import annotations

from typing import Any

from autograph.converters.converter import Converter
from autograph.converters.thunks import can_be_thunk
from autograph.options import Feature
from autograph.pyct.origin import position_of
from autograph.pyct.quote import constant, quote


class Asserts(Converter):
    """Lowers `assert`."""

    feature = Feature.ASSERT_STATEMENTS

    def visit_Assert(self, node: Any) -> Any:
        message = node.msg
        if message is not None and not can_be_thunk(message):
            return node
        at = position_of(node)
        if message is None:
            message = constant("Assertion error", at)
        return quote("ag__.assert_stmt(test, lambda: message)", at, test=node.test, message=message)
