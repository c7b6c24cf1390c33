"""Programs for `tf.keras` give what they give in TensorFlow (Keras 3): recorded by tests/golden/record_keras.py.

Covers: graphrt/keras/layers/, graphrt/keras/metrics/, graphrt/keras/optimizers/.
"""

import json

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import keras_cases

RECORDED = json.loads((GOLDEN / "keras.json").read_text())
TOLERANCE = {"train": 2e-4, "progress": 2e-4, "seeded": 1e-5}


def same(found, wanted, tolerance, where):
    if isinstance(wanted, dict) and set(wanted) == {"shape", "dtype", "values"}:
        found = np.asarray(found)
        assert list(found.shape) == wanted["shape"], where
        assert found.dtype.kind == np.dtype(wanted["dtype"]).kind, where
        expected = np.array(wanted["values"], found.dtype).reshape(found.shape)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance, err_msg=where)
    elif isinstance(wanted, dict):
        assert {str(k) for k in found} == set(wanted), where
        for key in found:
            same(found[key], wanted[str(key)], tolerance, f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), f"{where}: {found} {wanted}"
        for i, (a, b) in enumerate(zip(found, wanted)):
            same(a, b, tolerance, f"{where}[{i}]")
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=tolerance, abs=tolerance, nan_ok=True), where
    else:
        assert found == wanted, where


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_as_tensorflow(name):
    tolerance = TOLERANCE.get(name.partition("_")[0], 3e-5)
    same(keras_cases.CASES[name](tf), RECORDED[name], tolerance, name)


def test_all_cases_are_recorded():
    assert set(RECORDED) == set(keras_cases.CASES)
