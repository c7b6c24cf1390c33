"""Datasets that TensorFlow saved.

Covers: graphrt/data/tensorflow_files.py, graphrt/data/snappy.py.
"""

import json
import pathlib
import shutil

import numpy as np
import pytest

import graphrt as tf
from graphrt.data.snappy import uncompressed
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
