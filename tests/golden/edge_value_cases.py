"""Samples of raw ops on edge values: NaN, infinities, -0.0, the largest numbers, limits of integers, odd bytes, nothing at all.

Each op's samples come of its plain ones, those of `op_samples_cases` and the `MORE` below: numbers are exchanged for edge
values, sizes for 0. An input is an `Edge`, a list of these, or a value. `record_edge_values.py` records what TensorFlow gives.
"""

import dataclasses
import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.golden.op_samples_cases import CASES, COMPLEX, REAL, A, array_of

LARGEST = {"float16": 65504.0, "bfloat16": 3.38953139e38, "float32": 3.4028234663852886e38, "float64": 1.7976931348623157e308}
STRINGS = [
    b"", b"\xff\xfe", b"a\x00b", "\u00e4\u4e2d".encode(), b"\xc3", b" 12 ", b"-0", b"nan", b"1e400", b"0x10", b"\x00", b"\xed\xa0\x80",
]  # fmt: skip
SEVERAL = 12  # edge values of a dtype


@dataclasses.dataclass(frozen=True)
class Edge:
    """An input: an array, and its dtype if NumPy lacks that."""

    dtype: str
    array: Any

    def __repr__(self) -> str:
        return f"{self.dtype}{list(self.array.shape)} {self.array.reshape(-1).tolist()}"


