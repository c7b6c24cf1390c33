"""What Python does for an operator, an attribute or a `for`, with the user's code in it converted.

    p.value     the getter of a property, `__get__` of a descriptor, `__getattr__`
    a + b       `__add__` of `a`, or `__radd__` of `b`, in Python's order
    k in c      `__contains__`, or the elements one by one

Each function does what Python would do, by the exact types of its operands, and calls the converted twin of a function of
the user's where Python would call the function. Nothing of the user's is ever changed.
"""

# long: what Python does by itself, each kind of it once
from __future__ import annotations

import copy
import functools
import operator
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType, NoneType
from typing import Any

from autograph.backends.handing import handed
from autograph.backends.instances import may_be_the_same
from autograph.backends.journal import note_attribute, open_journals
from autograph.backends.own_builtins import OWN
from autograph.backends.protocol import StagingBackend
from autograph.backends.registry import backend_of, derives, first_backend, is_staged_type
from autograph.backends.trace import current_trace, seen, with_stand_ins
from autograph.errors import PythonOnlyConstructError
from autograph.operators.builtins import any_
from autograph.operators.decisions import Scope, converted_or_none
from autograph.operators.effects import note_changed, note_item
from autograph.operators.introspection import caller
from autograph.operators.tracebacks import is_refusal
from autograph.operators.trampolines import call_in_place

globals()["__builtins__"] = OWN

_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_IMMUTABLE_TYPE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE
_MISSING: Any = object()

# symbol: what Python calls of the left operand, of the right one, and what does all of it.
BINARY: dict[str, tuple[str, str, Callable[[Any, Any], Any]]] = {
    symbol: (f"__{name}__", f"__r{name}__", getattr(operator, function))
    for symbol, name, function in (
        ("+", "add", "add"),
        ("-", "sub", "sub"),
        ("*", "mul", "mul"),
        ("/", "truediv", "truediv"),
        ("//", "floordiv", "floordiv"),
        ("%", "mod", "mod"),
        ("**", "pow", "pow"),
        ("@", "matmul", "matmul"),
        ("<<", "lshift", "lshift"),
        (">>", "rshift", "rshift"),
        ("&", "and", "and_"),
        ("|", "or", "or_"),
        ("^", "xor", "xor"),
    )
}
IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    symbol + "=": getattr(operator, "i" + names[2].__name__.rstrip("_")) for symbol, names in BINARY.items()
}
COMPARISONS: dict[str, tuple[str, str, Callable[[Any, Any], Any]]] = {
    "<": ("__lt__", "__gt__", operator.lt),
    "<=": ("__le__", "__ge__", operator.le),
    ">": ("__gt__", "__lt__", operator.gt),
    ">=": ("__ge__", "__le__", operator.ge),
    "==": ("__eq__", "__eq__", operator.eq),
    "!=": ("__ne__", "__ne__", operator.ne),
}
UNARY: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "+_": ("__pos__", operator.pos),
    "-_": ("__neg__", operator.neg),
    "~_": ("__invert__", operator.invert),
}
# What does all of it, for each symbol.
NATIVE: dict[str, Callable[..., Any]] = {
    **IN_PLACE,
    **{symbol: functions[-1] for table in (BINARY, COMPARISONS, UNARY) for symbol, functions in table.items()},
    "in": lambda x, container: x in container,
    "not in": lambda x, container: x not in container,
}
# What these do for `+` and `*` comes after the other operand was asked.
_SEQUENCES = (list, tuple, str, bytes, bytearray, deque)
_STARTS = {"__add__", "__mul__"}


# --- what is found on types ---
def found_on(kind: type, name: str, after: type | None = None) -> Any:
    """What a type, or one that it derives from, has by a name, as it is kept there; `_MISSING` for nothing.

    With `after`, only what comes after that type.
    """
    bases = iter(type.__getattribute__(kind, "__mro__") or ())  # there is none yet while a metaclass computes it
    if after is not None:
        next((base for base in bases if base is after), None)
    for base in bases:
        found = type.__getattribute__(base, "__dict__").get(name, _MISSING)
        if found is not _MISSING:
            return found
    return _MISSING


def is_plain(kind: type) -> bool:
    """Whether no code of the user's is in a type: it is written in C, or is a backend's."""
    return not kind.__flags__ & _HEAP_TYPE or is_staged_type(kind)


