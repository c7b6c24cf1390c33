"""What do saving and loading cost?"""

import os
import tempfile

import numpy as np

from tests.benchmarks.rows import row


def _model(tf):
    class Model(tf.Module):
        def __init__(self):
            self.w = [tf.Variable(np.full((256, 256), i, np.float32)) for i in range(4)]

        @tf.function(input_signature=[tf.TensorSpec([None, 256], tf.float32)])
        def __call__(self, x):
            for w in self.w:
                x = tf.nn.relu(tf.matmul(x, w))
            return x

    return Model()


@row("checkpoint of four 256x256: save and restore", rtol=None)
def checkpoint(tf):
    model = _model(tf)
    path = os.path.join(tempfile.mkdtemp(), "checkpoint")

    def f():
        kept = tf.train.Checkpoint(model=model)
        kept.read(kept.write(path)).assert_consumed()

    return f


@row("SavedModel of four 256x256: save", rtol=None)
def saved_model(tf):
    model = _model(tf)
    path = os.path.join(tempfile.mkdtemp(), "model")
    return lambda: tf.saved_model.save(model, path)


@row("SavedModel of four 256x256: load and first call", rtol=None)
def loaded_model(tf):
    model = _model(tf)
    path = os.path.join(tempfile.mkdtemp(), "model")
    tf.saved_model.save(model, path)
    x = tf.ones([2, 256])
    return lambda: tf.saved_model.load(path)(x)
