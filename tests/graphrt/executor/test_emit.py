"""What the generated programs look like."""

import pathlib

import pytest

from graphrt.executor import compile_graph
from graphrt.ir import verify
from graphrt.ir.parser import parse_graph
from tests.graphrt import rewriting

GOLDEN = pathlib.Path(__file__).parent / "programs.txt"
CASES = rewriting.cases(GOLDEN)


@pytest.mark.skipif(verify.ENABLED, reason="programs check their values under GRAPHRT_VERIFY=1")
@pytest.mark.parametrize(("name", "text"), [c[:2] for c in CASES], ids=[c[0] for c in CASES])
def test_program_text(name, text):
    rewriting.expect(GOLDEN, name, compile_graph(parse_graph(text)).source)


@pytest.mark.parametrize("text", [c[1] for c in CASES], ids=[c[0] for c in CASES])
def test_text_is_the_same_each_time(text):
    assert compile_graph(parse_graph(text)).source == compile_graph(parse_graph(text)).source
