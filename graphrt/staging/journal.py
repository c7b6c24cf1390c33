"""What the code of a staged statement writes to objects: which of it a graph carries, and which is Python's own business.

    def deposit(self, x):               for x in xs:                 `account.balance` is set in a method: no variable of
        self.balance += x                   account.deposit(x)       the loop, but the loop has to carry it

Converted code tells of what it writes (`autograph.backends.journal`). A place that holds a symbolic value before the write
or after it becomes a variable of the statement, as if the code had named it; so does every place in objects that were made
in the trace. Python values that go into objects which are older than the trace are put there by Python, once, while
tracing; a warning tells of it. A set or an iterator that no graph can carry is refused.
"""

from __future__ import annotations

import ast
import collections
import functools
import itertools
import warnings
from collections.abc import Iterable
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from autograph import backends
from autograph.backends import Undefined, register_mutating
from autograph.backends.state import (
    ABSENT,
    Attribute,
    Cell,
    Change,
    Contents,
    ContextValue,
    Item,
    KeyOrder,
    Kind,
    Place,
    Where,
    current_trace,
    fields_of,
    register_container,
    write_place,
)
from graphrt import errors
from graphrt.staging.lists import StagedList
from graphrt.tensor.func_graph import is_lost
from graphrt.tensor.tensor import SymbolicTensor, Tensor
from graphrt.types.structure import Composite

_SCALARS = (bool, int, float, complex, str, bytes, np.generic)
_CARRIED = (list, collections.deque, StagedList, np.ndarray)  # of what is in containers

register_container(
    StagedList, Kind(StagedList, lambda v: v.kept(), lambda v, new: v.become(new), lambda a, b: _same_handles(a, b))
)
register_mutating(
    np.ndarray,
    [
        "byteswap",
        "fill",
        "itemset",
        "partition",
        "put",
        "resize",
        "setfield",
        "setflags",
        "sort",
        "__setitem__",
        "__iadd__",
        "__isub__",
        "__imul__",
        "__imatmul__",
        "__itruediv__",
        "__ifloordiv__",
        "__imod__",
        "__ipow__",
        "__ilshift__",
        "__irshift__",
        "__iand__",
        "__ior__",
        "__ixor__",
    ],
    (np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal),
)
register_container(np.ndarray, Kind(np.ndarray, np.ndarray.copy, np.copyto, lambda a, b: is_same_array(a, b)))


def _same_handles(a: StagedList, b: StagedList) -> bool:
    return all(x is y for x, y in zip(a.handles, b.handles))


def is_same_array(a: object, b: object) -> bool:
    """Whether both are arrays of the same elements."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray) or a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a is b or a.tobytes() == b.tobytes()


# --- values ----------------------------------------------------------------------------------------------------------
def is_symbolic(value: object, depth: int = 3) -> bool:
    """Whether `value` is a symbolic tensor or a staged list of this trace, or a structure or object that holds one."""
    if isinstance(value, (list, tuple, collections.deque)):
        return depth > 0 and any(is_symbolic(v, depth - 1) for v in value)
    if type(value) is dict:
        return depth > 0 and any(is_symbolic(v, depth - 1) for v in value.values())
    if isinstance(value, Composite) and not isinstance(value, StagedList):
        return depth > 0 and any(is_symbolic(v, depth - 1) for v in value.components())
    if isinstance(value, (StagedList, Tensor)):
        return isinstance(value, StagedList) or (isinstance(value, SymbolicTensor) and not is_lost(value))
    return depth > 0 and is_symbolic_object(value, depth)


def is_symbolic_object(value: object, depth: int = 3) -> bool:
    """Whether `value` is an object of the user's with something symbolic in its attributes."""
    fields = fields_of(value)
    return fields is not None and any(is_symbolic(v, depth - 1) for v in fields.values())


