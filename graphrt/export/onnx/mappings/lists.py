"""Tensor lists, which ONNX does not have: as rows of a loop, as one tensor, or as a sequence.

- A list to which a loop adds one row at each turn becomes an output of the loop.
- A list whose elements have one static shape becomes a tensor of all elements.
- Any other list becomes a sequence, which is slow when it is long.
"""

# names of another format: those of ONNX's ops

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphrt.export.onnx.builder import OnnxGraph, Port, Ref
from graphrt.export.onnx.list_shapes import ListShapes
from graphrt.export.onnx.lowering import Held, ListRef, RowsRef, Rule, Use
from graphrt.export.onnx.mappings.joining import FAR
from graphrt.ir.graph import Node, Value, static_value
from graphrt.ops.lists.tensor_list import TensorListPushBack, TensorListSetItem
from graphrt.ops.math.arithmetic import Add, AddV2
from graphrt.types.dtype import DType, bool_, int64
from graphrt.types.shape import Dims


def _element_dims(c: Use, value: Value) -> Dims:
    shapes = c.lowering.facts.get("lists")
    assert isinstance(shapes, ListShapes)
    return shapes.of(value)


def _list(c: Use, index: int = 0) -> ListRef:
    held = c.held(index)
    if not isinstance(held, ListRef):
        c.refuse("its list is read while a loop adds rows to it" if isinstance(held, RowsRef) else "it is no list")
    return held


def _with(held: ListRef, ref: Ref) -> ListRef:
    return ListRef(ref, held.is_dense, held.dtype, held.dims)


# --- making them -----------------------------------------------------------------------------------------------------
def _made(c: Use, count: Ref) -> ListRef:
    """A list of `count` (int64, a scalar) elements that nobody has written."""
    dtype = c.attr("element_dtype")
    if dtype.name in ("variant", "resource"):
        c.refuse("lists of lists have no counterpart")
    dims = _element_dims(c, c.node.outputs[0])
    one = c.emit("Reshape", count, c.ints([1]))
    if dims is not None and None not in dims:
        shape = c.emit("Concat", one, c.ints([d for d in dims if d is not None]), axis=0) if dims else one
        return ListRef(c.emit("Expand", _zero(c, dtype), shape), True, dtype, dims, count)
    return ListRef(_empty_rows(c, one, dims, dtype), False, dtype, dims, count)


def _zero(c: Use, dtype: DType) -> Ref:
    return c.graph.constant(np.array(b"", object) if dtype.kind == "S" else 0, dtype)


def _empty_rows(c: Use, one: Ref, dims: Dims, dtype: DType) -> Ref:
    known = c.graph.known(one)
    if known is not None and int(known[0]) == 0:
        from graphrt.export.onnx.schema import NUMBERS  # lazy: protobuf, which only writing needs

        return c.graph.emit_all("SequenceEmpty", [], [dtype], "", {"dtype": NUMBERS[dtype]})[0]
    shape = [d or 0 for d in dims] if dims is not None else [0]
    rows = c.emit("Expand", _zero(c, dtype), c.emit("Concat", one, c.ints(shape), axis=0))
    return c.emit("SplitToSequence", rows, axis=0, keepdims=0)


def _reserve(c: Use) -> ListRef:
    return _made(c, c.emit("Reshape", c.int64(1), c.ints([])) if c.const(1) is None else c.ints(int(c.constant(1, ""))))


def _empty(c: Use) -> ListRef:
    return _made(c, c.ints(0))


def _from_tensor(c: Use) -> ListRef:
    dims = _element_dims(c, c.node.outputs[0])
    dtype = c.attr("element_dtype")
    own = c.dims()
    dims = dims if dims is not None else own[1:] if own is not None else None
    return ListRef(c[0], True, dtype, dims)


# --- elements --------------------------------------------------------------------------------------------------------
def _get(c: Use) -> Ref:
    held = _list(c)
    if held.is_dense:
        return c.emit("Gather", held.ref, _index(c, 1), axis=0)
    return c.emit("SequenceAt", held.ref, c.int64(1), dtype=held.dtype)


def _index(c: Use, index: int) -> Ref:
    known = c.const(index)
    return c.ints(int(np.reshape(known, ()))) if known is not None else c.int64(index)


def _length(c: Use, held: ListRef) -> Ref:
    if held.is_dense:
        return c.emit("Gather", c.shape(held.ref), c.ints(0), axis=0)
    return c.graph.emit("SequenceLength", held.ref, dtype=int64)


def _row(c: Use, item: Ref) -> Ref:
    return c.emit("Unsqueeze", item, c.ints([0]))


def _grown(c: Use, held: ListRef, least: Ref) -> Ref:
    """The tensor of a list with at least so many rows."""
    shape = c.shape(held.ref)
    missing = c.emit("Max", c.emit("Sub", least, c.emit("Gather", shape, c.ints([0]), axis=0)), c.ints([0]))
    more = c.emit("Concat", missing, c.emit("Slice", shape, c.ints([1]), c.ints([FAR])), axis=0)
    return c.emit("Concat", held.ref, c.emit("Expand", _zero(c, held.dtype), more), axis=0)


