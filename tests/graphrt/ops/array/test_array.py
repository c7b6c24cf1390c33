"""Ops on the shape and the order of elements: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/array`)."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/array")
