"""Chains of raw ops that draw: those whose streams are public, value for value; of the others what can be said of what they draw."""

import numpy as np

from tests.golden.op_chain_cases import Of, call, chain, i32, i64
from tests.golden.op_samples_cases import A

SHAPES = [i32(), i32(0), i32(3), i32(2, 3), i64(2, 0, 3), i64(40)]
WRONG = [i32(-1), np.array(3, "int32"), i32(2, 3).reshape(1, 2)]
KEY, COUNTER, ALG = np.array([7], "uint64"), np.array([1, 2], "uint64"), np.array(1, "int32")
HALVES = ["float16", "bfloat16", "float32", "float64"]
_seed = 100


def fresh():
    """Seeds that no other call has: each op draws from the beginning."""
    global _seed
    _seed += 1
    return {"seed": _seed, "seed2": 2 * _seed}


def of(dtype, values):
    """Numbers of a dtype that NumPy may lack."""
    return call("Cast", np.array(values, "float32" if dtype in ("bfloat16", "float16") else dtype), DstT=dtype)


# --- of the seeds among the attributes -----------------------------------------------------------------------------------
for _op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
    for _dtype in HALVES:
        for _shape in SHAPES if _dtype == "float32" else SHAPES[2:4]:
            chain(_op, call(_op, _shape, dtype=_dtype, **fresh()))
    for _shape in WRONG:
        chain(_op, call(_op, _shape, dtype="float32", **fresh()))
    chain(_op, call(_op, i32(2), dtype="int32", **fresh()))
for _dtype in ("int32", "int64"):
    _low, _high = np.iinfo(_dtype).min, np.iinfo(_dtype).max
    for _from, _to in ((0, 10), (-5, 5), (_low, _high), (0, 1), (3, 3), (5, 3), (_high - 1, _high)):
        chain("RandomUniformInt", call("RandomUniformInt", i32(5), np.array(_from, _dtype), np.array(_to, _dtype), **fresh()))
    for _shape in (SHAPES[1], SHAPES[4], *WRONG):
        chain("RandomUniformInt", call("RandomUniformInt", _shape, np.array(0, _dtype), np.array(9, _dtype), **fresh()))
chain("RandomUniformInt", call("RandomUniformInt", i32(2), i32(0), i32(3), **fresh()))
for _dtype in ("float16", "float32", "float64"):
    for _alpha in ([0.5, 2.0], [1.0], [], [30.0, 1e-3], [0.0], [-1.0], [np.nan], [np.inf]):
        chain("RandomGamma", of(_dtype, _alpha), call("RandomGamma", i32(3), Of(0), **fresh()))
    for _rate in ([0.5, 2.0], [0.0], [12.0, 100.0], [], [-1.0], [np.nan], [np.inf]):
        chain("RandomPoissonV2", of(_dtype, _rate), call("RandomPoissonV2", i64(4), Of(0), **fresh()))
for _dtype in ("int32", "int64", "float16", "float32", "float64"):
    chain("RandomPoissonV2", call("RandomPoissonV2", i32(3), np.array([3.0, 30.0], "float32"), dtype=_dtype, **fresh()))
for _shape in WRONG:
    chain("RandomGamma", call("RandomGamma", _shape, np.array([1.0], "float32"), **fresh()))
    chain("RandomPoissonV2", call("RandomPoissonV2", _shape, np.array([1.0], "float32"), **fresh()))
for _dtype in ("float32", "int32", "string", "bool", "complex64", "bfloat16", "uint8", "int64"):
    for _shape in [(5,), (0,), (1,), (), (3, 2), (0, 2)] if _dtype in ("float32", "string") else [(5,), (3, 2)]:
        chain("RandomShuffle", call("RandomShuffle", A(_dtype, _shape), **fresh()))
        chain("StatelessShuffle", call("StatelessShuffle", A(_dtype, _shape), KEY, COUNTER, ALG))
