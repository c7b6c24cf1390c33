"""Long work says so on standard error: what is done, how fast, and how long the rest will take.

    checking [########............] 12/30 files, 4.1/s, 4 s left: demo.py

Nothing is said where standard error is no terminal, where `GRAPHRT_PROGRESS=0` is set, and for work of one step. With
tqdm installed (the extra `progress`) it draws the bar; `GRAPHRT_PROGRESS=plain` keeps the plain one.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Protocol

from autograph.backends.own_builtins import OWN

globals()["__builtins__"] = OWN

_EVERY = 0.1  # seconds between two drawings
_BEAT = 0.5  # seconds between two looks at work that does not tell of its steps
_SCALES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))

# Work inside of work that is told already is not told.
# state: context-local
_telling: contextvars.ContextVar[bool] = contextvars.ContextVar("telling", default=False)


def is_wanted() -> bool:
    """Whether progress is told at all.

    >>> import os
    >>> os.environ["GRAPHRT_PROGRESS"] = "0"
    >>> is_wanted()
    False
    >>> del os.environ["GRAPHRT_PROGRESS"]
    """
    if os.environ.get("GRAPHRT_PROGRESS") == "0" or os.environ.get("TERM") == "dumb":
        return False
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


class _Bar(Protocol):
    def show(self, done: float, what: str) -> None:
        """Draws it."""

    def close(self) -> None:
        """Takes it away."""


class Progress:
    """Work that may take long, as a context. It is not told before `after` seconds have passed.

    >>> with Progress("checking", 2, "files") as progress:
    ...     for file in ("a.py", "b.py"):
    ...         progress.step(file)
    >>> progress.done
    2

    Args:
      verb: what is done: "checking".
      total: how many steps there are; None where nobody knows.
      unit: what a step is, in the plural: "files"; "B" counts bytes.
      after: for how many seconds nothing is said.
      count: work that does not call `step`: a function that tells how many steps are done. It is called by another
        thread every half a second.
      beat: work that tells of no steps at all: another thread says every half a second how long it has taken.
    """

    def __init__(
        self, verb: str, total: float | None = None, unit: str = "", after: float = 0.0,
        count: Callable[[], float] | None = None, beat: bool = False,
    ) -> None:  # fmt: skip
        self.verb, self.total, self.unit, self.after = verb, total, unit, after
        self.done: float = 0
        self.shown = False
        self._count = count
        self._beat = beat or count is not None
        self._bar: _Bar | None = None
        self._begun = self._drawn = 0.0
        self._token: contextvars.Token[bool] | None = None
        self._ended: threading.Event | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if (self.total is None or self.total > 1) and not _telling.get() and is_wanted():
            self.shown = True
            self._token = _telling.set(True)
            self._begun = time.monotonic()
            if self._beat:
                self._ended = threading.Event()
                self._thread = threading.Thread(target=self._watch, name="progress", daemon=True)
                try:
                    self._thread.start()
                except BaseException:  # nobody else would end it
                    self.__exit__(*sys.exc_info())
                    raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ended is not None and self._thread is not None:
            self._ended.set()
            with contextlib.suppress(RuntimeError):  # its start was interrupted: it ends as it begins, or never began
                self._thread.join()
        if self._bar is not None:
            self._bar.close()
            self._bar = None
        if self._token is not None:
            _telling.reset(self._token)
            self._token = None
        self.shown = False

    def step(self, what: str = "", by: float = 1) -> None:
        """A step, `what` is done in it; or several."""
        self.done += by
        if self.shown:
            now = time.monotonic()
            last = self.total is not None and self.done >= self.total
            if now - self._begun >= self.after and (now - self._drawn >= _EVERY or last):
                self._drawn = now
                self._draw(what)

    def _draw(self, what: str) -> None:
        if self._bar is None:
            self._bar = _bar(self, self._begun)
        self._bar.show(self.done, what)

    def _watch(self) -> None:
        ended = self._ended
        assert ended is not None
        wait = max(self.after, _BEAT)
        while not ended.wait(wait):
            wait = _BEAT
            if self._count is not None:
                self.done = self._count()
            self._draw("")


class _Plain:
    """A line that is written over."""

    def __init__(self, of: Progress, begun: float) -> None:
        self.of, self.begun = of, begun

    def show(self, done: float, what: str) -> None:
        line = told(self.of.verb, done, self.of.total, self.of.unit, time.monotonic() - self.begun, what)
        sys.stderr.write(f"\r\033[K{line[: _width() - 1]}")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


class _Tqdm:
    """The same by tqdm."""

    def __init__(self, of: Progress, begun: float) -> None:
        import tqdm  # lazy: an extra

        scaled = {"unit": "B", "unit_scale": True} if of.unit == "B" else {"unit": f" {of.unit}" if of.unit else "it"}
        size = {} if _told_width() else {"ncols": 80, "nrows": 24}  # tqdm would draw nothing
        self.bar = tqdm.tqdm(desc=of.verb, total=of.total, file=sys.stderr, leave=False, **size, **scaled)
        self.bar.start_t += begun - time.monotonic()

    def show(self, done: float, what: str) -> None:
        self.bar.set_postfix_str(what, refresh=False)
        self.bar.update(done - self.bar.n)
        self.bar.refresh()

    def close(self) -> None:
        self.bar.close()


def _bar(of: Progress, begun: float) -> _Bar:
    if os.environ.get("GRAPHRT_PROGRESS") != "plain":
        try:
            return _Tqdm(of, begun)
        except ImportError:
            pass
    return _Plain(of, begun)


def told(verb: str, done: float, total: float | None, unit: str, seconds: float, what: str) -> str:
    """The line of a plain bar.

    >>> told("loading", 3e6, 6e6, "B", 2.0, "w")
    'loading [##########..........] 3 MB/6 MB, 1.5 MB/s, 2 s left: w'
    >>> told("tracing f", 1200, None, "nodes", 3.0, "")
    'tracing f: 1,200 nodes, 400/s, 3 s'
    """
    rate = done / seconds if seconds > 0 else 0.0
    behind = f": {what}" if what else ""
    speed = f"{_amount(rate, unit)}/s" if unit == "B" else f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"
    if total is None:
        if not done:
            return f"{verb}: {_clock(seconds)}"
        amount = _amount(done, unit) if unit == "B" else f"{done:,.0f} {unit}".rstrip()
        return f"{verb}: {amount}, {speed}, {_clock(seconds)}{behind}"
    filled = min(20, round(20 * done / total)) if total else 20
    left = f", {_clock((total - done) / rate)} left" if rate and done < total else ""
    amount = (
        f"{_amount(done, unit)}/{_amount(total, unit)}" if unit == "B" else f"{done:,.0f}/{total:,.0f} {unit}".rstrip()
    )
    return f"{verb} [{'#' * filled}{'.' * (20 - filled)}] {amount}, {speed}{left}{behind}"


def _amount(number: float, unit: str) -> str:
    for size, letter in _SCALES:
        if number >= size:
            return f"{number / size:.3g} {letter}{unit}"
    return f"{number:.0f} {unit}"


def _clock(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _width() -> int:
    return _told_width() or 80


def _told_width() -> int:
    """How many columns the terminal has; 0 where it does not tell, as on a serial line."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return 0
