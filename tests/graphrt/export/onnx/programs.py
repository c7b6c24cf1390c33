"""Functions that are exported to ONNX: `case(name, function, arguments...)`, with arrays for arguments.

A dimension of an argument is left open where the array is wrapped in `Open`.
"""

import numpy as np

import graphrt as tf

RNG = np.random.default_rng(7)
F = lambda *shape: RNG.standard_normal(shape).astype(np.float32)
I = lambda high, *shape: RNG.integers(0, high, shape).astype(np.int32)
POSITIVE = np.abs(F(3, 4)) + np.float32(0.5)
X, Y, V = F(3, 4), F(3, 4), F(4)
IMAGE = F(2, 8, 9, 3)


class Open:
    """An array whose dimensions are not told while tracing."""

    def __init__(self, array):
        self.array = np.asarray(array)


CASES = {}


def case(name, function, *arguments):
    assert name not in CASES, name
    CASES[name] = function, arguments


def scalar(value, dtype=np.float32):
    return np.asarray(value, dtype)


def specs(arguments):
    found = []
    for i, a in enumerate(arguments):
        array = a.array if isinstance(a, Open) else np.asarray(a)
        dims = [None] * array.ndim if isinstance(a, Open) else array.shape
        found.append(tf.TensorSpec(dims, tf.string if array.dtype.kind in "US" else array.dtype, name=f"a{i}"))
    return found


def arrays(arguments):
    return [a.array if isinstance(a, Open) else np.asarray(a) for a in arguments]


