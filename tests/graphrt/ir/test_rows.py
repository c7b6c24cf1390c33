"""Operators on scalars that are rows until somebody asks for nodes are what they are as nodes."""

import collections
import copy
import gc
import threading
import weakref

import numpy as np
import pytest

import graphrt as tf
from graphrt.executor import walk
from graphrt.ir.printer import graph_text
from graphrt.ir.quick_node import QuickNode
from graphrt.ir.rows import LEAST
from graphrt.tensor import func_graph

COUNT = 3 * LEAST


def long(x, y):
    total = x
    for i in range(COUNT // 4):
        total = -(total * 0.5 + y) - i
        with tf.name_scope("inner" if i % 2 else "outer"):
            total = abs(total) + 1.0
    return total, total / y


def mixed(x, y):
    for i in range(COUNT // 2):
        x = x * 0.5 + y
        if i % LEAST == LEAST - 1:
            x = tf.reduce_sum(tf.stack([x, y])) + 1.0
    return x, x > y


def traced(function, kind=tf.float32):
    return tf.function(function, autograph=False).get_concrete_function(*[tf.TensorSpec([], kind)] * 2)


def without_rows(function, monkeypatch, kind=tf.float32):
    with monkeypatch.context() as patch:
        patch.setattr(func_graph, "LEAST", 1 << 40)
        return traced(function, kind)


@pytest.mark.parametrize("function", [long, mixed])
def test_a_graph_is_the_same_with_rows_and_without(function, monkeypatch):
    found, wanted = traced(function), without_rows(function, monkeypatch)
    assert (found.graph.rows is not None) == (function is long) and wanted.graph.rows is None
    given = tf.constant(0.3), tf.constant(-1.7)
    results = [[np.asarray(r).tobytes() for r in tf.nest.flatten(c(*given))] for c in (found, wanted)]
    assert results[0] == results[1]
    assert (found.graph.rows is not None) == (function is long)  # the table needs no nodes
    assert [n.location for n in found.graph.nodes] == [n.location for n in wanted.graph.nodes]
    assert found.graph.rows is None
    named = [graph_text(c.graph).replace(c.graph.name, "") for c in (found, wanted)]
    assert named[0] == named[1]
    assert all(type(n) in (QuickNode, type(found.graph.nodes[0])) for n in found.graph.nodes)
    assert [np.asarray(r).tobytes() for r in tf.nest.flatten(found(*given))] == results[0]
    compiled = [c.program.source.replace(c.graph.name.strip("_"), "") for c in (found, wanted)]
    assert compiled[0] == compiled[1]


def test_rows_are_next_to_nothing_for_the_collector():
    @tf.function(autograph=False)
    def sums(x):
        for _ in range(5 * LEAST):
            x = x * 0.5 + 1.0
        return x

    def kinds():
        gc.collect()
        return collections.Counter(type(o).__name__ for o in gc.get_objects())

    sums(tf.constant([1.0]))  # what a first trace brings in
    before = kinds()
    sums(tf.constant(1.0))
    made = kinds() - before
    assert made["QuickNode"] <= made["Value"] < 2 * LEAST + 10 and made["SymbolicTensor"] < LEAST + 10  # the first ones


def test_tensors_stay_the_same_objects():
    with tf.FuncGraph("sums").as_default() as graph:
        x = tf.constant(1.0)
        kept = [x]
        for _ in range(2 * LEAST):
            kept.append(kept[-1] + 1.0)
        assert graph.rows is not None
        late = kept[-1]
        assert late.graph is graph and late.dtype is tf.float32 and graph.rows is not None
        assert late.name == f"add_{2 * LEAST - 1}:0" and late.shape == ()
        assert graph.rows is not None  # one node is made, and no others
        assert late.op.inputs[0] is kept[-2] and graph.rows is None
        assert [n.outputs[0].handle for n in graph.nodes if n.type == "AddV2"][-20:] == kept[-20:]
        assert all(a.op.inputs[0] is b for a, b in zip(kept[1:], kept))
        assert {type(n) for n in graph.nodes} == {QuickNode, type(x.value.node)}
        gone = weakref.ref(kept[5] * 2.0)
    assert gone().op.inputs[0] is kept[5]


def test_a_tensor_that_is_gone_is_made_anew():
    with tf.FuncGraph("sums").as_default() as graph:
        x = tf.constant(1.0)
        for _ in range(8 * LEAST):
            x = x + 1.0
        gone = weakref.ref(x + 2.0)
        last = x * 3.0
        assert gone() is None and graph.rows is not None
        inner = last.op.inputs[0]
    assert inner is x and [n.type for n in graph.nodes[-4:]] == ["Const", "AddV2", "Const", "Mul"]
    assert graph.nodes[-3].outputs[0].dims == () and graph.nodes[-1].inputs[0] is x.value


def test_what_is_no_row_ends_them(monkeypatch):
    with tf.FuncGraph("sums").as_default() as graph:

        def many(x):
            for _ in range(2 * LEAST):
                x = x + 1.0
            assert graph.rows is not None
            return x

        x = many(tf.constant(1.0))
        for use in (
            lambda: x + tf.constant([1.0]), lambda: tf.tanh(x), lambda: x == 2.0, lambda: tf.cast(x, tf.int32) + 1,
            lambda: tf.math.betainc(x, x, x), lambda: tf.print(x),
        ):  # fmt: skip
            x = many(x)
            use()
            assert len(graph.nodes) == len({n.name for n in graph.nodes})
        with tf.control_dependencies([many(x)]):
            after = x + 1.0
        assert after.value.node.controls
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = many(x) * x
        assert tape.gradient(y, x) is not None


def test_gradients_go_through_rows():
    @tf.function
    def f(x):
        y = x
        for _ in range(2 * LEAST):
            y = y * 0.5 - x
        return y

    @tf.function
    def g(x):
        return tf.gradients(f(x), x)

    def by_hand():
        d = np.float32(1)
        for _ in range(2 * LEAST):
            d = d * np.float32(0.5) - np.float32(1)
        return d

    x = tf.constant(0.25)
    f(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x), by_hand(), 1e-4)
    np.testing.assert_allclose(g(x)[0], by_hand(), 1e-4)


def test_errors_of_rows_name_the_line_and_the_node(monkeypatch):
    def divide(x, y):
        for _ in range(COUNT):
            x = x + 1
        z = x // y
        for _ in range(COUNT):
            z = z + x
        return z

    texts = []
    for concrete in (traced(divide, tf.int32), without_rows(divide, monkeypatch, tf.int32)):
        assert concrete(tf.constant(1), tf.constant(2)).numpy() == (1 + COUNT) // 2 + COUNT * (COUNT + 1)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            concrete(tf.constant(1), tf.constant(0))
        texts.append(str(caught.value).replace(concrete.graph.name, ""))
    assert texts[0] == texts[1] and "node floordiv" in texts[0]


def test_what_is_not_needed_is_not_run():
    def f(x, y):
        x // y
        for _ in range(COUNT):
            x = x + 1
            x // (y - y)
        return x, y

    concrete = traced(f, tf.int32)
    assert concrete.graph.rows is not None
    assert [r.numpy() for r in concrete(tf.constant(1), tf.constant(0))] == [1 + COUNT, 0]
    assert concrete.graph.rows is not None


def test_threads_make_nodes_once():
    concrete = traced(long)
    found, start = [], threading.Barrier(8)

    def ask(at):
        start.wait()
        nodes = concrete.graph.nodes if at % 2 else concrete.outputs[0].op.inputs[0].graph.nodes
        found.append([id(n) for n in nodes])

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(f == found[0] for f in found) and len(found) == 8


def test_copies_share_nodes():
    graph = traced(long).graph
    other = copy.copy(graph)
    assert other.nodes is graph.nodes and other.rows is None


def test_a_program_of_rows_is_compiled_once_that_pays():
    concrete = traced(long)
    given = tf.constant(0.3), tf.constant(-1.7)
    found = {concrete(*given)[0].numpy().tobytes() for _ in range(walk.CALLS + 5)}
    assert len(found) == 1 and concrete.program.is_told and concrete.graph.rows is None


def test_what_is_missing_is_told_as_ever():
    with tf.FuncGraph("one").as_default():
        x = tf.constant(1.0) + 1.0
        with pytest.raises(AttributeError, match="'SymbolicTensor' object has no attribute 'nothing'"):
            x.nothing  # noqa: B018
        assert not hasattr(x, "nothing")
