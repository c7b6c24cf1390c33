"""A short form of the trial: every reader, with inputs of one seed, on each run of the tests."""

import gzip
import json
import os
import struct

import pytest

import graphrt as tf
from graphrt.ops.io.crc32c import masked_crc32c as masked_crc
from tests.hostile.__main__ import main, trial
from tests.hostile.readers import READERS


@pytest.mark.parametrize("reader", READERS, ids=lambda r: r.name)
def test_errors_are_of_one_family(reader):
    assert trial(reader, 1, 60) == {}


def test_the_command_tells_what_is_wrong(capsys, monkeypatch):
    monkeypatch.setattr("resource.setrlimit", lambda *_: None)
    assert main(["to_number", "--count", "20"]) == 0
    assert "to_number: 20 inputs, 0 wrong" in capsys.readouterr().out


def record_of(length, data):
    head = struct.pack("<Q", length)
    return head + struct.pack("<I", masked_crc(head)) + data


def test_a_record_cannot_claim_more_than_the_file_holds(tmp_path):
    (tmp_path / "lie").write_bytes(record_of(1 << 60, b"abc"))
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 0 in .*lie: .* are expected, 3 are there"):
        list(tf.data.TFRecordDataset(str(tmp_path / "lie")))


@pytest.mark.parametrize("compression", ["GZIP", "ZLIB"])
def test_damaged_compression_names_file_and_place(tmp_path, compression):
    (tmp_path / "bad").write_bytes(gzip.compress(b"x" * 1000)[:20])
    for make in (tf.data.TFRecordDataset, tf.data.TextLineDataset):
        with pytest.raises(tf.errors.DataLossError, match=rf"bad; damaged {compression} data near byte 20"):
            list(make(str(tmp_path / "bad"), compression))


@pytest.mark.parametrize(
    "change",
    [{"run": "../elsewhere"}, {"run": 3}, {"shards": 10**9}, {"shards": -1}, {"count": "3"}, {"compression": "4"}, []],
    ids=str,
)
def test_metadata_of_a_saved_dataset_is_held_to_what_is_there(tmp_path, change):
    path = str(tmp_path / "saved")
    tf.data.Dataset.range(3).save(path)
    name = os.path.join(path, "snapshot.metadata")
    with open(name) as file:
        told = json.load(file)
    with open(name, "w") as file:
        json.dump({**told, **change} if change else [], file)
    with pytest.raises(tf.errors.DataLossError, match=r"snapshot\.metadata|fewer than"):
        list(tf.data.Dataset.load(path))


def test_a_damaged_archive_is_named(tmp_path):
    path = str(tmp_path / "model.keras")
    tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)]).save(path)
    with open(path, "r+b") as file:
        file.truncate(200)
    with pytest.raises(ValueError, match=r"model\.keras' is no archive of a model, or is damaged"):
        tf.keras.models.load_model(path)
    with pytest.raises(FileNotFoundError):
        tf.keras.models.load_model(path + ".keras")
