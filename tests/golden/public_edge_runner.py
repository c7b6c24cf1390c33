"""Runs the calls of `public_edges/*.txt`: public functions on edge values, with a module that has TensorFlow's names.

A file is named after a room, and holds calls in `tf`, `np`, `tnp` (`tf.experimental.numpy`), `kops` (`tf.keras.ops`),
`grad`, `grad2` and `jvp` (of a function and its arguments), `updated` (what a metric gives after an update), `stepped` (a variable
after two steps of an optimizer), `seeded` (what a function gives twice after the seed was set), `taken` (the first elements of a dataset, a
few at most), `optioned` (those of one with an option), `JPEG` (the bytes of a picture), and the arguments `a`, `b`, `c`, `d`:

    # a comment
    @ f32 i32 | 12x1;1x12 / 0x2;1x2          dtypes, or a name of `DTYPES`, and arguments, of the calls below; more such lines may follow
    tf.math.add(a, b)                         the first arguments with each dtype, the others with the first two
    tf.reduce_sum(a, axis={0|-1|5})           three calls
    ! int(a)                                  a call that is not traced
    keep 2                                    cases of each of the calls below that are kept, unless `PUBLIC_EDGES` is set

An argument is a shape (`2x3`, `s` without dimensions), of edge values; `~` before it: of usual values; `^`: of usual ones but
for the first. Before that may stand a dtype of its own: `i32:~3`. `i32=[1, 2]` is a value.
"""

from __future__ import annotations

import base64
import functools
import itertools
import json
import os
import pathlib
import re
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tests import GOLDEN
from tests.golden.edge_value_cases import SEVERAL, Edge, edges, filled
from tests.golden.edge_value_runner import DIGITS, short

FOLDER = GOLDEN / "public_edges"
ALL = os.environ.get("PUBLIC_EDGES")  # a folder for the records of all cases, which are too many to keep
MOST = 5  # cases of a call that are kept
SHORT = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
    "u64": "uint64", "b": "bool", "s": "string",
}  # fmt: skip
DTYPES = {
    "all": "f32 i32 f16 bf16 f64 c64 c128 i8 i16 i64 u8 u16 u32 u64 b s",
    "num": "f32 i32 f16 bf16 f64 c64 c128 i8 i16 i64 u8 u16 u32 u64",
    "real": "f32 i32 f16 bf16 f64 i8 i16 i64 u8 u16 u32 u64",
    "float": "f32 f64 f16 bf16",
    "inexact": "f32 c64 f64 f16 bf16 c128",
    "int": "i32 u8 i8 i16 i64 u16 u32 u64",
    "few": "f32 i32 s c64 b",
    "some": "f32 i32 bf16 c64 u8",
}
JPEG = base64.b64decode(  # 12 x 10, three channels, with halved chroma
    "/9j/4AAQSkZJRgABAQEBLAEsAAD/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//"
    "2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAMAAoDASIAAhEBAxEB/8QA"
    "FQABAQAAAAAAAAAAAAAAAAAABQb/xAAeEAABAgcBAAAAAAAAAAAAAAAAAiEBAwQFEiJBMv/EABUBAQEAAAAAAAAAAAAAAAAAAAEE/8QAGREAAgMBAAAAAAAA"
    "AAAAAAAAAAQBAhID/9oADAMBAAIRAxEAPwACyUnlisTSawbgbZJSNWKxMpGMG4Qud52DSVdn/9k="
)
MISSING = ("NotFoundError", "UnimplementedError", "InternalError")  # no kernel for this dtype on a CPU


