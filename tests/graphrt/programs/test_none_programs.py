"""Random programs on what is None on some paths, by graphrt and by Python."""

import pytest

from tests.graphrt.programs import none_programs


@pytest.mark.parametrize("seed", range(4000, 4020))
def test_random_programs_on_none(seed):
    assert not none_programs.wrong(seed)
