"""Checked by mypy (and pyright, where it is installed) as a user's program is: no false errors, true ones on typos."""

from typing import Any

import graphrt as tf


# --- tensors ---------------------------------------------------------------------------------------------------------
def statistics(x: tf.Tensor) -> dict[str, tf.Tensor]:
    mean = tf.reduce_mean(x, axis=0)
    centred = x - mean
    variance = tf.reduce_sum(centred * centred, axis=0) / tf.cast(tf.shape(x)[0], tf.float32)
    return {"mean": mean, "variance": variance, "deviation": tf.sqrt(variance)}


def shapes(x: tf.Tensor) -> list[int | None]:
    wide = tf.concat([x, tf.zeros_like(x)], axis=1)
    flat = tf.reshape(wide, [-1])
    parts = tf.split(flat, 2)
    stacked = tf.stack(parts)
    picked = tf.gather(stacked, [1, 0])
    padded = tf.pad(picked, [[0, 1], [0, 0]])
    return padded.shape.as_list()


def comparisons(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
    larger = tf.where(x > y, x, y)
    same = tf.equal(x, larger)
    both = tf.logical_and(same, tf.math.is_finite(x))
    return tf.reduce_any(both | (x < 0.0))


def algebra(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    product = tf.matmul(a, b, transpose_b=True)
    inverse = tf.linalg.inv(product)
    weights = tf.nn.softmax(inverse, axis=-1)
    return tf.einsum("ij,jk->ik", weights, product) @ tf.eye(2)


def words(text: tf.Tensor) -> tf.Tensor:
    lower = tf.strings.lower(text)
    parts = tf.strings.split(lower)
    return tf.strings.join([lower, lower], separator="-") if parts is not None else lower


# --- functions, gradients, variables ---------------------------------------------------------------------------------
class Line(tf.Module):
    def __init__(self, size: int) -> None:
        super().__init__(name="line")
        self.w = tf.Variable(tf.random.normal([size, 1]), name="w")
        self.b = tf.Variable(0.0)

    @tf.function
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return x @ self.w + self.b


@tf.function
def power(x: tf.Tensor, n: int) -> tf.Tensor:
    result = tf.ones_like(x)
    for _ in range(n):
        result *= x
    return result


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def longest(x: tf.Tensor) -> tf.Tensor:
    best = tf.constant(0.0)
    for value in x:
        if value > best:
            best = value
    return best


def train(line: Line, x: tf.Tensor, y: tf.Tensor, steps: int = 10) -> float:
    optimizer = tf.keras.optimizers.SGD(learning_rate=0.1)
    loss: Any = None
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(line(x) - y))
        variables = line.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables))
    return float(loss)


def loops(limit: tf.Tensor) -> Any:
    return tf.while_loop(lambda i: i < limit, lambda i: [i + 1], [tf.constant(0)])


# --- data, models, files ---------------------------------------------------------------------------------------------
def batches(size: int) -> tf.data.Dataset:
    dataset = tf.data.Dataset.range(100).map(lambda v: v * 2)
    dataset = dataset.filter(lambda v: v % 3 == 0).shuffle(10, seed=1).batch(size)
    return dataset.prefetch(tf.data.AUTOTUNE)


def model() -> Any:
    inputs = tf.keras.Input((4,))
    hidden = tf.keras.layers.Dense(8, activation="relu")(inputs)
    outputs = tf.keras.layers.Dense(1)(hidden)
    built = tf.keras.Model(inputs, outputs)
    built.compile(optimizer=tf.keras.optimizers.Adam(1e-3), loss="mse", metrics=["mae"])
    return built


def ragged() -> tf.Tensor:
    rows = tf.ragged.constant([[1, 2], [3]])
    sparse = tf.sparse.from_dense([[1, 0], [0, 2]])
    return rows.to_tensor() + tf.sparse.to_dense(sparse)


def errors(x: tf.Tensor) -> tf.Tensor:
    try:
        tf.debugging.assert_positive(x)
    except tf.errors.InvalidArgumentError as error:
        print(error.message)
    return tf.clip_by_value(x, 0.0, 1.0)


def specs() -> list[tf.TensorSpec]:
    spec = tf.TensorSpec([None, 3], tf.float32, name="x")
    shape = tf.TensorShape([None, 3])
    dtype = tf.as_dtype("float32")
    assert shape.rank == 2 and dtype.is_floating
    return [spec, tf.TensorSpec.from_tensor(tf.zeros([2, 3]))]


def raw() -> Any:
    numbers = tf.experimental.numpy.arange(3)
    return tf.raw_ops.AddV2(x=numbers, y=numbers)


# --- typos -----------------------------------------------------------------------------------------------------------
tf.reduce_maen([1.0])  # type: ignore[attr-defined]  # pyright: ignore
tf.constnat(1)  # type: ignore[attr-defined]  # pyright: ignore
tf.nn.sofmax([1.0])  # type: ignore[attr-defined]  # pyright: ignore
tf.reduce_sum([1.0], axes=0)  # type: ignore[call-arg]  # pyright: ignore
tf.reshape([1.0])  # type: ignore[call-arg]  # pyright: ignore
tf.concat(1)  # type: ignore[call-arg]  # pyright: ignore
tf.TensorSpec([2], tf.flaot32)  # type: ignore[attr-defined]  # pyright: ignore
tf.Variable(1.0).asign(2.0)  # type: ignore[attr-defined]  # pyright: ignore
tf.linalg.inverse(tf.eye(2))  # type: ignore[attr-defined]  # pyright: ignore
