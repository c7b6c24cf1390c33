"""Where native programs are kept, so that a second process finds their machine code.

What is found there is executed. So the folder must belong to the user, and neither it nor a folder above it may be one that
others can write to; a folder that is not so is not used, with a warning. A file begins with all that its code depends on,
which is compared to the letter, and is named by a checksum of that; it is written whole or not at all.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import stat
import sys
import zlib  # `hashlib` takes 3 ms to import
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphrt.errors import GraphRTWarning, warn
from graphrt.native import linker
from graphrt.types import native_cache

if TYPE_CHECKING:
    from graphrt.native.region import Source


def place(source: Source) -> tuple[Path, bytes] | None:
    """The file for the machine code of a program, and what it has to begin with; None where nothing is to be kept."""
    folder = _folder(native_cache.cache_folder())
    if folder is None or not linker.is_there():
        return None
    key = repr((_versions(), source.signature, sorted(source.loops), source.text)).encode()
    return folder / f"native_{zlib.crc32(key):08x}{zlib.adler32(key):08x}.code", key


def write(path: Path, content: bytes) -> None:
    """Writes a file of the folder, whole or not at all; where that cannot be, somebody is told."""
    import tempfile  # lazy: who finds all code on the disk writes nothing, and it takes 3 ms

    try:
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".new")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        warn(f"native code is not kept in {path.parent}: {error}", GraphRTWarning)


# state: bounded: one text
@functools.cache
def _versions() -> str:
    here = Path(__file__)
    texts = [here.with_name(name).read_text() for name in ("machine.py", "with_numba.py", "loading.py", "linker.py")]
    # Numba is not imported, nor is what reads the records of packages: both take long
    found = importlib.util.find_spec("numba")
    top = Path(found.origin).parent if found is not None and found.origin is not None else here
    numba = [(top / name).read_bytes() for name in ("_version.py", "__init__.py") if (top / name).exists()]
    return f"{sys.version} {platform.machine()} {linker.description()} {np.__version__} {numba} {texts}"


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
    except OSError as error:
        refusal = str(error)
    if refusal is not None:
        warn(f"native code is not kept in {path}: {refusal}", GraphRTWarning)
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
