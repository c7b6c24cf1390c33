"""Chains of raw ops on quantized numbers, of gradients of pooling, of factors of matrices, and of what has no inputs."""

import numpy as np

from tests.golden.op_chain_bodies import Fn, PathOf
from tests.golden.op_chain_cases import Of, call, chain, dataset, i32, i64
from tests.golden.op_samples_cases import A

PLAIN = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"}


def f32(value):
    return np.array(value, "float32")


def quantized(kind, shape):
    """Integers over the whole range of a quantized type."""
    plain = PLAIN[kind]
    low, high = np.iinfo(plain).min, np.iinfo(plain).max
    count = int(np.prod(shape))
    values = [low, high, 0, 1, high - 1, low + 1, *range(7, 7 + count)]
    return call("Bitcast", np.array(values[:count], plain).reshape(shape), type=kind)


# --- quantized numbers ---------------------------------------------------------------------------------------------------
RANGES = [(-1.0, 1.0), (0.0, 6.0), (-128.0, 127.0), (0.0, 0.0), (3.0, -3.0), (-np.inf, np.inf), (np.nan, 1.0), (-1e-30, 1e-30), (-1e30, 1e30), (0.5, 2.0)]
for _low, _high in RANGES:
    for _kind in ("quint8", "qint8", "qint32"):
        _in = quantized(_kind, (6,))
        if _kind != "qint8":
            for _op in ("QuantizedRelu", "QuantizedRelu6"):
                chain(_op, _in, call(_op, Of(0), f32(_low), f32(_high)))
            chain("QuantizedReluX", _in, call("QuantizedReluX", Of(0), f32(3.0), f32(_low), f32(_high)), call("QuantizedReluX", Of(0), f32(0.0), f32(_low), f32(_high)))
        chain("QuantizedReshape", _in, call("QuantizedReshape", Of(0), i32(2, 3), f32(_low), f32(_high)), call("QuantizedReshape", Of(0), i32(-1, 2), f32(_low), f32(_high)), call("QuantizedReshape", Of(0), i32(4), f32(_low), f32(_high)))
    _whole = quantized("qint32", (5,))
    chain("RequantizationRange", _whole, call("RequantizationRange", Of(0), f32(_low), f32(_high)))
    chain("QuantizeDownAndShrinkRange", _whole, call("QuantizeDownAndShrinkRange", Of(0), f32(_low), f32(_high), out_type="quint8"))
    for _to in ((0.0, 1.0), (-1.0, 1.0), (1.0, 0.0)):
        chain("Requantize", _whole, call("Requantize", Of(0), f32(_low), f32(_high), f32(_to[0]), f32(_to[1]), out_type="quint8"))
    chain("QuantizedConcat", quantized("quint8", (2, 2)), quantized("quint8", (1, 2)), call("QuantizedConcat", 0, [Of(0), Of(1)], [f32(_low), f32(-1.0)], [f32(_high), f32(2.0)]))
    for _padding in ("SAME", "VALID"):
        for _op in ("QuantizedMaxPool", "QuantizedAvgPool"):
            chain(_op, quantized("quint8", (1, 3, 3, 1)), call(_op, Of(0), f32(_low), f32(_high), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding=_padding))
        chain("QuantizedConv2D", quantized("quint8", (1, 3, 3, 1)), quantized("quint8", (2, 2, 1, 1)), call("QuantizedConv2D", Of(0), Of(1), f32(_low), f32(_high), f32(-1.0), f32(1.0), strides=[1, 1, 1, 1], padding=_padding))
    chain("QuantizedMatMul", quantized("quint8", (2, 3)), quantized("quint8", (3, 2)), call("QuantizedMatMul", Of(0), Of(1), f32(_low), f32(_high), f32(-1.0), f32(1.0)))
for _a, _b, _flags in (((2, 3), (2, 3), {}), ((2, 3), (2, 3), {"transpose_b": True}), ((3, 2), (3, 2), {"transpose_a": True}), ((0, 3), (3, 2), {}), ((2, 0), (0, 2), {}), ((3,), (3, 2), {})):
    chain("QuantizedMatMul", quantized("quint8", _a), quantized("quint8", _b), call("QuantizedMatMul", Of(0), Of(1), f32(0.0), f32(1.0), f32(-1.0), f32(1.0), **_flags))
