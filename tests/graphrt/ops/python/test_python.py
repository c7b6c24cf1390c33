"""Python functions as ops: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/python`)."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/python")
