"""Long work is told on terminals, and nowhere else."""

import os
import pty
import subprocess
import sys
import textwrap
import threading

import pytest

from autograph.backends import progress
from autograph.backends.progress import Progress, told
from tests import ROOT


def on_a_terminal(text, **environment):
    """What a program writes on a terminal as its standard error."""
    master, slave = pty.openpty()
    given = {"PYTHONPATH": str(ROOT), "TERM": "xterm", "GRAPHRT_PROGRESS": "plain", **environment}
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(text)], stderr=slave, env={**os.environ, **given}, cwd=ROOT
    )
    os.close(slave)
    seen = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(master)
    assert child.wait(60) == 0, seen
    return seen.decode()


STEPS = """
import time
from autograph.backends.progress import Progress
with Progress("checking", 3, "files") as outer:
    for name in "abc":
        with Progress("inner", 5) as inner:
            inner.step("never told")
        outer.step(name)
        time.sleep(0.11)
"""


def test_a_bar_has_rate_and_remaining_time():
    seen = on_a_terminal(STEPS)
    assert "checking [" in seen and "2/3 files" in seen and "/s, " in seen and " left: b" in seen
    assert "inner" not in seen and seen.endswith("\r\x1b[K")  # it is taken away


def test_nothing_is_said_where_nobody_asked():
    assert on_a_terminal(STEPS, GRAPHRT_PROGRESS="0") == ""
    assert on_a_terminal(STEPS, TERM="dumb") == ""
    done = subprocess.run(
        [sys.executable, "-c", STEPS], capture_output=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 0 and done.stderr == b""
    one = (
        "from autograph.backends.progress import Progress\nwith Progress('checking', 1) as work:\n    work.step('a')\n"
    )
    assert on_a_terminal(one) == ""  # one step is no work


def test_quick_work_is_not_told():
    assert on_a_terminal(STEPS.replace('"files")', '"files", after=60.0)')) == ""


def test_work_without_steps_is_told_by_another_thread():
    seen = on_a_terminal("""
        import time
        from autograph.backends.progress import Progress
        nodes = [0] * 500
        with Progress("tracing f", unit="nodes", after=0.1, count=lambda: len(nodes)):
            time.sleep(0.8)
        with Progress("compiling f", after=0.1, beat=True):
            time.sleep(0.8)
        """)
    assert "tracing f: 500 nodes, " in seen and "compiling f: 1 s" in seen.replace("0 s", "1 s")


def test_tqdm_draws_where_it_is_installed():
    pytest.importorskip("tqdm")
    seen = on_a_terminal(STEPS, GRAPHRT_PROGRESS="1")
    assert "checking:" in seen and "| 2/3 [" in seen


def test_threads_end_with_the_work():
    before = threading.active_count()
    with Progress("waiting", beat=True):
        pass
    assert threading.active_count() == before


def test_an_interrupt_while_the_thread_starts_leaves_nothing():
    seen = on_a_terminal("""
        import sys, threading
        from autograph.backends.progress import Progress
        def interrupted(thread):
            raise KeyboardInterrupt
        start, threading.Thread.start = threading.Thread.start, interrupted
        try:
            with Progress("waiting", beat=True):
                pass
        except KeyboardInterrupt:
            threading.Thread.start = start
        with Progress("checking", 2) as work:
            print("told" if work.shown else "silent", file=sys.stderr)
        """)
    assert "told" in seen


def test_an_error_takes_the_bar_away():
    seen = on_a_terminal("""
        from autograph.backends.progress import Progress
        try:
            with Progress("checking", 2) as work:
                work.step("a")
                raise KeyError
        except KeyError:
            pass
        """)
    assert "1/2" in seen and seen.endswith("\r\x1b[K")


@pytest.mark.parametrize(
    "given, line",
    [
        (("saving", 5e8, 2e9, "B", 5.0, "w"), "saving [#####...............] 500 MB/2 GB, 100 MB/s, 15 s left: w"),
        (("reading", 10, None, "items", 4.0, ""), "reading: 10 items, 2.5/s, 4 s"),
        (("checking", 3, 3, "files", 200.0, ""), "checking [####################] 3/3 files, 0.0/s"),
        (("reading", 1, 7201, "", 1.0, ""), "reading [....................] 1/7,201, 1.0/s, 2 h 0 min left"),
        (("compiling f", 0, None, "", 75.0, ""), "compiling f: 1 min 15 s"),
    ],
)  # fmt: skip
def test_lines(given, line):
    assert told(*given) == line


def test_a_closed_standard_error_is_no_terminal(monkeypatch):
    monkeypatch.setattr(progress.sys, "stderr", None)
    assert not progress.is_wanted()
