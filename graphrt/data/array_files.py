"""Arrays in files of our own: what a cache or a saved dataset keeps."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data.pipeline import Element
from graphrt.data.streams import exactly
from graphrt.types.dtype import DType
from graphrt.types.likes import TensorLike


def read_arrays(file: Any, dtypes: list[DType]) -> Element:
    """The arrays of these dtypes that `write_array` wrote next; () at the end of the file.

    Raises:
      DataLossError: the file ends before.
      ValueError: no array has such a shape.
    """
    found = []
    for dtype in dtypes:
        head = file.read(1)
        if not head:
            return ()
        dims = struct.unpack(f"<{head[0]}q", exactly(file, 8 * head[0], "shape"))
        if min(dims, default=0) < 0:
            raise ValueError(f"no array has the shape {dims}")
        count = math.prod(dims)
        if dtype.kind == "S":
            flat = []
            for _ in range(count):
                (size,) = struct.unpack("<q", exactly(file, 8, "length"))
                flat.append(exactly(file, size, "string"))
            array = np.empty(count, object)
            array[:] = flat
            array = array.reshape(dims)
        else:
            kind = np.dtype(dtype.as_numpy_dtype)
            array = np.frombuffer(exactly(file, count * kind.itemsize, "array"), kind).reshape(dims)
        found.append(array if array.ndim or dtype.kind == "S" else array[()])
    return tuple(found)


def write_array(file: Any, value: TensorLike) -> None:
    """Appends an array to a file; UnimplementedError when it holds something else than numbers and bytes."""
    array = np.asarray(value)
    file.write(struct.pack(f"<B{array.ndim}q", array.ndim, *array.shape))
    if array.dtype == object:
        for text in array.ravel().tolist():
            if not isinstance(text, bytes):
                raise errors.UnimplementedError(None, None, "a dataset of datasets cannot be cached in a file")
            file.write(struct.pack("<q", len(text)) + text)
    else:
        file.write(np.ascontiguousarray(array).tobytes())
