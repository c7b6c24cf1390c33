"""Ragged tensors, and ops that take them: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/ragged`)."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/ragged")
