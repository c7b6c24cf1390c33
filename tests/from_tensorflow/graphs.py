"""Functions over all families of ops, written as users of TensorFlow do. Each is traced by TensorFlow, and its GraphDef run here.

`CASES`: name -> (function of `tf` and the arguments, arguments).
"""

import numpy as np

RNG = np.random.default_rng(3)
X = RNG.standard_normal((3, 4)).astype(np.float32)
Y = RNG.standard_normal((4, 5)).astype(np.float32)
D = RNG.standard_normal((4, 4))
SPD = (D @ D.T + 4 * np.eye(4)).astype(np.float32)
IMAGE = RNG.random((2, 9, 9, 3), np.float32)
VOLUME = RNG.random((1, 5, 6, 7, 2), np.float32)
SERIES = RNG.standard_normal((2, 6, 3)).astype(np.float32)
WORDS = np.array([b"alpha beta", b"Gamma", b"", "żółw".encode(), b"a,b,c"], object)
I = np.array([5, 1, 4, 1, 3], np.int32)
CASES = {}


def case(*arguments):
    def add(function):
        assert function.__name__ not in CASES, function.__name__
        CASES[function.__name__] = function, arguments
        return function

    return add


# --- numbers ---------------------------------------------------------------------------------------------------------
@case(X)
def elementwise(tf, x):
    y = tf.abs(x) + 0.5
    return (
        tf.exp(x), tf.math.log(y), tf.math.log1p(y), tf.math.expm1(x), tf.sqrt(y), tf.math.rsqrt(y), tf.math.reciprocal(y),
        tf.sin(x), tf.cos(x), tf.tan(x), tf.asin(tf.tanh(x)), tf.acos(tf.tanh(x)), tf.atan(x), tf.sinh(x), tf.cosh(x),
        tf.asinh(x), tf.acosh(y + 1), tf.atanh(tf.tanh(x)), tf.sigmoid(x), tf.sign(x), tf.floor(x), tf.math.ceil(x),
        tf.round(x), tf.math.rint(x), tf.square(x), tf.negative(x), tf.math.erf(x), tf.math.erfc(x), tf.math.lgamma(y),
        tf.math.digamma(y), tf.math.softplus(x), tf.nn.softsign(x), tf.math.ndtri(tf.sigmoid(x)), tf.math.erfinv(tf.tanh(x)),
        tf.math.is_nan(x), tf.math.is_inf(x), tf.math.is_finite(x),
    )  # fmt: skip


@case(X, X[::-1].copy())
def binary(tf, x, y):
    return (
        x + y, x - y, x * y, x / y, x // y, x % y, tf.pow(tf.abs(x), y), tf.maximum(x, y), tf.minimum(x, y), tf.atan2(x, y),
        tf.math.squared_difference(x, y), tf.math.xlogy(tf.abs(x), tf.abs(y)), tf.math.xdivy(x, y), tf.math.divide_no_nan(x, y),
        tf.math.multiply_no_nan(x, y), tf.math.floormod(x, y), tf.truncatemod(x, y), tf.math.nextafter(x, y),
        x < y, x <= y, x > y, x >= y, tf.equal(x, y), tf.not_equal(x, y), tf.where(x > y, x, y), tf.math.igamma(tf.abs(x), tf.abs(y)),
        tf.math.betainc(tf.abs(x), tf.abs(y), tf.sigmoid(x)), tf.math.zeta(tf.abs(x) + 1.5, tf.abs(y)), tf.clip_by_value(x, -0.5, y),
    )  # fmt: skip


@case(np.arange(-6, 6, dtype=np.int32), np.array([3, -3] * 6, np.int32))
def integers(tf, x, y):
    return (
        x // y, x % y, tf.truncatediv(x, y), tf.bitwise.bitwise_and(x, y), tf.bitwise.bitwise_or(x, y), tf.bitwise.bitwise_xor(x, y),
        tf.bitwise.invert(x), tf.bitwise.left_shift(x, 2), tf.bitwise.right_shift(x, 1), tf.abs(x), tf.sign(x), tf.pow(x, 3),
        tf.cast(x, tf.uint8), tf.cast(x, tf.int8) * tf.cast(y, tf.int8), tf.bitcast(x, tf.float32), tf.raw_ops.PopulationCount(x=x),
        tf.saturate_cast(x * 100, tf.int8), tf.cast(x, tf.bool), tf.math.bincount(tf.abs(x)), tf.cast(x, tf.bfloat16),
    )  # fmt: skip


@case((X + 1j * X[::-1]).astype(np.complex64))
def complex_numbers(tf, z):
    return (
        tf.math.real(z), tf.math.imag(z), tf.math.conj(z), tf.abs(z), tf.math.angle(z), tf.exp(z), z * z, z / (z + 2), tf.sqrt(z),
        tf.complex(tf.math.real(z), tf.math.imag(z)), tf.reduce_sum(z, 0), tf.linalg.matmul(z, z, adjoint_b=True),
    )  # fmt: skip


