"""Calls of converted code: what to call in place of a callable, which is decided here and nowhere else.

    f(x, k=1)    ->   ag__.callee(f, fscope)(x, k=1)
                      ag__.converted_call(f, (x,), dict(k=1), fscope)     in printed text, which means the same

Where Python itself can make the call, there is no frame in between: a function's twin is called, the function itself, what
makes instances of a class. Where the arguments have a say in how `f` is called, a `star_call` is, which asks them. How
functions are called is told by `decisions`, of other callables by `special_callables`.
"""

# long: each kind of callable twice, as what is called in its place, and as what its arguments have it called
from __future__ import annotations

import builtins
import functools
import itertools
import operator
import sys
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, SupportsIndex

from autograph.backends.handing import handed
from autograph.backends.journal import is_told, open_journals
from autograph.backends.own_builtins import OWN
from autograph.backends.recursion import called_instead, is_called_otherwise
from autograph.backends.registry import derives, is_static, known_types, there
from autograph.backends.trace import made, open_traces, seen, with_stand_ins
from autograph.operators import effects, frames, trampolines
from autograph.operators.absent import settled_in, there_in
from autograph.operators.builtins import OPERATORS
from autograph.operators.decisions import (
    AS_IS,
    BACKEND,
    BY_HANDLER,
    CONVERT,
    DEFAULT_SCOPE,
    LIBRARY,
    MACHINERY,
    MOST_KEPT,
    Args,
    CallScope,
    Entry,
    Handler,
    Kwargs,
    Scope,
    any_staged,
    entry_of,
    handlers_of_functions,
    is_converted,
    library_twin,
    lives_on,
    resolve,
    runs_as_it_is,
    staged_within,
)
from autograph.operators.introspection import (
    below_protocols,
    caller,
    special_callables,
    special_kinds,
    special_methods,
)
from autograph.operators.library_calls import (
    about_staged_list,
    around_twin,
    concerns_staged,
    initialized,
    methods_within,
)
from autograph.options import ConversionOptions

globals()["__builtins__"] = OWN

_GENERATOR = 0x20  # CO_GENERATOR
_ABSTRACT = 1 << 20  # Py_TPFLAGS_IS_ABSTRACT
_object_new = object.__new__
_type_call = type.__call__
_LRU_CACHE = functools._lru_cache_wrapper
_METHOD_WRAPPER = type(object().__str__)
# Identities of types: those of the user's may not be hashed.
_C_CALLABLES = frozenset(map(id, (type(len), type(str.join), _METHOD_WRAPPER, type(object.__str__), MethodType)))
_FUNCTIONS = frozenset(map(id, (FunctionType, MethodType)))
_IN_PERSON = (AS_IS, MACHINERY)  # kinds of functions that are called with no frame in between


def converted_call(
    f: Any,
    args: Args,
    kwargs: Kwargs,
    caller_fn_scope: Scope | None = None,
    options: ConversionOptions | None = None,
) -> Any:
    """`f(*args, **kwargs)`, converting `f` first if the policy says so; raises what `f` raises.

    >>> converted_call(divmod, (7, 2), None)
    (3, 1)
    """
    scope = caller_fn_scope
    if scope is None:
        scope = DEFAULT_SCOPE if options is None else CallScope(options)
    target = callee(f, scope)
    if target is f and (kwargs or type(f) is not BuiltinFunctionType):
        target = star_call(f, scope)  # it may look at who calls it, or call a `key`
    return target(*args, **kwargs) if kwargs else target(*args)


