"""Sound as WAV files of 16 bits."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import require_rank
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.likes import Array
from graphrt.types.limits import check_bytes

__all__ = ["decode_wav", "encode_wav"]


class _Sound(NamedTuple):
    """What a WAV file holds."""

    audio: Any
    sample_rate: Any


def _chunks(data: bytes) -> dict[bytes, bytes]:
    if len(data) < 12 or data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise bad("Header mismatch: Expected RIFF but found " + data[:4].decode("latin-1"))
    found: dict[bytes, bytes] = {}
    at = 12
    while at + 8 <= len(data):
        kind, size = data[at : at + 4], int(struct.unpack("<I", data[at + 4 : at + 8])[0])
        body = data[at + 8 : at + 8 + size]
        if len(body) != size:
            raise bad(f"Data too short when trying to read string: the chunk {kind!r} says {size} bytes")
        found.setdefault(kind, body)
        at += 8 + size + size % 2
    return found


def _decode(contents: Array, *, desired_channels: int, desired_samples: int) -> Any:
    chunks = _chunks(np.asarray(contents, object).item())
    if b"fmt " not in chunks or len(chunks[b"fmt "]) < 16:
        raise bad("Bad audio format: there is no format chunk")
    kind, channels, rate, _, _, bits = struct.unpack("<HHIIHH", chunks[b"fmt "][:16])
    if kind != 1:
        raise bad(f"Bad audio format for WAV: Expected 1 (PCM), but got {kind}")
    if bits != 16:
        raise bad(f"Can only read 16-bit WAV files, but received {bits}")
    if channels == 0:
        raise bad("Bad number of channels for WAV: Expected at least 1, but got 0")
    if b"data" not in chunks:
        raise bad("No data chunk found in WAV.")
    data = chunks[b"data"]
    if len(data) % (2 * channels):
        raise bad(f"The {len(data)} bytes of the data chunk are no whole number of samples of {channels} channels")
    samples = np.frombuffer(data, "<i2").reshape(-1, channels)
    audio = samples.astype(np.float32) / np.float32(32768)
    height = len(audio) if desired_samples < 0 else desired_samples
    width = channels if desired_channels <= 0 else desired_channels
    audio = audio[:height, :width]
    if audio.shape != (height, width):
        check_bytes(4 * height * width, "The samples")
        made = np.zeros((height, width), np.float32)
        made[: len(audio)] = audio[:, -1:]  # the last channel again
        made[: len(audio), : audio.shape[1]] = audio
        audio = made
    return np.ascontiguousarray(audio), np.int32(rate)


def _decode_infer(c: InferContext) -> list[tuple[None, None] | tuple[int, ...]]:
    require_rank(c, 0, 0)
    samples, channels = c.attrs["desired_samples"], c.attrs["desired_channels"]
    return [(samples if samples >= 0 else None, channels if channels >= 0 else None), ()]


def _encode(audio: Array, sample_rate: Array) -> Array:
    if np.ndim(audio) != 2:
        raise bad(f"audio must be 2-dimensional, got shape {text_of(np.shape(audio))}")
    channels = audio.shape[1]
    if not 0 < channels < 1 << 16:
        raise bad(f"a WAV file has 1 to 65535 channels, got shape {text_of(np.shape(audio))}")
    with np.errstate(invalid="ignore"):
        scaled = np.clip(np.float32(32768) * audio, -32768, 32767)
        whole = np.copysign(np.floor(np.abs(scaled) + np.float32(0.5)), scaled)  # halves away from zero
    data = np.clip(whole, -32768, 32767).astype("<i2").tobytes()
    rate = int(sample_rate)
    if rate <= 0:
        raise bad(f"sample_rate must be positive, got {rate}")
    head = struct.pack("<HHIIHH", 1, channels, rate, rate * channels * 2, channels * 2, 16)
    body = b"WAVEfmt " + struct.pack("<I", 16) + head + b"data" + struct.pack("<I", len(data)) + data
    return np.array(b"RIFF" + struct.pack("<I", len(body)) + body, object)


def _encode_infer(c: Any) -> tuple[()]:
    if c.dims(0) is not None and len(c.dims(0)) != 2:
        raise ShapeError(f"Shape must be rank 2 but is rank {len(c.dims(0))}")
    require_rank(c, 1, 0)
    return ()


DecodeWav = define(
    "DecodeWav", "contents: string -> audio: float32, sample_rate: int32",
    attrs="desired_channels: int = -1; desired_samples: int = -1", infer=_decode_infer, kernel=_decode,
    vjp=lambda call, *g: [None],
)  # fmt: skip
EncodeWav = define(
    "EncodeWav", "audio: float32, sample_rate: int32 -> contents: string", infer=_encode_infer, kernel=_encode,
    vjp=lambda call, g: [None, None],
)  # fmt: skip


def decode_wav(
    contents: TensorLike, desired_channels: int = -1, desired_samples: int = -1, name: str | None = None
) -> _Sound:
    """The samples of a WAV file of 16 bits, as float32 `[samples, channels]` in -1 to 1, and how many there are a second.

    >>> import graphrt as tf
    >>> audio, rate = tf.audio.decode_wav(tf.audio.encode_wav([[0.], [0.5]], 8000))
    >>> audio.numpy().tolist(), rate.numpy()
    ([[0.0], [0.5]], np.int32(8000))

    Raises:
      InvalidArgumentError: the contents are no such file.
    """
    found = DecodeWav(contents, desired_channels=desired_channels, desired_samples=desired_samples, name=name)
    return _Sound(*found)


def encode_wav(audio: TensorLike, sample_rate: TensorLike, name: str | None = None) -> Tensor:
    """Samples `[samples, channels]` in -1 to 1 as a WAV file of 16 bits.

    >>> import graphrt as tf
    >>> len(tf.audio.encode_wav([[0.], [0.5]], 8000).numpy())
    48

    Raises:
      InvalidArgumentError: the samples are not of rank 2.
    """
    return EncodeWav(audio, sample_rate, name=name)
