"""Every exception and warning class of graphrt.

The first family has the names, codes and hierarchy of `tf.errors`; a kernel that meets bad data raises one of
them. The second family serves mistakes found while a graph is built; where TensorFlow raises a different class
eagerly and while tracing, ours derives from both, so that one `except` clause serves in either place.
"""

from __future__ import annotations

import copy
import itertools
import linecache
import os
import sys
import warnings
from types import CodeType, FrameType
from typing import Any

from autograph import backends
from autograph import errors as autograph_errors

_ROOMS = tuple(
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), package) + os.sep
    for package in ("graphrt", "autograph")
)
# state: bounded: the files of ours that have run; single adds
_own_files: set[str] = set()
_IN_PLACE = ("<in place>",)  # what code of `autograph.operators.trampolines` calls its first variable


def is_own_frame(frame: FrameType) -> bool:
    """Whether a frame runs code of graphrt or autograph, or what graphrt has generated."""
    code = frame.f_code
    file = code.co_filename
    if file in _own_files:
        return True
    if file.startswith(_ROOMS):
        _own_files.add(file)
        return True
    # what says that it is in place stands where the user's frame, further out, does
    return file.startswith(("<graphrt", "<frozen ")) or code.co_varnames[:1] == _IN_PLACE


def is_own_file(filename: str) -> bool:
    """Whether code of this file is graphrt's or autograph's, or graphrt has generated it."""
    return filename in _own_files or filename.startswith((*_ROOMS, "<graphrt"))


def user_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame that runs the user's code: the first one outside graphrt, autograph and NumPy."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        if frame.f_code.co_filename not in _own_files and not is_own_frame(frame):
            return frame
        frame = frame.f_back
    return None


def user_location(depth: int = 2) -> tuple[str, int] | None:
    """File and line of `user_frame`, or None when no user frame is on the stack."""
    frame = user_frame(depth)
    return None if frame is None else (frame.f_code.co_filename, line_of(frame))


def line_of(frame: FrameType) -> int:
    """The line where `frame` stands; instructions that belong to none stand for the statement that their code is of."""
    return frame.f_lineno or frame.f_code.co_firstlineno


