"""The ops on JPEG, GIF and WebP files, and images made worse as JPEG makes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ir.op import define, provide
from graphrt.ops.image.codecs.pillow import (
    UNKNOWN,
    crop_of,
    frames_of,
    jpeg_shape,
    kind_of,
    read_jpeg,
    write_jpeg,
)
from graphrt.ops.image.codecs.png_bmp import DecodePng
from graphrt.ops.image.color import convert_image_dtype
from graphrt.ops.random.distributions import stateless_uniform, uniform
from graphrt.ops.strings.text import lossless_bytes
from graphrt.ops.support.kernel_helpers import bad, text_of
from graphrt.ops.support.shape_rules import as_tensor
from graphrt.tensor.context import scope
from graphrt.tensor.tensor import Tensor, TensorLike
from graphrt.types.dtype import DType, as_dtype, int32, int64, uint8
from graphrt.types.likes import Array, DTypeLike
from graphrt.types.shape import Dims

__all__ = [
    "adjust_jpeg_quality", "decode_and_crop_jpeg", "decode_gif", "decode_jpeg", "decode_webp", "encode_jpeg",
    "extract_jpeg_shape", "random_jpeg_quality", "stateless_random_jpeg_quality",
]  # fmt: skip


def _raw(value: Array) -> bytes:
    found = np.asarray(value, object).item()
    return found if isinstance(found, bytes) else bytes(found)


# --- JPEG ------------------------------------------------------------------------------------------------------------
_METHODS = ("", "INTEGER_FAST", "INTEGER_ACCURATE")


def _decode(contents: Array, channels: int, ratio: int, recover: bool, method: str = "") -> Any:
    data = _raw(contents)
    if method not in _METHODS:
        raise bad(f"dct_method must be one of {_METHODS}, got {method}")
    if channels not in (0, 1, 3, 4):
        raise bad(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    if ratio not in (1, 2, 4, 8):
        raise bad(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    kind = kind_of(data)
    if kind == "jpeg":
        if channels == 4:
            raise bad("Channels must be 0, 1 or 3 for a JPEG image, got 4")
        return read_jpeg(data, channels, ratio, recover)
    if kind in ("gif", "webp"):
        return frames_of(data, kind)[0]
    if kind in ("png", "bmp"):
        return DecodePng.compute(contents, channels=channels, dtype=uint8)
    raise bad(UNKNOWN)


def _decode_kernel(
    contents: Array, *, channels: int, ratio: int, try_recover_truncated: bool, dct_method: str
) -> Any:  # fmt: skip
    return _decode(contents, channels, ratio, try_recover_truncated, dct_method)


def _crop_kernel(
    contents: Array, window: Array, *, channels: int, ratio: int, try_recover_truncated: bool, dct_method: str
) -> Any:  # fmt: skip
    if np.shape(window) != (4,):
        raise bad(f"crop_window must be a vector with exactly 4 elements, got shape {text_of(np.shape(window))}")
    kind = kind_of(_raw(contents))
    if kind not in ("jpeg", ""):
        raise bad(f"DecodeAndCropJpeg operation can run on JPEG only, but detected {kind.upper()}.")
    return crop_of(_decode(contents, channels, ratio, try_recover_truncated, dct_method), window)


def _image_dims(c: InferContext) -> Dims:
    channels = c.attrs["channels"]
    if channels < 0:
        raise ShapeError(f"channels must be non-negative, got {channels}")
    return (None, None, channels or None)


def _crop_dims(c: InferContext) -> Dims:
    window = c.const(1)
    size = (None, None) if window is None or np.shape(window) != (4,) else (int(window[2]), int(window[3]))
    return (*size, c.attrs["channels"] or None)


_HOW = (
    "channels: int = 0; ratio: int = 1; fancy_upscaling: bool = True; try_recover_truncated: bool = False; "
    "acceptable_fraction: float = 1.0; dct_method: string = ''"
)
DecodeJpeg = define(
    "DecodeJpeg", "contents: string[0] -> image: uint8", attrs=_HOW, infer=_image_dims, kernel=_decode_kernel,
    vjp=lambda call, g: [None],
)  # fmt: skip
DecodeAndCropJpeg = define(
    "DecodeAndCropJpeg", "contents: string[0], crop_window: int32[1] -> image: uint8", attrs=_HOW, infer=_crop_dims,
    kernel=_crop_kernel, vjp=lambda call, g: [None, None],
)  # fmt: skip


def _shape_kernel(contents: Array, *, output_type: DType) -> Array:
    return np.array(jpeg_shape(_raw(contents)), output_type.as_numpy_dtype)


ExtractJpegShape = define(
    "ExtractJpegShape", "contents: string[0] -> image_shape: output_type", attrs="output_type: type = int32",
    allowed={"output_type": (int32, int64)}, infer=lambda c: (3,), kernel=_shape_kernel, vjp=lambda call, g: [None],
)  # fmt: skip


def _check_image(image: Array, quality: int) -> None:
    if np.ndim(image) != 3:
        raise bad(f"image must be 3-dimensional{text_of(np.shape(image))}")
    if image.shape[-1] not in (1, 3):
        raise bad(f"image must have 1 or 3 channels, got {text_of(image.shape)}")
    if not 0 <= quality <= 100:
        raise bad(f"quality must be in [0,100], got {quality}")


def _encode_kernel(
    image: Array, *, format: str, quality: int, progressive: bool, optimize_size: bool, chroma_downsampling: bool,
    density_unit: str, x_density: int, y_density: int, xmp_metadata: str,
) -> Any:  # fmt: skip
    _check_image(image, quality)
    wanted = {"": image.shape[-1], "default": image.shape[-1], "grayscale": 1, "rgb": 3}.get(format)
    if wanted is None:
        raise bad(f"format must be '', grayscale or rgb, got {format}")
    if wanted != image.shape[-1]:
        raise bad(f"format {format} expects {wanted} channels, got {text_of(image.shape)}")
    if density_unit not in ("in", "cm"):
        raise bad(f"Invalid density_unit: {density_unit}")
    xmp = lossless_bytes(xmp_metadata)
    made = write_jpeg(
        image,
        quality,
        progressive,
        optimize_size,
        chroma_downsampling,
        (x_density, y_density),
        density_unit == "in",
        xmp,
    )
    return np.array(made, object)


def _image_rank(c: InferContext) -> Dims:
    dims = c.dims(0)
    if dims is not None and len(dims) != 3:
        raise ShapeError(f"Shape must be rank 3 but is rank {len(dims)}")
    return ()


EncodeJpeg = define(
    "EncodeJpeg", "image: uint8 -> contents: string",
    attrs="format: {'', 'grayscale', 'rgb'} = ''; quality: int = 95; progressive: bool = False; "
    "optimize_size: bool = False; "
    "chroma_downsampling: bool = True; density_unit: {'in', 'cm'} = 'in'; x_density: int = 300; y_density: int = 300; "
    "xmp_metadata: string = ''",
    infer=_image_rank, kernel=_encode_kernel, vjp=lambda call, g: [None],
)  # fmt: skip


def _quality_kernel(images: Array, quality: Array) -> Any:
    _check_image(images, int(quality))
    return np.array(write_jpeg(images, int(quality)), object)


EncodeJpegVariableQuality = define(
    "EncodeJpegVariableQuality", "images: uint8, quality: int32 -> contents: string", infer=_image_rank,
    kernel=_quality_kernel, vjp=lambda call, g: [None, None],
)  # fmt: skip


# --- GIF and WebP ----------------------------------------------------------------------------------------------------
def _gif_kernel(contents: Array) -> Any:
    data = _raw(contents)
    if kind_of(data) == "gif":
        return frames_of(data, "gif")
    if data[:2] == b"BM":
        raise bad("Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead.")
    return _decode(contents, 3, 1, False)[None]  # any other format is one frame


DecodeGif = define(
    "DecodeGif", "contents: string[0] -> image: uint8", infer=lambda c: (None, None, None, 3), kernel=_gif_kernel,
    vjp=lambda call, g: [None],
)  # fmt: skip


def _webp_kernel(contents: Array, *, channels: int) -> Any:
    if channels not in (0, 3, 4):
        raise bad(f"channels must be 0, 3 or 4, got {channels}")
    found = frames_of(_raw(contents), "webp", 0)
    if channels not in (0, found.shape[-1]):
        raise bad("Number of channels requested does not match input")
    return found


DecodeWebP = define(
    "DecodeWebP", "contents: string[0] -> image: dtype", attrs="channels: int = 0; dtype: type = uint8",
    allowed={"dtype": (uint8,)}, infer=lambda c: (None, None, None, c.attrs["channels"] or None), kernel=_webp_kernel,
    vjp=lambda call, g: [None],
)  # fmt: skip


# --- public ----------------------------------------------------------------------------------------------------------
@provide
def decode_jpeg(
    contents: TensorLike, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, acceptable_fraction: float = 1, dct_method: str = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """The image in the contents of a JPEG file, with 1 or 3 channels (0: as stored), made smaller by `ratio`.

    Pillow decodes with the accurate transform whatever `dct_method` says: pixels may differ by a few units from those
    of TensorFlow, which takes the fast one. It is the extra `image`.

    >>> import graphrt as tf
    >>> tf.io.decode_jpeg("nothing")
    Traceback (most recent call last):
        ...
    graphrt.errors.InvalidArgumentError: ...

    Raises:
      InvalidArgumentError: the contents cannot be read.
      MissingExtraError: Pillow is not installed.
    """
    return DecodeJpeg(
        contents, channels=channels, ratio=ratio, fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated, acceptable_fraction=acceptable_fraction, dct_method=dct_method,
        name=name,
    )  # fmt: skip


def decode_and_crop_jpeg(
    contents: TensorLike, crop_window: TensorLike, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True,
    try_recover_truncated: bool = False, acceptable_fraction: float = 1, dct_method: str = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """The part `crop_window` (y, x, height, width) of the image in the contents of a JPEG file.

    >>> import graphrt as tf
    >>> tf.io.decode_and_crop_jpeg("nothing", [0, 0, 1, 1])
    Traceback (most recent call last):
        ...
    graphrt.errors.InvalidArgumentError: ...

    Raises:
      InvalidArgumentError: the contents cannot be read, or the window does not lie in the image.
      MissingExtraError: Pillow is not installed.
    """
    return DecodeAndCropJpeg(
        contents, crop_window, channels=channels, ratio=ratio, fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated, acceptable_fraction=acceptable_fraction, dct_method=dct_method,
        name=name,
    )  # fmt: skip


def extract_jpeg_shape(contents: TensorLike, output_type: DTypeLike = int32, name: str | None = None) -> Tensor:
    """Height, width and channels of the image in a JPEG file, read from its header.

    >>> import graphrt as tf
    >>> headers = b"\\xff\\xd8\\xff\\xc0\\x00\\x0b\\x08\\x00\\x02\\x00\\x03\\x01\\x01\\x11\\x00" + b"\\xff\\xda" + bytes(8)
    >>> tf.io.extract_jpeg_shape(headers).numpy().tolist()
    [2, 3, 1]

    Raises:
      InvalidArgumentError: the contents are no JPEG file.
    """
    return ExtractJpegShape(contents, output_type=as_dtype(output_type), name=name)


@provide
def encode_jpeg(
    image: TensorLike, format: str = "", quality: int = 95, progressive: bool = False, optimize_size: bool = False,
    chroma_downsampling: bool = True, density_unit: str = "in", x_density: int = 300, y_density: int = 300,
    xmp_metadata: str = "", name: str | None = None,
) -> Tensor:  # fmt: skip
    """An image of uint8 with 1 or 3 channels as the contents of a JPEG file. Needs Pillow, the extra `image`.

    >>> import graphrt as tf
    >>> tf.io.encode_jpeg(tf.zeros([2, 2, 2], tf.uint8))
    Traceback (most recent call last):
        ...
    graphrt.errors.InvalidArgumentError: ...

    Raises:
      InvalidArgumentError: the image has another rank or number of channels, or an option is out of range.
      MissingExtraError: Pillow is not installed.
    """
    return EncodeJpeg(
        as_tensor(image, uint8), format=format, quality=quality, progressive=progressive, optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling, density_unit=density_unit, x_density=x_density, y_density=y_density,
        xmp_metadata=xmp_metadata, name=name,
    )  # fmt: skip


def decode_gif(contents: TensorLike, name: str | None = None) -> Tensor:
    """The frames of a GIF file, [frames, height, width, 3]. Needs Pillow, the extra `image`.

    >>> import graphrt as tf
    >>> tf.io.decode_gif("nothing")
    Traceback (most recent call last):
        ...
    graphrt.errors.InvalidArgumentError: ...

    Raises:
      InvalidArgumentError: the contents cannot be read.
      MissingExtraError: Pillow is not installed.
    """
    return DecodeGif(contents, name=name)


def decode_webp(contents: TensorLike, channels: int = 0, dtype: DTypeLike = uint8, name: str | None = None) -> Tensor:
    """The frames of a WebP file, [frames, height, width, channels]. Needs Pillow, the extra `image`.

    >>> import graphrt as tf
    >>> tf.io.decode_webp("nothing")
    Traceback (most recent call last):
        ...
    graphrt.errors.InvalidArgumentError: ...

    Raises:
      InvalidArgumentError: the contents cannot be read, or have another number of channels.
      MissingExtraError: Pillow is not installed.
    """
    return DecodeWebP(contents, channels=channels, dtype=as_dtype(dtype), name=name)


def adjust_jpeg_quality(
    image: TensorLike, jpeg_quality: TensorLike, dct_method: str = "", name: str | None = None
) -> Tensor:
    """An image as it comes back from a JPEG file of a quality of 0 to 100. Needs Pillow, the extra `image`.

    >>> import graphrt as tf
    >>> tf.image.adjust_jpeg_quality(tf.zeros([2, 2, 3], tf.uint8), 101)
    Traceback (most recent call last):
        ...
    graphrt.errors.InvalidArgumentError: ...

    Raises:
      InvalidArgumentError: the quality is out of range, or the image has not 1 or 3 channels.
      MissingExtraError: Pillow is not installed.
    """
    with scope(name, "adjust_jpeg_quality"):
        x = as_tensor(image)
        if x.dims is not None and len(x.dims) != 3:
            raise ValueError(errors.at_user_line(f"an image has height, width and channels, found shape {x.dims}"))
        channels = None if x.dims is None else x.dims[-1]
        stored = convert_image_dtype(x, uint8, saturate=True)
        data = EncodeJpegVariableQuality(stored, as_tensor(jpeg_quality, int32))
        back = DecodeJpeg(data, channels=channels or 0, dct_method=dct_method)
        return convert_image_dtype(back, x.dtype, saturate=True)


def _check_range(low: int, high: int) -> None:
    if low < 0 or high < 0 or low > 100 or high > 100:
        raise ValueError(errors.at_user_line("jpeg encoding range must be between 0 and 100."))
    if low >= high:
        raise ValueError(errors.at_user_line("`min_jpeg_quality` must be less than `max_jpeg_quality`."))


def random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: int | None = None
) -> Tensor:
    """`adjust_jpeg_quality` with a random quality. Needs Pillow, the extra `image`.

    >>> import graphrt as tf
    >>> tf.image.random_jpeg_quality(tf.zeros([2, 2, 3]), 95, 75)
    Traceback (most recent call last):
        ...
    ValueError: ...

    Raises:
      MissingExtraError: Pillow is not installed.
      ValueError: the qualities are not in 0 to 100, the smaller first.
    """
    _check_range(min_jpeg_quality, max_jpeg_quality)
    quality = uniform([], min_jpeg_quality, max_jpeg_quality, dtype=int32, seed=seed)
    return adjust_jpeg_quality(image, quality)


def stateless_random_jpeg_quality(
    image: TensorLike, min_jpeg_quality: int, max_jpeg_quality: int, seed: TensorLike
) -> Tensor:
    """`adjust_jpeg_quality` with a quality that follows from `seed`. Needs Pillow, the extra `image`.

    >>> import graphrt as tf
    >>> tf.image.stateless_random_jpeg_quality(tf.zeros([2, 2, 3]), 95, 75, (1, 2))
    Traceback (most recent call last):
        ...
    ValueError: ...

    Raises:
      MissingExtraError: Pillow is not installed.
      ValueError: the qualities are not in 0 to 100, the smaller first.
    """
    _check_range(min_jpeg_quality, max_jpeg_quality)
    quality = stateless_uniform([], seed, min_jpeg_quality, max_jpeg_quality, dtype=int32)
    return adjust_jpeg_quality(image, quality)
