"""A sample of random programs; `random_gradients.py` runs any number by hand."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import random_gradients  # noqa: E402


@pytest.mark.parametrize("seed", [100, 110, 113, 116, 117, 121, 124, 127, 139, 142])  # short ones
def test_gradients_agree(seed):
    assert random_gradients.check(seed, quick=True) is None
