"""Functions of the user's that no call leads to: Python calls them itself.

    p.value          P.value.fget               a + b            A.__add__
    with m: ...      M.__enter__, M.__exit__    D(x)             D.__post_init__, from an `__init__` without source

There is no call in converted code where a twin could be put in place of them. So, while converted code runs that may
stage, such a function carries the code object of its twin, which holds the user's body for when nothing is staged (see
`emit/two_bodies`); when the outermost converted function is left, it carries its own again. Functions stay the very
objects that they are, so whoever calls them, C code too, need not know.

Classes are met where converted code makes instances of them; in arguments; in the globals and closures of converted
functions, as they are when these are converted; and in the attributes of what is met there.
"""

from __future__ import annotations

import functools
import opcode
import threading
import weakref
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from autograph.backends.registry import is_staged_type
from autograph.options import STANDARD_OPTIONS, ConversionOptions

_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_MOST_VALUES = 400
_DEEPEST = 4
# These say something of an object or copy it: no place for staged conditions.
_LEFT_OUT = frozenset(
    f"__{name}__"
    for name in (
        "del",
        "repr",
        "reduce",
        "reduce_ex",
        "getstate",
        "setstate",
        "dir",
        "sizeof",
        "copy",
        "deepcopy",
        "new",
        "init_subclass",
        "class_getitem",
        "getnewargs",
        "getnewargs_ex",
        "subclasshook",
        "annotate",
        "annotations",
    )
)
# A function without any of these neither tests nor calls anything.
_TELLING = frozenset(
    code
    for name, code in opcode.opmap.items()
    if name.startswith(("POP_JUMP", "JUMP_IF", "CALL", "PRECALL"))
    or name in ("FOR_ITER", "UNARY_NOT", "CONTAINS_OP", "MAKE_FUNCTION", "COMPARE_OP", "TO_BOOL")
)


class _Patch:
    """A function, the code of its own, and that of its twin."""

    __slots__ = ("function", "original", "twin")

    def __init__(self, function: weakref.ref[FunctionType], original: CodeType, twin: CodeType) -> None:
        self.function = function
        self.original = original
        self.twin = twin


# From a function to the code of its twin that needs no closure but the function's own; None if there is none.
Converter = Callable[[FunctionType, ConversionOptions], "CodeType | None"]
_converter: Converter | None = None
_may_stage: Callable[[], bool] = False.__bool__
_is_plain_module: Callable[[str], bool] = bool

met: dict[int, Any] = {}  # classes looked at, by identity, with what forgets them
_patches: dict[int, _Patch] = {}
_applied = False
_entered = 0  # how many functions that the user had converted run now
_lock = threading.RLock()


def install(converter: Converter, may_stage: Callable[[], bool], is_plain_module: Callable[[str], bool]) -> None:
    """Sets who converts, whether anything may be staged now, and of which modules classes are not looked at."""
    global _converter, _may_stage, _is_plain_module
    _converter, _may_stage, _is_plain_module = converter, may_stage, is_plain_module
    forget()


def forget() -> None:
    """Drops all that was found: the policy has changed."""
    with _lock:
        _restore()
        met.clear()
        _patches.clear()


def enter() -> bool:
    """Called where a function begins that the user had converted; whether it is the outermost and may stage."""
    global _applied, _entered
    with _lock:
        _entered += 1
        if _entered > 1 or _converter is None or not _may_stage():
            return False
        if not _applied:
            _applied = True
            for patch in list(_patches.values()):
                _set(patch, patch.original, patch.twin)
    return True


def leave() -> None:
    """Called where such a function ends."""
    global _entered
    with _lock:
        _entered -= 1
        if not _entered:
            _restore()


def _restore() -> None:
    global _applied
    if _applied:
        _applied = False
        for patch in list(_patches.values()):
            _set(patch, patch.twin, patch.original)


def _set(patch: _Patch, expected: CodeType, code: CodeType) -> None:
    function = patch.function()
    if function is not None and function.__code__ is expected:
        function.__code__ = code


def original_code(function: FunctionType) -> CodeType:
    """The code of a function's own."""
    patch = _patches.get(id(function))
    return patch.original if patch is not None and function.__code__ is patch.twin else function.__code__


# What is met


def meet_values(values: Iterable[Any], options: ConversionOptions = STANDARD_OPTIONS) -> None:
    """Looks at the classes of values, and of what these hold."""
    seen: set[int] = set()
    for value in values:
        _meet_value(value, options, seen, 0)


