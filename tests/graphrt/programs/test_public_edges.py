"""Public functions on edge values, at once, traced and traced without known ranks: TensorFlow's values and errors."""

import re

import pytest

import graphrt as tf
from tests import GOLDEN, public_edges, whole
from tests.golden import public_edge_causes as causes
from tests.golden import public_edge_runner as runner

GROUPS: dict[tuple[str, str], list[runner.Call]] = {}  # by the file, and how the text of a call begins
for _name in runner.files():
    for _call in runner.calls(_name):
        GROUPS.setdefault((_name, public_edges.start_of(_call.text)), []).append(_call)
RECORDED = {name: runner.recorded(name) for name in runner.files()}
MEANT = {name: public_edges.meant(name) for name in runner.files()}
TOGETHER = 20  # functions that one test is about: what is wrong says the call
BLOCKS = [(name, part) for name in runner.files() for part in range(0, sum(n == name for n, _ in GROUPS), TOGETHER)]
each_block = pytest.mark.parametrize(("name", "part"), BLOCKS)


def starts(name, part):
    return [start for n, start in GROUPS if n == name][part : part + TOGETHER]


@each_block
def test_as_tensorflow(name, part):
    wrong = []
    for call in (call for start in starts(name, part) for call in GROUPS[name, start]):
        for number, theirs in public_edges.usable(call, RECORDED[name][call.text]):
            ours = runner.eager(tf, call, number)
            told = public_edges.problem(ours, theirs)
            head = MEANT[name].get((call.text, number))
            if told and (head is None or not public_edges.is_meant(head, ours, theirs)):
                wrong.append(f"{call.text}: {number} {call.cases[number]}: {told}")
    assert not wrong, "\n".join(wrong)


def test_each_difference_has_a_cause_that_the_documents_tell():
    heads = {head for name in runner.files() for head in runner.differences(name)}
    assert heads == set(causes.KINDS_OF)
    text = (GOLDEN.parent.parent / "docs" / "differences.md").read_text(encoding="utf-8")
    assert re.findall(r"^  - \*(.+?)\*: ", text, re.M) == [c.name for c in causes.CAUSES]


@each_block
def test_traced_is_eager(name, part):
    wrong = []
    begun = starts(name, part)
    for start in begun if name != "gradients" else whole.some(begun, 5):  # they are long programs
        for turn, call in enumerate(GROUPS[name, start]):
            if public_edges.is_traced(call):
                cases = public_edges.usable(call, RECORDED[name][call.text])
                wrong += public_edges.differences_when_traced(call, whole.some((n for n, _ in cases), 1, turn))
    assert not wrong, "\n".join(wrong)
