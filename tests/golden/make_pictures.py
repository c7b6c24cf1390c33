"""Writes `pictures.json`, small pictures in the formats that need an encoder: `python -m tests.golden.make_pictures`, with Pillow."""

import base64
import io
import os

import numpy as np

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pictures.json")


def smooth(height, width, channels):
    """A picture without sharp edges, for all decoders to agree on."""
    y, x, c = np.mgrid[:height, :width, :channels]
    return ((np.sin(y / 5 + c) + np.cos(x / 7 - c) + 2) * 60).astype(np.uint8)


def saved(image, name, **options):
    file = io.BytesIO()
    image.save(file, name, **options)
    return base64.b64encode(file.getvalue()).decode()


def main():
    from PIL import Image  # optional: with the extra `image`

    color, gray = Image.fromarray(smooth(9, 11, 3)), Image.fromarray(smooth(8, 16, 1)[..., 0])
    frames = [Image.fromarray(smooth(6, 5, 3) + np.uint8(20 * i)).quantize(16) for i in range(3)]
    alpha = Image.fromarray(np.dstack([smooth(6, 7, 3), np.arange(42, dtype=np.uint8).reshape(6, 7) * 6]))
    found = {
        "jpeg": saved(color, "JPEG", quality=90, subsampling=0), "jpeg of halves": saved(color, "JPEG", quality=75, subsampling=2),
        "jpeg gray": saved(gray, "JPEG", quality=90), "jpeg in steps": saved(color, "JPEG", quality=90, subsampling=0, progressive=True),
        "jpeg of one": saved(Image.fromarray(smooth(1, 1, 3)), "JPEG", quality=90, subsampling=0),
        "jpeg cmyk": saved(color.convert("CMYK"), "JPEG", quality=90),
        "gif": saved(frames[0], "GIF"), "gif of three": saved(frames[0], "GIF", save_all=True, append_images=frames[1:]),
        "webp": saved(color, "WEBP", lossless=True), "webp alpha": saved(alpha, "WEBP", lossless=True, exact=True),
        "png palette": saved(frames[0], "PNG"), "png bits": saved(gray.convert("1"), "PNG"), "png gray alpha": saved(alpha.convert("LA"), "PNG"),
        "bmp": saved(color, "BMP"), "bmp gray": saved(gray, "BMP"), "bmp alpha": saved(alpha, "BMP"),
    }  # fmt: skip
    with open(PATH, "w") as file:
        file.write("{\n" + ",\n".join(f'"{name}": "{text}"' for name, text in found.items()) + "\n}\n")


if __name__ == "__main__":
    main()
