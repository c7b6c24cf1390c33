"""The readers: of each a name, valid inputs to start from, how these may be changed within, and how it is called with them.

A reader of files is given a folder in which the input stands in its place.
"""

from __future__ import annotations

import functools
import json
import os
import pathlib
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import graphrt as tf
from graphrt.executor.program import program_of
from graphrt.export.onnx.schema import message_class as onnx_class
from graphrt.graphdef import import_graph_def as import_from
from graphrt.graphdef import to_text
from graphrt.graphdef.example_messages import example_class
from graphrt.graphdef.schema import message_class
from graphrt.passes import run_passes
from tests import GOLDEN
from tests.graphrt.export.onnx import recorded_nodes
from tests.hostile import mutation
from tests.hostile.mutation import Change


@dataclass(frozen=True)
class Reader:
    name: str
    samples: Callable[[str], list[bytes]]  # given a scratch folder
    read: Callable[[bytes, str], object]
    within: Change | None = None  # changes a sample within its outer form
    files: bool = False  # whether it is given a folder


READERS: list[Reader] = []
SCRATCH = tempfile.TemporaryDirectory()  # of what readers of folders start from; gone when the process ends


def reader(
    samples: Callable[[str], list[bytes]], within: Change | None = None, files: bool = False
) -> Callable[[Callable[[bytes, str], object]], Reader]:
    def add(read: Callable[[bytes, str], object]) -> Reader:
        READERS.append(Reader(read.__name__, samples, read, within, files))
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


@reader(_tensors, mutation.fields(message_class("TensorProto")))
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


@reader(_examples, mutation.fields(example_class("Example")))
def parse_example(data: bytes, folder: str) -> object:
    spec = {
        "a": tf.io.FixedLenFeature([3], tf.int64),
        "b": tf.io.VarLenFeature(tf.float32),
        "c": tf.io.RaggedFeature(tf.string),
    }
    return tf.io.parse_example([data], spec), tf.io.parse_single_example(data, spec)


def _sequences(folder: str) -> list[bytes]:
    train = tf.train
    steps = [train.Feature(int64_list=train.Int64List(value=[i] * i)) for i in range(3)]
    lists = train.FeatureLists(feature_list={"s": train.FeatureList(feature=steps)})
    context = train.Features(feature={"a": train.Feature(int64_list=train.Int64List(value=[1]))})
    return [train.SequenceExample(context=context, feature_lists=lists).SerializeToString()]


@reader(_sequences, mutation.fields(example_class("SequenceExample")))
def parse_sequence_example(data: bytes, folder: str) -> object:
    context, lists = {"a": tf.io.VarLenFeature(tf.int64)}, {"s": tf.io.VarLenFeature(tf.int64)}
    fixed = {"s": tf.io.FixedLenSequenceFeature([1], tf.int64, allow_missing=True)}
    tf.io.parse_single_sequence_example(data, context, lists)
    return tf.io.parse_sequence_example([data], context, fixed)


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
    return [g.graph.as_graph_def().SerializeToString(deterministic=True) for g in (concrete, plain)]


def _models(folder: str) -> list[bytes]:
    def rows(x: tf.Tensor) -> tf.Tensor:
        out = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(tf.shape(x)[0]):
            out = out.write(i, x[i] if x[i] > 0 else x[0] * 2.0)
        return out.stack()

    def images(x: tf.Tensor) -> tf.Tensor:
        found = tf.nn.relu(tf.nn.conv2d(x, tf.ones([2, 2, 2, 3]), 2, "SAME"))
        return tf.image.resize(tf.nn.max_pool2d(found, 2, 1, "VALID"), [4, 5])

    def parts(x: tf.Tensor, i: tf.Tensor) -> object:
        split = tf.split(tf.transpose(x), [1, 2], 0)
        placed = tf.tensor_scatter_nd_add(x, [[1]], x[:1])
        return tf.gather(x, i, axis=1), x[::-1, 1:], tf.pad(x, [[1, 0], [0, 2]]), placed, tf.math.top_k(x, 2), split

    spec = tf.TensorSpec
    signatures = [
        (rows, [spec([None])]), (images, [spec([1, 5, 4, 2])]), (parts, [spec([2, 3]), spec([2], tf.int32)]),
    ]  # fmt: skip
    found = []
    for function, specs in signatures:
        path = os.path.join(folder, "sample.onnx")
        tf.export.to_onnx(tf.function(function).get_concrete_function(*specs), path)
        found.append(contents(path))
    recorded = ["LSTM that looks at its memory", "GRU linear before reset", "Scan backwards", "quantized and back"]
    return found + [recorded_nodes.CASES[name][0].SerializeToString(deterministic=True) for name in recorded]


