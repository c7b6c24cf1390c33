"""Lookup tables: `tf.lookup`."""

from __future__ import annotations

import os
from typing import Any, Protocol

from graphrt import errors
from graphrt.ops.array.selection import where
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import not_equal
from graphrt.ops.strings.hashing import StringToHashBucketFast
from graphrt.ops.strings.numbers import AsString
from graphrt.resources.table_ops import (
    InitializeTableFromTextFileV2,
    LookupTableExportV2,
    LookupTableFindV2,
    LookupTableImportV2,
    LookupTableInsertV2,
    LookupTableRemoveV2,
    LookupTableSizeV2,
    MutableDenseHashTableV2,
    Table,
    TextFileIndex,
)
from graphrt.state.awaited_values import look_for_arrived
from graphrt.tensor.context import current_graph, init_scope
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Operation, SymbolicTensor, Tensor, raw_of, static_array
from graphrt.types.dtype import DType, as_dtype, int32, int64, resource, string
from graphrt.types.likes import Array, DTypeLike, TensorLike
from graphrt.types.nesting import shown

__all__ = [
    "DenseHashTable", "KeyValueTensorInitializer", "MutableHashTable", "StaticHashTable", "StaticVocabularyTable",
    "TextFileIndex", "TextFileInitializer",
]  # fmt: skip


def _now(value: TensorLike, dtype: Any, what: str) -> Tensor:
    """`value` as a tensor that holds its elements: a table is made when a function is traced, not when it runs."""
    if isinstance(value, SymbolicTensor):
        known = static_array(value)
        if known is None:
            raise ValueError(
                errors.at_user_line(f"The {what} of a table must be known when it is made, found {shown(value)}")
            )
        value = known
    with init_scope():
        return convert_to_tensor(value, dtype=dtype, name=what)


# --- initializers ----------------------------------------------------------------------------------------------------
class KeyValueTensorInitializer:
    """Keys and values of a table, given as tensors.

    >>> import graphrt as tf
    >>> start = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> start.key_dtype, start.value_dtype
    (tf.string, tf.int32)
    """

    def __init__(
        self, keys: TensorLike, values: TensorLike, key_dtype: DTypeLike | None = None,
        value_dtype: DTypeLike | None = None, name: str | None = None
    ) -> None:  # fmt: skip
        self._keys = _now(keys, key_dtype, "keys")
        self._values = _now(values, value_dtype, "values")
        self._name = name or "key_value_init"

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._keys.dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._values.dtype

    def initialize(self, table: StaticHashTable | StaticVocabularyTable) -> None:
        """Fills a table.

        Raises:
          FailedPreconditionError: a key comes twice, with different values.
          InvalidArgumentError: there are more keys than values, or fewer.
          TypeError: the table has other dtypes.
        """
        fits(table, self)
        LookupTableImportV2(table.resource_handle, self._keys, self._values)


class TextFileInitializer:
    """Keys and values of a table, read from the lines of a text file.

    >>> import graphrt as tf, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "words")
    >>> tf.io.write_file(path, "one 1\\ntwo 2\\n")
    >>> start = tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1, delimiter=" ")
    >>> tf.lookup.StaticHashTable(start, -1).lookup(tf.constant(["two", "six"])).numpy().tolist()
    [2, -1]

    Raises:
      ValueError: the dtype does not go with what is read: line numbers are int64, whole lines strings or integers.
    """

    def __init__(
        self, filename: TensorLike | os.PathLike[str], key_dtype: DTypeLike, key_index: int,
        value_dtype: DTypeLike, value_index: int,
        vocab_size: int | None = None, delimiter: str = "\t", name: str | None = None, value_index_offset: int = 0,
    ) -> None:  # fmt: skip
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        for label, kind, index in (("key", self._key_dtype, key_index), ("value", self._value_dtype, value_index)):
            if index == TextFileIndex.LINE_NUMBER and kind is not int64:
                raise ValueError(
                    errors.at_user_line(
                        f"`{label}_dtype` must be int64 for `{label}_index` {index}, received: {kind!r}"
                    )
                )
            if index == TextFileIndex.WHOLE_LINE and not (kind.is_integer or kind is string):
                raise ValueError(
                    errors.at_user_line(
                        f"`{label}_dtype` should be either integer or string for `{label}_index` {index}, found {kind!r}"
                    )
                )
            if index < -2:
                raise ValueError(errors.at_user_line(f"`{label}_index` should be >= -2, received: {index}."))
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(errors.at_user_line(f"`vocab_size` should be > 0, received: {vocab_size}"))
        if key_index == value_index:
            raise ValueError(
                errors.at_user_line(
                    f"`key_index` and `value_index` must be different, received the same value: {key_index}"
                )
            )
        self._filename = _now(
            os.fspath(filename) if isinstance(filename, os.PathLike) else filename, string, "asset_filepath"
        )
        self._attrs: dict[str, Any] = {
            "key_index": key_index, "value_index": value_index, "vocab_size": -1 if vocab_size is None else vocab_size,
            "delimiter": delimiter, "offset": value_index_offset,
        }  # fmt: skip

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    def initialize(self, table: StaticHashTable) -> None:
        """Fills a table from the file.

        Raises:
          InvalidArgumentError: a line has too few columns, or no number where one is wanted.
          NotFoundError: there is no such file.
          TypeError: the table has other dtypes.
        """
        fits(table, self)
        InitializeTableFromTextFileV2(table.resource_handle, self._filename, **self._attrs)


