"""Programs for the run of threads: what users do at once with objects that they share."""

from __future__ import annotations

import asyncio
import importlib.util
import itertools
import os
import threading
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import graphrt as tf
from graphrt.ops.io.whole_files import remove_tree
from tests.hostile.programs import Folder, Program, collatz

SHARED: list[Program] = []


def shared(
    answer: Any,
    make: Callable[[], Any] = lambda: None,
    left: Callable[[Any], list[str]] = lambda state: [],
) -> Callable[[Callable[[Any], Any]], Program]:
    def add(run: Callable[[Any], Any]) -> Program:
        SHARED.append(Program(run.__name__, make, run, answer, left=left))
        return SHARED[-1]

    return add


class Counted(NamedTuple):
    """Objects, and how often they have been used."""

    things: Any
    uses: list[int]

    def used(self) -> Any:
        self.uses.append(1)  # one step of Python's
        return self.things


def counted(make: Callable[[], Any]) -> Callable[[], Counted]:
    return lambda: Counted(make(), [])


def equal(found: Any, wanted: Any) -> list[str]:
    return [] if found == wanted else [f"{found!r} instead of {wanted!r}"]


class InFolder:
    """A folder for one run, which is removed behind it."""

    def __enter__(self) -> str:
        self.folder = Folder()
        return self.folder.path

    def __exit__(self, *_: object) -> None:
        remove_tree(self.folder.path)


# --- functions -------------------------------------------------------------------------------------------------------
KINDS = ("int32", "int64", "float32", "float64")


@shared(True, lambda: (tf.function(lambda x: x + 1), itertools.count()))
def retraces_by_dtype(state: Any) -> Any:
    f, numbers = state
    kind = KINDS[next(numbers) % len(KINDS)]
    found = f(tf.constant([1, 2], kind))
    return (found.dtype.name, found.numpy().tolist()) == (kind, [2, 3])


@shared(True, lambda: (tf.function(lambda x: tf.reduce_sum(x), reduce_retracing=True), itertools.count(1)))
def retraces_by_shape(state: Any) -> Any:
    f, numbers = state
    size = next(numbers)
    return float(f(tf.ones([size]))) == size


@shared(["one", 5], lambda: tf.function(lambda x: x * 2 + 1, input_signature=[tf.TensorSpec([None], tf.int32)]))
def signatures(f: Any) -> Any:
    found = f.get_concrete_function()
    return ["one" if found is f.get_concrete_function() else "two", int(f(tf.constant([2]))[0])]


class Owner:
    def __init__(self) -> None:
        self.scale = tf.Variable(3.0, trainable=False)

    @tf.function
    def scaled(self, x: Any) -> Any:
        return self.helped(x) if x > 0 else -x

    def helped(self, x: Any) -> Any:
        return x * self.scale


@shared([6.0, 2.0], Owner)
def methods_of_one_object(owner: Any) -> Any:
    return [float(owner.scaled(tf.constant(x))) for x in (2.0, -2.0)]


@shared(12.0)
def methods_of_many_objects(_: Any) -> Any:
    return float(Owner().scaled(tf.constant(4.0)))


def _class() -> Any:
    class Pair:
        def __init__(self, a: Any, b: Any) -> None:
            self.a, self.b = a, b

        @property
        def total(self) -> Any:
            return self.a + self.b if self.a > 0 else self.b

        def __add__(self, other: Any) -> Any:
            return Pair(self.a + other.a, self.b + other.b)

    return Pair


@shared([5, 15], _class)
def classes_that_are_converted(pair: Any) -> Any:
    def total(x: Any) -> Any:
        found = pair(x, 4) + pair(x, 5) if x > 2 else pair(x, 4)
        return found.total

    return [int(tf.function(total)(tf.constant(n))) for n in (1, 3)]


@shared([3, 9])
def generators_in_functions(_: Any) -> Any:
    def squares(x: Any) -> Any:
        for i in range(3):
            yield x * i

    def total(x: Any) -> Any:
        return sum(squares(x))

    f = tf.function(total)
    return [int(f(tf.constant(n))) for n in (1, 3)]


