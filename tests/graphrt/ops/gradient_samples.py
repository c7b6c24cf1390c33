"""A call of each op that has a gradient, for `test_ops_gradients.py`: op -> (function of real arrays, arrays).

Arrays are float64 unless the op has float32 inputs (`SINGLE`). Complex ops are called with complex numbers made of real ones.
Values stay away from kinks and ties, where differences mean nothing.
"""

import numpy as np

import graphrt as tf
from graphrt.ir.op import ops

RNG = np.random.default_rng(29)


def normal(*shape):
    return RNG.standard_normal(shape)


def spread(*shape):
    """Numbers of both signs that are all at least 0.1 apart, and from 0."""
    count = int(np.prod(shape))
    return RNG.permutation(
        np.concatenate([np.linspace(-1.5, -0.2, count // 2), np.linspace(0.25, 1.6, count - count // 2)])
    ).reshape(shape)


def positive(*shape):
    return RNG.uniform(0.4, 2.0, shape)


def unit(*shape):
    return RNG.uniform(-0.8, 0.8, shape) + 0.01


def cx(x):
    return tf.complex(x, tf.sin(x * 1.7))


def both(z):
    return tf.concat([tf.reshape(tf.math.real(z), [-1]), tf.reshape(tf.math.imag(z), [-1])], 0)


X, Y, P, Q = spread(3, 4), spread(3, 4) * 0.9 + 0.03, positive(3, 4), positive(3, 4)
V, W = spread(6), spread(6)
M = normal(3, 3) + 3 * np.eye(3)
SPD = M @ M.T
K = np.array([0.2, 0.5])
IMG, FIL = normal(1, 4, 5, 2), normal(2, 2, 2, 3)
OUT = normal(1, 4, 5, 3)
VOL, VFIL = normal(1, 3, 3, 4, 2), normal(2, 2, 2, 2, 2)
VOUT = normal(1, 3, 3, 4, 2)
POOLED = normal(1, 2, 3, 2)
RGB = RNG.permutation(np.linspace(0.1, 0.9, 18)).reshape(2, 3, 3)
TRI = normal(3, 4) + np.array([[0.0], [5.0], [0.0]])
RHS = normal(4, 2)
POOL = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
POOL3 = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "SAME"}
CONV = {"strides": [1, 1, 1, 1], "padding": "SAME"}
CONV3 = {"strides": [1, 1, 1, 1, 1], "padding": "SAME"}
SEGMENTS = [0, 0, 2]

SAMPLES = {}
SINGLE = {}


def one(names, values):
    for name in names.split():
        SAMPLES[name] = (getattr(ops, name), values)


def two(names, first, second):
    for name in names.split():
        SAMPLES[name] = (getattr(ops, name), first, second)


one(
    "Abs Atan Cos Sin Sinh Cosh Tanh Asinh Erf Erfc Exp Expm1 Neg Square Sign Elu Selu Relu Sigmoid Softplus Softsign",
    X,
)
one("LeakyRelu Tan Identity Softmax LogSoftmax L2Loss Dawsn FresnelSin FresnelCos", X)
one("BesselI0 BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1", X)
one(
    "BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Log Log1p Rsqrt Sqrt Reciprocal Inv Lgamma Digamma Spence",
    P,
)
one("Expint", P)
one("Acos Asin Atanh Erfinv", unit(3, 4))
one("Ndtri", RNG.uniform(0.1, 0.9, (3, 4)))
one("Acosh", P + 1.2)
one("Relu6", X * 4 + 3.1)
one("BiasAddGrad", IMG)
one("Diag", V)
one("DiagPart", M)
SAMPLES["Cholesky"] = (lambda x: ops.Cholesky((x + tf.transpose(x)) / 2.0), SPD)  # one triangle is read
one("MatrixDeterminant MatrixInverse", M)
two("Add AddV2 Sub Mul MulNoNan SquaredDifference Maximum Minimum NextAfter", X, Y)
two("Div RealDiv DivNoNan FloorMod TruncateMod Mod Atan2 Xdivy", X, P)
two("Pow Xlogy Xlog1py", P, Q)
two("ReluGrad Relu6Grad SoftplusGrad SoftsignGrad SigmoidGrad TanhGrad LeakyReluGrad", Y, X)
two("EluGrad SeluGrad", Y, X * 0.5)
two("InvGrad ReciprocalGrad SqrtGrad RsqrtGrad", P, Y)
two("Igamma Igammac", P, Q)
two("MatMul", normal(2, 3), normal(3, 4))
two("BatchMatMulV2", normal(2, 2, 3), normal(1, 3, 2))
two("MatrixSolve", M, normal(3, 2))
two("MatrixTriangularSolve", np.tril(M), normal(3, 2))
two("BiasAdd", IMG, normal(2))
two("Cross", normal(2, 3), normal(2, 3))
two("TridiagonalSolve", TRI, RHS)
SAMPLES["SoftmaxCrossEntropyWithLogits"] = (
    lambda x, y: ops.SoftmaxCrossEntropyWithLogits(x, y / tf.reduce_sum(y, 1, True))[0],
    X,
    P,
)  # labels are probabilities
SAMPLES.update({
    "AccumulateNV2": (lambda x, y: ops.AccumulateNV2([x, y], shape=[3, 4]), X, Y), "AddN": (lambda x, y: ops.AddN([x, y, x]), X, Y),
    "Angle": (lambda x: ops.Angle(cx(x), Tout=tf.float64), X), "ComplexAbs": (lambda x: ops.ComplexAbs(cx(x), Tout=tf.float64), X), "Complex": (lambda x, y: both(ops.Complex(x, y, Tout=tf.complex128) ** 2), X, Y), "Conj": (lambda x: both(ops.Conj(cx(x)) * cx(x * 0.3)), X), "Real": (lambda x: ops.Real(cx(x) ** 2, Tout=tf.float64), X), "Imag": (lambda x: ops.Imag(cx(x) ** 2, Tout=tf.float64), X),
    "ConjugateTranspose": (lambda x: both(ops.ConjugateTranspose(cx(x), [1, 0])), X), "Transpose": (lambda x: ops.Transpose(x, [1, 0]), X), "BroadcastTo": (lambda x: ops.BroadcastTo(x, [2, 3, 4]), X), "Reshape": (lambda x: ops.Reshape(x, [2, -1]), X), "ExpandDims": (lambda x: ops.ExpandDims(x, 1), X), "Squeeze": (lambda x: ops.Squeeze(x, squeeze_dims=[0]), X[None]), "EnsureShape": (lambda x: ops.EnsureShape(x, shape=[3, 4]), X), "IdentityN": (lambda x, y: ops.IdentityN([x, y]), X, Y), "Fill": (lambda v: ops.Fill([2, 3], v), np.array(0.7)), "CheckNumerics": (lambda x: ops.CheckNumerics(x, message="m"), X), "Cast": (lambda x: ops.Cast(ops.Cast(x, DstT=tf.complex128), DstT=tf.float64), X),
    "ConcatV2": (lambda x, y: ops.ConcatV2([x, y], 1), X, Y), "Pack": (lambda x, y: ops.Pack([x, y], axis=1), X, Y), "Unpack": (lambda x: ops.Unpack(x, num=3)[1], X), "ParallelConcat": (lambda x, y: ops.ParallelConcat([x[None], y[None]], shape=[2, 3, 4]), X, Y), "Split": (lambda x: ops.Split(1, x, num_split=2)[1], X), "SplitV": (lambda x: ops.SplitV(x, [1, 3], 1, num_split=2)[1], X), "Tile": (lambda x: ops.Tile(x, [2, 1]), X), "Slice": (lambda x: ops.Slice(x, [1, 0], [2, 3]), X), "StridedSlice": (lambda x: ops.StridedSlice(x, [2, 0], [0, 3], [-1, 2]), X), "StridedSliceGrad": (lambda g: ops.StridedSliceGrad([3, 4], [0, 1], [2, 4], [1, 2], g), normal(2, 2)),
    "Pad": (lambda x: ops.Pad(x, [[1, 0], [0, 2]]), X), "PadV2": (lambda x, v: ops.PadV2(x, [[1, 0], [0, 2]], v), X, np.array(0.3)), "MirrorPad": (lambda x: ops.MirrorPad(x, [[1, 1], [0, 2]], mode="REFLECT"), X), "MirrorPadGrad": (lambda x: ops.MirrorPadGrad(x, [[1, 1], [0, 1]], mode="SYMMETRIC"), normal(5, 4)), "Roll": (lambda x: ops.Roll(x, [1, 2], [0, 1]), X), "ReverseV2": (lambda x: ops.ReverseV2(x, [1]), X), "ReverseSequence": (lambda x: ops.ReverseSequence(x, [2, 4, 1], seq_dim=1), X),
    "GatherV2": (lambda x: ops.GatherV2(x, [2, 0, 2], 0), X), "GatherNd": (lambda x: ops.GatherNd(x, [[2, 1], [0, 3], [2, 1]]), X), "ScatterNd": (lambda u: ops.ScatterNd([[1], [3], [1]], u, [5]), spread(3)), "TensorScatterAdd": (lambda x, u: ops.TensorScatterAdd(x, [[0], [2]], u), X, normal(2, 4)), "TensorScatterSub": (lambda x, u: ops.TensorScatterSub(x, [[0], [2]], u), X, normal(2, 4)), "TensorScatterUpdate": (lambda x, u: ops.TensorScatterUpdate(x, [[0], [2]], u), X, normal(2, 4)), "TensorScatterMax": (lambda x, u: ops.TensorScatterMax(x, [[0], [2]], u), X, Y[:2] + 0.01), "TensorScatterMin": (lambda x, u: ops.TensorScatterMin(x, [[0], [2]], u), X, Y[:2] + 0.01),
    "Select": (lambda x, y: ops.Select(X > 0, x, y), X, Y), "SelectV2": (lambda x, y: ops.SelectV2(X > 0, x, y[0]), X, Y), "ClipByValue": (lambda x: ops.ClipByValue(x, -1.03, 1.12), X), "Sum": (lambda x: ops.Sum(x, [0]), X), "Mean": (lambda x: ops.Mean(x, [1], keep_dims=True), X), "Prod": (lambda x: ops.Prod(x, [1]), X), "Max": (lambda x: ops.Max(x, [1]), X), "Min": (lambda x: ops.Min(x, [0]), X), "EuclideanNorm": (lambda x: ops.EuclideanNorm(x, [1]), X), "Cumsum": (lambda x: ops.Cumsum(x, 1, reverse=True), X), "Cumprod": (lambda x: ops.Cumprod(x, 1, exclusive=True), X), "CumulativeLogsumexp": (lambda x: ops.CumulativeLogsumexp(x, 1), X), "TopKV2": (lambda x: ops.TopKV2(x, 2)[0], X),
    "SegmentSum": (lambda x: ops.SegmentSum(x, SEGMENTS), X), "SegmentMean": (lambda x: ops.SegmentMean(x, SEGMENTS), X), "SegmentProd": (lambda x: ops.SegmentProd(x, SEGMENTS), X), "SegmentMax": (lambda x: ops.SegmentMax(x, SEGMENTS), X), "SegmentMin": (lambda x: ops.SegmentMin(x, SEGMENTS), X), "UnsortedSegmentSum": (lambda x: ops.UnsortedSegmentSum(x, [2, 0, 2], 3), X), "UnsortedSegmentProd": (lambda x: ops.UnsortedSegmentProd(x, [2, 0, 2], 3), X), "UnsortedSegmentMax": (lambda x: ops.UnsortedSegmentMax(x, [2, 0, 2], 3)[::2], X), "UnsortedSegmentMin": (lambda x: ops.UnsortedSegmentMin(x, [2, 0, 2], 3)[::2], X),
    "DynamicPartition": (lambda x: ops.DynamicPartition(x, [1, 0, 1], num_partitions=2)[1], X), "DynamicStitch": (lambda x, y: ops.DynamicStitch([[0, 2], [1, 3]], [x, y]), normal(2, 3), normal(2, 3)), "Einsum": (lambda x, y: ops.Einsum([x, y], equation="ij,kj->ik"), X, Y), "MatrixBandPart": (lambda x: ops.MatrixBandPart(x, 1, 0), M), "MatrixDiagV3": (lambda d: ops.MatrixDiagV3(d, 1, -1, -1, 0.0), V), "MatrixDiagPartV3": (lambda x: ops.MatrixDiagPartV3(x, [-1, 1], 0.0), M), "MatrixSetDiagV3": (lambda x, d: ops.MatrixSetDiagV3(x, d, 0), M, normal(3)),
    "LogMatrixDeterminant": (lambda x: ops.LogMatrixDeterminant(x)[1], M), "MatrixSquareRoot": (lambda x: ops.MatrixSquareRoot(x), SPD), "MatrixLogarithm": (lambda x: both(ops.MatrixLogarithm(cx(x * 0.1) + tf.eye(2, dtype=tf.complex128) * 3.0)), normal(2, 2)), "Qr": (lambda x: tf.concat([tf.reshape(v, [-1]) for v in ops.Qr(x)], 0), normal(4, 3)), "Svd": (lambda x: ops.Svd(x)[0], normal(3, 2)), "SelfAdjointEigV2": (lambda x: ops.SelfAdjointEigV2(x + tf.transpose(x))[0], M), "Eig": (lambda x: both(ops.Eig(x, compute_v=False, Tout=tf.complex128)[0] ** 2), np.diag([1.0, 2.0, 4.0]) + 0.1 * normal(3, 3)), "BandedTriangularSolve": (lambda a, b: ops.BandedTriangularSolve(a, b), TRI[1:], RHS), "TridiagonalMatMul": (lambda a, b, c, d: ops.TridiagonalMatMul(a, b, c, d), normal(1, 4), normal(1, 4), normal(1, 4), RHS),
    "SparseSoftmaxCrossEntropyWithLogits": (lambda x: ops.SparseSoftmaxCrossEntropyWithLogits(x, [3, 0, 1])[0], X), "Conv2D": (lambda x, w: ops.Conv2D(x, w, **CONV), IMG, FIL), "Conv2DBackpropInput": (lambda w, g: ops.Conv2DBackpropInput([1, 4, 5, 2], w, g, **CONV), FIL, OUT), "Conv2DBackpropFilter": (lambda x, g: ops.Conv2DBackpropFilter(x, [2, 2, 2, 3], g, **CONV), IMG, OUT), "Conv3D": (lambda x, w: ops.Conv3D(x, w, **CONV3), VOL, VFIL), "Conv3DBackpropInputV2": (lambda w, g: ops.Conv3DBackpropInputV2([1, 3, 3, 4, 2], w, g, **CONV3), VFIL, VOUT), "Conv3DBackpropFilterV2": (lambda x, g: ops.Conv3DBackpropFilterV2(x, [2, 2, 2, 2, 2], g, **CONV3), VOL, VOUT),
    "AvgPool": (lambda x: ops.AvgPool(x, **POOL), IMG), "AvgPoolGrad": (lambda g: ops.AvgPoolGrad([1, 4, 5, 2], g, **POOL), POOLED), "AvgPool3D": (lambda x: ops.AvgPool3D(x, **POOL3), VOL), "AvgPool3DGrad": (lambda g: ops.AvgPool3DGrad([1, 3, 3, 4, 2], g, **POOL3), normal(1, 2, 2, 2, 2)), "MaxPool": (lambda x: ops.MaxPool(x, **POOL), IMG), "MaxPoolGrad": (lambda g: ops.MaxPoolGrad(IMG, ops.MaxPool(tf.constant(IMG), **POOL), g, **POOL), POOLED), "MaxPoolGradGrad": (lambda g: ops.MaxPoolGradGrad(IMG, ops.MaxPool(tf.constant(IMG), **POOL), g, **POOL), IMG * 0.5), "MaxPoolWithArgmax": (lambda x: ops.MaxPoolWithArgmax(x, **POOL)[0], IMG), "ExtractImagePatches": (lambda x: ops.ExtractImagePatches(x, ksizes=[1, 2, 2, 1], strides=[1, 1, 2, 1], rates=[1, 1, 1, 1], padding="SAME"), IMG), "ExtractVolumePatches": (lambda x: ops.ExtractVolumePatches(x, ksizes=[1, 2, 2, 2, 1], strides=[1, 1, 1, 1, 1], padding="VALID"), VOL), "SpaceToDepth": (lambda x: ops.SpaceToDepth(x, block_size=2), normal(1, 4, 2, 3)), "DepthToSpace": (lambda x: ops.DepthToSpace(x, block_size=2), normal(1, 2, 2, 4)), "SpaceToBatchND": (lambda x: ops.SpaceToBatchND(x, [2, 3], [[0, 0], [1, 0]]), IMG), "BatchToSpaceND": (lambda x: ops.BatchToSpaceND(x, [3], [[1, 0]]), X),
    "RGBToHSV": (ops.RGBToHSV, RGB), "HSVToRGB": (ops.HSVToRGB, RGB), "ResizeNearestNeighbor": (lambda x: ops.ResizeNearestNeighbor(x, [3, 7]), IMG), "ResizeNearestNeighborGrad": (lambda g: ops.ResizeNearestNeighborGrad(g, [3, 7]), IMG), "SparseToDense": (lambda v: ops.SparseToDense([[0, 1], [1, 0]], [2, 2], v, tf.constant(0.0, tf.float64)), V[:2]), "RaggedTensorToTensor": (lambda v: ops.RaggedTensorToTensor([3, 3], v, tf.constant(0.5, tf.float64), [tf.constant([0, 2, 2, 5], tf.int64)], row_partition_types=["ROW_SPLITS"]), spread(5)), "RaggedGather": (lambda v: ops.RaggedGather([tf.constant([0, 2, 2, 5], tf.int64)], v, [2, 0, 2], OUTPUT_RAGGED_RANK=1)[-1], spread(5)), "RaggedTensorToSparse": (lambda v: ops.RaggedTensorToSparse([tf.constant([0, 2, 2, 5], tf.int64)], v)[1], spread(5)),
    "StatelessParameterizedTruncatedNormal": (lambda m, s, a, b: ops.StatelessParameterizedTruncatedNormal([4], [1, 2], m, s, a, b), np.array(0.3), np.array(1.2), np.array(-0.5), np.array(1.9)),
    "Betainc": (lambda x: ops.Betainc(P, Q, x), RNG.uniform(0.2, 0.8, (3, 4))), "Polygamma": (lambda x: ops.Polygamma(2.0 + 0 * P, x), P), "Zeta": (lambda q: ops.Zeta(P + 1.5, q), Q), "QuantizeAndDequantizeV2": (lambda x: ops.QuantizeAndDequantizeV2(x, -2.0, 2.0, range_given=True), X), "QuantizeAndDequantizeV3": (lambda x: ops.QuantizeAndDequantizeV3(x, -2.0, 2.0, 8), X), "QuantizeAndDequantizeV4": (lambda x: ops.QuantizeAndDequantizeV4(x, -2.0, 2.0, range_given=True), X), "ReadVariableOp": (lambda x: KEPT[0] * x + tf.convert_to_tensor(KEPT[0]), np.array([0.5, 1.5])),
})  # fmt: skip
KEPT = [tf.Variable([1.5, -0.5], dtype=tf.float64)]
for _n, _x in (("FFT", X), ("IFFT", X), ("FFT2D", X), ("IFFT2D", X), ("FFT3D", X[None]), ("IFFT3D", X[None])):
    SAMPLES[_n] = (lambda x, op=getattr(ops, _n): both(op(cx(x))), _x)
for _n, _x, _s in (("RFFT", X, [5]), ("RFFT2D", X, [3, 3]), ("RFFT3D", X[None], [1, 3, 4])):
    SAMPLES[_n] = (lambda x, op=getattr(ops, _n), s=_s: both(op(x, s, Tcomplex=tf.complex128)), _x)
    SAMPLES["I" + _n] = (lambda x, op=getattr(ops, "I" + _n), s=_s: op(cx(x), s, Treal=tf.float64), _x)
SAMPLES.update({
    "FFTND": (lambda x: both(ops.FFTND(cx(x), [3, 4], [0, 1])), X), "IFFTND": (lambda x: both(ops.IFFTND(cx(x), [3], [0])), X),
    "RFFTND": (lambda x: both(ops.RFFTND(x, [3, 4], [0, 1], Tcomplex=tf.complex128)), X), "IRFFTND": (lambda x: ops.IRFFTND(cx(x), [3, 5], [0, 1], Treal=tf.float64), X),
})  # fmt: skip


# --- ops that hold functions, lists and state: called through the functions that make them ---------------------------
def traced(f):
    return tf.function(f, autograph=False)


def listed(x, count=3):
    return ops.TensorListFromTensor(x, [4], element_dtype=tf.float64)


ROW_SPLITS = np.array([0, 2, 3], np.int64)


def rows_of(x):
    return ops.RaggedTensorToVariant([ROW_SPLITS], x, batched_input=True)


def stacked(handle, count=-1):
    return ops.TensorListStack(handle, [4], element_dtype=tf.float64, num_elements=count)


def in_loop(x):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.sin(y) * 1.3), [0, x])[1]


