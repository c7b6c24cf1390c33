"""Random programs of tensors, to be run eagerly, unoptimised, optimised, natively and by XLA.

    python -m tests.graphrt.native.random_graphs --count 10000 [--seed 0] [--plain] [--xla] [--results FILE]

A seed gives a program: some element-wise ops over a few shapes, reductions, matrix products, slices, loops over tensors and
branches. Each program is run in all ways, and what differs is told by its seed. `--plain` runs native programs as Python;
`--xla` runs them with `jit_compile="xla"`, too, which needs JAX.
"""

import argparse
import sys

import numpy as np

import graphrt as tf
from graphrt.executor.program import compile_graph
from graphrt.native import NativeProgram

SHAPES = [(), (3,), (5,), (4, 5), (1, 5), (4, 1), (2, 4, 5), (17,)]
DTYPES = [np.float32, np.float32, np.float64, np.int32, np.int64]


class Maker:
    """Writes one program as a function of a list of tensors: the same for each of its runs."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.dtype = DTYPES[self.rng.integers(len(DTYPES))]
        self.is_float = np.dtype(self.dtype).kind == "f"
        self.shapes = [SHAPES[i] for i in self.rng.integers(0, len(SHAPES), 3)]
        self.plan = self.rng.integers(0, 1 << 30, 40).tolist()

    def inputs(self):
        """Arguments, as arrays."""
        if self.is_float:
            return [np.asarray(self.rng.standard_normal(s) * 2, self.dtype) for s in self.shapes]
        return [np.asarray(self.rng.integers(-9, 10, s), self.dtype) for s in self.shapes]

    def function(self, *args):
        """The program."""
        self.supply = iter(self.plan)
        values = list(args)
        for _ in range(3 + self.pick(8)):
            values.append(self.statement(values))
        return tuple(values[-3:])

    def pick(self, count):
        return next(self.supply, 0) % count

    def choose(self, values):
        return values[-1 - self.pick(min(len(values), 5))]

    def statement(self, values):
        x, y, kind = self.choose(values), self.choose(values), self.pick(10)
        if kind < 4:
            return self.pointwise(x, self.matching(x, y))
        if kind == 4:
            return self.reduced(x)
        if kind == 5:
            return self.rearranged(x)
        if kind == 6:
            return self.loop(x)
        if kind == 7:
            return self.branch(x)
        if kind == 8:
            return self.product(x)
        return self.listed(x)

    def matching(self, x, y):
        try:
            np.broadcast_shapes(x.shape, y.shape)
        except ValueError:
            return x
        return y

    def pointwise(self, x, y):
        shared = [
            lambda: x + y, lambda: x - y, lambda: x * y, lambda: tf.maximum(x, y), lambda: tf.minimum(x, y), lambda: -x,
            lambda: tf.abs(x), lambda: tf.where(x > y, x, y), lambda: tf.square(x), lambda: tf.nn.relu(x), lambda: x * 3,
            lambda: tf.clip_by_value(x, -2, 2), lambda: tf.sign(x),
        ]  # fmt: skip
        floats = [
            lambda: tf.tanh(x), lambda: tf.sin(x), lambda: tf.exp(tf.minimum(x, 3)), lambda: tf.sigmoid(x),
            lambda: x / (y * y + 1), lambda: tf.sqrt(tf.abs(x)), lambda: tf.floor(x), lambda: tf.round(x),
            lambda: tf.nn.softplus(x), lambda: tf.math.log1p(tf.abs(x)), lambda: x // (tf.abs(y) + 1),
        ]  # fmt: skip
        ints = [lambda: x // 3, lambda: x % 5, lambda: x // (tf.abs(y) + 1), lambda: tf.bitwise.bitwise_xor(x, y)]
        rules = shared + (floats if self.is_float else ints)
        return rules[self.pick(len(rules))]()

    def reduced(self, x):
        if not x.shape.rank:
            return x + 1
        axis = [None, 0, -1][self.pick(3)]
        rules = [tf.reduce_sum, tf.reduce_max, tf.reduce_min] + ([tf.reduce_mean] if self.is_float else [])
        return rules[self.pick(len(rules))](x, axis, keepdims=bool(self.pick(2)))

    def rearranged(self, x):
        rules = [lambda: tf.expand_dims(x, 0)[0], lambda: tf.reshape(x, [-1])]
        if x.shape.rank:
            rules += [
                lambda: tf.transpose(x), lambda: x[0], lambda: tf.concat([x, x * 2], 0), lambda: tf.stack([x, x], -1),
                lambda: x[..., ::2], lambda: tf.gather(x, [0, 0]), lambda: tf.zeros_like(x) + tf.ones_like(x),
            ]  # fmt: skip
        return rules[self.pick(len(rules))]()

    def loop(self, x):
        count, which = self.pick(5), self.pick(3)
        for i in tf.range(count):
            if which == 0:
                x = x * 2 - tf.cast(i, x.dtype)
            elif which == 1:
                x = tf.minimum(x, 7) + tf.reduce_max(x)
            else:
                x = tf.where(x > 0, x - 1, x + 2)
        return x

    def branch(self, x):
        if tf.reduce_sum(x) > 0:
            y = x + 1
        else:
            y = x - x * 2
        return y

    def product(self, x):
        if x.shape.rank != 2 or not self.is_float:
            return x * x
        return tf.matmul(x, x, transpose_b=True) if self.pick(2) else tf.matmul(x, x, transpose_a=True)

    def listed(self, x):
        count = 1 + self.pick(4)
        rows = tf.TensorArray(x.dtype, count)
        for i in tf.range(count):
            rows = rows.write(i, x + tf.cast(i, x.dtype))
        return rows.stack()


def run(seed, plain, xla=False):
    """Runs one program in all ways; returns what differs, or None."""
    maker = Maker(seed)
    arrays = maker.inputs()
    tensors = [tf.constant(a) for a in arrays]
    function = tf.function(maker.function)
    concrete = function.get_concrete_function(*tensors)
    raw = concrete.raw_inputs(tuple(tensors), {})
    ways = {
        "eager": [t.numpy() for t in maker.function(*tensors)],
        "unoptimised": compile_graph(concrete.graph).function(*raw),
        "optimised": concrete.program.function(*raw),
        "native": NativeProgram(concrete.graph, plain).program.function(*raw),
    }
    if xla:
        ways["xla"] = [t.numpy() for t in tf.function(maker.function, jit_compile="xla")(*tensors)]
    wanted = ways["optimised"]
    for name, found in ways.items():
        for a, b in zip(wanted, found, strict=True):
            if a.dtype != b.dtype or np.shape(a) != np.shape(b):
                return f"{seed}: {name} gives {b.dtype}{np.shape(b)}, not {a.dtype}{np.shape(a)}"
            if not np.allclose(a, b, 1e-4, 1e-5, equal_nan=True):
                return f"{seed}: {name} differs by {np.nanmax(np.abs(np.asarray(a - b, float)))}"
    return None


def main():
    parser = argparse.ArgumentParser(description="Random programs of tensors, run in all ways.")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--plain", action="store_true", help="run native programs as plain Python")
    parser.add_argument("--xla", action="store_true", help="run them by JAX, too")
    parser.add_argument("--results", help="a file to which what differs is added")
    told = parser.parse_args()
    wrong = 0
    for seed in range(told.seed, told.seed + told.count):
        found = run(seed, told.plain, told.xla)
        if found is not None:
            wrong += 1
            print(found, flush=True)
            if told.results:
                with open(told.results, "a") as file:
                    file.write(found + "\n")
    print(f"{told.count} programs, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
