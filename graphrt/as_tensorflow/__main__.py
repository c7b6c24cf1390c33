"""`python -m graphrt.as_tensorflow script.py ...`: runs a program with graphrt as its `tensorflow`."""

from __future__ import annotations

import importlib.util
import os
import runpy
import sys
import zipfile
from collections.abc import Sequence

import graphrt.as_tensorflow as tensorflow
from graphrt.as_tensorflow import programs

_USAGE = "usage: python -m graphrt.as_tensorflow [-m module | script.py] [arguments ...]"


def main(arguments: Sequence[str]) -> int:
    """Runs the script or module that `arguments` name; returns 2 after a word on how, where they name none."""
    if not arguments or arguments[0] in ("-h", "--help") or (arguments[0] == "-m" and len(arguments) < 2):
        print(_USAGE, file=sys.stdout if arguments[:1] and arguments[0] != "-m" else sys.stderr)
        return 0 if arguments and arguments[0] != "-m" else 2
    tensorflow.activate()
    if arguments[0] == "-m":
        name = programs.module_name(arguments[1])
        found = importlib.util.find_spec(name)
        sys.argv = [arguments[1] if found is None or found.origin is None else found.origin, *arguments[2:]]
        programs.run(name)
        return 0
    if not os.path.exists(arguments[0]):
        print(f"{arguments[0]}: no such file\n{_USAGE}", file=sys.stderr)
        return 2
    sys.argv = list(arguments)
    if os.path.isfile(arguments[0]) and not zipfile.is_zipfile(arguments[0]):
        sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
        programs.run(programs.script_name(arguments[0]))
    else:  # a folder or an archive with a `__main__`, which Python does not find again in processes that it spawns
        sys.path[0] = os.path.abspath(arguments[0])
        runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