class Initializer(Protocol):
    """What fills a table."""

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""

    def initialize(self, table: Any) -> None:
        """Fills a table."""


def fits(table: StaticHashTable | StaticVocabularyTable, initializer: Initializer) -> None:
    """Raises TypeError where a table has other dtypes than what is to fill it."""
    for label in ("key_dtype", "value_dtype"):
        mine, theirs = getattr(table, label), getattr(initializer, label)
        if mine is not theirs:
            raise TypeError(errors.at_user_line(f"Invalid `{label}`, expected {shown(mine)} but got {shown(theirs)}."))


# --- what users hold -------------------------------------------------------------------------------------------------
class LookupTable:
    """What the tables have in common."""

    _own_handle: EagerTensor

    def hold(self, table: Table, default: Tensor, name: str | None) -> None:
        """Says what stands behind it, and what keys have that are not there."""
        self._table = table
        self._own_handle = EagerTensor(table, resource)
        self._default = default
        self._name = name

    @property
    def resource_handle(self) -> EagerTensor:
        """The handle, for ops on tables."""
        return self._handle

    @property
    def _handle(self) -> EagerTensor:
        look_for_arrived()  # for itself, say: in a list into which it was put after a checkpoint had been restored
        return self._own_handle

    @property
    def table(self) -> Table:
        """Keys and values themselves."""
        return self._table

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._table.key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._table.value_dtype

    @property
    def name(self) -> str | None:
        """The name it was given."""
        return self._name

    def _given_default(self) -> Array | Tensor:
        """The default value; in a graph a constant of it."""
        return self._default if current_graph() is None else static_array(self._default)

    def _keys(self, keys: TensorLike) -> Tensor:
        tensor = keys if isinstance(keys, Tensor) else convert_to_tensor(keys)
        if tensor.dtype is int32 and self.key_dtype is int64 and not isinstance(keys, Tensor):
            tensor = convert_to_tensor(keys, int64)
        if tensor.dtype is not self.key_dtype:
            raise TypeError(
                errors.at_user_line(f"Dtype of argument `keys` must be {self.key_dtype!r}, received: {tensor.dtype!r}")
            )
        return tensor

    def _each(self, keys: Any, function: Any) -> Any:
        """`function` of a dense tensor of keys, or of the values of a ragged or sparse one."""
        if hasattr(keys, "with_flat_values"):
            return keys.with_flat_values(function(keys.flat_values))
        if hasattr(keys, "dense_shape"):
            return type(keys)(keys.indices, function(keys.values), keys.dense_shape)
        return function(keys)

    def size(self, name: str | None = None) -> Any:
        """The number of keys."""
        return LookupTableSizeV2(self._handle, name=name)

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The values of keys; keys that are not there have the default value.

        Raises:
          TypeError: the keys have another dtype.
        """
        return self._each(
            keys, lambda k: LookupTableFindV2(self._handle, self._keys(k), self._given_default(), name=name)
        )

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and all values."""
        found = LookupTableExportV2(self._handle, Tkeys=self.key_dtype, Tvalues=self.value_dtype, name=name)
        return found[0], found[1]

    def __getitem__(self, keys: TensorLike) -> Tensor:
        return self.lookup(keys)


