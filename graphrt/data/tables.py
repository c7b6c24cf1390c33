"""Lookup tables filled from datasets: `tf.data.experimental.table_from_dataset` and what it stands on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset, handle_of
from graphrt.data.pipeline import Source, iterate
from graphrt.data.transformations.assert_cardinality import assert_cardinality
from graphrt.ir.op import OPAQUE, STATEFUL, define
from graphrt.resources.table_ops import Table
from graphrt.resources.tables import StaticHashTable, StaticVocabularyTable, fits
from graphrt.tensor.tensor import SymbolicTensor
from graphrt.types.dtype import DType, as_dtype, string
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.spec import TensorSpec


def _from_dataset(table: Table, dataset: Source) -> None:
    run, elements = iterate(dataset)
    try:
        pairs = list(elements)
    finally:
        del elements
        run.close()
    kinds = (table.key_dtype, table.value_dtype)
    keys, values = (
        np.array([st.as_numpy(pair[i]) for pair in pairs], kind.as_numpy_dtype) for i, kind in enumerate(kinds)
    )
    table.insert(keys, values, anew=True)


InitializeTableFromDataset = define(
    "InitializeTableFromDataset", "table_handle: resource, dataset: variant ->", infer=lambda c: [], kernel=_from_dataset,
    traits=(STATEFUL, OPAQUE),
)  # fmt: skip


class HasherSpec(NamedTuple):
    """How words that are in no table find a number of their own."""

    hasher: str
    key: Any


FAST_HASH = HasherSpec("fasthash", None)


class DatasetInitializer:
    """Keys and values of a table, given as a dataset of pairs of scalars.

    >>> import graphrt as tf
    >>> pairs = tf.data.Dataset.zip(tf.data.Dataset.range(3), tf.data.Dataset.from_tensor_slices(["a", "b", "c"]))
    >>> table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(pairs), "?")
    >>> table.lookup(tf.constant([2, 7], tf.int64)).numpy().tolist()
    [b'c', b'?']

    Raises:
      TypeError: it is no dataset.
      ValueError: the elements are no pairs of scalars.
    """

    def __init__(self, dataset: Dataset) -> None:
        if not isinstance(dataset, Dataset):
            raise TypeError(errors.at_user_line(f"a table is filled from a tf.data.Dataset, found {shown(dataset)}"))
        spec = dataset.element_spec
        pairs = type(spec) is tuple and len(spec) == 2 and all(isinstance(s, TensorSpec) and s.dims == () for s in spec)
        if not pairs:
            raise ValueError(
                errors.at_user_line(
                    "Datasets used to initialize lookup tables must produce elements in the form (key, value), where "
                    f"the keys and values are scalar tensors. However, the given dataset produces {shown(spec)}"
                )
            )
        self.dataset = dataset
        self._specs: tuple[TensorSpec, TensorSpec] = spec

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._specs[0].dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._specs[1].dtype

    def initialize(self, table: StaticHashTable | StaticVocabularyTable) -> None:
        """Fills a table; the dataset is gone through once, or whenever the function runs that makes it.

        Raises:
          FailedPreconditionError: a key comes twice, with different values.
          TypeError: the table has other dtypes.
        """
        fits(table, self)
        InitializeTableFromDataset(table.resource_handle, handle_of(self.dataset))

    @property
    def in_graph(self) -> bool:
        """Whether the dataset is made by a function that is being traced, which fills the table whenever it runs."""
        return isinstance(handle_of(self.dataset), SymbolicTensor)


def table_from_dataset(
    dataset: Dataset, num_oov_buckets: int = 0, vocab_size: int | None = None,
    default_value: TensorLike | None = None, hasher_spec: HasherSpec = FAST_HASH, key_dtype: DTypeLike = string,
    name: str | None = None,
) -> StaticHashTable | StaticVocabularyTable:  # fmt: skip
    """A table of the pairs of a dataset.

    >>> import graphrt as tf
    >>> pairs = tf.data.Dataset.zip(tf.data.Dataset.from_tensor_slices(["a", "b"]), tf.data.Dataset.range(2))
    >>> tf.data.experimental.table_from_dataset(pairs).lookup(tf.constant(["b", "z"])).numpy().tolist()
    [1, -1]
    >>> tf.data.experimental.table_from_dataset(pairs, num_oov_buckets=1).lookup(tf.constant(["b", "z"])).numpy().tolist()
    [1, 2]

    Args:
      dataset: gives keys and values, scalars.
      num_oov_buckets: over how many numbers behind the last one keys are spread that are not there, by their hash.
      vocab_size: how many pairs are taken; there must be as many.
      default_value: what keys have that are not there: -1 unless told.
      hasher_spec: the hash; TensorFlow's fast one is the only one.
      key_dtype: the dtype of what is looked up: an integer or string.
      name: of the table.

    Raises:
      FailedPreconditionError: a key comes twice, with different values, or there are fewer than `vocab_size` pairs.
      TypeError: the keys are neither integers nor strings.
      ValueError: a number is too small, strings are given no default, or the elements are no pairs of scalars.
    """
    kind = as_dtype(key_dtype)
    if num_oov_buckets < 0:
        raise ValueError(
            errors.at_user_line(f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}.")
        )
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(errors.at_user_line(f"`vocab_size` must be greater than 0, got {vocab_size}."))
    if not (kind.is_integer or kind is string):
        raise TypeError(
            errors.at_user_line(f"`key_dtype` must be either an integer or string type, but got {shown(kind)}")
        )
    if not isinstance(hasher_spec, tuple) or hasher_spec[0] != FAST_HASH.hasher:
        raise TypeError(errors.at_user_line(f"`hasher_spec` is the fast hash, found {shown(hasher_spec)}"))
    if vocab_size is not None and isinstance(dataset, Dataset):
        dataset = dataset.take(vocab_size).apply(assert_cardinality(vocab_size))
    initializer = DatasetInitializer(dataset)
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, lookup_key_dtype=kind, name=name)
    values = initializer.value_dtype
    if default_value is None:
        if not (values.is_integer or values.is_floating):
            raise ValueError(
                errors.at_user_line(
                    "`default_value` must be specified when creating a table from a dataset that produces values of "
                    f"type {shown(values)}."
                )
            )
        default_value = -1
    return StaticHashTable(initializer, default_value, name=name)


def index_table_from_dataset(
    dataset: Dataset, num_oov_buckets: int = 0, vocab_size: int | None = None, default_value: TensorLike = -1,
    hasher_spec: HasherSpec = FAST_HASH, key_dtype: DTypeLike = string, name: str | None = None,
) -> StaticHashTable | StaticVocabularyTable:  # fmt: skip
    """A table of the keys that a dataset gives, by which each has its place: 0, 1, ...

    >>> import graphrt as tf
    >>> words = tf.data.Dataset.from_tensor_slices(["emerson", "lake", "palmer"])
    >>> table = tf.data.experimental.index_table_from_dataset(words)
    >>> table.lookup(tf.constant(["lake", "palmer", "and"])).numpy().tolist()
    [1, 2, -1]

    Args: those of `table_from_dataset`; the dataset gives keys alone.

    Raises: what `table_from_dataset` raises, and TypeError for what is no dataset.
    """
    if not isinstance(dataset, Dataset):
        raise TypeError(errors.at_user_line(f"a table is filled from a tf.data.Dataset, found {shown(dataset)}"))
    pairs = dataset.enumerate().map(lambda place, key: (key, place))
    return table_from_dataset(pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name)
