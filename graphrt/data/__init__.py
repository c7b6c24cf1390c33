"""`tf.data`: pipelines that make elements one by one, eagerly and in traced functions."""

from graphrt.data import experimental
from graphrt.data.dataset import (
    AUTOTUNE,
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    Dataset,
    DatasetSpec,
)
from graphrt.data.file_datasets import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from graphrt.data.iterator import Iterator, IteratorSpec, NumpyIterator
from graphrt.data.options import Options, ThreadingOptions

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "DatasetSpec", "FixedLengthRecordDataset",
    "Iterator", "IteratorSpec", "NumpyIterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions",
    "experimental",
]  # fmt: skip
