"""Nothing that belongs to the whole process is changed, not for a moment: see `process_watch`."""

import subprocess
import sys

from tests import ROOT, whole


def test_nothing_of_the_process_is_changed():
    threads, turns = ("8", "2") if whole.is_asked() else ("4", "1")
    done = subprocess.run(
        [sys.executable, "-m", "tests.process_watch", threads, turns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    assert " 0 changes, 0 errors" in done.stdout
