"""A plugin of pytest for `tests.libraries`: writes what became of each test at once, and ends tests that take too long.

    python -m pytest -p tests.library_report          with LIBRARY_REPORT, the file, and LIBRARY_SECONDS, the limit of processor time

A line of JSON for each test when it begins, that it did not end, and one when it has: its name, and `passed`, `skipped` or
the first line of why it failed; the last one counts. So a run that is ended before its last test has told of those before,
and of the one it was at; the next one leaves out what the file tells of.
"""

from __future__ import annotations

import json
import os
import pathlib
import signal
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest

_LIMIT = float(os.environ.get("LIBRARY_SECONDS", "60"))


class TooLong(Exception):
    """The limit of a test is over."""


def _tell(test: str, said: str) -> None:
    with open(os.environ["LIBRARY_REPORT"], "a", encoding="utf-8") as file:
        file.write(json.dumps([test, said]) + "\n")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leaves out the tests that were told of."""
    report = pathlib.Path(os.environ["LIBRARY_REPORT"])
    done = dict(map(json.loads, report.read_text().splitlines())) if report.exists() else {}
    items[:] = [item for item in items if item.nodeid not in done]


def pytest_runtest_logstart(nodeid: str, location: tuple[str, int | None, str]) -> None:
    """Called before a test."""
    _tell(nodeid, "did not end")


def _end(number: int, frame: FrameType | None) -> None:
    raise TooLong(f"took more than {_LIMIT:g} seconds of processor time")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: Any) -> Iterator[None]:
    before = signal.signal(signal.SIGPROF, _end)
    try:
        return (yield)
    finally:
        signal.signal(signal.SIGPROF, before)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_PROF, _LIMIT)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def pytest_runtest_logreport(report: Any) -> None:
    """Called for set-up, call and tear-down of each test; the call tells, or what failed around it."""
    if report.when != "call" and report.outcome == "passed":
        return
    said = report.outcome
    if said == "failed":
        crash = getattr(report.longrepr, "reprcrash", None)
        said = (crash.message if crash is not None else str(report.longrepr)).split("\n")[0][:300] or "failed"
    _tell(report.nodeid, said)


def pytest_collectreport(report: Any) -> None:
    """Files that cannot be imported are told, too."""
    if report.failed:
        _tell(f"{report.nodeid} (import)", str(report.longrepr).split("\n")[-1][:300])