@shared([111, 111])
def tasks(_: Any) -> Any:
    async def one() -> int:
        await asyncio.sleep(0)
        return int(tf.function(collatz)(tf.constant(27)))

    async def both() -> list[int]:
        return [*await asyncio.gather(one(), one())]

    return asyncio.run(both())


def _branching(x: Any) -> Any:
    if x > 0:
        return x
    return -x


@shared(True, lambda: tf.autograph.to_code(_branching))
def texts_of_one_function(text: Any) -> Any:
    return tf.autograph.to_code(_branching) == text


@shared(21, lambda: tf.function(lambda n: n + 1))
def functions_in_functions(inner: Any) -> Any:
    @tf.function
    def outer(n: Any) -> Any:
        for _ in tf.range(20):
            n = inner(n)
        return n

    return int(outer(tf.constant(1)))


@shared(8)
def recursion(_: Any) -> Any:
    @tf.function
    def fibonacci(n: Any) -> Any:
        if n < 2:
            return n
        return fibonacci(n - 1) + fibonacci(n - 2)

    return int(fibonacci(tf.constant(6)))


@shared([[0, 2, 4], 3])
def lists_that_grow(_: Any) -> Any:
    def rows(n: Any) -> Any:
        found = []
        for i in tf.range(n):
            found.append(i * 2)
        return tf.stack(found), len(found)

    values, count = tf.function(rows)(tf.constant(3))
    return [values.numpy().tolist(), int(count)]


