"""Looks at running converted code the way the user sees it: one frame for each of the user's functions.

    the stack                                     what the user wrote
    f            demo.py:4                        f   demo.py:5
      if_stmt    autograph/operators/...     ->
        if_body  demo.py:5

A *thunk* is a function that generated code hands to an operator (`if_body`, `lambda: ...`): it runs inside an operator,
which is how it is told from a function of the user's.
"""

from __future__ import annotations
import __future__

import collections
import functools
import itertools
import opcode
import os
import re
import sys
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

from autograph.backends.registry import registered_backends

ROOMS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_OPERATORS = os.path.join(ROOMS, "operators") + os.sep
_BACKENDS = os.path.join(ROOMS, "backends") + os.sep  # backends call what is there, and it calls thunks for them
# Stack levels of `warnings` and `logging` count no frames of files with both words in their names; it is the same folder.
_NOT_COUNTED = os.path.join(_OPERATORS, "importlib_bootstrap", os.pardir, "")
_CALLS = (_OPERATORS + "calls.py", _NOT_COUNTED + "calls.py")
# The operators that are handed parts of a function.
_CALLERS_OF_THUNKS = frozenset(
    folder + name + ".py"
    for folder in (_OPERATORS, _NOT_COUNTED)
    for name in ("asserts", "conditional_expressions", "control_flow", "function_scope", "logical", "variables")
)

_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})
_GENERATED_NAME = re.compile(
    r"ag__(entered)?|(\w+_)?[fl]scope(_\d+)?|do_return(_\d+)?|retval__?(_?\d+)?|(break|continue)__?(_?\d+)?"
    r"|((get|set)_state|(if|else|loop)_body|loop_test|extra_test|itr)(_\d+)?"
)

CALL = "__call__"  # looked up on types, where it says whether a method of that name is Python code

_OPTIMIZED = 0x1  # set in the flags of functions, not of class bodies

show_own_frames = os.environ.get("AUTOGRAPH_FULL_TRACEBACKS", "") not in ("", "0")

# Codes of generated functions, and for each the names that the user's function has; by identity, dropped with the code.
_generated: dict[int, weakref.ref[CodeType]] = {}
_names: dict[int, tuple[str, ...]] = {}
_thunks: set[int] = set()


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


def _remember(code: CodeType) -> None:
    key = id(code)
    if key not in _generated:

        def drop(_: weakref.ref[CodeType], key: int = key) -> None:
            _generated.pop(key, None)
            _names.pop(key, None)
            _thunks.discard(key)

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


def is_own(frame: FrameType) -> bool:
    """Whether a frame belongs to `autograph` itself."""
    return frame.f_code.co_filename.startswith(ROOMS)


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
    if code.co_name != "<lambda>" and _GENERATED_NAME.fullmatch(code.co_name) is None:
        return False
    back = frame.f_back
    while back is not None and not is_own(back) and is_of_backend(back):
        back = back.f_back
    if back is None:
        return False
    return back.f_code.co_filename in _CALLERS_OF_THUNKS


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
    for position, found in enumerate(user_frames(frame)):
        if position == depth:
            return found
    raise ValueError("call stack is not deep enough")


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


def levels_between(frame: FrameType, depth: int, counts: Callable[[FrameType], bool] = lambda frame: True) -> int:
    """How many frames, of those that count, `frame` is really away from the user's frame number `depth`."""
    target = None
    for position, found in enumerate(user_frames(frame)):
        if position == depth:
            target = found
            break
    count = 0
    current: FrameType | None = frame
    while current is not None and current is not target:
        count += counts(current)
        current = current.f_back
    return count


def user_locals(frame: FrameType, undefined: type) -> dict[str, Any]:
    """What `locals()` gives in the original program; values of type `undefined` stand for unset variables."""
    *parts, home = [frame] if frame.f_code.co_name in _COMPREHENSIONS else _parts(frame)
    values = home.f_locals
    if not home.f_code.co_flags & _OPTIMIZED:  # a module or class: there it is the namespace itself
        return values
    names = _names.get(id(home.f_code))
    if names is None:
        names = tuple(n for n in _variables(home.f_code) if _GENERATED_NAME.fullmatch(n) is None and n.isidentifier())
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


_LOCALS = "ag__ locals"  # no name of a variable


