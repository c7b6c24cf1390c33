"""Edge values natively: `python -m tests.graphrt.native.edges [FILE...] [--part I/N] [--only TEXT] [--xla]`.

The calls of `tests/golden/public_edges` are traced, many in one function, and what `jit_compile=True` gives is compared with what
the same calls give at once. Of two calls whose graphs have the same ops with rules, of the same attributes, dtypes and shapes, one is
taken; half of them are traced with shapes of which only the rank is known. What differs is told; so are ops with rules that no call
reaches, and the calls that native code handed back to NumPy, whose results say nothing.
"""

from __future__ import annotations

import argparse
import logging
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import graphrt as tf
from graphrt.native import NativeProgram, region
from graphrt.native.lower import RULES, rule_of
from tests import public_edges
from tests.golden import public_edge_runner as runner

TOGETHER = 40  # calls in one function: more take longer than linearly
DIFFERS: dict[str, tuple[str, ...]] = {  # by the reason, how calls begin
}
LEFT_OUT = {text for texts in DIFFERS.values() for text in texts}


class Case(NamedTuple):
    call: runner.Call
    number: int
    theirs: Any  # what the call gives at once
    known: bool  # whether its shapes are

    def __str__(self) -> str:
        return (
            f"{self.call.text}: {self.number} {self.call.cases[self.number]}{'' if self.known else ' of known ranks'}"
        )

    def specs(self) -> list[Any]:
        shapes = [v.array.shape if self.known else [None] * v.array.ndim for v in self.call.cases[self.number]]
        return [tf.TensorSpec(s, v.dtype) for s, v in zip(shapes, self.call.cases[self.number])]

    def tensors(self) -> list[Any]:
        return [runner.tensor(tf, v) for v in self.call.cases[self.number]]


def staged(cases: Sequence[Case], jit_compile: Any) -> Any:
    """One function of the arguments of all cases."""

    def function(*tensors: Any) -> list[Any]:
        left = iter(tensors)
        return [runner.evaluated(tf, c.call, [next(left) for _ in c.call.cases[c.number]]) for c in cases]

    specs = [s for c in cases for s in c.specs()]
    return tf.function(function, input_signature=specs, autograph=False, jit_compile=jit_compile)


def keys(graph: Any) -> set[Any]:
    """What native code is made of for a graph: its ops with attributes, dtypes and shapes."""
    found = set()
    for part in (graph, *graph.functions().values()):
        for node in part.nodes:
            if rule_of(node.op) is not None and not node.is_constant:
                kept = tuple(
                    (k, repr(v)) for k, v in sorted(node.attrs.items()) if isinstance(v, (int, str, bool, float, tuple))
                )
                found.add((node.op.type, kept, tuple((str(v.dtype), v.dims) for v in node.inputs)))
    return found


def cases(name: str, part: slice, only: str, seen: set[Any]) -> Iterator[Case]:
    """The cases of a file that bring something new to native code."""
    recorded = runner.recorded(name)
    for call in (call for call in runner.calls(name)[part] if re.search(only, call.text)):
        if not public_edges.is_traced(call) or LEFT_OUT & {call.text, public_edges.start_of(call.text)}:
            continue
        for number, _ in public_edges.usable(call, recorded[call.text]):
            if any(v.dtype in ("string", "bfloat16", "float16") for v in call.cases[number]):
                continue
            found = runner.eager(tf, call, number)
            if isinstance(found, str) or not call.cases[number]:
                continue
            for known in (True, False):
                case = Case(call, number, found, known)
                try:
                    regions = NativeProgram(staged([case], None).get_concrete_function().graph).cut.regions
                except Exception as error:
                    if known and not any(word in str(error) for word in public_edges.NEEDS):
                        print(f"{case}: {type(error).__name__}: {error}")
                    continue
                new = {k for r in regions for k in keys(r)} - seen
                if new:
                    seen |= new
                    yield case


class Watch:
    """Which regions were handed back to NumPy."""

    def __init__(self) -> None:
        self.count = 0
        plain = region.Region._recover
        watch = self

        def recover(self: Any, *values: Any) -> Any:
            found = plain(self, *values)
            watch.count += self._numpy is not None  # else arrays that lay otherwise were copied
            return found

        region.Region._recover = recover  # type: ignore[method-assign]


def told(group: Sequence[Case], watch: Watch, jit: Any) -> list[str]:
    """Where a group of cases gives something else natively than at once."""
    before = watch.count
    function = staged(group, jit)
    try:
        with np.errstate(all="ignore"):
            results = function(*(t for c in group for t in c.tensors()))
    except Exception as error:
        if len(group) > 1:
            half = len(group) // 2
            return told(group[:half], watch, jit) + told(group[half:], watch, jit)
        return [f"{group[0]}: {type(error).__name__}: {error}"]
    if watch.count > before and len(group) > 1:
        half = len(group) // 2
        return told(group[:half], watch, jit) + told(group[half:], watch, jit)
    if watch.count > before:
        return [f"handed back: {group[0]}"]
    shown = [[runner.shown(leaf) for leaf in leaves] for leaves in results]
    pairs = ((c, public_edges.problem(found, c.theirs)) for c, found in zip(group, shown))
    return [f"{c}: {wrong}" for c, wrong in pairs if wrong]


def main(arguments: list[str]) -> int:
    """Runs the comparison; the exit code is 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.graphrt.native.edges", description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--only", default="")
    parser.add_argument("--xla", action="store_true")
    options = parser.parse_args(arguments)
    first, step = map(int, options.part.split("/"))
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    seen: set[Any] = set()
    watch = Watch()
    count, differ, back = 0, 0, 0
    for name in options.files or runner.files():
        waiting: list[Case] = []
        found = cases(name, slice(first, None, step), options.only, seen)
        for case in (*found, None):
            if case is not None:
                waiting.append(case)
            if waiting and (case is None or len(waiting) == TOGETHER):
                for line in told(waiting, watch, "xla" if options.xla else True):
                    back += line.startswith("handed back")
                    differ += not line.startswith("handed back")
                    print(name, re.sub(r"\s+", " ", line)[:700], flush=True)
                count += len(waiting)
                waiting = []
    reached = {k[0] for k in seen}
    rule_of(None)  # has all modules imported
    print("no call reaches", *sorted(op.type for op in RULES if op.type not in reached))
    print(f"{count} cases with {len(seen)} kinds of nodes of {len(reached)} ops: {differ} differ, {back} handed back")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
