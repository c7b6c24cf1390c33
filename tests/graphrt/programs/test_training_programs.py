"""The programs docs/examples/train_*.py learn what they are to learn, as in TensorFlow."""

import importlib
import json

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN, ROOT

DIGITS = ROOT / "tests" / "data" / "digits.npz"
RECORDED = json.loads((GOLDEN / "training.json").read_text())


@pytest.fixture
def program(monkeypatch):
    monkeypatch.setenv("DIGITS", str(DIGITS))
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "examples"))
    tf.keras.backend.clear_session()
    return importlib.import_module


def numbers(value):
    if isinstance(value, dict):
        return [v for key in sorted(value) for v in numbers(value[key])]
    return [v for part in value for v in numbers(part)] if isinstance(value, list) else [value]


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_curves_are_those_of_tensorflow(program, name):
    found = program(name).main(**RECORDED[name]["arguments"])
    assert found.keys() == RECORDED[name]["gives"].keys()
    np.testing.assert_allclose(numbers(found), numbers(RECORDED[name]["gives"]), rtol=2e-3, atol=2e-3)


def test_digits_are_told_in_one_function(program):
    assert program("train_digits_loop").main(epochs=8)["accuracy"] > 0.95


def test_digits_are_told_after_fit(program):
    assert program("train_digits_fit").main(epochs=6, verbose=0)["accuracy"] > 0.95


def test_fit_shows_its_progress(program, capsys):
    program("train_digits_fit").main(epochs=2, verbose=1)
    shown = capsys.readouterr().out
    assert "Epoch 2/2" in shown and "━━━━━━━━━━━━━━━━━━━━" in shown and "val_accuracy:" in shown


def test_marked_numbers_are_added(program):
    assert program("train_lstm_sequence").main(epochs=8, verbose=0)["test"] < 0.02


def test_newton_like_steps_reach_the_minimum(program):
    found = program("train_lbfgs").main()
    assert found["gradient"] < 1e-8 and found["steps"] < 30 and found["accuracy"] > 0.85


def test_one_step_fits_a_new_wave(program):
    found = program("train_maml").main(steps=100)
    assert np.mean(found["losses"][-20:]) < 0.8 * np.mean(found["losses"][:20]) and found["after"] < found["before"]


def test_digits_are_those_of_scikit_learn():
    datasets = pytest.importorskip("sklearn.datasets")
    digits = datasets.load_digits()
    with np.load(DIGITS) as archive:
        assert (archive["data"] == digits.data).all() and (archive["target"] == digits.target).all()
