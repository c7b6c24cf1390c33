"""Whether the attributes of a node are what its op declares: asked of every graph that comes from outside.

Sum(%0, %1, keep_dims="yes")       ->       attribute 'keep_dims' is the string 'yes', expected a bool
"""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt.ir.graph import Graph
from graphrt.ir.op import AttrDef, OpDef
from graphrt.types.dtype import DType, as_dtype, from_numpy
from graphrt.types.shape import dims_of

MAX_RANK = 254  # of a shape
_WORDS = {
    "type": "a dtype", "int": "an int", "float": "a float", "bool": "a bool", "string": "a string", "shape": "a shape",
    "tensor": "a tensor", "func": "a function",
}  # fmt: skip


def faults(op: OpDef, attrs: dict[str, object]) -> str | None:
    """What is wrong with `attrs` as the attributes of a node of `op`; None when nothing is."""
    for key, attr in op.attrs.items():
        if key not in attrs:
            return f"attribute {key!r} is missing, expected {expected(attr)}"
        if not fits(attr, attrs[key]):
            return f"attribute {key!r} is {described(attrs[key])}, expected {expected(attr)}"
    for key in attrs:
        if key not in op.attrs and not key.startswith("_"):
            return f"there is no attribute {key!r}, expected {', '.join(op.attrs) or 'none'}"
    return None


def fits(attr: AttrDef, value: object) -> bool:
    """Whether `value` is of the kind, in the range, and among the values that `attr` allows."""
    if attr.kind.startswith("list("):
        if not isinstance(value, (list, tuple)) or len(value) < (attr.minimum or 0):
            return False
        kind = attr.kind[5:-1]
        return all(_is(kind, v) and (attr.allowed is None or v in attr.allowed) for v in value)
    if not _is(attr.kind, value) or (attr.allowed is not None and value not in attr.allowed):
        return False
    if attr.choices is not None:
        return (value.decode("latin-1") if isinstance(value, bytes) else value) in attr.choices
    return attr.minimum is None or (isinstance(value, int) and value >= attr.minimum)


def attribute_text(value: str | bytes) -> str:
    """A string as attributes hold it: text, in which bytes that are no UTF-8 are lone surrogates."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def _is(kind: str, value: object) -> bool:
    match kind:
        case "type":
            return isinstance(value, DType)
        case "int":
            return type(value) is int and -(1 << 63) <= value < 1 << 63
        case "float":
            return type(value) is float
        case "bool":
            return type(value) is bool
        case "string":
            return isinstance(value, (str, bytes))
        case "shape":
            return value is None or (
                type(value) is tuple
                and len(value) <= MAX_RANK
                and all(d is None or (type(d) is int and 0 <= d < 1 << 63) for d in value)
            )
        case "tensor":
            return isinstance(value, (np.ndarray, np.generic)) and _has_dtype(value)
        case "func":
            return isinstance(value, Graph)
        case _:  # something of Python's, which only this process can hold
            return value is None


def _has_dtype(value: np.ndarray | np.generic) -> bool:
    try:
        from_numpy(value.dtype)
    except TypeError:
        return False
    return True


def expected(attr: AttrDef) -> str:
    """What `attr` wants, in words."""
    kind = attr.kind
    if kind.startswith("list("):
        least = f" of {attr.minimum} or more" if attr.minimum else ""
        text = f"a list{least}: {_WORDS.get(kind[5:-1], kind[5:-1])} each"
    else:
        text = _WORDS.get(kind, "nothing that a file can hold")
        if attr.minimum is not None:
            text += f" >= {attr.minimum}"
    among = [t.name for t in attr.allowed or ()] or [repr(c) for c in attr.choices or ()]
    return f"{text} ({', '.join(among)})" if among else text


def described(value: object) -> str:
    """`value` in a few words."""
    if value is None or isinstance(value, (bool, int, float)):
        text = repr(value) if not isinstance(value, int) or abs(value) < 1 << 64 else "a huge int"
        return text if isinstance(value, bool) or value is None else f"the {type(value).__name__} {text}"
    if isinstance(value, (str, bytes)):
        return f"the string {_short(repr(value))}"
    if isinstance(value, DType):
        return value.name
    if isinstance(value, Graph):
        return f"the function {_short(repr(value.name))}"
    if isinstance(value, (list, tuple)):
        shown = ", ".join(described(v) for v in value[:3])
        return (
            f"a {type(value).__name__} of {len(value)}: {_short(shown)}"
            if value
            else f"an empty {type(value).__name__}"
        )
    return f"a {type(value).__name__}"


def _short(text: str) -> str:
    return text if len(text) < 80 else f"{text[:77]}..."


def normal(kind: str, value: Any) -> Any:
    """`value` as attributes of this kind hold it.

    >>> normal("int", True), normal("shape", [2, None]), normal("list(int)", (1, 2.0))
    (1, (2, None), [1, 2])
    """
    if kind == "type":
        return as_dtype(value)
    if kind == "shape":
        return dims_of(value)
    if kind == "int":
        return int(value)
    if kind == "float":
        return float(value)
    if kind == "bool":
        return bool(value)
    if kind == "string":
        return attribute_text(value)
    if kind.startswith("list(") and isinstance(value, (list, tuple)):
        return [normal(kind[5:-1], v) for v in value]
    return value
