"""Chains of raw ops that ask functions: transformations of datasets, branches, loops, calls; and datasets on edge values."""

import numpy as np

from tests.golden.op_chain_bodies import Fn
from tests.golden.op_chain_cases import OF_INTS, OF_ONE, Of, call, chain, dataset, i32, i64, numbers, one
from tests.golden.op_samples_cases import A

INT = ("int64", [])
NESTED = {"output_types": ["variant"], "output_shapes": [[]]}
OF_PAIR = {"output_types": ["int64", "int64"], "output_shapes": [[], []]}


def f(name, *specs):
    return Fn(name, specs or (INT,))


def slices(*values, dtype="int64", shape=()):
    array = np.array(values, object if dtype == "string" else dtype)
    return call("TensorSliceDataset", [array], output_shapes=[list(shape)])


def of(dtype, *shape):
    return {"output_types": [dtype], "output_shapes": [list(shape)]}


# --- transformations that ask a function ---------------------------------------------------------------------------------
SOURCES = [numbers(5), numbers(0), numbers(1), slices(2, -1, 2**62, -(2**62), 3)]
for _source in SOURCES:
    for _predicate in ("is even", "below three", "yes", "no", "raises above one", "a matrix of yes", "a number"):
        dataset("FilterDataset", [_source, call("FilterDataset", Of(0), [], predicate=f(_predicate), **OF_ONE)], **OF_ONE)
        dataset("TakeWhileDataset", [_source, call("TakeWhileDataset", Of(0), [], predicate=f(_predicate), **OF_ONE)], **OF_ONE)
    for _body in ("range", "range or error", "range from ten", "no dataset"):
        _asked = f(_body)
        dataset("FlatMapDataset", [_source, call("FlatMapDataset", Of(0), [], f=_asked, **OF_ONE)], 7, **OF_ONE)
        for _cycle, _block in ((1, 1), (2, 1), (3, 2), (9, 9), (0, 1), (1, 0), (-1, 1)):
            if _source is not SOURCES[3] or _cycle == 2:
                dataset("InterleaveDataset", [_source, call("InterleaveDataset", Of(0), [], one(_cycle), one(_block), f=_asked, **OF_ONE)], 7, **OF_ONE)
    for _cycle, _calls, _buffer, _prefetch, _determined in ((1, 1, 1, 0, "true"), (3, 2, 2, 1, "true"), (2, 3, 1, 1, "true"), (1, 0, 1, 1, "default"), (1, -2, 1, 1, "default"), (1, 1, 0, 1, "true"), (1, 1, 1, -2, "true"), (0, 1, 1, 1, "true"), (1, 1, 1, 1, "never")):
        dataset("ParallelInterleaveDatasetV4", [_source, call("ParallelInterleaveDatasetV4", Of(0), [], one(_cycle), one(2), one(_buffer), one(_prefetch), one(_calls), f=f("range"), deterministic=_determined, **OF_ONE)], 7, **OF_ONE)
    for _calls in (1, 2, 0, -1):
        for _kept in (True, False):
            dataset("ParallelMapDatasetV2", [_source, call("ParallelMapDatasetV2", Of(0), [], one(_calls), f=f("plus one"), preserve_cardinality=_kept, **OF_ONE)], 6, **OF_ONE)
    dataset("ParallelMapDatasetV2", [_source, call("ParallelMapDatasetV2", Of(0), [], one(2), f=f("raises above one"), deterministic="true", **OF_ONE)], 6, **OF_ONE)
    for _body, _state in (("state and output", one(1)), ("swap", one(5)), ("grows", i64()), ("grows", i64(1, 2))):
        _spec = ("int64", [None] * _state.ndim)
        dataset("ScanDataset", [_source, call("ScanDataset", Of(0), [_state], [], f=f(_body, _spec, INT), **OF_ONE)], 6, **OF_ONE)
    chain("ReduceDataset", _source, call("ReduceDataset", Of(0), [one(3)], [], f=f("sum", INT, INT), **OF_ONE), call("ReduceDataset", Of(0), [one(0), one(0)], [], f=f("added and counted", INT, INT, INT), **OF_PAIR), call("ReduceDataset", Of(0), [one(7)], [], f=f("raises above one", INT, INT), **OF_ONE),
          call("ReduceDataset", Of(0), [one(7)], [], f=f("first", INT, INT), output_types=["int32"], output_shapes=[[]]))  # fmt: skip
    for _key in ("third", "one key", "raises above one"):
        for _size in ("two", "key plus one", "none"):
            dataset("GroupByWindowDataset", [_source, call("GroupByWindowDataset", Of(0), [], [], [], key_func=f(_key), reduce_func=f("batch", INT, ("variant", [])), window_size_func=f(_size), **OF_INTS)], 6, **OF_INTS)
        for _final in ("total and count", "first", "quotient"):
            _out = OF_PAIR if _final == "total and count" else OF_ONE
            dataset("GroupByReducerDataset", [_source, call("GroupByReducerDataset", Of(0), [], [], [], [], key_func=f(_key), init_func=f("zero and one"), reduce_func=f("added and counted", INT, INT, INT), finalize_func=f(_final, INT, INT), **_out)], **_out)
