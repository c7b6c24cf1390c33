"""What is handed to code that looks into lists without asking what stands in for them.

rows.append(x)  in a loop          `rows` has a stand-in, see `trace.py`
copy.deepcopy([rows, 1])           is given a list with that in it; so are objects with such lists in their attributes
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.places import attributes_of
from autograph.backends.trace import Trace, current_trace

globals()["__builtins__"] = OWN


def shown(value: object) -> Any:
    """`value` as those are given it that converted code hands it to: with the stand-ins of the lists in it."""
    trace = current_trace()
    return value if trace is None or not trace.has_stand_ins else _Handing(trace).filled(value)


class _Handing:
    """One call.

    Attributes:
      copies: of containers that have stand-ins inside: what was copied, the copy, and one more of that.
      within: the attributes that have stand-ins while the call runs, and what is there otherwise; None where objects are
        not looked into.
    """

    __slots__ = ("_met", "copies", "trace", "within")

    def __init__(self, trace: Trace, within: bool = False) -> None:
        self.trace = trace
        self.copies: list[tuple[Any, Any, Any]] = []
        self.within: list[tuple[dict[str, Any], str, Any, Any]] | None = [] if within else None
        self._met: set[int] = set()

    def filled(self, value: Any) -> Any:
        """`value` with stand-ins for the lists in it; raises where one of them is lost."""
        found = self.trace.stand_in(value)
        if found is not None:
            return found
        kind = type(value)
        if kind is dict:
            parts = {key: self.filled(part) for key, part in value.items()}
            if all(parts[key] is part for key, part in value.items()):
                return value
            self.copies.append((value, parts, dict(parts)))
            return parts
        if kind is not list and not issubclass(type(value), tuple):
            if self.within is not None and not issubclass(kind, _NO_OBJECTS) and id(value) not in self._met:
                self._met.add(id(value))
                self._fill(attributes_of(value) or {})
            return value
        items = [self.filled(part) for part in value]
        if all(a is b for a, b in zip(items, value)):
            return value
        if kind is list:
            self.copies.append((value, items, [*items]))
            return items
        return kind._make(items) if hasattr(kind, "_make") else kind(items)

    def _fill(self, attributes: dict[str, Any]) -> None:
        assert self.within is not None
        for name, part in [*attributes.items()]:
            found = self.filled(part)
            if found is not part:
                self.within.append((attributes, name, part, found))
                attributes[name] = found

    def end(self) -> dict[int, Any]:
        """Has attributes and containers as the call has left them; the program's own objects, by what it was given."""
        for attributes, name, part, found in self.within or ():
            if attributes.get(name) is found:
                attributes[name] = part
        for value, copy, before in self.copies:
            if type(value) is list:
                if len(copy) != len(before) or any(a is not b for a, b in zip(copy, before)):
                    value[:] = copy
            elif copy.keys() != before.keys() or any(copy[key] is not before[key] for key in copy):
                value.clear()
                value.update(copy)
        originals = {id(stand_in): value for value, stand_in in self.trace.stand_ins()}
        return originals | {id(copy): value for value, copy, _ in self.copies}


def handed(
    call: Callable[[Any, Any], Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    holder: object = None,
    within: bool = False,
) -> Any:
    """`call(args, kwargs)`, which looks into lists without asking: with what stands in for those among the arguments.

    The program finds its own lists afterwards: in what comes back, in `holder` and the arguments, if they were put there.
    What was written to a container that was copied for the call is written to the container itself. `within`: the call
    looks into objects, too.
    """
    trace = current_trace()
    if trace is None or not trace.has_stand_ins:
        return call(args, kwargs)
    handing = _Handing(trace, within)
    try:
        result = call(handing.filled(args), handing.filled(kwargs))
    finally:
        originals = handing.end()
        for given in (holder, *args, *(kwargs or {}).values()):
            _put_back(given, originals)
    return _put_back(result, originals)


_DEPTH = 3  # of containers that others have just made
_NO_OBJECTS = (type, ModuleType, FunctionType)


def _put_back(value: Any, originals: dict[int, Any], depth: int = _DEPTH) -> Any:
    """`value` with the program's own objects in place of what stood in for them."""
    if id(value) in originals:
        return originals[id(value)]
    if depth == 0:
        return value
    if type(value) is tuple or (issubclass(type(value), tuple) and hasattr(value, "_make")):
        items = [_put_back(item, originals, depth - 1) for item in value]
        if any(a is not b for a, b in zip(items, value)):
            return value._make(items) if hasattr(value, "_make") else tuple(items)
    elif issubclass(type(value), (list, deque)):
        kind: Any = list if issubclass(type(value), list) else deque
        for index, item in enumerate([*kind.__iter__(value)]):
            original = _put_back(item, originals, depth - 1)
            if original is not item:
                kind.__setitem__(value, index, original)
    else:
        parts = value
        if not issubclass(type(value), dict) and depth == _DEPTH and not issubclass(type(value), _NO_OBJECTS):
            parts = getattr(value, "__dict__", None)
        if issubclass(type(parts), dict):
            for key, item in [*dict.items(parts)]:
                original = _put_back(item, originals, depth - 1)
                if original is not item:
                    dict.__setitem__(parts, key, original)
    return value
