"""Checked by mypy (and pyright, where it is installed): what TensorFlow's guides use most is known to editors.

Nothing here is run.
"""

from typing import Any, assert_type

import graphrt as tf

# --- tensors ---------------------------------------------------------------------------------------------------------
image = tf.zeros([3, 2, 4, 5])
assert_type(image, tf.Tensor)
assert_type(tf.reduce_max(image, axis=0), tf.Tensor)
assert_type(tf.reduce_sum(image), tf.Tensor)
assert_type(tf.nn.softmax(tf.nn.relu(image)), tf.Tensor)
assert_type(tf.reshape(tf.transpose(image, perm=[0, 1, 3, 2]), [-1]), tf.Tensor)
assert_type(tf.cast(tf.range(3), dtype=tf.uint8), tf.Tensor)
assert_type(tf.broadcast_to(tf.ones([]), [3, 3]), tf.Tensor)
assert_type(tf.concat([image, tf.ones_like(image)], axis=0), tf.Tensor)
assert_type(tf.stack(tf.unstack(tf.expand_dims(image, 0))), tf.Tensor)
assert_type(tf.gather(tf.one_hot([0, 1], 2), [0]), tf.Tensor)
assert_type(tf.matmul(tf.eye(2), tf.linalg.eigh(tf.eye(2))[1]), tf.Tensor)
assert_type(tf.shape(image)[0] + tf.rank(image) + tf.size(image), tf.Tensor)
assert_type(tf.meshgrid([1, 2], [3, 4]), list[tf.Tensor])
assert_type(image.dtype, tf.DType)
assert_type(image[..., 0], tf.Tensor)
assert_type(image == 0.0, tf.Tensor)
assert_type(1.0 - image, tf.Tensor)
assert_type(tf.where(image > 0, image, 0.0), tf.Tensor)
assert_type(tf.split(image, 2), list[tf.Tensor])
assert_type(tf.nn.moments(image, [0]), tuple[tf.Tensor, tf.Tensor])
assert_type(tf.math.top_k(image, 2).indices, tf.Tensor)
assert_type(tf.nn.max_pool_with_argmax(image, 2, 2, "SAME").argmax, tf.Tensor)
assert_type(tf.linalg.svd(image), tuple[tf.Tensor, tf.Tensor, tf.Tensor])
assert_type(tf.linalg.svd(image, compute_uv=False), tf.Tensor)
assert_type(tf.signal.fft(image), tf.Tensor)
assert_type(tf.experimental.numpy.sum(image, axis=0), tf.Tensor)
assert_type(tf.experimental.numpy.split(image, 2), list[tf.Tensor])
assert_type(tf.image.resize(image, [2, 2]), tf.Tensor)
assert_type(tf.RaggedTensor.from_row_lengths([1, 2, 3], [1, 2]).row_lengths(), tf.Tensor | Any)
assert_type(tf.sparse.from_dense(image).values, tf.Tensor)

# --- variables and gradients -----------------------------------------------------------------------------------------
weight = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="weight", trainable=False)
assert_type(weight, tf.Variable)
assert_type(weight.shape, tf.TensorShape)
assert_type(weight @ weight + 1.0, tf.Tensor)
assert_type(weight[0], tf.Tensor)
tf.Variable(1.0, nmae="weight")  # type: ignore[call-arg]  # pyright: ignore
with tf.GradientTape(persistent=True) as tape:
    loss = tf.reduce_mean(weight**2)
tape.jacobian(loss, weight)
tape.jacobian(loss, [weight])
tape.jacobian(loss, {"weight": weight})
assert_type(tape.gradient(loss, weight), tf.Tensor | Any)  # rows of a table; None where nothing leads to it
assert_type(tape.gradient(loss, [weight]), list[tf.Tensor | Any])
assert_type(tape.gradient(loss, {"weight": weight}), dict[str, tf.Tensor | Any])
assert_type(weight.assign_sub(weight), tf.Variable)
assert_type(weight.value(), tf.Tensor)


# --- functions -------------------------------------------------------------------------------------------------------
@tf.function
def add(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return a + b


@tf.function(input_signature=(tf.TensorSpec([None], tf.int32),), jit_compile=True)
def declared(x: tf.Tensor) -> tf.Tensor:
    return x


assert_type(add(image, image), tf.Tensor)
assert_type(declared(image), tf.Tensor)
add(image)  # type: ignore[call-arg]  # pyright: ignore
kept: tf.Function = add
tf.function(jit_compiled=True)  # type: ignore[call-overload]  # pyright: ignore
concrete = add.get_concrete_function(tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.string))
assert_type(concrete, tf.ConcreteFunction)
assert_type(tf.autograph.to_code(add.python_function), str)


class Scaled(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = tf.Variable(2.0)

    @tf.function
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return x * self.scale

    @tf.function(jit_compile=True)
    def both(self, x: tf.Tensor, n: int = 2) -> tuple[tf.Tensor, int]:
        return x * self.scale, n


assert_type(Scaled()(image), tf.Tensor)
assert_type(Scaled().both(image, n=3), tuple[tf.Tensor, int])

# --- data and models -------------------------------------------------------------------------------------------------
dataset = tf.data.Dataset.from_tensor_slices([8, 3, 0])
assert_type(dataset.map(lambda v: v * 2).batch(2).prefetch(tf.data.AUTOTUNE), tf.data.Dataset)
assert_type(next(iter(dataset.shuffle(3).batch(2))), tf.Tensor)
for features, label in tf.data.Dataset.from_tensor_slices((image, [1, 0, 1])).shuffle(3).batch(2):
    assert_type(features, tf.Tensor)
for row in tf.data.Dataset.from_tensor_slices({"image": image}).take(1):
    assert_type(row, dict[str, tf.Tensor])
model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
assert_type(model.layers, list[tf.keras.layers.Layer])
assert_type(tf.keras.layers.Dense(2)(image), tf.Tensor)
assert_type(tf.keras.layers.Dropout(0.5)(tf.keras.layers.Flatten()(image), training=True), tf.Tensor)


class Twice(tf.keras.layers.Layer):
    def call(self, inputs: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return inputs, inputs


assert_type(Twice()(image), tuple[tf.Tensor, tf.Tensor])
assert_type(model.trainable_variables, list[tf.keras.Variable])
model.layers[0].trainable_weights[0].assign([[1.0]])
assert_type(model.get_layer(index=0).name, str)
tf.keras.optimizers.SGD(0.1).iterations.assign_add(1)
