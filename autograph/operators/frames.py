"""Looks at running converted code the way the user sees it: one frame for each of the user's functions.

    the stack                                     what the user wrote
    f            demo.py:4                        f   demo.py:5
      if_stmt    autograph/operators/...     ->
        if_body  demo.py:5

A *thunk* is a function that generated code hands to an operator (`if_body`, `lambda: ...`): it runs inside an operator,
which is how it is told from a function of the user's.
"""

from __future__ import annotations

import collections
import functools
import itertools
import os
import re
import sys
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.protocol import NoValue
from autograph.backends.registry import registered_backends

globals()["__builtins__"] = OWN

ROOMS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_OPERATORS = os.path.join(ROOMS, "operators") + os.sep
BACKENDS = os.path.join(ROOMS, "backends") + os.sep  # backends call what is there, and it calls thunks for them
# Stack levels of `warnings` and `logging` count no frames of files with both words in their names; it is the same folder.
_NOT_COUNTED = os.path.join(_OPERATORS, "importlib_bootstrap", os.pardir, "")
_CALLS = tuple(f + name for f in (_OPERATORS, _NOT_COUNTED) for name in ("calls.py", "quick_calls.py"))
# The operators that are handed parts of a function.
_CALLERS_OF_THUNKS = frozenset(
    folder + name + ".py"
    for folder in (_OPERATORS, _NOT_COUNTED)
    for name in ("asserts", "conditional_expressions", "control_flow", "function_scope", "logical", "variables")
)

COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_GENERATED_NAME = re.compile(
    r"ag__(entered)?|(\w+_)?[fl]scope(_\d+)?|do_return(_\d+)?|retval__?(_?\d+)?|(break|continue)__?(_?\d+)?"
    r"|((get|set)_state|(if|else|loop)_body|loop_test|extra_test|itr)(_\d+)?"
)


@functools.lru_cache(1000)
def _is_generated_name(name: str) -> bool:
    return _GENERATED_NAME.fullmatch(name) is not None


CALL = "__call__"  # looked up on types, where it says whether a method of that name is Python code

OPTIMIZED = 0x1  # set in the flags of functions, not of class bodies

# Codes of generated functions, and for each the names that the user's function has; by identity, dropped with the code.
_generated: dict[int, weakref.ref[CodeType]] = {}
_names: dict[int, tuple[str, ...]] = {}
_thunks: set[int] = set()
_in_place: set[int] = set()


Places = dict[tuple[str, int], list[tuple[str, ...]]]


def places_of(original: CodeType) -> Places:
    """The variables of a function, and of those inside it, by their names and first lines."""
    found: Places = {}
    for code in (original, *codes_within(original)):
        found.setdefault((code.co_name, code.co_firstlineno), []).append(_variables(code))
    return found


def mark_generated(code: CodeType, places: Places | None = None, kept: Collection[int] = ()) -> None:
    """Remembers that `code` and the functions in it were generated; `places` are those of the user's functions.

    `kept` are the identities of the user's own codes in it: of the body that runs while nothing is staged.
    """
    _remember(code)
    if places is None:
        return
    for found in (code, *codes_within(code)):
        if id(found) in kept or id(found) in _thunks:
            continue
        _remember(found)
        candidates = places.get((found.co_name, found.co_firstlineno))
        if candidates is not None:
            known = set(_variables(found))  # several lambdas may stand on one line
            _names[id(found)] = max(candidates, key=lambda names: (known.issuperset(names), len(names)))


def mark_thunk(code: CodeType) -> None:
    """Remembers that `code` is a part of a function that generated code hands to an operator."""
    _remember(code)
    _thunks.add(id(code))


def mark_in_place(code: CodeType) -> None:
    """Remembers that `code` is our own, although it says that it stands where the user's does."""
    _remember(code)
    _in_place.add(id(code))


def _remember(code: CodeType) -> None:
    key = id(code)
    if key not in _generated:

        def drop(_: weakref.ref[CodeType], key: int = key) -> None:
            _generated.pop(key, None)
            _names.pop(key, None)
            _thunks.discard(key)
            _in_place.discard(key)

        _generated[key] = weakref.ref(code, drop)


