"""A sample of random tensor programs: eager, traced and NumPy agree (2,000 of them: run the generator itself)."""

import importlib.util
import pathlib

import pytest

PATH = pathlib.Path(__file__).parent / "generated_tensor_programs.py"
_SPEC = importlib.util.spec_from_file_location("generated_tensor_programs", PATH)
generator = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(generator)


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_eager_is_traced_is_numpy(first):
    for seed in range(first, first + 10):
        generator.check(seed)


def test_programs_have_control_flow():
    sources = [generator.program(seed)[1] for seed in range(60)]
    for word in ("if ", "for ", "else:", "break", "continue"):
        assert sum(word in source for source in sources) > 3, word
