"""Files of HDF5 that would stop the process are refused, where the seconds are limited."""

import zlib

import numpy as np
import pytest

import graphrt as tf
from graphrt.keras.models import rehearsal
from tests import ROOT

pytest.importorskip("h5py")


@pytest.fixture
def model():
    return tf.keras.Sequential([tf.keras.Input([3]), tf.keras.layers.Dense(2)])


def test_a_file_that_the_library_never_finishes(model, tmp_path):
    path = tmp_path / "endless.weights.h5"  # listing one of its groups takes all memory, and then goes on
    path.write_bytes(zlib.decompress((ROOT / "tests" / "data" / "endless.weights.h5.zlib").read_bytes()))
    before = [v.numpy() for v in model.variables]
    with tf.config.limits(seconds=20), pytest.raises(ValueError, match=r"endless\.weights\.h5.*damaged"):
        model.load_weights(path)
    assert all(map(np.array_equal, before, model.variables))


def test_a_sound_file_is_read(model, tmp_path):
    path = tmp_path / "w.weights.h5"
    model.save_weights(path)
    model.set_weights([v.numpy() + 1 for v in model.variables])
    saved = [v.numpy() for v in model.variables]
    model.save_weights(path)
    model.set_weights([0 * v for v in saved])
    with tf.config.limits(seconds=60):
        model.load_weights(path)
    assert all(map(np.array_equal, saved, model.variables))


def test_what_takes_too_long_or_is_none(model, tmp_path):
    path = tmp_path / "w.weights.h5"
    model.save_weights(path)
    assert "has not read it within 1e-06 seconds" in rehearsal.refusal(path.read_bytes(), 1e-6, 100)
    assert "file signature not found" in rehearsal.refusal(b"none", 60, 100)
    assert rehearsal.refusal(path.read_bytes(), 60, 0) is None