for _dtype in ("float32", "float64", "float16", "bfloat16", "int32", "uint8"):
    for _logits in ([[0.0, 1.0, 2.0]], [[0.0], [1.0]], [[3.0, 3.0], [0.0, 9.0]]):
        chain("Multinomial", of(_dtype, _logits), call("Multinomial", Of(0), np.array(6, "int32"), **fresh()))
        for _seeds in (i64(1, 2), i32(-3, 2**31 - 1)):
            chain("StatelessMultinomial", of(_dtype, _logits), call("StatelessMultinomial", Of(0), np.array(6, "int32"), _seeds))
for _logits in ([[np.nan, 1.0]], [[np.inf, 1.0]], [[-np.inf, 1.0]], [[-np.inf, -np.inf]], np.zeros((0, 3)), np.zeros((2, 0)), [1.0, 2.0]):
    for _many in (3, 0, -1):
        chain("Multinomial", call("Multinomial", np.array(_logits, "float32"), np.array(_many, "int32"), output_dtype="int32", **fresh()))
        chain("StatelessMultinomial", call("StatelessMultinomial", np.array(_logits, "float32"), np.array(_many, "int32"), i64(1, 2), output_dtype="int32"))

# --- of a key and a counter ----------------------------------------------------------------------------------------------
for _key, _counter in ((KEY, COUNTER), (np.array([2**64 - 1], "uint64"), np.array([2**64 - 1, 0], "uint64"))):
    for _alg in (1, 3):
        _from = (_key, _counter, np.array(_alg, "int32"))
        for _dtype in HALVES:
            for _shape in SHAPES if _dtype == "float32" else SHAPES[3:4]:
                for _op in ("StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2"):
                    chain(_op, call(_op, _shape, *_from, dtype=_dtype))
        for _dtype in ("int32", "int64", "uint32", "uint64"):
            for _shape in SHAPES if _dtype == "int32" else SHAPES[3:4]:
                chain("StatelessRandomUniformFullIntV2", call("StatelessRandomUniformFullIntV2", _shape, *_from, dtype=_dtype))
            _high = np.iinfo(_dtype).max
            for _start, _end in ((0, 10), (np.iinfo(_dtype).min, _high), (3, 3), (5, 3), (_high - 1, _high)):
                chain("StatelessRandomUniformIntV2", call("StatelessRandomUniformIntV2", i32(5), *_from, np.array(_start, _dtype), np.array(_end, _dtype)))
        for _dtype in ("float16", "float32", "float64"):
            for _alpha in ([0.5, 2.0], [], [30.0, 1e-3], [-1.0], [np.nan]):
                chain("StatelessRandomGammaV3", of(_dtype, _alpha), call("StatelessRandomGammaV3", i32(3, len(_alpha)), *_from, Of(0)))
for _key, _counter, _alg in ((np.zeros(2, "uint64"), COUNTER, 1), (KEY, np.zeros(1, "uint64"), 1), (KEY, COUNTER, 9), (np.zeros((), "uint64"), COUNTER, 1), (KEY, np.zeros((2, 1), "uint64"), 1), (KEY, COUNTER, -1)):
    _from = (_key, _counter, np.array(_alg, "int32"))
    chain("StatelessRandomUniformV2", call("StatelessRandomUniformV2", i32(2), *_from))
    chain("StatelessRandomUniformFullIntV2", call("StatelessRandomUniformFullIntV2", i32(2), *_from, dtype="int64"))
    chain("StatelessRandomUniformIntV2", call("StatelessRandomUniformIntV2", i32(2), *_from, i32(0)[0], i32(5)[0]))
    chain("StatelessRandomGammaV3", call("StatelessRandomGammaV3", i32(2), *_from, np.array([1.0], "float32")))
    chain("StatelessShuffle", call("StatelessShuffle", i32(1, 2, 3), *_from))
for _shape in WRONG:
    chain("StatelessRandomUniformFullIntV2", call("StatelessRandomUniformFullIntV2", _shape, KEY, COUNTER, ALG, dtype="int64"))
    chain("StatelessRandomUniformIntV2", call("StatelessRandomUniformIntV2", _shape, KEY, COUNTER, ALG, i32(0)[0], i32(5)[0]))