for _shape, _ksize, _strides in (((1, 4, 4, 2), [1, 2, 2, 1], [1, 2, 2, 1]), ((1, 2, 2, 1), [1, 3, 3, 1], [1, 1, 1, 1]), ((0, 3, 3, 1), [1, 2, 2, 1], [1, 1, 1, 1]), ((3, 3, 1), [1, 2, 2, 1], [1, 1, 1, 1]), ((1, 3, 3, 1), [2, 2, 2, 1], [1, 1, 1, 1])):
    for _op in ("QuantizedMaxPool", "QuantizedAvgPool"):
        chain(_op, quantized("quint8", _shape), call(_op, Of(0), f32(0.0), f32(6.0), ksize=_ksize, strides=_strides, padding="VALID"))
for _axis, _shapes in ((1, ((2, 2), (2, 1))), (0, ((2, 2), (2, 1))), (2, ((2, 2), (2, 2))), (-1, ((2, 2), (2, 1))), (0, ((0, 2), (1, 2))), (0, ((), ()))):
    chain("QuantizedConcat", *[quantized("quint8", s) for s in _shapes], call("QuantizedConcat", _axis, [Of(0), Of(1)], [f32(0.0), f32(-1.0)], [f32(1.0), f32(2.0)]))

# --- gradients of pooling ------------------------------------------------------------------------------------------------
for _padding in ("SAME", "VALID"):
    for _stride in (1, 2):
        _how = {"ksize": [1, 2, 2, 1], "strides": [1, _stride, _stride, 1], "padding": _padding}
        _deep = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 1, _stride, _stride, 1], "padding": _padding}
        for _dtype in ("float32", "float64", "float16", "bfloat16"):
            for _shape in [(1, 4, 5, 2), (2, 2, 2, 1), (0, 3, 3, 1)] if _dtype == "float32" else [(1, 3, 4, 2)]:
                _x = call("Identity", A(_dtype, _shape))
                chain("MaxPoolGrad", _x, call("MaxPool", Of(0), **_how), call("Square", Of(1)), call("MaxPoolGrad", Of(0), Of(1), Of(2), **_how), call("MaxPoolGradGrad", Of(0), Of(1), Of(3), **_how))
                chain("MaxPoolGradWithArgmax", _x, call("MaxPoolWithArgmax", Of(0), **_how), call("MaxPoolGradWithArgmax", Of(0), Of(1, 0), Of(1, 1), **_how), call("MaxPoolGradGradWithArgmax", Of(0), Of(0), Of(1, 1), **_how))
                _size = int(np.prod(_shape)) * 3  # no two elements alike: both libraries choose otherwise among equals
                _values = f32(np.arange(_size) * 37 % max(_size, 1)).reshape(_shape[0], 3, *_shape[1:])
                _x = call("Cast", _values, DstT=_dtype)
                chain("MaxPool3DGrad", _x, call("MaxPool3D", Of(0), **_deep), call("MaxPool3DGrad", Of(0), Of(1), Of(1), **_deep), call("MaxPool3DGradGrad", Of(0), Of(1), Of(2), **_deep))
for _bad in ((1, 3, 3, 2), (2, 2, 2), (1, 2, 2, 1)):
    _how = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
    chain("MaxPoolGrad", call("MaxPoolGrad", A("float32", (1, 3, 3, 1)), A("float32", (1, 2, 2, 1)), A("float32", _bad), **_how), call("MaxPoolGradGrad", A("float32", (1, 3, 3, 1)), A("float32", (1, 2, 2, 1)), A("float32", _bad), **_how))
    chain("MaxPoolGradWithArgmax", call("MaxPoolGradWithArgmax", A("float32", (1, 3, 3, 1)), A("float32", _bad), np.zeros((1, 2, 2, 1), "int64"), **_how))
    chain("MaxPoolGradWithArgmax", call("MaxPoolGradWithArgmax", A("float32", (1, 3, 3, 1)), A("float32", (1, 2, 2, 1)), np.full((1, 2, 2, 1), _bad[1] * 5 - 6, "int64"), **_how))
for _values in ([np.nan, 1.0, 2.0, np.inf], [-np.inf, -np.inf, -0.0, 0.0], [1.0, 1.0, 1.0, 1.0]):
    _how = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
    _x = np.array(_values, "float32").reshape(1, 2, 2, 1)
    chain("MaxPoolGrad", call("MaxPool", _x, **_how), call("MaxPoolGrad", _x, Of(0), A("float32", (1, 1, 1, 1), "positive"), **_how))
