"""Programs in processes of their own, which begin with a package imported: a tenth of what new interpreters cost.

A server for each package has imported it and done nothing else; it forks for each program. What is about the start of
the interpreter itself (its options, the seed of its hashes, what an import loads) needs a new one all the same.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from typing import Any, NoReturn

from tests import ROOT

_ENDINGS = ("in", "out", "err")


# --- here ------------------------------------------------------------------------------------------------------------
class _Server:
    def __init__(self, package: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.fresh_process", package], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        atexit.register(self.close)

    def ask(self, request: Mapping[str, Any]) -> int:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


@functools.cache
def _server(package: str) -> _Server:
    return _Server(package)


def run(
    package: str, *arguments: object, stdin: str | None = None, cwd: object = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """What `python ARGUMENTS` does in a process that has imported `package`: a script, `-m MODULE` or `-c TEXT`.

    `env` is the whole environment; without it, it is that of the tests. `stdin` is empty unless given.
    """
    given = list(map(str, arguments))
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, ending) for ending in _ENDINGS]
        pathlib.Path(files[0]).write_text(stdin or "", encoding="utf-8")
        place, environment = str(cwd or os.getcwd()), dict(os.environ if env is None else env)
        status = _server(package).ask({"arguments": given, "files": files, "cwd": place, "env": environment})
        out, err = (pathlib.Path(file).read_text(encoding="utf-8") for file in files[1:])
    return subprocess.CompletedProcess(given, status, out, err)


# --- there -----------------------------------------------------------------------------------------------------------
def _streams(files: list[str]) -> None:
    kinds = (os.O_RDONLY, os.O_WRONLY | os.O_CREAT, os.O_WRONLY | os.O_CREAT)
    for place, (file, kind) in enumerate(zip(files, kinds)):
        opened = os.open(file, kind)
        os.dup2(opened, place)
        os.close(opened)
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "utf-8").partition(":")
    sys.stdin = open(0, encoding=encoding, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding=encoding, errors=errors or "strict", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding=encoding, errors="backslashreplace", closefd=False, buffering=1)  # noqa: SIM115


def _execute(arguments: list[str]) -> None:
    import runpy
    import types

    kind, *rest = arguments
    path = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    base = [p for p in sys.path[1:] if p != str(ROOT)]
    if kind == "-m":
        sys.argv[:] = ["-m", *rest[1:]]
        sys.path[:] = [os.getcwd(), *path, *base]
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.argv[:] = ["-c", *rest[1:]]
        sys.path[:] = ["", *path, *base]
        module = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(rest[0], "<string>", "exec"), module.__dict__)
    else:
        sys.argv[:] = arguments
        sys.path[:] = [os.path.dirname(kind), *path, *base]
        runpy.run_path(kind, run_name="__main__")


def _child(request: dict[str, Any]) -> NoReturn:
    """Becomes the program, as far as its files, its environment and its end go."""
    import traceback

    status = 0
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    _streams(request["files"])
    try:
        _execute(request["arguments"])
    except SystemExit as stop:
        if stop.code is not None and not isinstance(stop.code, int):
            print(stop.code, file=sys.stderr)
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    try:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _serve(package: str) -> None:
    import importlib

    importlib.import_module(package)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            _child(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    _serve(sys.argv[1])