class Place(tuple[str, int]):
    """A file and a line, and, as long as it is not copied to another process, the expression that ran there.

    A plain tuple to all who take it apart or compare it; columns are looked up when they are asked for.
    """

    code: CodeType
    at: int  # the instruction, in bytes

    def span(self, known: dict[int, list[Any]] | None = None) -> tuple[int, int, int, int] | None:
        """First line, column, last line, and the column behind it; columns count characters from 0.

        `known`, which grows, has the positions of codes that live as long: for those who ask for many places.

        >>> Place(("demo.py", 3)).span()
        """
        code = getattr(self, "code", None)
        if code is None:
            return None
        positions = None if known is None else known.get(id(code))
        if positions is None:
            positions = list(code.co_positions())
            if known is not None:
                known[id(code)] = positions
        found = positions[self.at // 2] if self.at // 2 < len(positions) else None
        if found is None or None in found:
            return None
        first, last, start, end = (int(number) for number in found if number is not None)
        return first, characters(self[0], first, start), last, characters(self[0], last, end)

    def __reduce__(self) -> Any:
        return Place, (tuple(self),)


def characters(file: str, line: int, count: int) -> int:
    """How many characters the first `count` bytes of a line are."""
    text = linecache.getline(file, line)
    return count if text.isascii() else len(text.encode()[:count].decode(errors="replace"))


def user_place(depth: int = 2, known: dict[tuple[int, int], Place] | None = None) -> Place | None:
    """Where `user_frame` stands, to the column; None when no user frame is on the stack.

    Places that are `known` already are given again.
    """
    frame = user_frame(depth)
    if frame is None:
        return None
    code, at = frame.f_code, frame.f_lasti
    key = id(code), at  # a place keeps its code alive: so the id stays its own
    place = None if known is None else known.get(key)
    if place is None:
        place = Place((code.co_filename, line_of(frame)))
        place.code, place.at = code, at
        if known is not None:
            known[key] = place
    return place


def at_user_line(message: str) -> str:
    """`message` with the user's file, line and column, and the line itself with carets, appended."""
    frame = user_frame(2)
    if frame is None:
        return message
    where = snippet(frame)
    return message if where in message else f"{message}\n{where}"


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns at the user's line, once for each, however many functions of graphrt lie between."""
    frame = user_frame(2)
    if frame is None:
        warnings.warn(message, category, stacklevel=2)
        return
    module = frame.f_globals
    registry = module.setdefault("__warningregistry__", {})
    warnings.warn_explicit(
        message, category, frame.f_code.co_filename, line_of(frame), module.get("__name__"), registry
    )


def shown_place(file: str, line: int) -> str:
    """What messages call a place: `file:line`, or the cell of a notebook and the line."""
    return f"{autograph_errors.shown_file(file)}:{line}"


def snippet(frame: FrameType) -> str:
    """Where `frame` stands: file, line and column, the source line, and carets under the expression that runs.

    at demo.py:12:9 in f
      12 |     if x > 0:
         |        ^^^^^
    """
    code, line = frame.f_code, line_of(frame)
    place = f"  at {shown_place(code.co_filename, line)}"
    text = "".join(backends.lines_of(code.co_filename, code.co_name)[line - 1 : line]).rstrip("\n")
    if not text.strip():
        return place
    start, end = len(text) - len(text.lstrip()), len(text)
    position = next(itertools.islice(code.co_positions(), frame.f_lasti // 2, None), None)
    if position is not None and position[0] == line and position[2] is not None and position[3] is not None:
        start = len(text.encode()[: position[2]].decode(errors="replace"))
        if position[1] == line:
            end = len(text.encode()[: position[3]].decode(errors="replace"))
    number = str(line)
    return (
        f"{place}:{start + 1} in {code.co_name}\n    {number} | {text.expandtabs(1)}\n"
        f"    {' ' * len(number)} | {' ' * start}{'^' * max(end - start, 1)}"
    )


def why_python() -> str:
    """Why Python, and not the graph, asks for the truth of a symbolic tensor here: one sentence."""
    return backends.why_python()


OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An op failed. `message` says why, `op` is the graph operation (None eagerly), `error_code` the class's code.

    >>> import graphrt as tf
    >>> error = tf.errors.InvalidArgumentError(None, None, "no such index")
    >>> error.message, error.error_code
    ('no such index', 3)
    """

    code = UNKNOWN

    def __init__(
        self, node_def: Any = None, op: Any = None, message: str = "", error_code: int | None = None, *details: Any
    ) -> None:
        super().__init__(message)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = self.code if error_code is None else error_code
        self._located = False  # whether the message names the line of the user's that is to blame

    @property
    def message(self) -> str:
        """What went wrong, for people."""
        return self._message

    @property
    def op(self) -> Any:
        """The operation that failed, or None."""
        return self._op

    @property
    def error_code(self) -> int:
        """The integer code of the error's kind."""
        return self._error_code

    @property
    def node_def(self) -> Any:
        """The `NodeDef` of the operation that failed, or None."""
        return self._node_def

    @property
    def experimental_payloads(self) -> dict[bytes, bytes]:
        """Always empty: nothing here attaches payloads."""
        return {}

    def __reduce__(self) -> Any:
        return type(self), (None, None, self._message)

    def __str__(self) -> str:
        return self._message


def retell(error: OpError, message: str, op: Any = None, located: bool | None = None) -> None:
    """Gives an error another message, and the operation if it is known; `located` if that names the user's line."""
    error._message = message
    error.args = (message,)
    if op is not None:
        error._op = op
    if located is not None:
        error._located = located


def again(error: OpError) -> OpError:
    """Another error that says the same, of one that is kept: where it is raised stays its own."""
    found = copy.copy(error)
    found.__cause__ = error.__cause__
    return found


def is_located(error: BaseException) -> bool:
    """Whether the message of an error names the line of the user's that is to blame."""
    return isinstance(error, OpError) and error._located


class CancelledError(OpError):
    """An operation was cancelled.

    >>> import graphrt as tf
    >>> error = tf.errors.CancelledError(None, None, "the queue was closed")
    >>> error.message, error.error_code
    ('the queue was closed', 1)
    """

    code = CANCELLED


class UnknownError(OpError):
    """A failure of a kind nobody named, for instance an exception inside `py_function`.

    >>> import graphrt as tf
    >>> error = tf.errors.UnknownError(None, None, "something")
    >>> error.message, error.error_code
    ('something', 2)
    """

    code = UNKNOWN


class InvalidArgumentError(OpError):
    """An op received an input it cannot work on, whatever the state of the program.

    >>> import graphrt as tf
    >>> error = tf.errors.InvalidArgumentError(None, None, "negative size")
    >>> error.message, error.error_code
    ('negative size', 3)
    """

    code = INVALID_ARGUMENT


class DeadlineExceededError(OpError):
    """A deadline passed before the operation ended.

    >>> import graphrt as tf
    >>> error = tf.errors.DeadlineExceededError(None, None, "too slow")
    >>> error.message, error.error_code
    ('too slow', 4)
    """

    code = DEADLINE_EXCEEDED


class NotFoundError(OpError):
    """Something asked for (a file, a resource) does not exist.

    >>> import graphrt as tf
    >>> error = tf.errors.NotFoundError(None, None, "no such file")
    >>> error.message, error.error_code
    ('no such file', 5)
    """

    code = NOT_FOUND


class AlreadyExistsError(OpError):
    """Something to be created exists already.

    >>> import graphrt as tf
    >>> error = tf.errors.AlreadyExistsError(None, None, "the table exists")
    >>> error.message, error.error_code
    ('the table exists', 6)
    """

    code = ALREADY_EXISTS


class PermissionDeniedError(OpError):
    """The caller may not do this.

    >>> import graphrt as tf
    >>> error = tf.errors.PermissionDeniedError(None, None, "not yours")
    >>> error.message, error.error_code
    ('not yours', 7)
    """

    code = PERMISSION_DENIED


class ResourceExhaustedError(OpError):
    """Memory or another resource ran out.

    >>> import graphrt as tf
    >>> error = tf.errors.ResourceExhaustedError(None, None, "out of memory")
    >>> error.message, error.error_code
    ('out of memory', 8)
    """

    code = RESOURCE_EXHAUSTED


class FailedPreconditionError(OpError):
    """The system is not in the state the operation needs: reading a variable that was never set, for instance.

    >>> import graphrt as tf
    >>> error = tf.errors.FailedPreconditionError(None, None, "the table is not initialized")
    >>> error.message, error.error_code
    ('the table is not initialized', 9)
    """

    code = FAILED_PRECONDITION


class AbortedError(OpError):
    """The operation was aborted.

    >>> import graphrt as tf
    >>> error = tf.errors.AbortedError(None, None, "Session closed")
    >>> error.message, error.error_code
    ('Session closed', 10)
    """

    code = ABORTED


class OutOfRangeError(OpError):
    """An operation went past the valid range: the end of an iterator, for instance.

    >>> import graphrt as tf
    >>> error = tf.errors.OutOfRangeError(None, None, "end of sequence")
    >>> error.message, error.error_code
    ('end of sequence', 11)
    """

    code = OUT_OF_RANGE


class UnimplementedError(OpError):
    """The op does not support these inputs.

    >>> import graphrt as tf
    >>> error = tf.errors.UnimplementedError(None, None, "no kernel")
    >>> error.message, error.error_code
    ('no kernel', 12)
    """

    code = UNIMPLEMENTED


class InternalError(OpError):
    """An invariant of the runtime was broken; please report it.

    >>> import graphrt as tf
    >>> error = tf.errors.InternalError(None, None, "a broken invariant")
    >>> error.message, error.error_code
    ('a broken invariant', 13)
    """

    code = INTERNAL


class UnavailableError(OpError):
    """The runtime is not available now.

    >>> import graphrt as tf
    >>> error = tf.errors.UnavailableError(None, None, "try again")
    >>> error.message, error.error_code
    ('try again', 14)
    """

    code = UNAVAILABLE


class DataLossError(OpError):
    """Data is lost or corrupt.

    >>> import graphrt as tf
    >>> error = tf.errors.DataLossError(None, None, "corrupted record")
    >>> error.message, error.error_code
    ('corrupted record', 15)
    """

    code = DATA_LOSS


class UnauthenticatedError(OpError):
    """The request has no valid credentials.

    >>> import graphrt as tf
    >>> error = tf.errors.UnauthenticatedError(None, None, "who are you?")
    >>> error.message, error.error_code
    ('who are you?', 16)
    """

    code = UNAUTHENTICATED


class DTypeMismatchError(InvalidArgumentError, TypeError, ValueError):
    """Two values that must have one dtype have two.

    TensorFlow raises a TypeError while tracing, an InvalidArgumentError eagerly, a ValueError in conversions.
    """

    def __init__(self, message: str) -> None:
        super().__init__(None, None, message)

    def __reduce__(self) -> Any:
        return type(self), (self._message,)


class ConversionError(TypeError, ValueError):
    """A Python value cannot become a tensor, or not one of the dtype asked for."""


def unexpected(value: object, name: str, what: str) -> TypeError:
    """The error, with the user's line, of an argument `name` that is not `what` it must be."""
    shown = "None" if value is None else f"a value of type {type(value).__name__}"
    return TypeError(at_user_line(f"`{name}` must be {what}, found {shown}"))


def expect(value: object, kinds: type | tuple[type, ...], name: str, what: str) -> None:
    """Raises TypeError, with the user's line, when the argument `name` is none of `kinds`, which is said to be `what`."""
    if not isinstance(value, kinds):
        raise unexpected(value, name, what)


class CompositeGiven(ConversionError):
    """A value made of several tensors was given for a tensor. Ops answer it with what the value says of them."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value

    def __str__(self) -> str:
        kind = type(self.value).__name__
        return f"a {kind} is given where a tensor is needed: convert it first, with to_tensor or to_dense, say"


class ShapeError(InvalidArgumentError, ValueError):
    """Shapes that do not fit. A ValueError while tracing, an InvalidArgumentError eagerly."""

    def __init__(self, message: str) -> None:
        super().__init__(None, None, message)

    def __reduce__(self) -> Any:
        return type(self), (self._message,)


class OperatorNotAllowedInGraphError(autograph_errors.PythonOnlyConstructError):
    """A symbolic tensor was used where Python needs a value: as a bool, an int, an iterable.

    >>> import graphrt as tf
    >>> @tf.autograph.experimental.do_not_convert
    ... def f(x):
    ...     return 1 if x > 0 else 2
    >>> try:
    ...     tf.function(f)(tf.constant(1))
    ... except tf.errors.OperatorNotAllowedInGraphError as error:
    ...     print(type(error).__name__)
    OperatorNotAllowedInGraphError
    """


class ConditionError(autograph_errors.StagingError, ValueError):
    """What a staged `if`, `while`, `and`, `or` or `not` tests is no boolean, or no scalar."""

    passes_handlers = False


class NoElementsError(OperatorNotAllowedInGraphError, AttributeError):
    """A symbolic tensor was asked for `.numpy()`; in TensorFlow it has no such attribute, so `hasattr` says no."""

    passes_handlers = False


class InaccessibleTensorError(TypeError, ValueError):
    """A symbolic tensor was used outside the graph in which it was made."""


class StructureMismatchError(TypeError, ValueError):
    """Two nested structures that must agree differ."""


class LoopVariableError(autograph_errors.LoopMismatchError, ValueError):
    """A loop variable changes dtype, shape or structure from one iteration to the next."""


class BranchMismatchError(autograph_errors.BranchMismatchError, ValueError):
    """The branches of a conditional give values that differ in dtype or structure."""


class SideEffectError(autograph_errors.SideEffectError, ValueError):
    """A staged branch or loop changes something that no graph can carry: a set, a deque, an iterator."""


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message says which extra brings it."""


class UnknownResultError(RecursionError):
    """A function calls itself with arguments of the same types, before it is known what it returns."""

    passes_handlers = True


class GraphRTWarning(UserWarning):
    """Base of all warnings given by graphrt."""


class RetracingWarning(GraphRTWarning):
    """A function is traced so often that tracing may cost more than it saves."""


class TraceLimitWarning(GraphRTWarning):
    """A function has so many traces that the oldest ones are dropped."""


class StaleCaptureWarning(GraphRTWarning):
    """A global or closure variable changed after a trace had read it: the trace goes on with the old value."""


class SideEffectWarning(GraphRTWarning):
    """A staged branch or loop puts a Python value into an object that is older than the trace: this happens once."""


class VerificationError(InternalError):
    """A traced function computes something else than the Python function it was made of."""
