"""A seeded sample of random programs behaves the same converted."""

from __future__ import annotations

import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))

import generated_programs  # noqa: E402


@pytest.mark.parametrize("first", range(20_000, 20_120, 20))
def test_programs_behave_the_same(first):
    for seed in range(first, first + 20):
        assert generated_programs.compare(seed) is None


def test_comparison_sees_a_difference(monkeypatch):
    """The comparison itself can fail."""
    changed = generated_programs.autograph.do_not_convert(lambda: None)
    monkeypatch.setattr(generated_programs.autograph, "convert", lambda f: changed)
    assert any(generated_programs.compare(seed) for seed in range(10_000, 10_020))
