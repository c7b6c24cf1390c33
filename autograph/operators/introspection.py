"""Functions that look at the frame of their caller, or are no functions of Python's: what is done to call them.

super()             the class and the first argument of the user's function, whichever part of it runs
warnings.warn(m)    the stack level that the user means
eval(text)          the names of the user's function
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from autograph.backends.instances import OneOfSeveral
from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of
from autograph.backends.trace import seen
from autograph.operators import frames, stacks, trampolines
from autograph.operators.builtins import OPERATORS
from autograph.operators.decisions import Args, Handler, Kwargs, Scope, handlers_of_functions
from autograph.operators.effects import note_attributes
from autograph.operators.variables import Undefined

globals()["__builtins__"] = OWN


def _of_elements(f: object, args: Args, kwargs: Kwargs, scope: Scope) -> object:
    """`any` and `all`, which look at elements too."""
    return OPERATORS[f](*args, **(kwargs or {}))


def _of_frame(look: Callable[[FrameType], object]) -> Handler:
    """What looks at the frame of its caller where it is given nothing."""
    return lambda f, args, kwargs, scope: f(*args, **(kwargs or {})) if args or kwargs else look(caller())


def _locals(f: Any, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
    if args or kwargs:
        found = f(*args, **(kwargs or {}))
        note_attributes(args[0], found)
        return found
    return frames.user_locals(caller(), Undefined)


def _eval(f: object, args: Args, kwargs: Kwargs, scope: Scope) -> object:
    frame = caller()
    given = dict(zip(("globals", "locals"), args[1:])) | (kwargs or {})
    if not args or given.get("globals") is not None or len(args) > 3:
        return trampolines.call_in_globals(f, args, kwargs, frame)
    local = given.pop("locals", None)
    given.pop("globals", None)
    local = frames.user_locals(frame, Undefined) if local is None else local
    return trampolines.call_in_globals(f, (args[0], frame.f_globals, local), given, frame)


def _type(f: Any, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
    if len(args) == 1 and not kwargs:
        value = seen(args[0])
        backend = backend_of(value)
        if issubclass(type(value), OneOfSeveral) and backend is None:
            return value.__class__
        return f(value) if backend is None else backend.type_(value)
    return trampolines.call_in_globals(f, args, kwargs, caller())


def _in_globals(f: object, args: Args, kwargs: Kwargs, scope: Scope) -> object:
    return trampolines.call_in_globals(f, args, kwargs, caller())


def _getframe(f: Any, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
    if kwargs or len(args) > 1 or (args and type(args[0]) is not int):
        return f(*args, **(kwargs or {}))
    return frames.user_frame(caller(), max(args[0], 0) if args else 0)


def _getframemodulename(f: object, args: Args, kwargs: Kwargs, scope: Scope) -> object:
    depth = args[0] if args else (kwargs or {}).get("depth", 0)
    try:
        return frames.user_frame(caller(), max(depth, 0)).f_globals.get("__name__")
    except ValueError:
        return None


def _warn(f: Any, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
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
        kwargs["stacklevel"] = 1 + _levels(sys._getframe(0), outer, level, lambda frame: True)
    return f(*args, **kwargs)


def _levels(frame: FrameType, outer: FrameType, level: int, counts: Callable[[FrameType], bool]) -> int:
    return frames.distance(frame, outer, counts) + frames.levels_between(outer, max(level, 1) - 1, counts)


def _log(f: Any, args: Args, kwargs: Kwargs, scope: Scope) -> Any:
    kwargs = dict(kwargs or {})
    level = kwargs.get("stacklevel", 1)
    converted = frames.is_generated(f.__code__)  # as part of its module: it walks the stack as the user wrote it
    if isinstance(level, int) and not converted:
        outer = caller()
        kwargs["stacklevel"] = 1 + _levels(sys._getframe(0), outer, level, frames.is_counted)
    return f(*args, **kwargs)


def _of_stack(counterpart: Callable[..., Any]) -> Handler:
    return lambda f, args, kwargs, scope: counterpart(caller(), *args, **(kwargs or {}))


def caller() -> FrameType:
    """The frame that called `converted_call`: the innermost one that is not of this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(frames.ROOMS):
        frame = frame.f_back
    assert frame is not None
    return frame


_handlers: dict[Any, Handler] = {
    builtins.any: _of_elements,
    builtins.all: _of_elements,
    builtins.super: _of_frame(frames.zero_argument_super),
    builtins.globals: _of_frame(lambda frame: frame.f_globals),
    builtins.locals: _locals,
    builtins.vars: _locals,
    builtins.dir: _of_frame(lambda frame: sorted(frames.user_locals(frame, Undefined))),
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

# What was there before those that ask classes of the user's for their methods, which go first whoever came first.
below_protocols: dict[Any, tuple[Callable[..., Any], Handler | None] | None] = {}

# The same for methods written in C, by their names and by the identities of the types that have them.
special_methods: dict[str, dict[int, tuple[Callable[..., Any], Handler | None]]] = {}

# The same for callables of other types written in C, by their identities.
special_kinds: dict[int, Handler] = {}

# Functions of the standard library that look at the frame of their caller, by module and qualified name.
handlers_of_functions |= {
    ("inspect", "currentframe"): _of_frame(lambda frame: frames.user_frame(frame, 0)),
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
