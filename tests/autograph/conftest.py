"""Fixtures for the tests of autograph: nothing here imports numpy or graphrt."""

import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "backends"))

import text_backend  # noqa: E402

import autograph  # noqa: E402


@pytest.fixture
def backend():
    """The backend that stages into text, registered for one test."""
    registered = autograph.register_backend(text_backend.TextBackend())
    yield registered
    autograph.unregister_backend(registered)


@pytest.fixture
def stage():
    """Makes a staged value of an expression."""
    return text_backend.Text
