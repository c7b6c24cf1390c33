"""Compares code objects: whether they do the same, and whether one does all that another does.

Left aside is what says nothing of the doing: names and places of the code, and which functions are around it.
"""

from __future__ import annotations

import dis
import re
from collections.abc import Iterator
from types import CodeType
from typing import Any

from autograph.pyct.nodes import Node, walk

OPTIMIZED = 0x1  # set in the flags of functions, not of class bodies
_KINDS = 0x2AC  # those for *args, **kwargs, generators, coroutines, asynchronous generators
_NOTHING = dis.opmap["NOP"]
_NOT_TAKEN = dis.opmap.get("NOT_TAKEN")


def codes_in(code: CodeType) -> Iterator[CodeType]:
    """The functions and classes defined in one, at any depth."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from codes_in(constant)


def own_variables(code: CodeType) -> list[str]:
    """The variables of a function: parameters, what it sets, and what comprehensions in it set (Python 3.12)."""
    return list(dict.fromkeys((*code.co_varnames, *code.co_cellvars)))


def read_as_globals(code: CodeType, node: Node) -> set[str]:
    """The variables that a function and those inside it read as those of a module, where no `global` says so."""
    said = {name for part in walk(node) if part.__class__.__name__ == "Global" for name in part.names}
    own, *inner = (
        {each.argval for each in dis.get_instructions(c) if each.opname == "LOAD_GLOBAL"}
        for c in (code, *codes_in(code))
    )
    return own.union(*inner) - (said - own)


def equal(found: CodeType, code: CodeType) -> bool:
    """Whether two codes do the same, instruction by instruction."""
    if _parameters(found) != _parameters(code):
        return False
    if found.co_exceptiontable != code.co_exceptiontable and _handlers(found) != _handlers(code):
        return False
    if (found.co_names, found.co_varnames, found.co_cellvars) != (code.co_names, code.co_varnames, code.co_cellvars):
        return False
    if set(found.co_freevars) != set(code.co_freevars) or _instructions(found) != _instructions(code):
        return False
    ours, theirs = found.co_consts, code.co_consts
    if len(ours) != len(theirs):
        return False
    in_class = not code.co_flags & OPTIMIZED
    for mine, other in zip(ours, theirs, strict=True):
        if in_class and (mine, other) == (found.co_qualname, code.co_qualname):
            continue
        if not _equal_constants(mine, other, in_class):
            return False
    return True


def _parameters(code: CodeType) -> tuple[int, ...]:
    return code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _KINDS


def _handlers(code: CodeType) -> dict[int, tuple[int, int, bool]]:
    """Where an error goes to, for each unit that may raise one: Python 3.14 says anything of its `NOT_TAKEN`."""
    entries = dis._parse_exception_table(code)  # type: ignore[attr-defined]
    return {
        unit: (entry.target, entry.depth, entry.lasti)
        for entry in entries
        for unit in range(entry.start, entry.end, 2)
        if code.co_code[unit] != _NOT_TAKEN
    }


def _instructions(code: CodeType) -> bytes:
    """Without what profilers append to have no two equal codes."""
    units = code.co_code
    end = len(units)
    while end > 1 and units[end - 2] == _NOTHING:
        end -= 2
    return units[:end]


def _equal_constants(mine: Any, other: Any, in_class: bool) -> bool:
    if type(mine) is not type(other):
        return False
    if isinstance(mine, CodeType):
        return equal(mine, other)
    if isinstance(mine, tuple):
        if in_class and mine and all(type(part) is str for part in mine):  # names of attributes, in any order (3.13)
            return set(mine) == set(other)
        return len(mine) == len(other) and all(_equal_constants(a, b, False) for a, b in zip(mine, other, strict=True))
    if isinstance(mine, frozenset):
        return mine == other and set(map(repr, mine)) == set(map(repr, other))
    return mine is other or repr(mine) == repr(other)  # not `==`: 0.0 is not -0.0, and 1 is not True


def does_all_of(part: CodeType, code: CodeType) -> bool:
    """Whether `code` does what `part` does in that order, perhaps with other things in between."""
    if _parameters(part) != _parameters(code):
        return False
    following = _deeds(code)
    return all(any(_same_deed(deed, other) for other in following) for deed in _deeds(part))


Deed = tuple[str, Any]
_WITH_CLOSURE = 8  # of MAKE_FUNCTION, before Python 3.13
_ACCESS = re.compile("LOAD|STORE|DELETE")
_DIRECTION = re.compile("_FORWARD|_BACKWARD")
# What only moves values and control about; where it stands depends on what is in between.
_MOVES = re.compile(
    "POP_TOP|COPY|SWAP|PUSH_|NOP|RESUME|CACHE|EXTENDED_ARG|PRECALL|JUMP_FORWARD|JUMP_BACKWARD|POP_EXCEPT|RERAISE|"
    "END_|POP_ITER|NOT_TAKEN|TO_BOOL|MAKE_CELL|LOAD_CLOSURE"
)


def _deeds(code: CodeType) -> Iterator[Deed]:
    """What a code does, with the names and constants it is done with."""
    returns_none = False
    for instruction in dis.get_instructions(code):
        operation, name, value = instruction.opcode, instruction.opname, instruction.argval
        if _MOVES.match(name):
            continue
        if operation in dis.haslocal or operation in dis.hasfree:
            names = value if isinstance(value, tuple) else (value,)
            yield from zip(_ACCESS.findall(name), names)  # one instruction may set one and read another
        elif operation in dis.hasconst:
            if value == code.co_qualname:  # of a class, whose body says where it stands
                yield "own name", None
            elif value is not None:
                yield "constant", value
                if name == "RETURN_CONST":
                    yield "RETURN_VALUE", None
        elif operation in dis.hasname:
            yield ("attribute" if "ATTR" in name or "METHOD" in name else "global"), value
        elif operation in dis.hasjrel or operation in dis.hasjabs:
            yield _DIRECTION.sub("", name), None
        elif not (name == "RETURN_VALUE" and returns_none):  # each way out of a function may have one of its own
            # what a function inside captures may be captured by an assertion alone
            yield name, instruction.arg if name != "MAKE_FUNCTION" else (instruction.arg or 0) & ~_WITH_CLOSURE
        returns_none = operation in dis.hasconst and value is None


def _same_deed(mine: Deed, other: Deed) -> bool:
    if mine[0] != other[0]:
        return False
    if isinstance(mine[1], CodeType):
        return isinstance(other[1], CodeType) and mine[1].co_name == other[1].co_name and does_all_of(mine[1], other[1])
    return mine[1] is other[1] or (type(mine[1]) is type(other[1]) and repr(mine[1]) == repr(other[1]))
