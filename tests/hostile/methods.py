"""Methods and operators of public objects on arguments that they do not expect: `python -m tests.hostile.methods`.

As `tests.hostile.arguments`, with the methods of one object of each kind; and what a method that fails leaves behind must be
what was there: values of variables, tables, metrics, generators, optimizers, the length of a queue.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable
from typing import Any

import graphrt as tf
from tests.hostile import swept
from tests.hostile.arguments import apart, wrong

SPECIAL = (
    "__getitem__", "__call__", "__add__", "__matmul__", "__pow__", "__mod__", "__floordiv__", "__eq__", "__and__",
    "__rsub__", "__contains__", "__iter__", "__len__", "__format__", "__lt__", "__truediv__",
)  # fmt: skip
LEFT_OUT = {  # what other rooms of graphrt call, what waits for ever, what asks for a built layer
    "with_components", "from_handle", "hold", "over", "call_flat", "dequeue", "dequeue_many", "enqueue_many", "enqueue",
    "dispatch", "call", "add_variable_from_reference", "update_step", "variable_accessed", "placeholder_value", "build",
    "from_spec", "assign", "assign_add", "assign_sub", "ClearExtension", "watch_accessed_variables", "eval",
}  # fmt: skip
TAKES_ASSIGNMENTS = ("variable", "integers")


def _model() -> Any:
    layers = tf.keras.layers
    model = tf.keras.Sequential([tf.keras.Input((2,)), layers.Dense(3), layers.Dense(1)])
    model.compile("adam", "mse")
    return model


@tf.function
def _doubled(x: Any) -> Any:
    return x * 2


def _kinds() -> dict[str, Callable[[], Any]]:
    """How an object of each kind is made."""
    keras, data = tf.keras, tf.data.Dataset
    layers = keras.layers
    table = tf.lookup.KeyValueTensorInitializer(["a"], [1])
    return {
        "tensor": lambda: tf.constant([[1.0, 2.0], [3.0, 4.0]]), "strings": lambda: tf.constant(["a", "b"]),
        "variable": lambda: tf.Variable([1.0, 2.0]), "integers": lambda: tf.Variable(3),
        "ragged": lambda: tf.ragged.constant([[1.0, 2.0], [3.0]]), "tensor_array": lambda: tf.TensorArray(tf.float32, 3),
        "sparse": lambda: tf.SparseTensor([[0, 1]], [1.0], [2, 2]),
        "slices": lambda: tf.IndexedSlices(tf.ones([1, 2]), [0], [3, 2]), "shape": lambda: tf.TensorShape([2, None]),
        "spec": lambda: tf.TensorSpec([None, 2]), "dtype": lambda: tf.float32,
        "numbers": lambda: data.range(5), "floats": lambda: data.from_tensor_slices([1.0, 2.0, 3.0]),
        "table_rows": lambda: data.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]}),
        "queue": lambda: tf.queue.FIFOQueue(3, ["float32"]), "generator": lambda: tf.random.Generator.from_seed(1),
        "static_table": lambda: tf.lookup.StaticHashTable(table, -1),
        "table": lambda: tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1),
        "function": lambda: tf.function(_doubled.python_function),
        "checkpoint": lambda: tf.train.Checkpoint(v=tf.Variable(1.0)), "tape": lambda: tf.GradientTape(persistent=True),
        "adam": keras.optimizers.Adam, "dense": lambda: layers.Dense(3), "lstm": lambda: layers.LSTM(3),
        "conv": lambda: layers.Conv2D(2, 3), "batch_norm": layers.BatchNormalization,
        "embedding": lambda: layers.Embedding(3, 2), "attention": lambda: layers.MultiHeadAttention(2, 2),
        "normalization": layers.Normalization, "lookup": layers.StringLookup, "vectorization": layers.TextVectorization,
        "distributed": lambda: layers.TimeDistributed(layers.Dense(2)), "model": _model, "mean": keras.metrics.Mean,
        "accuracy": keras.metrics.Accuracy, "auc": keras.metrics.AUC, "loss": keras.losses.MeanSquaredError,
        "initializer": keras.initializers.GlorotUniform, "regularizer": lambda: keras.regularizers.L2(0.1),
        "schedule": lambda: keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9),
        "optional": lambda: tf.experimental.Optional.from_value(1.0),
        "lengths": lambda: tf.experimental.DynamicRaggedShape.from_lengths([2, 3]),
    }  # fmt: skip


def _state_of(one: Any) -> object:
    """What a method that fails must leave as it was."""
    if isinstance(one, tf.Variable):
        return one.numpy().tobytes()
    if isinstance(one, tf.random.Generator):
        return one.state.numpy().tobytes()
    if isinstance(one, tf.lookup.experimental.MutableHashTable):
        return [t.numpy().tolist() for t in one.export()]
    if isinstance(one, (tf.keras.metrics.Metric, tf.keras.optimizers.Optimizer)):
        return [v.numpy().tobytes() for v in one.variables]
    return ()


def trial(seed: int, count: int, names: list[str]) -> list[str]:
    """What the methods of all kinds of objects, or of those named, do wrong."""
    found: dict[str, str] = {}
    kinds = _kinds()
    with apart():
        for name in names or kinds:
            first = kinds[name]()
            for member in dir(first):
                if member in LEFT_OUT and not (name in TAKES_ASSIGNMENTS and member.startswith("assign")):
                    continue
                if member.startswith("_") and member not in SPECIAL:
                    continue
                for part in range(0, count, 4):  # a new object now and then: calls that succeed change it
                    one = kinds[name]()
                    try:
                        method = getattr(one, member, None)
                    except (TypeError, ValueError):  # a property that others have, such as `mT` of a vector
                        break
                    if not callable(method) or inspect.isclass(method):
                        break
                    number = seed * 1000 + part
                    for text in wrong(f"{name}.{member}", method, number, min(4, count - part), lambda: _state_of(one)):
                        found.setdefault(text.rpartition(" with ")[0].partition(" raises ")[2] or text, text)
    return list(found.values())


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.methods", description=__doc__)
    parser.add_argument("names", nargs="*", help="kinds of objects, such as variable; all if none is named")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=8, help="calls of each method")
    chosen = parser.parse_args(arguments)
    found = trial(chosen.seed, chosen.count, chosen.names)
    print("\n".join(found))
    print(f"{len(found)} wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(swept(main)(sys.argv[1:]))
