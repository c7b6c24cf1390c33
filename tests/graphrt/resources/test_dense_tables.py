"""Dense tables in checkpoints: in TensorFlow's buckets, whose places were looked up in what TensorFlow wrote."""

import numpy as np
import pytest

import graphrt as tf
from graphrt.resources.dense_tables import buckets_of, rows_in

Dense = tf.lookup.experimental.DenseHashTable


def ints(*values):
    return tf.constant(values, tf.int64)


def places(table):
    """Each key with the bucket that it stands in."""
    keys, _ = buckets_of(table.table)
    empty = next(iter(table.table.forbidden))
    rows = [(i, k if table.table.key_dims else k[0]) for i, k in enumerate(keys.tolist())]
    return {i: k for i, k in rows if k != (list(empty) if table.table.key_dims else empty)}


def test_keys_stand_where_tensorflow_looks_for_them():
    table = Dense(tf.int64, tf.int64, -1, -100, -101)
    table.insert(ints(4, 20, 36, 7, -5, 2**40 + 3), ints(1, 2, 3, 4, 5, 6))
    assert places(table) == {3: 2**40 + 3, 4: 4, 5: 20, 7: 36, 8: 7, 11: -5}
    words = Dense(tf.string, tf.int64, -1, "", "$")
    words.insert(["a", "b", "hello", "q"], ints(1, 2, 3, 4))
    assert places(words) == {3: b"q", 10: b"b", 11: b"hello", 12: b"a"}
    pairs = Dense(tf.int64, tf.int64, [-1, -1], [-100, 0], [-101, 0])
    pairs.insert([[4, 5], [6, 7]], [[1, 2], [3, 4]])
    assert places(pairs) == {1: [4, 5], 2: [6, 7]}


@pytest.mark.parametrize("count", [0, 1, 8, 9, 100])
def test_buckets_hold_what_the_table_does(count):
    table = Dense(tf.int64, tf.float32, -1.0, -100, -101)
    table.insert(ints(*range(0, 16 * count, 16)), np.arange(count, dtype=np.float32))
    keys, values = buckets_of(table.table)
    assert len(keys) >= 2 * count and len(keys) & (len(keys) - 1) == 0 and keys.shape == values.shape == (len(keys), 1)
    found, held = rows_in(table.table, keys, values)
    assert dict(zip(found.tolist(), held.tolist())) == {16 * i: float(i) for i in range(count)}


def test_checkpoints_and_saved_models_hold_dense_tables(tmp_path):
    made = tf.Module()
    made.table = Dense(tf.int64, tf.int64, -1, -100, -101)
    made.table.insert(ints(4, 20), ints(1, 2))
    made.find = tf.function(lambda k: made.table.lookup(k), input_signature=[tf.TensorSpec([None], tf.int64)])
    path = tf.train.Checkpoint(table=made.table).write(str(tmp_path / "c"))
    assert dict(tf.train.list_variables(path))["table/.ATTRIBUTES/table-keys"] == [16, 1]
    other = Dense(tf.int64, tf.int64, -1, -100, -101)
    other.insert(ints(9), ints(9))
    tf.train.Checkpoint(table=other).read(path).assert_consumed()
    assert other.lookup(ints(4, 20, 9)).numpy().tolist() == [1, 2, -1]
    tf.saved_model.save(made, tmp_path / "m")
    assert tf.saved_model.load(tmp_path / "m").find(ints(4, 20, 9)).numpy().tolist() == [1, 2, -1]
