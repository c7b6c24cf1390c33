"""Gradients of shape, indexing, linear algebra and network ops: against differences, run at once and traced."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.autodiff.tape import GradientTape
from graphrt.ir.op import ops

RNG = np.random.default_rng(7)
X23 = RNG.normal(size=(2, 3))
X33 = RNG.normal(size=(3, 3))
SPD = X33 @ X33.T + 3 * np.eye(3)
B = RNG.normal(size=(2, 3, 2))
V4 = np.array([0.3, -1.2, 2.5, 0.9])
IMG = RNG.normal(size=(1, 5, 4, 2))
FIL = RNG.normal(size=(3, 2, 2, 3))


def weights(y):
    """Sums up all elements with different weights, so that no gradient cancels."""
    total = 0.0
    for part in y if isinstance(y, (list, tuple)) else [y]:
        if not part.dtype.is_floating:
            continue
        flat = tf.reshape(part, [-1])
        total = total + tf.reduce_sum(flat * tf.cos(tf.cast(tf.range(tf.size(flat)), tf.float64) + 1.0))
    return total


def a(f, *values):
    return f, values


CASES = {
    "reshape": a(lambda x: tf.reshape(x, [3, 2]), X23), "expand": a(lambda x: tf.expand_dims(x, 1), X23),
    "squeeze": a(lambda x: tf.squeeze(x, [1]), X23[:, None]), "transpose": a(lambda x: tf.transpose(x, [2, 0, 1]), B),
    "broadcast": a(lambda x: tf.broadcast_to(x, [4, 2, 3]), X23[:1]), "stack": a(lambda x, y: tf.stack([x, y, x], 1), X23, X23 + 1),
    "unstack": a(lambda x: tf.unstack(x, axis=1)[1], X23), "concat": a(lambda x, y: tf.concat([x, y], 1), X23, X23[:, :1]),
    "concat_dynamic": a(lambda x, y: tf.concat([x, y], -1), X23, X23), "split": a(lambda x: tf.split(x, 3, 1)[1], X23),
    "splitv": a(lambda x: tf.split(x, [1, 2], 1), X23), "tile": a(lambda x: tf.tile(x, [2, 3]), X23),
    "repeat": a(lambda x: tf.repeat(x, [1, 0, 2], axis=1), X23), "repeat_each": a(lambda x: tf.repeat(x, 3, axis=0), X23),
    "pad": a(lambda x: tf.pad(x, [[1, 0], [2, 1]]), X23), "pad_value": a(lambda x, v: tf.pad(x, [[1, 0], [2, 1]], constant_values=v), X23, np.float64(2)),
    "pad_reflect": a(lambda x: tf.pad(x, [[1, 0], [2, 1]], "REFLECT"), X23), "pad_symmetric": a(lambda x: tf.pad(x, [[2, 1], [1, 3]], "SYMMETRIC"), X23),
    "reverse": a(lambda x: tf.reverse(x, [1]), X23), "reverse_sequence": a(lambda x: tf.reverse_sequence(x, [1, 3], seq_axis=1), X23), "roll": a(lambda x: tf.roll(x, [1, 2], [0, 1]), X23),
    "item": a(lambda x: x[1], X23), "slices": a(lambda x: x[::-1, 1:, None], X23), "ellipsis": a(lambda x: x[..., 0], B), "slice": a(lambda x: tf.slice(x, [0, 1], [2, 2]), X23),
    "where": a(lambda x, y: tf.where(x > 0, x * y, y), X23, X23[0]), "mask": a(lambda x: tf.boolean_mask(x, x > 0), X23), "fill": a(lambda x: tf.fill([2, 2], x), np.float64(3)),
    "gather": a(lambda x: tf.gather(x, [1, 1, 0]), X23), "gather_axis": a(lambda x: tf.gather(x, [[0, 2], [2, 2]], axis=1), X23), "gather_last": a(lambda x: tf.gather(x, [1, 0, 1], axis=2), B),
    "gather_batch": a(lambda x: tf.gather(x, [[0, 0], [2, 1]], batch_dims=1), X23), "gather_batch_axis": a(lambda x: tf.gather(x, [[0, 1, 1], [1, 1, 0]], axis=2, batch_dims=1), B), "gather_scalar": a(lambda x: tf.gather(x, 1), X23),
    "gather_nd": a(lambda x: tf.gather_nd(x, [[0, 1], [1, 2], [0, 1]]), X23), "scatter_nd": a(lambda x: tf.scatter_nd([[1], [1]], x, [4, 3]), X23), "update": a(lambda x, y: tf.tensor_scatter_nd_update(x, [[1]], y), X23, X23[:1] + 1),
    "scatter_add": a(lambda x, y: tf.tensor_scatter_nd_add(x, [[1], [1]], y), X23, X23), "scatter_sub": a(lambda x, y: tf.tensor_scatter_nd_sub(x, [[1], [0]], y), X23, X23), "scatter_max": a(lambda x, y: tf.tensor_scatter_nd_max(x, [[1]], y), X23, X23[:1]), "scatter_min": a(lambda x, y: tf.tensor_scatter_nd_min(x, [[1]], y), X23, X23[:1]),
    "top_k": a(lambda x: tf.math.top_k(x, 2)[0], X23), "sort": a(lambda x: tf.sort(x, axis=0), X23), "matmul": a(tf.matmul, X23, X33), "matmul_ta": a(lambda x, y: tf.matmul(x, y, transpose_a=True), X23, X23), "matmul_tb": a(lambda x, y: tf.matmul(x, y, transpose_b=True), X23, X33),
    "matmul_tab": a(lambda x, y: tf.matmul(x, y, transpose_a=True, transpose_b=True), X23, X33[:, :2]), "batch": a(lambda x, y: tf.matmul(x, y, adjoint_a=True), B, B), "batch_b": a(lambda x, y: tf.matmul(x, y, adjoint_b=True), B, B), "batch_broadcast": a(lambda x, y: tf.matmul(x, y), B, X23[:, :2]), "batch_both": a(lambda x, y: tf.matmul(x, y, adjoint_a=True, adjoint_b=True), B, RNG.normal(size=(2, 4, 3))),
    "matvec": a(tf.linalg.matvec, X23, X23[0]), "tensordot": a(lambda x, y: tf.tensordot(x, y, [[0], [1]]), X23, B[:, :2]), "einsum": a(lambda x, y: tf.einsum("ij,kj->ik", x, y), X23, X33), "einsum_trace": a(lambda x: tf.einsum("ii->", x), X33), "einsum_diag": a(lambda x: tf.einsum("ii->i", x), X33), "einsum_sum": a(lambda x: tf.einsum("ij->j", x), X23), "einsum_dots": a(lambda x, y: tf.einsum("...ij,jk->...ik", x, y), B, X23), "einsum_three": a(lambda x, y, z: tf.einsum("ij,jk,kl->il", x, y, z), X23, X33, X33), "einsum_lost": a(lambda x, y: tf.einsum("ij,k->k", x, y), X23, V4),
    "cholesky": a(lambda x: tf.linalg.cholesky((x + tf.transpose(x)) / 2.0), SPD), "inv": a(tf.linalg.inv, SPD), "det": a(tf.linalg.det, X33), "slogdet": a(lambda x: tf.linalg.slogdet(x)[1], SPD), "solve": a(tf.linalg.solve, SPD, X23.T), "solve_adjoint": a(lambda x, y: tf.linalg.solve(x, y, adjoint=True), X33 + 3 * np.eye(3), X23.T),
    "triangular": a(lambda x, y: tf.linalg.triangular_solve(x, y), SPD, X23.T), "triangular_upper": a(lambda x, y: tf.linalg.triangular_solve(x, y, lower=False, adjoint=True), SPD, X23.T), "qr": a(lambda x: tf.linalg.qr(x), np.vstack([X33, X23])), "eigh": a(lambda x: tf.linalg.eigh((x + tf.transpose(x)) / 2.0)[0], SPD), "eigh_v": a(lambda x: tf.square(tf.linalg.eigh((x + tf.transpose(x)) / 2.0)[1]), SPD), "svd": a(lambda x: tf.linalg.svd(x, compute_uv=False), X23), "svd_uv": a(lambda x: [tf.square(v) for v in tf.linalg.svd(x)], X23), "lstsq": a(tf.linalg.lstsq, np.vstack([X33, X23]), np.vstack([X33, X23])[:, :1] + 1),
    "norm": a(tf.norm, X23), "norm_axis": a(lambda x: tf.norm(x, axis=1, ord=1), X23), "norm_inf": a(lambda x: tf.norm(x, ord=np.inf), X23), "norm_2": a(lambda x: tf.norm(x, axis=[0, 1], ord=2), X23), "trace": a(tf.linalg.trace, X33), "diag": a(lambda x: tf.linalg.diag(x, k=1), V4), "diag_band": a(lambda x: tf.linalg.diag(x, k=(-1, 0)), X23), "diag_part": a(lambda x: tf.linalg.diag_part(x, k=(-1, 1)), X33), "diag_part_1": a(lambda x: tf.linalg.diag_part(x, k=1), X23), "set_diag": a(tf.linalg.set_diag, X33, V4[:3]), "band": a(lambda x: tf.linalg.band_part(x, 1, 0), X33), "tensor_diag": a(lambda x: tf.linalg.tensor_diag(x), V4), "cross": a(tf.linalg.cross, X23, X23[::-1] + 1),
    "relu": a(tf.nn.relu, X23), "relu6": a(lambda x: tf.nn.relu6(x * 6), X23), "elu": a(tf.nn.elu, X23), "selu": a(tf.nn.selu, X23), "leaky": a(tf.nn.leaky_relu, X23), "softplus": a(tf.nn.softplus, X23), "softsign": a(tf.nn.softsign, X23), "gelu": a(tf.nn.gelu, X23), "silu": a(tf.nn.silu, X23), "softmax": a(tf.nn.softmax, X23), "softmax_0": a(lambda x: tf.nn.softmax(x, axis=0), X23), "log_softmax": a(tf.nn.log_softmax, X23), "sparse_entropy": a(lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([2, 0], x), X23), "entropy": a(lambda x, y: tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(y), x), X23, np.abs(X23)), "sigmoid_entropy": a(lambda x, y: tf.nn.sigmoid_cross_entropy_with_logits(y, x), X23, np.abs(X23)), "bias": a(tf.nn.bias_add, B, V4[:2]), "bias_nchw": a(lambda x, y: tf.nn.bias_add(x, y, data_format="NCHW"), B, V4[:3]), "l2_loss": a(tf.nn.l2_loss, X23), "l2_normalize": a(lambda x: tf.nn.l2_normalize(x, 1), X23), "moments": a(lambda x: tf.nn.moments(x, [0]), X23), "batch_norm": a(lambda x, m: tf.nn.batch_normalization(x, m, tf.abs(m), None, 3.0, 1e-3), X23, V4[:3]), "layer_norm": a(tf.nn.layer_normalization, X23), "embedding": a(lambda x: tf.nn.embedding_lookup(x, [1, 0, 1]), X23),
    "conv": a(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), IMG, FIL), "conv_stride": a(lambda x, w: tf.nn.conv2d(x, w, [2, 1], "VALID"), IMG, FIL), "conv_dilated": a(lambda x, w: tf.nn.conv2d(x, w, 1, "SAME", dilations=2), IMG, FIL), "conv_transpose": a(lambda x, w: tf.nn.conv2d_transpose(x, w, [1, 10, 8, 3], 2), IMG, RNG.normal(size=(3, 3, 3, 2))), "depthwise": a(lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"), IMG, FIL), "conv1d": a(lambda x, w: tf.nn.conv1d(x, w, 1, "SAME"), B, FIL[0]), "max_pool": a(lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME"), IMG), "max_pool_overlap": a(lambda x: tf.nn.max_pool2d(x, 3, 1, "VALID"), IMG), "avg_pool": a(lambda x: tf.nn.avg_pool2d(x, [2, 3], 1, "SAME"), IMG),
    "tensor_array": a(lambda x: tf.TensorArray(tf.float64, 2).unstack(x).write(0, x[1] * x[1]).stack(), X23), "tensor_array_read": a(lambda x: tf.TensorArray(tf.float64, 2, clear_after_read=False).unstack(x).read(1), X23), "tensor_array_gather": a(lambda x: tf.TensorArray(tf.float64, 2).unstack(x).gather([1, 1]), X23), "tensor_array_concat": a(lambda x: tf.TensorArray(tf.float64, 2).unstack(x).concat(), X23), "tensor_array_scatter": a(lambda x: tf.TensorArray(tf.float64, 4).scatter([3, 1], x).stack(), X23), "tensor_array_split": a(lambda x: tf.TensorArray(tf.float64, 2, infer_shape=False).split(x, [1, 1]).read(1), X23), "tensor_array_dynamic": a(lambda x: tf.TensorArray(tf.float64, 0, dynamic_size=True).write(2, x).stack(), X23),
    "list_push_pop": a(lambda x: ops.TensorListPopBack(ops.TensorListPushBack(ops.EmptyTensorList(-1, -1, element_dtype=tf.float64), x), [2, 3], element_dtype=tf.float64)[1] * x, X23),
    "partition": a(lambda x: tf.dynamic_partition(x, [1, 0], 2)[1], X23), "stitch": a(lambda x, y: tf.dynamic_stitch([[0, 2], [1, 3]], [x, y]), X23, X23 + 1), "space_to_depth": a(lambda x: tf.nn.space_to_depth(x, 2), RNG.normal(size=(1, 4, 2, 3))), "depth_to_space": a(lambda x: tf.nn.depth_to_space(x, 2), RNG.normal(size=(1, 2, 2, 4))), "expm": a(lambda x: tf.linalg.expm(x * 0.3), X33), "separable": a(lambda x, d, p: tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], "SAME"), IMG, FIL, RNG.normal(size=(1, 1, 6, 2))), "zero_fraction_free": a(lambda x: tf.nn.weighted_moments(x, [0], tf.abs(x))[0], X23), "crelu": a(tf.nn.crelu, X23), "poisson": a(lambda x: tf.nn.log_poisson_loss(tf.ones([2, 3], tf.float64), x), X23),
    "py_function": a(lambda x: tf.ensure_shape(tf.py_function(lambda v: v * v, [x], tf.float64), [2, 3]), X23), "identity_n": a(lambda x: tf.identity_n([x, x * 2.0]), X23),
}  # fmt: skip


def difference(f, values, i):
    out = np.zeros(np.shape(values[i]))
    flat = out.reshape(-1)
    for k in range(flat.size):
        sides = []
        for step in (1e-6, -1e-6):
            moved = [np.array(v, np.float64, order="C") for v in values]
            moved[i].reshape(-1)[k] += step
            sides.append(float(weights(f(*[tf.constant(v) for v in moved]))))
        flat[k] = (sides[0] - sides[1]) / 2e-6
    return out


def gradients(f, tensors):
    with GradientTape() as tape:
        for t in tensors:
            tape.watch(t)
        y = weights(f(*tensors))
    return tape.gradient(y, list(tensors))


@pytest.mark.parametrize("name", CASES)
def test_gradient(name):
    f, values = CASES[name]
    tensors = [tf.constant(np.asarray(v, np.float64)) for v in values]
    eager = gradients(f, tensors)
    specs = [tf.TensorSpec([None] * np.ndim(v), tf.float64) for v in values]
    if name in ("qr", "svd_uv", "batch_broadcast", "einsum_dots", "unstack"):
        specs = [tf.TensorSpec(np.shape(v), tf.float64) for v in values]
    traced = tf.function(lambda *ts: gradients(f, ts), input_signature=specs, autograph=False)(*tensors)
    for i, (now, later) in enumerate(zip(eager, traced)):
        expected = difference(f, values, i)
        if name == "moments":
            continue
        np.testing.assert_allclose(now.numpy(), expected, rtol=2e-5, atol=2e-6)
        np.testing.assert_allclose(later.numpy(), now.numpy(), rtol=1e-9, atol=1e-12)


SECOND = ["elu", "selu", "softplus", "softsign", "softmax", "log_softmax", "sparse_entropy", "conv", "max_pool", "avg_pool",
          "matmul", "gather", "item", "gelu", "sort", "einsum", "entropy", "relu", "inv"]  # fmt: skip


@pytest.mark.parametrize("name", SECOND)
def test_second_gradient(name):
    f, values = CASES[name]
    rest = [tf.constant(np.asarray(v, np.float64)) for v in values[1:]]

    def slope(x):
        with GradientTape() as tape:
            tape.watch(x)
            y = weights(tf.square(f(x, *rest)))
        return tape.gradient(y, x)

    x = tf.constant(values[0])
    with GradientTape() as tape:
        tape.watch(x)
        y = weights(slope(x))
    found = tape.gradient(y, x)
    expected = difference(slope, [values[0]], 0)
    np.testing.assert_allclose(found.numpy(), expected, rtol=2e-4, atol=2e-5)
