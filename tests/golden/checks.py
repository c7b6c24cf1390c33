"""The tests of golden calls: one a file of `calls/`."""

from collections.abc import Callable

import pytest

import graphrt as tf
from tests.golden import runner


def golden_tests(*under: str) -> Callable[[str], None]:
    """The test that the lines of a file, or of all files of a folder, give what TensorFlow gave."""

    @pytest.mark.parametrize("name", [name for part in under for name in runner.files(part)])
    def test_calls(name: str) -> None:
        recorded = runner.read(name, "recorded")
        found = runner.run(tf, name, own=True)
        assert found.keys() == recorded.keys(), f"run python -m tests.golden.record_calls {name}"
        told = runner.disagreements(found, recorded, runner.read(name, "differences"))
        assert not told, "\n".join(told)

    return test_calls
