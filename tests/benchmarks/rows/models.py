"""What does training cost: small networks, recurrent ones, in a function, with and without keras?"""

import numpy as np

from tests.benchmarks.rows import row

F32 = np.float32


def _random(*shape, seed=0, scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(F32)


def _weights(sizes):
    found = []
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        found += [_random(a, b, seed=i, scale=a**-0.5), np.zeros(b, F32)]
    return found


def _batch(inputs, outputs):
    x = _random(32, inputs, seed=9)
    return x, np.eye(outputs, dtype=F32)[np.arange(32) % outputs]


def _numpy_gradients(x, labels, w1, b1, w2, b2):
    h = x @ w1
    h += b1
    np.maximum(h, 0, out=h)
    z = h @ w2
    z += b2
    z -= z.max(axis=1, keepdims=True)
    np.exp(z, out=z)
    z /= z.sum(axis=1, keepdims=True)
    z -= labels
    z *= F32(1 / len(x))
    gh = z @ w2.T
    gh *= h > 0
    return x.T @ gh, gh.sum(axis=0), h.T @ z, z.sum(axis=0)


def _loss(tf, x, labels, w1, b1, w2, b2):
    h = tf.nn.relu(tf.matmul(x, w1) + b1)
    logits = tf.matmul(h, w2) + b2
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def _jax_loss(jax):
    jnp = jax.numpy

    def loss(weights, x, labels):
        w1, b1, w2, b2 = weights
        logits = jnp.maximum(x @ w1 + b1, 0) @ w2 + b2
        return -jnp.mean(jnp.sum(labels * jax.nn.log_softmax(logits), axis=1))

    return loss


def _mlp(sizes):
    @row(f"MLP {'-'.join(map(str, sizes))}, a training step's gradients")
    def mlp(tf):
        x, labels = (tf.constant(v) for v in _batch(sizes[0], sizes[-1]))
        weights = [tf.constant(w) for w in _weights(sizes)]

        @tf.function
        def f(x, labels, *weights):
            with tf.GradientTape() as tape:
                tape.watch(weights)
                loss = _loss(tf, x, labels, *weights)
            return tape.gradient(loss, weights)

        return lambda: f(x, labels, *weights)

    @mlp.numpy
    def _():
        x, labels = _batch(sizes[0], sizes[-1])
        weights = _weights(sizes)
        return lambda: _numpy_gradients(x, labels, *weights)

    @mlp.jax
    def _(jax):
        x, labels = map(jax.numpy.asarray, _batch(sizes[0], sizes[-1]))
        weights = [jax.numpy.asarray(w) for w in _weights(sizes)]
        f = jax.jit(jax.grad(_jax_loss(jax)))
        return lambda: f(weights, x, labels)

    return mlp


mlps = [_mlp((64, 128, 10)), _mlp((784, 512, 10))]
SIZES = (64, 128, 10)


@row("training loop of 100 steps, 64-128-10")
def training(tf):
    x, labels = (tf.constant(v) for v in _batch(SIZES[0], SIZES[-1]))
    variables = [tf.Variable(w) for w in _weights(SIZES)]
    start = [tf.constant(w) for w in _weights(SIZES)]

    @tf.function
    def f(x, labels):
        for v, s in zip(variables, start):
            v.assign(s)
        for _ in tf.range(100):
            with tf.GradientTape() as tape:
                loss = _loss(tf, x, labels, *variables)
            for v, g in zip(variables, tape.gradient(loss, variables)):
                v.assign_sub(0.1 * g)
        return [tf.identity(v) for v in variables]

    return lambda: f(x, labels)


@training.numpy
def _():
    x, labels = _batch(SIZES[0], SIZES[-1])
    start, rate = _weights(SIZES), F32(0.1)

    def f():
        weights = [w.copy() for w in start]
        for _ in range(100):
            for w, g in zip(weights, _numpy_gradients(x, labels, *weights)):
                g *= rate
                w -= g
        return weights

    return f


@training.jax
def _(jax):
    x, labels = map(jax.numpy.asarray, _batch(SIZES[0], SIZES[-1]))
    start = [jax.numpy.asarray(w) for w in _weights(SIZES)]
    grad = jax.grad(_jax_loss(jax))

    @jax.jit
    def f(weights, x, labels):
        def step(_, weights):
            return [w - 0.1 * g for w, g in zip(weights, grad(weights, x, labels))]

        return jax.lax.fori_loop(0, 100, step, weights)

    return lambda: f(start, x, labels)


@row("Adam step on 784-512-10", rtol=None)
def adam(tf):
    sizes = (784, 512, 10)
    variables = [tf.Variable(w) for w in _weights(sizes)]
    gradients = [tf.constant(_random(*w.shape, seed=5, scale=0.01)) for w in _weights(sizes)]
    optimizer = tf.keras.optimizers.Adam(1e-3)
    optimizer.build(variables)

    @tf.function
    def f():
        optimizer.apply_gradients(zip(gradients, variables))

    return f


@adam.numpy
def _():
    weights = _weights((784, 512, 10))
    gradients = [_random(*w.shape, seed=5, scale=0.01) for w in weights]
    first, second = [np.zeros_like(w) for w in weights], [np.zeros_like(w) for w in weights]
    step = 0

    def f():
        nonlocal step
        step += 1
        rate = F32(1e-3 * (1 - 0.999**step) ** 0.5 / (1 - 0.9**step))
        for w, g, m, v in zip(weights, gradients, first, second):
            part = g - m
            part *= F32(0.1)
            m += part
            np.square(g, out=part)
            part -= v
            part *= F32(0.001)
            v += part
            np.sqrt(v, out=part)
            part += F32(1e-7)
            np.divide(m, part, out=part)
            part *= rate
            w -= part

    return f


# --- LSTM: [32, 28, 28], 64 units ------------------------------------------------------------------------------------
STEPS, UNITS = 28, 64


def _lstm_weights():
    return (
        _random(28, 4 * UNITS, seed=1, scale=0.1),
        _random(UNITS, 4 * UNITS, seed=2, scale=0.1),
        np.zeros(4 * UNITS, F32),
    )


def _numpy_lstm_step(x, h, c, w, u, b):
    z = x @ w
    z += h @ u
    z += b
    i, f, g, o = z[:, :UNITS], z[:, UNITS : 2 * UNITS], z[:, 2 * UNITS : 3 * UNITS], z[:, 3 * UNITS :]
    one = F32(1)
    i, f, o = (one / (one + np.exp(-v)) for v in (i, f, o))
    g = np.tanh(g)
    c = f * c + i * g
    t = np.tanh(c)
    return o * t, c, (i, f, g, o, t)


def _lstm_step(tf, x, h, c, w, u, b):
    z = tf.matmul(x, w) + tf.matmul(h, u) + b
    i, f, g, o = tf.split(z, 4, axis=1)
    c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
    return tf.sigmoid(o) * tf.tanh(c), c


@row("LSTM step, 32x28, 64 units")
def lstm_step(tf):
    f = tf.function(lambda x, h, c, w, u, b: _lstm_step(tf, x, h, c, w, u, b))
    given = [tf.constant(v) for v in (_random(32, 28), _random(32, UNITS), _random(32, UNITS), *_lstm_weights())]
    return lambda: f(*given)


@lstm_step.numpy
def _():
    given = [_random(32, 28), _random(32, UNITS), _random(32, UNITS), *_lstm_weights()]
    return lambda: _numpy_lstm_step(*given)[:2]


@row("gradient of an LSTM as a loop, [32, 28, 28], 64 units", rtol=1e-3)
def lstm_loop(tf):
    @tf.function
    def f(x, w, u, b):
        with tf.GradientTape() as tape:
            tape.watch([w, u, b])
            h, c = tf.zeros([32, UNITS]), tf.zeros([32, UNITS])
            for t in tf.range(STEPS):
                h, c = _lstm_step(tf, x[:, t], h, c, w, u, b)
            loss = tf.reduce_sum(h)
        return tape.gradient(loss, [w, u, b])

    x, given = tf.constant(_random(32, STEPS, 28)), [tf.constant(v) for v in _lstm_weights()]
    return lambda: f(x, *given)


@lstm_loop.numpy
def _():
    def f(x, w, u, b):
        h, c, kept, one = np.zeros((32, UNITS), F32), np.zeros((32, UNITS), F32), [], F32(1)
        for t in range(STEPS):
            before = h, c
            h, c, parts = _numpy_lstm_step(x[:, t], h, c, w, u, b)
            kept.append((before, parts))
        gw, gu, gb = np.zeros_like(w), np.zeros_like(u), np.zeros_like(b)
        gh, gc, gz = np.ones_like(h), np.zeros_like(c), np.empty((32, 4 * UNITS), F32)
        for t in range(STEPS - 1, -1, -1):
            (h, c), (i, f, g, o, tc) = kept[t]
            gc += gh * o * (one - tc * tc)
            gz[:, :UNITS] = gc * g * i * (one - i)
            gz[:, UNITS : 2 * UNITS] = gc * c * f * (one - f)
            gz[:, 2 * UNITS : 3 * UNITS] = gc * i * (one - g * g)
            gz[:, 3 * UNITS :] = gh * tc * o * (one - o)
            gw += x[:, t].T @ gz
            gu += h.T @ gz
            gb += gz.sum(axis=0)
            gh = gz @ u.T
            gc *= f
        return gw, gu, gb

    x, given = _random(32, STEPS, 28), _lstm_weights()
    return lambda: f(x, *given)


@row("gradient of keras.layers.LSTM, [32, 28, 28], 64 units", rtol=1e-3)
def lstm_layer(tf):
    layer = tf.keras.layers.LSTM(UNITS)
    layer.build((32, STEPS, 28))
    layer.set_weights(list(_lstm_weights()))

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x))
        return tape.gradient(loss, layer.trainable_variables)

    x = tf.constant(_random(32, STEPS, 28))
    return lambda: f(x)