@case(X)
def reductions(tf, x):
    return (
        tf.reduce_sum(x), tf.reduce_sum(x, 0), tf.reduce_mean(x, 1, keepdims=True), tf.reduce_max(x, -1), tf.reduce_min(x, [0, 1]),
        tf.reduce_prod(x, 0), tf.reduce_any(x > 0, 0), tf.reduce_all(x > 0), tf.reduce_logsumexp(x, 1), tf.math.reduce_std(x, 0),
        tf.math.reduce_variance(x), tf.math.reduce_euclidean_norm(x, 0), tf.argmax(x, 1), tf.argmin(x, 0, tf.int32), tf.cumsum(x, 1, exclusive=True),
        tf.math.cumprod(x, 0, reverse=True), tf.math.cumulative_logsumexp(x, 1), tf.math.count_nonzero(x > 0, 0), tf.norm(x, axis=1), tf.linalg.global_norm([x]),
    )  # fmt: skip


@case(X, I)
def segments(tf, x, ids):
    data = tf.cast(ids, tf.float32)
    order = tf.constant([0, 0, 1, 3, 3])
    return (
        tf.math.segment_sum(data, order), tf.math.segment_mean(data, order), tf.math.segment_max(data, order), tf.math.segment_prod(data, order),
        tf.math.unsorted_segment_sum(data, ids, 7), tf.math.unsorted_segment_mean(data, ids, 7), tf.math.unsorted_segment_max(data, ids, 6),
        tf.math.unsorted_segment_sqrt_n(data, ids, 6), tf.sparse.segment_sum(x, [0, 2, 1], [0, 0, 1]), tf.sparse.segment_mean(x, [0, 2, 1], [0, 0, 1]),
        tf.sparse.segment_sqrt_n(x, [0, 1], [0, 2], num_segments=4),
    )  # fmt: skip


