"""Calls that have to be seen as the user's: by their module, by the line they stand on.

type(name, (), {})      notes the module of its caller
array / 0               NumPy's warning names the file and the line of the caller
"""

from __future__ import annotations
import __future__

import functools
from types import CodeType, FrameType, FunctionType
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.operators.frames import mark_in_place

globals()["__builtins__"] = OWN


def _trampoline(function: Any, args: Any, kwargs: Any) -> Any:
    return function(*args, **kwargs)


_FUTURE_FLAGS = 0
for _feature in __future__.all_feature_names:
    _FUTURE_FLAGS |= getattr(__future__, _feature).compiler_flag
_FUTURE_FLAGS &= ~0x10  # shared with a flag that says the function is nested


@functools.cache
def _trampoline_code(flags: int) -> CodeType:
    code = _trampoline.__code__
    flags |= code.co_flags & ~_FUTURE_FLAGS
    return code.replace(co_name="<call>", co_qualname="<call>", co_flags=flags)


def call_in_globals(f: object, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType) -> object:
    """`f(*args, **kwargs)` such that `f` sees the user's module as its caller's.

    For `type(...)` and `namedtuple(...)`, which note the module of their caller, and for `compile(...)`, which takes
    over its `from __future__` imports.
    """
    code = _trampoline_code(frame.f_code.co_flags & _FUTURE_FLAGS)
    return FunctionType(code, frame.f_globals)(f, args, kwargs or {})


def call_in_place(f: object, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType) -> object:
    """`f(*args, **kwargs)` such that `f`, which is written in C, warns of the line that `frame` is at."""
    code = frame.f_code
    there = _code_in_place(code.co_filename, frame.f_lineno, code.co_name, code.co_qualname)
    return FunctionType(there, frame.f_globals)(f, args, kwargs or {})


IN_PLACE = "<in place>"  # the first variable of such code: a name that no user can write, by which backends know it
_in_place = lambda function, args, kwargs: function(*args, **kwargs)  # of one line


@functools.lru_cache(maxsize=2000)
def _code_in_place(filename: str, line: int | None, name: str, qualname: str) -> CodeType:
    code = _in_place.__code__.replace(
        co_filename=filename, co_firstlineno=line or 1, co_name=name, co_qualname=qualname,
        co_varnames=(IN_PLACE, "<args>", "<kwargs>"),
    )  # fmt: skip
    mark_in_place(code)
    return code
