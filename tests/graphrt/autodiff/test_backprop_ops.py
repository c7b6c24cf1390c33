"""Each differentiable op against finite differences, in first and second order, at once and traced.

A row names the op, a function that uses it, and inputs. Together with the rows of tests/graphrt/ops every op with a
gradient is covered: the last test looks for one that is not.
"""

import numpy as np
import pytest

import graphrt as tf
from graphrt.ir.homes import HOMES
from graphrt.ir.op import REGISTRY, ops
from graphrt.tensor import context
from tests.graphrt.ops.array import test_array_gradients as others

V = np.array([0.3, -0.7, 1.4])
P = np.array([0.4, 0.9, 2.3])  # positive
U = np.array([0.2, -0.5, 0.8])  # in (-1, 1)
Q = np.array([1.3, 0.6, 3.1])
M = np.array([[0.5, -0.2, 0.8], [0.1, 0.9, -0.4]])
IDS = [0, 0, 1]
SKIP_SECOND = "no second gradient"


def row(function, *inputs, second=True, traced=True):
    return function, inputs, second, traced


def unary(name, *inputs, **options):
    return row(lambda x: ops.__getattr__(name)(x), *inputs, **options)


def z(x):
    """A complex tensor made of a real one."""
    return tf.complex(x, x * x + 0.5)


def parts(c):
    return [tf.math.real(c), tf.math.imag(c)]


def listed(x):
    return ops.TensorListFromTensor(x, np.int32(-1) * np.ones(0, np.int32), element_dtype=tf.float64)


SCALARS = np.zeros(0, np.int32)

