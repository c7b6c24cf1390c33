"""Quantized dtypes and ops on them, against recorded calls.

Covers: graphrt/ops/quantized_numbers.py.
"""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/quantized")
