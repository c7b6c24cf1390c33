"""What do loops cost: over numbers, over small arrays, with lists of results, and their gradients?"""

import numpy as np

from tests.benchmarks.rows import row

F32 = np.float32


def _random(*shape, seed=0, scale=1.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(F32)


@row("power(x, 100), 10x10 int32")
def power(tf):
    @tf.function
    def f(x, n):
        result = x
        for _ in tf.range(n - 1):
            result = tf.matmul(result, x)
        return result

    x, n = tf.constant(np.eye(10, dtype=np.int32)), tf.constant(100)
    return lambda: f(x, n)


@power.numpy
def _():
    def f(x, n):
        result = x
        for _ in range(n - 1):
            result = result @ x
        return result

    x = np.eye(10, dtype=np.int32)
    return lambda: f(x, 100)


@power.jax
def _(jax):
    f = jax.jit(lambda x, n: jax.lax.fori_loop(0, n - 1, lambda _, r: r @ x, x))
    x = jax.numpy.eye(10, dtype=np.int32)
    return lambda: f(x, 100)


@row("collatz(837799)")
def collatz(tf):
    @tf.function
    def f(n):
        steps = tf.constant(0)
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    n = tf.constant(837799, tf.int64)
    return lambda: f(n)


@collatz.numpy
def _():
    def f(n):
        one, two, three = np.int64(1), np.int64(2), np.int64(3)
        steps = 0
        while n != one:
            if n % two == 0:
                n = n // two
            else:
                n = three * n + one
            steps += 1
        return np.int32(steps)

    return lambda: f(np.int64(837799))


@collatz.jax
def _(jax):
    jnp = jax.numpy

    def step(state):
        n, steps = state
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

    f = jax.jit(lambda n: jax.lax.while_loop(lambda s: s[0] != 1, step, (n, jnp.int32(0)))[1])
    n = jnp.int64(837799)
    return lambda: f(n)


@row("collatz of 1 to 200: most steps")
def collatz_of_many(tf):
    @tf.function
    def f(limit):
        most = tf.constant(0)
        for start in tf.range(1, limit):
            n = start
            steps = tf.constant(0)
            while n != 1:
                if n % 2 == 0:
                    n = n // 2
                else:
                    n = 3 * n + 1
                steps += 1
            if steps > most:
                most = steps
        return most

    limit = tf.constant(200)
    return lambda: f(limit)


@collatz_of_many.numpy
def _():
    def f(limit):
        one, two, three = np.int32(1), np.int32(2), np.int32(3)
        most = 0
        for n in np.arange(1, limit, dtype=np.int32):
            steps = 0
            while n != one:
                if n % two == 0:
                    n = n // two
                else:
                    n = three * n + one
                steps += 1
            most = max(most, steps)
        return np.int32(most)

    return lambda: f(200)


@collatz_of_many.jax
def _(jax):
    jnp, lax = jax.numpy, jax.lax

    def steps_of(n):
        def step(state):
            n, steps = state
            return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), steps + 1

        return lax.while_loop(lambda s: s[0] != 1, step, (n, jnp.int32(0)))[1]

    f = jax.jit(lambda limit: lax.fori_loop(1, limit, lambda n, most: jnp.maximum(most, steps_of(n)), jnp.int32(0)))
    limit = jnp.int32(200)
    return lambda: f(limit)


@row("primes below 1,000 by division")
def primes(tf):
    @tf.function
    def f(limit):
        count = tf.constant(0)
        for n in tf.range(2, limit):
            is_prime = tf.constant(True)
            d = tf.constant(2)
            while is_prime and d * d <= n:
                if n % d == 0:
                    is_prime = tf.constant(False)
                d += 1
            if is_prime:
                count += 1
        return count

    limit = tf.constant(1000)
    return lambda: f(limit)


