"""NumPy's warnings are switched off while something runs, and on again whatever happened."""

import warnings

import numpy as np
import pytest

from graphrt.types import float_warnings
from graphrt.types.float_warnings import silently


def test_warnings_are_switched_off_without_numpys_internals_too(monkeypatch):
    from numpy._core import umath

    before = np.geterr()
    monkeypatch.delattr(umath, "_make_extobj")
    ask, switch, undo, mode = float_warnings.error_mode()
    mode_before = ask()
    for back in (lambda _: switch(mode_before), undo):
        token = switch(mode)
        assert set(np.geterr().values()) == {"ignore"}
        back(token)
        assert np.geterr() == before


@pytest.mark.parametrize("moment", ["before it has a name", "later"])
def test_they_are_on_again_after_an_interrupt_where_they_are_switched_off(monkeypatch, moment):
    before, switch = np.geterr(), float_warnings.set_mode

    def interrupted(mode):
        token = switch(mode)
        if moment == "before it has a name" and mode is float_warnings.IGNORE:
            raise KeyboardInterrupt
        return token

    monkeypatch.setattr(float_warnings, "set_mode", interrupted)
    with pytest.raises(KeyboardInterrupt):
        silently(lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    assert np.geterr() == before


def test_they_are_on_again_after_an_error():
    before = np.geterr()
    with pytest.raises(KeyboardInterrupt):
        silently(lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    assert np.geterr() == before
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(silently(np.divide, 1.0, 0.0))