def _set(c: Use) -> Held:
    if isinstance(c.held(0), RowsRef):
        return RowsRef(c[2])
    held, index, item = _list(c), c.int64(1), c[2]
    if held.is_dense:
        at = c.emit("Reshape", index, c.ints([1]))
        rows = held.ref
        if c.attr("resize_if_index_out_of_bounds"):
            rows = _grown(c, held, c.emit("Add", at, c.ints([1])))
        return _with(held, c.emit("ScatterND", rows, c.emit("Unsqueeze", at, c.ints([1])), _row(c, item)))
    if not c.attr("resize_if_index_out_of_bounds"):
        shorter = c.emit("SequenceErase", held.ref, index)
        return _with(held, c.emit("SequenceInsert", shorter, item, index))
    return _with(held, _set_or_append(c, held, index, item))


def _set_or_append(c: Use, held: ListRef, index: Ref, item: Ref) -> Ref:
    """A sequence with an element replaced; one place behind the last one appends. Sequences have no gaps."""
    place = c.emit("Range", index, c.emit("Add", index, c.ints(1)), c.ints(1))
    inside = c.emit("Less", place, _length(c, held), dtype=bool_)
    # a sequence cannot be cut, so elements behind the end are appended in a branch
    then, other = _sub(c, "replaced"), _sub(c, "appended")
    erased = then.emit("SequenceErase", held.ref, index)
    _out(then, then.emit("SequenceInsert", erased, item, index))
    _out(other, other.emit("SequenceInsert", held.ref, item))
    condition = c.emit("Squeeze", inside)
    return c.graph.emit_all("If", [condition], [held.dtype], "", {"then_branch": then, "else_branch": other})[0]


def _sub(c: Use, name: str) -> OnnxGraph:
    return OnnxGraph(name, c.graph)


def _out(graph: OnnxGraph, ref: Ref) -> None:
    graph.outputs.append(Port(ref, None, True))


def _push(c: Use) -> Held:
    if isinstance(c.held(0), RowsRef):
        return RowsRef(c[1])
    held, item = _list(c), c[1]
    if held.is_dense:
        return _with(held, c.emit("Concat", held.ref, _row(c, item), axis=0))
    return _with(held, c.emit("SequenceInsert", held.ref, item))


def _pop(c: Use) -> list[Held]:
    held = _list(c)
    if held.is_dense:
        rest = c.emit("Slice", held.ref, c.ints([0]), c.ints([-1]), c.ints([0]))
        return [_with(held, rest), c.emit("Gather", held.ref, c.ints(-1), axis=0)]
    last = c.emit("SequenceAt", held.ref, c.ints(-1), dtype=held.dtype)
    return [_with(held, c.emit("SequenceErase", held.ref)), last]


# --- whole lists -----------------------------------------------------------------------------------------------------
def _stacked(c: Use, held: ListRef) -> Ref:
    if held.is_dense:
        return held.ref
    return c.emit("ConcatFromSequence", held.ref, axis=0, new_axis=1, dtype=held.dtype)


def _resize(c: Use) -> ListRef:
    held = _list(c)
    if not held.is_dense:
        c.refuse("a list of elements of unknown shape cannot be resized")
    size = c.emit("Reshape", c.int64(1), c.ints([1]))
    return _with(held, c.emit("Slice", _grown(c, held, size), c.ints([0]), size, c.ints([0])))


def _gather(c: Use) -> Ref:
    return c.emit("Gather", _stacked(c, _list(c)), c.int64(1), axis=0)


def _scatter(c: Use) -> ListRef:
    rows, indices, count = c[0], c.int64(1), c.int64(3)
    dims = c.dims()
    if dims is None:
        c.refuse("the shape of its elements must be known")
    least = c.emit("Add", c.emit("ReduceMax", indices, keepdims=0), c.ints(1))
    whole = c.emit("Reshape", c.emit("Max", least, count), c.ints([1]))
    shape = c.emit("Concat", whole, c.emit("Slice", c.shape(rows), c.ints([1]), c.ints([FAR])), axis=0)
    zeros = c.emit("Expand", _zero(c, rows.dtype), shape)
    found = c.emit("ScatterND", zeros, c.emit("Unsqueeze", indices, c.ints([1])), rows)
    return ListRef(found, True, rows.dtype, dims[1:])


def _scatter_into(c: Use) -> ListRef:
    held = _list(c)
    if not held.is_dense:
        c.refuse("the shape of its elements must be known")
    indices = c.int64(2)
    least = c.emit("Add", c.emit("ReduceMax", indices, keepdims=1), c.ints([1]))
    rows = _grown(c, held, least)
    return _with(held, c.emit("ScatterND", rows, c.emit("Unsqueeze", indices, c.ints([1])), c[1]))