@primes.numpy
def _():
    def f(limit):
        count, one = 0, np.int32(1)
        for n in np.arange(2, limit, dtype=np.int32):
            is_prime, d = True, np.int32(2)
            while is_prime and d * d <= n:
                if n % d == 0:
                    is_prime = False
                d = d + one
            count += is_prime
        return np.int32(count)

    return lambda: f(1000)


@primes.jax
def _(jax):
    jnp, lax = jax.numpy, jax.lax

    def is_prime(n):
        def step(state):
            d, so_far = state
            return d + 1, so_far & (n % d != 0)

        return lax.while_loop(lambda s: s[1] & (s[0] * s[0] <= n), step, (jnp.int32(2), True))[1]

    f = jax.jit(lambda limit: lax.fori_loop(2, limit, lambda n, c: c + is_prime(n), jnp.int32(0)))
    limit = jnp.int32(1000)
    return lambda: f(limit)


@row("mandelbrot of one point, 1,000 steps")
def mandelbrot(tf):
    @tf.function
    def f(a, b):
        x = tf.constant(0.0, tf.float64)
        y = tf.constant(0.0, tf.float64)
        n = tf.constant(0)
        while n < 1000 and x * x + y * y < 4.0:
            x, y = x * x - y * y + a, 2.0 * x * y + b
            n += 1
        return n, x, y

    a, b = tf.constant(-0.1, tf.float64), tf.constant(0.65, tf.float64)
    return lambda: f(a, b)


@mandelbrot.numpy
def _():
    def f(a, b):
        x = y = np.float64(0.0)
        n, two, four = 0, np.float64(2.0), np.float64(4.0)
        while n < 1000 and x * x + y * y < four:
            x, y = x * x - y * y + a, two * x * y + b
            n += 1
        return np.int32(n), x, y

    a, b = np.float64(-0.1), np.float64(0.65)
    return lambda: f(a, b)


@mandelbrot.jax
def _(jax):
    jnp = jax.numpy

    @jax.jit
    def f(a, b):
        def step(state):
            n, x, y = state
            return n + 1, x * x - y * y + a, 2.0 * x * y + b

        def test(state):
            n, x, y = state
            return (n < 1000) & (x * x + y * y < 4.0)

        return jax.lax.while_loop(test, step, (jnp.int32(0), jnp.float64(0), jnp.float64(0)))

    a, b = jnp.float64(-0.1), jnp.float64(0.65)
    return lambda: f(a, b)


@row("newton: 50 square roots of a float32")
def newton(tf):
    @tf.function
    def f(x):
        total = tf.constant(0.0)
        for i in tf.range(50):
            y = x
            while tf.abs(y * y - x) > 1e-4 * x:
                y = 0.5 * (y + x / y)
            total += y
        return total

    x = tf.constant(37.5)
    return lambda: f(x)


@newton.numpy
def _():
    def f(x):
        half, near, total = F32(0.5), F32(1e-4), F32(0.0)
        for _ in range(50):
            y = x
            while abs(y * y - x) > near * x:
                y = half * (y + x / y)
            total = total + y
        return total

    x = F32(37.5)
    return lambda: f(x)


@newton.jax
def _(jax):
    jnp, lax = jax.numpy, jax.lax

    @jax.jit
    def f(x):
        def root(_, total):
            y = lax.while_loop(lambda y: jnp.abs(y * y - x) > 1e-4 * x, lambda y: 0.5 * (y + x / y), x)
            return total + y

        return lax.fori_loop(0, 50, root, jnp.float32(0))

    x = jnp.float32(37.5)
    return lambda: f(x)


