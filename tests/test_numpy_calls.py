"""Calls of NumPy's functions drawn at random by `tests.numpy_calls`: on tensors they give what NumPy gives on arrays."""

import numpy as np
import pytest
from numpy.lib import NumpyVersion

from graphrt.numpy_api import functions, operands
from tests import numpy_calls


@pytest.mark.skipif(NumpyVersion(np.__version__) < "2.3.0", reason="NumPy refuses other arguments before")
@pytest.mark.parametrize("seed", range(4))
def test_nothing_differs_in_silence(seed):
    found = numpy_calls.run(seed, 1500, ("eager", "traced"), [])
    assert {name: cases[:2] for name, cases in found.items() if not name.startswith("refused")} == {}


def test_what_differs_is_found(monkeypatch):
    assert functions  # which enters the rules
    monkeypatch.setitem(operands._FUNCTIONS, np.flip, lambda m, axis=None: m)
    assert "silent eager np.flip" in numpy_calls.run(1, 50, ("eager",), ["np.flip("])
    monkeypatch.setitem(operands._FUNCTIONS, np.flip, lambda m, axis=None: np.ravel(m))
    assert "silent traced np.flip" in numpy_calls.run(1, 50, ("traced",), ["np.flip("])
