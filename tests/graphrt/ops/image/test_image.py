"""Ops on images: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/image`)."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/image")