@shared(True, lambda: tf.function(lambda x: 10 // x))
def errors_that_name_their_lines(f: Any) -> Any:
    try:
        f(tf.constant(0))
    except tf.errors.InvalidArgumentError as error:
        return "shared.py" in str(error) and bool(traceback.format_exc())
    return False


@shared(True, lambda: tf.function(collatz).get_concrete_function(tf.TensorSpec([], tf.int32)))
def graphs_that_are_shown(concrete: Any) -> Any:
    text = concrete.pretty_printed_signature()
    return "int32" in text and len(str(concrete.graph)) > 10 and len(concrete.graph.as_graph_def().node) > 1


@shared(111, lambda: tf.function(collatz).get_concrete_function(tf.TensorSpec([], tf.int32)))
def one_concrete_function(concrete: Any) -> Any:
    return int(concrete(tf.constant(27)))


if importlib.util.find_spec("numba") is not None:  # of the extra [native]

    @shared([111, 0], lambda: tf.function(collatz, jit_compile=True))
    def compiled_functions(f: Any) -> Any:
        return [int(f(tf.constant(27))), int(f(tf.constant(1)))]


# --- control flow and gradients --------------------------------------------------------------------------------------
@shared([[2.0, 8.0], 9.0])
def maps_and_scans(_: Any) -> Any:
    doubled = tf.map_fn(lambda x: x * 2.0, tf.constant([1.0, 4.0]))
    return [doubled.numpy().tolist(), float(tf.scan(lambda a, x: a + x, tf.constant([1.0, 3.0, 5.0]))[-1])]


@shared([10, 30, 30], lambda: tf.function(lambda i: tf.switch_case(i, [lambda: 10, lambda: 20, lambda: 30])))
def cases(f: Any) -> Any:
    return [int(f(tf.constant(i))) for i in (0, 2, 7)]


@shared(80.0, lambda: tf.Variable(2.0))
def gradients_of_loops(v: Any) -> Any:
    @tf.function
    def power(x: Any) -> Any:
        y = x
        for _ in tf.range(4):
            y = y * x
        return y

    with tf.GradientTape() as tape:
        y = power(v)
    return float(tape.gradient(y, v))


@tf.custom_gradient
def _clipped(x: Any) -> Any:
    return x * x, lambda g: tf.minimum(g * 2.0 * x, 1.0)


@shared(1.0, lambda: tf.constant(3.0))
def custom_gradients(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(_clipped)(x)
    return float(tape.gradient(y, x))


@shared(12.0, lambda: tf.constant(2.0))
def forward_gradients(x: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = tf.function(lambda v: v**3)(x)
    return float(accumulator.jvp(y))


@shared([1.0, 2.0, 4.0])
def arrays_of_tensors(_: Any) -> Any:
    @tf.function
    def powers(n: Any) -> Any:
        found = tf.TensorArray(tf.float32, size=n)
        value = tf.constant(1.0)
        for i in tf.range(n):
            found = found.write(i, value)
            value = value * 2.0
        return found.stack()

    return powers(tf.constant(3)).numpy().tolist()


@shared([[2.0, 4.0], [6.0]], lambda: tf.ragged.constant([[1.0, 2.0], [3.0]]))
def ragged_tensors(rows: Any) -> Any:
    return tf.function(lambda r: r + r)(rows).to_list()


@shared([[1.0, 4.0], [9.0]])
def vectorized_maps(_: Any) -> Any:
    found = tf.vectorized_map(lambda x: x * x, tf.constant([1.0, 2.0, 3.0])).numpy().tolist()
    return [found[:2], found[2:]]


# --- state -----------------------------------------------------------------------------------------------------------
@shared(True, counted(lambda: tf.Variable(0)), left=lambda state: equal(int(state.things), 20 * len(state.uses)))
def additions_to_a_variable(state: Any) -> Any:
    v = state.used()

    @tf.function
    def add() -> Any:
        for _ in tf.range(10):
            v.assign_add(1)

    add()
    for _ in range(10):
        v.assign_add(1)
    return True


@shared(
    True, counted(lambda: tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)),
    left=lambda state: equal(int(state.things.size()), len(state.uses)),
)  # fmt: skip
def insertions_into_a_table(state: Any) -> Any:
    table = state.used()
    key = tf.constant([threading.get_ident()], tf.int64)
    table.insert(key, key + 1)
    return int(table.lookup(key)[0]) == int(key[0]) + 1


def _normal(count: int) -> list[int]:
    generator = tf.random.Generator.from_seed(5)
    for _ in range(count):
        generator.normal([3])
    return generator.state.numpy().tolist()


@shared(
    [3], counted(lambda: tf.random.Generator.from_seed(5)),
    left=lambda state: equal(state.things.state.numpy().tolist(), _normal(len(state.uses))),
)  # fmt: skip
def numbers_of_one_generator(state: Any) -> Any:
    return state.used().normal([3]).shape.as_list()


@shared(True, lambda: tf.random.stateless_normal([3], [1, 2]).numpy().tolist())
def stateless_numbers(wanted: Any) -> Any:
    return tf.function(lambda: tf.random.stateless_normal([3], [1, 2]))().numpy().tolist() == wanted


@shared([3, -2], lambda: tf.CriticalSection())
def conditionals_in_a_critical_section(section: Any) -> Any:
    @tf.function
    def f(x: Any) -> Any:
        return section.execute(lambda: x + 1 if x > 0 else x)

    return [int(f(tf.constant(n))) for n in (2, -2)]


# --- datasets --------------------------------------------------------------------------------------------------------
@shared([0, 2, 4, 6], lambda: tf.data.Dataset.range(4).map(lambda x: x * 2, num_parallel_calls=4).prefetch(2))
def parallel_maps(data: Any) -> Any:
    return [int(x) for x in data]


@shared(True, lambda: tf.data.Dataset.range(9).shuffle(4, seed=3, reshuffle_each_iteration=False))
def one_order(data: Any) -> Any:
    first = [int(x) for x in data]
    return sorted(first) == [*range(9)] and [int(x) for x in data] == first


@shared([1, 2, 3], lambda: tf.data.Dataset.range(3).map(lambda x: x + 1).cache())
def caches_in_memory(data: Any) -> Any:
    return [int(x) for x in data]


@shared([[0, 10], [0, 11], [1, 12], [1, 13]])
def interleaved_and_zipped(_: Any) -> Any:
    data = tf.data.Dataset.range(2).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), block_length=2)
    return [[int(a), int(b)] for a, b in tf.data.Dataset.zip(data, tf.data.Dataset.range(10, 20))]


def _one_iterator() -> Any:
    return iter(tf.data.Dataset.range(64).map(lambda x: x + 1)), []


@shared(True, _one_iterator, left=lambda state: equal(len(set(state[1])), len(state[1])))
def elements_of_one_iterator(state: Any) -> Any:
    iterator, found = state
    found += [int(iterator.get_next()) for _ in range(2)]
    return True


@shared([0, 1, 4])
def datasets_of_generators(_: Any) -> Any:
    def squares() -> Any:
        for i in range(3):
            yield i * i

    data = tf.data.Dataset.from_generator(squares, output_signature=tf.TensorSpec([], tf.int32))
    return [int(x) for x in data]


# --- keras -----------------------------------------------------------------------------------------------------------
@shared([2, [3]], lambda: tf.keras.layers.Dense(3))
def layers_built_at_the_first_call(layer: Any) -> Any:
    found = layer(tf.ones([1, 2]))
    return [len(layer.weights), [found.shape[1]]]


def _model() -> Any:
    layers = [tf.keras.Input([2]), tf.keras.layers.Dense(1, kernel_initializer="ones")]
    model = tf.keras.Sequential(layers)
    model.compile("sgd", "mse")
    return model


@shared([[3.0]], _model)
def predictions(model: Any) -> Any:
    return model.predict(np.array([[1.0, 2.0]], np.float32), verbose=0).tolist()


@shared(2)
def models_that_are_fit(_: Any) -> Any:
    history = _model().fit(np.ones([4, 2], np.float32), np.ones([4, 1], np.float32), epochs=2, verbose=0)
    return len(history.history["loss"])


@shared(
    True, counted(lambda: tf.keras.metrics.Sum()),
    left=lambda state: equal(float(state.things.result()), 3.0 * len(state.uses)),
)  # fmt: skip
def one_metric(state: Any) -> Any:
    state.used().update_state([1.0, 2.0])
    return True


def _untrained() -> Any:
    return tf.keras.optimizers.Adam(), tf.Variable(1.0)


@shared(True, counted(_untrained), left=lambda s: equal(len(s.things[0].variables), 4) + equal(int(s.things[0].iterations), len(s.uses)))  # fmt: skip
def optimizers_built_at_the_first_step(state: Any) -> Any:
    optimizer, v = state.used()
    optimizer.apply_gradients([(tf.constant(2.0), v)])
    return True


def _mixed() -> Any:
    class Mixed(tf.keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.last = tf.keras.layers.Dense(4), tf.keras.layers.LSTM(3)

        def call(self, x: Any) -> Any:
            return self.last(self.first(x))

    return Mixed()


@shared([5, [1, 3]], _mixed)
def models_built_at_the_first_call(model: Any) -> Any:
    found = model(tf.ones([1, 2, 2]))
    return [len(model.weights), found.shape.as_list()]


@shared([2, True], lambda: (tf.keras.layers.Dense(3), tf.keras.layers.BatchNormalization()))
def layers_built_in_functions(state: Any) -> Any:
    layer, norm = state
    found = tf.function(lambda x: norm(layer(x), training=False))(tf.ones([1, 2]))
    return [len(layer.weights), len(norm.weights) == 4 and found.shape == (1, 3)]


@shared([0.5, 1])
def optimizers(_: Any) -> Any:
    v = tf.Variable(1.0)
    optimizer = tf.keras.optimizers.SGD(0.25)
    optimizer.apply_gradients([(tf.constant(2.0), v)])
    return [float(v), int(optimizer.iterations)]


@shared(True)
def registered_classes(_: Any) -> Any:
    name = f"Thrice{threading.get_ident()}"
    kind = type(name, (tf.keras.layers.Layer,), {"call": lambda self, x: x * 3.0})
    tf.keras.utils.register_keras_serializable("threads")(kind)
    made = tf.keras.layers.deserialize({"class_name": f"threads>{name}", "config": {}})
    return type(made) is kind


# --- files -----------------------------------------------------------------------------------------------------------
def _saved() -> Any:
    module = tf.Module()
    module.f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([])])
    folder = Folder()
    tf.saved_model.save(module, folder.at("m"))
    return folder


