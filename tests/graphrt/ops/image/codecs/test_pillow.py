"""JPEG, GIF and WebP images: through Pillow where it is installed, and a clear error where it is not."""

import base64
import io

import numpy as np
import pytest

import graphrt as tf

y, x = np.mgrid[0:24, 0:33]
SMOOTH = np.stack([x * 7, y * 10, (x + y) * 4], -1).astype(np.uint8)
GRAY = base64.b64decode(
    "/9j/4AAQSkZJRgABAQEAZABkAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYU"
    "GBIUFRT/wAALCAAIAAgBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEG"
)


def image_module():
    return pytest.importorskip("PIL.Image")


def missing():
    try:
        import PIL  # noqa: F401
    except ImportError:
        return True
    return False


@pytest.mark.skipif(not missing(), reason="Pillow is installed")
@pytest.mark.parametrize("call", [
    lambda: tf.io.decode_jpeg(GRAY), lambda: tf.io.encode_jpeg(SMOOTH), lambda: tf.io.decode_gif(b"GIF89a"),
    lambda: tf.image.adjust_jpeg_quality(SMOOTH, 50), lambda: tf.io.decode_image(GRAY),
])  # fmt: skip
def test_the_error_names_the_extra(call):
    with pytest.raises(ImportError, match=r"graphrt\[image\]"):
        call()


@pytest.mark.parametrize(("call", "text"), [
    (lambda: tf.io.decode_jpeg("junk"), "Unknown image file format"), (lambda: tf.io.decode_gif("junk"), "Unknown image file format"),
    (lambda: tf.io.decode_png("junk"), "Unknown image file format"), (lambda: tf.io.decode_jpeg(GRAY, channels=2), "must be 0, 1, 3 or 4"),
    (lambda: tf.io.decode_jpeg(GRAY, ratio=3), "ratio must be 1, 2, 4, or 8"), (lambda: tf.io.encode_jpeg(SMOOTH, format="grayscale"), "expects 1 channels"),
    (lambda: tf.io.encode_jpeg(SMOOTH[:, :, :2]), "must have 1 or 3 channels"), (lambda: tf.io.encode_jpeg(SMOOTH, quality=101), r"must be in \[0,100\]"),
    (lambda: tf.io.encode_jpeg(SMOOTH[0]), "must be 3-dimensional"), (lambda: tf.image.adjust_jpeg_quality(SMOOTH, 150), r"must be in \[0,100\]"),
    (lambda: tf.io.extract_jpeg_shape("junk"), "Not a JPEG file"), (lambda: tf.io.encode_jpeg(SMOOTH, density_unit="mm"), "density_unit"),
])  # fmt: skip
def test_bad_arguments(call, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        call()


@pytest.mark.parametrize(
    ("low", "high", "text"), [(95, 75, "must be less"), (-1, 75, "between 0 and 100"), (5, 175, "between 0 and 100")]
)
def test_ranges_of_quality(low, high, text):
    for call in (tf.image.random_jpeg_quality, lambda i, a, b: tf.image.stateless_random_jpeg_quality(i, a, b, (1, 2))):
        with pytest.raises(ValueError, match=text):
            call(SMOOTH, low, high)


def test_shapes_that_are_known():
    def all_of(s):
        return (
            tf.io.decode_jpeg(s),
            tf.io.decode_jpeg(s, channels=3),
            tf.io.decode_gif(s),
            tf.io.extract_jpeg_shape(s),
            tf.io.encode_jpeg(tf.io.decode_jpeg(s)),
            tf.io.decode_and_crop_jpeg(s, [0, 0, 2, 3], channels=3),
            tf.io.decode_image(s),
        )

    found = tf.function(all_of).get_concrete_function(tf.TensorSpec([], tf.string)).output_shapes
    assert [s.as_list() if s.rank is not None else None for s in found] == [
        [None, None, None],
        [None, None, 3],
        [None, None, None, 3],
        [3],
        [],
        [2, 3, 3],
        None,
    ]


def test_the_shape_is_read_from_the_headers():
    headers = GRAY[: GRAY.rindex(b"\xff\xc4")] + b"\xff\xda" + bytes(9)
    assert tf.io.extract_jpeg_shape(headers, tf.int64).numpy().tolist() == [8, 8, 1] and tf.io.is_jpeg(GRAY).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Not a JPEG file"):
        tf.io.extract_jpeg_shape(GRAY)


def test_there_and_back():
    image_module()
    data = tf.io.encode_jpeg(SMOOTH)
    assert tf.io.extract_jpeg_shape(data).numpy().tolist() == [24, 33, 3]
    back = tf.io.decode_jpeg(data).numpy().astype(int)
    # the colours overflow at the right and lower edge, which JPEG smears
    assert np.abs(back - SMOOTH)[:16, :16].max() < 12
    assert tf.io.decode_jpeg(data, channels=1).shape == [24, 33, 1]
    assert [tf.io.decode_jpeg(data, ratio=r).shape.as_list()[:2] for r in (2, 4, 8)] == [[12, 17], [6, 9], [3, 5]]
    crop = tf.io.decode_and_crop_jpeg(data, [3, 5, 10, 12])
    assert (crop.numpy() == back[3:13, 5:17]).all()
    assert (tf.io.decode_image(data).numpy() == back).all() and (tf.io.decode_png(data).numpy() == back).all()
    assert tf.io.decode_image(data, dtype=tf.float32).numpy().max() <= 1
    assert (tf.io.decode_jpeg(tf.io.encode_png(SMOOTH)).numpy() == SMOOTH).all()
    for window in ([3, 5, 100, 12], [-1, 0, 2, 2], [0, 0, 0, 2]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="crop window"):
            tf.io.decode_and_crop_jpeg(data, window)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid JPEG data"):
        tf.io.decode_jpeg(data.numpy()[:-200])
    assert tf.io.decode_jpeg(data.numpy()[:-100], try_recover_truncated=True).shape == [24, 33, 3]


def test_quality():
    image_module()
    sizes = [len(tf.io.encode_jpeg(SMOOTH, quality=q).numpy()) for q in (95, 50, 5)]
    assert sizes == sorted(sizes, reverse=True)
    worse = tf.image.adjust_jpeg_quality(SMOOTH / np.float32(255), 20)
    assert worse.dtype == tf.float32 and worse.shape == SMOOTH.shape and np.abs(worse.numpy() * 255 - SMOOTH).max() > 2
    one, two = (tf.image.stateless_random_jpeg_quality(SMOOTH, 5, 95, (1, 2)).numpy() for _ in range(2))
    assert (one == two).all() and tf.image.random_jpeg_quality(SMOOTH, 75, 95).shape == SMOOTH.shape


def test_frames():
    module = image_module()
    file = io.BytesIO()
    frames = [module.fromarray(SMOOTH).quantize(16), module.fromarray(SMOOTH[:, ::-1].copy()).quantize(16)]
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:])
    found = tf.io.decode_gif(file.getvalue()).numpy()
    assert found.shape == (2, 24, 33, 3) and (found[0] == np.asarray(frames[0].convert("RGB"))).all()
    assert (tf.io.decode_image(file.getvalue()).numpy() == found).all()
    assert (tf.io.decode_image(file.getvalue(), expand_animations=False).numpy() == found[0]).all()
    file = io.BytesIO()
    module.fromarray(SMOOTH).save(file, "WEBP", lossless=True)
    assert (tf.io.decode_webp(file.getvalue()).numpy() == SMOOTH[None]).all()
