"""What happens when a callable that should be converted cannot be: raise, warn, or only log.

    autograph.convert(f, strict="strict")                 for this function and what it calls
    with autograph.strictness("strict"): ...              for what is converted in the region
    autograph.set_strictness("package", "silent")         for the functions of a module and its submodules
    autograph.set_strictness(None, "strict")              for everything else

The first of these that says something holds. Nothing said: a warning, unless a function without source is called with
plain values only, on which it runs as it should anyway.
"""

from __future__ import annotations

import os
import sys
import threading
import time
import warnings
from collections.abc import Generator
from contextvars import ContextVar
from types import FunctionType
from typing import Literal

from autograph import errors
from autograph.backends.blocks import block, setting
from autograph.conversion import log
from autograph.errors import shown
from autograph.operators import frames
from autograph.operators.decisions import forget_decisions
from autograph.options import ConversionOptions

Level = Literal["strict", "warn", "silent"] | bool
LEVELS = ("strict", "warn", "silent")
STARTED = time.time()  # a file that was written later may have changed since a function was imported from it

_region: ContextVar[str | None] = ContextVar("autograph_strictness", default=None)
_modules: dict[str, str] = {}
_default: str | None = "strict" if os.environ.get("AUTOGRAPH_STRICT_CONVERSION", "") not in ("", "0") else None
_lock = threading.Lock()
_open_regions = 0


def check_level(level: object) -> str | None:
    """One of `LEVELS`, or None; True stands for "strict" and False for "warn". Raises `UsageError`.

    >>> check_level(True), check_level("silent")
    ('strict', 'silent')
    """
    if level is None or (isinstance(level, str) and level in LEVELS):
        return level
    if isinstance(level, bool):
        return "strict" if level else "warn"
    raise errors.UsageError(f"no strictness is called {shown(level)}; there are {', '.join(map(repr, LEVELS))}")


@block
def strictness(level: Level) -> Generator[None, None, None]:
    """A region in which a callable that cannot be converted raises ("strict"), warns ("warn") or is logged ("silent").

    It holds for the thread or task that enters it, for what is converted inside. Raises `UsageError` for another level.

    >>> from autograph import convert
    >>> with strictness("strict"):
    ...     try:
    ...         convert(eval(compile("lambda x: x", "<typed in>", "eval")))
    ...     except errors.SourceNotFoundError as error:
    ...         print(error.code, error.place)
    AG102 <typed in>:1
    """
    global _open_regions
    checked = check_level(level)
    if checked is None:
        raise errors.UsageError(f"a region needs one of {', '.join(map(repr, LEVELS))}")
    counted = False
    try:
        with setting(_region, checked):
            with _lock:
                counted, _open_regions = True, _open_regions + 1
            forget_decisions()  # so that what failed outside is tried, and judged, again
            yield from (None,)
    finally:
        try:
            if counted:
                with _lock:
                    counted, _open_regions = False, _open_regions - 1
            forget_decisions()
        except KeyboardInterrupt:
            if counted:
                with _lock:
                    _open_regions -= 1
            forget_decisions()
            raise


def set_strictness(module: str | None, level: Level | None) -> None:
    """Sets the strictness for functions defined in a module and its submodules; module None: for all others.

    Level None forgets what was set. Raises `UsageError` for another level.

    >>> set_strictness("some_package.generated", "silent")
    >>> set_strictness("some_package.generated", None)
    """
    global _default
    checked = check_level(level)
    if module is not None and not isinstance(module, str):
        raise errors.UsageError(f"set_strictness expects the name of a module, got {shown(module)}")
    with _lock:
        if module is None:
            _default = checked
        elif checked is None:
            _modules.pop(module, None)
        else:
            _modules[module] = checked
    forget_decisions()


def level_for(module: object, options: ConversionOptions) -> str | None:
    """What is said for functions of the module of this name: one of `LEVELS`, or None if nothing is."""
    if options.strictness is not None:
        return options.strictness
    region = _region.get()
    if region is not None:
        return region
    name = module
    while _modules and isinstance(name, str) and name:
        if name in _modules:
            return _modules[name]
        name = name.rpartition(".")[0]
    return _default


def failures_may_be_remembered() -> bool:
    """Whether a failure outside of any region is judged the same the next time."""
    return _open_regions == 0


_WARNINGS: tuple[tuple[type[Exception], type[errors.ConversionWarning]], ...] = (
    (errors.SourceChangedError, errors.SourceChangedWarning),
    (errors.SourceNotFoundError, errors.SourceNotFoundWarning),
    (errors.AmbiguousSourceError, errors.AmbiguousSourceWarning),
    (errors.ConversionError, errors.UnsupportedCodeWarning),
)


def warning_for(f: FunctionType, error: Exception) -> errors.ConversionWarning:
    """The warning that tells that `f` runs as it is because of `error`."""
    category = next((w for e, w in _WARNINGS if isinstance(error, e)), errors.ConverterFailureWarning)
    if isinstance(error, errors.AutoGraphError):
        reason, _, suggestion = error.message.partition("; ")
    else:
        reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        suggestion = "please report this, and mark the function with do_not_convert"
    line = error.lineno if isinstance(error, errors.AutoGraphError) and error.lineno else f.__code__.co_firstlineno
    return category(f.__qualname__, f.__code__.co_filename, line, reason, suggestion)


def give(warning: Warning, silent: bool, place: tuple[str, int], module: str | None) -> None:
    """Warns at a place, or only logs."""
    if silent:
        log.info("%s", warning)
    else:
        warnings.warn_explicit(warning, type(warning), *place, module or "<unknown>")


def tell(f: FunctionType, error: Exception, options: ConversionOptions, quiet: bool) -> None:
    """Raises `error`, or warns or logs that `f` runs as it is; `quiet`: no warning unless one was asked for."""
    level = level_for(f.__globals__.get("__name__"), options)
    if level == "strict":
        try:
            raise error
        finally:
            del error  # its traceback holds this frame
    place = f.__code__.co_filename, f.__code__.co_firstlineno
    give(warning_for(f, error), level == "silent" or (level is None and quiet), place, f.__module__)


def tell_of_callable(entity: object, error: errors.SourceNotFoundError, options: ConversionOptions) -> None:
    """As `tell`, of something that is no Python function, at the place that asked for its conversion."""
    level = level_for(getattr(entity, "__module__", None), options)
    if level == "strict":
        try:
            raise error
        finally:
            del error  # its traceback holds this frame
    frame = sys._getframe(1)
    while frame.f_back is not None and frames.is_own(frame):
        frame = frame.f_back
    place = frame.f_code.co_filename, frame.f_lineno
    reason, _, suggestion = error.message.partition("; ")
    name = str(getattr(entity, "__qualname__", None) or type(entity).__qualname__)
    warning = errors.SourceNotFoundWarning(name, *place, reason, suggestion)
    if level == "silent":
        log.info("%s", warning)
        return
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(warning, type(warning), *place, frame.f_globals.get("__name__"), registry)
