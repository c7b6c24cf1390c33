"""Rows, chains, negations and ternaries ask the truth of their operands as often as Python does: programs written at random."""

from __future__ import annotations

import itertools
import linecache
import random

import pytest

import autograph
from autograph.backends import registry
from autograph.conversion import convert
from tests import whole

NAMES = "abcde"
PLACES = ["return {}", "if {}: return 1\n    return 2", "x = {}\n    return x", "while {}: return 1\n    return 2",
          "return not {}", "return [z for z in [1] if {}]", "return 1 if {} else 2", "assert {}\n    return 3"]  # fmt: skip


class Value:
    """Something that notes when it is asked for its truth."""

    def __init__(self, name, truth, log):
        self.name, self.truth, self.log = name, truth, log

    def __bool__(self):
        self.log.append(self.name)
        return self.truth

    def __lt__(self, other):
        return Value(f"{self.name} < {other.name}", self.truth and not other.truth, self.log)


def expression(pick, depth):
    kind = pick.random()
    if depth == 0 or kind < 0.2:
        return pick.choice(NAMES)
    if kind < 0.7:
        operands = [expression(pick, depth - 1) for _ in range(pick.choice((2, 2, 3)))]
        return f"({pick.choice((' and ', ' or ')).join(operands)})"
    if kind < 0.8:
        return f"(not {expression(pick, depth - 1)})"
    if kind < 0.87:
        return "({} < {} < {})".format(*(pick.choice(NAMES) for _ in range(3)))
    return "({} if {} else {})".format(*(expression(pick, depth - 1) for _ in range(3)))


def asked(function, truths):
    """What a call gives, and whose truth it asked for."""
    log = []
    try:
        found = function(*(Value(name, truth, log) for name, truth in zip(NAMES, truths)))
    except AssertionError:
        found = "failed"
    return getattr(found, "name", found), log


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("first", whole.some(range(0, 2000, 50), 2))
def test_truths_are_asked_as_often(monkeypatch, first, native):
    monkeypatch.setattr(convert, "FAST_PATHS", native)
    before = registry.always_staging(True)
    try:
        for seed in range(first, first + 50):
            pick = random.Random(seed)
            source = f"def f({', '.join(NAMES)}):\n    {pick.choice(PLACES).format(expression(pick, 3))}\n"
            filename = f"<truths {seed}>"
            linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
            scope = {}
            exec(compile(source, filename, "exec"), scope)
            converted = autograph.convert()(scope["f"])
            for truths in itertools.product((False, True), repeat=len(NAMES)):
                assert asked(converted, truths) == asked(scope["f"], truths), (source, truths)
    finally:
        registry.always_staging(before)
