"""Writers of summaries: which one is the default, at which step, and whether anything is recorded.

>>> import graphrt as tf, tempfile
>>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
>>> with writer.as_default(step=3):
...     bool(tf.summary.scalar("loss", 0.5))
True
>>> bool(tf.summary.scalar("loss", 0.5, step=4))
False
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import NamedTuple, TypeAlias

import numpy as np

from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.ir.op import OPAQUE, STATEFUL, WRITES_FILES, define
from graphrt.ops.io.files import local_path
from graphrt.ops.math.casting import cast
from graphrt.ops.math.logical import logical_and
from graphrt.summaries.events import Event, EventFile, event_class, tensor_event
from graphrt.tensor.context import current_graph
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.scopes import get_current_name_scope, name_scope
from graphrt.tensor.tensor import EagerTensor, Tensor
from graphrt.types.dtype import bool_, int64, resource
from graphrt.types.leaving import block, setting
from graphrt.types.likes import Array, PathLike, TensorLike

__all__ = [
    "SummaryWriter", "create_file_writer", "create_noop_writer", "flush", "get_step", "record_if", "set_step",
    "should_record_summaries", "summary_scope", "write", "write_raw_pb",
]  # fmt: skip

Condition: TypeAlias = "bool | TensorLike | Callable[[], bool | TensorLike]"


class _State(NamedTuple):
    """What summaries go by, in one context."""

    writer: SummaryWriter | None = None
    step: TensorLike | None = None
    condition: Condition = True


_NOT_IN_NAMES = re.compile(r"[^-_/.A-Za-z0-9]")
_NOTHING = _State()
_state: ContextVar[_State] = ContextVar("graphrt_summaries", default=_NOTHING)


# --- ops -------------------------------------------------------------------------------------------------------------
def _as_text(value: Array) -> str:
    return bytes(np.asarray(value).item()).decode(errors="replace")


class Place:
    """What is behind the handle of a writer: the file, once there is one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.file: EventFile | None = None

    def write(self, event: Event) -> None:
        """Adds an event.

        Raises:
          FailedPreconditionError: there is no file, or it is closed.
        """
        if self.file is None:
            raise errors.FailedPreconditionError(None, None, f"the summary writer {self.name!r} has no file yet")
        self.file.write(event)

    def __repr__(self) -> str:
        return f"<place of {self.file!r}>"


def _make_place(*, shared_name: str, container: str) -> Place:
    return Place(shared_name if isinstance(shared_name, str) else shared_name.decode(errors="replace"))


def _create(writer: Place, logdir: Array, max_queue: Array, flush_millis: Array, filename_suffix: Array) -> None:
    if writer.file is None:
        writer.file = EventFile(_as_text(logdir), int(max_queue), int(flush_millis), _as_text(filename_suffix))


def _flush(writer: Place) -> None:
    if writer.file is not None:
        writer.file.flush()


def _close(writer: Place) -> None:
    if writer.file is not None:
        writer.file.close()


def _write_summary(writer: Place, step: Array, tensor: Array, tag: Array, summary_metadata: Array) -> None:
    event = tensor_event(_as_text(tag), np.asarray(tensor), bytes(np.asarray(summary_metadata).item()))
    event.step = int(step)
    writer.write(event)


def _write_raw(writer: Place, step: Array, tensor: Array) -> None:
    event = event_class("Event")(step=int(step))
    for part in np.reshape(np.asarray(tensor, object), -1).tolist():
        event.summary.SetInParent()
        try:
            event.summary.MergeFromString(part)
        except Exception:  # protobuf has several classes for it
            raise errors.DataLossError(None, None, "Bad tf.compat.v1.Summary binary proto tensor string") from None
    writer.write(event)


def _write_graph(writer: Place, step: Array, tensor: Array) -> None:
    from google.protobuf import empty_pb2  # lazy: only programs that write graphs pay for it

    data = bytes(np.asarray(tensor).item())
    try:
        empty_pb2.Empty().ParseFromString(data)  # whose fields are all unknown: what is looked at is the form
    except Exception:  # protobuf has several classes for it
        raise errors.DataLossError(None, None, "Bad tf.GraphDef binary proto tensor string") from None
    writer.write(event_class("Event")(step=int(step), graph_def=data))


_EFFECT = (STATEFUL, OPAQUE)
WriteSummary = define(
    "WriteSummary", "writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string ->",
    infer=lambda c: [], kernel=_write_summary, traits=_EFFECT,
)  # fmt: skip
WriteRawProtoSummary = define(
    "WriteRawProtoSummary", "writer: resource, step: int64, tensor: string ->", infer=lambda c: [], kernel=_write_raw,
    traits=_EFFECT,
)  # fmt: skip
WriteGraphSummary = define(
    "WriteGraphSummary", "writer: resource, step: int64, tensor: string ->", infer=lambda c: [], kernel=_write_graph,
    traits=_EFFECT,
)  # fmt: skip
MakeSummaryWriter = define(
    "SummaryWriter", "-> writer: resource", attrs="shared_name: string = ''; container: string = ''",
    infer=lambda c: (), kernel=_make_place, traits=_EFFECT,
)  # fmt: skip
CreateSummaryFileWriter = define(
    "CreateSummaryFileWriter",
    "writer: resource, logdir: string, max_queue: int32, flush_millis: int32, filename_suffix: string ->",
    infer=lambda c: [], kernel=_create, traits=_EFFECT, file_access=WRITES_FILES,
)  # fmt: skip
FlushSummaryWriter = define(
    "FlushSummaryWriter",
    "writer: resource ->",
    infer=lambda c: [],
    kernel=_flush,
    traits=_EFFECT,
)
CloseSummaryWriter = define(
    "CloseSummaryWriter",
    "writer: resource ->",
    infer=lambda c: [],
    kernel=_close,
    traits=_EFFECT,
)


