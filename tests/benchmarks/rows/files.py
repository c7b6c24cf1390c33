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


# --- 10,000 nodes, 100 MB --------------------------------------------------------------------------------------------
def _large(tf):
    class Large(tf.Module):
        def __init__(self):
            self.w = [tf.Variable(np.full((1024, 1024), i, np.float32)) for i in range(25)]

        @tf.function(input_signature=[tf.TensorSpec([None, 8], tf.float32)])
        def __call__(self, x):
            for i in range(3333):
                x = tf.nn.relu(x * 0.5 + self.w[i % 25][0, :8]) if i < 25 else tf.nn.relu(x * 0.5 + 1.0)
            return x

    made = Large()
    made.__call__.get_concrete_function()
    return made


@row("SavedModel of 10,000 nodes and 100 MB: save", rtol=None)
def large_save(tf):
    model = _large(tf)
    path = os.path.join(tempfile.mkdtemp(), "model")
    return lambda: tf.saved_model.save(model, path)


@row("SavedModel of 10,000 nodes and 100 MB: load", rtol=None)
def large_load(tf):
    path = os.path.join(tempfile.mkdtemp(), "model")
    tf.saved_model.save(_large(tf), path)
    return lambda: tf.saved_model.load(path).w[0].shape


@row("checkpoint of 100 MB: write", rtol=None)
def large_write(tf):
    kept = tf.train.Checkpoint(v=[tf.Variable(np.full((1024, 1024), i, np.float32)) for i in range(25)])
    path = os.path.join(tempfile.mkdtemp(), "c")
    return lambda: kept.write(path)


@row("checkpoint of 100 MB: read", rtol=None)
def large_read(tf):
    kept = tf.train.Checkpoint(v=[tf.Variable(np.full((1024, 1024), i, np.float32)) for i in range(25)])
    path = kept.write(os.path.join(tempfile.mkdtemp(), "c"))
    return lambda: kept.read(path).assert_consumed()
