"""`tf.data.experimental`."""

from graphrt.data.csv_files import CsvDataset, make_csv_dataset
from graphrt.data.dataset import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY
from graphrt.data.extras import (
    SHARD_HINT,
    Reducer,
    TFRecordWriter,
    assert_cardinality,
    at,
    bucket_by_sequence_length,
    cardinality,
    choose_from_datasets,
    copy_to_device,
    dense_to_ragged_batch,
    dense_to_sparse_batch,
    enumerate_dataset,
    from_list,
    from_variant,
    get_single_element,
    get_structure,
    group_by_reducer,
    group_by_window,
    ignore_errors,
    map_and_batch,
    pad_to_cardinality,
    parallel_interleave,
    prefetch_to_device,
    sample_from_datasets,
    scan,
    shuffle_and_repeat,
    take_while,
    to_variant,
    unbatch,
    unique,
)
from graphrt.data.extras import counter as Counter
from graphrt.data.extras import random_dataset as RandomDataset
from graphrt.data.iterator import Optional, get_next_as_optional
from graphrt.data.options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ThreadingOptions,
)

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "SHARD_HINT", "UNKNOWN_CARDINALITY", "AutoShardPolicy", "AutotuneAlgorithm",
    "AutotuneOptions", "Counter", "CsvDataset", "DistributeOptions", "ExternalStatePolicy", "OptimizationOptions",
    "Optional", "RandomDataset", "Reducer", "TFRecordWriter", "ThreadingOptions", "assert_cardinality", "at",
    "bucket_by_sequence_length", "cardinality", "choose_from_datasets", "copy_to_device", "dense_to_ragged_batch",
    "dense_to_sparse_batch", "enumerate_dataset",
    "from_list", "from_variant", "get_next_as_optional", "get_single_element", "get_structure", "group_by_reducer",
    "group_by_window", "ignore_errors", "make_csv_dataset", "map_and_batch", "pad_to_cardinality",
    "parallel_interleave", "prefetch_to_device", "sample_from_datasets", "scan", "shuffle_and_repeat", "take_while",
    "to_variant", "unbatch", "unique",
]  # fmt: skip
