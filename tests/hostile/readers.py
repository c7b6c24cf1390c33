"""The readers: of each a name, valid inputs to start from, and how it is called with others.

A reader of files is given a folder in which the input stands in its place.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

import graphrt as tf
from graphrt.graphdef import import_graph_def as import_from


@dataclass(frozen=True)
class Reader:
    name: str
    samples: Callable[[str], list[bytes]]  # given a scratch folder
    read: Callable[[bytes, str], object]


READERS: list[Reader] = []


def reader(samples: Callable[[str], list[bytes]]) -> Callable[[Callable[[bytes, str], object]], Reader]:
    def add(read: Callable[[bytes, str], object]) -> Reader:
        READERS.append(Reader(read.__name__, samples, read))
        return READERS[-1]

    return add


def contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def put(data: bytes, folder: str, name: str = "input") -> str:
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


# --- messages --------------------------------------------------------------------------------------------------------
def _tensors(folder: str) -> list[bytes]:
    values = [np.arange(6, dtype=np.float32).reshape(2, 3), np.array([b"a", b"bc"], object), np.int8(3), np.array([1j])]
    return [tf.io.serialize_tensor(value).numpy() for value in values]


@reader(_tensors)
def parse_tensor(data: bytes, folder: str) -> object:
    return [tf.io.parse_tensor(data, dtype) for dtype in (tf.float32, tf.string)]


def _examples(folder: str) -> list[bytes]:
    train = tf.train
    features = {
        "a": train.Feature(int64_list=train.Int64List(value=[1, 2, 3])),
        "b": train.Feature(float_list=train.FloatList(value=[0.5, 1.5])),
        "c": train.Feature(bytes_list=train.BytesList(value=[b"x", b"yz"])),
    }
    return [train.Example(features=train.Features(feature=features)).SerializeToString()]


@reader(_examples)
def parse_example(data: bytes, folder: str) -> object:
    spec = {
        "a": tf.io.FixedLenFeature([3], tf.int64),
        "b": tf.io.VarLenFeature(tf.float32),
        "c": tf.io.RaggedFeature(tf.string),
    }
    return tf.io.parse_example([data], spec), tf.io.parse_single_example(data, spec)


@reader(_examples)
def parse_sequence_example(data: bytes, folder: str) -> object:
    return tf.io.parse_single_sequence_example(data, {"a": tf.io.VarLenFeature(tf.int64)})


def _graphs(folder: str) -> list[bytes]:
    @tf.function
    def several(x: tf.Tensor, n: tf.Tensor) -> tf.Tensor:
        total = x
        while n > 0:
            if tf.reduce_sum(total) > 3:
                total = total * 0.5
            else:
                total = total + tf.constant([1.0, 2.0])
            n -= 1
        return tf.nn.relu(total) @ tf.ones([2, 2])

    concrete = several.get_concrete_function(tf.TensorSpec([2, 2]), tf.TensorSpec([], tf.int32))
    plain = tf.function(lambda x: tf.reshape(tf.tile(x, [2]), [2, -1])).get_concrete_function(tf.TensorSpec([4]))
    return [g.graph.as_graph_def().SerializeToString() for g in (concrete, plain)]


@reader(_graphs)
def import_graph_def(data: bytes, folder: str) -> object:
    return import_from(data)


# --- encodings -------------------------------------------------------------------------------------------------------
def _pngs(folder: str) -> list[bytes]:
    image = np.arange(7 * 5 * 3, dtype=np.uint8).reshape(7, 5, 3)
    return [tf.io.encode_png(image).numpy(), tf.io.encode_png(image[..., :1].astype(np.uint16)).numpy()]


@reader(_pngs)
def decode_png(data: bytes, folder: str) -> object:
    return tf.io.decode_png(data), tf.io.decode_image(data)


def _bmps(folder: str) -> list[bytes]:
    head = b"BM" + (54 + 24).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little")
    head += (
        (40).to_bytes(4, "little") + (2).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"\1\0\x18\0" + bytes(24)
    )
    return [head + bytes(range(24))]


@reader(_bmps)
def decode_bmp(data: bytes, folder: str) -> object:
    return tf.image.decode_bmp(data)


@reader(lambda folder: [tf.audio.encode_wav(np.linspace(-1, 1, 20, dtype=np.float32).reshape(10, 2), 8000).numpy()])
def decode_wav(data: bytes, folder: str) -> object:
    return tf.audio.decode_wav(data)


@reader(lambda folder: [b'1,2.5,"a ""b"" c"', b"0x1p3,1_0,x", b'1,,"', b'"a"b,1,2'])
def decode_csv(data: bytes, folder: str) -> object:
    return tf.io.decode_csv([data], [[0], [0.5], [""]])


@reader(lambda folder: [b'{"features": {"feature": {"a": {"int64List": {"value": ["1", "2"]}}}}}', b"[" * 3000])
def decode_json_example(data: bytes, folder: str) -> object:
    return tf.io.decode_json_example(data)


@reader(lambda folder: [b"0x1p3", b"1e5", b" 12 ", b"nan", b"-inf", b"9223372036854775807", b"1_0"])
def to_number(data: bytes, folder: str) -> object:
    return [tf.strings.to_number(data, dtype) for dtype in (tf.float32, tf.int64)]


@reader(lambda folder: [b"aGVsbG8", b"_-8="])
def decode_base64(data: bytes, folder: str) -> object:
    return tf.io.decode_base64(data)


@reader(lambda folder: [rb"(a+)+[^b]*", rb"(?i:x|\pL{2,3})\b", rb"[[:alpha:]-z]\x{e9}"])
def regular_expression(data: bytes, folder: str) -> object:
    return tf.strings.regex_full_match(b"a" * 40 + data, data), tf.strings.regex_replace(data * 3, data, b"-")


@reader(lambda folder: ["aé日".encode(), b"\xff\xfe", b"\xed\xa0\x80"])
def unicode_decode(data: bytes, folder: str) -> object:
    return tf.strings.unicode_decode([data], "UTF-8"), tf.strings.unicode_transcode(data, "UTF-16-BE", "UTF-8")


# --- files -----------------------------------------------------------------------------------------------------------
def _records(kind: str) -> Callable[[str], list[bytes]]:
    def samples(folder: str) -> list[bytes]:
        path = os.path.join(folder, "made")
        with tf.io.TFRecordWriter(path, kind) as writer:
            for record in (b"one", b"", b"three" * 20):
                writer.write(record)
        return [contents(path)]

    return samples


def _record_reader(kind: str, name: str) -> None:
    def read(data: bytes, folder: str) -> object:
        return list(tf.data.TFRecordDataset(put(data, folder), kind))

    read.__name__ = name
    reader(_records(kind))(read)


for _kind, _name in (("", "tfrecord"), ("GZIP", "tfrecord_gzip"), ("ZLIB", "tfrecord_zlib")):
    _record_reader(_kind, _name)


@reader(_records("GZIP"))
def text_lines_gzip(data: bytes, folder: str) -> object:
    return list(tf.data.TextLineDataset(put(data, folder), "GZIP"))


@reader(lambda folder: [b"1,2.5,x\n2,3.5,y\n", b'"a"b,1,2\n'])
def csv_dataset(data: bytes, folder: str) -> object:
    return list(tf.data.experimental.CsvDataset(put(data, folder), [tf.int32, tf.float32, tf.string]))


@reader(lambda folder: [b"0123456789abcdef"])
def fixed_length_records(data: bytes, folder: str) -> object:
    return list(tf.data.FixedLengthRecordDataset(put(data, folder), 4, header_bytes=1))


def _in_tree(make: Callable[[str], None], read: Callable[[str], object], name: str) -> None:
    """A reader of a folder of files: each of them in turn is the one that has changed."""

    def parts(folder: str) -> Iterator[str]:
        for top, _, files in sorted(os.walk(folder)):
            for file in sorted(files):
                yield os.path.relpath(os.path.join(top, file), folder)

    def samples(folder: str) -> list[bytes]:
        make(os.path.join(folder, name))
        whole = os.path.join(folder, name)
        if os.path.isfile(whole):
            return [b"\0" + contents(whole)]
        return [bytes([i]) + contents(os.path.join(whole, part)) for i, part in enumerate(parts(whole))]

    def read_changed(data: bytes, folder: str) -> object:
        whole = os.path.join(folder, name)
        make(whole)
        if os.path.isfile(whole):
            put(data[1:], folder, name)
        else:
            names = list(parts(whole))
            put(data[1:], whole, names[(data or b"\0")[0] % len(names)])
        return read(whole)

    read_changed.__name__ = name
    reader(samples)(read_changed)


def _dataset() -> tf.data.Dataset:
    return tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))


_in_tree(lambda path: _dataset().save(path), lambda path: list(tf.data.Dataset.load(path)), "saved_dataset")
_in_tree(
    lambda path: [list(_dataset().snapshot(path))] and None, lambda path: list(_dataset().snapshot(path)), "snapshot"
)


def _model() -> tf.keras.Model:
    return tf.keras.Sequential([tf.keras.layers.Input([3]), tf.keras.layers.Dense(2, name="d")])


_in_tree(lambda path: _model().save(path), lambda path: tf.keras.models.load_model(path), "model.keras")
_in_tree(lambda path: _model().save_weights(path), lambda path: _model().load_weights(path), "model.weights.npz")


@reader(lambda folder: [json.dumps(json.loads(_model().to_json())).encode()])
def model_from_json(data: bytes, folder: str) -> object:
    return tf.keras.models.model_from_json(data.decode("utf-8", "replace"))


def _zip_with_lies(folder: str) -> list[bytes]:
    path = os.path.join(folder, "lies.keras")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", "{}")
    return [contents(path)]


@reader(_zip_with_lies)
def other_archive(data: bytes, folder: str) -> object:
    return tf.keras.models.load_model(put(data, folder, "lies.keras"))