def noisy(x):
    tf.debugging.assert_less(x, 100.0)  # an effect makes the ops stateful
    return tf.sin(x)


def noisy_in_loop(x):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, noisy(y) * 1.3), [0, x])[1]


def in_dataset(x):
    return tf.data.Dataset.range(3).reduce(x, lambda s, i: tf.sin(s) * tf.cast(i + 1, tf.float64))


SAMPLES.update({
    "StatelessIf": (traced(lambda x: tf.cond(tf.reduce_sum(x) > -99.0, lambda: tf.sin(x), lambda: x)), X), "If": (traced(lambda x: tf.cond(tf.reduce_sum(x) > -99.0, lambda: noisy(x), lambda: x)), X),
    "StatelessCase": (traced(lambda x: tf.switch_case(tf.cast(tf.reduce_sum(x) * 0.0, tf.int32), [lambda: x * x, lambda: x])), X), "Case": (traced(lambda x: tf.switch_case(tf.cast(tf.reduce_sum(x) * 0.0, tf.int32), [lambda: noisy(x), lambda: x])), X),
    "StatelessWhile": (traced(in_loop), X), "While": (traced(noisy_in_loop), X), "PartitionedCall": (traced(lambda x: traced(lambda y: tf.sin(y) * y)(x)), X), "StatefulPartitionedCall": (traced(lambda x: traced(noisy)(x)), X), "EagerPyFunc": (lambda x: tf.ensure_shape(tf.py_function(lambda v: v * v * v, [x], tf.float64), [3, 4]), X), "ReduceDataset": (in_dataset, X),
    "RaggedTensorToVariant": (lambda x: ops.RaggedTensorFromVariant(rows_of(x), input_ragged_rank=-1, output_ragged_rank=1, Tvalues=tf.float64)[1] * x, X),
    "RaggedTensorFromVariant": (lambda x: ops.RaggedTensorFromVariant(rows_of(x)[1], input_ragged_rank=-1, output_ragged_rank=0, Tvalues=tf.float64)[0] ** 2, X),
    "RaggedTensorToVariantGradient": (lambda x: ops.RaggedTensorToVariantGradient(rows_of(x), ROW_SPLITS, tf.shape(x), Tvalues=tf.float64) * x, X),
    "TensorListFromTensor": (lambda x: stacked(listed(x)) * x, X), "TensorListStack": (lambda x: stacked(listed(x)) * x, X), "TensorListGetItem": (lambda x: ops.TensorListGetItem(listed(x), 1, [4], element_dtype=tf.float64) * x[0], X), "TensorListSetItem": (lambda x, y: stacked(ops.TensorListSetItem(listed(x), 1, y)) * x, X, normal(4)), "TensorListGather": (lambda x: ops.TensorListGather(listed(x), [2, 0, 2], [4], element_dtype=tf.float64) * x, X), "TensorListPushBack": (lambda x, y: stacked(ops.TensorListPushBack(listed(x), y)), X, normal(4)), "TensorListPopBack": (lambda x: ops.TensorListPopBack(listed(x), [4], element_dtype=tf.float64)[1] * x[0], X), "TensorListResize": (lambda x: stacked(ops.TensorListResize(listed(x), 2)), X),
    "TensorListScatterV2": (lambda x: stacked(ops.TensorListScatterV2(x, [2, 0, 1], [4], 3)) * x, X), "TensorListScatterIntoExistingList": (lambda x, y: stacked(ops.TensorListScatterIntoExistingList(listed(x), y, [2, 0])) * x, X, normal(2, 4)), "TensorListSplit": (lambda x: ops.TensorListConcatV2(ops.TensorListSplit(x, [-1, 4], tf.constant([1, 2], tf.int64)), [-1, 4], tf.constant([], tf.int64), element_dtype=tf.float64)[0] * x, X), "TensorListConcatV2": (lambda x: ops.TensorListConcatV2(ops.TensorListSplit(x, [-1, 4], tf.constant([1, 2], tf.int64)), [-1, 4], tf.constant([], tf.int64), element_dtype=tf.float64)[0] * x, X),
})  # fmt: skip

