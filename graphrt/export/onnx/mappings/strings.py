"""Strings, and tables, which become encoders of labels: what they hold when the model is exported."""

# names of another format: those of ONNX's ops

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.export.onnx.builder import Attribute, Ref
from graphrt.export.onnx.lowering import HandleRef, Rule, Use
from graphrt.resources.table_ops import Table
from graphrt.types.dtype import DType, bool_, float32, int64, string


def _joined(c: Use) -> Ref:
    separator = c.attr("separator")
    between = c.graph.constant(np.array(separator.encode(), object), string)
    found = c[0]
    for other in c.inputs[1:]:
        found = c.emit("StringConcat", found, between) if separator else found
        found = c.emit("StringConcat", found, other)
    return found


def _matched(c: Use, pattern: str) -> Ref:
    return c.emit("RegexFullMatch", c[0], dtype=bool_, pattern=pattern)


def _full_match(c: Use) -> Ref:
    value = c.constant(1, "the pattern")
    return _matched(c, bytes(value.item()).decode(errors="replace"))


def _as_text(c: Use) -> Ref:
    plain = all(c.attr(n) in (-1, False, "") for n in ("precision", "scientific", "shortest", "width", "fill"))
    if not plain or not c[0].dtype.is_integer:
        c.refuse("only whole numbers, not filled up, are written as ONNX writes them")
    return c.cast(c[0], string)


# --- tables ----------------------------------------------------------------------------------------------------------
_LABELS = {string: "strings", int64: "int64s", float32: "floats"}


def _table(c: Use) -> Table:
    held = c.held(0)
    if not isinstance(held, HandleRef) or not isinstance(held.behind, Table):
        c.refuse("which table it reads is not known when it is exported")
    return held.behind


def _listed(items: list[Any], dtype: DType) -> Attribute:
    return [float(v) if dtype is float32 else v if dtype is string else int(v) for v in items]


def _found(c: Use) -> Ref:
    table = _table(c)
    if table.key_dims or table.value_dims or not table.items:
        c.refuse("a table of rows, or an empty one, has no counterpart")
    keys = c[1]
    key_type = int64 if keys.dtype.is_integer else keys.dtype
    value_type = int64 if table.value_dtype.is_integer else table.value_dtype
    default = c.const(2)
    if key_type not in _LABELS or value_type not in _LABELS or default is None or np.shape(default) != ():
        c.refuse(f"a table from {keys.dtype.name} to {table.value_dtype.name} has no counterpart")
    name = {"strings": "string", "int64s": "int64", "floats": "float"}[_LABELS[value_type]]
    options: dict[str, Attribute] = {
        f"keys_{_LABELS[key_type]}": _listed(list(table.items), key_type),
        f"values_{_LABELS[value_type]}": _listed(list(table.items.values()), value_type),
        f"default_{name}": _listed([np.asarray(default).item()], value_type)[0],  # type: ignore[index]
    }
    found = c.graph.emit_all("LabelEncoder", [c.cast(keys, key_type)], [value_type], c.node.name, options, "ai.onnx.ml")
    return c.cast(found[0], table.value_dtype)


def _size(c: Use) -> Ref:
    return c.ints(len(_table(c).items))


# names: the ops of this family
RULES: dict[str, Rule] = {
    "AsString": _as_text,
    "LookupTableFindV2": _found,
    "LookupTableSizeV2": _size,
    "RegexFullMatch": _full_match,
    "StaticRegexFullMatch": lambda c: _matched(c, c.attr("pattern")),
    "StringJoin": _joined,
    "StringToNumber": lambda c: c.cast(c[0], c.dtype()),
}
