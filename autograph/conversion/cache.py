"""Converted code, kept as long as the code it was made from."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from types import CodeType
from typing import Generic, TypeVar

from autograph.options import ConversionOptions

Value = TypeVar("Value")


class CodeCache(Generic[Value]):
    """A table from code object and options to a value.

    Code objects are told apart by identity: equal ones may come from different files. An entry goes when its code
    object does. Threads that ask for the same entry at once get the same value.
    """

    def __init__(self) -> None:
        self._values: dict[int, tuple[weakref.ref[CodeType], dict[ConversionOptions, Value]]] = {}
        self._lock = threading.RLock()

    def get(self, code: CodeType, options: ConversionOptions, make: Callable[[], Value]) -> Value:
        """The value for `code` and `options`, made now if there is none."""
        entry = self._values.get(id(code))
        if entry is not None:
            found = entry[1].get(options)
            if found is not None:
                return found
        with self._lock:
            entry = self._values.get(id(code))
            if entry is None:
                key, values = id(code), self._values
                entry = values[key] = (weakref.ref(code, lambda _: values.pop(key, None)), {})
            if options not in entry[1]:
                entry[1][options] = make()
            return entry[1][options]

    def __len__(self) -> int:
        return len(self._values)
