"""Lets TensorFlow run what graphrt writes of the functions of `tests/graphrt/programs/corpus.py`, and keeps how it went.

    PYTHONPATH=. python -m tests.golden.record_corpus [NAME...]

with a Python that has TensorFlow 2.20. Each function goes through the bytes of its GraphDef and through a SavedModel; the
results are compared with graphrt's. `corpus.json` says for each: equal, or the largest difference, or the error.
"""

import json
import os
import pathlib
import sys
import tempfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow

import graphrt
from tests.golden.check_graphdef_runs import run_imported
from tests.graphrt.export.onnx.programs import arrays, specs
from tests.graphrt.programs.corpus import CASES

OUT = pathlib.Path(__file__).parent / "corpus.json"


def difference(found, wanted):
    """0 for what is equal, else the largest difference over the size of the numbers."""
    worst = 0.0
    for a, b in zip(found, wanted, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert a.shape == b.shape, f"shape {a.shape}, not {b.shape}"
        if b.dtype.kind in "OSb":
            assert a.astype(object).tolist() == b.astype(object).tolist(), f"{a}, not {b}"
        elif a.size and not np.array_equal(a, b, equal_nan=True):
            gap = np.abs(a.astype(np.float64) - b.astype(np.float64)) / np.maximum(1.0, np.abs(b.astype(np.float64)))
            worst = max(worst, float(np.nanmax(gap)))
    return worst


def flat(tf, result):
    return [np.asarray(t.numpy()) for t in tf.nest.flatten(result, expand_composites=True) if t is not None]


def module_of(function, concrete):
    module = graphrt.Module()
    module.f = function
    module.held = list(concrete.graph.variables)
    return module


def told(run):
    try:
        return run()
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"


def record(name):
    function, given = CASES[name]
    given_arrays = arrays(given)
    traced = graphrt.function(function)
    concrete = traced.get_concrete_function(*specs(given))
    variables = list(concrete.graph.variables)
    before = [v.numpy() for v in variables]
    with tempfile.TemporaryDirectory() as folder:
        graphrt.saved_model.save(module_of(traced, concrete), folder)
        theirs = [tensorflow.Variable(b) for b in before]
        wanted = flat(graphrt, concrete(*[graphrt.constant(a) for a in given_arrays]))
        for v, b in zip(variables, before):
            v.assign(b)

        def by_graph():
            return difference(run_imported(concrete, given_arrays, theirs), wanted)

        def by_saved_model():
            loaded = tensorflow.saved_model.load(folder)
            return difference(flat(tensorflow, loaded.f(*[tensorflow.constant(a) for a in given_arrays])), wanted)

        return {"graph_def": told(by_graph), "saved_model": told(by_saved_model)}


def main():
    names = sys.argv[1:] or sorted(CASES)
    found = {name: told(lambda name=name: record(name)) for name in names}
    for name, how in found.items():
        if not isinstance(how, dict) or any(not isinstance(v, float) or v > 1e-4 for v in how.values()):
            print(name, how, flush=True)
    if sys.argv[1:]:
        found = {**json.loads(OUT.read_text())["runs"], **found}
    OUT.write_text(json.dumps({"tensorflow": tensorflow.__version__, "runs": dict(sorted(found.items()))}, indent=1) + "\n")


if __name__ == "__main__":
    main()
