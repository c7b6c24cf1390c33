"""What eager tensors have of their own."""

import pytest

import graphrt as tf


def test_eager_tensors_are_in_the_memory_of_the_host():
    x = tf.constant([1.0, 2.0])
    assert x.cpu() is x and x.cpu().backing_device == x.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    with pytest.raises(RuntimeError, match="GPU:0 unknown device"):
        x.gpu()