ROWS = {
    "Add": row(lambda x, y: ops.Add(x, y), V, P), "AddV2": row(lambda x, y: x + y, M, V), "Sub": row(lambda x, y: x - y, M, V),
    "Mul": row(lambda x, y: x * y, M, V), "MulNoNan": row(lambda x, y: tf.math.multiply_no_nan(x, y), V, P),
    "RealDiv": row(lambda x, y: x / y, M, P), "Div": row(lambda x, y: ops.Div(x, y), V, P), "DivNoNan": row(tf.math.divide_no_nan, V, P),
    "FloorMod": row(tf.math.floormod, V, P), "TruncateMod": row(tf.truncatemod, V, P), "Mod": row(lambda x, y: ops.Mod(x, y), V, P),
    "Pow": row(tf.pow, P, V), "Pow_scalar": row(lambda x, y: x**y, P, np.float64(2.5)), "Xlogy": row(tf.math.xlogy, V, P),
    "Xlog1py": row(tf.math.xlog1py, V, P), "Xdivy": row(tf.math.xdivy, V, P), "Atan2": row(tf.atan2, V, P),
    "NextAfter": row(lambda x, y: tf.math.nextafter(x, y), V, P), "Maximum": row(tf.maximum, V, P), "Minimum": row(tf.minimum, V, P),
    "SquaredDifference": row(tf.math.squared_difference, V, P), "ClipByValue": row(lambda x, a, b: tf.clip_by_value(x, a, b), V, np.float64(-0.5), np.float64(1.0)), "ClipByValue_raw": row(lambda x: ops.ClipByValue(x, np.float64(-0.5), np.float64(1.0)), V),
    "DynamicPartition": row(lambda x: tf.dynamic_partition(x * x, [1, 0, 1], 2), V), "DynamicStitch": row(lambda x, y: tf.dynamic_stitch([[0, 2], [1]], [x * x, y * y]), V[:2], P[:1]),
    "AddN": row(lambda x, y: tf.add_n([x, y, x]), V, P), "AccumulateNV2": row(lambda x, y: ops.AccumulateNV2([x, y], shape=[3]), V, P),
    "CheckNumerics": row(lambda x: tf.debugging.check_numerics(x, "m") * x, V), "Complex": row(lambda x, y: parts(tf.complex(x, y) * tf.complex(y, x)), V, P),
    "Real": row(lambda x: tf.math.real(z(x) * z(x)), V), "Imag": row(lambda x: tf.math.imag(z(x) * z(x)), V), "Conj": row(lambda x: parts(tf.math.conj(z(x)) * z(x) * z(x)), V),
    "Angle": row(lambda x: tf.math.angle(z(x)), V), "ComplexAbs": row(lambda x: tf.abs(z(x)), V), "ConjugateTranspose": row(lambda x: parts(ops.ConjugateTranspose(z(x) * z(x), [1, 0])), M),
    "complex_exp": row(lambda x: parts(tf.exp(z(x))), V), "complex_div": row(lambda x: parts(z(x) / (z(x) * z(x))), V), "complex_sqrt": row(lambda x: parts(tf.sqrt(z(x))), V),
    "complex_matmul": row(lambda x: parts(tf.matmul(z(x), z(x), adjoint_b=True)), M), "complex_tanh": row(lambda x: parts(tf.tanh(z(x))), V), "complex_log": row(lambda x: parts(tf.math.log(z(x))), V),
    "Sign": unary("Sign", V), "Abs": unary("Abs", V), "Neg": unary("Neg", V), "Square": unary("Square", V), "Sqrt": unary("Sqrt", P), "Rsqrt": unary("Rsqrt", P),
    "Reciprocal": unary("Reciprocal", P), "Inv": unary("Inv", P), "Exp": unary("Exp", V), "Expm1": unary("Expm1", V), "Log": unary("Log", P), "Log1p": unary("Log1p", P),
    "Tanh": unary("Tanh", V), "Sigmoid": unary("Sigmoid", V), "Sin": unary("Sin", V), "Cos": unary("Cos", V), "Tan": unary("Tan", V), "Asin": unary("Asin", U), "Acos": unary("Acos", U),
    "Atan": unary("Atan", V), "Sinh": unary("Sinh", V), "Cosh": unary("Cosh", V), "Asinh": unary("Asinh", V), "Acosh": unary("Acosh", P + 1.5), "Atanh": unary("Atanh", U),
    "SqrtGrad": row(lambda y, g: ops.SqrtGrad(y, g), P, V), "RsqrtGrad": row(lambda y, g: ops.RsqrtGrad(y, g), P, V), "ReciprocalGrad": row(lambda y, g: ops.ReciprocalGrad(y, g), P, V),
    "InvGrad": row(lambda y, g: ops.InvGrad(y, g), P, V), "SigmoidGrad": row(lambda y, g: ops.SigmoidGrad(y, g), U, V), "TanhGrad": row(lambda y, g: ops.TanhGrad(y, g), U, V),
    "Erf": unary("Erf", V), "Erfc": unary("Erfc", V), "Erfinv": unary("Erfinv", U), "Ndtri": unary("Ndtri", np.abs(U)), "Lgamma": unary("Lgamma", P), "Digamma": unary("Digamma", P),
    "Polygamma": row(lambda x: tf.math.polygamma(tf.constant(1.0, tf.float64), x), P), "Zeta": row(lambda q: tf.math.zeta(tf.constant(2.5, tf.float64), q), P), "Igamma": row(lambda x: tf.math.igamma(tf.constant(Q), x), P),
    "Igammac": row(lambda x: tf.math.igammac(tf.constant(Q), x), P), "Igamma_a": row(tf.math.igamma, Q, P, second=False), "Igammac_a": row(tf.math.igammac, Q, P, second=False),
    "Betainc": row(lambda x: tf.math.betainc(tf.constant(Q), tf.constant(P), x), np.abs(U)), "Softplus": unary("Softplus", V), "Dawsn": unary("Dawsn", V), "Expint": unary("Expint", P),
    "FresnelCos": unary("FresnelCos", V), "FresnelSin": unary("FresnelSin", V), "Spence": unary("Spence", P),
    **{name: unary(name, P) for name in ("BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "BesselJ0", "BesselJ1", "BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1")},
    "Sum": row(lambda x: tf.reduce_sum(x * x, 1), M), "Mean": row(lambda x: tf.reduce_mean(x * x, 0, keepdims=True), M), "Prod": row(lambda x: tf.reduce_prod(x, 1), M), "Prod_all": row(tf.reduce_prod, M),
    "Max": row(lambda x: tf.reduce_max(x * x, 1), M), "Min": row(lambda x: tf.reduce_min(x * x, 1), M), "EuclideanNorm": row(lambda x: tf.math.reduce_euclidean_norm(x, 1), M), "logsumexp": row(tf.reduce_logsumexp, M),
    "variance": row(tf.math.reduce_variance, M), "std": row(lambda x: tf.math.reduce_std(x, 0), M), "Cumsum": row(lambda x: tf.cumsum(x * x, 1, exclusive=True, reverse=True), M),
    "Cumprod": row(lambda x: tf.math.cumprod(x, 1), M), "Cumprod_reverse": row(lambda x: tf.math.cumprod(x, 1, exclusive=True, reverse=True), M),
    "CumulativeLogsumexp": row(lambda x: tf.math.cumulative_logsumexp(x, 1), M), "CumulativeLogsumexp_reverse": row(lambda x: tf.math.cumulative_logsumexp(x, 0, exclusive=True, reverse=True)[:1], M),
    "SegmentSum": row(lambda x: tf.math.segment_sum(x * x, IDS), V), "SegmentMean": row(lambda x: tf.math.segment_mean(x * x, IDS), V), "SegmentProd": row(lambda x: tf.math.segment_prod(x, IDS), V),
    "SegmentMax": row(lambda x: tf.math.segment_max(x * x, IDS), V), "SegmentMin": row(lambda x: tf.math.segment_min(x * x, IDS), V), "UnsortedSegmentSum": row(lambda x: tf.math.unsorted_segment_sum(x * x, [1, 0, 1], 3), V),
    "UnsortedSegmentProd": row(lambda x: tf.math.unsorted_segment_prod(x, [1, 0, 1], 2), V), "UnsortedSegmentMax": row(lambda x: tf.math.unsorted_segment_max(x * x, [1, 0, 1], 2), V),
    "UnsortedSegmentMin": row(lambda x: tf.math.unsorted_segment_min(x * x, [1, 0, 1], 2), V), "unsorted_mean": row(lambda x: tf.math.unsorted_segment_mean(x * x, [1, 0, 1], 2), V),
    "Cast": row(lambda x: tf.cast(tf.cast(x * x, tf.complex128), tf.float64), V), "Identity": row(tf.identity, V), "PreventGradient": row(lambda x: x * 2.0, V), "where": row(lambda x, y: tf.where(x > 0.0, x * y, y * y), V, P),
    "DiagPart": row(lambda x: ops.DiagPart(x), M[:, :2]), "Diag": row(lambda x: ops.Diag(x * x), V), "StridedSliceGrad": row(lambda g: ops.StridedSliceGrad([3], [0], [3], [2], g), V[:2]),
    "BiasAddGrad": row(lambda g: ops.BiasAddGrad(g * g), M), "MirrorPadGrad": row(lambda g: ops.MirrorPadGrad(g * g, [[1, 1]], mode="REFLECT"), np.arange(5.0)),
    "ReluGrad": row(lambda g, x: ops.ReluGrad(g, x), V, P), "Relu6Grad": row(lambda g, x: ops.Relu6Grad(g, x), V, P), "EluGrad": row(lambda g, x: ops.EluGrad(g, x), V, U), "SeluGrad": row(lambda g, x: ops.SeluGrad(g, x), V, U),
    "LeakyReluGrad": row(lambda g, x: ops.LeakyReluGrad(g, x), V, P), "SoftplusGrad": row(lambda g, x: ops.SoftplusGrad(g, x), V, P), "SoftsignGrad": row(lambda g, x: ops.SoftsignGrad(g, x), V, P),
    "TensorListFromTensor": row(lambda x: ops.TensorListStack(listed(x * x), SCALARS, element_dtype=tf.float64), V), "TensorListGetItem": row(lambda x: ops.TensorListGetItem(listed(x * x), 1, SCALARS, element_dtype=tf.float64), V),
    "TensorListSetItem": row(lambda x, y: ops.TensorListStack(ops.TensorListSetItem(listed(x * x), 1, y * y), SCALARS, element_dtype=tf.float64), V, np.float64(0.7)),
    "TensorListResize": row(lambda x: ops.TensorListStack(ops.TensorListResize(listed(x * x), 5), SCALARS, element_dtype=tf.float64), V), "TensorListGather": row(lambda x: ops.TensorListGather(listed(x * x), [2, 0, 2], SCALARS, element_dtype=tf.float64), V),
    "TensorListScatterV2": row(lambda x: ops.TensorListStack(ops.TensorListScatterV2(x * x, [2, 0, 1], SCALARS, -1, element_dtype=tf.float64), SCALARS, element_dtype=tf.float64), V),
    "TensorListScatterIntoExistingList": row(lambda x, y: ops.TensorListStack(ops.TensorListScatterIntoExistingList(listed(x * x), y * y, [2]), SCALARS, element_dtype=tf.float64), V, P[:1]),
    "TensorListConcatV2": row(lambda x: ops.TensorListConcatV2(ops.TensorListSplit(x * x, [-1], np.array([1, 2])), [-1], np.zeros(0, np.int64), element_dtype=tf.float64)[0], V),
    "TensorListSplit": row(lambda x: ops.TensorListGetItem(ops.TensorListSplit(x * x, [-1], np.array([1, 2])), 1, [2], element_dtype=tf.float64), V),
    "StatelessIf": row(tf.function(lambda x: tf.cond(x[0] > 0.0, lambda: x * x, lambda: x)), V), "StatelessCase": row(tf.function(lambda x: tf.switch_case(tf.cast(x[2], tf.int32), [lambda: x, lambda: x * x])), V),
    "StatelessWhile": row(tf.function(lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1]), V), "PartitionedCall": row(tf.function(lambda x: tf.sin(x) * x), V),
    "Eig": row(lambda a: [tf.abs(e) for e in tf.linalg.eig(a)], np.array([[2.0, 0.5], [0.3, 1.0]])), "MatrixSquareRoot": row(lambda a: tf.linalg.sqrtm(a), np.array([[2.0, 0.5], [0.3, 1.0]])),
}  # fmt: skip

VARIABLE = tf.Variable(V)
STATEFUL = {
    "ReadVariableOp": lambda: VARIABLE * VARIABLE,
    "ResourceGather": lambda: VARIABLE.sparse_read([2, 0, 2]) ** 2,
    "ResourceGatherNd": lambda: VARIABLE.gather_nd([[2], [0]]) ** 2,
    "StatefulPartitionedCall": tf.function(lambda: tf.sin(VARIABLE) * VARIABLE),
    "If": tf.function(lambda: tf.cond(VARIABLE[0] > 0.0, lambda: VARIABLE * 2.0, lambda: VARIABLE + 1.0)),
    "Case": tf.function(
        lambda: tf.switch_case(tf.cast(VARIABLE[2], tf.int32), [lambda: VARIABLE * 1.0, lambda: VARIABLE**2])
    ),
    "While": tf.function(
        lambda: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * VARIABLE), (0, VARIABLE * 1.0))[1]
    ),
}

