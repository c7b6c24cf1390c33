"""The public functions: from a callable to its converted twin, or to its text."""

# long: the front door: half of it are docstrings, with examples that run as tests

from __future__ import annotations

import contextlib
import functools
import linecache
import os
import threading
import weakref
from collections.abc import Callable, Iterable
from types import CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from autograph.conversion import log, policy, resolution, strictness
from autograph.conversion.tracebacks import annotate
from autograph.errors import ConversionError, SourceNotFoundError, UsageError, shown
from autograph.operators import frames, function_scope, tracebacks
from autograph.operators.calls import converted_call
from autograph.operators.decisions import CONVERT, install_resolver
from autograph.operators.directives import set_loop_options
from autograph.options import STANDARD_OPTIONS, ConversionOptions, Feature, ordered_features

__all__ = [
    "convert",
    "converted_call",
    "do_not_convert",
    "remember_source",
    "set_loop_options",
    "set_verbosity",
    "to_code",
    "to_graph",
    "trace",
]

_METHODS = (FunctionType, staticmethod, classmethod, property, functools.cached_property)
_MADE_BY_STATEMENT = 1 << 9  # a flag of types: not one of C's

if TYPE_CHECKING:
    from autograph.pyct.origin import Position

    Entity = (
        Callable[..., Any]
        | property
        | functools.cached_property[Any]
        | functools.partialmethod[Any]
        | functools.singledispatchmethod[Any]
    )

F = TypeVar("F", bound="Entity")
P = ParamSpec("P")
R = TypeVar("R")
Strictness = strictness.Level | None
_Features: TypeAlias = Feature | Iterable[Feature] | None


class Decorator(Protocol):
    """What `convert(...)` and `do_not_convert()` return: it keeps the signature of what it decorates."""

    def __call__(self, entity: F, /) -> F: ...


install_resolver(resolution.ConversionResolver())
function_scope.tell_user = annotate


@overload
def convert(
    entity: F,
    *,
    recursive: bool = True,
    optional_features: _Features = None,
    user_requested: bool = True,
    strict: Strictness = None,
) -> F: ...


@overload
def convert(
    entity: None = None,
    *,
    recursive: bool = True,
    optional_features: _Features = None,
    user_requested: bool = True,
    strict: Strictness = None,
) -> Decorator: ...


def convert(
    entity: Any = None,
    *,
    recursive: bool = True,
    optional_features: _Features = None,
    user_requested: bool = True,
    strict: Strictness = None,
) -> Any:
    """Converts a function, method, property, class or callable object; with or without parentheses a decorator.

    On plain values the result does exactly what the original does. What has no Python source, or none that can be
    found, is returned as it is, with a `SourceNotFoundWarning`. A class is changed in place: each function in its body
    is converted. Converting the same thing twice gives the same object.

    `strict`: what happens when this or a function it calls cannot be converted: "strict" raises `ConversionError`,
    "warn" gives a `ConversionWarning`, "silent" only logs; see `autograph.strictness`. Raises `UsageError` for others,
    and for what cannot be called.

    >>> @convert
    ... def sign(x):
    ...     if x > 0:
    ...         return 1
    ...     return -1
    >>> sign(3), sign.__name__
    (1, 'sign')
    """
    options = ConversionOptions(
        recursive=recursive,
        user_requested=user_requested,
        optional_features=ordered_features(optional_features),
        strictness=strictness.check_level(strict),
    )
    if entity is None:
        return functools.partial(_convert, options=options)
    return _convert(entity, options)


def _convert(entity: Any, options: ConversionOptions) -> Any:
    kind = type(entity)
    if kind is FunctionType:
        return _convert_function(entity, options)
    if _is_around_functions(entity):
        return _with_changed(entity, functools.partial(_convert, options=options))
    if isinstance(entity, (functools.partial, functools.partialmethod)):
        inner = _convert(entity.func, options)
        return entity if inner is entity.func else _partial_of(inner, entity)
    if isinstance(entity, type) and entity.__flags__ & _MADE_BY_STATEMENT:
        return _convert_class(entity, options)
    call = getattr(kind, frames.CALL, None)
    if isinstance(call, FunctionType) and policy.decide(call, STANDARD_OPTIONS) == CONVERT:
        return _convert_object(entity, call, options)
    if not callable(entity) and not hasattr(kind, "__get__"):
        raise UsageError(f"convert expects a callable, got {shown(entity)}")
    if not isinstance(call, FunctionType):  # otherwise the policy has it called as it is
        strictness.tell_of_callable(entity, _no_source(entity), options)
    return entity


