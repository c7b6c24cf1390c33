"""Directories that are written whole or not at all.

A new directory is written beside its place and renamed. One that replaces another waits until the other has moved aside;
whoever reads in between finds the other under `aside(path)`. What else stood in it, files of the user's, moves into the new
one. Of several that write the last one stays, and who reads while
a directory is replaced reads again.
"""

from __future__ import annotations

import os
import stat
import uuid
from collections.abc import Callable, Collection, Generator
from typing import TypeVar

from graphrt import errors
from graphrt.ops.io.whole_files import alone, naming, remove_tree
from graphrt.types.leaving import block

__all__ = ["aside", "place_of", "read_whole", "written_whole"]

T = TypeVar("T")
_TRIES = 100  # of reading what others replace all the time


def aside(path: str) -> str:
    """Where the directory `path` stands while another one takes its place."""
    folder, name = os.path.split(os.path.realpath(path))
    return os.path.join(folder, f".{name}.before")


def place_of(path: str) -> str:
    """Where the directory `path` stands now: aside, while it is replaced, or if that did not end."""
    return aside(path) if not os.path.isdir(path) and os.path.isdir(aside(path)) else path


def _is_open(number: int, place: str) -> bool:
    """Whether the directory that is open as `number` is the one at `place`."""
    try:
        return os.path.samestat(os.fstat(number), os.stat(place))
    except FileNotFoundError:
        return False


def read_whole(path: str, read: Callable[[], T]) -> T:
    """What `read` gives of the directory `path`, which was the same one from beginning to end."""
    for _ in range(_TRIES):
        try:
            number = os.open(place_of(path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # of a pipe nobody writes to
        except OSError:
            if any(map(os.path.isdir, (path, aside(path), path))):
                continue  # it has just come back, or gone aside again
            return read()  # which says what is missing
        try:
            found = read()
            if _is_open(number, place_of(path)):
                return found
        except (errors.OpError, OSError, ValueError):
            if _is_open(number, path):  # not aside: a file may have been missed while that came to be
                raise
        finally:
            os.close(number)
    return read()


def sync(path: str) -> None:
    """Has the system write a file, or the entries of a directory, to the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _is_no_directory(path: str) -> bool:
    """Whether something else than a directory stands at `path`; asked once, as others may move it aside meanwhile."""
    try:
        return not stat.S_ISDIR(os.stat(path).st_mode)
    except FileNotFoundError:
        return os.path.islink(path)  # to nothing


def _sync_all(path: str) -> None:
    for folder, _, files in os.walk(path):
        for file in files:
            sync(os.path.join(folder, file))
        sync(folder)


@block
def written_whole(path: str, own: Collection[str]) -> Generator[str, type[BaseException] | None, None]:
    """Gives a directory to write into, which becomes `path` at the end; on an error all is as it was.

    `own` are the names of what is replaced; whatever else stands at `path` is kept.
    """
    path = os.path.realpath(path)
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    if _is_no_directory(path):
        raise FileExistsError(f"{path!r} exists and is no directory")
    part = os.path.join(folder, f".{name}.part{uuid.uuid4().hex}")
    try:
        os.mkdir(part)
        yield from (part,)
        failed = yield 0  # type: ignore[misc]  # what the block raised, if it did
        if failed is None:
            _sync_all(part)
            alone(folder, lambda: _replace(path, part, own))
            sync(folder)
    finally:
        naming(path, part)
        try:
            remove_tree(part)
        except KeyboardInterrupt:
            remove_tree(part)
            raise


def _replace(path: str, part: str, own: Collection[str]) -> None:
    """Puts the directory `part` at `path`; on an error that holds what it held."""
    old = aside(path)
    is_current = _is_current(path)
    try:
        if os.path.isdir(path):
            _keep(old, path, own)  # whoever was ended in here left it there
            remove_tree(old)
            os.rename(path, old)
        os.rename(part, path)
    except BaseException:
        if not os.path.isdir(path) and os.path.isdir(old):
            os.rename(old, path)
        raise
    try:
        _keep(old, path, own)
    except KeyboardInterrupt:
        _keep(old, path, own)
        raise
    if is_current:
        os.chdir(path)  # the same place: relative paths stay what they are
    remove_tree(old)


def _is_current(path: str) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.stat(os.curdir))
    except OSError:  # it does not exist
        return False


def _keep(old: str, path: str, own: Collection[str]) -> None:
    """Moves what stands in the directory `old` and has none of the names `own` to `path`."""
    if not os.path.isdir(old) or os.path.islink(old):
        return
    for name in os.listdir(old):
        target = os.path.join(path, name)
        if name not in own and not os.path.lexists(target):
            os.rename(os.path.join(old, name), target)
