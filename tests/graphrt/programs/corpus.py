"""Functions over all families of ops, control flow, nesting and state, which are carried out of the process in every way.

`CASES`: name -> `(function, arguments)`. Those of `tests/graphrt/export/onnx/programs.py` that `OF_ONNX` names are among
them.
"""

import numpy as np

import graphrt as tf
from tests.graphrt.export.onnx.programs import CASES as MORE

RNG = np.random.default_rng(11)
X = RNG.standard_normal((3, 4)).astype(np.float32)
SQUARE = RNG.standard_normal((4, 4)).astype(np.float32)
SPD = SQUARE @ SQUARE.T + 4 * np.eye(4, dtype=np.float32)
WORDS = np.array([b"alpha", b"beta", b"Gamma ray", b""], object)
CASES = {}


def case(*arguments):
    def add(function):
        assert function.__name__ not in CASES
        CASES[function.__name__] = function, arguments
        return function

    return add


def quick(name, function, *arguments):
    assert name not in CASES
    CASES[name] = function, arguments


# --- control flow ----------------------------------------------------------------------------------------------------
@case(np.int32(27))
def collatz(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@case(np.int32(7))
def nested_loops(n):
    total = 0
    for i in tf.range(n):
        for j in tf.range(i):
            if (i + j) % 3 == 0:
                continue
            if j > 4:
                break
            total += i * j
    return total


@case(X)
def early_returns(x):
    if tf.reduce_sum(x) > 100.0:
        return x
    for row in x:
        if row[0] > 0.5:
            return row
    return -x[0]


@case(np.int32(2), X)
def switched(i, x):
    return tf.switch_case(i, [lambda: x, lambda: x * 2.0, lambda: tf.nn.relu(x), lambda: -x])


@case(np.int32(6))
def squares_in_an_array(n):
    array = tf.TensorArray(tf.int32, size=0, dynamic_size=True, clear_after_read=False)
    for i in tf.range(n):
        array = array.write(i, i * i)
    return array.stack(), array.read(2), array.size()


@case(X)
def rows_gathered(x):
    rows = tf.TensorArray(tf.float32, size=3)
    for i in tf.range(3):
        rows = rows.write(i, tf.cumsum(x[i]) if i > 0 else x[i])
    return rows.concat(), rows.gather([2, 0])


@case(np.int32(10))
def fibonacci(n):
    return tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), [0, 0, 1])


@case(X)
def recurrent(x):
    state = tf.zeros([4])
    states = []
    for i in range(3):
        state = tf.tanh(state * 0.5 + x[i])
        states.append(state)
    return tf.stack(states)


@case(X)
def scanned(x):
    return tf.scan(lambda total, row: total * 0.9 + row, x)


@case(X)
def mapped(x):
    return tf.map_fn(lambda row: (tf.reduce_max(row), tf.argmax(row)), x, fn_output_signature=(tf.float32, tf.int64))


@case(X)
def folded(x):
    return tf.foldl(lambda a, row: a + row**2, x), tf.foldr(lambda a, row: a - row, x)


@case(np.float32(2.0))
def newton(x):
    guess = x
    while tf.abs(guess * guess - x) > 1e-5:
        guess = (guess + x / guess) / 2.0
    return guess


@case(X)
def loop_in_branch_in_loop(x):
    total = tf.zeros([4])
    for i in tf.range(3):
        if tf.reduce_sum(x[i]) > 0:
            for _ in tf.range(i + 1):
                total += x[i]
        elif tf.reduce_min(x[i]) < -1.0:
            total -= x[i]
        else:
            total *= 0.5
    return total


@tf.function
def helper(a, b):
    return a * b + 1.0


@tf.function
def deeper(a):
    return helper(a, a) - helper(a, 2.0)


@case(X)
def calls_of_calls(x):
    return deeper(x) + helper(x, 3.0)


