"""Datasets on disk, and datasets resampled.

Covers: graphrt/data/array_files.py, graphrt/data/spec_text.py.
"""

import collections
import os

import numpy as np
import pytest

import graphrt as tf
from graphrt.data import saved_files, tensorflow_files

Data = tf.data.Dataset
Point = collections.namedtuple("Point", ["x", "y"])


def numbers(dataset):
    return [int(x) for x in dataset]


def test_what_was_saved_is_loaded(tmp_path):
    Data.range(5).save(str(tmp_path / "a"))
    loaded = Data.load(str(tmp_path / "a"))
    assert numbers(loaded) == [0, 1, 2, 3, 4]
    assert loaded.element_spec == tf.TensorSpec([], tf.int64)
    assert loaded.cardinality().numpy() == 5
    Data.range(3).save(tmp_path / "a")  # over it
    assert numbers(Data.load(tmp_path / "a")) == [0, 1, 2]
    assert len(list((tmp_path / "a").iterdir())) == 3


@pytest.mark.parametrize("compression", [None, "GZIP"])
def test_structures_come_back(tmp_path, compression):
    dataset = Data.from_tensor_slices(
        {"a": ["x", "yy"], "b": ([1.0, 2.0], tf.ragged.constant([[1], [2, 3]])), "p": Point([1, 2], [[True], [False]])}
    )
    dataset = dataset.map(lambda e: {**e, "s": tf.sparse.from_dense(e["b"][1])})
    dataset.save(str(tmp_path), compression=compression)
    loaded = Data.load(str(tmp_path), compression=compression)
    assert repr(loaded.element_spec) == repr(dataset.element_spec)
    for a, b in zip(dataset, loaded):
        assert repr(tf.nest.flatten(a, expand_composites=True)) == repr(tf.nest.flatten(b, expand_composites=True))
        assert isinstance(b["p"], tuple) and b["p"]._fields == ("x", "y")


def test_shards_and_readers(tmp_path):
    path = str(tmp_path)
    Data.range(6).save(path, shard_func=lambda x: x % 2)
    assert numbers(Data.load(path)) == [0, 1, 2, 3, 4, 5]
    assert numbers(Data.load(path, reader_func=lambda files: files.flat_map(lambda x: x))) == [0, 2, 4, 1, 3, 5]
    with pytest.raises(TypeError, match="shard_func"):
        Data.range(6).save(path, shard_func=lambda x: [x, x])
    with pytest.raises(TypeError, match="reader_func"):
        Data.load(path, reader_func=lambda files: 3)