for _op in ("FractionalMaxPool", "FractionalAvgPool"):
    for _dtype in ("float32", "float64", "int32", "int64"):
        for _overlapping in (False, True):
            for _pseudo in (False, True):
                _attrs = {"overlapping": _overlapping}
                _pool = call(_op, Of(0), pooling_ratio=[1.0, 1.4, 1.6, 1.0], pseudo_random=_pseudo, deterministic=True, seed=3, seed2=4, **_attrs)
                _rest = [Of(0), Of(1, 0), Of(1, 0)] if _op == "FractionalMaxPool" else [i64(1, 6, 7, 2), Of(1, 0)]
                chain(_op, call("Identity", A(_dtype, (1, 6, 7, 2))), _pool, call(f"{_op}Grad", *_rest, Of(1, 1), Of(1, 2), **_attrs))
    for _shape, _ratio in (((1, 6, 7), [1.0, 1.4, 1.6, 1.0]), ((1, 2, 2, 1), [1.0, 1.0, 1.0, 1.0]), ((1, 6, 7, 2), [1.0, 0.5, 1.0, 1.0]), ((1, 6, 7, 2), [2.0, 1.4, 1.6, 1.0]), ((1, 6, 7, 2), [1.0, 1.4]), ((0, 6, 7, 1), [1.0, 1.4, 1.6, 1.0]), ((1, 2, 2, 1), [1.0, 9.0, 1.5, 1.0])):
        chain(_op, call(_op, A("float32", _shape), pooling_ratio=_ratio, deterministic=True, seed=3, seed2=4))
for _rows, _columns in (([0, 2, 4], [0, 1, 3]), ([0, 4], [0, 3]), ([0], [0, 3]), ([4, 0], [0, 3]), ([0, 9], [0, 3]), ([-1, 4], [0, 3]), ([0, 2, 4, 4], [0, 3])):
    _out = (1, len(_rows) - 1, len(_columns) - 1, 1)
    chain("FractionalAvgPoolGrad", call("FractionalAvgPoolGrad", i64(1, 4, 3, 1), A("float32", _out), i64(*_rows), i64(*_columns)))
    chain("FractionalMaxPoolGrad", call("FractionalMaxPoolGrad", A("float32", (1, 4, 3, 1)), A("float32", _out), A("float32", _out), i64(*_rows), i64(*_columns)))

# --- factors of matrices -------------------------------------------------------------------------------------------------
MATRICES = [np.diag([3.0, 2.0, 1.0]), np.zeros((2, 2)), np.eye(1), np.zeros((0, 0)), np.zeros((2, 0, 0)), np.array([[2.0, 1.0], [0.0, 3.0]]), np.array([[0.0, 1.0], [-1.0, 0.0]])]
for _dtype in ("float32", "float64", "complex64", "complex128"):
    _out = "complex64" if _dtype in ("float32", "complex64") else "complex128"
    for _matrix in MATRICES:
        chain("Eig", call("Eig", _matrix.astype(_dtype), Tout=_out), call("Shape", Of(0, 0)))
    for _shape in ((3, 2), (2, 3), (1, 1), (0, 3), (3, 0), (2, 3, 2)):
        for _full in (False, True):
            chain("Qr", call("Qr", A(_dtype, _shape), full_matrices=_full), call("Shape", Of(0, 0)), call("Shape", Of(0, 1)), call("BatchMatMulV2", Of(0, 0), Of(0, 1)))
for _wrong in (np.zeros((2, 3)), np.zeros(3), np.array([[np.nan, 1.0], [1.0, 2.0]]), np.array([[np.inf, 1.0], [1.0, 2.0]])):
    chain("Eig", call("Eig", _wrong.astype("float32"), Tout="complex64"))
for _op, _dtypes in (("FFTND", ("complex64", "complex128")), ("IFFTND", ("complex64", "complex128")), ("RFFTND", ("float32", "float64")), ("IRFFTND", ("complex64", "complex128"))):
    for _dtype in _dtypes:
        _more = {"RFFTND": {"Tcomplex": "complex64" if _dtype == "float32" else "complex128"}, "IRFFTND": {"Treal": "float32" if _dtype == "complex64" else "float64"}}.get(_op, {})
        chain(_op, call(_op, A(_dtype, (2, 4)), i32(2, 4), i32(0, 1), **_more))

# --- what has no inputs, or gives them on --------------------------------------------------------------------------------
for _dtype in ("float32", "int32", "string", "bool", "complex64", "bfloat16", "uint8", "float16", "int64"):
    for _shape in ([2, 3], [0], []):
        chain("Empty", call("Empty", i32(*_shape), dtype=_dtype, init=True))
        chain("FakeParam", call("FakeParam", dtype=_dtype, shape=_shape))
        chain("PlaceholderWithDefault", call("PlaceholderWithDefault", A(_dtype, tuple(_shape)), shape=[None] * len(_shape)), call("PlaceholderWithDefault", A(_dtype, tuple(_shape)), shape=[7]))
    for _shapes in (((1, 2), (1, 2)), ((1, 0), (1, 0)), ((2, 2), (1, 2)), ((), ())):
        chain("ParallelConcat", call("ParallelConcat", [A(_dtype, s) for s in _shapes], shape=[2, *_shapes[0][1:]]))
