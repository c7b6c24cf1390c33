"""`raise` in a staged branch: an assertion that the branch does not run.

    if x < 0:                                     Assert(not x < 0, "ValueError: negative")
        raise ValueError("negative")      ->      y = sqrt(x)
    y = sqrt(x)

The error comes when the graph runs, as an `InvalidArgumentError`, so no `except` in the traced code can catch it: a `raise`
inside a `try` that might is refused.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Callable
from opcode import opmap
from types import FrameType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from autograph import AutoGraphError, backends
from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor

if TYPE_CHECKING:
    from graphrt.tensor.func_graph import FuncGraph

_P = ParamSpec("_P")
_T = TypeVar("_T")
_RAISE, _LIMIT = opmap["RAISE_VARARGS"], 200


def is_raised(error: Exception) -> bool:
    """Whether a `raise` statement of the user's has raised `error`: not an op, nor Python itself."""
    traceback = error.__traceback__
    if traceback is None or isinstance(error, (AutoGraphError, errors.OpError, StopIteration, NotImplementedError)):
        return False
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    frame = traceback.tb_frame
    return not errors.is_own_frame(frame) and frame.f_code.co_code[traceback.tb_lasti] == _RAISE


def never(condition: Any, error: Exception) -> None:
    """Asserts that the branch of `condition`, which raises `error`, does not run.

    Raises:
      OperatorNotAllowedInGraphError: an `except` around the branch might have to catch the error.
    """
    handler = _handler_around(sys._getframe(1), type(error))
    if handler is not None:
        words = (
            f"`raise {type(error).__name__}` in a staged branch happens when the graph runs, where the `except` at "
            f"{handler} cannot catch it: set the value that the handler gives in the branch itself"
        )
        raise _ending_the_trace(words) from error
    text = f"{type(error).__name__}: {error}"
    ops.Assert(ops.LogicalNot(condition), [convert_to_tensor(text)])


def must_hold(condition: Any, kind: type[Exception], text: str, instead: str) -> None:
    """Asserts `condition`, without which Python raises an error of `kind` that says `text`.

    Raises:
      OperatorNotAllowedInGraphError: an `except` might have to catch the error; `instead` says what to write.
    """
    handler = _handler_around(sys._getframe(1), kind)
    if handler is not None:
        words = f"{kind.__name__} ({text}) comes when the graph runs, where the `except` at {handler} cannot catch it: "
        raise _ending_the_trace(words + instead)
    ops.Assert(condition, [convert_to_tensor(f"{kind.__name__}: {text}")])


def _end(graph: FuncGraph, error: Callable[[], Exception]) -> None:
    """Says that a graph cannot be finished, unless the statement is tried in another way: nothing of this is left then."""
    graph.when_undone(functools.partial(setattr, graph, "left_by", graph.left_by))
    graph.left_by = error


def _ending_the_trace(words: str) -> Exception:
    """The error for what a handler cannot catch; should it catch this, the graphs around cannot be finished."""
    error = errors.OperatorNotAllowedInGraphError(errors.at_user_line(words))
    graph = current_graph()
    while graph is not None:
        _end(graph, lambda: error)
        graph = graph.outer
    return error


def all_or_nothing(record: Callable[_P, _T]) -> Callable[_P, _T]:
    """Has an error that comes up in a part of the statement that `record` stages end the trace.

    Whoever catches it outside of the statement does so while tracing, as if that part always ran: the graph in which the
    statement stands cannot be finished then.
    """

    @functools.wraps(record)
    def recorded(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        graph = current_graph()
        try:
            return record(*args, **kwargs)
        except (AutoGraphError, StopIteration, errors.UnknownResultError):
            raise
        except Exception as error:
            place = _place_in_part(error)
            if place is not None and graph is not None:
                _end(graph, functools.partial(_caught, error, place))
            raise

    return recorded


def _place_in_part(error: Exception) -> str | None:
    """The line of the user's at which a part of the statement stood that is being recorded, or None: it was no part."""
    traceback = error.__traceback__
    while traceback is not None:
        if not errors.is_own_frame(traceback.tb_frame):
            return errors.shown_place(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return None


def _caught(error: Exception, place: str) -> Exception:
    told = errors.OperatorNotAllowedInGraphError(
        f"{type(error).__name__} ({error}), which came up at {place} while a staged branch or loop was traced, was caught "
        "outside of that, as if it always came up: put the `try` or `with` that catches it into the branch or loop, or set "
        "there what the handler gives"
    )
    told.__cause__ = error
    return told


def _handler_around(frame: FrameType | None, kind: type[Exception]) -> str | None:
    """Where an `except` stands that may catch errors of `kind` from what runs in `frame` and the frames around it."""
    count = 0
    while frame is not None and count < _LIMIT:
        count += 1
        code = frame.f_code
        if not errors.is_own_frame(frame):
            for first, last, line, names in _tries("".join(backends.lines_of(code.co_filename, code.co_name))):
                if first <= frame.f_lineno <= last and code.co_firstlineno <= first:
                    bases = {c.__name__ for c in kind.__mro__}
                    if names is None or not bases.isdisjoint(names):
                        return errors.shown_place(code.co_filename, line)
        elif code.co_name == "trace_into":
            return None
        frame = frame.f_back
    return None


@functools.lru_cache(maxsize=16)
def _tries(text: str) -> list[tuple[int, int, int, frozenset[str] | None]]:
    """The bodies of `try` in a text: first and last line, the line of a handler, and the names that it catches."""
    try:
        tree = backends.parse(text)
    except (SyntaxError, ValueError):
        return []
    found: list[tuple[int, int, int, frozenset[str] | None]] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Try, ast.TryStar)):
            for handler in node.handlers:
                kinds = getattr(handler.type, "elts", [handler.type])
                names = [getattr(k, "attr", getattr(k, "id", None)) for k in kinds if k is not None]
                known = None if handler.type is None or None in names else frozenset(map(str, names))
                last = node.body[-1].end_lineno or node.body[-1].lineno
                found.append((node.body[0].lineno, last, handler.lineno, known))
    return found
