"""What is traced here prints as what is traced in TensorFlow.

Covers: graphrt/graphdef/effects.py.
"""

import numpy as np
import pytest
from google.protobuf.internal import api_implementation

import graphrt as tf
from graphrt.graphdef import import_graph_def, to_text
from graphrt.graphdef.schema import message_class
from graphrt.ir.printer import graph_text
from graphrt.ir.verify import verify
from tests.graphrt.graphdef.goldens import NAMES, PROGRAMS, golden_text, normal_text, parse

# TensorFlow leaves things in its graphs that mean nothing; ours are without them.
DEVIATIONS = {
    "collatz": "a Python number that becomes a loop variable leaves an unused constant in TensorFlow's body",
    "break_loop": "the same; and state has the order of the source, not of the alphabet",
    "cond_print": "a conditional without results gives a constant 0 in TensorFlow",
    "fizzbuzz": "the same",
    "variables": "the same",
    "rnn": "state has the order of the source, not of the alphabet",
    "rows": "an unused shape, and an unused constant as in collatz",
    "tensor_array": "one constant has another name",
    "asserts": "TensorFlow makes the message's constant twice",
    "gradients": "the rules of the gradients, and the names of their scopes, are our own",
    "strings": "TensorFlow puts the join into a scope of its own name",
}


def traced(name):
    function, specs = PROGRAMS[name](tf)
    return verify(function.get_concrete_function(*specs).graph)


@pytest.mark.parametrize("name", NAMES)
def test_text_of_a_traced_program_is_tensorflows(name):
    same = normal_text(traced(name).as_graph_def()) == normal_text(parse(golden_text(name)))
    assert same == (name not in DEVIATIONS), DEVIATIONS.get(name)


@pytest.mark.parametrize("name", NAMES)
def test_exported_graph_comes_back(name):
    message = traced(name).as_graph_def()
    again = verify(import_graph_def(message.SerializeToString()))
    assert to_text(again.as_graph_def()) == to_text(message)


@pytest.mark.skipif(api_implementation.Type() == "python", reason="there protobuf prints maps as they were filled")
def test_print_of_a_graph_def_is_its_text():
    graph = traced("simple_relu")
    text = to_text(graph.as_graph_def())
    assert str(graph.as_graph_def()) == text
    assert text.startswith('node {\n  name: "x"\n  op: "Placeholder"\n')
    assert text.endswith("versions {\n  producer: 2288\n  min_consumer: 12\n}\n")


def test_text_is_the_same_each_time():
    graph = traced("fizzbuzz")
    assert to_text(graph.as_graph_def()) == to_text(graph.as_graph_def())
    assert graph_text(graph) == graph_text(graph)


def test_add_shapes():
    message = traced("simple_relu").as_graph_def(add_shapes=True)
    nodes = [*message.node, *(n for f in message.library.function for n in f.node_def)]
    assert all("_output_shapes" in n.attr for n in nodes)
    assert len(next(n for n in nodes if n.op == "StatelessIf").attr["_output_shapes"].list.shape) == 2
    assert all("_input_shapes" in f.attr for f in message.library.function)


def test_small_captured_tensors_are_written_as_constants():
    small, large = tf.constant([1.0, 2.0]), tf.ones([129])

    @tf.function
    def f(x):
        return x * small, x * large

    message = f.get_concrete_function(tf.TensorSpec([], tf.float32)).graph.as_graph_def()
    found = {n.name: n.op for n in message.node}
    assert found["mul/y"] == "Const" and found["mul_1/y"] == "Placeholder"
    assert np.frombuffer(message.node[1].attr["value"].tensor.tensor_content, np.float32).tolist() == [1.0, 2.0]


def test_node_def_of_an_operation():
    @tf.function
    def f(x):
        tf.print(x)
        return x + 1

    graph = f.get_concrete_function(tf.TensorSpec([], tf.int32)).graph
    add = graph.get_operation_by_name("add").node_def
    assert (add.name, add.op, list(add.input)) == ("add", "AddV2", ["x", "add/y"])
    assert list(graph.get_operation_by_name("Identity").node_def.input) == ["add", "^NoOp"]
    assert add == next(n for n in graph.as_graph_def().node if n.name == "add")


def test_function_def_of_a_concrete_function():
    function, specs = PROGRAMS["simple_relu"](tf)
    concrete = function.get_concrete_function(*specs)
    message = concrete.function_def
    assert message.signature.name == concrete.graph.name
    assert [a.name for a in message.signature.input_arg] == ["x"]
    assert dict(message.ret) == {"identity": "Identity:output:0"}


def test_two_functions_of_one_name_stay_apart():
    graph = traced("early_return")
    held = list(graph.functions().values())
    assert len(held) > 2
    for function in held:
        function.name = "same"
    message = graph.as_graph_def()
    assert sorted(f.signature.name for f in message.library.function) == [
        "same", *(f"same_{i}" for i in range(1, len(held)))
    ]  # fmt: skip
    verify(import_graph_def(message))


def edges(function, *specs):
    message = function.get_concrete_function(*specs).graph.as_graph_def()
    return {n.name: [i[1:] for i in n.input if i.startswith("^")] for n in message.node}


def test_control_edges_follow_reads_and_writes_of_each_variable():
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def f(x):
        v.assign_add(x)
        a = v.read_value()
        b = v.read_value()
        w.assign_sub(x)
        v.assign(a + b)
        return a

    found = edges(f, tf.TensorSpec([], tf.float32))
    reads = [n for n in found if "ReadVariableOp" in n]
    assert len(reads) == 2
    assert all(found[r] == ["AssignAddVariableOp"] for r in reads)
    assert found["AssignSubVariableOp"] == []
    assert found["AssignVariableOp"] == sorted(["AssignAddVariableOp", *reads])
    assert found["NoOp"] == sorted(["AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp", *reads])


def test_a_loop_that_prints_and_writes_keeps_its_place_among_both():
    v = tf.Variable(0)

    @tf.function
    def f(n):
        tf.print("before")
        v.assign(n)
        for i in tf.range(n):
            v.assign_add(i)
            tf.print(i)
        tf.print("after")
        return v.read_value()

    found = edges(f, tf.TensorSpec([], tf.int32))
    assert found["while"] == ["AssignVariableOp", "PrintV2"]
    assert found["PrintV2_1"] == ["while"]
    assert [found[n] for n in found if "ReadVariableOp" in n] == [["while"]]


def test_nothing_happens_after_a_failed_assertion():
    v = tf.Variable(0)

    @tf.function
    def f(x):
        tf.debugging.Assert(x > 0, [x])
        v.assign(x)
        tf.print("done")
        return x

    found = edges(f, tf.TensorSpec([], tf.int32))
    assertion = next(n for n in found if n.startswith("Assert/Assert") and "data" not in n and "Guard/" not in n)
    assert found["AssignVariableOp"] == [assertion]
    assert found["PrintV2"] == [assertion]


def test_random_ops_are_not_ordered():
    @tf.function
    def f():
        return tf.random.uniform([]) + tf.random.uniform([])

    assert all(not e for e in edges(f).values())


def test_message_of_another_pool_is_refused_by_none():
    data = traced("add_one").as_graph_def().SerializeToString(deterministic=True)
    assert message_class("GraphDef").FromString(data).node[0].name == "x"
