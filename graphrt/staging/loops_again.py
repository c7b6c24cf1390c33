"""Loops that have to be traced again, as an iteration finds out more of the variables than was known before."""

from __future__ import annotations

import collections
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from autograph.backends.state import Contents, Losses, seen, write_place
from graphrt import errors
from graphrt.staging import aliases
from graphrt.staging import values as st
from graphrt.staging.chosen_functions import is_function, lone, with_more
from graphrt.staging.lists import StagedList
from graphrt.staging.maybe_none import MaybeNone, carried, with_growing
from graphrt.staging.objects import growing, none_apart, with_part
from graphrt.staging.rows import learned_list
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor

Names = tuple[str, ...]
Options = Mapping[str, Any]
GetState = Callable[[], tuple[Any, ...]]
SetState = Callable[[tuple[Any, ...]], object]
MOST_ROUNDS = 3  # see `Begin`
_MOST_TRACES = 100  # far more than there are reasons to trace a loop again


class Grown(Exception):
    """An iteration sets a variable to a list of another length, or put a tensor where a variable was.

    The loop is traced again, with a staged list, or the variable's value, in its place.
    """

    def __init__(self, index: int, after: Any) -> None:
        super().__init__(index)
        self.index = index
        self.after = after


class Rebound(Exception):
    """An iteration sets a variable to another list or dictionary than it was: then the loop carries what is in it."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


class Losing(Exception):
    """An iteration finds out more of the containers that the next one begins with: `begin`."""

    def __init__(self, begin: Begin) -> None:
        super().__init__()
        self.begin = begin


class Begin(NamedTuple):
    """What is known where an iteration, but for the first, begins.

    Attributes:
      lost: what may not be used.
      clock: the trace's, before the loop.
      shared: places in variables whose containers or objects may be one, as an iteration has left one in both; the
        identity of what is older than the loop stands for itself.
      frozen: places in variables in which an iteration leaves what may not be written, each with the error.
      rounds: how often an iteration has frozen what seems to be older than the loop.
      spent: whether iterators are among `lost` for what an iteration did with them.
      moved: variables whose lists an iteration leaves with their elements in other places.
    """

    lost: Losses
    clock: int
    shared: aliases.Shared = MappingProxyType({})
    frozen: Mapping[str, Callable[[], Exception]] = MappingProxyType({})
    spent: bool = False
    rounds: int = 0
    moved: frozenset[int] = frozenset()

    def size(self) -> int:
        """How much that is, which only ever grows."""
        return len(self.lost) + len(self.shared) + len(self.frozen) + len(self.moved)


def traced_again(
    record: Callable[[frozenset[int], Begin], object],
    get_state: GetState,
    set_state: SetState,
    names: Names,
    opts: Options,
) -> None:
    """Calls `record(rebound, begin)`; again, as often as an iteration finds out more of the variables.

    `rebound` are the indices of variables whose lists and dictionaries the loop carries by what is in them; all that are no
    variables (places in objects) are among them.
    """
    rebound = frozenset(range(opts.get("variables", len(names)), len(names)))
    start = aliases.lost_so_far()
    begin = Begin(start, aliases.now())
    for _ in range(_MOST_TRACES + 4 * len(names)):
        mark = current_graph().checkpoint()
        before = get_state()
        try:
            aliases.now_lost(start)
            record(rebound, begin)
            return
        except Losing as found:
            current_graph().rollback(mark)
            set_state(before)
            begin = found.begin
        except Grown as grown:
            current_graph().rollback(mark)
            aliases.now_lost(start)
            set_state(before)
            settled = _with_nones(before, grown, names)
            if settled is None:
                set_state(_with_staged_list(before, grown, names))
            else:  # which may have been written to what other places are in
                set_state(_with(get_state(), grown.index, settled))
            start = aliases.lost_so_far()
            begin = begin._replace(lost=begin.lost | start)
            rebound |= {grown.index}
        except Rebound as found:
            current_graph().rollback(mark)
            set_state(before)
            rebound |= {found.index}
    text = f"what the loop makes of {', '.join(names)} is something else each time that it is traced: make it simpler"
    raise errors.LoopVariableError(errors.at_user_line(text))


def _with(values: tuple[Any, ...], index: int, value: object) -> tuple[Any, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _with_nones(before: tuple[Any, ...], grown: Grown, names: Names) -> Any:
    """The variable before the loop, with what may be None in it; None where that is not what an iteration tells of."""
    old = seen(before[grown.index])
    there, after = aliases.within(old), aliases.within(grown.after)
    comes_to_be_none = isinstance(grown.after, MaybeNone) and not isinstance(old, MaybeNone)
    if is_function(there) and is_function(after) and not comes_to_be_none:
        more = with_more(lone(there), lone(after))
        joined = aliases.Joined()
        joined.note(names[grown.index], more, there)
        joined.guard()
        return MaybeNone(old.name, carried(more, old.name), old.flag) if isinstance(old, MaybeNone) else more
    if isinstance(old, MaybeNone):
        wide = with_growing(old, grown.after)
        if wide is not None:
            aliases.begun_with(old.value, wide.value, names[grown.index])
        return wide
    nones = [*none_apart(names[grown.index], old, grown.after)]
    for keys, found in nones:
        if not keys and old is not None:
            found.value = before[grown.index]  # and not what stands in for that
        old = with_part(old, keys, found)
    return old if nones else None


def _with_staged_list(before: tuple[Any, ...], grown: Grown, names: Names) -> tuple[Any, ...]:
    old = seen(before[grown.index])
    if st.is_variable(old):
        return _with(before, grown.index, convert_to_tensor(old))
    if isinstance(old, StagedList):  # stands in for the list, which stays what it is
        wide = old.beside(grown.after) if isinstance(grown.after, StagedList) else old
        wide = wide.kept() if wide.python is collections.deque else wide.listed()
        begun = aliases.begun_with(before[grown.index], wide, names[grown.index])
        return _with(before, grown.index, begun)
    if st.lacks_value(old):
        text = (
            f"{names[grown.index]!r} has no value before the loop, and is a list that grows in it: set it ahead of that"
        )
        raise errors.LoopVariableError(errors.at_user_line(text))
    is_itself = type(old) is list and not (type(grown.after) is list and len(old) == len(grown.after))
    inside = [] if is_itself else growing(old, grown.after)
    for rows, made in inside:
        write_place(Contents(rows), made.filled(rows))
    if inside:
        return before
    pattern = grown.after if isinstance(grown.after, StagedList) else learned_list(old, grown.after)
    if pattern is None:
        raise errors.LoopVariableError(
            errors.at_user_line(
                f"{names[grown.index]!r} is a list of {len(old)} elements before the loop, and of another length after one "
                "iteration. A list that grows in a staged loop holds tensors of one dtype; its elements are "
                + ", ".join(dict.fromkeys(st.type_text(v) for v in [*old, *grown.after]))
            )
        )
    begun = aliases.begun_with(old, pattern.filled(old), names[grown.index])
    return _with(before, grown.index, begun)
