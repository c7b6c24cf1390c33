"""Comma-separated files: `CsvDataset`, `make_csv_dataset`."""

from __future__ import annotations

import collections
import csv
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data.arguments import as_flag, as_long, as_text
from graphrt.data.dataset import AUTOTUNE, Dataset, handle_of
from graphrt.data.declaration import READING, dataset_op
from graphrt.data.elements import scalar
from graphrt.data.pipeline import Element, Source
from graphrt.data.readers.files import COMPRESSED, Files, file_names, names_of, opened
from graphrt.data.readers.list_files import matching
from graphrt.data.streams import lines, text_lines
from graphrt.ir.op import READS_FILES
from graphrt.ops.support.numerals import real_number, whole_number
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types import dtype as dtypes
from graphrt.types.dtype import DType, as_dtype
from graphrt.types.likes import Array, DTypeLike, Filenames, PathLike, TensorLike
from graphrt.types.nesting import shown
from graphrt.types.spec import TensorSpec

_ACCEPTED = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


class Csv(Files):
    """Rows of comma-separated files, a scalar for each selected column."""

    __slots__ = ("columns", "defaults", "delimiter", "dtypes", "excluded", "header", "missing", "quotes")

    def __init__(
        self, filenames: TensorLike, compression: TensorLike, header: bool, delimiter: TensorLike, quotes: bool,
        missing: TensorLike, columns: list[int], defaults: list[Any], dtypes: list[DType], excluded: list[int],
        size: TensorLike = 0,
    ) -> None:  # fmt: skip
        super().__init__(filenames, compression, size)
        self.header = bool(header)
        (self.delimiter,) = names_of(delimiter)
        self.quotes = bool(quotes)
        (self.missing,) = names_of(missing)
        self.columns, self.excluded = columns, set(excluded)
        self.defaults = [np.reshape(d, -1).tolist() for d in defaults]  # one value, or none: the column is required
        self.dtypes = dtypes

    def read(self, file: Any, name: str) -> Iterator[Element]:
        text = text_lines(file, f"a line of {name}")
        quoting: Any = csv.QUOTE_MINIMAL if self.quotes else csv.QUOTE_NONE
        reader = csv.reader(text, delimiter=self.delimiter, quoting=quoting)
        if self.header:
            next(reader, None)
        for fields in reader:
            if fields:
                yield self._row(fields)

    def _row(self, fields: list[str]) -> Element:
        if self.columns:
            chosen = [fields[c] if c < len(fields) else None for c in self.columns]
            if None in chosen:
                raise errors.InvalidArgumentError(
                    None, None, f"Expect {max(self.columns) + 1} fields but have {len(fields)} in record"
                )
        else:
            chosen = [f for i, f in enumerate(fields) if i not in self.excluded]
        if len(chosen) != len(self.dtypes):
            raise errors.InvalidArgumentError(
                None, None, f"Expect {len(self.dtypes)} fields but have {len(chosen)} in record"
            )
        return tuple([
            field_value(f, d, t, i, self.missing)
            for i, (f, d, t) in enumerate(zip(chosen, self.defaults, self.dtypes))
        ])  # fmt: skip


def field_value(text: Any, default: list[Any], dtype: DType, position: int, missing: str) -> Array:
    """One field as a scalar of `dtype`; its default when it is empty.

    Raises:
      InvalidArgumentError: the field is no such value, or is empty and required.
    """
    if text == "" or text == missing:
        if not default:
            raise errors.InvalidArgumentError(None, None, f"Field {position} is required but missing in record!")
        if dtype.kind == "S":
            value = default[0]
            return scalar(value if isinstance(value, bytes) else str(value).encode())
        return dtype.as_numpy_dtype(default[0])
    if dtype.kind == "S":
        return scalar(text.encode("utf-8", "surrogateescape"))
    try:
        data = text.encode("utf-8", "surrogateescape")
        return dtype.as_numpy_dtype(real_number(data) if dtype.kind == "f" else whole_number(data))
    except (ValueError, OverflowError):
        raise errors.InvalidArgumentError(
            None, None, f"Field {position} in record is not a valid {dtype.name}: {text}"
        ) from None


def _csv(
    names: Array, compression: Array, size: Array, header: Any, delimiter: Array, quotes: Any, missing: Array,
    columns: Array, defaults: list[Any], excluded: Array, *, output_types: list[DType]
) -> Source:  # fmt: skip
    return Csv(
        names, compression, header, delimiter, quotes, missing, np.ravel(columns).tolist(), defaults,
        output_types, np.ravel(excluded).tolist(), size,
    )  # fmt: skip


CSVDatasetV2 = dataset_op(
    "CSVDatasetV2",
    f"{COMPRESSED}, header: bool, field_delim: string, use_quote_delim: bool, na_value: string, select_cols: int64, "
    "record_defaults: output_types..., exclude_cols: int64",
    _csv, "", READING, metadata=False, file_access=READS_FILES,
    vectors=("filenames", "select_cols", "exclude_cols"),
)  # fmt: skip


