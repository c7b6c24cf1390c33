"""JPEG, GIF and WebP files read and written through Pillow, an optional package: the extra `image`."""

from __future__ import annotations

import importlib
import io
import itertools
import struct
import threading
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import MissingExtraError
from graphrt.ops.support.kernel_helpers import bad
from graphrt.types.likes import Array
from graphrt.types.limits import check_bytes

__all__ = ["crop_of", "frames_of", "jpeg_shape", "kind_of", "read_jpeg", "write_jpeg"]

_MOST = 1 << 28  # pixels; a file that says more is not believed
_TRUNCATED = threading.Lock()  # Pillow's switch for files that are cut short belongs to the process
UNKNOWN = "Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP required."


def _pillow(name: str = "Image") -> Any:
    """A module of Pillow, which only programs with such images load."""
    try:
        return importlib.import_module(f"PIL.{name}")
    except ImportError as error:
        text = "JPEG, GIF and WebP images need the package Pillow: pip install 'graphrt[image]'"
        raise MissingExtraError(text) from error


def kind_of(data: bytes) -> str:
    """Which of the formats the contents of a file are in; '' for none."""
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    if data.startswith((b"\x89PNG\r\n\x1a\n", b"BM")):
        return "bmp" if data[:2] == b"BM" else "png"
    return "webp" if data.startswith(b"RIFF") and data[8:12] == b"WEBP" else ""


def _opened(data: bytes, what: str) -> Any:
    image_module = _pillow()
    try:
        image = image_module.open(io.BytesIO(data))
    except (OSError, ValueError, SyntaxError, image_module.DecompressionBombError):
        raise bad(what) from None
    if image.width * image.height > _MOST:
        raise bad(f"{what} The image of {image.width} by {image.height} pixels is too large.")
    check_bytes(image.width * image.height * 3, f"an image of {image.width} by {image.height}")
    return image


def _pixels(image: Any) -> Any:
    found = np.asarray(image)
    return np.array(found[..., None] if found.ndim == 2 else found, np.uint8)


# --- JPEG ------------------------------------------------------------------------------------------------------------
def jpeg_shape(data: bytes) -> tuple[int, int, int]:
    """Height, width and channels, from the headers alone, which end where the pixels begin."""
    at, found = 2, None
    while data.startswith(b"\xff\xd8") and at + 9 < len(data):
        if data[at] != 0xFF:
            break
        marker = data[at + 1]
        if marker == 0xFF or 0xD0 <= marker <= 0xD8 or marker == 0x01:
            at += 1 if marker == 0xFF else 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width, channels = struct.unpack(">HHB", data[at + 5 : at + 10])
            found = height, width, channels
        elif marker == 0xDA and found is not None:
            return found
        at += 2 + int(struct.unpack(">H", data[at + 2 : at + 4])[0])
    raise bad("Not a JPEG file")


def read_jpeg(data: bytes, channels: int, ratio: int = 1, recover: bool = False) -> Any:
    """The pixels of a JPEG file, made smaller by `ratio` while they are decoded."""
    why = "jpeg::Uncompress failed. Invalid JPEG data or crop window."
    image = _opened(data, why)
    mode = {1: "L", 3: "RGB"}.get(channels, "RGB" if image.mode in ("CMYK", "YCCK") else image.mode)
    size = (-(-image.width // ratio), -(-image.height // ratio))
    image.draft(mode, size)  # decodes at a smaller scale, and without colours where none are wanted
    try:
        image = _loaded(image, recover).convert(mode)
    except (OSError, ValueError, SyntaxError):
        raise bad(why) from None
    if image.size != size:
        image = image.resize(size, _pillow().Resampling.BOX)
    return _pixels(image)


def _loaded(image: Any, recover: bool) -> Any:
    files = _pillow("ImageFile")
    with _TRUNCATED:
        before, files.LOAD_TRUNCATED_IMAGES = files.LOAD_TRUNCATED_IMAGES, recover
        try:
            image.load()
        finally:
            files.LOAD_TRUNCATED_IMAGES = before
    return image


def crop_of(image: Any, window: Any) -> Any:
    """A part of an image: `window` is y, x, height, width."""
    y, x, height, width = (int(v) for v in window)
    if y < 0 or x < 0 or height <= 0 or width <= 0 or y + height > image.shape[0] or x + width > image.shape[1]:
        raise bad("jpeg::Uncompress failed. Invalid JPEG data or crop window.")
    return np.ascontiguousarray(image[y : y + height, x : x + width])


def write_jpeg(
    image: Array, quality: int, progressive: bool = False, optimize: bool = False, downsample: bool = True,
    density: tuple[int, int] = (300, 300), inches: bool = True, xmp: bytes = b"",
) -> bytes:  # fmt: skip
    """An image [height, width, 1 or 3] of uint8 as the contents of a JPEG file."""
    image_module = _pillow()
    out = io.BytesIO()
    made = image_module.fromarray(image[..., 0] if image.shape[-1] == 1 else image)
    more: dict[str, Any] = {"xmp": xmp} if xmp else {}
    scale = 1.0 if inches else 2.54  # the file tells dots per inch
    made.save(
        out, "JPEG", quality=max(quality, 1), progressive=progressive, optimize=optimize,
        subsampling=2 if downsample and image.shape[-1] == 3 else 0,
        dpi=(round(density[0] * scale), round(density[1] * scale)), **more,
    )  # fmt: skip
    return out.getvalue()


# --- GIF and WebP ----------------------------------------------------------------------------------------------------
def frames_of(data: bytes, kind: str, channels: int = 3) -> Any:
    """The frames of a GIF or WebP file, [frames, height, width, channels]."""
    if kind_of(data) != kind:
        raise bad(UNKNOWN)
    image = _opened(data, f"Invalid {kind.upper()} data")
    frames: list[Any] = []
    try:
        for at in itertools.count():
            try:
                image.seek(at)
                mode = "RGB" if kind == "gif" or (not channels and image.mode == "RGB") or channels == 3 else "RGBA"
                frame = image.convert(mode)
            except (OSError, EOFError):
                if not frames:
                    raise
                break  # that was the last one, or the last that is whole
            if len(frames) * image.width * image.height > _MOST:
                raise bad(f"Invalid {kind.upper()} data: there are too many frames")
            frames.append(_pixels(frame))
    except (OSError, ValueError, SyntaxError, EOFError) as error:
        if isinstance(error, errors.OpError):
            raise
        raise bad(f"Invalid {kind.upper()} data: {error}") from None
    return np.stack(frames)
