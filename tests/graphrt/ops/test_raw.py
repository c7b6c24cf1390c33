"""Ops that are called raw: as TensorFlow has them, eagerly and in graphs (`tests/golden/calls/ops/raw.txt`)."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/raw")