def edges(dtype: str) -> Any:
    """The edge values of a dtype, `SEVERAL` of them."""
    if dtype == "string":
        return np.array(STRINGS, object)
    if dtype == "bool":
        return np.arange(SEVERAL) % 3 == 0
    if "int" in dtype:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        found = [low, high, -1, 0, 1, low + 1, high - 1, 7, -7, 2, 31, 64]
        return np.array([v if low <= v <= high else high // 2 + v for v in found], dtype)
    if dtype in COMPLEX:
        nan, inf = np.nan, np.inf
        parts = [(nan, 0), (inf, 0), (0, -inf), (-0.0, -0.0), (0, 0), (nan, inf), (1, inf), (-inf, nan), (1, -1), (-2.5, 0), (0, 3), (-1, -0.0)]  # fmt: skip
        return np.array([complex(*p) for p in parts], dtype)
    most = LARGEST[dtype]
    found = [np.nan, np.inf, -np.inf, -0.0, 0.0, most, -most, 1.0, -1.0, 0.5, -2.5, 30.0]
    return np.array(found, "float32" if dtype == "bfloat16" else dtype)


def filled(dtype: str, shape: tuple[int, ...], start: int, step: int) -> Edge:
    """An array of edge values, taken from `start` by steps."""
    places = (start + step * np.arange(int(np.prod(shape)))) % SEVERAL
    return Edge(dtype, edges(dtype)[places].reshape(shape))


# --- ops that have no plain samples --------------------------------------------------------------------------------------
MORE: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {}


def add(op: str, *inputs: Any, **attrs: Any) -> None:
    MORE.setdefault(op, []).append((inputs, attrs))


def ints(*values: Any, dtype: str = "int32") -> Any:
    return np.array(values, dtype)


SQUARE = np.array([[4.0, 1.0, 0.5], [1.0, 5.0, 0.25], [0.5, 0.25, 6.0]], "float32")
IMAGE = A("float32", (1, 4, 3, 2), "positive")
BOXES = np.array([[0.0, 0.0, 1.0, 1.0], [0.25, 0.0, 0.5, 0.75], [0.0, 0.125, 1.0, 0.875]], "float32")
for _name in ("FFT", "IFFT"):
    for _type in COMPLEX:
        add(_name, A(_type, (2, 5)))
        add(_name + "2D", A(_type, (3, 4)))
        add(_name + "3D", A(_type, (2, 3, 2)))
for _rank in (1, 2, 3):
    _suffix = "" if _rank == 1 else f"{_rank}D"
    for _real, _whole in (("float32", "complex64"), ("float64", "complex128")):
        add("RFFT" + _suffix, A(_real, (2, 3, 4)[-_rank:]), ints(*(2, 3, 4)[-_rank:]), Tcomplex=_whole)
        add("IRFFT" + _suffix, A(_whole, (2, 3, 3)[-_rank:]), ints(*(2, 3, 4)[-_rank:]), Treal=_real)
for _type in ("float32", "float64"):
    _square = SQUARE.astype(_type)
    add("Cholesky", _square)
    add("MatrixInverse", _square)
    add("MatrixSolve", _square, A(_type, (3, 2)))
    add("MatrixSquareRoot", _square)
    add("Svd", _square, compute_uv=False)
    add("SelfAdjointEigV2", _square, compute_v=False)
    add("TridiagonalSolve", A(_type, (3, 4), "above"), A(_type, (4, 1)))
    add("TridiagonalMatMul", A(_type, (1, 4)), A(_type, (1, 4)), A(_type, (1, 4)), A(_type, (4, 2)))
    add("BandedTriangularSolve", A(_type, (2, 3), "above"), A(_type, (3, 1)))
    add("IgammaGradA", A(_type, (4,), "above"), A(_type, (4,), "positive"))
    add("RandomGammaGrad", A(_type, (4,), "above"), A(_type, (4,), "positive"))
    add("Mod", A(_type, (5,)), A(_type, (5,), "positive"))
add("MatrixLogarithm", np.eye(2, dtype="complex64") * 2)
for _name in ("ResizeArea", "ResizeBicubic", "ResizeBilinear", "ResizeNearestNeighbor"):
    for _type in ("float32", "uint8", "float64", "int32"):
        add(_name, A(_type, (1, 3, 4, 2), "positive"), ints(5, 3))
for _name in ("ResizeBicubicGrad", "ResizeBilinearGrad"):
    add(_name, A("float32", (1, 5, 3, 2)), A("float32", (1, 3, 4, 2)))
add("ResizeNearestNeighborGrad", A("float32", (1, 5, 3, 2)), ints(3, 4))
add("CropAndResize", IMAGE, BOXES[:2], ints(0, 0), ints(2, 2))
add("ScaleAndTranslate", IMAGE, ints(2, 2), np.array([0.5, 0.75], "float32"), np.array([0.0, 0.25], "float32"))
add("AdjustContrastv2", IMAGE, np.float32(1.5))
add("AdjustHue", A("float32", (2, 2, 3), "part"), np.array(0.25, "float32"))
add("AdjustSaturation", A("float32", (2, 2, 3), "part"), np.array(0.5, "float32"))
for _name in ("HSVToRGB", "RGBToHSV"):
    for _type in REAL:
        add(_name, A(_type, (2, 3), "part"))
add("Bincount", ints(1, 2, 2, 0), ints(4)[0], A("float32", (4,)))
add("DenseBincount", A("int32", (4,), "positive"), ints(5)[0], A("float32", (4,)))
add("DenseBincount", A("int64", (4,), "positive"), ints(5, dtype="int64")[0], A("float32", (0,)))
for _type in ("float32", "float64", "int32", "int64"):
    add("Bucketize", A(_type, (5,)), boundaries=[-1.0, 0.0, 2.5])
    add("HistogramFixedWidth", A(_type, (5,)), np.array([-1, 2], _type), 4)
for _type in ("float32", "int32", "string", "complex64", "bool"):
    add("Concat", 0, [A(_type, (2,)), A(_type, (3,))])
    add("Gather", A(_type, (4, 2)), A("int32", (3,), "positive"))
    add("Reverse", A(_type, (2, 3)), np.array([True, False]))
    add("DeepCopy", A(_type, (3,)))
    add("Snapshot", A(_type, (3,)))
    add("ParallelDynamicStitch", [ints(0, 2), ints(1, 3)], [A(_type, (2, 2)), A(_type, (2, 2), "positive")])
    add("MatrixDiag", A(_type, (3,)))
    add("MatrixDiagPart", A(_type, (3, 4)))
    add("MatrixSetDiag", A(_type, (3, 3)), A(_type, (3,)))
    add("MatrixDiagV2", A(_type, (3,)), ints(1)[0], 4, 4, A(_type, ()))
    add("MatrixDiagPartV2", A(_type, (3, 4)), ints(1)[0], A(_type, ()))
    add("MatrixSetDiagV2", A(_type, (3, 3)), A(_type, (2,)), ints(1)[0])
    add("BatchToSpace", A(_type, (4, 1, 1, 2)), ints([0, 0], [0, 0]), block_size=2)
    add("BatchToSpaceND", A(_type, (4, 1, 1, 2)), ints(2, 2), ints([0, 0], [0, 0]))
    add("SpaceToBatch", A(_type, (1, 2, 2, 2)), ints([0, 0], [0, 0]), block_size=2)
    add("SpaceToBatchND", A(_type, (1, 2, 2, 2)), ints(2, 2), ints([0, 0], [0, 0]))
    add("ToBool", A(_type, ()))
    add("ToBool", A(_type, (3,)))
    add("SparseToDense", ints(1, 3), ints(5), A(_type, (2,)), A(_type, ()))
for _type in ("float32", "int32", "string"):
    add("ListDiff", A(_type, (5,)), A(_type, (2,), "positive"))
    add("UniqueV2", A(_type, (6,)), ints(0))
    add("UniqueWithCountsV2", A(_type, (6,)), ints(0))
for _type in ("float32", "int32", "complex64"):
    add("InplaceAdd", A(_type, (3, 2)), ints(0, 2), A(_type, (2, 2)))
    add("InplaceSub", A(_type, (3, 2)), ints(0, 2), A(_type, (2, 2)))
    add("InplaceUpdate", A(_type, (3, 2)), ints(0, 2), A(_type, (2, 2)))
    add("MirrorPadGrad", A(_type, (4, 5)), ints([1, 1], [1, 1]), mode="REFLECT")
    add("StridedSliceGrad", ints(3, 4), ints(0, 1), ints(2, 3), ints(1, 1), A(_type, (2, 2)))
    add("TileGrad", A(_type, (4, 3)), ints(2, 1))
    add("BatchMatMul", A(_type, (2, 2, 3)), A(_type, (2, 3, 2), "small"))
    add("BatchMatMulV3", A(_type, (2, 2, 3)), A(_type, (1, 3, 2), "small"), Tout=_type)
    add("BiasAddV1", A(_type, (2, 3)), A(_type, (3,)))
for _type in ("float32", "int32", "float64"):
    add("InTopK", A("float32", (2, 3)), ints(2, 0), k=2)
    add("NthElement", A(_type, (2, 4)), ints(1)[0])
    add("TopK", A(_type, (2, 4)), k=2)
    add("Dilation2D", A(_type, (1, 3, 3, 1)), A(_type, (2, 2, 1)), strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID")
    add("ExtractImagePatches", A(_type, (1, 3, 3, 2)), ksizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME")
    add("ExtractVolumePatches", A(_type, (1, 2, 3, 3, 1)), ksizes=[1, 2, 2, 1, 1], strides=[1, 1, 1, 1, 1], padding="VALID")
    for _name in ("SegmentMaxV2", "SegmentMinV2", "SegmentProdV2", "SegmentSumV2"):
        add(_name, A(_type, (4, 2)), ints(0, 0, 2, 1), 4)
    add("IsotonicRegression", A(_type, (2, 4)), output_dtype="float64" if _type == "float64" else "float32")
add("LRN", A("float32", (1, 2, 2, 4)), depth_radius=1)
add("FakeQuantWithMinMaxArgs", A("float32", (6,)), min=-1.0, max=2.0)
add("FakeQuantWithMinMaxArgsGradient", A("float32", (6,)), A("float32", (6,)), min=-1.0, max=2.0)
add("FakeQuantWithMinMaxVars", A("float32", (6,)), np.float32(-1.0), np.float32(2.0))
add("FakeQuantWithMinMaxVarsGradient", A("float32", (6,)), A("float32", (6,)), np.float32(-1.0), np.float32(2.0))
add("FakeQuantWithMinMaxVarsPerChannel", A("float32", (3, 2)), np.array([-1, -2], "float32"), np.array([1, 2], "float32"))
for _type in ("float32", "float64"):
    add("QuantizeAndDequantizeV2", A(_type, (6,)), np.array(-1, _type), np.array(2, _type), range_given=True)
    add("QuantizeAndDequantizeV3", A(_type, (6,)), np.array(-1, _type), np.array(2, _type), ints(8)[0])
    add("QuantizeAndDequantizeV4", A(_type, (6,)), np.array(-1, _type), np.array(2, _type))
for _name in ("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"):
    _scales = [np.array(v, "float32") for v in ([1.0, 2.0], [0.5, 0.0], [0.0, 1.0], [1.0, 4.0])]
    add(_name, IMAGE, *_scales, is_training=False)
add("NonMaxSuppressionV3", BOXES, np.array([0.5, 0.75, 0.25], "float32"), ints(2)[0], np.float32(0.5), np.float32(0.0))
add("NonMaxSuppressionV2", BOXES, np.array([0.5, 0.75, 0.25], "float32"), ints(2)[0], np.float32(0.5))
add("NonMaxSuppression", BOXES, np.array([0.5, 0.75, 0.25], "float32"), ints(2)[0])
add("DrawBoundingBoxesV2", np.zeros((1, 4, 4, 3), "float32"), BOXES[None, :1], np.ones((1, 3), "float32"))
add("NearestNeighbors", A("float32", (3, 2)), A("float32", (4, 2), "positive"), ints(2, dtype="int64")[0])
add("DecodeBase64", A("string", (4,)))
add("DecodeRaw", A("string", (1,)), out_type="uint8")
add("DecodeRaw", A("string", ()), out_type="float32")
add("BroadcastArgs", A("int32", (2,), "positive"), A("int64", (2,), "positive"))
add("BroadcastArgs", A("int32", (3,), "positive"), A("int32", (2,), "positive"))
add("BroadcastGradientArgs", A("int32", (2,), "positive"), A("int32", (2,), "positive"))
add("InvertPermutation", A("int32", (4,)))
add("UnravelIndex", A("int32", (3,), "positive"), A("int32", (2,), "positive"))
for _type in ("float32", "float64", "int32", "int64"):
    add("StringToNumber", A("string", (4,)), out_type=_type)
add("DecodeCSV", A("string", (3,)), [np.zeros(0, "float32")])
add("DecodeCSV", A("string", (3,)), [np.zeros(1, "int32")])
add("DecodeCSV", A("string", (3,)), [np.array(["x"], object)])
add("DecodeCompressed", A("string", (2,)), compression_type="")
add("DecodeCompressed", A("string", (2,)), compression_type="ZLIB")
add("ParseTensor", A("string", ()), out_type="float32")
add("ParseTensor", A("string", ()), out_type="string")
for _type in ("float32", "int64", "bool", "string", "complex64"):
    add("SerializeTensor", A(_type, (3,)))
add("StringSplit", A("string", (3,)), np.array(b" ", object))
add("StringSplit", A("string", (3,)), np.array(b"", object), skip_empty=False)
add("StringSplitV2", A("string", (3,)), np.array(b"", object))
add("StringSplitV2", A("string", (3,)), np.array(b"b", object), maxsplit=1)
add("StringNGrams", A("string", (4,)), np.array([0, 2, 4], "int64"), separator="|", ngram_widths=[2], left_pad="<", right_pad=">", pad_width=1, preserve_short_sequences=True)  # fmt: skip
for _errors in ("replace", "ignore", "strict"):
    for _encoding in ("UTF-8", "UTF-16-BE", "US-ASCII"):
        add("UnicodeDecode", A("string", (4,)), input_encoding=_encoding, errors=_errors)
        add("UnicodeDecodeWithOffsets", A("string", (4,)), input_encoding=_encoding, errors=_errors)
        add("UnicodeTranscode", A("string", (4,)), input_encoding=_encoding, output_encoding="UTF-8", errors=_errors)
        add("UnicodeTranscode", A("string", (4,)), input_encoding=_encoding, output_encoding="UTF-16-BE", errors=_errors, replace_control_characters=True)  # fmt: skip
add("UnicodeEncode", A("int32", (4,), "positive"), np.array([0, 2, 4], "int64"), output_encoding="UTF-8", errors="replace")
add("UnicodeEncode", A("int32", (4,), "positive"), np.array([0, 2, 4], "int64"), output_encoding="UTF-16-BE", errors="ignore")
add("UnicodeScript", A("int32", (4,), "positive"))
add("StringFormat", [A("float32", (3,)), A("int64", ()), A("string", (2,))], template="%s|%s|%s", placeholder="%s")
add("UnsortedSegmentJoin", A("string", (3,)), ints(0, 1, 0), ints(2)[0], separator="-")
add("Fingerprint", A("uint8", (3, 2)), np.array(b"farmhash64", object))
add("Fingerprint", A("float32", (3, 2)), np.array(b"farmhash64", object))
add("RaggedRange", A("float32", (2,)), A("float32", (2,), "above"), A("float32", (2,), "positive"))
add("RaggedRange", A("int32", (2,)), A("int32", (2,), "positive"), A("int32", (2,), "positive"))
add("ConcatOffset", ints(0)[0], [A("int32", (2,), "positive"), A("int32", (2,), "positive")])
add("DataFormatDimMap", A("int32", (4,)))
add("DataFormatVecPermute", A("int32", (4,)))
add("ShardedFilename", A("string", ()), ints(1)[0], ints(5)[0])
add("ShardedFilespec", A("string", ()), ints(5)[0])
add("ShardedFilename", A("string", ()), A("int32", ()), ints(5)[0])
add("ShardedFilespec", A("string", ()), A("int32", ()))
add("CTCGreedyDecoder", A("float32", (3, 1, 4)), ints(3))
add("Lu", SQUARE)
add("Fill", A("int32", (2,), "positive"), A("float32", ()))
add("Range", A("float32", ()), A("float32", (), "above"), A("float32", (), "positive"))
add("LinSpace", A("float32", ()), A("float32", ()), ints(4)[0])

# Ops whose samples are left out, with the reason.
LEFT_OUT = {
    "DepthwiseConv2dNative": "TensorFlow ends the process",
    "Bitcast": "bits of NaN",
    "Angle": "the sign of the angle of NaN parts",
}


# --- what becomes of the plain samples -----------------------------------------------------------------------------------
def leaves(inputs: tuple[Any, ...]) -> Iterator[Any]:
    for value in inputs:
        if isinstance(value, list):
            yield from value
        else:
            yield value


def dtype_of(value: Any) -> str | None:
    """The dtype of an input that edge values may stand in for."""
    if isinstance(value, (A, Edge)):
        return value.dtype
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "fc":
        return value.dtype.name
    return None


def mapped(inputs: tuple[Any, ...], change: Any) -> tuple[Any, ...]:
    """The inputs with `change(place, input)` for each that has a dtype."""
    place = iter(range(1000))

    def one(value: Any) -> Any:
        if isinstance(value, list):
            return [one(v) for v in value]
        return value if dtype_of(value) is None else change(next(place), value)

    return tuple(one(v) for v in inputs)


def plain(op: str, place: int, value: Any) -> Edge:
    """An input as it is in the plain sample."""
    dtype = dtype_of(value)
    assert dtype is not None
    if isinstance(value, Edge):
        return value
    array = array_of(value, (op, place)) if isinstance(value, A) else value
    return Edge(dtype, np.asarray(array, object if dtype == "string" else None))


def shape_of(value: Any) -> tuple[int, ...]:
    return value.shape if isinstance(value, A) else value.array.shape if isinstance(value, Edge) else np.shape(value)


def bases(op: str) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """A plain sample for each combination of dtypes (and of attributes that are dtypes): the largest of its inputs."""
    found: dict[Any, Any] = {}
    for inputs, attrs in [*CASES.get(op, ()), *MORE.get(op, ())]:
        dtypes = [dtype_of(v) for v in leaves(inputs)]
        sizes = [int(np.prod(shape_of(v))) for v in leaves(inputs) if dtype_of(v)]
        if not sizes or 0 in sizes:
            continue
        key = str(dtypes), str({k: v for k, v in attrs.items() if op in MORE or isinstance(v, str)})
        if key not in found:
            found[key] = inputs, attrs
    return list(found.values())


def is_elementwise(op: str) -> bool:
    """Whether the op takes arrays of any shapes."""
    shapes = [tuple(v.shape for v in inputs) for inputs, _ in CASES.get(op, ()) if all(isinstance(v, A) for v in inputs)]
    return ((2, 3), (3,)) in shapes and ((2, 1), (1, 4)) in shapes or (((),) in shapes and ((2, 3),) in shapes)


MOST_BASES = 5
ENOUGH = 13  # samples of an op
CONSTANTS = (0, 1, 2, 3, 5, 6)  # places of NaN, the infinities, -0.0 and the largest; of limits of integers


@functools.cache
def samples(op: str) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """All samples of an op, none of them twice."""
    found: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {}

    def take(base: Any, change: Any) -> None:
        inputs = mapped(base[0], change)
        found.setdefault(repr((inputs, base[1])), (inputs, base[1]))

    chosen = bases(op)
    if is_elementwise(op):
        for number, base in enumerate(chosen):
            pair = sum(dtype_of(v) is not None for v in base[0]) == 2
            take(base, lambda i, v: filled(dtype_of(v), [(SEVERAL, 1), (1, SEVERAL)][i] if pair else (SEVERAL,), 0, 1))
            if number < 3:
                take(base, lambda i, v: filled(dtype_of(v), [(0, 2), (1, 2)][i], 0, 1))
                take(base, lambda i, v: filled(dtype_of(v), (), 5 * number + i, 1))
                take(base, lambda i, v: filled(dtype_of(v), [(3, 0), ()][i], 0, 1))
        for place in range(SEVERAL):
            for base in chosen if len(found) < ENOUGH else ():
                take(base, lambda i, v: filled(dtype_of(v), (), place + 5 * i, 1))
                take(base, lambda i, v: filled(dtype_of(v), (place // 4 + 1, place % 4), place + 5 * i, 1))
                take(base, lambda i, v: filled(dtype_of(v), (place + 2,), place + 5 * i, 5))
        return list(found.values())
    chosen = [chosen[i * len(chosen) // MOST_BASES] for i in range(MOST_BASES)] if len(chosen) > MOST_BASES else chosen
    for number, base in enumerate(chosen):
        count = sum(dtype_of(v) is not None for v in leaves(base[0]))
        take(base, lambda i, v: filled(dtype_of(v), shape_of(v), i * 5, 5))
        sizes = sorted({d for v in leaves(base[0]) if dtype_of(v) for d in shape_of(v) if d})
        for size in sizes if number < 2 else sizes[:1]:
            take(base, lambda i, v: without(dtype_of(v), shape_of(v), size))
        for constant in CONSTANTS if number == 0 else CONSTANTS[number % 3 :: 3]:
            take(base, lambda i, v: with_one(op, i, v, constant, i == number % count))
    for place in (*CONSTANTS, 4, 7, 8, 9, 10, 11):
        for base in chosen if len(found) < ENOUGH else ():
            count = sum(dtype_of(v) is not None for v in leaves(base[0]))
            take(base, lambda i, v: filled(dtype_of(v), shape_of(v), place, 0))
            take(base, lambda i, v: with_one(op, i, v, place, i == count - 1, last=True))
            take(base, lambda i, v: filled(dtype_of(v), shape_of(v), i + place, 1))
            if dtype_of(base[0][0]) == "bool":
                take(base, lambda i, v: filled(dtype_of(v), (place + 2, 2), i + place, 5))
    return list(found.values())


def without(dtype: Any, shape: tuple[int, ...], size: int) -> Edge:
    """An array of which the dimensions of a size are 0."""
    return filled(dtype, tuple(0 if d == size else d for d in shape), 0, 1)


def with_one(op: str, place: int, value: Any, constant: int, changed: bool, last: bool = False) -> Edge:
    """The plain input with one edge value in it, the first or last element, if it is to be `changed`."""
    found = plain(op, place, value)
    if not changed or not found.array.size:
        return found
    array = found.array.copy().reshape(-1)
    array[-1 if last else 0] = edges(found.dtype)[constant]
    return Edge(found.dtype, array.reshape(found.array.shape))


OPS = sorted({*CASES, *MORE} - set(LEFT_OUT))
