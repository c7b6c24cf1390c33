"""A short form of the trial of saved files: see `saved_files`."""

import importlib.util

import pytest

from tests.hostile import saved_files


@pytest.mark.parametrize("kind", sorted(saved_files.KINDS))
def test_a_killed_save_leaves_a_whole_version(kind):
    if kind in ("keras", "h5") and importlib.util.find_spec("h5py") is None:
        pytest.skip("h5py is not installed")
    assert saved_files.killed(kind, 6) == 6


def test_damaged_directories_are_refused_or_equal():
    tries, found = saved_files.damaged(150, step=29)
    assert tries > 250
    assert found == []
