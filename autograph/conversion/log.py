"""Tells about conversions through `logging`, under the logger "autograph".

`logging` is imported when there is something to tell: it would show in the time of `import autograph`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import logging

NAME = "autograph"

_handlers: list[Any] = []
_verbose = False


def logger() -> logging.Logger:
    """The logger of the package."""
    import logging  # not at the top: see above

    return logging.getLogger(NAME)


def info(message: str, *arguments: object) -> None:
    """Logs at level INFO; nobody can listen before `logging` is imported."""
    if _verbose or "logging" in sys.modules:
        logger().info(message, *arguments)


def _handler(stream: str, text_format: str) -> Any:
    import logging  # not at the top: see above

    class Handler(logging.Handler):
        """Writes to what `sys.stdout` or `sys.stderr` is at that time."""

        def emit(self, record: logging.LogRecord) -> None:
            print(self.format(record), file=getattr(sys, stream))

    handler = Handler()
    handler.setFormatter(logging.Formatter(text_format))
    return handler


def set_level(verbosity: int, also_to_stdout: bool) -> None:
    """Shows records on standard error (and standard output) from a verbosity of 1 on; all levels from 2 on."""
    global _verbose
    if verbosity <= 0 and not _handlers:
        return
    import logging  # not at the top: see above

    found = logger()
    while _handlers:
        found.removeHandler(_handlers.pop())
    _verbose = verbosity > 0
    if verbosity <= 0:
        found.setLevel(logging.NOTSET)
        return
    found.setLevel(logging.INFO if verbosity == 1 else logging.DEBUG)
    for stream in ("stderr", "stdout") if also_to_stdout else ("stderr",):
        handler = _handler(stream, "autograph: %(message)s")
        _handlers.append(handler)
        found.addHandler(handler)


def traced(arguments: tuple[object, ...]) -> None:
    """Logs what `trace` was given, under "autograph.trace", for those who listen to it."""
    if "logging" not in sys.modules:
        return
    import logging  # not at the top: see above

    record_to = logging.getLogger(f"{NAME}.trace")
    # What is printed anyway is not shown on standard error a second time.
    if record_to.isEnabledFor(logging.INFO):
        record_to.info("%s", " ".join(map(str, arguments)))
