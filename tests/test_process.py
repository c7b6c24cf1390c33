"""Nothing that belongs to the whole process is changed, not for a moment: see `process_watch`."""

import pathlib
import subprocess
import sys


def test_nothing_of_the_process_is_changed():
    script = pathlib.Path(__file__).parent / "process_watch.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-5000:]
    assert " 0 changes, 0 errors" in done.stdout