def callee(f: Any, scope: Scope) -> Any:
    """What to call in place of `f`, with the same arguments, none of them called `key`, `func` or `function`.

    >>> from autograph.generated import STD, FunctionScope
    >>> callee(ord, FunctionScope("f", "fscope", STD)) is ord
    True
    """
    kind = type(f)
    if kind is FunctionType:
        kept = scope.kept.get(f)
        if kept is not None and f.__code__ is kept[0] and f.__defaults__ is kept[2]:
            return kept[1]
        entry = scope.entries.get(id(f.__code__))
        if entry is not None:
            if entry.kind == CONVERT:
                return _bound(entry, f, scope) if not open_journals else _told_of(entry.bind(f))
            if entry.kind in _IN_PERSON:
                return star_call(f, scope) if open_journals or open_traces else f
        elif runs_as_it_is(f, scope):
            return star_call(f, scope) if open_journals or open_traces else f
    elif kind is MethodType:
        function = f.__func__
        if type(function) is FunctionType:
            target = callee(function, scope)
            if target is function:
                return f
            if type(target) is FunctionType:
                return MethodType(target, f.__self__)
    elif kind is BuiltinFunctionType:
        if open_journals or open_traces:
            return star_call(f, scope)
        special = special_callables.get(f)
        if special is None:
            name = f.__name__
            if name in special_methods and id(type(f.__self__)) in special_methods[name]:
                return star_call(f, scope)
            return making(f) if name == "__new__" else f
        if special[1] is None:
            return special[0]
    elif kind is type:
        return _callee_of_class(f, scope)
    elif kind is functools.partial:
        if _CALLBACKS.isdisjoint(f.keywords):
            target = callee(f.func, scope)
            if type(target) is not star_call:
                return functools.partial(target, *f.args, **f.keywords)
    elif kind is _METHOD_WRAPPER:
        if f.__name__ == frames.CALL and id(type(f.__self__)) in _FUNCTIONS:
            return callee(f.__self__, scope)
    elif not is_static(kind) and not issubclass(kind, type):
        call = getattr(kind, frames.CALL, None)
        if type(call) is FunctionType:
            target = callee(call, scope)
            if type(target) is FunctionType:
                return MethodType(target, f)
    return star_call(f, scope)


def _callee_of_class(f: type, scope: Scope) -> Any:
    maker = scope.makers.get(f)
    if maker is not None:
        return maker
    special = special_callables.get(f)
    if special is not None:
        if special[1] is None:
            return star_call(f, scope) if open_journals and id(f) in effects.container_types else special[0]
    elif is_static(f):
        if open_journals or open_traces:
            return star_call(f, scope)
        effects.may_change(f)
        return f
    else:
        new, init = f.__new__, f.__init__  # type: ignore[misc]
        if is_made_as_it_is(f, new, init, scope):
            if open_journals or open_traces:
                return star_call(f, scope)
            if str(f.__module__).partition(".")[0] in sys.stdlib_module_names:  # it may look at its caller
                effects.may_change(f)
                return f
            return making(f)
        if new is _object_new and not f.__flags__ & _ABSTRACT:
            return _maker(f, init, scope)
    return star_call(f, scope)


def star_callee(f: Any, scope: Scope) -> Any:
    """The same where arguments come with stars, or are called as callbacks are: errors in these name `f`."""
    return callee(f, scope) if type(f) is FunctionType or type(f) is MethodType else star_call(f, scope)


_CALLBACKS = frozenset({"key", "func", "function"})


def _bound(entry: Entry, f: FunctionType, scope: Scope) -> FunctionType:
    """The converted function for `f`; kept for the next call where all it holds lives as long as a module."""
    twin = entry.bind(f)
    flags = f.__code__.co_flags
    if f.__closure__ is None and f.__kwdefaults__ is None and not flags & _GENERATOR and lives_on(f):
        if len(scope.kept) >= MOST_KEPT:
            scope.kept.clear()
        scope.kept[f] = f.__code__, twin, f.__defaults__
    return twin


def _maker(kind: type, init: FunctionType, scope: Scope) -> Callable[..., Any]:
    """What makes instances of a class whose `__init__` is converted, as `type.__call__` does."""
    target, code, defaults = callee(init, scope), init.__code__, init.__defaults__

    def make(*args: Any, **kwargs: Any) -> Any:
        if (
            kind.__init__ is not init  # type: ignore[misc]
            or init.__code__ is not code
            or init.__defaults__ is not defaults
            or kind.__new__ is not _object_new
        ):
            return star_call(kind, scope)(*args, **kwargs)
        instance: Any = made(_object_new(kind))
        result = target(instance, *args, **kwargs) if kwargs else target(instance, *args)
        if result is not None:
            raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
        return instance

    module = kind.__module__
    if type(module) is str and "<" not in kind.__qualname__:
        if getattr(sys.modules.get(module), "__dict__", {}).get(kind.__name__) is kind:
            if len(scope.makers) >= MOST_KEPT:
                scope.makers.clear()
            scope.makers[kind] = make
    return make


