"""What the generated programs look like."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import rewriting  # noqa: E402

import graphrt as tf  # noqa: E402, F401
from graphrt.executor import compile_graph  # noqa: E402
from graphrt.ir import verify  # noqa: E402
from graphrt.ir.parser import parse_graph  # noqa: E402

GOLDEN = pathlib.Path(__file__).parent / "programs.txt"
CASES = rewriting.cases(GOLDEN)


@pytest.mark.skipif(verify.ENABLED, reason="programs check their values under GRAPHRT_VERIFY=1")
@pytest.mark.parametrize(("name", "text"), [c[:2] for c in CASES], ids=[c[0] for c in CASES])
def test_program_text(name, text):
    rewriting.expect(GOLDEN, name, compile_graph(parse_graph(text)).source)


@pytest.mark.parametrize("text", [c[1] for c in CASES], ids=[c[0] for c in CASES])
def test_text_is_the_same_each_time(text):
    assert compile_graph(parse_graph(text)).source == compile_graph(parse_graph(text)).source
