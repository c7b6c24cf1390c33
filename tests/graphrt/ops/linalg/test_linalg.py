"""Ops of linear algebra: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/linalg`)."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/linalg")
