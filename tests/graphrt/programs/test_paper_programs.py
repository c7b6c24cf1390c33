"""Programs written from papers give the numbers that TensorFlow gives (`tests/golden/paper_programs.py`)."""

import json

import numpy as np
import pytest

import graphrt as tf
from tests import ROOT
from tests.golden import published_programs  # noqa: F401  # which enters its programs
from tests.golden.paper_programs import PROGRAMS, numbers

RECORDED = json.loads((ROOT / "tests/golden/paper_programs.json").read_text())


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    np.testing.assert_allclose(numbers(tf, np, name), RECORDED[name], rtol=1e-4, atol=1e-5)
