"""Files are read when a function runs, not when it is traced."""

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
