"""What does work on arrays cost: chains, reductions, products, sorting, gathering?"""

import numpy as np

from tests.benchmarks.rows import row

F32 = np.float32
BLOCK = 1 << 14  # elements that stay in a core's cache


def _random(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(F32)


def _chain(size, text):
    @row(f"chain of 10 operations, {text}")
    def chain(tf):
        @tf.function
        def f(x):
            y = x
            for k in range(5):
                y = tf.maximum(y * (0.5 + k), -1.0) if k % 2 else y * 0.5 + 0.1 * k
            return tf.sqrt(tf.abs(y) + 1.0) - y

        x = tf.constant(_random(size))
        return lambda: f(x)

    @chain.numpy
    def _():
        def block(x, out):
            out[:] = x
            for k in range(5):
                if k % 2:
                    np.multiply(out, F32(0.5 + k), out=out)
                    np.maximum(out, F32(-1), out=out)
                else:
                    np.multiply(out, F32(0.5), out=out)
                    np.add(out, F32(0.1 * k), out=out)
            z = np.abs(out)
            np.add(z, F32(1), out=z)
            np.sqrt(z, out=z)
            np.subtract(z, out, out=out)

        def f(x):
            out = np.empty_like(x)
            for at in range(0, len(x), BLOCK):
                block(x[at : at + BLOCK], out[at : at + BLOCK])
            return out

        x = _random(size)
        return lambda: f(x)

    @chain.jax
    def _(jax):
        jnp = jax.numpy

        @jax.jit
        def f(x):
            y = x
            for k in range(5):
                y = jnp.maximum(y * (0.5 + k), -1.0) if k % 2 else y * 0.5 + 0.1 * k
            return jnp.sqrt(jnp.abs(y) + 1.0) - y

        x = jnp.asarray(_random(size))
        return lambda: f(x)

    return chain


chains = [_chain(1000, "1e3"), _chain(100_000, "1e5"), _chain(4_000_000, "4e6")]


def _axby(size, text):
    @row(f"a * x + b * y + c, {text}")
    def axby(tf):
        f = tf.function(lambda x, y: 2.5 * x + 1.5 * y + 0.5)
        x, y = tf.constant(_random(size)), tf.constant(_random(size, seed=1))
        return lambda: f(x, y)

    @axby.numpy
    def _():
        def f(x, y):
            out, part = np.empty_like(x), np.empty(min(BLOCK, len(x)), F32)
            for at in range(0, len(x), BLOCK):
                here = out[at : at + BLOCK]
                other = part[: len(here)]
                np.multiply(x[at : at + BLOCK], a, out=here)
                np.multiply(y[at : at + BLOCK], b, out=other)
                np.add(here, other, out=here)
                np.add(here, c, out=here)
            return out

        a, b, c = F32(2.5), F32(1.5), F32(0.5)
        x, y = _random(size), _random(size, seed=1)
        return lambda: f(x, y)

    @axby.jax
    def _(jax):
        f = jax.jit(lambda x, y: 2.5 * x + 1.5 * y + 0.5)
        x, y = jax.numpy.asarray(_random(size)), jax.numpy.asarray(_random(size, seed=1))
        return lambda: f(x, y)

    return axby


axbys = [_axby(100_000, "1e5"), _axby(1_000_000, "1e6"), _axby(10_000_000, "1e7")]


@row("mean of squares, sum of absolute values and maximum, 512x512")
def reductions(tf):
    f = tf.function(
        lambda x: (tf.reduce_mean(tf.square(x), axis=1), tf.reduce_sum(tf.abs(x - 1.0)), tf.reduce_max(x * 2.0))
    )
    x = tf.constant(_random(512, 512))
    return lambda: f(x)


@reductions.numpy
def _():
    def f(x):
        part = np.square(x)
        mean = np.mean(part, axis=1)
        np.subtract(x, one, out=part)
        np.abs(part, out=part)
        total = np.sum(part)
        np.multiply(x, two, out=part)
        return mean, total, np.max(part)

    x, one, two = _random(512, 512), F32(1), F32(2)
    return lambda: f(x)


@reductions.jax
def _(jax):
    jnp = jax.numpy
    f = jax.jit(lambda x: (jnp.mean(jnp.square(x), axis=1), jnp.sum(jnp.abs(x - 1.0)), jnp.max(x * 2.0)))
    x = jnp.asarray(_random(512, 512))
    return lambda: f(x)


@row("softmax 512x512")
def softmax(tf):
    f = tf.function(lambda x: tf.nn.softmax(x))
    x = tf.constant(_random(512, 512))
    return lambda: f(x)


@softmax.numpy
def _():
    def f(x):
        y = x - np.max(x, axis=1, keepdims=True)
        np.exp(y, out=y)
        y /= np.sum(y, axis=1, keepdims=True)
        return y

    x = _random(512, 512)
    return lambda: f(x)


@softmax.jax
def _(jax):
    f = jax.jit(jax.nn.softmax)
    x = jax.numpy.asarray(_random(512, 512))
    return lambda: f(x)


@row("layer norm 512x512")
def layer_norm(tf):
    @tf.function
    def f(x, scale, offset):
        mean = tf.reduce_mean(x, axis=1, keepdims=True)
        centred = x - mean
        variance = tf.reduce_mean(tf.square(centred), axis=1, keepdims=True)
        return centred * tf.math.rsqrt(variance + 1e-5) * scale + offset

    x, scale, offset = tf.constant(_random(512, 512)), tf.constant(_random(512)), tf.constant(_random(512, seed=1))
    return lambda: f(x, scale, offset)


@layer_norm.numpy
def _():
    def f(x, scale, offset):
        y = x - np.mean(x, axis=1, keepdims=True)
        variance = np.mean(np.square(y), axis=1, keepdims=True)
        y *= one / np.sqrt(variance + small)
        y *= scale
        y += offset
        return y

    x, scale, offset, one, small = _random(512, 512), _random(512), _random(512, seed=1), F32(1), F32(1e-5)
    return lambda: f(x, scale, offset)


@layer_norm.jax
def _(jax):
    jnp = jax.numpy

    @jax.jit
    def f(x, scale, offset):
        centred = x - jnp.mean(x, axis=1, keepdims=True)
        variance = jnp.mean(jnp.square(centred), axis=1, keepdims=True)
        return centred * jax.lax.rsqrt(variance + 1e-5) * scale + offset

    given = [jnp.asarray(v) for v in (_random(512, 512), _random(512), _random(512, seed=1))]
    return lambda: f(*given)


@row("32 independent branches of 64x64")
def wide(tf):
    @tf.function
    def f(x, w):
        return tf.add_n([tf.tanh(tf.matmul(x, w[i])) for i in range(32)])

    x, w = tf.constant(_random(64, 64)), tf.constant(_random(32, 64, 64, seed=1))
    return lambda: f(x, w)


@wide.numpy
def _():
    def f(x, w):
        total = np.tanh(x @ w[0])
        for i in range(1, 32):
            total += np.tanh(x @ w[i])
        return total

    x, w = _random(64, 64), _random(32, 64, 64, seed=1)
    return lambda: f(x, w)


@wide.jax
def _(jax):
    jnp = jax.numpy
    f = jax.jit(lambda x, w: sum(jnp.tanh(x @ w[i]) for i in range(32)))
    x, w = jnp.asarray(_random(64, 64)), jnp.asarray(_random(32, 64, 64, seed=1))
    return lambda: f(x, w)


def _folded(name, is_given):
    @row(name)
    def folded(tf):
        big = np.ones((512, 512), F32)
        computed = tf.constant(np.exp(big) / np.exp(big).sum(-1, keepdims=True) + np.tanh(big))

        @tf.function
        def f(x):
            if is_given:
                return x + computed
            return x + (tf.nn.softmax(tf.ones([512, 512])) + tf.tanh(tf.ones([512, 512])))

        x = tf.constant(1.0)
        return lambda: f(x)

    @folded.numpy
    def _():
        big = np.ones((512, 512), F32)
        known = np.exp(big) / np.exp(big).sum(-1, keepdims=True) + np.tanh(big)
        x = F32(1)
        return lambda: x + known

    return folded


constants = [_folded("a constant subgraph", False), _folded("the same given as a constant", True)]


def _matmul(size):
    @row(f"matmul {size}x{size}")
    def matmul(tf):
        f = tf.function(lambda x, y: tf.matmul(x, y))
        x, y = tf.constant(_random(size, size)), tf.constant(_random(size, size, seed=1))
        return lambda: f(x, y)

    @matmul.numpy
    def _():
        x, y = _random(size, size), _random(size, size, seed=1)
        return lambda: x @ y

    @matmul.jax
    def _(jax):
        f = jax.jit(lambda x, y: x @ y)
        x, y = jax.numpy.asarray(_random(size, size)), jax.numpy.asarray(_random(size, size, seed=1))
        return lambda: f(x, y)

    return matmul


matmuls = [_matmul(64), _matmul(512)]


@row("embedding lookup, 1,024 of 10,000x64")
def embedding(tf):
    f = tf.function(lambda table, ids: tf.nn.embedding_lookup(table, ids))
    table, ids = tf.constant(_random(10_000, 64)), tf.constant(np.arange(1024, dtype=np.int32) * 7)
    return lambda: f(table, ids)


@embedding.numpy
def _():
    table, ids = _random(10_000, 64), np.arange(1024, dtype=np.int32) * 7
    return lambda: np.take(table, ids, axis=0)


@embedding.jax
def _(jax):
    f = jax.jit(lambda table, ids: table[ids])
    table, ids = jax.numpy.asarray(_random(10_000, 64)), jax.numpy.arange(1024, dtype=np.int32) * 7
    return lambda: f(table, ids)


@row("sort 1e5")
def sort(tf):
    f = tf.function(lambda x: tf.sort(x))
    x = tf.constant(_random(100_000))
    return lambda: f(x)


@sort.numpy
def _():
    x = _random(100_000)
    return lambda: np.sort(x)


@sort.jax
def _(jax):
    f = jax.jit(jax.numpy.sort)
    x = jax.numpy.asarray(_random(100_000))
    return lambda: f(x)


@row("top_k 10 of 64x1,000")
def top_k(tf):
    f = tf.function(lambda x: tf.math.top_k(x, k=10).values)
    x = tf.constant(_random(64, 1000))
    return lambda: f(x)


@top_k.numpy
def _():
    def f(x):
        found = np.argpartition(-x, 10, axis=1)[:, :10]
        values = np.take_along_axis(x, found, axis=1)
        return -np.sort(-values, axis=1)

    x = _random(64, 1000)
    return lambda: f(x)


@top_k.jax
def _(jax):
    f = jax.jit(lambda x: jax.lax.top_k(x, 10)[0])
    x = jax.numpy.asarray(_random(64, 1000))
    return lambda: f(x)


@row("einsum bqhd,bkhd->bhqk, 4x64x4x32")
def einsum(tf):
    f = tf.function(lambda q, k: tf.einsum("bqhd,bkhd->bhqk", q, k))
    q, k = tf.constant(_random(4, 64, 4, 32)), tf.constant(_random(4, 64, 4, 32, seed=1))
    return lambda: f(q, k)


@einsum.numpy
def _():
    q, k = _random(4, 64, 4, 32), _random(4, 64, 4, 32, seed=1)
    return lambda: np.matmul(q.transpose(0, 2, 1, 3), k.transpose(0, 2, 3, 1))


@einsum.jax
def _(jax):
    f = jax.jit(lambda q, k: jax.numpy.einsum("bqhd,bkhd->bhqk", q, k))
    q, k = jax.numpy.asarray(_random(4, 64, 4, 32)), jax.numpy.asarray(_random(4, 64, 4, 32, seed=1))
    return lambda: f(q, k)


LINES = [f"the {i} quick brown fox jumps over the lazy dog {i % 7}" for i in range(1000)]


@row("string split, 1,000 lines")
def split(tf):
    f = tf.function(lambda x: tf.strings.split(x).flat_values)
    x = tf.constant(LINES)
    return lambda: tf.strings.length(f(x))


@split.numpy
def _():
    x = [line.encode() for line in LINES]
    return lambda: np.array([len(word) for line in x for word in line.split()], np.int32)
