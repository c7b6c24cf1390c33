"""Files are read when a function runs, not when it is traced."""

import os

import numpy as np
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


def test_files_are_named_by_urls_too(tmp_path):
    at = f"file://{tmp_path}"
    tf.io.write_file(f"{at}/a.txt", "x,1\n")
    with tf.io.TFRecordWriter(f"{at}/records") as writer:
        writer.write(b"r")
    assert tf.io.read_file(f"{at}/a.txt").numpy() == (tmp_path / "a.txt").read_bytes() == b"x,1\n"
    assert tf.io.matching_files(f"{at}/*.txt").numpy().tolist() == [f"{at}/a.txt".encode()]
    for listed in (f"{at}/a.txt", f"{at}/*.txt"):
        assert [n.numpy().decode() for n in tf.data.Dataset.list_files(listed)] == [f"{at}/a.txt"]
    assert [x.numpy() for x in tf.data.TextLineDataset(f"{at}/a.txt")] == [b"x,1"]
    assert [x.numpy() for x in tf.data.TFRecordDataset(f"{at}/records")] == [b"r"]
    index = tf.lookup.TextFileIndex
    table = tf.lookup.TextFileInitializer(f"{at}/a.txt", tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER)
    assert tf.lookup.StaticHashTable(table, -1).lookup(tf.constant("x,1")).numpy() == 0
    kept = tf.data.Dataset.range(2).cache(f"{at}/cache")
    assert [int(x) for x in kept] == [0, 1] and (tmp_path / "cache.index").exists()
    kept.save(f"{at}/kept")
    assert [int(x) for x in tf.data.Dataset.load(f"{at}/kept")] == [0, 1]
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    saved = tf.train.CheckpointManager(checkpoint, f"{at}/checkpoints", 1).save()
    assert (
        tf.train.latest_checkpoint(f"{at}/checkpoints") == saved and (tmp_path / "checkpoints" / "checkpoint").exists()
    )
    tf.saved_model.save(checkpoint, f"{at}/model")
    assert tf.saved_model.load(str(tmp_path / "model")).v.numpy() == 1
    assert tf.io.gfile.glob(f"{at}/*.txt") == [f"{at}/a.txt"]


@pytest.mark.parametrize("name", ["gs://bucket/a", "hdfs:///a", "s3://b/c"])
def test_files_elsewhere_are_refused_in_words(name):
    for call in (
        lambda: tf.io.read_file(name), lambda: tf.io.write_file(name, "x"), lambda: tf.io.gfile.exists(name),
        lambda: tf.io.gfile.GFile(name).read(), lambda: tf.io.matching_files(name), lambda: tf.io.TFRecordWriter(name),
        lambda: list(tf.data.TextLineDataset(name)), lambda: list(tf.data.Dataset.list_files(name)),
    ):  # fmt: skip
        with pytest.raises(tf.errors.UnimplementedError, match="File system scheme '(gs|hdfs|s3)' not implemented"):
            call()


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device")
@pytest.mark.parametrize("read", [tf.io.read_file, lambda path: tf.io.gfile.GFile(path, "rb").read()])
def test_a_device_without_an_end_is_refused(read, tmp_path):
    with pytest.raises(tf.errors.ResourceExhaustedError, match="/dev/zero is a device, which gives more than"):
        read("/dev/zero")
    assert read("/dev/null") == b""
    path = tmp_path / "large"
    with open(path, "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"large would take 1099511627776 bytes, the limit is"):
        read(str(path))


@pytest.mark.parametrize(
    "call",
    [
        tf.io.read_file, lambda path: tf.io.write_file(path, "x"), tf.io.matching_files, tf.io.TFRecordWriter, tf.saved_model.load,
        lambda path: tf.io.gfile.GFile(path).read(), tf.io.gfile.stat, tf.io.gfile.remove, tf.io.gfile.makedirs,
        lambda path: list(tf.data.TextLineDataset(path)), lambda path: list(tf.data.TFRecordDataset(path)),
        lambda path: tf.saved_model.save(tf.Module(), path), tf.keras.models.load_model, tf.summary.create_file_writer,
        lambda path: tf.print("x", output_stream=f"file://{path}"), lambda path: tf.train.Checkpoint().write(path),
        lambda path: tf.keras.layers.StringLookup(vocabulary=path), lambda path: tf.io.gfile.copy(__file__, path),
    ],
)  # fmt: skip
def test_names_that_no_file_can_have_are_told(call):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=r"'a\\x00b\*?' is no name of a file"):
        call("a\0b")
    assert not tf.io.gfile.exists("a\0b") and not tf.io.gfile.isdir(b"a\0b")


def _saved(path):
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(path)
    return tf.train.Checkpoint(v=tf.Variable(0.0)).read(path)


def _managed(path):
    tf.train.CheckpointManager(tf.train.Checkpoint(v=tf.Variable(1.0)), path, 2).save()
    assert os.path.dirname(tf.train.latest_checkpoint(path)) == path


def _recorded(path):
    tf.data.experimental.TFRecordWriter(path).write(tf.data.Dataset.from_tensors(b"x"))
    assert [x.numpy() for x in tf.data.TFRecordDataset(path)] == [b"x"]


def _summarized(path):
    with tf.summary.create_file_writer(path).as_default():
        tf.summary.scalar("loss", 1.0, step=1)


def _logged(path):
    model = tf.keras.Sequential([tf.keras.Input([1]), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    callback = tf.keras.callbacks.CSVLogger(path)
    model.fit(np.ones([1, 1]), np.ones([1, 1]), verbose=0, callbacks=[callback])


@pytest.mark.parametrize(
    "use",
    [
        _saved, _managed, _recorded, _summarized, _logged, lambda path: tf.saved_model.save(tf.Module(), path),
        lambda path: tf.io.gfile.GFile(path, "w").close(), lambda path: tf.io.write_graph(tf.Graph(), path, "graph"),
    ],
)  # fmt: skip
def test_names_that_are_no_text(use, tmp_path):
    use(f"{tmp_path}/\udcff")  # what Python makes of a byte that is no UTF-8
    for name, why in (("\ud800", "no bytes stand for all of it"), ("a\0b", "it holds a NUL")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"is no name of a file: {why}"):
            use(f"{tmp_path}/{name}")
    assert len(list(tmp_path.iterdir())) in (1, 2)  # a checkpoint has two files
