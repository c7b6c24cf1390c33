"""Retells an exception in the user's own frames.

    ValueError: boo
    in user code:

        File "demo.py", line 2, in top  *
            return inner(x)
        File "demo.py", line 6, in inner  **
            raise ValueError('boo')

`*` marks a converted function, `**` the first function called as it is from converted code.
"""

from __future__ import annotations

import itertools
import re
from types import TracebackType
from typing import NamedTuple

from autograph.errors import shown_file
from autograph.operators import frames
from autograph.pyct.texts import lines_of

HEADER = "in user code:"
_MOST_REPEATED = 3  # as Python shows tracebacks


class UserFrame(NamedTuple):
    """One of the user's functions on the way to an error."""

    filename: str
    lineno: int
    name: str
    converted: bool

    @property
    def line(self) -> str:
        """The text of the line, stripped; empty when there is no source."""
        return "".join(lines_of(self.filename, self.name)[self.lineno - 1 : self.lineno]).strip()


def frames_of_user(tb: TracebackType | None) -> list[UserFrame]:
    """The user's functions in a traceback, outermost first, each with the line that ran."""
    found: list[UserFrame] = []
    while tb is not None:
        frame = tb.tb_frame
        if not frames.is_own(frame) and not frames.is_of_backend(frame):
            thunk = frames.is_thunk(frame)
            name = frames.function_frame(frame).f_code.co_name if thunk else frame.f_code.co_name
            entry = UserFrame(
                frame.f_code.co_filename,
                tb.tb_lineno or frame.f_code.co_firstlineno,
                name,
                thunk or frames.is_generated(frame.f_code),
            )
            if thunk and found and found[-1].name == name:
                found[-1] = entry  # the same function, nearer to the error
            else:
                found.append(entry)
        tb = tb.tb_next
    while found and not found[0].converted:  # what led to converted code is not part of the story
        if not any(entry.converted for entry in found):
            break
        del found[0]
    return found


def describe(entries: list[UserFrame]) -> str:
    """The text of the note for these frames."""
    lines = [HEADER, ""]
    previous_converted = False
    for entry, same in itertools.groupby(entries):
        times = len(list(same))
        for _ in range(min(times, _MOST_REPEATED)):
            mark = "  *" if entry.converted else "  **" if previous_converted else ""
            previous_converted = entry.converted
            cell = shown_file(entry.filename)
            file = f'File "{cell}"' if cell == entry.filename else cell
            lines.append(f"    {file}, line {entry.lineno}, in {entry.name}{mark}")
            if entry.line:
                lines.append(f"        {entry.line}")
        if times > _MOST_REPEATED:
            lines.append(f"    [Previous line repeated {times - _MOST_REPEATED} more times]")
    return "\n".join(lines)


def _size(note: str) -> int:
    """How many frames a note tells of."""
    repeated = re.findall(r"^    \[Previous line repeated (\d+) more times\]$", note, re.MULTILINE)
    return len(re.findall(r"^    \S.*, line \d+, in ", note, re.MULTILINE)) + sum(map(int, repeated))


def annotate(exc: BaseException) -> BaseException:
    """Adds to an exception one note that lists the user's frames; returns the same exception.

    Calling it again, further out, replaces the note if there is more to tell.

    >>> try:
    ...     eval("1 / 0")
    ... except ZeroDivisionError as error:
    ...     print(annotate(error).__notes__[0].splitlines()[0])
    in user code:
    """
    entries = frames_of_user(exc.__traceback__)
    if not entries:
        return exc
    note = describe(entries)
    notes = getattr(exc, "__notes__", None)
    if isinstance(notes, list):
        for position, known in enumerate(notes):
            if isinstance(known, str) and known.startswith(HEADER):
                if _size(note) > _size(known):
                    notes[position] = note
                return exc
    exc.add_note(note)
    return exc
