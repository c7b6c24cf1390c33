"""Turns slices whose form is known into plain NumPy indexing.

    %b = Pack([%i])
    %e = Pack([%i + 1])
    %y = StridedSlice(%x, %b, %e, [1], shrink_axis_mask=1)      ->      %y = _StridedSlice(%x, [%i], form="{0}")

`x[i]` in a loop is the most frequent slice there is; as `x[i]` in the program it costs a twentieth. `form` is the text
of the subscript, with `{n}` for the n-th index tensor.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import numpy as np

from graphrt.errors import InvalidArgumentError
from graphrt.ir.code import EMPTY, NONE, Code, Template, commas
from graphrt.ir.graph import Graph, Node, Value
from graphrt.ir.liveness import nested, pinned
from graphrt.ir.op import ALIASES, INDEXES, INTERNAL, define
from graphrt.ops.array.concat_split import Pack
from graphrt.ops.array.slicing import StridedSlice
from graphrt.passes.rewrite import constant_of
from graphrt.types.dtype import INTEGER
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims

# --- the op ----------------------------------------------------------------------------------------------------------
_NUMBER = r"(?:-?\d{1,19}|\{\d{1,4}\})"
_ITEM = re.compile(f"None|(?P<low>{_NUMBER}?)(?::(?P<high>{_NUMBER}?)(?::(?P<step>{_NUMBER}))?)?", re.ASCII)

# A part of a subscript: None (a new axis), an index, or a slice. A number stands for itself, a string for an input.
_Number: TypeAlias = "int | str | None"
_Part: TypeAlias = "tuple[_Number, ...] | int | str | None"


def form_parts(form: str, count: int | None = None) -> list[_Part]:
    """What `form` says, item by item; `count` is the number of indices that it may name."""

    def number(text: str | None) -> _Number:
        if not text:
            return None
        if text[0] != "{":
            return int(text)
        if count is not None and int(text[1:-1]) >= count:
            raise InvalidArgumentError(None, None, f"the form {shown(form)} names index {text[1:-1]} of {count}")
        return text[1:-1]

    found: list[_Part] = []
    for item in form.split(", "):
        match = _ITEM.fullmatch(item)
        if match is None or not item:
            raise InvalidArgumentError(None, None, f"the form {shown(form[:80])} is no subscript")
        if item == "None":
            found.append(None)
        elif ":" in item:
            found.append(tuple(number(match[part]) for part in ("low", "high", "step")))
        else:
            found.append(number(item))
    return found


def _key(form: str, indices: list[Any]) -> tuple[Any, ...]:
    def value(number: _Number) -> int | None:
        return int(indices[int(number)]) if isinstance(number, str) else number

    return tuple([slice(*map(value, p)) if isinstance(p, tuple) else value(p) for p in form_parts(form, len(indices))])


def _kernel(x: Any, indices: list[Any], *, form: str) -> Any:
    key = _key(form, indices)
    axis = 0
    for item in key:
        if isinstance(item, int) and not -x.shape[axis] <= item < x.shape[axis]:
            raise InvalidArgumentError(None, None, f"slice index {item} of dimension {axis} out of bounds.")
        axis += item is not None
    found = x[key]
    return found if isinstance(found, (np.ndarray, np.generic)) else np.array(found, object)


def _dims(c: Any) -> Dims:
    dims = c.dims(0)
    parts = form_parts(c.attrs["form"], c.attrs["N"])
    if dims is None or sum(p is not None for p in parts) > len(dims):
        raise InvalidArgumentError(None, None, f"the form {shown(c.attrs['form'])} does not fit the shape {dims}")
    out: list[int | None] = []
    axis = 0
    for part in parts:
        if part is None:
            out.append(1)
            continue
        if isinstance(part, tuple):
            size = dims[axis]
            known = size is not None and not any(isinstance(p, str) for p in part)
            out.append(len(range(*slice(*part).indices(size))) if known else None)
        axis += 1
    return (*out, *dims[axis:])


_TAKEN = Template("{}[{}]")
_WRAPPED = Template("{}({})")
_RANGE = Template("{}:{}")
_STEPS = Template("{}:{}:{}")


def _wrapped(text: bytes) -> Any:
    return np.array(text, object)


def _emit(emitter: Any, node: Node, inputs: list[Code]) -> list[Code] | None:
    def text(number: _Number) -> Code:
        if number is None:
            return EMPTY
        return inputs[1 + int(number)] if isinstance(number, str) else emitter.literal(number)

    items = []
    for part in form_parts(node.attrs["form"], len(inputs) - 1):
        if isinstance(part, tuple):
            low, high, step = map(text, part)
            items.append(_STEPS(low, high, step) if step else _RANGE(low, high))
        else:
            items.append(NONE if part is None else text(part))
    taken = _TAKEN(inputs[0], commas(items))
    if node.inputs[0].dtype.kind == "S" and node.outputs[0].dims == ():
        return [_WRAPPED(emitter.bind(_wrapped, "wrapped"), taken)]  # a string is wrapped into a 0-d array
    return [taken]


INDEX = define(
    "_StridedSlice", "input: T, indices: N * Tidx -> output: T", attrs="form: string", allowed={"Tidx": INTEGER},
    infer=_dims, kernel=_kernel, emit=_emit, traits=(INTERNAL, ALIASES, INDEXES),
)  # fmt: skip


# --- the pass --------------------------------------------------------------------------------------------------------
def index_directly(graph: Graph) -> bool:
    """Replaces `StridedSlice` nodes whose masks, strides and ranks are known."""
    changed = False
    for inner in nested(graph):
        kept: set[Node] | None = None
        for position, node in enumerate(inner.nodes):
            if node.op is not StridedSlice:
                continue
            kept = pinned(inner) if kept is None else kept
            found = None if node in kept else _subscript(node)
            if found is not None:
                inner.nodes[position] = _indexing(inner, node, *found)
                changed = True
    return changed


def _indexing(graph: Graph, node: Node, items: list[str], indices: list[Value]) -> Node:
    """The node that takes the place of `node`, and its output."""
    dtype = indices[0].dtype if indices else node.inputs[1].dtype
    attrs = {"form": ", ".join(items), "T": node.inputs[0].dtype, "N": len(indices), "Tidx": dtype}
    new = Node(graph, INDEX, node.name, [node.inputs[0], *indices], {k: attrs[k] for k in INDEX.attrs})
    new.location, new.handle, new.outputs = node.location, node.handle, node.outputs
    new.outputs[0].node = new
    return new


def _subscript(node: Node) -> tuple[list[str], list[Value]] | None:
    """The items of the subscript that `node` is, and the index tensors that they name; None when unknown."""
    dims = node.inputs[0].dims
    entries = [_entries(v) for v in node.inputs[1:]]
    if not dims or any(e is None for e in entries):
        return None
    begins, ends, strides = entries
    assert begins is not None and ends is not None and strides is not None
    masks = [node.attrs[f"{m}_mask"] for m in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")]
    used = sum(1 for i in range(len(begins)) if not (masks[2] | masks[3]) >> i & 1)
    items: list[str] = []
    indices: list[Value] = []

    def text(entry: Any) -> str:
        if isinstance(entry, int):
            return str(entry)
        indices.append(entry)
        return f"{{{len(indices) - 1}}}"

    for i, (begin, end, stride) in enumerate(zip(begins, ends, strides)):
        begin_left_out, end_left_out, ellipsis, new_axis, shrink = (bool(m >> i & 1) for m in masks)
        if ellipsis:
            items += [":"] * (len(dims) - used)
        elif new_axis:
            items.append("None")
        elif not isinstance(stride, int) or stride == 0 or (shrink and (stride != 1 or begin_left_out)):
            return None
        elif shrink:
            items.append(text(begin))
        else:
            low, high = "" if begin_left_out else text(begin), "" if end_left_out else text(end)
            items.append(f"{low}:{high}" if stride == 1 else f"{low}:{high}:{stride}")
    if used > len(dims) or masks[2].bit_count() > 1 or not items:
        return None
    return items, indices


def _entries(value: Value) -> list[Any] | None:
    """The elements of an index vector, each an int or a scalar value; None when they are not known."""
    constant = constant_of(value)
    if constant is not None:
        return [int(n) for n in np.ravel(constant)]
    if value.node.op is not Pack or any(v.dims != () for v in value.node.inputs):
        return None
    return [v if constant_of(v) is None else int(constant_of(v)) for v in value.node.inputs]
