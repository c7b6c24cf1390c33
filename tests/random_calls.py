"""Public functions on arguments drawn at random, here and by TensorFlow: `python -m tests.random_calls --tensorflow PYTHON [NAME...]`.

    --seed N      which calls are drawn
    --count N     how many of each function
    --spaces A,B  the namespaces that are looked at
    --record      asks TensorFlow again about the calls of `golden/random_calls.json`, which the tests compare

The arguments of a call are drawn by the names and the defaults of the parameters: tensors, arrays, variables, lists and numbers
of Python, of a few dtypes, of shapes that are equal, broadcast, are empty or do not fit; given by position or by name. Most of the
calls that are compared are some that work here, or differ from such a call in one argument. Printed is what has another value, dtype or shape in
TensorFlow 2.20 or is refused by one of both, once for each function and kind of difference; which of it is meant stands in
`docs/differences.md`. Errors are compared where ours is none of TypeError, ValueError and OpError.
"""

from __future__ import annotations

import argparse
import collections
import inspect
import json
import os
import random
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import tests as golden
from tests.golden import public_edge_runner as runner

SPACES = (
    "", "math", "math.special", "linalg", "nn", "strings", "bitwise", "signal", "image", "sets", "sparse", "ragged", "random", "quantization",
    "experimental.numpy", "keras.ops", "keras.activations", "keras.losses", "keras.metrics", "nest", "dtypes", "audio", "random.experimental",
)  # fmt: skip
LEFT_OUT = re.compile(
    r"^(?:Assert|function|print|py_function|numpy_function|custom_gradient|recompute_grad|group|control_dependencies|init_scope|load_|import_|device|"
    r"name_scope|autodiff|gradients|hessians|get_|timestamp|no_gradient|RegisterGradient|grad_pass|foldl|foldr|scan|map_fn|while_loop|cond|case|switch_case|vectorized_map|"
    r"unique_with|experimental\.numpy\.(?:experimental_|promote|get_printoptions|set_printoptions|empty)|keras\.ops\.(?:associative_scan|cond|fori_loop|map|vectorized_map|while_loop|scan|switch|custom_gradient|empty|device_scope|get_item|call)|"
    r"keras\.\w+\.(?:get|serialize|deserialize)$|nest\.|nn\.(?:with_space|isotonic)|random\.(?:set_|get_|create|fold_in_)|dtypes\.experimental|sparse\.map_values|image\.decode|io\.|random.experimental.(?:set|get|create|index)|nn\.(?:RNN|all_candidate|uniform_cand|log_uni|learned|fixed_uni)|.*image\.\w*video)"
)  # fmt: skip
DTYPES = (
    "float32 float32 float32 float32 int32 int32 int32 float64 int64 bool complex64 uint8 float16 bfloat16 int8 uint32 "
    "complex128 int16 uint16 uint64 string"
).split()
MISSING = (*runner.MISSING, "SystemError", "AbortedError")
SECONDS = 5
GOLDEN = golden.GOLDEN / "random_calls.json"

# --- what both sides evaluate --------------------------------------------------------------------------------------------


def scope(tf: Any) -> dict[str, Any]:
    """The names that calls are written in: `C` a constant, `N` an array, `V` a variable."""

    def array(dtype: str, shape: Sequence[int], *values: Any) -> Any:
        kind = object if dtype == "string" else "float32" if dtype == "bfloat16" else dtype
        return np.array(list(values), kind).reshape(shape)

    def constant(dtype: str, shape: Sequence[int], *values: Any) -> Any:
        found = tf.constant(array(dtype, shape, *values), tf.string if dtype == "string" else None)
        return tf.cast(found, tf.bfloat16) if dtype == "bfloat16" else found

    def variable(*given: Any) -> Any:
        return tf.Variable(constant(*given))

    numbers = {
        "nan": float("nan"),
        "inf": float("inf"),
        "nanj": complex(0.0, float("nan")),
        "infj": complex(0.0, float("inf")),
    }
    inner = {"C": constant, "N": array, "V": variable} | numbers  # numbers as Python writes them
    return runner.scope(tf) | inner


