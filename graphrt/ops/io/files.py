"""Bytes read, written and decoded: files, raw numbers, compressed text, lines of comma separated values."""

from __future__ import annotations

import contextlib
import csv
import errno
import glob
import io
import itertools
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from graphrt import errors
from graphrt.ir.op import OPAQUE, PER_ELEMENT, READS_FILES, STATEFUL, WRITES_FILES, define
from graphrt.ops.strings.text import lossless_text
from graphrt.ops.support.kernel_helpers import bad, const_int
from graphrt.ops.support.numerals import real_number, whole_number
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import ALL, DType, as_dtype, float32, float64, int32, int64, string
from graphrt.types.likes import Array, DTypeLike
from graphrt.types.limits import check_bytes, current
from graphrt.types.shape import Dims

__all__ = [
    "decode_compressed", "decode_csv", "decode_raw", "matching_files", "read_file", "write_file",
]  # fmt: skip


T = TypeVar("T")
_MOST_OF_A_DEVICE = 1 << 24  # bytes


def _raw(value: Array) -> bytes:
    return np.asarray(value, object).item()


def _scalar(value: bytes) -> Any:
    return np.array(value, object)


_SCHEME = re.compile("([A-Za-z][A-Za-z0-9.]*)://")


def is_no_name(path: str | bytes | os.PathLike[str]) -> bool:
    """Whether no file can be called so."""
    try:
        return b"\0" in os.fsencode(path)
    except UnicodeEncodeError:
        return True


def local_path(path: str | bytes | os.PathLike[str]) -> str:
    """The path without the `file://` that says that it is on this machine.

    Raises:
      InvalidArgumentError: no file can have such a name.
      UnimplementedError: it is elsewhere.
    """
    name = os.fsdecode(path).removeprefix("file://")
    if is_no_name(name):
        why = "it holds a NUL" if "\0" in name else "no bytes stand for all of it"
        raise errors.InvalidArgumentError(None, None, errors.at_user_line(f"{name!r} is no name of a file: {why}"))
    elsewhere = _SCHEME.match(name)
    if elsewhere is not None and not os.path.exists(f"{elsewhere[1]}:"):  # a folder may be called so
        text = f"File system scheme '{elsewhere[1]}' not implemented (file: {name!r}): only this machine's are"
        raise errors.UnimplementedError(None, None, errors.at_user_line(text))
    return name


def matches(pattern: str, include_hidden: bool = False) -> list[str]:
    """The names that match, with the `file://` of the pattern."""
    path = local_path(pattern)
    head = pattern.removesuffix(path)
    return [head + name for name in glob.glob(path, include_hidden=include_hidden)]


# --- files -----------------------------------------------------------------------------------------------------------
_CLASSES = {
    errno.ENOENT: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EFBIG: errors.ResourceExhaustedError,
    getattr(errno, "EDQUOT", errno.ENOSPC): errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
}


def told(error: OSError, path: str, shown: Callable[[str], str] = str) -> errors.OpError:
    """What the system says of the file at `path`, as an error of TensorFlow's classes; `shown` may add to its text."""
    kind = _CLASSES.get(error.errno or 0, errors.UnknownError)
    return kind(None, None, shown(f"{path}; {error.strerror or error}"))


def telling(path: Any, call: Callable[[], T], shown: Callable[[str], str] = errors.at_user_line) -> T:
    """What `call` gives; what the system says of the file at `path` as an error of TensorFlow's classes."""
    try:
        return call()
    except OSError as error:
        raise told(error, local_path(path), shown) from None


def _is_device(file: Any) -> bool:
    """Whether an open file is a device, as `/dev/zero` is, and may have no end."""
    try:
        return stat.S_ISCHR(os.fstat(file.fileno()).st_mode)
    except OSError:  # what is decompressed on the way has no number
        return False


def check_held(file: Any, count: int, where: str) -> None:
    """That `count` bytes of an open file may be held at once; `where` ends with its name.

    Raises:
      ResourceExhaustedError: they are more than the limit, or more than `_MOST_OF_A_DEVICE` of one.
    """
    check_bytes(count, where)
    if count > _MOST_OF_A_DEVICE and _is_device(file):
        words = f"{where} is a device, which gives more than {_MOST_OF_A_DEVICE} bytes, and may never end"
        raise errors.ResourceExhaustedError(None, None, words)


