"""Compares what is known of shapes while public functions are traced with what TensorFlow knows.

    python -m tests.static_shapes [FILE...] [--part I/N] [--only TEXT] [--accept]

What is known has to be true of what the call gives at once, and no less than TensorFlow knows. What is less is listed in
`tests/golden/static_shapes.less.json` by its reason, by `--accept` once it has been looked at; nothing may be wrong.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
import warnings
from typing import Any

import graphrt as tf
from tests import GOLDEN
from tests.golden import public_edge_runner as runner
from tests.golden import static_shape_runner
from tests.golden.public_edge_runner import Call
from tests.public_edges import is_traced, start_of

LESS = GOLDEN / "static_shapes.less.json"


REASONS = {
    "a rank has to be known": lambda ours, theirs, ranks: isinstance(ours, str) and not ranks,
    "refused, as it is at once, or needs values": lambda ours, theirs, ranks: isinstance(ours, str),
    "another dtype, as at once": lambda ours, theirs, ranks: ours[0] != theirs[0],
    "less is known of a size": lambda ours, theirs, ranks: True,
}


def listed() -> set[tuple[str, str, str]]:
    """The reason, file and text of calls of which less is known."""
    found = json.loads(LESS.read_text(encoding="utf-8")) if LESS.exists() else {}
    return {(reason, name, text) for reason, files in found.items() for name, texts in files.items() for text in texts}


def _fits(dims: list[int | None] | None, shape: list[int]) -> bool:
    return dims is None or (len(dims) == len(shape) and all(d is None or d == n for d, n in zip(dims, shape)))


def _covers(ours: list[int | None] | None, theirs: list[int | None] | None) -> bool:
    """Whether ours says all that theirs does."""
    if theirs is None:
        return True
    return ours is not None and len(ours) == len(theirs) and all(b is None or a == b for a, b in zip(ours, theirs))


def _is_looked_at(call: Call, ranks: bool) -> bool:
    """Whether it is only seen when it runs if the sizes are those that are taken for granted: vectors of three, one image."""
    return start_of(call.text) in ("kops.cross", "tnp.cross") or (not ranks and call.text.startswith("tf.image."))


def _reason(ours: Any, theirs: Any, ranks: bool) -> str:
    return next(name for name, holds in REASONS.items() if holds(ours, theirs, ranks))


def problems(call: Call, recorded: list[Any], known: list[Any]) -> tuple[list[str], list[tuple[str, str]]]:
    """What is wrong of what we know of a call's results; and what is less than TensorFlow knows, each with the reason."""
    number = static_shape_runner.case(call, recorded)
    assert number is not None, f"record again: {call.text}"
    wrong, less = [], []
    real = runner.eager(tf, call, number)
    shapes = [leaf for leaf in real if isinstance(leaf, list)] if isinstance(real, list) else []
    for ranks, theirs in zip((True, False), known):
        ours = static_shape_runner.static(tf, call, number, ranks)
        where = f"{call.text}: {call.cases[number]}, {'known ranks' if ranks else 'unknown'}"
        if isinstance(ours, str):
            if not isinstance(theirs, str):
                less.append((_reason(ours, theirs, ranks), f"{where}: {ours}, not {theirs}"))
            continue
        if len(ours) == len(shapes) and is_traced(call) and not _is_looked_at(call, ranks):
            wrong += [
                f"{where}: {a}, but it is {b[:2]}"
                for a, b in zip(ours, shapes)
                if a[0] != b[0] or not _fits(a[1], b[1])
            ]
        if isinstance(theirs, str) or len(ours) != len(theirs):
            continue
        less += [
            (_reason(a, b, ranks), f"{where}: {a}, not {b}")
            for a, b in zip(ours, theirs)
            if a[0] != b[0] or not _covers(a[1], b[1])
        ]
    return wrong, less


def _list(found: set[tuple[str, str, str]]) -> None:
    parts = []
    for reason in REASONS:
        names = sorted({n for r, n, _ in found if r == reason})
        files = {n: sorted(t for r, m, t in found if (r, m) == (reason, n)) for n in names}
        parts.append(f"{json.dumps(reason)}: {json.dumps(files, indent=0)}")
    LESS.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Runs the comparison; the exit code is 1 where something is wrong, or less and not listed."""
    parser = argparse.ArgumentParser(prog="python -m tests.static_shapes", description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--only", default="")
    parser.add_argument("--accept", action="store_true")
    options = parser.parse_args(arguments)
    first, step = map(int, options.part.split("/"))
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    everything, meant = static_shape_runner.recorded(), listed()
    count, told, accepted = 0, 0, set(meant)
    for name in options.files or everything:
        recorded, calls = runner.recorded(name), {c.text: c for c in runner.calls(name)}
        for text in list(everything[name])[first::step]:
            if not re.search(options.only, text):
                continue
            wrong, less = problems(calls[text], recorded[text], everything[name][text])
            count += 1
            accepted |= {(reason, name, text) for reason, _ in less}
            shown = [f"WRONG {t}" for t in wrong] + [t for reason, t in less if (reason, name, text) not in meant]
            told += len(shown)
            for line in shown:
                print(name, re.sub(r"\s+", " ", line)[:400], flush=True)
    if options.accept:
        _list(accepted)
    print(f"{count} calls, {told} that are wrong or know less")
    return int(told > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
