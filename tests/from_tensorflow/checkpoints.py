"""Checkpoints of objects that TensorFlow writes and that are restored here into objects of the same structure.

A case builds the objects with the library it is given, does something to them, and says what must be there after a restore.
"""

import numpy as np

from tests.from_tensorflow import values
from tests.golden import masked_model_cases

CASES = {}
X = np.random.default_rng(5).standard_normal((6, 4)).astype(np.float32)


def case(function):
    CASES[function.__name__] = function
    return function


def write_case(name, folder):
    import tensorflow as tf

    objects, train, look = CASES[name](tf)
    train()
    path = tf.train.Checkpoint(**objects).save(str(folder / "ckpt"))
    wanted = [values.as_json(a) for a in values.flat(tf, look())]
    values.write(
        folder / "case.json",
        {"kind": "checkpoint", "what": "objects", "name": name, "path": path.rpartition("/")[2], "wanted": wanted},
    )


def run_case(folder, case):
    import graphrt as tf

    path = str(folder / case["path"])
    if case["what"] == "names":
        reader = tf.train.load_checkpoint(path)
        found = [
            (name, values.difference([np.asarray(reader.get_tensor(name))], [kept]))
            for name, kept in case["names"].items()
        ]
        return [
            *found,
            (
                "list",
                None if sorted(n for n, _ in tf.train.list_variables(path)) == sorted(case["names"]) else "other names",
            ),
        ]
    objects, _, look = CASES[case["name"]](tf)
    if case["name"].startswith("iterator_"):  # TensorFlow keeps what is inside of its iterators, which only it can read
        try:
            tf.train.Checkpoint(**objects).restore(path)
        except tf.errors.UnimplementedError as error:
            return [("refused", None if "only TensorFlow reads" in str(error) else str(error))]
        return [("refused", "it was restored")]
    tf.train.Checkpoint(**objects).restore(path).assert_existing_objects_matched()
    return [("restored", values.difference(values.flat(tf, look()), case["wanted"]))]


def training(optimizer):
    def build(tf):
        k = tf.keras
        model = k.Sequential([k.layers.Input([4]), k.layers.Dense(3, "tanh"), k.layers.Dense(1)])
        used = optimizer(k.optimizers)
        targets = np.ones((6, 1), np.float32)

        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((model(tf.constant(X)) - targets) ** 2)
            variables = model.trainable_variables
            used.apply_gradients(zip(tape.gradient(loss, variables), variables))

        def train():
            for _ in range(3):
                step()

        def look():
            step()
            return [tf.convert_to_tensor(v) for v in model.trainable_variables], tf.convert_to_tensor(used.iterations)

        used.build(model.trainable_variables)
        return {"model": model, "optimizer": used}, train, look

    return build


for name, made in {
    "sgd": lambda o: o.SGD(0.1, momentum=0.9), "adam": lambda o: o.Adam(0.01), "adamw": lambda o: o.AdamW(0.01, weight_decay=0.01), "rmsprop": lambda o: o.RMSprop(0.01, momentum=0.5, centered=True),
    "adagrad": lambda o: o.Adagrad(0.1), "adadelta": lambda o: o.Adadelta(1.0), "adamax": lambda o: o.Adamax(0.01), "nadam": lambda o: o.Nadam(0.01), "ftrl": lambda o: o.Ftrl(0.1), "lion": lambda o: o.Lion(0.01),
}.items():  # fmt: skip
    CASES[f"optimizer_{name}"] = training(made)


def masked(build):
    """A model with masks, whose checkpoint numbers the operations that make them, too."""

    def make(tf):
        model = build(tf)
        given = masked_model_cases.inputs_of(model, np.random.default_rng(3))

        def train():
            masked_model_cases.filled(model, np.random.default_rng(4))

        return {"model": model}, train, lambda: [model(given)]

    return make


for name, build in masked_model_cases.CASES.items():
    CASES[f"masked_{name}"] = masked(build)


@case
def structures(tf):
    module = tf.Module()
    module.parts = [tf.Variable(1.0), {"a": tf.Variable([2, 3]), "b": (tf.Variable("x"),)}]
    module.plain = tf.Variable(np.zeros((2, 2), np.float64))

    def train():
        module.parts[0].assign(5.0)
        module.parts[1]["a"].assign([7, 8])
        module.parts[1]["b"][0].assign("y")
        module.plain.assign_add([[1, 2], [3, 4]])

    return (
        {"module": module, "step": tf.Variable(1, dtype=tf.int64)},
        train,
        lambda: [
            module.parts[0].read_value(),
            module.parts[1]["a"].read_value(),
            module.parts[1]["b"][0].read_value(),
            module.plain.read_value(),
        ],
    )


@case
def generator(tf):
    made = tf.random.Generator.from_seed(3)
    return {"g": made}, lambda: made.normal([5]), lambda: made.normal([3])


@case
def mutable_table(tf):
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    return (
        {"t": table},
        lambda: table.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)),
        lambda: table.lookup(tf.constant(["b", "z", "a"])),
    )


def pipeline(name, build, steps=3):
    def make(tf):
        iterator = iter(build(tf))

        def train():
            for _ in range(steps):
                next(iterator)

        return {"iterator": iterator}, train, lambda: [next(iterator), next(iterator)]

    CASES[f"iterator_{name}"] = make


pipeline("range", lambda tf: tf.data.Dataset.range(20))
pipeline("slices_batch", lambda tf: tf.data.Dataset.from_tensor_slices(np.arange(20)).batch(2))
pipeline("map_filter", lambda tf: tf.data.Dataset.range(40).map(lambda x: x * 2).filter(lambda x: x % 3 == 0))
pipeline("shuffle", lambda tf: tf.data.Dataset.range(20).shuffle(5, seed=1))
pipeline("repeat_take", lambda tf: tf.data.Dataset.range(4).repeat(5).skip(1).take(12).prefetch(2))
pipeline(
    "zip_concat",
    lambda tf: tf.data.Dataset.zip(
        (tf.data.Dataset.range(10), tf.data.Dataset.range(5).concatenate(tf.data.Dataset.range(5)))
    ),
)
pipeline(
    "interleave",
    lambda tf: tf.data.Dataset.range(5).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(3), 2, 1),
)
