"""What users see of a traceback: their own frames, and the one call by which they came in.

Frames of graphrt and autograph, of the programs that these generate, and of what these call in Python's library and
in NumPy are left out where an error leaves a function, an op, a dataset, a layer or a model
(`tf.debugging.disable_traceback_filtering` shows them), in the errors that it was raised from or beside, too.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import TracebackType
from typing import ParamSpec, TypeVar

import numpy as np

from graphrt import errors

__all__ = ["door", "shorten", "switch"]

_P = ParamSpec("_P")
_R = TypeVar("_R")

_LIBRARY = os.path.dirname(functools.__file__) + os.sep  # what `sysconfig` says, which costs 1 ms at start
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep
_INSTALLED = (f"{os.sep}site-packages{os.sep}", f"{os.sep}dist-packages{os.sep}")

# state: registry of what the user switched, one value a switch
_switches = {"filtering": True}


def switch(on: bool | None = None) -> bool:
    """Whether tracebacks are shortened from now on; `None` leaves it as it is."""
    if on is not None:
        _switches["filtering"] = on
    return _switches["filtering"]


# state: bounded
@functools.lru_cache(1024)
def _is_of_a_library(filename: str) -> bool:
    if filename.startswith((_NUMPY, "<frozen ")):
        return True
    return filename.startswith(_LIBRARY) and not any(folder in filename for folder in _INSTALLED)


def shorten(error: BaseException) -> None:
    """Leaves the frames of users in the traceback of an error that is on its way out, and in those behind it."""
    if not _switches["filtering"]:
        return
    error.__traceback__ = _of_users(error.__traceback__)
    seen = {id(error)}
    while (behind := _behind(error)) is not None and id(behind) not in seen:
        seen.add(id(behind))
        if behind.__traceback__ is not None and (left := _of_users(behind.__traceback__)) is not behind.__traceback__:
            behind.__traceback__ = left
            if left is None:  # of how the library found out, which the message says in terms of the program
                _forget(error, behind)
                continue
        error = behind


def _behind(error: BaseException) -> BaseException | None:
    return error.__context__ if error.__cause__ is None else error.__cause__


def _forget(error: BaseException, behind: BaseException) -> None:
    """Puts what stood behind `behind` in its place."""
    if error.__cause__ is behind:
        error.__cause__ = behind.__cause__
        error.__suppress_context__ = behind.__cause__ is not None or behind.__suppress_context__
    error.__context__ = behind.__context__


def _of_users(trace: TracebackType | None) -> TracebackType | None:
    """The frames of a traceback that are the user's; the very traceback if all are."""
    whole = trace
    kept: list[TracebackType] = []
    inside = dropped = False
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if errors.is_own_file(filename):
            inside = dropped = True
        elif not inside or not _is_of_a_library(filename):
            inside = False
            kept.append(trace)
        trace = trace.tb_next
    if not dropped:
        return whole
    shown: TracebackType | None = None
    for trace in reversed(kept):
        shown = TracebackType(shown, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)
    return shown


def door(method: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorates what users call that is no function, op or layer: errors leave it as they leave those."""

    @functools.wraps(method)
    def shortened(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return method(*args, **kwargs)
        except BaseException as error:
            shorten(error)
            raise

    return shortened
