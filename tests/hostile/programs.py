"""Programs for interrupts, threads and leaks: each makes its objects once, and does the same with them again and again."""

from __future__ import annotations

import functools
import itertools
import os
import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import graphrt as tf
from graphrt.graphdef import import_graph_def
from graphrt.ops.io.whole_files import remove_tree


@dataclass(frozen=True)
class Program:
    """`make` gives the objects, `run` uses them and gives what must equal `answer`."""

    name: str
    make: Callable[[], Any]
    run: Callable[[Any], Any]
    answer: Any
    threads: bool = False  # whether it has threads of its own, so that the process cannot fork
    files: bool = False  # whether it writes files, which a fork would share
    left: Callable[[Any], list[str]] = lambda state: []  # what must not be there when nobody runs it

    def check(self, state: Any, alone: bool = True) -> None:
        """Runs it; AssertionError if the answer is wrong, or something is left while nobody else runs it."""
        found = self.run(state)
        assert found == self.answer, f"{self.name} gives {found!r} instead of {self.answer!r}"
        assert not alone or not self.left(state), f"{self.name} leaves {self.left(state)!r}"


PROGRAMS: list[Program] = []


def program(
    answer: Any,
    make: Callable[[], Any] = lambda: None,
    threads: bool = False,
    files: bool = False,
    left: Callable[[Any], list[str]] = lambda state: [],
) -> Callable[[Callable[[Any], Any]], Program]:
    def add(run: Callable[[Any], Any]) -> Program:
        PROGRAMS.append(Program(run.__name__, make, run, answer, threads, files, left))
        return PROGRAMS[-1]

    return add


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@program(111)
def traces(_: Any) -> Any:
    return int(tf.function(collatz)(tf.constant(27)))


@program([3.0, 4.0], lambda: tf.function(lambda x: x / 0.5 + tf.math.log(1.0)))
def cached_calls(f: Any) -> Any:
    found = [f(tf.constant([1.5, 2.0])) for _ in range(20)]
    return found[-1].numpy().tolist()


@program(0, lambda: tf.function(collatz))
def traces_anew(f: Any) -> Any:
    f(1)  # a number of Python's
    f.get_concrete_function(tf.TensorSpec([], tf.int64))
    f.explain_retrace(tf.constant(1.0))
    return int(f(tf.constant(1, tf.int64)))


@program(3.0, lambda: (tf.function(lambda x, n: x + n), itertools.count()))
def traces_once_more(state: Any) -> Any:
    f, numbers = state
    number = next(numbers)  # each a signature of its own
    with tf.init_scope():
        return float(f(tf.constant(3.0), number)) - number


class Account:
    def __init__(self) -> None:
        self.sum: Any = 1.0
        self.lines: list[Any] = []


@program([11.0, 3])
def writes_to_what_is_older(_: Any) -> Any:
    account = Account()

    def book(x: Any) -> Any:
        if x > 0:
            account.sum = x
            account.lines.append(x)
        else:
            account.lines.append(-x)
        while x < 4.0:
            account.sum = account.sum + x
            account.lines.append(x)
            x = x + 1.0
        return account.sum + x, tf.shape(tf.stack(account.lines))[0]

    # It warns once of what a loop puts in there. To silence that would leave Python's own filters changed, where an interrupt
    # comes as `catch_warnings` ends.
    return [v.numpy().item() for v in tf.function(book)(tf.constant(2.0))]


@program([12.0, 6.0], lambda: tf.Variable(2.0))
def gradients(v: Any) -> Any:
    def cubed(x: Any) -> Any:
        return x * x * x

    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.function(cubed)(v)
        first = inner.gradient(y, v)
        twice = first / 2.0
    return [float(first), float(outer.gradient(twice, v))]


@program([[1, 2], [3, 4]], lambda: tf.data.Dataset.range(4).map(lambda x: x + 1).batch(2))
def dataset(data: Any) -> Any:
    return [batch.numpy().tolist() for batch in data]


@program([0, 2, 4, 6, 8], threads=True)
def dataset_anew(_: Any) -> Any:
    data = tf.data.Dataset.range(10).filter(lambda x: x % 2 == 0).shuffle(3, seed=1).prefetch(2)
    return sorted(int(x) for x in data.map(lambda x: x, num_parallel_calls=2))


def _graph() -> bytes:
    concrete = tf.function(collatz).get_concrete_function(tf.TensorSpec([], tf.int32))
    return concrete.graph.as_graph_def().SerializeToString()


@program(111, _graph)
def imports_a_graph(data: bytes) -> Any:
    graph = import_graph_def(data)
    run = tf.function(lambda n: tf.graph_util.import_graph_def(data, {"n:0": n}, ["Identity:0"])[0])
    return int(run(tf.constant(27))) if graph.nodes else None


@program(True, lambda: collatz)
def converts(f: Any) -> Any:
    def fresh(x: Any) -> Any:
        if x > 0:
            return [i for i in range(x) if i % 2]
        return []

    return "if_stmt" in tf.autograph.to_code(fresh) and tf.autograph.to_graph(fresh)(4) == [1, 3]


def _balance() -> Any:
    v, table = tf.Variable(0), tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)

    @tf.function(atomic=True)
    def both() -> Any:
        v.assign_add(1)
        table.insert([tf.cast(v, tf.int64)], [tf.constant(1, tf.int64)])
        for _ in tf.range(3):
            v.assign_add(1)
        v.assign_sub(3)
        return v.read_value()

    return v, table, both