# --- arrays ----------------------------------------------------------------------------------------------------------
@case(X)
def shapes(tf, x):
    return (
        tf.shape(x), tf.size(x), tf.rank(x), tf.reshape(x, [2, -1]), tf.transpose(x), tf.expand_dims(x, 1), tf.squeeze(x[None]), tf.tile(x, [2, 1]),
        tf.pad(x, [[1, 0], [0, 2]]), tf.pad(x, [[1, 1], [2, 0]], "REFLECT"), tf.pad(x, [[1, 1], [2, 0]], "SYMMETRIC", ), tf.reverse(x, [1]), tf.roll(x, 1, 0),
        tf.broadcast_to(x, [2, 3, 4]), tf.repeat(x, [1, 0, 2], axis=0), tf.eye(3, 4), tf.linspace(0.0, 1.0, 5), tf.range(2, 11, 3), tf.fill([2, 2], x[0, 0]),
        tf.zeros_like(x), tf.ones_like(x), tf.one_hot([0, 2, -1], 3), tf.sequence_mask([1, 3], 4), tf.meshgrid(x[0], x[1]), tf.identity_n([x, x[0]]),
        tf.ensure_shape(x, [None, 4]), tf.image.extract_patches(x[None, :, :, None], [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"),
    )  # fmt: skip


@case(X)
def slices(tf, x):
    n = tf.shape(x)[0]
    return (
        x[1], x[:, 1:3], x[::-1, ..., ::2], x[n - 1], x[tf.newaxis, :2], x[..., -1], x[1:n, :n], tf.slice(x, [0, 1], [2, -1]),
        tf.strided_slice(x, [0, 0], [3, 4], [2, 2]), tf.boolean_mask(x, x > 0), tf.boolean_mask(x, [True, False, True]), x[x > 0],
    )  # fmt: skip


@case(X)
def joining(tf, x):
    a, b = tf.split(x, 2, axis=1)
    c, d, e = tf.unstack(x)
    return (
        tf.concat([a, b, a], 1),
        tf.stack([c, d, e], 1),
        tf.split(x, [1, 2], 0),
        tf.parallel_stack([c, d]),
        tf.unstack(x, axis=1),
    )


@case(X, I)
def gathering(tf, x, i):
    rows = i % 3
    return (
        tf.gather(x, rows), tf.gather(x, i % 4, axis=1), tf.gather(x, [[0, 1], [2, 3], [1, 1]], batch_dims=1, axis=1), tf.gather_nd(x, [[0, 1], [2, 3]]),
        tf.scatter_nd([[0], [2]], x[:2], [4, 4]), tf.tensor_scatter_nd_update(x, [[1]], x[:1]), tf.tensor_scatter_nd_add(x, [[1], [1]], x[:2]),
        tf.tensor_scatter_nd_max(x, [[0]], x[1:2]), tf.dynamic_partition(i, i % 2, 2), tf.dynamic_stitch([[0, 2], [1, 3]], [x[:2], x[1:3]]),
        tf.math.invert_permutation([2, 0, 1]), tf.unravel_index([5, 7], [3, 4]), tf.where(x > 0), tf.gather(x, rows[:2], axis=-2),
    )  # fmt: skip


@case(X, I)
def sorting(tf, x, i):
    return (
        tf.sort(x), tf.sort(i, direction="DESCENDING"), tf.argsort(x, axis=0, stable=True), tf.math.top_k(x, 2), tf.unique(i), tf.unique_with_counts(i),
        tf.searchsorted(tf.sort(x[0]), x[1]), tf.math.in_top_k([1, 0, 3], x, 2), tf.histogram_fixed_width(x, [-2.0, 2.0], 5), tf.nn.top_k(i, 3).indices,
        tf.sets.intersection([[1, 2, 3]], [[2, 3, 4]]).values, tf.math.approx_max_k(x, 2)[0], tf.raw_ops.ListDiff(x=i, y=i[:2]).out,
    )  # fmt: skip


# --- linear algebra --------------------------------------------------------------------------------------------------
@case(X, Y)
def products(tf, x, y):
    return (
        x @ y, tf.matmul(x, x, transpose_b=True), tf.einsum("ij,jk->ik", x, y), tf.einsum("ij,kj->", x, x), tf.tensordot(x, y, 1), tf.linalg.matvec(x, y[:, 0]),
        tf.matmul(x[None], y[None]), tf.einsum("...ij,jk->...ki", x[None], y), tf.linalg.band_part(x, 1, 0), tf.linalg.diag(x), tf.linalg.diag_part(x), tf.linalg.trace(x),
        tf.linalg.set_diag(x, x[0, :3]), tf.linalg.cross(x[:, :3], x[:, 1:]), tf.sparse.to_dense(tf.sparse.from_dense(tf.nn.relu(x))),
        tf.sparse.sparse_dense_matmul(tf.sparse.from_dense(tf.nn.relu(x)), y), tf.linalg.tensor_diag(x[0]),
    )  # fmt: skip


@case(SPD)
def decompositions(tf, a):
    q, r = tf.linalg.qr(a)
    s, u, v = tf.linalg.svd(a)
    e, w = tf.linalg.eigh(a)
    lower = tf.linalg.cholesky(a)
    return (
        q @ r, s, u @ tf.linalg.diag(s) @ tf.transpose(v), e, w @ tf.linalg.diag(e) @ tf.transpose(w), lower, tf.linalg.inv(a), tf.linalg.det(a), tf.linalg.slogdet(a),
        tf.linalg.solve(a, a[:, :1]), tf.linalg.triangular_solve(lower, a), tf.linalg.cholesky_solve(lower, a[:, :2]), tf.linalg.logdet(a), tf.linalg.expm(a * 0.1), tf.linalg.sqrtm(a),
        tf.linalg.lstsq(a, a[:, :1]), tf.linalg.lu(a)[1], tf.linalg.pinv(a), tf.linalg.tridiagonal_solve(a[:3], a[0], diagonals_format="compact"), tf.linalg.adjoint(a),
    )  # fmt: skip


# --- networks --------------------------------------------------------------------------------------------------------
@case(X)
def activations(tf, x):
    return (
        tf.nn.relu(x), tf.nn.relu6(x * 4), tf.nn.elu(x), tf.nn.selu(x), tf.nn.gelu(x), tf.nn.gelu(x, approximate=True), tf.nn.swish(x), tf.nn.leaky_relu(x), tf.nn.softmax(x),
        tf.nn.log_softmax(x, 0), tf.nn.softplus(x), tf.nn.crelu(x), tf.nn.l2_normalize(x, 1), tf.nn.moments(x, [0]), tf.nn.bias_add(x, x[0]), tf.nn.local_response_normalization(x[:, None, None]),
    )  # fmt: skip


@case(X, np.array([0, 2, 3], np.int32))
def losses(tf, x, labels):
    hot = tf.one_hot(labels, 4)
    return (
        tf.nn.softmax_cross_entropy_with_logits(hot, x), tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x), tf.nn.sigmoid_cross_entropy_with_logits(hot, x),
        tf.nn.weighted_cross_entropy_with_logits(hot, x, 2.0), tf.nn.log_poisson_loss(hot, x), tf.nn.l2_loss(x), tf.keras.losses.huber(hot, x), tf.keras.losses.cosine_similarity(hot, x),
        tf.nn.ctc_loss(tf.constant([[1, 2]]), tf.tile(x[:, None], [2, 1, 1]), tf.constant([2]), tf.constant([6]), logits_time_major=True, blank_index=0),
    )  # fmt: skip


@case(IMAGE)
def convolutions(tf, x):
    k = tf.reshape(tf.linspace(-1.0, 1.0, 3 * 3 * 3 * 4), [3, 3, 3, 4])
    return (
        tf.nn.conv2d(x, k, 1, "SAME"), tf.nn.conv2d(x, k, 2, "VALID"), tf.nn.conv2d(x, k, 1, "SAME", dilations=2), tf.nn.conv2d(x, k, 1, [[0, 0], [1, 2], [0, 1], [0, 0]]),
        tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME"), tf.nn.separable_conv2d(x, k, tf.ones([1, 1, 12, 2]), [1, 1, 1, 1], "VALID"), tf.nn.atrous_conv2d(x, k, 2, "SAME"),
        tf.nn.conv2d_transpose(x, tf.transpose(k, [0, 1, 3, 2]), [2, 18, 18, 4], 2), tf.nn.conv1d(x[:, 0], k[0], 1, "SAME"), tf.nn.erosion2d(x, k[..., 0], [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]),
        tf.nn.conv2d(x, tf.ones([2, 2, 1, 6]), 1, "VALID"), tf.nn.dilation2d(x, k[..., 0], [1, 1, 1, 1], "VALID", "NHWC", [1, 1, 1, 1]),
    )  # fmt: skip


@case(IMAGE, VOLUME)
def pooling(tf, x, v):
    return (
        tf.nn.max_pool2d(x, 2, 2, "VALID"), tf.nn.max_pool2d(x, 3, 2, "SAME"), tf.nn.avg_pool2d(x, 3, 2, "SAME"), tf.nn.max_pool3d(v, 2, 2, "SAME"), tf.nn.avg_pool3d(v, 2, 1, "VALID"),
        tf.nn.max_pool_with_argmax(x, 2, 2, "VALID"), tf.nn.avg_pool1d(x[0], 2, 2, "VALID"), tf.nn.pool(x, [2, 2], "MAX"), tf.nn.conv3d(v, tf.ones([2, 2, 2, 2, 3]), [1, 1, 1, 1, 1], "SAME"),
        tf.nn.conv3d_transpose(v, tf.ones([2, 2, 2, 3, 2]), [1, 10, 12, 14, 3], 2), tf.nn.space_to_depth(x[:, :8, :8], 2), tf.nn.depth_to_space(tf.tile(x, [1, 1, 1, 4]), 2),
        tf.space_to_batch(x[:, :8, :8], [2, 2], [[0, 0], [0, 0]]), tf.batch_to_space(tf.tile(x, [2, 1, 1, 1]), [2, 2], [[1, 0], [0, 1]]),
    )  # fmt: skip


@case(IMAGE)
def batch_norm(tf, x):
    ones, zeros = tf.ones([3]), tf.zeros([3])
    return (
        tf.nn.batch_normalization(x, zeros, ones, zeros, ones, 1e-3), tf.compat.v1.nn.fused_batch_norm(x, ones, zeros)[0],
        tf.compat.v1.nn.fused_batch_norm(x, ones, zeros, zeros + 0.2, ones * 2, is_training=False)[0], tf.nn.embedding_lookup(x[0, 0], [0, 3, 3]),
        tf.nn.safe_embedding_lookup_sparse(x[0, 0], tf.sparse.from_dense([[1, 2], [0, 3]])), tf.nn.dropout(x, 0.0), tf.nn.scale_regularization_loss(tf.reduce_sum(x)),
    )  # fmt: skip


@case(X)
def gradients(tf, x):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.nn.softmax(tf.tanh(x) @ tf.transpose(x)) * tf.reduce_max(x)
        z = tf.reduce_sum(tf.cumsum(y)[::2] ** 2) + tf.norm(x)
    return tape.gradient(z, x), tape.jacobian(y, x), tape.gradient(y, x, tf.ones_like(y) * 2)


@case(IMAGE)
def gradients_of_networks(tf, x):
    k = tf.reshape(tf.linspace(-1.0, 1.0, 3 * 3 * 3 * 4), [3, 3, 3, 4])
    with tf.GradientTape() as tape:
        tape.watch([x, k])
        y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, k, 1, "SAME")), 2, 2, "SAME")
        y = tf.compat.v1.nn.fused_batch_norm(y, tf.ones([4]), tf.zeros([4]))[0]
        y = tf.nn.avg_pool2d(
            tf.nn.depthwise_conv2d(y, k[:2, :2, :1] * tf.ones([2, 2, 4, 1]), [1, 1, 1, 1], "VALID"), 2, 1, "SAME"
        )
        total = tf.reduce_sum(tf.nn.local_response_normalization(y) ** 2)
    return tape.gradient(total, [x, k])