for _seeds in (i64(1, 2), i32(1, 2), i64(0, 0), i64(-1, 2**62), i32(-(2**31), 2**31 - 1), i64(2**63 - 1, -(2**63)), i64(1), i64(1, 2, 3), np.array(3, "int64"), i64(1, 2).reshape(1, 2), i64(), i64(5, 7), i32(0, 1)):
    chain("StatelessRandomGetKeyCounterAlg", call("StatelessRandomGetKeyCounterAlg", _seeds), call("StatelessRandomGetKeyCounter", _seeds), call("StatelessRandomGetAlg"))
    chain("StatelessRandomPoisson", call("StatelessRandomPoisson", i32(2, 2), _seeds, np.array([0.5, 20.0], "float32"), dtype="int32"), call("StatelessRandomPoisson", i32(2), _seeds, np.array([-1.0, 3.0], "float64"), dtype="float64"))
    chain("StatelessRandomBinomial", call("StatelessRandomBinomial", i32(4), _seeds, np.array(5.0, "float32"), np.array(0.5, "float32"), dtype="int32"), call("StatelessRandomBinomial", i32(4), _seeds, np.array(5.0, "float32"), np.array(0.5, "float32"), dtype="int32"), call("Equal", Of(0), Of(1)),
          call("LessEqual", Of(0), np.array(5, "int32")), call("GreaterEqual", Of(0), np.array(0, "int32")), call("StatelessRandomBinomial", i32(2), _seeds, np.array([0.0, 3.0], "float64"), np.array([0.5, 1.0], "float64"), dtype="float64"), call("Equal", Of(5), np.array([0.0, 3.0])))  # fmt: skip
    _bounds = [np.array(v, "float32") for v in (0.0, 1.0, -0.5, 0.5)]
    chain("StatelessParameterizedTruncatedNormal", call("StatelessParameterizedTruncatedNormal", i32(6), _seeds, *_bounds), call("StatelessParameterizedTruncatedNormal", i32(6), _seeds, *_bounds), call("Equal", Of(0), Of(1)), call("LessEqual", Of(0), np.array(0.5, "float32")), call("GreaterEqual", Of(0), np.array(-0.5, "float32")))
    _boxes = np.array([[[0.1, 0.2, 0.8, 0.9]]], "float32")
    for _op, _from in (("StatelessSampleDistortedBoundingBox", (_seeds,)), ("SampleDistortedBoundingBoxV2", ())):
        _attrs = fresh() if not _from else {}
        chain(_op, call(_op, i32(20, 30, 3), _boxes, np.array(0.1, "float32"), *_from, **_attrs), call("GreaterEqual", Of(0, 0), np.array(0, "int32")), call("LessEqual", Of(0, 0), i32(20, 30, 0)), call("GreaterEqual", Of(0, 2), np.array(0.0, "float32")), call("LessEqual", Of(0, 2), np.array(1.0, "float32")))
for _means, _deviations, _low, _high in ((0.0, 1.0, 2.0, 1.0), (0.0, 1.0, 1.0, 1.0), (0.0, 0.0, -1.0, 1.0), (0.0, -1.0, -1.0, 1.0), (np.nan, 1.0, -1.0, 1.0), (0.0, 1.0, -np.inf, np.inf), (0.0, 1.0, 3.0, np.inf), (0.0, np.inf, -1.0, 1.0)):
    _bounds = [np.array(v, "float32") for v in (_means, _deviations, _low, _high)]
    chain("StatelessParameterizedTruncatedNormal", call("StatelessParameterizedTruncatedNormal", i32(3), i64(1, 2), *_bounds))
for _counts, _chances in ((-1.0, 0.5), (5.0, -0.5), (5.0, 1.5), (np.nan, 0.5), (5.0, np.nan), (np.inf, 0.5), (0.0, 0.0), (2.5, 0.5), (1e6, 1e-6)):
    chain("StatelessRandomBinomial", call("StatelessRandomBinomial", i32(2), i64(1, 2), np.array(_counts, "float64"), np.array(_chances, "float64"), dtype="float64"))
