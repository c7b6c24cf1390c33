"""Fixtures for the tests of autograph: nothing here imports numpy or graphrt."""

import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "backends"))

import text_backend  # noqa: E402

import autograph  # noqa: E402
from autograph.backends import registry  # noqa: E402

# The converted bodies are what most tests are about; `test_idle.py` is about the plain ones. With this variable set all
# tests run the plain bodies wherever a test registers no backend.
registry.always_staging(os.environ.get("AUTOGRAPH_TEST_IDLE", "") in ("", "0"))


@pytest.fixture
def plain_bodies():
    """Converted functions run as they were written while no backend is active."""
    before = registry.always_staging(False)
    yield
    registry.always_staging(before)


@pytest.fixture
def backend():
    """The backend that stages into text, registered for one test."""
    registered = autograph.backends.register_backend(text_backend.TextBackend())
    yield registered
    autograph.backends.unregister_backend(registered)


@pytest.fixture
def stage():
    """Makes a staged value of an expression."""
    return text_backend.Text
