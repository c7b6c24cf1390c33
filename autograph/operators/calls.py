"""Calls of converted code: decides for each callable, once, how it is called, and remembers.

    g(x, k=1)    ->   ag__.converted_call(ag__.ld(g), (ag__.ld(x),), dict(k=1), fscope)

A function is called converted (CONVERT), as it is (AS_IS; MACHINERY for the standard library; BACKEND for functions
of a backend, whose arguments are converted where they are functions), or as it is unless an argument is staged
(LIBRARY). The decision and the conversion itself come from `conversion/`, through the resolver installed here.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import sys
import weakref
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, CellType, CodeType, FrameType, FunctionType, MethodType
from typing import Any, Protocol

# By value: a program that replaces built-in functions (tests do) must not find itself called from here.
from builtins import any, dict, getattr, id, isinstance, issubclass, len, sorted, tuple, type, zip  # noqa: UP029  # isort: skip

from autograph.backends.journal import current_journal, open_journals
from autograph.backends.registry import backend_of, known_types, on_change
from autograph.backends.trace import made, seen, shown, with_stand_ins
from autograph.operators import effects, frames, stacks
from autograph.operators.builtins import OPERATORS
from autograph.operators.variables import Undefined
from autograph.options import STANDARD_OPTIONS, ConversionOptions

CONVERT, AS_IS, LIBRARY, MACHINERY, BACKEND, BY_HANDLER = range(6)

Handler = Callable[[Any, tuple[Any, ...], dict[str, Any] | None, Any], Any]


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

    __slots__ = ("cells", "code", "handler", "kind", "layout", "position", "watch")

    def __init__(self, kind: int, twin: FunctionType | None = None, original: CodeType | None = None) -> None:
        self.kind = kind
        self.handler: Handler | None = None
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


class Entries(dict[int, Entry]):
    """Decisions by identity of code objects.

    `kept` are converted functions, with the code and the defaults that they are for; `makers` make instances of classes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[FunctionType, tuple[CodeType, FunctionType, Any]] = {}
        self.makers: dict[type, Callable[..., Any]] = {}


_entries: dict[ConversionOptions, Entries] = {}


def entries_for(options: ConversionOptions) -> Entries:
    """The decisions for functions called from code converted with `options`."""
    call_options = options.call_options()
    return _entries.setdefault(call_options, Entries())


def forget_decisions() -> None:
    """Drops all decisions: the policy has changed."""
    for entries in _entries.values():
        entries.clear()
        entries.kept.clear()
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
    makers: dict[type, Callable[..., Any]]


class CallScope:
    """Stands for the scope of a function in calls that come without one."""

    name = "fscope"

    def __init__(self, options: ConversionOptions) -> None:
        self.options = options
        self.entries = entries_for(options)
        self.kept = self.entries.kept
        self.makers = self.entries.makers


DEFAULT_SCOPE: Scope = CallScope(STANDARD_OPTIONS)


def converted_call(
    f: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    caller_fn_scope: Any = None,
    options: ConversionOptions | None = None,
) -> Any:
    """`f(*args, **kwargs)`, converting `f` first if the policy says so; raises what `f` raises.

    >>> converted_call(divmod, (7, 2), None)
    (3, 1)
    """
    kind = type(f)
    if open_journals and kind is not FunctionType and current_journal() is not None:
        effects.note_call(f, args, kwargs)
    if with_stand_ins and kind is not FunctionType and kind is not MethodType:
        f, args, kwargs = _with_stand_ins(f, args, kwargs)
        kind = type(f)
    if kind is BuiltinFunctionType or kind is type:
        special = special_callables.get(f)
        if special is not None or kind is BuiltinFunctionType:
            if not open_journals:
                return call_in_c(f, special, args, kwargs, caller_fn_scope)
            result = call_in_c(f, special, args, kwargs, caller_fn_scope)
            effects.bound(result)
            return result
    if caller_fn_scope is None:
        caller_fn_scope = DEFAULT_SCOPE if options is None else CallScope(options)
    if kind is MethodType:
        args = (f.__self__, *args)
        function = f.__func__
        kind = type(function)
    else:
        function = f
    if kind is FunctionType:
        entry = caller_fn_scope.entries.get(id(function.__code__))
        if entry is None or entry.kind > AS_IS:
            return _call_unconverted(function, args, kwargs, caller_fn_scope, entry)
        if entry.kind == AS_IS:
            if open_journals:
                effects.watch(function, args, kwargs)
            if with_stand_ins:
                args, kwargs = shown(args), shown(kwargs)
            target = function
        # The body of Entry.bind for the common case, for its frame would show in call times.
        elif function.__closure__ is None and function.__kwdefaults__ is None:
            target = FunctionType(
                entry.code, function.__globals__, function.__name__, function.__defaults__, entry.cells
            )
        else:
            target = entry.bind(function)
        return target(*args, **kwargs) if kwargs else target(*args)
    if function is not f:  # a bound method of something that is not a function
        args = args[1:]
    return _call_object(f, kind if function is f else type(f), args, kwargs, caller_fn_scope)


