"""Lists of converted code (with `Feature.LISTS`): a Python list stays one, a staged list is replaced at each change.

l = []             l = ag__.new_list([])
l.append(x)   ->   l = ag__.list_append(l, x)
y = l.pop()        l, l_1 = ag__.list_pop(l, None, opts=ag__.ListPopOpts(element_dtype=None, element_shape=None))
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from autograph.backends.journal import note_contents, open_journals
from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of, there
from autograph.operators.calls import converted_call
from autograph.operators.effects import own_parts

globals()["__builtins__"] = OWN


class ListPopOpts(NamedTuple):
    """What is known about the element: dtype and shape, or None."""

    element_dtype: Any = None
    element_shape: Any = None


class ListStackOpts(NamedTuple):
    """What is known about the elements, and the function that stacks a Python list."""

    element_dtype: Any = None
    original_call: Any = None


def new_list(iterable: Iterable[Any] | None = None) -> object:
    """`list(iterable)`, or the list itself when it is one already (a display made just for this call)."""
    if iterable is None:
        return own_parts([])
    backend = backend_of(iterable)
    if backend is not None:
        return backend.new_list(iterable)
    return own_parts(iterable if type(iterable) is list else list(iterable))


def list_append(list_: Any, x: Any) -> Any:
    """`list_.append(x)`; returns the list."""
    list_ = there(list_)
    backend = backend_of(list_)
    if backend is not None:
        return backend.list_append(list_, x)
    if type(list_) is list:
        if open_journals:
            note_contents(list_)
        list_.append(x)
        return list_
    converted_call(list_.append, (x,), None)
    return list_


class Popped(tuple[Any, Any]):
    """What `list_pop` gives: the list and the element. Converted code may keep it in a variable, but reads it at once."""

    __slots__ = ()


def list_pop(list_: Any, i: Any = None, opts: ListPopOpts | None = None, indexed: bool = False) -> tuple[Any, Any]:
    """`list_.pop()`, or `list_.pop(i)` when `i` is not None or `indexed` is true; returns the list and the element."""
    list_ = there(list_)
    backend = backend_of(list_)
    if backend is not None:
        opts = opts or ListPopOpts()
        return Popped(backend.list_pop(list_, i, element_dtype=opts.element_dtype, element_shape=opts.element_shape))
    args = () if i is None and not indexed else (i,)
    if open_journals and type(list_) is list:
        note_contents(list_)
    return Popped((list_, list_.pop(*args) if type(list_) is list else converted_call(list_.pop, args, None)))


def list_stack(list_: object, opts: ListStackOpts | None = None) -> object:
    """The elements of a staged list as one array; for other lists what the user's own call gives."""
    opts = opts or ListStackOpts()
    backend = backend_of(list_)
    if backend is not None:
        return backend.list_stack(list_, element_dtype=opts.element_dtype, strict=opts.original_call is None)
    return list_ if opts.original_call is None else opts.original_call(list_)
