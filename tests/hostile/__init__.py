"""A trial: inputs that strangers may send, mutated by a seed, to every reader. `python -m tests.hostile --help`."""

from __future__ import annotations

import functools
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from typing import Any, ParamSpec

_P = ParamSpec("_P")


def swept(main: Callable[_P, int]) -> Callable[_P, int]:
    """`main`, whose process, and all that it starts, have a folder for temporary files, which goes away with it.

    What a child has made is removed also where the child was killed, and where the trial itself is told to end.
    """

    @functools.wraps(main)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> int:
        parent = os.getpid()

        def end(number: int, frame: Any) -> None:
            if os.getpid() != parent:
                os._exit(128 + number)
            sys.exit(128 + number)

        before = tempfile.tempdir, os.environ.get("TMPDIR")
        with tempfile.TemporaryDirectory(prefix="hostile-", ignore_cleanup_errors=True) as folder:
            old = signal.signal(signal.SIGTERM, end)
            tempfile.tempdir = os.environ["TMPDIR"] = folder
            try:
                return main(*args, **kwargs)
            finally:
                tempfile.tempdir = before[0]
                os.environ.pop("TMPDIR") if before[1] is None else os.environ.update(TMPDIR=before[1])
                signal.signal(signal.SIGTERM, old)

    return run
