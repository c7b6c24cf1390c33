"""PNG files whatever their filters, in time, and refused where they are not whole."""

import struct
import time
import zlib

import numpy as np
import pytest

import graphrt as tf


def filtered(image, kinds):
    """The rows of a PNG, each as differences from what its filter foresees (https://www.w3.org/TR/png-3/#9Filters)."""
    height, width, depth = image.shape
    padded = np.zeros((height + 1, width + 1, depth), int)
    padded[1:, 1:] = image
    left, up, corner = padded[1:, :-1], padded[:-1, 1:], padded[:-1, :-1]
    guess = left + up - corner
    to_left, to_up, to_corner = abs(guess - left), abs(guess - up), abs(guess - corner)
    paeth = np.where((to_left <= to_up) & (to_left <= to_corner), left, np.where(to_up <= to_corner, up, corner))
    foreseen = np.stack([0 * up, left, up, (left + up) // 2, paeth])[kinds, np.arange(height)]
    rows = ((image - foreseen) % 256).astype(np.uint8).reshape(height, -1)
    return np.concatenate([np.array(kinds, np.uint8)[:, None], rows], 1).tobytes()


def png_of(image, kinds):
    height, width, depth = image.shape
    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 2: 4, 3: 2, 4: 6}[depth], 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(filtered(image, kinds))), (b"IEND", b"")]
    parts = [struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize("rows", [1, 2, 7, 1100])
def test_png_rows_of_any_filters(rows):
    chance = np.random.default_rng(rows)
    for depth in (1, 2, 3, 4):
        image = chance.integers(0, 256, (rows, 5, depth), dtype=np.uint8)
        for kinds in (chance.integers(0, 5, rows), np.full(rows, 3), np.full(rows, 4), np.arange(rows) % 4 + 1):
            np.testing.assert_array_equal(tf.io.decode_png(png_of(image, kinds)).numpy(), image)


def test_a_large_png_is_read_in_time():
    image = np.random.default_rng(0).integers(0, 256, (1000, 1000, 3), dtype=np.uint8)
    data = png_of(image, np.full(1000, 4))
    start = time.process_time()
    np.testing.assert_array_equal(tf.io.decode_png(data).numpy(), image)
    assert time.process_time() - start < 1


def test_short_headers_and_palettes_of_a_png_are_refused():
    whole = png_of(np.zeros((1, 1, 1), np.uint8), [0])
    short = (
        whole[:8] + struct.pack(">I", 5) + b"IHDR" + b"12345" + struct.pack(">I", zlib.crc32(b"IHDR12345")) + whole[33:]
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="13 bytes are expected, 5 found"):
        tf.io.decode_png(short)
    odd = (
        whole[:33] + struct.pack(">I", 4) + b"PLTE" + b"1234" + struct.pack(">I", zlib.crc32(b"PLTE1234")) + whole[33:]
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="a palette of 4 bytes"):
        tf.io.decode_png(odd)
