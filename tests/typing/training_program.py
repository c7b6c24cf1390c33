"""A program as people write them with TensorFlow: what type checkers say of it, and that it runs, is tested."""

from __future__ import annotations

import pathlib
import tempfile
from typing import Any

import numpy as np

import graphrt as tf


class Affine(tf.Module):
    def __init__(self, n_in: int, n_out: int, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w = tf.Variable(tf.random.normal([n_in, n_out]), name="w")
        self.b = tf.Variable(tf.zeros([n_out]), name="b")

    @tf.function
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(tf.matmul(x, self.w) + self.b)


class Classifier(tf.keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = tf.keras.layers.Dense(16, activation="relu", kernel_regularizer=tf.keras.regularizers.L2(1e-4))
        self.drop = tf.keras.layers.Dropout(0.2, seed=1)
        self.out = tf.keras.layers.Dense(3)

    def call(self, x: tf.Tensor, training: bool = False) -> tf.Tensor:
        return self.out(self.drop(self.hidden(x), training=training))


class Stop(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        if logs is not None and logs["loss"] < 0:
            self.model.stop_training = True


def data(folder: pathlib.Path) -> tf.data.Dataset:
    x = np.linspace(0, 1, 64 * 4, dtype="float32").reshape(64, 4)
    y = np.arange(64) % 3
    (folder / "lines.txt").write_text("a\nb\n")
    lines = tf.data.TextLineDataset([folder / "lines.txt"])
    assert list(lines.as_numpy_iterator()) == [b"a", b"b"]
    assert len(list(tf.data.Dataset.list_files([str(folder / "*.txt")]))) == 1

    def rows() -> Any:
        yield np.float32(1), {"y": np.int64(2)}

    spec = (tf.TensorSpec([], "float32"), {"y": tf.TensorSpec([], tf.int64)})
    assert len(list(tf.data.Dataset.from_generator(rows, output_signature=spec))) == 1
    padded = tf.data.Dataset.range(1, 4).map(lambda n: tf.range(n)).padded_batch(3, padded_shapes=[None])
    assert next(iter(padded)).shape == (3, 3)
    return tf.data.Dataset.from_tensor_slices((x, y)).shuffle(64, seed=1).batch(16).prefetch(tf.data.AUTOTUNE)


def own_loop(model: Classifier, batches: tf.data.Dataset) -> float:
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    rate = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)
    optimizer = tf.keras.optimizers.SGD(rate, momentum=0.9)
    accuracy = tf.keras.metrics.SparseCategoricalAccuracy()

    @tf.function
    def step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            logits = model(x, training=True)
            loss = loss_of(y, logits) + tf.add_n(model.losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        accuracy.update_state(y, logits)
        return loss

    loss = tf.constant(0.0)
    for x, y in batches:
        loss = step(x, y)
    return float(loss)


def fitted(model: Classifier, batches: tf.data.Dataset, folder: pathlib.Path) -> None:
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss, metrics=["accuracy"], jit_compile=False)
    saves = tf.keras.callbacks.ModelCheckpoint(folder / "best.weights.h5", save_best_only=True, save_weights_only=True)
    history = model.fit(batches, epochs=1, verbose=0, callbacks=[Stop()])
    assert sorted(history.history) == ["accuracy", "loss"] and saves.monitor == "val_loss"


def layers() -> None:
    image = tf.keras.Input((8, 8, 1))
    x = tf.keras.layers.Conv2D(4, 3, activation="relu")(image)
    x = tf.keras.layers.MaxPooling2D([2, 2])(x)
    logits = tf.keras.layers.Dense(2)(tf.keras.layers.Flatten()(x))
    model = tf.keras.Model(image, logits)
    model.compile(loss={"dense": "mse"} if model.layers[-1].name == "dense" else "mse")
    assert model(np.zeros((2, 8, 8, 1), "float32")).shape == (2, 2)
    both = tf.keras.layers.Bidirectional(tf.keras.layers.GRU(2))
    assert both(tf.ones((1, 2, 3))).shape == (1, 4)
    attention = tf.keras.layers.MultiHeadAttention(2, 3, output_shape=4)
    assert attention(tf.ones((1, 2, 5)), tf.ones((1, 2, 5))).shape == (1, 2, 4)
    seeds = tf.keras.random.SeedGenerator(3)
    assert tf.keras.random.randint((2,), 0, 5, seed=seeds).shape == (2,)
    assert tf.keras.initializers.GlorotUniform(seed=seeds)((2, 3)).shape == (2, 3)


def tensors() -> None:
    t = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert t[..., tf.newaxis].shape == (2, 2, 1) and t[t > 2].shape == (2,)
    assert bool(tf.reduce_all(t @ tf.linalg.inv(t) - tf.eye(2) < 1e-5))
    assert tf.bitcast(1.0, "int32").dtype == tf.int32 and tf.unique([1, 1], out_idx="int64").idx.dtype == tf.int64
    assert tf.broadcast_static_shape([2, 1], [3]) == (2, 3)
    assert tf.strings.regex_replace("abc", tf.constant("b"), "x").numpy() == b"axc"
    queue = tf.queue.FIFOQueue(3, ["int32", "float32"])
    queue.enqueue((1, 2.0))
    assert int(queue.dequeue()[0]) == 1
    operator = tf.linalg.LinearOperatorBlockDiag(
        (tf.linalg.LinearOperatorIdentity(1), tf.linalg.LinearOperatorDiag([2.0]))
    )
    assert operator.shape == (2, 2)
    values = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in range(3):
        values = values.write(i, float(i) ** 2)
    assert values.stack().shape == (3,)
    nested = tf.nest.map_structure(lambda q: q + 1, {"a": tf.constant(1), "b": [tf.constant(2)]})
    assert int(nested["b"][0]) == 3


def table(folder: pathlib.Path) -> None:
    index = tf.lookup.TextFileIndex
    words = tf.lookup.TextFileInitializer(
        folder / "lines.txt", tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    )
    assert int(tf.lookup.StaticHashTable(words, -1).lookup(tf.constant("b"))) == 1


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        batches = data(folder)
        assert Affine(4, 2)(tf.ones([1, 4])).shape == (1, 2)
        model = Classifier()
        assert own_loop(model, batches) > 0
        fitted(model, batches, folder)
        layers()
        tensors()
        table(folder)


if __name__ == "__main__":
    main()
