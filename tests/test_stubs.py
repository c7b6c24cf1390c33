"""The files that `tests/stubs.py` writes are what it would write now."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]


def test_files_are_up_to_date():
    command = [sys.executable, str(ROOT / "tests" / "stubs.py"), "--check"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
