"""Convolutions, pools and batch normalization go piece by piece: the pieces make the whole, whatever their size."""

import itertools

import numpy as np
import pytest

import graphrt as tf
from graphrt.ops.nn import depthwise, fused_batch_norm, pooling, pooling_alone, window_products
from graphrt.ops.support import threads

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((3, 9, 8, 4))


def conv_by_hand(x, w, stride, padding, dilation):
    kh, kw = ((k - 1) * dilation + 1 for k in w.shape[:2])
    if padding == "SAME":
        pads = [max((-(-n // stride) - 1) * stride + k - n, 0) for n, k in zip(x.shape[1:3], (kh, kw))]
        x = np.pad(x, [(0, 0), *((p // 2, p - p // 2) for p in pads), (0, 0)])
    rows, columns = ((n - k) // stride + 1 for n, k in zip(x.shape[1:3], (kh, kw)))
    out = np.zeros((len(x), rows, columns, w.shape[3]))
    for r, c in np.ndindex(rows, columns):
        seen = x[:, r * stride : r * stride + kh : dilation, c * stride : c * stride + kw : dilation]
        out[:, r, c] = np.einsum("nijc,ijck->nk", seen, w)
    return out


FORMS = list(itertools.product([(1, 1), (3, 3), (2, 3)], [1, 2], ["SAME", "VALID"], [1, 2]))


@pytest.mark.parametrize("least", [1, 12])  # windows that overlap are laid out as strips, or as patches
@pytest.mark.parametrize("piece", [1, 100, 1 << 20])
@pytest.mark.parametrize(("size", "stride", "padding", "dilation"), FORMS)
def test_convolutions_and_their_gradients(size, stride, padding, dilation, piece, least, monkeypatch):
    if stride > 1 and dilation > 1:
        return
    monkeypatch.setattr(window_products, "PIECE", piece)
    monkeypatch.setattr(window_products, "_LEAST", least)
    monkeypatch.setattr(window_products, "_FEW", 1)
    w = RANDOM.standard_normal((*size, 4, 5))
    by_hand = conv_by_hand(X, w, stride, padding, dilation)
    x, k = tf.constant(X), tf.constant(w)
    with tf.GradientTape() as tape:
        tape.watch([x, k])
        y = tf.nn.conv2d(x, k, stride, padding, dilations=dilation)
    np.testing.assert_allclose(y, by_hand, rtol=1e-10, atol=1e-12)
    g = RANDOM.standard_normal(by_hand.shape)
    gx, gk = tape.gradient(y, [x, k], tf.constant(g))
    # a convolution is linear in both: <g, conv(dx, w)> = <gx, dx>
    dx, dk = RANDOM.standard_normal(X.shape), RANDOM.standard_normal(w.shape)
    assert np.isclose(np.sum(g * conv_by_hand(dx, w, stride, padding, dilation)), np.sum(gx * dx))
    assert np.isclose(np.sum(g * conv_by_hand(X, dk, stride, padding, dilation)), np.sum(gk * dk))


@pytest.mark.parametrize("few", [20, 200, 1 << 12])
@pytest.mark.parametrize("size", [(1, 1), (2, 3)])
def test_small_products_on_threads(size, few, monkeypatch):
    monkeypatch.setattr(window_products, "PIECE", 100)
    monkeypatch.setattr(window_products, "_FEW", 1)
    monkeypatch.setattr(window_products, "_ONE_THREAD", 32 * few)  # stacks of small matrices, with some rows left over
    monkeypatch.setattr(window_products, "_LEAST", 2)
    monkeypatch.setattr(window_products, "_SUMMED", 5)
    monkeypatch.setattr(window_products, "_WORTH_THREADS", 1000)
    monkeypatch.setattr(threads.INTRA, "chosen", 3)
    called = []
    side_by_side = threads.side_by_side
    monkeypatch.setattr(threads, "side_by_side", lambda call, a: called.append(len(a)) or side_by_side(call, a))
    w, x = RANDOM.standard_normal((*size, 4, 5)), RANDOM.standard_normal((7, 9, 9, 4))
    by_hand = conv_by_hand(x, w, 1, "SAME", 1)
    np.testing.assert_allclose(tf.nn.conv2d(x, w, 1, "SAME"), by_hand, rtol=1e-10, atol=1e-12)
    g = RANDOM.standard_normal(by_hand.shape)
    found = tf.raw_ops.Conv2DBackpropFilter(
        input=x, filter_sizes=w.shape, out_backprop=g, strides=[1] * 4, padding="SAME"
    )  # fmt: skip
    dw = RANDOM.standard_normal(w.shape)
    assert np.isclose(np.sum(g * conv_by_hand(x, dw, 1, "SAME", 1)), np.sum(found * dw))
    assert called == [3, 3]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int32])
def test_other_dtypes(dtype, monkeypatch):
    monkeypatch.setattr(window_products, "PIECE", 50)
    x, w = (RANDOM.integers(-3, 4, s).astype(dtype) for s in ((2, 5, 6, 3), (3, 2, 3, 2)))
    y = tf.nn.conv2d(x, w, 1, "SAME")
    assert y.dtype == dtype
    np.testing.assert_array_equal(y, conv_by_hand(x.astype(float), w.astype(float), 1, "SAME", 1))


@pytest.mark.parametrize("piece", [1, 60, 1 << 20])
@pytest.mark.parametrize(("stride", "padding", "each"), list(itertools.product([1, 2], ["SAME", "VALID"], [1, 2])))
def test_depthwise(stride, padding, each, piece, monkeypatch):
    monkeypatch.setattr(depthwise, "_PIECE", piece)
    w = RANDOM.standard_normal((3, 2, 4, each))
    x, k = tf.constant(X), tf.constant(w)

    def by_hand(x, w):
        parts = [conv_by_hand(x[..., c : c + 1], w[:, :, c : c + 1], stride, padding, 1) for c in range(4)]
        return np.concatenate(parts, axis=3)

    with tf.GradientTape() as tape:
        tape.watch([x, k])
        y = tf.nn.depthwise_conv2d(x, k, (1, stride, stride, 1), padding)
    np.testing.assert_allclose(y, by_hand(X, w), rtol=1e-10, atol=1e-12)
    g = RANDOM.standard_normal(y.shape)
    gx, gk = tape.gradient(y, [x, k], tf.constant(g))
    dx, dk = RANDOM.standard_normal(X.shape), RANDOM.standard_normal(w.shape)
    assert np.isclose(np.sum(g * by_hand(dx, w)), np.sum(gx * dx))
    assert np.isclose(np.sum(g * by_hand(X, dk)), np.sum(gk * dk))


def windows_of(x, size, stride):
    for r in range((x.shape[1] - size) // stride + 1):
        for c in range((x.shape[2] - size) // stride + 1):
            yield r, c, (slice(None), slice(r * stride, r * stride + size), slice(c * stride, c * stride + size))


@pytest.mark.parametrize(("size", "stride"), [(2, 2), (3, 2), (3, 1), (1, 1), (2, 3)])
@pytest.mark.parametrize("values", ["numbers", "ties", "NaN", "infinite gradient"])
def test_pools_and_where_their_gradients_go(size, stride, values):
    x = RANDOM.standard_normal((2, 7, 6, 3))
    if values == "ties":
        x = np.round(x)
    if values == "NaN":
        x[RANDOM.random(x.shape) < 0.2] = np.nan
    given = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(given)
        y = tf.nn.max_pool2d(given, size, stride, "VALID")
    g = RANDOM.standard_normal(y.shape)
    if values == "infinite gradient":
        g[0, 0, 0, 0] = np.inf
    wanted, back = np.zeros(y.shape), np.zeros(x.shape)
    for r, c, place in windows_of(x, size, stride):
        flat = x[place].transpose(0, 3, 1, 2).reshape(2, 3, -1)
        wanted[:, r, c] = flat.max(-1)
        best = flat.argmax(-1)
        for n, channel in np.ndindex(2, 3):
            i, j = divmod(int(best[n, channel]), size)
            back[n, r * stride + i, c * stride + j, channel] += g[n, r, c, channel]
    np.testing.assert_array_equal(y, wanted)
    np.testing.assert_array_equal(tape.gradient(y, given, tf.constant(g)), back)
    mean = tf.nn.avg_pool2d(given, size, stride, "VALID").numpy()
    for r, c, place in windows_of(x, size, stride):
        np.testing.assert_allclose(mean[:, r, c], x[place].mean((1, 2)), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("piece", [1, 300, 1 << 20])
@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.int64])
@pytest.mark.parametrize(("channels", "stride"), [(1, 2), (2, 3), (20, 2), (20, 3)])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_gradients_of_windows_that_do_not_overlap(channels, stride, padding, dtype, piece, monkeypatch):
    monkeypatch.setattr(pooling_alone, "_ALONE", piece)
    monkeypatch.setattr(pooling_alone, "WORTH_THREADS", 500)
    monkeypatch.setattr(pooling, "WORTH_THREADS", 500)
    monkeypatch.setattr(threads.INTRA, "chosen", 3)
    x = tf.cast(RANDOM.integers(-2, 3, (3, 7, 8, channels)), dtype)  # many are the same
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, 2, stride, padding)
    g = tf.cast(RANDOM.integers(1, 9, y.shape), dtype)
    options = {"strides": [1, stride, stride, 1], "padding": padding, "ksize": [1, 2, 2, 1]}
    found = tf.raw_ops.MaxPoolGrad(orig_input=x, orig_output=y, grad=g, **options).numpy()
    image, wanted = tf.cast(x, tf.float64).numpy(), np.zeros(x.shape)
    pads = [(0, 0), (0, int(padding == "SAME")), (0, 0), (0, 0)]
    image, back = np.pad(image, pads, constant_values=-99), np.pad(wanted, pads)
    for r, c, place in windows_of(image, 2, stride):
        flat = image[place].reshape(3, 4, channels)
        assert (y[:, r, c] == tf.cast(flat.max(1), dtype)).numpy().all()
        first = flat.argmax(1)[:, None] == np.arange(4)[:, None]
        back[place] += (first * g[:, r, c].numpy().astype(float)[:, None]).reshape(back[place].shape)
    np.testing.assert_array_equal(found.astype(float), back[:, :7, :8])


@pytest.mark.parametrize("channels", [2, 20])
def test_nan_is_the_maximum_of_windows_that_do_not_overlap(channels):
    x = RANDOM.integers(-2, 3, (3, 8, 8, channels)).astype(np.float32)
    x[RANDOM.random(x.shape) < 0.2] = np.nan
    y = tf.nn.max_pool2d(x, 2, 2, "VALID").numpy()
    g = RANDOM.integers(1, 9, y.shape).astype(np.float32)
    options = {"strides": [1, 2, 2, 1], "padding": "VALID", "ksize": [1, 2, 2, 1]}
    found = tf.raw_ops.MaxPoolGrad(orig_input=x, orig_output=y, grad=g, **options).numpy()
    wanted = np.zeros_like(x)
    for r, c, place in windows_of(x, 2, 2):
        flat = x[place].reshape(3, 4, channels)
        np.testing.assert_array_equal(y[:, r, c], flat.max(1))
        first = flat.argmax(1)[:, None] == np.arange(4)[:, None]
        wanted[place] = (first * g[:, r, c][:, None]).reshape(wanted[place].shape)
    np.testing.assert_array_equal(found, wanted)


def test_a_gradient_of_another_shape_is_refused():
    x = np.zeros((1, 4, 4, 1), np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must have the shape"):
        tf.raw_ops.MaxPoolGrad(
            orig_input=x, orig_output=x[:, :2, :2], grad=x[:, :3, :3], ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1],
            padding="VALID",
        )  # fmt: skip


def test_the_gradient_of_a_max_pool_asks_for_the_shape_of_what_was_pooled_and_trusts_no_more_of_it():
    x, g, options = RANDOM.standard_normal((1, 4, 4, 1)), np.ones((1, 2, 2, 1)), {"ksize": [1, 2, 2, 1]}
    options |= {"strides": [1, 2, 2, 1], "padding": "VALID"}
    wanted, found = (
        tf.raw_ops.MaxPoolGrad(orig_input=x, orig_output=y, grad=g, **options)
        for y in (tf.nn.max_pool2d(x, 2, 2, "VALID"), np.full(g.shape, 99.0))
    )
    np.testing.assert_array_equal(found, wanted)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"orig_output shape to be \[1,2,2,1\], but got \[1,2,1,1\]"
    ):
        tf.raw_ops.MaxPoolGrad(orig_input=x, orig_output=g[:, :, :1], grad=g, **options)


@pytest.mark.parametrize("piece", [1, 30, 1 << 20])
@pytest.mark.parametrize("form", ["NHWC", "NCHW"])
@pytest.mark.parametrize("training", [True, False])
def test_batch_normalization(training, form, piece, monkeypatch):
    monkeypatch.setattr(fused_batch_norm, "_PIECE", piece)
    x = X.astype(np.float32)
    scale, offset, mean, variance = (np.abs(RANDOM.standard_normal(4)).astype(np.float32) for _ in range(4))
    if training:
        mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    wanted = (x - mean) / np.sqrt(variance + 1e-3) * scale + offset
    given = x if form == "NHWC" else x.transpose(0, 3, 1, 2)
    found = tf.raw_ops.FusedBatchNormV3(
        x=given, scale=scale, offset=offset, mean=mean, variance=variance, epsilon=1e-3, is_training=training,
        data_format=form,
    )[0].numpy()  # fmt: skip
    np.testing.assert_allclose(found if form == "NHWC" else found.transpose(0, 2, 3, 1), wanted, rtol=1e-4, atol=1e-5)
    assert x.tobytes() == X.astype(np.float32).tobytes()


@pytest.mark.parametrize("number", [float("inf"), float("nan"), "three"])
def test_strides_and_dilations_that_are_no_integers(number):
    with pytest.raises(ValueError, match="dilations should be integers, found"):
        tf.nn.conv3d(
            tf.ones([1, 4, 4, 4, 1]), tf.ones([1, 1, 1, 1, 1]), [1] * 5, "SAME", dilations=[1, number, 1, 1, 1]
        )
    with pytest.raises(ValueError, match="strides should be integers, found"):
        tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([1, 1, 1, 1]), number, "SAME")
