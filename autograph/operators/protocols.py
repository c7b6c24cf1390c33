"""Built-in functions that call methods of what they are given: those of the user's are called converted.

    abs(p)          P.__abs__
    sum(ps)         P.__add__
    sorted(ps)      P.__lt__
    list(p)         P.__iter__
    getattr(p, s)   the getter of a property, `P.__getattr__`

Each built-in function gets objects that act for those of the user's, with the converted methods, so that Python itself does
the rest; it gets the very objects where nothing of them is converted.
"""

from __future__ import annotations

import _bisect
import _heapq
import builtins
import functools
import math
import operator
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from types import BuiltinFunctionType, ModuleType
from typing import Any

from autograph.backends.journal import open_journals, write_place
from autograph.backends.own_builtins import OWN
from autograph.backends.places import Contents
from autograph.backends.registry import backend_of, first_backend, idle, is_static, there
from autograph.backends.trace import seen, with_stand_ins
from autograph.operators import contents, dispatch, operator_module
from autograph.operators.bisecting import Result, bisected, inserted, searched
from autograph.operators.builtins import compared_here, sorted_, sum_
from autograph.operators.calls import call_in_c, callback
from autograph.operators.combining import IN_PYTHON as COMBINING
from autograph.operators.combining import combined
from autograph.operators.context_variables import reset_variable, set_variable
from autograph.operators.decisions import DEFAULT_SCOPE, Handler, Scope, handlers_of_functions
from autograph.operators.effects import extended_list, note_attributes, note_changed
from autograph.operators.heaps import heaped
from autograph.operators.introspection import below_protocols, special_callables, special_methods
from autograph.operators.list_loops import check_iterated, iterated_by, watched
from autograph.operators.selecting import IN_PYTHON as SELECTING
from autograph.operators.selecting import selected

globals()["__builtins__"] = OWN


def acting(o: object, names: tuple[str, ...], scope: Scope) -> object:
    """An object with these methods of `o`, converted, to hand to a built-in function in place of `o`; or `o`."""
    kind = type(o)
    if is_static(kind) or not dispatch.has_twins(kind, names, scope):
        return o
    methods = {n: functools.partialmethod(_act, f) for n in names if (f := dispatch.method_of(kind, n, scope))}
    return type(kind.__name__, (_Acting,), {"__slots__": (), **methods})(o)


class _Acting:
    __slots__ = ("of",)

    def __init__(self, of: object) -> None:
        self.of = of


def _act(self: Any, function: Callable[..., Any], *args: Any) -> Any:
    return function(self.of, *map(_acted_for, args))


def _acted_for(value: Any) -> object:
    return value.of if issubclass(type(value), _Acting) else value


