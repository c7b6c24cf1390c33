"""Quantized dtypes and ops on them, against recorded calls."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/quantized")