# float32 inputs by their schema
SINGLE.update({
    "AdjustContrastv2": (lambda x: ops.AdjustContrastv2(x, 1.7), RGB), "AdjustHue": (lambda x: ops.AdjustHue(x, 0.05), RGB), "AdjustSaturation": (lambda x: ops.AdjustSaturation(x, 0.7), RGB), "CropAndResize": (lambda x: ops.CropAndResize(x, [[0.1, 0.2, 0.8, 0.9]], [0], [3, 2]), IMG), "LRN": (lambda x: ops.LRN(x, depth_radius=1), IMG),
    "FakeQuantWithMinMaxArgs": (lambda x: ops.FakeQuantWithMinMaxArgs(x), X), "FakeQuantWithMinMaxArgsGradient": (lambda g: ops.FakeQuantWithMinMaxArgsGradient(g, X.astype(np.float32)), Y), "FakeQuantWithMinMaxVars": (lambda x: ops.FakeQuantWithMinMaxVars(x, -2.0, 2.0), X), "FakeQuantWithMinMaxVarsPerChannel": (lambda x: ops.FakeQuantWithMinMaxVarsPerChannel(x, [-2.0] * 4, [2.0] * 4), X),
    "MaxPool3D": (lambda x: ops.MaxPool3D(x, **POOL3), VOL), "MaxPool3DGrad": (lambda g: ops.MaxPool3DGrad(VOL.astype(np.float32), ops.MaxPool3D(VOL.astype(np.float32), **POOL3), g, **POOL3), normal(1, 2, 2, 2, 2)), "MaxPool3DGradGrad": (lambda g: ops.MaxPool3DGradGrad(VOL.astype(np.float32), ops.MaxPool3D(VOL.astype(np.float32), **POOL3), g, **POOL3), VOL * 0.5),
    "ResizeBilinear": (lambda x: ops.ResizeBilinear(x, [3, 7]), IMG), "ResizeBilinearGrad": (lambda g: ops.ResizeBilinearGrad(g, tf.zeros([1, 3, 7, 2])), IMG), "ResizeBicubic": (lambda x: ops.ResizeBicubic(x, [3, 7]), IMG), "ResizeBicubicGrad": (lambda g: ops.ResizeBicubicGrad(g, tf.zeros([1, 3, 7, 2])), IMG), "ScaleAndTranslate": (lambda x: ops.ScaleAndTranslate(x, [3, 7], [0.75, 1.4], [0.0, 0.0]), IMG), "ScaleAndTranslateGrad": (lambda g: ops.ScaleAndTranslateGrad(g, tf.zeros([1, 3, 7, 2]), [1.3, 0.7], [0.0, 0.0]), IMG),
})  # fmt: skip