def _meet_value(value: Any, options: ConversionOptions, seen: set[int], depth: int) -> None:
    kind = type(value)
    if depth > _DEEPEST or len(seen) > _MOST_VALUES or id(value) in seen:
        return
    if kind is list or kind is tuple or kind is dict:
        seen.add(id(value))
        for item in list(value.values() if kind is dict else value)[:_MOST_VALUES]:
            _meet_value(item, options, seen, depth + 1)
    elif kind is MethodType:
        _meet_value(value.__self__, options, seen, depth)
    elif kind is functools.partial:
        for item in (value.func, *value.args, *value.keywords.values()):
            _meet_value(item, options, seen, depth + 1)
    elif kind.__flags__ & _HEAP_TYPE:
        if isinstance(value, type):
            meet_class(value, options)
            return
        if _is_plain_module(str(kind.__module__)):
            return
        if id(kind) not in met:
            meet_class(kind, options)
        attributes = _attributes_of(value)
        if attributes:
            seen.add(id(value))
            for item in list(attributes.values())[:_MOST_VALUES]:
                _meet_value(item, options, seen, depth + 1)


def _attributes_of(value: Any) -> dict[str, Any] | None:
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except (AttributeError, TypeError):
        return None
    return attributes if type(attributes) is dict else None


def meet_names_of(function: FunctionType, options: ConversionOptions) -> None:
    """Looks at what the names in a function, and in the functions inside it, mean now."""
    names: set[str] = set()
    codes = [function.__code__]
    for code in codes:
        names.update(code.co_names)
        codes += [c for c in code.co_consts if isinstance(c, CodeType)]
    found: list[Any] = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for cell in function.__closure__ or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:
            continue
    for name in sorted(names & function.__globals__.keys()):
        value = function.__globals__[name]
        if isinstance(value, ModuleType):
            if not _is_plain_module(value.__name__):
                inside = vars(value)
                found += [inside[n] for n in sorted(names & inside.keys())]
        else:
            found.append(value)
    meet_values(found, options)


def meet_class(kind: type, options: ConversionOptions) -> None:
    """Has the functions that Python itself may call of a class, and of those it derives from, carry their twins."""
    if _converter is None or id(kind) in met:
        return
    if is_staged_type(kind):  # what its methods do is the backend's business
        met[id(kind)] = weakref.ref(kind, functools.partial(_forget_class, id(kind)))
        return
    for base in kind.__mro__:
        if id(base) in met:
            continue
        met[id(base)] = weakref.ref(base, functools.partial(_forget_class, id(base)))
        if base.__flags__ & _HEAP_TYPE and not _is_plain_module(str(base.__module__)):
            for name, member in list(vars(base).items()):
                _meet_member(name, member, options)
    if type(kind) is not type:
        meet_class(type(kind), options)


def _forget_class(key: int, _: Any) -> None:
    met.pop(key, None)


def _meet_member(name: str, member: Any, options: ConversionOptions) -> None:
    kind = type(member)
    if kind is FunctionType:
        if name.startswith("__") and name.endswith("__") and name not in _LEFT_OUT:
            meet_function(member, options)
    elif kind is property:
        for part in (member.fget, member.fset, member.fdel):
            if type(part) is FunctionType:
                meet_function(part, options)
    elif kind is functools.cached_property:
        if type(member.func) is FunctionType:
            meet_function(member.func, options)
    elif kind.__flags__ & _HEAP_TYPE and hasattr(kind, "__get__"):
        meet_class(kind, options)
        for part in (_attributes_of(member) or {}).values():  # of a property of the user's own making
            if type(part) is FunctionType:
                meet_function(part, options)


def meet_function(function: FunctionType, options: ConversionOptions) -> None:
    """Has a function carry its twin, if it is to be converted and does anything that matters."""
    if _converter is None or id(function) in _patches or not _matters(function.__code__):
        return
    twin = _converter(function, options)
    if twin is None:
        return
    key = id(function)

    def drop(_: weakref.ref[FunctionType], key: int = key) -> None:
        _patches.pop(key, None)

    with _lock:
        patch = _patches[key] = _Patch(weakref.ref(function, drop), function.__code__, twin)
        if _applied:
            _set(patch, patch.original, patch.twin)


def _matters(code: CodeType) -> bool:
    return not _TELLING.isdisjoint(code.co_code[::2])