def zero_argument_super(frame: FrameType) -> Any:
    """What `super()` gives in the original program."""
    home = function_frame(frame)
    if home.f_code.co_argcount == 0:
        raise RuntimeError("super(): no arguments")
    values = home.f_locals
    first = home.f_code.co_varnames[0]
    if first not in values:
        raise RuntimeError("super(): arg[0] deleted")
    if "__class__" not in home.f_code.co_freevars:
        raise RuntimeError("super(): __class__ cell not found")
    if "__class__" not in values:
        raise RuntimeError("super(): empty __class__ cell")
    return super(values["__class__"], values[first])


def _trampoline(function: Any, args: Any, kwargs: Any) -> Any:
    return function(*args, **kwargs)


_FUTURE_FLAGS = 0
for _feature in __future__.all_feature_names:
    _FUTURE_FLAGS |= getattr(__future__, _feature).compiler_flag
_FUTURE_FLAGS &= ~0x10  # shared with a flag that says the function is nested


@functools.cache
def _trampoline_code(flags: int) -> CodeType:
    code = _trampoline.__code__
    flags |= code.co_flags & ~_FUTURE_FLAGS
    return code.replace(co_name="<call>", co_qualname="<call>", co_flags=flags)


def call_in_globals(f: object, args: tuple[Any, ...], kwargs: dict[str, Any] | None, frame: FrameType) -> Any:
    """`f(*args, **kwargs)` such that `f` sees the user's module as its caller's.

    For `type(...)` and `namedtuple(...)`, which note the module of their caller, and for `compile(...)`, which takes
    over its `from __future__` imports.
    """
    code = _trampoline_code(frame.f_code.co_flags & _FUTURE_FLAGS)
    return FunctionType(code, frame.f_globals)(f, args, kwargs or {})


def handled() -> None:
    """Called where a handler of converted code begins: the handler sees the traceback of the original program."""
    error = sys.exc_info()[1]
    if error is None or show_own_frames:
        return
    frame, tb = sys._getframe(1), error.__traceback__
    if (
        tb is not None
        and tb.tb_next is None
        and tb.tb_frame is frame
        and error.__context__ is None
        and tb.tb_lineno is not None
        and not isinstance(error, _CLEANED_WHOLLY)
    ):
        return  # raised by the very function, and nothing else with it
    _clean_related(error, frame)


_CLEANED_WHOLLY = (BaseExceptionGroup, RecursionError)


def hide_own_frames(error: BaseException, tb: TracebackType | None) -> None:
    """Takes the frames of `autograph`, and those of functions that wait for their own thunks, out of a traceback.

    It is called on the way out of each converted function, for what the function raised in handling another error too.
    """
    if show_own_frames:
        return
    if tb is None:
        if isinstance(error, BaseExceptionGroup):  # made at the end of the handlers of `except*`
            here: FrameType | None = sys._getframe(1)
            while here is not None and is_own(here):
                here = here.f_back
            if here is not None:
                _clean_related(error, here)
    elif error.__context__ is None and not isinstance(error, BaseExceptionGroup):
        _clean(error, tb)
    else:
        _clean_related(error, tb.tb_frame)


def _clean_related(error: BaseException, frame: FrameType) -> None:
    """Cleans an error, its parts, and what was being handled when it was raised, where that was in `frame`."""
    seen = set()
    related = [error]
    while related:
        other = related.pop()
        tb = other.__traceback__
        if id(other) in seen:
            continue
        seen.add(id(other))
        if tb is not None and tb.tb_frame is not frame and not is_thunk(tb.tb_frame):
            continue  # it was handled further in, or out
        if tb is not None:  # else a group that `except*` made around an error
            _clean(other, tb)
        if other.__context__ is not None:
            related.append(other.__context__)
        if isinstance(other, BaseExceptionGroup):
            related += other.exceptions


def _clean(error: BaseException, tb: TracebackType) -> None:
    global _clean_from
    too_deep = isinstance(error, RecursionError)
    if too_deep:
        _say_as_python_does(error, tb)
    head = _without_own_frames(tb, too_deep)
    if too_deep:
        _clean_from = id(head)
    if head is not tb:
        BaseException.with_traceback(error, head)  # not by assignment: a class of the user's may refuse that


