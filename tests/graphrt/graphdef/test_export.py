"""What is traced here prints as what is traced in TensorFlow."""

import pytest
from goldens import NAMES, PROGRAMS, golden_text, normal_text, parse

import graphrt as tf
from graphrt.graphdef import to_text
from graphrt.ir.verify import verify


def traced(name):
    function, specs = PROGRAMS[name](tf)
    return function.get_concrete_function(*specs).graph


@pytest.mark.parametrize("name", NAMES)
def test_text_of_a_traced_program_is_tensorflows(name):
    graph = verify(traced(name))
    assert normal_text(graph.as_graph_def()) == normal_text(parse(golden_text(name)))


def test_simple_relu_prints_as_in_tensorflow_but_for_numbers():
    graph = traced("simple_relu")
    assert to_text(graph.as_graph_def()).startswith('node {\n  name: "x"\n  op: "Placeholder"\n')
