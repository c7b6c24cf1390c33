"""Messages as text: the format that `print` of TensorFlow 2.20 gives, whatever protobuf is installed.

Fields in the order of their numbers; maps with integer keys ascending; maps with string keys in the order of the C
printer: at the first difference the larger byte first, and a key before those it begins.
"""

from __future__ import annotations

import functools
import math
import struct
from typing import Any

_MESSAGE, _ENUM, _STRING, _BYTES, _BOOL, _FLOAT, _DOUBLE = 11, 14, 9, 12, 8, 2, 1
_ESCAPES = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}


def to_text(message: Any) -> str:
    """`message` as text, ending with a newline unless it is empty."""
    lines: list[str] = []
    _print(message, "", lines)
    return "".join(f"{line}\n" for line in lines)


def _compare_keys(a: str, b: str) -> int:
    x, y = a.encode(), b.encode()
    for m, n in zip(x, y):
        if m != n:
            return n - m
    return len(x) - len(y)


def _ordered(keys: list[Any]) -> list[Any]:
    if keys and isinstance(keys[0], str):
        return sorted(keys, key=functools.cmp_to_key(_compare_keys))
    return sorted(keys)


def _is_map(field: Any) -> bool:
    return field.type == _MESSAGE and bool(field.message_type.GetOptions().map_entry)


def _is_repeated(field: Any) -> bool:
    return bool(field.is_repeated if hasattr(field, "is_repeated") else field.label == 3)


def _print(message: Any, indent: str, lines: list[str]) -> None:
    for field, value in sorted(message.ListFields(), key=lambda pair: pair[0].number):
        if _is_map(field):
            kinds = field.message_type.fields_by_name
            for key in _ordered(list(value)):
                lines.append(f"{indent}{field.name} {{")
                lines.append(f"{indent}  key: {_scalar(kinds['key'], key)}")
                _print_one(kinds["value"], value[key], indent + "  ", lines)
                lines.append(f"{indent}}}")
        elif _is_repeated(field):
            for item in value:
                _print_one(field, item, indent, lines)
        else:
            _print_one(field, value, indent, lines)


def _print_one(field: Any, value: object, indent: str, lines: list[str]) -> None:
    if field.type == _MESSAGE:
        lines.append(f"{indent}{field.name} {{")
        _print(value, indent + "  ", lines)
        lines.append(f"{indent}}}")
    else:
        lines.append(f"{indent}{field.name}: {_scalar(field, value)}")


def _scalar(field: Any, value: Any) -> str:
    kind = field.type
    if kind == _STRING:
        return quoted(value.encode(), True)
    if kind == _BYTES:
        return quoted(value, False)
    if kind == _BOOL:
        return "true" if value else "false"
    if kind == _ENUM:
        known = field.enum_type.values_by_number.get(value)
        return known.name if known is not None else str(value)
    if kind in (_FLOAT, _DOUBLE):
        return number(value, kind == _FLOAT)
    return str(value)


def number(value: float, single: bool) -> str:
    """The shortest of two precisions that gives `value` back."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    short, full = ("%.6g", "%.9g") if single else ("%.15g", "%.17g")
    text = short % value
    back = float(text)
    if single:
        try:
            back = struct.unpack("<f", struct.pack("<f", back))[0]
        except OverflowError:
            back = math.inf
    return text if back == value else full % value


def quoted(data: bytes, keep_unicode: bool) -> str:
    """Bytes in double quotes; what is not printable ASCII in octal (valid UTF-8 as it is, with `keep_unicode`)."""
    if keep_unicode:
        return '"' + "".join(c if ord(c) > 127 else _byte(ord(c)) for c in data.decode()) + '"'
    return '"' + "".join(map(_byte, data)) + '"'


def _byte(code: int) -> str:
    if code in _ESCAPES:
        return _ESCAPES[code]
    return chr(code) if 32 <= code < 127 else f"\\{code:03o}"