# --- what is not compared with differences, and why -------------------------------------------------------------------
STRAIGHT_THROUGH = "steps: the gradient passes through as if it were not there, inside of the range"
NOT_COMPARED = {
    **dict.fromkeys(("FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel", "QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4"), STRAIGHT_THROUGH),
    "NextAfter": "the gradient is that of TensorFlow, 1 for the number and 0 for the direction; differences of neighbours are steps",
    "RandomGamma": "a random number: its implicit derivative is compared with TensorFlow's",
    "StatelessRandomGammaV3": "a random number: its implicit derivative is compared with TensorFlow's",
    "ResourceGather": "reads a variable, which is no argument: `test_parts_of_variables`",
    "ResourceGatherNd": "reads a variable, which is no argument: `test_parts_of_variables`",
    "PreventGradient": "raises, as it is for",
}  # fmt: skip

NO_SECOND = {
    "Igamma": "the derivative by `a` has none (IgammaGradA), as in TensorFlow",
    "Igammac": "the derivative by `a` has none (IgammaGradA), as in TensorFlow",
    "MaxPoolWithArgmax": "MaxPoolGradWithArgmax has none, as in TensorFlow",
    "CropAndResize": "CropAndResizeGradImage has none, as in TensorFlow",
    "LRN": "LRNGrad has none, as in TensorFlow",
    "CTCLoss": "the loss comes with its gradient, which TensorFlow keeps from being differentiated, too",
    "Dilation2D": "Dilation2DBackpropInput and Dilation2DBackpropFilter have none, as in TensorFlow",
    "FractionalMaxPool": "FractionalMaxPoolGrad has none, as in TensorFlow",
    "FractionalAvgPool": "FractionalAvgPoolGrad has none, as in TensorFlow",
}