# --- calls that depend on what with ---
class star_call:
    """`star_call(f, scope)(...)` calls `f` as its arguments have it called; errors name it as they name `f`."""

    __slots__ = ("_f", "_scope")

    def __init__(self, f: Any, scope: Scope) -> None:
        self._f = f
        self._scope = scope

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        f = self._f
        return _HOW.get(id(type(f)), _call_object)(f, args, kwargs or None, self._scope)

    def __getattribute__(self, name: str) -> Any:
        if name in ("_f", "_scope", "__reduce_ex__"):
            return object.__getattribute__(self, name)
        return getattr(object.__getattribute__(self, "_f"), name)

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return _itself, (self._f,)  # a name alone would have to be that of this

    def __str__(self) -> str:
        return str(self._f)


def _itself(f: Any) -> Any:
    return f


class making(star_call):
    """`making(f)(...)` is `f(...)`, told to the trace as an object of its own."""

    __slots__ = ()

    def __init__(self, f: Any) -> None:
        super().__init__(f, DEFAULT_SCOPE)

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return effects.own_parts(self._f(*args, **kwargs))


def _told_of(f: FunctionType) -> Any:
    """A function as statements call it that are being traced: generators that it makes are theirs."""
    return making(f) if f.__code__.co_flags & _GENERATOR else f


