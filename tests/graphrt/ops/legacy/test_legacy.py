"""Earlier versions of ops give what TensorFlow gives, and have the gradients of the ops that replaced them."""

import numpy as np
import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/legacy")
R = tf.raw_ops
X = np.arange(12.0).reshape(3, 4) ** 1.5 % 7


@pytest.mark.parametrize("function", [
    lambda x: R.Gather(params=x, indices=[1, 0, 1]), lambda x: R.TopK(input=x, k=2)[0], lambda x: R.NthElement(input=x, n=1),
    lambda x: R.Concat(concat_dim=1, values=[x, x * x]), lambda x: R.Reverse(tensor=x, dims=[True, False]), lambda x: R.Snapshot(input=x * x),
    lambda x: R.ScatterNdNonAliasingAdd(input=x, indices=[[0], [2]], updates=x[:2]), lambda x: R.TileGrad(input=x, multiples=[3, 2]),
    lambda x: R.ParallelDynamicStitch(indices=[[0, 2], [1]], data=[x[:2], x[2:]]), lambda x: R.SegmentSumV2(data=x, segment_ids=[0, 0, 2], num_segments=3),
    lambda x: R.SegmentProdV2(data=x, segment_ids=[0, 0, 2], num_segments=3), lambda x: R.SegmentMaxV2(data=x, segment_ids=[0, 0, 1], num_segments=2),
    lambda x: R.MatrixDiag(diagonal=x), lambda x: R.MatrixDiagPart(input=x), lambda x: R.MatrixSetDiag(input=x, diagonal=x[0, :3]),
    lambda x: R.MatrixDiagV2(diagonal=x, k=[-1, 1], num_rows=-1, num_cols=-1, padding_value=tf.constant(0.0, tf.float64)),
    lambda x: R.MatrixDiagPartV2(input=x, k=[0, 1], padding_value=tf.constant(0.0, tf.float64)), lambda x: R.MatrixSetDiagV2(input=x, diagonal=x[1, :3], k=1),
    lambda x: R.BatchMatMul(x=x[None], y=x[None], adj_y=True), lambda x: R.BatchMatMulV3(x=x, y=x, adj_x=True, Tout=tf.float64),
    lambda x: R.SpaceToBatch(input=tf.reshape(x, [1, 2, 6, 1]), paddings=[[0, 0], [0, 0]], block_size=2),
    lambda x: R.BatchToSpace(input=tf.reshape(x, [4, 1, 3, 1]), crops=[[0, 1], [0, 0]], block_size=2), lambda x: R.BiasAddV1(value=x, bias=x[0]),
    lambda x: R.PlaceholderWithDefault(input=x * x, shape=[3, 4]), lambda x: R.DeepCopy(x=x * x),
], ids=range(25))  # fmt: skip
def test_gradients_by_differences(function):
    def loss(v):
        y = function(v)
        return tf.reduce_sum(y * tf.cast(tf.reshape(tf.range(1, tf.size(y) + 1), tf.shape(y)), tf.float64))

    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = loss(x)
    found = tape.gradient(total, x).numpy()
    traced = tf.function(lambda v: tf.gradients(loss(v), v)[0], autograph=False)(x).numpy()
    wanted = np.zeros_like(X)
    for at in np.ndindex(*X.shape):
        step = np.zeros_like(X)
        step[at] = 1e-6
        wanted[at] = (loss(tf.constant(X + step)).numpy() - loss(tf.constant(X - step)).numpy()) / 2e-6
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(traced, found)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"])
def test_gradients_of_fused_normalization(name, training):
    x = tf.constant(np.arange(24.0).reshape(2, 2, 3, 2) ** 1.5 % 7, tf.float32)
    scale, offset = tf.constant([1.5, -0.5]), tf.constant([0.25, 2.0])
    weights = tf.cast(tf.reshape(tf.range(24), x.shape), tf.float32) / 10

    def loss(x, scale, offset, fused):
        mean, variance = (tf.constant([]),) * 2 if training else (tf.constant([1.0, 2.0]), tf.constant([0.5, 4.0]))
        if fused:
            op = getattr(tf.raw_ops, name)
            y = op(x=x, scale=scale, offset=offset, mean=mean, variance=variance, is_training=training, epsilon=0.01)[0]
        else:
            mean, variance = tf.nn.moments(x, [0, 1, 2]) if training else (mean, variance)
            y = tf.nn.batch_normalization(x, mean, variance, offset, scale, 0.01)
        return tf.reduce_sum(y * weights)

    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, scale, offset])
        one, two = loss(x, scale, offset, True), loss(x, scale, offset, False)
    for a, b in zip(tape.gradient(one, [x, scale, offset]), tape.gradient(two, [x, scale, offset])):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)


def test_the_greatest():
    values, places = R.TopK(input=[[1, 5, 3], [2, 2, 9]], k=2)
    assert values.numpy().tolist() == [[5, 3], [9, 2]] and places.numpy().tolist() == [[1, 2], [2, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least k columns"):
        R.TopK(input=[1.0], k=2)
