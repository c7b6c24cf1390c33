"""The gradient API and gradients of control flow give what TensorFlow 2.20 gave."""

import json

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import gradient_cases, gradient_programs

RECORDED = json.loads((GOLDEN / "gradients.json").read_text())
CASES = gradient_cases.run(tf)
PROGRAMS = {p.name: p for p in gradient_programs.make(tf)}


def same(found, wanted, where=""):
    if isinstance(wanted, dict) and "error" in wanted:
        assert isinstance(found, dict) and "error" in found, f"{where}: expected {wanted}, found {found}"
        kinds = [k for k in wanted["error"] if k not in ("Exception", "BaseException")]
        assert kinds[0] in found["error"], f"{where}: {found['error']} is no {kinds[0]}"
    elif (
        isinstance(wanted, list) and wanted and any(w is None or isinstance(w, (list, dict, str, bool)) for w in wanted)
    ):
        assert isinstance(found, list) and len(found) == len(wanted), f"{where}: {found} against {wanted}"
        for i, (f, w) in enumerate(zip(found, wanted)):
            same(f, w, f"{where}[{i}]")
    elif isinstance(wanted, dict):
        assert sorted(found) == sorted(wanted)
        for key in wanted:
            same(found[key], wanted[key], f"{where}[{key}]")
    elif wanted is None or isinstance(wanted, (str, bool)):
        assert found == wanted, f"{where}: {found} against {wanted}"
    else:
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-6, err_msg=where)


@pytest.mark.parametrize("name", RECORDED["cases"])
def test_case(name):
    same(CASES[name], RECORDED["cases"][name])


def weights(shape):
    return np.cos(np.arange(int(np.prod(shape)), dtype=np.float64) * 1.7 + 0.3).reshape(shape)


@pytest.mark.parametrize("name", [n for n, g in RECORDED["programs"].items() if "error" not in g])
def test_program(name):
    program, wanted = PROGRAMS[name], RECORDED["programs"][name]
    staged = tf.function(program.function)
    xs = [tf.constant(p, tf.float64) for p in program.inputs]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        results = [r for r in tf.nest.flatten(staged(*xs)) if r.dtype.is_floating]
    seeds = [tf.constant(weights(r.shape)) for r in results]
    found = tape.gradient(results, [*xs, *program.variables], seeds)
    for f, w in zip(results, wanted["values"], strict=True):
        np.testing.assert_allclose(f.numpy(), w, rtol=1e-9, atol=1e-12)
    for i, (f, w) in enumerate(zip(found, wanted["gradients"], strict=True)):
        if w is None or f is None:
            assert (f is None) == (w is None) or not np.any(w if f is None else f.numpy()), (
                f"source {i}: {f} against {w}"
            )
        else:
            np.testing.assert_allclose(f.numpy(), w, rtol=1e-9, atol=1e-12, err_msg=f"source {i}")
