"""Lists of arrays (`TensorArray`, the stacked values of a loop's gradient): rows of one array that is made at once.

A version of a list that nobody else holds is changed in place; another is copied first. What a list of NumPy arrays can
hold and rows cannot (elements of different shapes, elements that were never set) makes the program fail, and NumPy runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from graphrt.ir.code import Code, Template, commas, identifier
from graphrt.ir.graph import Graph, Node, Value, static_value
from graphrt.ir.op import BRANCH, FORWARDS, LOOP
from graphrt.native.lower import Builder, rule_for
from graphrt.native.terms import Call, Dim, ListTerm, Size, Sizes, Term, Unsupported, machine_type
from graphrt.native.text import ASSIGNED, CALLED, FOR, IF, ITEM, NUMBER, STORED, Text, flat_view, type_name
from graphrt.ops.lists.tensor_list import (
    EmptyTensorList,
    TensorListFromTensor,
    TensorListGetItem,
    TensorListLength,
    TensorListPopBack,
    TensorListPushBack,
    TensorListReserve,
    TensorListSetItem,
)
from graphrt.ops.lists.whole_lists import TensorListStack
from graphrt.types.shape import Dims, is_static, merge

_COPY = Template("{}.copy()")
_OUT_OF_RANGE = Template("{0} < 0 or {0} >= {1}")
_NEGATIVE = Template("{} < 0")
_FULL = Template("{} == {}.shape[0]")
_UNSET = Template("not {}[{}]")
_LESS_ONE = Template("{} - 1")
_ONE_MORE = Template("{} + 1")
_EQUAL_ZERO = Template("{} == 0")
_UNEQUAL = Template("{} != {}")
_INT = Template("{}({})")
_TWICE = Template("2 * {} + 1")
_TIMES = Template("{} * ({})")
_TUPLE = Template("({})")
_TRUE, _FALSE = NUMBER(True), NUMBER(False)
_FIRST = 16  # rows of a list that begins empty


# --- what elements look like -----------------------------------------------------------------------------------------
def element_of(graph: Graph, handle: Value, known: Dims) -> Sizes:
    """The shape of the elements that are put into the list `handle`.

    Raises:
      Unsupported: it is not known.
    """
    found = _written(graph, handle, set())
    for dims in found:
        if known is not None and dims is not None and len(dims) != len(known):
            raise Unsupported("its elements have different ranks")
        known = merge(known, dims) if known is None or dims is None or _fits(known, dims) else None
    if not is_static(known):
        raise Unsupported("the shape of the elements of a list is not known")
    assert known is not None
    return tuple(d for d in known if d is not None)


def _fits(a: Dims, b: Dims) -> bool:
    assert a is not None and b is not None
    return all(x is None or y is None or x == y for x, y in zip(a, b))


def _written(graph: Graph, handle: Value, seen: set[Value]) -> list[Dims]:
    """The static shapes of all that is put into a list, here and in the graphs that it is handed into."""
    if handle in seen:
        return []
    seen.add(handle)
    found: list[Dims] = []
    for node in graph.nodes:
        for at, value in enumerate(node.inputs):
            if value is handle:
                found += _written_by(graph, node, at, seen)
    return found


def _written_by(graph: Graph, node: Node, at: int, seen: set[Value]) -> list[Dims]:
    op = node.op
    if op is TensorListSetItem and at == 0:
        return [node.inputs[2].dims, *_written(graph, node.outputs[0], seen)]
    if op is TensorListPushBack and at == 0:
        return [node.inputs[1].dims, *_written(graph, node.outputs[0], seen)]
    if op is TensorListPopBack or FORWARDS in op.traits:
        return _written(graph, node.outputs[at], seen)
    found: list[Dims] = []
    if op.structure == LOOP:
        body = node.attrs["body"]
        found += _written(body, body.inputs[at], seen) + _written(graph, node.outputs[at], seen)
    elif op.structure == BRANCH:
        for _, branch in node.subgraphs():
            found += _written(branch, branch.inputs[at - 1], seen)
            for i, out in enumerate(branch.outputs):
                if out.dtype.name == "variant":
                    found += _written(graph, node.outputs[i], seen)
    return found


def handed_over(term: Term, is_last: bool) -> Term:
    """The same list for another holder, who may change it only if nobody else uses it."""
    if not isinstance(term, ListTerm) or (is_last and term.is_owned):
        return term
    other = _Alias(term)
    other.is_owned = False
    return other


class _Alias(ListTerm):
    """A list under the names of another term, which may not have them yet."""

    __slots__ = ("original",)

    def __init__(self, original: ListTerm) -> None:
        super().__init__(original.dtype, original.element, original.is_marked)
        self.original = original
        self.step = original.step

    @property
    def parts(self) -> tuple[Code, ...]:
        """The names of the parts of the original."""
        return self.original.parts


def copied(text: Text, term: ListTerm) -> ListTerm:
    """A copy that may be changed."""
    rows, length, *marks = term.parts
    copy = ListTerm(term.dtype, term.element, term.is_marked)
    copied_marks = text.assign(_COPY(marks[0]), "marks") if marks else None
    copy.named(text.assign(_COPY(rows), "rows"), length, copied_marks)
    return copy


def owned(text: Text, terms: Sequence[Term]) -> list[Term]:
    """The same terms for variables that may change their lists: each list is that of one variable."""
    found: list[Term] = []
    for term in terms:
        shared = isinstance(term, ListTerm) and (not term.is_owned or term in found)
        found.append(copied(text, term) if shared and isinstance(term, ListTerm) else term)
    return found


# --- writing and reading rows ----------------------------------------------------------------------------------------
def _store(text: Text, rows: Code, index: Code, item: Term) -> None:
    if not item.dims:
        text.line(STORED(rows, index, text.number(item)))
        return
    into = text.assign(flat_view(ITEM(rows, index)), "row")
    source = None if item.uniform is not None else text.assign(text.flat(text.array(item), item.dims), "flat")
    with text.block(FOR(i := text.fresh("i"), text.count(item.dims))):
        text.line(STORED(into, i, text.number(item.uniform) if source is None and item.uniform else ITEM(source, i)))


def _row(text: Text, rows: Code, index: Code, element: Sizes) -> Code:
    return ITEM(rows, index) if not element else _COPY(ITEM(rows, index))


def _list(args: list[Term]) -> ListTerm:
    if not isinstance(args[0], ListTerm):
        raise Unsupported("it is no list of this program")
    return args[0]


def _known_dims(value: Value) -> Dims:
    known = static_value(value)
    if known is None:
        return None
    if known.ndim == 0:
        return None if known < 0 else (int(known),)
    return tuple(None if d < 0 else int(d) for d in known.tolist())


def _room(text: Text, out: ListTerm, count: Code) -> tuple[Code, Code | None]:
    """New rows, and marks of which none is set."""
    shape = _TUPLE(commas([count, *(text.size(d) for d in out.element)])) if out.element else count
    rows = text.assign(CALLED(identifier("empty"), commas([shape, type_name(out.dtype)])), "rows")
    if not out.is_marked:
        return rows, None
    marks = text.assign(CALLED(identifier("empty"), commas([count, identifier("bool_")])), "marks")
    with text.block(FOR(i := text.fresh("i"), count)):
        text.line(STORED(marks, i, _FALSE))
    return rows, marks


def _fill_rows(text: Text, into: Code, source: Code, element: Sizes, length: Code) -> None:
    """Copies the first rows of one array into another."""
    if element:
        into, source = text.assign(flat_view(into), "flat"), text.assign(flat_view(source), "flat")
        length = text.assign(_TIMES(length, text.count(element)), "n")
    with text.block(FOR(i := text.fresh("i"), length)):
        text.line(STORED(into, i, ITEM(source, i)))


@rule_for(TensorListReserve)
def _reserve(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    element = element_of(node.graph, node.outputs[0], _known_dims(node.inputs[0]))
    out = ListTerm(machine_type(node.attrs["element_dtype"]), element, True)
    count = args[1]

    def emit(text: Text) -> None:
        size = text.assign(_INT(identifier("int64"), text.number(count)), "n")
        text.fail_if(_NEGATIVE(size))
        rows, marks = _room(text, out, size)
        out.named(rows, text.assign(size, "length"), marks)

    b.made.append(Call(emit, args, [out], in_order=True))
    return [out]


@rule_for(EmptyTensorList)
def _empty(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    limit = static_value(node.inputs[1])
    if limit is None or limit >= 0:
        raise Unsupported("a list with a limit")
    element = element_of(node.graph, node.outputs[0], _known_dims(node.inputs[0]))
    out = ListTerm(machine_type(node.attrs["element_dtype"]), element, False)

    def emit(text: Text) -> None:
        rows, _ = _room(text, out, NUMBER(_FIRST))
        out.named(rows, text.assign(_INT(identifier("int64"), NUMBER(0)), "length"), None)

    b.made.append(Call(emit, args, [out], in_order=True))
    return [out]


@rule_for(TensorListFromTensor)
def _from_tensor(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    tensor = args[0]
    if not tensor.dims:
        raise Unsupported("a list is made of a number")
    _require_shape(node.inputs[1], tensor.dims[1:])
    out = ListTerm(tensor.dtype, tensor.dims[1:], False)

    def emit(text: Text) -> None:
        count = text.size(tensor.dims[0])
        rows = text.assign(_COPY(text.array(tensor)), "rows")
        out.named(rows, text.assign(_INT(identifier("int64"), count), "length"), None)

    b.made.append(Call(emit, args, [out], in_order=True))
    return [out]


def _require_shape(wanted: Value, element: Sizes) -> None:
    dims = _known_dims(wanted)
    known = static_value(wanted)
    if known is None:
        raise Unsupported("the shape of the elements of a list is computed")
    if dims is not None and (len(dims) != len(element) or any(d is not None and d != e for d, e in zip(dims, element))):
        raise Unsupported("the shape of the elements of a list is another one")


def _changed(text: Text, term: ListTerm, alone: bool) -> ListTerm:
    return term if alone and term.is_owned else copied(text, term)


def _unmarked(term: ListTerm) -> ListTerm:
    return ListTerm(term.dtype, term.element, False)


def _same(element: Sizes, dims: Sizes) -> None:
    if len(element) != len(dims) or any(not isinstance(d, int) or d != e for d, e in zip(dims, element)):
        raise Unsupported("an element of a list has another shape")


@rule_for(TensorListSetItem)
def _set(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    handle, index, item = _list(args), args[1], args[2]
    if node.attrs["resize_if_index_out_of_bounds"]:
        raise Unsupported("the list grows where it is written to")
    _same(handle.element, item.dims)
    out, alone = ListTerm(handle.dtype, handle.element, handle.is_marked), b.is_last(node, node.inputs[0])

    def emit(text: Text) -> None:
        rows, length, *marks = _changed(text, handle, alone).parts
        at = text.number(index)
        text.fail_if(_OUT_OF_RANGE(at, length))
        _store(text, rows, at, item)
        if marks:
            text.line(STORED(marks[0], at, _TRUE))
        out.named(rows, length, marks[0] if marks else None)

    b.made.append(Call(emit, args, [out], in_order=True))
    return [out]


@rule_for(TensorListPushBack)
def _push(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    handle, item = _list(args), args[1]
    if handle.is_marked:
        raise Unsupported("a list of a given length grows")
    _same(handle.element, item.dims)
    out, alone = ListTerm(handle.dtype, handle.element, handle.is_marked), b.is_last(node, node.inputs[0])

    def emit(text: Text) -> None:
        given, length = _changed(text, handle, alone).parts
        rows = text.assign(given, "rows")
        with text.block(IF(_FULL(length, rows))):
            more, _ = _room(text, _unmarked(handle), _TWICE(length))
            _fill_rows(text, more, rows, handle.element, length)
            text.line(ASSIGNED(rows, more))
        _store(text, rows, length, item)
        out.named(rows, text.assign(_ONE_MORE(length), "length"), None)

    b.made.append(Call(emit, args, [out], in_order=True))
    return [out]


@rule_for(TensorListPopBack)
def _pop(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    handle = _list(args)
    out, item = ListTerm(handle.dtype, handle.element, handle.is_marked), Term(handle.dtype, handle.element, hint="row")
    alone = b.is_last(node, node.inputs[0])

    def emit(text: Text) -> None:
        rows, length, *marks = _changed(text, handle, alone).parts
        text.fail_if(_EQUAL_ZERO(length))
        last = text.assign(_LESS_ONE(length), "length")
        if marks:
            text.fail_if(_UNSET(marks[0], last))
        item.code = text.assign(_row(text, rows, last, handle.element), "row")
        out.named(rows, last, marks[0] if marks else None)

    b.made.append(Call(emit, args, [out, item], in_order=True))
    return [out, item]


@rule_for(TensorListGetItem)
def _get(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    handle, index = _list(args), args[1]
    item = Term(handle.dtype, handle.element, hint="row")

    def emit(text: Text) -> None:
        rows, length, *marks = handle.parts
        at = text.number(index)
        text.fail_if(_OUT_OF_RANGE(at, length))
        if marks:
            text.fail_if(_UNSET(marks[0], at))
        item.code = text.assign(_row(text, rows, at, handle.element), "row")

    b.made.append(Call(emit, args[:2], [item], in_order=True))
    return [item]


@rule_for(TensorListLength)
def _length(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    handle = _list(args)

    def emit(text: Text) -> None:
        out.code = text.assign(_INT(identifier("int32"), handle.parts[1]), "n")

    out = Term("int32", ())
    b.made.append(Call(emit, args, [out], in_order=True))
    return [out]


@rule_for(TensorListStack)
def _stack(b: Builder, node: Node, args: list[Term]) -> list[Term]:
    handle, count = _list(args), int(node.attrs["num_elements"])
    _require_shape(node.inputs[1], handle.element)
    first: Size | None = count if count >= 0 else None
    out = Term(handle.dtype, handle.element, hint="stacked")
    out.dims = (first if first is not None else Dim(of=out, axis=0), *handle.element)

    def emit(text: Text) -> None:
        rows, length, *marks = handle.parts
        if count >= 0:
            text.fail_if(_UNEQUAL(length, count))
        if marks:
            with text.block(FOR(i := text.fresh("i"), length)):
                text.fail_if(_UNSET(marks[0], i))
        shape = _TUPLE(commas([length, *(text.size(d) for d in handle.element)])) if handle.element else length
        out.code = text.assign(CALLED(identifier("empty"), commas([shape, type_name(out.dtype)])), "stacked")
        _fill_rows(text, out.code, rows, handle.element, length)

    b.made.append(Call(emit, args[:1], [out], in_order=True))
    return [out]
