"""Pipelines of `tf.data` written at random, here and by TensorFlow: `python -m tests.random_pipelines --tensorflow PYTHON`.

    --seed N      the first pipeline
    --count N     how many

A pipeline is a source, up to four transformations and an end, of which many do not fit. Compared are the spec of the
elements, the cardinality, all elements and where it fails. Printed is what differs, once for each kind of difference;
errors are compared where one of both has none, or ours is none of TypeError, ValueError, AttributeError and OpError.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests import ROOT

FAMILIES = {"TypeError", "ValueError", "AttributeError", "OpError"}
MOST = 60  # elements that are looked at
SOURCES = (
    "range(10)", "range(0)", "range(2, 17, 3)", "range(5, 0, -2)", "range(7, output_type=tf.int32)",
    "from_tensor_slices(np.arange(12, dtype=np.int32).reshape(12, 1))", "from_tensor_slices(np.arange(12.0).reshape(3, 2, 2))",
    "from_tensor_slices(np.arange(12, dtype=np.float32))", "from_tensor_slices({'a': [1, 2, 3], 'b': [[1.0], [2.0], [3.0]]})",
    "from_tensor_slices(([1, 2, 3, 4], ['x', 'yy', '', 'z']))", "from_tensors([1, 2])", "from_tensors((1, 2.5))",
    "from_tensors({'q': tf.zeros([2, 2])})", "from_tensor_slices(tf.ragged.constant([[1, 2], [], [3], [4, 5, 6]]))",
    "from_tensor_slices(tf.sparse.from_dense([[1, 0, 2], [0, 0, 3], [0, 0, 0]]))",
    "from_generator(lambda: iter([[1], [2, 3], [], [4, 5]]), output_signature=tf.TensorSpec([None], tf.int32))",
    "from_tensor_slices([[1, 2], [3, 4], [5, 6]])",
)  # fmt: skip
MAPS = (
    "lambda *a: a", "lambda x: x", "lambda x: (x, x)", "lambda x: x + 1", "lambda x: {'k': x}", "lambda x, y: x",
    "lambda x, y: {'u': x, 'v': y}", "lambda x: tf.cast(x, tf.float32)", "lambda x: tf.reduce_sum(x)", "lambda x: tf.shape(x)",
    "lambda x: tf.strings.as_string(x)", "lambda d: d['a']", "lambda x: tf.reshape(x, [-1])", "lambda x: x[0]",
    "lambda x: [x, x]", "lambda x: (x, None)", "lambda x: (x, 3, 'c')", "lambda x: x // 0", "lambda *a: a[0]",
    "lambda x: tf.RaggedTensor.from_row_lengths(tf.range(3), [1, 2])", "lambda x: tf.where(x > 2)[:, 0]",
)  # fmt: skip
TESTS = (
    "lambda *a: True", "lambda *a: False", "lambda x: x > 2", "lambda x: tf.size(x) > 1", "lambda x, y: tf.size(x) > 0",
    "lambda x: tf.reduce_all(x > 0)", "lambda x: x", "lambda d: d['a'] > 2",
)  # fmt: skip
STEPS = (
    "map({map})", "map({map})", "map({map}, num_parallel_calls=2)", "filter({test})", "take_while({test})", "batch({size})",
    "batch({size}, drop_remainder=True)", "padded_batch({size})", "padded_batch({size}, padded_shapes=[4])",
    "ragged_batch({size})", "unbatch()", "take({number})", "skip({number})", "repeat({size})", "shard({size}, {number})",
    "enumerate({number})", "window({size})", "window({size}, 1, 2, True)", "flat_map(lambda x: x)",
    "flat_map(lambda w: w.batch({size}))", "flat_map(lambda x: tf.data.Dataset.from_tensor_slices(x))",
    "flat_map(lambda x: tf.data.Dataset.range(tf.cast(x, tf.int64)))", "concatenate({source})", "cache()", "prefetch(1)",
    "interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length={size}, block_length={size})",
    "scan(0, lambda s, x: (s + 1, x))", "scan(tf.constant(0, tf.int64), lambda s, x: (s + tf.cast(x, tf.int64), s))",
    "group_by_window(lambda x: tf.cast(x, tf.int64) % 2, lambda k, d: d.batch({size}), window_size={size})",
    "bucket_by_sequence_length(lambda x: tf.size(x), [2, 3], [2, 2, 2])", "ignore_errors()", "rebatch({size})",
    "rebatch([1, 2])", "rebatch({size}, drop_remainder=True)", "shuffle(1)",
)  # fmt: skip
ENDS = (
    "", "", "", ".reduce(0, lambda s, *a: s + 1)", ".cardinality()", ".take(2).get_single_element()",
    ".reduce((0.0, 0), lambda s, x: (s[0] + tf.cast(tf.reduce_sum(x), tf.float32), s[1] + 1))",
)  # fmt: skip


def pipeline(seed: int) -> str:
    """The expression that belongs to a seed."""
    chance = random.Random(seed)

    def source() -> str:
        if not chance.randrange(8):
            return f"tf.data.Dataset.zip(({source()}, {source()}))"
        return f"tf.data.Dataset.{chance.choice(SOURCES)}"

    def step() -> str:
        return chance.choice(STEPS).format(
            map=chance.choice(MAPS), test=chance.choice(TESTS), size=chance.choice("1223345"),
            number=chance.choice(("0", "1", "3", "-1", "100")), source=source(),
        )  # fmt: skip

    return source() + "".join(f".{step()}" for _ in range(chance.randint(1, 4))) + chance.choice(ENDS)


def shown(tf: Any, value: Any) -> Any:
    """An element as plain data, alike for both modules."""
    if value is None:
        return None
    if isinstance(value, dict):
        return {str(key): shown(tf, part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *(shown(tf, part) for part in value)]
    if hasattr(value, "element_spec"):
        return ["dataset", repr(value.element_spec), [shown(tf, part) for part in value.take(MOST)]]
    if isinstance(value, tf.RaggedTensor):
        return ["ragged", value.dtype.name, repr(value.to_list())]
    if isinstance(value, tf.SparseTensor):
        return ["sparse", *(shown(tf, part) for part in (value.indices, value.values, value.dense_shape))]
    return [value.dtype.name, list(value.shape), repr(np.asarray(value.numpy()).tolist())]


def outcome(tf: Any, text: str) -> dict[str, Any]:
    """What a pipeline gives: its spec, its cardinality and its elements, up to an error."""
    found: dict[str, Any] = {}
    try:
        made = eval(text, {"tf": tf, "np": np})
        if not hasattr(made, "element_spec"):
            return {"value": shown(tf, made)}
        found |= {"spec": repr(made.element_spec), "cardinality": int(made.cardinality()), "elements": []}
        for element in made.take(MOST):
            found["elements"].append(shown(tf, element))
    except Exception as error:
        found["error"] = [k.__name__ for k in type(error).__mro__], str(error)[:200]
    return found


def difference(here: dict[str, Any], there: dict[str, Any]) -> str | None:
    """The kind of difference, in a few words."""
    same = "error" in here and "error" in there and here["error"][0][0] == there["error"][0][0]
    if "error" in here and not same and not FAMILIES & set(here["error"][0]):
        return f"fails with {here['error'][0][0]}"
    if ("error" in here) != ("error" in there):
        return f"{'only here' if 'error' in here else 'only TensorFlow'} fails: {(here | there)['error'][0][0]}"
    if "error" in here and len(here) == len(there) == 1:
        return None
    return next((key for key in ("value", "spec", "cardinality", "elements") if here.get(key) != there.get(key)), None)


def answers(tf: Any, seeds: range) -> Iterator[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in seeds:
            yield json.loads(json.dumps(outcome(tf, pipeline(seed))))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.random_pipelines")
    parser.add_argument("--tensorflow", help="a Python that has TensorFlow 2.20")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    seeds = range(given.seed, given.seed + given.count)
    if given.serve:
        import tensorflow as tf

        tf.get_logger().setLevel("ERROR")
        for found in answers(tf, seeds):
            print(json.dumps(found), flush=True)
        return 0
    import graphrt

    command = [
        given.tensorflow,
        "-m",
        "tests.random_pipelines",
        "--serve",
        f"--seed={given.seed}",
        f"--count={given.count}",
    ]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"}
    kinds: dict[str, list[tuple[int, Any, Any]]] = collections.defaultdict(list)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        for seed, here, line in zip(seeds, answers(graphrt, seeds), process.stdout or (), strict=True):
            if (kind := difference(here, there := json.loads(line))) is not None:
                kinds[kind].append((seed, here, there))
    for kind, found in sorted(kinds.items(), key=lambda pair: -len(pair[1])):
        seed, here, there = found[0]
        print(
            f"{kind} ({len(found)})\n  {seed}: {pipeline(seed)}\n  here:  {str(here)[-300:]}\n  there: {str(there)[-300:]}"
        )
    print(f"{given.count} pipelines, {sum(map(len, kinds.values()))} differ in {len(kinds)} ways")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