# --- element by element ----------------------------------------------------------------------------------------------
case("polynomial", lambda x: 3.0 * x**2 - x / 7.0 + 1.0, X)
case("broadcast", lambda x, v: tf.maximum(x, v) - tf.minimum(x, v) * tf.abs(v), X, V)
case("exponentials", lambda x: (tf.exp(x), tf.math.expm1(x), tf.math.log1p(x * x), tf.sigmoid(x), tf.tanh(x)), X)
case("roots", lambda x: (tf.sqrt(x), tf.math.rsqrt(x), tf.math.log(x), tf.pow(x, 1.5), tf.math.reciprocal(x)), POSITIVE)
case("angles", lambda x: (tf.sin(x), tf.cos(x), tf.tan(x), tf.atan(x), tf.asin(tf.tanh(x)), tf.acos(tf.tanh(x))), X)
case("hyperbolic", lambda x: (tf.sinh(x), tf.cosh(x), tf.asinh(x), tf.acosh(1.0 + x * x), tf.atanh(tf.tanh(x))), X)
case("rounding", lambda x: (tf.floor(x), tf.math.ceil(x), tf.round(x * 4.0), tf.math.rint(x), tf.sign(x)), X)
case(
    "double_angles",
    lambda x: (tf.tan(x), tf.atan(x), tf.sinh(x), tf.asinh(x), tf.acos(tf.tanh(x)), tf.cosh(x)),
    X.astype("float64"),
)
case("quadrants", lambda y, x: tf.atan2(y, x), X, Y)
case("integers", lambda a, b: (a // b, a % b, tf.math.floormod(-a, b), -a // b, a * b - b), I(50, 5), I(7, 5) + 1)
case("small_integers", lambda a: (a + a, tf.maximum(a, 3), a * tf.constant(2, tf.int8)), I(50, 6).astype("int8"))
case("float_remainder", lambda x, y: (x % y, x // y, tf.truncatemod(x, y)), X, Y)
case("bits", lambda a, b: (a & b, a | b, a ^ b, ~a), I(99, 6), I(99, 6))
case("shifts", lambda a, b: (tf.bitwise.left_shift(a, b), tf.bitwise.right_shift(-a, b)), I(99, 6), I(5, 6))
case("comparisons", lambda x, y: (x < y, x <= y, x > y, x >= y, tf.equal(x, x), tf.not_equal(x, y)), X, Y)
case("truth", lambda x: ((x > 0) & (x < 1), (x > 1) | (x < -1), ~(x > 0), tf.math.logical_xor(x > 0, x > 1)), X)
case("choice", lambda x, y: tf.where(x > 0, x, y * 2.0), X, Y)
case(
    "finite",
    lambda x: (tf.math.is_nan(x), tf.math.is_inf(x), tf.math.is_finite(x)),
    np.float32([1, np.nan, np.inf, -np.inf]),
)
case(
    "casts",
    lambda x: (tf.cast(x, tf.int32), tf.cast(x, tf.float64), tf.cast(x > 0, tf.float32), tf.cast(x, tf.bool)),
    X,
)
case("clipped", lambda x: tf.clip_by_value(x, -0.5, 0.5), X)
case("no_nan", lambda x, y: (tf.math.divide_no_nan(x, tf.nn.relu(y)), tf.math.xlogy(tf.nn.relu(x), tf.abs(y))), X, Y)
case("halves", lambda x: (x + x * x, tf.nn.softmax(x), tf.reduce_sum(x, 0)), X.astype("float16"))
case("error_function", lambda x: (tf.math.erf(x), tf.math.erfc(x)), X)
case("sum_of_many", lambda x, y: tf.add_n([x, y, x]), X, Y)
case("squared", lambda x, y: (tf.math.squared_difference(x, y), tf.square(x)), X, Y)
# --- activations and losses ------------------------------------------------------------------------------------------
case(
    "activations", lambda x: (tf.nn.relu(x), tf.nn.relu6(x * 5.0), tf.nn.elu(x), tf.nn.selu(x), tf.nn.leaky_relu(x)), X
)
case("soft", lambda x: (tf.nn.softplus(x), tf.nn.softsign(x), tf.nn.softmax(x), tf.nn.log_softmax(x), tf.nn.silu(x)), X)
case("gelu", lambda x: (tf.nn.gelu(x), tf.nn.gelu(x, approximate=True)), X)
case("softmax_axis", lambda x: tf.nn.softmax(x, axis=0), X)
case("cross_entropy", lambda x, p: tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(p), x), X, Y)
case("sparse_cross_entropy", lambda x, l: tf.nn.sparse_softmax_cross_entropy_with_logits(l, x), X, I(4, 3))
case("sigmoid_cross_entropy", lambda x, y: tf.nn.sigmoid_cross_entropy_with_logits(tf.sigmoid(y), x), X, Y)
case("l2", lambda x: (tf.nn.l2_loss(x), tf.nn.l2_normalize(x, 1)), X)
# --- reductions ------------------------------------------------------------------------------------------------------
case(
    "reductions",
    lambda x: (tf.reduce_sum(x), tf.reduce_mean(x, 0), tf.reduce_max(x, 1, keepdims=True), tf.reduce_prod(x, [0, 1])),
    X,
)
case("reductions_open", lambda x: (tf.reduce_sum(x, -1), tf.reduce_mean(x, 0), tf.reduce_min(x)), Open(X))
case("of_flags", lambda x: (tf.reduce_any(x > 1, 0), tf.reduce_all(x > -1, 1), tf.math.count_nonzero(x > 0)), X)
case(
    "mean_of_nothing",
    lambda x: (tf.reduce_mean(x, 0), tf.reduce_mean(x, 1), tf.reduce_max(x, 0)),
    Open(np.zeros((0, 3), np.float32)),
)
case("integer_mean", lambda a: (tf.reduce_mean(a), tf.reduce_max(a), tf.reduce_sum(a, 0)), I(50, 3, 4))
case("log_sum", lambda x: (tf.reduce_logsumexp(x, 1), tf.math.reduce_std(x, 0), tf.math.reduce_variance(x)), X)
case("extreme_places", lambda x: (tf.argmax(x, 1), tf.argmin(x, 0, output_type=tf.int32)), X)
case("cumulative", lambda x: (tf.cumsum(x, 1), tf.cumsum(x, 0, exclusive=True), tf.cumsum(x, 1, reverse=True)), X)
case("greatest", lambda x: tf.math.top_k(x, 2), X)
case("in_greatest", lambda x, t: tf.math.in_top_k(t, x, 2), X, I(4, 3))
case("norms", lambda x: (tf.norm(x), tf.norm(x, ord=1, axis=1), tf.linalg.norm(x, axis=0)), X)
# --- products --------------------------------------------------------------------------------------------------------
case("product", lambda x, w: x @ w, X, F(4, 5))
case("turned_product", lambda x, y: (tf.matmul(x, y, transpose_b=True), tf.matmul(x, y, transpose_a=True)), X, Y)
case("batched_product", lambda a, b: tf.matmul(a, b), F(2, 3, 4), F(2, 4, 5))
case("einsum", lambda a, b: (tf.einsum("bij,bjk->bik", a, b), tf.einsum("bij->bj", a)), F(2, 3, 4), F(2, 4, 5))
case("tensordot", lambda a, b: tf.tensordot(a, b, [[1], [0]]), F(2, 3, 4), F(3, 5))
case("integer_product", lambda a, b: a @ b, I(9, 2, 3), I(9, 3, 2))
case("bands", lambda x: (tf.linalg.band_part(x, 1, 0), tf.linalg.band_part(x, -1, 1), tf.linalg.diag_part(x)), F(4, 4))
case("diagonal", lambda v: (tf.linalg.diag(v), tf.linalg.trace(tf.linalg.diag(v)), tf.eye(3) * v[0]), V)
case(
    "hot",
    lambda a: (tf.one_hot(a, 5), tf.one_hot(a, 5, axis=0, on_value=2.0, off_value=-1.0), tf.one_hot(a - 1, 3)),
    I(5, 6),
)
# --- shapes ----------------------------------------------------------------------------------------------------------
case(
    "reshapes",
    lambda x: (tf.reshape(x, [-1]), tf.reshape(x, [2, 6]), tf.expand_dims(x, 1), tf.squeeze(tf.expand_dims(x, 0))),
    X,
)
case("open_shapes", lambda x: (tf.shape(x), tf.size(x), tf.rank(x), tf.reshape(x, [tf.shape(x)[1], -1])), Open(X))
case("transposes", lambda x: (tf.transpose(x), tf.transpose(x[None], [2, 0, 1])), X)
case(
    "fills",
    lambda x: (tf.zeros_like(x), tf.ones_like(x), tf.fill(tf.shape(x), 3.0), tf.zeros([tf.shape(x)[0], 2])),
    Open(X),
)
case("tiles", lambda x: (tf.tile(x, [2, 1]), tf.broadcast_to(x, [2, 3, 4]), tf.repeat(x, 2, axis=0)), X)
case("ranges", lambda n: (tf.range(n), tf.range(1, n, 2), tf.linspace(0.0, 1.0, 5)), scalar(7, np.int32))
case("meshgrid", lambda v: tf.meshgrid(v, v * 2.0), V)
# --- joined and taken apart ------------------------------------------------------------------------------------------
case(
    "joins", lambda x, y: (tf.concat([x, y], 0), tf.concat([x, y], -1), tf.stack([x, y], 1), tf.stack([x, y], -1)), X, Y
)
case("splits", lambda x: (*tf.split(x, 2, 1), *tf.split(x, [1, 3], 1), *tf.split(x, [1, -1], 1), *tf.unstack(x)), X)
case(
    "pads",
    lambda x: (
        tf.pad(x, [[1, 0], [2, 1]]),
        tf.pad(x, [[1, 1], [0, 2]], "REFLECT"),
        tf.pad(x, [[1, 1], [0, 2]], "SYMMETRIC"),
    ),
    X,
)
case("constant_pad", lambda x: tf.pad(x, [[1, 0], [2, 1]], constant_values=9.0), X)
case("turned_round", lambda x: (tf.reverse(x, [0]), x[::-1, ::2], tf.roll(x, 1, 0), tf.roll(x, [1, -1], [0, 1])), X)
case("reverse_sequence", lambda x, n: tf.reverse_sequence(x, n, seq_axis=1, batch_axis=0), X, np.int32([2, 4, 1]))
# --- elements --------------------------------------------------------------------------------------------------------
case("slices", lambda x: (x[1], x[:, 1], x[1:, :2], x[..., None], x[-1, -2:], x[None, :, 0]), X)
case("slice_at", lambda x, i: (x[i], x[i:], x[:, i:], tf.slice(x, [i, 0], [1, -1])), X, scalar(1, np.int32))
case(
    "gathers", lambda x, i: (tf.gather(x, i), tf.gather(x, i, axis=1), tf.gather_nd(x, tf.stack([i, i], 1))), X, I(3, 5)
)
case("batched_gather", lambda x, i: tf.gather(x, i, batch_dims=1), X, I(4, 3, 2))
case(
    "scatters",
    lambda x: (
        tf.scatter_nd([[1], [3]], x[:2], [5, 4]),
        tf.tensor_scatter_nd_update(x, [[0]], [[9.0, 9.0, 9.0, 9.0]]),
        tf.tensor_scatter_nd_add(x, [[1], [1]], x[:2]),
        tf.tensor_scatter_nd_max(x, [[1]], x[:1]),
    ),
    X,
)
case("places", lambda x: (tf.where(x > 0), tf.boolean_mask(x, x > 0)), X)
case("unique", lambda a: tf.unique(a), I(4, 9))
case("unique_counts", lambda a: tf.unique_with_counts(a), I(4, 9))
case("segments", lambda x: (tf.math.segment_sum(x, [0, 0, 1]), tf.math.unsorted_segment_max(x, [2, 0, 2], 4)), X)
case("sequence_mask", lambda n: tf.sequence_mask(n, 5), I(5, 4))
case("sorts", lambda x: (tf.sort(x), tf.sort(x, direction="DESCENDING"), tf.argsort(x)), X)
case("inverse_order", lambda a: tf.math.invert_permutation(a), np.int32([2, 0, 1, 3]))


def norm(x, is_training):
    ones, zeros = tf.ones([3]), tf.zeros([3])
    return tf.raw_ops.FusedBatchNormV3(
        x=x,
        scale=ones * 2.0,
        offset=ones,
        mean=zeros if is_training else ones * 0.5,
        variance=ones,
        is_training=is_training,
    )[:3]


# --- images ----------------------------------------------------------------------------------------------------------
FILTER = tf.constant(F(3, 2, 3, 4))
case("convolution", lambda x: tf.nn.conv2d(x, FILTER, 1, "SAME"), IMAGE)
case(
    "strided_convolution",
    lambda x: (tf.nn.conv2d(x, FILTER, 2, "SAME"), tf.nn.conv2d(x, FILTER, [1, 2], "VALID")),
    IMAGE,
)
case("dilated_convolution", lambda x: tf.nn.conv2d(x, FILTER, 1, "SAME", dilations=2), IMAGE)
case(
    "open_convolution",
    lambda x: tf.nn.conv2d(tf.ensure_shape(x, [None, None, None, 3]), FILTER, 2, "SAME"),
    Open(IMAGE),
)
case("padded_convolution", lambda x: tf.nn.conv2d(x, FILTER, 1, [[0, 0], [2, 1], [0, 1], [0, 0]]), IMAGE)
case(
    "grouped_convolution",
    lambda x: tf.nn.conv2d(tf.concat([x, x], -1), tf.concat([FILTER, FILTER], -1), 1, "SAME"),
    IMAGE,
)
case("depthwise", lambda x: tf.nn.depthwise_conv2d(x, tf.constant(F(3, 3, 3, 2)), [1, 1, 1, 1], "SAME"), IMAGE)
case("convolution_1d", lambda x: tf.nn.conv1d(x, tf.constant(F(3, 3, 2)), 1, "SAME"), F(2, 7, 3))
case("convolution_3d", lambda x: tf.nn.conv3d(x, tf.constant(F(2, 2, 2, 2, 3)), [1] * 5, "SAME"), F(1, 4, 4, 4, 2))
case(
    "transposed_convolution",
    lambda x: tf.nn.conv2d_transpose(x, tf.constant(F(3, 3, 2, 3)), [2, 16, 18, 2], 2, "SAME"),
    IMAGE,
)
case(
    "transposed_valid",
    lambda x: tf.nn.conv2d_transpose(x, tf.constant(F(3, 3, 2, 3)), [2, 17, 20, 2], 2, "VALID"),
    IMAGE,
)
case(
    "pooling",
    lambda x: (
        tf.nn.max_pool2d(x, 2, 2, "VALID"),
        tf.nn.avg_pool2d(x, 3, 2, "SAME"),
        tf.nn.max_pool2d(x, 3, 1, "SAME"),
    ),
    IMAGE,
)
case("batch_norm", lambda x: tf.nn.batch_normalization(x, x[0, 0, 0], tf.ones([3]), None, tf.ones([3]), 1e-3), IMAGE)
case("fused_norm", lambda x: norm(x, False)[0], IMAGE)
case("training_norm", lambda x: norm(x, True)[:3], IMAGE)
case("resizes", lambda x: (tf.image.resize(x, [5, 12]), tf.image.resize(x, [16, 4], "nearest")), IMAGE)
case(
    "blocks", lambda x: (tf.nn.space_to_depth(x[:, :, :8], 2), tf.nn.depth_to_space(tf.tile(x, [1, 1, 1, 4]), 2)), IMAGE
)
case(
    "image_changes",
    lambda x: (tf.image.flip_left_right(x), tf.image.adjust_brightness(x, 0.2), tf.image.central_crop(x, 0.5)),
    IMAGE,
)
case("grey", lambda x: tf.image.rgb_to_grayscale(x), IMAGE)
# --- strings ---------------------------------------------------------------------------------------------------------
case(
    "string_choice",
    lambda s, x: (tf.where(x > 0, s, "none"), s == "b", tf.stack([s, s]), s[1]),
    np.array(["a", "b", "c"]),
    V[:3],
)


WORDS = np.array(["cat", "dog", "a cat", "cow"])
case("joined_strings", lambda s: (tf.strings.join([s, "!", s], "-"), tf.strings.regex_full_match(s, "c.*")), WORDS)
case(
    "numbers_as_text",
    lambda a: (tf.strings.as_string(a), tf.strings.to_number(tf.strings.as_string(a), tf.int64)),
    I(99, 4),
)
TEXTS = np.array([["cat", "dog"], ["a cat", "cow"], ["ox", "hen"]])
case(
    "rows_of_strings",
    lambda s, i: (tf.gather(s, [2, 0]), s[i], tf.gather(s, [1], axis=1), tf.unstack(s), s[:, 1]),
    TEXTS,
    scalar(1, np.int32),
)
PAIRS = tf.lookup.KeyValueTensorInitializer(["cat", "dog"], tf.constant([3, 4], tf.int64))
LABELS = tf.lookup.StaticHashTable(PAIRS, -1)
BACK = tf.lookup.KeyValueTensorInitializer(tf.constant([3, 4], tf.int64), ["cat", "dog"])
NAMES = tf.lookup.StaticHashTable(BACK, "?")
case("labels", lambda s: (LABELS.lookup(s), NAMES.lookup(LABELS.lookup(s)), LABELS.size()), WORDS)
case("sorted_places", lambda x: (tf.searchsorted(tf.sort(x), x), tf.searchsorted(tf.sort(x), x, side="right")), F(9))
case("buckets", lambda x: tf.raw_ops.Bucketize(input=x, boundaries=[-0.5, 0.0, 1.0]), X)
case("segment_means", lambda x: (tf.math.segment_mean(x, [0, 0, 2]), tf.raw_ops.NthElement(input=x, n=1)), X)


# --- control flow ----------------------------------------------------------------------------------------------------
def either(x):
    if tf.reduce_sum(x) > 0:
        y = x * 2.0
    else:
        y = x - 1.0
    return y


def nested_ifs(x, n):
    if n > 2:
        if tf.reduce_max(x) > 1:
            x = x + 1.0
        else:
            x = x * x
    elif n > 1:
        x = -x
    return x


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def rows(x):
    out = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(tf.shape(x)[0]):
        out = out.write(i, x[i] * tf.cast(i, tf.float32))
    return out.stack()


def rows_of_known_number(x):
    out = tf.TensorArray(tf.float32, size=5)
    for i in tf.range(3):
        out = out.write(i, x[i])
    return out.stack()


def recurrent(x, w):
    state = tf.zeros([tf.shape(x)[0], 4])
    states = tf.TensorArray(tf.float32, size=tf.shape(x)[1])
    for t in tf.range(tf.shape(x)[1]):
        state = tf.tanh(x[:, t] + state @ w)
        states = states.write(t, state)
    return tf.transpose(states.stack(), [1, 0, 2]), state


def with_break(x, limit):
    total = 0.0
    for v in x:
        if v > limit:
            break
        if v < 0:
            continue
        total += v
    return total


def early_return(x):
    for i in tf.range(10):
        x = x * 1.5
        if tf.reduce_sum(tf.abs(x)) > 30.0:
            return x, i
    return x, -1


def read_while_written(x):
    out = tf.TensorArray(tf.float32, size=4, clear_after_read=False, element_shape=[4])
    out = out.write(0, x[0])
    for i in tf.range(1, 4):
        out = out.write(i, out.read(i - 1) * 0.5 + 1.0)
    return out.stack(), out.size()


def bubble(v):
    n = tf.size(v)
    for i in tf.range(n):
        for j in tf.range(n - 1):
            if v[j] > v[j + 1]:
                v = tf.tensor_scatter_nd_update(v, [[j], [j + 1]], [v[j + 1], v[j]])
    return v


def of_open_elements(x):
    out = tf.TensorArray(tf.float32, size=3, infer_shape=False)
    for i in tf.range(3):
        out = out.write(2 - i, x[: i + 1, 0])
    return [tf.ensure_shape(out.read(i), [None]) for i in range(3)]


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


helper = tf.function(lambda x, y: tf.sin(x) * y)


case("if", either, X)
case("nested_if", nested_ifs, X, scalar(3, np.int32))
case(
    "switch",
    lambda x, i: tf.switch_case(i, [lambda: x, lambda: x * 2.0, lambda: tf.zeros([3, 4])]),
    X,
    scalar(1, np.int32),
)
case("switch_beyond", lambda x, i: tf.switch_case(i, [lambda: x, lambda: x * 2.0, lambda: -x]), X, scalar(7, np.int32))
case("collatz", collatz, scalar(27, np.int64))
case("rows", rows, Open(X))
case("rows_of_none", rows, np.zeros([0, 4], np.float32))
case("rows_of_known_number", rows_of_known_number, X)
case("recurrent", recurrent, Open(F(2, 5, 4)), F(4, 4))
case("break_and_continue", with_break, np.float32([1, -1, 2, 9, 4]), scalar(5))
case("early_return", early_return, X)
case("read_while_written", read_while_written, X)
case("bubble_sort", bubble, F(6))
case("rows_of_many_shapes", of_open_elements, Open(X))
case("python_recursion", lambda x: power(x, 4), X)
case("called", lambda x, y: helper(x, y) + helper(y, x), X, Y)
case("map", lambda x: tf.map_fn(lambda r: tf.reduce_sum(r) * r, x), X)
case("scan", lambda x: tf.scan(lambda a, b: a * 0.5 + b, x), X)
case("fold", lambda x: (tf.foldl(lambda a, b: a + b * b, x), tf.foldr(lambda a, b: a - b, x)), X)
case(
    "while_loop", lambda n: tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), (0, 0)), scalar(10, np.int32)
)
case(
    "bounded_loop",
    lambda n: tf.while_loop(lambda i: i < n, lambda i: (i + 1,), (0,), maximum_iterations=3),
    scalar(10, np.int32),
)


case("same_results", lambda x: (x + 1.0, x + 1.0, [x + 1.0, x], tf.identity(x + 1.0)), X)


def after_others(x):
    with tf.control_dependencies([tf.group(x + 1.0)]):
        return x * 2.0


case("order", after_others, X)


# --- gradients -------------------------------------------------------------------------------------------------------
def slope(function):
    def of(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return of


case("gradient", slope(lambda x: tf.reduce_sum(tf.tanh(x) * tf.exp(x) + tf.nn.softplus(x))), X)
case("gradient_of_network", slope(lambda x: tf.reduce_mean(tf.nn.log_softmax(tf.nn.relu(x @ tf.transpose(x)) @ x))), X)
case("gradient_of_broadcast", slope(lambda v: tf.reduce_sum((X * v) ** 2 / (1.0 + v * v))), V)
case("gradient_of_if", slope(lambda x: either(x) * 3.0), X)
case("gradient_of_gather", slope(lambda x: tf.reduce_sum(tf.square(tf.gather(tf.identity(x * 1.0), [0, 0, 2])))), X)

# --- variables -------------------------------------------------------------------------------------------------------
WEIGHTS, BIAS = tf.Variable(F(4, 2), name="weights"), tf.Variable(F(2), name="bias")
TABLE = tf.Variable(F(7, 3), name="table")
case("dense_layer", lambda x: tf.nn.relu(x @ WEIGHTS + BIAS), Open(X))
case("embedding", lambda i: tf.nn.embedding_lookup(TABLE, i), I(7, 2, 3))
CAPTURED = tf.constant(Y)
case("captured", lambda x: {"sum": x + CAPTURED, "product": x * CAPTURED}, X)