def _default(value: Any) -> Tensor:
    """A default of a column as a tensor of one element; of none for a dtype, which makes the column required."""
    if isinstance(value, (DType, type)) or (
        isinstance(value, str) and value in ("float32", "int32", "int64", "float64")
    ):
        dtype = as_dtype(value)
        return convert_to_tensor(np.empty([0], object if dtype.kind == "S" else dtype.as_numpy_dtype), dtype=dtype)
    tensor = convert_to_tensor(value)
    if tensor.dtype not in _ACCEPTED:
        raise TypeError(
            errors.at_user_line(
                f"the default of a CSV column must be one of {[t.name for t in _ACCEPTED]}, found {tensor.dtype.name}"
            )
        )
    return tensor


class CsvDataset(Dataset):
    """Rows of comma-separated files as tuples of scalars.

    `record_defaults` has a default value for each selected column, or a dtype where a value is required.

    >>> import graphrt as tf, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "t.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("1,a\\n2,\\n")
    >>> list(tf.data.experimental.CsvDataset(path, [tf.int32, "none"]).as_numpy_iterator())
    [(np.int32(1), b'a'), (np.int32(2), b'none')]

    Raises:
      ValueError: both `select_cols` and `exclude_cols` are given.
      InvalidArgumentError: while iterating, a row does not have the fields wanted.
    """

    __slots__ = ()

    def __init__(
        self, filenames: Filenames, record_defaults: Sequence[DTypeLike | TensorLike], compression_type: Any = None,
        buffer_size: Any = None, header: bool = False, field_delim: str = ",", use_quote_delim: bool = True,
        na_value: str = "", select_cols: Any = None, exclude_cols: Any = None
    ) -> None:  # fmt: skip
        if select_cols is not None and exclude_cols is not None:
            raise ValueError(errors.at_user_line("select_cols and exclude_cols are mutually exclusive"))
        defaults = [_default(v) for v in record_defaults]
        names = file_names(filenames)
        spec = tuple(TensorSpec([], t.dtype) for t in defaults)
        columns = [convert_to_tensor(list(c or ()), dtype=dtypes.int64) for c in (select_cols, exclude_cols)]

        def read(found: Tensor) -> Tensor:
            return CSVDatasetV2(
                found, as_text(compression_type, "compression_type"), as_long(buffer_size or 4194304, "buffer_size"),
                as_flag(header, "header"), as_text(field_delim, "field_delim"), as_flag(use_quote_delim, "use_quote_delim"),
                as_text(na_value, "na_value"), columns[0], defaults, columns[1],
                output_shapes=[() for _ in defaults],
            )  # fmt: skip

        if isinstance(names, Dataset):
            names = names.flat_map(lambda name: Dataset(read(name), spec))
            handle = handle_of(names)
        else:
            handle = read(names)
        super().__init__(handle, spec, "CsvDatasetV2")


def _kind_of(text: str, known: DType | None, missing: str) -> DType | None:
    """The dtype of a column that held `known` so far and now `text`."""
    if text in ("", missing):
        return known
    candidates = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
    for kind in (
        candidates[candidates.index(known) if known in candidates else 0 :] if known is not dtypes.string else []
    ):
        if _fits(text, kind):
            return kind
    return dtypes.string


def _fits(text: str, kind: DType) -> bool:
    try:
        if kind.is_integer:
            return bool(kind.min <= int(text) <= kind.max)
        number = float(text)
    except ValueError:
        return False
    return kind is dtypes.float64 or not np.isfinite(number) or abs(number) <= kind.max


class _Layout:
    """What the rows of the files look like: found by reading them."""

    def __init__(self, names: list[str], delimiter: str, quotes: bool, encoding: str, compression: Any) -> None:
        self.names = names
        self.format: dict[str, Any] = {
            "delimiter": delimiter, "quoting": csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        }  # fmt: skip
        self.encoding = encoding
        self.compression = compression

    def rows(self, name: str) -> Any:
        """The rows of one file as lists of texts."""
        with opened(name, self.compression or "") as file:
            text = (line.decode(self.encoding) for line in lines(file, f"a line of {name}"))
            reader = csv.reader(text, **self.format)
            try:
                yield from reader
            except (UnicodeDecodeError, csv.Error) as error:
                number = reader.line_num + isinstance(error, UnicodeDecodeError)  # whose line the reader never had
                raise ValueError(errors.at_user_line(f"line {number} of {name} cannot be read: {error}")) from None

    def header(self) -> list[str]:
        """The names of the columns: the first row, which all files share."""
        first: list[str] = next(self.rows(self.names[0]), [])
        for name in self.names[1:]:
            if next(self.rows(name), []) != first:
                raise ValueError(errors.at_user_line(f"Files have different column names in the header row: {name}"))
        return first

    def defaults(self, count: int, columns: list[int], header: bool, missing: str, limit: int | None) -> list[Any]:
        """Zeros and empty strings of the dtypes that the first `limit` rows show."""
        kinds: list[DType | None] = [None] * len(columns)
        seen = 0
        for name in self.names:
            rows = self.rows(name)
            if header:
                next(rows, None)
            for row in rows:
                if limit is not None and seen >= limit:
                    break
                if len(row) != count:
                    raise ValueError(
                        errors.at_user_line(
                            f"Problem inferring types: CSV row {row} has {len(row)} fields. Expected: {count}."
                        )
                    )
                kinds = [_kind_of(row[c], k, missing) for c, k in zip(columns, kinds)]
                seen += 1
        found = [k or dtypes.string for k in kinds]
        return [convert_to_tensor(["" if k is dtypes.string else 0], dtype=k) for k in found]


