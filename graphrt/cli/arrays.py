"""Arrays on a command line: files of NumPy (.npy, .npz) and JSON, JSON written out, and JSON on the standard streams.

Nothing that a file holds is executed: arrays of Python objects, which need pickle, are refused.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrt.cli.console import UsageError
from graphrt.ops.io.whole_files import replaced
from graphrt.types.nesting import shown

Array = NDArray[Any]

_NPY = b"\x93NUMPY"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the second: without files


def read_inputs(given: list[str], names: list[str]) -> dict[str, object]:
    """The arrays that `--input` options name: `x=a.npy`, `x=a.npz` or `x=a.npz:key`, `x=a.json`, `x=[1, 2]`; `a.npz` or
    `a.json` alone gives several by name. `-` is JSON from the standard input.

    Raises:
      UsageError: a file cannot be read, a name is not one of `names`, or one is given twice.
    """
    found: dict[str, object] = {}
    for text in given:
        name, equals, source = text.partition("=")
        if equals and name in names:
            held: Mapping[str, object] = {name: _one(name, source)}
        elif text == "-" or os.path.splitext(text)[1] in (".npz", ".json"):
            held = _file(text)
            if not isinstance(held, Mapping):
                raise UsageError(f"{text} holds no names: say which input it is, NAME={text}")
        else:
            known = ", ".join(names) or "none"
            raise UsageError(f"the input {text!r} must be NAME=FILE or NAME=JSON, with a name of {known}")
        for name in held:
            if name in found:
                raise UsageError(f"the input {name!r} is given twice")
        found.update(held)
    unknown = [name for name in found if name not in names]
    if unknown:
        raise UsageError(f"there is no input {shown(unknown[0])}; the inputs are {', '.join(names) or 'none'}")
    missing = [name for name in names if name not in found]
    if missing:
        raise UsageError(f"the input {shown(missing[0])} is missing: --input {missing[0]}=FILE")
    return found


def _one(name: str, source: str) -> object:
    if source[:1] in '[{"-0123456789tfn' and not os.path.exists(source):
        try:
            return plain(_parsed(source))
        except ValueError:
            pass  # a name of a file
    path, colon, key = source.partition(":") if ".npz:" in source else (source, "", "")
    held = _file(path)
    if not isinstance(held, Mapping):
        return held
    if not held:
        raise UsageError(f"{path} has no arrays")
    if colon or name in held or len(held) == 1:
        wanted = key if colon else name if name in held else next(iter(held))
        if wanted in held:
            return held[wanted]
        raise UsageError(f"{path} has no array {wanted!r}; it has {', '.join(held)}")
    raise UsageError(f"{path} has several arrays: say which, {name}={path}:{next(iter(held))}")


def _file(path: str) -> Any:
    ending = os.path.splitext(path)[1]
    try:
        if path == "-" or ending == ".json":
            held = _parsed(_bytes(path))
            return (
                {k: plain(v) for k, v in held.items()} if isinstance(held, dict) and "b64" not in held else plain(held)
            )
        if ending in (".npy", ".npz"):
            return _of_numpy(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    except ValueError as error:
        raise UsageError(f"cannot read {path}: it is no JSON: {error}") from None
    raise UsageError(f"cannot read {path}: the file must end with .npy, .npz or .json")


def _bytes(path: str) -> bytes:
    if path == "-":
        if sys.stdin is None:
            raise UsageError("cannot read -: there is no standard input")
        return sys.stdin.buffer.read()
    with open(path, "rb") as file:
        return file.read()


def _parsed(text: str | bytes) -> Any:
    """What JSON says; bytes are UTF-8, 16 or 32.

    Raises:
      ValueError: it is no JSON.
    """
    if text[:3] == b"\xef\xbb\xbf":
        text = text[3:]  # a mark of UTF-8
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("lists inside of each other, too deep") from None


def _of_numpy(path: str) -> Any:
    """The array of a `.npy` file, or the arrays of a `.npz` file."""
    with open(path, "rb") as file:
        begin = file.read(6)
        if not begin:
            raise UsageError(f"cannot read {path}: it is empty")
        if begin != _NPY and begin[:4] not in _ZIP:
            raise UsageError(
                f"cannot read {path}: it is no file of NumPy, which begins with {_NPY!r} (.npy) or {_ZIP[0]!r} (.npz): it "
                f"begins with {shown(begin)}"
            )
        file.seek(0)
        try:
            found = np.load(file, allow_pickle=False)
            return found if isinstance(found, np.ndarray) else {k: _plain_array(found[k], k) for k in found.files}
        except Exception as error:  # zip files and headers fail in many ways
            objects = "Object arrays" in str(error)
            why = "it holds Python objects, which could run code" if objects else f"it is damaged ({error})"
            raise UsageError(f"cannot read {path}: {why}") from None


def _plain_array(found: Any, name: str) -> Any:
    if not isinstance(found, np.ndarray):  # NumPy gives the bytes of what is no array
        raise ValueError(f"what it calls {name!r} is no array")
    return found


def plain(value: object) -> object:
    """What JSON holds, with strings as bytes; `{"b64": ...}` stands for bytes that are no text."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict):
        if set(value) != {"b64"} or not isinstance(value["b64"], str):
            raise UsageError('an object in JSON is no tensor (but {"b64": "..."} is a string of bytes)')
        try:
            return base64.b64decode(value["b64"], validate=True)
        except ValueError as error:
            raise UsageError(f"bad base64: {error}") from None
    return [plain(v) for v in value] if isinstance(value, list) else value


