"""What the commands share: one-line errors, colour on terminals, a progress bar."""

from __future__ import annotations

import argparse
import io
import os
import sys
from typing import Any, NoReturn, TextIO

from autograph.options import Feature


class Parser(argparse.ArgumentParser):
    """A parser whose complaints take one line."""

    def error(self, message: str) -> NoReturn:
        """One line, exit status 2."""
        fail(f"{message} (try '{self.prog} --help')")


def add_command(commands: Any, name: str, about: str, text: str, features: str) -> argparse.ArgumentParser:
    """Declares a command with its help, and the option for features, of which `features` says what it does."""
    description, _, epilog = text.partition("\n\n")
    raw = argparse.RawDescriptionHelpFormatter
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=description, epilog=epilog, formatter_class=raw
    )
    names = [feature.name for feature in Feature]
    about = f"{features}: {', '.join(names)}"
    parser.add_argument("--feature", action="append", default=[], metavar="NAME", choices=names, help=about)
    return parser


def features_of(arguments: argparse.Namespace) -> tuple[Feature, ...]:
    """The optional features that are asked for."""
    return tuple(Feature[name] for name in arguments.feature)


def stand_in_for_closed() -> None:
    """Gives a process that was started without standard output or error (`2>&-`) such as take all and keep nothing."""
    for stream in ("stdout", "stderr"):
        if getattr(sys, stream) is None:
            setattr(sys, stream, open(os.devnull, "w"))  # noqa: SIM115 (as long as the process)


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


def write(text: str, filename: str | None) -> None:
    """Writes a file, or to standard output, whatever its encoding can say."""
    if filename is not None:
        return write_file(text, filename)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Text of the user's program may hold what the terminal's encoding cannot say.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.stdout.write(text)
    sys.stdout.flush()


def write_file(text: str, filename: str) -> None:
    """Writes a file of Python text."""
    with open(filename, "w", encoding="utf-8", newline="\n", errors="surrogatepass") as file:
        file.write(text)
