"""The ops of datasets, iterators and optionals, as TensorFlow declares them.

The handle of a dataset is a tensor of dtype variant whose element is a `Source`; that of an iterator a tensor of dtype
resource whose element is an `IteratorState`. Kernels only put sources together: elements are made when somebody
iterates.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import batching, files, generators, ordering, sources, threads
from graphrt.data.running import Element, Run, Source, iterate
from graphrt.ir.graph import InferContext
from graphrt.ir.op import INTERNAL, OPAQUE, READS, READS_FILES, STATEFUL, FileAccess, define, ops
from graphrt.types.dtype import DType

_DESCRIBED = "output_types: list(type) >= 1; output_shapes: list(shape) >= 1"
_METADATA = "metadata: string = ''"
_READS = (STATEFUL, READS, OPAQUE)
_PURE = (OPAQUE,)


def _handle(c: Any) -> Any:
    return ()


def _dataset(
    type_: str, schema: str, kernel: Callable[..., Any], attrs: str = "", traits: tuple[str, ...] = _PURE,
    described: bool = True, metadata: bool = True, file_access: FileAccess | None = None,
) -> Any:  # fmt: skip
    parts = [attrs, _DESCRIBED if described else "", _METADATA if metadata else ""]
    return define(
        type_, f"{schema} -> handle: variant", attrs="; ".join(p for p in parts if p), infer=_handle, kernel=kernel,
        traits=traits, file_access=file_access,
    )  # fmt: skip


def _bad(message: str) -> errors.OpError:
    return errors.InvalidArgumentError(None, None, message)


def _range(start: Any, stop: Any, step: Any, *, output_types: list[DType]) -> Source:
    if step == 0:
        raise _bad("step must be a non-zero integer.")
    return sources.Range(int(start), int(stop), int(step), output_types[0].as_numpy_dtype)


RangeDataset = _dataset(
    "RangeDataset", "start: int64, stop: int64, step: int64", _range, "replicate_on_split: bool = False", _READS
)
TensorDataset = define(
    "TensorDataset", "components: Toutput_types... -> handle: variant",
    attrs=f"Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; {_METADATA}", infer=_handle,
    kernel=lambda components: sources.Elements([tuple(components)]), traits=_READS,
)  # fmt: skip


def _slices(components: list[Any]) -> Source:
    sizes = {len(c) for c in components}
    if len(sizes) > 1:
        raise _bad(f"All components must have the same size in the 0th dimension, found {sorted(sizes)}")
    return sources.Slices(components)


TensorSliceDataset = define(
    "TensorSliceDataset", "components: Toutput_types... -> handle: variant",
    attrs=f"Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; is_files: bool = False; {_METADATA}; "
    "replicate_on_split: bool = False",
    infer=_handle, kernel=_slices, traits=_READS,
)  # fmt: skip
GeneratorDataset = _dataset(
    "_GeneratorDataset", "next_func_other_args: Tnext_func_args...",
    lambda args, *, _generator: generators.Generator(_generator[0], _generator[1], args),
    "Tnext_func_args: list(type); _generator: python", (INTERNAL, *_READS),
)  # fmt: skip

# --- functions -------------------------------------------------------------------------------------------------------
_INPUT = "input_dataset: variant, other_arguments: Targuments..."
MapDataset = _dataset(
    "MapDataset", _INPUT, lambda x, extra, *, f: sources.Map(x, f, extra),
    "f: func; Targuments: list(type); use_inter_op_parallelism: bool = True; preserve_cardinality: bool = False; "
    "force_synchronous: bool = False",
)  # fmt: skip
_ORDER = {"true": True, "false": False, "default": None}


def _order(deterministic: Any) -> bool | None:
    return _ORDER[deterministic.decode() if isinstance(deterministic, bytes) else deterministic]


ParallelMapDatasetV2 = _dataset(
    "ParallelMapDatasetV2", f"{_INPUT}, num_parallel_calls: int64",
    lambda x, extra, calls, *, f, deterministic: threads.ParallelMap(
        x, f, extra, _positive(calls, "num_parallel_calls"), _order(deterministic)
    ),
    "f: func; Targuments: list(type); use_inter_op_parallelism: bool = True; deterministic: string = 'default'; "
    "preserve_cardinality: bool = False; use_unbounded_threadpool: bool = False",
)  # fmt: skip


def _positive(value: Any, name: str) -> int:
    if value < 1 and value != -1:
        raise _bad(f"{name} must be greater than zero.")
    return int(value)


_PREDICATE = "predicate: func; Targuments: list(type)"
FilterDataset = _dataset(
    "FilterDataset", _INPUT, lambda x, extra, *, predicate: sources.Filter(x, predicate, extra), _PREDICATE
)
TakeWhileDataset = _dataset(
    "TakeWhileDataset", _INPUT, lambda x, extra, *, predicate: sources.TakeWhile(x, predicate, extra), _PREDICATE
)
FlatMapDataset = _dataset(
    "FlatMapDataset", _INPUT, lambda x, extra, *, f: ordering.FlatMap(x, f, extra), "f: func; Targuments: list(type)"
)


def _interleave(x: Any, extra: list[Any], cycle: Any, block: Any, f: Any, ahead: bool = False) -> Source:
    if cycle != -1 and cycle < 1:
        raise _bad("`cycle_length` must be > 0")
    if block < 1:
        raise _bad("`block_length` must be > 0")
    return ordering.Interleave(x, f, extra, int(cycle), int(block), ahead)


InterleaveDataset = _dataset(
    "InterleaveDataset", f"{_INPUT}, cycle_length: int64, block_length: int64",
    lambda x, extra, cycle, block, *, f: _interleave(x, extra, cycle, block, f), "f: func; Targuments: list(type)",
)  # fmt: skip


def _parallel_interleave(
    x: Any, extra: list[Any], cycle: Any, block: Any, buffered: Any, fetched: Any, calls: Any, *, f: Any
) -> Source:
    _positive(calls, "`num_parallel_calls`")
    if 0 < cycle < calls:
        raise _bad(
            "`num_parallel_calls` must be `tf.data.AUTOTUNE` or a value less than or equal to `cycle_length`. However, "
            f"`num_parallel_calls` is {calls} and `cycle_length` is {cycle}"
        )
    return _interleave(x, extra, cycle, block, f, ahead=True)


ParallelInterleaveDatasetV4 = _dataset(
    "ParallelInterleaveDatasetV4",
    f"{_INPUT}, cycle_length: int64, block_length: int64, buffer_output_elements: int64, "
    "prefetch_input_elements: int64, num_parallel_calls: int64",
    _parallel_interleave, "f: func; deterministic: string = 'default'; Targuments: list(type)",
)  # fmt: skip
ScanDataset = _dataset(
    "ScanDataset", "input_dataset: variant, initial_state: Tstate..., other_arguments: Targuments...",
    lambda x, state, extra, *, f, _stop: sources.Scan(x, state, f, extra, None if _stop < 0 else _stop),
    "f: func; Tstate: list(type) >= 1; Targuments: list(type); preserve_cardinality: bool = False; "
    "use_default_device: bool = True; _stop: int = -1",
)  # fmt: skip


def _reduce(dataset: Source, state: list[Any], extra: list[Any], *, f: Any, _stop: int) -> list[Any]:
    run, elements = iterate(dataset)
    try:
        return list(sources.reduce(elements, state, f, extra, None if _stop < 0 else _stop))
    finally:
        del elements
        run.close()


def _described_dims(c: Any) -> Any:
    return list(c.attrs["output_shapes"])


ReduceDataset = define(
    "ReduceDataset",
    "input_dataset: variant, initial_state: Tstate..., other_arguments: Targuments... -> components: output_types...",
    attrs=f"f: func; Tstate: list(type) >= 1; Targuments: list(type); {_DESCRIBED}; use_inter_op_parallelism: bool = True; "
    f"{_METADATA}; _stop: int = -1",
    infer=_described_dims, kernel=_reduce, vjp=lambda call, *grads: ops.reduce_gradient(call, *grads),
    traits=(STATEFUL, OPAQUE),
)  # fmt: skip
_GROUP = (
    "key_func_other_arguments: Tkey_func_other_arguments..., reduce_func_other_arguments: "
    "Treduce_func_other_arguments..., window_size_func_other_arguments: Twindow_size_func_other_arguments..."
)
GroupByWindowDataset = _dataset(
    "GroupByWindowDataset", f"input_dataset: variant, {_GROUP}",
    lambda x, a, b, c, *, key_func, reduce_func, window_size_func: batching.GroupByWindow(
        x, (key_func, a), (reduce_func, b), (window_size_func, c)
    ),
    "key_func: func; reduce_func: func; window_size_func: func; Tkey_func_other_arguments: list(type); "
    "Treduce_func_other_arguments: list(type); Twindow_size_func_other_arguments: list(type)",
)  # fmt: skip
GroupByReducerDataset = _dataset(
    "GroupByReducerDataset",
    "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments..., init_func_other_arguments: "
    "Tinit_func_other_arguments..., reduce_func_other_arguments: Treduce_func_other_arguments..., "
    "finalize_func_other_arguments: Tfinalize_func_other_arguments...",
    lambda x, a, b, c, d, *, key_func, init_func, reduce_func, finalize_func: batching.GroupByReducer(
        x, (key_func, a), (init_func, b), (reduce_func, c), (finalize_func, d)
    ),
    "key_func: func; init_func: func; reduce_func: func; finalize_func: func; Tkey_func_other_arguments: list(type); "
    "Tinit_func_other_arguments: list(type); Treduce_func_other_arguments: list(type); "
    "Tfinalize_func_other_arguments: list(type)",
    _READS, metadata=False,
)  # fmt: skip


# --- batches ---------------------------------------------------------------------------------------------------------
def _batch_size(size: Any) -> int:
    if size < 1:
        raise _bad("Batch size must be greater than zero.")
    return int(size)


BatchDatasetV2 = _dataset(
    "BatchDatasetV2", "input_dataset: variant, batch_size: int64, drop_remainder: bool",
    lambda x, size, drop: batching.Batch(x, _batch_size(size), bool(drop)), "parallel_copy: bool = False",
)  # fmt: skip
ParallelBatchDataset = _dataset(
    "ParallelBatchDataset",
    "input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool",
    lambda x, size, calls, drop: batching.Batch(x, _batch_size(size), bool(drop)),
    "parallel_copy: bool = False; deterministic: string = 'default'",
)  # fmt: skip
PaddedBatchDatasetV2 = define(
    "PaddedBatchDatasetV2",
    "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values: Toutput_types..., "
    "drop_remainder: bool -> handle: variant",
    attrs=f"parallel_copy: bool = False; Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; "
    f"N: int >= 1; {_METADATA}",
    infer=_handle, traits=_PURE,
    kernel=lambda x, size, shapes, values, drop: batching.PaddedBatch(x, _batch_size(size), bool(drop), shapes, values),
)  # fmt: skip
UnbatchDataset = _dataset(
    "UnbatchDataset",
    "input_dataset: variant",
    lambda x, *, _rows: batching.Unbatch(x, None if _rows < 0 else _rows),
    "_rows: int = -1",
)
RebatchDatasetV2 = _dataset(
    "RebatchDatasetV2", "input_dataset: variant, batch_sizes: int64, drop_remainder: bool",
    lambda x, sizes, drop: batching.Rebatch(x, [_batch_size(s) for s in np.reshape(sizes, -1).tolist()], bool(drop)),
    metadata=False,
)  # fmt: skip


def _window(x: Any, size: Any, shift: Any, stride: Any, drop: Any) -> Source:
    for name, value in (("size", size), ("shift", shift), ("stride", stride)):
        if value < 1:
            raise _bad(f"Window {name} must be greater than zero.")
    return batching.Window(x, int(size), int(shift), int(stride), bool(drop))


WindowDataset = _dataset(
    "WindowDataset", "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool", _window
)


# --- order and number ------------------------------------------------------------------------------------------------
def _shuffle(x: Any, size: Any, seed: Any, seed2: Any, seeds: Any) -> Source:
    if size < 1 and size != -2:
        raise _bad("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
    return ordering.Shuffle(x, int(size), seeds)


_NO_SEEDS = "seed: int64, seed2: int64, seed_generator: resource"
ShuffleDatasetV3 = _dataset(
    "ShuffleDatasetV3", f"input_dataset: variant, buffer_size: int64, {_NO_SEEDS}", _shuffle,
    "reshuffle_each_iteration: bool = True", _READS,
)  # fmt: skip
AnonymousSeedGenerator = define(
    "AnonymousSeedGenerator", "seed: int64, seed2: int64, reshuffle: bool -> handle: resource, deleter: variant",
    infer=lambda c: [(), ()], traits=(STATEFUL, OPAQUE),
    kernel=lambda seed, seed2, reshuffle: [ordering.Seeds(int(seed), int(seed2), bool(reshuffle)), None],
)  # fmt: skip
RandomDatasetV2 = _dataset(
    "RandomDatasetV2", _NO_SEEDS, lambda seed, seed2, seeds: ordering.Random(seeds),
    "rerandomize_each_iteration: bool = False", _READS,
)  # fmt: skip
RepeatDataset = _dataset(
    "RepeatDataset", "input_dataset: variant, count: int64", lambda x, n: sources.Repeat(x, int(n))
)
TakeDataset = _dataset("TakeDataset", "input_dataset: variant, count: int64", lambda x, n: sources.Take(x, int(n)))
SkipDataset = _dataset("SkipDataset", "input_dataset: variant, count: int64", lambda x, n: sources.Skip(x, int(n)))


def _shard(x: Any, shards: Any, index: Any) -> Source:
    if shards < 1:
        raise _bad(f"Number of shards must be greater than zero (currently num_shards = {shards}).")
    if index < 0 or index >= shards:
        raise _bad(f"Index must be between 0 and {shards - 1} (currently index = {index}).")
    return sources.Shard(x, int(shards), int(index))


ShardDataset = _dataset(
    "ShardDataset", "input_dataset: variant, num_shards: int64, index: int64", _shard, "require_non_empty: bool = False"
)
UniqueDataset = _dataset("UniqueDataset", "input_dataset: variant", sources.Unique)
ZipDataset = _dataset("ZipDataset", "input_datasets: N * variant", sources.Zip, "N: int >= 1")
ConcatenateDataset = _dataset(
    "ConcatenateDataset", "input_dataset: variant, another_dataset: variant", sources.Concatenate
)
DirectedInterleaveDataset = _dataset(
    "DirectedInterleaveDataset", "selector_input_dataset: variant, data_input_datasets: N * variant",
    lambda selector, parts, *, stop_on_empty_dataset: sources.Directed(selector, parts, stop_on_empty_dataset),
    "N: int >= 1; stop_on_empty_dataset: bool = False", metadata=False,
)  # fmt: skip
AnonymousMemoryCache = define(
    "AnonymousMemoryCache", "-> handle: resource, deleter: variant", infer=lambda c: [(), ()],
    kernel=lambda: [sources.MemoryCache(), None], traits=(STATEFUL, OPAQUE),
)  # fmt: skip


def _cache(x: Any, filename: Any, cache: Any, *, output_types: list[DType]) -> Source:
    (name,) = files.names_of(filename)
    return files.FileCache(x, name, output_types) if name else sources.Cache(x, cache)


def _names_a_file(c: InferContext) -> bool:
    name = c.const(1)
    return name is None or any(files.names_of(name))


CacheDatasetV2 = _dataset(
    "CacheDatasetV2", "input_dataset: variant, filename: string, cache: resource", _cache, "", _READS,
    file_access=FileAccess("keeps elements in a file", _names_a_file),
)  # fmt: skip


def _prefetch(x: Any, size: Any) -> Source:
    if size < 0 and size != -1:
        raise _bad(f"buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning, found {size}")
    return threads.Prefetch(x, int(size))


PrefetchDataset = _dataset(
    "PrefetchDataset", "input_dataset: variant, buffer_size: int64", _prefetch,
    "slack_period: int = 0; legacy_autotune: bool = True; buffer_size_min: int = 0",
)  # fmt: skip
IgnoreErrorsDataset = _dataset(
    "IgnoreErrorsDataset", "input_dataset: variant",
    lambda x, *, log_warning: sources.IgnoreErrors(x, log_warning), "log_warning: bool = False", metadata=False,
)  # fmt: skip
AssertCardinalityDataset = _dataset(
    "AssertCardinalityDataset", "input_dataset: variant, cardinality: int64",
    lambda x, n: sources.AssertCardinality(x, int(n)), metadata=False,
)  # fmt: skip
OptionsDataset = _dataset(
    "OptionsDataset", "input_dataset: variant", lambda x, *, _options: sources.Optioned(x, json.loads(_options)),
    "serialized_options: string = ''; _options: string = '{}'",
)  # fmt: skip

# --- files -----------------------------------------------------------------------------------------------------------
_COMPRESSED = "filenames: string, compression_type: string, buffer_size: int64"
TextLineDataset = _dataset(
    "TextLineDataset", _COMPRESSED, lambda names, compression, size: files.TextLines(names, compression), "", _READS,
    described=False, file_access=READS_FILES,
)  # fmt: skip
TFRecordDataset = _dataset(
    "TFRecordDataset", _COMPRESSED, lambda names, compression, size: files.TFRecords(names, compression), "", _READS,
    described=False, file_access=READS_FILES,
)  # fmt: skip
FixedLengthRecordDatasetV2 = _dataset(
    "FixedLengthRecordDatasetV2",
    "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64, "
    "compression_type: string",
    lambda names, header, length, footer, size, compression: files.FixedRecords(
        names, compression, int(header), int(length), int(footer)
    ),
    "", _READS, described=False, file_access=READS_FILES,
)  # fmt: skip


def _csv(
    names: Any, compression: Any, size: Any, header: Any, delimiter: Any, quotes: Any, missing: Any, columns: Any,
    defaults: list[Any], excluded: Any, *, output_types: list[DType],
) -> Source:  # fmt: skip
    return files.Csv(
        names, compression, header, delimiter, quotes, missing, columns.tolist(), defaults, output_types,
        excluded.tolist(),
    )  # fmt: skip


CSVDatasetV2 = _dataset(
    "CSVDatasetV2",
    f"{_COMPRESSED}, header: bool, field_delim: string, use_quote_delim: bool, na_value: string, select_cols: int64, "
    "record_defaults: output_types..., exclude_cols: int64",
    _csv, "", _READS, metadata=False, file_access=READS_FILES,
)  # fmt: skip
MatchingFilesDataset = _dataset(
    "MatchingFilesDataset",
    "patterns: string",
    files.Matching,
    "",
    _READS,
    described=False,
    metadata=False,
    file_access=READS_FILES,
)


# --- optionals -------------------------------------------------------------------------------------------------------
class OptionalValue:
    """What stands behind the handle of an optional: the raw components of an element, or nothing."""

    __slots__ = ("__weakref__", "element")

    def __init__(self, element: Element | None) -> None:
        self.element = element


def _optional_value(optional: Any) -> list[Any]:
    if optional.element is None:
        raise _bad("The given optional does not have a value.")
    return list(optional.element)


OptionalFromValue = define(
    "OptionalFromValue", "components: Toutput_types... -> optional: variant", attrs="Toutput_types: list(type) >= 1",
    infer=_handle, traits=_PURE, kernel=lambda components: OptionalValue(tuple(components)),
)  # fmt: skip
OptionalNone = define(
    "OptionalNone", "-> optional: variant", infer=_handle, kernel=lambda: OptionalValue(None), traits=_PURE
)
OptionalHasValue = define(
    "OptionalHasValue", "optional: variant -> has_value: bool", infer=_handle, traits=_PURE,
    kernel=lambda optional: np.bool_(optional.element is not None),
)  # fmt: skip
OptionalGetValue = define(
    "OptionalGetValue", "optional: variant -> components: output_types...", attrs=_DESCRIBED, infer=_described_dims,
    kernel=_optional_value, traits=_PURE,
)  # fmt: skip


# --- iterators -------------------------------------------------------------------------------------------------------
class IteratorState:
    """What stands behind the handle of an iterator: a run, and the elements that are left."""

    __slots__ = ("__weakref__", "_elements", "_lock", "run")

    traced_by_type = True

    def __init__(self) -> None:
        self.run: Run | None = None
        self._elements: Any = None
        self._lock = threading.Lock()

    def begin(self, source: Source) -> None:
        """Starts anew, on the elements of `source`."""
        self.close()
        self.run, self._elements = iterate(source)

    def following(self) -> Element:
        """The next element; StopIteration at the end.

        Raises:
          FailedPreconditionError: the iterator has no dataset yet.
        """
        elements = self._elements
        if elements is None:
            if self.run is not None:
                raise StopIteration
            raise errors.FailedPreconditionError(
                None, None, "GetNext() failed because the iterator has not been initialized."
            )
        with self._lock:
            try:
                return elements.__next__()
            except StopIteration:
                pass
            except errors.OpError as error:
                # frames of the pipeline in its traceback would keep the iterators and their threads alive
                raise error.with_traceback(None)  # noqa: B904
            except KeyboardInterrupt:
                del elements
                self.close()
                raise
        del elements
        self.close()
        raise StopIteration

    def close(self) -> None:
        """Ends the run: drops the elements, stops the threads."""
        self._elements = None
        if self.run is not None:
            self.run.close()

    def __del__(self) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<iterator>"


AnonymousIteratorV3 = define(
    "AnonymousIteratorV3", "-> handle: resource", attrs=_DESCRIBED, infer=_handle, kernel=IteratorState,
    traits=(STATEFUL, OPAQUE),
)  # fmt: skip
MakeIterator = define(
    "MakeIterator", "dataset: variant, iterator: resource ->", infer=lambda c: [], traits=(STATEFUL, OPAQUE),
    kernel=lambda dataset, iterator: iterator.begin(dataset),
)  # fmt: skip


def _next(iterator: IteratorState) -> list[Any]:
    try:
        return list(iterator.following())
    except StopIteration:
        raise errors.OutOfRangeError(None, None, "End of sequence") from None


def _next_optional(iterator: IteratorState) -> OptionalValue:
    try:
        return OptionalValue(iterator.following())
    except StopIteration:
        return OptionalValue(None)


IteratorGetNext = define(
    "IteratorGetNext", "iterator: resource -> components: output_types...", attrs=_DESCRIBED, infer=_described_dims,
    kernel=_next, traits=(STATEFUL, OPAQUE),
)  # fmt: skip
IteratorGetNextAsOptional = define(
    "IteratorGetNextAsOptional", "iterator: resource -> optional: variant", attrs=_DESCRIBED, infer=_handle,
    kernel=_next_optional, traits=(STATEFUL, OPAQUE),
)  # fmt: skip

# --- questions -------------------------------------------------------------------------------------------------------
DatasetCardinality = define(
    "DatasetCardinality", "input_dataset: variant -> cardinality: int64", attrs="cardinality_options: string = ''",
    infer=_handle, kernel=lambda x: np.int64(x.count()), traits=_PURE,
)  # fmt: skip


def _single(dataset: Source) -> list[Any]:
    run, elements = iterate(dataset)
    try:
        found = next(elements, None)
        if found is None:
            raise _bad("Dataset was empty.")
        if next(elements, None) is not None:
            raise _bad("Dataset had more than one element.")
        return list(found)
    finally:
        del elements
        run.close()


DatasetToSingleElement = define(
    "DatasetToSingleElement", "dataset: variant -> components: output_types...", attrs=f"{_DESCRIBED}; {_METADATA}",
    infer=_described_dims, kernel=_single, traits=(STATEFUL, OPAQUE),
)  # fmt: skip
