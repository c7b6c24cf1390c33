"""The writes of converted code, told to the journals of the staged statements that are being traced.

    self.v = 1        ->   if ag__.open_journals:
                               ag__.note_attribute(self, 'v')
                           self.v = 1

    xs.append(1)      ->   ag__.callee(xs.append, fscope)(1)     which looks up what is about to change

Python's own statements do the writing, so that all happens that can happen then: setters, errors, in Python's order.
While no part of a staged statement is traced anywhere, nothing of this runs.
"""

from __future__ import annotations

import array
import bisect
import collections
import heapq
import itertools
import operator
import sys
from collections.abc import Callable, Iterable
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType
from typing import Any

from autograph.backends.journal import (
    current_journal,
    note_attribute,
    note_contents,
    note_items,
    note_place,
    write_place,
)
from autograph.backends.own_builtins import OWN
from autograph.backends.places import Cell, Contents, Kind, attributes_of, kind_of, register_container
from autograph.backends.registry import backend_of
from autograph.backends.trace import Trace, current_trace, seen

globals()["__builtins__"] = OWN

_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE

# --- what C code changes -----------------------------------------------------------------------------------------------
_IN_PLACE = "__iadd__ __imul__ __ior__ __iand__ __isub__ __ixor__ __setitem__ __delitem__ __init__ clear"
# The methods, written in C, that change what is in an object.
MUTATING: dict[type, frozenset[str]] = {
    kind: frozenset((names + " " + _IN_PLACE).split())
    for kind, names in {
        list: "append extend insert pop remove sort reverse",
        dict: "pop popitem update setdefault move_to_end",
        set: "add discard remove pop update intersection_update difference_update symmetric_difference_update",
        collections.deque: "append appendleft extend extendleft pop popleft insert remove reverse rotate",
        bytearray: "append extend insert pop remove reverse",
        array.array: "append extend insert pop remove reverse byteswap frombytes fromfile fromlist fromunicode",
    }.items()
}
# The functions, written in C, that change their first argument.
CHANGING_FIRST: set[Any] = {
    getattr(module, name)
    for module, names in {
        heapq: "heappush heappop heapify heapreplace heappushpop heappush_max heappop_max heapify_max heapreplace_max "
        "heappushpop_max _heapify_max _heappop_max _heapreplace_max",
        bisect: "insort insort_left insort_right",
        operator: "setitem delitem iadd isub imul imatmul itruediv ifloordiv imod ipow ilshift irshift iand ior ixor "
        "iconcat",
        collections: "_count_elements",
    }.items()
    for name in names.split()
    if isinstance(getattr(module, name, None), BuiltinFunctionType)
}
_CHANGING_BY_IDENTITY: dict[int, Any] = {}
_BY_NAME: set[Any] = {setattr, delattr}
_SETTERS = frozenset({"__setattr__", "__delattr__"})


def register_mutating(kind: type, methods: Iterable[str], functions: Iterable[Any] = ()) -> None:
    """Tells which methods of a type, written in C, change an object, and which functions their first argument.

    >>> register_mutating(type(iter([])), ["__setstate__"])
    """
    MUTATING[kind] = frozenset(methods)
    _CHANGING_BY_IDENTITY.update((id(f), f) for f in functions)
    container_types[id(kind)] = kind


def _position(iterator: Any) -> Any:
    """Something that differs when an iterator has gone on."""
    if type(iterator) is GeneratorType:
        frame = iterator.gi_frame
        return None if frame is None else frame.f_lasti
    try:
        return iterator.__length_hint__()
    except (AttributeError, TypeError):  # there is none, or no end
        return object()


_SEQUENCES: tuple[Any, ...] = (
    [],
    (),
    range(0),
    range(1 << 70),
    {},
    {}.values(),
    {}.items(),
    "",
    "ä",
    b"",
    bytearray(),
    {0},
)
_REVERSIBLE: tuple[Any, ...] = ([], {}, {}.items(), {}.values())
ITERATORS: frozenset[type] = frozenset(
    {GeneratorType, zip, map, filter, enumerate, reversed}
    | {type(iter(v)) for v in _SEQUENCES}
    | {type(reversed(v)) for v in _REVERSIBLE}
    | {v for v in vars(itertools).values() if isinstance(v, type)}
)
_ITERATORS = frozenset(map(id, ITERATORS))
for _kind in ITERATORS:
    register_container(_kind, Kind(object, _position, None, operator.eq))


