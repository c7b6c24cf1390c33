"""Many traces: how they are found, explained, bounded, and freed."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import timeit
import tracemalloc
import warnings
import weakref

import numpy as np
import pytest

import graphrt as tf
from graphrt.function import fast_dispatch as entries
from tests import whole

pytestmark = pytest.mark.filterwarnings("ignore::graphrt.errors.RetracingWarning")


def value(x):
    return np.asarray(x).tolist()


# --- dispatch --------------------------------------------------------------------------------------------------------
def test_a_thousand_traces_are_served_by_one_entry():
    x = tf.constant(2)
    f = tf.function(lambda x, n, d=None: x * n + (0 if d is None else d["k"]))
    for _ in range(3):
        for n in range(1000):
            assert f(x, n).numpy() == 2 * n
    assert f.experimental_get_tracing_count() == 1000 and len(f._traces.entries) == 1
    assert f._traces.entries[0]((x, 77), {}).numpy() == 154
    assert f._traces.entries[0]((x, 77.0), {}) is entries.MISS and f._traces.entries[0]((x, 1000), {}) is entries.MISS
    for _ in range(3):
        assert [f(x, 1, d={"k": k}).numpy() for k in range(5)] == [2, 3, 4, 5, 6]
    assert f(x, 5).numpy() == 10


def test_dispatch_of_many_traces_costs_little_more_than_of_one():
    x = tf.constant(2)
    many, one = tf.function(lambda x, n: x * n), tf.function(lambda x, n: x * n)
    for _ in range(3):
        for n in range(1000):
            many(x, n)
            one(x, 7)

    def time(f):
        return min(timeit.repeat(lambda: f(x, 7), number=2000, repeat=5))

    ratios = [time(many) / time(one) for _ in range(5)]
    assert min(ratios) < 1.5  # about 1.1 on a quiet machine


@pytest.mark.parametrize(
    "make",
    [
        lambda i: tf.ones([i]), lambda i: np.ones(i), lambda i: i, lambda i: float(i + 1), lambda i: f"s{i}", lambda i: (i, tf.ones([2])),
        lambda i: {"a": i, "b": tf.ones([i])}, lambda i: [tf.constant(1)] * (i % 9 + 1), lambda i: (tf.float32, tf.int32, tf.bool)[i % 3],
        lambda i: tf.ones([i], [tf.float32, tf.int32][i % 2]), lambda i: i % 2 == 0, lambda i: None if i % 2 else i,
    ],
)  # fmt: skip
def test_dispatched_calls_give_what_traced_calls_gave(make):
    f = tf.function(
        lambda x: ([v if isinstance(v, (tf.Tensor, int, float, str)) else 0 for v in tf.nest.flatten(x)], {"n": None})
    )
    plain = f.python_function
    values = [make(i) for i in range(12)]
    for _ in range(4):
        for v in values:
            found, expected = f(v), plain(v)
            assert [value(a) for a in found[0]] == [
                value(b) if not isinstance(b, str) else b.encode() for b in expected[0]
            ] or isinstance(v, np.ndarray)
            assert found[1] == {"n": None}


def test_objects_and_variables_are_dispatched_by_identity_and_forgotten():
    class Thing:
        def __init__(self, k):
            self.k = k

    f = tf.function(lambda thing, x: x * thing.k)
    x = tf.constant(1)
    things = [Thing(k) for k in range(20)]
    for _ in range(4):
        assert [f(t, x).numpy() for t in things] == list(range(20))
    for round in range(30):  # new objects may get the addresses of dead ones
        things = [Thing(k + round) for k in range(5)]
        for _ in range(3):
            assert [f(t, x).numpy() for t in things] == [k + round for k in range(5)]
    variables = [tf.Variable(float(k)) for k in range(5)]
    g = tf.function(lambda v, x: v * x)
    for _ in range(3):
        assert [g(v, tf.constant(2.0)).numpy() for v in variables] == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_dispatchers_prefer_the_most_specific_trace():
    f = tf.function(lambda x, n: tf.constant(-1 if x.shape[0] is None else x.shape[0]))
    for n in range(4):
        f(tf.ones([n]), 0)
    f.get_concrete_function(tf.TensorSpec([None]), 0)
    for _ in range(4):
        assert [f(tf.ones([n]), 0).numpy() for n in range(6)] == [0, 1, 2, 3, -1, -1]
    assert f.experimental_get_tracing_count() == 5


# --- explanations ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ((tf.ones([3]),), (tf.ones([4]),), r"argument 'x' had shape \(3,\), now \(4,\).*reduce_retracing"),
        ((tf.constant(1),), (tf.constant(1.0),), "argument 'x' was a tensor of dtype int32, now a tensor of dtype float32.*tf.cast"),
        ((1,), (2,), r"argument 'x' was Literal\[1\], now Literal\[2\].*Pass a tensor"),
        ((1,), (tf.constant(1),), r"argument 'x' was Literal\[1\], now a tensor of dtype int32.*Pass a tensor each time"),
        (({"a": [tf.ones([2]), 5]},), ({"a": [tf.ones([2]), 6]},), r"argument \"x\['a'\]\[1\]\" was Literal\[5\], now Literal\[6\]"),
        (([tf.ones([2])],), ([tf.ones([2])] * 2,), r"argument 'x' was List\[.*\], now List\[.*same structure"),
        ((1,), (1, 2), r"argument 'args_0'|the number or the names of the arguments changed: 1 by position, now 2"),
    ],
)  # fmt: skip
def test_explain_retrace(first, second, text):
    f = tf.function(lambda x, *args: tf.constant(0))
    assert "there is none yet" in str(f.explain_retrace(*first))
    f(*first)
    assert f.explain_retrace(*second) and not f.explain_retrace(*first)
    import re

    explained = f.explain_retrace(*second)
    assert re.search(text, str(explained), re.S), str(explained)
    assert explained.concrete is f.get_concrete_function(*first) and len(explained.differences) == 1
    assert f.experimental_get_tracing_count() == 1
    f(*second)
    assert "runs a trace made before" in str(f.explain_retrace(*second))


def test_the_nearest_trace_is_named():
    f = tf.function(lambda x, n: x)
    f(tf.ones([3]), 1)
    f(tf.ones([3, 3]), 2)
    (difference,) = f.explain_retrace(tf.ones([3, 4]), 2).differences
    assert (difference.argument, difference.property, difference.before, difference.now) == (
        "x",
        "shape",
        "(3, 3)",
        "(3, 4)",
    )


def test_each_retrace_is_logged(caplog):
    f = tf.function(lambda x: x)
    with caplog.at_level(logging.INFO, logger="graphrt"):
        f(1)
        assert not caplog.records
        f(2)
        f(2)
    (record,) = caplog.records
    text = record.getMessage()
    assert "test_cache.py" in text and "trace 2 of <lambda> took" in text and "was Literal[1], now Literal[2]" in text


# --- bounds ----------------------------------------------------------------------------------------------------------
def test_the_trace_used_longest_ago_is_dropped():
    f = tf.function(lambda x, n: x * n, max_traces=3)
    x = tf.constant(1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in (0, 1, 2):
            f(x, n)
        for _ in range(4):
            f(x, 0)
        f(x, 3)
    assert [w.category for w in caught] == [tf.errors.TraceLimitWarning] and caught[0].filename == __file__
    assert "more than 3 traces" in str(caught[0].message) and "max_traces" in str(caught[0].message)
    assert len(f.list_all_concrete_functions()) == 3
    count = f.experimental_get_tracing_count()
    f(x, 0), f(x, 2), f(x, 3)
    assert f.experimental_get_tracing_count() == count
    assert value(f(x, 1)) == 1 and f.experimental_get_tracing_count() == count + 1


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "3"])
def test_wrong_limits(wrong):
    with pytest.raises(ValueError, match="max_traces must be a positive int"):
        tf.function(lambda: 1, max_traces=wrong)


@pytest.mark.parametrize("number", whole.some([200, 600], 1))
def test_functions_that_are_dropped_leave_memory_flat(number):
    x = tf.constant(1.0)

    def make_and_drop(count):
        for i in range(count):
            f = tf.function(lambda x, i=i: x + i)
            f(x), f(x), f(x)
            watched.append(weakref.ref(f))
            del f
            watched[:] = [w for w in watched if w() is not None][-50:]
        gc.collect()
        tf.function(lambda: x + 1.0)()  # texts of programs that are gone leave with the next one that is made
        gc.collect()

    watched = []
    make_and_drop(number // 6)
    tracemalloc.start()
    try:
        make_and_drop(number // 6)
        sizes = [tracemalloc.get_traced_memory()[0]]
        for _ in range(4):
            make_and_drop(number // 4)
            sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert not any(w() for w in watched)
    grown = min(b - a for a, b in zip(sizes, sizes[1:]))  # a table of the process that gets larger does so once
    each = grown / (number // 4)
    assert each < 200, f"{each:.0f} bytes a function"  # CPython keeps the names in code it compiled


# --- threads and tasks -----------------------------------------------------------------------------------------------
def test_threads_with_state_trace_once_a_signature():
    total, traced = tf.Variable(0), []

    @tf.function
    def f(x, n):
        traced.append(n)
        total.assign_add(n)
        return x + n

    def work(seed):
        try:
            for i in range(400):
                n = (seed * 7 + i) % 20
                assert f(tf.constant(i), n).numpy() == i + n
                added[seed] += n
        except BaseException as error:
            failures.append(error)

    failures, added = [], [0] * 8
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not failures and sorted(traced) == list(range(20))
    assert total.numpy() == sum(added)


def test_asyncio_tasks_trace_independently():
    @tf.function
    def f(x):
        assert not tf.executing_eagerly()
        return x * 2

    async def call(i):
        await asyncio.sleep(0)
        assert tf.executing_eagerly()
        result = f(tf.ones([i % 3]))
        await asyncio.sleep(0)
        return value(result)

    async def main():
        return await asyncio.gather(*(call(i) for i in range(30)))

    assert asyncio.run(main()) == [[2.0] * (i % 3) for i in range(30)]
    assert f.experimental_get_tracing_count() == 3


def test_python_functions_are_freed_with_the_graphs_that_call_them():
    import gc

    from graphrt.ops.python.functions import FUNCTIONS

    def run(k):
        f = tf.function(
            lambda x: tf.py_function(lambda y: y + k, [x], tf.float32) * tf.numpy_function(abs, [x], "float32")
        )
        return f(tf.constant(-2.0)).numpy()

    gc.collect()
    before = len(FUNCTIONS)
    assert [run(1.0), run(3.0)] == [-2.0, 2.0]
    gc.collect()
    assert len(FUNCTIONS) == before


def test_python_functions_are_handed_over_as_they_are():
    seen = []

    @tf.function
    def f(x):
        return tf.py_function(seen.append, [x], []), tf.numpy_function(plus_one, [x], tf.float32)

    assert f(tf.constant(1.0))[1].numpy() == 2.0
    (token,) = [n.attrs["token"] for n in f.get_concrete_function(tf.constant(1.0)).graph.nodes if n.type == "PyFunc"]
    assert token.function is plus_one


def plus_one(x):
    return x + 1
