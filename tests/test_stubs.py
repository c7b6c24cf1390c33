"""The files that `tests/stubs.py` writes are what it would write now."""

import subprocess
import sys

from tests import ROOT


def test_files_are_up_to_date():
    command = [sys.executable, "-m", "tests.stubs", "--check"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
