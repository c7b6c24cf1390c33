"""Images as files: PNG and BMP read and PNG written, with nothing but zlib; others through `image_formats`."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.image.codecs.pillow import UNKNOWN, frames_of, kind_of, read_jpeg
from graphrt.ops.image.color import convert_image_dtype
from graphrt.ops.math.comparison import Equal
from graphrt.ops.strings.text import Substr
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import DType, as_dtype, float32, uint8, uint16
from graphrt.types.likes import Array, DTypeLike
from graphrt.types.limits import check_bytes
from graphrt.types.shape import Dims

__all__ = ["decode_bmp", "decode_image", "decode_png", "encode_png", "is_jpeg"]

_PNG = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
_MOST = 1 << 28  # pixels times channels; a file that says more is not believed


def _raw(value: Array) -> bytes:
    found = np.asarray(value, object).item()
    return found if isinstance(found, bytes) else bytes(found)


# --- PNG -------------------------------------------------------------------------------------------------------------
def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _write_png(image: Array, *, compression: int) -> Array:
    if np.ndim(image) < 3:
        raise bad(f"image must be at least 3-dimensional{text_of(np.shape(image))}")
    if image.ndim > 3:
        out = np.empty(image.shape[:-3], object)
        for at in np.ndindex(*out.shape):
            out[at] = _write_png(image[at], compression=compression).item()
        return out
    height, width, depth = image.shape
    if not height or not width:
        raise bad(f"image must have pixels, got shape {text_of(image.shape)}")
    if not -1 <= compression <= 9:
        raise bad(f"compression should be in [-1,9], got {compression}")
    if depth not in _COLOR_TYPES:
        raise bad(f"image must have 1, 2, 3, or 4 channels, got {depth}")
    bits = image.dtype.itemsize * 8
    rows = image.astype(image.dtype.newbyteorder(">")).reshape(height, -1)
    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", width, height, bits, _COLOR_TYPES[depth], 0, 0, 0)
    data = zlib.compress(lines, compression)
    return np.array(_PNG + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b""), object)


def _chunks(data: bytes) -> Any:
    at = len(_PNG)
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if len(body) != size:
            raise bad("Invalid PNG data: a chunk is cut short")
        check = data[at + 8 + size : at + 12 + size]
        if check == struct.pack(">I", zlib.crc32(kind + body)):
            yield kind, body
        elif not kind[0] & 32:  # one without which there is no picture
            raise bad(f"Invalid PNG data: the check of the chunk {kind.decode('latin-1')} is wrong")
        if kind == b"IEND":
            return
        at += size + 12


def _unfiltered(data: bytes, height: int, stride: int, step: int) -> Array:
    """The rows, each of which was written as differences from its neighbours."""
    if len(data) < height * (stride + 1):
        raise bad("Invalid PNG data: too few pixels")
    lines = np.frombuffer(data, np.uint8, height * (stride + 1)).reshape(height, stride + 1)
    kinds, rows = lines[:, 0], lines[:, 1:]
    if kinds.max(initial=0) > 4:
        raise bad(f"Invalid PNG data: no filter has the number {kinds.max()}")
    out = np.zeros((height, stride), np.uint8)
    above = np.zeros(stride, np.uint8)
    for start, end in _blocks(kinds):
        if kinds[start] > 2:
            out[start:end] = _unfiltered_together(kinds[start:end], rows[start:end], above, step)
        else:
            for y in range(start, end):
                if kinds[y] == 1:
                    out[y] = np.cumsum(rows[y].reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
                else:
                    out[y] = rows[y] + (above if kinds[y] == 2 else np.uint8(0))
                above = out[y]
        above = out[end - 1]
    return out


_BLOCK = 1024  # rows


def _blocks(kinds: Array) -> Iterator[tuple[int, int]]:
    """Runs of rows: from one whose bytes need both neighbours to the last such, or without any such."""
    both = np.flatnonzero(kinds > 2)
    first, after = (int(both[0]), int(both[-1]) + 1) if len(both) else (len(kinds), len(kinds))
    if first:
        yield 0, first
    starts = range(first, after, _BLOCK)
    for start in starts:
        end = min(start + _BLOCK, after)
        if kinds[start] <= 2:  # a block begins with a row that needs both
            skipped = start + int(np.argmax(kinds[start:end] > 2)) if (kinds[start:end] > 2).any() else end
            yield start, skipped
            start = skipped
        if start < end:
            yield start, end
    if after < len(kinds):
        yield after, len(kinds)


def _unfiltered_together(kinds: Array, rows: Array, above: Array, step: int) -> Array:
    """Rows of any filters, all at once: a pixel needs those to its left and above, so the pixels of a diagonal need none of
    each other. `slanted[t, r]` is the pixel t - r of row r; row 0 is the one above.

    Source: https://www.w3.org/TR/png-3/#9Filters
    """
    height, width = len(rows) + 1, rows.shape[1] // step
    slanted = np.zeros((width + height - 1, height, step), np.int16)
    upright = np.lib.stride_tricks.as_strided(
        slanted, (height, width, step), ((height + 1) * step * 2, height * step * 2, 2)
    )
    upright[0] = above.reshape(width, step)
    upright[1:] = rows.reshape(-1, width, step)
    masks = [np.where(kinds == kind, np.int16(-1), np.int16(0))[:, None] for kind in range(5)]
    present = set(kinds.tolist())
    for t in range(1, width + height - 1):
        low, high = max(t - width + 1, 1), min(t, height - 1) + 1
        left, up = slanted[t - 1, low:high], slanted[t - 1, low - 1 : high - 1]
        corner = slanted[t - 2, low - 1 : high - 1] if t > 1 else np.zeros_like(up)
        at = slice(low - 1, high - 1)
        added = np.zeros_like(up)
        if 1 in present:
            added |= left & masks[1][at]
        if 2 in present:
            added |= up & masks[2][at]
        if 3 in present:
            added |= ((left + up) >> 1) & masks[3][at]
        if 4 in present:
            from_left, from_up = up - corner, left - corner
            far = np.abs(from_left + from_up)
            from_left, from_up = np.abs(from_left), np.abs(from_up)
            nearest = np.where(from_up <= far, up, corner)
            added |= np.where((from_left <= from_up) & (from_left <= far), left, nearest) & masks[4][at]
        pixels = slanted[t, low:high]
        pixels += added
        pixels &= 255
    return upright[1:].astype(np.uint8).reshape(len(rows), -1)


def _samples(raw: Array, width: int, depth: int, bits: int) -> Array:
    """Bytes of rows as samples [height, width, channels], of 8 or 16 bits; fewer bits keep their small values."""
    height = raw.shape[0]
    if bits == 16:
        return raw.reshape(height, -1).view(">u2").astype(np.uint16).reshape(height, width, depth)
    if bits == 8:
        return raw.reshape(height, width, depth)
    spread = np.unpackbits(raw, axis=1).reshape(height, -1, bits)
    values = spread @ (1 << np.arange(bits - 1, -1, -1)).astype(np.uint8)
    return values[:, : width * depth].reshape(height, width, depth).astype(np.uint8)


def _png_size(width: int, bits: int, depth: int, x0: int, dx: int) -> tuple[int, int]:
    columns = max(-(-(width - x0) // dx), 0)
    return columns, -(-columns * bits * depth // 8)


_ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def _read_png(data: bytes) -> Array:
    """Samples of 8 or 16 bits with 1 to 4 channels, as stored: palettes looked up, transparency added."""
    head: Any = None
    body, palette, clear = [], None, None
    for kind, chunk in _chunks(data):
        if kind == b"IHDR":
            if len(chunk) != 13:
                raise bad(f"Invalid PNG header: 13 bytes are expected, {len(chunk)} found")
            head = struct.unpack(">IIBBBBB", chunk)
        elif kind == b"IDAT":
            body.append(chunk)
        elif kind == b"PLTE":
            if len(chunk) % 3:
                raise bad(f"Invalid PNG data: a palette of {len(chunk)} bytes")
            palette = np.frombuffer(chunk, np.uint8).reshape(-1, 3)
        elif kind == b"tRNS":
            clear = chunk
    if head is None or not body or head[3] not in _CHANNELS or head[2] not in (1, 2, 4, 8, 16):
        raise bad("Invalid PNG header")
    width, height, bits, color, _, _, interlace = head
    depth = _CHANNELS[color]
    if not width or not height or width * height * max(depth, 4) > _MOST:
        raise bad(f"PNG size is too large: {width} by {height}")
    check_bytes(width * height * depth * (2 if bits == 16 else 1), f"a PNG of {width} by {height}")
    stride, step = -(-width * bits * depth // 8), max(bits * depth // 8, 1)
    limit = (height + 8) * (stride + 16) * 2
    try:
        flat = zlib.decompressobj().decompress(b"".join(body), limit)
    except zlib.error as error:
        raise bad(f"Invalid PNG data: {error}") from None
    if interlace:
        image = np.zeros((height, width, depth), np.uint16 if bits == 16 else np.uint8)
        at = 0
        for x0, y0, dx, dy in _ADAM7:
            columns, part = _png_size(width, bits, depth, x0, dx)
            rows = max(-(-(height - y0) // dy), 0)
            if rows and columns:
                raw = _unfiltered(flat[at : at + rows * (part + 1)], rows, part, step)
                image[y0::dy, x0::dx] = _samples(raw, columns, depth, bits)
                at += rows * (part + 1)
    else:
        image = _samples(_unfiltered(flat, height, stride, step), width, depth, bits)
    if color == 3:
        if palette is None or image.max(initial=0) >= len(palette):
            raise bad("Invalid PNG data: a colour is not in the palette")
        if clear is not None:
            alpha = np.full(len(palette), 255, np.uint8)
            alpha[: len(clear)] = np.frombuffer(clear[: len(palette)], np.uint8)
            return np.concatenate([palette[image[..., 0]], alpha[image]], -1)
        return palette[image[..., 0]]
    if bits < 8:
        image = image * np.uint8(255 // ((1 << bits) - 1))
    return image


def _with_channels(image: Array, channels: int) -> Array:
    depth = image.shape[-1]
    if channels in (0, depth):
        return image
    if channels not in (1, 2, 3, 4):
        raise bad(f"channels must be 0, 1, 2, 3, or 4, got {channels}")
    full = np.iinfo(image.dtype).max
    color, alpha = image[..., : 3 if depth > 2 else 1], image[..., 3:4] if depth == 4 else image[..., 1:2]
    if depth not in (2, 4):
        alpha = np.full((*image.shape[:-1], 1), full, image.dtype)
    if channels < 3 and color.shape[-1] == 3:
        r, g, b = (color[..., i : i + 1].astype(np.int64) for i in range(3))
        half = 0 if image.dtype == np.uint8 else 1 << 14  # bytes are cut off, wider numbers rounded
        color = ((9797 * r + 19234 * g + 3737 * b + half) >> 15).astype(image.dtype)
    elif channels > 2 and color.shape[-1] == 1:
        color = np.repeat(color, 3, -1)
    return np.concatenate([color, alpha], -1) if channels in (2, 4) else color


def _as_type(image: Array, dtype: DType, step: int = 256) -> Array:
    """The image in another type; a byte becomes `step` times as much in 16 bits."""
    if dtype is float32:
        return image.astype(np.float32) / np.float32(np.iinfo(image.dtype).max)
    if image.dtype == dtype.as_numpy_dtype:
        return np.ascontiguousarray(image)
    return (image >> 8).astype(np.uint8) if dtype is uint8 else image.astype(np.uint16) * np.uint16(step)


def _channels_of(kind: str, channels: int, possible: tuple[int, ...]) -> int:
    if channels not in (0, *possible):
        raise bad(f"channels must be 0 or one of {text_of(possible)} for {kind}, got {channels}")
    return channels


def _decode_still(contents: Array, *, channels: int, dtype: DType) -> Array:
    """The picture in a file of any of the formats, of one frame."""
    data = _raw(contents)
    if data.startswith(_PNG):
        _channels_of("a PNG file", channels, (1, 3, 4))
        return _as_type(_with_channels(_read_png(data), channels), dtype, 257)
    if data[:2] == b"BM":
        return _as_type(_decode_bmp(contents, channels=channels), dtype)
    kind = kind_of(data)
    if kind == "jpeg":
        return _as_type(read_jpeg(data, _channels_of("a JPEG file", channels, (1, 3))), dtype)
    if not kind:
        raise bad(UNKNOWN)
    frames = _frames(data, kind, channels)
    if len(frames) > 1:
        raise bad(
            f"Got {len(frames)} frames, but animated pictures are decoded by decode_gif, decode_webp or decode_image"
        )
    return _as_type(frames[0], dtype)


def _frames(data: bytes, kind: str, channels: int) -> Array:
    if kind == "gif":
        return frames_of(data, kind, _channels_of("a GIF file", channels, (3,)))
    return frames_of(data, kind, _channels_of("a WebP file", channels, (3, 4)))


def _image_dims(c: InferContext) -> Dims:
    channels = c.attrs["channels"]
    if channels < 0:
        raise ShapeError(f"channels must be non-negative, got {channels}")
    return (None, None, channels or None)


DecodePng = define(
    "DecodePng", "contents: string[0] -> image: dtype", attrs="channels: int = 0; dtype: type = uint8",
    allowed={"dtype": (uint8, uint16)}, infer=_image_dims, kernel=_decode_still, vjp=lambda call, g: [None],
)  # fmt: skip


def _decode_any(contents: Array, *, channels: int, dtype: DType, expand_animations: bool) -> Array:
    data = _raw(contents)
    kind = kind_of(data)
    if kind not in ("gif", "webp"):
        return _decode_still(contents, channels=channels, dtype=dtype)
    frames = _frames(data, kind, channels)
    whole = expand_animations and (kind == "gif" or len(frames) > 1)
    return _as_type(frames if whole else frames[0], dtype)


def _any_dims(c: InferContext) -> Dims:
    return None if c.attrs["expand_animations"] else (None, None, c.attrs["channels"] or None)


DecodeImage = define(
    "DecodeImage", "contents: string[0] -> image: dtype",
    attrs="channels: int = 0; dtype: type = uint8; expand_animations: bool = True",
    allowed={"dtype": (uint8, uint16, float32)}, infer=_any_dims, kernel=_decode_any, vjp=lambda call, g: [None],
)  # fmt: skip


def _without_image(c: InferContext) -> Dims:
    dims = c.dims(0)
    return None if dims is None else dims[:-3]


EncodePng = define(
    "EncodePng", "image: T[3+] -> contents: string", attrs="compression: int = -1; T: type = uint8",
    allowed={"T": (uint8, uint16)}, infer=_without_image, kernel=_write_png,
    vjp=lambda call, g: [None],
)  # fmt: skip


# --- BMP -------------------------------------------------------------------------------------------------------------
def _read_bmp(data: bytes) -> Array:
    if len(data) < 32 or data[:2] != b"BM":
        raise bad("Incomplete bmp content")
    start, width, height = (struct.unpack_from("<i", data, at)[0] for at in (10, 18, 22))
    bits = struct.unpack_from("<H", data, 28)[0]
    if bits not in (8, 24, 32):
        raise bad(f"Number of bits per pixel inherent in the image should be 8, 24 or 32, but was {bits}")
    depth, rows = bits // 8, abs(height)
    stride = (width * depth + 3) // 4 * 4
    if width <= 0 or not rows or width * rows * depth > _MOST or len(data) < start + stride * rows or start < 0:
        raise bad("Incomplete bmp content")
    lines = np.frombuffer(data, np.uint8, stride * rows, start).reshape(rows, stride)[:, : width * depth]
    image = lines.reshape(rows, width, depth)
    if depth >= 3:
        image = image[..., [2, 1, 0, 3][:depth]]
    return np.ascontiguousarray(image[::-1] if height > 0 else image)


def _decode_bmp(contents: Array, *, channels: int) -> Array:
    image = _read_bmp(_raw(contents))
    return _with_channels(image, _channels_of("a BMP file", channels, (3, 4)))


DecodeBmp = define(
    "DecodeBmp", "contents: string[0] -> image: uint8", attrs="channels: int = 0", infer=_image_dims, kernel=_decode_bmp,
    vjp=lambda call, g: [None],
)  # fmt: skip


# --- public ----------------------------------------------------------------------------------------------------------
def encode_png(image: TensorLike, compression: int = -1, name: str | None = None) -> Tensor:
    """An image of uint8 or uint16 as the contents of a PNG file.

    >>> import graphrt as tf
    >>> tf.io.encode_png(tf.zeros([1, 1, 3], tf.uint8)).numpy()[1:4]
    b'PNG'

    Raises:
      InvalidArgumentError: the image has another rank or number of channels.
    """
    return EncodePng(image, compression=compression, name=name)


def decode_png(contents: TensorLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None) -> Tensor:
    """The image in the contents of a PNG (or BMP) file, with `channels` channels (0: as stored).

    >>> import graphrt as tf
    >>> tf.io.decode_png(tf.io.encode_png(tf.ones([2, 2, 1], tf.uint8))).numpy().ravel().tolist()
    [1, 1, 1, 1]

    Raises:
      InvalidArgumentError: the contents cannot be read.
    """
    return DecodePng(contents, channels=channels, dtype=as_dtype(dtype), name=name)


def decode_bmp(contents: TensorLike, channels: int = 0, name: str | None = None) -> Tensor:
    """The image in the contents of a BMP file.

    >>> import graphrt as tf
    >>> tf.io.decode_bmp.__name__
    'decode_bmp'

    Raises:
      InvalidArgumentError: the contents cannot be read.
    """
    return DecodeBmp(contents, channels=channels, name=name)


def decode_image(
    contents: TensorLike, channels: int | None = None, dtype: DTypeLike = uint8, name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:  # fmt: skip
    """The image in the contents of a PNG, BMP, JPEG, GIF or WebP file, whichever it is.

    A GIF has frames before its rows, unless `expand_animations` is False: then only the first is read. JPEG, GIF and
    WebP need Pillow, the extra `image`.

    >>> import graphrt as tf
    >>> tf.io.decode_image(tf.io.encode_png(tf.ones([2, 2, 1], tf.uint8))).shape
    TensorShape([2, 2, 1])

    Raises:
      InvalidArgumentError: the contents cannot be read.
    """
    with scope(name, "decode_image"):
        wanted = as_dtype(dtype)
        stored = uint16 if wanted is uint16 else uint8
        found = DecodeImage(contents, channels=channels or 0, dtype=stored, expand_animations=expand_animations)
        return found if found.dtype is wanted else convert_image_dtype(found, wanted)


def is_jpeg(contents: TensorLike, name: str | None = None) -> Tensor:
    """Whether the contents of a file begin as a JPEG file does.

    >>> import graphrt as tf
    >>> tf.io.is_jpeg(b"PNG").numpy().item()
    False
    """
    with scope(name, "is_jpeg"):
        return Equal(Substr(contents, 0, 3), as_tensor(b"\xff\xd8\xff"))