# --- images and signals ----------------------------------------------------------------------------------------------
@case(IMAGE)
def resizing(tf, x):
    return (
        *[tf.image.resize(x, [5, 7], method) for method in ("bilinear", "nearest", "bicubic", "area", "lanczos3", "gaussian", "mitchellcubic")],
        tf.image.resize(x, [4, 4], antialias=True), tf.image.resize_with_pad(x, 6, 12), tf.image.resize_with_crop_or_pad(x, 6, 12), tf.image.central_crop(x, 0.5),
        tf.image.crop_to_bounding_box(x, 1, 2, 3, 4), tf.image.crop_and_resize(x, [[0.1, 0.1, 0.8, 0.9]], [0], [4, 5]), tf.compat.v1.image.resize_bilinear(x, [5, 5], align_corners=True),
        tf.image.pad_to_bounding_box(x, 1, 1, 12, 12),
    )  # fmt: skip


@case(IMAGE)
def colours(tf, x):
    return (
        tf.image.rgb_to_grayscale(x), tf.image.rgb_to_hsv(x), tf.image.hsv_to_rgb(x), tf.image.rgb_to_yuv(x), tf.image.adjust_brightness(x, 0.1), tf.image.adjust_contrast(x, 1.5), tf.image.adjust_hue(x, 0.1),
        tf.image.adjust_saturation(x, 2.0), tf.image.adjust_gamma(x, 0.5), tf.image.per_image_standardization(x), tf.image.flip_left_right(x), tf.image.rot90(x), tf.image.sobel_edges(x),
        tf.image.total_variation(x), tf.image.convert_image_dtype(x, tf.uint8), tf.image.psnr(x, x * 0.9, 1.0), tf.image.image_gradients(x), tf.image.ssim(tf.tile(x, [1, 2, 2, 1]), tf.tile(x * 0.8, [1, 2, 2, 1]), 1.0),
        tf.image.draw_bounding_boxes(x, tf.tile([[[0.1, 0.2, 0.6, 0.8]]], [2, 1, 1]), [[1.0, 0.0, 0.0]]), tf.image.transpose(x), tf.image.grayscale_to_rgb(x[..., :1]),
    )  # fmt: skip


