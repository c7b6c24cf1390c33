"""Tensors as messages: as TensorFlow has them, eagerly and in graphs (`tests/golden/calls/graphdef/tensors.txt`)."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("graphdef/tensors")
