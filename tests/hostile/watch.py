"""What a reader may do to the process and to its machine is watched: files, programs, imports, and the state of the context."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import threading
from typing import Any

from graphrt.keras.models import rehearsal
from tests.hostile.interrupts import ROOT, find_variables, settings

OURS = frozenset({"graphrt", "autograph", "tests", "numpy", "google", "gast", "astunparse", "ml_dtypes", "PIL", "re2"})
NEVER = frozenset({"os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "pty.spawn",
    "pickle.find_class", "socket.connect", "socket.bind", "os.kill", "os.chdir", "ctypes.dlopen", "webbrowser.open"})  # fmt: skip
FILES = frozenset({"os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink", "os.chmod",
    "os.chown", "os.utime", "shutil.rmtree", "shutil.move"})  # fmt: skip
PLACES = (ROOT, sys.prefix, sys.base_prefix, *filter(None, sys.path), "/usr/lib", "/usr/share/zoneinfo")
READABLE = tuple({os.path.realpath(p) for p in PLACES})  # packages may stand elsewhere, as a `.pth` file says


class Watch:
    """An audit hook, which looks only while `on`: what happened that must not stands in `seen`."""

    def __init__(self, *scratch: str) -> None:
        self.on = False
        self.seen: list[str] = []
        self.scratch = tuple(os.path.realpath(p) + os.sep for p in (tempfile.gettempdir(), *scratch))
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event == "open":
            self._opened(args)
        elif event in FILES:
            if not self._is_scratch(args[0]):
                self.seen.append(f"{event} of {args[0]!r}")
        elif event == "subprocess.Popen" and rehearsal.__file__ in args[1]:
            pass  # HDF5 is read by a process that may be killed
        elif event in NEVER:
            self.seen.append(f"{event} {args!r}"[:200])
        elif event == "import":
            top = str(args[0]).partition(".")[0]
            if top not in OURS and top not in sys.stdlib_module_names and not top.startswith("_"):
                self.seen.append(f"import of {args[0]}")

    def _is_scratch(self, path: object) -> bool:
        return not isinstance(path, (str, bytes)) or os.path.realpath(os.fsdecode(path)).startswith(self.scratch)

    def _opened(self, args: tuple[Any, ...]) -> None:
        path, mode, flags = args
        if self._is_scratch(path):
            return
        real = os.path.realpath(os.fsdecode(path))
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        if writes or not real.startswith((*READABLE, "/proc/self", "/dev/null", "/sys/")):
            self.seen.append(f"{'wrote' if writes else 'read'} {real!r}")


class State:
    """The context before; `lost` tells what differs from it."""

    def __init__(self) -> None:
        find_variables()
        self.before = settings()
        self.files = len(os.listdir("/proc/self/fd"))
        self.threads = threading.active_count()

    def lost(self) -> str | None:
        now = settings()
        for name, value in self.before.items():
            if value is not now[name] and value != now[name]:
                return f"state: {name} was {value!r}, now {now[name]!r}"
        return None

    def left(self) -> str | None:
        """Files and threads that are left open."""
        if len(os.listdir("/proc/self/fd")) > self.files:
            gc.collect()
        files, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
        if files > self.files or threads > self.threads:
            return f"left open: {files - self.files} files, {threads - self.threads} threads"
        return None
