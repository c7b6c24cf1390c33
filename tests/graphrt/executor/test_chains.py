"""Chains of element-wise work run block by block, on threads too, and give the same bits."""

import tracemalloc

import numpy as np
import pytest

import graphrt as tf
from graphrt import errors
from graphrt.executor import chains, compile_graph, plan
from graphrt.ops.support import threads
from graphrt.passes import run_passes


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(chains, "LARGE", 8)
    monkeypatch.setattr(plan, "LARGE", 8)
    monkeypatch.setattr(chains, "_BLOCK", 7)
    monkeypatch.setattr(chains, "_WORTH_THREADS", 50)
    monkeypatch.setattr(threads.INTRA, "chosen", 3)


def plain(x):
    return tf.sqrt(tf.abs(x * 0.5 + 0.25)) - x


def layer_norm(x):
    mean = tf.reduce_mean(x, axis=-1, keepdims=True)
    centred = x - mean
    variance = tf.reduce_mean(tf.square(centred), axis=-1, keepdims=True)
    return centred * tf.math.rsqrt(variance + 1e-3) * 2.0 + tf.range(x.shape[-1], dtype=x.dtype)


def softmax_by_hand(x):
    e = tf.exp(x - tf.reduce_max(x, axis=-1, keepdims=True))
    return e / tf.reduce_sum(e, axis=-1, keepdims=True)


def two_results(x):
    y = x * 2.0 + 1.0
    z = tf.tanh(y)
    return y, z * z - y, tf.cast(z > 0.0, tf.int32)


def rows_end(x):
    y = tf.exp(-x * x)
    return tf.reduce_sum(y, axis=-1), tf.reduce_max(y * 3.0, axis=-1)


def broadcast(x):
    first = x[:1]
    return tf.maximum(x + first, 0.0) * x - first


def all_rows_at_once(x):
    y = x * 2.0 + 1.0
    return y / tf.reduce_sum(y, axis=0, keepdims=True) + tf.reduce_sum(y)


def column_of_rows(x):
    y = x * 2.0 + 1.0
    return tf.reduce_sum(y, axis=-1) * 2.0 + 1.0


def kernels_without_ufunc(x):
    return tf.where(x > 0.0, tf.sigmoid(x) * x, tf.nn.elu(x)) + tf.nn.relu6(x * 4.0)


def in_a_loop(x):
    y = x
    for _ in tf.range(3):
        y = tf.tanh(y * 0.5 + x) - 0.1
    return y


def effects_between(x):
    y = x * 2.0
    tf.debugging.assert_none_equal(tf.reduce_max(y), 12345.0)
    return y + 1.0 - x


def integers(x):
    n = tf.cast(x * 10.0, tf.int32)
    return tf.bitwise.bitwise_and(n * 3 + 1, 255), tf.cast(n, tf.float64) * 0.5 - 1.0


FUNCTIONS = [
    plain, layer_norm, softmax_by_hand, two_results, rows_end, broadcast, all_rows_at_once, column_of_rows,
    kernels_without_ufunc, in_a_loop, effects_between, integers,
]  # fmt: skip


def arrays(shape):
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    yield x
    special = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e38, 1e-45], np.float32)
    yield np.where(np.random.default_rng(1).random(shape) < 0.3, np.resize(special, shape), x)
    yield np.asfortranarray(x)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("shape", [(50, 4), (5, 33), (1, 40), (9, 2, 3), (17, 1), (3, 100)])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_blocks_give_the_bits_of_the_whole(function, shape, small_blocks, monkeypatch):
    graph = tf.function(function).get_concrete_function(tf.TensorSpec(shape, tf.float32)).graph
    blocks = compile_graph(graph, prepare=run_passes)
    monkeypatch.setattr(chains, "LARGE", 1 << 40)
    whole = compile_graph(graph, prepare=run_passes)
    assert "blocks(" not in whole.source
    if function in (plain, layer_norm, softmax_by_hand, two_results, kernels_without_ufunc, in_a_loop) and shape != (
        17,
        1,
    ):
        assert "blocks(" in blocks.source or shape[0] == 1
    for x in arrays(shape):
        kept = x.copy()
        for found, wanted in zip(blocks(x), whole(x), strict=True):
            assert found.dtype == wanted.dtype and found.shape == wanted.shape
            assert found.tobytes() == wanted.tobytes(), blocks.source
        assert x.tobytes() == kept.tobytes()


def test_real_sizes_give_the_bits_of_the_whole(monkeypatch):
    for function, shape in (
        (plain, (1_100_001,)),
        (layer_norm, (900, 1200)),
        (softmax_by_hand, (2049, 512)),
        (rows_end, (350_000, 3)),
    ):
        graph = tf.function(function).get_concrete_function(tf.TensorSpec(shape, tf.float32)).graph
        blocks = compile_graph(graph, prepare=run_passes)
        assert "blocks(" in blocks.source
        with monkeypatch.context() as patch:
            patch.setattr(chains, "LARGE", 1 << 40)
            whole = compile_graph(graph, prepare=run_passes)
        x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        for found, wanted in zip(blocks(x), whole(x), strict=True):
            assert found.tobytes() == wanted.tobytes()


