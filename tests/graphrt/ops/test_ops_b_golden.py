"""Shape, indexing, linear algebra, network and string ops give what TensorFlow gives: values, dtypes, shapes, errors."""

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
from ops_b_cases import CASES  # noqa: E402

with open(os.path.join(GOLDEN, "ops_b.json")) as file:
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
            np.testing.assert_allclose([complex(v) for v in g["values"]], [complex(v) for v in w["values"]], rtol=2e-5)
        else:
            assert g["values"] == w["values"]


# What is done otherwise than in TensorFlow, and why.
EAGER_DIFFERS = {
    # an array of another dtype than announced is refused, as in a graph
    "tf.numpy_function(lambda x: np.float64(1.), [a], tf.float32)": {"error": "InvalidArgumentError"},
}
GRAPH_DIFFERS = {
    # a graph takes what an eager call takes
    "tf.reshape(a, 6)": {"shapes": [[6]]},
    "tf.reshape(a, tf.shape(a)[0] * 3)": {"shapes": [[None]]},
    "tf.debugging.assert_equal(a, 1)": {"shapes": [None]},
    # more is known
    "tf.expand_dims(a, b)": {"shapes": [[None, None, None]]},
    "tf.repeat(a, [1, 2], axis=-2)": {"shapes": [[3, 3]]},
    "tf.gather(a, b, axis=2, batch_dims=1)": {"shapes": [[2, 2, 1]]},
    "tf.nn.conv2d_transpose(a, tf.ones([2, 2, 3, 2]), [1, 10, 10, 3], 2)": {"shapes": [[1, 10, 10, 3]]},
    # unknown, where TensorFlow says 0
    "tf.linalg.diag(a, k=1)": {"shapes": [[None, None]]},
    # found while tracing
    "tf.reshape(a, [-1, -1])": {"error": "ValueError"},
    # returns an operation, which is None to the caller
    "tf.debugging.assert_near([1.], [1.1])": {"shapes": [None]},
}


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
    assert [runner.shape_of(v) for v in leaves] == want["shapes"]


@pytest.mark.parametrize("case", [c for c in CASES if "error" not in RECORDED[repr(c)]["eager"]
                                  and "error" not in RECORDED[repr(c)]["graph"]
                                  and "error" not in RECORDED[repr(c)]["run"]], ids=lambda c: c[0][:60])
def test_graph_gives_what_eager_gives(case):
    want = RECORDED[repr(case)]["eager"]
    specs = runner.specs_of(tf, case)
    f = tf.function(runner.function_of(tf, case), autograph=False, input_signature=specs)
    found = f(*[tf.constant(a[0], a[1]) for a in case[1:]])
    check_values(runner.values_of(found), want["result"])