for _shape in (i32(-1), np.array(3, "int32"), i32(2, 2).reshape(1, 2)):
    chain("Empty", call("Empty", _shape, dtype="float32", init=True))
for _count in range(13):
    chain("NoOp", call("NoOp"), call("StatelessRandomGetAlg"))
for _inputs, _indices, _values, _lengths in (
    ((4, 1, 3), [[0, 0], [0, 1]], [0, 1], [4]), ((4, 2, 3), [[0, 0], [1, 0]], [0, 1], [4, 3]), ((4, 1, 3), np.zeros((0, 2)), [], [4]), ((4, 1, 3), [[0, 0]], [2], [4]), ((4, 1, 3), [[0, 0]], [3], [4]), ((4, 1, 3), [[0, 0]], [-1], [4]), ((4, 1, 3), [[1, 0]], [0], [4]),
    ((4, 1, 3), [[0, 0]], [0], [5]), ((4, 1, 3), [[0, 0]], [0], [4, 4]), ((4, 3), [[0, 0]], [0], [4]), ((1, 1, 3), [[0, 0], [0, 1]], [0, 1], [1]), ((4, 1, 3), [[0, 0], [0, 1]], [0, 0], [4]), ((2, 1, 3), [[0, 0], [0, 1]], [0, 0], [2]),
):  # fmt: skip
    for _attrs in ({}, {"ignore_longer_outputs_than_inputs": True}, {"preprocess_collapse_repeated": True, "ctc_merge_repeated": False}):
        chain("CTCLoss", call("CTCLoss", A("float32", _inputs, "unit"), np.array(_indices, "int64"), np.array(_values, "int32"), np.array(_lengths, "int32"), **_attrs))
for _kind in ("float32", "int64", "string", "bool"):
    chain("DestroyResourceOp", call("VarHandleOp", dtype=_kind, shape=[2]), call("DestroyResourceOp", Of(0), ignore_lookup_error=False), call("AssignVariableOp", Of(0), A(_kind, (2,))), call("DestroyResourceOp", Of(0)), call("DestroyResourceOp", Of(0)))
for _key in ("int64", "string"):
    _keys = A(_key, (2,), "positive")
    for _op, _attrs in (("MutableHashTableV2", {}), ("MutableHashTableOfTensorsV2", {"value_shape": [2]})):
        _values = A("float32", (2, 2) if _attrs else (2,))
        chain(_op, call(_op, key_dtype=_key, value_dtype="float32", **_attrs), call("LookupTableRemoveV2", Of(0), _keys), call("LookupTableInsertV2", Of(0), _keys, _values), call("LookupTableInsertV2", Of(0), _keys, A("int32", (2,))), call("LookupTableFindV2", Of(0), A("float32", (2,)), A("float32", ())), call("LookupTableSizeV2", Of(0)))
for _again in range(3):
    _key = np.array([_again, 9], "int64")
    chain("MutableDenseHashTableV2 of scalars", call("MutableDenseHashTableV2", np.array(-1, "int64"), np.array(-2, "int64"), value_dtype="float32"), call("LookupTableInsertV2", Of(0), _key, A("float32", (2,))), call("LookupTableFindV2", Of(0), _key, A("float32", ())), call("LookupTableInsertV2", Of(0), i64(-1), A("float32", (1,))), call("LookupTableRemoveV2", Of(0), i64(9)), call("LookupTableSizeV2", Of(0)))
_update = {"ResourceApplyProximalAdagrad": "v v 5 1 1 g", "ResourceApplyProximalGradientDescent": "v 5 1 1 g", "ResourceApplyAdagradDA": "v v v g 5 1 1 s", "ResourceSparseApplyProximalAdagrad": "v v 5 1 1 g i", "ResourceSparseApplyProximalGradientDescent": "v 5 1 1 g i", "ResourceSparseApplyAdagradDA": "v v v g i 5 1 1 s"}
for _op, _text in _update.items():
    for _rate in (np.nan, np.inf, 0.0):
        _handles = _text.split().count("v")
        _made = [c for i in range(_handles) for c in (call("VarHandleOp", dtype="float32", shape=[3]), call("AssignVariableOp", Of(2 * i), f32([1.0, 2.0, 3.0])))]
        _next = iter(range(_handles))
        _inputs = [{"v": lambda: Of(2 * next(_next)), "g": lambda: f32([0.5, np.inf, -0.0]), "i": lambda: i32(0, 1, 2), "s": lambda: np.array(2, "int64"), "5": lambda: f32(_rate), "1": lambda: f32(0.1)}[t]() for t in _text.split()]
        chain(_op, *_made, call(_op, *_inputs), call("ReadVariableOp", Of(0), dtype="float32"))
