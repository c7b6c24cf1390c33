"""The summaries that TensorBoard has plugins for: numbers, distributions, images, sounds, texts."""

from __future__ import annotations

from graphrt import errors
from graphrt.control_flow.branches import cond
from graphrt.control_flow.functional import map_fn
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import fill, linspace, ones_like, zeros, zeros_like
from graphrt.ops.array.shape import reshape, shape, size, transpose
from graphrt.ops.assertions import assert_rank, assert_scalar
from graphrt.ops.image.codecs.png_bmp import encode_png
from graphrt.ops.image.color import convert_image_dtype
from graphrt.ops.io.wav import encode_wav
from graphrt.ops.math.arithmetic import minimum
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import equal
from graphrt.ops.math.elementwise import floor
from graphrt.ops.math.reduction import reduce_max, reduce_min
from graphrt.ops.math.segments import unsorted_segment_sum
from graphrt.ops.strings.numbers import as_string
from graphrt.summaries.events import event_class
from graphrt.summaries.writers import summary_scope, write
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import float32, float64, int32, string, uint8
from graphrt.types.likes import TensorLike
from graphrt.types.nesting import shown

__all__ = ["audio", "histogram", "image", "scalar", "text"]

_BUCKETS = 30
_WAV = b"\x10\x0b"  # what the plugin wants to know: the sounds are WAV files


def _metadata(plugin: str, description: str | None, content: bytes = b"") -> bytes:
    message = event_class("SummaryMetadata")(summary_description=description or "")
    message.plugin_data.plugin_name = plugin
    message.plugin_data.content = content
    return bytes(message.SerializeToString(deterministic=True))


def scalar(name: str, data: TensorLike, step: TensorLike | None = None, description: str | None = None) -> Tensor:
    """Writes a number, as float32; whether it was written. TensorBoard draws its curve over the steps.

    >>> import graphrt as tf, tempfile
    >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
    >>> @tf.function
    ... def train(x, step):
    ...     with writer.as_default():
    ...         tf.summary.scalar("loss", x * x, step=step)
    >>> train(tf.constant(3.0), tf.constant(1, tf.int64))

    Raises:
      ValueError: `data` is no scalar, or there is no step.
    """
    told = _metadata("scalars", description)

    def number() -> Tensor:
        found = convert_to_tensor(data)
        assert_scalar(found)
        return cast(found, float32)

    with summary_scope(name, "scalar_summary") as (tag, _):
        return write(tag, number, step, told)


def histogram(
    name: str, data: TensorLike, step: TensorLike | None = None, buckets: int | None = None,
    description: str | None = None,
) -> Tensor:  # fmt: skip
    """Writes how numbers are distributed over `buckets` (30) of one width; whether it was written.

    >>> import graphrt as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.histogram("weights", tf.range(10), step=1, buckets=5))
    True

    Raises:
      ValueError: there is no step.
    """
    told = _metadata("histograms", description)
    count = _BUCKETS if buckets is None else buckets
    with summary_scope(name, "histogram_summary") as (tag, _):
        return write(tag, lambda: distribution(data, count), step, told)


def distribution(data: TensorLike, count: int) -> Tensor:
    """The left edge, the right edge and the number of elements of each of `count` buckets, float64 of [count, 3]."""
    values = cast(reshape(convert_to_tensor(data), [-1]), float64)
    if count <= 0:
        return zeros([count, 3], float64)
    found: Tensor = cond(equal(size(values), 0), lambda: zeros([count, 3], float64), lambda: _filled(values, count))
    return found


def _filled(values: Tensor, count: int) -> Tensor:
    low, high = reduce_min(values), reduce_max(values)

    def one_value() -> Tensor:
        edges = fill([count], low)
        last = concat([zeros([count - 1], float64), reshape(cast(size(values), float64), [1])], 0)
        return transpose(stack([edges, edges, last]))

    def several() -> Tensor:
        places = floor((values - low) / ((high - low) / float(count)))
        inside = minimum(cast(places, int32), count - 1)
        edges = linspace(low, high, count + 1)
        return transpose(stack([edges[:-1], edges[1:], unsorted_segment_sum(ones_like(values), inside, count)]))

    found: Tensor = cond(equal(low, high), one_value, several)
    return found


def image(
    name: str, data: TensorLike, step: TensorLike | None = None, max_outputs: int = 3, description: str | None = None
) -> Tensor:
    """Writes the first `max_outputs` of a batch of images [count, height, width, channels]; whether they were written.

    Images of floats hold numbers from 0 to 1; channels are one (grey), three (RGB) or four (RGBA).

    >>> import graphrt as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.image("input", tf.zeros([1, 8, 8, 1]), step=1))
    True

    Raises:
      ValueError: there is no step, or the data are of another rank.
    """
    told = _metadata("images", description)

    def encoded() -> Tensor:
        images = convert_to_tensor(data)
        assert_rank(images, 4)
        pixels = convert_image_dtype(images, uint8, saturate=True)[:max_outputs]
        sizes = shape(images)
        files = map_fn(encode_png, pixels, fn_output_signature=string)
        return concat([stack([as_string(sizes[2]), as_string(sizes[1])]), files], 0)

    with summary_scope(name, "image_summary") as (tag, _):
        return write(tag, encoded, step, told)


def audio(
    name: str, data: TensorLike, sample_rate: TensorLike, step: TensorLike | None = None, max_outputs: int = 3,
    encoding: str | None = None, description: str | None = None,
) -> Tensor:  # fmt: skip
    """Writes the first `max_outputs` of a batch of sounds [count, frames, channels], from -1 to 1, as WAV files.

    >>> import graphrt as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.audio("hum", tf.zeros([1, 100, 1]), 8000, step=1))
    True

    Raises:
      ValueError: there is no step, the data are of another rank, or the encoding is not "wav".
    """
    if encoding not in (None, "wav"):
        raise ValueError(errors.at_user_line(f"encoding must be 'wav', found {shown(encoding)}"))
    told = _metadata("audio", description, _WAV)

    def encoded() -> Tensor:
        sounds = convert_to_tensor(data)
        assert_rank(sounds, 3)
        files = map_fn(lambda s: encode_wav(s, sample_rate), sounds[:max_outputs], fn_output_signature=string)
        return stack([files, zeros_like(files)], 1)

    with summary_scope(name, "audio_summary") as (tag, _):
        return write(tag, encoded, step, told)


def text(name: str, data: TensorLike, step: TensorLike | None = None, description: str | None = None) -> Tensor:
    """Writes strings, which TensorBoard shows as Markdown; whether they were written.

    >>> import graphrt as tf, tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     bool(tf.summary.text("note", "the **first** run", step=0))
    True

    Raises:
      ValueError: there is no step, or `data` are no strings.
    """
    told = _metadata("text", description)

    def strings() -> Tensor:
        found = convert_to_tensor(data)
        if found.dtype is not string:
            raise ValueError(errors.at_user_line(f"text takes strings, found {found.dtype.name}"))
        return found

    with summary_scope(name, "text_summary") as (tag, _):
        return write(tag, strings, step, told)
