"""Lists in a list whose length only the graph knows: one tensor for each, which is a list to the program.

rows.append([v, 2])        `rows` holds a tensor of shape (2,) for each of its lists
rows[0] + [1]              `rows[0]` is a list of two numbers again: this is one of three
rows.append([v])           and from here on `rows` holds tensors of shape (None,), and `rows[0]` is a staged list
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from autograph.backends.state import Losses, current_trace, lasting, seen
from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.control_flow.while_loop import build_while
from graphrt.ir.op import ops  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging.stacking import shape_argument
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.weak import common_of, is_flexible, like, weak_tensor, weak_type, weakened
from graphrt.types.dtype import DType, bool_, int32
from graphrt.types.shape import Dims, relax

if TYPE_CHECKING:
    from graphrt.staging.lists import StagedList

_PLAIN = (bool, int, float, complex)


WRITTEN = "the clock where an element of a list of lists was last written to"


class Order:
    """Which elements of a list of lists are where; another object stands where that may have changed.

    Attributes:
      taken: whether an element has been taken out.
    """

    __slots__ = ("taken",)

    def __init__(self) -> None:
        self.taken = False


def order_of(value: object) -> Order | None:
    """That of a staged list of lists; None of all else."""
    nest = value.nest if hasattr(type(value), "nest") and hasattr(value, "nest") else None
    return None if nest is None else getattr(value, "order", None)


class Nest:
    """What is told of the lists in a list, wherever that goes.

    Attributes:
      depth: how many lists are within each other, at least one.
      inner: the same of the lists in these; None if there are none.
    """

    __slots__ = ("_put", "_shared", "depth", "inner")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.inner = Nest(depth - 1) if depth > 1 else None
        self._put: dict[int, Any] = {}  # lists that are elements, or were
        self._shared = ""

    def deepened(self, depth: int) -> Nest:
        """The same of what has that many lists within each other."""
        if depth == self.depth:
            return self
        found = Nest(depth)
        found._put, found._shared = self._put, self._shared
        return found

    def apart(self) -> Nest:
        """The same of an element that has been taken out."""
        found = Nest(self.depth)
        found._put, found._shared, found.inner = self._put, self._shared, self.inner
        return found

    def share(self) -> None:
        """Tells that there are two lists that have the elements: either has copies of them."""
        where = errors.user_location()
        self._shared = self._shared or ("another place" if where is None else errors.shown_place(*where))

    def put(self, value: object) -> None:
        """Takes down a list that is put there: what is here is a copy of it."""
        trace = current_trace()
        if trace is not None and is_row(value):
            itself = lasting(value)
            self._put[id(itself)] = itself
            trace.owns(itself)  # `[0] * 2` is, and does not say so
            elsewhere = trace.notes.setdefault(Nest, {}).setdefault(id(itself), self)
            for nest in (elsewhere, *(value.nests if hasattr(value, "nests") else ())):
                if nest is not self or hasattr(value, "nests"):
                    nest.share()
                    self.share()
        if self.inner is not None and type(value) is list:
            for part in value:
                self.inner.put(part)

    def written(self) -> None:
        """Where an element is written to: what is in the lists that were put there is not known any more."""
        trace = current_trace()
        if trace is None:
            return
        if self._shared:
            text = (
                "an element of a list that grew in staged code is written to, which is in another list, too, since "
                f"{self._shared}, and each has a copy of it: change a copy, `row = rows[i].copy()`, and put that in its "
                "place, `rows[i] = row`, in either list"
            )
            raise errors.SideEffectError(errors.at_user_line(text))
        where = errors.user_location()
        at = "" if where is None else f" at {errors.shown_place(*where)}"
        text = (
            "what is in this list is not known: it was put into another one that grows in staged code, which has a copy of "
            f"it, and an element of that was written to{at}. Look into the other list, or put a copy there, `row.copy()`"
        )
        error = lambda: errors.SideEffectError(errors.at_user_line(text))
        copies = (v for put in self._put.values() for v in (put, *trace.aliases.others(put)))
        trace.lost |= Losses({id(value): (value, error) for value in copies})
        trace.clock += 1
        trace.notes[WRITTEN] = trace.clock


class Rows(NamedTuple):
    """What lists in a list have in common.

    Attributes:
      depth: how many lists are within each other; none where this is of what is in them.
      dtype, dims: of the tensor for each, as far as all have it.
      weak: whether there are numbers of Python alone in them.
    """

    depth: int
    dtype: DType
    dims: Dims
    weak: bool

    @property
    def length(self) -> int | None:
        """The number of elements, where it is known."""
        return self.dims[0] if self.dims else None

    def inside(self) -> list[Rows]:
        """The same of the elements, if there are any."""
        found = Rows(self.depth - 1, self.dtype, self.dims[1:] if self.dims else None, self.weak)
        return [] if self.length == 0 else [found]

    def holds_nothing(self) -> bool:
        """Whether these are empty lists, which do not tell what they will hold."""
        return self.dims is not None and 0 in self.dims[: self.depth]


def is_row(value: object) -> bool:
    """Whether `value` is a list to the program, and no iterator."""
    return type(value) is list or (getattr(type(value), "python", None) is list and not getattr(value, "once", False))


def common_rows(elements: Sequence[Any]) -> Rows | None:
    """What the lists `elements` have in common; None where no tensors of one dtype hold them."""
    lengths: list[int | None] = []
    inside = [*map(_looked_at, elements)]
    while inside and all(map(_is_list, inside)):
        found = {len(row) if type(row) is list else row.length for row in inside}
        lengths.append(found.pop() if len(found) == 1 else None)
        inside = [e for row in inside for e in (map(_looked_at, row) if type(row) is list else row.inside())]
    if not lengths or any(map(_is_list, inside)):
        return None
    if not inside:  # empty lists, which do not tell what they will hold: what agrees with most
        return Rows(len(lengths), bool_, (*lengths,), True)
    try:
        leaves = [v if isinstance(v, Rows) else _leaf(weak_tensor(v)) for v in _distinct(inside)]
    except (TypeError, ValueError):
        return None
    if len({leaf.dtype.kind for leaf in leaves}) > 1 and None not in lengths:
        return None  # numbers of several kinds are kept apart where that can be
    dtype, dims = common_of([(leaf.dtype, leaf.weak) for leaf in leaves]), leaves[0].dims
    for leaf in leaves[1:]:
        dims = relax(dims, leaf.dims)
    if dtype is None or dims is None:
        return None
    return Rows(len(lengths), dtype, (*lengths, *dims), all(leaf.weak for leaf in leaves))


def _looked_at(value: Any) -> Any:
    """`value`, or what is known of the elements of a staged list, which may be of a graph that has ended."""
    value = seen(value)
    return value.as_row() if is_row(value) and type(value) is not list else value


def _is_list(value: object) -> bool:
    return value.depth > 0 if isinstance(value, Rows) else is_row(value)


def _leaf(tensor: Tensor) -> Rows:
    return Rows(0, tensor.dtype, tensor.dims, weak_type(tensor) is not None)


def _distinct(values: list[Any]) -> list[Any]:
    """`values`, but for numbers of Python, of which there is the one of each type that takes most digits."""
    plain: list[float] = [v for v in values if type(v) in _PLAIN]
    most = {kind: max((v for v in plain if type(v) is kind), key=abs) for kind in dict.fromkeys(map(type, plain))}
    return [*most.values(), *(v for v in values if type(v) not in _PLAIN)]


def row_tensor(value: object, rows: StagedList) -> Tensor:
    """An element of a list of lists as the tensor that `rows` holds for it; raises what conversions raise."""
    return _row_tensor(value, rows.dtype, rows.dims or (), rows.is_weak, rows.depth)


def _row_tensor(value: Any, dtype: DType, dims: Sequence[int | None], weak: bool, depth: int) -> Any:
    value = seen(value)
    if depth and is_row(value) and type(value) is not list:
        return value.whole()
    if isinstance(value, Tensor) and not is_flexible(value):
        return value
    if not depth or not is_row(value):
        return weak_tensor(value) if weak else convert_to_tensor(value, dtype)
    if not value:
        return ops.zeros([0, *(d or 0 for d in dims[1:])], dtype)
    parts = [_row_tensor(e, dtype, dims[1:], weak, depth - 1) for e in value]
    found = ops.Pack(parts)
    return like(found, parts[0]) if weak else found


def comparable(value: object, rows: StagedList) -> Tensor | None:
    """`value` as the tensor that elements of `rows` are compared with; None where none can be equal to it."""
    if isinstance(value, Tensor):
        return value
    if not is_row(value):
        return None
    try:
        return convert_to_tensor(row_tensor(value, rows))
    except (TypeError, ValueError, OverflowError):
        return None


def as_python(tensor: Tensor, depth: int) -> Any:
    """The lists of Python in a tensor that has a value."""
    return [as_python(part, depth - 1) for part in ops.unstack(tensor)] if depth else tensor


def inner(dims: Dims, rows: StagedList) -> Dims:
    """What lists of any length have in common."""
    return None if dims is None else dims[rows.depth :]


def is_uneven(rows: StagedList) -> bool:
    """Whether the lists in `rows` may differ in length."""
    return rows.depth > 0 and (rows.dims is None or None in rows.dims)


def retyped(rows: StagedList, kind: Rows) -> StagedList:
    """`rows`, in which there are empty lists alone, as lists that may hold what is in those of `kind`."""
    assert rows.dims is not None
    inside = (None,) * (kind.depth - rows.depth) if kind.dims is None else kind.dims[rows.depth :]
    dims = (*rows.dims[: rows.depth], *inside)
    elements = ops.fill(ops.Pack([rows.size(), *(d or 0 for d in dims)]), ops.zeros([], kind.dtype))
    handle = ops.TensorListFromTensor(elements, shape_argument(dims), element_dtype=kind.dtype)
    if kind.weak:
        weakened(handle, dtype=kind.dtype)
    return rows.of_kind(handle, kind._replace(dims=dims))


def picked(rows: StagedList, places: Tensor) -> StagedList:
    """The list of the elements at `places`, indices from the front."""
    return _joined(rows.filled([]), rows, places)


def joined(rows: StagedList, others: StagedList) -> StagedList:
    """`others` behind `rows`."""
    return _joined(rows, others, ops.range(others.size()))


def _joined(begin: StagedList, rows: StagedList, places: Tensor) -> StagedList:
    begin = begin.widened((relax(begin.dims, rows.dims),))

    def step(leaves: list[Any]) -> list[Any]:
        at, handle = leaves
        item = ops.TensorListGetItem(rows.handle, places[at], shape_argument(rows.dims), element_dtype=rows.dtype)
        return [at + 1, ops.TensorListPushBack(handle, item)]

    count = ops.Size(places)
    _, handle = build_while(lambda leaves: leaves[0] < count, step, [convert_to_tensor(0, int32), begin.handle])
    return begin.over(handle, begin.dims)


def flags(count: Tensor, test: Callable[[Tensor], Tensor]) -> Tensor:
    """A vector of what `test` says of 0, 1, ... up to `count`."""
    start = ops.EmptyTensorList(shape_argument(()), -1, element_dtype=bool_)

    def step(leaves: list[Any]) -> list[Any]:
        return [leaves[0] + 1, ops.TensorListPushBack(leaves[1], test(leaves[0]))]

    _, handle = build_while(lambda leaves: leaves[0] < count, step, [convert_to_tensor(0, int32), start])
    return ops.TensorListStack(handle, shape_argument(()), element_dtype=bool_)


def are_equal(a: Tensor, b: Tensor) -> Tensor:
    """Whether two tensors have one shape, and the same in it."""
    shapes = ops.Shape(a), ops.Shape(b)
    same = ops.reduce_all(ops.Equal(*shapes), None)
    found: Tensor = cond(same, lambda: ops.reduce_all(ops.tensor_equals(a, b), None), lambda: convert_to_tensor(False))
    return found


def columns(rows: StagedList) -> list[Tensor]:
    """What stands at each place of the lists in `rows`.

    Raises:
      OperatorNotAllowedInGraphError: they may differ in length, or there are lists in them.
    """
    if rows.depth == 1 and rows.dims is not None and len(rows.dims) == 1 and rows.dims[0] is not None:
        stack = rows.stack()
        return [like(column, stack) for column in ops.unstack(stack, rows.dims[0], axis=1)]
    text = "the order of lists that differ in length, or hold lists, is known only by what `key=` gives for each, say `len`"
    raise errors.OperatorNotAllowedInGraphError(errors.at_user_line(text))
