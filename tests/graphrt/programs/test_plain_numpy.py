"""Plain NumPy programs, decorated: equal to NumPy's own results, with their control flow in the graph."""

import importlib.util
import math

import numpy as np
import pytest

import graphrt as tf
from tests import ROOT

PATH = ROOT / "docs" / "examples" / "plain_numpy.py"
_SPEC = importlib.util.spec_from_file_location("plain_numpy_example", PATH)
example = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(example)


@pytest.mark.parametrize("program", list(example.PROGRAMS), ids=lambda p: p.__name__)
def test_equals_numpy(program):
    arguments = example.PROGRAMS[program]
    specs = [tf.TensorSpec([None] * np.ndim(a), np.asarray(a).dtype) for a in arguments]
    if program is example.page_rank:
        specs[0] = tf.TensorSpec([6, 6], np.float64)
    concrete = tf.function(program).get_concrete_function(*specs)
    found = concrete(*[tf.constant(a) for a in arguments])
    for ours, theirs in zip(tf.nest.flatten(found), tf.nest.flatten(program(*arguments)), strict=True):
        np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-12)
    types = {op.type for op in concrete.graph.get_operations()}
    assert any(example.LOOPS[program] in t for t in types), types


def test_example_runs(capsys):
    example.main()
    assert capsys.readouterr().out.count("equals NumPy") == len(example.PROGRAMS)


@pytest.mark.parametrize("call", [
    lambda n, x: np.zeros(n), lambda n, x: np.zeros((n, 2), np.int32), lambda n, x: np.ones(n), lambda n, x: np.full(n, 7.0),
    lambda n, x: np.arange(n), lambda n, x: np.arange(1, n), lambda n, x: np.eye(n), lambda n, x: math.sqrt(x),
    lambda n, x: math.exp(x), lambda n, x: math.floor(x), lambda n, x: math.ceil(x), lambda n, x: math.pow(x, 2),
    lambda n, x: math.hypot(x, 1.0), lambda n, x: math.log(x), lambda n, x: math.log(x, 3), lambda n, x: math.isnan(x),
    lambda n, x: math.sqrt(n), lambda n, x: math.atan2(x, 2.0), lambda n, x: np.full((2, n), x),
])  # fmt: skip
def test_functions_of_symbolic_sizes_and_numbers(call):
    """np.zeros(n), math.sqrt(x): dtype and value are those of Python's and NumPy's own call."""
    n, x = np.int64(4), np.float64(2.5)
    found = tf.function(call)(tf.constant(n), tf.constant(x))
    wanted = np.asarray(call(n, x))
    assert found.dtype.as_numpy_dtype == wanted.dtype.type
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12)


def test_plain_values_keep_pythons_meaning():
    assert tf.function(lambda: (math.sqrt(4.0), np.zeros(2).tolist()))()[0].numpy() == 2.0
