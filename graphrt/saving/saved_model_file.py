"""The file of a SavedModel that holds its graphs, read and compared with its checksum."""

from __future__ import annotations

import os
from typing import Any

from graphrt import errors
from graphrt.graphdef.schema import message_class
from graphrt.ops.io.crc32c import masked_crc32c
from graphrt.ops.io.files import local_path, told
from graphrt.ops.io.whole_files import regular
from graphrt.saving.directories import place_of
from graphrt.saving.save import CHECKED, FINGERPRINT_FILE, GRAPH_FILE

__all__ = ["read_saved_model"]

_LIMIT = (1 << 31) - 1  # bytes of a message


class _NoSavedModel(errors.NotFoundError, OSError):
    """TensorFlow raises an `OSError`."""


def read_saved_model(export_dir: Any) -> tuple[str, Any]:
    """The directory that holds the files, and the `SavedModel` message.

    Raises:
      DataLossError: the file is damaged.
      NotFoundError: there is none.
      ResourceExhaustedError: it is larger than a message may be.
    """
    folder = place_of(local_path(export_dir))
    binary, text = (os.path.join(folder, GRAPH_FILE + end) for end in ("", "txt"))
    is_text = not os.path.isfile(binary) and os.path.isfile(text)
    path = text if is_text else binary
    try:
        size = os.path.getsize(path)
        if size > _LIMIT:
            raise errors.ResourceExhaustedError(None, None, f"{path}: {size} bytes, of {_LIMIT} at most")
        with open(path, "rb", opener=regular) as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        raise _NoSavedModel(
            None, None, f"no SavedModel in {os.fspath(export_dir)!r}: there is no file {GRAPH_FILE!r} in that directory"
        ) from None
    except OSError as error:
        raise told(error, path) from None
    if not is_text:
        _check_fingerprint(folder, data)
    message = message_class("SavedModel")()
    try:
        if is_text:
            from google.protobuf import text_format  # lazy: only files of text need it

            text_format.Parse(data.decode(), message, allow_unknown_field=True)
        else:
            message.ParseFromString(data)
    except Exception as error:  # the class of the error depends on the protobuf runtime
        raise errors.DataLossError(None, None, f"{path}: cannot be read: {error}") from None
    if message.saved_model_schema_version != 1 or not message.meta_graphs:
        raise errors.DataLossError(None, None, f"{path}: no SavedModel of version 1")
    return folder, message


def _check_fingerprint(folder: str, data: bytes) -> None:
    """Compares the graph with the checksum that `save` wrote; those of TensorFlow are of another kind.

    Raises:
      DataLossError: they differ, or the file of the checksum is damaged.
    """
    path = os.path.join(folder, FINGERPRINT_FILE)
    try:
        with open(path, "rb", opener=regular) as file:
            held = file.read(1 << 16)
    except OSError:
        return  # older ones have none
    message = message_class("FingerprintDef")()
    try:
        message.ParseFromString(held)
    except Exception as error:  # the class of the error depends on the protobuf runtime
        raise errors.DataLossError(None, None, f"{path}: cannot be read: {error}") from None
    if message.uuid == CHECKED and message.saved_model_checksum != masked_crc32c(data):
        raise errors.DataLossError(
            None, None,
            f"{os.path.join(folder, GRAPH_FILE)}: its checksum is wrong. If it was changed on purpose, remove {path!r}.",
        )  # fmt: skip
