"""`tf.compat`: text, bytes and dimensions whatever they come as."""

from __future__ import annotations

import datetime
import numbers
import os
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.types.likes import PathLike, TensorLike

__all__ = [
    "as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types", "dimension_at_index",
    "dimension_value", "forward_compatibility_horizon", "forward_compatible", "integral_types", "path_to_str",
    "real_types",
]  # fmt: skip

bytes_or_text_types = (bytes, str)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)


def as_bytes(bytes_or_text: object, encoding: str = "utf-8") -> bytes:
    """Text or bytes as bytes.

    >>> import graphrt as tf
    >>> tf.compat.as_bytes("text")
    b'text'

    Raises:
      TypeError: it is neither.
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(errors.at_user_line(f"Expected binary or unicode string, got {bytes_or_text!r}"))


def as_text(bytes_or_text: bytes | int | str, encoding: str = "utf-8") -> str:
    """Text or bytes as text.

    >>> import graphrt as tf
    >>> tf.compat.as_text(b"text")
    'text'

    Raises:
      TypeError: it is neither.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(errors.at_user_line(f"Expected binary or unicode string, got {bytes_or_text!r}"))


as_str = as_text


def as_str_any(value: TensorLike, encoding: str = "utf-8") -> str:
    """Anything as text: bytes decoded, the rest as `str` gives it.

    >>> import graphrt as tf
    >>> tf.compat.as_str_any(b"text"), tf.compat.as_str_any(3)
    ('text', '3')
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: PathLike) -> Any:
    """A path object as text; anything else as it is.

    >>> import graphrt as tf, pathlib
    >>> tf.compat.path_to_str(pathlib.PurePosixPath("/a"))
    '/a'
    """
    return os.fspath(path) if isinstance(path, os.PathLike) else path


def dimension_value(dimension: int) -> int:
    """A dimension as an int or None.

    >>> import graphrt as tf
    >>> tf.compat.dimension_value(tf.TensorShape([3])[0])
    3
    """
    return getattr(dimension, "value", dimension)


def dimension_at_index(shape: Any, index: int) -> int | None:
    """A dimension of a shape; None where the rank is not known.

    >>> import graphrt as tf
    >>> tf.compat.dimension_at_index(tf.TensorShape([3, None]), 0)
    3
    """
    return None if shape.rank is None else list(shape)[index]


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether programs of that day are still to be understood: True for days that have passed.

    >>> import graphrt as tf
    >>> tf.compat.forward_compatible(2020, 1, 1)
    True
    """
    return datetime.date.today() > datetime.date(year, month, day)


class forward_compatibility_horizon:
    """Within it, `forward_compatible` is asked as before: there is one version of each op here.

    >>> import graphrt as tf
    >>> with tf.compat.forward_compatibility_horizon(2020, 1, 1):
    ...     pass
    """

    def __init__(self, year: int, month: int, day: int) -> None:
        self.day = datetime.date(year, month, day)

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        return None
