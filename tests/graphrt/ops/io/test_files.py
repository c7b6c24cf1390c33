"""Files are read when a function runs, not when it is traced."""

import pytest

import graphrt as tf


def test_a_traced_function_reads_the_file_again(tmp_path):
    path = str(tmp_path / "f")
    read = tf.function(lambda: (tf.io.read_file(path), tf.io.matching_files(str(tmp_path / "*"))))
    tf.io.write_file(path, "one")
    assert read()[0].numpy() == b"one"
    tf.io.write_file(path, "two")
    tf.io.write_file(path + "2", "more")
    contents, names = read()
    assert contents.numpy() == b"two"
    assert names.shape[0] == 2


DOORS = {
    "read_file": tf.io.read_file,
    "write_file": lambda path: tf.io.write_file(path, "a"),
    "GFile": lambda path: tf.io.gfile.GFile(path).read(),
    "TextLineDataset": lambda path: list(tf.data.TextLineDataset(path)),
    "TFRecordDataset": lambda path: list(tf.data.TFRecordDataset(path)),
    "TFRecordWriter": lambda path: tf.io.TFRecordWriter(path).close(),
    "TextFileInitializer": lambda path: tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1), -1
    ),
}


@pytest.mark.parametrize("door", DOORS)
def test_what_the_system_says_has_one_class_at_all_doors(door, tmp_path):
    """Those of TensorFlow 2.20, asked for each of them."""
    (tmp_path / "file").write_text("a")
    (tmp_path / "loop").symlink_to("loop")
    for path, wanted in (
        (tmp_path / "missing" / "x", tf.errors.NotFoundError),
        (tmp_path / ("a" * 300), tf.errors.InvalidArgumentError),
        (tmp_path / "file" / "x", tf.errors.FailedPreconditionError),
        (tmp_path, tf.errors.FailedPreconditionError),
        (tmp_path / "loop", tf.errors.UnknownError),
    ):
        if door != "write_file" or wanted is not tf.errors.NotFoundError:  # it makes the folders that are missing
            with pytest.raises(wanted, match=str(path)):
                DOORS[door](str(path))
