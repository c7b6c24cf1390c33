"""An LSTM learns to add the two marked numbers of a sequence.

Each step has a number and a mark; two steps of each sequence are marked, and the target is the sum of their numbers.

    python docs/examples/train_lstm_sequence.py
"""

import numpy as np

import graphrt as tf


def sequences(count, length, seed):
    draw = np.random.RandomState(seed)
    numbers = draw.uniform(0, 1, (count, length)).astype(np.float32)
    marks = np.zeros((count, length), np.float32)
    for row in marks:
        row[draw.choice(length, 2, replace=False)] = 1
    return np.stack([numbers, marks], axis=-1), (numbers * marks).sum(axis=1, keepdims=True)


def main(epochs=12, count=2000, length=10, verbose="auto"):
    tf.keras.utils.set_random_seed(1)
    x_train, y_train = sequences(count, length, seed=1)
    x_test, y_test = sequences(400, length, seed=2)
    model = tf.keras.Sequential([
        tf.keras.layers.LSTM(16),
        tf.keras.layers.Dense(1),
    ])
    model.compile(optimizer=tf.keras.optimizers.Adam(0.01), loss="mse")
    history = model.fit(x_train, y_train, batch_size=50, epochs=epochs, verbose=verbose)
    return {"losses": history.history["loss"], "test": model.evaluate(x_test, y_test, verbose=verbose)}


if __name__ == "__main__":
    found = main()
    print(f"mean squared error {found['test']:.4f}; that of always saying 1 is about 0.167")
