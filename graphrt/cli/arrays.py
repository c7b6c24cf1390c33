"""Arrays on a command line: files of NumPy (.npy, .npz) and JSON, and JSON written out.

Nothing that a file holds is executed: arrays of Python objects, which need pickle, are refused.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrt.cli.console import UsageError

Array = NDArray[Any]

_NPY = b"\x93NUMPY"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # the second: without files


def read_inputs(given: list[str], names: list[str]) -> dict[str, object]:
    """The arrays that `--input` options name: `x=a.npy`, `x=a.npz` or `x=a.npz:key`, `x=a.json`, `x=[1, 2]`; `a.npz` or
    `a.json` alone gives several by name.

    Raises:
      UsageError: a file cannot be read, or a name is not one of `names`.
    """
    found: dict[str, object] = {}
    for text in given:
        name, equals, source = text.partition("=")
        if equals and name in names:
            found[name] = _one(name, source)
        elif os.path.splitext(text)[1] in (".npz", ".json"):
            held = _file(text)
            if not isinstance(held, Mapping):
                raise UsageError(f"{text} holds no names: say which input it is, NAME={text}")
            found.update(held)
        else:
            raise UsageError(f"the input {text!r} must be NAME=FILE or NAME=JSON, with a name of {', '.join(names)}")
    unknown = [name for name in found if name not in names]
    if unknown:
        raise UsageError(f"there is no input {unknown[0]!r}; the inputs are {', '.join(names) or 'none'}")
    missing = [name for name in names if name not in found]
    if missing:
        raise UsageError(f"the input {missing[0]!r} is missing: --input {missing[0]}=FILE")
    return found


def _one(name: str, source: str) -> object:
    if source[:1] in '[{"-0123456789tfn' and not os.path.exists(source):
        try:
            return plain(json.loads(source))
        except ValueError:
            pass  # a name of a file
    path, colon, key = source.partition(":") if ".npz:" in source else (source, "", "")
    held = _file(path)
    if not isinstance(held, Mapping):
        return held
    if colon or name in held or len(held) == 1:
        wanted = key if colon else name if name in held else next(iter(held))
        if wanted in held:
            return held[wanted]
        raise UsageError(f"{path} has no array {wanted!r}; it has {', '.join(held)}")
    raise UsageError(f"{path} has several arrays: say which, {name}={path}:{next(iter(held))}")


def _file(path: str) -> Any:
    ending = os.path.splitext(path)[1]
    try:
        if ending == ".json":
            with open(path, encoding="utf-8") as file:
                held = json.load(file)
            return (
                {k: plain(v) for k, v in held.items()} if isinstance(held, dict) and "b64" not in held else plain(held)
            )
        if ending in (".npy", ".npz"):
            return _of_numpy(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from None
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(f"cannot read {path}: it is no JSON: {error}") from None
    raise UsageError(f"cannot read {path}: the file must end with .npy, .npz or .json")


def _of_numpy(path: str) -> Any:
    """The array of a `.npy` file, or the arrays of a `.npz` file."""
    with open(path, "rb") as file:
        begin = file.read(6)
        if not begin:
            raise UsageError(f"cannot read {path}: it is empty")
        if begin != _NPY and begin[:4] not in _ZIP:
            raise UsageError(
                f"cannot read {path}: it is no file of NumPy, which begins with {_NPY!r} (.npy) or {_ZIP[0]!r} (.npz): it "
                f"begins with {begin!r}"
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


def listed(array: Array) -> object:
    """An array as JSON holds it."""
    if array.dtype != object:
        return array.tolist()
    return _text(array.tolist())


def _text(value: object) -> object:
    if isinstance(value, list):
        return [_text(v) for v in value]
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return {"b64": base64.b64encode(value).decode()}
    return value


def write_outputs(given: list[str], results: Mapping[str, Array]) -> str | None:
    """Writes the results into the files that `--output` options name; what is to be printed when there are none.

    Raises:
      UsageError: a file cannot be written, or a name is not one of the results.
    """
    if not given:
        return json.dumps({k: listed(v) for k, v in results.items()}, indent=2)
    archives: dict[str, dict[str, Array]] = {}
    for text in given:
        name, equals, path = text.partition("=")
        chosen = {name: results[name]} if equals and name in results else dict(results) if not equals else None
        if chosen is None:
            raise UsageError(f"there is no output {name!r}; the outputs are {', '.join(results)}")
        path = path if equals else text
        ending = os.path.splitext(path)[1]
        if ending not in (".npy", ".npz", ".json") or (ending == ".npy" and len(chosen) != 1):
            raise UsageError(f"cannot write {path}: NAME=FILE.npy, or a file that ends with .npz or .json")
        archives.setdefault(path, {}).update(chosen)
    for path, chosen in archives.items():
        _write(path, chosen)
    return None


def _write(path: str, chosen: Mapping[str, Array]) -> None:
    try:
        if path.endswith(".json"):
            held = {k: listed(v) for k, v in chosen.items()}
            with open(path, "w", encoding="utf-8") as file:
                json.dump(held if len(held) > 1 else next(iter(held.values())), file)
                file.write("\n")
            return
        arrays = {k: _without_objects(v, k) for k, v in chosen.items()}
        if path.endswith(".npy"):
            np.save(path, next(iter(arrays.values())), allow_pickle=False)
        else:
            with open(path, "wb") as opened:
                np.savez(opened, **arrays)  # type: ignore[arg-type]
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def _without_objects(array: Array, name: str) -> Array:
    """Strings as NumPy writes them without pickle: of one length, so that none may end with a zero."""
    if array.dtype != object:
        return array
    if any(v.endswith(b"\0") for v in array.reshape(-1).tolist()):
        raise UsageError(f"the strings of {name!r} end with zeros, which NumPy's files do not keep: write .json")
    return array.astype(bytes)
