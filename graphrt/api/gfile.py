"""`tf.io.gfile`: files and folders, with TensorFlow's names and errors.

>>> import graphrt as tf, tempfile
>>> path = tf.io.gfile.join(tempfile.mkdtemp(), "file")
>>> with tf.io.gfile.GFile(path, "w") as file:
...     file.write("one\\ntwo\\n")
>>> tf.io.gfile.GFile(path).readlines()
['one\\n', 'two\\n']
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from graphrt import errors
from graphrt.ops.io.files import is_no_name, local_path, matches, read_line, read_some, read_whole_file, telling, told
from graphrt.types.likes import PathLike, TensorLike
from graphrt.types.nesting import shown

__all__ = [
    "GFile", "copy", "exists", "get_registered_schemes", "glob", "isdir", "join", "listdir", "makedirs", "mkdir",
    "remove", "rename", "rmtree", "stat", "walk",
]  # fmt: skip


def _path(path: Any) -> str:
    return local_path(path)


class GFile:
    """A file, opened when it is first read or written. Text, or bytes where the mode has a `b`.

    >>> import graphrt as tf
    >>> tf.io.gfile.GFile("/no/such/file").read()
    Traceback (most recent call last):
        ...
    graphrt.errors.NotFoundError: ...

    Raises:
      InvalidArgumentError: the mode is none of r, w, a, r+, w+, a+ (with or without `b`).
    """

    def __init__(self, name: object, mode: str = "r") -> None:
        plain = mode.replace("b", "")
        if plain not in ("r", "w", "a", "r+", "w+", "a+"):
            raise errors.InvalidArgumentError(
                None,
                None,
                errors.at_user_line(f"mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+', found {mode!r}"),
            )
        self._name = name
        self._mode = mode
        self._binary = "b" in mode
        self._file: Any = None

    @property
    def name(self) -> Any:
        """The name of the file."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode in which it is opened."""
        return self._mode

    def _opened(self, writing: bool) -> Any:
        plain = self._mode.replace("b", "")
        if writing and plain == "r":
            raise errors.PermissionDeniedError(None, None, errors.at_user_line("File isn't open for writing"))
        if not writing and plain in ("w", "a"):
            raise errors.PermissionDeniedError(None, None, errors.at_user_line("File isn't open for reading"))
        if self._file is None:
            self._file = telling(self._name, lambda: open(_path(self._name), plain + "b"))  # noqa: SIM115
        return self._file

    def _out(self, data: bytes) -> bytes | str:
        try:
            return data if self._binary else data.decode("utf-8")
        except UnicodeDecodeError as error:
            error.reason += f" (in {_path(self._name)}, which is read as text: mode 'rb' gives bytes)"
            raise

    def size(self) -> int:
        """The number of bytes.

        Raises:
          NotFoundError: there is no such file.
        """
        self.flush()
        return stat(self._name).length

    def read(self, n: int = -1) -> Any:
        """`n` bytes (or all that are left) as text, or as bytes where the mode has a `b`.

        Raises:
          NotFoundError: there is no such file.
          PermissionDeniedError: the file is opened for writing.
        """
        file = self._opened(False)
        left = n is None or n < 0
        path = _path(self._name)
        return self._out(telling(path, lambda: read_whole_file(file, path) if left else read_some(file, n, path)))

    def readline(self) -> Any:
        """The next line with its end; '' after the last one."""
        file = self._opened(False)
        return self._out(telling(self._name, lambda: read_line(file, f"A line of {_path(self._name)}")))

    def readlines(self) -> list[Any]:
        """All lines that are left, with their ends."""
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        while line := self.readline():
            yield line

    def __next__(self) -> str:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self) -> str:
        """The next line; StopIteration after the last one."""
        return self.__next__()

    def write(self, file_content: TensorLike) -> None:
        """Adds text or bytes.

        Raises:
          PermissionDeniedError: the file is opened for reading.
          ResourceExhaustedError: the disk is full; so say `flush` and `close` of what was held back.
          TypeError: the content is neither text nor bytes.
        """
        if not isinstance(file_content, (str, bytes)):
            raise TypeError(errors.at_user_line(f"Expected binary or unicode string, got {shown(file_content)}"))
        data = file_content.encode("utf-8") if isinstance(file_content, str) else file_content
        file = self._opened(True)
        telling(self._name, lambda: file.write(data))

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Moves to a place: counted from the start (0), from here (1) or from the end (2).

        Raises:
          InvalidArgumentError: `whence` is none of them.
        """
        if whence not in (0, 1, 2):
            raise errors.InvalidArgumentError(
                None, None, errors.at_user_line(f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
            )
        file, to = self._opened(False), offset if offset is not None else position or 0
        telling(self._name, lambda: file.seek(to, whence))

    def seekable(self) -> bool:
        """True."""
        return True

    def tell(self) -> int:
        """How many bytes lie before the place that is read or written next."""
        return int(telling(self._name, self._opened(self._mode[0] != "r").tell))

    def flush(self) -> None:
        """Writes what is held back."""
        if self._file is not None:
            telling(self._name, self._file.flush)

    def close(self) -> None:
        """Closes the file; a file opened for writing exists from then on."""
        if self._file is None and self._mode[0] in "wa":
            self._opened(True)
        file, self._file = self._file, None
        if file is not None:
            telling(self._name, file.close)

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class FileStatistics(NamedTuple):
    """What `stat` says of a file."""

    length: int
    mtime_nsec: int
    is_directory: bool


def exists(path: PathLike) -> bool:
    """Whether there is such a file or folder.

    >>> import graphrt as tf
    >>> tf.io.gfile.exists("/no/such/file")
    False
    """
    return not is_no_name(path) and os.path.exists(_path(path))


def isdir(path: PathLike) -> bool:
    """Whether there is such a folder.

    >>> import graphrt as tf
    >>> tf.io.gfile.isdir("/")
    True
    """
    return not is_no_name(path) and os.path.isdir(_path(path))


def stat(path: Any) -> FileStatistics:
    """Size, time of change and kind of a file.

    >>> import graphrt as tf
    >>> tf.io.gfile.stat("/").is_directory
    True

    Raises:
      NotFoundError: there is no such file.
    """
    found = telling(path, lambda: os.stat(_path(path)))
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(_path(path)))


def listdir(path: PathLike) -> list[str]:
    """The names in a folder.

    >>> import graphrt as tf, tempfile
    >>> tf.io.gfile.listdir(tempfile.mkdtemp())
    []

    Raises:
      NotFoundError: there is no such folder.
    """
    if not isdir(path):
        raise errors.NotFoundError(None, None, errors.at_user_line(f"Could not find directory {_path(path)}"))
    return sorted(os.listdir(_path(path)))


def glob(pattern: Any) -> list[str]:
    """The files that match a pattern, or one of several.

    >>> import graphrt as tf
    >>> tf.io.gfile.glob("/no/such/*")
    []
    """
    patterns = [pattern] if isinstance(pattern, (str, bytes, os.PathLike)) else list(pattern)
    return [name for one in patterns for name in sorted(matches(os.fsdecode(one)))]


def join(path: Any, *paths: str) -> str:
    """Parts of a path in one.

    >>> import graphrt as tf
    >>> tf.io.gfile.join("a", "b")
    'a/b'
    """
    return os.path.join(*(os.fsdecode(os.fspath(p)) for p in (path, *paths)))


def mkdir(path: PathLike) -> None:
    """Makes a folder in one that is there; nothing happens where it is there already.

    >>> import graphrt as tf
    >>> tf.io.gfile.mkdir("/no/such/folder")
    Traceback (most recent call last):
        ...
    graphrt.errors.NotFoundError: ...

    Raises:
      NotFoundError: the folder above it is missing.
    """
    if not isdir(path):
        telling(path, lambda: os.mkdir(_path(path)))


def makedirs(path: PathLike) -> None:
    """Makes a folder, and those above it.

    >>> import graphrt as tf, tempfile
    >>> path = tf.io.gfile.join(tempfile.mkdtemp(), "a", "b")
    >>> tf.io.gfile.makedirs(path)
    >>> tf.io.gfile.isdir(path)
    True
    """
    telling(path, lambda: os.makedirs(_path(path), exist_ok=True))


def _check_free(dst: PathLike, overwrite: bool) -> None:
    if not overwrite and exists(dst):
        raise errors.AlreadyExistsError(None, None, errors.at_user_line(f"file already exists: {_path(dst)}"))


def copy(src: PathLike, dst: PathLike, overwrite: bool = False) -> None:
    """Copies a file.

    >>> import graphrt as tf
    >>> tf.io.gfile.copy("/no/such/file", "/tmp/copy")
    Traceback (most recent call last):
        ...
    graphrt.errors.NotFoundError: ...

    Raises:
      AlreadyExistsError: `dst` is there, and `overwrite` not set.
      NotFoundError: there is no such file.
    """
    _check_free(dst, overwrite)
    try:
        shutil.copyfile(_path(src), _path(dst))
    except OSError as error:
        about_source = error.filename == _path(src) and error.filename2 is None
        raise told(error, _path(src if about_source else dst), errors.at_user_line) from None


def rename(src: PathLike, dst: PathLike, overwrite: bool = False) -> None:
    """Gives a file or folder another name.

    >>> import graphrt as tf
    >>> tf.io.gfile.rename("/no/such/file", "/tmp/other_name")
    Traceback (most recent call last):
        ...
    graphrt.errors.NotFoundError: ...

    Raises:
      AlreadyExistsError: `dst` is there, and `overwrite` not set.
      NotFoundError: there is no such file.
    """
    _check_free(dst, overwrite)
    telling(dst if os.path.lexists(_path(src)) else src, lambda: os.replace(_path(src), _path(dst)))


def remove(path: PathLike) -> None:
    """Deletes a file.

    >>> import graphrt as tf
    >>> tf.io.gfile.remove("/no/such/file")
    Traceback (most recent call last):
        ...
    graphrt.errors.NotFoundError: ...

    Raises:
      FailedPreconditionError: it is a folder.
      NotFoundError: there is no such file.
    """
    telling(path, lambda: os.remove(_path(path)))


def rmtree(path: PathLike) -> None:
    """Deletes a folder with all that is in it (or a file).

    >>> import graphrt as tf
    >>> tf.io.gfile.rmtree("/no/such/folder")
    Traceback (most recent call last):
        ...
    graphrt.errors.NotFoundError: ...

    Raises:
      NotFoundError: there is no such folder.
    """
    if not exists(path):
        raise errors.NotFoundError(None, None, errors.at_user_line(f"{_path(path)} not found"))
    telling(path, lambda: shutil.rmtree(_path(path)) if isdir(path) else os.remove(_path(path)))


def walk(
    top: PathLike, topdown: bool = True, onerror: Callable[[Exception], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """For a folder and each one in it: its name, the folders in it, the files in it.

    >>> import graphrt as tf, tempfile
    >>> [(folders, files) for _, folders, files in tf.io.gfile.walk(tempfile.mkdtemp())]
    [([], [])]
    """
    path = _path(top)
    try:
        names = listdir(path)
    except errors.NotFoundError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [n for n in names if isdir(os.path.join(path, n))]
    here = (path, folders, [n for n in names if n not in folders])
    if topdown:
        yield here
    for name in folders:
        yield from walk(os.path.join(path, name), topdown, onerror)
    if not topdown:
        yield here


def get_registered_schemes() -> list[str]:
    """The kinds of paths: those of this machine.

    >>> import graphrt as tf
    >>> tf.io.gfile.get_registered_schemes()
    ['', 'file']
    """
    return ["", "file"]
