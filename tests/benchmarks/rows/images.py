"""What do convolutions, pools and images cost?"""

import numpy as np

from tests.benchmarks.rows import row

F32 = np.float32


def _random(*shape, seed=0, scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(F32)


def _pools_weights():
    return _random(3, 3, 3, 16, seed=1, scale=0.2), _random(3, 3, 16, 32, seed=2, scale=0.1)


def _pools(tf, x, k1, k2):
    y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, k1, 1, "SAME")), 2, 2, "VALID")
    return tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(y, k2, 1, "SAME")), 2, 2, "VALID")


def _jax_conv(jax, x, k, groups=1):
    return jax.lax.conv_general_dilated(
        x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=groups
    )


def _jax_pools(jax, x, k1, k2):
    for k in (k1, k2):
        x = jax.numpy.maximum(_jax_conv(jax, x, k), 0)
        x = jax.lax.reduce_window(x, -np.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return x


@row("two convolutions and max-pools, [32, 32, 32, 3]")
def pools(tf):
    f = tf.function(lambda x, k1, k2: _pools(tf, x, k1, k2))
    given = [tf.constant(v) for v in (_random(32, 32, 32, 3), *_pools_weights())]
    return lambda: f(*given)


@pools.numpy
def _():
    def conv(x, k):
        n, h, w, c = x.shape
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        view = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2)).transpose(0, 1, 2, 4, 5, 3)
        return (view.reshape(-1, 9 * c) @ k.reshape(9 * c, -1)).reshape(n, h, w, -1)

    def pool(x):
        left = np.maximum(x[:, ::2], x[:, 1::2])
        return np.maximum(left[:, :, ::2], left[:, :, 1::2])

    def f(x, k1, k2):
        for k in (k1, k2):
            x = conv(x, k)
            x = pool(np.maximum(x, 0, out=x))
        return x

    given = [_random(32, 32, 32, 3), *_pools_weights()]
    return lambda: f(*given)


@pools.jax
def _(jax):
    f = jax.jit(lambda *given: _jax_pools(jax, *given))
    given = [jax.numpy.asarray(v) for v in (_random(32, 32, 32, 3), *_pools_weights())]
    return lambda: f(*given)


@row("gradient of two convolutions and max-pools, [32, 32, 32, 3]", rtol=1e-3)
def pools_gradient(tf):
    @tf.function
    def f(x, k1, k2):
        with tf.GradientTape() as tape:
            tape.watch([k1, k2])
            loss = tf.reduce_sum(tf.square(_pools(tf, x, k1, k2)))
        return tape.gradient(loss, [k1, k2])

    given = [tf.constant(v) for v in (_random(32, 32, 32, 3), *_pools_weights())]
    return lambda: f(*given)


@pools_gradient.jax
def _(jax):
    f = jax.jit(jax.grad(lambda x, *ks: jax.numpy.sum(_jax_pools(jax, x, *ks) ** 2), argnums=(1, 2)))
    given = [jax.numpy.asarray(v) for v in (_random(32, 32, 32, 3), *_pools_weights())]
    return lambda: f(*given)


@row("conv2d 3x3, [1, 32, 32, 64] to 64")
def conv2d(tf):
    f = tf.function(lambda x, k: tf.nn.conv2d(x, k, 1, "SAME"))
    x, k = tf.constant(_random(1, 32, 32, 64)), tf.constant(_random(3, 3, 64, 64, seed=1))
    return lambda: f(x, k)


@conv2d.jax
def _(jax):
    f = jax.jit(lambda x, k: _jax_conv(jax, x, k))
    x, k = jax.numpy.asarray(_random(1, 32, 32, 64)), jax.numpy.asarray(_random(3, 3, 64, 64, seed=1))
    return lambda: f(x, k)


@row("depthwise convolution 3x3, [1, 56, 56, 144]")
def depthwise(tf):
    f = tf.function(lambda x, k: tf.nn.depthwise_conv2d(x, k, (1, 1, 1, 1), "SAME"))
    x, k = tf.constant(_random(1, 56, 56, 144)), tf.constant(_random(3, 3, 144, 1, seed=1))
    return lambda: f(x, k)


@depthwise.jax
def _(jax):
    f = jax.jit(lambda x, k: _jax_conv(jax, x, k, 144))
    x, k = jax.numpy.asarray(_random(1, 56, 56, 144)), jax.numpy.asarray(_random(3, 3, 144, 1, seed=1))
    k = k.reshape(3, 3, 1, 144)
    return lambda: f(x, k)


@row("inverted residual block, [1, 56, 56, 24]", rtol=1e-3)
def inverted_residual(tf):
    k1, k2, k3 = (
        _random(1, 1, 24, 144, scale=0.1),
        _random(3, 3, 144, 1, seed=1),
        _random(1, 1, 144, 24, seed=2, scale=0.1),
    )
    k1, k2, k3 = tf.constant(k1), tf.constant(k2), tf.constant(k3)
    wide, narrow = (
        [tf.constant(np.full(144, v, F32)) for v in (1.1, 0.1, 0.2, 0.9)],
        [tf.constant(np.full(24, v, F32)) for v in (1.1, 0.1, 0.2, 0.9)],
    )

    def norm(x, numbers):
        scale, offset, mean, variance = numbers
        found = tf.raw_ops.FusedBatchNormV3(
            x=x, scale=scale, offset=offset, mean=mean, variance=variance, epsilon=1e-3, is_training=False
        )
        return found[0]

    @tf.function
    def f(x):
        y = tf.nn.relu6(norm(tf.nn.conv2d(x, k1, 1, "SAME"), wide))
        y = tf.nn.relu6(norm(tf.nn.depthwise_conv2d(y, k2, (1, 1, 1, 1), "SAME"), wide))
        return x + norm(tf.nn.conv2d(y, k3, 1, "SAME"), narrow)

    x = tf.constant(_random(1, 56, 56, 24))
    return lambda: f(x)


@row("image resize, [8, 64, 64, 3] to 96x96", rtol=1e-3)
def resize(tf):
    f = tf.function(lambda x: tf.image.resize(x, [96, 96]))
    x = tf.constant(np.abs(_random(8, 64, 64, 3)))
    return lambda: f(x)


@resize.jax
def _(jax):
    f = jax.jit(lambda x: jax.image.resize(x, (8, 96, 96, 3), "bilinear"))
    x = jax.numpy.asarray(np.abs(_random(8, 64, 64, 3)))
    return lambda: f(x)
