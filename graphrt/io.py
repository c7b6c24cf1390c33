"""`tf.io`: files, encodings, tensors and images as bytes."""

from __future__ import annotations

from graphrt.graphdef.tensors import (
    parse_tensor,
    serialize_tensor,
)
from graphrt.ops.files import (
    decode_compressed,
    decode_csv,
    decode_raw,
    matching_files,
    read_file,
    write_file,
)
from graphrt.ops.image_files import (
    decode_bmp,
    decode_image,
    decode_png,
    encode_png,
    is_jpeg,
)
from graphrt.ops.strings import (
    decode_base64,
    encode_base64,
)

__all__ = [
    "decode_base64", "decode_bmp", "decode_compressed", "decode_csv", "decode_image", "decode_png", "decode_raw",
    "encode_base64", "encode_png", "is_jpeg", "matching_files", "parse_tensor", "read_file", "serialize_tensor",
    "write_file",
]  # fmt: skip
