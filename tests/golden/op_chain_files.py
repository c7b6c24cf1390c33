"""Chains of raw ops on files and on bytes that hold pictures, sounds, examples, records, tables; and what writes summaries."""

import base64
import gzip
import json
import os
import struct
import zlib

import numpy as np

from tests.golden.op_chain_bodies import Fn, PathOf
from tests.golden.op_chain_cases import OF_ONE, Of, call, chain, dataset, i32, i64, one
from tests.golden.op_samples_cases import A

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pictures.json")) as _file:
    PICTURES = {name: base64.b64decode(text) for name, text in json.load(_file).items()}


def text(value):
    return np.array(value, object)


def texts(*values):
    return np.array(values, object)


# --- pictures ------------------------------------------------------------------------------------------------------------
def png(array, broken=""):
    """A picture of uint8 or uint16 as PNG; `broken`: what is wrong with it."""
    height, width, channels = array.shape
    rows = array.astype(">u2" if array.dtype == np.uint16 else "u1")
    data = zlib.compress(b"".join(b"\0" + row.tobytes() for row in rows), 1)
    header = struct.pack(">IIBBBBB", height if broken == "turned" else width, width if broken == "turned" else height, 8 * array.dtype.itemsize, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", data[: len(data) // 2] if broken == "short data" else data), (b"IEND", b"")]
    found = b"\x89PNG\r\n\x1a\n"
    for name, body in parts:
        check = zlib.crc32(name + body) ^ (broken == "check" and name == b"IHDR")
        found += struct.pack(">I", len(body)) + name + body + struct.pack(">I", check)
    return found[:40] if broken == "short" else found


def array(height, width, channels, dtype="uint8"):
    count = height * width * channels
    return (np.arange(count) * (37 if dtype == "uint8" else 4099)).astype(dtype).reshape(height, width, channels)


PNGS = [png(array(3, 2, c)) for c in (1, 2, 3, 4)] + [png(array(2, 3, c, "uint16")) for c in (1, 3, 4)] + [png(array(1, 1, 3))]
BROKEN = [b"", b"\x89PNG", b"\xff\xd8\xff", b"BM", b"GIF89a", b"RIFF\0\0\0\0WEBP", b"nothing"] + [png(array(3, 2, 3), b) for b in ("short", "check", "short data", "turned")]
JPEGS = [PICTURES[name] for name in ("jpeg", "jpeg of halves", "jpeg gray", "jpeg in steps", "jpeg of one", "jpeg cmyk")]
OTHERS = [PICTURES[name] for name in ("gif", "gif of three", "bmp", "bmp gray", "bmp alpha", "png palette", "png bits", "png gray alpha")]
for _picture in [*PNGS, *OTHERS[:2], *OTHERS[5:], *BROKEN]:
    for _channels in (0, 1, 3, 4, 2) if _picture in PNGS[:3] else (0, 3):
        chain("DecodePng", call("DecodePng", text(_picture), channels=_channels))
    chain("DecodePng", call("DecodePng", text(_picture), dtype="uint16"))
for _picture in (PNGS[2], PNGS[5], JPEGS[0], OTHERS[0], OTHERS[1], OTHERS[2], b"", b"nothing"):
    for _channels in (0, 3, 1, 4):
        chain("DecodeImage", call("DecodeImage", text(_picture), channels=_channels), call("DecodeImage", text(_picture), channels=_channels, expand_animations=False))
    for _dtype in ("uint16", "float32"):
        chain("DecodeImage", call("DecodeImage", text(_picture), dtype=_dtype))
for _picture in (*OTHERS[2:5], *PNGS[:1], *BROKEN[:5], OTHERS[2][:60], OTHERS[2][:20]):
    for _channels in (0, 1, 3, 4):
        chain("DecodeBmp", call("DecodeBmp", text(_picture), channels=_channels))
for _picture in (*OTHERS[:3], *PNGS[:3], *JPEGS[:1], *BROKEN[:5], OTHERS[0][:30], OTHERS[0][:15], OTHERS[1][:-20]):
    chain("DecodeGif", call("DecodeGif", text(_picture)))
for _picture in (PICTURES["webp"], PICTURES["webp alpha"], *PNGS[:1], *BROKEN[:6], PICTURES["webp"][:40]):
    for _channels in (0, 3, 4, 1):
        chain("DecodeWebP", call("DecodeWebP", text(_picture), channels=_channels))
EXACT = {"dct_method": "INTEGER_ACCURATE"}
for _picture in (*JPEGS, JPEGS[0][:200], JPEGS[0][:100], JPEGS[0][:-2], *PNGS[:3], OTHERS[0], *BROKEN[:7]):
    for _channels in (0, 1, 3) if _picture in JPEGS[:4] else (0,):
        chain("DecodeJpeg", call("DecodeJpeg", text(_picture), channels=_channels, **EXACT))
    chain("DecodeJpeg", call("ExtractJpegShape", text(_picture)), call("ExtractJpegShape", text(_picture), output_type="int64"))
for _ratio in (1, 2, 4, 8, 3, 0):
    chain("DecodeJpeg", call("DecodeJpeg", text(JPEGS[2]), ratio=_ratio, **EXACT))
for _channels in (2, 4, -1):
    chain("DecodeJpeg", call("DecodeJpeg", text(JPEGS[0]), channels=_channels))
for _fraction in (0.5, 0.9):
    chain("DecodeJpeg", call("DecodeJpeg", text(JPEGS[2][:300]), try_recover_truncated=True, acceptable_fraction=_fraction, **EXACT))
for _window in ((0, 0, 9, 11), (0, 0, 4, 5), (2, 3, 4, 5), (8, 10, 1, 1), (0, 0, 10, 11), (-1, 0, 2, 2), (0, 0, 0, 1), (5, 5, 9, 1), (0, 0, 1)):
    for _picture in (JPEGS[0], JPEGS[3]):
        chain("DecodeAndCropJpeg", call("DecodeAndCropJpeg", text(_picture), i32(*_window), **EXACT))
for _shape in ((3, 4, 1), (3, 4, 3), (1, 1, 3), (8, 8, 1), (0, 4, 3), (3, 4, 2), (3, 4, 4), (3, 4), (2, 3, 4, 3)):
    for _attrs in ({}, {"quality": 20, "chroma_downsampling": False}, {"format": "rgb"}, {"format": "grayscale"}, {"progressive": True}, {"quality": 101}, {"optimize_size": True}):
        chain("EncodeJpeg", call("EncodeJpeg", A("uint8", _shape, "positive"), **_attrs), call("ExtractJpegShape", Of(0)), call("DecodeJpeg", Of(0), **EXACT))
    for _quality in (0, 95, 100, 101, -1):
        chain("EncodeJpegVariableQuality", call("EncodeJpegVariableQuality", A("uint8", _shape, "positive"), np.array(_quality, "int32")), call("ExtractJpegShape", Of(0)))
for _dtype in ("uint8", "uint16"):
    for _shape in ((3, 4, 1), (3, 4, 2), (3, 4, 3), (3, 4, 4), (1, 1, 1), (2, 3, 4, 3), (0, 4, 3), (3, 0, 1), (3, 4, 5), (3, 4)):
        for _compression in (-1, 9, 10):
            chain("EncodePng", call("EncodePng", A(_dtype, _shape), compression=_compression), call("DecodePng", Of(0), dtype=_dtype))


# --- sounds --------------------------------------------------------------------------------------------------------------
def wav(samples, rate=8000, channels=1, kind=1, bits=16, extra=b"", promised=None):
    data = np.asarray(samples, "<i2").tobytes()
    form = struct.pack("<HHIIHH", kind, channels, rate, rate * channels * bits // 8, channels * bits // 8, bits)
    body = b"WAVE" + b"fmt " + struct.pack("<I", 16) + form + extra + b"data" + struct.pack("<I", len(data) if promised is None else promised) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


SOUND = wav([0, 1, -32768, 32767, -1, 100])
SOUNDS = [
    SOUND, wav([]), wav([1, 2, 3, 4], channels=2), wav([5], rate=0), wav([5], kind=3), wav([5], bits=8), wav([5], channels=0), wav([1, 2, 3], channels=2),
    wav([1, 2], extra=b"LIST" + struct.pack("<I", 4) + b"abcd"), wav([1, 2], extra=b"LIST" + struct.pack("<I", 2**31) + b"abcd"), wav([1], promised=2**30), SOUND[:20], SOUND[:44], SOUND[:-1], b"", b"RIFF",
]  # fmt: skip
for _sound in SOUNDS:
    for _attrs in ({}, {"desired_channels": 2}, {"desired_samples": 3}, {"desired_samples": 9, "desired_channels": 1}, {"desired_samples": 0}):
        chain("DecodeWav", call("DecodeWav", text(_sound), **_attrs))
for _shape in ((3, 1), (0, 1), (2, 2), (3,), (2, 0)):
    for _rate in (8000, 0, -1):
        chain("EncodeWav", call("EncodeWav", A("float32", _shape), np.array(_rate, "int32")), call("DecodeWav", Of(0)))
chain("EncodeWav", call("EncodeWav", np.array([[np.nan], [np.inf], [-np.inf], [-0.0], [1.0], [-1.0], [0.99999]], "float32"), np.array(9, "int32")))


# --- files ---------------------------------------------------------------------------------------------------------------
def written(*contents):
    return [call("WriteFile", PathOf(f"f{i}"), text(content)) for i, content in enumerate(contents)]


CONTENTS = [b"", b"a", b"a\nb\n", b"a\r\nb\r\n\r\n", b"\n\n", b"\xff\x00\n\xc3", b"one,1\ntwo,2\n", b"x" * 40]
for _content in CONTENTS:
    chain("ReadFile", *written(_content), call("ReadFile", PathOf("f0")), call("ReadFile", PathOf("none")), call("MatchingFiles", PathOf("*")), call("MatchingFiles", PathOf("n*")), call("WriteFile", PathOf("f0"), text(b"again")), call("ReadFile", PathOf("f0")))
    chain("WriteFile", call("WriteFile", PathOf("deep/er/f"), text(_content)), call("ReadFile", PathOf("deep/er/f")), call("WriteFile", PathOf("deep"), text(b"")), call("ReadFile", PathOf("deep")), call("ReadFile", text(b"")), call("ReadFile", texts(b"a", b"b")), call("WriteFile", text(b""), text(b"")))
    for _kind, _packed in ((b"", _content), (b"GZIP", gzip.compress(_content, mtime=0)), (b"ZLIB", zlib.compress(_content)), (b"GZIP", _content), (b"ODD", _content)):
        dataset("TextLineDataset", [*written(_packed), call("TextLineDataset", PathOf("f0"), text(_kind), one(0))], 5, output_types=["string"], output_shapes=[[]])
    for _header, _record, _footer in ((0, 2, 0), (1, 1, 1), (0, 0, 0), (-1, 1, 0), (0, 3, 0), (0, 100, 0)):
        dataset("FixedLengthRecordDatasetV2", [*written(_content), call("FixedLengthRecordDatasetV2", PathOf("f0"), one(_header), one(_record), one(_footer), one(0), text(b""))], 5, output_types=["string"], output_shapes=[[]])
    dataset("FixedLengthRecordDatasetV2", [*written(gzip.compress(_content, mtime=0)), call("FixedLengthRecordDatasetV2", PathOf("f0"), one(0), one(2), one(0), one(256), text(b"GZIP"))], 5, output_types=["string"], output_shapes=[[]])
dataset("TextLineDataset", [*written(b"a\n", b"b"), call("MatchingFiles", PathOf("f*")), call("TextLineDataset", Of(2), text(b""), one(8))], 4, output_types=["string"], output_shapes=[[]])
dataset("TextLineDataset", [call("TextLineDataset", PathOf("none"), text(b""), one(0))], 3, output_types=["string"], output_shapes=[[]])
dataset("TextLineDataset", [call("TextLineDataset", texts(), text(b""), one(0))], 2, output_types=["string"], output_shapes=[[]])
dataset("TextLineDataset", [*written(b"a\n"), call("TextLineDataset", PathOf("f0"), text(b""), one(-1))], 2, output_types=["string"], output_shapes=[[]])
for _pattern in ("*", "f?", "f[01]", "g*", "f{0,1}", "f0", "**", ""):
    chain("MatchingFiles", *written(b"", b"", b""), call("MatchingFiles", PathOf(_pattern)), call("MatchingFiles", PathOf(_pattern + "*")))
    dataset("MatchingFilesDataset", [*written(b"", b""), call("MatchingFilesDataset", PathOf(_pattern))], 3, output_types=["string"], output_shapes=[[]])
for _values in (texts(), text(b"")):
    chain("MatchingFiles", call("MatchingFiles", _values))


def crc32c(data):
    found = 0xFFFFFFFF
    for byte in data:
        found ^= byte
        for _ in range(8):
            found = found >> 1 ^ (0x82F63B78 if found & 1 else 0)
    return found ^ 0xFFFFFFFF


def masked(data):
    check = crc32c(data)
    return struct.pack("<I", ((check >> 15 | check << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data, wrong=""):
    length = struct.pack("<Q", 2**40 if wrong == "length" else len(data))
    return length + (b"\0" * 4 if wrong == "check of length" else masked(length)) + data + (b"\0" * 4 if wrong == "check" else masked(data))


RECORDS = [b"", record(b""), record(b"a") + record(b"\0\xff"), record(b"a") + record(b"b", "check"), record(b"a", "check of length"), record(b"a", "length"), record(b"a")[:-1], record(b"a") + b"\0", b"nothing that is a record"]
for _record in RECORDS:
    for _kind, _packed in ((b"", _record), (b"GZIP", gzip.compress(_record, mtime=0)), (b"ZLIB", zlib.compress(_record)), (b"ZLIB", zlib.compress(_record)[:-3]), (b"ODD", _record)):
        dataset("TFRecordDataset", [*written(_packed), call("TFRecordDataset", PathOf("f0"), text(_kind), one(0))], 4, output_types=["string"], output_shapes=[[]])
        if _kind == b"":
            dataset("TFRecordDatasetV2", [*written(_packed), call("TFRecordDatasetV2", PathOf("f0"), text(_kind), one(256), i64())], 4, output_types=["string"], output_shapes=[[]])
for _text in (b"1,2.5,a\n", b"1,,\n", b",,\n", b'"1","2","a""b"\n', b'1,2,"a\nb"\n', b"1,2\n", b"1,2,3,4\n", b"x,2,a\n", b"", b"\n", b"1,nan,inf\n-1,-0.0,\xff\n", b"9223372036854775808,1,a\n", b"1,1e400,a\r\n"):
    for _attrs in ((False, b",", True, b"", ()), (True, b",", True, b"", ()), (False, b";", True, b"", ()), (False, b",", False, b"x", ()), (False, b",", True, b"NA", (0, 2))):
        _header, _delimiter, _quotes, _missing, _columns = _attrs
        _defaults = [i64(7), np.array([0.5], "float32"), texts(b"d")]
        _kinds = ["int64", "float32", "string"]
        if _columns:
            _defaults, _kinds = [_defaults[c] for c in _columns], [_kinds[c] for c in _columns]
        dataset("CSVDatasetV2", [*written(_text), call("CSVDatasetV2", PathOf("f0"), text(b""), one(256), np.array(_header), text(_delimiter), np.array(_quotes), text(_missing), i64(*_columns), _defaults, i64(), output_types=_kinds, output_shapes=[[]] * len(_kinds))], 3, output_types=_kinds, output_shapes=[[]] * len(_kinds))
dataset("CSVDatasetV2", [*written(b"1\n\n2\n"), call("CSVDatasetV2", PathOf("f0"), text(b""), one(256), np.array(False), text(b","), np.array(True), text(b""), i64(), [i64()], i64(), **OF_ONE)], 4, **OF_ONE)
for _text in (b"a\t1\nb\t2\n", b"a\t1", b"", b"a\n", b"a\t1\na\t2\n", b"\t\n", b"a\tx\n", b"\xff\t3\n"):
    for _key, _value, _size, _types in ((0, 1, -1, ("string", "int64")), (-2, -1, -1, ("string", "int64")), (-1, -2, -1, ("int64", "string")), (0, 5, -1, ("string", "int64")), (0, 1, 1, ("string", "float32")), (0, 1, 9, ("string", "string")), (-3, 1, -1, ("string", "int64"))):
        chain("InitializeTableFromTextFileV2", *written(_text), call("HashTableV2", key_dtype=_types[0], value_dtype=_types[1]), call("InitializeTableFromTextFileV2", Of(1), PathOf("f0"), key_index=_key, value_index=_value, vocab_size=_size), call("LookupTableSizeV2", Of(1)),
              call("LookupTableFindV2", Of(1), texts(b"a", b"b", b"") if _types[0] == "string" else i64(0, 1), A(_types[1], (), "positive")))  # fmt: skip
for _key, _value in (("int64", "string"), ("string", "float32"), ("string", "int64"), ("int64", "int64"), ("int32", "float32")):
    for _read in range(3):
        chain("AnonymousHashTable", call("AnonymousHashTable", key_dtype=_key, value_dtype=_value), call("LookupTableSizeV2", Of(0)), call("InitializeTableV2", Of(0), A(_key, (1 if _read else 0,)), A(_value, (_read,))), call("LookupTableSizeV2", Of(0)), call("LookupTableFindV2", Of(0), A(_key, (2,)), A(_value, ())))


# --- examples ------------------------------------------------------------------------------------------------------------
def varint(number):
    number &= 2**64 - 1
    found = b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def field(number, body):
    return varint(number << 3 | 2) + varint(len(body)) + body


def feature(values):
    if not values:
        return b""
    if isinstance(values[0], bytes):
        return field(1, b"".join(field(1, v) for v in values))
    if isinstance(values[0], float):
        return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
    return field(3, field(1, b"".join(map(varint, values))))


def features(values):
    return b"".join(field(1, field(1, name.encode()) + field(2, feature(v))) for name, v in values.items())


def example(**values):
    return field(1, features(values))


def sequence(context, **lists):
    rows = b"".join(field(1, field(1, name.encode()) + field(2, b"".join(field(1, feature(v)) for v in many))) for name, many in lists.items())
    return field(1, features(context)) + field(2, rows)


EXAMPLES = [
    example(a=[1, -(2**63)], b=[1.5, float("nan")], c=[b"x", b""]), example(a=[1, 2]), example(), b"", example(a=[1], b=[0.5, 1.0], c=[b"\xff"]), example(a=[1.0, 2.0]), example(a=[], b=[-0.0, float("inf")]),
    b"\xff", example(a=[1, 2])[:-1], example(a=[1, 2], zz=[1]), example(b=[b"a"]), example(a=[2**63 - 1, 0], c=[b"q"]), example(c=[]), example(a=[1, 2, 3]),
]  # fmt: skip
FORM = {"Tdense": ["int64"], "num_sparse": 1, "sparse_types": ["float32"], "ragged_value_types": ["string"], "ragged_split_types": ["int32"], "dense_shapes": [[2]]}
for _batch in [texts(e) for e in EXAMPLES] + [texts(*EXAMPLES[:3]), texts(), text(EXAMPLES[0]), texts(*EXAMPLES[4:6]), texts(EXAMPLES[1], EXAMPLES[9])]:
    for _default in (i64(7, 8), i64()):
        chain("ParseExampleV2", call("ParseExampleV2", _batch, texts(), texts(b"b"), texts(b"a"), texts(b"c"), [_default], **FORM))
SEQUENCES = [
    sequence({"k": [1]}, a=[[1.0], [2.0]]), sequence({"k": [2]}, a=[]), sequence({}, a=[[1.0]]), sequence({"k": [3]}), b"", sequence({"k": [1]}, a=[[1.0], [2.0, 3.0]]), sequence({"k": [1]}, a=[[], [1.0]]), sequence({"k": [1]}, a=[[1]]),
    sequence({"k": [b"s"]}, a=[[1.0]]), b"\xff", sequence({"k": [1, 2]}, a=[[1.0]]), sequence({"k": [5]}, a=[[float("nan")]], s=[[b"x"], [b"y", b""]]), sequence({"k": [5]}, a=[[1.0]], s=[[]]),
]  # fmt: skip
for _batch in [texts(s) for s in SEQUENCES] + [texts(*SEQUENCES[:2]), texts(), text(SEQUENCES[0]), texts(SEQUENCES[11], SEQUENCES[0])]:
    chain("ParseSequenceExampleV2", call("ParseSequenceExampleV2", _batch, texts(), texts(), texts(b"k"), texts(), texts(b"s"), texts(b"a"), texts(), np.array([False]), [i64()],
          Ncontext_sparse=0, context_sparse_types=[], context_ragged_value_types=[], context_ragged_split_types=[], context_dense_shapes=[[]], Nfeature_list_sparse=1, Nfeature_list_dense=1, feature_list_dense_types=["float32"], feature_list_sparse_types=["string"],
          feature_list_ragged_value_types=[], feature_list_ragged_split_types=[], feature_list_dense_shapes=[[1]]))  # fmt: skip
for _json in (b"{}", b'{"features": {"feature": {"a": {"int64List": {"value": ["1", "-2"]}}}}}', b'{"features": {"feature": {"b": {"floatList": {"value": [1.5, "NaN", "Infinity"]}}}}}', b'{"features": {"feature": {"c": {"bytesList": {"value": ["YQ=="]}}}}}',
              b"", b"{", b"null", b"[]", b'{"features": 1}', b'{"unknown": 1}', b'{"features": {"feature": {"a": {"int64List": {"value": ["x"]}}}}}', b'{"features": {"feature": {"a": {}}}}', b'{"features": {"feature": {"a": {"int64_list": {"value": [3]}}}}}', b'{"features": {"feature": {"c": {"bytesList": {"value": ["***"]}}}}}'):  # fmt: skip
    chain("DecodeJSONExample", call("DecodeJSONExample", text(_json)), call("DecodeJSONExample", texts(_json, _json)))

# --- sparse tensors as bytes ---------------------------------------------------------------------------------------------
for _dtype in ("float32", "int64", "string", "bool", "complex64", "bfloat16"):
    for _indices, _count, _shape in (([[0, 1], [1, 0]], 2, [2, 3]), ([], 0, [2, 3]), ([[0, 0]], 1, [1, 1]), ([[0, 1], [1, 0]], 2, [2]), ([[5, 5]], 1, [2, 3]), ([[0, 0]], 2, [2, 2])):
        _places = np.array(_indices, "int64").reshape(-1, 2)
        if _dtype in ("float32", "string") or _count == 2:
            for _op, _rank in (("SerializeSparse", 2), ("SerializeManySparse", 1)):
                chain(_op, call(_op, _places, A(_dtype, (_count,)), i64(*_shape)), call("ExpandDims", Of(0), 0), call("DeserializeManySparse", Of(0 if _rank == 1 else 1), dtype=_dtype), call("DeserializeSparse", Of(0), dtype=_dtype))
for _wrong in (texts(b"", b"", b""), np.array([[b"a", b"b", b"c"]], object), np.zeros((0, 3), object), np.zeros((1, 2), object), texts()):
    chain("DeserializeManySparse", call("DeserializeManySparse", _wrong, dtype="float32"))

# --- summaries, assertions, locks ----------------------------------------------------------------------------------------
LENGTHS = {"output_types": ["int32"], "output_shapes": [[]]}
METADATA = field(1, field(1, b"scalars"))
for _write in (
    [call("WriteSummary", Of(0), one(3), np.array(1.5, "float32"), text(b"a"), text(METADATA))], [call("WriteSummary", Of(0), one(-1), A(d, (2,)), text(b"a/b"), text(b"")) for d in ("float32", "int64", "string", "bool")], [],
    [call("WriteSummary", Of(0), one(2**62), np.zeros((0, 3), "float64"), text(b""), text(b""))], [call("WriteSummary", Of(0), one(0), np.array(np.nan, "float32"), text(b"\xff"), text(b"\xff"))],
    [call("WriteRawProtoSummary", Of(0), one(1), text(v)) for v in (b"", field(1, field(1, b"t")), b"\xff", b"a")], [call("WriteRawProtoSummary", Of(0), one(1), texts(b"", b""))], [call("WriteRawProtoSummary", Of(0), one(-1), texts())],
    [call("WriteGraphSummary", Of(0), one(1), text(v)) for v in (b"", b"\xff", field(1, field(1, b"n") + field(2, b"NoOp")))], [call("WriteGraphSummary", Of(0), one(2), text(b""))],
):  # fmt: skip
    for _queue, _flush in ((1, 10), (100, 0)):
        chain("SummaryWriter", call("SummaryWriter"), call("CreateSummaryFileWriter", Of(0), PathOf("logs"), np.array(_queue, "int32"), np.array(_flush, "int32"), text(b".v2")), *_write, call("FlushSummaryWriter", Of(0)), call("CloseSummaryWriter", Of(0)), call("MatchingFiles", PathOf("logs/*.v2")),
              call("TFRecordDataset", Of(4 + len(_write)), text(b""), one(0)), call("MapDataset", Of(5 + len(_write)), [], f=Fn("length", (("string", []),)), **LENGTHS), call("SkipDataset", Of(6 + len(_write)), one(1), **LENGTHS), call("AnonymousIteratorV3", **LENGTHS), call("MakeIterator", Of(7 + len(_write)), Of(8 + len(_write))), *[call("IteratorGetNext", Of(8 + len(_write)), **LENGTHS) for _ in range(len(_write) + 3)])  # fmt: skip
for _again in range(4):
    chain("WrittenTooEarly", call("SummaryWriter"), call("WriteSummary", Of(0), one(_again), np.array(1.5, "float32"), text(b"a"), text(b"")), call("FlushSummaryWriter", Of(0)), call("CloseSummaryWriter", Of(0)), call("WriteRawProtoSummary", Of(0), one(1), text(b"")), call("WriteGraphSummary", Of(0), one(1), text(b"")))
for _condition in (np.array(True), np.array(False), np.array([True]), np.array([[False]]), np.zeros(0, bool), np.array([True, True])):
    for _data in ([], [np.array(1.5, "float32")], [A("string", (5,)), A("int32", (0,))]):
        for _summarize in (3, -1, 0):
            chain("Assert", call("Assert", _condition, _data, summarize=_summarize))
for _again in range(13):
    chain("MutexLock", call("MutexV2"), call("MutexLock", Of(0)), call("ConsumeMutexLock", Of(1)))
for _again in range(8):
    chain("MutexV2", call("MutexV2"), call("NoOp"), call("Timestamp"), call("Timestamp"))
for _text in (b"", b"a\x00b", b"\xff", b"% d {}"):
    for _end in ("", "\n", "x\n"):
        chain("PrintV2", call("PrintV2", text(_text), output_stream="file:///dev/null", end=_end))
for _rest in (texts(b"a", b"b"), np.array(1, "int32")):
    chain("PrintV2", call("PrintV2", _rest, output_stream="file:///dev/null"))
chain("PrintV2", call("PrintV2", text(b"a"), output_stream="nowhere"))