def twin_on(kind: type, name: str, scope: Scope) -> Any:
    """The converted twin of what Python calls by this name for objects of a type; None if that runs as it is."""
    return None if is_plain(kind) else converted_or_none(found_on(kind, name), scope)


def has_twins(kind: type, names: tuple[str, ...], scope: Scope) -> bool:
    """Whether any of these functions of a type is converted."""
    return not is_plain(kind) and any(converted_or_none(found_on(kind, name), scope) is not None for name in names)


def has_say(o: object, names: tuple[str, ...], site: object) -> bool:
    """Whether such methods of an object are converted at a site: they go before the backend of what is beside it."""
    scope = getattr(site, "scope", None)
    if scope is None:
        return False
    return has_twins(type(o), names, scope) or ("__getitem__" in names and _by_class(o, scope) is not None)


def method_of(kind: type, name: str, scope: Scope) -> Callable[..., Any] | None:
    """What Python calls by this name, with the object as its first argument."""
    found = found_on(kind, name)
    if found is _MISSING:
        return None
    twin = None if is_plain(kind) else converted_or_none(found, scope)
    if twin is not None:
        return twin
    if type(found) is FunctionType or kind is NoneType:  # `__get__` takes None for no object
        return found
    bind = getattr(type(found), "__get__", None)
    if bind is None:
        return lambda o, *args: found(*args)
    return lambda o, *args: bind(found, o, kind)(*args)


# --- operators ---
def binary(
    a: object, b: object, symbol: str, scope: Scope, apply: Callable[[Any, Any], Any] | None = None, asked: bool = False
) -> object:
    """`a <symbol> b`, in Python's order; what nobody answers is left to `apply`.

    `asked` says that `a` has been asked before, by the name of the operator in place.
    """
    forward, reflected, native = BINARY[symbol]
    left, right = type(a), type(b)
    first, second = method_of(left, forward, scope), None
    overrides = False
    if right is not left:
        second = method_of(right, reflected, scope)
        overrides = derives(right, left) and found_on(right, reflected) is not found_on(left, reflected)
    if forward == "__mul__" or (forward == "__add__" and not overrides):
        first = None if _waits(a, forward, reflected) else first
        second = None if _waits(b, forward, reflected) else second
    steps = [(first, a, b), (second, b, a)]
    for function, one, other in reversed(steps) if overrides else steps:
        result = NotImplemented if function is None else function(one, other)
        if result is not NotImplemented:
            return result
    asked = asked or first is not None
    answered = second is not None or (right is left and asked)
    return (apply or native)(_silent(a, scope) if asked else a, _silent(b, scope) if answered else b)


def _waits(o: object, *names: str) -> bool:
    """Whether what `+` and `*` do with an object, a sequence, comes after all other operands were asked."""
    base = next((kind for kind in _SEQUENCES if issubclass(type(o), kind)), None)
    return base is not None and all(found_on(type(o), name) is found_on(base, name) for name in names)


def _silent(o: object, scope: Scope) -> Any:
    """An object whose methods have answered: to Python one of a type of the same name, which knows no operators."""
    kind = type(o)
    if is_plain(kind) or kind.__flags__ & _IMMUTABLE_TYPE:
        return o
    index = method_of(kind, "__index__", scope)
    return type(kind.__name__, (), {} if index is None else {"__index__": lambda _: index(o)})()


def in_place(a: object, b: object, symbol: str, scope: Scope) -> object:
    """`a <symbol>= b`: the new value of `a`."""
    forward = BINARY[symbol][0]
    apply = IN_PLACE[symbol + "="]
    own = "__i" + forward[2:]
    function = method_of(type(a), own, scope)
    if function is None or not _waits(a, own) or (forward == "__add__" and type(a) not in _SEQUENCES):
        result = NotImplemented if function is None else function(a, b)
        return binary(a, b, symbol, scope, apply, function is not None) if result is NotImplemented else result

    def extend(left: Any, right: Any) -> object:  # a list, say, which comes last
        return function(a, b) if forward == "__add__" or hasattr(type(b), "__index__") else apply([], right)

    return binary(a, b, symbol, scope, extend)


