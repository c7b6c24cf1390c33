"""Joins policy and converter for `operators/decisions.py`: from a called function to its converted twin."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from types import FunctionType
from typing import TypeVar

from autograph.conversion import policy, strictness
from autograph.errors import SourceNotFoundError
from autograph.options import ConversionOptions

# Told of each conversion when the verbosity asks for it.
report: Callable[..., None] | None = None


Result = TypeVar("Result")
_converting: ContextVar[bool] = ContextVar("autograph_converting", default=False)


class ConversionResolver:
    """The resolver that converted calls use; see `operators.decisions.Resolver`."""

    def busy(self) -> bool:
        """Whether a conversion is going on here: what the converter itself calls is called as it is."""
        return _converting.get()

    def decide(self, f: FunctionType, options: ConversionOptions) -> int:
        """CONVERT, AS_IS, LIBRARY, MACHINERY or BACKEND."""
        kind = policy.decide(f, options)
        if report is not None and not self.busy():  # else it was asked for, and not called
            report("%s.%s is called %s", f.__module__, f.__qualname__, policy.decision_for(f, options))
        return kind

    def twin_of(self, f: FunctionType, options: ConversionOptions, staged: bool) -> FunctionType | None:
        """The converted function; None, after a warning where the user has to know, if there is none."""
        try:
            return twin_of(f, options)
        except Exception as error:
            # Without its source a function still runs on plain values exactly as it should: nothing to warn of.
            missing = isinstance(error, SourceNotFoundError)
            strictness.tell(f, error, options, quiet=missing and not staged and not options.user_requested)
        return None

    def may_remember(self) -> bool:
        """Whether a failure to convert may be remembered."""
        return strictness.failures_may_be_remembered()


def twin_of(f: FunctionType, options: ConversionOptions) -> FunctionType:
    """The converted function, its parts under the user's names; raises `ConversionError`.

    While it is in use, the same function gives the same twin.
    """
    key = (id(f), id(f.__code__), options)
    twin = _twins.get(key)
    if twin is None:
        made = _make_twin(f, options)
        with _twins_lock:
            twin = _twins.setdefault(key, made)
    if twin.__defaults__ is not f.__defaults__ or twin.__kwdefaults__ is not f.__kwdefaults__:
        twin.__defaults__, twin.__kwdefaults__ = f.__defaults__, f.__kwdefaults__
    return twin


# A twin keeps its original alive, and the table keeps neither: an identity in it is never that of another function.
_twins: weakref.WeakValueDictionary[tuple[int, int, ConversionOptions], FunctionType] = weakref.WeakValueDictionary()
_twins_lock = threading.Lock()


def _make_twin(f: FunctionType, options: ConversionOptions) -> FunctionType:
    def work() -> FunctionType:
        from autograph.conversion.convert import convert_function  # not at the top: saves start-up time

        return convert_function(f, options)

    twin = _while_converting(work)
    if report is not None:
        code = f.__code__
        report("%s.%s (%s:%d) is converted", f.__module__, f.__qualname__, code.co_filename, code.co_firstlineno)
    return twin


def _while_converting(work: Callable[[], Result]) -> Result:
    from autograph.pyct.deep import with_deep_stack  # lazy: the parser's room is entered with the first conversion

    token = _converting.set(True)
    try:
        return with_deep_stack(work)
    finally:
        _converting.reset(token)
