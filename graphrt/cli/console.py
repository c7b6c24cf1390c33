"""How the command line speaks: its parser, and mistakes told in one line."""

from __future__ import annotations

import argparse
import os
import sys
from typing import NoReturn


class UsageError(Exception):
    """A mistake on the command line, or in the file it names; told in one line."""


def say(text: str) -> None:
    """Writes to standard output, all of it.

    Raises:
      BrokenPipeError: nobody reads it any more.
      UsageError: it is closed, or its disk is full.
    """
    if sys.stdout is None:
        raise UsageError("cannot write: there is no standard output")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # what is left in its buffer cannot be written either
        raise UsageError(f"cannot write to standard output: {error.strerror or error}") from None


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message} (see {self.prog} --help)", file=sys.stderr)
        raise SystemExit(2)
