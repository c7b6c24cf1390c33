"""The traces of a function, in the order in which they were made: what each was made for, what it cost, and why."""

from __future__ import annotations

from typing import TypedDict

from graphrt.function.concrete import ConcreteFunction
from graphrt.function.retrace_explanation import SEARCHED, nearest


class Reason(TypedDict):
    """One difference to the nearest trace that was there, and how to make one trace serve both."""

    text: str
    remedy: str


class Trace(TypedDict):
    """One trace. `nearest` is the number of the trace that came nearest to serving the call."""

    number: int
    signature: str
    ms: float
    nodes: int
    place: str | None
    nearest: int | None
    why: list[Reason]
    shown: bool


def history_of(traces: list[ConcreteFunction], shown: ConcreteFunction) -> list[Trace]:
    """The timeline of `traces`, of which `shown` is the one that the page is about."""
    found: list[Trace] = []
    made = sorted(traces, key=lambda trace: trace.number)
    for at, trace in enumerate(made):
        near, differences = nearest(
            made[max(0, at - SEARCHED) : at], trace.argument_type, trace.signature, trace.skipped
        )
        why: list[Reason] = []
        for difference in differences:
            text = str(difference).removesuffix(difference.remedy).rstrip(" :.")
            why.append({"text": text, "remedy": difference.remedy})
        if near is not None and not why:
            why.append({"text": "the trace before it could not be used here", "remedy": ""})
        found.append({
            "number": trace.number, "signature": trace.pretty_printed_signature(False), "ms": trace.seconds * 1e3,
            "nodes": len(trace.graph.nodes), "place": None if trace.traced_at is None else "{}:{}".format(*trace.traced_at),
            "nearest": None if near is None else near.number, "why": why, "shown": trace is shown,
        })  # fmt: skip
    return found
