"""`tf.io.gfile`, TFRecord files and graphs written to files do what TensorFlow's do.

Covers: graphrt/state/file_names.py.
"""

import os

import pytest

import graphrt as tf

g = tf.io.gfile


def write(path, content, mode="w"):
    with g.GFile(path, mode) as file:
        file.write(content)


def test_reading_and_writing(tmp_path):
    path = str(tmp_path / "a")
    write(path, "one\ntwo\n")
    assert g.GFile(path).read() == "one\ntwo\n" and g.GFile(path, "rb").read() == b"one\ntwo\n"
    assert (
        g.GFile(path).readline() == "one\n" and list(g.GFile(path)) == ["one\n", "two\n"] == g.GFile(path).readlines()
    )
    file = g.GFile(path)
    assert (file.read(2), file.tell(), file.size(), file.mode, file.name, file.seekable()) == (
        "on",
        2,
        8,
        "r",
        path,
        True,
    )
    file.seek(1)
    assert file.read(2) == "ne"
    file.seek(-2, 2)
    assert file.read() == "o\n"
    write(path, "three", "a")
    assert g.GFile(path, "r+").read() == "one\ntwo\nthree"
    write(path, b"\x00\xff", "wb")
    assert g.GFile(path, "rb").read() == b"\x00\xff"


@pytest.mark.parametrize(("call", "error"), [
    (lambda p: g.GFile(p / "no").read(), tf.errors.NotFoundError), (lambda p: g.GFile(p / "no", "q"), tf.errors.InvalidArgumentError),
    (lambda p: write(p / "x" / "y", "s"), tf.errors.NotFoundError), (lambda p: write(p / "c", 3), TypeError),
    (lambda p: g.GFile(p / "a").write("x"), tf.errors.PermissionDeniedError), (lambda p: g.GFile(p / "a").seek(1, 5), tf.errors.InvalidArgumentError),
    (lambda p: g.mkdir(p / "q" / "r"), tf.errors.NotFoundError), (lambda p: g.listdir(p / "no"), tf.errors.NotFoundError),
    (lambda p: g.copy(p / "a", p / "b"), tf.errors.AlreadyExistsError), (lambda p: g.copy(p / "no", p / "e"), tf.errors.NotFoundError),
    (lambda p: g.rename(p / "a", p / "b"), tf.errors.AlreadyExistsError), (lambda p: g.rename(p / "no", p / "e"), tf.errors.NotFoundError),
    (lambda p: g.remove(p / "no"), tf.errors.NotFoundError), (lambda p: g.remove(p / "d"), tf.errors.OpError), (lambda p: g.stat(p / "no"), tf.errors.NotFoundError),
    (lambda p: g.rmtree(p / "no"), tf.errors.NotFoundError), (lambda p: tf.io.TFRecordWriter(p / "no" / "w"), tf.errors.NotFoundError),
    (lambda p: tf.io.TFRecordWriter(p / "w", "FOO"), ValueError), (lambda p: tf.io.TFRecordOptions(compression_type="X"), ValueError),
])  # fmt: skip
def test_errors(tmp_path, call, error):
    for name in "ab":
        write(tmp_path / name, name)
    g.mkdir(tmp_path / "d")
    with pytest.raises(error):
        call(tmp_path)


def test_folders(tmp_path):
    top = str(tmp_path)
    for name in "ab":
        write(g.join(top, name), name)
    g.makedirs(g.join(top, "q", "r"))
    g.makedirs(g.join(top, "q", "r"))
    g.mkdir(top)  # is there: nothing happens
    assert g.listdir(top) == ["a", "b", "q"] and g.exists(g.join(top, "a")) and g.isdir(g.join(top, "q"))
    assert g.glob([g.join(top, "a"), g.join(top, "b*")]) == [g.join(top, "a"), g.join(top, "b")]
    walked = [(top, ["q"], ["a", "b"]), (g.join(top, "q"), ["r"], []), (g.join(top, "q", "r"), [], [])]
    assert (
        list(g.walk(top)) == walked
        and list(g.walk(top, topdown=False)) == walked[::-1]
        and list(g.walk(top + "no")) == []
    )
    g.copy(g.join(top, "a"), g.join(top, "b"), overwrite=True)
    assert g.GFile(g.join(top, "b")).read() == "a"
    g.rename(g.join(top, "b"), g.join(top, "c"))
    g.remove(g.join(top, "c"))
    assert (g.stat(g.join(top, "a")).length, g.stat(top).is_directory) == (1, True)
    g.rmtree(g.join(top, "q"))
    assert g.listdir(top) == ["a"]


@pytest.mark.parametrize(
    "how",
    [None, "", "GZIP", "ZLIB", tf.io.TFRecordOptions("GZIP", compression_level=9)],
    ids=["None", "empty", "GZIP", "ZLIB", "options"],
)
def test_records_are_read_back(tmp_path, how):
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path, how) as writer:
        writer.write(b"abc")
        writer.flush()
        writer.write("x" * 1000)
    kind = how.compression_type if isinstance(how, tf.io.TFRecordOptions) else how
    assert list(tf.data.TFRecordDataset(path, kind).as_numpy_iterator()) == [b"abc", b"x" * 1000]
    with pytest.raises(tf.errors.FailedPreconditionError, match="Writer is closed"):
        writer.write(b"more")


def test_examples_through_a_file(tmp_path):
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(3):
            feature = {
                "x": tf.train.Feature(float_list=tf.train.FloatList(value=[i, i + 0.5])),
                "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    wanted = {"x": tf.io.FixedLenFeature([2], tf.float32), "y": tf.io.FixedLenFeature([], tf.int64)}
    data = tf.data.TFRecordDataset(path).map(lambda r: tf.io.parse_single_example(r, wanted)).batch(3)
    (batch,) = data.as_numpy_iterator()
    assert batch["x"].tolist() == [[0, 0.5], [1, 1.5], [2, 2.5]] and batch["y"].tolist() == [0, 1, 2]


def test_graphs_in_files(tmp_path):
    concrete = tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], name="x"))
    path = tf.io.write_graph(concrete.graph, str(tmp_path), "g.pb", as_text=False)
    with open(path, "rb") as file:
        assert file.read() == concrete.graph.as_graph_def().SerializeToString(deterministic=True)
    assert os.path.basename(tf.io.write_graph(concrete.graph.as_graph_def(), tmp_path, "g.pbtxt")) == "g.pbtxt"
    names = tf.io.match_filenames_once(str(tmp_path / "g*"))
    assert [os.path.basename(n) for n in names.numpy().tolist()] == [b"g.pb", b"g.pbtxt"]


def test_paths_of_this_machine(tmp_path):
    uri = f"file://{tmp_path}/a"
    with tf.io.gfile.GFile(uri, "w") as file:
        file.write("text")
    assert tf.io.gfile.exists(uri) and (tmp_path / "a").read_text() == "text"
    tf.io.gfile.copy(uri, f"file://{tmp_path}/b")
    tf.io.write_file(f"file://{tmp_path}/c", tf.io.read_file(f"file://{tmp_path}/b"))
    assert (tmp_path / "c").read_text() == "text"
    assert tf.io.gfile.join("file:///x", "y") == "file:///x/y"