@case(RNG.random((6, 2)).astype(np.float32), RNG.random(6).astype(np.float32))
def boxes(tf, corners, scores):
    all_boxes = tf.concat([corners, corners + 0.3], 1)
    return (
        tf.image.non_max_suppression(all_boxes, scores, 4, 0.3), tf.image.non_max_suppression_padded(all_boxes, scores, 5, pad_to_max_output_size=True),
        tf.image.combined_non_max_suppression(all_boxes[None, :, None], scores[None, :, None], 3, 4), tf.image.non_max_suppression_with_scores(all_boxes, scores, 4, soft_nms_sigma=0.5),
        tf.image.non_max_suppression_overlaps(all_boxes @ tf.transpose(all_boxes), scores, 3, 0.9),
    )  # fmt: skip


@case((IMAGE[0] * 255).astype(np.uint8))
def pictures(tf, x):
    png = tf.io.encode_png(x)
    return (
        tf.io.decode_png(png),
        tf.io.decode_image(png, expand_animations=False),
        tf.io.decode_png(png, channels=1),
        tf.image.resize(x[None], [4, 4]),
    )


@case(RNG.standard_normal(64).astype(np.float32))
def signals(tf, x):
    spectrum = tf.signal.stft(x, 16, 8)
    return (
        tf.signal.rfft(x), tf.signal.irfft(tf.signal.rfft(x)), tf.signal.fft(tf.cast(x, tf.complex64)), tf.signal.fft2d(tf.cast(tf.reshape(x, [8, 8]), tf.complex64)), spectrum, tf.abs(spectrum),
        tf.signal.inverse_stft(spectrum, 16, 8), tf.signal.dct(x), tf.signal.frame(x, 8, 3), tf.signal.hann_window(9), tf.signal.linear_to_mel_weight_matrix(6, 9, 8000), tf.signal.overlap_and_add(tf.reshape(x, [8, 8]), 4),
        tf.signal.mfccs_from_log_mel_spectrograms(tf.reshape(x, [4, 16])), tf.signal.fftshift(x), tf.signal.kaiser_window(8),
    )  # fmt: skip


# --- text ------------------------------------------------------------------------------------------------------------
@case(WORDS)
def strings(tf, s):
    return (
        tf.strings.length(s), tf.strings.length(s, "UTF8_CHAR"), tf.strings.lower(s), tf.strings.upper(s, "utf-8"), tf.strings.strip(s), tf.strings.join([s, "!"]), tf.strings.substr(s, 0, 1),
        tf.strings.regex_replace(s, "[aeiou]", "_"), tf.strings.regex_full_match(s, ".*a.*"), tf.strings.to_hash_bucket_fast(s, 100), tf.strings.to_hash_bucket_strong(s, 100, [1, 2]), tf.strings.as_string(tf.range(3)),
        tf.strings.reduce_join(s, separator="|"), tf.strings.split(s).to_tensor(""), tf.strings.split(s, ",").flat_values, tf.strings.unicode_decode(s, "UTF-8").to_tensor(0), tf.strings.bytes_split(s).flat_values,
        tf.strings.to_number(["1.5", "2"]), tf.strings.ngrams(["a", "b", "c"], 2), tf.strings.format("{} and {}", [tf.range(3), s[:1]]), tf.io.encode_base64(s), tf.io.decode_base64(tf.io.encode_base64(s)),
        tf.strings.unicode_transcode(s, "UTF-8", "UTF-16-BE"), tf.strings.unicode_script(tf.strings.unicode_decode(s, "UTF-8").flat_values), tf.strings.unicode_encode([[97, 98], [99, 380]], "UTF-8"), s == "Gamma",
        tf.strings.to_hash_bucket(s, 10), tf.edit_distance(tf.sparse.from_dense([["a", "b"]]), tf.sparse.from_dense([["a", "c"]])),
    )  # fmt: skip


