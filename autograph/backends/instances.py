"""Objects of classes that are written in Python, as what is in their attributes.

p.x, p.y = 1, 2        fields_of(p)                          {'x': 1, 'y': 2}
                       instance(Point, {'x': 3, 'y': 4})     a point with these, without a call of `Point`

A backend may so have one object where the branches of a statement leave two. That is another object than either; a
trace keeps in mind which it may be, see `aliases.py`.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Mapping, Sequence
from types import BuiltinFunctionType, FunctionType, MemberDescriptorType, ModuleType, SimpleNamespace
from typing import Any, cast

from autograph.backends.aliases import Written
from autograph.backends.journal import check_writes
from autograph.backends.own_builtins import OWN
from autograph.backends.places import attributes_of
from autograph.backends.trace import current_trace, made

globals()["__builtins__"] = OWN

IS_ONE_OF_TWO = (
    "is one of two objects, which only a running program can tell: neither it nor one of them may be written to while "
    "others are in use. Write to it ahead of the statement, or make a new object of what is in it"
)
"""What a backend says, after a name, of an object or container of `is_one_of`."""


class OneOfSeveral:
    """Base of what a backend has in the place of one of several objects, which only a running program can tell.

    What is written to it is written to the one.
    """

    __slots__ = ()

    @property
    def may_be(self) -> Sequence[object]:
        """These objects."""
        return ()


def may_be_the_same(a: object, b: object) -> bool:
    """Whether one of two values is one of several objects, and the other one of them."""
    of_a, of_b = (cast(OneOfSeveral, v).may_be if issubclass(type(v), OneOfSeveral) else (v,) for v in (a, b))
    return len(of_a) + len(of_b) > 2 and any(x is y for x in of_a for y in of_b)


_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_OF_C = 1 << 7 | 1 << 8  # Py_TPFLAGS_DISALLOW_INSTANTIATION, Py_TPFLAGS_IMMUTABLETYPE
_BARE = (object, SimpleNamespace)  # of what is written in C
_NOT_DATA = (type, FunctionType, ModuleType, BaseException, enum.Enum)


def fields_of(value: object) -> dict[str, Any] | None:
    """The attributes of an object, those in slots too; None where it is more than these, or where nobody can tell.

    >>> class Point:
    ...     def __init__(self, x, y): self.x, self.y = x, y
    >>> fields_of(Point(1, 2)), fields_of([1, 2])
    ({'x': 1, 'y': 2}, None)
    """
    kind = type(value)
    if not _is_plain(kind):
        return None
    found = dict(attributes_of(value) or {})
    for name in [name for name in found if isinstance(getattr(kind, name, None), functools.cached_property)]:
        del found[name]  # it is computed again
    found.pop("__orig_class__", None)  # how it was made, `Box[int](1)`: nothing that it holds
    for name, slot in _slots_of(kind).items():
        try:
            found[name] = slot.__get__(value)
        except AttributeError:
            continue
    return found


def _is_plain(kind: type) -> bool:
    """Whether objects of a class are nothing but their attributes."""
    if issubclass(kind, _NOT_DATA) or kind is object:
        return False
    return all(base in _BARE or _is_written_in_python(base) for base in kind.__mro__)


def _is_written_in_python(base: type) -> bool:
    """Whether a class is none of C's, which may be made at run time, too, and keep more than attributes."""
    flags = base.__flags__
    if not flags & _HEAP_TYPE or flags & _OF_C:
        return False
    return type(vars(base).get("__new__")) is not BuiltinFunctionType


def _slots_of(kind: type) -> dict[str, MemberDescriptorType]:
    return {
        name: slot
        for base in reversed(kind.__mro__)
        for name, slot in vars(base).items()
        if type(slot) is MemberDescriptorType and name != "__dict__"
    }


def instance(kind: type, fields: Mapping[str, Any]) -> Any:
    """An object of a class with these attributes, made by no code of the class; it is the trace's own."""
    found: Any = made((SimpleNamespace if issubclass(kind, SimpleNamespace) else object).__new__(kind))
    fill_instance(found, fields)
    return found


def fill_instance(value: object, fields: Mapping[str, Any]) -> None:
    """Gives an object of `instance` its attributes."""
    slots, attributes = _slots_of(type(value)), attributes_of(value)
    for name, part in fields.items():
        if name in slots:
            slots[name].__set__(value, part)
        else:
            assert attributes is not None
            attributes[name] = part


def is_one_of(value: object, sides: Sequence[Sequence[Any]], statement: object, written: Written) -> None:
    """Tells the trace that `value`, an object or container, is one of those on either of the `sides` of a statement.

    Where one of them is written the others are lost, or that is refused; `written` is called there, and gives what makes
    the error. What is on different sides of one `statement` is not the same.
    """
    trace = current_trace()
    if trace is not None:
        check_writes(trace)
        trace.aliases.joined(value, sides, statement, written)


def freeze(value: object, error: Callable[[], Exception]) -> None:
    """Has writes to `value`, and to what may be `value`, refused from now on, as others hold a copy of what is in it."""
    trace = current_trace()
    if trace is not None:
        check_writes(trace)
        trace.freeze(value, error)