dataset("GroupByWindowDataset", [numbers(5), call("GroupByWindowDataset", Of(0), [], [], [], key_func=f("third"), reduce_func=f("window itself", INT, ("variant", [])), window_size_func=f("two"), **OF_ONE)], 6, **OF_ONE)
dataset("ScanDataset", [slices(b"a", b"", b"\xff", dtype="string"), call("ScanDataset", Of(0), [np.array(b"x", object)], [], f=f("swap", ("string", []), ("string", [])), **of("string"))], **of("string"))
for _dtype, _values in (("float32", [np.nan, np.inf, -0.0, 3.0]), ("bool", [True, False]), ("string", [b"", b"\xff\x00"]), ("complex64", [complex(np.nan, -0.0)]), ("float16", [65504.0, -np.inf]), ("uint8", [255, 0]), ("int32", [-(2**31), 2**31 - 1])):
    _source, _spec = slices(*_values, dtype=_dtype), (_dtype, [])
    _of = of(_dtype)
    for _name, _asked in (("FilterDataset", "yes"), ("TakeWhileDataset", "yes"), ("FilterDataset", "no")):
        dataset(_name, [_source, call(_name, Of(0), [], predicate=f(_asked, _spec), **_of)], **_of)
    dataset("ParallelMapDatasetV2", [_source, call("ParallelMapDatasetV2", Of(0), [], one(2), f=f("same", _spec), **_of)], **_of)
    dataset("ScanDataset", [_source, call("ScanDataset", Of(0), [A(_dtype, (), "positive")], [], f=f("swap", _spec, _spec), **_of)], **_of)
    dataset("UnbatchDataset", [_source, call("BatchDatasetV2", Of(0), one(3), False, **of(_dtype, None)), call("UnbatchDataset", Of(1), **_of)], **_of)
    chain("ReduceDataset", _source, call("ReduceDataset", Of(0), [A(_dtype, (), "positive")], [], f=f("first", _spec, _spec), **_of))
    dataset("RandomShuffled", [_source, call("DummySeedGenerator"), call("ShuffleDatasetV3", Of(0), one(3), one(4), one(2), Of(1), **_of)], **_of)
    for _name in ("IgnoreErrorsDataset", "OptionsDataset", "PrefetchDataset", "UniqueDataset"):
        _more = {"serialized_options": b""} if _name == "OptionsDataset" else {}
        _inputs = [one(2)] if _name == "PrefetchDataset" else []
        dataset(f"{_name} of {_dtype}", [_source, call(_name, Of(0), *_inputs, **_more, **_of)], **_of)

# --- datasets that ask nothing -------------------------------------------------------------------------------------------
for _a, _b in ((0, 0), (3, 0), (0, 2), (2, 2)):
    dataset("ConcatenateDataset", [numbers(_a), numbers(_b, 1, 0), call("ConcatenateDataset", Of(0), Of(1), **OF_ONE)], **OF_ONE)
    dataset("ZipDataset", [numbers(_a), numbers(_b), call("ZipDataset", [Of(0), Of(1)], **OF_PAIR)], **OF_PAIR)
    for _seeds in ((1, 2), (0, 0), (-1, 2**62)):
        for _reshuffle in (True, False):
            dataset("ShuffleDatasetV3", [numbers(_a), call("DummySeedGenerator"), call("ShuffleDatasetV3", Of(0), one(1), one(_seeds[0]), one(_seeds[1]), Of(1), reshuffle_each_iteration=_reshuffle, **OF_ONE)], **OF_ONE)
for _size in (0, -2, 2, 100):
    dataset("ShuffleDatasetV3", [numbers(9), call("DummySeedGenerator"), call("ShuffleDatasetV3", Of(0), one(_size), one(3), one(4), Of(1), **OF_ONE)], 10, **OF_ONE)
