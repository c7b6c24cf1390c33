"""Reads of variables, and the values that stand for "no value yet".

print(y)       ->   ag__.ld(print)(ag__.ld(y))          y = ag__.Undefined('y') until it is set
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.protocol import NoValue
from autograph.backends.trace import current_trace
from autograph.operators.frames import function_frame, is_generated, is_own, is_thunk, unset_of_another, user_locals

globals()["__builtins__"] = OWN


class Undefined(NoValue):
    """The value of a variable that has none: reading it raises what Python raises.

    >>> Undefined('y').symbol_name
    'y'
    """

    __slots__ = ("symbol_name",)

    def __init__(self, symbol_name: str) -> None:
        self.symbol_name = symbol_name

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        _UNSET.add(cls)

    def read(self) -> Any:
        """Raises the error of Python for a variable without a value; a backend's kind may know of one.

        Raises:
          NameError: always, here.
        """
        raise _unbound(self.symbol_name)

    def __repr__(self) -> str:
        return f"<undefined {self.symbol_name}>"

    # Generated code loads every variable through `ld`; what reaches these got past it and must not pass silently.
    def __getattr__(self, name: str) -> object:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return getattr(self.read(), name)

    def __bool__(self) -> bool:
        return bool(self.read())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read())

    def __getitem__(self, key: object) -> Any:
        return self.read()[key]

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self.read()(*args, **kwargs)


_UNSET: set[type] = {Undefined}


class UndefinedReturnValue:
    """The return value of a function that has not returned yet; becomes None in `FunctionScope.ret`.

    >>> UndefinedReturnValue()
    <undefined return value>
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "<undefined return value>"


def _unbound(name: str) -> NameError:
    frame = sys._getframe(1)
    while is_own(frame) and frame.f_back is not None:
        frame = frame.f_back
    home = function_frame(frame)
    code = home.f_code
    if name in code.co_freevars:
        return unset_of_another(name)
    if code.co_name == "<module>" or (name not in code.co_varnames and name not in code.co_cellvars):
        if home.f_code.co_flags & 0x1 == 0:  # not optimized: a module or class body
            return NameError(f"name '{name}' is not defined", name=name)
    return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")


def ld(v: Any) -> Any:
    """`v`; raises UnboundLocalError (or NameError) with Python's text when `v` is an `Undefined`."""
    try:
        if type(v) not in _UNSET:
            return v
    except Exception:  # of a metaclass whose classes cannot be hashed
        return v
    return v.read()


def ldu(load_v: Callable[[], Any], name: str) -> object:
    """`load_v()`, or an `Undefined` when there is no such variable, attribute or item."""
    trace = current_trace()
    peeked = trace is not None and trace.peeks
    try:
        if trace is not None:
            trace.peeks = True
        return load_v()
    except (NameError, AttributeError, LookupError, TypeError):
        return Undefined(name)
    finally:
        if trace is not None:
            trace.peeks = peeked


def frame_locals(frame: Any) -> Any:
    """`frame.f_locals`: the variables of the user's function."""
    if type(frame) is FrameType and (is_generated(frame.f_code) or is_thunk(frame)):
        return user_locals(frame, Undefined)
    return frame.f_locals


def is_unset(v: object) -> bool:
    """Whether `v` stands for no value, surely or perhaps."""
    return any(type(v) is kind for kind in _UNSET)


def is_undefined(v: object) -> bool:
    """Whether `v` stands for no value."""
    return type(v) is Undefined
