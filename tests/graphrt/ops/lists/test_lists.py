"""Tensor arrays: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/lists`)."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/lists")