def test_errors(tmp_path):
    path = str(tmp_path / "x")
    with pytest.raises(tf.errors.NotFoundError, match="element_spec file not found"):
        Data.load(path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="XX"):
        Data.range(3).save(path, compression="XX")
    with pytest.raises(TypeError, match="cannot be saved"):
        Data.range(3).window(2).save(path)
    Data.range(3).save(path)
    with pytest.raises(TypeError, match="int32"):
        Data.load(path, element_spec=tf.TensorSpec([], tf.int32))
    before = sorted(os.listdir(path))
    with pytest.raises(tf.errors.InvalidArgumentError):  # a run that fails leaves the one before
        Data.range(3).map(lambda x: 6 // (x - 2)).save(path)
    assert sorted(os.listdir(path)) == before
    assert numbers(Data.load(path)) == [0, 1, 2]
    (shard,) = tmp_path.rglob("*.snapshot")
    shard.write_bytes(shard.read_bytes()[:-3])
    with pytest.raises(tf.errors.DataLossError):
        numbers(Data.load(path))


def test_saving_and_loading_in_a_function(tmp_path):
    path = str(tmp_path)

    @tf.function
    def f():
        Data.range(4).map(lambda x: x * x).save(path)

    f()
    total = tf.function(lambda: Data.load(path).reduce(tf.constant(0, tf.int64), lambda a, b: a + b))
    assert total().numpy() == 14


def test_snapshots_are_written_once(tmp_path):
    runs = []

    def generator():
        runs.append(1)
        yield from range(4)

    source = Data.from_generator(generator, output_signature=tf.TensorSpec([], tf.int64))
    dataset = source.snapshot(str(tmp_path))
    assert numbers(dataset) == numbers(dataset) == [0, 1, 2, 3]
    assert numbers(source.snapshot(str(tmp_path))) == [0, 1, 2, 3]
    assert len(runs) == 1


def test_a_snapshot_left_early_is_none(tmp_path):
    path = str(tmp_path)
    iterator = iter(Data.range(4).snapshot(path))
    next(iterator)
    del iterator
    assert not list(tmp_path.rglob("*.snapshot"))
    assert numbers(Data.range(4).snapshot(path)) == [0, 1, 2, 3]


def test_pipelines_have_snapshots_of_their_own(tmp_path):
    path = str(tmp_path)
    pipelines = [
        Data.range(4), Data.range(3), Data.range(4).map(lambda x: x + 1), Data.range(4).map(lambda x: x + 2),
        Data.range(4).map(lambda x: x * 2), Data.range(4).take(2), Data.from_tensor_slices([5, 6]),
    ]  # fmt: skip
    expected = [numbers(p) for p in pipelines]
    for _ in range(2):
        assert [numbers(p.snapshot(path)) for p in pipelines] == expected
    assert len(list(tmp_path.iterdir())) == len(pipelines)


def test_snapshots_by_shards(tmp_path):
    dataset = Data.range(4).snapshot(
        str(tmp_path), shard_func=lambda x: x % 2, reader_func=lambda files: files.flat_map(lambda x: x)
    )
    assert numbers(dataset) == numbers(dataset) == [0, 2, 1, 3]


@pytest.mark.parametrize("initial", [[0.9, 0.1], None])
@pytest.mark.parametrize("target", [[0.5, 0.5], [1.0, 0.0], [0.0, 1.0], [0.9, 0.1]])
def test_rejection_resample(initial, target):
    dataset = Data.range(3000).map(lambda x: (tf.cast(x % 10 == 0, tf.int32), x))
    found = dataset.rejection_resample(lambda c, x: c, target, initial, seed=3)
    assert found.element_spec == (tf.TensorSpec([], tf.int32), dataset.element_spec)
    rows = [(int(c), int(d), int(x)) for c, (d, x) in found]
    assert all(c == d == (x % 10 == 0) for c, d, x in rows)
    assert len(rows) > 250
    assert abs(np.mean([c for c, _, _ in rows]) - target[1]) < 0.08


@pytest.mark.parametrize("found", [b"\x12\x135519014498544205743 \x02*\x01\t", b"{", b""])
def test_a_directory_of_tensorflow_or_a_damaged_one_is_saved_over(tmp_path, found):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "snapshot.metadata").write_bytes(found)
    Data.range(3).save(tmp_path / "a")
    assert numbers(Data.load(tmp_path / "a")) == [0, 1, 2]


@pytest.mark.parametrize("module", [saved_files, tensorflow_files])
def test_a_dataset_is_counted_while_another_takes_its_place(module, tmp_path, monkeypatch):
    path = str(tmp_path / "saved")
    if module is saved_files:
        list(tf.data.Dataset.range(5).snapshot(path))
        [path] = [str(p) for p in (tmp_path / "saved").iterdir()]
    else:
        tf.data.Dataset.range(5).save(path)
    names_in, listed = saved_files.names_in, []

    def replaced(folder):  # between the name of a run and its files
        if not listed:
            listed.append(folder)
            if module is saved_files:
                writer = saved_files.Writer(path, saved_files.read_spec(path), "")
                for i in range(7):
                    writer.write((np.int64(i),), 0)
                writer.finish()
            else:
                tf.data.Dataset.range(7).save(path)
        return names_in(folder)

    shards = (
        saved_files.Shards(path, [tf.int64], False)
        if module is saved_files
        else tensorflow_files.SavedShards(path, False)
    )
    monkeypatch.setattr(module, "names_in", replaced)
    assert shards.count() == 7 and listed
