"""Fixtures for the tests of autograph: nothing here imports numpy or graphrt."""

import os

import pytest

import autograph
from autograph.backends import registry
from tests.autograph.backends import text_backend

# The converted bodies are what most tests are about; `test_two_bodies.py` is about the plain ones. With this variable set all
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
