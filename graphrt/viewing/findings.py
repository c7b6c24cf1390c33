"""What a newcomer asks, answered from the data of a page: where the NaN comes from, what is slow, what was unrolled, why
it was traced again, and what of the source does not run at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from graphrt.ir.op import FORWARDS, REGISTRY
from graphrt.viewing.story import Stage, Story

_SLOWEST = 3
_SMALL_SHARE = 0.2  # of the time of all lines: of what takes less only the slowest is worth a word
_LISTED = 8  # of a kind
_UNROLLED = 4  # copies: fewer do no harm


def findings_of(story: Story) -> list[dict[str, Any]]:
    """What the page says first; each has a kind, a text, and where to look: `node`, `line` or `trace`."""
    return [*_nan(story), *_slow(story), *_unrolled(story), *_retraced(story), *_removed(story)]


def _nan(story: Story) -> Iterator[dict[str, Any]]:
    if story.run is None:
        return
    for name in story.run["nan_inputs"]:
        yield {"kind": "nan", "text": f"the argument {name} has a NaN already", "node": f"/{name}"}
    line = story.run["first_nan"]
    if line is not None:
        node = story.text["nodes"][line - 1]
        facts = {fact["id"]: fact for stage in story.stages for fact in stage["set"]}
        fact = facts.get(node or "")
        what = f"the first NaN comes from {fact['op']}" if fact is not None else "the first NaN comes from here"
        yield {
            "kind": "nan",
            "text": f"{what}{_at(story, fact['line'] if fact else None)}",
            "node": node,
            "program": line,
        }


def _slow(story: Story) -> Iterator[dict[str, Any]]:
    if story.run is None:
        return
    whole = max(1, sum(run["ns"] for run in story.run["lines"]))
    for at, run in enumerate(sorted(story.run["lines"], key=lambda run: -run["ns"])[:_SLOWEST]):
        share = run["ns"] / whole
        if at and share < _SMALL_SHARE:
            break
        node = story.text["nodes"][run["line"] - 1]
        fact = next((f for stage in reversed(story.stages) for f in stage["set"] if f["id"] == node), None)
        what = "a line of the program" if fact is None else fact["op"]
        often = f", in {run['count']:,} runs" if run["count"] > 1 else ""
        text = f"{what}, {share:.0%} of the time{often}{_at(story, fact['line'] if fact else None)}"
        yield {"kind": "slow", "text": text, "node": node, "program": run["line"]}


def _unrolled(story: Story) -> Iterator[dict[str, Any]]:
    notes = [n for n in story.notes if n["kind"] == "unrolled" and n["times"] >= _UNROLLED]
    for note in sorted(notes, key=lambda note: -note["times"])[:_LISTED]:
        text = f"the loop{_at(story, note['line'])}. {note['text']}"
        yield {"kind": "unrolled", "text": text, "line": note["line"]}


def _retraced(story: Story) -> Iterator[dict[str, Any]]:
    if len(story.traces) < 2:
        return
    last = story.traces[-1]
    cost = sum(trace["ms"] for trace in story.traces)
    why = "; ".join(reason["text"] for reason in last["why"]) or "no trace was there"
    remedy = " ".join(dict.fromkeys(reason["remedy"] for reason in last["why"])).strip()
    text = f"{len(story.traces)} times in all, {cost:.0f} ms. The last time because {why}. {remedy}".rstrip()
    yield {"kind": "retraced", "text": text, "trace": last["number"]}


def _removed(story: Story) -> Iterator[dict[str, Any]]:
    """Lines that made nodes of which none is left, nor anything in their place."""
    lines: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    for fact in story.stages[0]["set"]:
        if fact["line"] is not None and fact["kind"] not in ("parameter", "constant"):
            if FORWARDS in REGISTRY[fact["op"]].traits:  # it does nothing anyway
                continue
            lines.setdefault(fact["line"], []).append(fact["id"])
            kinds[fact["line"]] = fact["op"]
    shown = {line for block in story.blocks for line in _lines(block)}
    gone: dict[str, Stage] = {node: stage for stage in story.stages for node in stage["gone"]}
    listed = 0
    for line, nodes in lines.items():
        if line in shown and all(node in gone for node in nodes) and listed < _LISTED:
            names = dict.fromkeys(gone[node]["name"] for node in nodes if node not in gone[node]["by"])
            if names:
                listed += 1
                text = f"what was made{_at(story, line)}: removed by {', '.join(names)}"
                yield {"kind": "removed", "text": text, "line": line}


def _lines(block: Any) -> Iterator[str]:
    for at in range(len(block["lines"])):
        yield f"{block['file']}:{block['first'] + at}"


def _at(story: Story, line: str | None) -> str:
    """` at line 12: x = tf.exp(x)`."""
    for block in story.blocks:
        if line is not None and line.split(":")[0] == str(block["file"]):
            number = int(line.split(":")[1])
            at = number - block["first"]
            if 0 <= at < len(block["lines"]):
                return f" at line {number}, `{block['lines'][at].strip()}`"
    return ""
