"""Whoever asks for a name of TensorFlow that is not there is told why (`types/missing`)."""

import contextlib
import importlib
import subprocess
import sys

import pytest

import graphrt as tf
from graphrt.types.missing import REASONS, missing_names, why_missing
from tests import ROOT

OLD_LINES = (ROOT / "graphrt/types/tensorflow1.txt").read_text().splitlines()
LINES = (ROOT / "graphrt/types/missing.txt").read_text().splitlines()


def there(space):
    """The module of a namespace, or None."""
    try:
        return tf if space == "tf" else importlib.import_module(f"graphrt.{space}")
    except ModuleNotFoundError:
        return None


def test_every_name_in_a_room_that_is_there_is_told():
    untold = []
    for line in LINES:
        space, *names = line.partition(": ")[2].split()
        module = there(space)
        for name in names if module is not None else ():
            try:
                getattr(module, name)
            except AttributeError as error:
                if "TensorFlow" not in str(error):
                    untold.append(f"{space}.{name}")
    assert not untold


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("keras.applications", "out of scope"),
        ("keras.datasets", "out of scope"),
        ("keras.layers.RandomHeight", "TF1"),
        ("data.experimental.service", "hardware"),
        ("keras.device", "hardware"),
        ("optimizers.legacy", "TF1"),
    ],
)
def test_reasons(name, reason):
    space, _, last = name.rpartition(".")
    with pytest.raises(AttributeError, match=rf"has no attribute '{last}'.*TensorFlow has it; {REASONS[reason]}"):
        getattr(there(space), last)


def test_names_of_tensorflow_1_are_told_with_what_took_their_place():
    untold, gone, without = [], [], 0
    for line in OLD_LINES:
        space, *names = line.split()
        module = there(space)
        for name, _, place in (n.partition("=") for n in names if module is not None):
            with contextlib.suppress(AttributeError):
                assert getattr(module, name)  # of Keras, whose names these are in TensorFlow 2
                continue
            with pytest.raises(AttributeError) as raised:
                getattr(module, name)
            said = f"tf.{place}" if place else "nothing"
            if f"of TensorFlow 1; in TensorFlow 2 {said} takes its place" not in str(raised.value):
                untold.append(f"{space}.{name}")
            without += not place
            if place:
                room, _, last = place.rpartition(".")
                if not hasattr(there(room or "tf"), last):
                    gone.append(place)
    assert not untold
    assert 0 < without < 400
    assert len(gone) < 5, gone  # what TensorFlow 2 has and graphrt has not


@pytest.mark.parametrize(
    ("name", "place"),
    [("tf.Session", "tf.function"), ("tf.log", "tf.math.log"), ("train.AdamOptimizer", "tf.keras.optimizers.Adam")],
)
def test_places_of_names_of_tensorflow_1(name, place):
    space, _, last = name.rpartition(".")
    with pytest.raises(
        AttributeError, match=f"has no attribute '{last}'. It is of TensorFlow 1; in TensorFlow 2 {place} takes"
    ):
        getattr(there(space), last)


def test_names_of_nobody():
    with pytest.raises(AttributeError, match="module 'graphrt.keras' has no attribute 'no_such_thing'$"):
        getattr(tf.keras, "no_such_thing")  # noqa: B009
    assert not why_missing("graphrt.keras", "no_such_thing")
    with pytest.raises(AttributeError, match="out of graphrt's scope"):
        missing_names("graphrt.keras")("datasets")
    assert not hasattr(tf.keras.layers, "RandomHeight")


@pytest.mark.parametrize(
    ("written", "meant"),
    [("tf.functon", "function"), ("tf.keras.layers.Dens", "Dense"), ("tf.raw_ops.MatMull", "MatMul"), ("tf.io.gfile.exist", "exists")],
)  # fmt: skip
def test_python_suggests_the_name_that_was_meant(written, meant):
    done = subprocess.run(
        [sys.executable, "-c", f"import graphrt as tf; {written}"], capture_output=True, text=True, cwd=ROOT
    )
    assert done.stderr.strip().endswith(f"Did you mean: {meant!r}?")
