"""Files that belong to a SavedModel and travel with it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.tensor.tensor import EagerTensor
from graphrt.types.dtype import string

__all__ = ["Asset", "asset_of"]


class Asset:
    """A file that belongs to a SavedModel: make it an attribute of what is saved, and read from `asset_path`.

    >>> import graphrt as tf
    >>> tf.saved_model.Asset("words.txt").asset_path.numpy()
    b'words.txt'
    """

    def __init__(self, path: Any) -> None:
        self.path = os.fspath(path)
        self._tensor = EagerTensor(np.array(self.path.encode(), object), string)

    @property
    def asset_path(self) -> EagerTensor:
        """Where it is, as a tensor of dtype string."""
        return self._tensor

    def __fspath__(self) -> str:
        return self.path


def asset_of(folder: str, name: str) -> Asset:
    """The asset `name` of the SavedModel in `folder`.

    Raises:
      PermissionDeniedError: the name leads out of the directory.
    """
    own = os.path.realpath(os.path.join(folder, "assets"))
    path = os.path.realpath(os.path.join(own, name))
    if os.path.commonpath([own, path]) != own or path == own:
        raise errors.PermissionDeniedError(None, None, f"{folder}: the asset {name!r} is no file of the directory")
    return Asset(path)
