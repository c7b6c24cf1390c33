"""Ops on images: they give what TensorFlow gives, eagerly and in graphs (`tests/golden/calls/ops/image`)."""

import numpy as np
import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("ops/image")


@pytest.mark.parametrize("size", [(5, 20), (13, 4)])
@pytest.mark.parametrize("method", ["bilinear", "bicubic", "area", "nearest"])
def test_images_are_resized_as_each_by_itself(method, size):
    images = np.random.default_rng(0).random((3, 7, 9, 4), np.float32)
    found = tf.image.resize(images, size, method).numpy()
    assert found.shape == (3, *size, 4)
    for image, one in zip(images, found):
        assert tf.image.resize(image, size, method).numpy().tobytes() == one.tobytes()