def compared(a: object, b: object, symbol: str, scope: Scope) -> Any:
    """`a <symbol> b`, for comparisons."""
    forward, reflected, apply = COMPARISONS[symbol]
    left, right = type(a), type(b)
    steps = [(left, forward, a, b), (right, reflected, b, a)]
    if right is not left and (derives(right, left) or is_staged_type(left)):  # which may not know the user's class
        steps.reverse()
    for kind, name, one, other in steps:
        result = _compared_by(kind, name, one, other, scope)
        if result is not NotImplemented:
            return result
    if symbol in ("==", "!="):
        return identical(a, b) == (symbol == "==")
    return apply(_silent(a, scope), _silent(b, scope))


def in_python(native: Callable[..., Any], *operands: object) -> Any:
    """What Python itself makes of operands, with its warnings at the line of the user's."""
    return handed(lambda a, k: call_in_place(native, a, k, caller()), operands, None, within=True)


def is_itself_alone(kind: type) -> bool:
    """Whether objects of a class are equal to themselves alone, as far as the class says."""
    return found_on(kind, "__eq__") is object.__eq__ and found_on(kind, "__ne__") is object.__ne__


def identical(a: object, b: object) -> Any:
    """`a is b`; of None and what a backend calls None in some runs, what is staged.

    Raises:
      PythonOnlyConstructError: only a running program can tell.
    """
    trace = current_trace()
    if a is b or trace is None:
        return a is b
    if trace.may_be_none:
        backend = backend_of(a) or backend_of(b)
        if backend is not None and (a is None or b is None):
            return backend.is_none(b if a is None else a)
    if may_be_the_same(a, b) or (trace.aliases and trace.aliases.may_be_one(a, b)):
        raise PythonOnlyConstructError(
            f"whether two objects of type {type(a).__name__} are one is not known while staging, as a staged statement has "
            "made one of two. Compare what is in them, or keep a number beside them that tells which one it is"
        )
    return False


def not_identical(a: object, b: object) -> Any:
    """`a is not b`."""
    result = identical(a, b)
    return not result if type(result) is bool else negated(result)


def _compared_by(kind: type, name: str, one: object, other: object, scope: Scope) -> object:
    if name == "__ne__" and found_on(kind, name) is object.__ne__:
        result = _compared_by(kind, "__eq__", one, other, scope)
        return result if result is NotImplemented else negated(result)
    function = method_of(kind, name, scope)
    return NotImplemented if function is None else function(one, other)


def negated(value: object) -> object:
    """`not value`."""
    backend = backend_of(value)
    return not value if backend is None else backend.not_(value)


def unary(a: object, symbol: str, scope: Scope) -> object:
    """`-a`, `+a`, `~a`."""
    name, apply = UNARY[symbol]
    twin = twin_on(type(a), name, scope)
    return apply(a) if twin is None else twin(a)


def contains(x: object, container: Any, scope: Scope) -> Any:
    """`x in container`: True, False, or what is staged."""
    kind = type(container)
    twin = twin_on(kind, "__contains__", scope)
    if twin is not None:
        result = twin(container, x)
        return bool(result) if backend_of(result) is None else result
    if found_on(kind, "__contains__") is not _MISSING:
        return x in container
    items = iterable(container, scope)
    backend = backend_of(items)
    if backend is not None:
        return backend.contains(x, items)
    return any_(x is item or compared(item, x, "==", scope) for item in items)


# --- attributes ---
def attribute(o: object, name: str, scope: Scope) -> tuple[Any, bool]:
    """`o.name`, and whether Python's own reading does the same for all objects of this type."""
    if with_stand_ins:
        seen(o)  # which may be lost
    try:
        return _attribute(o, name, scope)
    except AttributeError as error:
        if error.name is None and error.obj is None:  # Python says it where code of the user's raises it without
            error.name, error.obj = name, o
        raise


def _attribute(o: object, name: str, scope: Scope) -> tuple[Any, bool]:
    kind = type(o)
    if kind is super:
        return _super_attribute(o, name, scope), False
    if issubclass(kind, type):
        return _class_attribute(o, name, scope)
    if kind is ModuleType:
        return _module_attribute(o, name, scope), False
    if is_plain(kind):
        return getattr(o, name), True
    reader, hook = found_on(kind, "__getattribute__"), found_on(kind, "__getattr__")
    get, hooked = converted_or_none(reader, scope), converted_or_none(hook, scope)
    if hooked is None and hook is not _MISSING and get is None:
        return _declared(o, name, kind, found_on(kind, name), scope), False
    if get is None and hooked is None:
        found = found_on(kind, name)
        return _declared(o, name, kind, found, scope), not _runs_code(found, scope)
    try:
        if get is not None:
            return get(o, name), False
        return _declared(o, name, kind, found_on(kind, name), scope, object.__getattribute__), False
    except AttributeError:
        if hooked is None:
            if hook is _MISSING:
                raise
            return hook(o, name), False
    return hooked(o, name), False