SINGLE = {  # ops that only exist for narrow floats
    "LRN": lambda x: tf.nn.local_response_normalization(x, depth_radius=1, bias=0.7, alpha=0.6, beta=0.5),
}

# Their gradients are first gradients of other ops, checked there in second order; or of random samples.
ELSEWHERE = {
    "ParallelConcat", "Conv2DBackpropFilter", "Conv2DBackpropInput", "MaxPoolGrad", "MaxPoolGradGrad", "AvgPoolGrad", "RandomGamma",
    "StatelessRandomGammaV3", "StatelessParameterizedTruncatedNormal", "EagerPyFunc", "PreventGradient",
    "DepthwiseConv2dNativeBackpropInput",
    "DepthwiseConv2dNativeBackpropFilter",
}  # fmt: skip


def total(result):
    out = tf.constant(0.0, tf.float64)
    for i, part in enumerate(tf.nest.flatten(result)):
        flat = tf.reshape(part, [-1])
        out = out + tf.reduce_sum(flat * tf.cos(tf.cast(tf.range(tf.size(flat)), tf.float64) * 1.3 + 0.4 + i))
    return out


def slopes(function, xs):
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = total(function(*xs))
    return tape.gradient(y, list(xs), unconnected_gradients="zero")


def bend(function, xs):
    """The gradients of a mixture of the gradients."""
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = total([tf.sin(g) + g for g in slopes(function, xs)])
    return tape.gradient(y, list(xs), unconnected_gradients="zero")


