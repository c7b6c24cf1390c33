"""Ragged and sparse tensors, strings, and the rarer ops of networks give what TensorFlow gives, eagerly and traced."""

import json
import math
import os
import sys

import pytest

import graphrt as tf

GOLDEN = os.path.join(os.path.dirname(__file__), "..", "..", "golden")
sys.path.insert(0, GOLDEN)
import more_ops_runner as runner  # noqa: E402

with open(os.path.join(GOLDEN, "more_ops.json"), encoding="utf-8") as file:
    RECORDED = json.load(file)

# Expressions that look at values, which a trace does not have.
EAGER_ONLY = ("numpy()", "to_list()", "list(", "cross", "bool(", "np.array(", "str(", "hash(", "static_lengths")


def fits(ours, theirs):
    """Whether all that TensorFlow knows of a shape is known here, too (more may be)."""
    one, two = ours.strip("(,)").split(","), theirs.strip("(,)").split(",")
    return len(one) == len(two) and all(t.strip() in ("None", o.strip()) for o, t in zip(one, two))


def same(ours, theirs):
    if isinstance(theirs, dict):
        if "error" in theirs:
            return "error" in ours and theirs["error"] in ours["error"]
        if not isinstance(ours, dict) or ours.keys() != theirs.keys():
            return False
        return all(fits(ours[k], theirs[k]) if k == "shape" else same(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, float) and isinstance(ours, (int, float)):
        return math.isclose(ours, theirs, rel_tol=3e-5, abs_tol=3e-5) or (math.isnan(ours) and math.isnan(theirs))
    return ours == theirs and type(ours) is type(theirs)


@pytest.mark.parametrize("case", list(RECORDED), ids=lambda c: c[:70])
def test_eager(case):
    got = runner.run(tf, case)
    assert same(got, RECORDED[case]), f"{got}\n{RECORDED[case]}"


def without_shape(value):
    """Static shapes may be less known in a trace, and of ragged tensors they are."""
    if isinstance(value, dict):
        return {k: without_shape(v) for k, v in value.items() if k != "shape"}
    return [without_shape(v) for v in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    "case",
    [c for c, v in RECORDED.items() if "error" not in v and "value" not in v and not any(w in c for w in EAGER_ONLY)],
    ids=lambda c: c[:70],
)
def test_traced(case):
    got = runner.run(tf, case, traced=True)
    assert same(without_shape(got), without_shape(RECORDED[case])), f"{got}\n{RECORDED[case]}"
