"""Special functions: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/math/special`)."""

from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/math/special")
