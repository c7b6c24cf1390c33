"""A network learns handwritten digits with `fit`, which shows its progress.

    python docs/examples/train_digits_fit.py
"""

import digits

import graphrt as tf


def main(epochs=10, verbose="auto"):
    tf.keras.utils.set_random_seed(1)
    (x_train, y_train), (x_test, y_test) = digits.load()

    model = tf.keras.Sequential([
        tf.keras.layers.Dense(64, activation="relu"),
        tf.keras.layers.Dropout(0.1),
        tf.keras.layers.Dense(10),
    ])
    model.compile(
        optimizer=tf.keras.optimizers.Adam(0.005),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    history = model.fit(x_train, y_train, batch_size=32, epochs=epochs, validation_split=0.1, verbose=verbose)
    loss, accuracy = model.evaluate(x_test, y_test, verbose=verbose)
    return {"history": history.history, "loss": loss, "accuracy": accuracy}


if __name__ == "__main__":
    main()
