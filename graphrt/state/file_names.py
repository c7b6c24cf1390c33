"""Names of files that are looked for once."""

from __future__ import annotations

from graphrt.ops.io.files import matching_files
from graphrt.state.variable import Variable
from graphrt.tensor.context import init_scope
from graphrt.types.likes import TensorLike

__all__ = ["match_filenames_once"]


def match_filenames_once(pattern: TensorLike, name: str | None = None) -> Variable:
    """A variable that holds the names of the files which match a pattern now.

    >>> import graphrt as tf
    >>> tf.io.match_filenames_once("/no/such/*").numpy().tolist()
    []
    """
    with init_scope():
        return Variable(matching_files(pattern), trainable=False, shape=[None], name=name or "matching_filenames")
