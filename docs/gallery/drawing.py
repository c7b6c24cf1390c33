"""Small pictures as SVG, for the programs of this folder: curves, points, bars, images."""

import base64
import struct
import zlib

import numpy as np

WIDTH, HEIGHT, EDGE = 240, 160, 8
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]


def picture(*parts):
    """The parts, drawn over each other."""
    inside = "".join(part for part in parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>{inside}</svg>\n'
    )


def curve(ys, xs=None, colour=0, bounds=None, width=1.5):
    """A line through points."""
    ys = np.asarray(ys, float)
    xs = np.arange(len(ys)) if xs is None else np.asarray(xs, float)
    px, py = _placed(xs, ys, bounds)
    path = " ".join(f"{x:.0f},{y:.0f}" for x, y in zip(px, py))
    return f'<polyline points="{path}" fill="none" stroke="{COLOURS[colour]}" stroke-width="{width}"/>'


def points(xs, ys, colours=None, bounds=None, radius=1.6):
    """Dots, each in the colour of a number."""
    px, py = _placed(np.asarray(xs, float), np.asarray(ys, float), bounds)
    colours = np.zeros(len(px), int) if colours is None else np.asarray(colours)
    found = []
    for c in sorted(set(colours.tolist())):
        path = "".join(f"M{x:.0f} {y:.0f}h0" for x, y, k in zip(px, py, colours) if k == c)
        style = f'stroke="{COLOURS[c % 6]}" stroke-width="{2 * radius}" stroke-linecap="round"'
        found.append(f'<path d="{path}" fill="none" {style}/>')
    return "".join(found)


def bars(heights, colour=0):
    """Bars from the bottom."""
    heights = np.asarray(heights, float)
    most, wide = max(heights.max(), 1e-9), (WIDTH - 2 * EDGE) / len(heights)
    shown = []
    for i, height in enumerate(heights):
        tall = (HEIGHT - 2 * EDGE) * height / most
        shown.append(f'<rect x="{EDGE + i * wide:.0f}" y="{HEIGHT - EDGE - tall:.0f}" width="{max(wide - 1, 1):.0f}" '
                     f'height="{tall:.0f}" fill="{COLOURS[colour]}"/>')  # fmt: skip
    return "".join(shown)


def image(values):
    """A matrix as shades, from dark blue over green to yellow."""
    values = np.asarray(values, float)
    low, high = values.min(), values.max()
    t = np.clip((values - low) / (high - low if high > low else 1.0), 0, 1)
    steps = np.array([[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]], float)
    at = t * 4
    below = np.minimum(at.astype(int), 3)
    colours = steps[below] + (steps[below + 1] - steps[below]) * (at - below)[..., None]
    rows = (np.round(colours / 8) * 8).clip(0, 255).astype(np.uint8)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], 8, 2, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")]
    file = b"".join(struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks)
    text = base64.b64encode(b"\x89PNG\r\n\x1a\n" + file).decode()
    size = f'x="{EDGE}" y="{EDGE}" width="{WIDTH - 2 * EDGE}" height="{HEIGHT - 2 * EDGE}"'
    style = 'preserveAspectRatio="xMidYMid meet" style="image-rendering: pixelated"'
    return f'<image {size} {style} href="data:image/png;base64,{text}"/>'


def label(text):
    """A word in the upper left corner."""
    return f'<text x="{EDGE}" y="16" font-family="sans-serif" font-size="11" fill="#333">{text}</text>'


def _placed(xs, ys, bounds):
    left, right, low, high = bounds or (xs.min(), xs.max(), ys.min(), ys.max())
    px = EDGE + (WIDTH - 2 * EDGE) * (xs - left) / max(right - left, 1e-12)
    return px, HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (ys - low) / max(high - low, 1e-12)