def _is_around_functions(entity: Any) -> bool:
    known = any(type(entity) is kind for kind in (MethodType, staticmethod, classmethod, property))
    return known or isinstance(entity, functools.cached_property)


def _with_changed(entity: Any, change: Callable[[Any], Any]) -> Any:
    """A method, property or the like with other functions; itself where these are the same, and a cached property."""
    if isinstance(entity, MethodType):
        return MethodType(change(entity.__func__), entity.__self__)
    if isinstance(entity, functools.cached_property):
        entity.func = change(entity.func)
        return entity
    if isinstance(entity, property):
        parts = (entity.fget, entity.fset, entity.fdel)
        get, set_, delete = (part and change(part) for part in parts)
        return entity if (get, set_, delete) == parts else property(get, set_, delete, entity.__doc__)
    inner = change(entity.__func__)
    return entity if inner is entity.__func__ else type(entity)(inner)


def _convert_function(function: FunctionType, options: ConversionOptions) -> FunctionType:
    if policy.is_converted(function) or policy.is_marked(function) or function.__code__ is _OBJECT_CODE:
        return function
    try:
        return resolution.twin_of(function, options)
    except Exception as error:
        strictness.tell(function, error, options, quiet=False)
        return function


def _convert_class(cls: type, options: ConversionOptions) -> type:
    for name, value in list(vars(cls).items()):
        if isinstance(value, _METHODS) and not _is_written_elsewhere(value):
            converted = _convert(value, options)
            if converted is not value:
                setattr(cls, name, converted)
    return cls


def _is_written_elsewhere(method: object) -> bool:
    """Whether a method is one that `dataclass`, `namedtuple` and the like have made up: nobody wrote its text."""
    function = getattr(method, "__func__", method)
    if type(function) is not FunctionType:
        return False
    code = function.__code__
    if code.co_name == "__annotate__":  # what Python 3.14 makes of the annotations of a class
        return True
    if code.co_qualname == function.__qualname__ or not code.co_filename.startswith("<"):
        return False
    # Some other text may be known by the name `<string>`, that of `python -c` for one.
    return code.co_filename not in linecache.cache or code.co_qualname.startswith(_MADE_UP)


_MADE_UP = ("__create_fn__.<locals>.", "<lambda>")  # by `dataclass` and `namedtuple`


# What stands for callable objects; each keeps its object alive, so an identity is never another's.
_objects: weakref.WeakValueDictionary[tuple[int, object], Any] = weakref.WeakValueDictionary()
_objects_lock = threading.Lock()


def _convert_object(entity: Any, method: FunctionType, options: ConversionOptions) -> Any:
    with _objects_lock:
        known = _objects.get((id(entity), options))
        if known is None:
            known = _objects[id(entity), options] = _call_of(entity, _convert_function(method, options))
    return known


def _partial_of(function: Any, entity: Any) -> Any:
    """The partial object of a converted function: the same one, as long as somebody keeps it."""
    with _objects_lock:
        known = _objects.get((id(entity), function))
        if known is None:
            known = type(entity)(function, *entity.args, **entity.keywords)
            known.__dict__.update(vars(entity), ag_original=entity)
            _objects[id(entity), function] = known
    return known


def _call_of(entity: Any, method: FunctionType) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return method(entity, *args, **kwargs)

    functools.update_wrapper(call, entity, updated=())
    if "__name__" not in vars(type(entity)) and not hasattr(entity, "__name__"):
        call.__name__ = type(entity).__name__
        call.__qualname__ = type(entity).__qualname__
    return call


