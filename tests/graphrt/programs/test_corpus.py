"""The corpus leaves the process: as a SavedModel that a fresh process runs, as a program of NumPy alone, and, as recorded,
in TensorFlow from its GraphDef and its SavedModel."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import graphrt as tf
from graphrt.export import to_program
from tests import GOLDEN, ROOT, whole
from tests.graphrt.export.onnx.programs import arrays, specs
from tests.graphrt.programs.corpus import CASES

RECORDED = json.loads((GOLDEN / "corpus.json").read_text())
RUNNER = """
import pickle, sys
import numpy as np
import graphrt as tf

folder = sys.argv[1]
with open(f"{folder}/inputs.pickle", "rb") as file:
    inputs = pickle.load(file)
found = {}
for name, given in inputs.items():
    loaded = tf.saved_model.load(f"{folder}/{name}")
    result = loaded.f(*[tf.constant(g) for g in given])
    found[name] = [np.asarray(t.numpy()) for t in tf.nest.flatten(result, expand_composites=True) if t is not None]
with open(f"{folder}/found.pickle", "wb") as file:
    pickle.dump(found, file)
"""


def flat(result):
    return [np.asarray(t.numpy()) for t in tf.nest.flatten(result, expand_composites=True) if t is not None]


def prepared(name):
    """The function, its trace, and the arrays to call it with."""
    function, given = CASES[name]
    traced = tf.function(function)
    return traced, traced.get_concrete_function(*specs(given)), arrays(given)


def called_anew(concrete, given):
    """What the trace gives; its variables are as before."""
    before = [v.numpy() for v in concrete.graph.variables]
    found = flat(concrete(*[tf.constant(a) for a in given]))
    for variable, value in zip(concrete.graph.variables, before):
        variable.assign(value)
    return found


def same(found, wanted):
    found, wanted = np.asarray(found), np.asarray(wanted)
    if wanted.dtype.kind in "OSU":
        return found.astype(object).tolist() == wanted.astype(object).tolist()
    return found.dtype == wanted.dtype and found.shape == wanted.shape and found.tobytes() == wanted.tobytes()


def test_the_corpus_is_large():
    assert len(CASES) >= 150


def test_tensorflow_runs_them():
    runs = RECORDED["runs"]
    assert sorted(runs) == sorted(CASES)
    failed = {
        n: r for n, r in runs.items() if not isinstance(r, dict) or any(not isinstance(v, float) for v in r.values())
    }
    assert failed == {}
    assert {n: r for n, r in runs.items() if max(r.values()) > (1e-3 if n == "more_halves" else 1e-4)} == {}


def test_a_fresh_process_runs_their_saved_models(tmp_path):
    import pickle

    inputs, wanted = {}, {}
    names = whole.some(CASES, 60)
    for name in names:
        traced, concrete, given = prepared(name)
        module = tf.Module()
        module.f, module.held = traced, list(concrete.graph.variables)
        tf.saved_model.save(module, tmp_path / name)
        inputs[name], wanted[name] = given, called_anew(concrete, given)
    (tmp_path / "inputs.pickle").write_bytes(pickle.dumps(inputs))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", RUNNER, str(tmp_path)], check=True, cwd=tmp_path, env=environment)
    found = pickle.loads((tmp_path / "found.pickle").read_bytes())
    wrong = [n for n in names if len(found[n]) != len(wanted[n]) or not all(map(same, found[n], wanted[n]))]
    assert wrong == []


@pytest.mark.parametrize("part", range(4))
def test_programs_of_numpy_alone_give_the_same_bits(part, tmp_path):
    wrong = {}
    for name in whole.some(sorted(CASES)[part::4], 20):
        _, concrete, given = prepared(name)
        path = tmp_path / f"p{part}.py"
        try:
            to_program(concrete, path, "run")
        except tf.errors.UnimplementedError as error:
            wrong[name] = str(error)
            continue
        namespace = {"__name__": "p", "__file__": str(path)}
        exec(compile(path.read_text(), str(path), "exec"), namespace)
        found = [v for v in leaves(namespace["run"](*given)) if v is not None]
        wanted = called_anew(concrete, given)
        if len(found) != len(wanted) or not all(map(same, found, wanted)):
            wrong[name] = f"{found}, not {wanted}"
    assert wrong == {}


def leaves(value):
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in leaves(value[key])]
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, (list, tuple)) else [value]
