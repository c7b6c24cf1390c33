"""What holds for all tests of graphrt."""

import pytest


@pytest.fixture(autouse=True)
def no_global_seed():
    """A test may set the global seed; the next one starts without."""
    import graphrt as tf

    tf.random.set_seed(None)
    yield
    tf.random.set_seed(None)


@pytest.fixture(autouse=True, scope="module")
def no_seed_of_other_files():
    """Nor does what a file of tests makes for all of them see the seed of another file."""
    import graphrt as tf

    tf.random.set_seed(None)
