"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from typing import BinaryIO

__all__ = ["replaced"]


@contextlib.contextmanager
def replaced(path: str) -> Iterator[BinaryIO]:
    """Gives a file to write into, which becomes `path` at the end; on an error all is as it was."""
    part = f"{path}.part{uuid.uuid4().hex}"
    try:
        with open(part, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
