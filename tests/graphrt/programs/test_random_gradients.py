"""A sample of random programs; `random_gradients.py` runs any number by hand."""

import pytest

from tests import whole
from tests.graphrt.programs import random_gradients


@pytest.mark.parametrize("seed", whole.some([100, 110, 113, 116, 117, 121, 124, 127, 139, 142], 5))  # short ones
def test_gradients_agree(seed):
    assert random_gradients.check(seed, quick=True) is None
