"""Programs that mix the constructs AutoGraph stages give as graphs what they give as Python on numbers and arrays."""

import contextlib
import io
import math

import numpy as np
import pytest

import autograph
import graphrt as tf
from tests import whole
from tests.graphrt.programs import staged_programs
from tests.graphrt.programs.comparing import plain

# Python has to know how many elements there are: how many names, or how many values of a tuple.
NEED_SHAPES = {"for_unpacks_rows", "comp_two_fors", "iter_next"}
NEED_ALL = {"tuple_compare", "printing"}  # `==` of tuples, `print` while the graph runs


def same(found, wanted):
    if isinstance(wanted, dict):
        return (
            isinstance(found, dict) and found.keys() == wanted.keys() and all(same(found[k], wanted[k]) for k in wanted)
        )
    if isinstance(wanted, list):
        return isinstance(found, list) and len(found) == len(wanted) and all(map(same, found, wanted))
    if type(found) is not type(wanted):
        return False
    return math.isclose(found, wanted, rel_tol=1e-5) if isinstance(wanted, float) else found == wanted


def run(function, arguments):
    """What a call returns, whether it raises, and what it prints."""
    out = io.StringIO()
    result, failed = None, False
    with contextlib.redirect_stdout(out):
        try:
            result = plain(function(*arguments))
        except (AssertionError, NameError, tf.errors.InvalidArgumentError):
            failed = True
    return result, failed, out.getvalue()


def agree(traced, program, calls):
    for call in calls:
        wanted = run(program, [a.copy() if isinstance(a, np.ndarray) else a for a in call])
        found = run(traced, [tf.constant(a) for a in call])
        assert same(found[0], wanted[0]) and found[1:] == wanted[1:], (call, found, wanted)


@pytest.mark.parametrize(
    ("program", "calls"),
    [pytest.param(*p, id=p[0].__name__) for p in staged_programs.PROGRAMS if p[0].__name__ not in NEED_ALL],
)
def test_graph_is_python(program, calls):
    agree(tf.function(program), program, calls)


@pytest.mark.parametrize(
    ("program", "calls"),
    whole.some(
        (pytest.param(*p, id=p[0].__name__) for p in staged_programs.PROGRAMS if p[0].__name__ not in NEED_SHAPES), 50
    ),
)
def test_graph_of_unknown_shapes_is_python(program, calls):
    """With every optional feature, and arrays of any length."""
    specs = [tf.TensorSpec([None] * np.ndim(a), tf.constant(a).dtype) for a in calls[0]]
    calls = [c for c in calls if all(tf.constant(a).dtype == s.dtype for a, s in zip(c, specs))]
    traced = tf.function(program, input_signature=specs, experimental_autograph_options=autograph.Feature.ALL)
    agree(traced, program, calls)
    assert traced.experimental_get_tracing_count() == 1