dataset("ConcatenateDataset", [numbers(2), slices(1.5, dtype="float32"), call("ConcatenateDataset", Of(0), Of(1), **OF_ONE)], **OF_ONE)
dataset("ConcatenateDataset", [slices([1, 2], shape=(2,)), slices([1, 2, 3], shape=(3,)), call("ConcatenateDataset", Of(0), Of(1), **of("int64", None))], **of("int64", None))
dataset("ZipDataset", [numbers(2), call("ZipDataset", [Of(0)], **OF_ONE)], **OF_ONE)
dataset("ZipDataset", [numbers(2), call("ZipDataset", [Of(0), Of(0), Of(0)], output_types=["int64"] * 3, output_shapes=[[]] * 3)], output_types=["int64"] * 3, output_shapes=[[]] * 3)
for _count in (-(2**63), 2**63 - 1, 5):
    dataset("SkipDataset", [numbers(4), call("SkipDataset", Of(0), one(_count), **OF_ONE)], **OF_ONE)
    dataset("TakeDataset", [numbers(4), call("TakeDataset", Of(0), one(_count), **OF_ONE)], **OF_ONE)
for _count in (-1, -2, -3, 0, 3, 4, 5, 2**62):
    for _stop in (0, 4):
        dataset("AssertCardinalityDataset", [numbers(_stop), call("AssertCardinalityDataset", Of(0), one(_count), **OF_ONE)], 6, **OF_ONE)
for _size, _slack in ((0, 0), (1, 3), (-1, 0), (-2, 0), (5, -1)):
    for _legacy in (True, False):
        dataset("PrefetchDataset", [numbers(3), call("PrefetchDataset", Of(0), one(_size), slack_period=_slack, legacy_autotune=_legacy, **OF_ONE)], **OF_ONE)
for _rows in ([[1, 2], [3, 4]], [[5]], [[1, 2, 3]]):
    _array = np.array(_rows, "int64").reshape(len(_rows), -1)
    dataset("UnbatchDataset", [call("TensorSliceDataset", [_array], output_shapes=[list(_array.shape[1:])]), call("BatchDatasetV2", Of(0), one(1), False, **of("int64", None, _array.shape[1])), call("UnbatchDataset", Of(1), **of("int64", _array.shape[1]))], **of("int64", _array.shape[1]))
    dataset("UnbatchDataset", [call("TensorSliceDataset", [_array.T], output_shapes=[[len(_rows)]]), call("UnbatchDataset", Of(0), **OF_ONE)], **OF_ONE)
chain("UnbatchDataset", numbers(2), call("UnbatchDataset", Of(0), **OF_ONE), call("AnonymousIteratorV3", **OF_ONE), call("MakeIterator", Of(1), Of(2)), call("IteratorGetNext", Of(2), **OF_ONE))
dataset("UnbatchDataset", [call("TensorDataset", [i64(1, 2), i64(1, 2, 3)], output_shapes=[[2], [3]]), call("UnbatchDataset", Of(0), **OF_PAIR)], **OF_PAIR)
for _values in ([1, 1], [2**63 - 1, -(2**63), 2**63 - 1], [0], []):
    dataset("UniqueDataset", [slices(*_values), call("UniqueDataset", Of(0), **OF_ONE)], **OF_ONE)
dataset("UniqueDataset", [slices(1.0, 1.0, dtype="float32"), call("UniqueDataset", Of(0), **of("float32"))], **of("float32"))
dataset("UniqueDataset", [slices([1, 1], [1, 1], shape=(2,)), call("UniqueDataset", Of(0), **of("int64", 2))], **of("int64", 2))
for _source in SOURCES:
    dataset("IgnoreErrorsDataset", [_source, call("MapDataset", Of(0), [], f=f("raises above one"), **OF_ONE), call("IgnoreErrorsDataset", Of(1), **OF_ONE)], **OF_ONE)
    dataset("MapDataset", [_source, call("MapDataset", Of(0), [], f=f("raises above one"), **OF_ONE)], **OF_ONE)
    for _name in (b"", b"\xff"):
        dataset("OptionsDataset", [_source, call("OptionsDataset", Of(0), serialized_options=_name, **OF_ONE)], **OF_ONE)
    for _again in range(3):
        dataset("CacheDatasetV2", [_source, call("AnonymousMemoryCache"), call("CacheDatasetV2", Of(0), np.array(b"", object), Of(1, 0), **OF_ONE), call("RepeatDataset", Of(2), one(_again), **OF_ONE)], 9, **OF_ONE)
