"""What archives of models hold: zip files, whose members may claim anything."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt.data.streams import exactly
from graphrt.types.likes import Array
from graphrt.types.limits import check_bytes

__all__ = ["PARSED", "array_members", "member"]

PARSED = 25  # bytes that one byte of JSON may come to as Python's objects: `[],` is a list
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # of which a part can be read by itself
_READERS: dict[tuple[int, int], Callable[[Any], Any]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
    (3, 0): np.lib.format.read_array_header_2_0,
}


def _opened(archive: zipfile.ZipFile, name: str, where: str) -> Any:
    if archive.getinfo(name).compress_type not in _METHODS:
        raise ValueError(f"{where} is compressed by a method that archives of models do not use: store or deflate it")
    return archive.open(name)


def member(archive: zipfile.ZipFile, name: str, times: int = 1) -> bytes:
    """What an archive holds under a name: as much as it claims, if `times` that is no more than the limit of the context.

    Raises:
      DataLossError: it holds less.
      KeyError: there is no such name.
      ResourceExhaustedError: it claims more than the limit.
    """
    size, where = archive.getinfo(name).file_size, f"{archive.filename or 'archive'}: {name!r}"
    check_bytes(times * size, where)
    with _opened(archive, name, where) as file:
        return exactly(file, size, where)


def array_members(file: Any, order: Callable[[str], int], where: str) -> list[Array]:
    """The arrays of a NumPy archive, in the order of what `order` makes of their names.

    Raises:
      ValueError: one is damaged, or no array of numbers; it is named.
    """
    with zipfile.ZipFile(file) as archive:
        names = {name.removesuffix(".npy"): name for name in archive.namelist()}
        return [_array(archive, names[key], f"{where}: {names[key]!r}") for key in sorted(names, key=order)]


def _array(archive: zipfile.ZipFile, name: str, where: str) -> Array:
    """An array of an `.npy` file, no larger than that; its head is read before memory is taken."""
    size = archive.getinfo(name).file_size
    with _opened(archive, name, where) as file:
        try:
            version = np.lib.format.read_magic(file)
            if version not in _READERS:
                raise ValueError(f"version {version} of NumPy's format is not known")
            shape, is_fortran, dtype = _READERS[version](file)
        except (ValueError, TypeError, SyntaxError, RecursionError) as error:
            raise ValueError(f"{where} is no array of NumPy's: {error}") from None
        left = size - file.tell()
        if dtype.hasobject:
            raise ValueError(f"{where} holds Python objects, which could run code")
        if dtype.names or dtype.subdtype or not dtype.itemsize or not all(type(d) is int and d >= 0 for d in shape):
            raise ValueError(f"{where} has the shape {shape} and dtype {dtype}, which no weight has")
        if math.prod(shape) * dtype.itemsize != left:
            raise ValueError(f"{where} claims the shape {shape} and dtype {dtype}, for which {left} bytes are there")
        check_bytes(left, where)
        data = exactly(file, left, where)
    try:
        return np.frombuffer(data, dtype).reshape(shape, order="F" if is_fortran else "C").copy()
    except ValueError as error:  # too many dimensions
        raise ValueError(f"{where}: {error}") from None
