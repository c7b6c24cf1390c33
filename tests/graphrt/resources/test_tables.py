"""Tables: as TensorFlow has them, in functions, from files, of vectors, with words that are not in the vocabulary.

Covers: graphrt/resources/table_ops.py.
"""

import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("state/tables")


def test_a_mutable_table_in_functions():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)

    @tf.function
    def count(words):
        for word in words:
            table.insert([word], [tf.maximum(table[word], 0) + 1])
        return table.size()

    assert count(tf.constant(["a", "b", "a", "a"])).numpy() == 2
    assert dict(zip(*(t.numpy().tolist() for t in table.export()))) == {b"a": 3, b"b": 1}
    table.remove(tf.constant(["a", "z"]))
    assert table.lookup(tf.constant(["a", "b"])).numpy().tolist() == [-1, 1]
    found = table.lookup(tf.constant(["a", "q"]), dynamic_default_values=tf.constant([7, 8], tf.int64))
    assert found.numpy().tolist() == [7, 8]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[2\] for value, got \[1\]"):
        table.insert(["a", "b"], [1])


def test_tables_of_vectors_and_dense_tables():
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    table.insert([1, 2], [[1.0, 2.0], [3.0, 4.0]])
    look = tf.function(lambda k: (table.lookup(k), table.export()))
    found, (keys, values) = look(tf.constant([[1, 9]], tf.int64))
    assert found.numpy().tolist() == [[[1, 2], [0, 0]]] and keys.numpy().tolist() == [1, 2]
    assert look.get_concrete_function(tf.TensorSpec([None], tf.int64)).output_shapes[0].as_list() == [None, 2]
    dense = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, default_value=-1, empty_key="", deleted_key="$")
    dense.insert(["a", "b"], [1, 2])
    dense.erase(["a"])
    assert (dense["a"].numpy(), dense["b"].numpy(), dense.size().numpy()) == (-1, 2, 1)
    for call in (lambda: dense.lookup([""]), lambda: dense.insert(["$"], [1])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="as a table key is not allowed"):
            call()


def test_tables_from_files(tmp_path):
    path = str(tmp_path / "words")
    tf.io.write_file(path, "emerson 10\nlake 20\npalmer 30\n")
    index = tf.lookup.TextFileIndex
    pairs = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1, delimiter=" "), -1)
    assert pairs.lookup(tf.constant(["palmer", "x"])).numpy().tolist() == [30, -1]
    lines = tf.lookup.TextFileInitializer(path, tf.int64, index.LINE_NUMBER, tf.string, index.WHOLE_LINE, vocab_size=2)
    numbers = tf.lookup.StaticHashTable(lines, "?")
    assert numbers.lookup(tf.constant([1, 2], tf.int64)).numpy().tolist() == [b"lake 20", b"?"]
    for how, error, text in (
        ({"vocab_size": 7}, tf.errors.InvalidArgumentError, "expected 7 but got 3"),
        ({"value_index": 5}, tf.errors.InvalidArgumentError, "expected at least 6 got 1"),
        ({"filename": path + "no"}, tf.errors.NotFoundError, "No such file"),
    ):
        given = {
            "filename": path,
            "key_dtype": tf.string,
            "key_index": index.WHOLE_LINE,
            "value_dtype": tf.int64,
            "value_index": index.LINE_NUMBER,
        } | how
        with pytest.raises(error, match=text):
            tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(**given), -1)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Key a has 1 and trying to add value 2"):
        tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2]), -1)
    with pytest.raises(ValueError, match="must be int64"):
        tf.lookup.TextFileInitializer(path, tf.string, index.WHOLE_LINE, tf.string, index.LINE_NUMBER)


def test_words_that_are_not_in_the_vocabulary():
    start = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    table = tf.lookup.StaticVocabularyTable(start, 5)
    words = tf.constant(["a", "b", "c", "d", "", "hello world"])
    assert (
        table.lookup(words).numpy().tolist() == [0, 1, 4, 2, 5, 3] == tf.function(table.lookup)(words).numpy().tolist()
    )
    assert table.size().numpy() == 7 and table[tf.constant("q")].numpy() == 5
    assert tf.lookup.StaticVocabularyTable(None, 3).lookup(words).numpy().tolist() == [0, 1, 1, 2, 2, 0]
    numbers = tf.lookup.KeyValueTensorInitializer(tf.constant([10, 11], tf.int64), tf.constant([0, 1], tf.int64))
    table = tf.lookup.StaticVocabularyTable(numbers, 3)
    assert table.lookup(tf.constant([10, 99, 100, 7], tf.int64)).numpy().tolist() == [0, 2, 2, 3]
    with pytest.raises(TypeError, match="Dtype of argument `keys`"):
        table.lookup(tf.constant([10], tf.int32))
    with pytest.raises(ValueError, match="must be > 0"):
        tf.lookup.StaticVocabularyTable(start, 0)
    with pytest.raises(TypeError, match="Invalid `value_dtype`"):
        tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["a"], [0]), 1)


def test_tables_take_ragged_and_sparse_keys():
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    assert table.lookup(tf.ragged.constant([["a"], ["b", "z"]])).to_list() == [[1], [2, -1]]
    found = table.lookup(tf.SparseTensor([[0, 1]], ["b"], [1, 2]))
    assert found.values.numpy().tolist() == [2] and found.dense_shape.numpy().tolist() == [1, 2]
