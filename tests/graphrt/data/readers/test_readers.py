"""Files: lines, records, comma-separated values, names. Expected values are those of TensorFlow 2.20.

Covers: graphrt/data/streams.py.
"""

import bz2
import gzip
import pathlib
import zlib

import numpy as np
import pytest

import graphrt as tf

E = tf.data.experimental


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.csv").write_text('x,y,s,z\n1,2.5,hi,3000000000\n2,,"a,b",4\n3,1e3,,5\n')
    (tmp_path / "b.csv").write_text("1,2\n3\n")
    (tmp_path / "dos.txt").write_bytes(b"one\r\ntwo\n\nlast")
    return tmp_path


def elements(dataset):
    return list(dataset.as_numpy_iterator())


def listed(dataset, n=9):
    return [tf.nest.map_structure(lambda v: v.tolist(), e) for e in dataset.take(n).as_numpy_iterator()]


def test_lines(folder):
    assert elements(tf.data.TextLineDataset(folder / "dos.txt")) == [b"one", b"two", b"", b"last"]
    several = tf.data.TextLineDataset([str(folder / "b.csv"), str(folder / "dos.txt")])
    assert elements(several.skip(1).take(2)) == [b"3", b"one"]
    names = tf.data.Dataset.from_tensor_slices([str(folder / "b.csv")] * 2)
    assert elements(tf.data.TextLineDataset(names)) == [b"1,2", b"3"] * 2
    assert repr(several) == "<TextLineDatasetV2 element_spec=TensorSpec(shape=(), dtype=tf.string, name=None)>"
    assert isinstance(several, tf.data.Dataset)


@pytest.mark.parametrize(("kind", "pack"), [("GZIP", gzip.compress), ("ZLIB", zlib.compress), ("BZ2", bz2.compress)])
def test_compressed_lines(tmp_path, kind, pack):
    (tmp_path / "f").write_bytes(pack(b"a\nb\n"))
    assert elements(tf.data.TextLineDataset(str(tmp_path / "f"), compression_type=kind)) == [b"a", b"b"]


def test_files_that_are_missing(folder):
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        list(tf.data.TextLineDataset(str(folder / "none")))
    with pytest.raises(TypeError, match="must contain `tf.string` elements"):
        tf.data.TextLineDataset(3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="No files matched pattern"):
        tf.data.Dataset.list_files(str(folder / "none*"))


def test_names(folder):
    names = [str(folder / n).encode() for n in ("a.csv", "b.csv")]
    assert elements(tf.data.Dataset.list_files(str(folder / "*.csv"), shuffle=False)) == names
    assert elements(tf.data.Dataset.list_files([str(folder / "b.csv"), str(folder / "a*")], shuffle=False)) == names
    assert sorted(elements(tf.data.Dataset.list_files(str(folder / "*.csv"), seed=1))) == names
    assert len(tf.data.Dataset.list_files(str(folder / "*.csv"))) == 2


def test_records_of_one_length(folder):
    path = str(folder / "b.csv")
    assert elements(tf.data.FixedLengthRecordDataset(path, 2)) == [b"1,", b"2\n", b"3\n"]
    assert elements(tf.data.FixedLengthRecordDataset(path, 2, header_bytes=1, footer_bytes=1)) == [b",2", b"\n3"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="no whole number of records"):
        list(tf.data.FixedLengthRecordDataset(path, 4))


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_tfrecords(tmp_path, kind):
    path = str(tmp_path / "r")
    E.TFRecordWriter(path, kind).write(tf.data.Dataset.from_tensor_slices(["one", "two" * 100, ""]))
    assert elements(tf.data.TFRecordDataset(path, compression_type=kind)) == [b"one", b"two" * 100, b""]


def test_tfrecord_bytes_are_tensorflows(tmp_path):
    path = tmp_path / "r"
    E.TFRecordWriter(str(path)).write(tf.data.Dataset.from_tensors("one"))
    assert path.read_bytes().hex() == "0300000000000000b099490e6f6e6501405508"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at 0"):
        list(tf.data.TFRecordDataset(str(path)))
    path.write_bytes(path.read_bytes()[:14])
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 0"):
        list(tf.data.TFRecordDataset(str(path)))