def read_whole_file(file: Any, path: str) -> bytes:
    """All that is left of a file, as far as it may be held at once: see `check_held`."""
    if not _is_device(file):
        check_bytes(os.fstat(file.fileno()).st_size, path)
        return bytes(file.read())
    text = bytes(file.read(_MOST_OF_A_DEVICE + 1))
    check_held(file, len(text), path)
    return text


def read_some(file: Any, count: int, path: str) -> bytes:
    """`count` bytes of a file, or as many as are left; memory is taken as they come."""
    found = bytearray()
    while len(found) < count and (part := file.read(min(count - len(found), _MOST_OF_A_DEVICE))):
        found += part
        check_bytes(len(found), path)
    return bytes(found)


def read_line(file: Any, where: str) -> bytes:
    """The next line of a file, with its end, as far as it may be held at once: see `check_held`."""
    most = int(min(current().bytes, sys.maxsize - 1))
    line: bytes = file.readline(min(most, _MOST_OF_A_DEVICE) + 1)
    check_held(file, len(line), where)
    if len(line) > _MOST_OF_A_DEVICE and not line.endswith(b"\n"):
        line += file.readline(most + 1 - len(line))
        check_held(file, len(line), where)
    return line


def _read(filename: Array) -> Array:
    path = local_path(_raw(filename))
    try:
        with open(path, "rb") as file:
            return _scalar(read_whole_file(file, path))
    except OSError as error:
        raise told(error, path) from None


def _write(filename: Array, contents: Array) -> tuple[()]:
    path = local_path(_raw(filename))
    try:
        if os.path.dirname(path):
            with contextlib.suppress(FileExistsError):  # a file in the place of a folder: opening says so
                os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(_raw(contents))
    except OSError as error:
        raise told(error, path) from None
    return ()


def _matching(pattern: Any) -> Array:
    found: set[str] = set()
    for one in np.asarray(pattern, object).reshape(-1):
        found.update(matches(os.fsdecode(one)))
    out = np.empty(len(found), object)
    out[:] = [os.fsencode(f) for f in sorted(found)]
    return out


# a file may change between two calls, so a graph must not fold or merge reading; TensorFlow declares it without state
ReadFile = define(
    "ReadFile",
    "filename: string[0] -> contents: string",
    infer=lambda c: (),
    kernel=_read,
    vjp=lambda call, g: [None],
    traits=(OPAQUE, PER_ELEMENT),
    file_access=READS_FILES,
)
WriteFile = define(
    "WriteFile", "filename: string[0], contents: string[0] -> ", infer=lambda c: [], kernel=_write, traits=(STATEFUL,),
    file_access=WRITES_FILES,
)  # fmt: skip
MatchingFiles = define(
    "MatchingFiles", "pattern: string[0..1] -> filenames: string", infer=lambda c: (None,), kernel=_matching,
    vjp=lambda call, g: [None], traits=(OPAQUE,), file_access=READS_FILES,
)  # fmt: skip


def read_file(filename: TensorLike, name: str | None = None) -> Tensor:
    """The contents of a file.

    >>> import graphrt as tf
    >>> tf.io.read_file("/no/such/file")
    Traceback (most recent call last):
        ...
    graphrt.errors.NotFoundError: ...

    Raises:
      NotFoundError: there is no such file.
    """
    return ReadFile(filename, name=name)


def write_file(filename: TensorLike, contents: TensorLike, name: str | None = None) -> None:
    """Writes a file, and the folders above it where they are missing.

    >>> import graphrt as tf, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "f")
    >>> tf.io.write_file(path, "text")
    >>> tf.io.read_file(path).numpy()
    b'text'
    """
    return WriteFile(filename, contents, name=name)


def matching_files(pattern: TensorLike, name: str | None = None) -> Tensor:
    """The files that match a pattern (or one of several), sorted.

    >>> import graphrt as tf
    >>> tf.io.matching_files("/no/such/*").numpy().tolist()
    []
    """
    return MatchingFiles(pattern, name=name)


