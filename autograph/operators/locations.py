"""Makes instructions that the user never wrote silent for debuggers and coverage.

The compiler gives an instruction without a place that of the one before it: what opens a converted function would show
as a second visit of its `def` line, and an empty `else` as a second visit of the `if`. Here they lose their place. What
has none in the middle of a line would show as a second visit of that line behind it: it gets the line.

The table is CPython's (3.11 on): entries `1cccclll` for `lll + 1` code units of kind `cccc`; kind 15 means no place.
"""

from __future__ import annotations

import itertools
import opcode
import re
import sys
from types import CodeType
from typing import Any

from autograph.backends.own_builtins import OWN

globals()["__builtins__"] = OWN

# CPython 3.13 and 3.14 lose count of the stack in branches that have no place: what nobody wrote is compiled with this one.
NOWHERE = 1 << 24 if sys.version_info >= (3, 13) else None

_NO_PLACE = 15
_LONG = 14
_NO_COLUMNS = 13
_RESUME = opcode.opmap["RESUME"]
_SILENT = frozenset(
    opcode.opmap[name]
    for name in ("RESUME", "COPY_FREE_VARS", "MAKE_CELL", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "CACHE")
    if name in opcode.opmap
)


_ENTRY = re.compile(rb"[\x80-\xff][^\x80-\xff]*")
# Entries of no place ahead of one that stays on the line before.
_BETWEEN = re.compile(rb"[\xf8-\xff]+(?=[\x80-\xd7]|[\xe8-\xf7]\x00)")

# What to silence: what opens a function; a thunk that does nothing; everything.
HEADER, EMPTY, ALL = range(3)


def without_generated_lines(code: CodeType, what: int, **changes: Any) -> CodeType:
    """`code` such that only the user's statements have lines, and with other `changes`."""
    if NOWHERE is not None:
        table = _without_line(code.co_linetable, code.co_firstlineno, NOWHERE)
        code = code if table is code.co_linetable else code.replace(co_linetable=table)
    units = code.co_code[::2]
    start = units.find(_RESUME)
    if start < 0:
        return code.replace(**changes)
    if what == HEADER:
        silent = _end_of_header(code, start)
    else:
        silent = len(units) if what == ALL or _SILENT.issuperset(units) else start + 1
    table = code.co_linetable
    if silent > start + 1:
        table = _silenced(code.co_linetable, start + 1, silent) or code.co_linetable
    if what == HEADER:
        table = _filled(table, silent)
    return code.replace(co_linetable=table, **changes)


def _end_of_header(code: CodeType, start: int) -> int:
    """The first unit after RESUME that has another place than RESUME itself."""
    positions = itertools.islice(code.co_positions(), start, None)
    place = next(positions)
    found = (at for at, other in enumerate(positions, start + 1) if other != place and other[0] is not None)
    return next(found, len(code.co_code) // 2)


def _silenced(table: bytes, first: int, end: int) -> bytes | None:
    """The table with no place for units `first` to `end`; None if the line changes in between."""
    result = bytearray()
    unit = 0
    for found in _ENTRY.finditer(table):
        if unit >= end:
            return bytes(result + table[found.start() :])
        entry = found[0]
        kind, length = (entry[0] >> 3) & 15, (entry[0] & 7) + 1
        stop = unit + length
        if stop <= first or kind == _NO_PLACE:
            result += entry
        elif not _stays_on_line(entry, kind):
            return None
        else:
            kept = max(first - unit, 0)
            after = max(stop - end, 0)
            if kept:
                result += bytes((entry[0] & ~7 | (kept - 1),)) + entry[1:]
            result.append(0x80 | _NO_PLACE << 3 | (length - kept - after - 1))
            if after:
                result += bytes((entry[0] & ~7 | (after - 1),)) + entry[1:]
        unit = stop
    return bytes(result)


def _filled(table: bytes, first: int) -> bytes:
    """The table in which what lies between parts of one line, from unit `first` on, is on that line."""
    if _BETWEEN.search(table) is None:
        return table
    unit = 0
    for entry in _ENTRY.finditer(table):
        if unit >= first:
            return table[: entry.start()] + _BETWEEN.sub(_on_the_line, table[entry.start() :])
        unit += (table[entry.start()] & 7) + 1
    return table


def _on_the_line(found: re.Match[bytes]) -> bytes:
    return b"".join(bytes((byte & 7 | 0x80 | _NO_COLUMNS << 3, 0)) for byte in found[0])


def _without_line(table: bytes, first: int, nowhere: int) -> bytes:
    """The table in which what is on the line `nowhere` has no place; `first` is the line before the first entry."""
    line = told = first
    result = bytearray()
    for entry in _entries(table):
        kind = (entry[0] >> 3) & 15
        if kind in (_NO_COLUMNS, _LONG):
            delta, size = _signed(entry)
            line += delta
        else:
            size = 1
            line += kind - 10 if kind in (11, 12) else 0
        if line == nowhere:
            result.append(entry[0] | 0x78)  # of no place
        elif kind in (_NO_COLUMNS, _LONG):  # others follow one on a line near by
            result += entry[:1] + _as_signed(line - told) + entry[size:]
        else:
            result += entry
        told = told if line == nowhere or kind == _NO_PLACE else line
    return bytes(result)


def _signed(entry: bytes) -> tuple[int, int]:
    """The first number of an entry, and where it ends.

    It has six bits a byte, the lowest ones first, of which the very first is its sign.
    """
    value, end = entry[1] & 63, 2
    while entry[end - 1] & 64:
        value |= (entry[end] & 63) << 6 * (end - 1)
        end += 1
    return -(value >> 1) if value & 1 else value >> 1, end


def _as_signed(value: int) -> bytes:
    rest = -value << 1 | 1 if value < 0 else value << 1
    made = bytearray()
    while rest >= 64:
        made.append(64 | rest & 63)
        rest >>= 6
    made.append(rest)
    return bytes(made)


def _entries(table: bytes) -> list[bytes]:
    return _ENTRY.findall(table)


def _stays_on_line(entry: bytes, kind: int) -> bool:
    """Whether the entry is on the line of the one before it, so that it can go without moving those after it."""
    if kind <= 10:
        return True
    if kind in (11, 12):
        return False
    return entry[1] == 0
