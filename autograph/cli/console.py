"""What the commands share: one-line errors, colour on terminals, a progress bar."""

from __future__ import annotations

import argparse
import io
import os
import sys
from typing import NoReturn, TextIO


class Parser(argparse.ArgumentParser):
    """A parser whose complaints take one line."""

    def error(self, message: str) -> NoReturn:
        """One line, exit status 2."""
        fail(f"{message} (try '{self.prog} --help')")


def fail(message: str) -> NoReturn:
    """Ends the command: one line on standard error, exit status 2."""
    prefix = "autograph: error:"
    if colour_wanted(sys.stderr):
        prefix = f"\033[31m{prefix}\033[0m"
    print(prefix, " ".join(message.split()), file=sys.stderr)
    raise SystemExit(2)


def colour_wanted(stream: TextIO) -> bool:
    """Whether a stream is a terminal whose user has nothing against colours."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and stream.isatty()


def write_out(text: str) -> None:
    """Writes to standard output, whatever its encoding can say."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Text of the user's program may hold what the terminal's encoding cannot say.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.stdout.write(text)
    sys.stdout.flush()


def write_file(text: str, filename: str) -> None:
    """Writes a file of Python text."""
    with open(filename, "w", encoding="utf-8", newline="\n", errors="surrogatepass") as file:
        file.write(text)


class Progress:
    """A bar on standard error, on a terminal only; nothing for fewer than two steps.

    with Progress(len(files), "checking") as progress:
        for file in files:
            progress.step(file)
    """

    def __init__(self, total: int, verb: str) -> None:
        self.total = total
        self.verb = verb
        self.done = 0
        self.shown = total > 1 and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def step(self, what: str) -> None:
        """Says what is worked on next."""
        self.done += 1
        if not self.shown:
            return
        filled = round(20 * self.done / self.total)
        line = f"{self.verb} [{'#' * filled}{'.' * (20 - filled)}] {self.done}/{self.total} {what}"
        sys.stderr.write(f"\r\033[K{line[: _width() - 1]}")
        sys.stderr.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def _width() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
