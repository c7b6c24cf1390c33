"""Native programs of complex numbers give the bits of the NumPy program, also of what is not finite.

Covers: graphrt/native/rules/complex_numbers.py
"""

import numpy as np
import pytest

import graphrt as tf
from graphrt.native import NativeProgram

SPECIAL = [
    0,
    -0.0,
    np.nan,
    np.inf,
    -np.inf,
    1e38,
    1e-45,
    complex(np.inf, -np.inf),
    complex(-0.0, -0.0),
    complex(0, np.nan),
]


def everything(x, y):
    real, imag = tf.math.real(x), tf.math.imag(y)
    i, loop = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, v * x + y), (0, x))
    branch = tf.cond(tf.reduce_all(real > imag), lambda: x * y, lambda: x - y)
    found = [
        x + y - 1.5, x * y, x * (2 - 1j) + y, x / y, tf.square(x) - y, -x, tf.exp(x), tf.math.log(y), tf.sqrt(x), x**y,
        tf.sin(x) * tf.cos(y) + tf.tanh(x), tf.math.conj(x) * y, real * 2.0, imag, tf.complex(imag + 1.0, real), x == y,
        x != x, tf.where(real > 0.0, x, y), tf.reshape(tf.stack([x, y], 0), [-1]) * 2, tf.zeros_like(x) + tf.ones_like(y),
        x + tf.constant(complex(np.nan, -np.inf), x.dtype), x + tf.fill(x.shape, tf.constant(-1j, x.dtype)), loop, branch,
        tf.add_n([x, y, x]), i,
    ]  # fmt: skip
    if x.shape.rank:
        found += [
            tf.reshape(x, [-1, 1]) * tf.reshape(y, [1, -1]),
            tf.transpose(x[::-1]),
            tf.gather(x, [1, 0]),
            x[0] + y[-1],
        ]
    return found


def bits(array):
    array = np.atleast_1d(array)
    parts = np.ascontiguousarray(array).view(array.real.dtype) if array.dtype.kind == "c" else array
    return np.where(parts == parts, parts, 0).tobytes(), (parts == parts).tobytes(), array.dtype, array.shape


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("how", ["plain", "compiled"])
@pytest.mark.parametrize(("dtype", "shape"), [("complex64", ()), ("complex128", (6,)), ("complex64", (3, 4))])
def test_results_are_those_of_numpy(how, dtype, shape, monkeypatch):
    if how == "compiled":
        pytest.importorskip("numba")
        monkeypatch.setenv("GRAPHRT_NATIVE_CACHE", "")
    spec = tf.TensorSpec(shape, dtype)
    concrete = tf.function(everything).get_concrete_function(spec, spec)
    native = NativeProgram(concrete.graph, how == "plain")
    assert not native.cut.refused, native.cut.refused
    rng = np.random.default_rng(0)
    for share in (0.0, 0.5):
        x, y = (
            np.where(
                rng.random(shape) < share,
                rng.choice(np.array(SPECIAL, dtype), shape),
                (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype),
            )[()]
            for _ in range(2)
        )
        wanted, found = concrete.program.function(x, y), native.program.function(x, y)
        for at, (one, other) in enumerate(zip(wanted, found, strict=True)):
            assert bits(one) == bits(other), (at, x, y, one, other)


def test_what_has_no_rule_stays_in_numpy():
    @tf.function
    def f(x):
        return tf.abs(x * x), tf.reduce_sum(x)

    told = f.explain_native(tf.zeros([3], tf.complex64))
    assert [left.op for left in told.left] == ["ComplexAbs", "Sum"]
    assert "its dtype is complex64" in str(told)
