"""What users see of a traceback: their own frames, and the one call by which they came in.

Frames of graphrt and autograph, of the programs that these generate, and of what these call in Python's library and
in NumPy are left out where an error leaves a function, an op or a dataset (`tf.debugging.disable_traceback_filtering`
shows them).
"""

from __future__ import annotations

import functools
import os
from types import TracebackType

import numpy as np

from graphrt import errors

__all__ = ["shorten", "switch"]

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
    """Leaves the frames of users in the traceback of an error that is on its way out."""
    if not _switches["filtering"]:
        return
    kept: list[TracebackType] = []
    inside = False
    trace = error.__traceback__
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if errors.is_own_file(filename):
            inside = True
        elif not inside or not _is_of_a_library(filename):
            inside = False
            kept.append(trace)
        trace = trace.tb_next
    shown: TracebackType | None = None
    for trace in reversed(kept):
        shown = TracebackType(shown, trace.tb_frame, trace.tb_lasti, trace.tb_lineno)
    error.__traceback__ = shown
