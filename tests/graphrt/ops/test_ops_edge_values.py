"""Edge values in raw ops, at once, traced and traced without known ranks: TensorFlow's values and errors."""

import builtins
import importlib.util
import json
import os

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import edge_value_runner as runner
from tests.golden.edge_value_cases import OPS, Edge, leaves, samples

with open(os.path.join(GOLDEN, "edge_values.json")) as _file:
    RECORDED = json.load(_file)
HAS_BFLOAT16 = importlib.util.find_spec("ml_dtypes") is not None
TOLERANCE = {
    "float16": 4e-3,
    "bfloat16": 1.6e-2,
    "float32": 1e-4,
    "complex64": 1e-4,
    "float64": 1e-8,
    "complex128": 1e-8,
}

# What is otherwise than in TensorFlow, on purpose (see docs/differences.md): the ops, and the numbers of the samples.
DIFFERS = {
    "the class of the error": (
        "AdjustHue 2; AdjustSaturation 2; CTCGreedyDecoder 1 2; Range 6 9"
    ),
    "TensorFlow's own message cannot be decoded": (
        "DecodeCSV 3 11 13; StringToNumber 3 10"
    ),
    "what NaN, infinities and the largest numbers reach in images, rows and ranges": (
        "AdjustHue 3 4 5 7 8 10; AdjustSaturation 0 5 8 10 11 14; CumulativeLogsumexp 0 3 9 14 18 20; DrawBoundingBoxesV2 "
        "10 12; FakeQuantWithMinMaxArgsGradient 0 9 10 11 13; FakeQuantWithMinMaxVars 0; FakeQuantWithMinMaxVarsGradient "
        "0 2 3 4 8 9 10 11 12; FakeQuantWithMinMaxVarsPerChannel 0; FusedBatchNorm 1 3 4; FusedBatchNormV2 1 3 4; "
        "FusedBatchNormV3 1 3 4; LRN 0 11 12; LogMatrixDeterminant 0 2 8; LowerBound 21; NearestNeighbors 2 5 8 12; "
        "NonMaxSuppression 3 12; NonMaxSuppressionV2 3; NonMaxSuppressionV3 3; QuantizeAndDequantizeV4 2; RGBToHSV 0 3 9 "
        "14 17 18 20; Softmax 9 12 14; UpperBound 4"
    ),
    "special functions at infinity, of huge or of negative arguments: the limit, or NaN": (
        "BesselI0 4 8 12; BesselI1 4 8 12; BesselJ0 4 8 12; BesselJ1 4 8 12; BesselY0 4 8 12; BesselY1 4 8 12; Betainc 2 "
        "5 8; Erf 12; Expint 8 10 12; Igamma 0 4; IgammaGradA 0 3 8 14 17; Igammac 0 4; Polygamma 0 4 10 13; "
        "RandomGammaGrad 0 3 6 8 10 11 14 17; Spence 8 12; Zeta 0 4 10 13"
    ),
    "where a number would stand in a row that is not sorted, as NumPy's release has it": (
        "LowerBound 0 19"
    ),
    "zeros that are padded times infinity": (
        "Conv2D 0; Conv3D 0 11 18 26"
    ),
    "NaN is the greatest and the least; in TensorFlow it depends on the order": (
        "Dilation2D 0 4 16; MaxPool 0 5 11 18 22 24 26; MaxPool3D 0 4 20 22 24; SegmentMax 0 3 9 14 18 20; SegmentMin 0 3 "
        "9 14 18 20; UnsortedSegmentMax 0 3 9 14 18 20; UnsortedSegmentMin 0 3 9 14 18 20"
    ),
    "-1.0 // 1e38 is -1, as in Python; TensorFlow has -0.0": (
        "FloorDiv 0 4 8"
    ),
    "resized, solved and rooted with infinities and the largest numbers": (
        "BandedTriangularSolve 14; CTCGreedyDecoder 11; Dilation2D 10; MatrixSquareRoot 6 11; ResizeArea 0 18; "
        "ResizeBicubic 18 21; ResizeBicubicGrad 0 14; ResizeBilinear 0 18 21; ResizeBilinearGrad 0 14; SelfAdjointEigV2 6 "
        "7 11; Svd 6 7 11; TridiagonalSolve 8 9 14"
    ),
    "the sign of a zero, or the last digit of a half": (
        "AdjustHue 6; AvgPool 18; BesselI1e 0 4; ClipByValue 9 14; Cumprod 21; Cumsum 6 21; CumulativeLogsumexp 6 21; "
        "Dawsn 8 12; FakeQuantWithMinMaxArgsGradient 2 3 4 5 6 7 12; IgammaGradA 10 11; Maximum 4; Minimum 4; Polygamma "
        "6; RaggedRange 5; Relu 4; Relu6 4; RsqrtGrad 0 9 17; Sign 4; SoftmaxCrossEntropyWithLogits 2 11; Sqrt 13 14; "
        "SqrtGrad 20; Xlog1py 12"
    ),
    "TensorFlow gives what the memory held": (
        "Cholesky 4 5 7; IRFFT 1; IRFFT2D 1; IRFFT3D 1 10 11; RFFT 9; RFFT2D 1 2 11; RFFT3D 1 2 3 10 11 12"
    ),
    "names end at a NUL byte in TensorFlow": (
        "ShardedFilename 2; ShardedFilespec 2"
    ),
    "NaN gives NaN, where TensorFlow refuses some of it": (
        "BandedTriangularSolve 1 4 11; Lu 0 2 8 10; SelfAdjointEigV2 0 2 8 12 13 14 15 16 17"
    ),
    "nothing gives nothing, where TensorFlow refuses it": (
        "Conv2D 3; Conv3D 1 2 12 13 19 23 27; DecodeCSV 8; Dilation2D 3 13; ExtractVolumePatches 2 3 12 13; MirrorPadGrad "
        "1 2 10 11 15; Range 5; ResizeArea 2 13; ResizeBicubic 2 13; ResizeBicubicGrad 5; ResizeBilinear 2 13; "
        "ResizeBilinearGrad 5; ResizeNearestNeighbor 2 13; Reverse 1 10 15 19 23; ToBool 12 13; UnicodeEncode 1 9; "
        "UnravelIndex 2 12 13"
    ),
    "withdrawn from TensorFlow, where they are refused": (
        "TileGrad 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; TopK 0 1 3 4 5 6 7 8 9 10 12 13 14 15 16 17"
    ),
    "parts that are infinite or NaN leave the other part alone, as in NumPy; TensorFlow has NaN": (
        "BatchMatMul 14 16 17; BatchMatMulV2 20; BatchMatMulV3 16 18 19; Cumprod 18 20; Div 13 14; DivNoNan 13 14; "
        "EuclideanNorm 18 20; Expm1 13 14; Inv 13 14; Log1p 13 14; MatrixLogarithm 5; Mean 19; Pow 13 14; Prod 14 16 17; "
        "RFFT3D 0; RealDiv 13 14; Reciprocal 13 14; Rsqrt 13 14; Sigmoid 13 14; Sign 13 14; Xdivy 13 14; Xlog1py 13 14"
    ),
    "refused, where TensorFlow does not look at what is out of range": (
        "BroadcastArgs 8 9 10; DataFormatDimMap 0 2 3 4 5 6 7 8 9 10 11 12 13; Dilation2D 2 12; Gather 1 11 17 21 25; "
        "InplaceAdd 2 11; InplaceSub 2 11; InplaceUpdate 2 11; MatrixInverse 13 16; MatrixSolve 1 10; "
        "MatrixTriangularSolve 0 6 9"
    ),
    "nothing has the channels of the filter, where TensorFlow gives those of the input": (
        "Conv2D 1 4 5 15 25 29; Conv3D 3 4"
    ),
    "outputs that were not asked for are empty": (
        "SelfAdjointEigV2 1 3 4 5 9 10; Svd 0 1 2 3 4 5 8 9 10 12 13 14 15 16 17"
    ),
}  # fmt: skip
LEFT_OUT = {
    (op, int(index))
    for text in DIFFERS.values()
    for op, *indices in (part.split() for part in text.split("; "))
    for index in indices
}


