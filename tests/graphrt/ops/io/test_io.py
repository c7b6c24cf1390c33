"""Ops that write text and read files: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/io`)."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/io")
