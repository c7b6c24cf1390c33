"""How functions are called by converted code: decided once for each code object, and remembered as long as that lives.

A function is called converted (CONVERT), as it is (AS_IS; MACHINERY for the standard library; BACKEND for functions
of a backend, whose arguments are converted where they are functions), or as it is unless an argument is staged
(LIBRARY); of functions that call themselves a backend may be asked at each call (ASKED). The decision and the
conversion itself come from `conversion/`, through the resolver installed here.
"""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable, Iterable
from types import CellType, CodeType, FunctionType
from typing import Any, Protocol

from autograph.backends.own_builtins import OWN
from autograph.backends.recursion import is_looked_at
from autograph.backends.registry import backend_of, on_change
from autograph.operators.frames import is_generated
from autograph.options import STANDARD_OPTIONS, ConversionOptions

globals()["__builtins__"] = OWN

CONVERT, AS_IS, LIBRARY, MACHINERY, BACKEND, BY_HANDLER, ASKED = range(7)

Args = tuple[Any, ...]
Kwargs = dict[str, Any] | None
# What is done for a call: of what, with which arguments, from which function.
Handler = Callable[[Any, Args, Kwargs, "Scope"], Any]


class Resolver(Protocol):
    """What `conversion/` supplies."""

    def busy(self) -> bool:
        """Whether this is in the middle of a conversion."""

    def decide(self, f: FunctionType, options: ConversionOptions) -> int:
        """CONVERT, AS_IS, LIBRARY, MACHINERY or BACKEND."""

    def twin_of(self, f: FunctionType, options: ConversionOptions, staged: bool) -> FunctionType | None:
        """The converted function, or None if it has to be called as it is."""

    def may_remember(self) -> bool:
        """Whether that a function could not be converted may be remembered."""


class _Unconverted:
    """Resolver until one is installed: nothing is converted."""

    def busy(self) -> bool:
        return False

    def decide(self, f: FunctionType, options: ConversionOptions) -> int:
        return AS_IS

    def twin_of(self, f: FunctionType, options: ConversionOptions, staged: bool) -> FunctionType | None:
        return None

    def may_remember(self) -> bool:
        return True


_resolver: Resolver = _Unconverted()


def install_resolver(resolver: Resolver) -> None:
    """Sets who decides and converts; decisions made before are dropped."""
    global _resolver
    _resolver = resolver
    forget_decisions()


class Entry:
    """How functions with one code object are called; holds no function, so nothing is kept alive by a call."""

    __slots__ = ("cells", "code", "handler", "kind", "layout", "otherwise", "position", "watch")

    def __init__(self, kind: int, twin: FunctionType | None = None, original: CodeType | None = None) -> None:
        self.kind = kind
        self.handler: Handler | None = None
        self.otherwise: Entry | None = None  # where nobody has another answer
        self.watch: Any = None
        self.cells: tuple[CellType, ...] | None = None
        self.layout: tuple[int | CellType, ...] | None = None
        self.position = -1
        if twin is not None and original is not None:
            self._learn(twin, original)

    def _learn(self, twin: FunctionType, original: CodeType) -> None:
        code = self.code = twin.__code__
        own = dict(zip(code.co_freevars, twin.__closure__ or ()))
        extra = [name for name in code.co_freevars if name not in original.co_freevars]
        self.cells = tuple(own[name] for name in extra)
        kept = tuple(name for name in code.co_freevars if name not in extra)
        if kept == original.co_freevars and len(extra) <= 1:
            self.position = code.co_freevars.index(extra[0]) if extra else 0
            return
        places = {name: index for index, name in enumerate(original.co_freevars)}
        self.layout = tuple(places[name] if name in places else own[name] for name in code.co_freevars)

    def bind(self, f: FunctionType) -> FunctionType:
        """The converted function with the closure and defaults of `f`."""
        closure = f.__closure__
        cells: Any
        if closure is None:
            cells = self.cells
        elif self.layout is None:
            position = self.position
            cells = closure[:position] + (self.cells or ()) + closure[position:]
        else:
            cells = tuple(closure[item] if isinstance(item, int) else item for item in self.layout)
        bound = FunctionType(self.code, f.__globals__, f.__name__, f.__defaults__, cells)
        if f.__kwdefaults__ is not None:
            bound.__kwdefaults__ = f.__kwdefaults__
        return bound


