"""Sites: where Python runs code of the user's with no call in the text. `emit/sites.py` says what is compiled."""

from __future__ import annotations

import threading
from types import FunctionType
from typing import Any

from autograph.backends.journal import open_journals
from autograph.backends.own_builtins import OWN
from autograph.backends.places import kind_of
from autograph.backends.registry import (
    BUILTIN_TYPES,
    backend_of,
    is_staged_type,
    is_static,
    known_types,
    settled,
    there,
)
from autograph.backends.trace import on_stand_ins, seen, with_stand_ins
from autograph.operators import contents, dispatch, getters, protocols  # noqa: F401  # put in what built-in functions do
from autograph.operators.decisions import DEFAULT_SCOPE, Scope, on_forgotten
from autograph.operators.effects import (
    augmented,
    bound,
    container_types,
    note_attributes,
    note_changed,
    note_found,
    note_missing,
    own_parts,
)

globals()["__builtins__"] = OWN

_MOST_LEARNED = 4000
_MOST_TURNS = 50  # a place that sees ever other types had better not learn each
# Types of which nobody notices how long an object lives.
_UNNOTICED = frozenset({int, float, bool, complex, str, bytes, type(None)})
# Nothing stands in for what cannot change.
# By identity, as a metaclass may make its classes unhashable.
_CONSTANT_TYPES = frozenset(map(id, (int, float, bool, complex, str, bytes, tuple, range, type(None), type, slice)))


class Site:
    """A place that knows types of its operands for which Python runs none of the user's code.

    Attributes:
      kind: the exact type for which Python's own form follows.
      also: another one, for which the site does the same.
      scope: of the function that the place is in.
    """

    __slots__ = ("_turns", "also", "kind", "scope")

    def __init__(self) -> None:
        self._turns = 0
        self.kind: type | None = None
        self.also: Any = None  # a type
        self.scope: Scope = DEFAULT_SCOPE

    def learn(self, kind: type) -> None:
        """Objects of this type need not be asked for again."""
        first = self.kind is None or self.kind is bool
        if not first:
            if self._turns > _MOST_TURNS:
                return
            self._turns += 1
        with _lock:
            if not _may_keep(self, kind):
                return
            if not first:
                self.also = self.kind
            self.kind = kind

    def forget(self) -> None:
        """What was learned is so no more."""
        self.kind = self.also = None


# What was learned of classes, which may change, and of containers, in whose stead there may be something.
_learned: list[Site] = []
_lock = threading.RLock()


def _may_keep(site: Site, kind: type) -> bool:
    if id(kind) in _CONSTANT_TYPES:
        return True
    if with_stand_ins or (not is_static(kind) and "<locals>" in type.__getattribute__(kind, "__qualname__")):
        return False  # a class that a function makes goes when the user lets it go
    if len(_learned) >= _MOST_LEARNED:
        forget_learned()
    _learned.append(site)
    return True


@on_forgotten
def forget_learned() -> None:
    """Has all places ask again."""
    if not _learned:
        return
    with _lock:
        for site in _learned:
            site.forget()
        _learned.clear()


@on_stand_ins
def _ask_for_stand_ins(types: frozenset[int]) -> None:
    forget_learned()


