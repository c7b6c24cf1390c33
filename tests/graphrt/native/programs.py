"""Programs that the tests of the native backend run in both ways: loops, chains, reductions, lists, gradients."""

import numpy as np

import graphrt as tf


def complex_parts(x, y):
    z = tf.complex(x, y) * (1.5 - 2j)
    return tf.math.real(z) - tf.math.imag(z), tf.math.conj(z), tf.exp(z) / (z + 1j)


def power(x, n):
    r = tf.ones_like(x)
    i = tf.constant(0)
    while i < n:
        r = r * x
        i += 1
    return r


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def primes(n):
    count = 0
    for i in tf.range(2, n):
        is_prime = True
        j = 2
        while j * j <= i:
            if i % j == 0:
                is_prime = False
                break
            j += 1
        if is_prime:
            count += 1
    return count


def mandelbrot(x, y):
    counts = tf.TensorArray(tf.int32, 20)
    for i in tf.range(20):
        a, b, n = 0.0, 0.0, 0
        while n < 50 and a * a + b * b <= 4.0:
            a, b = a * a - b * b + x[i], 2.0 * a * b + y
            n += 1
        counts = counts.write(i, n)
    return counts.stack()


def wrapped_around(n, v):
    """Squares and sums that do not fit, divided: no optimizer may take them for what they would be if they did."""
    m = n
    for _ in tf.range(5):
        n = n * n + m
        m = m - n * 3
        v = v * v + m
    three = tf.constant(-3, tf.int64)
    signs = n * n >= 0, tf.sign(n * n), tf.maximum(n * n, 0), tf.abs(n)
    whole = tf.reduce_sum(v * v), tf.reduce_prod(v + 1), tf.cumsum(v * v), tf.math.cumprod(v)
    more = tf.square(v), tf.math.squared_difference(v, n), tf.add_n([v * v, v, v])
    return *signs, *(x // three for x in (n, *whole, *more)), *(x % 5 for x in (n, *whole, *more))


def newton(c):
    x = c
    while tf.abs(x * x - c) > 1e-9 * c:
        x = 0.5 * (x + c / x)
    return x


def tanh_loop(x, n):
    for _ in tf.range(n):
        x = tf.tanh(x) + 0.1
    return x


def rnn(xs, h, w, u):
    out = tf.TensorArray(tf.float32, 10)
    for t in tf.range(10):
        h = tf.tanh(xs[t] @ w + h @ u)
        out = out.write(t, h)
    return out.stack(), h


def loop_gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(50):
            y = y * 0.9 + tf.sin(y) * 0.1
    return tape.gradient(y, x)


def rnn_gradient(xs, h, w):
    with tf.GradientTape() as tape:
        tape.watch([h, w])
        s = h
        for t in tf.range(7):
            s = tf.tanh(xs[t] + s @ w)
        total = tf.reduce_sum(s * s)
    return tape.gradient(total, [h, w])


def layer_norm(x, scale, shift):
    mean = tf.reduce_mean(x, -1, keepdims=True)
    variance = tf.reduce_mean(tf.square(x - mean), -1, keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5) * scale + shift


def mlp(x, y, w1, b1, w2, b2):
    with tf.GradientTape() as tape:
        tape.watch([w1, b1, w2, b2])
        logits = tf.nn.relu(x @ w1 + b1) @ w2 + b2
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
    return loss, tape.gradient(loss, [w1, b1, w2, b2])


def reductions(x):
    rows = (
        tf.reduce_sum(x, 1),
        tf.reduce_max(x, 0),
        tf.reduce_mean(x),
        tf.reduce_prod(x, [0, 2]),
        tf.reduce_min(x, [1, 2]),
    )
    return (*rows, tf.reduce_any(x > 1.0, 0), tf.reduce_all(x > -5.0), tf.nn.softmax(x), tf.nn.log_softmax(x))


def rearranged(x, i):
    parts = tf.stack([x[0], x[i]], 1), tf.concat([x, x * 2.0], 0), tf.transpose(x), tf.reshape(x, [-1])
    return (
        *parts,
        tf.gather(x, [2, 0, 0]),
        tf.one_hot([1, 0, 5], 4),
        x[1:, ::2],
        x[:, tf.newaxis],
        tf.expand_dims(x, 0),
    )


def branches(x, i):
    y = x * 2.0 if tf.reduce_sum(x) > 0.0 else x - 1.0
    return tf.switch_case(i, [lambda: y + 1.0, lambda: y * y, lambda: -y])


def integers(a, b):
    return (
        a // b,
        a % b,
        a * b + a - b,
        tf.maximum(a, b),
        tf.truncatediv(a, b),
        tf.abs(a),
        -b,
    )


def remainders(a, b):
    return tf.truncatemod(a, b), tf.math.floormod(a, b)


def activations(x):
    found = [tf.nn.relu(x), tf.nn.relu6(x), tf.nn.elu(x), tf.nn.leaky_relu(x), tf.nn.softplus(x), tf.nn.softsign(x)]
    return (*found, tf.sigmoid(x), tf.sign(x), tf.floor(x), tf.round(x), tf.exp(x), tf.math.expm1(x), x**2.5, x % 0.7)


def conversions(x):
    return (
        tf.cast(x, tf.int32),
        tf.cast(x, tf.int64),
        tf.cast(x, tf.float64),
        tf.cast(x, tf.bool),
        tf.cast(x > 0, tf.float32),
    )


def functions(x, y):
    raw = tf.raw_ops
    unit = raw.Tanh(x=x)
    found = [f(x) for f in (tf.asinh, tf.atan, tf.cosh, tf.sinh, tf.tan, tf.math.ceil, tf.math.rint)]
    found += [tf.acos(unit), tf.asin(unit), tf.atanh(unit * 0.9), tf.acosh(x * x + 1.0), tf.sqrt(x), tf.math.log(x)]
    found += [tf.math.log1p(x), raw.Reciprocal(x=x), raw.Inv(x=x), raw.Div(x=x, y=y), raw.Add(x=x, y=y)]
    found += [
        tf.math.divide_no_nan(x, y),
        tf.math.multiply_no_nan(x, y),
        raw.SquaredDifference(x=x, y=y),
        raw.Mod(x=x, y=y),
    ]
    found += [tf.clip_by_value(x, -0.5, 0.7), tf.minimum(x, y), raw.AddN(inputs=[x, y, x])]
    return (
        *found,
        tf.math.is_nan(x),
        tf.math.is_inf(x),
        tf.math.is_finite(x),
        x >= y,
        (x > 0.0) & (y > 0.0),
        (x > 1.0) | (y > 0.0),
    )


def slopes(x, g):
    raw = tf.raw_ops
    found = [f(y=x, dy=g) for f in (raw.SigmoidGrad, raw.SqrtGrad, raw.InvGrad, raw.ReciprocalGrad, raw.TanhGrad)]
    found += [f(gradients=g, features=x) for f in (raw.Relu6Grad, raw.ReluGrad, raw.LeakyReluGrad, raw.SoftsignGrad)]
    return (*found, raw.EluGrad(gradients=g, outputs=x))


def bits(a, b):
    raw = tf.bitwise
    return raw.bitwise_and(a, b), raw.bitwise_or(a, b), raw.bitwise_xor(a, b), raw.invert(a), tf.where(a > b, a, b)


def unsigned(a, b):
    return a // b, a % b, a * b, a + b, a - b, tf.maximum(a, b)


def shapes(x, b):
    raw = tf.raw_ops
    found = [raw.BiasAdd(value=x, bias=b), tf.broadcast_to(b, [4, 5]), tf.zeros_like(x) + x, tf.ones_like(x) * x]
    found += [
        tf.fill([2, 3], x[0, 0]),
        tf.squeeze(x[:1], 0),
        tf.squeeze(x[:1, :1]),
        raw.Select(condition=x > 0.0, x=x, y=-x),
    ]
    return (*found, tf.where(x > 0.0, x, 1.0), tf.cast(tf.range(5), tf.float32) * b)


def read_lists(x):
    rows = tf.TensorArray(tf.float32, 4, clear_after_read=False).unstack(x)
    total = tf.zeros([3])
    for i in tf.range(rows.size()):
        total += rows.read(i) * 2.0
        rows = rows.write(i, total)
    for row in x:
        total -= row
    return total, rows.stack()


def places(x, y, indices):
    best = tf.argmax(x), tf.argmin(x, 1), tf.argmax(x[0], output_type=tf.int32), tf.argmax(x > 0, 1), tf.argmin(y, -1)
    running = [
        tf.cumsum(v, a, e, r) for v, a in ((x, 0), (x, 1), (y, -1)) for e in (False, True) for r in (False, True)
    ]
    products = (
        tf.math.cumprod(x, 1),
        tf.math.cumprod(y, reverse=True),
        tf.cumsum(x[:0], 0),
        tf.cumsum(tf.ones([2, 3]), 1),
    )
    rolled = tf.roll(x, 2, 1), tf.roll(y, [-1, 3], [0, 1]), tf.roll(tf.ones([3]), 1, 0)
    vectors = tf.stack([indices, indices], 1)
    found = tf.gather_nd(x, vectors), tf.gather_nd(y, indices[:, None]), tf.gather_nd(x, vectors[0])
    along = tf.gather(x, indices, axis=1), tf.gather(y, indices[0], axis=-1), tf.gather(x, vectors, axis=1)
    changed = (
        tf.tensor_scatter_nd_update(x, vectors, tf.cast(indices, x.dtype)),
        tf.tensor_scatter_nd_update(y, [[1], [1]], y[2:4]), tf.tensor_scatter_nd_update(x[0], [[2]], [7.0]),
        tf.tensor_scatter_nd_update(tf.zeros([4]), [[1], [3]], tf.ones([2])),
    )  # fmt: skip
    return (*best, *running, *products, *rolled, *found, *along, *changed)


def sorted_by_steps(x):
    for i in tf.range(tf.size(x)):
        for j in tf.range(tf.size(x) - 1 - i):
            a, b = x[j], x[j + 1]
            if a > b:
                x = tf.tensor_scatter_nd_update(x, [[j], [j + 1]], tf.stack([b, a]))
    return x


def _floats(seed, *shape, dtype=np.float32):
    return tf.constant(np.random.default_rng(seed).standard_normal(shape).astype(dtype))


def _ints(seed, low, high, *shape, dtype=np.int32):
    return tf.constant(np.random.default_rng(seed).integers(low, high, shape).astype(dtype))


def _divisors(seed, dtype):
    found = np.random.default_rng(seed).integers(-7, 8, 50)
    found[found == 0] = 3
    found[:2] = -1
    return tf.constant(found.astype(dtype))


def _dividends(seed, dtype):
    kind = np.iinfo(dtype)
    found = np.random.default_rng(seed).integers(kind.min, kind.max, 50, dtype=dtype)
    found[0] = kind.min
    return tf.constant(found)


def _edges():
    return tf.constant([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 3e38, -3e38, 1.0, -1.0, 0.5], tf.float32)


CASES = {
    "complex_parts": (complex_parts, lambda: (np.float32([1, -2, 3]), np.float32([0.5, 0.25, -1]))),
    "power": (power, lambda: (_ints(1, -9, 9, 10, 10), tf.constant(100))),
    "collatz": (collatz, lambda: (tf.constant(27),)),
    "collatz int64": (collatz, lambda: (tf.constant(837799, tf.int64),)),
    "primes": (primes, lambda: (tf.constant(200),)),
    "mandelbrot": (mandelbrot, lambda: (_floats(2, 20), tf.constant(0.3))),
    "wrapped around": (
        wrapped_around,
        lambda: (tf.constant(-4611686018427387905, tf.int64), tf.constant([3037000500, -7, 2**62 + 9], tf.int64)),
    ),
    "newton": (newton, lambda: (tf.constant(2.0, tf.float64),)),
    "tanh loop": (tanh_loop, lambda: (_floats(3, 5), tf.constant(40))),
    "tanh loop of a number": (tanh_loop, lambda: (tf.constant(0.5), tf.constant(40))),
    "rnn": (rnn, lambda: (_floats(4, 10, 8, 32), _floats(5, 8, 32), _floats(6, 32, 32), _floats(7, 32, 32))),
    "loop gradient": (loop_gradient, lambda: (tf.constant(0.7),)),
    "loop gradient of an array": (loop_gradient, lambda: (_floats(8, 3, 4),)),
    "rnn gradient": (rnn_gradient, lambda: (_floats(9, 7, 6, 40), _floats(10, 6, 40), _floats(11, 40, 40))),
    "layer norm": (layer_norm, lambda: (_floats(12, 5, 300), _floats(13, 300), _floats(14, 300))),
    "mlp": (
        mlp,
        lambda: (
            _floats(15, 16, 30), _ints(16, 0, 10, 16), _floats(17, 30, 40), _floats(18, 40), _floats(19, 40, 10),
            _floats(20, 10),
        ),
    ),
    "reductions": (reductions, lambda: (_floats(21, 4, 7, 33),)),
    "reductions of doubles": (reductions, lambda: (_floats(22, 3, 1, 200, dtype=np.float64),)),
    "rearranged": (rearranged, lambda: (_floats(23, 4, 5), tf.constant(-2))),
    "branches": (branches, lambda: (_floats(24, 6), tf.constant(1))),
    "last branch": (branches, lambda: (_floats(25, 6), tf.constant(7))),
    **{
        f"integers {t}": (integers, lambda t=t: (_dividends(26, t), _divisors(27, t)))
        for t in ("int8", "int16", "int32", "int64")
    },
    "remainders": (remainders, lambda: (_dividends(26, "int64"), _divisors(27, "int64"))),
    "remainders of floats": (remainders, lambda: (_floats(26, 50), _floats(27, 50))),
    "functions": (functions, lambda: (_floats(30, 64), _floats(31, 64))),
    "functions of doubles": (functions, lambda: (_floats(32, 9, dtype=np.float64), _floats(33, 9, dtype=np.float64))),
    "functions of edge values": (functions, lambda: (_edges(), _edges()[::-1])),
    "slopes": (slopes, lambda: (_floats(34, 20), _floats(35, 20))),
    "slopes of edge values": (slopes, lambda: (_edges(), _edges()[::-1])),
    "bits": (bits, lambda: (_dividends(36, "int32"), _divisors(37, "int32"))),
    **{
        f"unsigned {t}": (unsigned, lambda t=t: (_dividends(38, t), tf.abs(_divisors(39, "int32")).numpy().astype(t)))
        for t in ("uint8", "uint16", "uint32", "uint64")
    },
    "shapes": (shapes, lambda: (_floats(40, 4, 5), _floats(41, 5))),
    "places": (places, lambda: (_floats(43, 4, 5), _ints(44, -9, 9, 4, 5, dtype=np.int8), tf.constant([3, 0, 0]))),
    "places of edge values": (
        places,
        lambda: (
            tf.stack([_edges()[:8], _edges()[3:], tf.fill([8], np.float32(np.nan)), -_edges()[3:]]),
            _ints(44, -9, 9, 4, 8, dtype=np.int64), tf.constant([1, 3, 2], tf.int64),
        ),
    ),
    "sorted by steps": (sorted_by_steps, lambda: (_floats(45, 9),)),
    "read lists": (read_lists, lambda: (_floats(42, 4, 3),)),
    "activations": (activations, lambda: (_floats(28, 100),)),
    "activations of edge values": (
        activations, lambda: (tf.constant([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 3e38, -3e38], tf.float32),),
    ),
    "conversions": (conversions, lambda: (tf.constant([1.7, -1.7, 3e9, -3e9, 1e20, np.nan, np.inf], tf.float32),)),
}  # fmt: skip
