"""Dropout gives TensorFlow's values, gradients, shapes and nodes for its seeds, and refuses what it refuses."""

import builtins
import importlib.util
import json
import os

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden.dropout_cases import CASES, look

with open(os.path.join(GOLDEN, "dropout.json")) as file:
    ROWS = [json.loads(line.rstrip(",\n")) for line in file if line.startswith("{")]
HAS_BFLOAT16 = importlib.util.find_spec("ml_dtypes") is not None

# TensorFlow fills None in `noise_shape` eagerly only, or where the size is known
MORE = ("noise_shape=[None, tf.constant(1)]", "noise_shape=[1, None]")
# TensorFlow writes the scrambling of the seed of a chosen algorithm out as 40 nodes
OTHER_NODES = ("rng_alg='philox'", "rng_alg=tf.random.Algorithm.PHILOX", "rng_alg=1")


def error_class(name):
    return getattr(tf.errors, name, None) or getattr(builtins, name)


def check(found, wanted):
    if "error" in wanted:
        assert "error" in found, found
        # a shape with None that nothing fills is a ValueError eagerly, and a TypeError in TensorFlow's graphs
        allowed = (ValueError,) if "elements of (None" in wanted["text"] else ()
        assert issubclass(error_class(found["error"]), (error_class(wanted["error"]), *allowed)), found
        return
    assert "error" not in found, found
    check_values(found, wanted)


def check_values(found, wanted):
    if isinstance(wanted, list):
        assert len(found) == len(wanted)
        for f, w in zip(found, wanted):
            check_values(f, w)
        return
    assert (found["dtype"], found["shape"]) == (wanted["dtype"], wanted["shape"])
    # one unit in the last place: TensorFlow's graphs multiply where the program divides by a constant
    assert [v == 0 for v in found["values"]] == [v == 0 for v in wanted["values"]]
    np.testing.assert_allclose(found["values"], wanted["values"], rtol=1.2e-7)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["case"]))
def test_as_tensorflow(row):
    expression, dtype, *_ = row["case"]
    if "bfloat16" in dtype and not HAS_BFLOAT16:
        pytest.skip("needs ml_dtypes: pip install 'graphrt[bfloat16]'")
    found = look(tf, row["case"])
    check(found["eager"], row["eager"])
    if expression.endswith(tuple(f"{m})" for m in MORE)) and "error" in row["run"]:
        assert np.shape(found["run"]) == (2,) and found["graph"]["dims"] == row["case"][3]
        return
    check(found["run"], row["run"])
    if "error" in row["graph"]:
        check(found["graph"], row["graph"])
        return
    assert found["graph"]["dims"] == row["graph"]["dims"]
    if not expression.endswith(tuple(f"{m})" for m in OTHER_NODES)):
        assert found["graph"]["nodes"] == row["graph"]["nodes"]


def test_all_cases_are_recorded():
    assert [row["case"] for row in ROWS] == [list(case) for case in CASES]


def test_a_rate_may_be_a_variable_and_has_a_gradient():
    rate = tf.Variable(0.5)
    x = tf.constant([1.0, 2.0, 3.0])
    tf.random.set_seed(1)
    with tf.GradientTape() as tape:
        kept = tf.nn.dropout(x, rate, seed=2)
        total = tf.reduce_sum(kept)
    mask = kept.numpy() != 0
    assert kept.numpy().tolist() == (x.numpy() * 2 * mask).tolist()
    assert tape.gradient(total, rate).numpy() == 4 * (x.numpy() * mask).sum()


def test_the_mean_stays_and_a_rate_near_one_drops_nearly_all():
    x = tf.ones([200_000])
    for rate in (0.1, 0.5, 0.9):
        dropped = tf.nn.dropout(x, rate, seed=4).numpy()
        assert abs((dropped == 0).mean() - rate) < 0.005 and abs(dropped.mean() - 1) < 0.02
    assert (tf.nn.dropout(x, 1 - 1e-12, seed=4).numpy() == 0).all()


def test_each_draw_of_a_function_differs_and_a_loop_draws_anew():
    @tf.function
    def masks(x):
        found = tf.TensorArray(tf.float32, size=3)
        for i in tf.range(3):
            found = found.write(i, tf.nn.dropout(x, 0.5))
        return found.stack()

    tf.random.set_seed(3)
    first, second = masks(tf.ones([50])).numpy(), masks(tf.ones([50])).numpy()
    assert len({row.tobytes() for row in (*first, *second)}) == 6


def test_a_mask_of_whole_rows_in_a_function_of_unknown_shapes():
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def rows(x):
        return tf.nn.dropout(x, 0.5, noise_shape=[None, 1], seed=1)

    found = rows(tf.ones([40, 3])).numpy()
    assert {tuple(row) for row in found.tolist()} == {(0, 0, 0), (2, 2, 2)}


def test_refusals_name_the_line_of_the_call():
    for call in (
        lambda: tf.nn.dropout([1, 2], 0.5),
        lambda: tf.nn.dropout([1.0], 2),
        lambda: tf.nn.dropout([1.0], "a"),
    ):
        with pytest.raises(ValueError, match="test_dropout.py:"):
            call()