def call_in_c(
    f: Any, special: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, caller_fn_scope: Scope
) -> Any:
    """A call of something written in C: of a built-in function, or of what has an operator or a handler of its own."""
    if special is not None:
        operator, handler = special
        if handler is not None:
            return handler(f, args, kwargs, caller_fn_scope)
        if kwargs:
            return operator(*args, **kwargs)
        for value in args:
            if known_types.get(id(type(value)), 0) is not None:  # not known to be plain
                return operator(*args)
        return f(*args)
    if not kwargs:
        return f(*args)
    if "key" in kwargs:  # list.sort, bisect, ...
        kwargs = {**kwargs, "key": converted_callback(kwargs["key"], caller_fn_scope)}
    return f(*args, **kwargs)


def _with_stand_ins(
    f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None
) -> tuple[Any, tuple[Any, ...], dict[str, Any] | None]:
    """A call of what is no function of Python's, with what stands in for its arguments, and for what it is a method of."""
    if type(f) is BuiltinFunctionType and f.__self__ is not None:
        stand_in = seen(f.__self__)
        if stand_in is not f.__self__:
            f = getattr(stand_in, f.__name__)
    return f, shown(args), shown(kwargs)


class star_call:
    """`star_call(f, scope)(...)` is `converted_call(f, args, kwargs, scope)`; errors name it as they name `f`."""

    __slots__ = ("_f", "_scope")

    def __init__(self, f: Any, scope: Scope) -> None:
        self._f = f
        self._scope = scope

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return converted_call(self._f, args, kwargs or None, self._scope)

    def __getattribute__(self, name: str) -> Any:
        if name in ("_f", "_scope"):
            return object.__getattribute__(self, name)
        return getattr(object.__getattribute__(self, "_f"), name)

    def __str__(self) -> str:
        return str(self._f)


class making(star_call):
    """`making(f)(...)` is `f(...)`, told to the trace as an object of its own."""

    __slots__ = ()

    def __init__(self, f: Any) -> None:
        super().__init__(f, DEFAULT_SCOPE)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return effects.own_parts(self._f(*args, **kwargs))


def _call_unconverted(
    f: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Any, entry: Entry | None
) -> Any:
    if entry is None:
        entry = _resolve(f, scope, args, kwargs)
        if entry.kind == CONVERT:
            target = entry.bind(f)
            return target(*args, **kwargs) if kwargs else target(*args)
    if open_journals and entry.kind != BACKEND:
        effects.watch(f, args, kwargs)
    if with_stand_ins:
        args, kwargs = shown(args), shown(kwargs)
    if entry.kind == AS_IS:
        return f(*args, **kwargs) if kwargs else f(*args)
    if entry.kind == BACKEND:
        # `cond(p, f, g)`, `map_fn(f, xs)`: the backend will trace what it is given.
        args = tuple([converted_callback(value, scope) for value in args])
        if kwargs:
            kwargs = {name: converted_callback(value, scope) for name, value in kwargs.items()}
            return f(*args, **kwargs)
        return f(*args)
    if entry.kind == BY_HANDLER:
        assert entry.handler is not None
        return entry.handler(f, args, kwargs, scope)
    if entry.kind == LIBRARY:
        if _initialized(f, args, kwargs, scope):
            return None
        if _concerns_staged(f, args, kwargs, scope):
            twin = _library_twin(f, scope)
            if twin is not None:
                return twin(*args, **kwargs) if kwargs else twin(*args)
        f = _around_twin(f, scope)
    return frames.call_in_globals(f, args, kwargs, caller())