KINDS = {"EagerTensor": "Tensor", "ResourceVariable": "Variable", "bool_": "bool", "UninitializedVariable": "Variable"}


def answer(tf: Any, names: dict[str, Any], text: str) -> Any:
    """The leaves of what a call gives, or the class of the error."""
    try:
        tf.random.set_seed(7)
        with np.errstate(all="ignore"):
            found = eval(text, names)
            kind = KINDS.get(type(found).__name__, type(found).__name__)
            leaves = [found] if found is None else tf.nest.flatten(found, expand_composites=True)
            return [kind, *(runner.shown(leaf) for leaf in leaves)]
    except Exception as error:
        return type(error).__name__ if type(error).__name__ != "TimeoutError" else "takes too long"


def _too_long(*_: object) -> None:
    raise TimeoutError


def serve(answered: Callable[[Any, dict[str, Any], str], Any] = answer) -> None:
    """Answers the calls of the standard input by TensorFlow; where one ends the process, null."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    import tensorflow as tf  # type: ignore[import-not-found,unused-ignore]

    tf.get_logger().setLevel("ERROR")
    warnings.simplefilter("ignore")
    lines = sys.stdin.read().splitlines()
    done = 0
    while done < len(lines):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            names = scope(tf)
            for line in lines[done:]:
                signal.alarm(SECONDS)
                os.write(writing, (json.dumps(answered(tf, names, json.loads(line))) + "\n").encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as told:
            for line in told:
                print(line, end="", flush=True)
                done += 1
        if os.waitpid(child, 0)[1]:
            print("null", flush=True)
            done += 1


# --- arguments -----------------------------------------------------------------------------------------------------------
class Draw:
    """Draws the arguments of one call; what stands for tensors in it mostly shares a shape and a dtype."""

    def __init__(self, chance: random.Random, name: str) -> None:
        self.chance = chance
        self.name = name
        self.dtype = "string" if "strings." in name and chance.random() < 0.7 else chance.choice(DTYPES)
        if re.search(r"linalg|signal|image|nn\.|losses|activations", name) and chance.random() < 0.6:
            self.dtype = chance.choice(["float32", "float32", "float64", "complex64"])
        self.shape = self.some_shape()

    def some_shape(self) -> tuple[int, ...]:
        c = self.chance
        if (
            re.search(
                r"^image\.|nn\..*(?:conv|pool|dilation|lrn|depth|space|batch)|keras.ops.(?:conv|image|.*pool)",
                self.name,
            )
            and c.random() < 0.8
        ):
            return c.choice(
                [(3, 4, 3), (1, 4, 4, 3), (2, 5, 3, 1), (1, 4, 4, 2), (4, 4, 1), (1, 3, 4, 4, 1), (1, 6, 2)]
            )
        if re.search(r"linalg", self.name) and c.random() < 0.7:
            return c.choice([(2, 2), (3, 3), (2, 3, 3), (3, 2), (2, 3), (1, 1), (0, 0), (2, 0, 0)])
        return c.choice(
            [
                (),
                (),
                (3,),
                (3,),
                (1,),
                (0,),
                (4,),
                (2, 3),
                (2, 3),
                (3, 2),
                (3, 3),
                (1, 3),
                (2, 1),
                (0, 3),
                (2, 0),
                (2, 3, 2),
                (2, 1, 3),
                (1, 2, 2, 3),
            ]
        )

    def related(self) -> tuple[int, ...]:
        """A shape that may fit the shared one."""
        c, shape = self.chance, list(self.shape)
        kind = c.random()
        if kind < 0.6 or not shape:
            return tuple(shape) if kind < 0.9 else (2,)
        if kind < 0.7:
            return ()
        if kind < 0.8:
            return tuple(shape[1:])
        if kind < 0.87:
            shape[c.randrange(len(shape))] = 1
            return tuple(shape)
        if kind < 0.93:
            return tuple(reversed(shape))
        return self.some_shape()

    def values(self, dtype: str, count: int) -> list[Any]:
        c = self.chance
        style = c.random()
        if dtype == "string":
            words = ["", "a", "b c", "12", "-1.5", "x,y", "\u00e4\u4e2d", "abcabc", " 7 "]
            return [c.choice(words) for _ in range(count)]
        if dtype == "bool":
            return [c.random() < 0.5 for _ in range(count)]
        if "int" in dtype:
            low = 0 if dtype.startswith("u") else -3
            high = 3 if style < 0.5 else 9 if style < 0.9 else 100
            return [c.randint(0 if style < 0.4 else low, high) for _ in range(count)]
        if style < 0.35:
            parts = [c.randint(1, 15) / 16 for _ in range(2 * count)]
        elif style < 0.7:
            parts = [c.randint(-20, 20) / 4 for _ in range(2 * count)]
        elif style < 0.95:
            parts = [c.randint(-3, 3) for _ in range(2 * count)]
        else:
            parts = [
                c.choice([0.0, -0.0, 1.0, 30.0, 1e4, -700.0, 1e-6, float("inf"), float("nan")])
                for _ in range(2 * count)
            ]
        if "complex" in dtype:
            return [complex(a, b) for a, b in zip(parts[::2], parts[1::2])]
        return [float(v) for v in parts[:count]]

    def tensor(self, dtype: str | None = None, shape: tuple[int, ...] | None = None) -> str:
        c = self.chance
        shape = self.related() if shape is None else shape
        dtype = dtype or (self.dtype if c.random() < 0.93 else c.choice(DTYPES))
        values = self.values(dtype, int(np.prod(shape)))
        form = c.random()
        if form < 0.16 and dtype not in ("bfloat16",):
            listed = np.array(values, object).reshape(shape).tolist()
            return repr(listed)
        letter = "C" if form < 0.72 or dtype == "string" else "N" if form < 0.88 and dtype != "bfloat16" else "V"
        inner = "".join(f", {v!r}" for v in values)
        return f"{letter}({dtype!r}, {shape!r}{inner})"

    def whole(self, low: int = -2, high: int = 5) -> str:
        return str(self.chance.randint(low, high))

    def ints(self, count: int | None = None, low: int = 0, high: int = 3) -> str:
        c = self.chance
        count = c.choice([1, 2, 2, 3]) if count is None else count
        found = [c.randint(low, high) for _ in range(count)]
        form = c.random()
        if form < 0.5:
            return repr(found)
        if form < 0.65:
            return repr(tuple(found))
        inner = "".join(f", {v}" for v in found)
        return f"{'C' if form < 0.9 else 'N'}({c.choice(['int32', 'int64'])!r}, ({len(found)},){inner})"

    def flag(self) -> str:
        return self.chance.choice(["True", "False"])

    def axis(self) -> str:
        c = self.chance
        kind = c.random()
        rank = max(len(self.shape), 1)
        one = c.randint(-rank, rank - 1)
        if kind < 0.55:
            return str(one)
        if kind < 0.7:
            return repr([c.randint(-rank, rank - 1) for _ in range(c.randint(0, 2))])
        if kind < 0.78:
            return "(0, 1)"
        if kind < 0.86:
            return "None"
        return c.choice(
            [
                f"C('int32', (), {one})",
                f"C('int64', (), {one})",
                f"N('int64', (), {one})",
                str(rank),
                "[0, 0]",
                "(-1,)",
                "C('int32', (1,), 0)",
            ]
        )

    def any_argument(self) -> str:
        c = self.chance
        return c.choice(
            [
                self.tensor,
                self.tensor,
                self.whole,
                self.flag,
                self.axis,
                self.ints,
                lambda: "None",
                lambda: "2.5",
                lambda: "'a'",
                lambda: "[]",
                self.ragged,
                self.sparse,
                lambda: "'float32'",
            ]
        )()

    def ragged(self) -> str:
        if self.dtype == "string":
            return self.chance.choice(["tf.ragged.constant([['a', 'b c'], [], ['']])", "tf.ragged.constant([['x']])"])
        dtype = self.dtype if self.dtype in ("float32", "int32", "int64", "float64") else "float32"
        rows = [
            [int(v) for v in self.values("int8", self.chance.randint(0, 3))] for _ in range(self.chance.randint(1, 3))
        ]
        deep = self.chance.random() < 0.2
        return f"tf.ragged.constant({[rows, rows[:1]] if deep else rows!r}, {dtype!r}{', ragged_rank=2' if deep else ', ragged_rank=1'})"

    def sparse(self) -> str:
        c = self.chance
        dtype = self.dtype if self.dtype != "bfloat16" else "float32"
        shape = [c.choice([1, 2, 3]) for _ in range(2 if c.random() < 0.85 else c.choice([1, 3]))]
        places = sorted({tuple(c.randrange(n) for n in shape) for _ in range(c.randint(0, 3))})
        kept = "".join(f", {v!r}" for v in self.values(dtype, len(places)))
        flat = "".join(f", {i}" for p in places for i in p)
        return f"tf.SparseTensor(C('int64', ({len(places)}, {len(shape)}){flat}), C({dtype!r}, ({len(places)},){kept}), {shape})"

    def parameter(self, name: str, default: Any) -> str:
        """An argument for a parameter of this name and default."""
        c = self.chance
        if c.random() < 0.03:
            return self.any_argument()
        for pattern, make in RULES:
            if re.fullmatch(pattern, name):
                return str(make(self))
        if isinstance(default, bool):
            return self.flag()
        if isinstance(default, int):
            return self.whole()
        if isinstance(default, float):
            return c.choice(["0.0", "1.0", "0.5", "-1.0", "2", "0.1", "1e-3", "3.0"])
        if isinstance(default, str):
            return repr(default)
        if "ragged." in self.name and c.random() < 0.7:
            return self.ragged()
        if ("sparse." in self.name or "sets." in self.name) and c.random() < 0.75:
            return self.sparse()
        return self.tensor()


def _dtype(d: Draw) -> str:
    dtype = d.chance.choice(DTYPES)
    return d.chance.choice(
        [f"tf.{dtype}", repr(dtype), "None"] + ["np." + dtype] * (dtype not in ("bool", "string", "bfloat16"))
    )


def _shape(d: Draw) -> str:
    c = d.chance
    size = int(np.prod(d.shape))
    return c.choice(
        [
            repr(list(d.shape)),
            repr(d.shape),
            "[-1]",
            f"[{size}]",
            "[2, 3]",
            "[]",
            "()",
            "3",
            d.ints(),
            "[0, 2]",
            f"[{size}, 1]",
            "tf.TensorShape([2, 2])",
            f"C('int32', (1,), {size})",
        ]
    )


def _tensors(d: Draw) -> str:
    shape = d.related()
    count = d.chance.choice([1, 2, 2, 3])
    kind = d.chance.random()
    listed = ", ".join(d.tensor(d.dtype if kind < 0.9 else None, shape if kind < 0.8 else None) for _ in range(count))
    return f"[{listed}]" if kind < 0.85 else f"({listed},)"


def _indices(d: Draw) -> str:
    dtype = d.chance.choice(["int32", "int32", "int64"])
    return d.tensor(dtype, d.chance.choice([(), (2,), (3,), (2, 1), (1, 2), (0,), (2, 2), (3, 1)]))


def _ids(d: Draw) -> str:
    count = d.shape[0] if d.shape else 1
    found = sorted(d.chance.randint(0, 3) for _ in range(count))
    if d.chance.random() < 0.2:
        d.chance.shuffle(found)
    inner = "".join(f", {v}" for v in found)
    return f"C({d.chance.choice(['int32', 'int64'])!r}, ({count},){inner})"


def _one_of(*texts: str) -> Callable[[Draw], str]:
    return lambda d: d.chance.choice(texts)


RULES: list[tuple[str, Callable[[Draw], str]]] = [
    (r"axis|axes|dim|axis1|axis2|source|destination|batch_axis|reduction_axes", Draw.axis),
    (r"(?:\w*_)?dtype|type|Tout|out_type|output_type|to_dtype", _dtype),
    (r"shape|dims|output_shape|newshape|target_shape|out_shape", _shape),
    (r"tensors|arrays|arys|xs|arr_list|tup", _tensors),
    (r"inputs", lambda d: _tensors(d) if d.chance.random() < 0.6 else d.tensor()),
    (r"indices|idx|positions|ids|sp_ids|index|lookup_ids", _indices),
    (r"segment_ids|batch_ids", _ids),
    (r"num_segments|num_classes|depth|k|num|n|N|num_partitions|batch_dims|rank|num_or_size_splits|nth|length|minlength|maxlength|width|bins|nbins|num_values|size", lambda d: d.whole(-1, 6) if d.chance.random() < 0.8 else d.ints()),
    (r"partitions", lambda d: d.tensor("int32", d.related())),
    (r"mask|condition|where|bool_mask|choicelist|pred|selector|xmask", lambda d: d.tensor("bool") if d.chance.random() < 0.85 else d.tensor()),
    (r"keepdims|keep_dims|exclusive|reverse|transpose_\w|adjoint\w*|\w+_p", Draw.flag),
    (r"perm|permutation", lambda d: repr(d.chance.sample(range(max(len(d.shape), 1)), max(len(d.shape), 1)))),
    (r"paddings|pad_width", lambda d: repr([[d.chance.randint(0, 2), d.chance.randint(0, 2)] for _ in d.shape])),
    (r"multiples|reps|repeats|begin|start|shift|sizes|row_lengths|splits|strides|stride|window_shape", lambda d: d.ints(max(len(d.shape), 1)) if d.chance.random() < 0.6 else d.whole(0, 4)),
    (r"stop|limit|end|delta|step", lambda d: d.chance.choice([d.whole(-4, 9), "2.5", "0.5", d.tensor()])),
    (r"ksize|pool_size|kernel_size|block_size|block_shape|upsampling_factor", lambda d: d.whole(1, 3) if d.chance.random() < 0.5 else d.ints(low=1)),
    (r"padding", _one_of("'SAME'", "'VALID'", "'same'", "'valid'", "'x'")),
    (r"data_format", _one_of("'NHWC'", "'NCHW'", "None", "'channels_last'", "'NWC'")),
    (r"mode", _one_of("'CONSTANT'", "'REFLECT'", "'SYMMETRIC'", "'reflect'", "'edge'", "'x'", "'constant'")),
    (r"method", _one_of("'bilinear'", "'nearest'", "'bicubic'", "'area'", "'lanczos3'", "'gaussian'", "'x'")),
    (r"direction", _one_of("'ASCENDING'", "'DESCENDING'", "'x'")),
    (r"side", _one_of("'left'", "'right'", "'x'")),
    (r"reduction|combiner", _one_of("'sum'", "'mean'", "None", "'sqrtn'", "'sum_over_batch_size'", "'none'")),
    (r"ord", _one_of("1", "2", "'euclidean'", "'fro'", "inf", "-inf", "'nuc'", "3", "0.5", "'x'")),
    (r"equation|subscripts", _one_of("'ij,jk->ik'", "'ij->ji'", "'...i,...i->...'", "'i,j'", "'ii->i'", "'ij->'", "'i->'")),
    (r"name", lambda d: "None"),
    (r"seed", _one_of("[1, 2]", "7", "(3, 4)", "None", "C('int64', (2,), 5, 6)")),
    (r"pattern|separator|sep|delimiter|rewrite", _one_of("'a'", "','", "''", "'[a-z]+'", "'x'")),
    (r"unit|input_encoding|output_encoding|encoding", _one_of("'BYTE'", "'UTF-8'", "'UTF8_CHAR'", "'UTF-16-BE'", "'x'")),
    (r"errors", _one_of("'strict'", "'replace'", "'ignore'", "'x'")),
    (r"height|target_height|\w+_height|target_width|\w+_width|offset_\w+", lambda d: d.whole(0, 5)),
    (r"frame_length|frame_step|fft_length|window_length", lambda d: d.whole(1, 5)),
    (r"filters|filter|kernel|pointwise_filter|depthwise_filter", lambda d: d.tensor("float32", d.chance.choice([(2, 2, 3, 2), (1, 1, 1, 1), (2, 2, 2, 1), (2, 3, 2), (2, 2, 1, 3, 2)]))),
]  # fmt: skip


class Call(NamedTuple):
    name: str
    arguments: tuple[tuple[str, str], ...]  # names ("" by position, "*" one of many) and texts

    def text(self) -> str:
        inner = ", ".join(text if not name else f"{name}={text}" for name, text in self.arguments)
        start = self.name.replace("experimental.numpy.", "tnp.").replace("keras.ops.", "kops.")
        return f"{start if start != self.name else 'tf.' + self.name}({inner})"


def call(chance: random.Random, name: str, parameters: Sequence[inspect.Parameter]) -> Call:
    """A call of a function."""
    draw = Draw(chance, name)
    found: list[tuple[str, str]] = []
    by_name = False
    for p in parameters:
        if p.kind is p.VAR_KEYWORD:
            continue
        if p.kind is p.VAR_POSITIONAL:
            found += [("", draw.tensor()) for _ in range(chance.randint(1, 3))] if not by_name else []
            by_name = True
            continue
        needed = p.default is p.empty
        if not needed and chance.random() < (0.95 if p.name == "name" else 0.65):
            by_name = True
            continue
        by_name = by_name or p.kind is p.KEYWORD_ONLY or (p.kind is not p.POSITIONAL_ONLY and chance.random() < 0.25)
        found.append((p.name if by_name else "", draw.parameter(p.name, p.default)))
    return Call(name, tuple(found))


def changed(chance: random.Random, given: Call, parameters: Sequence[inspect.Parameter]) -> Call:
    """The call with another argument in one place."""
    if not given.arguments:
        return given
    other = call(chance, given.name, parameters)
    place = chance.randrange(len(given.arguments))
    draw = Draw(chance, given.name)
    key = given.arguments[place][0]
    same = [text for name, text in other.arguments if key and name == key] or [
        t for _, t in other.arguments[place : place + 1]
    ]
    text = same[0] if same and chance.random() < 0.7 else draw.any_argument()
    arguments = list(given.arguments)
    arguments[place] = (key, text)
    return Call(given.name, tuple(arguments))


def functions(spaces: Sequence[str], names: Sequence[str]) -> Iterator[tuple[str, Any, list[inspect.Parameter]]]:
    """The public functions that are looked at, and their parameters."""
    from tests.public_names import callables  # lazy: what serves has no graphrt

    for name, function in callables().items():
        space = name.rpartition(".")[0]
        if (
            (names and name not in names)
            or (not names and (space not in spaces or LEFT_OUT.match(name)))
            or inspect.isclass(function)
        ):
            continue
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            continue
        yield name, function, parameters


def drawn(
    tf: Any,
    names: dict[str, Any],
    seed: int,
    count: int,
    name: str,
    parameters: Sequence[inspect.Parameter],
    failing: float = 1 / 3,
) -> list[tuple[str, Any]]:
    """Calls of a function, and what they give here: that share of them fails, if enough that work are found."""
    chance = random.Random(f"{seed} {name}")
    works: list[Call] = []
    found: dict[str, Any] = {}
    wanted, fails = count - round(failing * count), 0
    for number in range(8 * count):
        fresh = not works or chance.random() < 0.6
        made = call(chance, name, parameters) if fresh else changed(chance, chance.choice(works), parameters)
        text = made.text()
        if text in found or len(text) > 1500:
            continue
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            ours = answer(tf, names, text)
        except TimeoutError:
            ours = "takes too long"
        signal.setitimer(signal.ITIMER_REAL, 0)
        if isinstance(ours, str):
            fails += 1
            if fails > count - wanted and (works or number < 6 * count):
                continue
        else:
            works.append(made)
        found[text] = ours
        if len(found) >= count:
            break
    return list(found.items())


def asked(python: str, texts: Sequence[str], module: str = "tests.random_calls") -> list[Any]:
    """What TensorFlow gives for the calls, as a module tells it."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONHASHSEED": "0"}
    told = subprocess.run(
        [python, "-m", module, "--serve"],
        input=lines,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    found = [json.loads(line) for line in told.stdout.splitlines() if line[:1] in '["n']
    if len(found) != len(texts):
        raise RuntimeError(f"{len(found)} answers to {len(texts)} calls: {told.stderr[-2000:]}")
    return found


def record(python: str, texts: Sequence[str]) -> None:
    """Writes what TensorFlow gives for calls."""
    pairs = [f"{json.dumps(t)}: {json.dumps(found)}" for t, found in zip(texts, asked(python, texts))]
    GOLDEN.write_text("{\n" + ",\n".join(pairs) + "\n}\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.random_calls", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tensorflow", default=sys.executable)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--spaces", default=None)
    parser.add_argument("--errors", action="store_true", help="classes of errors, too")
    parser.add_argument("--taken", action="store_true", help="what TensorFlow refuses, too")
    parser.add_argument("--each", type=int, default=1, help="differences of a kind that are told of a function")
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args(arguments)
    if options.record:
        record(options.tensorflow, list(json.loads(GOLDEN.read_text(encoding="utf-8"))))
        return 0
    import graphrt as tf  # lazy: what serves has no graphrt
    from tests import public_edges  # lazy: the same

    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _too_long)
    names = scope(tf)
    spaces = SPACES if options.spaces is None else options.spaces.split(",")
    calls: list[tuple[str, str, Any]] = []
    for name, _, parameters in functions(spaces, options.names):
        calls += [(name, *pair) for pair in drawn(tf, names, options.seed, options.count, name, parameters)]
    theirs = asked(options.tensorflow, [text for _, text, _ in calls])
    told: dict[tuple[str, str], int] = collections.Counter()
    worked = 0
    for (name, text, ours), other in zip(calls, theirs):
        worked += not isinstance(other, str)
        if other is None or other in MISSING:
            if other is None:
                print("ended TensorFlow:", text[:200], flush=True)
            continue
        wrong = public_edges.problem(ours, other)
        if ours == "takes too long":
            wrong = ours
        if not wrong:
            continue
        kind = "time" if ours == "takes too long" else public_edges.kind(ours, other)
        if (
            kind == public_edges.KINDS[0]
            and not options.errors
            and (
                ours in ("TypeError", "ValueError")
                or "Error" in ours
                and issubclass(public_edges.error_class(ours) or ValueError, (tf.errors.OpError, ValueError, TypeError))
            )
        ):
            continue
        if kind == public_edges.KINDS[2] and not options.taken:
            continue
        told[name, kind] += 1
        if told[name, kind] <= options.each:
            print(f"[{kind}] {text}: {re.sub(chr(10), ' ', str(wrong))[:300]}", flush=True)
    print(f"{len(calls)} calls, {worked} work in TensorFlow; {sum(told.values())} differ, of {len(told)} kinds")
    return int(bool(told))


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        serve()
    else:
        sys.exit(main(sys.argv[1:]))
