"""A seeded sample of random programs behaves the same converted, and so do those that once did not."""

from __future__ import annotations

import pytest

from tests.autograph.programs import found_differences, generated_programs


@pytest.mark.parametrize("first", range(20_000, 20_240, 40))
def test_programs_behave_the_same(first):
    for seed in range(first, first + 40):
        assert generated_programs.compare(seed) is None


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("name", found_differences.FOUND)
def test_found_differences(name, native):
    options, text = found_differences.FOUND[name]
    assert generated_programs.compare_text(found_differences.program(text), options, native) is None


def test_comparison_sees_a_difference(monkeypatch):
    """The comparison itself can fail."""
    changed = generated_programs.autograph.do_not_convert(lambda *args: None)
    monkeypatch.setattr(generated_programs.autograph, "convert", lambda f, **options: changed)
    assert any(generated_programs.compare(seed) for seed in range(10_000, 10_020))