def error_class(name):
    return getattr(tf.errors, name, None) or getattr(builtins, name)


def problem_with(found, wanted):
    """What is wrong with an eager result, or None."""
    if isinstance(found, str) or isinstance(wanted, str):
        if isinstance(found, str) and isinstance(wanted, str) and issubclass(error_class(found), error_class(wanted)):
            return None
        return f"{found}, not {wanted}"
    if len(found) != len(wanted):
        return f"{len(found)} outputs, not {len(wanted)}"
    for (dtype, shape, values), (w_dtype, w_shape, w_values) in zip(found, wanted):
        if (dtype, shape) != (w_dtype, w_shape):
            return f"{dtype}{shape}, not {w_dtype}{w_shape}"
        tolerance = TOLERANCE.get(dtype)
        if tolerance is None:
            same = values == w_values
        else:
            ours, theirs = np.array(values, float), np.array(w_values, float)
            same = np.allclose(ours, theirs, rtol=tolerance, atol=0.1 * tolerance, equal_nan=True)
            zeros = (ours == 0) & (theirs == 0)
            same = same and (np.signbit(ours) == np.signbit(theirs))[zeros].all()
        if not same:
            return f"{dtype} {values}, not {w_values}"
    return None


def usable(op):
    """The numbers of the samples that are looked at."""
    return [
        index
        for index, sample in enumerate(samples(op))
        if RECORDED[op][index] is not None and (HAS_BFLOAT16 or "bfloat16" not in repr(sample))
    ]


