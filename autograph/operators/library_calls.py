"""Functions of libraries that call functions of the user's: what is called in their place.

@contextmanager         around the twin of the generator
a dataclass             an `__init__` without source, which calls a `__post_init__`
"""

from __future__ import annotations

from types import BuiltinFunctionType, CellType, FunctionType
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.places import kind_of
from autograph.backends.registry import backend_of
from autograph.backends.trace import seen
from autograph.errors import PythonOnlyConstructError
from autograph.operators.decisions import CONVERT, Args, Kwargs, Scope, any_staged, converted_or_none, entry_of
from autograph.operators.dispatch import found_on

globals()["__builtins__"] = OWN

_GENERATOR = 0x20  # CO_GENERATOR


def concerns_staged(f: FunctionType, args: Args, kwargs: Kwargs, scope: Scope) -> bool:
    """Whether a function of the standard library has to be converted for this call: for a staged argument, or because
    it wraps a function of the user's."""
    wrapped = getattr(f, "__wrapped__", None)
    while wrapped is not None:
        if type(wrapped) is FunctionType:
            entry = entry_of(wrapped, scope)
            if entry.kind == CONVERT:
                return not wrapped.__code__.co_flags & _GENERATOR
        wrapped = getattr(wrapped, "__wrapped__", None)
    return any_staged(args, kwargs)


class _Beginning:
    """Stands for an object in an `__init__` without source, as of a dataclass, that calls methods of the user's."""

    __slots__ = ("__dict__", "_methods", "_of")

    def __init__(self, of: object, methods: dict[str, Any]) -> None:
        object.__setattr__(self, "_of", of)
        object.__setattr__(self, "_methods", methods)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(object.__getattribute__(self, "_of"), name, value)

    def __getattribute__(self, name: str) -> Any:
        take = object.__getattribute__
        of, written = take(self, "_of"), take(self, "__dict__")
        for key in list(written):  # by `object.__setattr__`, as those of frozen classes are
            object.__setattr__(of, key, written.pop(key))
        method = take(self, "_methods").get(name)
        return getattr(of, name) if method is None else method.__get__(of, type(of))


def methods_within(kind: type, init: object, scope: Scope) -> dict[str, Any]:
    """The methods of a class that a function without source calls, converted, as the class keeps them."""
    if type(init) is not FunctionType or init.__code__.co_filename != "<string>":
        return {}
    found: dict[str, Any] = {}
    for name in init.__code__.co_names:
        kept = found_on(kind, name)
        is_wrapped = type(kept) is staticmethod or type(kept) is classmethod
        twin = converted_or_none(kept.__func__ if is_wrapped else kept, scope)
        if twin is not None:
            found[name] = type(kept)(twin) if is_wrapped else twin
    return found


def initialized(f: FunctionType, args: Args, kwargs: Kwargs, scope: Scope) -> bool:
    """Whether `f` is the `__init__` of an object that calls methods of the user's, and was called with these converted."""
    methods = methods_within(type(args[0]), f, scope) if args and f.__name__ == "__init__" else {}
    if methods:
        beginning = _Beginning(args[0], methods)
        f(beginning, *args[1:], **(kwargs or {}))
        beginning.__class__  # noqa: B018  # hands over what was written last
    return bool(methods)


def around_twin(f: FunctionType, scope: Scope) -> FunctionType:
    """What a decorator of a library made of a function of the user's, around the twin of that: a `contextmanager`, say."""
    wrapped = getattr(f, "__wrapped__", None)
    twin = None if f.__closure__ is None else converted_or_none(wrapped, scope)
    if twin is None:
        return f
    cells = tuple([CellType(twin) if _holds(cell, wrapped) else cell for cell in f.__closure__ or ()])
    made = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, cells)
    made.__kwdefaults__ = f.__kwdefaults__
    return made


def _holds(cell: CellType, value: object) -> bool:
    try:
        return cell.cell_contents is value
    except ValueError:
        return False


def about_staged_list(f: BuiltinFunctionType, args: Args, error: TypeError) -> TypeError:
    """The error of a function written in C that was given a list which only a backend can look into."""
    lists = [value for value in map(seen, args) if kind_of(value) is not None and backend_of(value) is not None]
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    in_c = traceback is not None and str(traceback.tb_frame.f_globals.get("__name__")).startswith("autograph.")
    if not lists or not in_c:
        return error
    owner = f.__module__ or type(f.__self__).__name__
    return _StagedListError(
        f"`{owner}.{f.__name__}` cannot look into a list that grew in staged code ({error}): write what it does as a loop "
        "over the list in converted code, or use a function of the backend"
    )


class _StagedListError(PythonOnlyConstructError, TypeError):
    """What a function written in C says is a TypeError."""
