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
from opcode import opmap
from types import FrameType
from typing import Any

from autograph import AutoGraphError, backends
from graphrt import errors
from graphrt.ir.op import ops  # late: start-up, `import graphrt` reads this file
from graphrt.tensor.convert import convert_to_tensor

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
        raise errors.OperatorNotAllowedInGraphError(
            errors.at_user_line(
                f"`raise {type(error).__name__}` in a staged branch happens when the graph runs, where the `except` at "
                f"{handler} cannot catch it: set the value that the handler gives in the branch itself"
            )
        ) from error
    text = f"{type(error).__name__}: {error}"
    ops.Assert(ops.LogicalNot(condition), [convert_to_tensor(text)])


def must_hold(condition: Any, kind: type[Exception], text: str, instead: str) -> None:
    """Asserts `condition`, without which Python raises an error of `kind` that says `text`.

    Raises:
      OperatorNotAllowedInGraphError: an `except` might have to catch the error; `instead` says what to write.
    """
    handler = _handler_around(sys._getframe(1), kind)
    if handler is not None:
        raise errors.OperatorNotAllowedInGraphError(
            errors.at_user_line(
                f"{kind.__name__} ({text}) comes when the graph runs, where the `except` at {handler} cannot catch it: "
                + instead
            )
        )
    ops.Assert(condition, [convert_to_tensor(f"{kind.__name__}: {text}")])


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
                        return f"{code.co_filename}:{line}"
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
