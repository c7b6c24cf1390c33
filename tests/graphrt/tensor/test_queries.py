"""Questions about tensors: as TensorFlow has them, eagerly and in graphs (`tests/golden/calls/tensor/queries.txt`)."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("tensor/queries")