MOST_KEPT = 500


class Entries(dict[int, Entry]):
    """Decisions by identity of code objects.

    Of functions of modules: `kept` are converted ones, with the code and the defaults that they are for; `direct` are those
    that run as they are, with their code. `makers` make instances of classes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[FunctionType, tuple[CodeType, FunctionType, Any]] = {}
        self.direct: dict[FunctionType, CodeType] = {}
        self.makers: dict[type, Callable[..., Any]] = {}


_entries: dict[ConversionOptions, Entries] = {}


def entries_for(options: ConversionOptions) -> Entries:
    """The decisions for functions called from code converted with `options`."""
    return _entries.setdefault(options.call_options(), Entries())


def forget_decisions() -> None:
    """Drops all decisions: the policy has changed."""
    for entries in _entries.values():
        entries.clear()
        entries.kept.clear()
        entries.direct.clear()
        entries.makers.clear()
    for listener in _listeners:
        listener()


_listeners: list[Callable[[], None]] = []


def on_forgotten(listener: Callable[[], None]) -> Callable[[], None]:
    """Has `listener` called whenever all decisions are dropped."""
    _listeners.append(listener)
    return listener


on_change(forget_decisions)


class Scope(Protocol):
    """What is known of the function that a call is in."""

    options: ConversionOptions
    entries: Entries
    kept: dict[FunctionType, tuple[CodeType, FunctionType, Any]]
    direct: dict[FunctionType, CodeType]
    makers: dict[type, Callable[..., Any]]


class CallScope:
    """Stands for the scope of a function in calls that come without one."""

    __slots__ = ("direct", "entries", "kept", "makers", "options")

    name = "fscope"

    def __init__(self, options: ConversionOptions) -> None:
        self.options = options
        self.entries = entries_for(options)
        self.kept = self.entries.kept
        self.direct = self.entries.direct
        self.makers = self.entries.makers


DEFAULT_SCOPE: Scope = CallScope(STANDARD_OPTIONS)


# Functions of libraries that are not simply called, by module and qualified name.
handlers_of_functions: dict[tuple[str, str], Handler] = {}


def runs_as_it_is(f: FunctionType, scope: Scope) -> bool:
    """Whether nothing is done to call a function that was not called before from here, whatever its arguments."""
    if _resolver.busy() or is_looked_at(f):
        return False
    if (str(f.__globals__.get("__name__")), f.__code__.co_qualname) in handlers_of_functions:
        return False
    kind = _resolver.decide(f, scope.options.call_options())
    if kind in (AS_IS, MACHINERY):
        _remember(scope, f, Entry(kind))
        return True
    return False


def resolve(f: FunctionType, scope: Scope, args: Args = (), kwargs: Kwargs = None) -> Entry:
    """How a function is called, which is decided by a call with these arguments."""
    if _resolver.busy():
        return Entry(AS_IS)  # not a decision, so not remembered
    code = f.__code__
    options = scope.options.call_options()
    handler = handlers_of_functions.get((str(f.__globals__.get("__name__")), code.co_qualname))
    if handler is not None:
        entry = Entry(BY_HANDLER)
        entry.handler = handler
    else:
        kind = _resolver.decide(f, options)
        if kind == AS_IS and str(f.__globals__.get("__name__")).partition(".")[0] in sys.stdlib_module_names:
            kind = MACHINERY  # it may look at the module of its caller
        twin = None
        if kind == CONVERT:
            staged = any_staged(args, kwargs)
            twin = _resolver.twin_of(f, options, staged)
            if twin is None:
                kind = AS_IS if staged else LIBRARY  # a call with staged arguments is told of yet
                if not _resolver.may_remember():
                    return Entry(AS_IS)
        entry = Entry(kind, twin, code)
    if is_looked_at(f):
        asked = Entry(ASKED)
        asked.otherwise, entry = entry, asked
    _remember(scope, f, entry)
    return entry


def lives_on(f: FunctionType) -> bool:
    """Whether a function is one of a module."""
    module = f.__module__
    return (
        "<" not in f.__qualname__
        and type(module) is str
        and (getattr(sys.modules.get(module), "__dict__", None) is f.__globals__)
    )


def _remember(scope: Scope, f: FunctionType, entry: Entry) -> None:
    entries, code = scope.entries, f.__code__
    key = id(code)
    entry.watch = weakref.ref(code, lambda _: entries.pop(key, None))
    entries[key] = entry
    if entry.kind == AS_IS and len(scope.direct) < MOST_KEPT and lives_on(f):
        scope.direct[f] = code


def any_staged(args: Iterable[Any], kwargs: Kwargs) -> bool:
    """Whether an argument is staged, or holds a staged value in its first layer."""
    for values in (args, kwargs.values() if kwargs else ()):
        for value in values:
            if backend_of(value) is not None:
                return True
            kind = type(value)
            if kind is list or kind is tuple:
                if any(backend_of(v) is not None for v in value):
                    return True
            elif kind is dict and any(backend_of(v) is not None for v in value.values()):
                return True
    return False


def staged_within(value: object) -> bool:
    """Whether lists and tuples hold a staged value in any layer."""
    if type(value) is not list and type(value) is not tuple:
        return backend_of(value) is not None
    return any(map(staged_within, value))


def is_converted(f: object, scope: Scope) -> bool:
    """Whether a function is called converted, or was made by converted code."""
    return type(f) is FunctionType and (entry_of(f, scope).kind == CONVERT or is_generated(f.__code__))


# What makes twins of the methods that `dataclass` writes; state: filled where these are declared.
twins_of_dataclasses: dict[str, Callable[[FunctionType, Scope], Any]] = {}


def converted_or_none(f: object, scope: Scope) -> Any:
    """The converted twin of a function that Python calls by itself; None if it runs as it is, or is none."""
    if type(f) is not FunctionType:
        return None
    entry = entry_of(f, scope)
    if entry.kind == CONVERT:
        return entry.bind(f)
    if is_generated(f.__code__):
        return f  # made by converted code: of a class in a function
    if f.__name__ in twins_of_dataclasses and f.__code__.co_qualname.startswith("__create_fn__."):
        return twins_of_dataclasses[f.__name__](f, scope)
    # `total_ordering` puts functions of its own into the user's classes
    return library_twin(f, scope) if entry.kind == LIBRARY and f.__globals__ is _functools else None


_functools = vars(functools)


def may_convert(f: object, options: ConversionOptions) -> bool:
    """Whether the policy has a function converted where it is called from code converted with `options`."""
    return type(f) is FunctionType and _resolver.decide(f, options.call_options()) == CONVERT


def entry_of(f: FunctionType, scope: Scope) -> Entry:
    """How a function is called, if it is not called in a way of a backend's own."""
    entry = scope.entries.get(id(f.__code__)) or resolve(f, scope)
    return entry.otherwise or entry


_library_entries: dict[tuple[int, ConversionOptions], Entry] = {}


def library_twin(f: FunctionType, scope: Scope) -> FunctionType | None:
    """A function of the standard library, converted for a call with staged arguments."""
    if _resolver.busy():
        return None
    code = f.__code__
    options = scope.options.call_options()
    key = (id(code), options)
    entry = _library_entries.get(key)
    if entry is None:
        twin = _resolver.twin_of(f, options, True)
        entry = Entry(AS_IS if twin is None else CONVERT, twin, code)
        entry.watch = weakref.ref(code, lambda _: _library_entries.pop(key, None))
        _library_entries[key] = entry
    return entry.bind(f) if entry.kind == CONVERT else None