for _seeds in ((1, 2), (0, 5), (-1, -1), (2**62, 3), (7, 0)):
    for _again in (True, False):
        dataset("RandomDatasetV2", [call("DummySeedGenerator"), call("RandomDatasetV2", one(_seeds[0]), one(_seeds[1]), Of(0), rerandomize_each_iteration=_again, **OF_ONE)], 3, **OF_ONE)
    for _reshuffle in (True, False):
        chain("AnonymousSeedGenerator", call("AnonymousSeedGenerator", one(_seeds[0]), one(_seeds[1]), np.array(_reshuffle)))
        dataset("SeededTwice", [numbers(4), call("AnonymousSeedGenerator", one(_seeds[0]), one(_seeds[1]), np.array(_reshuffle)), call("ShuffleDatasetV3", Of(0), one(9), one(_seeds[0]), one(_seeds[1]), Of(1, 0), reshuffle_each_iteration=_reshuffle, **OF_ONE)], 4, **OF_ONE)
for _row, _batch in ((1, 1), (0, 1), (2, 0), (2, -1), (-1, 2), (4, 9)):
    for _dtype in ("int64", "float32", "string"):
        chain("DenseToSparseBatchDataset", call("TensorSliceDataset", [A(_dtype, (3, 2))], output_shapes=[[2]]), call("DenseToSparseBatchDataset", Of(0), one(_batch), i64(_row), output_types=[_dtype], output_shapes=[[None, _row if _row >= 0 else None]]), call("DatasetCardinality", Of(1)))
for _dtype in ("float32", "string", "bool", "complex64", "uint8", "float16", "bfloat16"):
    _spec = of(_dtype, 2)
    chain("OptionalFromValue", call("OptionalFromValue", [A(_dtype, (2,))]), call("OptionalHasValue", Of(0)), call("OptionalGetValue", Of(0), **_spec), call("OptionalNone"), call("OptionalHasValue", Of(3)), call("OptionalGetValue", Of(3), **_spec), call("OptionalGetValue", Of(0), **of("resource", 2)), call("OptionalGetValue", Of(0), **of(_dtype, 3)))
    chain("IteratorGetNextAsOptional", call("TensorSliceDataset", [A(_dtype, (1, 2))], output_shapes=[[2]]), call("AnonymousIteratorV3", **_spec), call("IteratorGetNextAsOptional", Of(1), **_spec), call("MakeIterator", Of(0), Of(1)), call("IteratorGetNextAsOptional", Of(1), **_spec), call("OptionalHasValue", Of(4)), call("IteratorGetNextAsOptional", Of(1), **_spec), call("OptionalHasValue", Of(6)))
for _count in range(6):
    chain("AnonymousMemoryCache", call("AnonymousMemoryCache"), call("DeleteMemoryCache", Of(0, 0), Of(0, 1)))
    chain("DummySeedGenerator", call("DummySeedGenerator"), call("DummySeedGenerator"), call("DummySeedGenerator"))

# --- branches, loops, calls ----------------------------------------------------------------------------------------------
TRUTHS = [np.array(True), np.array(False), np.array(3, "int32"), np.array(0.0, "float32"), np.array(np.nan, "float32"), np.array(-0.0, "float64"), np.array(b"", object), np.array(b"x", object), i32(1, 2), i32(), np.array([[0]], "int64")]
for _name in ("If", "StatelessIf"):
    for _truth in TRUTHS:
        chain(_name, call(_name, _truth, [one(4)], then_branch=f("plus one"), else_branch=f("double"), Tout=["int64"]), call(_name, _truth, [one(4), one(5)], then_branch=f("same", INT, INT), else_branch=f("swap", INT, INT), Tout=["int64", "int64"]))
    for _dtype in ("float32", "string", "bool", "bfloat16", "complex64"):
        _spec = (_dtype, [None])
        chain(_name, call(_name, np.array(True), [A(_dtype, (3,)), A(_dtype, (0,))], then_branch=f("swap", _spec, _spec), else_branch=f("same", _spec, _spec), Tout=[_dtype, _dtype], output_shapes=[[None], [None]]))
    chain(_name, call(_name, np.array(True), [one(1)], then_branch=f("raises above one"), else_branch=f("plus one"), Tout=["int64"]), call(_name, np.array(True), [one(5)], then_branch=f("raises above one"), else_branch=f("plus one"), Tout=["int64"]), call(_name, np.array(False), [one(5)], then_branch=f("raises above one"), else_branch=f("plus one"), Tout=["int64"]), call(_name, np.array(True), [one(5)], then_branch=f("plus one"), else_branch=f("plus one"), Tout=["int32"]))
