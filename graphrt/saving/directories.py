"""Directories that are written whole or not at all.

A new directory is written beside its place and renamed. One that stands already stays what it is, as processes may be in it
and users have files there: the new files are written into a folder of it, which counts from when it is renamed to
`COMMITTED` and until all of them have their places. Who reads in between, or after a process was ended there, finds them in
that folder. Of several that write the last one stays, and who reads while a directory is replaced reads again.
"""

from __future__ import annotations

import errno
import fnmatch
import os
import shutil
import uuid
from collections.abc import Callable, Collection, Generator
from typing import TypeVar

from graphrt import errors
from graphrt.ops.io.whole_files import alone, naming, remove_tree
from graphrt.types.leaving import block

__all__ = ["COMMITTED", "place_of", "read_whole", "written_whole"]

T = TypeVar("T")
COMMITTED = ".graphrt.committed"
_TRIES = 100  # of reading what others replace all the time


def place_of(path: str) -> str:
    """Where the files of the directory `path` stand now: in it, or in a folder of it while they come to their places."""
    committed = os.path.join(path, COMMITTED)
    return committed if os.path.isdir(committed) and not os.path.islink(committed) else path


def _opened(path: str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))  # of a pipe nobody writes to
    except (OSError, ValueError):
        return None


def _is_open(number: int | None, path: str) -> bool:
    """Whether the file that is open as `number` is the one at `path`; None is one that cannot be opened."""
    now = _opened(path)
    if now is None:
        return number is None
    try:
        return number is not None and os.path.samestat(os.fstat(number), os.fstat(now))
    finally:
        os.close(now)


def read_whole(path: str, mark: str, read: Callable[[], T]) -> T:
    """What `read` gives of the directory `path`, which had the same file `mark` from beginning to end.

    While that is open nothing else has its number, so another one means that the directory was written anew.
    """
    for _ in range(_TRIES):
        place = place_of(path)
        number = _opened(os.path.join(place, mark))
        try:
            found = read()
            if place_of(path) == place and _is_open(number, os.path.join(place, mark)):
                return found
        except (errors.OpError, OSError, ValueError):
            if place_of(path) == place and _is_open(number, os.path.join(place, mark)):
                raise
        finally:
            if number is not None:
                os.close(number)
    return read()


def sync(path: str) -> None:
    """Has the system write a file, or the entries of a directory, to the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _files(path: str) -> list[str]:
    """The files below a directory, as paths from there, those in folders first."""
    found = [
        os.path.relpath(os.path.join(folder, file), path)
        for folder, _, files in os.walk(path, topdown=False)
        for file in sorted(files)
    ]
    return sorted(found, key=lambda file: os.path.dirname(file) == "")


def _sync_all(path: str, files: Collection[str] = ()) -> None:
    """Syncs `files` of a directory, and the folders of it that hold `files`; by themselves all of them."""
    for file in files or _files(path):
        sync(os.path.join(path, file))
    for folder in {os.path.dirname(file) for file in files or _files(path)} | {""}:
        sync(os.path.join(path, folder))


@block
def written_whole(path: str, own: Collection[str]) -> Generator[str, type[BaseException] | None, None]:
    """Gives a directory to write into, whose files become those of `path` at the end; on an error all is as it was.

    `own` are patterns of paths, of one folder at most: files that have one, and that the new ones do not replace, go away.
    Whatever else stands at `path` is kept.

    Raises:
      FileExistsError: there is something else than a directory at `path`.
      IsADirectoryError: there is one where a file has its place.
    """
    path = os.path.realpath(path)
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    if os.path.lexists(path) and not os.path.isdir(path):
        raise FileExistsError(f"{path!r} exists and is no directory")
    part = os.path.join(path if os.path.isdir(path) else folder, f".{name}.part{uuid.uuid4().hex}")
    links = os.path.join(path, f".{name}.part{uuid.uuid4().hex}")
    try:
        os.mkdir(part)
        yield from (part,)
        failed = yield 0  # type: ignore[misc]  # what the block raised, if it did
        if failed is None:
            _sync_all(part)
            if os.path.dirname(part) == folder:
                alone(folder, lambda: _put(path, part))
            if os.path.isdir(part):
                alone(path, lambda: _replace(path, part, links, own))
    finally:
        naming(path, part)
        try:
            remove_tree(part)
            remove_tree(links)
        except KeyboardInterrupt:
            remove_tree(part)
            remove_tree(links)
            raise


def _put(path: str, part: str) -> None:
    """Has the directory `part` stand at `path`, unless another has come to stand there meanwhile."""
    if not os.path.isdir(path):
        os.rename(part, path)
        sync(os.path.dirname(path))


def _replace(path: str, part: str, links: str, own: Collection[str]) -> None:
    """Has the files of the directory `part` become those of `path`: at once, when it is renamed to `COMMITTED`."""
    committed = os.path.join(path, COMMITTED)
    if place_of(path) == committed:
        _link(committed, links)
        _settle(path, links, own)  # of a process that was ended in there
    _expect_places(path, _files(part))
    _link(part, links)  # all that needs room on the disk, before it counts
    try:
        os.rename(part, committed)
        _settle(path, links, own)
    except KeyboardInterrupt:
        if not os.path.lexists(part):  # it counts
            _settle(path, links, own)
        raise


def _expect_places(path: str, files: Collection[str]) -> None:
    for file in files:
        target = os.path.join(path, file)
        if os.path.isdir(target) and not os.path.islink(target):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), target)
        folder = os.path.dirname(target)
        if os.path.exists(folder) and not os.path.isdir(folder):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder)


def _link(source: str, links: str) -> None:
    """Has a folder `links` with the files of the directory `source`: links, or copies where the system has no links."""
    for file in _files(source):
        target = os.path.join(links, file)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        try:
            os.link(os.path.join(source, file), target)
        except (OSError, AttributeError, NotImplementedError):
            shutil.copyfile(os.path.join(source, file), target)


def _settle(path: str, links: str, own: Collection[str]) -> None:
    """Moves the files that are committed from the folder `links`, which has them too, to their places."""
    sync(path)
    committed = os.path.join(path, COMMITTED)
    files = _files(committed)
    for file in files:
        target = os.path.join(path, file)
        folder = os.path.dirname(target)
        if os.path.islink(folder):
            os.unlink(folder)
        os.makedirs(folder, exist_ok=True)
        if os.path.exists(os.path.join(links, file)):  # it has no place yet
            os.replace(os.path.join(links, file), target)
    if files:
        _remove_others(path, own, files)
        _sync_all(path, files)
        os.rename(committed, os.path.join(links, COMMITTED))
        sync(path)
    remove_tree(links)


def _remove_others(path: str, own: Collection[str], files: Collection[str]) -> None:
    """Removes the files of the patterns `own` that are not among `files`, and the folders that are empty then."""
    for folder, pattern in map(os.path.split, own):
        place = os.path.join(path, folder)
        if os.path.isdir(place) and not os.path.islink(place):
            old = [n for n in fnmatch.filter(os.listdir(place), pattern) if os.path.join(folder, n) not in files]
            for there in (os.path.join(place, name) for name in old):
                if os.path.islink(there) or os.path.isfile(there):
                    os.unlink(there)
            if old and folder and not os.listdir(place):
                os.rmdir(place)
