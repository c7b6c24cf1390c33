"""`tf.data`: pipelines that make elements one by one, eagerly and in traced functions."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from graphrt.data import experimental
from graphrt.data import transformations as _transformations  # noqa: F401  their methods are added to Dataset
from graphrt.data.dataset import (
    AUTOTUNE,
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    Dataset,
    DatasetSpec,
)
from graphrt.data.iterator import Iterator, IteratorSpec, NumpyIterator
from graphrt.data.options import Options, ThreadingOptions
from graphrt.data.readers.fixed_length_records import FixedLengthRecordDataset
from graphrt.data.readers.text_lines import TextLineDataset
from graphrt.data.readers.tfrecords import TFRecordDataset
from graphrt.types.missing import missing_names as _missing_names

if not _TYPE_CHECKING:  # checkers of types know what is there
    __getattr__ = _missing_names(__name__)

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "Dataset", "DatasetSpec", "FixedLengthRecordDataset",
    "Iterator", "IteratorSpec", "NumpyIterator", "Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions",
    "experimental",
]  # fmt: skip