def differences(function, values, step):
    out = []
    for i, value in enumerate(values):
        grad = np.zeros(np.shape(value))
        for at in np.ndindex(np.shape(value)):
            sides = []
            for sign in (1, -1):
                moved = [np.array(v, np.float64) for v in values]
                moved[i][at] += sign * step
                sides.append(float(function(*[tf.constant(v) for v in moved])))
            grad[at] = (sides[0] - sides[1]) / (2 * step)
        out.append(grad)
    return out


def check(found, wanted, rtol, atol):
    for i, (f, w) in enumerate(zip(found, wanted, strict=True)):
        np.testing.assert_allclose(f.numpy(), w, rtol=rtol, atol=atol, err_msg=f"input {i}")


@pytest.mark.parametrize("name", ROWS)
def test_gradients(name):
    function, inputs, second, _ = ROWS[name]
    xs = [tf.constant(np.asarray(v, np.float64)) for v in inputs]
    wanted = differences(lambda *vs: total(function(*vs)), inputs, 1e-6)
    check(slopes(function, xs), wanted, 2e-5, 2e-6)
    traced = tf.function(lambda *vs: slopes(function, vs), autograph=False)
    check(traced(*xs), wanted, 2e-5, 2e-6)
    unknown = tf.function(
        lambda *vs: slopes(function, vs), input_signature=[tf.TensorSpec([None] * x.shape.rank, x.dtype) for x in xs],
        autograph=False,
    )  # fmt: skip
    check(unknown(*xs), wanted, 2e-5, 2e-6)
    if second:
        wanted = differences(lambda *vs: total([tf.sin(g) + g for g in slopes(function, vs)]), inputs, 1e-5)
        check(bend(function, xs), wanted, 1e-3, 1e-4)
        check(tf.function(lambda *vs: bend(function, vs), autograph=False)(*xs), wanted, 1e-3, 1e-4)


