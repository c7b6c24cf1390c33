"""Samples of raw ops over dtypes, shapes (0-d, empty, broadcast, large), attributes and bad input: op -> list of (inputs, attributes).

An input is `A(dtype, shape, domain)`, an array made of the name of the op and its place, a list of these, or a value. All
numbers are multiples of 1/8, so that every dtype holds them exactly. `record_op_samples.py` records what TensorFlow gives.
"""

import zlib
from typing import NamedTuple

import numpy as np

HALF = ["float16", "bfloat16"]
REAL = [*HALF, "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
INT = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
SOME_INT = ["int32", "int64", "uint8"]
NUM = [*REAL, *COMPLEX, *SOME_INT]
ALL = [*REAL, *COMPLEX, *INT, "bool", "string"]
PLAIN = ["bfloat16", "float32", "int32", "string", "bool", "complex64"]


class A(NamedTuple):
    dtype: str
    shape: tuple
    domain: str = "any"


def array_of(a, seed):
    """The array that `a` stands for (bfloat16 as float32, strings as bytes)."""
    rng = np.random.default_rng(zlib.crc32(repr((seed, a.shape, a.domain)).encode()))
    low, high = {"any": (-16, 17), "positive": (1, 17), "unit": (-7, 8), "above": (9, 33), "small": (-8, 9), "part": (1, 8)}[a.domain]
    whole = rng.integers(low, high, a.shape)
    if a.dtype == "string":
        return np.array([b"", b"a", b"Hello", "\u00e4\u00df".encode(), b" x y "], object)[np.abs(whole) % 5] if a.shape else b"Hello"
    if a.dtype == "bool":
        return whole % 2 == 0
    if "int" in a.dtype:
        whole = np.abs(whole) if a.dtype[0] == "u" or a.domain == "positive" else whole
        return (whole % 7 + 1 if a.domain in ("positive", "above") else whole // 2).astype(a.dtype)
    found = whole / 8.0
    if "complex" in a.dtype:
        found = found + 1j * rng.integers(low, high, a.shape) / 8.0
    return np.asarray(found, "float32" if a.dtype == "bfloat16" else a.dtype)


CASES = {}


def add(op, *inputs, **attrs):
    CASES.setdefault(op, []).append((inputs, attrs))


SHAPES = [(), (0, 3), (2, 3), (60,)]
PAIRS = [((), ()), ((2, 3), (3,)), ((0, 2), (1, 2)), ((2, 1), (1, 4)), ((), (5,)), ((2, 3), (4,))]


def unary(names, dtypes, domain="any", shapes=SHAPES, **attrs):
    for name in names.split():
        for dtype in dtypes:
            for shape in shapes if dtype in ("float32", "int32", "string", "complex64") else shapes[2:3]:
                add(name, A(dtype, shape, domain), **attrs)


def binary(names, dtypes, first="any", second="any", pairs=PAIRS):
    for name in names.split():
        for dtype in dtypes:
            for x, y in pairs if dtype in ("float32", "int32", "bool") else pairs[1:2]:
                add(name, A(dtype, x, first), A(dtype, y, second))


# --- elements --------------------------------------------------------------------------------------------------------
unary("Abs Neg Sign Square Exp Expm1 Tanh Sigmoid Sin Cos Atan Asinh Sinh Cosh Tan", [*REAL, *COMPLEX, "int32"], "small")
unary("Neg Sign Abs Square", ["int8", "int16", "int64"])
unary("Log Log1p Sqrt Rsqrt Reciprocal Inv", [*REAL, *COMPLEX], "positive")
unary("Acos Asin Atanh", [*REAL, *COMPLEX], "unit")
unary("Acosh", [*REAL, *COMPLEX], "above")
unary("Ceil Floor Rint Round IsNan IsInf IsFinite Erf Erfc Lgamma", REAL, "positive")
unary("Digamma Erfinv Ndtri BesselI0e BesselI1e", ["float32", "float64"], "part")
unary("BesselI0 BesselI1 BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Dawsn Expint FresnelCos FresnelSin Spence", ["bfloat16", "float16", "float32", "float64"], "positive")
unary("Relu Relu6 Elu Selu Softplus Softsign LeakyRelu", [*REAL, "int32"])
unary("Softmax LogSoftmax", REAL, shapes=[(3,), (0, 3), (2, 3), (2, 30)])
unary("L2Loss", REAL)
unary("LogicalNot", ["bool"])
unary("Invert PopulationCount", INT)
unary("Conj", COMPLEX)
unary("Real Imag Angle ComplexAbs", COMPLEX[:1])
unary("Real Imag Angle ComplexAbs", COMPLEX[1:], Tout="float64")
for _name in ("Identity", "StopGradient", "Rank", "Size", "Shape", "GuaranteeConst"):
    unary(_name, PLAIN)
unary("ZerosLike OnesLike", ["bfloat16", "float32", "int32", "bool", "complex64", "uint8"])
unary("PreventGradient", PLAIN)
unary("CheckNumerics", REAL, message="m")
unary("EnsureShape", ["float32"], shapes=[(2, 3)], shape=[None, 3])
unary("EnsureShape", ["float32"], shapes=[(2, 3)], shape=[None, 4])
binary("AddV2 Sub Mul", [*REAL, *COMPLEX, *INT])
binary("Add", [*REAL, *COMPLEX, "int32", "string"])
binary("Div RealDiv", [*REAL, *COMPLEX], second="positive")
binary("DivNoNan MulNoNan Xdivy Xlogy Xlog1py", [*REAL, *COMPLEX], "positive", "positive")
binary("FloorDiv FloorMod TruncateDiv TruncateMod", ["float32", "float64", "bfloat16", "float16", "int8", "int32", "int64", "uint8"], second="positive")
binary("Maximum Minimum SquaredDifference", [*REAL, "int8", "int32", "int64", "uint8"])
binary("Pow", [*REAL, *COMPLEX, "int32", "int64"], "positive", "positive")
binary("Atan2", REAL)
binary("NextAfter", ["float32", "float64"])
binary("Igamma Igammac Zeta Polygamma", ["float32", "float64"], "above", "positive")
binary("Less LessEqual Greater GreaterEqual", [*REAL, *INT])
binary("Equal NotEqual", ALL)
binary("ApproximateEqual", ["float32", "float64", "int32"], pairs=[((2, 3), (2, 3)), ((2, 3), (3,))])
binary("LogicalAnd LogicalOr", ["bool"])
binary("BitwiseAnd BitwiseOr BitwiseXor", INT)
binary("LeftShift RightShift", ["int8", "int32", "int64", "uint8"], second="positive")
for _name in ("ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "LeakyReluGrad", "SoftplusGrad", "SoftsignGrad", "SigmoidGrad", "TanhGrad", "InvGrad", "ReciprocalGrad", "SqrtGrad", "RsqrtGrad"):
    for _dtype in REAL:
        for _shape in SHAPES if _dtype == "float32" else SHAPES[2:3]:
            add(_name, A(_dtype, _shape, "part"), A(_dtype, _shape, "positive"))
for _dtype in ("float32", "float64"):
    for _shape in SHAPES:
        add("Betainc", A(_dtype, _shape, "positive"), A(_dtype, _shape, "above"), A(_dtype, _shape, "part"))
        add("Complex", A(_dtype, _shape), A(_dtype, _shape, "small"), Tout="complex64" if _dtype == "float32" else "complex128")
for _dtype in [*REAL, "int32", "uint8"]:
    add("ClipByValue", A(_dtype, (2, 3)), 0, 1)
add("ClipByValue", A("float32", (2, 3)), A("float32", (2, 3), "part"), A("float32", (2, 3), "above"))
add("ClipByValue", A("float32", ()), 2.0, 1.0)
for _from in [*REAL, *COMPLEX, *INT, "bool"]:
    for _to in [*REAL, *COMPLEX, *INT, "bool"]:
        if _from != _to and not (_from in COMPLEX and _to not in COMPLEX):
            add("Cast", A(_from, (7,), "positive" if _to[0] == "u" else "any"), DstT=_to)
for _from, _to, _shape in [("float32", "int32", (2, 3)), ("float32", "uint8", (2,)), ("uint8", "float32", (2, 4)), ("int64", "float64", ()), ("float64", "complex64", (2,)), ("uint8", "int16", (3,)), ("int32", "int64", (2, 2)), ("bfloat16", "uint16", (3,)), ("float16", "bfloat16", (3,))]:
    add("Bitcast", A(_from, _shape), type=_to)
for _shapes in [((2, 3), (2, 3), (2, 3)), ((2,), (2, 3), (2, 3)), ((), (2, 3), (2, 3)), ((2, 3), (3,), (3,))]:
    for _dtype in ("float32", "int32", "string", "bfloat16"):
        add("Select", A("bool", _shapes[0]), A(_dtype, _shapes[1]), A(_dtype, _shapes[2], "positive"))
for _shapes in [((2, 3), (2, 3), (2, 3)), ((3,), (2, 3), (3,)), ((2, 1), (1, 3), ()), ((0, 3), (3,), (1, 3)), ((2,), (3,), (3,))]:
    for _dtype in ("float32", "complex64", "string", "bfloat16", "bool"):
        add("SelectV2", A("bool", _shapes[0]), A(_dtype, _shapes[1]), A(_dtype, _shapes[2], "positive"))
for _count in (1, 2, 3):
    for _dtype in ("float32", "bfloat16", "int32", "complex64"):
        add("AddN", [A(_dtype, (2, 3)), A(_dtype, (2, 3), "small"), A(_dtype, (2, 3), "positive")][:_count])
        add("AccumulateNV2", [A(_dtype, (2, 3)), A(_dtype, (2, 3), "small"), A(_dtype, (2, 3), "positive")][:_count], shape=[2, 3])
add("AddN", [A("float32", (2, 3)), A("float32", (3, 2))])

# --- reductions ------------------------------------------------------------------------------------------------------
AXES = [[0], -1, [0, 1], [], [1], 5]
for _names, _dtypes in (("Sum Prod", [*NUM, "int8"]), ("Mean", NUM), ("Max Min", [*REAL, *INT]), ("EuclideanNorm", ["float32", "float64", "bfloat16", "complex64"]), ("All Any", ["bool"])):
    for _name in _names.split():
        for _dtype in _dtypes:
            for _axis in AXES if _dtype in ("float32", "int32", "bool") else AXES[:1]:
                add(_name, A(_dtype, (2, 3), "part" if _name == "Prod" else "any"), np.array(_axis, "int32"), keep_dims=_axis == [1])
        add(_name, A(_dtypes[0], (0, 3)), np.array([0], "int64"))
        add(_name, A("float32" if "float32" in _dtypes else "bool", ()), np.array([], "int32"))
for _name in ("ArgMax", "ArgMin"):
    for _dtype in [*REAL, *INT, "bool"]:
        add(_name, A(_dtype, (2, 3)), 1)
    for _axis, _shape in ((0, (2, 3)), (-2, (2, 3)), (3, (2, 3)), (0, ()), (0, (0, 3)), (1, (2, 0))):
        add(_name, A("float32", _shape), _axis, output_type="int32")
for _name in ("Cumsum", "Cumprod", "CumulativeLogsumexp"):
    for _dtype in REAL if _name[-1] == "p" else NUM:
        add(_name, A(_dtype, (2, 4), "part"), 1)
    for _axis, _shape in ((0, (2, 3)), (-1, (0, 3)), (1, (2,)), (0, (30,))):
        add(_name, A("float32", _shape, "part"), _axis, exclusive=_axis == 0, reverse=len(_shape) == 2)
for _name in ("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin"):
    for _dtype in ["float32", "float64", "bfloat16", "float16", "int32", "uint8"]:
        add(_name, A(_dtype, (4, 2), "part"), np.array([0, 0, 2, 2], "int32"))
    for _ids in ([0, 1, 1, 3], [1, 1, 1, 1], [0, 2, 1, 3], [0, 1], [-1, 0, 0, 1]):
        add(_name, A("float32", (4, 2), "part"), np.array(_ids, "int64"))
    add(_name, A("float32", (0, 2)), np.array([], "int32"))
for _name in ("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"):
    for _dtype in ["float32", "float64", "bfloat16", "float16", "int32", "uint8"]:
        add(_name, A(_dtype, (4, 2), "part"), np.array([2, 0, 2, -1], "int32"), 4)
    for _ids, _count in (([[0, 1], [1, 0], [0, 0], [2, 2]], 3), ([0, 1, 2, 3], 2), ([0, 1], 3), ([0, 0, 1, 1], 0)):
        add(_name, A("float32", (4, 2), "part"), np.array(_ids, "int64"), _count)
for _binary in (False, True):
    for _dtype in ("float32", "float64", "int32", "int64"):
        for _kind, _weights in (("int32", (5,)), ("int64", (0,))):
            _values, _size = np.array([1, 1, 0, 3, 9], _kind), np.array(4, _kind)
            _given = A(_dtype, _weights), {"binary_output": _binary}
            add("RaggedBincount", np.array([0, 2, 2, 5], "int64"), _values, _size, _given[0], **_given[1])
            _places = np.array([[0, 0], [0, 2], [2, 1], [2, 3], [3, 0]], "int64")
            add("SparseBincount", _places, _values, np.array([5, 4], "int64"), _size, _given[0], **_given[1])
            add("SparseBincount", _places[:, 1:], _values, np.array([4], "int64"), _size, _given[0], **_given[1])
for _splits in ([0], [], [1, 5], [0, 4], [0, 6], [0, 0, 5, 5]):
    _count = 0 if len(_splits) < 2 else 5
    add("RaggedBincount", np.array(_splits, "int64"), np.arange(_count, dtype="int32"), 3, A("float32", (0,)))
for _shape in ([3, 3], [4, 2], [4], [9, 9]):
    add("SparseBincount", _places, np.arange(5, dtype="int32"), np.array(_shape, "int64"), 3, A("float32", (0,)))
add("SparseBincount", np.zeros((0, 2), "int64"), np.zeros(0, "int32"), np.array([2, 4], "int64"), 3, A("float32", (0,)))

# --- shapes ----------------------------------------------------------------------------------------------------------
for _dtype in PLAIN:
    add("Reshape", A(_dtype, (2, 3)), np.array([3, 2], "int32"))
    add("Transpose", A(_dtype, (2, 3, 1)), np.array([2, 0, 1], "int32"))
    add("ExpandDims", A(_dtype, (2, 3)), 1)
    add("Squeeze", A(_dtype, (1, 3, 1)))
    add("BroadcastTo", A(_dtype, (3,)), np.array([2, 3], "int32"))
    add("Tile", A(_dtype, (2, 1)), np.array([1, 3], "int32"))
    add("Pack", [A(_dtype, (2,)), A(_dtype, (2,), "positive")], axis=1)
    add("Unpack", A(_dtype, (2, 3)), num=3, axis=1)
    add("ConcatV2", [A(_dtype, (2, 1)), A(_dtype, (2, 2), "positive")], 1)
    add("Split", 1, A(_dtype, (2, 4)), num_split=2)
    add("SplitV", A(_dtype, (2, 4)), np.array([1, 3], "int32"), 1, num_split=2)
    add("Slice", A(_dtype, (3, 4)), np.array([1, 0], "int32"), np.array([2, -1], "int32"))
    add("StridedSlice", A(_dtype, (3, 4)), np.array([0, 3], "int32"), np.array([3, 0], "int32"), np.array([2, -1], "int32"))
    add("ReverseV2", A(_dtype, (2, 3)), np.array([1], "int32"))
    add("Roll", A(_dtype, (2, 3)), np.array([1], "int32"), np.array([1], "int32"))
    add("GatherV2", A(_dtype, (3, 2)), np.array([[2, 0]], "int32"), 0)
    add("GatherNd", A(_dtype, (3, 2)), np.array([[2, 0], [0, 1]], "int32"))
    add("IdentityN", [A(_dtype, (2,)), A("int32", ())])
    add("Fill", np.array([2, 2], "int32"), A(_dtype, ()))
    add("Pad", A(_dtype, (2, 1)), np.array([[1, 0], [0, 2]], "int32"))
    add("MirrorPad", A(_dtype, (3, 2)), np.array([[1, 2], [1, 0]], "int32"), mode="REFLECT")
    add("ReverseSequence", A(_dtype, (2, 3)), np.array([2, 3], "int32"), seq_dim=1)
    add("Diag", A(_dtype, (3,)))
    add("MatrixBandPart", A(_dtype, (3, 3)), 1, 0)
for _shape, _new in (((2, 3), [-1]), ((2, 3), [4, -1]), ((0, 3), [0, -1]), ((), [1, 1]), ((2, 3), [5]), ((2, 3), [-1, -1]), ((6,), [2, 3])):
    add("Reshape", A("float32", _shape), np.array(_new, "int64"))
for _shape, _perm in (((2, 3), [1, 0]), ((2, 3), [0, 0]), ((2, 3), [0]), ((), []), ((0, 3), [1, 0]), ((2, 3), [0, 2])):
    add("Transpose", A("float32", _shape), np.array(_perm, "int32"))
    add("ConjugateTranspose", A("complex64", _shape), np.array(_perm, "int32"))
for _axis, _shape in ((0, ()), (-1, (2, 3)), (2, (2, 3)), (3, (2, 3)), (-4, (2, 3)), (0, (0,)), (1, (2,))):
    add("ExpandDims", A("float32", _shape), _axis)
for _axes, _shape in (([0], (1, 3)), ([0, -1], (1, 2, 1)), ([0], (2, 3)), ([5], (1,)), ([], ()), ([], (1, 1, 2)), ([], (0, 1))):
    add("Squeeze", A("float32", _shape), squeeze_dims=_axes)
for _shape, _new in (((), [2, 2]), ((1, 3), [0, 3]), ((2,), [3]), ((3,), [2, 3, 3]), ((2, 3), [3]), ((1,), [-1]), ((2, 1), [2, 4])):
    add("BroadcastTo", A("float32", _shape), np.array(_new, "int64"))
for _shape, _times in (((2,), [0]), ((2, 3), [2, 2]), ((2, 3), [2]), ((), []), ((2,), [-1]), ((0, 2), [3, 1]), ((2,), [15])):
    add("Tile", A("float32", _shape), np.array(_times, "int64"))
for _axis in (0, 1, 2, -1, -3, 3):
    add("Pack", [A("float32", (2, 3)), A("float32", (2, 3), "positive")], axis=_axis)
add("Pack", [A("float32", (2,)), A("float32", (3,))])
for _axis, _num in ((0, 2), (1, 3), (-1, 3), (2, 1), (0, 3), (0, 2)):
    add("Unpack", A("float32", (2, 3)), num=_num, axis=_axis)
for _axis in (0, 1, -1, 2, -3):
    add("ConcatV2", [A("float32", (2, 3)), A("float32", (2, 3), "positive"), A("float32", (2, 3), "small")], _axis)
add("ConcatV2", [A("float32", (2, 3)), A("float32", (3, 3))], 0)
add("ConcatV2", [A("float32", (0, 3)), A("float32", (2, 3))], np.array(0, "int64"))
add("ConcatV2", [A("float32", (2, 3)), A("float32", (3,))], 0)
for _axis, _num in ((0, 2), (0, 1), (0, 3), (-1, 2), (2, 2), (1, 0)):
    add("Split", _axis, A("float32", (2, 6)), num_split=_num)
for _sizes, _axis in (([2, -1], 0), ([1, 2], 0), ([0, 4], 0), ([-1, -1], 0), ([5, -1], 0), ([4, 2], 1), ([1, 1], 2)):
    add("SplitV", A("float32", (4, 6)), np.array(_sizes, "int64"), _axis, num_split=len(_sizes))
for _begin, _size in (([0, 0], [2, 2]), ([1, 1], [0, 3]), ([0, 2], [-1, -1]), ([2, 0], [2, 1]), ([0], [1]), ([-1, 0], [1, 1]), ([3, 4], [0, 0])):
    add("Slice", A("float32", (3, 4)), np.array(_begin, "int64"), np.array(_size, "int64"))
for _spec, _masks in (
    (([0, 0], [2, 2], [1, 1]), {}), (([1], [2], [1]), {"shrink_axis_mask": 1}), (([0, 1], [0, 3], [1, 1]), {"begin_mask": 1, "end_mask": 1}), (([0, 1], [0, 2], [1, 1]), {"ellipsis_mask": 1}), (([0, 0], [0, 2], [1, 1]), {"new_axis_mask": 1}), (([-1], [-9], [-1]), {}), (([5], [6], [1]), {"shrink_axis_mask": 1}), (([0], [2], [0]), {}), (([0, 0, 0], [1, 1, 1], [1, 1, 1]), {}), (([2], [1], [1]), {}), (([0, 3], [3, 0], [1, -2]), {"end_mask": 2}),
):  # fmt: skip
    add("StridedSlice", A("float32", (3, 4)), *[np.array(v, "int32") for v in _spec], **_masks)
for _axes in ([0], [0, 1], [], [-1], [2], [0, 0]):
    add("ReverseV2", A("float32", (2, 3)), np.array(_axes, "int64"))
for _shift, _axis in (([1], [0]), ([-1, 4], [0, 1]), ([1, 1], [0, 0]), ([0], [1]), ([1], [2]), ([7], [-1])):
    add("Roll", A("float32", (3, 4)), np.array(_shift, "int64"), np.array(_axis, "int32"))
for _index, _axis, _dims in (([0, 2], 0, 0), ([[1]], 1, 0), ([], 0, 0), (3, 0, 0), ([-1], 0, 0), (1, -1, 0), ([[0, 1], [1, 0], [1, 1]], 1, 1), ([0], 3, 0)):
    add("GatherV2", A("float32", (3, 2)), np.array(_index, "int64"), _axis, batch_dims=_dims)
for _index in ([[0], [2]], [[0, 1]], [[3, 0]], [[]], [0, 1], [[0, 0, 0]], [[[1], [2]]]):
    add("GatherNd", A("float32", (3, 2)), np.array(_index, "int32").reshape(np.shape(_index)))
for _dims in ([], [0, 2], [3], [2, 1, 2], [-1]):
    add("Fill", np.array(_dims, "int64"), A("float32", ()))
for _pads in ([[0, 0], [0, 0]], [[2, 1], [1, 1]], [[0, 1], [-1, 0]], [[1, 1]], [[3, 0], [0, 0]]):
    add("Pad", A("float32", (2, 3)), np.array(_pads, "int64"))
    add("PadV2", A("float32", (2, 3)), np.array(_pads, "int32"), A("float32", ()))
    add("PadV2", A("int32", (2, 3)), np.array(_pads, "int32"), A("int32", ()))
    add("MirrorPad", A("float32", (2, 3)), np.array(_pads, "int32"), mode="REFLECT")
    add("MirrorPad", A("float32", (2, 3)), np.array(_pads, "int32"), mode="SYMMETRIC")
for _lengths, _dims in (([3, 0], (1, 0)), ([1, 2, 3], (0, 1)), ([4, 1], (1, 0)), ([1], (1, 0)), ([1, -1], (1, 0))):
    add("ReverseSequence", A("float32", (2, 3)), np.array(_lengths, "int64"), seq_dim=_dims[0], batch_dim=_dims[1])
for _shape in ((2,), (2, 2), (), (0,), (1,)):
    add("Diag", A("float32", _shape))
for _dtype in ("float32", "int32", "complex64", "float64"):
    for _shape in ((3, 3), (2, 2, 2, 2), (2, 3), (3,), (0, 0)):
        add("DiagPart", A(_dtype, _shape))
for _low, _high in ((0, 0), (-1, 0), (0, -1), (1, 1), (5, 0), (-1, -1)):
    add("MatrixBandPart", A("float32", (3, 4)), np.array(_low, "int64"), np.array(_high, "int64"))
for _k in (0, 1, -1, [-1, 1], [0, 1], 3, [1, 0]):
    for _dtype in ("float32", "int32"):
        add("MatrixDiagPartV3", A(_dtype, (3, 4)), np.array(_k, "int32"), 7)
        add("MatrixSetDiagV3", A(_dtype, (3, 3)), A(_dtype, (3,) if isinstance(_k, int) and _k == 0 else (2,) if isinstance(_k, int) else (3, 3) if _k == [-1, 1] else (2, 3), "positive"), np.array(_k, "int32"))
        add("MatrixDiagV3", A(_dtype, (3,) if isinstance(_k, int) else (2, 3)), np.array(_k, "int32"), -1, -1, 0)
for _indices, _shape in (([[1], [3]], [5]), ([[1], [1]], [5]), ([[5], [0]], [5]), ([[0], [1]], [2]), ([[0], [-1]], [3])):
    for _dtype in ("float32", "int32", "bfloat16"):
        add("ScatterNd", np.array(_indices, "int32"), A(_dtype, (2,)), np.array(_shape, "int32"))
        for _name in ("TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMax", "TensorScatterMin"):
            add(_name, A(_dtype, (5,)), np.array(_indices, "int32"), A(_dtype, (2,), "positive"))
for _values, _dtype in (([3, 0, 1, 2], "int32"), ([0], "int64"), ([1, 1], "int32"), ([2, 0], "int32"), ([], "int32"), ([-1, 0], "int64")):
    add("InvertPermutation", np.array(_values, _dtype))
for _parts in ([1, 0, 1], [0, 0, 0], [2, 0, 1], [0, 1], [-1, 0, 0]):
    for _dtype in ("float32", "int32", "string"):
        add("DynamicPartition", A(_dtype, (3, 2)), np.array(_parts, "int32"), num_partitions=2)
for _dtype in PLAIN:
    add("DynamicStitch", [np.array([0, 2], "int32"), np.array([1, 3], "int32")], [A(_dtype, (2, 2)), A(_dtype, (2, 2), "positive")])
    add("DynamicStitch", [np.array([0, 0], "int32"), np.array(3, "int32")], [A(_dtype, (2, 2)), A(_dtype, (2,), "positive")])
for _parts, _shape in ((5, [3, 4]), ([5, 11], [3, 4]), ([0], [1]), ([12], [3, 4]), ([-1], [3, 4]), ([], [2]), ([3], [2, 0]), ([[1]], [2, 2])):
    add("UnravelIndex", np.array(_parts, "int32"), np.array(_shape, "int32"))
    add("UnravelIndex", np.array(_parts, "int64"), np.array(_shape, "int64"))
for _a, _b in (([2, 3], [3]), ([], [4]), ([1, 2], [3, 1]), ([2], [3]), ([0, 1], [5]), ([2, 1, 1], [1, 4])):
    for _dtype in ("int32", "int64"):
        add("BroadcastArgs", np.array(_a, _dtype), np.array(_b, _dtype))
        add("BroadcastGradientArgs", np.array(_a, _dtype), np.array(_b, _dtype))
for _start, _limit, _delta in ((0, 5, 1), (5, 0, -2), (0, 0, 1), (0, 1, 0), (5, 1, 1), (1, 9, 3)):
    for _dtype in ("int32", "int64", "float32", "float64", "bfloat16"):
        add("Range", np.array(_start, _dtype) if _dtype != "bfloat16" else ("bfloat16", _start), np.array(_limit, _dtype) if _dtype != "bfloat16" else ("bfloat16", _limit), np.array(_delta, _dtype) if _dtype != "bfloat16" else ("bfloat16", _delta))
for _num in (1, 2, 5, 0):
    for _dtype in ("float32", "float64"):
        add("LinSpace", np.array(0.5, _dtype), np.array(2.5, _dtype), np.array(_num, "int32"))
        add("LinSpace", np.array(3, _dtype), np.array(-1, _dtype), np.array(_num, "int64"))
for _axis, _depth in ((-1, 3), (0, 2), (1, 0), (2, 3), (-1, -1)):
    for _dtype in ("float32", "int32", "string", "bfloat16", "bool"):
        add("OneHot", np.array([0, 2, -1, 5], "int32"), _depth, A(_dtype, (), "positive"), A(_dtype, ()), axis=_axis)
for _shape in ((3,), (2, 3), (0,), ()):
    for _dtype in ("bool", "float32", "int32", "complex64"):
        add("Where", A(_dtype, _shape))

# --- matrices and networks -------------------------------------------------------------------------------------------
for _dtype in [*REAL, *COMPLEX, "int32", "int64"]:
    add("MatMul", A(_dtype, (2, 3)), A(_dtype, (3, 4), "small"))
    add("BatchMatMulV2", A(_dtype, (2, 2, 3)), A(_dtype, (1, 3, 2), "small"))
    add("Einsum", [A(_dtype, (2, 3)), A(_dtype, (3, 4), "small")], equation="ij,jk->ki")
for _ta, _tb, _x, _y in ((True, False, (3, 2), (3, 4)), (False, True, (2, 3), (4, 3)), (True, True, (3, 2), (4, 3)), (False, False, (2, 3), (2, 3)), (False, False, (0, 3), (3, 2)), (False, False, (2, 0), (0, 3)), (False, False, (2,), (2, 3))):
    add("MatMul", A("float32", _x), A("float32", _y, "small"), transpose_a=_ta, transpose_b=_tb)
    add("BatchMatMulV2", A("float32", (2, *_x)), A("float32", _y, "small"), adj_x=_ta, adj_y=_tb)
for _equation, *_shapes in (("ii->i", (3, 3)), ("ij->", (2, 3)), ("i,j->ij", (2,), (3,)), ("...ij,...jk->...ik", (2, 2, 3), (3, 2)), ("ij,ij->i", (2, 3), (2, 3)), ("ij,jk->ik", (2, 3), (2, 3)), ("abc->cab", (2, 1, 3))):
    add("Einsum", [A("float32", s) for s in _shapes], equation=_equation)
for _dtype in ("float32", "float64", "complex64", "complex128"):
    for _shape in ((3, 3), (2, 2, 2), (0, 0), (2, 3), (1, 1), (3,)):
        add("MatrixDeterminant", A(_dtype, _shape, "positive"))
        add("LogMatrixDeterminant", A(_dtype, _shape, "positive"))
    for _dims in ((3,), (2, 2)):
        add("Cross", A(_dtype, (*_dims, 3)), A(_dtype, (*_dims, 3), "small"))
for _dtype in ("float32", "float64", "int32", "int64", "bfloat16", "float16"):
    for _shape in ((3,), (2, 3), (2,), (0, 3)):
        add("Cross", A(_dtype, _shape), A(_dtype, _shape, "positive"))
for _dtype in ("float32", "float64"):
    for _adjoint in (False, True):
        add("MatrixTriangularSolve", A(_dtype, (3, 3), "positive"), A(_dtype, (3, 2)), lower=True, adjoint=_adjoint)
        add("MatrixTriangularSolve", A(_dtype, (2, 2, 2), "positive"), A(_dtype, (2, 2, 1)), lower=False, adjoint=_adjoint)
for _dtype in REAL:
    add("BiasAdd", A(_dtype, (2, 3)), A(_dtype, (3,)))
    add("BiasAddGrad", A(_dtype, (2, 3)))
for _shape, _bias, _format in (((2, 2, 2, 3), (3,), "NHWC"), ((2, 3, 2, 2), (3,), "NCHW"), ((2, 3), (2,), "NHWC"), ((3,), (3,), "NHWC"), ((2, 3), (3, 1), "NHWC"), ((0, 3), (3,), "NHWC")):
    add("BiasAdd", A("float32", _shape), A("float32", _bias), data_format=_format)
    add("BiasAddGrad", A("float32", _shape), data_format=_format)
for _dtype in REAL:
    add("SoftmaxCrossEntropyWithLogits", A(_dtype, (2, 3)), A(_dtype, (2, 3), "part"))
    add("SparseSoftmaxCrossEntropyWithLogits", A(_dtype, (2, 3)), np.array([2, 0], "int32"))
for _labels in ([0, 1], [3, 0], [-1, 0], [0], [[0, 1]]):
    add("SparseSoftmaxCrossEntropyWithLogits", A("float32", (2, 3)), np.array(_labels, "int64"))
for _x, _y in (((2, 3), (1, 3)), ((2, 3), (2, 4)), ((0, 3), (0, 3)), ((3,), (3,)), ((2, 1), (2, 3))):
    add("SoftmaxCrossEntropyWithLogits", A("float32", _x), A("float32", _y, "part"))
for _padding in ("SAME", "VALID"):
    for _stride in (1, 2):
        for _dtype in ("float32", "float64", "bfloat16", "float16"):
            add("Conv2D", A(_dtype, (1, 4, 5, 2), "small"), A(_dtype, (2, 3, 2, 3), "small"), strides=[1, _stride, 1, 1], padding=_padding)
            add("AvgPool", A(_dtype, (1, 4, 5, 2)), ksize=[1, 2, 2, 1], strides=[1, _stride, 2, 1], padding=_padding)
            add("MaxPool", A(_dtype, (1, 4, 5, 2)), ksize=[1, 2, 2, 1], strides=[1, _stride, 2, 1], padding=_padding)
            add("Conv3D", A(_dtype, (1, 3, 3, 4, 1), "small"), A(_dtype, (2, 1, 2, 1, 2), "small"), strides=[1, 1, _stride, 1, 1], padding=_padding)
            add("AvgPool3D", A(_dtype, (1, 3, 3, 4, 1)), ksize=[1, 2, 1, 2, 1], strides=[1, 1, _stride, 2, 1], padding=_padding)
            add("MaxPool3D", A(_dtype, (1, 3, 3, 4, 1)), ksize=[1, 2, 1, 2, 1], strides=[1, 1, _stride, 2, 1], padding=_padding)
            add("DepthwiseConv2dNative", A(_dtype, (1, 4, 5, 2), "small"), A(_dtype, (2, 3, 2, 2), "small"), strides=[1, _stride, _stride, 1], padding=_padding)
add("Conv2D", A("float32", (1, 4, 5, 2)), A("float32", (2, 3, 3, 3)), strides=[1, 1, 1, 1], padding="SAME")
add("Conv2D", A("float32", (1, 1, 1, 2)), A("float32", (2, 3, 2, 3)), strides=[1, 1, 1, 1], padding="VALID")
add("Conv2D", A("float32", (0, 4, 5, 2)), A("float32", (2, 3, 2, 3)), strides=[1, 1, 1, 1], padding="SAME")
add("Conv2D", A("float32", (1, 6, 5, 2), "small"), A("float32", (2, 2, 2, 1), "small"), strides=[1, 1, 1, 1], padding="SAME", dilations=[1, 2, 1, 1])
for _size, _shape in ((2, (1, 4, 2, 1)), (2, (1, 3, 2, 1)), (3, (2, 3, 6, 1)), (2, (1, 2, 2, 4))):
    for _dtype in ("float32", "int32", "bfloat16", "uint8"):
        add("SpaceToDepth", A(_dtype, _shape), block_size=_size)
        add("DepthToSpace", A(_dtype, (_shape[0], _shape[1], _shape[2], _shape[3] * _size**2)), block_size=_size)
for _k in (0, 1, 2, 3, 4):
    for _dtype in ("float32", "int32", "bfloat16", "uint8"):
        add("TopKV2", A(_dtype, (2, 3)), np.array(_k, "int32"))
for _dtype in ("float32", "int32", "int64", "float64"):
    add("LowerBound", np.sort(array_of(A(_dtype, (2, 5)), "rows"), 1), A(_dtype, (2, 3)))
    add("UpperBound", np.sort(array_of(A(_dtype, (2, 5)), "rows"), 1), A(_dtype, (2, 3)), out_type="int64")
    add("Unique", A(_dtype, (9,)))
    add("UniqueWithCounts", A(_dtype, (9,)), out_idx="int64")
for _shape in ((0,), (1,), (2, 2)):
    add("Unique", A("string", _shape))
    add("UniqueWithCounts", A("string", _shape))
for _dtype in ("float32", "float64"):
    for _shape in ((2, 3), (0, 3), (3,)):
        for _k in (1, 3):
            add("InTopKV2", A("float32", _shape), np.array([0, 2], "int32"), np.array(_k, "int32"))

# --- strings ---------------------------------------------------------------------------------------------------------
unary("StringLower StringUpper StringStrip StringLength EncodeBase64", ["string"], shapes=[(), (0,), (2, 3), (5,), (12,), (1, 1)])
for _unit in ("BYTE", "UTF8_CHAR"):
    add("StringLength", A("string", (6,)), unit=_unit)
    for _pos, _len in ((0, 2), (1, 1), (-1, 1), (0, 0), (9, 1)):
        add("Substr", A("string", (3,)), np.array(_pos, "int32"), np.array(_len, "int32"), unit=_unit)
for _dtype in [*REAL, *INT, "bool", "string", *COMPLEX]:
    add("AsString", A(_dtype, (3,)))
for _attrs in ({"precision": 2}, {"scientific": True}, {"width": 6}, {"width": 6, "fill": "0"}, {"shortest": True}):
    add("AsString", A("float32", (4,)), **_attrs)
for _text in (["1", "2.5"], ["-3"], ["x"], ["1e3"], [""], [" 7 "]):
    for _dtype in ("float32", "float64", "int32", "int64"):
        add("StringToNumber", np.array(_text, object), out_type=_dtype)
for _separator in ("", "-"):
    add("StringJoin", [A("string", (3,)), A("string", (3,), "positive")], separator=_separator)
    add("StringJoin", [A("string", (3,)), A("string", ())], separator=_separator)
    add("StringJoin", [A("string", (3,)), A("string", (2,))], separator=_separator)
    for _axis in ([0], [1], [0, 1], [], [-1], [2]):
        add("ReduceJoin", A("string", (2, 3)), np.array(_axis, "int32"), separator=_separator, keep_dims=_axis == [1])
for _pattern, _by in (("l+", "L"), ("(.)o", "\\1"), ("", "-"), ("[", "x"), ("^H", ""), ("x|y", "z")):
    add("RegexReplace", A("string", (5,)), np.array(_pattern.encode(), object), np.array(_by.encode(), object))
    add("RegexReplace", A("string", (5,)), np.array(_pattern.encode(), object), np.array(_by.encode(), object), replace_global=False)
    add("StaticRegexReplace", A("string", (5,)), pattern=_pattern, rewrite=_by)
    add("RegexFullMatch", A("string", (5,)), np.array(_pattern.encode(), object))
    add("StaticRegexFullMatch", A("string", (5,)), pattern=_pattern)
for _buckets in (1, 7, 1000):
    add("StringToHashBucketFast", A("string", (5,)), num_buckets=_buckets)
    add("StringToHashBucket", A("string", (5,)), num_buckets=_buckets)
    add("StringToHashBucketStrong", A("string", (5,)), num_buckets=_buckets, key=[1, 2])
