"""Each pass: golden texts, the graph stays valid, and it computes to the last bit what it did before.

Covers: graphrt/ir/copy.py, graphrt/ops/support/never_fails.py.
"""

import pathlib
import sys

import numpy as np
import pytest

import graphrt as tf
from graphrt import passes
from graphrt.ir.copy import copy_graph
from graphrt.ir.parser import parse_graph
from graphrt.ir.printer import graph_text
from graphrt.ir.verify import verify
from tests.graphrt import rewriting

HERE = pathlib.Path(__file__).parent
PASSES = {p.__name__: p for p in passes.PIPELINE}
CASES = [(p, name, text) for p in PASSES for name, text, _ in rewriting.cases(HERE / f"{p}.txt")]


def clock(text):
    return "Timestamp" in text


@pytest.mark.parametrize(("name", "case", "text"), CASES, ids=[f"{p}-{c}" for p, c, _ in CASES])
def test_pass_writes_the_expected_graph(name, case, text):
    graph = verify(parse_graph(text))
    PASSES[name](graph)
    verify(graph)
    rewriting.expect(HERE / f"{name}.txt", case, graph_text(graph))


@pytest.mark.parametrize(("name", "case", "text"), CASES, ids=[f"{p}-{c}" for p, c, _ in CASES])
def test_pass_says_whether_it_changed_anything(name, case, text):
    graph = parse_graph(text)
    before = graph_text(graph)
    changed = PASSES[name](graph)
    assert changed == (graph_text(graph) != before)
    assert not PASSES[name](graph)


@pytest.mark.parametrize(("name", "case", "text"), CASES, ids=[f"{p}-{c}" for p, c, _ in CASES])
def test_graph_computes_the_same_after_the_pass_and_after_all(name, case, text):
    graph = parse_graph(text)
    rewritten = copy_graph(graph)
    PASSES[name](rewritten)
    for seed in range(1 if clock(text) else 4):
        inputs = rewriting.inputs_for(graph, seed)
        wanted = rewriting.outcome(graph, inputs)
        if clock(text):
            continue
        assert rewriting.outcome(rewritten, inputs) == wanted
        assert rewriting.outcome(passes.run_passes(graph), inputs) == wanted


def test_the_traced_graph_is_not_changed():
    for _, _, text in CASES:
        graph = parse_graph(text)
        before = graph_text(graph)
        passes.run_passes(graph)
        assert graph_text(graph) == before


def test_every_pass_has_cases_and_a_docstring_with_before_and_after():
    for name, function in PASSES.items():
        assert sum(p == name for p, _, _ in CASES) >= 4
        assert "->" in sys.modules[function.__module__].__doc__


def test_passes_run_up_to_the_one_named():
    graph = parse_graph(CASES[0][2])
    assert "PartitionedCall" not in graph_text(passes.run_passes(graph, "inline_calls"))
    with pytest.raises(ValueError, match="there is no pass 'nothing'; the passes are inline_calls, remove_identities"):
        passes.run_passes(graph, "nothing")


def _nodes_of(function, *specs):
    graph = passes.run_passes(tf.function(function).get_concrete_function(*specs).graph)
    return [n.type for n in graph.nodes if n.type not in ("Placeholder", "Identity")]


def test_large_constants_are_computed_once():
    matrix = np.random.RandomState(0).rand(100, 100)

    def f(x):
        c = tf.constant(matrix)
        return x + tf.reduce_sum(tf.tanh(tf.matmul(c, c)) * 2.0, axis=0)

    assert _nodes_of(f, tf.TensorSpec([100], tf.float64)) == ["Const", "AddV2"]
    found = tf.function(f)(tf.zeros([100], tf.float64))
    np.testing.assert_array_equal(found, f(tf.zeros([100], tf.float64)))


def test_a_subgraph_of_constants_is_one_constant():
    weights = np.linspace(-1, 1, 64 * 64, dtype=np.float32).reshape(64, 64)

    @tf.function
    def f(x):
        w = tf.constant(weights)
        return x + tf.nn.softmax(tf.linalg.matrix_transpose(w) @ w) * 2.0 + tf.reduce_sum(w, axis=0)

    graph = passes.run_passes(f.get_concrete_function(tf.TensorSpec([64, 64])).graph)
    assert {n.type for n in graph.nodes} <= {"Placeholder", "Const", "AddV2", "Identity"}


