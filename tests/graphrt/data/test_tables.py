"""Lookup tables filled from datasets (`data/tables`), as TensorFlow 2.20 fills them."""

import numpy as np
import pytest

import graphrt as tf

KEYS = {
    "string": ["a", "b", "c"], "int64": tf.constant([10, 20, 30], tf.int64), "int32": [10, 20, 30],
    "uint8": tf.constant([10, 20, 30], tf.uint8),
}  # fmt: skip
EXPERIMENTAL = tf.data.experimental


def slices(values):
    return tf.data.Dataset.from_tensor_slices(values)


def pairs(keys, values=None):
    return tf.data.Dataset.zip(slices(keys), tf.data.Dataset.range(3) if values is None else slices(values))


@pytest.mark.parametrize("kind", KEYS)
@pytest.mark.parametrize("buckets", [0, 2])
def test_tables_of_pairs_and_of_keys(kind, buckets):
    asked = tf.constant(["b", "q"] if kind == "string" else [20, 99], kind)
    for table in (
        EXPERIMENTAL.table_from_dataset(pairs(KEYS[kind]), buckets, key_dtype=kind),
        EXPERIMENTAL.index_table_from_dataset(slices(KEYS[kind]), buckets, key_dtype=kind),
    ):
        one, other = table.lookup(asked).numpy()
        assert one == 1
        assert other == -1 if not buckets else 3 <= other < 5
        assert (table.size().numpy(), table.key_dtype.name, table.value_dtype) == (3 + buckets, kind, tf.int64)


def test_words_beyond_the_table_are_where_tensorflow_has_them():
    words, more = tf.constant(["a", "q", "zz"]), tf.constant([10, 5], tf.int64)
    assert EXPERIMENTAL.table_from_dataset(pairs(KEYS["string"]), 2).lookup(words).numpy().tolist() == [0, 4, 3]
    table = EXPERIMENTAL.table_from_dataset(pairs(KEYS["int64"]), 3, key_dtype=tf.int64)
    assert table.lookup(more).numpy().tolist() == [0, 4]


def test_defaults_and_sizes():
    words = tf.constant(["a", "c"])
    assert EXPERIMENTAL.index_table_from_dataset(slices(KEYS["string"]), default_value=5)["q"].numpy() == 5
    assert EXPERIMENTAL.table_from_dataset(pairs(KEYS["string"]), vocab_size=2).lookup(words).numpy().tolist() == [
        0,
        -1,
    ]
    table = EXPERIMENTAL.table_from_dataset(
        pairs(KEYS["int64"], ["x", "y", "z"]), default_value="n/a", key_dtype=tf.int64
    )
    assert table.lookup(tf.constant([20, 1], tf.int64)).numpy().tolist() == [b"y", b"n/a"]
    start = EXPERIMENTAL.DatasetInitializer(pairs(KEYS["string"], [1.5, 2.5, 3.5]))
    assert (start.key_dtype, start.value_dtype) == (tf.string, tf.float32)
    assert tf.lookup.StaticHashTable(start, np.nan).lookup(tf.constant("c")).numpy() == 3.5
    assert (
        tf.lookup.StaticVocabularyTable(EXPERIMENTAL.DatasetInitializer(pairs(["a", "b", "c"])), 1).size().numpy() == 4
    )
    empty = EXPERIMENTAL.index_table_from_dataset(slices(KEYS["string"]).take(0))
    assert empty.size().numpy() == 0 and empty.lookup(words).numpy().tolist() == [-1, -1]


def test_made_in_a_function_from_its_arguments():
    @tf.function
    def found(words, numbers):
        table = EXPERIMENTAL.table_from_dataset(pairs(words, numbers))
        index = EXPERIMENTAL.index_table_from_dataset(slices(words), num_oov_buckets=1)
        return table.lookup(tf.constant(["b", "z"])), index.lookup(tf.constant(["b"])), table.size()

    words = tf.constant(["a", "b"])
    for numbers, wanted in (([1, 2], [2, -1]), ([5, 6], [6, -1])):  # filled whenever it runs, not at the first time
        values, places, size = found(words, tf.constant(numbers, tf.int64))
        assert (values.numpy().tolist(), places.numpy().tolist(), size.numpy()) == (wanted, [1], 2)
    with pytest.raises(tf.errors.FailedPreconditionError, match="different value for same key"):
        found(tf.constant(["a", "a"]), tf.constant([1, 2], tf.int64))


def test_in_pipelines_and_functions():
    table = EXPERIMENTAL.index_table_from_dataset(slices(KEYS["string"]))
    assert list(slices(["b", "z"]).map(table.lookup).as_numpy_iterator()) == [1, -1]
    assert tf.function(table.lookup)(tf.constant(["c"])).numpy() == 2


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"num_oov_buckets": -1}, ValueError, "greater than or equal to 0, got -1"),
        ({"vocab_size": 0}, ValueError, "greater than 0, got 0"),
        ({"vocab_size": 5}, tf.errors.FailedPreconditionError, "5 elements but contained only 3"),
        ({"key_dtype": tf.float32}, TypeError, "either an integer or string type"),
        ({"hasher_spec": None}, TypeError, "fast hash"),
        ({"default_value": "x"}, (TypeError, ValueError), "int64"),
    ],
)
def test_refused_options(options, kind, text):
    with pytest.raises(kind, match=text):
        EXPERIMENTAL.table_from_dataset(pairs(KEYS["string"]), **options)


@pytest.mark.parametrize(
    ("dataset", "kind", "text"),
    [
        (3, TypeError, "from a tf.data.Dataset, found 3"),
        (slices(["a"]), ValueError, "scalar tensors"),
        (pairs(KEYS["string"]).batch(2), ValueError, "scalar tensors"),
        (tf.data.Dataset.from_tensors({"a": 1, "b": 2}), ValueError, "scalar tensors"),
        (slices((["a"], [1], [2])), ValueError, "scalar tensors"),
        (pairs(["a", "a", "b"]), tf.errors.FailedPreconditionError, "different value for same key. Key a has 0"),
    ],
)
def test_refused_datasets(dataset, kind, text):
    with pytest.raises(kind, match=text):
        EXPERIMENTAL.table_from_dataset(dataset)
    if not isinstance(dataset, tf.data.Dataset):
        with pytest.raises(kind, match=text):
            EXPERIMENTAL.index_table_from_dataset(dataset)


def test_strings_need_a_default():
    with pytest.raises(ValueError, match="`default_value` must be specified"):
        EXPERIMENTAL.table_from_dataset(pairs(KEYS["string"], ["x", "y", "z"]))
