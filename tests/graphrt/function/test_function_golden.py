"""How often functions are traced and what their signatures look like, compared with what TensorFlow did."""

from __future__ import annotations

import importlib.util
import json
import sys
import warnings

import pytest

import graphrt as tf
from tests import GOLDEN

_GOLDEN = GOLDEN
_spec = importlib.util.spec_from_file_location("function_cases", _GOLDEN / "function_cases.py")
cases = importlib.util.module_from_spec(_spec)
sys.modules["function_cases"] = cases  # dataclasses look their module up
_spec.loader.exec_module(cases)
RECORDED = json.loads((_GOLDEN / "function.json").read_text())
TRACES = cases.trace_cases(tf)
CONCRETE = cases.concrete_cases(tf)


@pytest.mark.parametrize("case", TRACES, ids=[c[0] for c in TRACES])
def test_number_of_traces(case):
    name, options, function, calls = case
    traced = tf.function(function, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tf.errors.RetracingWarning)
        for args, kwargs in calls * 2:  # the second round must find every trace
            traced(*args, **kwargs)
    expected = cases.DIFFERENT[name][0] if name in cases.DIFFERENT else RECORDED["traces"][name]
    assert traced.experimental_get_tracing_count() == expected


def test_every_case_was_recorded():
    assert sorted(RECORDED["traces"]) == sorted(c[0] for c in TRACES)


def test_deviations_are_real():
    for name, (count, _) in cases.DIFFERENT.items():
        assert RECORDED["traces"][name] != count


@pytest.mark.parametrize("case", CONCRETE, ids=[c[0] for c in CONCRETE])
def test_concrete_function(case):
    name, options, function, args, kwargs = case
    concrete = tf.function(function, **options).get_concrete_function(*args, **kwargs)
    expected = RECORDED["concrete"][name]
    assert concrete.pretty_printed_signature() == expected["pretty"]
    assert concrete.pretty_printed_signature(False) == expected["text"]
    assert [t.name for t in concrete.inputs] == expected["inputs"]
    assert repr(concrete.structured_input_signature) == expected["signature"]
    assert repr(concrete.output_dtypes) == expected["dtypes"]
    assert [[n.name, n.type] for n in concrete.graph.get_operations()] == expected["nodes"]


POLYMORPHISM = cases.polymorphism(tf)


@pytest.mark.filterwarnings("ignore::graphrt.errors.RetracingWarning")
@pytest.mark.parametrize("name", POLYMORPHISM)
def test_which_trace_serves_and_what_it_gives(name):
    assert POLYMORPHISM[name]() == RECORDED["polymorphism"][name]


def test_every_kind_of_argument_was_recorded():
    assert sorted(RECORDED["polymorphism"]) == sorted(POLYMORPHISM) and len(POLYMORPHISM) >= 150