def test_rows(folder):
    path = str(folder / "a.csv")
    rows = E.CsvDataset(path, [tf.int32, tf.constant([0.5]), "dflt", tf.int64], header=True)
    assert elements(rows) == [
        (1, np.float32(2.5), b"hi", 3000000000), (2, np.float32(0.5), b"a,b", 4), (3, np.float32(1000), b"dflt", 5)
    ]  # fmt: skip
    assert elements(E.CsvDataset(path, [0, ""], header=True, select_cols=[0, 2])) == [(1, b"hi"), (2, b"a,b"), (3, b"")]
    assert elements(E.CsvDataset(path, [0, ""], header=True, exclude_cols=[1, 3])) == [
        (1, b"hi"),
        (2, b"a,b"),
        (3, b""),
    ]


@pytest.mark.parametrize(
    ("name", "defaults", "options", "message"),
    [
        (
            "a.csv",
            [tf.int32, tf.float32, "d", tf.int64],
            {"header": True},
            "Field 1 is required but missing in record!",
        ),
        ("a.csv", [0, 0], {"header": True, "select_cols": [0, 2]}, "Field 1 in record is not a valid int32: hi"),
        ("b.csv", [0, 0], {}, "Expect 2 fields but have 1 in record"),
        ("b.csv", [0, 0, 0], {}, "Expect 3 fields but have 2 in record"),
    ],
)
def test_rows_that_do_not_fit(folder, name, defaults, options, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        list(E.CsvDataset(str(folder / name), defaults, **options))


def test_make_csv_dataset(folder):
    path = str(folder / "a.csv")
    whole = E.make_csv_dataset(path, 2, shuffle=False, num_epochs=1)
    assert {k: s.dtype.name for k, s in whole.element_spec.items()} == {
        "x": "int32", "y": "float32", "s": "string", "z": "int64"
    }  # fmt: skip
    assert listed(whole) == [
        {"x": [1, 2], "y": [2.5, 0.0], "s": [b"hi", b"a,b"], "z": [3000000000, 4]},
        {"x": [3], "y": [1000.0], "s": [b""], "z": [5]},
    ]
    labelled = E.make_csv_dataset(path, 2, shuffle=False, label_name="s", select_columns=["s", "x"])
    assert labelled.element_spec[1] == tf.TensorSpec([2], tf.string)
    assert listed(labelled, 3) == [
        ({"x": [1, 2]}, [b"hi", b"a,b"]), ({"x": [3, 1]}, [b"", b"hi"]), ({"x": [2, 3]}, [b"a,b", b""])
    ]  # fmt: skip
    with pytest.raises(ValueError, match="`label_name` provided must be one of the columns"):
        E.make_csv_dataset(path, 2, label_name="q")
    with pytest.raises(ValueError, match="No files match"):
        E.make_csv_dataset(str(folder / "none*"), 2)


def test_a_pipeline_of_files_in_a_function(folder):
    @tf.function
    def count(names):
        n = tf.constant(0, tf.int64)
        for line in tf.data.TextLineDataset(names):
            n += tf.cast(tf.strings.length(line), tf.int64)
        return n

    text = pathlib.Path(folder / "b.csv").read_text()
    assert count(tf.constant([str(folder / "b.csv")])).numpy() == len(text.replace("\n", ""))


@pytest.mark.parametrize("sizes", [[5] * 40, list(range(60)), [0, 1, 2, 3], [700, 4, 100_000, 5, 6], []])
def test_records_of_all_sizes_come_back(tmp_path, sizes):
    wanted = [bytes((i + j) % 256 for j in range(size)) for i, size in enumerate(sizes)]
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path) as writer:
        for record in wanted:
            writer.write(record)
    assert list(tf.data.TFRecordDataset(path).as_numpy_iterator()) == wanted


@pytest.mark.parametrize("damage", ["data", "length", "cut in data", "cut in checksum", "cut in head"])
@pytest.mark.parametrize("at", [0, 1, 7, 30])
def test_what_stands_before_damage_is_read(tmp_path, damage, at):
    path = tmp_path / "records"
    with tf.io.TFRecordWriter(str(path)) as writer:
        for i in range(40):
            writer.write(bytes([i]) * 20)
    data, begin = bytearray(path.read_bytes()), 36 * at
    if damage == "data":
        data[begin + 15] ^= 1
    elif damage == "length":
        data[begin] ^= 1
    else:
        del data[begin + {"cut in data": 20, "cut in checksum": 34, "cut in head": 5}[damage] :]
    path.write_bytes(data)
    found = []
    word = "truncated" if "cut" in damage else "corrupted"
    with pytest.raises(tf.errors.DataLossError, match=f"{word} record at {begin} in "):
        for record in tf.data.TFRecordDataset(str(path)).as_numpy_iterator():
            found.append(record)
    assert found == [bytes([i]) * 20 for i in range(at)]


