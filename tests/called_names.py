"""Which public functions and methods ran in this process, learned at almost no cost.

Python 3.12 and later tell of each function's first call by `sys.monitoring`. Python 3.11 counts the calls of each code
object itself, to know when to specialise it; where the count stands within the object is found by trying.
"""

from __future__ import annotations

import collections
import ctypes
import functools
import inspect
import os
import pathlib
import sys
import types
from collections.abc import Iterator
from typing import Any

from tests import public_names

PACKAGES = ("graphrt", "autograph")
_ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_NEVER_CALLED = 0


# --- what ran --------------------------------------------------------------------------------------------------------
class _Monitored:
    """What ran, as `sys.monitoring` tells it: each code object reports its first start, and then costs nothing."""

    def __init__(self) -> None:
        self.seen: dict[int, types.CodeType] = {}
        monitoring = sys.monitoring
        self._once = monitoring.DISABLE  # `sys` is gone when the last functions of a process start
        self._folders = tuple(f"{_ROOT / package}{os.sep}" for package in PACKAGES)
        tool = next(i for i in range(6) if monitoring.get_tool(i) is None)
        monitoring.use_tool_id(tool, "names called by tests")
        monitoring.register_callback(tool, monitoring.events.PY_START, self._started)
        monitoring.set_events(tool, monitoring.events.PY_START)

    def _started(self, code: types.CodeType, offset: int) -> Any:
        if code.co_filename.startswith(self._folders):  # what others made is not kept alive
            self.seen[id(code)] = code
        return self._once

    def ran(self, code: types.CodeType) -> bool:
        return id(code) in self.seen


class _Counted:
    """What ran, by the count of calls in each code object (Python 3.11)."""

    def __init__(self) -> None:
        changes = [self._changed_by_a_call() for _ in range(8)]
        places = set.intersection(*(set(change) for change in changes))  # other threads change counts of references
        (self.place,) = places
        self.untouched = changes[0][self.place]

    def _changed_by_a_call(self) -> dict[int, int]:
        """The bytes that the first call of a function changes, as they were before, by their places."""
        code = self._fresh().__code__
        fresh = self._bytes(code)
        types.FunctionType(code, {})()
        return {i: a for i, (a, b) in enumerate(zip(fresh, self._bytes(code))) if a != b}

    @staticmethod
    def _fresh() -> Any:
        names: dict[str, Any] = {}
        exec(compile("def f():\n    return 1\n", "<called names>", "exec"), names)
        return names["f"]

    @staticmethod
    def _bytes(code: types.CodeType) -> bytes:
        return ctypes.string_at(id(code), types.CodeType.__basicsize__)

    def ran(self, code: types.CodeType) -> bool:
        return self._bytes(code)[self.place] != self.untouched


def start() -> _Monitored | _Counted:
    """Begins to learn what runs. What ran before is known on Python 3.11 only."""
    return _Monitored() if hasattr(sys, "monitoring") else _Counted()


# --- what there is to run --------------------------------------------------------------------------------------------
def body_of(value: Any) -> types.CodeType | None:
    """The code of a function or method of ours, behind decorators; None for what has none."""
    if isinstance(value, (classmethod, staticmethod)):
        value = value.__func__
    if isinstance(value, property):
        value = value.fget
    if isinstance(value, functools.cached_property):
        value = value.func
    while isinstance(value, functools.partial):
        value = value.func
    code = getattr(inspect.unwrap(value), "__code__", None) if callable(value) else None
    of_ours = isinstance(code, types.CodeType) and not code.co_filename.startswith("<")
    return code if of_ours and str(getattr(value, "__module__", "")).split(".")[0] in PACKAGES else None


def members(path: str, cls: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class has or inherits, its `__init__` and `__call__`, by their paths.

    Abstract methods are left out: there is nothing that could run.
    """
    known: set[str] = set()
    for base in cls.__mro__:
        if str(base.__module__).split(".")[0] in PACKAGES:
            for name, value in vars(base).items():
                public = not name.startswith("_") or name in ("__init__", "__call__")
                if public and name not in known and not getattr(value, "__isabstractmethod__", False):
                    yield f"{path}.{name}", value
                known.add(name)


@functools.cache
def bodies() -> dict[str, types.CodeType]:
    """By its path, the body of each public function and of each public method of a public class.

    What one factory makes many of has one body: whether each of them was called is not known (see `made_alike`).
    """
    functions: dict[str, types.CodeType] = {}
    methods: dict[int, tuple[str, types.CodeType]] = {}
    for path, value in public_names.callables().items():
        if not isinstance(value, type):
            code = body_of(value)
            if code is not None:
                functions[path] = code
            continue
        for name, member in members(path, value):
            code = body_of(member)
            if code is not None:
                methods.setdefault(id(code), (name, code))
    return functions | dict(methods.values())


def made_alike() -> list[str]:
    """The public functions that share their body with others."""
    uses = collections.Counter(map(id, bodies().values()))
    return [path for path, code in bodies().items() if uses[id(code)] > 1]


def called(record: _Monitored | _Counted) -> list[str]:
    """The paths of `bodies()` that ran."""
    return [path for path, code in bodies().items() if record.ran(code)]
