"""Files that belong to a SavedModel and travel with it."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.graph import Graph, InferContext, Value
from graphrt.tensor.tensor import EagerTensor
from graphrt.types.dtype import string

_LOOP = ("cond", "body")
__all__ = ["Asset", "asset_of", "opens_others"]


class Asset:
    """A file that belongs to a SavedModel: make it an attribute of what is saved, and read from `asset_path`.

    >>> import graphrt as tf
    >>> tf.saved_model.Asset("words.txt").asset_path.numpy()
    b'words.txt'
    """

    def __init__(self, path: Any) -> None:
        self.path = os.fsdecode(path)
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


def opens_others(graph: Graph, given: frozenset[Value]) -> bool:
    """Whether a graph, or one that it calls, opens files of other names than those `given`: inputs of the graph.

    Loops may change what they are given, so nothing is known of names within them.
    """
    seen: set[tuple[Graph, frozenset[Value]]] = set()
    waiting = [(graph, given)]
    while waiting:
        each, known = waiting.pop()
        if (each, known) in seen:
            continue
        seen.add((each, known))
        for node in each.nodes:
            if node.op.opens_files(InferContext(node.op, node.inputs, node.attrs)) is not None:
                if not all(v in known for v in node.inputs if v.dtype is string):
                    return True
            for attr, inner in node.subgraphs():
                extra = len(node.inputs) - len(inner.inputs)  # what chooses a branch comes first
                passed = zip(node.inputs[extra:], inner.inputs) if attr not in _LOOP and extra in (0, 1) else ()
                waiting.append((inner, frozenset(i for v, i in passed if v in known)))
    return False
