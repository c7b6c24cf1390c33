"""Finds the backend of a value by its type, cheaply: plain types cost one dictionary look-up.

backend_of(3)           -> None
backend_of(tensor)      -> the backend that registered the type of `tensor`, or one of its bases
"""

from __future__ import annotations

import os
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.protocol import StagingBackend
from autograph.backends.trace import current_trace, on_stand_ins, seen
from autograph.errors import BackendError

globals()["__builtins__"] = OWN


class _ByStandIn(StagingBackend):
    """Stands for the backend of what is used in place of a value: of a list, say, that has come to hold staged values."""

    def is_staged(self, value: object) -> bool:
        return seen(value) is not value


BY_STAND_IN = _ByStandIn()
_with_stand_ins: frozenset[int] = frozenset()  # identities of types
_VARARGS = 4  # of the flags of code
_lock = threading.RLock()
_backends: list[StagingBackend] = []
_by_type: dict[int, tuple[type, StagingBackend]] = {}

# One entry for each type that was asked for, keyed by identity: a type may define an odd `__hash__` on its metaclass,
# and must not be kept alive by having been looked at.
known_types: dict[int, StagingBackend | None] = {}
_watches: dict[int, weakref.ref[type]] = {}


def register_backend(backend: StagingBackend) -> StagingBackend:
    """Makes the values of `backend.staged_types` staged; returns the backend. Registering it again changes nothing.

    A type already taken by another backend, or a backend without types, raises `BackendError`.

    >>> class Flag:
    ...     pass
    >>> class Flags(StagingBackend):
    ...     name, staged_types = "flags", (Flag,)
    >>> flags = register_backend(Flags())
    >>> backend_of(Flag()) is flags
    True
    >>> unregister_backend(flags)
    """
    if not isinstance(backend, StagingBackend):
        raise BackendError(
            f"{backend!r} is not a StagingBackend; derive its class from autograph.backends.StagingBackend"
        )
    types = backend.staged_types
    if not isinstance(types, (tuple, list)) or not types or not all(isinstance(t, type) for t in types):
        raise BackendError(f"backend {backend.name!r} has staged_types={types!r}; expected a tuple of types")
    _check_methods(backend)
    _tell_of_misspelt(backend)
    with _lock:
        for staged_type in types:
            _, owner = _by_type.get(id(staged_type), (staged_type, backend))
            if owner is not backend:
                raise BackendError(
                    f"type {staged_type.__qualname__!r} is staged by backend {owner.name!r} already; "
                    f"backend {backend.name!r} cannot register it too"
                )
        if backend not in _backends:
            _backends.append(backend)
        _by_type.update((id(staged_type), (staged_type, backend)) for staged_type in types)
        _forget()
    return backend


def _check_methods(backend: StagingBackend) -> None:
    """Raises where a method that a backend overrides cannot be called as it is going to be."""
    for name, declared in vars(StagingBackend).items():
        own = getattr(type(backend), name, None)
        if name.startswith("_") or not isinstance(declared, FunctionType) or own is declared:
            continue
        wanted = declared.__code__
        names = wanted.co_varnames[: wanted.co_argcount]
        signature = f"{name}({', '.join(names)}{', ...' if wanted.co_flags & _VARARGS else ''})"
        if not callable(own):
            raise BackendError(f"backend {backend.name!r} has {own!r} for {name}; expected a method {signature}")
        if not isinstance(own, FunctionType) or (own.__code__.co_flags | wanted.co_flags) & _VARARGS:
            continue
        most, optional = own.__code__.co_argcount, len(own.__defaults__ or ())
        if not most - optional <= len(names) or most < len(names) - len(declared.__defaults__ or ()):
            taken = ", ".join(own.__code__.co_varnames[:most])
            raise BackendError(f"backend {backend.name!r} has a method {name}({taken}); expected {signature}")


def _tell_of_misspelt(backend: StagingBackend) -> None:
    """Warns of methods that nothing calls, and whose names are nearly those of methods of a backend."""
    hooks = [name for name, value in vars(StagingBackend).items() if name[0] != "_" and isinstance(value, FunctionType)]
    for kind in type(backend).__mro__[: -type(backend).__mro__[::-1].index(StagingBackend) - 1]:
        for name, own in vars(kind).items():
            if name[0] == "_" or not isinstance(own, FunctionType) or hasattr(StagingBackend, name):
                continue
            import difflib  # lazy: a backend has few methods of its own

            for nearest in difflib.get_close_matches(name, hooks, 1, 0.7):
                warnings.warn_explicit(
                    f"backend {backend.name!r} has a method {name!r}, which nothing calls: is {nearest!r} meant? The name "
                    "of a method of its own may begin with an underscore",
                    RuntimeWarning, own.__code__.co_filename, own.__code__.co_firstlineno,
                )  # fmt: skip


def unregister_backend(backend: StagingBackend) -> None:
    """Undoes `register_backend`; a backend that is not registered raises `BackendError`.

    >>> unregister_backend(StagingBackend())
    Traceback (most recent call last):
    autograph.errors.BackendError: AG301: backend 'backend' is not registered (docs/errors.md#ag301)
    """
    with _lock:
        if backend not in _backends:
            raise BackendError(f"backend {getattr(backend, 'name', backend)!r} is not registered")
        _backends.remove(backend)
        for key in [key for key, (_, owner) in _by_type.items() if owner is backend]:
            del _by_type[key]
        _forget()