def test_a_chain_of_twenty_needs_little_more_than_its_operands():
    @tf.function
    def f(x):
        y = x
        for k in range(10):
            y = tf.sin(y * (1.0 + k)) if k % 2 else tf.sqrt(tf.abs(y)) + 0.5
        return y

    x = tf.constant(np.linspace(0, 1, 5_000_000, dtype=np.float32))
    f.get_concrete_function(x)
    tracemalloc.start()
    try:
        result = f(x)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert result.shape == x.shape
    assert peak < 1.2 * 20_000_000, peak / 20_000_000  # beside the operand that was there


def test_results_beyond_the_limit_are_refused():
    f = tf.function(lambda x: tf.exp(x * 2.0) + 1.0)
    x = tf.zeros([1_000_000])
    f(x)
    with tf.config.limits(bytes=1_000_000), pytest.raises(errors.ResourceExhaustedError):
        f(x)


def test_reading_variables_between_does_not_cut_a_chain(small_blocks):
    v, w = tf.Variable(tf.ones([30, 3])), tf.Variable(tf.zeros([30, 3]))

    @tf.function
    def f(x):
        w.assign(w * 0.9 + (x - w) * 0.1)
        v.assign_sub(tf.sqrt(tf.abs(w)) * (x * 0.5 + v) / (v + 2.0))
        return v + w * 2.0

    x = np.arange(90, dtype=np.float32).reshape(30, 3)
    a, b = np.ones((30, 3), np.float32), np.zeros((30, 3), np.float32)
    f32 = np.float32
    for _ in range(3):
        b = b * f32(0.9) + (x - b) * f32(0.1)
        a = a - np.sqrt(np.abs(b)) * (x * f32(0.5) + a) / (a + f32(2))
        assert f(x).numpy().tobytes() == (a + b * f32(2)).tobytes()
    source = f.get_concrete_function(x).source
    first = source.split("return (add, Sqrt, mul_2)")[0]
    assert first.count("def block") == 1 and "ReadVariableOp" in first, source  # which takes what was set


def test_dtypes_may_change_on_the_way(small_blocks):
    f = tf.function(lambda x: tf.cast(tf.cast(x * 3.0, tf.int32) // 2 + 1, tf.float32) * 0.5)
    x = np.linspace(-9, 9, 120, dtype=np.float32)
    wanted = ((x * np.float32(3)).astype(np.int32) // 2 + 1).astype(np.float32) * np.float32(0.5)
    assert f(x).numpy().tobytes() == wanted.tobytes()


def test_what_has_no_part_in_a_chain_does_not_end_it(small_blocks):
    x = tf.constant(np.random.default_rng(0).standard_normal((50, 4)).astype(np.float32))

    def run(make):
        m, v, w = (tf.Variable(tf.zeros([50, 4]) + start) for start in (0.5, 1.5, 2.5))
        count = tf.Variable(1.0)

        @make
        def step():
            squared = x * x
            mean = m + (x - m) * 0.25
            rate = tf.sqrt(count + 1.0)
            square = v + (squared - v) * 0.25
            m.assign(mean)
            v.assign(square)
            w.assign_sub(rate * mean / (tf.sqrt(square) + 0.5))
            m.assign(m * 2.0 + x - 1.0)
            count.assign_add(1.0)
            return m * 3.0 - v + mean

        found = [step() for _ in range(3)]
        return step, [np.asarray(a) for a in (*found, m, v, w, count)]

    step, found = run(tf.function)
    for one, wanted in zip(found, run(lambda f: f)[1], strict=True):
        assert one.tobytes() == wanted.tobytes()
    source = step.get_concrete_function().source
    first = source[: source.index("\ndef inference_step")]
    assert first.count("def block") == 3 and first.index("sqrt") < first.index("def block_1"), source


@pytest.mark.parametrize("given", [False, True])
def test_variables_that_are_one_are_read_after_they_are_set(small_blocks, given):
    x = tf.constant(np.random.default_rng(0).standard_normal((50, 4)).astype(np.float32))
    kept = tf.Variable(tf.ones([50, 4]))

    @tf.function
    def f(a, b):
        y = x * 2.0 + 1.0
        a.assign(y * 0.5)
        return (kept if given else b) * 3.0 + y

    other = tf.Variable(tf.ones([50, 4]))
    y = x.numpy() * np.float32(2) + np.float32(1)
    assert f(other, kept).numpy().tobytes() == (np.float32(3) + y).tobytes()
    wanted = y * np.float32(0.5) * np.float32(3) + y
    assert f(kept, kept).numpy().tobytes() == wanted.tobytes()
