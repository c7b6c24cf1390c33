"""Generated programs give eagerly, compiled as traced, and compiled after the passes, the same bits."""

import random

import numpy as np
import pytest

import graphrt as tf
from graphrt.executor import compile_graph
from graphrt.ir.verify import verify
from graphrt.passes import run_passes
from tests.graphrt.rewriting import traced

FLOAT_UNARY = [
    lambda x: -x, lambda x: tf.tanh(x), lambda x: tf.exp(-tf.abs(x)), lambda x: tf.square(x), lambda x: tf.identity(x),
    lambda x: x * 1.0, lambda x: x + 0.0, lambda x: x - 0.0, lambda x: tf.stop_gradient(x), lambda x: -(-x),
    lambda x: tf.maximum(x, 0.5), lambda x: x * 2.0 + 1.0, lambda x: 1.0 / (tf.abs(x) + 1.0),
    lambda x: tf.reshape(tf.reshape(x, [-1]), tf.shape(x)), lambda x: x * tf.cast(tf.size(x), tf.float32),
]  # fmt: skip
INT_UNARY = [
    lambda n: -n, lambda n: n * 1, lambda n: n + 0, lambda n: n // 2, lambda n: n % 3, lambda n: n * n - 1,
    lambda n: tf.minimum(n, 4), lambda n: tf.abs(n), lambda n: tf.cast(tf.cast(n, tf.int32), tf.int64),
]  # fmt: skip
BINARY = [
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: tf.maximum(a, b),
    lambda a, b: tf.where(a > b, a, b), lambda a, b: b + a,
]  # fmt: skip


class Program:
    """A program over a few floats (arrays) and integers (scalars), the same each time it is run."""

    def __init__(self, seed, depth=2):
        self.seed = seed
        self.depth = depth

    def __call__(self, x, y, n, k):
        return self.block(random.Random(self.seed), [x, y], [n, k], self.depth)

    def block(self, choose, floats, ints, depth):
        floats, ints = list(floats), list(ints)
        for _ in range(choose.randint(3, 8)):
            kind = choose.random()
            if kind < 0.35:
                floats.append(choose.choice(FLOAT_UNARY)(choose.choice(floats)))
            elif kind < 0.55:
                floats.append(choose.choice(BINARY)(choose.choice(floats), choose.choice(floats)))
            elif kind < 0.7:
                ints.append(choose.choice(INT_UNARY)(choose.choice(ints)))
            elif kind < 0.8:
                ints.append(choose.choice(BINARY)(choose.choice(ints), choose.choice(ints)))
            elif depth:
                self.branch(choose, floats, ints, depth) if kind < 0.9 else self.loop(choose, floats, ints, depth)
        return floats[-2], floats[-1], ints[-2], ints[-1]

    def branch(self, choose, floats, ints, depth):
        one, two = choose.random(), choose.random()
        test = choose.choice([lambda: ints[-1] > 2, lambda: tf.reduce_sum(floats[-1]) > 0.0, lambda: tf.constant(True)])
        a, b, m, n = tf.cond(
            test(),
            lambda: self.block(random.Random(one), floats, ints, depth - 1),
            lambda: self.block(random.Random(two), floats, ints, depth - 1),
        )
        floats += [a, b]
        ints += [m, n]

    def loop(self, choose, floats, ints, depth):
        inner, times = choose.random(), choose.randint(0, 3)

        def body(i, a, b, m, n):
            c, d, p, q = self.block(random.Random(inner), [*floats[:2], a, b], [*ints[:2], m, n], depth - 1)
            return i + 1, c, d, p, q

        _, a, b, m, n = tf.while_loop(
            lambda i, *rest: i < times, body, [tf.constant(0), floats[-2], floats[-1], ints[-2], ints[-1]]
        )
        floats += [a, b]
        ints += [m, n]


def bits(values):
    arrays = [np.asarray(v) for v in values]
    return [(str(a.dtype), a.shape, np.where(np.isnan(a), np.nan, a).astype(a.dtype).tobytes()) for a in arrays]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(("given", "dims"), [((), ()), ((3,), (None,)), ((2, 3), (2, 3)), ((70, 50), (None, 50))])
def test_eager_and_compiled_agree(seed, given, dims):
    program = Program(seed * 7 + len(given))
    numbers = np.random.default_rng(seed)
    x, y = (numbers.normal(size=given).astype(np.float32) for _ in range(2))
    if not given:
        x, y = np.float32(x), np.float32(y)
    n, k = np.int64(numbers.integers(-5, 9)), np.int64(numbers.integers(0, 5))
    inputs = [x, y, n, k]
    copies = [np.array(v) for v in inputs]
    wanted = bits(t.numpy() for t in program(*(tf.constant(v) for v in inputs)))
    graph = traced(program, ("float32", dims), ("float32", dims), ("int64", ()), ("int64", ()))
    assert bits(compile_graph(graph)(*inputs)) == wanted
    ready = verify(run_passes(graph))
    compiled = compile_graph(ready)
    assert bits(compiled(*inputs)) == wanted, compiled.source
    assert bits(compiled(*inputs)) == wanted
    assert [c.tobytes() for c in copies] == [np.asarray(v).tobytes() for v in inputs]