def _module_attribute(o: object, name: str, scope: Scope) -> object:
    """What a module has, or what its `__getattr__` gives."""
    hook = converted_or_none(vars(o).get("__getattr__"), scope)
    if hook is None or name in vars(o):
        return getattr(o, name)
    try:
        return object.__getattribute__(o, name)
    except AttributeError:
        return hook(name)


def _runs_code(found: Any, scope: Scope) -> bool:
    kind = type(found)
    if kind is property:
        return converted_or_none(found.fget, scope) is not None
    if kind is functools.cached_property:
        return converted_or_none(found.func, scope) is not None
    return twin_on(kind, "__get__", scope) is not None


def _declared(
    o: object, name: str, kind: type, found: Any, scope: Scope, read: Callable[[Any, str], Any] = getattr
) -> Any:
    """An attribute whose class has `found` for it; `read` reads what is none of the user's code."""
    how = type(found)
    if how is property:
        get = converted_or_none(found.fget, scope)
        return read(o, name) if get is None else get(o)
    if how is functools.cached_property:
        return _cached(o, found, scope, read)
    get = None if found is _MISSING else twin_on(how, "__get__", scope)
    if get is None:
        return read(o, name)
    if found_on(how, "__set__") is _MISSING and found_on(how, "__delete__") is _MISSING:
        value = _attributes_of(o).get(name, _MISSING)
        if value is not _MISSING:
            return value
    return get(found, o, kind)


def _cached(o: object, found: Any, scope: Scope, read: Callable[[Any, str], Any]) -> Any:
    compute, name, cache = converted_or_none(found.func, scope), found.attrname, _attributes_of(o)
    if compute is None or name is None or type(cache) is not dict or name in cache:
        return read(o, found.attrname or found.func.__name__)

    def computed(o: object) -> object:
        value = compute(o)
        if open_journals:
            note_attribute(o, name, computed=True)
        return value

    # By Python's own property, whose frame stands in tracebacks and whose lock, where it has one, is held.
    twin = copy.copy(found)
    twin.func = computed
    return twin.__get__(o, type(o))


def _attributes_of(o: object) -> dict[str, Any]:
    try:
        found = object.__getattribute__(o, "__dict__")
    except AttributeError:
        return {}
    return found if isinstance(found, dict) else {}


def _super_attribute(o: object, name: str, scope: Scope) -> object:
    """What `super().name` gives."""
    read = functools.partial(super.__getattribute__, o)
    kind, inner, this = read("__self_class__"), read("__self__"), read("__thisclass__")
    found = _MISSING if kind is None or name == "__class__" else found_on(kind, name, this)
    if inner is kind or found is _MISSING or not _runs_code(found, scope):
        return getattr(o, name)
    return _declared(inner, name, kind, found, scope, lambda _, name: getattr(o, name))


def _class_attribute(o: Any, name: str, scope: Scope) -> tuple[Any, bool]:
    """An attribute of a class: the metaclass goes first, and what is found may be a descriptor."""
    kind = type(o)
    if kind is not type:
        found = found_on(kind, name)
        if found is not _MISSING and _runs_code(found, scope):
            data = type(found) is property or found_on(type(found), "__set__") is not _MISSING
            if data or found_on(o, name) is _MISSING:
                return _declared(o, name, kind, found, scope), False
    found = found_on(o, name)
    get = None if found is _MISSING else twin_on(type(found), "__get__", scope)
    return (getattr(o, name), False) if get is None else (get(found, None, o), False)


# What Python calls for `o.name = value` and `del o.name`: of a class, of a property, of a descriptor; and what does it all.
_How = tuple[str, str, str, Callable[..., None]]
SETS: _How = ("__setattr__", "fset", "__set__", setattr)
DELETES: _How = ("__delattr__", "fdel", "__delete__", delattr)


