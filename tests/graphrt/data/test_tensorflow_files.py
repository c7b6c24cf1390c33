"""Datasets that TensorFlow saved.

Covers: graphrt/data/tensorflow_files.py, graphrt/data/tensorflow_writing.py, graphrt/data/snappy.py.
"""

import json
import pathlib
import shutil

import numpy as np
import pytest

import graphrt as tf
from graphrt.data import spec_text, tensorflow_files
from graphrt.data.saved_files import Writer
from graphrt.data.snappy import compressed, uncompressed
from graphrt.graphdef.schema import message_class
from tests import GOLDEN

Data = tf.data.Dataset
FOLDER = GOLDEN / "saved_datasets"
WANTED = json.loads((GOLDEN / "saved_datasets.json").read_text())


def plain(value):
    if isinstance(value, (dict, tuple)):
        return [plain(v) for v in (value.values() if isinstance(value, dict) else value)]
    if isinstance(value, tf.RaggedTensor):
        found = value.to_list()
    else:
        found = (tf.sparse.to_dense(value) if isinstance(value, tf.SparseTensor) else value).numpy()
        found = found.tolist() if isinstance(found, np.ndarray) else found
    return json.loads(json.dumps(found, default=lambda v: v.decode() if isinstance(v, bytes) else v.item()))


@pytest.mark.parametrize("name", WANTED)
def test_what_tensorflow_saved_is_loaded(name):
    loaded = Data.load(str(FOLDER / name))
    assert [plain(element) for element in loaded] == WANTED[name]
    assert loaded.cardinality().numpy() == len(WANTED[name])


def test_specs_of_what_tensorflow_saved():
    told = Data.load(FOLDER / "nested").element_spec
    assert told == {"x": tf.TensorSpec([], tf.int64), "y": (tf.TensorSpec([], tf.float64), tf.TensorSpec([], tf.bool))}
    assert Data.load(FOLDER / "lengths").element_spec == tf.TensorSpec([None], tf.int64)
    with pytest.raises(TypeError, match="not of TensorSpec"):
        Data.load(FOLDER / "nested", tf.TensorSpec([], tf.int64))


def test_shards_are_given_to_the_reader_and_to_functions():
    datasets = Data.load(FOLDER / "shards", reader_func=lambda shards: shards.flat_map(lambda shard: shard))
    assert [int(x) for x in datasets] == [0, 2, 4, 1, 3]

    @tf.function
    def total():
        found = tf.constant(0, tf.int64)
        for x in Data.load(str(FOLDER / "shards")):
            found += x
        return found

    assert int(total()) == 10


def test_saving_over_what_tensorflow_saved(tmp_path):
    shutil.copytree(FOLDER / "nested", tmp_path / "a")
    Data.range(2).save(tmp_path / "a")
    assert [int(x) for x in Data.load(tmp_path / "a")] == [0, 1]


@pytest.mark.parametrize("place", ["dataset_spec.pb", "snapshot.metadata", "00000000.snapshot"])
def test_damage_is_told(tmp_path, place):
    shutil.copytree(FOLDER / "texts", tmp_path / "a")
    (file,) = (tmp_path / "a").rglob(place)
    whole = file.read_bytes()
    for cut in range(len(whole)):
        file.write_bytes(whole[:cut])
        try:
            found = [plain(e) for e in Data.load(tmp_path / "a")]
        except tf.errors.OpError as error:
            assert str(tmp_path) in str(error)
        else:  # the elements before the cut, or all if what was lost says nothing
            assert found == WANTED["texts"][: len(found)]


def test_a_run_is_no_path(tmp_path):
    shutil.copytree(FOLDER / "none", tmp_path / "a")
    file = tmp_path / "a" / "snapshot.metadata"
    kind = message_class("SnapshotMetadataRecord")
    told = kind.FromString(file.read_bytes())
    for change, error, match in [
        ({"run_id": "../b"}, tf.errors.DataLossError, "names no run"),
        ({"version": 1}, tf.errors.UnimplementedError, "version 1"),
        ({"finalized": False}, tf.errors.FailedPreconditionError, "not saved to its end"),
    ]:
        other = kind.FromString(told.SerializeToString())
        for key, value in change.items():
            setattr(other, key, value)
        file.write_bytes(other.SerializeToString())
        with pytest.raises(error, match=match):
            list(Data.load(tmp_path / "a"))
    pathlib.Path(file).unlink()
    with pytest.raises(tf.errors.NotFoundError, match=r"snapshot\.metadata is missing"):
        list(Data.load(tmp_path / "a"))


def test_snappy():
    assert uncompressed(b"\x00") == b"" and uncompressed(b"\x03\x08abc") == b"abc"
    assert uncompressed(b"\x09\x08abc\x09\x03") == b"abcabcabc"[:3] + b"abcabc"  # 6 bytes from 3 before
    assert uncompressed(b"\x06\x08abc" + b"\x0a\x03\x00") == b"abcabc"  # two bytes of distance
    assert uncompressed(b"\x06\x08abc" + b"\x0b\x03\x00\x00\x00") == b"abcabc"
    long = bytes(range(256)) * 2
    assert uncompressed(b"\x80\x04" + b"\xf4\xff\x01" + long) == long
    for wrong in (b"\x03\x08ab", b"\x04\x08abc", b"\x02\x08abc", b"\x06\x08abc\x0a\x04\x00", b"\xff" * 12):
        with pytest.raises((ValueError, IndexError, tf.errors.OpError)):
            uncompressed(wrong)
    with tf.config.limits(bytes=100), pytest.raises(tf.errors.ResourceExhaustedError):
        uncompressed(b"\x80\x08" + b"\x00" * 5)