# --- earlier versions of ops, and what joined later -------------------------------------------------------------------
two("BatchMatMul", normal(2, 2, 3), normal(2, 3, 2))
two("BiasAddV1", IMG, normal(2))
one("DeepCopy Snapshot", X)
one("MatrixDiag", X)
one("MatrixDiagPart", M)
two("MatrixSetDiag", M, normal(3))
SAMPLES.update({
    "BatchMatMulV3": (lambda x, y: ops.BatchMatMulV3(x, y, Tout=tf.float64), normal(2, 2, 3), normal(1, 3, 2)), "BatchToSpace": (lambda x: ops.BatchToSpace(x, [[0, 0], [1, 0]], block_size=2), normal(4, 1, 2, 1)), "SpaceToBatch": (lambda x: ops.SpaceToBatch(x, [[0, 0], [1, 0]], block_size=2), normal(1, 2, 3, 1)), "Concat": (lambda x, y: ops.Concat(1, [x, y]), X, Y), "Gather": (lambda x: ops.Gather(x, [2, 0, 2]), X), "MatrixDiagPartV2": (lambda x: ops.MatrixDiagPartV2(x, 1, tf.constant(0.0, tf.float64)), M), "MatrixDiagV2": (lambda d: ops.MatrixDiagV2(d, 1, -1, -1, tf.constant(0.0, tf.float64)), V), "MatrixSetDiagV2": (lambda x, d: ops.MatrixSetDiagV2(x, d, 1), M, normal(2)), "NthElement": (lambda x: ops.NthElement(x, 1), X), "ParallelDynamicStitch": (lambda x, y: ops.ParallelDynamicStitch([[0, 2], [1, 3]], [x, y]), normal(2, 3), normal(2, 3)),
    "PlaceholderWithDefault": (lambda x: ops.PlaceholderWithDefault(x, shape=[3, 4]), X), "Reverse": (lambda x: ops.Reverse(x, [False, True]), X), "ScatterNdNonAliasingAdd": (lambda x, u: ops.ScatterNdNonAliasingAdd(x, [[0], [2]], u), X, normal(2, 4)), "SegmentSumV2": (lambda x: ops.SegmentSumV2(x, SEGMENTS, 4), X), "SegmentProdV2": (lambda x: ops.SegmentProdV2(x, SEGMENTS, 4), X), "SegmentMaxV2": (lambda x: ops.SegmentMaxV2(x, SEGMENTS, 3)[::2], X), "SegmentMinV2": (lambda x: ops.SegmentMinV2(x, SEGMENTS, 3)[::2], X), "TileGrad": (lambda x: ops.TileGrad(x, [3, 1]), X), "TopK": (lambda x: ops.TopK(x, k=2)[0], X), "IsotonicRegression": (lambda x: ops.IsotonicRegression(x, output_dtype=tf.float64)[0], X), "Dilation2D": (lambda x, w: ops.Dilation2D(x, w, strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME"), IMG, normal(2, 2, 2)), "FractionalMaxPool": (lambda x: ops.FractionalMaxPool(x, pooling_ratio=[1.0, 1.5, 1.4, 1.0], deterministic=True, seed=3)[0], IMG), "FractionalAvgPool": (lambda x: ops.FractionalAvgPool(x, pooling_ratio=[1.0, 1.5, 1.4, 1.0], deterministic=True, seed=3)[0], IMG),
    "CTCLoss": (lambda x: ops.CTCLoss(x, tf.constant([[0, 0], [0, 1]], tf.int64), tf.constant([1, 2]), [5])[0], normal(5, 1, 4)),
})  # fmt: skip