_OBJECT_CODE = next(c for c in _call_of.__code__.co_consts if isinstance(c, CodeType) and c.co_name == "call")


def _source_of(entity: Any) -> FunctionType:
    """The function behind a callable; raises `ConversionError` if there is none."""
    found = entity
    while isinstance(found, (MethodType, staticmethod, classmethod, functools.partial)):
        found = found.func if isinstance(found, functools.partial) else found.__func__
    if isinstance(found, FunctionType):
        return found
    call = getattr(type(found), frames.CALL, None)
    if not isinstance(found, type) and isinstance(call, FunctionType):
        return call
    raise _no_source(found)


def _no_source(entity: object) -> SourceNotFoundError:
    what = f"class {entity.__qualname__!r}" if isinstance(entity, type) else shown(entity)
    inner = getattr(entity, "__wrapped__", None)
    advice = f"convert what it wraps, {inner.__qualname__!r}" if isinstance(inner, FunctionType) else ""
    return SourceNotFoundError(f"{what} has no Python source of its own; {advice or 'expected a function or method'}")


def remember_source(entity: Callable[..., Any]) -> None:
    """Looks for the text of a function now, and keeps it: for decorators of functions that are converted later.

    The text of a cell under `%%time`, or of `exec(text)`, has no name that leads to it; it can be found as long as
    somebody holds it. Does nothing where the file of the function can be read, and where no text is found.

    >>> text = "def double(x): return 2 * x"
    >>> exec(text)
    >>> remember_source(double)
    >>> del text
    >>> to_code(double).splitlines()[0]
    'def tf__double(x):'
    """
    with contextlib.suppress(ConversionError):
        function = _source_of(entity)
        filename = function.__code__.co_filename
        from autograph.pyct import parse  # lazy: the parser's start-up time

        by_name = filename in linecache.cache and filename not in parse.COMMAND_LINE  # one text of many (3.13)
        if not by_name and not os.path.exists(filename):
            parse.find_source(function)


def source_text(entity: Callable[..., Any]) -> str:
    """The text that a function stands in: its whole file, the whole cell, all that `python -c` was given.

    >>> def double(x):
    ...     return x * 2
    >>> source_text(double).splitlines()[double.__code__.co_firstlineno - 1]
    'def double(x):'

    Raises:
      ConversionError: there is none.
    """
    from autograph.pyct import parse, texts  # lazy: the parser's start-up time

    function = _source_of(entity)
    parse.find_source(function)
    return texts.text_of(function)


def _requested(
    recursive: bool = True, optional_features: _Features = None, experimental_optional_features: _Features = None
) -> ConversionOptions:
    given = optional_features if experimental_optional_features is None else experimental_optional_features
    return ConversionOptions(recursive=recursive, user_requested=True, optional_features=ordered_features(given))


def to_graph(
    entity: Callable[P, R],
    recursive: bool = True,
    experimental_optional_features: _Features = None,
    *,
    optional_features: _Features = None,
) -> Callable[P, R]:
    """The converted twin of a function or method; raises `ConversionError` if there is none.

    The same function gives the same twin, as long as somebody keeps it.

    >>> def double(x):
    ...     return x * 2
    >>> to_graph(double)(4)
    8
    """
    if isinstance(entity, functools.partial):
        inner = to_graph(entity.func, recursive, experimental_optional_features, optional_features=optional_features)
        return type(entity)(inner, *entity.args, **entity.keywords)
    function = _source_of(entity)
    options = _requested(recursive, optional_features, experimental_optional_features)
    twin: Any = function if policy.is_converted(function) else resolution.twin_of(function, options)
    if isinstance(entity, MethodType):
        return MethodType(twin, entity.__self__)
    if function is not entity and not isinstance(entity, (staticmethod, classmethod)):
        return MethodType(twin, entity)
    return twin