def _fill(table: StaticHashTable | StaticVocabularyTable, initializer: Initializer) -> None:
    """Fills a table when it is made; by the function that is traced, where what fills it is known only when that runs."""
    if getattr(initializer, "in_graph", False):
        initializer.initialize(table)
        return
    with init_scope():
        initializer.initialize(table)


class StaticHashTable(LookupTable):
    """A table that is filled once.

    >>> import graphrt as tf
    >>> table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy().tolist()
    [2, -1]

    Raises:
      FailedPreconditionError: a key comes twice, with different values.
      TypeError: the default value is not of the dtype of the values.
    """

    def __init__(
        self, initializer: Initializer, default_value: TensorLike,
        name: str | None = None, experimental_is_anonymous: bool = False
    ) -> None:  # fmt: skip
        if not hasattr(initializer, "value_dtype"):
            errors.expect(initializer, KeyValueTensorInitializer, "initializer", "an initializer of tf.lookup")
        with init_scope():
            default = convert_to_tensor(default_value, dtype=initializer.value_dtype)
            self.hold(Table(initializer.key_dtype, initializer.value_dtype, fixed=True), default, name)
        _fill(self, initializer)

    @property
    def default_value(self) -> Tensor:
        """What keys have that are not there."""
        return self._default


class StaticVocabularyTable(LookupTable):
    """Words as numbers; words that are not in the table are spread over a few more numbers, by their hash.

    >>> import graphrt as tf
    >>> words = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    >>> table = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=1)
    >>> table.lookup(tf.constant(["b", "zebra"])).numpy().tolist()
    [1, 2]

    Raises:
      TypeError: keys are neither int64 nor strings, or values are not int64.
      ValueError: `num_oov_buckets` is not positive.
    """

    def __init__(
        self, initializer: Initializer | None, num_oov_buckets: int, lookup_key_dtype: Any = None,
        name: str | None = None, experimental_is_anonymous: bool = False
    ) -> None:  # fmt: skip
        if num_oov_buckets <= 0:
            raise ValueError(errors.at_user_line("`num_oov_buckets` must be > 0; use StaticHashTable."))
        if initializer is not None:
            if not hasattr(initializer, "value_dtype"):
                errors.expect(initializer, KeyValueTensorInitializer, "initializer", "an initializer of tf.lookup")
            if initializer.value_dtype is not int64:
                raise TypeError(
                    errors.at_user_line(
                        f"Invalid `value_dtype`, expected {shown(int64)} but got {shown(initializer.value_dtype)}."
                    )
                )
            if not (initializer.key_dtype.is_integer or initializer.key_dtype is string):
                raise TypeError(
                    errors.at_user_line(
                        f"Invalid `key_dtype`, expected integer or string, but got {shown(initializer.key_dtype)}."
                    )
                )
        held = string if initializer is None else initializer.key_dtype
        self._asked = as_dtype(lookup_key_dtype) if lookup_key_dtype is not None else held
        if self._asked.is_integer != held.is_integer:
            raise TypeError(
                errors.at_user_line(
                    f"Invalid `key_dtype`, expected integer or string to agree: {shown(self._asked)} and {shown(held)}."
                )
            )
        self._buckets = num_oov_buckets
        with init_scope():
            self.hold(Table(held, int64, fixed=True), convert_to_tensor(-1, int64), name)
        if initializer is not None:
            _fill(self, initializer)
        else:
            self._table.ready = True  # all words are others

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return getattr(self, "_asked", self._table.key_dtype)

    def size(self, name: str | None = None) -> Tensor:
        """The number of words in the table and of the numbers for others."""
        return LookupTableSizeV2(self._handle, name=name) + convert_to_tensor(self._buckets, int64)

    def lookup(self, keys: TensorLike, name: str | None = None) -> Tensor:
        """The numbers of words.

        Raises:
          TypeError: the keys have another dtype.
        """
        return self._each(keys, self._numbers)

    def _numbers(self, keys: Tensor) -> Tensor:
        words = self._keys(keys)
        held = self._table.key_dtype
        words = cast(words, held) if held.is_integer and words.dtype is not held else words
        text = AsString(words) if held.is_integer else words
        others = StringToHashBucketFast(text, num_buckets=self._buckets)
        found = LookupTableFindV2(self._handle, words, self._given_default())
        beyond = others + LookupTableSizeV2(self._handle)
        return where(not_equal(found, self._given_default()), found, beyond)