@reader(_models, mutation.fields(onnx_class("ModelProto")), files=True)
def onnx_model(data: bytes, folder: str) -> object:
    concrete = tf.export.from_onnx(put(data, folder, "model.onnx"))
    specs = concrete.structured_input_signature[0]
    shapes = [[2 if d is None else d for d in s.shape.as_list()] for s in specs if s.shape.rank is not None]
    if len(shapes) < len(specs) or any(np.prod(s, dtype=float) > 1000 for s in shapes):
        return concrete
    return concrete(
        *[tf.cast(tf.fill(s, "1") if t.dtype is tf.string else tf.ones(s), t.dtype) for s, t in zip(shapes, specs)]
    )


GRAPHS = pathlib.Path(__file__).parents[1] / "golden" / "graphdef"


def _programs(folder: str) -> list[bytes]:
    """GraphDefs of many kinds, as text and as bytes in turn."""
    recorded = [import_from(path.read_text()) for path in sorted(GRAPHS.glob("*.pbtxt"))]
    return _graphs(folder) + [graph.as_graph_def().SerializeToString(deterministic=True) for graph in recorded]


@reader(_programs, mutation.fields(message_class("GraphDef")))
def import_graph_def(data: bytes, folder: str) -> object:
    return import_from(data)


@reader(lambda folder: [p.read_bytes() for p in sorted(GRAPHS.glob("*.pbtxt"))])
def import_text(data: bytes, folder: str) -> object:
    return import_from(data.decode("utf-8", "replace"))


@reader(_programs, mutation.fields(message_class("GraphDef")))
def run_graph(data: bytes, folder: str) -> object:
    """A graph of a stranger, run with small inputs."""
    graph = import_from(data)
    return program_of(graph, run_passes)(*[_input(value) for value in graph.inputs])


def _input(value: Any) -> Any:
    dims = [2 if d is None else d for d in value.dims or ()]
    if value.dtype.kind == "O" or np.prod(dims, dtype=float) > 1e6:
        raise ValueError("an input that nobody has")
    if value.dtype.kind == "S":
        found = np.empty(dims, object)
        found[...] = b"a"
        return found
    return np.ones(dims, value.dtype.as_numpy_dtype)


@reader(_programs, mutation.fields(message_class("GraphDef")))
def import_into_a_function(data: bytes, folder: str) -> object:
    @tf.function
    def body(x: tf.Tensor) -> object:
        return tf.graph_util.import_graph_def(data, {"x": x}, ["Identity:0"])

    return body.get_concrete_function(tf.TensorSpec([2, 2]))


@reader(lambda folder: [to_text(message_class("GraphDef").FromString(data)).encode() for data in _graphs(folder)])
def import_nested_text(data: bytes, folder: str) -> object:
    depth = 1 + len(data) % 300
    nested = "attr { key: 'a' value { func { name: 'f' " * depth + "} } } " * depth
    return import_from((data.decode("utf-8", "replace") + f" node {{ name: 'n' op: 'Const' {nested} }}"))


# --- encodings -------------------------------------------------------------------------------------------------------
def _pngs(folder: str) -> list[bytes]:
    image = np.arange(7 * 5 * 3, dtype=np.uint8).reshape(7, 5, 3)
    return [tf.io.encode_png(image).numpy(), tf.io.encode_png(image[..., :1].astype(np.uint16)).numpy()]


@reader(_pngs, mutation.png_chunks)
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


def _record_reader(kind: str, name: str, within: Change) -> None:
    def read(data: bytes, folder: str) -> object:
        return list(tf.data.TFRecordDataset(put(data, folder), kind))

    read.__name__ = name
    reader(_records(kind), within, files=True)(read)


