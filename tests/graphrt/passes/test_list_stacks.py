"""Gradients of loops: what iterations keep goes into Python lists, and the numbers are those of lists of tensors."""

import numpy as np
import pytest

import graphrt as tf
from graphrt import errors
from graphrt.executor import compile_graph
from graphrt.ir.parser import parse_graph
from graphrt.passes import run_passes
from tests.graphrt import rewriting


def powers(x):
    y = x
    for _ in tf.range(4):
        y = tf.tanh(y * x)
    return y


def with_branch(x):
    y = x
    for i in tf.range(5):
        if i % 2 == 0:
            y = y * x
        else:
            y = tf.sin(y)
    return y


def until_small(x):
    y = x
    while tf.reduce_sum(tf.abs(y)) > 0.01:
        y = y * 0.5 * tf.cos(x)
    return y


def nested(x):
    y = x
    for i in tf.range(3):
        for j in tf.range(i):
            y = tf.tanh(y * x)
    return y


def growing(x):
    y = x[:1]
    for _ in tf.range(3):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(y, tf.TensorShape([None]))])
        y = tf.concat([y, tf.sin(y)], 0)
    return y


def never(x):
    y = x
    while tf.reduce_sum(y) > 1e9:
        y = y * x
    return y * 2.0


LOOPS = [(powers, True), (with_branch, True), (until_small, True), (nested, None), (growing, None), (never, True)]


@pytest.mark.parametrize("dims", [(3,), (None,)])
@pytest.mark.parametrize(("function", "rewritten"), LOOPS, ids=[f.__name__ for f, _ in LOOPS])
def test_gradients_are_those_of_lists(function, rewritten, dims):
    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(function(x))
        return tape.gradient(y, x)

    graph = gradient.get_concrete_function(tf.TensorSpec(dims, tf.float32)).graph
    plain, fast = compile_graph(graph), compile_graph(graph, prepare=run_passes)
    if rewritten:
        assert "TensorListPushBack(" not in fast.source and ".pop()" in fast.source
    for seed in range(3):
        x = (np.random.default_rng(seed).standard_normal(3) * 0.5).astype(np.float32)
        (wanted,) = plain(x)
        with tf.GradientTape() as tape:
            given = tf.constant(x)
            tape.watch(given)
            y = tf.reduce_sum(function(given))
        np.testing.assert_allclose(wanted, tape.gradient(y, given), rtol=1e-5, atol=1e-6)
        for _ in range(2):
            (found,) = fast(x)
            assert found.dtype == wanted.dtype and found.tobytes() == wanted.tobytes(), fast.source


TEXT = """
graph f(%0: f32[2], %1: i32[]) -> (%13)
  %0: f32[2] = Placeholder(shape=[2]) as x
  %1: i32[] = Placeholder(shape=[]) as n
  %2: i32[] = Const(value=-1) as any
  %3: variant[] = EmptyTensorList(%2, %2, element_dtype=f32)
  %4: i32[] = Const(value=0)
  %5: i32[], %6: variant[], %7: f32[2] = StatelessWhile([%4, %3, %0], cond=@cond, body=@body)
    graph cond(%0: i32[], %1: variant[], %2: f32[2]) -> (%4)
      %0: i32[] = Placeholder(shape=[])
      %1: variant[] = Placeholder(shape=[])
      %2: f32[2] = Placeholder(shape=[2])
      %3: i32[] = Const(value=3)
      %4: bool[] = Less(%0, %3)
    graph body(%0: i32[], %1: variant[], %2: f32[2]) -> (%5, %3, %6)
      %0: i32[] = Placeholder(shape=[])
      %1: variant[] = Placeholder(shape=[])
      %2: f32[2] = Placeholder(shape=[2])
      %3: variant[] = TensorListPushBack(%1, %2, element_dtype=f32)
      %4: i32[] = Const(value=1)
      %5: i32[] = AddV2(%0, %4)
      %6: f32[2] = AddV2(%2, %2)
  %11: i32[], %12: variant[], %13: f32[2], %14: i32[] = StatelessWhile([%4, %6, %7, %1], cond=@less, body=@back)
    graph less(%0: i32[], %1: variant[], %2: f32[2], %3: i32[]) -> (%4)
      %0: i32[] = Placeholder(shape=[])
      %1: variant[] = Placeholder(shape=[])
      %2: f32[2] = Placeholder(shape=[2])
      %3: i32[] = Placeholder(shape=[])
      %4: bool[] = Less(%0, %3)
    graph back(%0: i32[], %1: variant[], %2: f32[2], %3: i32[]) -> (%8, %5, %9, %3)
      %0: i32[] = Placeholder(shape=[])
      %1: variant[] = Placeholder(shape=[])
      %2: f32[2] = Placeholder(shape=[2])
      %3: i32[] = Placeholder(shape=[])
      %4: i32[] = Const(value=-1)
      %5: variant[], %6: f32[2] = TensorListPopBack(%1, %4, element_dtype=f32)
      %7: i32[] = Const(value=1)
      %8: i32[] = AddV2(%0, %7)
      %9: f32[2] = AddV2(%2, %6)
"""


@pytest.mark.parametrize("count", [0, 2, 3])
def test_as_many_are_taken_as_there_are(count):
    graph = parse_graph(TEXT)
    inputs = [np.array([1, 2], np.float32), np.int32(count)]
    assert rewriting.outcome(run_passes(graph), inputs) == rewriting.outcome(graph, inputs)
    assert "append" in compile_graph(graph, prepare=run_passes).source


def test_one_more_than_there_are_is_refused_in_the_same_words():
    graph, messages = parse_graph(TEXT), []
    for prepare in (None, run_passes):
        with pytest.raises(errors.InvalidArgumentError) as info:
            compile_graph(graph, prepare=prepare)(np.zeros(2, np.float32), np.int32(4))
        messages.append(str(info.value))
    assert messages[0] == messages[1] and "Trying to pop from an empty list." in messages[0]
