"""A short form of the trial: every reader, with inputs of one seed, on each run of the tests; and what it found."""

import gzip
import io
import json
import os
import pickle
import random
import signal
import struct
import time
import zipfile

import numpy as np
import pytest

import graphrt as tf
from graphrt.data import spec_text
from graphrt.data.saved_files import Writer
from graphrt.graphdef import import_graph_def
from graphrt.graphdef.schema import message_class
from graphrt.ops.io.crc32c import masked_crc32c as masked_crc
from tests import whole
from tests.hostile.__main__ import TOLD, Chunk, input_of, main, trial
from tests.hostile.mutation import fields, json_values, png_chunks
from tests.hostile.readers import READERS, Reader
from tests.hostile.watch import Watch


def npy(shape):
    made = io.BytesIO()
    np.lib.format.write_array_header_1_0(made, {"descr": "<f4", "fortran_order": False, "shape": shape})
    return made.getvalue()


@pytest.mark.parametrize("reader", READERS, ids=lambda r: r.name)
def test_errors_are_of_one_family(reader):
    count = 8 if reader.name == "model.keras" else 25  # a process of its own reads HDF5
    with tf.config.limits(**TOLD):
        assert trial(reader, 1, whole.some(range(60), count)) == {}


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@pytest.fixture(scope="module")
def watch():
    return Watch()


@needs_fork
def test_the_command_tells_what_is_wrong(capsys, tmp_path):
    results = str(tmp_path / "results")
    command = ["to_number", "--count", "20", "--results", results]
    assert main(command) == 0
    assert "to_number: 20 inputs, 0 wrong" in capsys.readouterr().out
    assert main(command) == 0  # all is done
    with open(results) as file:
        assert [json.loads(line)["stop"] for line in file] == [20]


def slow(data, folder):
    until = time.process_time() + 1.1
    while time.process_time() < until:
        pass


WRONG = {
    "KeyError": lambda data, folder: {}[data],
    "took 1": slow,
    "the process ended with -9": lambda data, folder: os.kill(os.getpid(), signal.SIGKILL),
    "MemoryError": lambda data, folder: bytearray(1 << 40),
    "read '/etc": lambda data, folder: open("/etc/hostname").close(),
    "wrote ": lambda data, folder: open("/dev/full", "w").close(),
    "os.system": lambda data, folder: os.system("true"),
    "pickle.find_class": lambda data, folder: pickle.loads(b"cos\ngetpid\n."),
    "os.mkdir of": lambda data, folder: os.mkdir("/proc/x"),
    "state": lambda data, folder: np.seterr(all="ignore"),
    "left open": lambda data, folder: KEPT.append(open(os.devnull)),
}
KEPT = []


@needs_fork
@pytest.mark.parametrize("said", WRONG)
def test_what_is_wrong_is_seen(said, watch):
    def read(data, folder):
        return None if data == b"a" else WRONG[said](data, folder)

    reader = Reader("wrong", lambda folder: [b"a"], read)
    found = Chunk(reader, 1, range(99, 100), 1 << 30).run(watch)
    assert len(found) == 1
    (key,) = found
    assert key.startswith(said)
    assert found[key] == (99, input_of(reader, [b"a"], 1, 99))


def test_parts_are_changed_and_put_together_again():
    chance = random.Random(1)
    image = tf.io.encode_png(np.arange(60, dtype=np.uint8).reshape(4, 5, 3)).numpy()
    made = message_class("TensorProto")(dtype=1, float_val=[1.0])
    for _ in range(30):
        assert png_chunks(image, chance)[:8] == image[:8]
        json.loads(json_values(b'{"a": [1, {"b": "c"}]}', chance))
        message_class("TensorProto").FromString(fields(message_class("TensorProto"))(made.SerializeToString(), chance))


def saved_of_old(path):
    """A dataset as files were before they were TensorFlow's."""
    writer = Writer(path, spec_text.to_text(tf.TensorSpec([], tf.int64)), "")
    for i in range(3):
        writer.write((np.int64(i),), 0)
    writer.finish()


def test_a_number_of_elements_is_held_to_the_size_of_the_files(tmp_path):
    path = str(tmp_path / "saved")
    tf.data.Dataset.range(3).save(path)
    name = os.path.join(path, "snapshot.metadata")
    with open(name, "rb") as file:
        told = message_class("SnapshotMetadataRecord").FromString(file.read())
    told.num_elements = 1 << 40
    with open(name, "wb") as file:
        file.write(told.SerializeToString())
    with pytest.raises(tf.errors.DataLossError, match=r"holds 90 bytes, too few for the 1099511627776 elements"):
        list(tf.data.Dataset.load(path))
    path = str(tmp_path / "older")
    saved_of_old(path)
    change(os.path.join(path, "snapshot.metadata"), {"count": 1 << 40})
    with pytest.raises(tf.errors.DataLossError, match=r"holds 27 bytes, too few for the 1099511627776 elements"):
        list(tf.data.Dataset.load(path))


def change(name, entries):
    with open(name) as file:
        told = json.load(file)
    with open(name, "w") as file:
        json.dump({**told, **entries}, file)


def test_a_function_of_a_file_may_be_called_like_an_op():
    concrete = tf.function(lambda: tf.constant(1.0)).get_concrete_function()
    message = concrete.graph.as_graph_def()
    message.library.function.add().signature.name = "Const"
    del message.node[1:]
    assert [node.type for node in import_graph_def(message).nodes] == ["PartitionedCall"]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        (
            "0:kernel.npy",
            b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f4', ",
            "is no NumPy archive of weights, or is damaged",
        ),
        ("0:kernel.npy", npy((1 << 40,)), r"claims the shape \(1099511627776,\) and dtype float32, for which"),
        ("kernel.npy", b"", "invalid literal"),
    ],
)
def test_arrays_of_weights_are_held_to_what_is_there(tmp_path, name, data, message):
    path = str(tmp_path / "model.weights.npz")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, data)
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    with pytest.raises(ValueError, match=message):
        model.load_weights(path)


def test_members_of_archives_are_no_larger_than_the_limit(tmp_path):
    path = str(tmp_path / "model.keras")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("config.json", b"[" * (1 << 24))
    with (
        tf.config.limits(bytes=1 << 20),
        pytest.raises(tf.errors.ResourceExhaustedError, match="'config.json' would take"),
    ):
        tf.keras.models.load_model(path)


@pytest.mark.parametrize(
    "config", [{"class_name": "Dense", "config": {"unit": 2}}, {"config": {}}, [], {"class_name": 3}]
)
def test_configurations_that_nothing_can_be_made_of(config):
    with pytest.raises(ValueError, match=r"'Dense' cannot be made of|is described by a mapping"):
        tf.keras.layers.deserialize(config)


def test_an_optimizer_that_cannot_be_made():
    with pytest.raises(ValueError, match="'Adam' cannot be made of the configuration {'beta_1': .*}: TypeError"):
        tf.keras.optimizers.deserialize({"class_name": "Adam", "config": {"beta_1": None, 3: 4}})


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
    saved_of_old(path)
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