class MutableHashTable(LookupTable):
    """A table that may be changed.

    >>> import graphrt as tf
    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(["a", "b"], [1, 2])
    >>> table.remove(["a"])
    >>> table.lookup(["a", "b"]).numpy().tolist()
    [-1, 2]
    """

    def __init__(
        self, key_dtype: DTypeLike, value_dtype: DTypeLike, default_value: TensorLike, name: str = "MutableHashTable",
        checkpoint: bool = True, experimental_is_anonymous: bool = False,
    ) -> None:  # fmt: skip
        with init_scope():
            default = convert_to_tensor(default_value, dtype=as_dtype(value_dtype))
        self.hold(Table(as_dtype(key_dtype), default.dtype, default.dims), default, name)

    def lookup(  # type: ignore[override]
        self, keys: TensorLike, dynamic_default_values: TensorLike | None = None, name: str | None = None
    ) -> Tensor:
        """The values of keys; those that are not there have the default, or their own of `dynamic_default_values`.

        Raises:
          TypeError: the keys have another dtype.
        """
        default = self._given_default()
        if dynamic_default_values is not None:
            default = convert_to_tensor(dynamic_default_values, self.value_dtype)
        return self._each(keys, lambda k: LookupTableFindV2(self._handle, self._keys(k), default, name=name))

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Operation | None:
        """Sets the values of keys.

        Raises:
          InvalidArgumentError: keys and values differ in number or shape.
          TypeError: they have other dtypes.
        """
        return LookupTableInsertV2(
            self._handle, self._keys(keys), convert_to_tensor(values, self.value_dtype), name=name
        )

    def remove(self, keys: TensorLike, name: str | None = None) -> None:
        """Forgets keys.

        Raises:
          TypeError: the keys have another dtype.
        """
        return LookupTableRemoveV2(self._handle, self._keys(keys), name=name)


class DenseHashTable(MutableHashTable):
    """A table that may be changed, with two keys that may not be used.

    >>> import graphrt as tf
    >>> table = tf.lookup.experimental.DenseHashTable(
    ...     tf.int64, tf.string, default_value="?", empty_key=-1, deleted_key=-2)
    >>> table.insert([1], ["one"])
    >>> table[[1, 2]].numpy().tolist()
    [b'one', b'?']

    Raises:
      InvalidArgumentError: `empty_key` and `deleted_key` are the same, or one of them is used as a key.
    """

    def __init__(
        self, key_dtype: DTypeLike, value_dtype: DTypeLike, default_value: TensorLike, empty_key: TensorLike,
        deleted_key: TensorLike, initial_num_buckets: int | None = None, name: str = "MutableDenseHashTable",
        checkpoint: bool = True, experimental_is_anonymous: bool = False
    ) -> None:  # fmt: skip
        with init_scope():
            default = convert_to_tensor(default_value, dtype=as_dtype(value_dtype))
            handle = MutableDenseHashTableV2(
                convert_to_tensor(empty_key, as_dtype(key_dtype)), convert_to_tensor(deleted_key, as_dtype(key_dtype)),
                value_dtype=default.dtype, value_shape=default.dims,
            )  # fmt: skip
        self.hold(raw_of(handle), default, name)

    def lookup(self, keys: TensorLike, name: str | None = None) -> Tensor:  # type: ignore[override]
        """The values of keys; those that are not there have the default.

        Raises:
          InvalidArgumentError: a key is one of the two that may not be used.
          TypeError: the keys have another dtype.
        """
        return super().lookup(keys, None, name)

    def insert_or_assign(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Any:
        """Sets the values of keys.

        Raises:
          InvalidArgumentError: keys and values differ in number or shape, or a key may not be used.
        """
        return self.insert(keys, values, name)

    def erase(self, keys: TensorLike, name: str | None = None) -> None:
        """Forgets keys.

        Raises:
          InvalidArgumentError: a key may not be used.
        """
        return self.remove(keys, name)
