"""Tables and a picture of what was measured."""

from __future__ import annotations

import statistics
from xml.sax.saxutils import escape

Results = dict[str, dict[str, list[float]]]  # row -> library -> seconds, one number a round

LIBRARIES = ("graphrt", "numpy", "tensorflow", "tensorflow-1", "jax")


def median(times: dict[str, list[float]], library: str) -> float | None:
    """The median of a library's times; None if it has none."""
    return statistics.median(times[library]) if times.get(library) else None


def spread(times: list[float]) -> float:
    """How far apart the times are, as a share of their median."""
    return (max(times) - min(times)) / statistics.median(times)


def shown(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def _lines(results: Results) -> list[list[str]]:
    others = [name for name in LIBRARIES[1:] if any(name in times for times in results.values())]
    lines = [["", "graphrt", "spread", *others, "over best peer", "over numpy"]]
    for name, times in results.items():
        own = median(times, "graphrt")
        if own is None:
            lines.append([name, "-", "-", *("-" for _ in others), "-", "-"])
            continue
        found = {other: median(times, other) for other in others}
        peers = [t for other, t in found.items() if t is not None and other != "numpy"]
        by_hand = found.get("numpy")
        lines.append([
            name, shown(own), f"{spread(times['graphrt']):.0%}", *("-" if t is None else shown(t) for t in found.values()),
            f"{own / min(peers):.2f}" if peers else "-", f"{own / by_hand:.2f}" if by_hand else "-",
        ])  # fmt: skip
    return lines


def text(results: Results) -> str:
    """The table for a terminal."""
    lines = _lines(results)
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(line, widths)))
        for line in lines
    )


def markdown(results: Results) -> str:
    """The table as Markdown."""
    head, *lines = _lines(results)
    rule = ["---", *("---:" for _ in head[1:])]
    return "".join("| " + " | ".join(line) + " |\n" for line in (head, rule, *lines))


def compared(before: Results, after: Results) -> str:
    """graphrt's times in two runs, and how many times as long the later takes."""
    lines = []
    for name in after:
        old, new = median(before.get(name, {}), "graphrt"), median(after[name], "graphrt")
        if old is not None and new is not None:
            lines.append(f"{name:62} {shown(old):>9} {shown(new):>9} {new / old:7.2f}x")
    return "\n".join(lines)


_COLORS = {"numpy": "#7a7a7a", "tensorflow": "#e8710a", "tensorflow-1": "#f3b27a", "jax": "#6b4fbb"}
_LEFT, _WIDTH, _STEP = 400, 500, 18
_DECADES = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)


def picture(results: Results) -> str:
    """How many times as long the others take, a dot each on a logarithmic scale: right of the line graphrt is ahead."""
    import math

    def place(ratio: float) -> float:
        low, high = math.log10(_DECADES[0]), math.log10(_DECADES[-1])
        at = (math.log10(min(max(ratio, _DECADES[0]), _DECADES[-1])) - low) / (high - low)
        return _LEFT + at * _WIDTH

    height = 50 + _STEP * len(results)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 40}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for ratio in _DECADES:
        x = place(ratio)
        color = "#444" if ratio == 1.0 else "#ddd"
        parts.append(f'<line x1="{x:.1f}" y1="36" x2="{x:.1f}" y2="{height - 6}" stroke="{color}"/>')
        parts.append(f'<text x="{x:.1f}" y="30" text-anchor="middle" fill="#444">{ratio:g}x</text>')
    for i, (library, color) in enumerate(_COLORS.items()):
        parts.append(f'<circle cx="{20 + 110 * i}" cy="12" r="4" fill="{color}"/>')
        parts.append(f'<text x="{28 + 110 * i}" y="16">{library}</text>')
    for i, (name, times) in enumerate(results.items()):
        y = 48 + _STEP * i
        parts.append(f'<text x="{_LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(name)}</text>')
        own = median(times, "graphrt")
        for library, color in _COLORS.items():
            other = median(times, library)
            if own is not None and other is not None:
                title = f"{library}: {shown(other)}, graphrt: {shown(own)}"
                parts.append(
                    f'<circle cx="{place(other / own):.1f}" cy="{y}" r="4" fill="{color}"><title>{title}</title></circle>'
                )
    return "\n".join([*parts, "</svg>", ""])
