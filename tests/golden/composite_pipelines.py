"""Pipelines over ragged and sparse tensors: run by TensorFlow to record, by us to compare."""

import numpy as np


def shown(tf, value):
    """An element in plain lists."""
    if isinstance(value, dict):
        return {k: shown(tf, v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [shown(tf, v) for v in value]
    if isinstance(value, tf.RaggedTensor):
        return ["ragged", value.to_list(), value.ragged_rank, value.row_splits.dtype.name]
    if isinstance(value, tf.SparseTensor):
        return ["sparse", *(part.numpy().tolist() for part in (value.indices, value.values, value.dense_shape))]
    return value.numpy().tolist()


def cases(tf):
    """Name -> a function that gives a dataset."""
    data = tf.data.Dataset

    def lengths(n=5):
        return data.range(n).map(tf.range)

    rows = tf.ragged.constant([[1, 2], [3], []])
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])
    return {
        "ragged_batch": lambda: lengths().ragged_batch(2),
        "drop_remainder": lambda: lengths().ragged_batch(2, drop_remainder=True),
        "int32 splits": lambda: lengths().ragged_batch(2, row_splits_dtype=tf.int32),
        "scalars": lambda: data.range(5).ragged_batch(2),
        "known shapes": lambda: data.from_tensor_slices(np.ones((3, 2), np.float32)).ragged_batch(2),
        "ragged, then known": lambda: data.range(1, 4).map(lambda n: tf.ones([n, 2], tf.int32)).ragged_batch(2),
        "two ragged dimensions": lambda: data.range(1, 4).map(lambda n: tf.ones([n, n + 1], tf.int32)).ragged_batch(2),
        "tuples": lambda: data.range(4).map(lambda n: (n, tf.range(n), tf.zeros([2]))).ragged_batch(2),
        "dictionaries": lambda: data.range(4).map(lambda n: {"a": n, "b": tf.range(n)}).ragged_batch(3),
        "unbatch": lambda: lengths().ragged_batch(2).unbatch(),
        "batched again": lambda: lengths().ragged_batch(2).unbatch().ragged_batch(3),
        "map": lambda: lengths().ragged_batch(2).map(lambda x: x * 2),
        "slices": lambda: data.from_tensor_slices(rows),
        "slices of two dimensions": lambda: data.from_tensor_slices(tf.ragged.constant([[[1], [2, 3]], [[3]], []])),
        "from_tensors": lambda: data.from_tensors(rows),
        "batch": lambda: data.from_tensor_slices(rows).batch(2),
        "batch of results": lambda: data.range(4).map(lambda n: tf.ragged.range(tf.stack([n, n + 1]))).batch(2),
        "filter": lambda: data.from_tensor_slices(rows).filter(lambda x: tf.size(x) > 0),
        "repeat": lambda: data.from_tensor_slices(rows).repeat(2).take(4),
        "padded_batch": lambda: data.from_tensor_slices(rows).padded_batch(3),
        "sparse_batch": lambda: lengths().sparse_batch(2, row_shape=[4]),
        "open row shape": lambda: lengths(3).sparse_batch(2, row_shape=[None]),
        "sparse matrices": lambda: data.range(1, 4).map(lambda n: tf.ones([n, 2], tf.int32)).sparse_batch(2, [3, 2]),
        "too small": lambda: lengths().sparse_batch(2, row_shape=[2]),
        "wrong rank": lambda: lengths().sparse_batch(2, row_shape=[2, 2]),
        "sparse tuples": lambda: data.range(4).map(lambda n: (n, tf.range(n))).sparse_batch(2, [4]),
        "sparse slices": lambda: data.from_tensor_slices(sparse),
        "sparse from_tensors": lambda: data.from_tensors(sparse),
        "batch of sparse": lambda: data.from_tensor_slices(sparse).batch(2),
        "sparse results": lambda: data.range(3).map(lambda n: tf.SparseTensor([[n]], [n], [4])).batch(2),
        "unbatch of sparse": lambda: lengths().sparse_batch(2, row_shape=[4]).unbatch(),
        "dense_to_ragged_batch": lambda: lengths().apply(tf.data.experimental.dense_to_ragged_batch(2)),
        "dense_to_sparse_batch": lambda: lengths().apply(tf.data.experimental.dense_to_sparse_batch(2, [4])),
        "window": lambda: lengths().window(2).flat_map(lambda w: w.ragged_batch(2)),
        "zip": lambda: data.zip(data.from_tensor_slices(rows), data.range(3)).batch(2),
        "generator": lambda: data.from_generator(
            lambda: iter([tf.ragged.constant([[1], [2, 3]])]), output_signature=tf.RaggedTensorSpec([2, None], tf.int32)
        ),
        "concatenate": lambda: lengths(3).ragged_batch(2).concatenate(lengths(2).ragged_batch(2)),
        "cache and prefetch": lambda: lengths(3).ragged_batch(2).cache().prefetch(1),
        "shuffle": lambda: lengths(4).ragged_batch(1).shuffle(4, seed=1),
        "strings": lambda: data.from_tensor_slices(tf.ragged.constant([["a", "bc"], ["d"]])).batch(2),
    }


def run(tf):
    """Name -> what the pipeline gives: spec, cardinality and elements, or the class of the error."""
    found = {}
    for name, make in cases(tf).items():
        try:
            dataset = make()
            spec, count = str(dataset.element_spec), int(dataset.cardinality())
            found[name] = [spec, count, repr([shown(tf, x) for x in dataset])]
        except Exception as error:
            found[name] = type(error).__name__
    return found
