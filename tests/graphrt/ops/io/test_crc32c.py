"""Checksums of many texts side by side are those of each."""

import numpy as np
import pytest

from graphrt.ops.io.crc32c import crc32c, masked_crc32c, masked_crc32cs

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize(
    "sizes", [[], [9], [100] * 20, range(4, 60), range(0, 30), [4] * 8, [599] * 9, [598, 600] * 8, [7, 8, 9, 500] * 4]
)
def test_many_at_once(sizes):
    texts = [RANDOM.bytes(size) for size in sizes]
    assert masked_crc32cs(texts) == [masked_crc32c(text) for text in texts]


def test_known_ones():
    assert crc32c(b"123456789") == 0xE3069283
    zeros, ones = bytes(32), b"\xff" * 32
    assert [crc32c(zeros), crc32c(ones)] == [0x8A9136AA, 0x62A8AB43]
    assert masked_crc32cs([zeros, ones] * 8) == [masked_crc32c(zeros), masked_crc32c(ones)] * 8
