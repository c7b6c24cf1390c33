"""Which global and closure variables a trace read, and whether they are still what they were.

    scale = 2
    f = tf.function(lambda x: x * scale)
    f(x)                                    # traced with 2
    scale = 3
    f(x)                                    # still 2; says so under tf.config.warn_on_stale_capture(True)

What is read is taken from the code of the function, and of the functions of the user that it names: global and
closure variables, attributes of those, and attributes of `self`.
"""

from __future__ import annotations

import dis
import functools
import types
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.function.retrace_explanation import defined_at
from graphrt.state.variable import Variable
from graphrt.tensor.tensor import Tensor

_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_LARGE = 256  # elements of a container, or of an array, beyond which only identity is compared
_ATTRIBUTES = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_GLOBALS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})
_CLOSURES = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF"})
_CALL = "__call__"
_ROOMS = ("graphrt", "autograph", "numpy")


class _Absent:
    def __repr__(self) -> str:
        return "not set"


ABSENT = _Absent()


class _Read:
    __slots__ = ("get", "label", "shown", "snapshot")

    def __init__(self, label: str, get: Callable[[], Any], value: Any) -> None:
        self.label = label
        self.get = get
        self.snapshot = _snapshot(value)
        self.shown = _shown(value)


class Reads:
    """What one trace read.

    A variable that has changed is reported once for each change.
    """

    __slots__ = ("_found", "_where")

    def __init__(self, function: Callable[..., Any], instance: tuple[Any, ...]) -> None:
        self._where = defined_at(_plain_function(function) or function)
        found: dict[str, _Read] = {}
        for label, get in _reads_of(function, instance, set()):
            value = get()
            if label not in found and _is_watched(value):
                found[label] = _Read(label, get, value)
        self._found = list(found.values())

    @property
    def labels(self) -> list[str]:
        """The variables that are watched."""
        return [r.label for r in self._found]

    def check(self, name: str) -> None:
        """Warns of each variable that has changed since the trace read it."""
        for read in self._found:
            value = read.get()
            snapshot = _snapshot(value)
            if _equal(snapshot, read.snapshot):
                continue
            filename, line = errors.user_location(2) or ("<unknown>", 0)
            warnings.warn_explicit(
                f"{read.label} was {read.shown} when {name} ({self._where}) was traced, and is {_shown(value)} now. "
                "The trace goes on with what it read. Pass the value as an argument, or keep it in a tf.Variable.",
                errors.StaleCaptureWarning, filename, line,
            )  # fmt: skip
            read.snapshot = snapshot


def _plain_function(function: Any) -> types.FunctionType | None:
    while isinstance(function, (functools.partial, types.MethodType)):
        function = function.func if isinstance(function, functools.partial) else function.__func__
    if isinstance(function, types.FunctionType):
        return function
    python = getattr(function, "python_function", None)
    if python is not None:
        return _plain_function(python)
    call = getattr(type(function), _CALL, None)
    return call if isinstance(call, types.FunctionType) else None


def _reads_of(function: Any, instance: tuple[Any, ...], seen: set[Any]) -> Iterator[tuple[str, Callable[[], Any]]]:
    plain = _plain_function(function)
    if plain is None or plain.__code__ in seen:
        return
    seen.add(plain.__code__)
    roots = _roots(plain, instance)
    for code in _codes(plain.__code__):
        for kind, name, attributes in _chains(code):
            if kind == "self" and (code is not plain.__code__ or not instance or name != code.co_varnames[0]):
                continue
            root = roots.get((kind, name))
            if root is None:
                continue
            value = root()
            if isinstance(value, types.FunctionType) and not _is_library(value.__module__):
                yield from _reads_of(value, (), seen)
            yield f"{_KINDS[kind]} {name!r}", root
            for i in range(1, len(attributes) + 1):
                if isinstance(value, types.ModuleType) and _is_library(value.__name__):
                    break
                path = attributes[:i]
                yield f"{'.'.join((name, *path))!r}", functools.partial(_follow, root, path)


_KINDS = {"global": "global", "closure": "closure variable", "self": "object"}


def _is_library(module: str | None) -> bool:
    return (module or "").partition(".")[0] in _ROOMS