for _condition, _then in ((True, "plus one"), (False, "double")):
    chain("CallInCall", call("PartitionedCall", [np.array(3, "int64")], f=Fn(_then, (("int64", []),)), Tout=["int64"]), call("StatefulPartitionedCall", [Of(0)], f=Fn("double", (("int64", []),)), Tout=["int64"]))

# --- a few more of each, behind all others -------------------------------------------------------------------------------
for _low, _high in ((0.0, 1.0), (-3.0, 0.0), (-7.0, 9.0), (1.0, 2.0)):
    _in = quantized("quint8", (6,))
    for _op in ("QuantizedRelu", "QuantizedRelu6"):
        chain(_op, _in, call(_op, Of(0), f32(_low), f32(_high)))
    _whole = quantized("qint32", (5,))
    chain("RequantizationRange", _whole, call("RequantizationRange", Of(0), f32(_low), f32(_high)))
    chain("QuantizeDownAndShrinkRange", _whole, call("QuantizeDownAndShrinkRange", Of(0), f32(_low), f32(_high), out_type="quint8"))
chain("RequantizationRange", quantized("qint32", (0,)), call("RequantizationRange", Of(0), f32(0.0), f32(1.0)))
chain("QuantizedRelu", quantized("quint8", (0, 2)), call("QuantizedRelu", Of(0), f32(0.0), f32(1.0)), call("QuantizedRelu", Of(0), f32([0.0]), f32(1.0)))
for _dtype in ("float64", "int32", "uint16", "complex128", "int8"):
    chain("OptionalFromValue", call("OptionalFromValue", [A(_dtype, (0, 2)), A(_dtype, ())]), call("OptionalHasValue", Of(0)), call("OptionalGetValue", Of(0), output_types=[_dtype, _dtype], output_shapes=[[None, 2], []]), call("OptionalGetValue", Of(0), output_types=[_dtype, _dtype], output_shapes=[[1, 2], []]), call("OptionalNone"), call("OptionalHasValue", Of(4)))
for _seeds in ((3, 4), (2**40, 1), (5, -6)):
    dataset("RandomDatasetV2", [call("DummySeedGenerator"), call("RandomDatasetV2", np.array(_seeds[0]), np.array(_seeds[1]), Of(0), output_types=["int64"], output_shapes=[[]])], 3, output_types=["int64"], output_shapes=[[]])
for _pattern in ("f*", "?1", "f[!0]", "*", "g*", "deep/*"):
    dataset("MatchingFilesDataset", [call("WriteFile", PathOf("f0"), np.array(b"", object)), call("WriteFile", PathOf("f1"), np.array(b"", object)), call("WriteFile", PathOf("deep/f2"), np.array(b"", object)), call("MatchingFilesDataset", PathOf(_pattern))], 1, output_types=["string"], output_shapes=[[]])
for _step in (0, -1, 2**62, 5):
    chain("WrittenGraphs", call("SummaryWriter"), call("CreateSummaryFileWriter", Of(0), PathOf("logs"), i32(1)[0], i32(9)[0], np.array(b".v2", object)), call("WriteGraphSummary", Of(0), np.array(_step), np.array(b"\x0a\x05\x0a\x03abc", object)), call("WriteGraphSummary", Of(0), np.array(_step), np.array(b"\x0a\xff", object)), call("CloseSummaryWriter", Of(0)))
for _key, _value in (("int64", "float32"), ("int64", "string"), ("string", "int64"), ("string", "float32"), ("string", "string"), ("int64", "int64"), ("string", "bool")):
    for _count in (3, 1):
        _keys = np.arange(_count) if _key == "int64" else np.array([b"a", b"", b"\xff"][:_count], object)
        chain("InitializeTableFromDataset", call("HashTableV2", key_dtype=_key, value_dtype=_value), call("TensorSliceDataset", [_keys, A(_value, (_count,))], output_shapes=[[], []]), call("InitializeTableFromDataset", Of(0), Of(1)), call("LookupTableSizeV2", Of(0)), call("LookupTableFindV2", Of(0), _keys[:1], A(_value, (), "positive")),
              call("InitializeTableFromDataset", Of(0), Of(1)), call("HashTableV2", key_dtype=_key, value_dtype=_value), call("TensorSliceDataset", [_keys], output_shapes=[[]]))  # fmt: skip