for _size, _boxes, _covered, _attrs in (
    (i32(20, 30), np.zeros((1, 1, 4)), 0.1, {}), (i32(20, 30, 3), np.zeros((1, 0, 4)), 0.1, {}), (i32(20, 30, 3), np.zeros((1, 0, 4)), 0.1, {"use_image_if_no_bounding_boxes": True}), (i32(0, 30, 3), np.zeros((1, 1, 4)), 0.1, {}), (i32(20, 30, 3), np.array([[[0.5, 0.5, 0.1, 0.1]]]), 0.1, {}),
    (i32(20, 30, 3), np.array([[[0.0, 0.0, 1.5, 1.0]]]), 0.1, {}), (i32(20, 30, 3), np.array([[[0.0, 0.0, 1.0, 1.0]]]), -0.1, {}), (i32(20, 30, 3), np.array([[[0.0, 0.0, 1.0, 1.0]]]), 0.1, {"max_attempts": 0}), (i32(20, 30, 3), np.array([[[0.0, 0.0, 1.0, 1.0]]]), 0.1, {"area_range": [1.0, 0.5]}),
    (i32(20, 30, 3), np.array([[[0.0, 0.0, 1.0, 1.0]]]), 0.1, {"aspect_ratio_range": [-1.0, 1.0]}), (i32(20, 30, 3), np.array([[0.0, 0.0, 1.0, 1.0]]), 0.1, {}), (i32(20, 30, 3), np.array([[[np.nan, 0.0, 1.0, 1.0]]]), 0.1, {}),
):  # fmt: skip
    for _op, _from in (("StatelessSampleDistortedBoundingBox", (i64(3, 4),)), ("SampleDistortedBoundingBoxV2", ())):
        chain(_op, call(_op, _size, np.array(_boxes, "float32"), np.array(_covered, "float32"), *_from, **_attrs, **({} if _from else fresh())))
for _dtype in ("int32", "int64", "uint32", "uint64"):  # rounds of an odd number leave the range there
    for _index, _most, _rounds in ((3, 9, 4), (0, 0, 4), (9, 9, 4), (3, 9, 0), (3, 9, 6), (10, 9, 4)):
        _ask = call("RandomIndexShuffle", np.array(_index, _dtype), np.array([1, 2, 3], _dtype), np.array(_most, _dtype), rounds=_rounds)
        chain("RandomIndexShuffle", _ask, _ask, call("Equal", Of(0), Of(1)), call("LessEqual", Of(0), np.array(_most, _dtype)))
    _all = call("RandomIndexShuffle", np.arange(7, dtype=_dtype), np.array([1, 2, 3], _dtype), np.array(6, _dtype))
    if "u" not in _dtype:
        chain("RandomIndexShuffle", _all, call("Sum", Of(0), i32(0)))

# --- of a generator that is kept -----------------------------------------------------------------------------------------
STATE = i64(1, 2, 3)
MADE = [call("VarHandleOp", dtype="int64", shape=[3]), call("AssignVariableOp", Of(0), STATE)]
READ = call("ReadVariableOp", Of(0), dtype="int64")
for _alg, _delta in ((1, 1), (1, 0), (1, 256), (1, 2**63), (3, 5), (9, 1), (-1, 1)):
    _skip = call("RngReadAndSkip", Of(0), np.array(_alg, "int32"), np.array(_delta, "uint64"))
    chain("RngReadAndSkip", *MADE, _skip, READ, _skip, READ)
for _shape, _kind, _values in (([2], "int64", i64(1, 2)), ([4], "int64", i64(1, 2, 3, 4)), ([3], "int32", i32(1, 2, 3)), ([], "int64", np.array(1, "int64")), ([3], "int64", i64(-1, -1, -1)), ([3], "int64", i64(2**63 - 1, -1, 5))):
    chain("RngReadAndSkip", call("VarHandleOp", dtype=_kind, shape=_shape), call("AssignVariableOp", Of(0), _values), call("RngReadAndSkip", Of(0), ALG, np.array(2, "uint64")), call("ReadVariableOp", Of(0), dtype=_kind))