@case(X)
def serialised(tf, x):
    bytes_of = tf.io.serialize_tensor(x)
    feature = tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0]))
    words = tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a"]))
    example = tf.train.Example(features=tf.train.Features(feature={"f": feature, "w": words})).SerializeToString()
    parsed = tf.io.parse_example(
        [example],
        {
            "f": tf.io.FixedLenFeature([2], tf.float32),
            "w": tf.io.VarLenFeature(tf.string),
            "r": tf.io.RaggedFeature(tf.int64),
        },
    )
    return (
        tf.io.parse_tensor(bytes_of, tf.float32), parsed["f"], parsed["w"].values, parsed["r"], tf.io.parse_single_example(example, {"f": tf.io.FixedLenFeature([2], tf.float32)}),
        tf.io.decode_raw([b"abcd"], tf.uint8), tf.io.decode_csv(["1,a", "2,b"], [0, ""]), tf.io.decode_json_example('{"features": {}}'),
    )  # fmt: skip


# --- ragged and sparse -----------------------------------------------------------------------------------------------
@case(I)
def ragged(tf, i):
    r = tf.RaggedTensor.from_row_lengths(tf.range(tf.reduce_sum(i)), tf.cast(i, tf.int64))
    f = tf.cast(r, tf.float32)
    return (
        r, r.to_tensor(-1), r.row_lengths(), tf.reduce_sum(r, 1), tf.reduce_mean(f, 1), tf.reduce_max(r, 0), r * 2 + 1, tf.concat([r, r], 1), tf.gather(r, [2, 0]), r[1:, :2], r.to_sparse(), tf.ragged.stack([r, r]),
        tf.ragged.boolean_mask(r, r > 3), tf.ragged.range(i), r.bounding_shape(), tf.where(r > 3, r, -r), tf.RaggedTensor.from_tensor([[1, 0], [2, 3]], padding=0),
        tf.expand_dims(r, 1), tf.reverse(r, [1])[1],
    )  # fmt: skip


@case(I)
def ragged_map(tf, i):
    r = tf.RaggedTensor.from_row_lengths(tf.range(tf.reduce_sum(i)), tf.cast(i, tf.int64))
    double = tf.map_fn(lambda row: row * 2, r, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
    return tf.map_fn(tf.reduce_sum, r, fn_output_signature=tf.int32), double


@case(X)
def sparse(tf, x):
    s = tf.sparse.from_dense(tf.nn.relu(x))
    return (
        s, tf.sparse.reduce_sum(s, 1), tf.sparse.transpose(s), tf.sparse.reshape(s, [4, 3]), tf.sparse.add(s, s), tf.sparse.slice(s, [0, 1], [2, 2]), tf.sparse.concat(1, [s, s]), tf.sparse.to_dense(s, -1.0), tf.sparse.softmax(s),
        tf.sparse.retain(s, s.values > 0.5), tf.sparse.fill_empty_rows(s, 9.0)[0], tf.sparse.split(s, 2, 1), tf.sparse.reorder(s), tf.sparse.maximum(s, s), tf.sparse.reset_shape(s), tf.sparse.expand_dims(s, 0), tf.sparse.reduce_max(s, 0),
        tf.sparse.bincount(tf.constant([1, 2, 2, 5])), s.values * 2, tf.sparse.map_values(tf.square, s), tf.sparse.eye(3), tf.sparse.sparse_dense_matmul(s, x, adjoint_b=True),
    )  # fmt: skip


# --- randomness ------------------------------------------------------------------------------------------------------
@case(np.array([3, 7], np.int32))
def random(tf, seed):
    return (
        tf.random.stateless_uniform([5], seed), tf.random.stateless_normal([5], seed), tf.random.stateless_truncated_normal([5], seed), tf.random.stateless_uniform([5], seed, 0, 100, tf.int32), tf.random.stateless_categorical([[0.1, 2.0, 0.3]], 6, seed),
        tf.random.stateless_gamma([4], seed, 2.0), tf.random.stateless_poisson([4], seed, 3.0), tf.random.experimental.stateless_split(seed, 3), tf.random.experimental.stateless_fold_in(seed, 5),
        tf.random.experimental.stateless_shuffle(tf.range(6), seed),
    )  # fmt: skip


# --- control flow ----------------------------------------------------------------------------------------------------
@case(np.int32(27))
def while_with_branches(tf, n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps, n


@case(X)
def for_with_breaks(tf, x):
    total = tf.zeros([4])
    for row in x:
        if row[0] > 2.0:
            break
        if row[1] < -1.0:
            continue
        total += row
    return total


@case(np.int32(6))
def arrays(tf, n):
    a = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
    b = tf.TensorArray(tf.int32, size=n)
    for i in tf.range(n):
        a = a.write(i, tf.cast(i, tf.float32) ** 2)
        b = b.write(i, i * 2)
    return (
        a.stack(),
        b.gather([1, 3]),
        a.read(2),
        b.stack(),
        a.size(),
        b.unstack(tf.range(n)).concat() if False else b.size(),
    )


@case(np.int32(1), X)
def switch(tf, i, x):
    return (
        tf.switch_case(i, [lambda: x, lambda: x * 2.0, lambda: -x]),
        tf.case([(tf.reduce_sum(x) > 100.0, lambda: x), (i > 0, lambda: x + 1.0)], default=lambda: x - 1.0),
        tf.cond(i > 0, lambda: {"a": x, "b": (x, i)}, lambda: {"a": -x, "b": (x, i * 2)}),
    )  # fmt: skip


@case(X)
def functional(tf, x):
    return (
        tf.map_fn(lambda r: tf.reduce_max(r) * r, x), tf.scan(lambda a, r: a + r, x), tf.foldl(lambda a, r: a * r, x), tf.vectorized_map(lambda r: tf.linalg.norm(r), x),
        tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s * 1.5), [0, tf.reduce_sum(x)], maximum_iterations=3), tf.map_fn(lambda r: (r, tf.size(r)), x, fn_output_signature=(tf.float32, tf.int32)),
    )  # fmt: skip


