"""`profile`: where the time of one call goes, line by line of the program."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from typing import Any

from graphrt.executor.program import Program
from graphrt.ops.io.whole_files import replaced
from graphrt.viewing.page import check_values, traced
from graphrt.viewing.recording import Recorder, Recording, record


class Profile:
    """What one call spent where. `print` shows the table; the dearest lines come first.

    >>> import graphrt as tf
    >>> found = tf.profile(lambda x: tf.exp(x) + 1.0, tf.ones([100, 100]))
    >>> sorted(line["op"] for line in found.lines)
    ['AddV2', 'Exp']

    Attributes:
      lines: for each line that ran its number, text, op, node and source line, how often it ran, and its time in ns.
      ns: the time of the whole call.
      result: what the call gave, as raw values, flat.
    """

    def __init__(
        self, program: Program, recording: Recording, moments: Sequence[tuple[int, int, int]], result: tuple[Any, ...]
    ) -> None:
        nodes, texts = program.nodes_of_lines(), program.source.splitlines()
        self.lines: list[dict[str, Any]] = []
        for run in recording["lines"]:
            node = nodes[run["line"] - 1]
            place = None if node is None or node.location is None else "{}:{}".format(*node.location)
            self.lines.append({
                "line": run["line"], "text": texts[run["line"] - 1].strip(), "op": None if node is None else node.type,
                "node": None if node is None else node.name, "place": place, "count": run["count"], "ns": run["ns"],
            })  # fmt: skip
        self.lines.sort(key=lambda line: -line["ns"])
        self.ns = recording["ns"]
        self.result = result
        self._moments = moments

    def __str__(self) -> str:
        rows = [("time", "share", "runs", "op", "line of the program", "source")]
        for line in self.lines:
            share = f"{100 * line['ns'] / max(self.ns, 1):.1f} %"
            source = os.path.basename(line["place"] or "")
            text = line["text"] if len(line["text"]) <= 60 else f"{line['text'][:59]}…"
            rows.append((_time(line["ns"]), share, str(line["count"]), line["op"] or "", text, source))
        widths = [max(len(row[i]) for row in rows) for i in range(6)]
        shown = ["  ".join(cell.rjust(w) if i < 3 else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths)))
                 for row in rows]  # fmt: skip
        inside = sum(line["ns"] for line in self.lines)
        end = f"{_time(self.ns)} in all, {_time(max(self.ns - inside, 0))} of them between the lines"
        return "\n".join([*(line.rstrip() for line in shown), end])

    __repr__ = __str__

    def write_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the run in Chrome's trace-event format, which Perfetto and chrome://tracing open.

        >>> import graphrt as tf, json, os, tempfile
        >>> file = os.path.join(tempfile.mkdtemp(), "trace.json")
        >>> tf.profile(lambda x: tf.exp(x), tf.ones([3])).write_trace(file)
        >>> [event["name"] for event in json.load(open(file))["traceEvents"] if event["ph"] == "X"]
        ['Exp']

        Source: Trace Event Format, https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
        """
        known = {line["line"]: line for line in self.lines}
        begun = self._moments[0][1] if self._moments else 0
        events: list[dict[str, Any]] = [
            {"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": "graphrt"}}
        ]
        for number, start, end in self._moments:
            line = known[number]
            told = {"node": line["node"], "text": line["text"], "source": line["place"]}
            name = line["op"] or line["text"]
            times = {"ts": (start - begun) / 1e3, "dur": (end - start) / 1e3}
            events.append({"ph": "X", "pid": 1, "tid": 1, "name": name, "cat": "line", **times, "args": told})
        with replaced(os.fspath(path)) as file:
            file.write(json.dumps({"traceEvents": events, "displayTimeUnit": "ns"}).encode())


def _time(ns: int) -> str:
    if ns < 10_000_000:
        return f"{ns / 1e3:.1f} us"
    return f"{ns / 1e6:.1f} ms"


def profile(target: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Profile:
    """Calls a function once, and tells how long each line of its program took.

    >>> import graphrt as tf
    >>> found = tf.profile(tf.function(lambda x: tf.linalg.matmul(x, x)), tf.ones([4, 4]))
    >>> print(found)
       time  share  runs  op      line of the program ...

    Args:
      target: a Python function, a `tf.function` or a concrete function.
      *args, **kwargs: the arguments of the call.

    Raises:
      TypeError: `target` cannot be called, or an argument has no value.
    """
    check_values(args, kwargs)
    concrete = traced(target, args, kwargs).concrete
    inputs = concrete.raw_inputs(args, kwargs)
    recorder = Recorder(values=False, moments=True)
    recording, result = record(concrete.program, inputs, recorder)
    return Profile(concrete.program, recording, recorder.moments, result)