@case(X)
def calls_in_loops(x):
    for i in tf.range(2):
        x = deeper(x) * 0.1 if i > 0 else helper(x, x)
    return x


# --- gradients -------------------------------------------------------------------------------------------------------
@case(X)
def gradient_of_a_loop(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in tf.range(3):
            y = tf.sin(y) * x
        total = tf.reduce_sum(y)
    return total, tape.gradient(total, x)


@case(X)
def gradient_of_a_branch(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.exp(x) if tf.reduce_sum(x) > 0 else x**3
    return tape.gradient(y, x)


# --- state -----------------------------------------------------------------------------------------------------------
def stateful(build, *arguments):
    function = build()
    quick(build.__name__, function, *arguments)


def counter():
    count = tf.Variable(5)
    return lambda: count.assign_add(1) * 2


def linear_step():
    w, b = tf.Variable(X[:, :2].T.copy()), tf.Variable([0.1, 0.2, 0.3])

    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w + b) ** 2)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign_sub(0.1 * db)
        return loss, w.read_value(), b.read_value()

    return step


def momentum_in_a_loop():
    v = tf.Variable([1.0, 2.0])

    def run(x):
        for i in tf.range(3):
            if i % 2 == 0:
                v.assign(v * 0.5 + x)
        return v.read_value()

    return run


def scattered():
    v = tf.Variable(tf.zeros([4, 2]))

    def run(x):
        v.scatter_nd_update([[1], [3]], x)
        return tf.gather(v, [3, 1, 0])

    return run


stateful(counter)
stateful(linear_step, X[:, :2].copy())
stateful(momentum_in_a_loop, np.float32([1, -1]))
stateful(scattered, X[:2, :2].copy())

# --- strings ---------------------------------------------------------------------------------------------------------
quick("upper", lambda s: (tf.strings.upper(s), tf.strings.lower(s), tf.strings.strip(s)), WORDS)
quick("lengths", lambda s: (tf.strings.length(s), tf.strings.bytes_split(s).values), WORDS)
quick("joined", lambda s: (tf.strings.join([s, s], separator="-"), tf.strings.reduce_join(s, separator=",")), WORDS)
quick("cut", lambda s: tf.strings.substr(s, 0, 2), WORDS[:3].copy())
quick(
    "numbers_of_text",
    lambda s: (tf.strings.to_number(s), tf.strings.to_number(s, tf.int32)),
    np.array([b"12", b"-3"], object),
)
quick("text_of_numbers", lambda x: (tf.strings.as_string(x), tf.strings.as_string(tf.cast(x, tf.int32))), X)
quick("hashed", lambda s: (tf.strings.to_hash_bucket_fast(s, 100), s == "beta"), WORDS)
quick("parts_of_text", lambda s: tf.strings.split(s).values, WORDS)
quick("formatted", lambda x: tf.strings.format("x is {}", x), np.int32(3))

# --- ragged and sparse -----------------------------------------------------------------------------------------------
quick("ragged_sums", lambda v: tf.reduce_sum(tf.RaggedTensor.from_row_lengths(v, [2, 0, 3]), 1), X[0, [0, 1, 2, 3, 0]])
quick("ragged_dense", lambda v: tf.RaggedTensor.from_row_splits(v, [0, 1, 1, 4]).to_tensor(-1.0), X[0])
quick(
    "sparse_product",
    lambda x: tf.sparse.sparse_dense_matmul(tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 3]), x),
    X,
)

