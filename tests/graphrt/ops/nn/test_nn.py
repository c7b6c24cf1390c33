"""Ops of neural networks: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/nn`)."""

import numpy as np
import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/nn")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_what_is_not_finite_goes_through_the_gradient_of_max_pooling(dtype):
    x = tf.constant(np.reshape([1, np.nan, 3, 2], [1, 2, 2, 1]), dtype)
    found = tf.raw_ops.MaxPoolGrad(
        orig_input=x, orig_output=tf.nn.max_pool2d(x, 2, 2, "VALID"), grad=tf.constant(np.inf, dtype, [1, 1, 1, 1]),
        ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID",
    )  # fmt: skip
    assert tf.cast(found, tf.float32).numpy().ravel().tolist() == [0, np.inf, 0, 0]


def test_a_beam_search_of_many_beams_takes_memory_for_them_or_is_refused():
    logits = np.random.default_rng(0).normal(size=(6, 1, 4)).astype(np.float32)
    few, wide = (tf.nn.ctc_beam_search_decoder(logits, [6], beam_width=n, top_paths=2) for n in (3**6, 1 << 20))
    np.testing.assert_allclose(few[1].numpy(), wide[1].numpy(), rtol=1e-6)
    with (
        tf.config.limits(bytes=1 << 20),
        pytest.raises(tf.errors.ResourceExhaustedError, match="a beam search of 1048576 beams"),
    ):
        tf.nn.ctc_beam_search_decoder(np.zeros((20, 1, 5), np.float32), [20], beam_width=1 << 20)


def test_sequences_of_a_batch_are_decoded_as_each_alone_is():
    generator = np.random.default_rng(8)
    logits, sizes = generator.standard_normal((150, 6, 4)).astype(np.float32), [150, 0, 1, 149, 20, 20]
    for merge in (True, False):
        (found,), totals = tf.nn.ctc_greedy_decoder(logits, sizes, merge)
        rows = tf.RaggedTensor.from_sparse(found).to_list()
        for i, size in enumerate(sizes):
            (one,), total = tf.nn.ctc_greedy_decoder(logits[:, i : i + 1], [size], merge)
            assert rows[i] == one.values.numpy().tolist() and total.numpy()[0, 0] == totals.numpy()[i, 0]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_windows_in_three_dimensions_give_their_greatest_element(padding):
    x = np.random.default_rng(9).standard_normal((2, 7, 8, 9, 3)).astype(np.float32)
    x[0, 3, 3, 3] = np.nan
    for window, stride in (((2, 2, 2), (1, 1, 1)), ((3, 1, 2), (3, 1, 2)), ((1, 1, 1), (2, 2, 2))):
        found = tf.nn.max_pool3d(x, window, stride, padding).numpy()
        same = padding == "SAME"
        sizes = [-(-n // s) if same else (n - w) // s + 1 for n, w, s in zip(x.shape[1:4], window, stride)]
        assert list(found.shape) == [2, *sizes, 3]
        starts = [
            [i * s - (max((m - 1) * s + w - n, 0) // 2 if same else 0) for i in range(m)]
            for n, w, s, m in zip(x.shape[1:4], window, stride, sizes)
        ]
        for at in np.ndindex(*sizes):
            cut = [slice(max(b[i], 0), b[i] + w) for b, i, w in zip(starts, at, window)]
            wanted = x[(slice(None), *cut)].max((1, 2, 3))
            assert np.array_equal(found[(slice(None), *at)], wanted, equal_nan=True)


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64, tf.bfloat16])
@pytest.mark.parametrize("shapes", [((4, 5), (4, 5)), ((1, 5), (4, 1)), ((0, 5), (0, 5)), ((4, 0), (4, 0))])
def test_slopes_of_a_cross_entropy_are_the_same_without_the_loss(dtype, shapes):
    x, y = (tf.cast(np.random.default_rng(i).standard_normal(s), dtype) for i, s in enumerate(shapes))
    both = tf.function(lambda x, y: tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=y))
    slopes = tf.function(lambda x, y: tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=y)[1])
    before = x.numpy().tobytes(), y.numpy().tobytes()
    loss, wanted = both(x, y)
    found = slopes(x, y)
    assert "entropy_slopes" in slopes.get_concrete_function(x, y).program.source
    assert found.dtype is dtype and found.numpy().tobytes() == wanted.numpy().tobytes()
    assert (x.numpy().tobytes(), y.numpy().tobytes()) == before and loss.shape == wanted.shape[:1]


def test_a_cross_entropy_without_the_loss_says_what_is_wrong():
    slopes = tf.function(
        lambda x, y: tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=y)[1],
        input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None, None])],
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="logits and labels must be broadcastable"):
        slopes(tf.ones([2, 3]), tf.ones([3, 2]))


@pytest.mark.parametrize(
    "call",
    [
        lambda x, a: tf.nn.softmax(x, a), lambda x, a: tf.nn.log_softmax(x, a), lambda x, a: tf.squeeze(x, a), lambda x, a: tf.norm(x, axis=a),
        lambda x, a: tf.boolean_mask(x, [True], axis=a), lambda x, a: tf.tensordot(x, x, a), lambda x, a: tf.sort(x, a),
        lambda x, a: tf.sparse.split(tf.sparse.from_dense(x), 1, a), lambda x, a: tf.signal.mdct(x, a),
    ],
)  # fmt: skip
def test_what_must_be_known_while_tracing_is_told(call):
    with pytest.raises(ValueError, match="must be a constant, and only the graph knows"):
        tf.function(call, autograph=False)(tf.constant([[1.0]]), tf.constant(0))


@pytest.mark.parametrize("labels", [[0.0, 1.0, 0.0], [[0.0, 1.0, 0.0]]])
@pytest.mark.parametrize("logits", [[1.0, 2.0, 3.0], [[1.0, 2.0, 3.0]]])
def test_one_row_of_labels_for_logits_of_another_rank(logits, labels):
    x = tf.constant(logits)
    for run in (tf.nn.softmax_cross_entropy_with_logits, tf.function(tf.nn.softmax_cross_entropy_with_logits)):
        found = run(tf.constant(labels), x)
        assert found.shape == x.shape[:-1]
        assert abs(float(tf.reduce_sum(found)) - 1.407606) < 1e-5


@pytest.mark.parametrize("shape", [(3, 3, 1, 2), (1, 1, 1, 2), (2, 4, 4, 0), (0, 4, 4, 1)])
@pytest.mark.parametrize("step", [1, 2, 3])
def test_pools_of_nothing_have_gradients(shape, step):
    x = tf.ones(shape)
    for pool in (tf.nn.max_pool2d, tf.nn.avg_pool2d):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = pool(x, 2, step, "VALID")
        assert y.shape.num_elements() == 0
        np.testing.assert_array_equal(tape.gradient(y, x), np.zeros(shape))
