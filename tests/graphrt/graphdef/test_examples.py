"""Training examples are parsed as TensorFlow parses them.

Covers: graphrt/graphdef/example_messages.py, graphrt/graphdef/example_ops.py.
"""

import builtins
import json
import os

import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import example_cases as cases

with open(os.path.join(GOLDEN, "examples.json"), encoding="utf-8") as file:
    RECORDED = json.load(file)


def error_class(name):
    return getattr(tf.errors, name, None) or getattr(builtins, name)


def fits(ours, theirs):
    if isinstance(theirs, dict):
        return theirs.keys() == ours.keys() and all(fits(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, list) and isinstance(ours, list) and len(ours) == len(theirs):
        return all(fits(o, t) for o, t in zip(ours, theirs))
    return theirs is None or ours == theirs


@pytest.mark.parametrize("case", cases.CASES, ids=" ".join)
def test_parsed(case):
    got, want = cases.answer(tf, case), RECORDED[" ".join(case)]
    for way in ("eager", "graph"):
        if case[0] == "none" and way == "graph":  # TensorFlow makes no empty constant of strings
            continue
        if "error" in want[way]:
            assert "error" in got[way], (way, got[way])
            ours = error_class(got[way]["error"])
            assert issubclass(ours, error_class(want[way]["error"])) or {ours.__name__, want[way]["error"]} <= {
                "InvalidArgumentError",
                "ValueError",
                "TypeError",
                "DTypeMismatchError",
                "ShapeError",
            }
        else:
            assert got[way] == want[way], way
    if "static" in want:
        assert fits(got["static"], want["static"])
