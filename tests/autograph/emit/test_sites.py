"""Sites are asked where the types of operands are not those they know, and change nothing else."""

from __future__ import annotations

import pytest

import autograph
from autograph.operators import attributes


class Point:
    def __init__(self, x):
        self.x = x

    @property
    def twice(self):
        return self.x * 2

    def __add__(self, other):
        return Point(self.x + other.x)


def read(p, xs):
    return p.twice, (p + p).x, xs[1:], -xs[0], 2 in xs, f"{p.x!r:>4}", [*xs], [x for x in xs]


def written(p, xs):
    p.x += xs[0]
    p.x, xs[1], *rest = xs[1], p.x, 5
    xs[0] = p.y = 4
    xs[1] += p.x
    del p.y, xs[2]
    return p.x, xs, rest, hasattr(p, "y")


@pytest.mark.parametrize("function", [read, written])
def test_values(function):
    converted = autograph.convert(recursive=False)(function)
    for _ in range(2):
        assert converted(Point(3), [1, 2, 3]) == function(Point(3), [1, 2, 3])


def test_sites_are_asked_unless_they_know_the_type(monkeypatch):
    asked = []

    def read_attribute(site, o):
        asked.append(site.name)
        site.kind = type(o)
        return getattr(o, site.name)

    monkeypatch.setattr(attributes.AttributeRead, "__call__", read_attribute)

    def total(points):
        found = 0
        for p in points:
            found += p.x
        return found

    assert autograph.convert(recursive=False)(total)([Point(1), Point(2), Point(3)]) == 6
    assert asked == ["x"]