for _kind, _name, _within in (
    ("", "tfrecord", mutation.records),
    ("GZIP", "tfrecord_gzip", mutation.within_gzip(mutation.records)),
    ("ZLIB", "tfrecord_zlib", mutation.within_zlib(mutation.records)),
):
    _record_reader(_kind, _name, _within)


@reader(_records("GZIP"), mutation.within_gzip(), files=True)
def text_lines_gzip(data: bytes, folder: str) -> object:
    return list(tf.data.TextLineDataset(put(data, folder), "GZIP"))


@reader(_records("ZLIB"), mutation.within_zlib(), files=True)
def fixed_length_zlib(data: bytes, folder: str) -> object:
    return list(tf.data.FixedLengthRecordDataset(put(data, folder), 4, footer_bytes=2, compression_type="ZLIB"))


@reader(lambda folder: [b"1,2.5,x\n2,3.5,y\n", b'"a"b,1,2\n'], files=True)
def csv_dataset(data: bytes, folder: str) -> object:
    return list(tf.data.experimental.CsvDataset(put(data, folder), [tf.int32, tf.float32, tf.string]))


@reader(lambda folder: [b"0123456789abcdef"], files=True)
def fixed_length_records(data: bytes, folder: str) -> object:
    return list(tf.data.FixedLengthRecordDataset(put(data, folder), 4, header_bytes=1))


@reader(_records("ZLIB"), mutation.within_zlib())
def decode_compressed(data: bytes, folder: str) -> object:
    return tf.io.decode_compressed(data, "ZLIB")


@reader(lambda folder: [bytes(range(16)), b"123"])
def decode_raw(data: bytes, folder: str) -> object:
    return tf.io.decode_raw([data], tf.float32), tf.io.decode_raw([data], tf.int16, fixed_length=8)


Parts = Mapping[str, Change]  # how the files whose names end so are changed within


def _in_tree(make: Callable[[str], None], read: Callable[[str], object], name: str, parts: Parts) -> None:
    """A reader of a folder of files: each of them in turn is the one that has changed. It is made once."""

    @functools.cache
    def whole() -> tuple[str, list[str]]:
        top = os.path.join(tempfile.mkdtemp(dir=SCRATCH.name), name)
        make(top)
        found = [os.path.join(at, file) for at, _, files in os.walk(top) for file in files] or [top]
        return top, sorted(os.path.relpath(path, os.path.dirname(top)) for path in found)

    def samples(folder: str) -> list[bytes]:
        top, names = whole()
        return [bytes([i]) + contents(os.path.join(os.path.dirname(top), part)) for i, part in enumerate(names)]

    def within(data: bytes, chance: mutation.Chance) -> bytes:
        _, names = whole()
        for ending, change in parts.items():
            if names[data[0]].endswith(ending):
                return data[:1] + change(data[1:], chance)
        return data[:1] + mutation.changed(data[1:], chance)

    def read_changed(data: bytes, folder: str) -> object:
        top, names = whole()
        target = os.path.join(folder, name)
        (shutil.copytree if os.path.isdir(top) else shutil.copyfile)(top, target)
        put(data[1:], folder, names[(data or b"\0")[0] % len(names)])
        return read(target)

    read_changed.__name__ = name
    reader(samples, within, files=True)(read_changed)


def _dataset() -> tf.data.Dataset:
    return tf.data.Dataset.from_tensor_slices(([1, 2, 3], ["a", "b", "c"]))


_in_tree(
    lambda path: _dataset().save(path, compression="GZIP"), lambda path: list(tf.data.Dataset.load(path)), "saved_dataset",
    {"snapshot": mutation.within_gzip()},
)  # fmt: skip
for _name in ("texts", "ragged", "sparse"):
    _in_tree(
        lambda path, name=_name: shutil.copytree(GOLDEN / "saved_datasets" / name, path, dirs_exist_ok=True),
        lambda path: list(tf.data.Dataset.load(path)), f"tensorflow_dataset_{_name}", {},
    )  # fmt: skip
_in_tree(
    lambda path: [list(_dataset().snapshot(path, compression=None))] and None,
    lambda path: list(_dataset().snapshot(path, compression=None)), "snapshot", {"metadata": mutation.json_values},
)  # fmt: skip


def _cached(path: str) -> object:
    return list(_dataset().cache(os.path.join(path, "cache")))