UNENDING = {
    "text": lambda path: tf.data.TextLineDataset(path),
    "cells": lambda path: E.CsvDataset(path, [tf.string]),
    "cells inferred": lambda path: E.make_csv_dataset(path, 1, num_epochs=1, shuffle=False),
    "large records": lambda path: tf.data.FixedLengthRecordDataset(path, 1 << 40),
    "large footer": lambda path: tf.data.FixedLengthRecordDataset(path, 4, footer_bytes=1 << 40),
    "a vocabulary": lambda path: tf.keras.layers.StringLookup(vocabulary=path),
    "a line": lambda path: tf.io.gfile.GFile(path).readline(),
    "more than there is": lambda path: tf.io.gfile.GFile(path).read(),
}


@pytest.mark.skipif(not pathlib.Path("/dev/zero").exists(), reason="no such device")
@pytest.mark.parametrize("make", UNENDING.values(), ids=UNENDING)
def test_a_device_that_does_not_end_takes_little_memory(make):
    with pytest.raises(
        tf.errors.ResourceExhaustedError, match="/dev/zero is a device, which gives more than 16777216 bytes"
    ):
        list(make("/dev/zero").take(1))
    with tf.config.limits(bytes=1000), pytest.raises(tf.errors.ResourceExhaustedError, match="1000"):
        list(make("/dev/zero").take(1))


@pytest.mark.skipif(not pathlib.Path("/dev/zero").exists(), reason="no such device")
def test_a_device_gives_as_many_records_as_are_asked_for():
    assert elements(tf.data.FixedLengthRecordDataset("/dev/zero", 2).take(3)) == [b"\0\0"] * 3
    assert tf.io.gfile.GFile("/dev/zero", "rb").read(3) == b"\0\0\0"
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at 0 in /dev/zero"):
        elements(tf.data.TFRecordDataset("/dev/zero"))


@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_records_come_one_by_one_and_what_is_left_over_is_told_as_by_tensorflow(compression, tmp_path):
    path = tmp_path / "f"
    pack = {"": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}[compression]
    path.write_bytes(pack(b"H" + bytes(range(256)) * 12_000 + b"FF"))  # several chunks
    whole = tf.data.FixedLengthRecordDataset(str(path), 256, 1, 2, compression_type=compression)
    assert elements(whole) == [bytes(range(256))] * 12_000
    part = iter(tf.data.FixedLengthRecordDataset(str(path), 257, 1, 2, compression_type=compression))
    if compression:
        for _ in range(12_000 * 256 // 257):
            next(part)
    error = tf.errors.DataLossError if compression else tf.errors.InvalidArgumentError  # whose length is known before
    with pytest.raises(error, match="no whole number of records of 257 bytes"):
        next(part)


def test_long_lines_of_a_file_are_held_to_the_limit(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"x" * ((1 << 24) + 5) + b"\ny")
    with tf.io.gfile.GFile(str(path)) as file:
        assert [len(line) for line in file] == [(1 << 24) + 6, 1]
    with tf.config.limits(bytes=1 << 20), pytest.raises(tf.errors.ResourceExhaustedError, match=f"A line of {path}"):
        tf.io.gfile.GFile(str(path)).readline()
    assert len(tf.io.gfile.GFile(str(path)).read(1 << 60)) == (1 << 24) + 7


def test_what_is_no_text_and_no_table_is_told_with_its_file(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"a,b\n1,2\n\xff,4\n")
    with pytest.raises(ValueError, match=f"line 3 of {path} cannot be read: 'utf-8' codec can't decode byte 0xff"):
        E.make_csv_dataset(str(path), 1)
    with pytest.raises(UnicodeDecodeError, match=f"in {path}, which is read as text"):
        tf.io.gfile.GFile(str(path)).read()
    path.write_bytes(b"a\n" + b"1" * 200_000 + b"\n")
    with pytest.raises(ValueError, match=f"line 2 of {path} cannot be read: field larger than field limit"):
        E.make_csv_dataset(str(path), 1)
