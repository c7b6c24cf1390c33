"""Reads all of an HDF5 file in a process that may be killed: a program of its own, `python rehearsal.py '[...]' < FILE`.

The HDF5 library trusts what it reads: a damaged file can make it loop for ever, which no Ctrl-C ends, or end the process.
Where that happens to a process of no importance the file is refused; what has not happened there does not happen here.
"""

from __future__ import annotations

import importlib
import io
import json
import signal
import subprocess
import sys
from typing import Any

__all__ = ["refusal"]

_ALARM = 14
_START = 60.0  # seconds for Python and h5py to start, where the process cannot count for itself


def refusal(data: bytes, seconds: float, largest: float) -> str | None:
    """Why a file of HDF5 should not be read here: reading does not end within `seconds`, fails, or ends the process.

    Arrays of more than `largest` bytes are left out; beside those it may take a gigabyte, and four times the file.
    """
    room = (1 << 30) + 4 * (len(data) + largest)
    command = [sys.executable, "-I", __file__, json.dumps([sys.path, seconds, largest, room])]
    try:
        ended = subprocess.run(command, input=data, capture_output=True, timeout=seconds + _START, check=False)
    except subprocess.TimeoutExpired:
        code, said = -_ALARM, b""
    else:
        code, said = ended.returncode, ended.stderr
    if code == -_ALARM:
        return f"the HDF5 library has not read it within {seconds:g} seconds (tf.config.limits.seconds)"
    if code < 0:
        return f"the HDF5 library ends its process with signal {-code}"
    return said.decode(errors="replace").strip().rpartition("\n")[2] if code else None


def _walk(group: Any, h5py: Any, largest: int) -> None:
    seen, left = set(), [group]
    while left:
        group = left.pop()
        for name in group:
            if not isinstance(group.get(name, getlink=True), h5py.HardLink):
                continue
            found = group[name]
            if isinstance(found, h5py.Group) and found.id not in seen:
                seen.add(found.id)
                left.append(found)
            elif isinstance(found, h5py.Dataset) and not (found.external or found.is_virtual):
                if found.nbytes <= largest:
                    found[()]


def _taken() -> int:
    """How much of its addresses this process has set aside already: without a global lock Python begins with a gigabyte."""
    try:
        with open("/proc/self/statm", encoding="ascii") as counts:
            return int(counts.read().split()[0]) * 4096
    except OSError:  # not on Linux
        return 0


def _main(told: str) -> None:
    sys.path[:], seconds, largest, room = json.loads(told)
    h5py = importlib.import_module("h5py")  # an extra

    data = io.BytesIO(sys.stdin.buffer.read())
    try:
        import resource  # lazy: not on Windows

        room += _taken()
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
    except (ImportError, OSError, ValueError):  # not on Windows, or less is allowed anyway
        pass
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.setitimer(signal.ITIMER_REAL, seconds)  # nobody handles it: it ends the process, whatever that does
    with h5py.File(data, "r") as archive:
        _walk(archive, h5py, largest)


if __name__ == "__main__":
    _main(sys.argv[1])