def runs_as_it_is(f: FunctionType, scope: Scope) -> bool:
    """Whether nothing is done to call a function that was not called before from here, whatever its arguments."""
    if _resolver.busy() or (str(f.__globals__.get("__name__")), f.__code__.co_qualname) in _caller_handlers:
        return False
    kind = _resolver.decide(f, scope.options.call_options())
    if kind in (AS_IS, MACHINERY):
        _remember(scope.entries, f.__code__, Entry(kind))
        return True
    return False


def _resolve(f: FunctionType, scope: Any, args: Iterable[Any], kwargs: dict[str, Any] | None) -> Entry:
    if _resolver.busy():
        return Entry(AS_IS)  # not a decision, so not remembered
    code = f.__code__
    options = scope.options.call_options()
    handler = _caller_handlers.get((str(f.__globals__.get("__name__")), code.co_qualname))
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
    _remember(scope.entries, code, entry)
    return entry


def _remember(entries: dict[int, Entry], code: CodeType, entry: Entry) -> None:
    key = id(code)

    def drop(_: weakref.ref[CodeType], key: int = key) -> None:
        entries.pop(key, None)

    entry.watch = weakref.ref(code, drop)
    entries[key] = entry


def any_staged(args: Iterable[Any], kwargs: dict[str, Any] | None) -> bool:
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


def _staged_within(value: Any) -> bool:
    """Whether lists and tuples hold a staged value in any layer."""
    if type(value) is not list and type(value) is not tuple:
        return backend_of(value) is not None
    return any(map(_staged_within, value))


