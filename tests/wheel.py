"""Builds the wheel of the last commit, twice, and compares the bytes: `python -m tests.wheel [FOLDER]`.

What is built is what git has, in files of mode 644, at the time of the commit (SOURCE_DATE_EPOCH), by the setuptools of
`BACKEND`: so anybody who has the commit can build the same bytes. The wheel is then installed in a new environment, and
used there. With FOLDER it is left there.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv

from tests import ROOT

BACKEND = "setuptools==84.2.1\n"
PROGRAM = "import graphrt as tf; print(tf.function(lambda x: x * 2)(tf.constant(21)).numpy())"


def sources(folder: pathlib.Path) -> None:
    """What the last commit has, with one mode for all files."""
    folder.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", "HEAD"], stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "x", "-C", str(folder)], input=archive, check=True)
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)


def built(folder: pathlib.Path) -> pathlib.Path:
    """The wheel, built in a folder."""
    sources(folder / "sources")
    constraints = folder / "constraints.txt"
    constraints.write_text(BACKEND)
    told = subprocess.run(
        ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], stdout=subprocess.PIPE, check=True, text=True
    )
    environment = {
        **os.environ,
        "SOURCE_DATE_EPOCH": told.stdout.strip(),
        "PIP_CONSTRAINT": str(constraints),
        "PIP_BUILD_CONSTRAINT": str(constraints),
    }
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "-w",
        str(folder / "wheel"),
        str(folder / "sources"),
    ]
    subprocess.run(command, env=environment, check=True, umask=0o022)
    (wheel,) = (folder / "wheel").glob("*.whl")
    return wheel


def installed(wheel: pathlib.Path, folder: pathlib.Path) -> str:
    """What a program prints in an environment that has the wheel."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "-q", str(wheel)], check=True)
    run = subprocess.run([python, "-c", PROGRAM], cwd=folder, stdout=subprocess.PIPE, check=True, text=True)
    return run.stdout.strip()


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wheels = [built(folder / "one"), built(folder / "another" / "deeper")]
        digests = [hashlib.sha256(wheel.read_bytes()).hexdigest() for wheel in wheels]
        for wheel, digest in zip(wheels, digests):
            print(digest, wheel.name)
        if digests[0] != digests[1]:
            print("the wheels differ")
            return 1
        answer = installed(wheels[0], folder / "environment")
        print(f"installed, and gives {answer}")
        if arguments:
            shutil.copy(wheels[0], arguments[0])
    return 0 if answer == "42" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