def change_attribute(how: _How, scope: Scope, o: object, name: str, *value: object) -> bool:
    """`o.name = value`, or `del o.name`; returns whether Python's own does the same for all objects of this type."""
    of_class, of_property, of_descriptor, change = how
    kind = type(o)
    function = twin_on(kind, of_class, scope)
    if function is not None:
        function(o, name, *value)
        return False
    found = _MISSING if is_plain(kind) else found_on(kind, name)
    if type(found) is property:
        function = converted_or_none(getattr(found, of_property), scope)
        if function is not None:
            function(o, *value)
            return False
    function = None if found is _MISSING else twin_on(type(found), of_descriptor, scope)
    if function is not None:
        function(found, o, *value)
        return False
    if open_journals:
        note_attribute(o, name)
    change(o, name, *value)
    return not issubclass(type(o), type)


# --- items ---
def item(o: Any, key: Any, scope: Scope) -> tuple[Any, bool]:
    """`o[key]`, and whether Python's own form does the same for all objects of this type."""
    kind = type(o)
    if is_plain(kind):
        if kind is type:
            return _item_of_class(o, key, scope), False
        backend = backend_of_key(key) if kind is list or kind is tuple else None
        return (o[key], not hasattr(kind, "__missing__")) if backend is None else (backend.get_item(o, key), False)
    get = twin_on(kind, "__getitem__", scope)
    if get is not None:
        return get(o, key), False
    missing = twin_on(kind, "__missing__", scope) if issubclass(kind, dict) else None
    if missing is not None and found_on(kind, "__getitem__") is dict.__getitem__:
        return (dict.__getitem__(o, key) if dict.__contains__(o, key) else missing(o, key)), False
    if issubclass(kind, type):
        return _item_of_class(o, key, scope), False
    return o[key], not hasattr(kind, "__missing__")


def _item_of_class(o: Any, key: object, scope: Scope) -> object:
    get = _by_class(o, scope)
    return o[key] if get is None else get(key)


def _by_class(o: object, scope: Scope) -> Callable[[object], object] | None:
    """The converted `__class_getitem__` of a class whose metaclass has no say in `o[key]`."""
    kind = type(o)
    if not issubclass(kind, type) or found_on(kind, "__getitem__") is not _MISSING:
        return None
    found = found_on(o, "__class_getitem__")  # type: ignore[arg-type]
    function = converted_or_none(found.__func__ if type(found) in (classmethod, staticmethod) else found, scope)
    return functools.partial(function, o) if function is not None and type(found) is classmethod else function


def backend_of_key(key: Any) -> StagingBackend | None:
    """The backend that stages an index, or a bound of a slice."""
    return first_backend((key.start, key.stop, key.step)) if type(key) is slice else backend_of(key)


def set_item(o: Any, key: Any, value: object, scope: Scope) -> bool:
    """`o[key] = value`; returns whether Python's own statement does the same for all objects of this type."""
    put = twin_on(type(o), "__setitem__", scope)
    if put is None:
        if open_journals:
            note_changed(o) if type(key) is slice else note_item(o, key)
        if with_stand_ins:
            o, value = seen(o), seen(value) if type(key) is slice else value
        asked = (key.start, key.stop, key.step, value) if type(key) is slice else (key,)
        backend = first_backend(asked) if type(o) is list else None
        if backend is None:
            o[key] = value
        else:
            backend.set_item(o, key, value)
        return type(key) is not slice and type(o) is not list
    put(o, key, value)
    return False


def delete_item(o: Any, key: Any, scope: Scope) -> bool:
    """`del o[key]`; returns the same."""
    drop = twin_on(type(o), "__delitem__", scope)
    if drop is None:
        if open_journals:
            note_changed(o)
        del (seen(o) if with_stand_ins else o)[key]
        return True
    drop(o, key)
    return False


# --- truth ---
TRUTHS = ("__bool__", "__len__")


def truth(o: object, scope: Scope) -> Any:
    """`bool(o)`, of an object whose `__bool__` or `__len__` is converted: True, False, or what is staged."""
    twin = twin_on(type(o), "__bool__", scope)
    if twin is not None:
        result = twin(o)
        if type(result) is not bool and backend_of(result) is None:
            raise TypeError(f"__bool__ should return bool, returned {type(result).__name__}")
        return result
    if found_on(type(o), "__bool__") is not _MISSING:
        return bool(o)
    found = length(o, scope)
    backend = backend_of(found)
    return found != 0 if backend is None else backend.not_eq(found, 0)