_TOO_DEEP = "maximum recursion depth exceeded"
# The identity of the entry from which on the traceback of a `RecursionError` on its way out is clean, so that each entry
# is looked at once. No reference, which would keep frames alive: what lies behind is looked at, too.
_clean_from = 0
_MOST_OWN = 8  # frames of operators in a row


def _is_clean_from(tb: TracebackType) -> bool:
    if id(tb) != _clean_from:
        return False
    node: TracebackType | None = tb
    for _ in range(_MOST_OWN):
        if node is None:
            break
        if is_own(node.tb_frame):
            return False
        node = node.tb_next
    return True


def _say_as_python_does(error: BaseException, tb: TracebackType) -> None:
    """Where one of our functions had no room for its own call, the call of the user's would have had none."""
    last: collections.deque[TracebackType] = collections.deque(maxlen=_MOST_OWN)
    node: TracebackType | None = tb
    while node is not None:
        last.append(node)
        node = node.tb_next
    opens = last[-1].tb_lineno is None  # what opens a converted function
    if not (opens or is_own(last[-1].tb_frame)):
        return
    while len(last) > 1 and (is_own(last[-1].tb_frame) or last[-1].tb_lineno is None):
        last.pop()
        last[-1].tb_next = None
    if error.args and str(error.args[0]).startswith(_TOO_DEEP):
        error.args = (_TOO_DEEP,)
        ours = error.__context__
        if ours is not None and ours.__traceback__ is not None and is_own(ours.__traceback__.tb_frame):
            error.__context__ = ours.__context__


def _without_own_frames(tb: TracebackType, whole: bool = False) -> TracebackType:
    """The traceback with its further entries changed in place.

    Functions further in have cleaned their part, except of a `RecursionError` (`whole`), when they had no room for that.
    """
    head: TracebackType = _with_line(tb)
    node: TracebackType | None = head
    before: TracebackType | None = None
    while node is not None:
        following = node.tb_next
        behind_operators = False
        while following is not None and is_own(following.tb_frame):
            behind_operators |= not following.tb_frame.f_code.co_filename.startswith(_BACKENDS)
            following = following.tb_next
        if following is not None:
            following = _with_line(following)
        node.tb_next = following
        if following is None or (whole and _is_clean_from(following)):
            break
        # Behind frames of operators the function itself follows: a `raise` in a thunk, with no entry of its own.
        again = behind_operators and following.tb_frame is function_frame(node.tb_frame)
        if again or (behind_operators and is_thunk(following.tb_frame)):
            if function_frame(following.tb_frame) is not function_frame(node.tb_frame):
                if whole:
                    before = node
                    node = following
                    continue
                break  # all that is left of a function further in
            if before is None:
                head = following
            else:
                before.tb_next = following
        elif not whole and _cleans_up(following.tb_frame.f_code):
            break
        else:
            before = node
        node = following
    return head


def _with_line(tb: TracebackType) -> TracebackType:
    """An entry that says a line, in place of one that ends in code without one."""
    if tb.tb_lineno is not None:
        return tb
    code = tb.tb_frame.f_code
    lasti, line = tb.tb_lasti, code.co_firstlineno  # failed in what opens a converted function
    unit = lasti // 2
    following = next(itertools.islice(code.co_positions(), unit + 1, None), (None,))
    if code.co_code[lasti] in _FIRST_OF_TWO and code.co_code[lasti + 2] == _LOAD_FAST and following[0] is not None:
        lasti, line = lasti + 2, following[0]
    return TracebackType(tb.tb_next, tb.tb_frame, lasti, line)


# What CPython 3.11 takes as one instruction with a read of a variable behind it, in code that has run often.
_LOAD_CONST = opcode.opmap["LOAD_CONST"]
_LOAD_FAST = opcode.opmap["LOAD_FAST"]
_FIRST_OF_TWO = frozenset({_LOAD_FAST, _LOAD_CONST, opcode.opmap["STORE_FAST"]})


def _cleans_up(code: CodeType) -> bool:
    """Whether what left this function was cleaned on the way: nested lambdas, comprehensions, classes have no scope."""
    known = id(code) in _generated and id(code) not in _thunks
    return known and not code.co_name.startswith("<") and bool(code.co_flags & _OPTIMIZED)
