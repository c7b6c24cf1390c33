"""What a converted function runs in, and the marks on generated functions.

with ag__.FunctionScope('f', 'fscope', ag__.ConversionOptions(...)) as fscope:
    ...
    return fscope.ret(retval_, do_return)
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.registry import backend_of, registered_backends
from autograph.backends.trace import current_trace, made, open_traces
from autograph.errors import AutoGraphError, PythonOnlyConstructError
from autograph.operators.attributes import forget_learned
from autograph.operators.call_sites import forget_sites
from autograph.operators.decisions import CallScope
from autograph.operators.frames import mark_generated
from autograph.operators.tracebacks import hide_own_frames
from autograph.operators.variables import UndefinedReturnValue
from autograph.options import ConversionOptions, Feature

globals()["__builtins__"] = OWN

# Retells an error of ours in the user's frames; installed by the room that knows how.
tell_user: Callable[[BaseException], object] | None = None


class _Scope(CallScope):
    """Scope of a converted function; shared by all its calls, for it holds nothing that changes."""

    __slots__ = ("function_name", "name")

    is_light = True  # whether entering and leaving it changes nothing, see `emit/code.py`

    def __init__(self, function_name: str, scope_name: str, options: ConversionOptions) -> None:
        super().__init__(options)
        self.function_name = function_name
        self.name = scope_name

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if error is None:
            return
        try:
            hide_own_frames(error, tb)
        except RecursionError:
            if not isinstance(error, RecursionError):
                raise
            # else there is no room yet; further out it is made up for

    def failed(self) -> None:
        """In native code: an exception leaves the function."""
        error = sys.exc_info()[1]
        if error is not None:
            tb = error.__traceback__
            alone = tb is not None and tb.tb_next is None and tb.tb_lineno is not None and error.__context__ is None
            if not alone or isinstance(error, BaseExceptionGroup):  # else raised by the very function
                hide_own_frames(error, tb)

    def __reduce__(self) -> tuple[Any, ...]:
        return FunctionScope, (self.function_name, self.name, self.options)

    def ret(self, value: object, did_return: object) -> object:
        """What the function returns: `value`, or None when no `return` was reached."""
        if did_return is not True and did_return is not False:
            backend = backend_of(did_return)
            if backend is not None:
                return backend.return_value(value, did_return)
        return None if type(value) is UndefinedReturnValue else value


class _CalledScope(_Scope):
    """The scope of a function that converted code calls."""

    __slots__ = ("__enter__", "__weakref__")

    def __init__(self, function_name: str, scope_name: str, options: ConversionOptions) -> None:
        super().__init__(function_name, scope_name, options)
        self.__enter__ = weakref.ref(self)  # gives the scope, and takes no frame of Python's


class _RequestedScope(_Scope):
    """The scope of a function that the user had converted: where converted code is entered."""

    __slots__ = ()

    is_light = False

    def __enter__(self) -> _Scope:
        forget_sites()
        forget_learned()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if error is None:
            return
        hide_own_frames(error, tb)
        if isinstance(error, AutoGraphError) and tell_user is not None:
            tell_user(error)


class _NamedScope(_RequestedScope):
    """A scope that also enters the name scopes of the backends."""

    __slots__ = ()

    _open = threading.local()

    def __enter__(self) -> _Scope:
        super().__enter__()
        stack = ExitStack()
        for backend in registered_backends():
            context = backend.name_scope(self.function_name)
            if context is not None:
                stack.enter_context(context)
        self._open.__dict__.setdefault("stacks", []).append(stack)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            self._open.stacks.pop().__exit__(kind, error, tb)
        finally:
            super().__exit__(kind, error, tb)


_scopes: dict[str, _Scope] = {}  # the last of each name of a function
_MOST_SCOPES = 4096  # programs that make functions with ever new names must not fill memory; a new scope costs little


def FunctionScope(function_name: str, scope_name: str, options: ConversionOptions) -> _Scope:
    """The context manager around the body of a converted function in its printed form.

    Raises:
      PythonOnlyConstructError: only the running graph knows whether some value is None, for which this code cannot ask.
    """
    if open_traces:
        _note_printed(function_name)
    scope = _scopes.get(function_name)
    if scope is not None and scope.options is options and scope.name == scope_name:
        return scope
    return new_scope(function_name, scope_name, options)


def _note_printed(function_name: str) -> None:
    trace = current_trace()
    if trace is None:
        return
    if trace.may_be_none:
        raise PythonOnlyConstructError(
            f"the function {function_name} is converted code in its printed form, where `x is None` is Python's own, "
            "and a value of this trace is None in some runs of the graph. Call the original function, or give a default"
        )
    trace.printed = True


def new_scope(function_name: str, scope_name: str, options: ConversionOptions) -> _Scope:
    """A scope for a function, which is the one of its name from now on."""
    if len(_scopes) >= _MOST_SCOPES:
        _scopes.clear()
    kind = _RequestedScope if options.user_requested else _CalledScope
    if options.uses(Feature.NAME_SCOPES):
        kind = _NamedScope
    scope = _scopes[function_name] = kind(function_name, scope_name, options)
    return scope


_known_options: dict[tuple[bool, bool, bool, object, str | None], ConversionOptions] = {}


def conversion_options(
    recursive: bool = False,
    user_requested: bool = False,
    internal_convert_user_code: bool = True,
    optional_features: Any = (),
    strictness: str | None = None,
) -> ConversionOptions:
    """The `ConversionOptions` that each call of a converted function names anew: equal ones are one object."""
    if recursive is True and internal_convert_user_code is True and optional_features is _NONE and strictness is None:
        if user_requested is True:
            return _REQUESTED
        if user_requested is False:
            return _CALLED
    key = (recursive, user_requested, internal_convert_user_code, optional_features, strictness)
    try:
        return _known_options[key]
    except KeyError:
        return _known_options.setdefault(key, ConversionOptions(*key))


_NONE: tuple[Any, ...] = ()
_REQUESTED = _known_options[True, True, True, (), None] = ConversionOptions(True, True)
_CALLED = _known_options[True, False, True, (), None] = ConversionOptions(True, False)


def with_function_scope(thunk: Callable[[_Scope], Any], scope_name: str, options: ConversionOptions) -> object:
    """`thunk(scope)` inside a function scope: how a converted `lambda` gets one."""
    scope: Any = FunctionScope("lambda_", scope_name, options)
    with scope:
        return thunk(scope)


def autograph_artifact(entity: object, extras: object = None) -> object:
    """Marks a function as generated, so that it is never converted again; returns it."""
    code = getattr(entity, "__code__", None)
    if code is not None:
        mark_generated(code)
    return made(entity)
