"""A seeded sample of random programs behaves the same converted, and so do those that once did not."""

from __future__ import annotations

import ast

import pytest

from tests import whole
from tests.autograph.programs import faults_of_python, found_differences, generated_programs


@pytest.mark.parametrize("first", whole.some(range(20_000, 20_240, 20), 2))
def test_programs_behave_the_same(first):
    for seed in range(first, first + 20):
        assert generated_programs.compare(seed) is None


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("name", found_differences.FOUND)
def test_found_differences(name, native):
    options, text = found_differences.FOUND[name]
    assert generated_programs.compare_text(found_differences.program(text), options, native) is None


MIXED_UP = """
def make(d=5):
    def f():
        nonlocal d
        found = [next((d for a in [d]), 7) for d in [False]]
        return d
    return f
"""


def test_faults_of_python():
    """CPython has the fault where it is said to, and names of its own mend it."""
    answers = []
    for program in (ast.parse(MIXED_UP), faults_of_python.without_mixing(MIXED_UP)):
        namespace = {}
        exec(compile(program, "<mixed>", "exec"), namespace)
        answers.append(namespace["make"]()())
    assert answers == [False if faults_of_python.HAS_FAULTS else 5, 5]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("seed", [3000007, 4000125, 4000317])
def test_programs_that_python_mixes_up(seed):
    assert generated_programs.compare(seed) is None


def test_comparison_sees_a_difference(monkeypatch):
    """The comparison itself can fail."""
    changed = generated_programs.autograph.do_not_convert(lambda *args: None)
    monkeypatch.setattr(generated_programs.autograph, "convert", lambda f, **options: changed)
    assert any(generated_programs.compare(seed) for seed in range(10_000, 10_020))