TOGETHER = 10  # ops that one test is about: what is wrong says the op
each_part = pytest.mark.parametrize(
    "ops", [OPS[i : i + TOGETHER] for i in range(0, len(OPS), TOGETHER)], ids=lambda p: p[0]
)


@each_part
def test_as_tensorflow(ops):
    wrong = []
    for op in ops:
        for index in usable(op):
            problem = problem_with(runner.eager(tf, op, samples(op)[index]), RECORDED[op][index])
            if problem and (op, index) not in LEFT_OUT:
                wrong.append(f"{op} {index} {samples(op)[index]}: {problem}")
    assert not wrong, "\n".join(wrong)


def traced(op, chosen, known):
    """The outputs of some samples of an op, computed by one traced function of all their edge values.

    `known` says of each sample whether the shapes of its arrays are; else not even the ranks are.
    """
    pairs = [(v, k) for sample, k in zip(chosen, known) for v in leaves(sample[0]) if isinstance(v, Edge)]
    given = [v for v, _ in pairs]
    specs = [tf.TensorSpec(v.array.shape if k else None, v.dtype) for v, k in pairs]

    def function(*tensors):
        left = iter(tensors)

        def one(value):
            if isinstance(value, list):
                return [one(v) for v in value]
            return next(left) if isinstance(value, Edge) else runner.tensor(tf, value)

        return [runner.call(tf, op, [one(v) for v in inputs], attrs) for inputs, attrs in chosen]

    with np.errstate(all="ignore"):
        found = tf.function(function, input_signature=specs, autograph=False)(*(runner.tensor(tf, v) for v in given))
    return [[runner.shown(t) for t in outputs] for outputs in found]


def same(a, b):
    """Whether two results are the same, but for the last digits that sums in another order have."""
    return problem_with(a, b) is None


# Both for each sample with EDGE_VALUES=all: all agree then, too, in twice the time.
@pytest.mark.parametrize("turn", [0, 1] if os.environ.get("EDGE_VALUES") == "all" else [0])
@each_part
def test_traced_is_eager(ops, turn):
    wrong = [told for op in ops for told in differences_of(op, turn)]
    assert not wrong, "\n".join(wrong)


def differences_of(op, turn):
    """Where traced samples give something else than the same ones at once."""
    found = {index: runner.eager(tf, op, samples(op)[index]) for index in usable(op)}
    whole = [index for index, result in found.items() if not isinstance(result, str)]
    wrong = []
    if whole:
        results = traced(op, [samples(op)[i] for i in whole], [i % 2 == turn for i in whole])
        for index, result in zip(whole, results):
            if problem_with(result, found[index]):
                wrong.append(f"{op} {index} {samples(op)[index]}: traced {result}, at once {found[index]}")
    for index in [index for index, result in found.items() if isinstance(result, str)][:2]:
        try:
            result = traced(op, [samples(op)[index]], [index % 2 == turn])
        except Exception:
            continue
        wrong.append(f"{op} {index} {samples(op)[index]}: traced {result}, at once {found[index]}")
    return wrong


def test_each_op_has_samples_enough():
    assert not [op for op in OPS if len(samples(op)) < 13 or len(samples(op)) != len(RECORDED[op])]


def test_what_differs_is_there():
    assert all(op in RECORDED and index < len(RECORDED[op]) for op, index in LEFT_OUT)
