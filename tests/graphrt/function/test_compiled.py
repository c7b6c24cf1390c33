"""`jit_compile` chooses a backend; what that makes of a trace runs in the place of the NumPy program."""

import sys
import types

import numpy as np
import pytest

import graphrt as tf
from graphrt.function import compiled


@pytest.fixture
def doubling(monkeypatch):
    """A backend that runs the NumPy program and doubles its results."""
    made = types.ModuleType("doubling_backend")
    made.compiled = []

    def compile(concrete):
        made.compiled.append(concrete)
        return lambda *raw: tuple(2 * r for r in concrete.program.function(*raw))

    made.compile = compile
    monkeypatch.setitem(sys.modules, "doubling_backend", made)
    monkeypatch.setitem(compiled.BACKENDS, "doubling", "doubling_backend")
    return made


def test_a_backend_runs_the_trace_by_every_way_into_it(doubling):
    f = tf.function(lambda x: x + 1, jit_compile="doubling")
    assert [f(tf.constant(1)).numpy().item() for _ in range(4)] == [4, 4, 4, 4]
    concrete = f.get_concrete_function(tf.constant(1))
    assert concrete(tf.constant(2)).numpy().item() == 6
    assert concrete(tf.constant(2)).numpy().item() == 6
    assert concrete.program(np.int32(1))[0] == 2
    assert doubling.compiled == [concrete]


def test_many_shapes_are_served_by_one_dispatcher(doubling):
    f = tf.function(lambda x: tf.reduce_sum(x), jit_compile="doubling")
    for _ in range(3):
        for n in range(1, 8):
            assert f(tf.ones([n])).numpy().item() == 2 * n


def test_unknown_backends_are_refused_by_name():
    with pytest.raises(ValueError, match="jit_compile must be one of True, False, None.*found 'cuda'"):
        tf.function(lambda x: x, jit_compile="cuda")
    with pytest.raises(ValueError, match="found 3"):
        tf.function(lambda x: x, jit_compile=3)


def test_false_and_none_run_the_numpy_program(doubling):
    for given in (False, None):
        f = tf.function(lambda x: x + 1, jit_compile=given)
        assert f(tf.constant(1)).numpy().item() == 2
    assert doubling.compiled == []
