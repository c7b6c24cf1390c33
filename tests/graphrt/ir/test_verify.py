"""Every way in which a graph can be broken is noticed, and named."""

import pytest

from graphrt import errors
from graphrt.ir.graph import Graph, Value
from graphrt.ir.op import ops
from graphrt.ir.verify import verify
from graphrt.types import dtype as dtypes
from tests.graphrt.ir.hand_made import branches, loop, trace


def small():
    return trace(lambda x, y: ops.Neg(x + y), ("float32", (2,)), ("float32", (2,)))


def break_order(g):
    g.nodes[2], g.nodes[3] = g.nodes[3], g.nodes[2]


def break_foreign_input(g):
    g.nodes[3].inputs[0] = small().nodes[2].outputs[0]


def break_name(g):
    g.nodes[3].name = g.nodes[2].name


def break_owner(g):
    g.nodes[2].graph = Graph("other")


def break_arity(g):
    g.nodes[2].inputs.append(g.nodes[0].outputs[0])


def break_input_dtype(g):
    g.nodes[0].outputs[0].dtype = dtypes.int32


def break_output_dtype(g):
    g.nodes[2].outputs[0].dtype = dtypes.int32


def break_output_count(g):
    g.nodes[2].outputs.append(Value(g.nodes[2], 1, (), dtypes.float32))


def break_output_index(g):
    g.nodes[2].outputs[0].index = 1


def break_shape(g):
    g.nodes[2].outputs[0].dims = (3,)


def break_rule(g):
    g.nodes[1].outputs[0].dims = (5,)


def break_missing_attr(g):
    del g.nodes[2].attrs["T"]


def break_unknown_attr(g):
    g.nodes[2].attrs["nonsense"] = 1


def break_allowed(g):
    g.nodes[2].attrs["T"] = dtypes.resource


def break_control(g):
    g.nodes[2].controls = [g.nodes[3]]


def break_inputs(g):
    g.inputs.pop()


def break_inputs_twice(g):
    g.inputs.append(g.inputs[0])


def break_input_kind(g):
    g.inputs.append(g.nodes[2].outputs[0])


def break_outputs(g):
    g.outputs.append(small().outputs[0])


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (break_order, "is not made above it"),
        (break_foreign_input, "belongs to another graph"),
        (break_name, "two nodes are named"),
        (break_owner, "belongs to 'other'"),
        (break_arity, "takes 2 inputs here, 3 are given"),
        (break_input_dtype, "gives float32 here"),
        (break_output_dtype, "output 0 is int32, AddV2 gives float32 here"),
        (break_output_count, "gives 1 outputs here, the node has 2"),
        (break_output_index, "says that it is add:1"),
        (break_shape, "output 0 is f32[3], the shape rule says f32[2]"),
        (break_rule, "the shape rule refuses the inputs"),
        (break_missing_attr, "attribute 'T' is missing"),
        (break_unknown_attr, "AddV2 has no attribute 'nonsense'"),
        (break_allowed, "attribute 'T' is tf.resource, which AddV2 does not take"),
        (break_control, "control input 'Neg' does not stand above"),
        (break_inputs, "a placeholder is not among the inputs"),
        (break_inputs_twice, "an input is listed twice"),
        (break_input_kind, "is not a placeholder"),
        (break_outputs, "is not made by a node of it"),
    ],
)
def test_damage_is_noticed(damage, message):
    graph = small()
    verify(graph)
    damage(graph)
    with pytest.raises(errors.InternalError) as caught:
        verify(graph)
    assert message in str(caught.value)
    assert "graph 'f' is not valid" in str(caught.value)


def holder(graph):
    return next(n for n in graph.nodes if any(n.subgraphs()))


def break_branch_inputs(g):
    holder(g).attrs["then_branch"].inputs.pop()


def break_branch_outputs(g):
    holder(g).attrs["else_branch"].outputs.append(holder(g).attrs["else_branch"].outputs[0])


def break_branch_body(g):
    holder(g).attrs["else_branch"].nodes.reverse()


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (break_branch_inputs, "takes 1 inputs, 2 are given"),
        (break_branch_outputs, "which is not what the node gives"),
        (break_branch_body, "is not made above it"),
    ],
)
def test_damage_in_a_branch_is_noticed(damage, message):
    graph = branches()
    verify(graph)
    damage(graph)
    with pytest.raises(errors.InternalError) as caught:
        verify(graph)
    assert message in str(caught.value)


def test_condition_of_a_loop_gives_one_value():
    graph = loop()
    verify(graph)
    cond = holder(graph).attrs["cond"]
    cond.outputs = cond.outputs * 2
    with pytest.raises(errors.InternalError, match="gives 2 values instead of one"):
        verify(graph)


def test_value_of_a_constant_has_the_dtype_of_the_node():
    graph = trace(lambda x: x + 1.0, ("float32", ()))
    graph.nodes[1].attrs["value"] = graph.nodes[1].attrs["value"].astype("int32")
    with pytest.raises(errors.InternalError, match="the value is int32, the output float32"):
        verify(graph)


def test_message_shows_node_and_line():
    graph = small()
    break_shape(graph)
    with pytest.raises(errors.InternalError) as caught:
        verify(graph)
    text = str(caught.value)
    assert "%2: f32[3] = AddV2(%0, %1) as add" in text
    assert "test_verify.py:" in text