def test_strings_in_the_content_of_tensors():
    kind = message_class("TensorProto")

    def read(content, size=2):
        return tf.make_ndarray(kind(dtype=7, tensor_content=content, tensor_shape={"dim": [{"size": size}]}))

    assert read(b"\x01\x02abb").tolist() == [b"a", b"bb"]
    for wrong, size in (
        (b"\x01\x02ab", 2),
        (b"\x01\x02abbb", 2),
        (b"\xff", 1),
        (b"\x01a", 2),
        (b"\xff" * 11 + b"a", 1),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="strings"):
            read(wrong, size)


def shards(folder):
    run = tf.io.gfile.glob(f"{folder}/*/*.shard/*.snapshot")
    return sorted(("/".join(pathlib.Path(p).parts[-2:]), pathlib.Path(p).read_bytes()) for p in run)


@pytest.mark.parametrize("name", WANTED)
def test_what_is_saved_has_tensorflows_bytes(name, tmp_path):
    theirs = shards(FOLDER / name)
    plainly = all(data[:2] != b"\x1f\x8b" and data[:2] != b"\x00\x00" for _, data in theirs)
    kept = Data.load(str(FOLDER / name))
    kept.save(tmp_path / "a")
    if len(theirs) == 1 and plainly and b"Variant" not in theirs[0][1]:  # whose tensors it writes number by number
        assert shards(tmp_path / "a") == theirs
    again = Data.load(tmp_path / "a")
    assert again.element_spec == kept.element_spec and [plain(e) for e in again] == WANTED[name]
    spec = message_class("StructuredValue")
    written, found = [spec.FromString((f / "dataset_spec.pb").read_bytes()) for f in (FOLDER / name, tmp_path / "a")]
    assert written == found


@pytest.mark.parametrize("compression", ["NONE", "AUTO", "GZIP", "ZLIB", "SNAPPY"])
def test_everything_is_saved_and_loaded(compression, tmp_path):
    numbers = [tf.constant([1, 2], d) for d in (tf.bfloat16, tf.float16, tf.uint64, tf.int8, tf.complex64)]
    words = tf.constant([["a\xff", ""], ["", "b"]])
    element = (*numbers, tf.constant([True, False]), words, tf.zeros([0, 3]), None, tf.cast([1], tf.qint8))
    dataset = Data.from_tensors(element).repeat(700)
    dataset.save(tmp_path, compression)
    loaded = Data.load(tmp_path, compression=compression)
    assert loaded.element_spec == dataset.element_spec and loaded.cardinality() == 700
    wanted = [
        None if e is None else e.numpy().tobytes() if e.dtype != tf.string else e.numpy().tolist() for e in element
    ]
    for found in loaded:
        assert wanted == [
            None if e is None else e.numpy().tobytes() if e.dtype != tf.string else e.numpy().tolist() for e in found
        ]


def test_files_that_were_written_before_are_read_and_saved_over(tmp_path):
    spec = Data.range(1).element_spec
    older = Writer(str(tmp_path), spec_text.to_text(spec), "")
    for i in range(3):
        older.write((np.int64(i),), 0)
    older.finish()
    assert [int(x) for x in Data.load(tmp_path)] == [0, 1, 2]
    Data.range(5).save(tmp_path)
    assert [int(x) for x in Data.load(tmp_path)] == [0, 1, 2, 3, 4]
    assert len(list(tmp_path.iterdir())) == 3


def test_elements_that_the_format_cannot_hold_are_saved_all_the_same(tmp_path):
    dataset = Data.from_tensors({1: [1.0], 2: "a"})
    dataset.save(tmp_path)
    (found,) = Data.load(tmp_path)
    assert found[1].numpy() == [1.0] and found[2].numpy() == b"a"


def test_a_run_is_read_with_its_own_spec(tmp_path):
    Data.range(2).save(tmp_path / "a")
    Data.from_tensors("x").save(tmp_path / "b")
    shutil.copy(tmp_path / "b" / "dataset_spec.pb", tmp_path / "a")  # as if the next save had been ended there
    assert [int(x) for x in Data.load(tmp_path / "a")] == [0, 1]


def test_a_lost_shard_is_told(tmp_path):
    Data.range(4).save(tmp_path, shard_func=lambda x: x % 2)
    shutil.rmtree(next(tmp_path.glob("*/00000001.shard")))
    with pytest.raises(tf.errors.DataLossError, match="holds 2 elements, not the 4"):
        list(Data.load(tmp_path))


def test_snappy_both_ways():
    chance = np.random.default_rng(1)
    texts = [
        b"",
        b"a",
        b"abc" * 500,
        chance.bytes(3000),
        chance.integers(0, 3, 20_000, np.uint8).tobytes(),
        bytes(1 << 16),
    ]
    for text in texts:
        assert uncompressed(compressed(text)) == text
    assert len(compressed(texts[-1])) < 4000


def test_a_spec_is_read_again_where_another_dataset_takes_the_place(tmp_path, monkeypatch):
    path = str(tmp_path / "s")
    tf.data.Dataset.range(3).save(path)
    read, folders = tensorflow_files._spec_in, []

    def replaced_meanwhile(folder):
        folders.append(folder)
        if len(folders) == 1:
            tf.data.Dataset.range(5).save(path)
        return read(folder)

    monkeypatch.setattr(tensorflow_files, "_spec_in", replaced_meanwhile)
    assert tensorflow_files.read_spec(path).dtype == tf.int64 and len(set(folders)) == 2
    shutil.rmtree(folders[-1])
    (tmp_path / "s" / "dataset_spec.pb").unlink()
    with pytest.raises(tf.errors.NotFoundError, match="no saved dataset"):
        tensorflow_files.read_spec(path)