def _tanh_loop(size, text):
    @row(f"tanh loop, 100 times {text}")
    def tanh_loop(tf):
        @tf.function
        def f(x, w):
            for _ in tf.range(100):
                x = tf.tanh(x * w + 0.1)
            return x

        x, w = tf.constant(_random(size)), tf.constant(_random(size, seed=1))
        return lambda: f(x, w)

    @tanh_loop.numpy
    def _():
        def f(x, w):
            out = np.multiply(x, w)
            for i in range(100):
                if i:
                    np.multiply(out, w, out=out)
                np.add(out, tenth, out=out)
                np.tanh(out, out=out)
            return out

        x, w, tenth = _random(size), _random(size, seed=1), F32(0.1)
        return lambda: f(x, w)

    @tanh_loop.jax
    def _(jax):
        jnp = jax.numpy
        f = jax.jit(lambda x, w: jax.lax.fori_loop(0, 100, lambda _, x: jnp.tanh(x * w + 0.1), x))
        x, w = jnp.asarray(_random(size)), jnp.asarray(_random(size, seed=1))
        return lambda: f(x, w)

    return tanh_loop


tanh_loops = [_tanh_loop(5, "5"), _tanh_loop(1000, "1e3"), _tanh_loop(100_000, "1e5")]


def _rnn(steps, batch, units):
    inputs = [
        _random(steps, batch, units),
        *(_random(units, units, seed=s, scale=0.3) for s in (1, 2)),
        _random(units, seed=3),
    ]

    @row(f"RNN {steps}x{batch}x{units}")
    def rnn(tf):
        @tf.function
        def f(x, w, u, b):
            h = tf.zeros([batch, units])
            found = tf.TensorArray(tf.float32, size=steps)
            for t in tf.range(steps):
                h = tf.tanh(tf.matmul(x[t], w) + tf.matmul(h, u) + b)
                found = found.write(t, h)
            return found.stack()

        given = [tf.constant(v) for v in inputs]
        return lambda: f(*given)

    @rnn.numpy
    def _():
        def f(x, w, u, b):
            found = np.empty((steps, batch, units), F32)
            h = np.zeros((batch, units), F32)
            for t in range(steps):
                h = np.matmul(x[t], w) + np.matmul(h, u)
                h += b
                np.tanh(h, out=found[t])
                h = found[t]
            return found

        return lambda: f(*inputs)

    @rnn.jax
    def _(jax):
        jnp = jax.numpy

        @jax.jit
        def f(x, w, u, b):
            def step(h, row):
                h = jnp.tanh(row @ w + h @ u + b)
                return h, h

            return jax.lax.scan(step, jnp.zeros((batch, units)), x)[1]

        given = [jnp.asarray(v) for v in inputs]
        return lambda: f(*given)

    return rnn


rnns = [_rnn(100, 8, 32), _rnn(1000, 1, 4)]


@row("gradient through 1,000 iterations")
def long_gradient(tf):
    @tf.function
    def f(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = x
            for _ in tf.range(1000):
                y = tf.tanh(y * w)
            loss = tf.reduce_sum(y)
        return tape.gradient(loss, [x, w])

    x, w = tf.constant(_random(10)), tf.constant(_random(10, seed=1) * F32(0.01) + F32(1.0))
    return lambda: f(x, w)


@long_gradient.numpy
def _():
    def f(x, w):
        kept = np.empty((1001, len(x)), F32)
        kept[0] = x
        for i in range(1000):
            np.multiply(kept[i], w, out=kept[i + 1])
            np.tanh(kept[i + 1], out=kept[i + 1])
        g, gw = np.ones_like(x), np.zeros_like(w)
        for i in range(999, -1, -1):
            y = kept[i + 1]
            g = g * (one - y * y)
            gw += g * kept[i]
            g = g * w
        return g, gw

    one = F32(1)
    x, w = _random(10), _random(10, seed=1) * F32(0.01) + F32(1.0)
    return lambda: f(x, w)


@long_gradient.jax
def _(jax):
    jnp = jax.numpy

    def loss(x, w):
        return jnp.sum(jax.lax.scan(lambda y, _: (jnp.tanh(y * w), None), x, None, length=1000)[0])

    f = jax.jit(jax.grad(loss, argnums=(0, 1)))
    x, w = jnp.asarray(_random(10)), jnp.asarray(_random(10, seed=1) * F32(0.01) + F32(1.0))
    return lambda: f(x, w)