def test_large_constants_are_computed_within_a_budget():
    matrix = np.random.RandomState(0).rand(300, 300)

    def grows(x):
        return x + tf.zeros([3000, 3000])

    def works(x):
        c = tf.constant(matrix)
        for _ in range(40):
            c = tf.matmul(c, c) / 300.0
        return x + c

    def decomposes(x):
        return x + tf.linalg.svd(tf.constant(matrix), compute_uv=False)

    assert "Const" in (found := _nodes_of(grows, tf.TensorSpec([]))) and len(found) > 2  # not a constant of 36 MB
    found = _nodes_of(works, tf.TensorSpec([300, 300], tf.float64))
    assert 0 < found.count("MatMul") < 40  # until the budget was spent
    assert "Svd" in _nodes_of(decomposes, tf.TensorSpec([300], tf.float64))


def test_texts_that_double_are_no_constants():
    def long():
        s = tf.constant("ab")
        for _ in range(40):
            s = tf.strings.join([s, s])
        return tf.strings.length(s)

    def f(x):
        return tf.cond(x > 0, long, lambda: tf.constant(1))

    assert tf.function(f)(tf.constant(-1)).numpy() == 1


def test_what_is_made_of_a_number_is_a_constant_when_something_is_computed_of_it():
    @tf.function
    def f(x):
        return x + (tf.nn.softmax(tf.ones([300, 300])) + tf.tanh(tf.ones([300, 300])))

    graph = passes.run_passes(f.get_concrete_function(tf.constant(1.0)).graph)
    assert {n.type for n in graph.nodes} == {"Placeholder", "Const", "AddV2"}
    expected = 1.0 + (tf.nn.softmax(tf.ones([300, 300])) + tf.tanh(tf.ones([300, 300])))
    assert f(tf.constant(1.0)).numpy().tobytes() == expected.numpy().tobytes()


# --- variables -------------------------------------------------------------------------------------------------------
def reads(function, *arguments):
    concrete = function.get_concrete_function(*arguments)
    rewritten = passes.run_passes(concrete.graph, until="read_variables_once")
    return sum(n.type == "ReadVariableOp" for n in rewritten.nodes)


def test_what_is_set_between_two_reads_of_another_captured_variable_does_not_matter():
    v, w = tf.Variable(1.0), tf.Variable(5.0)

    @tf.function
    def f(x):
        before = v + x
        w.assign_add(x)
        w.assign(w + v)
        return before + v + w

    assert reads(f, tf.constant(1.0)) == 2  # of v, and of w after the first update
    assert [float(f(1.0)), w.numpy(), float(f(2.0)), w.numpy()] == [10.0, 7.0, 14.0, 10.0]


def test_an_argument_may_be_a_captured_variable_or_another_argument():
    v, w = tf.Variable(1.0), tf.Variable(5.0)

    @tf.function
    def f(given):
        before = v.read_value()
        given.assign(before + 1.0)
        return before, v.read_value()

    @tf.function
    def g(a, b):
        before = a.read_value()
        b.assign(before + 1.0)
        return before, a.read_value()

    assert [float(t) for t in f(w)] == [1.0, 1.0]
    assert [float(t) for t in f(v)] == [1.0, 2.0]
    assert [float(t) for t in g(v, w)] == [2.0, 2.0]
    assert [float(t) for t in g(v, v)] == [2.0, 3.0]


def test_python_functions_and_calls_may_set_any_variable():
    v = tf.Variable(1.0)

    @tf.function
    def inner():
        v.assign_add(1.0)

    @tf.function
    def f(condition):
        a = v.read_value()
        tf.py_function(lambda: v.assign_add(1.0), [], [])
        b = v.read_value()
        inner()
        c = v.read_value()
        if condition:
            v.assign_add(1.0)
        return a, b, c, v.read_value()

    assert [float(t) for t in f(tf.constant(True))] == [1.0, 2.0, 3.0, 4.0]


def test_a_variable_set_in_a_loop_is_read_in_each_iteration():
    v = tf.Variable(1)

    @tf.function
    def f(n):
        total = v.read_value()
        for _ in tf.range(n):
            total += v
            v.assign_add(1)
            total += v
        return total + v

    assert int(f(3)) == 1 + (1 + 2) + (2 + 3) + (3 + 4) + 4


def test_a_capture_that_is_no_input_any_more_is_no_matter_to_a_copy():
    v = tf.Variable(1.0)
    graph = tf.function(lambda x: x + v).get_concrete_function(tf.constant(1.0)).graph
    (handle,) = graph.fixed_inputs()
    assert len(copy_graph(graph).fixed_inputs()) == 1
    graph.inputs.remove(handle)
    graph.nodes = [v.node for v in graph.inputs]
    graph.outputs = []
    assert not copy_graph(graph).fixed_inputs()