@case(X)
def gradient_of_a_loop(tf, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for i in tf.range(4):
            y = tf.sin(y) * x if i % 2 == 0 else tf.cos(y) + x
        total = tf.reduce_sum(y)
    return tape.gradient(total, x)


@case(X)
def calls(tf, x):
    @tf.function
    def helper(a, b):
        return a * b + 1.0

    @tf.function
    def loop(a, n):
        for _ in tf.range(n):
            a = helper(a, 0.5)
        return a

    return loop(x, 3), loop(x, tf.constant(2)), helper(x, helper(x, x))


@case(X)
def custom_gradients(tf, x):
    @tf.custom_gradient
    def log1pexp(v):
        e = tf.exp(v)
        return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = log1pexp(x)
    return y, tape.gradient(y, x)


@case(X)
def forward_mode(tf, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
        y = tf.tanh(x) @ tf.transpose(x)
    return acc.jvp(y)


@case(X)
def recurrent(tf, x):
    cell = lambda s, row: tf.tanh(s * 0.5 + row)
    state = tf.zeros([4])
    out = tf.TensorArray(tf.float32, 3)
    for i in tf.range(3):
        state = cell(state, x[i])
        out = out.write(i, state)
    return out.stack(), state


@case(X)
def stateful_bits(tf, x):
    tf.debugging.assert_greater(tf.reduce_max(x), -1000.0)
    tf.debugging.assert_shapes([(x, ("a", "b"))])
    tf.debugging.check_numerics(x, "bad")
    with tf.control_dependencies([tf.debugging.assert_all_finite(x, "no")]):
        return tf.identity(x), tf.stop_gradient(x), tf.grad_pass_through(tf.round)(x), tf.guarantee_const(x)


@case(WORDS)
def tables(tf, s):
    with tf.init_scope():
        pass
    keys = tf.strings.split(["alpha beta Gamma"])[0] if False else tf.constant(["alpha beta", "Gamma"])
    table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, "none", "gone")
    with tf.control_dependencies([table.insert(keys, tf.constant([4, 5], tf.int64))]):
        return table.lookup(s), table.size()


@case(X)
def datasets(tf, x):
    data = tf.data.Dataset.from_tensor_slices(x).map(lambda r: r * 2).filter(lambda r: r[0] > -5.0).batch(2).prefetch(1)
    total = tf.zeros([4])
    for batch in data:
        total += tf.reduce_sum(batch, 0)
    return (
        total,
        data.reduce(0, lambda n, b: n + tf.shape(b)[0]),
        tf.data.Dataset.range(10).shuffle(3, seed=1).repeat(2).take(7).reduce(np.int64(0), lambda a, b: a * 3 + b),
    )


@case(X)
def lists_and_optionals(tf, x):
    q = tf.quantization.fake_quant_with_min_max_args(x, -1, 1, 8)
    queue_like = tf.raw_ops.TensorListFromTensor(tensor=x, element_shape=tf.constant([4]))
    return (
        q,
        tf.raw_ops.TensorListStack(input_handle=queue_like, element_shape=tf.constant([4]), element_dtype=tf.float32),
        tf.quantization.quantize(x, -1.0, 1.0, tf.quint8)[0] if False else x,
    )


@case(np.array([[1, 2, 0], [4, 0, 0]], np.int64))
def embeddings(tf, ids):
    table = tf.reshape(tf.range(40.0), [10, 4])
    vectors = tf.nn.embedding_lookup(table, ids)
    mask = tf.cast(ids > 0, tf.float32)[..., None]
    return (
        tf.reduce_sum(vectors * mask, 1) / tf.reduce_sum(mask, 1),
        tf.reverse_sequence(vectors, [2, 1], 1, 0),
        tf.nn.max_pool1d(vectors, 2, 1, "SAME"),
    )


@case(SERIES)
def attention(tf, x):
    q, k, v = (tf.linalg.l2_normalize(x * s, -1) for s in (1.0, 0.5, 2.0))
    scores = tf.einsum("bqd,bkd->bqk", q, k) / tf.sqrt(tf.cast(tf.shape(q)[-1], tf.float32))
    mask = tf.linalg.band_part(tf.ones([6, 6]), -1, 0)
    return tf.nn.softmax(scores + (1 - mask) * -1e9) @ v


@case(np.array([1.5, -2.5], np.float64), np.array([1, 2], np.int64), np.array([True, False]))
def other_dtypes(tf, d, l, b):
    half = tf.cast(d, tf.float16)
    brain = tf.cast(d, tf.bfloat16)
    return (
        half * 2 + 1,
        brain * brain,
        tf.exp(d),
        l // 2,
        ~b,
        b & True,
        tf.cast(l, tf.uint64) + 1,
        tf.cast(l, tf.int16) * 3,
        tf.reduce_sum(half),
        tf.matmul(brain[None], brain[:, None]),
    )


@case(X)
def one_node_names(tf, x):
    with tf.name_scope("outer"):
        a = tf.identity(x, name="a")
        with tf.name_scope("inner/deep"):
            b = tf.add(a, 1.0, name="b")
    return tf.multiply(b, a, name="end")


@case(np.zeros((0, 4), np.float32))
def empty(tf, x):
    return (
        tf.reduce_sum(x, 0),
        tf.concat([x, tf.ones([1, 4])], 0),
        tf.reduce_max(x, 1),
        tf.shape(x),
        tf.matmul(x, tf.ones([4, 2])),
        tf.map_fn(lambda r: r * 2, x),
    )


@case(X)
def numpy_api(tf, x):
    n = tf.experimental.numpy
    return (
        n.mean(x, 0),
        n.cumsum(x),
        n.where(x > 0, x, 0),
        n.matmul(x, n.transpose(x)),
        n.sort(x, 1),
        n.tile(x, 2),
        n.diff(x),
        n.linspace(0, 1, 3),
        n.var(x),
        n.moveaxis(x, 0, 1),
        n.outer(x[0], x[1]),
    )


@case(X)
def optimised_ops(tf, x):
    return (
        tf.raw_ops.Empty(shape=[2], dtype=tf.float32, init=True),
        tf.raw_ops.ClipByValue(t=x, clip_value_min=0.0, clip_value_max=1.0),
        tf.raw_ops.Snapshot(input=x),
        tf.raw_ops.BroadcastGradientArgs(s0=[3, 4], s1=[4]),
        tf.raw_ops.MatrixDiagV3(diagonal=x, k=0, num_rows=-1, num_cols=-1, padding_value=0.0),
    )


@case(X, Y)
def linear_operators(tf, x, y):
    a = tf.linalg.LinearOperatorLowerTriangular(y[:, :4] + 3 * tf.eye(4))
    b = tf.linalg.LinearOperatorDiag(x[0])
    return (
        a.matmul(y),
        a.solve(y),
        tf.linalg.LinearOperatorComposition([a, b]).to_dense(),
        a.determinant(),
        tf.linalg.LinearOperatorKronecker([b, b]).trace(),
    )


@case(RNG.standard_normal((2, 3, 5)).astype(np.float32))
def beams(tf, x):
    t = tf.transpose(x, [1, 0, 2])
    decoded, scores = tf.nn.ctc_greedy_decoder(t, [3, 3])
    beams, logs = tf.nn.ctc_beam_search_decoder(t, [3, 2], 4)
    return (
        decoded[0],
        scores,
        beams[0],
        logs,
        tf.math.confusion_matrix([0, 1, 2], [0, 2, 2]),
        tf.nn.collapse_repeated([[1, 1, 2]], [3]),
    )


@case(X)
def statistics(tf, x):
    return (
        tf.math.bessel_i0(x), tf.math.special.bessel_j0(tf.abs(x)), tf.math.special.dawsn(x), tf.math.special.expint(tf.abs(x)), tf.math.special.fresnel_cos(x), tf.math.special.spence(tf.abs(x)), tf.math.lbeta(tf.abs(x)), tf.math.polygamma(1.0, tf.abs(x) + 0.5),
        tf.math.polyval([1.0, 2.0, 3.0], x), tf.math.zero_fraction(tf.nn.relu(x)), tf.math.sobol_sample(2, 3), tf.nn.normalize_moments(3.0, x, x, None), tf.clip_by_norm(x, 1.0), tf.clip_by_global_norm([x], 1.0)[0], tf.math.accumulate_n([x, x]), tf.math.cumulative_logsumexp(x),
    )  # fmt: skip


@case(X)
def dynamic(tf, x):
    n = tf.shape(x)[0]
    return (
        tf.reshape(x, tf.stack([n * 2, -1])),
        tf.ones([n, n]),
        tf.range(n),
        tf.zeros(tf.shape(x)),
        tf.random.stateless_uniform([n], [1, 2]),
        tf.broadcast_to(x[:1], [n, 4]),
        tf.tile(x, [n, 1]),
        tf.pad(x, [[n, 0], [0, 0]]),
        tf.one_hot(tf.range(n), n),
    )


@case(X)
def vmapped_gradients(tf, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.sin(x) ** 3)
        g = tape.gradient(y, x)
    return outer.jacobian(g, x), g