def listed(array: Array, name: str) -> object:
    """An array as JSON holds it.

    Raises:
      UsageError: its numbers are complex.
    """
    if array.dtype.kind == "c":
        raise UsageError(
            f"the output {name!r} is of complex numbers, which JSON does not have: --output {name}=FILE.npy"
        )
    return array.tolist() if array.dtype != object else _text(array.tolist())


def _text(value: object) -> object:
    if isinstance(value, list):
        return [_text(v) for v in value]
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"b64": base64.b64encode(value).decode()}
    return value


def output_files(given: list[str], names: list[str]) -> dict[str, list[str]]:
    """Which outputs go into which file, as `--output` options say.

    Raises:
      UsageError: there is no such directory, a file cannot hold them, or a name is not one of `names`.
    """
    found: dict[str, list[str]] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if equals and name not in names:
            raise UsageError(f"there is no output {name!r}; the outputs are {', '.join(names)}")
        path = path if equals else text
        there = found.setdefault(path, [])
        there.extend(n for n in ([name] if equals else names) if n not in there)
        ending = os.path.splitext(path)[1]
        if path != "-" and (ending not in (".npy", ".npz", ".json") or (ending == ".npy" and len(there) != 1)):
            raise UsageError(f"cannot write {path}: NAME=FILE.npy, or a file that ends with .npz or .json")
        folder = os.path.dirname(path)
        if folder and not os.path.isdir(folder):
            raise UsageError(f"cannot write {path}: there is no directory {folder}")
    return found


def write_outputs(files: Mapping[str, list[str]], results: Mapping[str, Array]) -> str | None:
    """Writes the results into files; what is to be printed when there are none, or one of them is `-`.

    Raises:
      UsageError: a file cannot be written, or cannot hold what is to be in it.
    """
    printed = None
    for path, names in files.items() or [("-", [*results])]:
        chosen = {name: results[name] for name in names}
        if path == "-":
            printed = json.dumps({k: listed(v, k) for k, v in chosen.items()}, indent=2)
        else:
            _write(path, chosen)
    return printed


def _write(path: str, chosen: Mapping[str, Array]) -> None:
    if path.endswith(".json"):
        held = {k: listed(v, k) for k, v in chosen.items()}
        data = json.dumps(held if len(held) > 1 else next(iter(held.values()))).encode() + b"\n"
    else:
        arrays = {k: _without_objects(v, k) for k, v in chosen.items()}
    try:
        with replaced(path) as file:
            if path.endswith(".json"):
                file.write(data)
            elif path.endswith(".npy"):
                np.save(file, next(iter(arrays.values())), allow_pickle=False)
            else:
                np.savez(file, **arrays)  # type: ignore[arg-type]
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def _without_objects(array: Array, name: str) -> Array:
    """Strings as NumPy writes them without pickle: of one length, so that none may end with a zero.

    Numbers of a type that NumPy's files do not know are written as float32, which holds them all.
    """
    if array.dtype.kind == "V" or array.dtype.isbuiltin == 2:
        return array.astype(np.float32)
    if array.dtype != object:
        return array
    if any(v.endswith(b"\0") for v in array.reshape(-1).tolist()):
        raise UsageError(f"the strings of {name!r} end with zeros, which NumPy's files do not keep: write .json")
    return array.astype(bytes)