class AttributeRead(Site):
    """`o.name`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        if name == "__annotations__":  # evaluated when it is read, since Python 3.14, and may look at who reads
            self.kind = FunctionType

    def __call__(self, o: object) -> Any:
        if type(o) is self.also:
            return getattr(o, self.name)
        if self.name != "__class__":
            o = there(o)
        value, always = dispatch.attribute(o, self.name, self.scope)
        if self.name == "__dict__":
            note_attributes(o, value)
        elif self.name == "__class__" and (backend := backend_of(o)) is not None:
            return backend.type_(o)
        elif always and self.kind is not FunctionType:
            self.learn(type(o))
        return value


class ItemRead(Site):
    """`o[key]`."""

    __slots__ = ()

    def __call__(self, o: Any, key: object) -> Any:
        if type(o) is self.also and type(key) is not slice and not open_journals:
            return o[key]
        o = there(o)
        if with_stand_ins:
            o = seen(o)
        missing = open_journals and note_missing(o, key)
        value, always = dispatch.item(o, key, self.scope)
        if missing:
            own_parts(value)
        elif open_journals:
            note_found(o, value)
        if type(key) is slice:
            bound(value)
        elif always:
            self.learn(type(o))
        return value

    def asked(self, o: object) -> _Asked:
        """What stands before `[key]` in place of `o`."""
        return _Asked(self, o)


class ItemUpdate(ItemRead):
    """The read of `o[key] += value`, where it is the backend's to say what a staged key means for a list."""

    __slots__ = ()

    def learn(self, kind: type) -> None:
        """Of lists the type does not say all."""
        if kind is not list and kind is not tuple:
            super().learn(kind)


class _Asked:
    """An object whose items a site gives."""

    __slots__ = ("_object", "_site")

    def __init__(self, site: ItemRead, of: object) -> None:
        self._site = site
        self._object = of

    def __getitem__(self, key: object) -> Any:
        return self._site(self._object, key)


class Operation(Site):
    """An operator or a comparison, by its symbol; `+=` is the one in place, `-_` the one of one operand.

    Attributes:
      also_left, also_right: types that the site learned after the first ones, for which it does what Python does.
      holds: whether operands live on for a while, in variables of ours, where Python's own form follows.
    """

    __slots__ = ("_native", "also_left", "also_right", "holds", "left", "right", "symbol")

    def __init__(self, symbol: str, holds: bool = False) -> None:
        super().__init__()
        self.symbol = symbol
        self.holds = holds
        self._native: Any = dispatch.NATIVE[symbol]
        self.left: type | None = int  # most likely
        self.right: type | None = int
        self.also_left: type | None = None
        self.also_right: type | None = None

    def forget(self) -> None:
        """What was learned is so no more."""
        self.left = self.right = self.also_left = self.also_right = None

    def learn_both(self, left: type, right: type) -> None:
        """Python's own form will do for operands of these types."""
        with _lock:
            if not _may_keep(self, left) or not _may_keep(self, right):
                return
            first = self.also_left is None and (self.left is None or (self.left is int and self.right is int))
            if first and not (self.holds and not (left in _UNNOTICED and right in _UNNOTICED)):
                self.left, self.right = left, right
            else:
                self.also_left, self.also_right = left, right

    def __call__(self, *operands: Any) -> Any:
        symbol, scope = self.symbol, self.scope
        if len(operands) == 1:
            a = there(operands[0])
            a = seen(a) if with_stand_ins else a
            name, apply = dispatch.UNARY[symbol]
            if dispatch.has_twins(type(a), (name,), scope):
                return dispatch.unary(a, symbol, scope)
            self.learn_both(type(a), type(a))
            return dispatch.in_python(apply, a)
        a, b = operands
        left, right = type(a), type(b)
        if left is self.also_left and right is self.also_right:
            return self._native(a, b)
        compares = symbol in dispatch.COMPARISONS
        if not compares or symbol not in ("==", "!=", "in", "not in"):
            a, b = there(a), there(b)
        else:
            a, b = settled(a), there(b) if symbol in ("in", "not in") else settled(b)
        left, right = type(a), type(b)
        if symbol in dispatch.IN_PLACE:
            return self._in_place(a, b)
        if with_stand_ins:
            a, b = seen(a), seen(b)
            left, right = type(a), type(b)
        if symbol in ("in", "not in"):
            return self._contained(a, b)
        if compares and (base := contents.family(left)) and base is contents.family(right):  # what is in them counts
            more = contents.asks_more((a, b), symbol, scope)
            return contents.compared(a, b, symbol, scope) if more else self._native(a, b)
        if symbol in ("==", "!=") and dispatch.is_itself_alone(left) and dispatch.is_itself_alone(right):
            return dispatch.identical(a, b) == (symbol == "==")
        forward, reflected, native = (dispatch.COMPARISONS if compares else dispatch.BINARY)[symbol]
        names = (forward, reflected, "__eq__") if symbol == "!=" else (forward, reflected)
        if not dispatch.has_twins(left, names, scope) and not dispatch.has_twins(right, names, scope):
            # Either type alone says so, whatever it meets; the trace is told of new containers.
            if compares or (id(left) not in container_types and id(right) not in container_types):
                self.learn_both(left, right)
                return native(a, b) if id(left) in BUILTIN_TYPES else dispatch.in_python(native, a, b)
            result = native(a, b) if id(left) in BUILTIN_TYPES else dispatch.in_python(native, a, b)
            bound(result)
            return result
        return (dispatch.compared if compares else dispatch.binary)(a, b, symbol, scope)

    def ready(self, a: object, b: object) -> bool:
        """Whether Python's own `a += b` may follow, of which journals are told then."""
        if open_journals:
            note_changed(a)
        if with_stand_ins or (type(a) is list and backend_of(b) is not None) or self._is_users(a, b):
            return False
        if kind_of(a) is None:  # else journals are told of it
            self.learn_both(type(a), type(b))
        return True

    def _is_users(self, a: object, b: object) -> bool:
        """Whether an operator in place is one of the user's."""
        forward, reflected, _ = dispatch.BINARY[self.symbol[:-1]]
        names = (forward, reflected, "__i" + forward[2:])
        return dispatch.has_twins(type(a), names, self.scope) or dispatch.has_twins(type(b), names, self.scope)

    def _in_place(self, a: object, b: object) -> Any:
        native = dispatch.IN_PLACE[self.symbol]
        if self.ready(a, b):
            return native(a, b)
        if not self._is_users(a, b):
            return augmented(native, a, seen(b))
        return dispatch.in_place(a, b, self.symbol[:-1], self.scope)

    def _contained(self, x: object, container: Any) -> Any:
        kind, scope = type(container), self.scope
        if (items := contents.compared_by_python(x, container)) is not None:
            if items is not container or kind is list or kind is tuple:
                if not contents.asks_more((x, items), "==", scope):
                    return self._native(x, container)
            found = contents.contains(x, items, scope)
        elif dispatch.has_twins(kind, dispatch.CONTAINS, scope):
            found = dispatch.contains(x, container, scope)
        else:
            if not contents.is_gone_through(kind):  # of others the type says all, whatever is in them
                self.learn_both(type(x), kind)
            return self._native(x, container)
        return found if self.symbol == "in" else dispatch.negated(found)