def to_code(
    entity: Callable[..., Any],
    recursive: bool = True,
    experimental_optional_features: _Features = None,
    *,
    optional_features: _Features = None,
) -> str:
    """The text of the converted twin of a function or method; raises `ConversionError` if there is none.

    The same function always gives the same text, to the byte.

    >>> import textwrap
    >>> to_code(textwrap.indent).splitlines()[0]
    'def tf__indent(text, prefix, predicate=None):'
    """
    from autograph.conversion.convert import function_text  # not at the top: saves the parser's start-up time

    options = _requested(recursive, optional_features, experimental_optional_features)
    return function_text(policy.original_of(_source_of(entity)), options)


def to_lines(entity: Callable[..., Any]) -> list[int | None]:
    """For each line of `to_code(entity)`, the line of the user's file that it stands for; None for what is added.

    >>> import textwrap
    >>> source, lines = textwrap.indent.__code__.co_firstlineno, to_lines(textwrap.indent)
    >>> lines[0] == source, len(lines) == len(to_code(textwrap.indent).splitlines())
    (True, True)

    Raises:
      ConversionError: there is no converted twin.
    """
    from autograph.conversion.convert import function_lines  # lazy: the parser's start-up time

    return function_lines(policy.original_of(_source_of(entity)), _requested())


def to_spans(entity: Callable[..., Any]) -> list[tuple[Position, Position]]:
    """Places in `to_code(entity)`, each with the place in the user's file that it stands for; larger ones come first.

    A place is `(line, column, last line, column behind)`; columns count bytes of UTF-8 from 0.

    >>> def double(x):
    ...     return x * 2
    >>> text = to_code(double).splitlines()
    >>> spans = {text[at.lineno - 1][at.col_offset : at.end_col_offset]: there.lineno for at, there in to_spans(double)}
    >>> spans["ag__.ld(x) * 2"] - spans["def tf__double(x):"]
    1

    Raises:
      ConversionError: there is no converted twin.
    """
    from autograph.conversion.convert import function_spans  # lazy: the parser's start-up time

    return function_spans(policy.original_of(_source_of(entity)), _requested())


@overload
def do_not_convert(func: F) -> F: ...


@overload
def do_not_convert(func: None = None) -> Decorator: ...


def do_not_convert(func: Any = None) -> Any:
    """Has a function, method or class called as it is; a decorator, with or without parentheses.

    The function itself is not changed: a copy of it is returned. A class is marked in place.

    >>> import autograph
    >>> @autograph.do_not_convert
    ... def f(x):
    ...     return x
    >>> print(autograph.policy.explain(f))
    as it is: it is marked with do_not_convert
    """
    if func is None:
        return do_not_convert
    kind = type(func)
    if kind is FunctionType:
        return _unconverted_copy(func)
    if _is_around_functions(func):
        return _with_changed(func, do_not_convert)
    if isinstance(func, (functools.partial, functools.partialmethod)):
        return kind(do_not_convert(func.func), *func.args, **func.keywords)
    if isinstance(func, type):
        policy.mark_class_unconverted(func)
        return func
    if callable(func):
        return _unconverted_object(func)
    raise TypeError(f"do_not_convert expects a callable, got {shown(func)}")


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


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """How much is told about conversions: 0 nothing, from 1 on what is converted, from 3 on tracebacks are whole.

    It is told through `logging`, under the logger "autograph", and shown on standard error. The environment variable
    AUTOGRAPH_VERBOSITY sets the level at the start. Raises TypeError for a level that is no int.

    >>> import autograph
    >>> autograph.set_verbosity(0)
    """
    if not isinstance(level, int):
        raise TypeError(f"set_verbosity expects an int, got {shown(level)}")
    log.set_level(level, alsologtostdout)
    tracebacks.show_own_frames = level > 2
    resolution.report = log.info if level > 0 else None


def trace(*args: object) -> None:
    """Prints its arguments when the call is traced: once for each trace, not at each execution.

    Who listens to the logger "autograph.trace" at level INFO is told as well.

    >>> import autograph
    >>> autograph.trace("x is", 3)
    x is 3
    """
    print(*args)
    log.traced(args)


if os.environ.get("AUTOGRAPH_VERBOSITY", "0") not in ("", "0"):
    set_verbosity(int(os.environ["AUTOGRAPH_VERBOSITY"]))
