"""Calls with float16 and bfloat16 operands, whose values are compared bit by bit: `tf` is the module, `c` makes an operand."""

import zlib

import numpy as np

RNG = np.random.default_rng(0)
X = (RNG.integers(-64, 65, (20, 50)) / 32).astype(np.float32)
Y = (RNG.integers(-64, 65, (50, 20)) / 32).astype(np.float32)
P = np.abs(X) + np.float32(0.5)
IMG = (RNG.integers(-64, 65, (1, 9, 9, 6)) / 32).astype(np.float32)
FIL = (RNG.integers(-64, 65, (3, 3, 6, 4)) / 32).astype(np.float32)
DTYPES = ["float16", "bfloat16"]
EXACT = [
    "tf.reduce_sum(c(X))", "tf.reduce_sum(c(P), 0)", "tf.reduce_mean(c(P))", "tf.reduce_mean(c(P), 0)", "tf.matmul(c(X), c(Y))", "tf.matmul(c(X)[None], c(Y)[None])", "tf.einsum('ij,jk->ik', c(X), c(Y))", "tf.nn.softmax(c(X))", "tf.nn.conv2d(c(IMG), c(FIL), 1, 'SAME')", "tf.cumsum(c(P), 1)", "tf.math.segment_sum(c(P), [0] * 10 + [1] * 10)", "tf.math.unsorted_segment_sum(c(P), [0] * 10 + [1] * 10, 2)", "tf.raw_ops.BiasAddGrad(out_backprop=c(P))", "tf.nn.l2_loss(c(X))", "tf.add_n([c(X), c(P), c(X) / 3])", "tf.raw_ops.Conv2DBackpropInput(input_sizes=[1, 9, 9, 6], filter=c(FIL), out_backprop=c(IMG[..., :4]), strides=[1] * 4, padding='SAME')", "tf.raw_ops.Conv2DBackpropFilter(input=c(IMG), filter_sizes=[3, 3, 6, 4], out_backprop=c(IMG[..., :4]), strides=[1] * 4, padding='SAME')",
    "tf.exp(c(X))", "tf.tanh(c(X))", "tf.sigmoid(c(X))", "tf.nn.softplus(c(X))", "tf.math.rsqrt(c(P))", "tf.sqrt(c(P))", "tf.pow(c(P), c(X))", "tf.math.floormod(c(X), c(P))", "c(X) / c(P)", "c(X) // c(P)", "tf.nn.elu(c(X))", "tf.nn.selu(c(X))", "tf.nn.silu(c(X))", "tf.nn.relu6(c(X) * 4)", "tf.nn.leaky_relu(c(X))", "tf.math.log1p(c(P))", "tf.math.expm1(c(X))", "tf.math.log(c(P))", "tf.sin(c(X))", "tf.cos(c(X))", "tf.sinh(c(X))", "tf.atan(c(X))", "tf.math.erf(c(X))", "tf.math.squared_difference(c(X), c(P))", "tf.nn.max_pool2d(c(IMG), 3, 1, 'SAME')", "tf.sort(c(X))", "tf.argmax(c(X), 1)", "tf.math.top_k(c(X), 3)[0]", "tf.round(c(X))", "tf.floor(c(X))", "tf.cast(c(X * 8), tf.int32)", "tf.cast(tf.constant([257, 70000, -3]), c(X).dtype)", "tf.cast(tf.constant([1.1, 1e39, -1e-3], tf.float64), c(X).dtype)", "tf.where(c(X) > 0, c(X), c(P))", "tf.clip_by_value(c(X), -1, 1)", "tf.maximum(c(X), c(P))", "c(X) < c(P)", "tf.transpose(c(X))", "tf.concat([c(X), c(P)], 0)", "tf.gather(c(X), [3, 1])", "tf.pad(c(X), [[1, 0], [0, 1]])", "tf.one_hot([1, 2], 3, dtype=c(X).dtype)", "tf.linspace(c(0.0), c(2.0), 5)", "tf.range(c(0.0), c(2.0), c(0.25))", "tf.bitcast(c(X), tf.uint16)", "tf.strings.as_string(c(X[0]))", "tf.io.parse_tensor(tf.io.serialize_tensor(c(X)), c(X).dtype)", "tf.io.serialize_tensor(c(X[0]))", "tf.constant(tf.make_ndarray(tf.make_tensor_proto([1.5, -2.25], c(X).dtype)))", "tf.Variable(c(X)).assign_add(c(P))", "tf.map_fn(lambda e: e * 2, c(X))", "tf.abs(-c(X))", "tf.unique(c(X[0]))[0]",
]  # fmt: skip
NEAR = [  # sums along the last dimension, and what is made of them: TensorFlow's order of summation shows in the last bit
    "tf.reduce_sum(c(P), 1)", "tf.reduce_mean(c(P), 1)", "tf.reduce_prod(c(P[:, :12] / 2), 1)", "tf.norm(c(X), axis=1)", "tf.nn.log_softmax(c(X))", "tf.nn.softmax_cross_entropy_with_logits(c(P / 10), c(X))", "tf.nn.sparse_softmax_cross_entropy_with_logits([1] * 20, c(X))", "tf.math.reduce_std(c(X), 1)", "tf.reduce_logsumexp(c(X), 1)", "tf.nn.avg_pool2d(c(IMG), 3, 1, 'SAME')", "tf.nn.moments(c(X), [0])[1]", "tf.nn.gelu(c(X))",
]  # fmt: skip


def run(tf, call, dtype):
    """Dtype, shape and values of a call; of those that must agree exactly a checksum and the first few."""
    scope = {"tf": tf, "X": X, "Y": Y, "P": P, "IMG": IMG, "FIL": FIL, "c": lambda a: tf.cast(tf.constant(np.float32(a)), dtype)}
    found = eval(call, scope)
    array = np.asarray(found.numpy())
    if found.dtype.name == "string":
        return ["string", list(array.shape), [v.hex() for v in array.reshape(-1).tolist()]]
    assert array.dtype == np.dtype(found.dtype.as_numpy_dtype), "the array has another dtype than it says"
    values = array.astype(np.float64).reshape(-1) + 0.0
    if call in EXACT:
        return [found.dtype.name, list(array.shape), zlib.crc32(values.tobytes()), values[:4].tolist()]
    return [found.dtype.name, list(array.shape), values.tolist()]
