# Written by tests/stubs.py from graphrt/api/exports.py.
"""Integers as patterns of bits."""
from graphrt.ops.math.bitwise import (
    bitwise_and as bitwise_and, bitwise_or as bitwise_or, bitwise_xor as bitwise_xor, invert as invert,
    left_shift as left_shift, right_shift as right_shift
)
