"""The file `checkpoint`, which names the latest checkpoint of a directory and those before it."""

from __future__ import annotations

import os
from typing import Any

from graphrt import errors
from graphrt.graphdef.schema import message_class
from graphrt.graphdef.text import to_text
from graphrt.ops.io.files import local_path
from graphrt.ops.io.whole_files import regular, replaced

__all__ = ["get_checkpoint_state", "latest_checkpoint", "update_checkpoint_state"]

_FILE = "checkpoint"


def get_checkpoint_state(checkpoint_dir: Any, latest_filename: str | None = None) -> Any:
    """The `CheckpointState` of a directory: `model_checkpoint_path`, `all_model_checkpoint_paths`; None without one.

    >>> import graphrt as tf, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = tf.train.Checkpoint(w=tf.Variable(3)).save(os.path.join(folder, "ckpt"))
    >>> state = tf.train.get_checkpoint_state(folder)
    >>> [os.path.basename(p) for p in state.all_model_checkpoint_paths]
    ['ckpt-1']

    Raises:
      DataLossError: the file is damaged.
      InvalidArgumentError: the name of the directory is no UTF-8, as the names in a `CheckpointState` are.
    """
    found = _read(checkpoint_dir, latest_filename)
    if found is None:
        return None
    folder, state = found
    try:
        state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
        for i, name in enumerate(state.all_model_checkpoint_paths):
            state.all_model_checkpoint_paths[i] = os.path.join(folder, name)
    except UnicodeEncodeError:
        text = f"a CheckpointState cannot hold names in {folder!r}, which is no UTF-8; ask for `tf.train.latest_checkpoint`"
        raise errors.InvalidArgumentError(None, None, errors.at_user_line(text)) from None
    return state


def _read(checkpoint_dir: Any, latest_filename: str | None) -> tuple[str, Any] | None:
    """A directory, and what its file says, in which names are relative to it; None without one."""
    folder = local_path(checkpoint_dir)
    path = os.path.join(folder, latest_filename or _FILE)
    try:
        with open(path, encoding="utf-8", opener=regular) as file:
            text = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise errors.DataLossError(None, None, f"{path}: {error}") from None
    from google.protobuf import text_format  # lazy: only this needs it

    try:
        state = text_format.Parse(text, message_class("CheckpointState")())
    except text_format.ParseError as error:
        raise errors.DataLossError(None, None, f"{path}: {error}") from None
    return (folder, state) if state.model_checkpoint_path else None


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The name of the latest checkpoint of a directory; None when there is none.

    >>> import graphrt as tf, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.train.latest_checkpoint(folder) is None
    True
    >>> path = tf.train.Checkpoint(w=tf.Variable(3)).save(os.path.join(folder, "ckpt"))
    >>> tf.train.latest_checkpoint(folder) == path
    True
    """
    found = _read(checkpoint_dir, latest_filename)
    if found is None:
        return None
    latest = os.path.join(found[0], found[1].model_checkpoint_path)
    return latest if os.path.exists(f"{latest}.index") else None


def update_checkpoint_state(
    folder: str, latest: str, paths: list[str], times: list[float] | None = None, preserved: float | None = None
) -> None:
    """Writes the file: names are relative to its directory, so that it can be moved."""
    state = message_class("CheckpointState")()
    state.model_checkpoint_path = os.path.relpath(latest, folder or ".")
    state.all_model_checkpoint_paths.extend(os.path.relpath(p, folder or ".") for p in paths)
    state.all_model_checkpoint_timestamps.extend(times or [])
    if preserved is not None:
        state.last_preserved_timestamp = preserved
    with replaced(os.path.join(folder, _FILE)) as file:
        file.write(to_text(state).encode())