@program(True, _balance)
def atomic(state: Any) -> Any:
    v, table, both = state
    both()
    return int(v) == int(table.size()) or (int(v), int(table.size()))


def _trained() -> Any:
    variable = tf.Variable([1.0, 2.0])
    optimizer = tf.keras.optimizers.Adam()
    optimizer.build([variable])
    return variable, optimizer


@program(True, _trained)
def update_of_an_optimizer(state: Any) -> Any:
    variable, optimizer = state
    step = int(optimizer.iterations)
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), variable)])
    return int(optimizer.iterations) == step + 1


@program(
    [3.0, 3.0], lambda: tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(2, kernel_initializer="ones")])
)
def layer(model: Any) -> Any:
    return model(tf.constant([[1.0, 2.0]])).numpy()[0].tolist()


class Folder:
    """A folder for a program to write into again and again; only one process does."""

    @functools.cached_property
    def path(self) -> str:
        return tempfile.mkdtemp()

    def at(self, name: str) -> str:
        return os.path.join(self.path, name)

    def parts(self) -> list[str]:
        """Files that something has begun to write and did not finish."""
        return [name for _, folders, files in os.walk(self.path) for name in folders + files if ".part" in name]


@program([b"one", b"two"], Folder, files=True, left=lambda folder: folder.parts())
def saves(folder: Folder) -> Any:
    data = tf.data.Dataset.from_tensor_slices([b"one", b"two"])
    data.save(folder.at("saved"))
    return [x.numpy() for x in tf.data.Dataset.load(folder.at("saved"))]


def _checkpointed() -> Any:
    return Folder(), tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), n=tf.Variable(3))


@program([1.0, 2.0], _checkpointed, files=True, left=lambda state: state[0].parts())
def saves_a_checkpoint(state: Any) -> Any:
    folder, checkpoint = state
    checkpoint.write(folder.at("c"))
    found = tf.train.Checkpoint(v=tf.Variable([0.0, 0.0]), n=tf.Variable(0))
    found.read(folder.at("c")).assert_consumed()
    return found.v.numpy().tolist()


class Doubling(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.v = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([])])
    def doubled(self, x: Any) -> Any:
        return x * self.v


@program(6.0, lambda: (Folder(), Doubling()), files=True, left=lambda state: state[0].parts())
def saves_a_model(state: Any) -> Any:
    folder, module = state
    tf.saved_model.save(module, folder.at("m"))
    return float(tf.saved_model.load(folder.at("m")).doubled(tf.constant(3.0)))


def _keras_model() -> Any:
    return Folder(), tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(1, kernel_initializer="ones")])


@program([[3.0]], _keras_model, files=True, left=lambda state: state[0].parts())
def saves_a_keras_model(state: Any) -> Any:
    folder, model = state
    model.save(folder.at("m.keras"))
    return tf.keras.models.load_model(folder.at("m.keras"))(tf.constant([[1.0, 2.0]])).numpy().tolist()


@program([[1.0], [1.0, 2.0]], files=True)
def caches_and_writes_records(_: Any) -> Any:
    folder = Folder()
    try:
        with tf.io.TFRecordWriter(folder.at("r")) as writer:
            writer.write(b"one")
        data = tf.data.Dataset.from_tensor_slices([1.0, 2.0])
        found = [float(x) for x in data.cache(folder.at("c"))]
        return [[float(len(list(tf.data.TFRecordDataset(folder.at("r")))))], found]
    finally:
        remove_tree(folder.path)


@program((True, 3))
def custom_names(_: Any) -> Any:
    with tf.keras.utils.custom_object_scope({"thrice": abs}), tf.init_scope():
        found = tf.keras.activations.get("thrice") is abs
    with tf.variable_creator_scope(lambda creator, **kwargs: creator(**kwargs)):
        return found, int(tf.Variable(3))


@program(3, lambda: tf.CriticalSection())
def critical_section(section: Any) -> Any:
    return int(section.execute(lambda: tf.constant(1) + 2))


@program(4, lambda: tf.function(lambda x: x + 1).get_concrete_function(tf.TensorSpec([], tf.int32)))
def pickles(concrete: Any) -> Any:
    return int(pickle.loads(pickle.dumps(concrete))(tf.constant(3)))


@program(1 << 20)
def limits(_: Any) -> Any:
    with tf.config.limits(bytes=1 << 20), tf.name_scope("a"):
        try:
            tf.fill([1 << 20], 1.0)
        except tf.errors.ResourceExhaustedError:
            return tf.config.limits.bytes


@program([[2.0, 3.0]], lambda: tf.constant([[1.0, 2.0]]))
def eager(x: Any) -> Any:
    with tf.name_scope("scope"), tf.control_dependencies([]):
        y = tf.concat([x, x], 0) + 1.0
    return tf.stack(tf.unstack(y)[:1]).numpy().tolist()


@program(6.0, lambda: np.arange(4, dtype=np.float32))
def loop_over_a_dataset(values: Any) -> Any:
    def total(data: Any) -> Any:
        found = tf.constant(0.0)
        for x in data:
            found += x
        return found

    return float(tf.function(total)(tf.data.Dataset.from_tensor_slices(values)))
