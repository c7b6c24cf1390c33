"""Calls drawn at random by `tests.random_calls`, with what TensorFlow gave: those that were once wrong here."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import graphrt as tf
from tests import public_edges, random_calls

RECORDED: dict[str, Any] = json.loads(random_calls.GOLDEN.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    return random_calls.scope(tf)


@pytest.mark.parametrize("text", RECORDED)
def test_recorded_calls(text: str, names: dict[str, Any]) -> None:
    if "bfloat16" in text:
        pytest.importorskip("ml_dtypes")
    wrong = public_edges.problem(random_calls.answer(tf, names, text), RECORDED[text])
    assert not wrong, f"{text}: {wrong}"


def test_calls_are_drawn_by_the_seed_and_most_of_them_work(names: dict[str, Any]) -> None:
    ((name, _, parameters),) = random_calls.functions((), ["math.mod"])
    drawn = [random_calls.drawn(tf, names, seed, 9, name, parameters) for seed in (1, 1, 2)]
    texts = [[text for text, _ in calls] for calls in drawn]
    assert texts[0] == texts[1] != texts[2]
    works = [text for text, found in drawn[0] if not isinstance(found, str)]
    assert len(works) >= 6 and all(text.startswith("tf.math.mod(") for text in works)


def test_one_argument_is_changed() -> None:
    ((_, _, parameters),) = random_calls.functions((), ["math.mod"])
    given = random_calls.Call("math.mod", (("", "C('int32', (), 1)"), ("y", "2")))
    found = [random_calls.changed(random.Random(seed), given, parameters) for seed in range(9)]
    assert all(len(f.arguments) == 2 for f in found) and any(f != given for f in found)
    assert all(sum(a != b for a, b in zip(f.arguments, given.arguments)) <= 1 for f in found)


@pytest.mark.parametrize("text", ["(nan+infj)", "(1-infj)", "(1+nanj)", "(-inf-2j)"])
def test_numbers_are_read_as_python_writes_them(text: str, names: dict[str, Any]) -> None:
    assert repr(eval(text, names)) == text
