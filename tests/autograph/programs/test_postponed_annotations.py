"""Annotations of which Python keeps the text keep the user's."""

from __future__ import annotations

import dataclasses
import typing

import pytest

import autograph
from autograph.backends import registry


@pytest.fixture(params=[True, False])
def staging(request):
    before = registry.always_staging(request.param)
    yield
    registry.always_staging(before)


def classes(n):
    @dataclasses.dataclass
    class Point:
        kind: typing.ClassVar[str] = "point"
        x: int = n and 2
        y: not_defined or list[int] = None  # noqa: F821
        if n:
            z: n if n else 4 = 1

        def m(self, x: bar(n) and 2, *y: not n) -> zoo(1):  # noqa: F821
            z: qux(1) = x  # noqa: F821
            return z

    def g(x: n == 1 or n) -> not n:
        return x

    return (
        Point.__annotations__,
        [f.name for f in dataclasses.fields(Point)],
        Point.m.__annotations__,
        g.__annotations__,
    )


@pytest.mark.parametrize("n", [0, 1])
def test_texts_of_annotations(n, staging):
    assert autograph.convert(classes)(n) == classes(n)
