"""Libraries of TensorFlow's own kernels: asked for, and refused with the reason."""

from __future__ import annotations

import os

from graphrt import errors
from graphrt.types.nesting import shown

__all__ = ["load_library", "load_op_library"]


def load_op_library(library_filename: str) -> None:
    """Refuses a library of TensorFlow kernels, as TensorFlow refuses one that does not fit it.

    Such a library is compiled against TensorFlow's C++ and registers ops there; graphrt's ops are written in Python (see
    docs/adding_an_op.md for how to add one). Programs that go another way where a library does not load do so here.

    >>> import graphrt as tf
    >>> tf.load_op_library("ops.so")
    Traceback (most recent call last):
    graphrt.errors.NotFoundError: ops.so: cannot open shared object file: No such file or directory

    Args:
      library_filename: the file.

    Raises:
      NotFoundError: always: the file is not there, or it holds kernels that only TensorFlow can run.
      TypeError: it is no string.
    """
    if not isinstance(library_filename, str):
        raise TypeError(f"load_op_library takes the name of a file; found {shown(library_filename)}")
    if not os.path.exists(library_filename):
        missing = "cannot open shared object file: No such file or directory"
        raise errors.NotFoundError(None, None, f"{library_filename}: {missing}")
    if os.path.isdir(library_filename):
        raise errors.NotFoundError(None, None, f"{library_filename}: cannot read file data: Is a directory")
    raise errors.NotFoundError(
        None,
        None,
        f"{library_filename}: kernels compiled for TensorFlow cannot be loaded: graphrt has no TensorFlow to register them "
        "with. Write the op in Python: a function, or as docs/adding_an_op.md says",
    )


def load_library(library_location: str | os.PathLike[str]) -> None:
    """`load_op_library` of a file, or of every `.so` in a folder; a folder without any is left as it is.

    >>> import graphrt as tf
    >>> tf.load_library("kernels")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] The file or folder to load kernel libraries from does not exist.: 'kernels'

    Args:
      library_location: the file or folder.

    Raises:
      FileNotFoundError: it is not there.
      NotFoundError: it holds kernels, which only TensorFlow can run.
    """
    if not os.path.exists(library_location):
        said = "The file or folder to load kernel libraries from does not exist."
        raise FileNotFoundError(2, said, os.fspath(library_location))
    if not os.path.isdir(library_location):
        load_op_library(os.fspath(library_location))
        return
    for name in sorted(os.listdir(library_location)):
        if name.endswith(".so"):
            load_op_library(os.path.join(library_location, name))
