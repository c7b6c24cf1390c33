"""Tensors in files: what was written is read, what is damaged is refused, and there is always a whole checkpoint.

Covers: graphrt/saving/sorted_table.py, graphrt/ops/io/crc32c.py, graphrt/graphdef/saved_schema.py
"""

import numpy as np
import pytest

import graphrt as tf
from graphrt import errors
from graphrt.ops.io.crc32c import Checksum, crc32c
from graphrt.saving.bundle import Bundle, write_bundle


def plain_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


@pytest.mark.parametrize("size", [0, 1, 9, 199, 200, 201, 4097, 5681, 5682, 17_292, 69_168, 182_000])
def test_checksums(size):
    data = np.random.RandomState(size).bytes(size)
    assert crc32c(data) == plain_crc(data)


def test_checksum_of_much_is_that_of_its_pieces_folded():
    data = np.random.RandomState(0).bytes((3 << 20) + 45_481)
    assert crc32c(data) == 0x52587ED8


def test_checksum_of_parts():
    data, check = np.random.RandomState(0).bytes((1 << 20) + 7), Checksum()
    for sizes in ([1, 5, 91_000, 700_000, 3], [300_000], []):
        check.start()
        at = 0
        for size in [*sizes, len(data)]:
            check.add(data[at : at + size])
            at += size
        assert check.value() == crc32c(data)


def test_tensors_of_many_blocks(tmp_path):
    rng = np.random.default_rng(0)
    tensors = {
        "after": rng.normal(size=3),
        "bits": rng.integers(0, 2, (1 << 20) + 5).astype(np.bool_),
        "large": rng.normal(size=(3, 200_001)).astype(np.float32),
        "larger": rng.normal(size=(5, 1 << 17)),
        "text": np.array([b"a", b"bcd"], object),
    }
    path = str(tmp_path / "b")
    write_bundle(path, tensors)
    with Bundle(path) as bundle:
        for name, array in tensors.items():
            np.testing.assert_array_equal(bundle.read(name), array, strict=True)
    data = f"{path}.data-00000-of-00001"
    with open(data, "r+b") as file:
        file.seek(bundle.entry("larger").offset + (3 << 20))
        file.write(b"\xff\0")
    with Bundle(path) as bundle:
        with pytest.raises(errors.DataLossError, match="checksum of tensor 'larger'"):
            bundle.read("larger")
        np.testing.assert_array_equal(bundle.read("large"), tensors["large"], strict=True)
        with open(data, "r+b") as file:
            file.truncate(bundle.entry("larger").offset + (2 << 20))
        with pytest.raises(errors.DataLossError, match="'larger' of .* ends behind the file"):
            bundle.read("larger")
        np.testing.assert_array_equal(bundle.read("large"), tensors["large"], strict=True)


def test_many_names(tmp_path):
    tensors = {f"name/{i}": np.full(i % 5, i) for i in range(3000)}
    write_bundle(str(tmp_path / "b"), tensors)
    with Bundle(str(tmp_path / "b")) as bundle:
        assert list(bundle) == sorted(tensors)
        for name in ("name/0", "name/17", "name/2999"):
            np.testing.assert_array_equal(bundle.read(name), tensors[name])


def test_overwriting_leaves_one_whole_checkpoint(tmp_path):
    prefix = str(tmp_path / "b")
    for value in range(4):
        write_bundle(prefix, {"x": np.array(value)})
        with Bundle(prefix) as bundle:
            assert bundle.read("x") == value
        assert len(list(tmp_path.iterdir())) == 2


def test_every_truncation_and_many_changes_are_refused(tmp_path):
    prefix = str(tmp_path / "b")
    tensors = {"a": np.arange(5.0), "s": np.array([b"one", b""], object), "e": np.zeros((0, 2), np.int8)}
    write_bundle(prefix, tensors)
    files = {path: path.read_bytes() for path in tmp_path.iterdir()}
    random = np.random.RandomState(0)

    def equal_or_refused():
        try:
            with Bundle(prefix) as bundle:
                found = {name: bundle.read(name) for name in bundle}
        except tf.errors.OpError:
            return
        assert found.keys() == tensors.keys() and all(np.array_equal(found[k], tensors[k]) for k in tensors)

    for path, data in files.items():
        for size in range(len(data)):
            path.write_bytes(data[:size])
            equal_or_refused()
        for at in range(len(data)):
            path.write_bytes(data[:at] + bytes([data[at] ^ 1 << random.randint(8)]) + data[at + 1 :])
            equal_or_refused()
        path.write_bytes(data)
