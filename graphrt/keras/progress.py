"""`Progbar`: how far a loop is, on one line that is written over on a terminal."""

from __future__ import annotations

import math
import time
from typing import Any

from graphrt.types.likes import TensorLike


class Progbar:
    """Shows progress towards `target` steps (None where nobody knows), and the means of values.

    `verbose` 1 draws a bar at each update, 2 writes one line at the end, 0 nothing. Values are averaged over the steps
    until the last, which shows them as they are; so are always those named in `stateful_metrics`.

    >>> import graphrt as tf
    >>> bar = tf.keras.utils.Progbar(2, verbose=2)
    >>> bar.update(1, [("loss", 1.0)])
    >>> bar.update(2, [("loss", 0.5)])
    2/2 - 0s - .../step - loss: 0.5000
    """

    def __init__(
        self, target: int | None, width: int = 20, verbose: TensorLike = 1, interval: float = 0.05,
        stateful_metrics: Any = None, unit_name: str = "step",
    ) -> None:  # fmt: skip
        self.target, self.width, self.verbose, self.interval = target, width, verbose, interval
        self.unit_name = unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        self._shown_width = 0
        self._values: dict[str, Any] = {}
        self._start = time.time()
        self._last_update = 0.0
        self._after_first: float | None = None
        self._seen_so_far = 0

    def update(self, current: int, values: Any = None, finalize: bool | None = None) -> None:
        """Shows `current` steps and `(name, value)` pairs; `finalize` ends the line."""
        if finalize is None:
            finalize = self.target is not None and current >= self.target
        for name, value in values or ():
            if finalize:
                self._values[name] = [value, 1]
            else:
                self._add(name, value, current)
        self._seen_so_far = current
        now = time.time()
        message = ""
        if self.verbose == 1:
            if now - self._last_update < self.interval and not finalize:
                return
            message = self._line(current, now, finalize)
        elif self.verbose == 2 and finalize:
            digits = "" if self.target is None else f"{current:{len(str(self.target))}d}/{self.target}"
            message = f"{digits or current} - {now - self._start:.0f}s -{self._per_unit(current, now)}{self._told()}\n"
        if message:
            print(message, end="", flush=True)
        self._last_update = now

    def add(self, n: int, values: Any = None) -> None:
        """`n` steps more."""
        self.update(self._seen_so_far + n, values)

    def _add(self, name: str, value: Any, current: int) -> None:
        if name in self.stateful_metrics:
            self._values[name] = [value, 1]
            return
        count = max(current - self._seen_so_far, 1)
        total = self._values.setdefault(name, [0.0, 0])
        self._values[name] = [total[0] + value * count, total[1] + count]

    def _line(self, current: int, now: float, finalize: bool) -> str:
        start = "\b" * self._shown_width + "\r"
        if self.target is not None:
            text = f"{current:{int(math.log10(max(self.target, 1))) + 1}d}/{self.target}"
            filled = int(self.width * current / self.target) if self.target else self.width
            shown = f"{text} {'━' * self.width}"
            bar = f"\x1b[1m{text}\x1b[0m " + (f"\x1b[32m{'━' * filled}\x1b[0m" if filled else "")
            bar += f"\x1b[37m{'━' * (self.width - filled)}\x1b[0m"
        else:
            shown = bar = f"{current:7d}/Unknown"
        left = self._seconds_left(current, now, finalize)
        rest = f"{self._per_unit(current, now)}{self._told()}"
        width = len(f"{shown} {left}{rest}")
        line = f"{bar} \x1b[1m{left}\x1b[0m{rest}"
        padding = " " * max(0, self._shown_width - width)
        self._shown_width = width
        return start + line + padding + ("\n" if finalize else "")

    def _seconds_left(self, current: int, now: float, finalize: bool) -> str:
        if self.target is None or finalize:
            return f"{now - self._start:.0f}s"
        eta = self._unit_time(current, now) * (self.target - current)
        if eta > 3600:
            return f"{eta // 3600:.0f}:{eta % 3600 // 60:02.0f}:{eta % 60:02.0f}"
        return f"{eta // 60:.0f}:{eta % 60:02.0f}" if eta > 60 else f"{eta:.0f}s"

    def _unit_time(self, current: int, now: float) -> float:
        """Seconds for one step; the first, in which functions are traced, does not count."""
        found = 0.0
        if current:
            if self._after_first is not None and current > 1:
                found = (now - self._after_first) / (current - 1)
            else:
                found = (now - self._start) / current
        if current == 1 and self._after_first is None:
            self._after_first = now
        return found

    def _per_unit(self, current: int, now: float) -> str:
        found = self._unit_time(current, now)
        if found >= 1 or found == 0:
            return f" {found:.0f}s/{self.unit_name}"
        if found >= 1e-3:
            return f" {found * 1e3:.0f}ms/{self.unit_name}"
        return f" {found * 1e6:.0f}us/{self.unit_name}"

    def _told(self) -> str:
        text = ""
        for name, (total, count) in self._values.items():
            mean = total / max(1, count)
            try:
                mean = float(mean)
            except (TypeError, ValueError):
                text += f" - {name}: {mean}"
                continue
            text += f" - {name}: {mean:.4f}" if abs(mean) > 1e-3 else f" - {name}: {mean:.4e}"
        return text
