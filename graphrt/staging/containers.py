"""Lists and dictionaries that a staged branch changes in place.

d = {1: x, 'name': 'a'}
if x > 0:            each branch works on a copy; of what they made, only the items that they set become outputs of
    d[k] = x * 2     the conditional; these are written into the very dictionary that `d`, and any other name, means
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt.staging.lists import StagedList

_KINDS = (list, dict)
_IN_PLACE = (list, StagedList, np.ndarray)


class Copies:
    """A state with its lists and dictionaries copied, and which copy stands for which original."""

    def __init__(self, state: tuple[Any, ...]) -> None:
        self._of: dict[int, tuple[Any, Any]] = {}  # original -> original and copy; both are kept alive
        self._originals: dict[int, Any] = {}
        self.state = tuple(self._copied(value) for value in state)

    def _copied(self, value: Any) -> Any:
        kind = type(value)
        if id(value) in self._of:
            return self._of[id(value)][1]
        if isinstance(value, (StagedList, np.ndarray)):  # may be changed in place, too
            self._of[id(value)] = value, value.copy()
            return self._of[id(value)][1]
        if kind not in _KINDS:
            return value
        copy: Any = kind()
        self._of[id(value)] = value, copy
        self._originals[id(copy)] = value
        if kind is list:
            copy.extend(map(self._copied, value))
        else:
            copy.update((key, self._copied(item)) for key, item in value.items())
        return copy

    def stands_for(self, copy: Any, original: Any) -> bool:
        """Whether `copy` was made of `original`."""
        return type(original) in _KINDS and self._originals.get(id(copy)) is original

    def stands_for_list(self, copy: Any, original: Any) -> bool:
        """Whether `copy` was made of `original`, a list, a staged list or an array."""
        made = self._of.get(id(original))
        return made is not None and made[0] is original and made[1] is copy and isinstance(original, _IN_PLACE)


def items(container: Any) -> Iterator[tuple[Any, Any]]:
    """The keys and values of a list or dictionary."""
    return iter(container.items() if type(container) is dict else enumerate(container))


def same_keys(a: Any, b: Any) -> bool:
    """Whether two lists are as long, or two dictionaries have the same keys."""
    return len(a) == len(b) if type(a) is list else a.keys() == b.keys()


def put_back(original: Any, new: Any) -> Any:
    """Makes `original` what `new` is, in place where both are lists or dictionaries; returns what stands for it."""
    if isinstance(original, StagedList) and type(original) is type(new) and original is not new:
        original.become(new)
        return original
    if type(original) is not type(new) or type(original) not in _KINDS or original is new:
        return new
    if type(original) is list:
        original[:] = [put_back(original[i], value) if i < len(original) else value for i, value in enumerate(new)]
    else:
        found = {key: put_back(original[key], value) if key in original else value for key, value in new.items()}
        original.clear()
        original.update(found)
    return original