# Types of which a new object, when it is bound to a variable, is told to the trace; by identity, as a metaclass may have
# an odd `__hash__`.
container_types: dict[int, type] = {
    id(kind): kind
    for kind in (*MUTATING, *ITERATORS, collections.defaultdict, collections.OrderedDict, collections.Counter)
}
_NEVER_CHANGED = frozenset(
    {bool, bytes, complex, float, frozenset, int, memoryview, object, range, slice, str, tuple, type}
)


def _references(value: object) -> int:
    return sys.getrefcount(value)


def _references_of_new() -> int:
    value: list[int] = [1][:0]
    return _references(value)


def _references_of_found() -> int:
    holder: list[list[int]] = [[1][:0]]
    value = holder[0]
    return _passed_on(holder, value)


def _passed_on(holder: object, value: object) -> int:
    return _references(value)


def _references_of_part() -> int:
    return max(_references(part) for part in [[1][:0]])


# How many references are counted, which depends on Python's version, of what a variable alone has, of what was read from
# the one container that has it, and is given on, and of what a loop finds in that.
_NEW = _references_of_new()
_FOUND = _references_of_found()
_PART = _references_of_part()
_TUPLE = frozenset({id(tuple)})


def may_change(made: type) -> None:
    """Has objects of a type that is called as it is told to the trace where they are bound."""
    if id(made) not in container_types and made not in _NEVER_CHANGED:
        container_types[id(made)] = made


def changes_arguments(function: object) -> bool:
    """Whether a call of a built-in function or type is to be told of."""
    if type(function) is BuiltinFunctionType:
        return function in CHANGING_FIRST or function in _BY_NAME or function is next
    return type(function) is type and not function.__flags__ & _HEAP_TYPE and function not in _NEVER_CHANGED


def bound(value: object, names: int = 1) -> None:
    """After so many variables were bound to a container: it is the trace's own if nobody else has it."""
    trace = current_trace()
    if trace is not None and id(type(value)) in container_types and _references(value) <= _NEW + names:
        own_parts(value)


def about_to_bind(value: object) -> object:
    """The same before a variable is bound by `:=`; returns the value."""
    trace = current_trace()
    if trace is not None and id(type(value)) in container_types and _references(value) <= _NEW:
        own_parts(value)
    return value


# --- told by converted code ------------------------------------------------------------------------------------------
def note_item(container: object, index: object) -> None:
    """Before `container[index] = ...`, or its deletion."""
    if issubclass(type(container), dict):
        note_items(container, (index,))
    elif seen(container) is not container:
        note_changed(container)
    elif issubclass(type(container), list) and type(index) is int and -len(container) <= index < len(container):
        note_items(container, (index % len(container),))
    else:
        note_changed(container)


def note_changed(value: object) -> None:
    """Before a statement or function that may change what is in `value`."""
    if kind_of(value) is not None:
        note_contents(value)


def note_variable(read: Callable[[], Any], own: bool) -> None:
    """Before a `nonlocal` variable is set, which `read` reads; `own` says that it is one of a function that runs now."""
    code = read.__code__
    (cell,) = read.__closure__ or (None,)
    if cell is None:
        return
    trace = current_trace()
    if own and trace is not None:
        trace.owns(cell)
    note_place(Cell(cell, code.co_freevars[0]))


def note_global(name: str) -> None:
    """Before a `global` variable is set."""
    space = sys._getframe(1).f_globals
    note_items(space, (name,), owner=space)


def extended_list(value: object, other: object, spread: bool = False) -> object:
    """A list of Python's to which what is staged was added; NotImplemented where that is left to Python.

    `spread` where it is gone through in any case: `rows += x` of an array adds to each element.
    """
    backend = backend_of(other)
    if type(value) is not list or backend is None:
        return NotImplemented
    found = backend.list_extend(value, other)
    elements: Any = backend.list_spread([], other) if spread and found is NotImplemented else NotImplemented
    if elements is NotImplemented:
        return found
    if backend_of(elements) is not None:
        return backend.list_extend(value, elements)
    value += elements
    return value


def augmented(operation: Callable[[Any, Any], Any], value: object, other: object) -> object:
    """`value += other`, in what stands in for `value`; the new value."""
    trace = current_trace()
    stand_in = None if trace is None else trace.stand_in(value)
    if stand_in is None:
        extended = extended_list(value, other) if operation is operator.iadd else NotImplemented
        if extended is not NotImplemented:
            return extended
        found = operation(value, other)
        if type(value) is not list or found is value or backend_of(found) is None or kind_of(found) is None:
            return found  # else `rows *= n`, where only a backend counts
    else:
        found = operation(stand_in, other)
        if kind_of(found) is None:
            return found  # an array that adds to each element of a list is no list
    if found is not stand_in:
        write_place(Contents(value), found)
    return value