def _roots(function: types.FunctionType, instance: tuple[Any, ...]) -> dict[tuple[str, str], Callable[[], Any]]:
    code = function.__code__
    found: dict[tuple[str, str], Callable[[], Any]] = {}
    names = {n for c in _codes(code) for n in c.co_names}
    for name in names & function.__globals__.keys():
        found["global", name] = functools.partial(function.__globals__.get, name, ABSENT)
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        found["closure", name] = functools.partial(_cell, cell)
    if instance and code.co_argcount:
        try:
            found["self", code.co_varnames[0]] = weakref.ref(instance[0])
        except TypeError:
            pass
    return found


def _cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT


def _follow(root: Callable[[], Any], path: tuple[str, ...]) -> Any:
    value = root()
    for name in path:
        try:
            value = vars(value)[name]  # what a property or a descriptor gives is not asked for: it may have effects
        except (TypeError, KeyError):
            return ABSENT
    return value


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _chains(code: types.CodeType) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """`(kind, name, attributes)` for each variable that is read, and the attributes that are read of it at once."""
    begun: tuple[str, str] | None = None
    attributes: list[str] = []
    for instruction in dis.get_instructions(code):
        name = instruction.opname
        if begun is not None and name in _ATTRIBUTES:
            attributes.append(instruction.argval)
            continue
        if name in ("CACHE", "NOP"):
            continue
        if begun is not None:
            yield (*begun, tuple(attributes))
        begun, attributes = None, []
        if name in _GLOBALS:
            begun = "global", instruction.argval
        elif name in _CLOSURES:
            begun = "closure", instruction.argval
        elif "LOAD_FAST" in name:  # some versions load two variables at once; the last one is on top
            names = instruction.argval
            begun = "self", names[-1] if isinstance(names, tuple) else names
    if begun is not None:
        yield (*begun, tuple(attributes))


def _is_watched(value: Any) -> bool:
    return value is not ABSENT and not isinstance(value, (types.ModuleType, Variable))


def _snapshot(value: Any) -> Any:
    """What `value` is now, so that it can be compared later, even when it is changed in place."""
    if isinstance(value, _PLAIN):
        return type(value), value
    if isinstance(value, (list, tuple, set, frozenset)) and len(value) <= _LARGE:
        parts = value if isinstance(value, (list, tuple)) else sorted(value, key=repr)
        return type(value), tuple(_snapshot(v) for v in parts)
    if isinstance(value, dict) and len(value) <= _LARGE:
        return dict, tuple((_snapshot(k), _snapshot(v)) for k, v in value.items())
    if isinstance(value, np.ndarray) and value.size <= _LARGE and value.dtype != object:
        return np.ndarray, (value.dtype.str, value.shape, value.tobytes())
    try:
        return object, weakref.ref(value)
    except TypeError:
        return object, lambda: value


def _equal(a: Any, b: Any) -> bool:
    if a[0] is object or b[0] is object:
        return a[0] is b[0] and a[1]() is b[1]()
    if a[0] is not b[0]:
        return False
    if isinstance(a[1], tuple) and isinstance(b[1], tuple):
        return len(a[1]) == len(b[1]) and all(_part_equal(x, y) for x, y in zip(a[1], b[1]))
    return bool(a[1] == b[1] or (a[1] != a[1] and b[1] != b[1]))


def _part_equal(x: Any, y: Any) -> bool:
    if isinstance(x, tuple) and isinstance(y, tuple) and len(x) == len(y) == 2:
        if isinstance(x[0], type) and isinstance(y[0], type):
            return _equal(x, y)
        return _part_equal(x[0], y[0]) and _part_equal(x[1], y[1])
    return bool(x == y)


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"a tensor of shape {value.shape} and dtype {value.dtype.name}"
    if isinstance(value, types.FunctionType):
        return f"the function {value.__qualname__}"
    if not isinstance(value, (*_PLAIN, _Absent, list, tuple, set, frozenset, dict, np.ndarray)):
        return f"an object of type {type(value).__name__}"
    text = repr(value)
    return text if len(text) < 80 else f"{text[:77]}..."