def _unless_plain(work: Callable[[Any, tuple[Any, ...], dict[str, Any], Any], Any]) -> Callable[[Any], Handler]:
    """A handler that first does the work where an argument is of a class of the user's, or holds something."""

    def make(function: Any) -> Handler:
        def handler(f: object, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
            changed = args if idle() else work(f, args, kwargs or {}, scope or DEFAULT_SCOPE)
            if type(changed) is Result:
                return changed.value
            return call_in_c(below_protocols.get(function), f, changed, kwargs, scope)

        return handler

    return make


def _with_methods(*names: str) -> Callable[[Any], Handler]:
    """For functions that call such methods of their arguments."""
    return _unless_plain(lambda f, args, kwargs, scope: tuple([acting(a, names, scope) for a in args]))


def _computed(*names: str) -> Callable[[Any], Handler]:
    """For functions that take a number from the first of such methods of their argument, which may be staged."""

    def work(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> object:
        kind = type(args[0]) if len(args) == 1 else int
        name = next((n for n in names if hasattr(kind, n)), names[0])
        twin = None if is_static(kind) else dispatch.twin_on(kind, name, scope)
        if twin is None:
            return args
        value = twin(args[0])
        backend = backend_of(value)
        if backend is None:  # Python looks at it
            return (type(kind.__name__, (), {name: lambda self: value})(),)
        return Result(value if f is len else getattr(backend, f"{f.__name__}_")(value))

    return _unless_plain(work)


def _iterate(f: object, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    return (dispatch.iterable(args[0], scope),) if len(args) == 1 else args


def _go_through(f: object, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    """For functions that give an iterator, whose user may change what it goes through."""
    found = tuple([dispatch.iterable(a, scope) for a in args])
    return found if any(backend_of(a) is not None for a in found) else tuple(map(watched, found))


def _extend(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    items = f.__self__
    if len(args) == 1 and type(items) is list and seen(items) is items:
        if open_journals:
            note_changed(items)
        if extended_list(items, seen(args[0]), spread=True) is not NotImplemented:
            return Result(None)
    return _iterate(f, args, kwargs, scope)


def _iterate_after(f: object, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    """For functions whose first argument is what they call."""
    return (*args[:1], *_go_through(f, args[1:], kwargs, scope))


def _backwards(f: object, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    if len(args) != 1:
        return args
    found = dispatch.backwards(args[0], scope)
    return (acting(args[0], ("__reversed__", "__len__", "__getitem__"), scope),) if found is None else Result(found)


def _iter(f: object, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    if len(args) != 1:  # what to call, and where to end
        return args
    found = dispatch.iterable(args[0], scope)
    own = dispatch.iterator_of(found)
    return (found,) if own is found else Result(own)


def _next(f: object, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    of = iterated_by(args[0]) if args and with_stand_ins else None
    if of is not None and of is not args[0]:
        check_iterated(of)
    return tuple([acting(a, ("__next__",), scope) for a in args])


def _as_mapping(f: object, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    if len(args) != 1:
        return args
    found = dispatch.mapping(args[0], scope)
    return (dispatch.iterable(found, scope) if found is args[0] and not hasattr(found, "keys") else found,)


def _have(values: Iterable[Any], names: tuple[str, ...], scope: Scope) -> bool:
    kinds = {id(type(v)): type(v) for v in values}  # a metaclass may make its classes unhashable
    return any(not is_static(kind) and dispatch.has_twins(kind, names, scope) for kind in kinds.values())


def _sum(f: object, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> object:
    args = (dispatch.iterable(args[0], scope), *args[1:]) if args else args
    items = args[0] if args else ()
    is_list = type(items) is list or type(items) is tuple
    if not is_list or not _have((*items, *args[1:], *kwargs.values()), ("__add__", "__radd__"), scope):
        return Result(sum_(*args, **kwargs))
    total = args[1] if len(args) > 1 else kwargs.get("start", 0)
    for item in items:
        total = dispatch.binary(total, item, "+", scope)
    return Result(total)


_ORDER = ("__lt__", "__gt__")


def _acting_alike(items: Iterable[Any], names: tuple[str, ...], scope: Scope) -> list[Any]:
    """All of these, those that have converted methods as what acts for them."""
    return [acting(item, names, scope) for item in items]


def _ordered(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    args = _iterate(f, args, kwargs, scope) if len(args) == 1 else args
    items = args[0] if len(args) == 1 else args
    if (
        (type(items) is not list and type(items) is not tuple)
        or kwargs.get("key") is not None
        or not _have(items, _ORDER, scope)
    ):
        return args
    found = f(_acting_alike(items, _ORDER, scope), **kwargs)
    return Result([*map(_acted_for, found)] if type(found) is list else _acted_for(found))


def _sort(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    items = f.__self__
    asks = first_backend(items) is not None or compared_here(items, kwargs.get("key"))
    if not args and kwargs.keys() <= {"key", "reverse"} and asks:
        named = {k: callback(v, scope) if k == "key" else v for k, v in kwargs.items() if v is not None}
        found = seen(sorted_(items, **named))
        if type(found) is list:
            items[:] = found
        else:  # whose length only the graph knows
            write_place(Contents(items), found)
        return Result(None)
    if args or kwargs.get("key") is not None or not _have(items, _ORDER, scope):
        return args
    acted = _acting_alike(items, _ORDER, scope)
    acted.sort(**kwargs)
    items[:] = map(_acted_for, acted)
    return Result(None)


def _in_order(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    """The functions of `heapq` and `bisect`, whose first argument is a list in some order."""
    if not args or type(args[0]) is not list or kwargs.get("key") is not None:
        return args
    items = args[0]
    if not _have((*items, *args[1:]), _ORDER, scope):
        return args
    acted = _acting_alike(items, _ORDER, scope)
    result = f(acted, *_acting_alike(args[1:], _ORDER, scope), **kwargs)
    acted[:] = map(_acted_for, acted)
    if len(acted) != len(items) or any(map(operator.is_not, acted, items)):
        items[:] = acted
    return Result(_acted_for(result))


def _asks(x: object, items: Iterable[Any], scope: Scope) -> bool:
    """Whether more than Python itself is asked where a sequence has what is equal to `x`."""
    return contents.asks_more((x, *items), "==", scope)


def _index(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    items = f.__self__
    if not args or kwargs or not _asks(args[0], items, scope):
        return args
    x, start, stop, *_ = (*args, None, None)
    places = range(len(items))[slice(start, stop)]
    return Result(contents.index(x, items, scope, places, lambda: type(items)().index(x)))


def _count(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    if len(args) != 1 or kwargs or not _asks(args[0], f.__self__, scope):
        return args
    return Result(contents.count(args[0], f.__self__, scope))


def _remove(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> Any:
    items = f.__self__
    if len(args) != 1 or kwargs or not _asks(args[0], items, scope):
        return args
    found = contents.index(args[0], items, scope, range(len(items)), lambda: type(items)().remove(args[0]))
    if backend_of(found) is not None:
        left = contents.without(found, items)
        items.clear()
        items.extend(left)
        return Result(None)
    del items[found]
    return Result(None)


def reads_plainly(o: object) -> bool:
    """Whether attributes of an object are read without any code of the user's."""
    return is_static(type(o)) and not issubclass(type(o), ModuleType)


def _getattr(f: object, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> object:
    if not 1 < len(args) < 4 or kwargs or type(args[1]) is not str:
        return args
    if reads_plainly(args[0]) and args[1] != "__dict__":
        return args
    try:
        found = dispatch.attribute(args[0], args[1], scope)[0]
    except AttributeError:
        if len(args) == 2:
            raise
        return Result(args[2])
    if args[1] == "__dict__":
        note_attributes(args[0], found)
    return Result(found)


def _hasattr(f: object, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> object:
    if len(args) != 2 or kwargs or type(args[1]) is not str or reads_plainly(args[0]):
        return args
    try:
        dispatch.attribute(args[0], args[1], scope)
    except AttributeError:
        return Result(False)
    return Result(True)


def _change(f: object, args: tuple[Any, ...], kwargs: dict[str, Any], scope: Scope) -> object:
    count, how = (3, dispatch.SETS) if f is setattr else (2, dispatch.DELETES)
    if len(args) != count or kwargs or type(args[1]) is not str or is_static(type(args[0])):
        return args
    dispatch.change_attribute(how, scope, there(args[0]), *args[1:])
    return Result(None)


def _operation(symbol: str) -> Callable[[Any], Handler]:
    """For the functions of `operator`."""
    if symbol in dispatch.UNARY:
        return _with_methods(dispatch.UNARY[symbol][0])
    return _unless_plain(operator_module.binary(symbol))


_ITERATING = _unless_plain(_iterate)
_STRING = ("__str__", "__repr__")
_HANDLERS: dict[Any, Callable[[Any], Handler]] = {
    **{f: _with_methods(f"__{f.__name__}__") for f in (abs, round, math.floor, math.ceil, math.trunc, hash)},
    next: _unless_plain(_next),
    **{f: _with_methods(f"__{f.__name__}__", f"__r{f.__name__}__") for f in (divmod, pow)},
    **dict.fromkeys((list, tuple, set, frozenset, any, all), _ITERATING),
    enumerate: _unless_plain(lambda f, args, kwargs, scope: (*_go_through(f, args[:1], kwargs, scope), *args[1:])),
    zip: _unless_plain(_go_through),
    builtins.map: _unless_plain(_iterate_after),
    **dict.fromkeys(SELECTING, _unless_plain(selected(lambda f, args, kwargs, scope: args))),
    filter: _unless_plain(selected(_iterate_after)),
    **dict.fromkeys(COMBINING, _unless_plain(searched(combined, lambda f, args, kwargs, scope: args))),
    iter: _unless_plain(_iter),
    dict: _unless_plain(_as_mapping),
    len: _computed("__len__"),
    int: _computed("__int__", "__index__", "__trunc__"),
    float: _computed("__float__", "__index__"),
    complex: _with_methods("__complex__", "__float__", "__index__"),
    bool: _unless_plain(operator_module.truth),
    str: _with_methods(*_STRING),
    print: _with_methods(*_STRING),
    repr: _with_methods("__repr__"),
    format: _with_methods("__format__", *_STRING),
    reversed: _unless_plain(_backwards),
    sum: _unless_plain(_sum),
    **dict.fromkeys((sorted, min, max), _unless_plain(_ordered)),
    getattr: _unless_plain(_getattr),
    hasattr: _unless_plain(_hasattr),
    **dict.fromkeys((setattr, delattr), _unless_plain(_change)),
    **{f: _unless_plain(work) for f, work in operator_module.WORKS.items()},
    **{
        t[-1]: _operation(s)
        for s, t in (*dispatch.BINARY.items(), *dispatch.COMPARISONS.items(), *dispatch.UNARY.items())
    },
}
_HANDLERS |= dict.fromkeys(
    (f for f in vars(_bisect).values() if isinstance(f, BuiltinFunctionType)),
    _unless_plain(searched(bisected, _in_order)),
) | dict.fromkeys(
    (f for f in vars(_heapq).values() if isinstance(f, BuiltinFunctionType)), _unless_plain(searched(heaped, _in_order))
)
for _function, _make in _HANDLERS.items():
    _before = below_protocols[_function] = special_callables.get(_function)
    special_callables[_function] = (_function if _before is None else _before[0], _make(_function))

_METHODS: dict[str, tuple[tuple[type, ...], Callable[[Any], Handler]]] = {
    "insert": ((list,), _unless_plain(searched(inserted, lambda f, args, kwargs, scope: args))),
    "sort": ((list,), _unless_plain(_sort)),
    "index": ((list, tuple, deque), _unless_plain(_index)),
    "count": ((list, tuple, deque), _unless_plain(_count)),
    "remove": ((list, deque), _unless_plain(_remove)),
    "extend": ((list, deque), _unless_plain(_extend)),
    "update": ((dict, OrderedDict, defaultdict), _unless_plain(_as_mapping)),
    "extendleft": ((deque,), _ITERATING),
    "join": ((str, bytes), _ITERATING),
    "set": ((ContextVar,), lambda _: set_variable),
    "reset": ((ContextVar,), lambda _: reset_variable),
}
for _name, (_kinds, _make) in _METHODS.items():
    special_methods[_name] = {id(kind): (getattr(kind, _name), _make(None)) for kind in _kinds}


# --- exit stacks ---
def _on_stack(handed: Callable[[Any, Scope], Any]) -> Handler:
    """For methods of exit stacks, to whose first argument `handed` gives what is called for it; they may give it back."""

    def handler(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None, scope: Scope) -> Any:
        if len(args) < 2:
            return f(*args, **(kwargs or {}))
        stack, given, *others = args
        taken = handed(given, scope or DEFAULT_SCOPE)
        result = f(stack, taken, *others, **(kwargs or {}))
        return given if result is taken else result

    return handler


def _exit(given: object, scope: Scope, names: tuple[str, str] = dispatch.ENTERS) -> object:
    found = dispatch.manager(given, scope, names)
    return callback(given, scope) if found is given else found


handlers_of_functions |= {
    ("contextlib", f"{kind}.{name}"): _on_stack(handed)
    for kind, name, handed in (
        ("_BaseExitStack", "enter_context", dispatch.manager),
        ("_BaseExitStack", "push", _exit),
        ("_BaseExitStack", "callback", callback),
        ("AsyncExitStack", "enter_async_context", functools.partial(dispatch.manager, names=dispatch.ENTERS_ASYNC)),
        ("AsyncExitStack", "push_async_exit", functools.partial(_exit, names=dispatch.ENTERS_ASYNC)),
        ("AsyncExitStack", "push_async_callback", callback),
    )
}