class Truth(Site):
    """What `if`, `while`, `and`, `or`, `not` ask: True, False, or the value if it is staged."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.kind = bool  # most likely

    def __call__(self, o: object) -> Any:
        kind = type(o)
        if o is None or kind is self.also:
            return bool(o)
        if known_types.get(id(kind), 0) is not None and backend_of(o) is not None:
            return o
        if dispatch.has_twins(kind, dispatch.TRUTHS, self.scope):
            return dispatch.truth(o, self.scope)
        if not is_staged_type(kind):
            self.learn(kind)
        return bool(o)


class AttributeWrite(AttributeRead):
    """`o.name = value`."""

    __slots__ = ()
    how = dispatch.SETS

    def __call__(self, o: object, *value: object) -> None:
        o = there(o)
        if dispatch.change_attribute(self.how, self.scope, o, self.name, *value):
            self.learn(type(o))


class AttributeDelete(AttributeWrite):
    """`del o.name`."""

    __slots__ = ()
    how = dispatch.DELETES


class ItemWrite(Site):
    """`o[key] = value`."""

    __slots__ = ()

    def __call__(self, o: object, key: object, value: object) -> None:
        o = there(o)
        if dispatch.set_item(o, key, value, self.scope):
            self.learn(type(o))


class ItemDelete(Site):
    """`del o[key]`."""

    __slots__ = ()

    def __call__(self, o: object, key: object) -> None:
        o = there(o)
        if dispatch.delete_item(o, key, self.scope):
            self.learn(type(o))
