"""Each pass: golden texts, the graph stays valid, and it computes to the last bit what it did before."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
import rewriting  # noqa: E402

import graphrt as tf  # noqa: E402, F401
from graphrt import passes  # noqa: E402
from graphrt.ir.copy import copy_graph  # noqa: E402
from graphrt.ir.parser import parse_graph  # noqa: E402
from graphrt.ir.printer import graph_text  # noqa: E402
from graphrt.ir.verify import verify  # noqa: E402

HERE = pathlib.Path(__file__).parent
PASSES = {p.__name__: p for p in passes.PIPELINE}
CASES = [(p, name, text) for p in PASSES for name, text, _ in rewriting.cases(HERE / f"{p}.txt")]


def clock(text):
    return "Timestamp" in text


@pytest.mark.parametrize(("name", "case", "text"), CASES, ids=[f"{p}-{c}" for p, c, _ in CASES])
def test_pass_writes_the_expected_graph(name, case, text):
    graph = verify(parse_graph(text))
    PASSES[name](graph)
    verify(graph)
    rewriting.expect(HERE / f"{name}.txt", case, graph_text(graph))


@pytest.mark.parametrize(("name", "case", "text"), CASES, ids=[f"{p}-{c}" for p, c, _ in CASES])
def test_pass_says_whether_it_changed_anything(name, case, text):
    graph = parse_graph(text)
    before = graph_text(graph)
    changed = PASSES[name](graph)
    assert changed == (graph_text(graph) != before)
    assert not PASSES[name](graph)


@pytest.mark.parametrize(("name", "case", "text"), CASES, ids=[f"{p}-{c}" for p, c, _ in CASES])
def test_graph_computes_the_same_after_the_pass_and_after_all(name, case, text):
    graph = parse_graph(text)
    rewritten = copy_graph(graph)
    PASSES[name](rewritten)
    for seed in range(1 if clock(text) else 4):
        inputs = rewriting.inputs_for(graph, seed)
        wanted = rewriting.outcome(graph, inputs)
        if clock(text):
            continue
        assert rewriting.outcome(rewritten, inputs) == wanted
        assert rewriting.outcome(passes.run_passes(graph), inputs) == wanted


def test_the_traced_graph_is_not_changed():
    for _, _, text in CASES:
        graph = parse_graph(text)
        before = graph_text(graph)
        passes.run_passes(graph)
        assert graph_text(graph) == before


def test_every_pass_has_cases_and_a_docstring_with_before_and_after():
    for name, function in PASSES.items():
        assert sum(p == name for p, _, _ in CASES) >= 4
        assert "->" in sys.modules[function.__module__].__doc__


def test_passes_run_up_to_the_one_named():
    graph = parse_graph(CASES[0][2])
    assert "PartitionedCall" not in graph_text(passes.run_passes(graph, "inline_calls"))
    with pytest.raises(ValueError, match="there is no pass 'nothing'; the passes are inline_calls, remove_identities"):
        passes.run_passes(graph, "nothing")
