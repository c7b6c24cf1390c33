"""What do datasets cost, eagerly and in a function?"""

import os
import tempfile

import numpy as np

from tests.benchmarks.rows import row

COUNT = 100_000


def _numpy_batches():
    x = np.arange(COUNT, dtype=np.int64)
    y = x * 3 + 1
    y = y[y % 2 == 0]
    return [y[at : at + 64] for at in range(0, len(y), 64)]


@row("range(100000).map.filter.batch(64), eager")
def pipeline(tf):
    def f():
        dataset = tf.data.Dataset.range(COUNT).map(lambda x: x * 3 + 1).filter(lambda x: x % 2 == 0).batch(64)
        total = 0
        for batch in dataset:
            total += len(batch)
        return np.int64(total)

    return f


@pipeline.numpy
def _():
    def f():
        total = 0
        for batch in _numpy_batches():
            total += len(batch)
        return np.int64(total)

    return f


@row("the same pipeline, reduced in a function")
def pipeline_in_function(tf):
    dataset = tf.data.Dataset.range(COUNT).map(lambda x: x * 3 + 1).filter(lambda x: x % 2 == 0).batch(64)

    @tf.function
    def f():
        total = tf.constant(0, tf.int64)
        for batch in dataset:
            total += tf.reduce_sum(batch)
        return total

    return f


@pipeline_in_function.numpy
def _():
    def f():
        total = np.int64(0)
        for batch in _numpy_batches():
            total = total + np.sum(batch)
        return total

    return f


@row("sum of a dataset of 10,000 in a loop of a function")
def dataset_loop(tf):
    dataset = tf.data.Dataset.range(10_000)

    @tf.function
    def f():
        total = tf.constant(0, tf.int64)
        for x in dataset:
            total += x
        return total

    return f


@dataset_loop.numpy
def _():
    x = np.arange(10_000, dtype=np.int64)

    def f():
        total = np.int64(0)
        for v in x:
            total = total + v
        return total

    return f


@row("sum of a tensor of 10,000 in a loop of a function")
def tensor_loop(tf):
    @tf.function
    def f(x):
        total = tf.constant(0, tf.int64)
        for v in x:
            total += v
        return total

    x = tf.constant(np.arange(10_000, dtype=np.int64))
    return lambda: f(x)


tensor_loop.numpy(dataset_loop.programs["numpy"])


@row("shuffle(1000).batch(32) of 10,000 vectors", rtol=None)
def shuffled(tf):
    x = np.random.default_rng(0).standard_normal((10_000, 16)).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices(x).shuffle(1000, seed=1).batch(32)

    def f():
        count = 0
        for _ in dataset:
            count += 1
        return count

    return f


@row("reading 20,000 records of 100 bytes")
def records(tf):
    path = os.path.join(tempfile.mkdtemp(), "records")
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(20_000):
            writer.write(bytes([i % 251]) * 100)

    def f():
        count = 0
        for _ in tf.data.TFRecordDataset(path):
            count += 1
        return np.int64(count)

    return f
