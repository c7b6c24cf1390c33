"""What `graphrt convert` writes."""

from __future__ import annotations

import os
from typing import Any

from graphrt import errors, export
from graphrt.cli import saved
from graphrt.cli.console import UsageError
from graphrt.graphdef import graph_def, to_text
from graphrt.ops.io.whole_files import replaced
from graphrt.saving.freezing import freeze


def write(directory: str, name: str | None, form: str, path: str) -> list[str]:
    """Writes a signature of a SavedModel in a format of `graphrt convert --to`; gives the names of the files.

    Raises:
      OSError: a file cannot be written.
      UsageError: there is no such signature, or it cannot be written so.
    """
    label, function = saved.signature(directory, name)
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise UsageError(f"cannot write {path}: there is no directory {folder}")
    try:
        return _written(function, label, form, path)
    except (errors.OpError, errors.MissingExtraError, TypeError, ValueError) as error:
        raise UsageError(str(error).strip()) from None


def _written(function: Any, label: str, form: str, path: str) -> list[str]:
    if form == "program":
        return export.to_program(function, path, label)
    frozen = freeze(function)
    if form == "onnx":
        export.to_onnx(frozen, path)
        return [path]
    message = graph_def(frozen.graph)
    with replaced(path) as file:
        file.write(to_text(message).encode() if form == "pbtxt" else message.SerializeToString(deterministic=True))
    return [path]
