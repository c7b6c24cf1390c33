"""Tracebacks as the user's program has them: one entry for each of the user's functions that an error came through."""

from __future__ import annotations

import collections
import itertools
import opcode
import os
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any

from autograph.backends.own_builtins import OWN
from autograph.backends.trace import current_trace
from autograph.errors import AutoGraphError, StagingError
from autograph.operators.frames import BACKENDS, OPTIMIZED, calls_thunks, function_frame, is_own, is_thunk, is_whole

globals()["__builtins__"] = OWN

show_own_frames = os.environ.get("AUTOGRAPH_FULL_TRACEBACKS", "") not in ("", "0")


def handled() -> None:
    """Called where a handler of converted code begins: the handler sees the traceback of the original program."""
    error = sys.exc_info()[1]
    if error is None or show_own_frames:
        return
    frame, tb = sys._getframe(1), error.__traceback__
    if (
        tb is not None
        and tb.tb_frame is frame
        and error.__context__ is None
        and tb.tb_lineno is not None
        and not isinstance(error, _CLEANED_WHOLLY)
    ):
        following = tb.tb_next
        if following is None:
            return  # raised by the very function, and nothing else with it
        called = following.tb_frame
        if following.tb_lineno is not None and _cleans_up(called.f_code) and not is_own(called):
            return  # raised by a function that it called, which has cleaned all further in
    _clean_related(error, frame)


def unless_refused(kind: Any) -> Any:
    """What a handler of `kind` catches while something is traced: refusals to stage by their own names alone."""
    return _of_ours(kind) if is_refusal(sys.exc_info()[1]) else kind


def pass_refusal() -> None:
    """Called where a jump leaves a `finally` while something is traced: the jump drops no refusal to stage."""
    if is_refusal(sys.exc_info()[1]):
        raise


def is_refusal(error: object) -> bool:
    """Whether an error says that something cannot be staged, which no handler of the program's is meant for."""
    return (
        isinstance(error, (StagingError, RecursionError))
        and getattr(type(error), "passes_handlers", False)
        and current_trace() is not None
    )


class Passing:
    """A manager of `contextlib` that may swallow errors, while something is traced: refusals to stage pass.

    But for those that `contextlib.suppress` names.
    """

    __slots__ = ("_of",)

    def __init__(self, of: Any) -> None:
        self._of = of

    def __enter__(self) -> Any:
        return self._of.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> Any:
        handled = self._of.__exit__(kind, error, tb)
        named = _of_ours(getattr(self._of, "_exceptions", ()))
        return False if handled and is_refusal(error) and not isinstance(error, named) else handled


def _of_ours(kind: Any) -> tuple[Any, ...]:
    if isinstance(kind, tuple):
        return tuple(part for each in kind for part in _of_ours(each))
    return (
        (kind,) if not isinstance(kind, type) or issubclass(kind, AutoGraphError) else ()
    )  # Python says what is no class


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
    entries = list(_entries(tb)) if isinstance(error, BaseExceptionGroup) else []
    head: TracebackType | None = _without_own_frames(tb, too_deep)
    if too_deep:
        _clean_from = id(head)
    if entries and calls_thunks(entries[-1].tb_frame):  # a bare `raise` of what `except*` made has no entry anywhere
        head = _without_last(head)
    if head is not tb:
        BaseException.with_traceback(error, head)  # not by assignment: a class of the user's may refuse that


def _entries(tb: TracebackType | None) -> Iterator[TracebackType]:
    while tb is not None:
        yield tb
        tb = tb.tb_next


def _without_last(head: TracebackType | None) -> TracebackType | None:
    *before, _ = _entries(head)
    if before:
        before[-1].tb_next = None
    return head if before else None


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
    while node is not None:  # there may be no room for a call
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
    cut: TracebackType | None = None  # the last entry that was linked, whose own link is `rest`
    rest = head.tb_next
    while node is not None:
        following = rest
        behind_operators = False
        last: TracebackType | None = None
        while following is not None and is_own(following.tb_frame):
            last = following
            behind_operators |= not last.tb_frame.f_code.co_filename.startswith(BACKENDS)
            following = following.tb_next
        if following is not None:
            following = _with_line(following)
        clean = whole and following is not None and _is_clean_from(following)
        rest = None if following is None else following.tb_next
        if node.tb_next is not following:
            if following is not None:
                following.tb_next = None  # CPython walks over all that is linked: over nothing, as long as it is cut
            node.tb_next = cut = following
        if following is None or clean:
            break
        again = behind_operators and last is not None and _raises_again(last, following.tb_frame)
        if again or (behind_operators and is_thunk(following.tb_frame)):
            operator = following.tb_frame.f_back
            near = node is head and operator is not None and operator.f_back is node.tb_frame and is_own(operator)
            other = not near and function_frame(following.tb_frame) is not function_frame(node.tb_frame)
            if other and not again:
                if whole:
                    before = node
                    node = following
                    continue
                break  # all that is left of a function further in
            if before is None:
                head = following
            else:
                before.tb_next = following
            if other:
                break
        elif not whole and _cleans_up(following.tb_frame.f_code):
            break
        else:
            before = node
        node = following
    if cut is not None and cut.tb_next is not rest:
        cut.tb_next = rest
    return head


def _raises_again(operator: TracebackType, frame: FrameType) -> bool:
    """Whether what runs around an operator follows it: a thunk raised what is handled there, with no entry of its own."""
    inner = operator.tb_frame
    code = inner.f_code
    if frame.f_back is inner or not (calls_thunks(inner) or code.co_filename.startswith(BACKENDS)):
        return False
    if code.co_code[operator.tb_lasti] == _FOR_ITER:  # no thunk, but what the user iterates over
        return False
    outer = inner.f_back
    while outer is not None and outer is not frame:
        outer = outer.f_back
    return outer is not None


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
_FOR_ITER = opcode.opmap["FOR_ITER"]
_FIRST_OF_TWO = frozenset({_LOAD_FAST, _LOAD_CONST, opcode.opmap["STORE_FAST"]})


def _cleans_up(code: CodeType) -> bool:
    """Whether what left this function was cleaned on the way: nested lambdas, comprehensions, classes have no scope."""
    return is_whole(code) and not code.co_name.startswith("<") and bool(code.co_flags & OPTIMIZED)
