"""Random programs on holders with several names are right or refused; see `generated_holder_programs.py` for many more."""

import pytest

from tests import whole
from tests.graphrt.programs import generated_holder_programs


@pytest.mark.parametrize("first", whole.some(range(0, 12, 3), 2))
def test_graph_is_python_or_refused(first):
    for seed in range(first, first + 3):
        assert generated_holder_programs.compare(seed)[0] is None
