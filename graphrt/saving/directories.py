"""Directories that are written whole or not at all.

A new directory is written beside its place and renamed. One that replaces another waits until the other has moved aside;
whoever reads in between finds the other under `aside(path)`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import uuid
from collections.abc import Iterator

__all__ = ["aside", "written_whole"]


def aside(path: str) -> str:
    """Where the directory `path` stands while another one takes its place."""
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(folder, f".{name}.before")


def sync(path: str) -> None:
    """Has the system write a file, or the entries of a directory, to the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _sync_all(path: str) -> None:
    for folder, _, files in os.walk(path):
        for file in files:
            sync(os.path.join(folder, file))
        sync(folder)


@contextlib.contextmanager
def written_whole(path: str) -> Iterator[str]:
    """Gives a directory to write into, which becomes `path` at the end; on an error all is as it was."""
    path = os.path.abspath(path)
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    if os.path.lexists(path) and not os.path.isdir(path):
        raise FileExistsError(f"{path!r} exists and is no directory")
    part = os.path.join(folder, f".{name}.part{uuid.uuid4().hex}")
    os.mkdir(part)
    try:
        yield part
        _sync_all(part)
        old = aside(path)
        if os.path.isdir(path):
            shutil.rmtree(old, ignore_errors=True)
            os.rename(path, old)
        os.rename(part, path)
        sync(folder)
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        if not os.path.isdir(path) and os.path.isdir(aside(path)):
            os.rename(aside(path), path)
        raise
