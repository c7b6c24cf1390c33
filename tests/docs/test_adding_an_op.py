"""docs/adding_an_op.md: the declaration is all that the eager call, the trace, the gradient and the passes read."""

import re

import numpy as np
import pytest

import graphrt as tf
from graphrt.ir.op import ELEMENTWISE, QUIET, REGISTRY, define
from graphrt.ops.math.arithmetic import Mul
from graphrt.ops.support.shape_rules import same_shape
from graphrt.types.dtype import FLOATING


@pytest.fixture
def toy():
    """`x ** 3` as a family would declare it."""
    yield define(
        "ToyCube", "x: T -> y: T", allowed={"T": FLOATING}, infer=same_shape, kernel=lambda x: x * x * x,
        vjp=lambda call, g: [Mul(g, Mul(call.inputs[0], call.inputs[0]) * 3.0)], traits=(ELEMENTWISE, QUIET),
    )  # fmt: skip
    del REGISTRY["ToyCube"]


def test_one_declaration_makes_an_op(toy):
    assert toy(2.0).numpy() == 8.0
    with pytest.raises(TypeError):
        toy(np.int32(2))
    f = tf.function(lambda x: toy(x))
    made = f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
    assert [node.type for node in made.graph.nodes if node.type == "ToyCube"] == ["ToyCube"]
    assert made.output_shapes.as_list() == [None, 2]
    assert f(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[1.0, 8.0]]


@pytest.mark.parametrize("traced", [False, True])
def test_its_gradient_can_be_differentiated_again(toy, traced):
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = toy(x)
            g = inner.gradient(y, x)
        return g, outer.gradient(g, x)

    g, h = (tf.function(second) if traced else second)(tf.constant(2.0))
    assert (g.numpy(), h.numpy()) == (12.0, 12.0)


def test_passes_read_its_traits(toy):
    """Element-wise: what is the same in every iteration is computed before the loop."""

    def f(x, n):
        total = tf.zeros_like(x)
        for _ in tf.range(n):
            total += toy(x)
        return total

    program = tf.function(f).get_concrete_function(tf.TensorSpec([3]), tf.TensorSpec([], tf.int32))
    text = program.source
    assert 0 <= text.index("ToyCube") < re.search("(?:for .*:|while )", text).start()
    assert program(tf.ones([3]), tf.constant(2)).numpy().tolist() == [2.0, 2.0, 2.0]
