"""Encoders of labels: tables that the model holds, from the ops for classical models (`ai.onnx.ml`)."""

# names of another format: those of ONNX's ops

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.export.onnx.reader import ML, Reading, Use
from graphrt.export.onnx.readings.arrays import shape64, whole
from graphrt.ops.array.concat_split import ConcatV2
from graphrt.ops.array.gather_scatter import GatherV2
from graphrt.ops.array.selection import SelectV2
from graphrt.ops.array.shape import Reshape
from graphrt.ops.array.sorting import Unique
from graphrt.ops.math.arithmetic import Minimum
from graphrt.ops.math.elementwise import IsNan
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import int64
from graphrt.types.likes import Array

_KINDS: dict[str, tuple[Any, Any]] = {  # of each attribute the dtype, and what an element without a label becomes
    "strings": (object, b"_Unused"), "int64s": (np.int64, -1), "floats": (np.float32, -0.0),
}  # fmt: skip


def _side(c: Use, name: str) -> tuple[Array, str]:
    """The keys or the values, and of which kind they are."""
    if c.has(f"{name}_tensor"):
        return c.tensor(f"{name}_tensor").reshape(-1), "tensor"
    for kind, (dtype, _) in _KINDS.items():
        if c.has(f"{name}_{kind}"):
            items = c.items(f"{name}_{kind}")
            found = np.empty(len(items), dtype)
            found[:] = items
            return found, kind
    raise ValueError(f"its {name} are missing")


def _default(c: Use, values: Array, kind: str) -> Array:
    if kind == "tensor":
        if c.has("default_tensor"):
            return c.tensor("default_tensor").reshape(1)
        kind = {"O": "strings", "i": "int64s"}.get(values.dtype.kind, "floats")
    name = f"default_{kind[:-1]}"
    if kind == "strings":
        item: Any = c.text(name, _KINDS[kind][1].decode()).encode()
    else:
        item = c.number(name, -0.0) if kind == "floats" else c.whole(name, -1)
    found = np.empty(1, values.dtype)
    found[0] = item
    return found


def _encoded(c: Use) -> Tensor:
    if c.has("classes_strings"):
        return _by_classes(c)
    keys, _ = _side(c, "keys")
    values, kind = _side(c, "values")
    if len(keys) != len(values):
        raise ValueError(f"it has {len(keys)} keys and {len(values)} values")
    return _looked_up(c[0], keys, values, _default(c, values, kind))


def _by_classes(c: Use) -> Tensor:
    """As the first version of the op says it: from texts to their places, or back."""
    classes = np.array([*c.items("classes_strings"), b""], object)[:-1]
    places = np.arange(len(classes), dtype=np.int64)
    if c.dtype is int64:
        missing = np.array([c.text("default_string", "_Unused").encode(), b""], object)[:1]
        return _looked_up(c[0], places, classes, missing)
    return _looked_up(c[0], classes, places, np.array([c.whole("default_int64", -1)]))


def _looked_up(x: Tensor, keys: Array, values: Array, default: Array) -> Tensor:
    """The values of the keys that are equal to the elements: which they are, finding equal elements tells."""
    known: dict[Any, int] = {}
    nan = len(values)
    for i, key in enumerate(keys.tolist()):
        if key != key:  # no element is equal to it
            nan = i
        else:
            known.setdefault(key, i)
    every = convert_to_tensor(np.concatenate([values, default]))
    table = keys[list(known.values())]
    places = np.array([*known.values(), len(values)], np.int64)
    ids = Unique(ConcatV2([convert_to_tensor(table), Reshape(x, whole([-1]))], np.int32(0)), out_idx=int64)[1]
    found = GatherV2(convert_to_tensor(places), Minimum(ids[len(table) :], whole(len(table))), np.int32(0))
    found = Reshape(found, shape64(x))
    if nan < len(values):
        found = SelectV2(IsNan(x), whole(nan), found)
    return GatherV2(every, found, np.int32(0))


READINGS: dict[str, Reading] = {
    f"{ML}.LabelEncoder": _encoded,
}