def _concat(c: Use) -> list[Ref]:
    held = _list(c)
    if not held.is_dense:
        c.refuse("the shape of its elements must be known")
    shape = c.shape(held.ref)
    count = c.emit("Slice", shape, c.ints([0]), c.ints([1]))
    size = c.emit("Slice", shape, c.ints([1]), c.ints([2]))
    tail = c.emit("Slice", shape, c.ints([2]), c.ints([FAR]))
    whole = c.emit("Concat", c.emit("Mul", count, size), tail, axis=0)
    return [c.emit("Reshape", held.ref, whole, allowzero=1), c.emit("Expand", size, count)]


def _element_shape(c: Use) -> Ref:
    held = _list(c)
    if not held.is_dense:
        c.refuse("the shape of its elements must be known")
    return c.cast(c.emit("Slice", c.shape(held.ref), c.ints([1]), c.ints([FAR])), c.dtype())


def _both(c: Use) -> ListRef:
    one, other = _list(c, 0), _list(c, 1)
    if not (one.is_dense and other.is_dense):
        c.refuse("the shape of its elements must be known")
    return _with(one, c.emit("Concat", one.ref, other.ref, axis=0))


# --- rows of loops ---------------------------------------------------------------------------------------------------
def rows_written(loop: Node, moving: Sequence[int], given: Sequence[Held]) -> list[int]:
    """Which variables of a loop are fresh lists that get one row more at each turn, and are not read."""
    return [i for i in moving if _is_fresh(given[i]) and _adds_rows(loop, i)]


def _is_fresh(held: Held) -> bool:
    return isinstance(held, ListRef) and held.fresh is not None


def _adds_rows(loop: Node, position: int) -> bool:
    cond, body = loop.attrs["cond"], loop.attrs["body"]
    written, own = body.outputs[position].source, body.inputs[position]
    users = [n for n in body.nodes for v in n.inputs if v.source is own and not (n.outputs and n.outputs[0].passed)]
    if users != [written.node] or any(v.source is cond.inputs[position] for n in cond.nodes for v in n.inputs):
        return False
    if sum(v.source is written for v in body.outputs) != 1 or _is_read(body.nodes, written):
        return False
    if written.node.op is TensorListPushBack:
        return True
    return written.node.op is TensorListSetItem and _counts(loop, written.node.inputs[1].source)


def _is_read(nodes: Sequence[Node], value: Value) -> bool:
    return any(v.source is value and not (n.outputs and n.outputs[0].passed) for n in nodes for v in n.inputs)


def _counts(loop: Node, index: Value) -> bool:
    """Whether a value in the body of a loop is 0, 1, 2, ... at its turns."""
    body = loop.attrs["body"]
    position = next((i for i, v in enumerate(body.inputs) if v is index), None)
    if position is None:
        return False
    start = static_value(loop.inputs[position])
    after = body.outputs[position].source
    if start is None or np.any(start != 0) or after.node.op not in (Add, AddV2):
        return False
    left, right = (v.source for v in after.node.inputs)
    step = right if left is index else left
    if index not in (left, right):
        return False
    return _one(step) or (step in body.inputs and _unchanging_one(loop, body.inputs.index(step)))


def _one(value: Value) -> bool:
    known = static_value(value)
    return known is not None and known.shape == () and known == 1


def _unchanging_one(loop: Node, position: int) -> bool:
    body = loop.attrs["body"]
    return body.outputs[position].source is body.inputs[position] and _one(loop.inputs[position])


def after_loop(c: Use, held: Held, rows: Ref) -> ListRef:
    """A list that was `held` before the loop that made `rows`."""
    assert isinstance(held, ListRef) and held.fresh is not None
    whole = ListRef(rows, True, held.dtype, held.dims)
    known = c.graph.known(held.fresh)
    if known is not None and int(known) == 0:
        return whole
    return _with(whole, _grown(c, whole, c.emit("Reshape", held.fresh, c.ints([1]))))


# names: the ops of this family
RULES: dict[str, Rule] = {
    "EmptyTensorList": _empty,
    "TensorListConcatLists": _both,
    "TensorListConcatV2": _concat,
    "TensorListElementShape": _element_shape,
    "TensorListFromTensor": _from_tensor,
    "TensorListGather": _gather,
    "TensorListGetItem": _get,
    "TensorListLength": lambda c: c.cast(_length(c, _list(c)), c.dtype()),
    "TensorListPopBack": _pop,
    "TensorListPushBack": _push,
    "TensorListReserve": _reserve,
    "TensorListResize": _resize,
    "TensorListScatterIntoExistingList": _scatter_into,
    "TensorListScatterV2": _scatter,
    "TensorListSetItem": _set,
    "TensorListStack": lambda c: _stacked(c, _list(c)),
}
