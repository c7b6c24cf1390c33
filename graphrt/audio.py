"""`tf.audio`: sound as WAV files."""

from graphrt.ops.audio import decode_wav, encode_wav

__all__ = ["decode_wav", "encode_wav"]
