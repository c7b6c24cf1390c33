"""The public functions: from a callable to its converted twin, or to its text."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable
from types import FunctionType, MethodType
from typing import Any, TypeVar, overload

from autograph.conversion import policy, resolution
from autograph.conversion.tracebacks import annotate
from autograph.errors import ConversionError, ConversionWarning, SourceNotFoundError, SourceNotFoundWarning
from autograph.operators import frames, function_scope, recursion
from autograph.operators.calls import CONVERT, converted_call, install_resolver
from autograph.operators.directives import set_loop_options
from autograph.options import STANDARD_OPTIONS, ConversionOptions, Feature, ordered_features

__all__ = [
    "convert",
    "converted_call",
    "do_not_convert",
    "set_loop_options",
    "set_verbosity",
    "to_code",
    "to_graph",
    "trace",
]

F = TypeVar("F", bound=Callable[..., Any])

install_resolver(resolution.ConversionResolver())
function_scope.tell_user = annotate


@overload
def convert(entity: F) -> F: ...


@overload
def convert(
    entity: None = None,
    *,
    recursive: bool = True,
    optional_features: Feature | Iterable[Feature] | None = None,
    user_requested: bool = True,
) -> Callable[[F], F]: ...


def convert(
    entity: Any = None,
    *,
    recursive: bool = True,
    optional_features: Feature | Iterable[Feature] | None = None,
    user_requested: bool = True,
) -> Any:
    """Converts a function, method, property, class or callable object; with or without parentheses a decorator.

    On plain values the result does exactly what the original does. What has no Python source is returned as it is; so
    is a function whose source cannot be found, with a `SourceNotFoundWarning`. A class is changed in place: each
    function in its body is converted.

    >>> @convert
    ... def sign(x):
    ...     if x > 0:
    ...         return 1
    ...     return -1
    >>> sign(3), sign.__name__
    (1, 'sign')
    """
    options = ConversionOptions(
        recursive=recursive, user_requested=user_requested, optional_features=ordered_features(optional_features)
    )
    if entity is None:
        return functools.partial(_convert, options=options)
    return _convert(entity, options)


def _convert(entity: Any, options: ConversionOptions) -> Any:
    kind = type(entity)
    if kind is FunctionType:
        return _convert_function(entity, options)
    if kind is MethodType:
        return MethodType(_convert(entity.__func__, options), entity.__self__)
    if kind is staticmethod or kind is classmethod:
        return kind(_convert(entity.__func__, options))
    if kind is property:
        get, set_, delete = (part and _convert(part, options) for part in (entity.fget, entity.fset, entity.fdel))
        return property(get, set_, delete, entity.__doc__)
    if isinstance(entity, functools.partial):
        return kind(_convert(entity.func, options), *entity.args, **entity.keywords)
    if isinstance(entity, functools.cached_property):
        entity.func = _convert(entity.func, options)
        return entity
    if isinstance(entity, type):
        return _convert_class(entity, options)
    call = getattr(kind, frames.CALL, None)
    if isinstance(call, FunctionType) and policy.decide(call, STANDARD_OPTIONS) == CONVERT:
        return _convert_object(entity, _convert_function(call, options))
    return entity


def _convert_function(function: FunctionType, options: ConversionOptions) -> FunctionType:
    if policy.is_converted(function) or policy.is_marked(function):
        return function
    try:
        return resolution.twin_of(function, options)
    except ConversionError as error:
        if resolution.STRICT:
            raise
        missing = isinstance(error, SourceNotFoundError)
        resolution.warn_unconverted(function, error, SourceNotFoundWarning if missing else ConversionWarning)
        return function


def _convert_class(cls: type, options: ConversionOptions) -> type:
    for name, value in list(vars(cls).items()):
        if isinstance(value, (FunctionType, staticmethod, classmethod, property, functools.cached_property)):
            converted = _convert(value, options)
            if converted is not value:
                setattr(cls, name, converted)
    return cls


def _convert_object(entity: Any, method: FunctionType) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        return method(entity, *args, **kwargs)

    functools.update_wrapper(call, entity, updated=())
    if "__name__" not in vars(type(entity)) and not hasattr(entity, "__name__"):
        call.__name__ = type(entity).__name__
        call.__qualname__ = type(entity).__qualname__
    return call


def _source_of(entity: Any) -> FunctionType:
    """The function behind a callable; raises `ConversionError` if there is none."""
    found = entity
    while isinstance(found, (MethodType, staticmethod, classmethod)):
        found = found.__func__
    if isinstance(found, FunctionType):
        return found
    call = getattr(type(found), frames.CALL, None)
    if not isinstance(found, type) and isinstance(call, FunctionType):
        return call
    what = f"class {found.__qualname__!r}" if isinstance(found, type) else repr(found)
    raise SourceNotFoundError(f"{what} has no Python source of its own; expected a function or method")


def _features(optional_features: Any, experimental_optional_features: Any) -> tuple[Feature, ...]:
    given = optional_features if experimental_optional_features is None else experimental_optional_features
    return ordered_features(given)


def to_graph(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: Feature | Iterable[Feature] | None = None,
    *,
    optional_features: Feature | Iterable[Feature] | None = None,
) -> Callable[..., Any]:
    """The converted twin of a function or method; raises `ConversionError` if there is none.

    >>> def double(x):
    ...     return x * 2
    >>> to_graph(double)(4)
    8
    """
    function = _source_of(entity)
    options = ConversionOptions(
        recursive=recursive,
        user_requested=True,
        optional_features=_features(optional_features, experimental_optional_features),
    )
    twin = function if policy.is_converted(function) else resolution.twin_of(function, options)
    if isinstance(entity, MethodType):
        return MethodType(twin, entity.__self__)
    if function is not entity and not isinstance(entity, (staticmethod, classmethod)):
        return MethodType(twin, entity)
    return twin


def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: Feature | Iterable[Feature] | None = None,
    *,
    optional_features: Feature | Iterable[Feature] | None = None,
) -> str:
    """The text of the converted twin of a function or method; raises `ConversionError` if there is none.

    The same function always gives the same text, to the byte.
    """
    from autograph.conversion.convert import function_text  # not at the top: saves the parser's start-up time

    options = ConversionOptions(
        recursive=recursive,
        user_requested=True,
        optional_features=_features(optional_features, experimental_optional_features),
    )
    with recursion.room_for_compiler():
        return function_text(policy.original_of(_source_of(entity)), options)


@overload
def do_not_convert(func: F) -> F: ...


@overload
def do_not_convert(func: None = None) -> Callable[[F], F]: ...


def do_not_convert(func: Any = None) -> Any:
    """Has a function, method or class called as it is; a decorator, with or without parentheses.

    The function itself is not changed: a copy of it is returned. A class is marked in place.

    >>> @do_not_convert
    ... def f(x):
    ...     return x
    >>> print(policy.explain(f))
    as it is: it is marked with do_not_convert
    """
    if func is None:
        return do_not_convert
    kind = type(func)
    if kind is FunctionType:
        return _unconverted_copy(func)
    if kind is MethodType:
        return MethodType(do_not_convert(func.__func__), func.__self__)
    if kind is staticmethod or kind is classmethod:
        return kind(do_not_convert(func.__func__))
    if kind is property:
        get, set_, delete = (part and do_not_convert(part) for part in (func.fget, func.fset, func.fdel))
        return property(get, set_, delete, func.__doc__)
    if isinstance(func, functools.partial):
        return kind(do_not_convert(func.func), *func.args, **func.keywords)
    if isinstance(func, type):
        policy.mark_class_unconverted(func)
        return func
    if callable(func):
        return _unconverted_object(func)
    raise TypeError(f"do_not_convert expects a callable, got {func!r}")


def _unconverted_copy(function: FunctionType) -> FunctionType:
    original = policy.original_of(function)
    code = original.__code__.replace()
    copy = FunctionType(code, original.__globals__, original.__name__, original.__defaults__, original.__closure__)
    copy.__kwdefaults__ = original.__kwdefaults__
    functools.update_wrapper(copy, original)
    if hasattr(original, "__type_params__"):  # from Python 3.12 on
        setattr(copy, "__type_params__", original.__type_params__)  # noqa: B010 (unknown to the checker on 3.11)
    policy.mark_unconverted(code)
    return copy


def _unconverted_object(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    functools.update_wrapper(call, function, updated=())
    code = call.__code__.replace()
    call.__code__ = code
    policy.mark_unconverted(code)
    return call


_verbosity = int(os.environ.get("AUTOGRAPH_VERBOSITY", "0") or 0)
_also_to_stdout = False


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """How much is told about conversions: 0 nothing, from 1 on what is converted, from 3 on tracebacks are whole."""
    global _verbosity, _also_to_stdout
    if not isinstance(level, int):
        raise TypeError(f"set_verbosity expects an int, got {level!r}")
    _verbosity = level
    _also_to_stdout = alsologtostdout
    frames.show_own_frames = level > 2
    resolution.report = _report if level > 0 else None


def _report(text: str) -> None:
    print(f"autograph: {text}", file=sys.stderr)
    if _also_to_stdout:
        print(f"autograph: {text}")


def trace(*args: Any) -> None:
    """Prints its arguments when the call is traced: once for each trace, not at each execution."""
    print(*args)


if _verbosity:
    set_verbosity(_verbosity)
