"""Quantization: as TensorFlow has them, eagerly and in graphs (`tests/golden/calls/ops/quantization.txt`)."""

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/quantization")


def test_gradients_of_fake_quantization():
    x = tf.constant([-7.0, -1.0, 0.5, 9.0])
    low, high = tf.Variable(-2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.quantization.fake_quant_with_min_max_vars(x, low, high) * [1.0, 2.0, 3.0, 4.0])
    gx, gl, gh = tape.gradient(y, [x, low, high])
    assert gx.numpy().tolist() == [0, 2, 3, 0] and (gl.numpy(), gh.numpy()) == (1, 4)

    @tf.function
    def straight(x):
        return tf.gradients(tf.quantization.quantize_and_dequantize(x, -1.0, 2.0, range_given=True), x)[0]

    assert straight(x).numpy().tolist() == [1, 1, 1, 1]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.quantization.quantize_and_dequantize_v2(x, -1.0, 2.0, range_given=True)
    assert tape.gradient(y, x).numpy().tolist() == [0, 1, 1, 0]


def test_ranges_along_an_axis():
    x = [[-7.0, -3.0, 0.3], [0.1, 0.5, 9.0]]
    found = tf.quantization.quantize_and_dequantize_v2(x, [-1.0, -2.0, 0.0], [2.0, 2.0, 8.0], range_given=True, axis=1)
    for i, (low, high) in enumerate([(-1.0, 2.0), (-2.0, 2.0), (0.0, 8.0)]):
        column = tf.quantization.quantize_and_dequantize_v2([r[i] for r in x], low, high, range_given=True)
        assert found.numpy()[:, i].tolist() == column.numpy().tolist()
