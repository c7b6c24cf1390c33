"""Where native programs are kept, so that a second process finds their machine code.

What is found there is executed. So the folder must belong to the user, and neither it nor a folder above it may be one that
others can write to; a folder that is not so is not used, with a warning. A file is named by a hash of all that its code
depends on, and written whole or not at all.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import platform
import stat
import sys
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphrt.errors import GraphRTWarning
from graphrt.native import machine
from graphrt.types import native_cache

if TYPE_CHECKING:
    from graphrt.native.region import Source


def kept(source: Source) -> str | None:
    """The file that holds a program, written now if it was not there; None where nothing is to be kept."""
    folder = _folder(native_cache.cache_folder())
    if folder is None:
        return None
    text = _header(source) + source.text
    path = folder / f"native_{hashlib.sha256((_versions() + text).encode()).hexdigest()[:40]}.py"
    try:
        if not path.exists() or path.read_text() != text:
            _write(path, text)
    except OSError as error:
        warnings.warn(f"native code is not kept in {folder}: {error}", GraphRTWarning, stacklevel=2)
        return None
    return str(path)


def _header(source: Source) -> str:
    return f"# {source.signature} {sorted(source.loops)}\n"


# state: bounded: one text
@functools.cache
def _versions() -> str:
    import numba  # lazy: Numba has been imported when there is something to keep

    text = inspect.getsource(machine) + Path(__file__).with_name("with_numba.py").read_text()
    return f"{sys.version} {platform.machine()} {np.__version__} {numba.__version__} {text}"


def _write(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".new")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


# state: bounded: one entry for each folder that was named
@functools.cache
def _folder(wanted: str | None) -> Path | None:
    """The folder, made if need be; None if nothing may be kept there."""
    if wanted is None:
        return None
    path = Path(wanted).expanduser().absolute()
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        refusal = refused(path)
        inner = path / "__pycache__"
        if refusal is None and inner.exists():
            refusal = refused(inner)
    except OSError as error:
        refusal = str(error)
    if refusal is not None:
        warnings.warn(f"native code is not kept in {path}: {refusal}", GraphRTWarning, stacklevel=4)
        return None
    return path


def refused(path: Path) -> str | None:
    """Why code in a folder is not to be trusted; None if it is.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> refused(folder)
    >>> folder.chmod(0o777)
    >>> refused(folder).endswith("others can write to it")
    True
    """
    if not hasattr(os, "getuid"):
        return None  # systems without users' ids keep folders of users to themselves
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return f"{path} is no folder"
    if found.st_uid != os.getuid():
        return f"{path} belongs to another user"
    if found.st_mode & 0o022:
        return f"{path} is not private: others can write to it"
    for above in path.parents:
        mode = above.stat()
        if mode.st_mode & 0o022 and not mode.st_mode & stat.S_ISVTX:
            return f"others can write to {above}, in which it is"
        if mode.st_uid not in (0, os.getuid()):
            return f"{above}, in which it is, belongs to another user"
    return None
