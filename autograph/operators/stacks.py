"""What `inspect.stack()` and `traceback.extract_stack()` give in the original program: one frame for each function."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.operators import frames

globals()["__builtins__"] = OWN


def frame_infos(caller: FrameType, context: int = 1) -> list[Any]:
    """`inspect.stack(context)`, called by the user's function that `caller` is (a part of)."""
    import inspect

    found = list(frames.user_frames(caller))
    users = {id(frame) for frame in found}
    return [info for info in inspect.getouterframes(found[0], context) if id(info.frame) in users]


def extract_stack(caller: FrameType, f: Any = None, limit: int | None = None) -> Any:
    """`traceback.extract_stack(f, limit)`."""
    import traceback

    if f is not None:
        return traceback.extract_stack(f, limit)
    if limit is None:
        limit = getattr(sys, "tracebacklimit", None)
        limit = None if limit is None else max(limit, 0)
    stack = traceback.StackSummary.extract(_with_lines(caller, limit), limit=limit)
    stack.reverse()
    return stack


def _with_lines(caller: FrameType, limit: int | None) -> Iterator[Any]:
    walked = ((frame, frame.f_lineno) for frame in frames.user_frames(caller))
    return itertools.islice(walked, limit) if limit is not None and limit >= 0 else walked


def format_stack(caller: FrameType, f: object = None, limit: int | None = None) -> list[str]:
    """`traceback.format_stack(f, limit)`."""
    return list(extract_stack(caller, f, limit).format())


def print_stack(caller: FrameType, f: Any = None, limit: int | None = None, file: Any = None) -> None:
    """`traceback.print_stack(f, limit, file)`."""
    for line in format_stack(caller, f, limit):
        print(line, file=sys.stderr if file is None else file, end="")