@pytest.mark.parametrize("name", STATEFUL)
def test_gradients_of_variables(name):
    function = STATEFUL[name]

    def at(value):
        VARIABLE.assign(value)
        return total(function())

    wanted = differences(at, [V], 1e-6)
    VARIABLE.assign(V)
    for run in (function, tf.function(function)):
        with tf.GradientTape() as tape:
            y = total(run())
        check([tape.gradient(y, VARIABLE)], wanted, 2e-5, 2e-6)


@pytest.mark.parametrize("name", SINGLE)
def test_gradients_in_single_precision(name):
    x = np.linspace(-1.0, 2.0, 12).reshape(1, 2, 2, 3)

    def at(value):
        return tf.cast(SINGLE[name](tf.cast(value, tf.float32)), tf.float64)

    check(slopes(at, [tf.constant(x)]), differences(lambda v: total(at(v)), [x], 1e-3), 1e-2, 1e-3)


class Seen:
    """A recorder that only collects the types of ops."""

    needs_higher_order = False

    def __init__(self):
        self.types = set()

    def record(self, op, inputs, attrs, results):
        self.types.add(op.type)
        for key in ("f", "then_branch", "else_branch", "body", "cond"):
            if key in attrs:
                self.types.update(n.type for n in attrs[key].nodes)

    def is_watching(self, tensor):
        return True


def has_gradient(op):
    if op.vjp is None or op.type.startswith("_"):
        return False

    class Anything:
        inputs = outputs = [object()] * 8
        attrs = {}

    try:
        return any(g is not None for g in op.vjp(Anything(), *[object()] * max(1, len(op.outputs))))
    except Exception:  # the rule computes something
        return True


TESTED_ELSEWHERE = """
    image io legacy linalg.banded nn.candidate_sampling nn.convolution_3d nn.ctc nn.dilation
    nn.fractional_pooling nn.fused_batch_norm nn.pooling_3d nn.pooling_with_argmax nn.space_to_batch nn.statistics
    quantization ragged random.sobol signal sparse strings
""".split()


def test_every_op_with_a_gradient_is_covered():
    seen = Seen()
    rows = [(f, i) for f, i, _, _ in ROWS.values()] + list(others.CASES.values())
    for function, inputs in rows:
        with context.recording(seen):
            function(*[tf.constant(np.asarray(v, np.float64)) for v in inputs])
    covered = seen.types | set(STATEFUL) | set(SINGLE) | ELSEWHERE
    elsewhere = tuple(f"graphrt.ops.{place}" for place in TESTED_ELSEWHERE)
    homes = [home for home in HOMES if home.startswith("graphrt.ops.") and not home.startswith(elsewhere)]
    types = [t for home in homes for t in HOMES[home].split() if t in REGISTRY]
    assert [t for t in types if has_gradient(REGISTRY[t]) and t not in covered] == []
