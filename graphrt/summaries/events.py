"""Event files: records of `Event` messages, each with its length and masked checksums, as TFRecord files have them.

events.out.tfevents.<seconds>.<host>.<process>.<number>.v2        the name tells TensorBoard what it is
"""

from __future__ import annotations

import io
import itertools
import os
import socket
import struct
import threading
import time
import weakref
from typing import Any, TypeAlias

import numpy as np

from graphrt import errors
from graphrt.graphdef.schema import MESSAGES, PACKAGE, class_of, once, pool_of
from graphrt.ops.io.crc32c import masked_crc32c
from graphrt.ops.io.files import telling
from graphrt.types.dtype import from_numpy
from graphrt.types.likes import Array
from graphrt.types.nesting import shown

__all__ = ["Event", "EventFile", "event_class", "tensor_event"]

EVENTS = """
Event: wall_time=1 double; step=2 int64; file_version=3 string ?what; graph_def=4 bytes ?what; summary=5 Summary ?what; \
tagged_run_metadata=8 TaggedRunMetadata ?what; source_metadata=10 SourceMetadata
SourceMetadata: writer=1 string
TaggedRunMetadata: tag=1 string; run_metadata=2 bytes
Summary: value=1 Summary.Value*
Summary.Value: tag=1 string; simple_value=2 float ?value; tensor=8 TensorProto ?value; metadata=9 SummaryMetadata
SummaryMetadata: plugin_data=1 SummaryMetadata.PluginData; display_name=2 string; summary_description=3 string; \
data_class=4 int32
SummaryMetadata.PluginData: plugin_name=1 string; content=2 bytes
RunMetadata: partition_graphs=3 GraphDef*; function_graphs=4 RunMetadata.FunctionGraphs*
RunMetadata.FunctionGraphs: partition_graphs=1 GraphDef*; pre_optimization_graph=2 GraphDef; \
post_optimization_graph=3 GraphDef
"""
Event: TypeAlias = Any  # a message of a class that is made at run time
VERSION = "brain.Event:2"
_numbers = itertools.count()


@once
def _pool() -> Any:
    return pool_of(MESSAGES + EVENTS.lstrip(), "graphrt/event.proto", PACKAGE)


# state: bounded by the messages there are
@once
def event_class(name: str) -> Any:
    """The class of message `name` ('Event', 'SummaryMetadata', ...)."""
    return class_of(_pool(), f"{PACKAGE}.{name}")


def tensor_event(tag: str, array: Array, metadata: bytes) -> Any:
    """An `Event` that holds a tensor under a tag; `metadata` is a serialized `SummaryMetadata`."""
    event = event_class("Event")()
    value = event.summary.value.add(tag=tag)
    if metadata:
        try:
            value.metadata.ParseFromString(metadata)
        except Exception:  # protobuf has several classes for it
            raise errors.InvalidArgumentError(None, None, "Failed to parse summary metadata") from None
    write_tensor(value.tensor, np.asarray(array))
    return event


def write_tensor(message: Any, array: Array) -> None:
    """Writes an array as a `TensorProto`, numbers as bytes however few they are."""
    message.dtype = from_numpy(array.dtype).as_datatype_enum
    message.tensor_shape.SetInParent()
    for size in array.shape:
        message.tensor_shape.dim.add().size = size
    if array.dtype == object:
        message.string_val.extend(array.reshape(-1).tolist())
    elif array.size:
        message.tensor_content = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<")).tobytes()


def record(data: bytes) -> bytes:
    """`data` as a record of a file."""
    length = struct.pack("<Q", len(data))
    check, end = struct.pack("<I", masked_crc32c(length)), struct.pack("<I", masked_crc32c(data))
    return b"".join((length, check, data, end))


class EventFile:
    """One event file, opened when it is made. Several threads may write to it.

    Attributes:
      path: where it is.
      name: of the resource that stands for it.
      closed: whether it takes no more.
    """

    def __init__(self, logdir: str, max_queue: int = 10, flush_millis: int = 120_000, suffix: str = ".v2") -> None:
        telling(logdir, lambda: os.makedirs(logdir, exist_ok=True), str)
        host = socket.gethostname() or "host"
        name = f"events.out.tfevents.{int(time.time())}.{host}.{os.getpid()}.{next(_numbers)}{suffix}"
        self.path = os.path.join(logdir, name)
        self.name = logdir
        self._most, self._seconds = max_queue, flush_millis / 1000
        self._lock = threading.Lock()
        self._waiting: list[bytes] = []
        self._since = time.monotonic()
        self._file: io.FileIO = telling(self.path, lambda: io.FileIO(self.path, "a"), str)
        self._finish = weakref.finalize(self, _finish, self._file, self._waiting)
        first = event_class("Event")(file_version=VERSION)
        first.source_metadata.writer = "graphrt"
        try:
            self.write(first)
            self.flush()
        except BaseException:
            self._waiting.clear()
            self.close()
            os.unlink(self.path)
            raise

    @property
    def closed(self) -> bool:
        """Whether it takes no more."""
        return not self._finish.alive

    def write(self, event: Event) -> None:
        """Adds an event, which gets the time of day.

        Raises:
          FailedPreconditionError: the file is closed.
          ResourceExhaustedError: the disk is full; what waits is written with what comes next, if there is room by then.
        """
        event.wall_time = time.time()
        data = record(event.SerializeToString(deterministic=True))
        with self._lock:
            if self.closed:
                raise errors.FailedPreconditionError(None, None, f"the event file {shown(self.path)} is closed")
            self._waiting.append(data)
            now = time.monotonic()
            if len(self._waiting) >= self._most or now - self._since >= self._seconds:
                self._write_out()

    def _write_out(self) -> None:
        telling(self.path, lambda: _write_all(self._file, self._waiting), str)
        self._since = time.monotonic()

    def flush(self) -> None:
        """Writes what waits."""
        with self._lock:
            if not self.closed:
                self._write_out()

    def close(self) -> None:
        """Writes what waits, and takes no more."""
        with self._lock:
            telling(self.path, self._finish, str)

    def __repr__(self) -> str:
        return f"<event file {shown(self.path)}>"


def _write_all(file: io.FileIO, waiting: list[bytes]) -> None:
    """Writes what waits, all or nothing: after a part of a record no reader would find the next one."""
    end = os.fstat(file.fileno()).st_size
    view = memoryview(b"".join(waiting))
    try:
        while view:
            view = view[file.write(view) or 0 :]
        waiting.clear()
    except BaseException:
        if waiting:
            file.truncate(end)
        raise


def _finish(file: io.FileIO, waiting: list[bytes]) -> None:
    try:
        _write_all(file, waiting)
    finally:
        file.close()