class Call(NamedTuple):
    text: str
    expression: str
    cases: tuple[tuple[Any, ...], ...]  # the arguments of each case
    traced: bool
    most: int = MOST

    def numbers(self) -> list[int]:
        """The cases that are recorded: a few, others of each call; all of them where `PUBLIC_EDGES` is set."""
        count = len(self.cases)
        if ALL or count <= self.most:
            return list(range(count))
        start = zlib.crc32(self.text.encode())
        return sorted({(start + i * count // self.most) % count for i in range(self.most)})


def argument(text: str, dtype: str, place: int) -> Any:
    """An argument as an `Edge`."""
    text = text.strip()
    if "=" in text:
        dtype, _, value = text.partition("=")
        return Edge(SHORT[dtype], np.array(eval(value), object if dtype == "s" else plain_dtype(SHORT[dtype])))
    own, colon, rest = text.rpartition(":")
    dtype = SHORT[own] if colon else dtype
    mark = rest[0] if rest[0] in "~^" else ""
    shape = () if rest[len(mark) :] == "s" else tuple(map(int, rest[len(mark) :].split("x")))
    if not mark:
        return filled(dtype, shape, 5 * place, (1, 5, 7, 11)[place])
    found = usual(dtype, shape, place)
    if mark == "^" and found.size:
        found.reshape(-1)[0] = edges(dtype)[0]
    return Edge(dtype, found)


def plain_dtype(dtype: str) -> str:
    return "float32" if dtype == "bfloat16" else dtype


def usual(dtype: str, shape: tuple[int, ...], place: int) -> Any:
    """Usual values: small, positive, no two neighbours alike."""
    numbers = (np.arange(int(np.prod(shape))) * 7 + 3 * place) % 11
    if dtype == "string":
        words = [b"a", b"b c", b"", "\u00e4".encode(), b"12"]
        return np.array([words[n % 5] for n in numbers] or np.zeros(0, object), object).reshape(shape)
    if dtype == "bool":
        return (numbers % 2 == 0).reshape(shape)
    if "int" in dtype:
        return (numbers % 5 + 1).astype(dtype).reshape(shape)
    return ((numbers + 1) / 8 * (1 + 0.5j if "complex" in dtype else 1)).astype(plain_dtype(dtype)).reshape(shape)


def expanded(text: str) -> Iterator[str]:
    """The texts that `{x|y}` in one stands for."""
    found = re.search(r"\{([^{}]*)\}", text)
    if found is None:
        yield text
        return
    for choice in found[1].split("|"):
        yield from expanded(text[: found.start()] + choice + text[found.end() :])


def arguments_of(line: str) -> Iterator[tuple[Any, ...]]:
    """The arguments of the cases that a line says, which may follow another one."""
    kinds, _, shapes = line.partition("|")
    dtypes = [SHORT[d] for kind in kinds.split() for d in DTYPES.get(kind, kind).split()]
    for number, alternative in enumerate(shapes.split("/")):
        parts = [part for part in alternative.split(";") if part.strip()]
        for dtype in dtypes if number == 0 else dtypes[:2]:
            yield tuple(argument(part, dtype, place) for place, part in enumerate(parts))


def files() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.txt"))


def calls(name: str) -> list[Call]:
    """The calls of the file `name`."""
    found: dict[str, Call] = {}
    arguments: list[tuple[Any, ...]] = []
    before, most = "", MOST
    for line in map(str.strip, (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()):
        if not line or line.startswith("#"):
            continue
        if line.startswith("keep "):
            most = int(line[5:])
        elif line.startswith("@"):
            arguments = (arguments if before.startswith("@") else []) + list(arguments_of(line[1:]))
        else:
            for text in expanded(line):
                kept = found[text].cases if text in found else ()
                staged = not text.startswith("!")
                found[text] = Call(text, text.removeprefix("!").strip(), kept + tuple(arguments), staged, most)
        before = line
    return list(found.values())


def tensor(tf: Any, value: Edge) -> Any:
    found = tf.constant(value.array, value.dtype if value.dtype == "string" else None)
    return tf.cast(found, tf.bfloat16) if value.dtype == "bfloat16" else found


def scope(tf: Any) -> dict[str, Any]:
    def grad(function: Any, *values: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(values)
            found = function(*values)
        return dense(tape.gradient(found, list(values)))

    def grad2(function: Any, *values: Any) -> Any:
        return grad(lambda *inner: [v for v in grad(function, *inner) if v is not None], *values)

    def jvp(function: Any, *values: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(list(values), [tf.ones_like(v) for v in values]) as accumulator:
            found = function(*values)
        return dense(accumulator.jvp(found))

    def dense(found: Any) -> Any:
        return tf.nest.map_structure(lambda v: v if v is None else tf.convert_to_tensor(v), found)

    def updated(metric: Any, *args: Any) -> Any:
        metric.update_state(*args)
        return metric.result()

    def stepped(optimizer: Any, start: Any, gradient: Any) -> Any:
        variable = tf.Variable(start)
        for _ in range(2):
            optimizer.apply_gradients([(gradient, variable)])
        return variable

    def seeded(function: Any, seed: Any = 7) -> Any:
        tf.random.set_seed(seed)
        return [function(), function()]

    def taken(dataset: Any, count: int = 6) -> Any:
        return list(itertools.islice(dataset, count))

    def optioned(name: str, value: Any) -> Any:
        options = tf.data.Options()
        owner = functools.reduce(getattr, name.split(".")[:-1], options)
        setattr(owner, name.split(".")[-1], value)
        dataset = tf.data.Dataset.range(5).map(lambda x: x + 1).batch(2).with_options(options)
        kept = functools.reduce(getattr, name.split("."), dataset.options())
        return [*taken(dataset), str(getattr(kept, "name", kept))]

    return {
        "tf": tf,
        "np": np,
        "tnp": tf.experimental.numpy,
        "kops": tf.keras.ops,
        "grad": grad,
        "grad2": grad2,
        "jvp": jvp,
        "updated": updated,
        "stepped": stepped,
        "seeded": seeded,
        "taken": taken,
        "optioned": optioned,
        "JPEG": JPEG,
    }


def evaluated(tf: Any, call: Call, tensors: Any) -> Any:
    """The leaves of what the call gives."""
    found = eval(call.expression, scope(tf) | dict(zip("abcd", tensors)))
    return [found] if found is None else tf.nest.flatten(found, expand_composites=True)


def shown(leaf: Any) -> Any:
    """A result as JSON: dtype, shape, values."""
    if hasattr(leaf, "numpy"):
        array, dtype = leaf.numpy(), getattr(leaf.dtype, "name", str(leaf.dtype))
    elif isinstance(leaf, (np.ndarray, np.generic, bool, int, float, complex)):
        array, dtype = leaf, str(np.asarray(leaf).dtype)
    else:
        return re.sub(r"\b(tensorflow|keras\.src|graphrt)[\w.]*\.", "", str(leaf))
    array = np.asarray(array)
    flat, digits = array.reshape(-1), DIGITS.get(dtype)
    if flat.dtype.kind in "OS":
        values: list[Any] = [v.decode("latin-1") if isinstance(v, bytes) else v for v in flat.tolist()]
    elif digits is None:
        values = flat.astype(int if dtype != "uint64" else object).tolist()
    else:
        parts = flat.astype(np.complex128).view(np.float64) if "complex" in dtype else flat.astype(np.float64)
        values = [short(float(f"{v:.{digits}g}")) for v in parts.tolist()]
    return [dtype, list(array.shape), values]


def eager(tf: Any, call: Call, number: int) -> Any:
    """What the leaves of the result are, or the class of the error."""
    try:
        with np.errstate(all="ignore"):
            return [shown(leaf) for leaf in evaluated(tf, call, [tensor(tf, v) for v in call.cases[number]])]
    except Exception as error:
        return type(error).__name__


def record_of(name: str) -> pathlib.Path:
    return pathlib.Path(ALL or FOLDER) / f"{name}.json"


def recorded(name: str) -> dict[str, Any]:
    """By the text of each call, what TensorFlow gave for its `numbers()`; None where it has no kernel, or ended."""
    return json.loads(record_of(name).read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def differences_of(name: str) -> pathlib.Path:
    return FOLDER / f"{name}.differences.json"


def differences(name: str) -> dict[str, dict[str, list[int]]]:
    """By the reason, the calls and the numbers of their cases where we mean to differ."""
    path = differences_of(name)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


assert SEVERAL == 12, "the files say 12 where they mean all edge values"