def length(o: Any, scope: Scope) -> Any:
    """`len(o)`, which is staged where a converted `__len__` gives what is."""
    twin = twin_on(type(o), "__len__", scope)
    if twin is None:
        return len(o)
    found = twin(o)
    return len(_Sized(found)) if backend_of(found) is None else found


class _Sized:
    """Has Python itself see whether what a `__len__` gave is a length."""

    __slots__ = ("_length",)

    def __init__(self, length: Any) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length


# --- what Python goes on to use ---
class _Stepping:
    """An iterator of the user's, whose `__next__` or `__anext__` is converted."""

    __slots__ = ("_found", "_name", "_next", "_scope", "of")

    def __init__(self, of: object, name: str, next_: Callable[[Any], Any], scope: Scope) -> None:
        self.of = of
        self._name, self._scope = name, scope
        self._found, self._next = found_on(type(of), name), next_

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> object:
        if found_on(type(self.of), self._name) is not self._found:  # it has changed its own class
            step: Any = next if self._name == "__next__" else anext
            return step(self.of)
        return self._next(self.of)

    __aiter__, __anext__ = __iter__, __next__

    def __getattr__(self, name: str) -> Any:
        """What `yield from` calls besides: `send`, `throw`, `close`."""
        function = twin_on(type(self.of), name, self._scope)
        return getattr(self.of, name) if function is None else functools.partial(function, self.of)


class _Indexed:
    """What has no `__iter__`, but a `__getitem__` that is converted, for Python's own iterator."""

    __slots__ = ("_get", "_of")

    def __init__(self, of: object, get: Callable[[Any, int], Any]) -> None:
        self._of, self._get = of, get

    def __getitem__(self, at: int) -> object:
        return self._get(self._of, at)

    def __reduce__(self) -> tuple[Any, ...]:
        return seen, (self._of,)  # which gives the sequence itself


ITERATES = ("__iter__", "__next__", "__getitem__")
CONTAINS = ("__contains__", *ITERATES)


def iterable(o: object, scope: Scope) -> Any:
    """What to go through in place of `o`."""
    kind = type(o)
    if is_plain(kind):
        return o
    begins = found_on(kind, "__iter__")
    if begins is _MISSING or begins is Sequence.__iter__:
        found = _by_index(o, lambda backend, size: backend.range_(size), scope)
        if found is not None:
            return found
    begin = twin_on(kind, "__iter__", scope)
    if begin is None and begins is _MISSING:
        get = twin_on(kind, "__getitem__", scope)
        return o if get is None else _Indexed(o, get)
    made = o if begin is None else begin(o)
    step = twin_on(type(made), "__next__", scope)
    if step is None:
        return made if begin is None or _gives_itself(made) or backend_of(made) is not None else _Begun(made)
    return _Stepping(made, "__next__", step, scope)


def backwards(o: object, scope: Scope) -> object:
    """What goes through a sequence from its end, where the length of that is staged; or None."""
    begins = found_on(type(o), "__reversed__")
    if is_plain(type(o)) or (begins is not _MISSING and begins is not Sequence.__reversed__):
        return None
    return _by_index(o, lambda backend, size: backend.reversed_(backend.range_(size)), scope)


def _by_index(o: object, indices: Callable[[StagingBackend, object], object], scope: Scope) -> object:
    """The elements of a sequence whose length is staged, at `indices`; or None. No index of it ever fails while tracing."""
    kind = type(o)
    if twin_on(kind, "__len__", scope) is None or found_on(kind, "__getitem__") is _MISSING:
        return None
    size = length(o, scope)
    backend = backend_of(size)
    return None if backend is None else backend.map_(lambda i: item(o, i, scope)[0], indices(backend, size))


def iterator_of(found: object) -> object:
    """The iterator itself, for who is given it by name."""
    return found.of if type(found) is _Stepping else found


def _gives_itself(iterator: object) -> bool:
    """Whether Python, which is to go through an iterator, may ask it for its iterator."""
    kind = type(iterator)
    return hasattr(kind, "__next__") and is_plain(kind) and kind not in weakref.ProxyTypes


class _Begun:
    """Stands for what gave an iterator, which Python does not ask for its own, or something else, which it refuses."""

    __slots__ = ("_made",)

    def __init__(self, made: object) -> None:
        self._made = made

    def __iter__(self) -> Any:
        return self._made

    __aiter__ = __iter__


