"""Gradient rules agree with finite differences: eagerly, in graphs of unknown shapes, and applied twice."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.ir.op import ops

X = [[0.3, -0.7, 1.2], [0.9, 2.5, -1.4]]
POSITIVE = [[0.3, 0.7, 1.2], [0.9, 2.5, 1.4]]
INSIDE = [[0.3, -0.7, 0.2], [0.9, -0.5, 0.4]]
ABOVE = [[1.3, 1.7, 2.2], [3.9, 2.5, 1.4]]
ROW = [0.5, -1.5, 2.0]
COLUMN = [[0.65], [1.7]]

UNARY = {
    "negative": X, "abs": X, "square": X, "sqrt": POSITIVE, "rsqrt": POSITIVE, "reciprocal": X, "exp": X, "expm1": X,
    "log": POSITIVE, "log1p": POSITIVE, "sigmoid": X, "tanh": X, "sin": X, "cos": X, "tan": INSIDE, "asin": INSIDE,
    "acos": INSIDE, "atan": X, "sinh": X, "cosh": X, "asinh": X, "acosh": ABOVE, "atanh": INSIDE, "erf": X, "erfc": X,
    "erfinv": INSIDE, "ndtri": [[0.3, 0.7, 0.2], [0.9, 0.5, 0.4]], "lgamma": POSITIVE, "digamma": POSITIVE,
    "log_sigmoid": X, "reciprocal_no_nan": X, "reduce_sum": X, "reduce_mean": X, "reduce_prod": X, "reduce_max": X,
    "reduce_min": X, "reduce_logsumexp": X, "reduce_std": X, "reduce_variance": X, "reduce_euclidean_norm": X,
    "cumsum": X, "cumprod": X, "cumulative_logsumexp": X, "lbeta": POSITIVE,
}  # fmt: skip
CASES = {name: (lambda x, name=name: getattr(tf.math, name)(x), [value]) for name, value in UNARY.items()}
CASES |= {
    "add rows": (lambda x, y: x + y, [X, ROW]), "sub columns": (lambda x, y: x - y, [X, COLUMN]),
    "mul outer": (lambda x, y: x * y, [ROW, COLUMN]), "div": (lambda x, y: x / y, [X, COLUMN]),
    "div scalar": (lambda x, y: x / y, [2.0, X]), "pow": (lambda x, y: x**y, [POSITIVE, ROW]),
    "mod": (lambda x, y: x % y, [X, COLUMN]), "maximum": (tf.maximum, [X, ROW]), "minimum": (tf.minimum, [ROW, COLUMN]),
    "squared_difference": (tf.math.squared_difference, [X, ROW]), "atan2": (tf.math.atan2, [X, ROW]),
    "divide_no_nan": (tf.math.divide_no_nan, [X, ROW]), "multiply_no_nan": (tf.math.multiply_no_nan, [X, ROW]),
    "xlogy": (tf.math.xlogy, [X, COLUMN]), "xlog1py": (tf.math.xlog1py, [X, COLUMN]), "xdivy": (tf.math.xdivy, [X, ROW]),
    "truncatemod": (tf.truncatemod, [X, COLUMN]), "add_n": (lambda x, y: tf.add_n([x, y, x]), [X, INSIDE]),
    "clip": (lambda x: tf.clip_by_value(x, -0.6, 1.0), [X]), "raw clip": (lambda x, a, b: ops.ClipByValue(x, a, b), [X, -0.6, 1.0]),
    "sum 0": (lambda x: tf.reduce_sum(x, 0), [X]), "sum keep": (lambda x: tf.reduce_sum(x, 1, True), [X]),
    "mean -1": (lambda x: tf.reduce_mean(x, -1), [X]), "prod 1": (lambda x: tf.reduce_prod(x, 1), [X]),
    "prod of zeros": (lambda x: tf.reduce_prod(x, 0), [[[0.0, 0.0, 1.5], [2.0, 0.0, 3.0]]]),
    "max 0": (lambda x: tf.reduce_max(x, 0), [X]), "norm 1": (lambda x: tf.math.reduce_euclidean_norm(x, 1, True), [X]),
    "logsumexp 1": (lambda x: tf.reduce_logsumexp(x, 1), [X]), "std 0": (lambda x: tf.math.reduce_std(x, 0), [X]),
    "cumsum exclusive": (lambda x: tf.cumsum(x, 1, True), [X]), "cumsum reverse": (lambda x: tf.cumsum(x, 0, False, True), [X]),
    "cumprod exclusive": (lambda x: tf.math.cumprod(x, 1, True, True), [X]),
    "cumulative_logsumexp reverse": (lambda x: tf.math.cumulative_logsumexp(x, 1, False, True), [X]),
    "igamma": (lambda x: tf.math.igamma(tf.constant(2.5, tf.float64), x), [POSITIVE]),
    "igammac by a": (lambda a: tf.math.igammac(a, tf.constant(1.5, tf.float64)), [POSITIVE]),
    "zeta": (lambda q: tf.math.zeta(tf.constant(2.5, tf.float64), q), [POSITIVE]),
    "polygamma": (lambda x: tf.math.polygamma(tf.constant(2.0, tf.float64), x), [POSITIVE]),
    "betainc": (lambda x: tf.math.betainc(tf.constant(2.0, tf.float64), tf.constant(3.0, tf.float64), x), [[0.2, 0.7]]),
    "cast": (lambda x: tf.cast(tf.cast(x, tf.float64), tf.float64) * x, [X]),
    "complex": (lambda x, y: tf.abs(tf.complex(x, y)), [X, ROW]),
    "complex parts": (lambda x: tf.math.real(tf.exp(tf.complex(x, x))) + tf.math.imag(tf.complex(x, x) ** 2), [X]),
    "angle": (lambda x: tf.math.angle(tf.complex(x, x + 2.0)), [X]),
    "conj": (lambda x: tf.math.imag(tf.math.conj(tf.complex(x, x) * tf.complex(x, 2.0 * x))), [X]),
    "segment_sum": (lambda x: tf.math.segment_sum(x, [0, 0]), [X]), "segment_mean": (lambda x: tf.math.segment_mean(x, [0, 2]), [X]),
    "segment_max": (lambda x: tf.math.segment_max(x, [0, 0]), [X]), "segment_prod": (lambda x: tf.math.segment_prod(x, [0, 0]), [X]),
    "unsorted_segment_sum": (lambda x: tf.math.unsorted_segment_sum(x, [1, -1], 3), [X]),
    "unsorted_segment_mean": (lambda x: tf.math.unsorted_segment_mean(x, [1, 1], 3), [X]),
    "unsorted_segment_min": (lambda x: tf.math.unsorted_segment_min(x, [0, 0], 1), [X]),
    "unsorted_segment_prod": (lambda x: tf.math.unsorted_segment_prod(x, [1, 1], 2), [[[0.0, 2.0], [3.0, 4.0]]]),
    "polyval": (lambda x: tf.math.polyval([x, x * x, x], x), [X]),
    "where numpy": (lambda x: np.where(x > 0, np.tanh(x), x * 2.0), [X]),
    "numpy chain": (lambda x: np.sum(np.sqrt(np.square(x) + 1.0), axis=1), [X]),
}  # fmt: skip


def tensors(values):
    return [tf.constant(v, tf.float64) for v in values]


def weighted(function, args):
    """A scalar that depends on each element of the result in its own way."""
    y = function(*args)
    size = (
        int(np.prod(y.shape.as_list()))
        if None not in (y.shape.as_list() if y.shape.rank is not None else [None])
        else None
    )
    if size is None:
        return tf.reduce_sum(y * y + y)
    weights = tf.reshape(tf.constant(np.linspace(0.5, 1.5, max(size, 1))[:size]), y.shape)
    return tf.reduce_sum(y * weights)


def numeric(function, values, which, step=1e-6):
    arrays = [np.array(v, np.float64) for v in values]
    found = np.zeros_like(arrays[which])
    for place in np.ndindex(found.shape):
        ends = []
        for sign in (1, -1):
            moved = [a.copy() for a in arrays]
            moved[which][place] += sign * step
            ends.append(float(weighted(function, tensors(moved))))
        found[place] = (ends[0] - ends[1]) / (2 * step)
    return found


@pytest.mark.parametrize("name", CASES)
def test_gradient_is_the_slope(name):
    function, values = CASES[name]
    args = tensors(values)
    with tf.GradientTape() as tape:
        for a in args:
            tape.watch(a)
        loss = weighted(function, args)
    for which, gradient in enumerate(tape.gradient(loss, args)):
        wanted = numeric(function, values, which)
        assert gradient is not None, f"no gradient for input {which}"
        np.testing.assert_allclose(np.asarray(gradient), wanted, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", CASES)
def test_gradient_in_a_graph_of_unknown_shapes(name):
    function, values = CASES[name]

    def gradients(*args):
        with tf.GradientTape() as tape:
            for a in args:
                tape.watch(a)
            loss = tf.reduce_sum(function(*args) ** 2)
        return tape.gradient(loss, list(args))

    eager = gradients(*tensors(values))
    specs = [tf.TensorSpec([None] * np.ndim(v), tf.float64) for v in values]
    for found, wanted in zip(tf.function(gradients, input_signature=specs, autograph=False)(*tensors(values)), eager):
        np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), rtol=1e-9, atol=1e-12)


SECOND = [
    "square", "sqrt", "rsqrt", "reciprocal", "exp", "log", "log1p", "sigmoid", "tanh", "sin", "cos", "tan", "asin", "atan",
    "sinh", "cosh", "asinh", "acosh", "atanh", "erf", "erfinv", "lgamma", "digamma", "reduce_prod", "reduce_logsumexp",
    "reduce_std", "cumprod", "pow", "squared_difference", "atan2", "complex", "norm 1",
]  # fmt: skip


@pytest.mark.parametrize("name", SECOND)
def test_gradient_of_the_gradient(name):
    function, values = CASES[name]
    args = tensors(values)

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = weighted(function, [x, *args[1:]])
        return tape.gradient(loss, x)

    with tf.GradientTape() as tape:
        tape.watch(args[0])
        first = slope(args[0])
        total = tf.reduce_sum(first * first)
    second = np.asarray(tape.gradient(total, args[0]))
    wanted = np.zeros_like(second)
    for place in np.ndindex(second.shape):
        ends = []
        for sign in (1, -1):
            moved = np.array(values[0], np.float64)
            moved[place] += sign * 1e-6
            ends.append(float(tf.reduce_sum(slope(tf.constant(moved)) ** 2)))
        wanted[place] = (ends[0] - ends[1]) / 2e-6
    np.testing.assert_allclose(second, wanted, rtol=1e-4, atol=1e-5)


def test_no_gradient_through_integers_and_comparisons():
    x = tf.constant([1.5, 2.5])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        results = [tf.floor(x), tf.round(x), tf.cast(x, tf.int32), x // 2.0, tf.cast(x > 2.0, tf.float32), tf.argmax(x)]
    assert all(tape.gradient(y, x) is None for y in results)