# --- writers ---------------------------------------------------------------------------------------------------------
class SummaryWriter:
    """What summaries are written to. Made by `create_file_writer` and `create_noop_writer`.

    >>> import graphrt as tf, tempfile
    >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
    >>> isinstance(writer, tf.summary.SummaryWriter)
    True
    >>> writer.close()
    """

    def __init__(self, file: EventFile | None) -> None:
        self._file = file
        place = Place("" if file is None else file.name)
        place.file = file
        self._handle = None if file is None else EagerTensor(place, resource)

    @property
    def handle(self) -> EagerTensor | None:
        """The tensor that stands for the file; None when there is none."""
        return self._handle

    def set_as_default(self, step: TensorLike | None = None) -> None:
        """Makes this the writer of what follows in this context, and `step`, if given, the step."""
        self._refuse_closed()
        old = _state.get()
        _state.set(old._replace(writer=self, step=old.step if step is None else step))

    @block
    def as_default(self, step: TensorLike | None = None) -> Generator[SummaryWriter, None, None]:
        """Makes this the writer, and `step`, if given, the step, of a `with` block; what was written is flushed at its end.

        Raises:
          RuntimeError: the writer is closed.
        """
        self._refuse_closed()
        old = _state.get()
        with setting(_state, old._replace(writer=self, step=old.step if step is None else step)):
            yield from (self,)
            self.flush()

    def _refuse_closed(self) -> None:
        if self._file is not None and self._file.closed:
            raise RuntimeError(errors.at_user_line(f"SummaryWriter {self!r} is already closed"))

    def init(self) -> None:
        """Opens the file, which is open already."""

    def flush(self) -> None:
        """Writes to the file what waits for it; in a traced function, whenever that runs."""
        if self._handle is not None and self._file is not None and not self._file.closed:
            FlushSummaryWriter(self._handle)

    def close(self) -> None:
        """Flushes and closes the file. The writer takes no more."""
        if self._file is not None:
            self._file.close()

    def __repr__(self) -> str:
        return f"<summary writer {self._file.path if self._file else 'of nothing'}>"


def create_file_writer(
    logdir: PathLike, max_queue: int | None = None, flush_millis: int | None = None, filename_suffix: str | None = None,
    name: str | None = None, experimental_trackable: bool = False, experimental_mesh: object = None,
) -> SummaryWriter:  # fmt: skip
    """A writer of an event file in the directory `logdir`, which `tensorboard --logdir` shows.

    Events are written out by tens (`max_queue`), every two minutes (`flush_millis`), at `flush` and at `close`.

    >>> import graphrt as tf, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> writer = tf.summary.create_file_writer(folder)
    >>> with writer.as_default():
    ...     for step in range(3):
    ...         written = tf.summary.scalar("loss", 1.0 / (step + 1), step=step)
    >>> os.listdir(folder)[0].startswith("events.out.tfevents.")
    True
    """
    folder = local_path(os.fsdecode(logdir))
    suffix = ".v2" if filename_suffix is None else filename_suffix
    most, wait = (10 if max_queue is None else int(max_queue)), (120_000 if flush_millis is None else int(flush_millis))
    return SummaryWriter(EventFile(folder, most, wait, suffix))


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing: summaries are not even computed.

    >>> import graphrt as tf
    >>> with tf.summary.create_noop_writer().as_default():
    ...     bool(tf.summary.scalar("loss", 0.5, step=1))
    False
    """
    return SummaryWriter(None)


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Writes to the file what waits for `writer`, by default the default writer.

    >>> import graphrt as tf, tempfile
    >>> tf.summary.flush(tf.summary.create_file_writer(tempfile.mkdtemp()))
    """
    found = writer if writer is not None else _state.get().writer
    errors.expect(found, (SummaryWriter, type(None)), "writer", "a writer of summaries, or None")
    if found is not None:
        found.flush()


# --- steps and conditions --------------------------------------------------------------------------------------------
def set_step(step: TensorLike | None) -> None:
    """Sets the step of summaries that give none, in this context: a number, a tensor or a variable; None for none.

    In a traced function a number stays what it was while tracing: use a variable, or pass the step as an argument.

    >>> import graphrt as tf
    >>> tf.summary.experimental.set_step(4)
    >>> tf.summary.experimental.get_step()
    4
    >>> tf.summary.experimental.set_step(None)
    """
    _state.set(_state.get()._replace(step=step))


