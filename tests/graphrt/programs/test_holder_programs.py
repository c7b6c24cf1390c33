"""Random programs on dictionaries and objects, by graphrt and by Python."""

import pytest

from tests.graphrt.programs import holder_programs


@pytest.mark.parametrize("seed", range(5000, 5012))
def test_random_programs_on_dictionaries_and_objects(seed):
    assert not holder_programs.wrong(seed)
