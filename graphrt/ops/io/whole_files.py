"""Files that are written whole or not at all, also by several at once."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import uuid
from collections.abc import Callable, Generator
from typing import BinaryIO

from graphrt import errors
from graphrt.types.leaving import block

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["alone", "naming", "regular", "remove_tree", "replaced", "stands"]

_FULL = (errno.ENOSPC, errno.EFBIG, errno.EIO, getattr(errno, "EDQUOT", errno.ENOSPC))  # which name no file


def alone(folder: str, act: Callable[[], None]) -> None:
    """Calls `act` while no other thread of any process does so for the directory; the others wait.

    The lock belongs to the directory itself: it needs no file, and ends with the process. Where the system has no such
    locks, nobody waits.

    It is no context manager: a KeyboardInterrupt that comes where one is entered or left would keep the lock for as long
    as anyone looks at the traceback.
    """
    if fcntl is None:
        act()
        return
    number = os.open(folder or ".", os.O_RDONLY)
    try:
        try:
            fcntl.flock(number, fcntl.LOCK_EX)
        except OSError:  # some network file systems
            pass
        act()
    finally:
        try:
            fcntl.flock(number, fcntl.LOCK_UN)  # closing would not do where a fork has the number too
        except OSError:
            pass
        finally:
            os.close(number)


def regular(path: str, flags: int) -> int:
    """The opener (see `open`) of files of strangers, as those of a SavedModel: they do not wait, nor go on for ever.

    Raises:
      DataLossError: there is a pipe, a device or a socket at `path`.
      IsADirectoryError: there is a directory.
    """
    number = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    mode = os.fstat(number).st_mode
    if stat.S_ISREG(mode):
        return number
    os.close(number)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise errors.DataLossError(None, None, f"{path} is no file but a pipe, a device or a socket")


def remove_tree(folder: str) -> None:
    """Removes a directory with all that it holds, as far as it can: what cannot be removed stays, and nothing is raised.

    Raises:
      KeyboardInterrupt: there was one. Before Python 3.13 `shutil` may say in its place that a file that it had closed
        when it came cannot be closed.
    """
    try:
        shutil.rmtree(folder, ignore_errors=True)
    except OSError as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise error.__context__ from None
        raise


def stands(number: int, path: str) -> bool:
    """Whether what is open as `number` is what stands at `path`, or nothing does any more."""
    try:
        return os.path.samestat(os.fstat(number), os.stat(path))
    except FileNotFoundError:
        return True


def naming(path: str, part: str = "\0") -> None:
    """Has the error that is being handled, if there is one, name what has found no room: `path`, not a file in `part`."""
    error = sys.exc_info()[1]
    if isinstance(error, OSError) and error.errno in _FULL and str(error.filename or part).startswith(part):
        error.filename = path


@block
def replaced(path: str) -> Generator[BinaryIO, type[BaseException] | None, None]:
    """Gives a file to write into, which becomes `path` at the end; on an error all is as it was.

    Who may read and write it stays as it was; of a link what it leads to is replaced. Devices and pipes, which nothing can
    take the place of, are written to as they are.
    """
    path = os.path.realpath(path) if os.path.islink(path) else path
    mode = _mode(path)
    whole = mode is None or stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    part = f"{path}.part{uuid.uuid4().hex}"
    try:
        with open(part if whole else path, "wb") as file:
            if mode is not None and stat.S_ISREG(mode):
                os.chmod(part, mode & 0o777)
            yield from (file,)
            failed = yield 0  # type: ignore[misc]  # what the block raised, if it did
            if failed is None:
                file.flush()
                if whole:
                    os.fsync(file.fileno())
        if failed is None and whole:
            os.replace(part, path)
    finally:
        naming(path)
        try:
            os.unlink(part)
        except FileNotFoundError:
            pass


def _mode(path: str) -> int | None:
    """What stands at `path`, and who may read and write it; None when nothing does."""
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError):  # opening it will say which
        return None