def get_step() -> TensorLike | None:
    """The step of summaries that give none.

    >>> import graphrt as tf
    >>> tf.summary.experimental.get_step() is None
    True
    """
    return _state.get().step


def record_if(condition: Condition) -> AbstractContextManager[None]:
    """Records summaries of a `with` block only if `condition` holds: a bool, a tensor, or a function that gives one.

    >>> import graphrt as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default(step=1):
    ...     with tf.summary.record_if(lambda: False):
    ...         bool(tf.summary.scalar("loss", 0.5))
    False
    """
    return _recording_if(condition)


@block
def _recording_if(condition: Condition) -> Generator[None, None, None]:
    with setting(_state, _state.get()._replace(condition=condition)):
        yield from (None,)


def should_record_summaries() -> Tensor:
    """Whether a summary would be recorded now: there is a default writer, and `record_if` agrees.

    >>> import graphrt as tf
    >>> bool(tf.summary.should_record_summaries())
    False
    """
    state = _state.get()
    if state.writer is None or state.writer.handle is None:
        return convert_to_tensor(False)
    condition = state.condition() if callable(state.condition) else state.condition
    return logical_and(convert_to_tensor(True), convert_to_tensor(condition, bool_))


def recorded(step: TensorLike | None, act: Callable[[EagerTensor, Tensor], None]) -> Tensor:
    """Has `act(writer, step)` write, if summaries are recorded; whether it did.

    Raises:
      ValueError: no step is given or set.
    """
    writer = _state.get().writer
    if writer is None or writer.handle is None:
        return convert_to_tensor(False)
    handle = writer.handle
    at = get_step() if step is None else step
    if at is None:
        raise ValueError(
            errors.at_user_line(
                "No step set. Please specify one either through the `step` argument or through "
                "tf.summary.experimental.set_step()"
            )
        )

    def go() -> Tensor:
        act(handle, _as_step(at))
        return convert_to_tensor(True)

    condition = should_record_summaries()
    if isinstance(condition, EagerTensor) and current_graph() is None:
        return go() if bool(condition) else convert_to_tensor(False)
    state = _state.get()
    if state.condition is True:
        return go()
    found: Tensor = cond(condition, go, lambda: convert_to_tensor(False))
    return found


def _as_step(step: TensorLike) -> Tensor:
    if isinstance(step, (int, np.integer)):
        return convert_to_tensor(int(step), int64)
    return cast(convert_to_tensor(step), int64)


# --- writing ---------------------------------------------------------------------------------------------------------
@block
def summary_scope(
    name: str, default_name: str = "summary", values: object = None
) -> Generator[tuple[str, str], None, None]:
    """A name scope for one summary; gives the tag, in which the scopes around it stand, and the scope.

    >>> import graphrt as tf
    >>> with tf.name_scope("layer"):
    ...     with tf.summary.experimental.summary_scope("loss") as (tag, inner):
    ...         print(tag)
    layer/loss
    """
    given = name or default_name
    around = get_current_name_scope()
    with name_scope(_NOT_IN_NAMES.sub("", given) or default_name) as inner:
        yield from ((f"{around}/{given}" if around else given, inner),)


def write(
    tag: TensorLike, tensor: TensorLike | Callable[[], TensorLike], step: TensorLike | None = None,
    metadata: object = None, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Writes a tensor under a tag to the default writer; whether it was written.

    `metadata` says which plugin shows it: a `SummaryMetadata` message, or its bytes. A function for `tensor` is called only
    if summaries are recorded.

    >>> import graphrt as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.write("weights", tf.zeros([2, 2]), step=1))
    True

    Raises:
      ValueError: no step is given or set.
    """
    told = _metadata_bytes(metadata)

    def act(writer: EagerTensor, at: Tensor) -> None:
        value = tensor() if callable(tensor) else tensor
        WriteSummary(writer, at, convert_to_tensor(value), tag, told, name=name)

    return recorded(step, act)


def _metadata_bytes(metadata: object) -> bytes:
    if metadata is None:
        return b""
    if isinstance(metadata, bytes):
        return metadata
    serialize = getattr(metadata, "SerializeToString", None)
    if serialize is None:
        raise TypeError(
            errors.at_user_line(
                f"metadata must be a SummaryMetadata message or its bytes, found {type(metadata).__name__}"
            )
        )
    return bytes(serialize())


def write_raw_pb(tensor: TensorLike, step: TensorLike | None = None, name: str | None = None) -> Tensor:
    """Writes the bytes of a `Summary` message to the default writer; whether they were written.

    >>> import graphrt as tf
    >>> bool(tf.summary.experimental.write_raw_pb(b"", step=1))
    False

    Raises:
      InvalidArgumentError: the bytes are none.
      ValueError: no step is given or set.
    """

    def act(writer: EagerTensor, at: Tensor) -> None:
        WriteRawProtoSummary(writer, at, tensor, name=name)

    return recorded(step, act)
