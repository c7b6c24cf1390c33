"""Samples of raw ops on pictures, signals, sets and sparse tensors, of quantized numbers, and of gradients of pooling.

`CASES` has those of `op_samples_cases`, in whose words they are written, and these behind them.
"""

import numpy as np

from tests.golden import op_samples_cases
from tests.golden.op_samples_cases import REAL, A, array_of

CASES = {op: list(samples) for op, samples in op_samples_cases.CASES.items()}


def add(op, *inputs, **attrs):
    CASES.setdefault(op, []).append((inputs, attrs))


def i32(*values):
    return np.array(values, "int32")


def i64(*values):
    return np.array(values, "int64")


def f32(*values):
    return np.array(values, "float32")


def text(*values):
    return np.array([v.encode() for v in values], object)


# --- pooling and convolution, backwards ------------------------------------------------------------------------------
for _padding in ("SAME", "VALID"):
    for _stride in (1, 2):
        _out = tuple(-(-n // s) if _padding == "SAME" else -(-(n - 1) // s) for n, s in ((4, _stride), (5, 2)))
        _pool = {"ksize": [1, 2, 2, 1], "strides": [1, _stride, 2, 1], "padding": _padding}
        _deep = (1, -(-3 // 1) if _padding == "SAME" else 2, *_out, 2)
        _pool3 = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 1, _stride, 2, 1], "padding": _padding}
        for _dtype in REAL:
            _x, _g = A(_dtype, (1, 4, 5, 2)), A(_dtype, (1, *_out, 2), "small")
            add("AvgPoolGrad", i32(1, 4, 5, 2), _g, **_pool)
            add("AvgPool3DGrad", i32(1, 3, 4, 5, 2), A(_dtype, _deep, "small"), **_pool3)
            add("MaxPoolWithArgmax", _x, **_pool)
            add("MaxPoolWithArgmax", _x, **_pool, include_batch_in_index=True, Targmax="int32")
            _k = {"strides": [1, _stride, _stride, 1], "padding": _padding}
            _conv = tuple(
                -(-n // _stride) if _padding == "SAME" else -(-(n - f + 1) // _stride) for n, f in ((4, 2), (5, 3))
            )
            add(
                "Conv2DBackpropFilter",
                A(_dtype, (1, 4, 5, 2), "small"),
                i32(2, 3, 2, 3),
                A(_dtype, (1, *_conv, 3), "small"),
                **_k,
            )
            add(
                "Conv2DBackpropInput",
                i32(1, 4, 5, 2),
                A(_dtype, (2, 3, 2, 3), "small"),
                A(_dtype, (1, *_conv, 3), "small"),
                **_k,
            )
            add(
                "DepthwiseConv2dNativeBackpropFilter",
                A(_dtype, (1, 4, 5, 2), "small"),
                i32(2, 3, 2, 2),
                A(_dtype, (1, *_conv, 4), "small"),
                **_k,
            )
            add(
                "DepthwiseConv2dNativeBackpropInput",
                i32(1, 4, 5, 2),
                A(_dtype, (2, 3, 2, 2), "small"),
                A(_dtype, (1, *_conv, 4), "small"),
                **_k,
            )
            _k3 = {"strides": [1, _stride, _stride, _stride, 1], "padding": _padding}
            _conv3 = tuple(-(-n // _stride) if _padding == "SAME" else -(-(n - 1) // _stride) for n in (3, 3, 4))
            add(
                "Conv3DBackpropFilterV2",
                A(_dtype, (1, 3, 3, 4, 1), "small"),
                i32(2, 2, 2, 1, 2),
                A(_dtype, (1, *_conv3, 2), "small"),
                **_k3,
            )
            add(
                "Conv3DBackpropInputV2",
                i32(1, 3, 3, 4, 1),
                A(_dtype, (2, 2, 2, 1, 2), "small"),
                A(_dtype, (1, *_conv3, 2), "small"),
                **_k3,
            )
add(
    "AvgPoolGrad", i32(1, 4, 5, 2), A("float32", (1, 3, 3, 2)), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME"
)
add("AvgPoolGrad", i32(4, 5), A("float32", (1, 4, 5, 2)), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
add(
    "AvgPoolGrad", i32(0, 4, 5, 2), A("float32", (0, 4, 5, 2)), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME"
)
add(
    "Conv2DBackpropFilter",
    A("float32", (1, 4, 5, 2)),
    i32(2, 3, 3, 3),
    A("float32", (1, 4, 5, 3)),
    strides=[1, 1, 1, 1],
    padding="SAME",
)
add(
    "Conv2DBackpropInput",
    i32(1, 4, 5, 3),
    A("float32", (2, 3, 2, 3)),
    A("float32", (1, 4, 5, 3)),
    strides=[1, 1, 1, 1],
    padding="SAME",
)
for _rates in ([1, 1, 1, 1], [1, 2, 1, 1]):
    for _padding in ("SAME", "VALID"):
        for _dtype in ("float32", "float64", "float16", "int32"):
            _k = {"strides": [1, 1, 1, 1], "rates": _rates, "padding": _padding}
            _height = 4 if _padding == "SAME" else 4 - _rates[1]
            _grad = A(_dtype, (1, _height, 5 if _padding == "SAME" else 4, 2), "small")
            add("Dilation2DBackpropInput", A(_dtype, (1, 4, 5, 2)), A(_dtype, (2, 2, 2), "small"), _grad, **_k)
            add("Dilation2DBackpropFilter", A(_dtype, (1, 4, 5, 2)), A(_dtype, (2, 2, 2), "small"), _grad, **_k)
for _radius, _bias, _alpha, _beta in ((1, 1.0, 0.5, 0.5), (2, 2.0, 0.25, 1.0), (0, 1.0, 1.0, 0.75), (5, 1.0, 1.0, 0.5)):
    for _shape in ((1, 2, 2, 4), (2, 1, 1, 3), (1, 1, 2, 1), (0, 2, 2, 3)):
        _x = A("float32", _shape, "positive")
        _k = {"depth_radius": _radius, "bias": _bias, "alpha": _alpha, "beta": _beta}
        add("LRNGrad", A("float32", _shape, "small"), _x, A("float32", _shape, "part"), **_k)
for _training in (True, False):
    for _format, _shape in (("NHWC", (2, 2, 3, 2)), ("NCHW", (2, 2, 2, 3)), ("NHWC", (1, 1, 1, 2))):
        for _epsilon in (0.001, 0.125):
            _c = A("float32", (2,), "above")
            _k = {"epsilon": _epsilon, "data_format": _format, "is_training": _training}
            for _op, _last in (
                ("FusedBatchNormGrad", []),
                ("FusedBatchNormGradV2", []),
                ("FusedBatchNormGradV3", [A("float32", (2,), "part")]),
            ):
                add(
                    _op,
                    A("float32", _shape, "small"),
                    A("float32", _shape),
                    _c,
                    A("float32", (2,), "small"),
                    _c,
                    *_last,
                    **_k,
                )

# --- pictures --------------------------------------------------------------------------------------------------------
BOXES = np.array(
    [
        [0, 0, 1, 1],
        [0, 0.125, 1, 1.125],
        [0, -0.125, 1, 0.875],
        [0, 10, 1, 11],
        [0, 10.125, 1, 11.125],
        [0, 100, 1, 101],
    ],
    "float32",
)
SCORES = f32(0.875, 0.75, 0.625, 0.9375, 0.5, 0.25)
for _most in (0, 1, 3, 6, 30):
    for _iou in (0.5, 0.0, 1.0):
        for _least in (0.0, 0.6):
            add(
                "NonMaxSuppressionV4",
                BOXES,
                SCORES,
                np.int32(_most),
                np.float32(_iou),
                np.float32(_least),
                pad_to_max_output_size=_least > 0,
            )
            add(
                "NonMaxSuppressionV5",
                BOXES,
                SCORES,
                np.int32(_most),
                np.float32(_iou),
                np.float32(_least),
                np.float32(_iou / 2),
                pad_to_max_output_size=_least > 0,
            )
            _overlaps = np.float32(np.eye(6) + 0.75 * np.eye(6, k=1) + 0.75 * np.eye(6, k=-1))
            add(
                "NonMaxSuppressionWithOverlaps",
                _overlaps,
                SCORES,
                np.int32(_most),
                np.float32(_iou),
                np.float32(_least),
            )
add("NonMaxSuppressionV4", BOXES, SCORES[:2], np.int32(2), np.float32(0.5), np.float32(0))
add("NonMaxSuppressionV4", BOXES, SCORES, np.int32(2), np.float32(1.5), np.float32(0))
add("NonMaxSuppressionWithOverlaps", np.float32(np.eye(3)), SCORES, np.int32(2), np.float32(0.5), np.float32(0))
for _pad, _clip in ((False, True), (True, True), (False, False), (True, False)):
    for _each, _total in ((2, 3), (1, 4), (6, 6), (3, 1)):
        add(
            "CombinedNonMaxSuppression",
            BOXES.reshape(1, 6, 1, 4) / 4,
            np.stack([SCORES, SCORES[::-1]], 1)[None],
            np.int32(_each),
            np.int32(_total),
            np.float32(0.5),
            np.float32(0.3),
            pad_per_class=_pad,
            clip_boxes=_clip,
        )
for _dtype in ("float32", "float16"):
    for _boxes in (
        [[[0, 0, 0.5, 0.5]]],
        [[[0.25, 0.25, 1, 1], [0, 0.5, 0.75, 1]]],
        [[[0.5, 0.5, 0.25, 0.25]]],
        [[[-1, -1, 2, 2]]],
        np.zeros((1, 0, 4)),
    ):
        add("DrawBoundingBoxes", A(_dtype, (1, 5, 6, 3), "part"), np.array(_boxes, "float32"))
        add("DrawBoundingBoxes", A(_dtype, (1, 5, 6, 1), "part"), np.array(_boxes, "float32"))
        add(
            "DrawBoundingBoxesV2",
            A(_dtype, (1, 5, 6, 3), "part"),
            np.array(_boxes, "float32"),
            f32(1, 0.5, 0).reshape(1, 3),
        )
for _offsets in ([[0.0, 0.0]], [[0.5, -0.5]], [[1.0, 1.0]], [[-2.0, 0.25]]):
    for _centered, _normalized in ((True, True), (False, True), (True, False), (False, False)):
        add(
            "ExtractGlimpseV2",
            A("float32", (1, 5, 6, 2)),
            i32(3, 2),
            f32(*_offsets),
            centered=_centered,
            normalized=_normalized,
            uniform_noise=False,
            noise="zero",
        )
for _method in ("bilinear", "nearest"):
    for _boxes, _ind in (
        ([[0, 0, 1, 1]], [0]),
        ([[0.25, 0.5, 0.75, 1], [1, 1, 0, 0]], [1, 0]),
        ([[-0.5, 0, 1.5, 1]], [1]),
        ([[0.125, 0.25, 0.125, 0.25]], [0]),
        ([[0, 0, 1, 1]], [2]),
    ):
        _grads = A("float32", (len(_ind), 3, 2, 2), "small")
        add("CropAndResizeGradImage", _grads, f32(*_boxes), i32(*_ind), i32(2, 4, 5, 2), T="float32", method=_method)
        add("CropAndResizeGradImage", _grads, f32(*_boxes), i32(*_ind), i32(2, 4, 5, 2), T="float64", method=_method)
        if _method == "bilinear":
            for _dtype in ("float32", "float64", "uint8"):
                add("CropAndResizeGradBoxes", _grads, A(_dtype, (2, 4, 5, 2), "positive"), f32(*_boxes), i32(*_ind))
for _kernel in ("lanczos1", "lanczos3", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"):
    for _antialias in (True, False):
        add(
            "ScaleAndTranslateGrad",
            A("float32", (1, 3, 2, 2), "small"),
            A("float32", (1, 4, 5, 2)),
            f32(0.75, 0.5),
            f32(0.25, -0.5),
            kernel_type=_kernel,
            antialias=_antialias,
        )
for _rate in (1, 8000, 44100, 0, -1):
    for _shape in ((3, 1), (2, 2), (0, 1), (3,)):
        add("EncodeWav", A("float32", _shape, "part"), np.int32(_rate))

# --- matrices and signals --------------------------------------------------------------------------------------------
for _dtype in ("float32", "float64", "complex64", "complex128"):
    _tall = array_of(A(_dtype, (4, 2)), "tall") + 2 * np.eye(4, 2)
    for _fast, _l2 in ((True, 0.0), (True, 0.5), (False, 0.0)):
        add("MatrixSolveLs", _tall.astype(_dtype), A(_dtype, (4, 3)), np.float64(_l2), fast=_fast)
    add("MatrixSolveLs", _tall.T.astype(_dtype).copy(), A(_dtype, (2, 1)), np.float64(0.5))
    add("MatrixSolveLs", A(_dtype, (2, 3)), A(_dtype, (3, 1)), np.float64(0))
for _dtype in ("complex64", "complex128"):
    _out = "float32" if _dtype == "complex64" else "float64"
    for _shape in ((), (3,), (2, 3), (0,), (60,), (1, 1)):
        add("Angle", A(_dtype, _shape), Tout=_out)
    add("Angle", np.array([0, -1, 1j, -1j, complex(np.inf, 0), complex(-0.0, 0.0)], _dtype), Tout=_out)
for _count in (1, 2, 3):
    for _type in ("int32", "int64"):
        for _dtype in ("float32", "string", "bool"):
            add("ShapeN", [A(_dtype, (2, 3)), A(_dtype, ()), A(_dtype, (0, 1))][:_count], out_type=_type)
for _dim, _count, _skip in (
    (1, 4, 0),
    (2, 5, 0),
    (3, 4, 2),
    (1, 1, 1),
    (5, 3, 7),
    (2, 0, 0),
    (0, 1, 0),
    (1, -1, 0),
    (1, 1, -1),
):
    for _dtype in ("float32", "float64"):
        add("SobolSample", np.int32(_dim), np.int32(_count), np.int32(_skip), dtype=_dtype)
for _dtype in ("float32", "int32", "string", "bool", "complex64", "bfloat16", "float64", "uint8"):
    add("ParallelConcat", [A(_dtype, (1, 2)), A(_dtype, (1, 2), "positive")], shape=[2, 2])
    add("ScatterNdNonAliasingAdd", A(_dtype, (4,)), np.array([[3], [1]], "int32"), A(_dtype, (2,), "positive"))
for _indices, _shape in (([[1], [1]], (2,)), ([[4]], (1,)), ([[-1]], (1,)), ([[0]], (2,)), ([0], (1,)), ([], (0,))):
    add(
        "ScatterNdNonAliasingAdd",
        A("float32", (4,)),
        np.array(_indices, "int64").reshape(-1, 1) if not _indices else np.array(_indices, "int64"),
        A("float32", _shape),
    )

# --- strings, sets, sparse and ragged --------------------------------------------------------------------------------
for _type in ("uint8", "int16", "int32", "float32", "float64", "uint16", "int8"):
    for _little in (True, False):
        add("DecodePaddedRaw", text("ab", "abcdefgh", ""), np.int32(8), out_type=_type, little_endian=_little)
for _length in (0, 3, 4, -4):
    add("DecodePaddedRaw", text("abcdef"), np.int32(_length), out_type="int32")
OF_SETS = ("a-b", "b-a", "intersection", "union")
for _operation in (*OF_SETS, "other"):
    for _one, _two in (
        ([[1, 2, 2], [3, 4, 5]], [[2, 3], [5, 5]]),
        ([[1]], [[1]]),
        ([[]], [[1]]),
        ([[1, 2], [3, 4]], [[1, 2]]),
        ([1, 2], [2]),
    ):
        for _dtype in ("int64", "int32", "uint8"):
            add("DenseToDenseSetOperation", np.array(_one, _dtype), np.array(_two, _dtype), set_operation=_operation)
    add(
        "DenseToDenseSetOperation",
        np.array([[b"a", b"b"]], object),
        np.array([[b"b", b"c"]], object),
        set_operation=_operation,
    )
    for _indices, _values, _shape in (
        ([[0, 0], [0, 1], [1, 0]], [2, 3, 5], [2, 3]),
        (np.zeros((0, 2)), [], [2, 1]),
        ([[1, 0], [0, 0]], [2, 3], [2, 3]),
        ([[0, 0]], [1], [1, 1]),
    ):
        for _dtype in ("int64", "int32"):
            _set = (np.array(_indices, "int64"), np.array(_values, _dtype), i64(*_shape))
            add("DenseToSparseSetOperation", np.array([[1, 2, 2], [3, 4, 5]], _dtype), *_set, set_operation=_operation)
            add(
                "SparseToSparseSetOperation",
                *_set,
                i64(0, 0, 1, 1).reshape(2, 2),
                np.array([2, 5], _dtype),
                i64(2, 2),
                set_operation=_operation,
            )
            if _operation == "union":
                add("SetSize", *_set)
                add("SetSize", *_set, validate_indices=False)
                add("SetSize", _set[0], np.array(_values, "uint8"), _set[2])
                add("SetSize", _set[0], text(*map(str, _values)) if len(_values) else np.array([], object), _set[2])
WORDS = (i64(0, 0, 0, 1, 1, 0).reshape(3, 2), i64(2, 2))
for _normalize in (True, False):
    for _one, _two in (([1, 2, 3], [1, 2, 3]), ([1, 2, 3], [1, 3, 3]), ([5, 6, 7], [1, 2, 3])):
        for _dtype in ("int32", "int64", "float32"):
            add(
                "EditDistance",
                WORDS[0],
                np.array(_one, _dtype),
                WORDS[1],
                WORDS[0],
                np.array(_two, _dtype),
                WORDS[1],
                normalize=_normalize,
            )
    add(
        "EditDistance", WORDS[0], text("a", "b", "c"), WORDS[1], WORDS[0][:1], text("a"), WORDS[1], normalize=_normalize
    )
    add("EditDistance", WORDS[0][:0], text(), WORDS[1], WORDS[0], text("a", "b", "c"), WORDS[1], normalize=_normalize)
    add("EditDistance", WORDS[0], text("a", "b", "c"), WORDS[1], WORDS[0][:0], text(), WORDS[1], normalize=_normalize)
    add(
        "EditDistance",
        WORDS[0],
        text("a", "b"),
        WORDS[1],
        WORDS[0],
        text("a", "b", "c"),
        WORDS[1],
        normalize=_normalize,
    )
for _dtype in ("float32", "int64", "string", "bool", "float64", "uint8"):
    add("RaggedTensorToSparse", [i64(0, 2, 2, 3)], A(_dtype, (3,)))
    add("RaggedTensorToSparse", [i64(0, 1, 3), i64(0, 2, 2, 3)], A(_dtype, (3,)))
    add("RaggedTensorToSparse", [i32(0, 2, 3)], A(_dtype, (3, 2)))
for _splits in ([0], [1, 3], [0, 4], [0, 2, 1, 3], [], [0, 3]):
    add("RaggedTensorToSparse", [i64(*_splits)], A("float32", (3,)))
for _true, _candidates in (
    ([[1, 2], [3, 4]], [2, 3, 5]),
    ([[1], [1]], [1, 1]),
    ([[7]], [1]),
    ([[1, 1]], [1]),
    ([[1, 2, 3]], []),
):
    for _width in (len(_true[0]), len(_true[0]) + 1):
        add("ComputeAccidentalHits", np.array(_true, "int64"), np.array(_candidates, "int64"), num_true=_width, seed=1)
for _width, _paths in ((1, 1), (2, 1), (3, 2), (4, 3)):
    for _merge in (True, False):
        for _dtype in ("float32", "float64"):
            add(
                "CTCBeamSearchDecoder",
                A(_dtype, (4, 2, 3)),
                i32(4, 3),
                beam_width=_width,
                top_paths=_paths,
                merge_repeated=_merge,
            )

# --- quantized numbers -----------------------------------------------------------------------------------------------
for _bits, _narrow in ((8, False), (8, True), (4, False), (2, True)):
    for _low, _high in (
        ([-1, 0, -2], [1, 4, 0.5]),
        ([0, 0, 0], [1, 1, 1]),
        ([1, 1, 1], [2, 2, 2]),
        ([-2, -2, -2], [-1, -1, -1]),
    ):
        add(
            "FakeQuantWithMinMaxVarsPerChannelGradient",
            A("float32", (2, 3)),
            A("float32", (2, 3), "small"),
            f32(*_low),
            f32(*_high),
            num_bits=_bits,
            narrow_range=_narrow,
        )
for _dtype in REAL:
    for _axis, _low, _high in (
        (-1, 0.0, 1.0),
        (-1, -1.0, 0.5),
        (0, [-1.0, 0.0], [0.5, 0.25]),
        (1, [-1.0, 0.0, 0.0], [0.5, 0.25, 1.0]),
    ):
        _ends = [np.array(v, "float32" if _dtype == "bfloat16" else _dtype) for v in (_low, _high)]
        if _dtype != "bfloat16":
            add("QuantizeAndDequantizeV4Grad", A(_dtype, (2, 3)), A(_dtype, (2, 3), "small"), *_ends, axis=_axis)