# --- numbers as bytes ------------------------------------------------------------------------------------------------
_NUMBERS = tuple(t for t in ALL if t.kind in "fiucb" and t.name not in ("uint32", "uint64"))


def _decode_raw(data: Array, *, out_type: DType, little_endian: bool) -> Array:
    texts = np.asarray(data, object)
    sizes = {len(t) for t in texts.reshape(-1)}
    if len(sizes) > 1:
        raise bad(f"DecodeRaw requires input strings to all be the same size, but found sizes {sorted(sizes)}")
    kind = np.dtype(out_type.as_numpy_dtype)
    size = sizes.pop() if sizes else 0
    if size % kind.itemsize:
        raise bad(f"Input to DecodeRaw has length {size} that is not a multiple of {kind.itemsize}, the size of "
                  f"{out_type.name}")  # fmt: skip
    joined = b"".join(texts.reshape(-1))
    return _numbers_in(joined, (*texts.shape, size // kind.itemsize), kind, little_endian)


def _numbers_in(joined: bytes, shape: tuple[int, ...], kind: Any, little_endian: bool) -> Array:
    flat = np.frombuffer(joined, kind).copy()
    if not little_endian and kind.itemsize > 1:
        half = kind.itemsize // (2 if kind.kind == "c" else 1)
        flat = flat.view(f"u{half}").byteswap().view(kind)
    return flat.reshape(shape)


def _decode_padded(data: Array, length: Array, *, out_type: DType, little_endian: bool) -> Array:
    texts: Any = np.asarray(data, object)
    size, kind = int(length), np.dtype(out_type.as_numpy_dtype)
    if size <= 0 or size % kind.itemsize:
        raise bad(f"fixed_length ({size}) must be a positive multiple of the size of out_type ({kind.itemsize})")
    check_bytes(texts.size * size, "The numbers")
    # strings of one size are cut, and filled with zeros
    return _numbers_in(texts.astype(f"S{size}").tobytes(), (*texts.shape, size // kind.itemsize), kind, little_endian)


def _and_one(c: Any) -> Dims:
    return None if c.dims(0) is None else (*c.dims(0), None)


def _padded_dims(c: Any) -> Dims:
    size = const_int(c, 1)
    width = None if size is None else size // np.dtype(c.attrs["out_type"].as_numpy_dtype).itemsize
    return None if c.dims(0) is None else (*c.dims(0), width)


DecodeRaw = define(
    "DecodeRaw", "bytes: string -> output: out_type", attrs="out_type: type; little_endian: bool = True",
    allowed={"out_type": _NUMBERS}, infer=_and_one, kernel=_decode_raw, vjp=lambda call, g: [None],
    traits=(PER_ELEMENT,),
)  # fmt: skip
DecodePaddedRaw = define(
    "DecodePaddedRaw", "input_bytes: string, fixed_length: int32 -> output: out_type",
    attrs="out_type: type; little_endian: bool = True",
    allowed={"out_type": tuple(t for t in _NUMBERS if t.kind in "fiu")}, infer=_padded_dims, kernel=_decode_padded,
    vjp=lambda call, g: [None, None],
)  # fmt: skip


def decode_raw(
    input_bytes: TensorLike, out_type: DTypeLike, little_endian: bool = True, fixed_length: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """The numbers in strings of bytes; with `fixed_length` each string is cut or filled with zeros first.

    >>> import graphrt as tf
    >>> tf.io.decode_raw(b"\\x01\\x00\\x02\\x00", tf.int16).numpy().tolist()
    [1, 2]

    Raises:
      InvalidArgumentError: the strings differ in length, or hold no whole number of elements.
    """
    kind = as_dtype(out_type)
    if fixed_length is None:
        return DecodeRaw(input_bytes, out_type=kind, little_endian=little_endian, name=name)
    return DecodePaddedRaw(input_bytes, fixed_length, out_type=kind, little_endian=little_endian, name=name)


# --- compressed ------------------------------------------------------------------------------------------------------
def _inflated(data: bytes, kind: str) -> bytes:
    found = b""
    while data or kind == "ZLIB":
        inflate = zlib.decompressobj(wbits=31 if kind == "GZIP" else 15)
        found += inflate.decompress(data, int(min(current().bytes - len(found) + 1, 1 << 62)))
        check_bytes(len(found), "the text")
        if not inflate.eof:
            raise EOFError("the data end too early")
        if kind == "ZLIB":
            break
        data = inflate.unused_data.lstrip(b"\0")  # files of gzip's may have several members
    return found


def _decompress(data: Any, *, compression_type: Any) -> Any:
    kind = compression_type
    if kind not in ("", "ZLIB", "GZIP"):
        raise bad(f"Only ZLIB, GZIP or NONE are supported compressions, found {kind}")
    texts: Any = np.asarray(data, object)
    out = np.empty(texts.shape, object)
    for at in np.ndindex(*texts.shape):
        try:
            found = texts[at]
            out[at] = _inflated(found, kind) if kind and found else found
        except (zlib.error, OSError, EOFError) as error:
            raise errors.DataLossError(None, None, f"the data cannot be decompressed: {error}") from None
    return out


DecodeCompressed = define(
    "DecodeCompressed", "bytes: string -> output: string", attrs="compression_type: string = ''",
    infer=lambda c: c.dims(0), kernel=_decompress, vjp=lambda call, g: [None],
    traits=(PER_ELEMENT,),
)  # fmt: skip


def decode_compressed(bytes: TensorLike, compression_type: str = "", name: str | None = None) -> Tensor:
    """Strings that were compressed with "ZLIB" or "GZIP".

    >>> import graphrt as tf, zlib
    >>> tf.io.decode_compressed(zlib.compress(b"text"), "ZLIB").numpy()
    b'text'

    Raises:
      DataLossError: the data cannot be decompressed.
    """
    return DecodeCompressed(bytes, compression_type=compression_type, name=name)


# --- comma separated values ------------------------------------------------------------------------------------------
def _field(text: str, default: Array, kind: DType, na: str, field: int, record: int) -> Array | bytes:
    if text == "" or text == na:
        if np.size(default) == 0:
            raise bad(f"Field {field} is required but missing in record {record}!")
        return np.ravel(default)[0]
    if kind is string:
        return text.encode("utf-8", "surrogateescape")
    try:
        data = text.encode("utf-8", "surrogateescape")
        return kind.as_numpy_dtype(whole_number(data) if kind in (int32, int64) else real_number(data))
    except (ValueError, OverflowError):
        raise bad(f"Field {field} in record {record} is not a valid {kind.name}: {text}") from None


def _plain_columns(
    lines: Any, defaults: list[Array], kinds: list[DType], delimiter: str, na: str, chosen: list[int]
) -> list[Array] | None:
    """The columns of records without quotes, line breaks and mistakes; None where each has to be looked at."""
    texts = lines.reshape(-1).tolist()
    if not texts or not delimiter.isascii() or len(delimiter) != 1 or not all(isinstance(t, bytes) for t in texts):
        return None
    whole = b"".join(texts)
    if any(c in whole for c in b'"\r\n\0') or max(map(len, texts)) >= csv.field_size_limit():
        return None
    sep = delimiter.encode()
    width = texts[0].count(sep) + 1
    if any(t.count(sep) != width - 1 for t in texts) or max(chosen, default=0) >= width:
        return None
    fields = sep.join(texts).split(sep)  # one list of all: one for each record would keep the garbage collector busy
    columns = [fields[i::width] for i in range(width)]
    columns = [columns[i] for i in chosen] if chosen else columns
    if len(columns) != len(kinds):
        return None
    missing = (b"", na.encode("utf-8", "surrogateescape"))
    found = [_plain_column(c, np.ravel(d), k, missing) for c, d, k in zip(columns, defaults, kinds)]
    return None if any(c is None for c in found) else [c.reshape(lines.shape) for c in found if c is not None]


def _plain_column(fields: list[bytes], default: Array, kind: DType, missing: tuple[bytes, bytes]) -> Array | None:
    absent = any(m in fields for m in missing)
    if absent and not default.size:
        return None
    blank = default[0] if absent else None
    if kind is string:
        out = np.empty(len(fields), object)
        out[:] = [blank if f in missing else f for f in fields] if absent else fields
        return out
    if b"_" in b"".join(fields):
        return None
    read = int if kind in (int32, int64) else float
    try:
        numbers = [blank if f in missing else read(f) for f in fields] if absent else [*map(read, fields)]
        found = np.array(numbers, np.int64 if read is int else np.float64)
    except (ValueError, OverflowError):
        return None
    if kind is int32 and not kind.min <= found.min() <= found.max() <= kind.max:
        return None
    return found.astype(kind.as_numpy_dtype)


def _decode_csv(
    records: Array, defaults: list[Array], *, OUT_TYPE: list[DType], field_delim: str, use_quote_delim: bool,
    na_value: str, select_cols: list[Any]
) -> list[Array]:  # fmt: skip
    lines: Any = np.asarray(records, object)
    na, delimiter = na_value, field_delim
    plain = _plain_columns(lines, defaults, OUT_TYPE, delimiter, na, select_cols)
    if plain is not None:
        return plain
    out = [np.empty(lines.shape, object if t is string else t.as_numpy_dtype) for t in OUT_TYPE]
    for n, at in enumerate(np.ndindex(*lines.shape)):
        text = lossless_text(lines[at])
        quoting: Any = csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE
        try:
            fields = next(
                csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True), []
            )
        except csv.Error as error:
            raise bad(f"Record {n} is no line of CSV: {error}") from None
        if not text:
            fields = [""]
        if select_cols:
            if max(select_cols) >= len(fields):
                raise bad(f"Expect {max(select_cols) + 1} fields but have {len(fields)} in record {n}")
            fields = [fields[i] for i in select_cols]
        if len(fields) != len(out):
            raise bad(f"Expect {len(out)} fields but have {len(fields)} in record {n}")
        for i, (field, default) in enumerate(zip(fields, defaults)):
            out[i][at] = _field(field, default, OUT_TYPE[i], na, i, n)
    return out


DecodeCSV = define(
    "DecodeCSV", "records: string, record_defaults: OUT_TYPE... -> output: OUT_TYPE...",
    attrs="OUT_TYPE: list(type) >= 1; field_delim: string = ','; use_quote_delim: bool = True; na_value: string = ''; "
    "select_cols: list(int) = []",
    allowed={"OUT_TYPE": (float32, float64, int32, int64, string)},
    infer=lambda c: [c.dims(0)] * len(c.attrs["OUT_TYPE"]), kernel=_decode_csv,
    vjp=lambda call, *g: [None] * len(call.inputs),
)  # fmt: skip


def decode_csv(
    records: TensorLike, record_defaults: Any, field_delim: str = ",", use_quote_delim: bool = True,
    na_value: str = "", select_cols: Any = None, name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """The columns of lines of comma separated values, as tensors of the dtypes of `record_defaults`.

    >>> import graphrt as tf
    >>> [c.numpy().tolist() for c in tf.io.decode_csv(["1,a", "2,b"], [[0], [""]])]
    [[1, 2], [b'a', b'b']]

    Raises:
      InvalidArgumentError: a field is missing or no number.
      ValueError: `select_cols` is not increasing.
    """
    chosen = [] if select_cols is None else list(select_cols)
    if any(a >= b for a, b in itertools.pairwise(chosen)):
        raise ValueError(errors.at_user_line("select_cols is not strictly increasing."))
    if any(c < 0 for c in chosen):
        raise ValueError(errors.at_user_line("select_cols contains negative values."))
    defaults = [as_tensor([d] if isinstance(d, (int, float, str, bytes)) else d) if not isinstance(d, list) or d
                else as_tensor(np.zeros(0, np.float32)) for d in record_defaults]  # fmt: skip
    found = DecodeCSV(
        records, defaults, field_delim=field_delim, use_quote_delim=use_quote_delim, na_value=na_value,
        select_cols=chosen, name=name,
    )  # fmt: skip
    return found if isinstance(found, list) else [found]
