"""Logistic regression by L-BFGS: Newton-like steps from the last few changes of the gradient.

The method is three `while` loops in one traced function: the steps, the recursion over the memory, the line search.

    python docs/examples/train_lbfgs.py
"""

import numpy as np

import graphrt as tf


def data(count=400, features=6, seed=0):
    draw = np.random.RandomState(seed)
    x = draw.normal(size=(count, features))
    w = draw.normal(size=features)
    y = (x @ w + 0.5 * draw.normal(size=count) > 0.3).astype(np.float64)
    return np.concatenate([x, np.ones((count, 1))], axis=1), y


@tf.function
def lbfgs(x, y, penalty, memory=5, tolerance=1e-8, most=100):
    def value_and_gradient(w):
        with tf.GradientTape() as tape:
            tape.watch(w)
            logits = tf.linalg.matvec(x, w)
            entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits)
            value = tf.reduce_mean(entropy) + 0.5 * penalty * tf.reduce_sum(w * w)
        return value, tape.gradient(value, w)

    size = x.shape[1]
    w = tf.zeros([size], tf.float64)
    value, gradient = value_and_gradient(w)
    moves = tf.zeros([memory, size], tf.float64)  # the newest last
    changes = tf.zeros([memory, size], tf.float64)
    kept = tf.constant(0)
    steps = tf.constant(0)
    while steps < most and tf.reduce_max(tf.abs(gradient)) > tolerance:
        direction = gradient
        shares = tf.zeros([memory], tf.float64)
        i = memory - 1
        while i >= memory - kept:
            share = tf.reduce_sum(moves[i] * direction) / tf.reduce_sum(moves[i] * changes[i])
            direction -= share * changes[i]
            shares = tf.tensor_scatter_nd_update(shares, [[i]], [share])
            i -= 1
        if kept > 0:
            direction *= tf.reduce_sum(moves[-1] * changes[-1]) / tf.reduce_sum(changes[-1] * changes[-1])
        i = memory - kept
        while i < memory:
            back = tf.reduce_sum(changes[i] * direction) / tf.reduce_sum(moves[i] * changes[i])
            direction += moves[i] * (shares[i] - back)
            i += 1
        direction = -direction

        slope = tf.reduce_sum(gradient * direction)
        length = tf.constant(1.0, tf.float64)
        new_value, new_gradient = value_and_gradient(w + length * direction)
        while new_value > value + 1e-4 * length * slope and length > 1e-10:
            length *= 0.5
            new_value, new_gradient = value_and_gradient(w + length * direction)

        move, change = length * direction, new_gradient - gradient
        if tf.reduce_sum(move * change) > 1e-12:
            moves = tf.concat([moves[1:], move[tf.newaxis]], axis=0)
            changes = tf.concat([changes[1:], change[tf.newaxis]], axis=0)
            kept = tf.minimum(kept + 1, memory)
        w, value, gradient = w + move, new_value, new_gradient
        steps += 1
    return w, value, gradient, steps


def main():
    x, y = data()
    w, value, gradient, steps = lbfgs(tf.constant(x), tf.constant(y), tf.constant(0.01, tf.float64))
    right = float(np.mean((x @ w.numpy() > 0) == (y > 0.5)))
    return {
        "w": w.numpy().tolist(), "value": float(value), "steps": int(steps), "accuracy": right,
        "gradient": float(tf.reduce_max(tf.abs(gradient))),
    }  # fmt: skip


if __name__ == "__main__":
    found = main()
    print(f"{found['steps']} steps to a loss of {found['value']:.6f}; {found['accuracy']:.1%} are told right")