@shared(6.0, _saved)
def loads_of_one_model(folder: Any) -> Any:
    return float(tf.saved_model.load(folder.at("m")).f(tf.constant(3.0)))


@shared([3, 1], lambda: tf.Variable(3))
def checkpoints_of_one_variable(v: Any) -> Any:
    with InFolder() as folder:
        path = tf.train.Checkpoint(v=v).save(os.path.join(folder, "c"))
        found = tf.Variable(0)
        tf.train.Checkpoint(v=found).restore(path).assert_consumed()
        return [int(found), int(path[-1])]


@shared(True)
def summaries(_: Any) -> Any:
    with InFolder() as folder:
        with tf.summary.create_file_writer(folder).as_default():
            tf.summary.scalar("loss", 0.5, step=1)
        return os.path.getsize(os.path.join(folder, os.listdir(folder)[0])) > 40


@shared([b"one", 3])
def records(_: Any) -> Any:
    with InFolder() as folder:
        path = os.path.join(folder, "r")
        feature = tf.train.Feature(int64_list=tf.train.Int64List(value=[3]))
        example = tf.train.Example(features=tf.train.Features(feature={"n": feature}))
        with tf.io.TFRecordWriter(path) as writer:
            writer.write(b"one")
            writer.write(example.SerializeToString())
        first, second = tf.data.TFRecordDataset(path)
        parsed = tf.io.parse_single_example(second, {"n": tf.io.FixedLenFeature([], tf.int64)})
        return [first.numpy(), int(parsed["n"])]