def _variables(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames + code.co_cellvars + code.co_freevars


def codes_within(code: CodeType) -> Iterator[CodeType]:
    """The codes of all functions defined inside `code`, outer ones first."""
    stack = [code]
    while stack:
        found = stack.pop()
        if found is not code:
            yield found
        stack += [c for c in reversed(found.co_consts) if isinstance(c, CodeType)]


# The names of operators, by which code of dumped modules is known; the module of operators says them.
operators: frozenset[str] = frozenset()


def is_generated(code: CodeType) -> bool:
    """Whether `code` is (part of) a converted function."""
    return id(code) in _generated or ("ag__" in code.co_names and not operators.isdisjoint(code.co_names))


def is_whole(code: CodeType) -> bool:
    """Whether `code` is a whole converted function, and no part of one."""
    return id(code) in _generated and id(code) not in _thunks


def is_own(frame: FrameType) -> bool:
    """Whether a frame belongs to `autograph` itself."""
    code = frame.f_code
    return code.co_filename.startswith(ROOMS) or id(code) in _in_place


def is_of_backend(frame: FrameType) -> bool:
    """Whether a frame belongs to a module that a backend keeps unconverted."""
    name = frame.f_globals.get("__name__")
    return isinstance(name, str) and any(
        name == module or name.startswith(module + ".")
        for backend in registered_backends()
        for module in backend.unconverted_modules
    )


def is_thunk(frame: FrameType) -> bool:
    """Whether a frame runs a part of a function that generated code handed to an operator."""
    code = frame.f_code
    if id(code) in _thunks:
        return True
    if id(code) in _generated:  # a whole function
        return False
    # Code of a dumped module: its thunks are known by their names and by who calls them.
    if code.co_name != "<lambda>" and not _is_generated_name(code.co_name):
        return False
    back = frame.f_back
    while back is not None and not is_own(back) and is_of_backend(back):
        back = back.f_back
    return back is not None and calls_thunks(back)


def calls_thunks(frame: FrameType) -> bool:
    """Whether a frame is one of an operator that is handed parts of a function."""
    return frame.f_code.co_filename in _CALLERS_OF_THUNKS


def user_frames(frame: FrameType | None) -> Iterator[FrameType]:
    """The frames of the user's functions from `frame` outwards, each with the line that runs in it."""
    inside_thunk = False
    while frame is not None:
        if not is_own(frame):
            thunk = is_thunk(frame)
            if not inside_thunk:
                yield frame
            inside_thunk = thunk
        elif inside_thunk and frame.f_code.co_filename.startswith(_CALLS):
            inside_thunk = False
        frame = frame.f_back


def function_frame(frame: FrameType) -> FrameType:
    """The frame of the whole user function that `frame` is a part of."""
    return _parts(frame)[-1]


def _parts(frame: FrameType) -> list[FrameType]:
    """The frames of the parts of a user function that run, from `frame` outwards to that of the whole function."""
    found = [frame]
    while is_thunk(frame):
        back = frame.f_back
        while back is not None and (is_own(back) or is_of_backend(back)):
            back = back.f_back
        if back is None:
            break
        frame = back
        found.append(frame)
    return found


def user_frame(frame: FrameType, depth: int) -> FrameType:
    """What `sys._getframe(depth)` gives in the original program; raises ValueError as it does."""
    found = next(itertools.islice(user_frames(frame), depth, None), None)
    if found is None:
        raise ValueError("call stack is not deep enough")
    return found


def frame_back(frame: Any) -> Any:
    """`frame.f_back`: the frame of the user's function that called the one of `frame`."""
    found = frame.f_back
    if type(frame) is not FrameType or found is None:
        return found
    return next(itertools.islice(user_frames(frame), not is_own(frame), None), None)


def not_counted(functions: Iterable[Any]) -> None:
    """Has the stack levels of warnings and log records pass over the frames of functions, and of those of classes.

    A function that is called as it is, and warns of its caller, then names the user's file and line.
    """
    for function in functions:
        if type(function) is type:
            not_counted(vars(function).values())
        elif type(function) is FunctionType:
            filename = function.__code__.co_filename
            if filename.startswith(_OPERATORS) and not filename.startswith(_NOT_COUNTED):
                function.__code__ = _with_filename(function.__code__, _NOT_COUNTED + filename[len(_OPERATORS) :])


def _with_filename(code: CodeType, filename: str) -> CodeType:
    constants = [_with_filename(c, filename) if isinstance(c, CodeType) else c for c in code.co_consts]
    return code.replace(co_filename=filename, co_consts=tuple(constants))


def is_counted(frame: FrameType) -> bool:
    """Whether stack levels count a frame."""
    return not frame.f_code.co_filename.startswith(_NOT_COUNTED)


def distance(frame: FrameType | None, outer: FrameType | None, counts: Callable[[FrameType], bool]) -> int:
    """How many frames, of those that count, lie from `frame` to `outer`, which is left out."""
    count = 0
    while frame is not None and frame is not outer:
        count += counts(frame)
        frame = frame.f_back
    return count


def levels_between(frame: FrameType, depth: int, counts: Callable[[FrameType], bool]) -> int:
    """How many frames, of those that count, `frame` is really away from the user's frame number `depth`."""
    return distance(frame, next(itertools.islice(user_frames(frame), depth, None), None), counts)


def user_locals(frame: FrameType, undefined: type) -> dict[str, Any]:
    """What `locals()` gives in the original program; values of type `undefined` stand for unset variables."""
    *parts, home = [frame] if frame.f_code.co_name in COMPREHENSIONS else _parts(frame)
    values = home.f_locals
    if not home.f_code.co_flags & OPTIMIZED:  # a module or class: there it is the namespace itself
        return values
    names = _names.get(id(home.f_code))
    if names is None:
        names = tuple(n for n in _variables(home.f_code) if not _is_generated_name(n) and n.isidentifier())
    every = collections.ChainMap(
        *(part.f_locals for part in parts), values
    )  # branches and loops have some of their own
    found = {n: every[n] for n in dict.fromkeys(names) if n in every and type(every[n]) is not undefined}
    if sys.version_info >= (3, 13):
        return found
    # It is one dictionary for each frame, brought up to date by each call; what else is put into it stays there.
    kept: dict[str, Any] = values.setdefault(_LOCALS, {})
    for name in names:
        if name not in found:
            kept.pop(name, None)
    kept.update(found)
    return kept


_UNSET = NoValue()
_LOCALS = "ag__ locals"  # no name of a variable


def zero_argument_super(frame: FrameType) -> object:
    """What `super()` gives in the original program."""
    home = function_frame(frame)
    if home.f_code.co_argcount == 0:
        raise RuntimeError("super(): no arguments")
    values = home.f_locals
    first = home.f_code.co_varnames[0]
    if issubclass(type(values.get(first, _UNSET)), NoValue):  # asks the object for nothing
        raise RuntimeError("super(): arg[0] deleted")
    if "__class__" not in home.f_code.co_freevars:
        raise RuntimeError("super(): __class__ cell not found")
    if "__class__" not in values:
        if _reads_attribute_next(frame):  # `super().x` is one instruction of Python 3.12, which loads the cell
            raise unset_of_another("__class__")
        raise RuntimeError("super(): empty __class__ cell")
    return super(values["__class__"], values[first])


def _reads_attribute_next(frame: FrameType) -> bool:
    """Whether a frame reads an attribute of what the call that it is in gives, in an instruction made for `super()`."""
    if sys.version_info < (3, 12):
        return False
    places = list(frame.f_code.co_positions())[frame.f_lasti // 2 :]  # an attribute begins with what it is read from
    following = next((place for place in places if place != places[0]), None)
    return following is not None and (following[0], following[2]) == (places[0][0], places[0][2])


def unset_of_another(name: str) -> NameError:
    """The error of who reads a variable of a function around that has no value."""
    text = f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
    return NameError(text, name=name)
