"""Variables, which become constants: what they hold when the model is exported. What changes them cannot be mapped."""

# names of another format: those of ONNX's ops

from __future__ import annotations

import numpy as np

from graphrt.export.onnx.builder import Ref
from graphrt.export.onnx.lowering import HandleRef, Rule, Use
from graphrt.state.storage import Storage
from graphrt.types.dtype import bool_


def _storage(c: Use) -> Storage:
    held = c.held(0)
    if not isinstance(held, HandleRef) or not isinstance(held.behind, Storage):
        c.refuse("which variable it reads is not known when it is exported")
    return held.behind


def _read(c: Use) -> Ref:
    storage = _storage(c)
    return c.graph.constant(storage.value, storage.dtype, storage.name)


def _gather(c: Use) -> Ref:
    if c.node.attrs.get("batch_dims"):
        c.refuse("batch_dims of a variable has no counterpart")
    return c.emit("Gather", _read(c), c.int64(1), axis=0)


def _gather_nd(c: Use) -> Ref:
    return c.emit("GatherND", _read(c), c.int64(1))


def _shape(c: Use) -> Ref:
    return c.graph.constant(np.shape(_storage(c).value), c.dtype())


# names: the ops of this family
RULES: dict[str, Rule] = {
    "ReadVariableOp": _read,
    "ResourceGather": _gather,
    "ResourceGatherNd": _gather_nd,
    "VarIsInitializedOp": lambda c: c.graph.constant(_storage(c).initialized, bool_),
    "VariableShape": _shape,
}
