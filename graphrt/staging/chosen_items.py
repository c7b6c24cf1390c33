"""Items of lists and tuples of Python's at an index that only the running graph knows.

[1.5, 2.5][i]                 a tensor
[a, b][i]                     one of these lists, which is changed itself; one of these objects, whose attributes are set
a, b = [(1, 2.5), (3, 4.5)][i]
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from autograph.backends.state import current_trace, freeze, seen
from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.ir.op import ops, provide  # late: start-up, the backend is registered by `import graphrt`
from graphrt.staging import aliases, chosen_functions
from graphrt.staging.chosen_lists import ChosenList, place_of
from graphrt.staging.chosen_objects import ChosenObject, is_user_object
from graphrt.staging.lists import StagedList, as_python
from graphrt.staging.rows import learned_list
from graphrt.tensor.tensor import Tensor
from graphrt.tensor.weak import weak_tensor
from graphrt.types import structure
from graphrt.types.dtype import bool_, int32
from graphrt.types.nesting import shown

_NUMBERS = (bool, int, float, complex)


@provide
def item_at(target: list[Any] | tuple[Any, ...], key: Any) -> Any:
    """`target[key]`, where only the running graph knows the index, or the bounds of a slice, or where it is neither."""
    if isinstance(key, slice):
        return as_python(_as_staged(target)[key])
    if isinstance(key, Tensor) and key.dims == () and key.dtype is bool_:
        key = ops.cast(key, int32)
    if not isinstance(key, Tensor) or key.dims != () or not key.dtype.is_integer:
        return ops.getitem(weak_tensor(target), key)
    trace = current_trace()
    if trace is not None and trace.has_stand_ins:
        target = [trace.stood_for(e, e) for e in target]  # the program's own: what stands in for them may be another
    found: Any = chosen_functions.at(target, key) or _chosen(target, key)
    if found is not None:
        return found
    if all(e is target[0] for e in target[1:]) and not isinstance(target[0], (Tensor, *_NUMBERS)):
        place_of(len(target), key)
        return target[0]
    parts = _columns(target)
    if parts is not None:
        return _copy(target, [item_at(p, key) for p in parts])
    if target and all(map(is_user_object, target)):
        return ChosenObject(tuple(target), place_of(len(target), key))
    return _by_branches(target, key) if _differ_in_shape(target) else ops.getitem(weak_tensor(target), key)


def _as_staged(target: Any) -> StagedList:
    pattern = learned_list([], [*target], complete=True)
    if pattern is None:
        text = f"a slice whose length only the graph knows holds tensors of one dtype, found {shown(target)}"
        raise TypeError(errors.at_user_line(text))
    return pattern.filled([*target])


def _differ_in_shape(target: Any) -> bool:
    """Whether these are tensors of one dtype that no tensor holds side by side, or composites, such as ragged tensors."""
    first: Any = target[0] if target else None
    if isinstance(first, structure.Composite):
        return all(type(e) is type(first) for e in target)
    if not all(isinstance(e, Tensor) and e.dtype is first.dtype for e in target):
        return False
    return any(e.dims is None or None in e.dims or e.dims != first.dims for e in target)


def _by_branches(target: Any, key: Tensor) -> Any:
    at, found = place_of(len(target), key), target[-1]
    for place in reversed(range(len(target) - 1)):
        found = cond(ops.Equal(at, place), _always(target[place]), _always(found))
    return found


def _always(value: Any) -> Callable[[], Any]:
    return lambda: value


def set_at(target: list[Any], key: Tensor, value: Any) -> bool:
    """`target[key] = value` of lists, dictionaries and objects, which stay what they are; False for all else."""
    if not any(isinstance(e, (list, dict, StagedList, ChosenObject)) or is_user_object(e) for e in (*target, value)):
        return False
    at = place_of(len(target), key)
    if not (isinstance(value, ChosenList) and value.is_item(target, at)):  # else it has been changed itself
        put = [functools.partial(operator.setitem, target, place) for place in range(len(target))]
        chosen_functions.ChosenFunction(chosen_functions.Functions(put), at)(value)
    return True


def _chosen(target: Any, key: Tensor) -> ChosenList | None:
    """Which of several lists that is, unless they hold structures, or tensors of several dtypes."""
    now = [seen(rows) for rows in target]
    if not now or not all(type(rows) in (list, StagedList) for rows in now):
        return None
    found = ChosenList([*target], place_of(len(now), key))
    known = found.length and not found.holds_lists
    return None if known and found.row() is None else found


def _columns(target: Any) -> list[Any] | None:
    """What stands at each place of structures of one form; None where they are none."""
    first = target[0] if target else None
    if not isinstance(first, (tuple, list, dict)) or any(type(e) is not type(first) for e in target):
        return None
    if isinstance(first, dict):
        keys = structure.sorted_keys(first)
        return [[e[k] for e in target] for k in keys] if all(e.keys() == first.keys() for e in target) else None
    return [*map(list, zip(*target))] if len({len(e) for e in target}) == 1 else None


def _copy(target: Any, parts: list[Any]) -> Any:
    """One of the structures in `target`, made of the part at each place."""
    found = structure.rebuild(target[0], parts)
    if isinstance(found, tuple):
        return found
    kind = type(found).__name__
    text = (
        f"a {kind} at an index that only the running graph knows is written to: it is a copy, for it holds structures, "
        f"or tensors of several dtypes. Write to each {kind}, in a loop that compares its index"
    )
    joined = aliases.Joined()
    for one in target:
        joined.note(f"a {kind} at an index that only the running graph knows", found, one)
    joined.guard()
    freeze(found, lambda: errors.SideEffectError(errors.at_user_line(text)))
    return found
