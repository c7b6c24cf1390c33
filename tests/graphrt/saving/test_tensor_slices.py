import base64
import io
import json
import zipfile

import numpy as np
import pytest

import graphrt as tf
from graphrt.graphdef.schema import message_class
from graphrt.saving.bundle import Bundle
from graphrt.saving.sorted_table import read_table, write_table
from graphrt.saving.tensor_slices import WHOLE, key_of_slice, places, sliced
from tests import GOLDEN

FILES = json.loads((GOLDEN / "from_tensorflow.json").read_text())


@pytest.mark.parametrize(
    ("part", "end"),
    [
        ([], b"\x00"),
        ([(0, 67), (0, 3)], b"\x01\x02\x80\xc0C\x80\x83"),  # as TensorFlow writes them
        ([(67, 67), (0, 3)], b"\x01\x02\xc0C\xc0C\x80\x83"),
        ([(134, 66), (0, WHOLE)], b"\x01\x02\xc0\x86\xc0B\x80\x7f"),
        ([(1 << 20, 8192)], b"\x01\x01\xf0\x10\x00\x00\xe0\x20\x00"),
    ],
)
def test_keys(part, end):
    assert key_of_slice("p/w", part) == b"\x00p/w\x00\x01" + end


def test_keys_escape_what_ends_text():
    assert key_of_slice("a\0b", []) == b"\x00a\x00\xffb\x00\x01\x00"


def test_parts_of_arrays():
    array = np.arange(12).reshape(4, 3)
    assert sliced(array, "", "x") is array
    assert sliced(array, "4 3 1,2:-", "x").tolist() == [[3, 4, 5], [6, 7, 8]]
    assert places([(2, 2), (0, WHOLE)], (4, 3), "x") == (slice(2, 4), slice(0, 3))
    for text in ("4 3 3,2:-", "4 3 -", "3 4 -:-", "4 x -:-", "4 3 1,2,3:-", "4 3 -1,2:-"):
        with pytest.raises(tf.errors.DataLossError):
            sliced(array, text, "x")


@pytest.fixture
def prefix(tmp_path):
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(FILES["v1-saved_partitioned"]))) as archive:
        archive.extractall(tmp_path)
    return tmp_path / "saved" / "variables" / "variables"


def test_a_variable_in_parts_is_read_whole(prefix):
    with Bundle(str(prefix)) as bundle:
        whole = bundle.read("p/w")
        assert whole.shape == (4, 3)
        np.testing.assert_array_equal(bundle.read_part("p/w", "4 3 2,2:-"), whole[2:])
        assert list(bundle) == ["p/w"]


def entry(data, change):
    message = message_class("BundleEntryProto")()
    message.ParseFromString(data)
    change(message)
    return message.SerializeToString()


def overlap(message):
    message.slices[1].CopyFrom(message.slices[0])


def huge(message):
    message.shape.dim[0].size = 1 << 40


def shifted(message):
    message.slices[0].extent[0].start = 1


def fewer(message):
    del message.slices[1]


@pytest.mark.parametrize("change", [overlap, huge, shifted, fewer])
def test_parts_that_are_not_the_whole_are_refused(prefix, change):
    index = prefix.with_name("variables.index")
    table = read_table(index.read_bytes(), "index")
    table[b"p/w"] = entry(table[b"p/w"], change)
    index.write_bytes(write_table(sorted(table.items())))
    with pytest.raises(tf.errors.DataLossError), Bundle(str(prefix)) as bundle:
        bundle.read("p/w")
