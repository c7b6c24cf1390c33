"""Where the machine code of functions is kept, and which functions get some: `tf.config.native`, `tf.config.optimizer`."""

from __future__ import annotations

import os
import threading

_lock = threading.Lock()
_set: dict[str, str | None] = {}  # state: locked by _lock
_automatic: dict[str, bool] = {}  # state: locked by _lock


def cache_folder() -> str | None:
    """Where native programs are kept; None if nowhere.

    >>> import graphrt as tf
    >>> tf.config.native.set_cache_folder(None)
    >>> tf.config.native.cache_folder()

    That is what `set_cache_folder` said, else the environment variable GRAPHRT_NATIVE_CACHE (empty: nowhere), else a folder
    of the user's.
    """
    with _lock:
        if "folder" in _set:
            return _set["folder"]
    told = os.environ.get("GRAPHRT_NATIVE_CACHE")
    if told is not None:
        return told or None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "graphrt", "native")


def set_cache_folder(path: str | os.PathLike[str] | None) -> None:
    """Keeps native programs in the folder `path` from now on, or, with None, nowhere.

    What is kept is executed when it is found again: the folder must be the user's own, and one that nobody else can write
    to; else nothing is kept, and a warning says why.

    >>> import graphrt as tf
    >>> tf.config.native.set_cache_folder(None)

    Raises:
      TypeError: the argument is no path.
    """
    folder = None if path is None else os.fspath(path)
    if folder is not None and not isinstance(folder, str):
        raise TypeError(f"set_cache_folder expects a path as text, found {path!r}")
    with _lock:
        _set["folder"] = folder


def is_automatic() -> bool:
    """Whether functions that say nothing of `jit_compile` are compiled when they are hot."""
    with _lock:
        return _automatic.get("jit", False)


def set_automatic(enabled: bool) -> None:
    """Says what `is_automatic` gives: to traces that have not run yet."""
    with _lock:
        _automatic["jit"] = enabled
