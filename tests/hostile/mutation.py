"""How inputs of readers are changed: bytes of any kind, and the parts of formats whose outer form is then made whole again.

A checksum stops nearly every change of bytes. So records, images, tables, archives, messages and JSON are also taken apart,
changed within, and put together with the right checksums and lengths.
"""

from __future__ import annotations

import gzip
import io
import json
import random
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Any, TypeAlias

from graphrt.graphdef.schema import message_class
from graphrt.ops.io.crc32c import masked_crc32c
from graphrt.saving.sorted_table import read_table, write_table

Chance: TypeAlias = random.Random
Change: TypeAlias = Callable[[bytes, Chance], bytes]

WORDS = [
    b"\0", b"\xff", b"\x7f", b"\x80", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\xff" * 8, b"-1", b"(", b'"',
    b"\n", b"\xff\xff\xff\xff\x07", b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", b"1e999", b"[" * 40, b"../../x", b"{", b",",
]  # fmt: skip
CODE = "__import__('os').system('touch /tmp/hostile')"
NAMES = [
    "", "x", "Const", "Identity", "Placeholder", "Fill", "Range", "Tile", "While", "If", "StatelessIf", "PartitionedCall",
    "PyFunc", "EagerPyFunc", "ReadFile", "WriteFile", "RestoreV2", "Reshape", "AddV2", "MatMul", "Conv2D", "StridedSlice",
    "^x", "x:1", "x:-1", "a/b", "../../x", "T", "dtype", "é", "\0", CODE, f'x"]; {CODE} #', "0", "_output_shapes", "Svd",
    "RaggedTensorFromVariant", "TensorListReserve", "VarHandleOp", "HashTableV2", "IteratorV2", "RandomIndexShuffle",
]  # fmt: skip
NUMBERS = [0, 1, -1, 2, 3, 7, 127, 128, 255, 256, 65535, 2**31 - 1, -(2**31), 2**31, 2**40, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, float("nan"), float("inf"), float("-inf"), 3e38, 1e-45, 1e300]


def changed(sample: bytes, chance: Chance) -> bytes:
    """A few bytes changed, left out, doubled or put in."""
    data = bytearray(sample)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        at = int(chance.random() * (len(data) + 1))
        kind = int(chance.random() * 7)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << int(chance.random() * 8)
        elif kind == 1:
            data[at : at + 1 + int(chance.random() * 8)] = b""
        elif kind == 2:
            data[at:at] = chance.randbytes(1 + int(chance.random() * 8))
        elif kind == 3:
            word = chance.choice(WORDS)
            data[at : at + len(word)] = word
        elif kind == 4:
            data = data[:at]
        elif kind == 5 and data:
            other = int(chance.random() * len(data))
            data[at:at] = data[other : other + 1 + int(chance.random() * 40)]
        elif data:
            data[at % len(data)] = int(chance.random() * 256)
    return bytes(data)


# --- files -----------------------------------------------------------------------------------------------------------
def records(data: bytes, chance: Chance) -> bytes:
    """TFRecords of which the contents, or lengths, are changed, with right checksums."""
    out, at = [], 0
    while at + 12 <= len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        body = data[at + 12 : at + 12 + size]
        at += 16 + size
        if chance.random() < 0.5:
            body = changed(body, chance)
        length = len(body) if chance.random() < 0.7 else chance.choice(NUMBERS) % 2**64
        head = struct.pack("<Q", length)
        out.append(head + struct.pack("<I", masked_crc32c(head)) + body + struct.pack("<I", masked_crc32c(body)))
    return b"".join(out)


def within_gzip(inner: Change = changed) -> Change:
    return lambda data, chance: gzip.compress(inner(gzip.decompress(data), chance), 1, mtime=0)


def within_zlib(inner: Change = changed) -> Change:
    return lambda data, chance: zlib.compress(inner(zlib.decompress(data), chance), 1)


def png_chunks(data: bytes, chance: Chance) -> bytes:
    """The chunks of a PNG, one of them changed, with right checksums; the rows changed before they are compressed."""
    chunks, at = [], 8
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        chunks.append((kind, data[at + 8 : at + 8 + size]))
        at += 12 + size
    place = int(chance.random() * len(chunks))
    kind, body = chunks[place]
    if kind == b"IDAT" and chance.random() < 0.7:
        body = zlib.compress(changed(zlib.decompress(body), chance), 1)
    elif kind == b"IHDR" and chance.random() < 0.7:
        head = bytearray(body)
        head[int(chance.random() * len(head))] = chance.choice((0, 1, 2, 3, 4, 6, 8, 16, 255))
        body = bytes(head)
    else:
        body = changed(body, chance)
    chunks[place] = kind, body
    if chance.random() < 0.2:
        chunks.insert(
            int(chance.random() * 4),
            (chance.choice((b"PLTE", b"tRNS", b"IEND", b"IDAT", b"gAMA")), chance.randbytes(6)),
        )
    return data[:8] + b"".join(
        struct.pack(">I", len(b)) + k + b + struct.pack(">I", zlib.crc32(k + b)) for k, b in chunks
    )


def table_entries(kind: str) -> Change:
    """The table of a checkpoint, one of its values changed as the message it is, with right checksums."""

    def change(data: bytes, chance: Chance) -> bytes:
        entries = list(read_table(data, "sample").items())
        place = int(chance.random() * len(entries))
        key, value = entries[place]
        if chance.random() < 0.2:
            key = changed(key, chance)
        else:
            value = fields(message_class(kind if key else "BundleHeaderProto"))(value, chance)
        entries[place] = key, value
        return write_table(sorted(entries))

    return change


def archive(members: dict[str, Change]) -> Change:
    """A ZIP archive, one member of it changed."""

    def change(data: bytes, chance: Chance) -> bytes:
        with zipfile.ZipFile(io.BytesIO(data)) as old:
            parts = {name: old.read(name) for name in old.namelist()}
        name = chance.choice(list(parts))
        found = next((c for ending, c in members.items() if name.endswith(ending)), changed)
        parts[name] = found(parts[name], chance)
        if chance.random() < 0.1:
            parts.pop(chance.choice(list(parts)))
        if chance.random() < 0.1:
            parts[chance.choice(("../../x", "/tmp/hostile", "arr_7.npy", "x"))] = parts.get(name, b"")
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as new:
            for key, value in parts.items():
                new.writestr(key, value)
        return made.getvalue()

    return change


# --- JSON ------------------------------------------------------------------------------------------------------------
def json_values(data: bytes, chance: Chance) -> bytes:
    """JSON text with values exchanged, left out or nested."""
    tree = json.loads(data)
    for _ in range(chance.choice((1, 1, 2))):
        tree = _json_changed(tree, chance)
    return json.dumps(tree).encode()


def _json_changed(value: Any, chance: Chance) -> Any:
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        kind = chance.random()
        if kind < 0.06:
            return {k: v for k, v in value.items() if k != key}
        if kind < 0.1:
            return {chance.choice(NAMES) if k == key else k: v for k, v in value.items()}
        return {k: _json_changed(v, chance) if k == key else v for k, v in value.items()}
    if isinstance(value, list) and value and chance.random() < 0.85:
        place = int(chance.random() * len(value))
        if chance.random() < 0.1:
            return value[:place] + value[place : place + 1] * 2 + value[place + 1 :]
        if chance.random() < 0.1:
            return value[:place] + value[place + 1 :]
        return [_json_changed(v, chance) if i == place else v for i, v in enumerate(value)]
    kind = int(chance.random() * 9)
    if kind == 0:
        return chance.choice(NUMBERS)
    if kind == 1:
        return chance.choice(NAMES)
    if kind == 2:
        return chance.choice(FLOATS)
    if kind == 3:
        return [value]
    if kind == 4:
        return {chance.choice(NAMES): value}
    return chance.choice((None, True, False, [], {}, "", [None], "relu", "float64", {"class_name": "Dense"}))


# --- messages --------------------------------------------------------------------------------------------------------
def fields(made: Any) -> Change:
    """Messages of a class with some of their fields changed."""

    def change(data: bytes, chance: Chance) -> bytes:
        message = made()
        message.ParseFromString(data)
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            _message_changed(message, chance)
        return bytes(message.SerializeToString(deterministic=True))

    return change


def _message_changed(message: Any, chance: Chance, depth: int = 0) -> None:
    """Changes a field of the message, or of one within it."""
    every = message.DESCRIPTOR.fields
    if not every:
        return
    present = message.ListFields()
    field = chance.choice(present)[0] if present and chance.random() < 0.85 else chance.choice(every)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        _map_changed(getattr(message, field.name), field.message_type, chance, depth)
    elif _is_repeated(field):
        _list_changed(getattr(message, field.name), field, chance, depth)
    elif chance.random() < 0.05:
        message.ClearField(field.name)
    elif field.message_type is not None:
        if depth < 12:
            part = getattr(message, field.name)
            part.SetInParent()
            _message_changed(part, chance, depth + 1)
    else:
        setattr(message, field.name, _scalar(field, getattr(message, field.name), chance))


def _is_repeated(field: Any) -> bool:
    told = getattr(field, "is_repeated", None)
    return bool(field.label == field.LABEL_REPEATED if told is None else told)


def _map_changed(entries: Any, entry: Any, chance: Chance, depth: int) -> None:
    value = entry.fields_by_name["value"]
    keys = sorted(entries)
    key = chance.choice(keys) if keys and chance.random() < 0.9 else _scalar(entry.fields_by_name["key"], "", chance)
    if key in entries and chance.random() < 0.07:
        del entries[key]
    elif value.message_type is not None:
        _message_changed(entries[key], chance, depth + 1)
    else:
        entries[key] = _scalar(value, entries[key] if key in entries else "", chance)


def _list_changed(items: Any, field: Any, chance: Chance, depth: int) -> None:
    kind = chance.random()
    place = int(chance.random() * len(items)) if len(items) else 0
    if not len(items) or kind < 0.06:
        if field.message_type is not None:
            made = items.add()
            if len(items) > 1:
                made.CopyFrom(items[place])
        else:
            items.append(items[place] if len(items) and chance.random() < 0.5 else _scalar(field, 0, chance))
    elif kind < 0.1:
        del items[place]
    elif kind < 0.13 and len(items) > 1:
        kept = list(items)
        chance.shuffle(kept)
        copies = [k if field.message_type is None else type(k).FromString(k.SerializeToString()) for k in kept]
        del items[:]
        items.extend(copies)
    elif field.message_type is not None:
        _message_changed(items[place], chance, depth + 1)
    else:
        items[place] = _scalar(field, items[place], chance)


def _scalar(field: Any, now: Any, chance: Chance) -> Any:
    kind = field.cpp_type
    if kind == field.CPPTYPE_STRING:
        if field.type == field.TYPE_BYTES:
            return changed(now or b"", chance) if chance.random() < 0.7 else chance.choice(WORDS)
        return (
            chance.choice(NAMES) if chance.random() < 0.7 or not now else now + chance.choice((":0", ":1", "_1", " "))
        )
    if kind in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
        return chance.choice(FLOATS)
    if kind == field.CPPTYPE_BOOL:
        return chance.random() < 0.5
    if kind == field.CPPTYPE_ENUM:
        return int(chance.random() * 30) if chance.random() < 0.9 else chance.choice((-1, 101, 2**31 - 1))
    number = chance.choice(NUMBERS) if chance.random() < 0.6 else int(now or 0) + chance.choice((-1, 1, 2))
    low, high = {
        field.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
        field.CPPTYPE_UINT32: (0, 2**32 - 1),
        field.CPPTYPE_UINT64: (0, 2**64 - 1),
    }.get(kind, (-(2**63), 2**63 - 1))
    return min(max(number, low), high)
