"""Ops of linear algebra: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/linalg`)."""

import numpy as np

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/linalg")


def test_matrices_of_a_batch_are_factored_as_each_alone_is():
    batch = np.random.default_rng(2).standard_normal((3, 2, 4, 4)).astype(np.float32)
    packed, order = tf.linalg.lu(batch)
    for at in np.ndindex(3, 2):
        alone, turned = tf.linalg.lu(batch[at])
        assert packed.numpy()[at].tobytes() == alone.numpy().tobytes()
        assert order.numpy()[at].tolist() == turned.numpy().tolist()
    assert tf.linalg.lu(batch[:, :, :0, :0]).lu.shape == (3, 2, 0, 0)
    assert tf.linalg.lu(batch[:0]).p.shape == (0, 2, 4)
