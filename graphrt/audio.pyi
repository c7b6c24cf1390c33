# Written by tests/stubs.py from graphrt/api/exports.py.
"""Sound as WAV files."""
from graphrt.ops.io.wav import (
    decode_wav as decode_wav, encode_wav as encode_wav
)