# --- linear algebra, signals, images, random -------------------------------------------------------------------------
quick("solved", lambda a, b: (tf.linalg.solve(a, b), tf.linalg.inv(a), tf.linalg.det(a)), SPD, X.T.copy())
quick("cholesky", lambda a: (tf.linalg.cholesky(a), tf.linalg.logdet(a), tf.linalg.triangular_solve(a, a)), SPD)
quick("eigenvalues", lambda a: tf.linalg.eigvalsh(a), SPD)
quick("singular_values", lambda a: tf.linalg.svd(a, compute_uv=False), X)
quick("spectrum", lambda x: (tf.abs(tf.signal.rfft(x)), tf.signal.irfft(tf.signal.rfft(x))), X)
quick("cosine_transform", lambda x: tf.signal.dct(x), X)
quick("framed", lambda x: tf.signal.frame(x, 2, 1), X)
quick("random_stateless", lambda n: tf.random.stateless_uniform([4], [1, n]), np.int32(5))
quick("random_normal", lambda: tf.random.stateless_normal([3], [1, 2]))
quick("shuffled_numbers", lambda: tf.random.stateless_uniform([5], [3, 4], 0, 100, tf.int32))
quick("grey", lambda x: tf.image.rgb_to_grayscale(x), RNG.random((2, 4, 4, 3)).astype(np.float32))
quick(
    "flipped", lambda x: (tf.image.flip_left_right(x), tf.image.rot90(x)), RNG.random((1, 4, 4, 3)).astype(np.float32)
)
quick("saturated", lambda x: tf.image.adjust_saturation(x, 0.5), RNG.random((2, 3, 3, 3)).astype(np.float32))
quick("gammas", lambda x: (tf.math.lgamma(x), tf.math.digamma(x), tf.math.erfinv(x / 10.0)), np.abs(X) + 0.5)
quick("bessel", lambda x: (tf.math.bessel_i0(x), tf.math.bessel_i1e(x)), X)
quick("complexes", lambda x: tf.abs(tf.complex(x, x * 2.0) * tf.complex(1.0, -1.0)), X)
quick("segments", lambda x: (tf.math.segment_sum(x, [0, 0, 1]), tf.math.unsorted_segment_max(x, [1, 0, 1], 2)), X)
quick("unique_numbers", lambda a: tf.unique(a), np.int32([3, 1, 3, 2, 1]))
quick("partitioned", lambda a: tf.dynamic_partition(a, a % 2, 2), np.int32([3, 1, 4, 2]))
quick("searched", lambda a: tf.searchsorted(a, [0.0, 0.5]), np.sort(X[0]))
quick("bits_of_floats", lambda x: tf.bitcast(x, tf.int32), X)
quick("quantized", lambda x: tf.quantization.fake_quant_with_min_max_args(x, -1.0, 1.0), X)

# --- of those that go through ONNX: what is added there is not thereby one of these ----------------------------------
OF_ONNX = """
    activations angles bands batch_norm batched_gather batched_product bits blocks bounded_loop break_and_continue
    broadcast bubble_sort called captured casts choice clipped collatz comparisons constant_pad convolution
    convolution_1d convolution_3d cross_entropy cumulative dense_layer depthwise diagonal dilated_convolution
    double_angles early_return einsum embedding error_function exponentials extreme_places fills finite float_remainder
    fold fused_norm gathers gelu gradient gradient_of_broadcast gradient_of_gather gradient_of_if gradient_of_network
    greatest grey grouped_convolution halves hot hyperbolic if image_changes in_greatest integer_mean integer_product
    integers inverse_order joins l2 log_sum map meshgrid nested_if no_nan norms of_flags open_convolution open_shapes
    padded_convolution pads places polynomial pooling product python_recursion quadrants ranges read_while_written
    recurrent reductions reductions_open reshapes resizes reverse_sequence roots rounding rows rows_of_known_number
    rows_of_many_shapes rows_of_none scan scatters segments sequence_mask shifts sigmoid_cross_entropy slice_at slices
    small_integers soft softmax_axis sorts sparse_cross_entropy splits squared strided_convolution string_choice
    sum_of_many switch switch_beyond tensordot tiles training_norm transposed_convolution transposed_valid transposes
    truth turned_product turned_round unique unique_counts while_loop
""".split()
CASES.update({f"more_{name}": MORE[name] for name in OF_ONNX})
