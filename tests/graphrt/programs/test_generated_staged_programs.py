"""Random staged programs give what Python gives; see `generated_staged_programs.py` for many more of them."""

import pytest

from tests import whole
from tests.graphrt.programs import generated_staged_programs


@pytest.mark.parametrize("first", whole.some(range(0, 12, 3), 2))
def test_graph_is_python(first):
    for seed in range(first, first + 3):
        assert generated_staged_programs.compare(seed) is None
