"""The ops on lookup tables. Their resource input is a tensor whose element is a `Table`."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.graph import InferContext
from graphrt.ir.op import OPAQUE, READS, READS_FILES, STATEFUL, OpDef, define
from graphrt.ops.io.files import local_path, told
from graphrt.ops.io.whole_files import regular
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.tensor.changes import Undoable
from graphrt.types.dtype import DType, string
from graphrt.types.likes import Array, TensorLike
from graphrt.types.shape import Dims

__all__ = ["Table", "TextFileIndex"]

_EFFECT = (STATEFUL, OPAQUE)
_READ = (STATEFUL, READS, OPAQUE)


# --- what is behind a handle -----------------------------------------------------------------------------------------
def _plain(array: Any) -> list[Any]:
    """The elements as Python values, which hash alike whatever array they come from."""
    return np.asarray(array).reshape(-1).tolist()


class Table(Undoable):
    """Keys and values, both of one dtype; a value may be an array of `value_dims`, and a key of `key_dims`."""

    __slots__ = (
        "__weakref__", "fixed", "forbidden", "items", "key_dims", "key_dtype", "lock", "name", "ready", "value_dims",
        "value_dtype",
    )  # fmt: skip

    def __init__(
        self, key_dtype: DType, value_dtype: DType, value_dims: Any = (), fixed: bool = False, key_dims: Any = (),
        name: str = "",
    ) -> None:  # fmt: skip
        self.key_dtype, self.value_dtype = key_dtype, value_dtype
        self.key_dims, self.value_dims = tuple(key_dims), tuple(value_dims)
        self.fixed = fixed  # set once, then only read
        self.ready = not fixed
        self.forbidden: dict[Any, str] = {}
        self.items: dict[Any, Any] = {}
        self.lock = threading.Lock()
        self.name = name

    def keys_of(self, keys: TensorLike) -> list[Any]:
        """The keys in an array."""
        if not self.key_dims:
            found = _plain(keys)
        else:
            found = [tuple(row) for row in np.asarray(keys).reshape(-1, int(np.prod(self.key_dims))).tolist()]
        for key in found if self.forbidden else ():
            if key in self.forbidden:
                raise bad(f"Using the {self.forbidden[key]} as a table key is not allowed")
        return found

    def lead_of(self, keys: Any) -> tuple[int, ...]:
        """The shape of an array of keys, without that of one key."""
        dims = tuple(np.shape(keys))
        return dims[: len(dims) - len(self.key_dims)]

    def rows_of(self, keys: TensorLike, values: Any) -> list[Any]:
        """The values in an array, one for each key; InvalidArgumentError when the shapes do not fit."""
        lead = self.lead_of(keys)
        if tuple(np.shape(values)) != (*lead, *self.value_dims):
            wanted = text_of((*lead, *self.value_dims))
            raise bad(f"Expected shape {wanted} for value, got {text_of(np.shape(values))}")
        if not self.value_dims:
            return _plain(values)
        return list(np.reshape(values, (-1, *self.value_dims)))

    def insert(self, keys: TensorLike, values: TensorLike, anew: bool = False) -> None:
        """Sets the values of keys; `anew`, of those alone."""
        rows = self.rows_of(keys, values)
        with self.lock:
            items = {} if anew else dict(self.items)  # a failure leaves the table as it was
            pairs = list(zip(self.keys_of(keys), rows))
            for key, value in pairs if self.fixed else ():
                if key in items and items[key] != value:
                    shown = key.decode("utf-8", "replace") if isinstance(key, bytes) else key
                    raise errors.FailedPreconditionError(
                        None, None,
                        f"HashTable has different value for same key. Key {shown} has {items[key]} and trying to add "
                        f"value {value}",
                    )  # fmt: skip
                items[key] = value
            items.update(pairs)
            self.items, self.ready = items, True

    def type_refusal(self, op: OpDef, attrs: Mapping[str, object]) -> str | None:
        """Why an op on keys or values of other dtypes is refused."""
        for names, own in ((("Tin", "Tkey", "Tkeys"), self.key_dtype), (("Tout", "Tval", "Tvalues"), self.value_dtype)):
            for name in names:
                asked = attrs.get(name, own)
                if asked is not own and isinstance(asked, DType):
                    what = "keys" if names[0] == "Tin" else "values"
                    return f"the table holds {what} of dtype {own.name}, the op has {asked.name}"
        return None

    def saved(self) -> Any:
        """The items; each change makes a new dictionary."""
        return self.items

    def restore(self, state: Any) -> None:
        """Sets what `saved` gave."""
        with self.lock:
            self.items, self.ready = state, self.ready or bool(state)

    def remove(self, keys: TensorLike) -> None:
        """Forgets keys; those that are not there are passed over."""
        with self.lock:
            items = dict(self.items)
            for key in self.keys_of(keys):
                items.pop(key, None)
            self.items = items

    def find(self, keys: TensorLike, default: Array) -> Array:
        """The values of keys, or the default: one for all, or one for each."""
        if not self.ready:
            raise errors.FailedPreconditionError(None, None, f"Table '{self.name}' is not initialized.")
        items = self.items
        lead, keys_found = self.lead_of(keys), self.keys_of(keys)
        each = tuple(np.shape(default)) == (*lead, *self.value_dims) and tuple(np.shape(default)) != self.value_dims
        if not each and tuple(np.shape(default)) != self.value_dims:
            raise bad(f"Expected shape {text_of(self.value_dims)} for default value, got {text_of(np.shape(default))}")
        given = np.reshape(default, (-1, *self.value_dims)) if each else itertools.repeat(np.asarray(default)[()])
        found, kind = map(items.get, keys_found, given), self.value_dtype.as_numpy_dtype
        if self.value_dims:
            out: Any = np.empty((len(keys_found), *self.value_dims), kind)
            for i, row in enumerate(found):
                out[i] = row
        else:
            out = np.fromiter(found, kind, len(keys_found))
        found_all = out.reshape((*lead, *self.value_dims))
        return found_all if found_all.ndim or found_all.dtype == object else found_all[()]

    def export(self) -> tuple[Array, Array]:
        """All keys and all values, in the order in which they came."""
        items = self.items
        keys: Any = np.empty((len(items), *self.key_dims), self.key_dtype.as_numpy_dtype)
        values: Any = np.empty((len(items), *self.value_dims), self.value_dtype.as_numpy_dtype)
        for i, (key, value) in enumerate(items.items()):
            keys[i] = np.reshape(np.array(key, self.key_dtype.as_numpy_dtype), self.key_dims) if self.key_dims else key
            values[i] = value
        return keys, values

    def __repr__(self) -> str:
        return f"<table of {self.key_dtype.name} to {self.value_dtype.name}>"


# --- the ops ---------------------------------------------------------------------------------------------------------
def _info(c: InferContext) -> Table | None:
    found = c.inputs[0].info
    return found if isinstance(found, Table) else None


def _found_dims(c: InferContext) -> Dims:
    keys, default, table = c.dims(1), c.dims(2), _info(c)
    if keys is None:
        return None
    if table is not None:
        return (*keys[: len(keys) - len(table.key_dims)], *table.value_dims)
    return keys if default == () else None


def _exported_dims(c: InferContext) -> list[Dims]:
    table = _info(c)
    return [None, None] if table is None else [(None, *table.key_dims), (None, *table.value_dims)]


LookupTableFindV2 = define(
    "LookupTableFindV2", "table_handle: resource, keys: Tin, default_value: Tout -> values: Tout", infer=_found_dims,
    kernel=lambda table, keys, default: table.find(keys, default), vjp=lambda call, g: [None] * 3, traits=_READ,
)  # fmt: skip
LookupTableInsertV2 = define(
    "LookupTableInsertV2", "table_handle: resource, keys: Tin, values: Tout ->", infer=lambda c: [],
    kernel=lambda table, keys, values: _inserted(table, keys, values), traits=_EFFECT,
)  # fmt: skip
LookupTableImportV2 = define(
    "LookupTableImportV2", "table_handle: resource, keys: Tin, values: Tout ->", infer=lambda c: [],
    kernel=lambda table, keys, values: _imported(table, keys, values), traits=_EFFECT,
)  # fmt: skip
LookupTableRemoveV2 = define(
    "LookupTableRemoveV2", "table_handle: resource, keys: Tin ->", infer=lambda c: [],
    kernel=lambda table, keys: table.remove(keys), traits=_EFFECT,
)  # fmt: skip
LookupTableSizeV2 = define(
    "LookupTableSizeV2", "table_handle: resource -> size: int64", infer=lambda c: (),
    kernel=lambda table: np.int64(len(table.items)), traits=_READ,
)  # fmt: skip
LookupTableExportV2 = define(
    "LookupTableExportV2", "table_handle: resource -> keys: Tkeys, values: Tvalues",
    attrs="Tkeys: type; Tvalues: type", infer=_exported_dims, kernel=lambda table: table.export(),
    vjp=lambda call, *g: [None], traits=_READ,
)  # fmt: skip
InitializeTableV2 = define(
    "InitializeTableV2", "table_handle: resource, keys: Tkey, values: Tval ->", infer=lambda c: [],
    kernel=lambda table, keys, values: _imported(table, keys, values), traits=_EFFECT,
)  # fmt: skip


def _imported(table: Table, keys: Array, values: Array) -> None:
    if table.fixed and table.ready and len(set(table.keys_of(keys))) != len(table.items):
        raise errors.FailedPreconditionError(
            None, None, f"Table '{table.name}' is already initialized, with other keys."
        )
    table.insert(keys, values, anew=not table.fixed)


def _inserted(table: Table, keys: Array, values: Array) -> None:
    if table.fixed:
        raise errors.UnimplementedError(None, None, "A static table takes no keys after it was initialized.")
    table.insert(keys, values)


# --- tables from files -----------------------------------------------------------------------------------------------
class TextFileIndex:
    """Which part of a line of a text file is a key or a value: the whole line, its number, or a column.

    >>> import graphrt as tf
    >>> tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    (-2, -1)
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