def make_csv_dataset(
    file_pattern: PathLike | Sequence[PathLike], batch_size: int, column_names: Any = None, column_defaults: Any = None,
    label_name: str | None = None, select_columns: Any = None, field_delim: str = ",", use_quote_delim: bool = True,
    na_value: str = "", header: bool = True, num_epochs: int | None = None, shuffle: bool = True,
    shuffle_buffer_size: int = 10000, shuffle_seed: int | None = None, prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None, sloppy: bool = False, num_rows_for_inference: int | None = 100,
    compression_type: str | None = None, ignore_errors: bool = False, encoding: str = "utf-8",
) -> Dataset:  # fmt: skip
    """Batches of the rows of comma-separated files, as dictionaries from column name to tensor.

    With `label_name` the elements are pairs of the dictionary without that column, and the column. The dtypes of the
    columns are those of `column_defaults`, or inferred from the first rows. `num_epochs` None repeats without end.

    >>> import graphrt as tf, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "t.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("a,b\\n1,x\\n2,y\\n")
    >>> batches = tf.data.experimental.make_csv_dataset(path, 2, shuffle=False, num_epochs=1)
    >>> [dict(batch) for batch in batches.as_numpy_iterator()]
    [{'a': array([1, 2], dtype=int32), 'b': array([b'x', b'y'], dtype=object)}]

    Raises:
      ValueError: no file matches, a column does not exist, or names come twice.
    """
    patterns = [file_pattern] if isinstance(file_pattern, (str, bytes, os.PathLike)) else file_pattern
    names = matching([os.fsdecode(p) for p in patterns])
    if not names:
        raise ValueError(errors.at_user_line(f"No files match `file_pattern` {shown(file_pattern)}."))
    layout = _Layout(names, field_delim, use_quote_delim, encoding, compression_type)
    if column_names is None:
        if not header:
            raise ValueError(errors.at_user_line("Expected `column_names` or `header` arguments. Neither is provided."))
        column_names = layout.header()
    column_names = list(column_names)
    if len(column_names) != len(set(column_names)):
        raise ValueError(errors.at_user_line(f"Cannot have duplicate column names: {column_names}."))
    columns = _selected(select_columns, column_names)
    if column_defaults is not None:
        defaults = list(column_defaults)
    else:
        defaults = layout.defaults(len(column_names), columns, header, na_value, num_rows_for_inference)
    chosen = [column_names[c] for c in columns]
    if label_name is not None and label_name not in chosen:
        raise ValueError(
            errors.at_user_line(f"`label_name` provided must be one of the columns: {chosen}. Received: {label_name}.")
        )
    every = len(columns) == len(column_names)

    def rows(name: Tensor) -> Dataset:
        found: Dataset = CsvDataset(
            name, defaults, compression_type, header=header, field_delim=field_delim, use_quote_delim=use_quote_delim,
            na_value=na_value, select_cols=None if every else columns,
        )  # fmt: skip
        return found.ignore_errors() if ignore_errors else found

    dataset = Dataset.from_tensor_slices(names)
    if shuffle:
        dataset = dataset.shuffle(len(names), shuffle_seed)
    dataset = dataset.interleave(rows, cycle_length=num_parallel_reads or 1, num_parallel_calls=num_parallel_reads)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None)
    dataset = dataset.map(_named(chosen, label_name))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _selected(select_columns: Any, column_names: list[str]) -> list[int]:
    if select_columns is None:
        return list(range(len(column_names)))
    found = []
    for column in select_columns:
        if isinstance(column, str):
            if column not in column_names:
                raise ValueError(errors.at_user_line(f"there is no column {shown(column)}: there are {column_names}"))
            column = column_names.index(column)
        found.append(int(column))
    found.sort()
    if len(found) != len(set(found)):
        raise ValueError(errors.at_user_line("the columns selected must differ"))
    if found and not 0 <= found[0] <= found[-1] < len(column_names):
        raise ValueError(
            errors.at_user_line(f"select_columns {found} are not all columns: there are {len(column_names)}")
        )
    return found


def _named(chosen: list[str], label_name: str | None) -> Callable[..., Any]:
    def named(*values: Tensor) -> Any:
        features = collections.OrderedDict(zip(chosen, values))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    return named