# --- told by calls ---------------------------------------------------------------------------------------------------
def note_missing(container: object, index: object) -> bool:
    """Before `container[index]` is read, which may put a value there; whether it does."""
    if isinstance(container, collections.defaultdict) and current_journal() is not None:
        try:
            if index not in container:
                note_items(container, (index,))
                return True
        except TypeError:  # no key, as Python is about to say
            return False
    return False


def note_found(container: object, value: object) -> None:
    """After `container[index]` was read: what a container of the trace's own is the only one to have is its own, too."""
    trace = current_trace()
    if trace is None or id(type(value)) not in container_types or not trace.is_own(container):
        return
    if _references(value) <= _FOUND:
        trace.owns(value, container)


def note_attributes(o: object, attributes: object) -> None:
    """After `o.__dict__` was read, which is as old as `o`."""
    trace = current_trace()
    if trace is not None and type(attributes) is dict:
        trace.is_part(attributes, o)


def own_parts(value: object) -> object:
    """Tells the trace of an object that C code, or code without conversion, has made with what is in it; returns it."""
    trace = current_trace()
    if trace is None:
        return value
    trace.made(value)
    for part in (attributes_of(value) or {}).values():
        if id(type(part)) in container_types and _references(part) <= _PART:
            trace.made(part)
    _own_contents(trace, value)
    return value


def _own_contents(trace: Trace, value: Any) -> None:
    """What only a container of the trace's own has in it is its own, too."""
    if issubclass(type(value), (list, tuple, collections.deque)):
        parts: Iterable[Any] = value
    elif issubclass(type(value), dict):
        parts = dict.values(value)
    else:
        return
    for part in parts:
        kind = id(type(part))
        if (kind in container_types or kind in _TUPLE) and _references(part) <= _PART:
            trace.owns(part, value)
            _own_contents(trace, part)


def note_call(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> None:
    """Before a call of something written in C."""
    kind = type(f)
    if kind is BuiltinFunctionType:
        if f in CHANGING_FIRST:
            note_changed(args[0] if args else None)
        elif f in _BY_NAME:
            _note_named(args)
        elif f.__self__ is not None and mutates(type(f.__self__), f.__name__):
            _note_method(f.__self__, f.__name__, args)
    elif kind is _METHOD_WRAPPER or kind is _METHOD_DESCRIPTOR or kind is _SLOT_WRAPPER:
        given = (f.__self__, *args) if kind is _METHOD_WRAPPER else args
        if f.__name__ in _SETTERS:
            _note_named(given)
        elif given and mutates(type(given[0]), f.__name__):
            _note_method(given[0], f.__name__, given[1:])
    elif id(f) in _CHANGING_BY_IDENTITY:
        note_changed(args[0] if args else None)
    for value in args:
        if id(type(value)) in _ITERATORS:  # which may go on
            note_contents(value)


_METHOD_WRAPPER = type(object().__str__)
_METHOD_DESCRIPTOR = type(str.join)
_SLOT_WRAPPER = type(object.__str__)


def mutates(kind: type, name: str) -> bool:
    """Whether a method of a type, written in C, changes what is in an object."""
    known = (container_types.get(id(base)) for base in kind.__mro__)
    return any(base is not None and name in MUTATING.get(base, ()) for base in known)


def _note_method(value: Any, name: str, args: tuple[Any, ...]) -> None:
    if name in ("__setitem__", "setdefault") and args:
        note_item(value, args[0])
    else:
        note_contents(value)


def _note_named(args: tuple[Any, ...]) -> None:
    if len(args) > 1 and isinstance(args[1], str):
        note_attribute(args[0], args[1])


def watch(f: object, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> None:
    """Before a call of a Python function without conversion: what it may write to its arguments and `self`."""
    called = getattr(f, "__qualname__", type(f).__qualname__)
    for value in (*args, *(kwargs.values() if kwargs else ())):
        _watch(value, called)


def _watch(value: Any, called: str) -> None:
    kind = type(value)
    if kind_of(value) is not None:
        note_contents(value, called=called)
        return
    if kind is MethodType:
        _watch(value.__self__, called)
        return
    if not kind.__flags__ & _HEAP_TYPE or issubclass(type(value), (type, FunctionType)):
        return
    attributes = attributes_of(value)
    if attributes is None:
        return
    note_contents(attributes, owner=value, called=called)
    for part in attributes.values():
        if kind_of(part) is not None:
            note_contents(part, called=called)