def _cell(name: str, line: str, number: int, index: int, kind: DType, delimiter: str, offset: int) -> Any:
    if index == TextFileIndex.LINE_NUMBER:
        return number + offset
    text = line
    if index != TextFileIndex.WHOLE_LINE:
        columns = line.split(delimiter)
        if index >= len(columns):
            raise bad(
                f"Invalid number of columns in {name} line {number} ({line}) : expected at least {index + 1} got "
                f"{len(columns)}"
            )
        text = columns[index]
    if kind is string:
        return text.encode("utf-8", "surrogateescape")
    try:
        return int(text) if kind.is_integer else float(text)
    except ValueError:
        raise bad(f"Field {text} in line {number} is not a valid {kind.name}.") from None


def _from_file(
    table: Table, filename: Array, *, key_index: int, value_index: int, vocab_size: int, delimiter: str, offset: int
) -> None:
    name = local_path(np.asarray(filename, object).item())
    try:
        with open(name, encoding="utf-8", errors="surrogateescape", newline="", opener=regular) as file:
            lines = file.read().split("\n")
    except OSError as error:
        raise told(error, name) from None
    lines = [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]
    if vocab_size >= 0:
        if len(lines) < vocab_size:
            raise bad(f"Invalid vocab_size in {name}: expected {vocab_size} but got {len(lines)}")
        lines = lines[:vocab_size]
    rows: list[list[Any]] = [[], []]
    for number, line in enumerate(lines):
        for part, index, kind in ((0, key_index, table.key_dtype), (1, value_index, table.value_dtype)):
            rows[part].append(_cell(name, line, number, index, kind, delimiter, offset if part else 0))
    arrays = []
    for cells, kind in zip(rows, (table.key_dtype, table.value_dtype)):
        array: Any = np.empty(len(cells), kind.as_numpy_dtype)
        array[:] = cells
        arrays.append(array)
    table.insert(*arrays)