for _name in ("Case", "StatelessCase"):
    for _index in (0, 1, 2, 3, -1, 2**31 - 1, -(2**31)):
        chain(_name, call(_name, np.array(_index, "int32"), [one(4)], branches=[f("plus one"), f("double"), f("zero")], Tout=["int64"]), call(_name, np.array(_index, "int32"), [one(4)], branches=[f("plus one")], Tout=["int64"]))
    for _dtype in ("float32", "string", "bool", "bfloat16", "complex64"):
        chain(_name, call(_name, np.array(1, "int32"), [A(_dtype, (2, 0)), A(_dtype, ())], branches=[f("same", (_dtype, None), (_dtype, None)), f("swap", (_dtype, None), (_dtype, None))], Tout=[_dtype, _dtype]))
    chain(_name, call(_name, np.array(0, "int32"), [one(3)], branches=[f("raises above one"), f("double")], Tout=["int64"]), call(_name, np.array(1, "int32"), [one(3)], branches=[f("raises above one"), f("double")], Tout=["int64"]))
for _name in ("While", "StatelessWhile"):
    for _start in (0, 2, 3, 9, -1, 2**63 - 1):
        for _body in ("plus one", "raises above one"):
            if _body == "plus one" or _start > 2:
                chain(_name, call(_name, [one(_start)], cond=f("below three"), body=f(_body), parallel_iterations=1))
    for _dtype in ("float32", "float64", "float16", "int32", "uint8", "bfloat16"):
        _spec = (_dtype, [])
        chain(_name, call(_name, [A(_dtype, (), "positive"), A(_dtype, (), "positive")], cond=f("below", _spec, _spec), body=f("swap", _spec, _spec)), call(_name, [A(_dtype, (), "part")], cond=f("no", _spec), body=f("plus one", _spec)))
    chain(_name, call(_name, [i64(1, 2)], cond=f("narrow", ("int64", [None])), body=f("wide", ("int64", [None])), output_shapes=[[None]]))
    chain(_name, call(_name, [i64()], cond=f("is not empty", ("int64", [None])), body=f("wide", ("int64", [None])), output_shapes=[[None]]))
    chain(_name, call(_name, [np.array([b"a", b""], object)], cond=f("no", ("string", [2])), body=f("upper", ("string", [2]))))
    chain(_name, call(_name, [np.array(True)], cond=f("first", ("bool", [])), body=f("negated", ("bool", []))))
    chain(_name, call(_name, [np.array(np.nan, "float32")], cond=f("below three", ("float32", [])), body=f("plus one", ("float32", []))))
    chain(_name, call(_name, [one(0), one(10)], cond=f("first below", INT, INT), body=f("of two", INT, INT)), call(_name, [one(5), one(1)], cond=f("first below", INT, INT), body=f("of two", INT, INT)))
    chain(_name, call(_name, [one(1)], cond=f("first"), body=f("zero")), call(_name, [i64(1)], cond=f("first", ("int64", [1])), body=f("zero", ("int64", [1]))))
for _name in ("PartitionedCall", "StatefulPartitionedCall"):
    for _dtype in ("float32", "string", "bool", "int32", "complex64", "bfloat16", "uint8"):
        _spec = (_dtype, None)
        chain(_name, call(_name, [A(_dtype, (2, 0)), A(_dtype, ())], f=f("swap", _spec, _spec), Tout=[_dtype, _dtype]), call(_name, [A(_dtype, (3,))], f=f("same", _spec), Tout=[_dtype]))
    chain(_name, call(_name, [], f=Fn("constants", ()), Tout=["int32", "string"]))
    chain(_name, call(_name, [np.array([-1.0, -0.0, np.inf, np.nan], "float32")], f=f("square root", ("float32", [4])), Tout=["float32"]))
    chain(_name, call(_name, [one(1)], f=f("raises above one"), Tout=["int64"]), call(_name, [one(2)], f=f("raises above one"), Tout=["int64"]))
    chain(_name, call(_name, [one(1), one(2)], f=f("plus one"), Tout=["int64"]))
    chain(_name, call(_name, [np.array(1.5, "float32")], f=f("plus one"), Tout=["int64"]))