def is_data(value: Any, depth: int = 3) -> bool:
    """Whether `value` is a number, a string, a tensor, or a list, tuple, dictionary or object of the user's of them."""
    if isinstance(value, (list, tuple, dict, collections.deque)):
        return depth > 0 and all(is_data(v, depth - 1) for v in (value.values() if isinstance(value, dict) else value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufcSU"
    if isinstance(value, (*_SCALARS, Tensor, StagedList)) or value is ABSENT or is_lost(value):
        return True
    fields = (fields_of(value) if depth > 0 else None) or {}
    return bool(fields) and all(part is None or is_data(part, depth - 1) for part in fields.values())


def is_same_data(a: object, b: object) -> bool:
    """Whether both are one number or string, which needs no graph."""
    return a is b or (type(a) is type(b) and isinstance(a, _SCALARS) and bool(a == b))


# --- changes ---------------------------------------------------------------------------------------------------------
class Sorted(NamedTuple):
    """Changes: those that the graph carries, and those that are Python's own business."""

    carried: list[Change]
    python: list[Change]


def sort(changes: list[Change], forced: Iterable[object] = (), loop: bool = False) -> Sorted:
    """Sorts changes; places whose keys are `forced` are carried, attributes that an iteration of a `loop` makes are not."""
    wanted = frozenset(forced)
    carried: list[Change] = []
    python: list[Change] = []
    for change in changes:
        if is_same_data(change.old, change.new) or is_order_of_others(change.place):
            continue
        is_carried = change.place.key in wanted or _is_carried(change, loop)
        (carried if is_carried else python).append(change)
    return Sorted(carried, python)


def dropped(changes: Iterable[Change], loop: bool = False) -> list[Change]:
    """The changes without what is undone: what cached properties keep is computed again where it is asked for.

    Keys that an iteration of a `loop` puts back into a dictionary stay in their places.
    """
    found: list[Change] = []
    for change in changes:
        place = change.place
        moved = loop and isinstance(place, KeyOrder) and not place.counts
        if moved or (isinstance(_descriptor(place), functools.cached_property) and is_own(place)):
            place.write(change.old)
        else:
            found.append(change)
    return found


def is_order_of_others(place: Place) -> bool:
    """Whether a place is the order of keys in a dictionary that is older than the trace, and none that counts."""
    return isinstance(place, KeyOrder) and not place.counts and not is_own(place)


def _descriptor(place: Place) -> object:
    """What the class has under the name of an attribute that is kept in an object's `__dict__`."""
    if not isinstance(place, Item) or not _is_attribute(place):
        return None
    return getattr(type(place.owner), place.index, None)


def _is_attribute(place: Place) -> bool:
    return isinstance(place, Attribute) or (isinstance(place, Item) and place.owner is not place.holder)


def _is_carried(change: Change, loop: bool) -> bool:
    place, old, new, _ = change
    if is_own(place):
        return True
    old = inherited(place) if old is ABSENT or is_lost(old) else old
    symbolic = is_symbolic(new) or is_symbolic(old)
    if _is_attribute(place) and (new is ABSENT or (old is ABSENT and loop)):
        return False
    return symbolic


def is_own(place: Place) -> bool:
    """Whether a place is in an object that the trace itself has made."""
    trace = current_trace()
    return trace is None or trace.is_own(place.owner) or isinstance(place.holder, StagedList)


def inherited(place: Place) -> Any:
    """What an attribute that an object lacks has in its class, where that is data."""
    if not isinstance(place, Item) or place.owner is place.holder:
        return ABSENT
    found = next((vars(base)[place.index] for base in type(place.owner).__mro__ if place.index in vars(base)), ABSENT)
    return found if isinstance(found, (*_SCALARS, tuple)) and is_data(found) else ABSENT


def read(place: Place) -> Any:
    """What is in a place; an `Undefined` when nothing is."""
    value = place.read()
    if value is ABSENT:
        value = inherited(place)
    if value is ABSENT and isinstance(place.holder, collections.Counter):
        return 0
    if value is ABSENT and isinstance(place.holder, collections.defaultdict) and place.owner is place.holder:
        made = place.holder.default_factory
        if made in (int, float, complex, bool, str):
            return made()
    return as_value(value, place.label)


def as_value(value: StagedList | list[Tensor], label: str) -> Any:
    """What a place holds, as a variable would: an `Undefined` for nothing, and for what no trace can carry any more."""
    return Undefined(label) if value is ABSENT or is_lost(value) else value


def fill(place: Place, value: StagedList) -> None:
    """Puts a value into a place; removes what is there for an `Undefined`."""
    place.write(ABSENT if type(value) is Undefined else value)


def settle(place: Place, value: StagedList) -> None:
    """The same, at the end of a statement: told to those around it."""
    write_place(place, ABSENT if type(value) is Undefined else value)


def undo(changes: Iterable[Change]) -> None:
    """Has places hold what they held before they were changed."""
    for change in changes:
        change.place.write(change.old)


def label_of(change: Change) -> str:
    """What messages call the place of a change: as the program does, where that can be told."""
    if isinstance(change.place, Cell):
        return change.place.name
    if isinstance(change.place, ContextValue):
        return change.place.label
    if errors.is_own_file(change.where.code.co_filename):  # which does what the program has said elsewhere
        return change.place.label
    text = source_of(change.where)
    if isinstance(change.place, (Item, Attribute)):
        return text.partition("=")[0].lstrip("(").rstrip(" +-*/%@&|^<>:") or change.place.label
    return _changed(text) or change.place.label


def _changed(text: str) -> str:
    """What a text changes in place: `xs` of `xs.append(1)`, `xs += [1]` and `xs[1:] = [1]`; '' if it is something else."""
    try:
        found = ast.parse(text).body[0]
    except (SyntaxError, IndexError):
        return ""
    node: ast.AST = found.value if isinstance(found, ast.Expr) else found
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return ast.unparse(node.func.value)
    if isinstance(node, ast.AugAssign):
        return ast.unparse(node.target)
    if isinstance(node, (ast.Assign, ast.Delete)) and isinstance(node.targets[0], ast.Subscript):
        return ast.unparse(node.targets[0].value)
    return ""


def source_of(where: Where) -> str:
    """The text of the program at an instruction; '' if it is not known, or has several lines."""
    line, last, start, end = next(
        itertools.islice(where.code.co_positions(), where.instruction // 2, None), (None,) * 4
    )
    if line is None or line != last or start is None:
        return ""
    lines = backends.lines_of(where.code.co_filename, where.code.co_name)
    text = "".join(lines[line - 1 : line]).encode()[start:end].decode(errors="replace")
    try:
        return ast.unparse(backends.parse(text))
    except SyntaxError:
        return text


def _line_of(where: Where) -> int:
    line = next(itertools.islice(where.code.co_positions(), where.instruction // 2, None), (None,))[0]
    return line or where.code.co_firstlineno


# --- what is refused, and what is told of -----------------------------------------------------------------------------
def refuse(changes: Iterable[Change], statement: str) -> None:
    """Raises when something has changed that no graph can carry.

    Raises:
      SideEffectError: a set, a bytearray or an iterator is not what it was.
    """
    for change in changes:
        contents = isinstance(change.place, Contents) and not isinstance(change.place.holder, _CARRIED)
        if contents or isinstance(change.place, KeyOrder):
            raise side_effect(change, statement)


def side_effect(change: Change, statement: str) -> Exception:
    """The error for something that a staged statement changes, and no graph can carry."""
    holder = change.place.holder
    kind = type(holder).__name__
    if hasattr(holder, "__next__"):
        remedy = "Take the element ahead of it, or loop over a tensor"
        what = f"a {kind} goes on to its next element"
    elif isinstance(change.place, KeyOrder):
        remedy = "Keep what the order says in a number beside each value, or in a list"
        what = f"the keys of a {kind} come to be in another order"
    else:
        remedy = "Use a list, which may grow and shrink in a graph, or a tensor of flags"
        what = f"a {kind} changes"
    text = source_of(change.where)
    by = f" by `{text}` at {errors.shown_place(change.where.code.co_filename, _line_of(change.where))}" if text else ""
    return errors.SideEffectError(
        errors.at_user_line(
            f"{what} in a staged {statement}{by}: this would happen once, while tracing, whatever the condition. {remedy}."
        )
    )


def in_each_call(change: Change) -> str:
    """What to say of something symbolic that a function changes which is called for each element."""
    text = source_of(change.where)
    by = (
        f"`{text}` at {errors.shown_place(change.where.code.co_filename, _line_of(change.where))}"
        if text
        else "something"
    )
    kind = "an iterator" if isinstance(change.place.holder, Composite) else change.place.label
    return errors.at_user_line(
        f"{by} changes {kind} for each element of what only a running graph counts: write a loop, or a list comprehension"
    )


def another_each_time(change: Change, statement: str) -> Exception:
    """The error for what changes another object each time that the statement is traced, which would go on for ever."""
    text = source_of(change.where)
    by = (
        f"`{text}` at {errors.shown_place(change.where.code.co_filename, _line_of(change.where))}"
        if text
        else "something"
    )
    kind = type(change.place.holder).__name__
    return errors.SideEffectError(
        errors.at_user_line(
            f"{by} changes another {kind} each time that the staged {statement} is traced, and nothing tells that it is "
            f"new. Make it by a display or a call of its class within the {statement}, or before it."
        )
    )


def refuse_called(change: Change, statement: str) -> Exception:
    """The error for a symbolic value that a function without conversion has left behind in one branch, or in a loop."""
    where = change.where
    return errors.SideEffectError(
        errors.at_user_line(
            f"{where.called}, which is not converted, puts a symbolic value into {change.place.label} in a staged "
            f"{statement}, where it would be whether that code runs or not. Have it converted, or return the value."
        )
    )


def warn(changes: Iterable[Change], statement: str) -> None:
    """Tells of Python values that were put into objects older than the trace, once for each place in the program."""
    for change in changes:
        where = change.where
        line = _line_of(where)
        if is_own(change.place) or _told.get((id(where.code), line)) is where.code:
            continue
        if len(_told) >= _MOST_TOLD:
            _told.clear()
        _told[id(where.code), line] = where.code
        text = source_of(where)
        what = f"`{text}` changes" if text else "something changes"
        warnings.warn_explicit(
            f"{what} {change.place.label}, which is older than the trace, in a staged {statement}: Python does this once, "
            "while tracing, whatever the graph does when it runs. Use tf.print, a tf.Variable, or a returned value.",
            errors.SideEffectWarning, where.code.co_filename, line,
        )  # fmt: skip


_told: dict[tuple[int, int], CodeType] = {}  # state: bounded by _MOST_TOLD
_MOST_TOLD = 1000