InitializeTableFromTextFileV2 = define(
    "InitializeTableFromTextFileV2", "table_handle: resource, filename: string ->",
    attrs="key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = -1; delimiter: string = '\\t'; "
    "offset: int = 0",
    infer=lambda c: [], kernel=_from_file, traits=_EFFECT, file_access=READS_FILES,
)  # fmt: skip


# --- handles made by graphs ------------------------------------------------------------------------------------------
HashTableV2 = define(
    "HashTableV2", "-> table_handle: resource",
    attrs="container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = False; key_dtype: type; "
    "value_dtype: type",
    infer=lambda c: (), kernel=lambda *, key_dtype, value_dtype: Table(key_dtype, value_dtype, fixed=True), traits=_EFFECT,
)  # fmt: skip
AnonymousHashTable = define(
    "AnonymousHashTable", "-> table_handle: resource", attrs="key_dtype: type; value_dtype: type",
    infer=lambda c: (), kernel=lambda *, key_dtype, value_dtype: Table(key_dtype, value_dtype, fixed=True), traits=_EFFECT,
)  # fmt: skip
MutableHashTableV2 = define(
    "MutableHashTableV2", "-> table_handle: resource",
    attrs="container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = False; key_dtype: type; "
    "value_dtype: type",
    infer=lambda c: (), kernel=lambda *, key_dtype, value_dtype: Table(key_dtype, value_dtype), traits=_EFFECT,
)  # fmt: skip
MutableHashTableOfTensorsV2 = define(
    "MutableHashTableOfTensorsV2", "-> table_handle: resource",
    attrs="container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = False; key_dtype: type; "
    "value_dtype: type; value_shape: shape = ()",
    infer=lambda c: (), traits=_EFFECT,
    kernel=lambda *, key_dtype, value_dtype, value_shape: Table(key_dtype, value_dtype, value_shape),
)  # fmt: skip


def _dense(
    empty_key: Array, deleted_key: Array, *, key_dtype: DType, value_dtype: DType, value_shape: Sequence[Any]
) -> Table:
    table = Table(key_dtype, value_dtype, value_shape, key_dims=np.shape(empty_key))
    empty, deleted = table.keys_of(empty_key)[0], table.keys_of(deleted_key)[0]
    if empty == deleted:
        raise bad("Empty and deleted keys cannot be equal.")
    table.forbidden = {empty: "empty_key", deleted: "deleted_key"}
    return table


MutableDenseHashTableV2 = define(
    "MutableDenseHashTableV2", "empty_key: key_dtype[0..1], deleted_key: key_dtype -> table_handle: resource",
    attrs="container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = False; key_dtype: type; "
    "value_dtype: type; value_shape: shape = (); initial_num_buckets: int = 131072; max_load_factor: float = 0.8",
    infer=lambda c: (), kernel=_dense, traits=_EFFECT,
)  # fmt: skip
