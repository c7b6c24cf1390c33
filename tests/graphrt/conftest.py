"""What holds for all tests of graphrt."""

import pytest


@pytest.fixture(autouse=True)
def no_global_seed():
    """A test may set the global seed; the next one starts without."""
    import graphrt as tf

    tf.random.set_seed(None)
    yield
    tf.random.set_seed(None)
