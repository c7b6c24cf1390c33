# Written by tests/stubs.py from graphrt/api/exports.py.
"""Sound as WAV files."""
from graphrt.ops.audio import (
    decode_wav as decode_wav, encode_wav as encode_wav
)