for _kind in ("int32", "int64", "float16", "float32", "float64"):
    for _counts, _chances in ((5.0, 0.5), (0.0, 0.5), (3.0, 1.0)):
        chain("StatefulRandomBinomial", *MADE, call("StatefulRandomBinomial", Of(0), np.array(1, "int64"), i32(6), np.array(_counts, "float32"), np.array(_chances, "float32"), dtype=_kind), call("GreaterEqual", Of(2), np.array(0, _kind)), call("LessEqual", Of(2), np.array(_counts, _kind)))
for _algorithm, _shape in ((9, i32(2)), (1, i32(-1)), (1, i32(0)), (1, i32(2, 0))):
    chain("StatefulRandomBinomial", *MADE, call("StatefulRandomBinomial", Of(0), np.array(_algorithm, "int64"), _shape, np.array(5.0, "float32"), np.array(0.5, "float32")))

# --- candidates ----------------------------------------------------------------------------------------------------------
for _op, _more in (
    ("UniformCandidateSampler", {"range_max": 8}), ("LogUniformCandidateSampler", {"range_max": 8}), ("LearnedUnigramCandidateSampler", {"range_max": 8}), ("AllCandidateSampler", {}),
    ("FixedUnigramCandidateSampler", {"range_max": 8, "unigrams": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]}),
):  # fmt: skip
    for _true, _many, _count, _unique in (
        ([[1]], 1, 3, False), ([[1]], 1, 3, True), ([[1, 2], [3, 7]], 2, 8, True), ([[0]], 1, 1, False), (np.zeros((0, 1)), 1, 2, True), ([[1]], 1, 9, True), ([[8]], 1, 2, False), ([[-1]], 1, 2, False), ([1], 1, 2, False), ([[1, 2]], 1, 2, False),
        ([[1]], 1, 0, False), ([[1]], 0, 2, False), ([[1]], 1, -1, False), ([[2]], 1, 20, False),
    ):  # fmt: skip
        chain(_op, call(_op, np.array(_true, "int64"), num_true=_many, num_sampled=_count, unique=_unique, **_more, **fresh()), call("Less", Of(0, 0), np.array(20 if _op[0] == "A" else 8, "int64")), call("GreaterEqual", Of(0, 0), np.array(0, "int64")))
for _more in ({"range_max": 3, "unigrams": [1.0, 2.0]}, {"range_max": 2, "unigrams": [1.0, -2.0]}, {"range_max": 2}, {"range_max": 3, "unigrams": [1.0, 2.0], "num_reserved_ids": 1}, {"range_max": 2, "unigrams": [1.0, 2.0], "num_shards": 2, "shard": 1}, {"range_max": 2, "unigrams": [1.0, 2.0], "num_shards": 2, "shard": 2}, {"range_max": 0, "unigrams": []}, {"range_max": 2, "unigrams": [1.0, 2.0], "distortion": 0.0}):
    chain("FixedUnigramCandidateSampler", call("FixedUnigramCandidateSampler", np.array([[1]], "int64"), num_true=1, num_sampled=2, unique=False, **_more, **fresh()))
for _kind in ("float32", "int64", "string"):
    for _seed2 in (1, 5):
        for _least in (0, 2):
            chain("RandomShuffleQueueV2", call("RandomShuffleQueueV2", component_types=[_kind], shapes=[[]], seed=3, seed2=_seed2, min_after_dequeue=_least), call("QueueEnqueueManyV2", Of(0), [A(_kind, (5,))]), call("QueueSizeV2", Of(0)), call("QueueCloseV2", Of(0)), call("QueueDequeueManyV2", Of(0), np.array(5, "int32"), component_types=[_kind]), call("QueueSizeV2", Of(0)), call("QueueDequeueV2", Of(0), component_types=[_kind]))
for _shape in ([], [2], [None]):
    for _kind in ("float32", "string"):
        chain("PaddingFIFOQueueV2", call("PaddingFIFOQueueV2", component_types=[_kind], shapes=[_shape]), call("QueueEnqueueV2", Of(0), [A(_kind, (2,) if _shape else ())]), call("QueueEnqueueV2", Of(0), [A(_kind, (3,))]), call("QueueSizeV2", Of(0)), call("QueueCloseV2", Of(0)), call("QueueDequeueUpToV2", Of(0), np.array(2, "int32"), component_types=[_kind]), call("QueueSizeV2", Of(0)))