@shared("[1 2]\n")
def prints_into_a_file(_: Any) -> Any:
    with InFolder() as folder:
        path = os.path.join(folder, "out")
        tf.function(lambda x: tf.print(x, output_stream=f"file://{path}"))(tf.constant([1, 2]))
        with open(path) as file:
            return file.read()


# --- Python inside, texts, images, NumPy -----------------------------------------------------------------------------
@shared([5.0, 6.0], lambda: tf.function(lambda x: (tf.numpy_function(np.add, [x, 1.0], tf.float64), tf.py_function(lambda v: v + 2.0, [x], tf.float64))))  # fmt: skip
def functions_of_python(f: Any) -> Any:
    return [float(v) for v in f(tf.constant(4.0, tf.float64))]


@shared([b"a-b", [b"x", b"y"]])
def texts(_: Any) -> Any:
    def f(s: Any) -> Any:
        return tf.strings.regex_replace(s, "[ ]+", "-"), tf.strings.split("x y")

    replaced, parts = tf.function(f)(tf.constant("a  b"))
    return [replaced.numpy(), parts.numpy().tolist()]


@shared(True, lambda: tf.constant(np.arange(48, dtype=np.uint8).reshape(4, 4, 3)))
def images(image: Any) -> Any:
    return bool(tf.reduce_all(tf.io.decode_png(tf.io.encode_png(image)) == image))


@shared([6.0, [2.0, 3.0]], lambda: tf.constant([2.0, 3.0]))
def functions_of_numpy(x: Any) -> Any:
    def f(x: Any) -> Any:
        return np.prod(x), np.sort(x), np.einsum("i,i->", x, x)

    product, ordered, _ = tf.function(f)(x)
    return [float(product), ordered.numpy().tolist()]


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor

    def total(self) -> Any:
        return tf.reduce_sum(tf.where(self.mask, self.values, 0.0))


@shared([4.0, 2], lambda: Masked([1.0, 2.0, 3.0], [True, False, True]))
def extension_types(masked: Any) -> Any:
    leaves = tf.nest.flatten(masked, expand_composites=True)
    return [float(tf.function(lambda m: m.total())(masked)), len(leaves)]