def _concerns_staged(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> bool:
    """Whether a function of the standard library has to be converted for this call: for a staged argument, or because
    it wraps a function of the user's."""
    wrapped = getattr(f, "__wrapped__", None)
    while wrapped is not None:
        if type(wrapped) is FunctionType:
            entry = scope.entries.get(id(wrapped.__code__)) or _resolve(wrapped, scope, (), None)
            if entry.kind == CONVERT:
                return not wrapped.__code__.co_flags & _GENERATOR
        wrapped = getattr(wrapped, "__wrapped__", None)
    return any_staged(args, kwargs)


class _Beginning:
    """Stands for an object in an `__init__` without source, as of a dataclass, that calls methods of the user's."""

    __slots__ = ("__dict__", "_methods", "_of")

    def __init__(self, of: Any, methods: dict[str, Any]) -> None:
        object.__setattr__(self, "_of", of)
        object.__setattr__(self, "_methods", methods)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(object.__getattribute__(self, "_of"), name, value)

    def __getattribute__(self, name: str) -> Any:
        take = object.__getattribute__
        of, written = take(self, "_of"), take(self, "__dict__")
        for key in list(written):  # by `object.__setattr__`, as those of frozen classes are
            object.__setattr__(of, key, written.pop(key))
        method = take(self, "_methods").get(name)
        return getattr(of, name) if method is None else MethodType(method, of)


def _methods_within(kind: type, init: Any, scope: Scope) -> dict[str, Any]:
    """The methods of a class that a function without source calls, converted."""
    if type(init) is not FunctionType or init.__code__.co_filename != "<string>":
        return {}
    found = {n: converted_or_none(getattr(kind, n, None), scope) for n in init.__code__.co_names}
    return {n: method for n, method in found.items() if method is not None}


def _initialized(f: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> bool:
    """Whether `f` is the `__init__` of an object that calls methods of the user's, and was called with these converted."""
    methods = _methods_within(type(args[0]), f, scope) if args and f.__name__ == "__init__" else {}
    if methods:
        beginning = _Beginning(args[0], methods)
        f(beginning, *args[1:], **(kwargs or {}))
        beginning.__class__  # noqa: B018  # hands over what was written last
    return bool(methods)


def _around_twin(f: FunctionType, scope: Scope) -> FunctionType:
    """What a decorator of a library made of a function of the user's, around the twin of that: a `contextmanager`, say."""
    wrapped = getattr(f, "__wrapped__", None)
    twin = None if f.__closure__ is None else converted_or_none(wrapped, scope)
    if twin is None:
        return f
    cells = tuple([CellType(twin) if _holds(cell, wrapped) else cell for cell in f.__closure__ or ()])
    made = FunctionType(f.__code__, f.__globals__, f.__name__, f.__defaults__, cells)
    made.__kwdefaults__ = f.__kwdefaults__
    return made


def _holds(cell: CellType, value: Any) -> bool:
    try:
        return cell.cell_contents is value
    except ValueError:
        return False


_GENERATOR = 0x20  # CO_GENERATOR
_library_entries: dict[tuple[int, ConversionOptions], Entry] = {}


def _library_twin(f: FunctionType, scope: Scope) -> FunctionType | None:
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

        def drop(_: weakref.ref[CodeType]) -> None:
            _library_entries.pop(key, None)

        entry.watch = weakref.ref(code, drop)
        _library_entries[key] = entry
    return entry.bind(f) if entry.kind == CONVERT else None


def _call_object(f: Any, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    """Calls what is neither a function nor a method: a class, a partial, an object with `__call__`, ..."""
    if issubclass(kind, type):
        return _call_class(f, kind, args, kwargs, scope)
    if kind is functools.partial:
        merged = {**f.keywords, **kwargs} if kwargs else f.keywords
        return converted_call(f.func, f.args + args, merged, scope)
    if kind is staticmethod:
        return converted_call(f.__func__, args, kwargs, scope)
    if kind is _LRU_CACHE and any_staged(args, kwargs):
        return converted_call(f.__wrapped__, args, kwargs, scope)  # staged values are not for a cache
    if kind is _METHOD_WRAPPER and f.__name__ == frames.CALL and f.__objclass__ is type:
        return _make_instance(f.__self__, f, args, kwargs, scope)  # `super().__call__(...)` in a metaclass
    if kind in _kinds_with_counterparts and f in special_callables:
        return special_callables[f][1](f, args, kwargs, scope)  # type: ignore[misc]
    call = getattr(kind, frames.CALL, None)
    if type(call) is FunctionType:
        return converted_call(call, (f, *args), kwargs, scope)
    if kind is MethodType and type(f.__func__) not in _C_CALLABLES:
        return converted_call(f.__func__, (f.__self__, *args), kwargs, scope)
    return f(*args, **kwargs) if kwargs else f(*args)


_LRU_CACHE = functools._lru_cache_wrapper
_METHOD_WRAPPER = type(object().__str__)
_C_CALLABLES = frozenset({type(len), type(str.join), _METHOD_WRAPPER, type(object.__str__), MethodType})
_object_new = object.__new__
_type_call = type.__call__


def _call_class(f: type, kind: type, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    """Makes an instance as `type.__call__` does, with `__new__` and `__init__` converted where they are the user's."""
    if kind is not type and (issubclass(f, type) or kind.__call__ is not _type_call):
        if _is_converted(kind.__call__, scope):
            return converted_call(kind.__call__, (f, *args), kwargs, scope)
        return frames.call_in_globals(f, args, kwargs, caller())
    return _make_instance(f, f, args, kwargs, scope)


def _make_instance(f: type, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    """What `type.__call__(f, ...)` gives; `call(...)` does it without conversion."""
    new, init = f.__new__, f.__init__  # type: ignore[misc]
    if is_made_as_it_is(f, new, init, scope):
        if type(new) is FunctionType or type(init) is FunctionType or f.__module__ == "typing":
            return made(
                frames.call_in_globals(call, args, kwargs, caller())
            )  # `TypeVar` notes the module of its caller
        return effects.own_parts(call(*args, **kwargs) if kwargs else call(*args))
    if new is _object_new:
        if f.__flags__ & _ABSTRACT:
            return call(*args, **(kwargs or {}))
        instance: Any = made(_object_new(f))
    else:
        instance = converted_call(new, (f, *args), kwargs, scope)
        if not isinstance(instance, f):
            return instance
        init = type(instance).__init__
    result = converted_call(init, (instance, *args), kwargs, scope)
    if result is not None:
        raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
    return instance


def is_made_as_it_is(f: type, new: Any, init: Any, scope: Scope) -> bool:
    """Whether neither the `__new__` nor the `__init__` of a class is converted, nor what that calls."""
    return not (_is_converted(new, scope) or _is_converted(init, scope) or _methods_within(f, init, scope))


_ABSTRACT = 1 << 20  # Py_TPFLAGS_IS_ABSTRACT


def _is_converted(f: Any, scope: Scope) -> bool:
    if type(f) is not FunctionType:
        return False
    entry = scope.entries.get(id(f.__code__)) or _resolve(f, scope, (), None)
    return bool(entry.kind == CONVERT)


def converted_or_none(f: Any, scope: Scope) -> Any:
    """The converted twin of a function that Python calls by itself; None if it runs as it is, or is none."""
    if type(f) is not FunctionType:
        return None
    entry = scope.entries.get(id(f.__code__)) or _resolve(f, scope, (), None)
    if entry.kind == CONVERT:
        return entry.bind(f)
    # `total_ordering` puts functions of its own into the user's classes
    return _library_twin(f, scope) if entry.kind == LIBRARY and f.__globals__ is _functools else None


_functools = vars(functools)


def converted_callback(f: Any, scope: Scope) -> Any:
    """The function to hand to `map`, `sorted(key=)` and their like in place of `f`."""
    if scope is None:
        scope = DEFAULT_SCOPE
    kind = type(f)
    if kind is MethodType:
        target = converted_callback(f.__func__, scope)
        return f if target is f.__func__ else MethodType(target, f.__self__)
    if kind is functools.partial:
        target = converted_callback(f.func, scope)
        return f if target is f.func else functools.partial(target, *f.args, **f.keywords)
    if kind is not FunctionType or not _is_converted(f, scope):
        return f
    return scope.entries[id(f.__code__)].bind(f)


# Handlers: built-in callables that need more than a plain call.


def _with_callback(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    """Functions that call their first argument (or `key`)."""
    position = _CALLBACK_POSITION.get(f)
    if position is not None and len(args) > position:
        args = (*args[:position], converted_callback(args[position], scope), *args[position + 1 :])
    if kwargs:
        kwargs = {
            name: converted_callback(value, scope) if name in ("key", "func", "function") else value
            for name, value in kwargs.items()
        }
    return OPERATORS.get(f, f)(*args, **(kwargs or {}))


def _of_elements(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    """`any` and `all`, which look at elements too."""
    return OPERATORS[f](*args, **(kwargs or {}))


def _super(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    if args or kwargs:
        return f(*args, **(kwargs or {}))
    return frames.zero_argument_super(caller())


def _globals(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    if args or kwargs:
        return f(*args, **(kwargs or {}))
    return caller().f_globals


def _locals(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    if args or kwargs:
        return f(*args, **(kwargs or {}))
    return frames.user_locals(caller(), Undefined)


def _dir(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    if args or kwargs:
        return f(*args, **(kwargs or {}))
    return sorted(frames.user_locals(caller(), Undefined))


def _eval(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    frame = caller()
    given = dict(zip(("globals", "locals"), args[1:])) | (kwargs or {})
    if not args or given.get("globals") is not None or len(args) > 3:
        return frames.call_in_globals(f, args, kwargs, frame)
    local = given.pop("locals", None)
    given.pop("globals", None)
    if local is None:
        local = frames.user_locals(frame, Undefined)
    return frames.call_in_globals(f, (args[0], frame.f_globals, local), given, frame)


def _type(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    if len(args) == 1:
        return f(*args, **(kwargs or {}))
    return frames.call_in_globals(f, args, kwargs, caller())


def _in_globals(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    return frames.call_in_globals(f, args, kwargs, caller())


def _getframe(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    if kwargs or len(args) > 1 or (args and type(args[0]) is not int):
        return f(*args, **(kwargs or {}))
    return frames.user_frame(caller(), max(args[0], 0) if args else 0)


def _getframemodulename(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    depth = args[0] if args else (kwargs or {}).get("depth", 0)
    try:
        return frames.user_frame(caller(), max(depth, 0)).f_globals.get("__name__")
    except ValueError:
        return None


def _warn(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    kwargs = dict(kwargs or {})
    if len(args) > 2:
        kwargs["stacklevel"] = args[2]
        if len(args) > 3:
            kwargs["source"] = args[3]
        args = args[:2]
    level = kwargs.get("stacklevel", 1)
    if isinstance(level, int) and not kwargs.get("skip_file_prefixes"):
        outer = caller()
        # Frame 0 is this function, 1 its caller: the user's first frame is 1 + its distance from `caller`.
        # All frames count, because that of this function does not.
        here = _distance(sys._getframe(0), outer)
        kwargs["stacklevel"] = here + 1 + frames.levels_between(outer, max(level, 1) - 1)
    return f(*args, **kwargs)


def _distance(
    frame: FrameType | None, outer: FrameType, counts: Callable[[FrameType], bool] = lambda frame: True
) -> int:
    count = 0
    while frame is not None and frame is not outer:
        count += counts(frame)
        frame = frame.f_back
    return count


def _log(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    kwargs = dict(kwargs or {})
    level = kwargs.get("stacklevel", 1)
    converted = frames.is_generated(f.__code__)  # as part of its module: it walks the stack as the user wrote it
    if isinstance(level, int) and not converted:
        outer = caller()
        here = _distance(sys._getframe(0), outer, frames.is_counted)
        kwargs["stacklevel"] = here + 1 + frames.levels_between(outer, max(level, 1) - 1, frames.is_counted)
    return f(*args, **kwargs)


def _currentframe(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
    return f(*args, **(kwargs or {})) if args or kwargs else frames.user_frame(caller(), 0)


def _of_stack(counterpart: Callable[..., Any]) -> Handler:
    def handler(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
        return counterpart(caller(), *args, **(kwargs or {}))

    return handler


def caller() -> FrameType:
    """The frame that called `converted_call`: the innermost one that is not of this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(frames.ROOMS):
        frame = frame.f_back
    assert frame is not None
    return frame


_CALLBACK_POSITION: dict[Any, int] = {
    builtins.map: 0,
    builtins.filter: 0,
    functools.reduce: 0,
    itertools.starmap: 0,
    itertools.takewhile: 0,
    itertools.dropwhile: 0,
    itertools.filterfalse: 0,
    itertools.accumulate: 1,
    itertools.groupby: 1,
}

_handlers: dict[Any, Handler] = {
    **dict.fromkeys(_CALLBACK_POSITION, _with_callback),
    builtins.any: _of_elements,
    builtins.all: _of_elements,
    builtins.sorted: _with_callback,
    builtins.min: _with_callback,
    builtins.max: _with_callback,
    builtins.super: _super,
    builtins.globals: _globals,
    builtins.locals: _locals,
    builtins.vars: _locals,
    builtins.dir: _dir,
    builtins.eval: _eval,
    builtins.exec: _eval,
    builtins.type: _type,
    builtins.compile: _in_globals,
    builtins.__import__: _in_globals,
    sys._getframe: _getframe,
}
if hasattr(sys, "_getframemodulename"):
    _handlers[sys._getframemodulename] = _getframemodulename
_warnings = sys.modules.get("_warnings") or __import__("_warnings")
_handlers[_warnings.warn] = _warn

# For each built-in callable that is not simply called: its operator, or a handler that goes first.
special_callables: dict[Any, tuple[Callable[..., Any], Handler | None]] = {
    f: (OPERATORS.get(f, f), _handlers.get(f)) for f in {**OPERATORS, **_handlers}
}

# Functions of the standard library that look at the frame of their caller, by module and qualified name.
_caller_handlers: dict[tuple[str, str], Handler] = {
    ("inspect", "currentframe"): _currentframe,
    ("inspect", "stack"): _of_stack(stacks.frame_infos),
    ("traceback", "extract_stack"): _of_stack(stacks.extract_stack),
    ("traceback", "format_stack"): _of_stack(stacks.format_stack),
    ("traceback", "print_stack"): _of_stack(stacks.print_stack),
    ("warnings", "warn"): _warn,
    ("_py_warnings", "warn"): _warn,
    **{
        ("logging", prefix + name): _log
        for prefix in ("", "Logger.", "LoggerAdapter.")
        for name in ("debug", "info", "warning", "warn", "error", "exception", "critical", "fatal", "log")
    },
}


_kinds_with_counterparts: set[type] = set()  # besides functions and classes: callables written in C


def register_counterpart(function: Any, counterpart: Callable[..., Any]) -> None:
    """Lets `counterpart` answer calls of `function` in which an argument is staged; other calls are as they were.

    For functions written in C, and for functions of a library, whose bodies could not deal with a staged value.

    >>> import cmath
    >>> from autograph.backends import converted_call
    >>> register_counterpart(cmath.isinf, lambda z: z.is_infinite())     # `z` is the backend's own
    >>> converted_call(cmath.isinf, (1j,), None)
    False
    """

    before = None if isinstance(function, FunctionType) else special_callables.get(function)

    def handler(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
        named = kwargs or {}
        staged = any_staged(args, named) or any(map(_staged_within, args))
        if staged or before is None:
            return (counterpart if staged else f)(*args, **named)
        return call_in_c(f, before, args, kwargs, scope)

    if isinstance(function, FunctionType):
        _caller_handlers[(str(function.__globals__.get("__name__")), function.__code__.co_qualname)] = handler
    else:
        special_callables[function] = (function, handler)
        if not isinstance(function, (BuiltinFunctionType, type)):
            _kinds_with_counterparts.add(type(function))
