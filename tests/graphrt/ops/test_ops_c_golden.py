"""Signals, images, sets and the wider linear algebra, networks and strings give what TensorFlow gives."""

import builtins
import json
import os
import sys

import numpy as np
import pytest

import graphrt as tf

GOLDEN = os.path.join(os.path.dirname(__file__), "..", "..", "golden")
sys.path.insert(0, GOLDEN)
import ops_b_runner as runner  # noqa: E402
from ops_c_cases import CASES  # noqa: E402

with open(os.path.join(GOLDEN, "ops_c.json")) as file:
    RECORDED = {entry["case"]: entry for entry in json.load(file)}


def error_class(name):
    return getattr(tf.errors, name, None) or getattr(builtins, name)


def check_values(got, want):
    assert len(got) == len(want)
    for g, w in zip(got, want):
        if w is None:
            assert g is None
            continue
        assert (g["dtype"], g["shape"]) == (w["dtype"], w["shape"])
        if w["dtype"].startswith(("float", "bfloat")):
            tolerance = 2e-2 if "16" in w["dtype"] else 2e-5
            np.testing.assert_allclose(g["values"], w["values"], rtol=tolerance, atol=tolerance)
        elif w["dtype"].startswith("complex"):
            np.testing.assert_allclose([complex(v) for v in g["values"]], [complex(v) for v in w["values"]], rtol=2e-5, atol=2e-5)
        else:
            assert g["values"] == w["values"]


# What is done otherwise than in TensorFlow, and why.
EAGER_DIFFERS: dict = {
    # the class of mistakes with dtypes
    "tf.image.convert_image_dtype(a, tf.string)": {"error": "TypeError"},
}
GRAPH_DIFFERS: dict = {
    # a constant is looked at while tracing
    "tf.image.adjust_hue(a, 3.)": {"error": "ValueError"},
    "tf.image.convert_image_dtype(a, tf.string)": {"error": "TypeError"},
}


def fits(ours, theirs):
    """Whether all that TensorFlow knows of a shape is known here, too (more may be)."""
    if theirs is None or ours is None:
        return theirs is None
    return len(ours) == len(theirs) and all(t is None or o == t for o, t in zip(ours, theirs))


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0][:60])
def test_eager(case):
    want = RECORDED[repr(case)]["eager"]
    if case[0] in EAGER_DIFFERS:
        want = EAGER_DIFFERS[case[0]]
    got, error = runner.run_eagerly(tf, case)
    if "error" in want:
        assert error is not None, got
        assert isinstance(error, error_class(want["error"])), repr(error)
    else:
        assert error is None, repr(error)
        check_values(got["result"], want["result"])


@pytest.mark.parametrize("case", CASES, ids=lambda c: c[0][:60])
def test_traced(case):
    want = RECORDED[repr(case)]["graph"]
    if case[0] in GRAPH_DIFFERS:
        want = GRAPH_DIFFERS[case[0]]
    f = tf.function(runner.function_of(tf, case), autograph=False)
    concrete, error = runner.outcome(lambda: f.get_concrete_function(*runner.specs_of(tf, case)))
    if "error" in want:
        assert error is not None, concrete
        assert isinstance(error, error_class(want["error"])), repr(error)
        return
    ran = RECORDED[repr(case)]["run"]
    if error is not None and "error" in ran:  # found while tracing already
        assert isinstance(error, error_class(ran["error"])), repr(error)
        return
    assert error is None, repr(error)
    leaves = concrete.structured_outputs
    leaves = list(leaves) if isinstance(leaves, (list, tuple)) else [leaves]
    assert all(fits(runner.shape_of(v), w) for v, w in zip(leaves, want["shapes"], strict=True))


@pytest.mark.parametrize("case", [c for c in CASES if "error" not in RECORDED[repr(c)]["eager"]
                                  and "error" not in RECORDED[repr(c)]["graph"]
                                  and "error" not in RECORDED[repr(c)]["run"]], ids=lambda c: c[0][:60])
def test_graph_gives_what_eager_gives(case):
    want = RECORDED[repr(case)]["eager"]
    specs = runner.specs_of(tf, case)
    f = tf.function(runner.function_of(tf, case), autograph=False, input_signature=specs)
    found = f(*[tf.constant(a[0], a[1]) for a in case[1:]])
    check_values(runner.values_of(found), want["result"])
