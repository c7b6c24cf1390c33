"""`tf.io`: encodings of strings."""

from __future__ import annotations

from graphrt.ops.strings import decode_base64, encode_base64

__all__ = ["decode_base64", "encode_base64"]