def mapping(o: Any, scope: Scope) -> Any:
    """What to take items from in place of `o`, for `**` and `dict`."""
    kind = type(o)
    if is_plain(kind) or (issubclass(kind, dict) and found_on(kind, "__iter__") is dict.__iter__):
        return o
    if not hasattr(kind, "keys") or not has_twins(kind, ("keys", *ITERATES), scope):
        return o
    keys = method_of(kind, "keys", scope)
    assert keys is not None
    return {key: item(o, key, scope)[0] for key in iterable(keys(o), scope)}


def async_iterable(o: object, scope: Scope) -> object:
    """What to go through in place of `o` with `async for`."""
    begin = twin_on(type(o), "__aiter__", scope)
    made = o if begin is None else begin(o)
    step = twin_on(type(made), "__anext__", scope)
    if step is None:
        return made if begin is None or hasattr(type(made), "__anext__") else _Begun(made)
    return _Stepping(made, "__anext__", step, scope)


class _Manager:
    """A manager whose `__enter__` or `__exit__` is converted, or those of `async with`."""

    __slots__ = ("_enter", "_exit", "_of")

    def __init__(self, of: object, enter: Callable[..., Any], exit_: Callable[..., Any]) -> None:
        self._of, self._enter, self._exit = of, enter, exit_

    def __enter__(self) -> object:
        return self._enter(self._of)

    def __exit__(self, *error: object) -> object:
        handled = self._exit(self._of, *error)
        return False if is_refusal(error[1]) else handled

    __aenter__ = __enter__

    def __aexit__(self, *error: object) -> Any:
        handled = self._exit(self._of, *error)
        return _passed(handled) if is_refusal(error[1]) else handled


async def _passed(handled: Any) -> bool:
    await handled
    return False


ENTERS = ("__enter__", "__exit__")
ENTERS_ASYNC = ("__aenter__", "__aexit__")


def manager(o: object, scope: Scope, names: tuple[str, str] = ENTERS) -> object:
    """What to enter in place of `o`."""
    kind = type(o)
    if not has_twins(kind, names, scope):
        return o
    enter, exit_ = (method_of(kind, name, scope) for name in names)
    if enter is None or exit_ is None:
        return o
    return _Manager(o, enter, exit_)


class _Matched:
    """Has the attributes of an object read by converted code, for the patterns of a `match`."""

    __slots__ = ("_of", "_scope")

    def __init__(self, of: object, scope: Scope) -> None:
        self._of, self._scope = of, scope

    def __getattribute__(self, name: str) -> object:
        of, scope = object.__getattribute__(self, "_of"), object.__getattribute__(self, "_scope")
        return type(of) if name == "__class__" else attribute(of, name, scope)[0]


_MATCH_THEMSELVES = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)


def matched(o: object, names: tuple[str, ...], scope: Scope) -> object:
    """What patterns of classes take apart in place of `o`, by these names and by `__match_args__`."""
    if with_stand_ins:
        seen(o)
    kind = type(o)
    if is_plain(kind) or isinstance(o, _MATCH_THEMSELVES):
        return o
    if not has_twins(kind, ("__getattr__", "__getattribute__"), scope):
        by_position = [n for base in kind.__mro__ for n in vars(base).get("__match_args__", ())]
        if not any(_runs_code(found_on(kind, name), scope) for name in (*names, *by_position)):
            return o
    return _Matched(o, scope)


class _Formatted:
    """An object whose `__format__` or `__str__` is converted."""

    __slots__ = ("_of", "_scope")

    def __init__(self, of: object, scope: Scope) -> None:
        self._of, self._scope = of, scope

    def __format__(self, spec: str) -> Any:
        kind = type(self._of)
        twin = twin_on(kind, "__format__", self._scope)
        if twin is not None:
            return twin(self._of, spec)
        if found_on(kind, "__format__") is object.__format__ and not spec:
            return str(self)
        return format(self._of, spec)

    def __str__(self) -> Any:
        twin = twin_on(type(self._of), "__str__", self._scope)
        return str(self._of) if twin is None else twin(self._of)

    def __repr__(self) -> str:
        return repr(self._of)


FORMATS = ("__format__", "__str__")


def formatted(o: object, scope: Scope) -> object:
    """What to format in place of `o`."""
    return _Formatted(o, scope) if has_twins(type(o), FORMATS, scope) else o
