"""A sample of random tensor programs: eager, traced and Python agree (2,000 of them: run the generator itself)."""

import importlib.util
import pathlib

import pytest

from tests import whole

PATH = pathlib.Path(__file__).parent / "generated_tensor_programs.py"
_SPEC = importlib.util.spec_from_file_location("generated_tensor_programs", PATH)
generator = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(generator)


@pytest.mark.parametrize("first", whole.some(range(0, 80, 10), 3))
def test_eager_is_traced_is_python(first):
    for seed in range(first, first + 10):
        generator.check(seed)


@pytest.mark.parametrize("first", whole.some(range(0, 60, 6), 3))
def test_programs_with_objects(first):
    for seed in range(first, first + 6):
        generator.check(seed, generator.object_programs.Writer)


def test_programs_have_control_flow():
    sources = [generator.writer(seed).source() for seed in range(80)]
    for word in (
        "if ",
        "for ",
        "while ",
        "else:",
        "break",
        "continue",
        " and ",
        " or ",
        "not ",
        "int(",
        "append(",
        "range(",
    ):
        assert sum(word in source for source in sources) > 3, word