_in_tree(lambda path: [os.mkdir(path), _cached(path)] and None, _cached, "cache", {})


def _model() -> tf.keras.Model:
    return tf.keras.Sequential([tf.keras.layers.Input([3]), tf.keras.layers.Dense(2, name="d")])


def _functional() -> tf.keras.Model:
    x = tf.keras.Input([4, 4, 1])
    y = tf.keras.layers.Conv2D(2, 2, activation="relu", kernel_regularizer="l2")(x)
    y = tf.keras.layers.BatchNormalization()(tf.keras.layers.Flatten()(y))
    model = tf.keras.Model(x, tf.keras.layers.Add()([tf.keras.layers.Dense(3)(y), tf.keras.layers.Dense(3)(y)]))
    model.compile("adam", "mse", metrics=["mae"])
    return model


_npz = mutation.archive({})
_archive = mutation.archive({"json": mutation.json_values, "npz": _npz})
_in_tree(
    lambda path: _functional().save(path), lambda path: tf.keras.models.load_model(path), "model.keras", {"": _archive}
)
_model_once = functools.cache(_model)
_in_tree(
    lambda path: _model().save_weights(path), lambda path: _model_once().load_weights(path), "model.weights.npz",
    {"": _npz},
)  # fmt: skip


@reader(lambda folder: [_model().to_json().encode(), _functional().to_json().encode()], mutation.json_values)
def model_from_json(data: bytes, folder: str) -> object:
    return tf.keras.models.model_from_json(data.decode("utf-8", "replace"))


def _configurations(folder: str) -> list[bytes]:
    keras = tf.keras
    layers = [keras.layers.LSTM(2), keras.layers.Conv1D(2, 3, padding="same"), keras.layers.Embedding(5, 2)]
    return [json.dumps(keras.layers.serialize(layer)).encode() for layer in layers]


@reader(_configurations, mutation.json_values)
def layer_of_a_configuration(data: bytes, folder: str) -> object:
    return tf.keras.layers.deserialize(json.loads(data))


@reader(
    lambda folder: [json.dumps(tf.keras.optimizers.serialize(tf.keras.optimizers.Adam(0.1))).encode()],
    mutation.json_values,
)
def optimizer_of_a_configuration(data: bytes, folder: str) -> object:
    return tf.keras.optimizers.deserialize(json.loads(data))


def _zip_with_lies(folder: str) -> list[bytes]:
    path = os.path.join(folder, "lies.keras")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", "{}")
    return [contents(path)]


@reader(_zip_with_lies, mutation.archive({}), files=True)
def other_archive(data: bytes, folder: str) -> object:
    return tf.keras.models.load_model(put(data, folder, "lies.keras"))


# --- checkpoints and SavedModels ---------------------------------------------------------------------------------------
class _Saved(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.v = tf.Variable([1.0, 2.0])
        self.names = tf.Variable(["a", "bc"])
        self.parts = [tf.Variable(3), {"k": tf.Variable([[True]])}]

    @tf.function(input_signature=[tf.TensorSpec([2])])
    def scaled(self, x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            x = x * self.v
        return {"y": x, "n": self.names}


_INDEX = {".index": mutation.table_entries("BundleEntryProto")}


def _write_checkpoint(path: str) -> None:
    os.mkdir(path)
    tf.train.Checkpoint(m=_Saved()).write(os.path.join(path, "c"))


_saved_once = functools.cache(_Saved)


def _read_checkpoint(path: str) -> object:
    reader = tf.train.load_checkpoint(os.path.join(path, "c"))
    values = [reader.get_tensor(name) for name in reader.get_variable_to_shape_map() if name[:1] != "_"]
    return values, tf.train.Checkpoint(m=_saved_once()).read(os.path.join(path, "c")).expect_partial()


def _load_and_call(path: str) -> object:
    loaded = tf.saved_model.load(path)
    return loaded.scaled(tf.constant([1.0, 2.0])) if hasattr(loaded, "scaled") else None


_in_tree(_write_checkpoint, _read_checkpoint, "checkpoint", _INDEX)
_in_tree(
    lambda path: tf.saved_model.save(_Saved(), path), _load_and_call, "saved_model",
    {**_INDEX, "saved_model.pb": mutation.fields(message_class("SavedModel"))},
)  # fmt: skip
