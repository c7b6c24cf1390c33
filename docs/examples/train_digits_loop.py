"""A network learns handwritten digits; the whole training, epochs and batches, is one traced function.

    python docs/examples/train_digits_loop.py
"""

import digits

import graphrt as tf


def main(epochs=10):
    tf.keras.utils.set_random_seed(1)
    (x_train, y_train), (x_test, y_test) = digits.load()
    dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(32)

    model = tf.keras.Sequential([
        tf.keras.layers.Dense(64, activation="relu"),
        tf.keras.layers.Dense(10),
    ])
    loss_fn = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam(0.005)
    model.build((None, 64))
    optimizer.build(model.trainable_variables)

    @tf.function
    def train(dataset, epochs):
        losses = tf.TensorArray(tf.float32, size=epochs)
        for epoch in tf.range(epochs):
            total, batches = 0.0, 0.0
            for x, y in dataset:
                with tf.GradientTape() as tape:
                    loss = loss_fn(y, model(x, training=True))
                gradients = tape.gradient(loss, model.trainable_variables)
                optimizer.apply_gradients(zip(gradients, model.trainable_variables))
                total += loss
                batches += 1.0
            losses = losses.write(epoch, total / batches)
        return losses.stack()

    losses = train(dataset, tf.constant(epochs)).numpy().tolist()
    predicted = tf.argmax(model(x_test), axis=1).numpy()
    return {"losses": losses, "accuracy": float((predicted == y_test).mean())}


if __name__ == "__main__":
    found = main()
    for epoch, loss in enumerate(found["losses"], 1):
        print(f"epoch {epoch}: loss {loss:.4f}")
    print(f"test accuracy {found['accuracy']:.3f}")
