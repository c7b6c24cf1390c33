"""Codecs of images: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/image/codecs`)."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/image/codecs")