def registered_backends() -> tuple[StagingBackend, ...]:
    """All backends, in the order of their registration.

    >>> isinstance(registered_backends(), tuple)
    True
    """
    return tuple(_backends)


def backend_of(value: object) -> StagingBackend | None:
    """The backend that stages `value`, or None for a plain value.

    >>> print(backend_of(3))
    None
    """
    try:
        backend = known_types[id(type(value))]
    except KeyError:
        backend = _look_up(type(value))
    if backend is None or not backend.is_staged(value):
        return None
    return backend if backend is not BY_STAND_IN else backend_of(seen(value))


def there(value: object) -> Any:
    """`value`, or what it is where it is not None, if a backend has made it None in some runs."""
    backend = backend_of(value)
    return value if backend is None else backend.there(value)


def settled(value: object) -> Any:
    """`value`, or what it is, None or not, where a backend knows that."""
    backend = backend_of(value)
    return value if backend is None else backend.settled(value)


def if_there(value: object) -> Any:
    """The same, where nobody knows yet whether it is used: nothing says that it is there."""
    trace = current_trace()
    if trace is None or not trace.may_be_none:
        return value
    peeked = trace.peeks
    try:
        trace.peeks = True
        return there(value)
    finally:
        trace.peeks = peeked


def is_staged_type(value_type: type) -> bool:
    """Whether values of a type may be staged: it belongs to a backend."""
    try:
        return known_types[id(value_type)] is not None
    except KeyError:
        return _look_up(value_type) is not None


def first_backend(values: Iterable[Any]) -> StagingBackend | None:
    """The backend of the first staged value among `values`, or None."""
    for value in values:
        backend = backend_of(value)
        if backend is not None:
            return backend
    return None


def idle() -> bool:
    """Whether nothing can be staged now: no backend is active. Converted functions then run as they were written."""
    return not staging_test()()


# Has converted functions always run their converted body: for those who look for mistakes in it.
_always_staging = os.environ.get("AUTOGRAPH_IDLE_PATH", "") == "0"


def always_staging(on: bool) -> bool:
    """Sets whether converted functions run their converted body even where nothing can be staged; returns what it was."""
    global _always_staging
    before, _always_staging = _always_staging, on
    _forget()
    return before


def is_always_staging() -> bool:
    """Whether converted functions run their converted body whatever may be staged."""
    return _always_staging


def staging_test() -> Callable[[], bool]:
    """The quickest function that says whether something may be staged, good until a backend comes or goes."""
    backends = tuple(_backends)
    if _always_staging or any(type(b).is_active is StagingBackend.is_active for b in backends):
        return True.__bool__
    if not backends:
        return False.__bool__
    if len(backends) == 1:
        return backends[0].is_active

    return lambda: any(backend.is_active() for backend in backends)


# Identities of the types that Python knows best: their truth runs no code of the user's.
BUILTIN_TYPES = frozenset(map(id, (int, float, str, bytes, list, tuple, dict, set, frozenset, type(None), range)))


def stages_builtin_types() -> bool:
    """Whether values of a type that Python knows best may be staged; else code may take such a value for a plain one."""
    return any(id(staged_type) in BUILTIN_TYPES for staged_type, _ in _by_type.values())


_listeners: list[Callable[[], None]] = []


def on_change(listener: Callable[[], None]) -> None:
    """Has `listener` called whenever a backend comes or goes, or what is known of functions changes."""
    _listeners.append(listener)


# Those that want to mark what is staged before the test of a loop is tried.
marking_backends: list[StagingBackend] = []


def _marks(backend: StagingBackend) -> bool:
    kind = type(backend)
    return (
        kind.checkpoint is not StagingBackend.checkpoint
        or kind.checkpoint_before is not StagingBackend.checkpoint_before
    )


def _forget() -> None:
    known_types.clear()
    _watches.clear()
    marking_backends[:] = filter(_marks, _backends)
    decisions_changed()


def decisions_changed() -> None:
    """How functions are called is to be decided anew."""
    for listener in _listeners:
        listener()


def _look_up(value_type: type) -> StagingBackend | None:
    key = id(value_type)
    with _lock:
        backend: StagingBackend | None = next(
            (_by_type[id(base)][1] for base in value_type.__mro__ if id(base) in _by_type), None
        )
        if backend is None and key in _with_stand_ins:
            backend = BY_STAND_IN

        def drop(_: weakref.ref[type], key: int = key) -> None:
            known_types.pop(key, None)
            _watches.pop(key, None)

        _watches[key] = weakref.ref(value_type, drop)
        known_types[key] = backend
    return backend


@on_stand_ins
def _ask_for_stand_ins(types: frozenset[int]) -> None:
    global _with_stand_ins
    with _lock:
        changed, _with_stand_ins = _with_stand_ins ^ types, types
        for key in changed:
            known_types.pop(key, None)


_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def derives(kind: type, base: type) -> bool:
    """Whether a type derives from another, whatever their metaclasses say."""
    return any(found is base for found in type.__getattribute__(kind, "__mro__") or ())


def is_static(kind: type) -> bool:
    """Whether a type is written in C, so that nothing of it is the user's code."""
    return not kind.__flags__ & _HEAP_TYPE