def _call_function(f: FunctionType, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
    entry = scope.entries.get(id(f.__code__)) or resolve(f, scope, args, kwargs)
    if entry.otherwise is not None:
        instead = called_instead(f) if _any_staged_within(args, kwargs) else None
        if instead is not None:
            return _call_object(instead, args, kwargs, scope)
        entry = entry.otherwise
    if entry.kind == CONVERT:
        target = _told_of(entry.bind(f)) if open_journals else entry.bind(f)
        return target(*args, **kwargs) if kwargs else target(*args)
    around = around_twin(f, scope) if entry.kind == LIBRARY else f
    unconverted = around is f and not frames.is_generated(f.__code__)
    others = unconverted and entry.kind != BACKEND  # which tell of nothing that they do, and ask for nothing
    if others and open_journals:
        effects.watch(f, args, kwargs)
    if open_traces and unconverted:
        args, kwargs = there_in(f, args, kwargs) if others else settled_in(args, kwargs, within=True)
    if unconverted and with_stand_ins:
        return handed(lambda a, k: _call_unconverted(f, around, entry, a, k, scope), args, kwargs, within=others)
    return _call_unconverted(f, around, entry, args, kwargs, scope)


def _any_staged_within(args: Args, kwargs: Kwargs) -> bool:
    return any_staged(args, kwargs) or any(map(staged_within, args))


def _call_unconverted(
    f: FunctionType, around: FunctionType, entry: Entry, args: Args, kwargs: Kwargs, scope: Scope
) -> Any:
    if entry.kind == AS_IS:
        f = _told_of(f) if open_journals else f
        return f(*args, **kwargs) if kwargs else f(*args)
    if entry.kind == BACKEND:
        # `cond(p, f, g)`, `map_fn(f, xs)`: the backend will trace what it is given.
        args = tuple([converted_callback(value, scope) for value in args])
        if kwargs:
            # `rows.sort(key=len)` of what stands in for a list is Python's to the program
            kwargs = {k: (callback if k == "key" else converted_callback)(v, scope) for k, v in kwargs.items()}
            return f(*args, **kwargs)
        return f(*args)
    if entry.kind == BY_HANDLER:
        assert entry.handler is not None
        return entry.handler(f, args, kwargs, scope)
    if entry.kind == LIBRARY:
        if initialized(f, args, kwargs, scope):
            return None
        if concerns_staged(f, args, kwargs, scope):
            twin = library_twin(f, scope)
            if twin is not None:
                return twin(*args, **kwargs) if kwargs else twin(*args)
        f = around
    return trampolines.call_in_globals(f, args, kwargs, caller())


def _call_method(f: MethodType, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
    if type(f.__func__) is not FunctionType:
        return _call_object(f, args, kwargs, scope)
    if open_journals and is_told():
        effects.note_call(f, args, kwargs)
    return _call_function(f.__func__, (f.__self__, *args), kwargs, scope)


# What calls what it is given later, and what goes through its arguments later and hands on what is in them.
_KEEPING = frozenset((functools.partial, MethodType, property, staticmethod, classmethod))
_LAZY = frozenset((
    builtins.map, builtins.zip, builtins.enumerate, builtins.reversed, builtins.iter,
    itertools.starmap, itertools.chain, itertools.takewhile, itertools.dropwhile, itertools.islice, itertools.cycle,
    itertools.zip_longest,
))  # fmt: skip


def _handed(call: Callable[[Any, Any], Any], f: Any, args: Args, kwargs: Kwargs) -> Any:
    """A call of what is not converted: with what stands in for lists."""
    if not with_stand_ins:
        return call(args, kwargs)
    if type(f) is type or type(f) is BuiltinFunctionType:
        if f in _KEEPING:
            return call(args, kwargs)
        if f in _LAZY:
            return call(tuple(map(seen, args)), kwargs)
    return handed(call, args, kwargs, f.__self__ if type(f) is BuiltinFunctionType else None)


def _note(f: Any, args: Args, kwargs: Kwargs) -> None:
    """Journals are told of a call of what is no function of Python's."""
    if open_journals and is_told():
        effects.note_call(f, args, kwargs)


def _call_in_c(f: BuiltinFunctionType, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
    if open_traces:
        args, kwargs = settled_in(args, kwargs)
    _note(f, args, kwargs)
    told: Any = f
    if with_stand_ins and f.__self__ is not None:
        stand_in = seen(f.__self__)
        if stand_in is not f.__self__:
            told = getattr(stand_in, f.__name__)
    if type(told) is MethodType:
        return _call_method(told, args, kwargs, scope)
    special = special_callables.get(told)
    if special is None and told.__name__ in special_methods:
        special = special_methods[told.__name__].get(id(type(told.__self__)))
    try:
        result = _handed(lambda a, k: call_in_c(special, told, a, k, scope), told, args, kwargs)
    except TypeError as error:
        if not open_traces or type(error) is not TypeError:
            raise
        raise about_staged_list(told, args, error) from None
    if open_journals:
        effects.bound(result)
    return result


def _call_class(f: type, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
    if open_traces:
        args, kwargs = settled_in(args, kwargs)
    _note(f, args, kwargs)
    special = special_callables.get(f)
    if special is None:
        return _make_instance(f, f, args, kwargs, scope)
    result = _handed(lambda a, k: call_in_c(special, f, a, k, scope), f, args, kwargs)
    if open_journals:
        effects.bound(result)
    return result


def _call_object(f: Any, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
    """Calls a class with a metaclass of its own, a partial, an object with `__call__`, ..."""
    if open_traces:
        args, kwargs = settled_in(args, kwargs)
        function = there(f)
        if function is not f:
            return converted_call(function, args, kwargs, scope)
    kind = type(f)
    if with_stand_ins and kind in _OF_SLOTS and not kwargs:
        operation = _operation_on_stand_in(f, args)
        if operation is not None:
            return converted_call(*operation, None, scope)
    _note(f, args, kwargs)
    if issubclass(kind, type):
        if issubclass(f, type) or kind.__call__ is not _type_call:
            if is_converted(kind.__call__, scope):
                return converted_call(kind.__call__, (f, *args), kwargs, scope)
            return _handed(lambda a, k: trampolines.call_in_globals(f, a, k, caller()), f, args, kwargs)
        return _make_instance(f, f, args, kwargs, scope)
    if kind is functools.partial:
        return converted_call(f.func, f.args + args, {**f.keywords, **(kwargs or {})}, scope)
    if kind is staticmethod:
        return converted_call(f.__func__, args, kwargs, scope)
    if kind is _LRU_CACHE and any_staged(args, kwargs):
        return converted_call(f.__wrapped__, args, kwargs, scope)  # staged values are not for a cache
    if kind is _METHOD_WRAPPER and f.__name__ == frames.CALL and f.__objclass__ is type:
        return _make_instance(f.__self__, f, args, kwargs, scope)  # `super().__call__(...)` in a metaclass
    if id(kind) in special_kinds:
        return _handed(lambda a, k: special_kinds[id(kind)](f, a, k, scope), f, args, kwargs)
    if id(kind) in _kinds_with_counterparts and f in special_callables:
        handler: Any = special_callables[f][1]
        return _handed(lambda a, k: handler(f, a, k, scope), f, args, kwargs)
    call = getattr(kind, frames.CALL, None)
    if type(call) is FunctionType:
        return converted_call(call, (f, *args), kwargs, scope)
    if kind is MethodType and id(type(f.__func__)) not in _C_CALLABLES:
        return converted_call(f.__func__, (f.__self__, *args), kwargs, scope)
    return _handed(lambda a, k: trampolines.call_in_place(f, a, k, caller()), f, args, kwargs)


_OF_SLOTS = frozenset((_METHOD_WRAPPER, type(list.__len__), type(list.append)))
_OPERATIONS = {"__len__": len, "__iter__": iter, "__reversed__": reversed, "__rmul__": lambda rows, times: times * rows}


def _operation_on_stand_in(f: Any, args: Args) -> tuple[Any, Args] | None:
    """For `rows.__len__()`, `list.__len__(rows)` and `list.append(rows, x)` of a list in whose stead something stands."""
    if type(f) is not _METHOD_WRAPPER:
        if not args or type(args[0]) is not f.__objclass__:
            return None
        f, args = f.__get__(args[0]), args[1:]
    if seen(f.__self__) is f.__self__:
        return None
    if type(f) is BuiltinFunctionType:
        return f, args
    operation = _OPERATIONS.get(f.__name__) or getattr(operator, f.__name__, None)
    return None if operation is None else (operation, (f.__self__, *args))


def call_in_c(
    special: tuple[Callable[..., Any], Handler | None] | None, f: Any, args: Args, kwargs: Kwargs, scope: Scope
) -> Any:
    """A call of something written in C: of a built-in function, or of what has an operator or a handler of its own."""
    if special is not None:
        operator, handler = special
        if handler is not None:
            return handler(f, args, kwargs, scope)
        if kwargs:
            return operator(*args, **kwargs)
        for value in args:
            if known_types.get(id(type(value)), 0) is not None:  # not known to be plain
                return operator(*args)
        return f(*args)
    if not kwargs:
        return f(*args)
    if "key" in kwargs:  # list.sort, bisect, ...
        kwargs = {**kwargs, "key": callback(kwargs["key"], scope)}
    return f(*args, **kwargs)


_HOW: dict[int, Handler] = {
    id(FunctionType): _call_function,
    id(MethodType): _call_method,
    id(BuiltinFunctionType): _call_in_c,
    id(type): _call_class,
}


def _make_instance(f: type, call: Any, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
    """What `type.__call__(f, ...)` gives, with `__new__` and `__init__` converted where they are the user's;
    `call(...)` does it without conversion."""
    new, init = f.__new__, f.__init__  # type: ignore[misc]
    if is_made_as_it_is(f, new, init, scope):
        if type(new) is FunctionType or type(init) is FunctionType or f.__module__ == "typing":
            # `TypeVar` notes the module of its caller
            through = trampolines.call_in_globals
        else:
            through = trampolines.call_in_place
        return effects.own_parts(_handed(lambda a, k: through(call, a, k, caller()), f, args, kwargs))
    if new is _object_new:
        if f.__flags__ & _ABSTRACT:
            return call(*args, **(kwargs or {}))
        instance: Any = made(_object_new(f))
    else:
        instance = converted_call(new, (f, *args), kwargs, scope)
        if not derives(type(instance), f):
            return instance
        init = type(instance).__init__
    result = converted_call(init, (instance, *args), kwargs, scope)
    if result is not None:
        raise TypeError(f"__init__() should return None, not '{type(result).__name__}'")
    return instance


def is_made_as_it_is(f: type, new: object, init: object, scope: Scope) -> bool:
    """Whether neither the `__new__` nor the `__init__` of a class is converted, nor what that calls."""
    return not (is_converted(new, scope) or is_converted(init, scope) or methods_within(f, init, scope))


# --- what is handed to others, to be called ---
def converted_callback(f: Any, scope: Scope | None) -> Any:
    """The function to hand to a function of a backend in place of `f`; what is no function may be no callback."""
    scope = scope or DEFAULT_SCOPE
    kind = type(f)
    if kind is MethodType:
        target = converted_callback(f.__func__, scope)
        return f if target is f.__func__ else MethodType(target, f.__self__)
    if kind is functools.partial:
        target = converted_callback(f.func, scope)
        return f if target is f.func else functools.partial(target, *f.args, **f.keywords)
    if kind is not FunctionType:
        return f
    if is_called_otherwise(f.__code__):
        return star_call(f, scope)
    entry = entry_of(f, scope)
    return entry.bind(f) if entry.kind == CONVERT else f


def callback(f: Any, scope: Scope | None) -> Any:
    """What to hand to `map`, `sorted(key=)` and their like in place of `f`, which they call."""
    kind = type(f)
    if kind is FunctionType or kind is MethodType:
        return converted_callback(f, scope)
    if kind is functools.partial:
        target = callback(f.func, scope)
        return f if target is f.func else functools.partial(target, *f.args, **f.keywords)
    own_call = id(kind) in special_kinds or type(getattr(kind, frames.CALL, None)) is FunctionType
    if own_call or kind is BuiltinFunctionType or issubclass(type(f), type):
        target = callee(f, scope or DEFAULT_SCOPE)
        return f if type(target) is making else target
    return f


def _with_callback(f: Any, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
    """Functions that call their first argument (or `key`)."""
    position = _CALLBACK_POSITION.get(f)
    if position is not None and len(args) > position:
        args = (*args[:position], callback(args[position], scope), *args[position + 1 :])
    if kwargs:
        kwargs = {n: callback(v, scope) if n in _CALLBACKS else v for n, v in kwargs.items()}
    return OPERATORS.get(f, f)(*args, **(kwargs or {}))


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
special_callables.update(
    {
        f: (OPERATORS.get(f, f), _with_callback)
        for f in (*_CALLBACK_POSITION, builtins.sorted, builtins.min, builtins.max)
    }
)


_kinds_with_counterparts: dict[int, type] = {}  # besides functions and classes: callables written in C


def register_counterpart(function: Any, counterpart: Callable[..., Any]) -> None:
    """Lets `counterpart` answer calls of `function` in which an argument is staged; other calls are as they were.

    For functions written in C, and for functions of a library, whose bodies could not deal with a staged value. One in
    Python may be told as "module:name": its module need not be imported for that.

    >>> import cmath
    >>> from autograph.backends import converted_call
    >>> register_counterpart(cmath.isinf, lambda z: z.is_infinite())     # `z` is the backend's own
    >>> converted_call(cmath.isinf, (1j,), None)
    False
    """

    in_python = issubclass(type(function), (FunctionType, str))
    by_callable = below_protocols if function in below_protocols else special_callables
    before = None if in_python else by_callable.get(function)

    def handler(f: Any, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
        named = kwargs or {}
        staged = _any_staged_within(args, named)
        if staged or before is None:
            return (counterpart if staged else f)(*args, **named)
        return call_in_c(before, f, args, kwargs, scope)

    if issubclass(type(function), str):
        module, _, name = function.partition(":")
        handlers_of_functions[module, name] = handler
    elif in_python:
        handlers_of_functions[(str(function.__globals__.get("__name__")), function.__code__.co_qualname)] = handler
    else:
        by_callable[function] = (function, handler)
        if not issubclass(type(function), (BuiltinFunctionType, type)):
            _kinds_with_counterparts[id(type(function))] = type(function)
