"""Learning to learn (MAML): weights from which one gradient step on a few points fits a new sine wave.

The loss after the step is differentiated with respect to the weights before it: one tape inside another.

    python docs/examples/train_maml.py
"""

import numpy as np

import graphrt as tf


def tasks(draw, count, points=10):
    """Points of sine waves of several heights and phases: some to adapt to, others to be judged by."""
    height = draw.uniform(0.5, 2.0, (count, 1, 1))
    phase = draw.uniform(0.0, np.pi, (count, 1, 1))
    x = draw.uniform(-3, 3, (count, 2 * points, 1))
    y = height * np.sin(x + phase)
    x, y = x.astype(np.float32), y.astype(np.float32)
    return x[:, :points], y[:, :points], x[:, points:], y[:, points:]


def forward(weights, x):
    w1, b1, w2, b2, w3, b3 = weights
    h = tf.nn.relu(x @ w1 + b1)
    h = tf.nn.relu(h @ w2 + b2)
    return h @ w3 + b3


def error(weights, x, y):
    return tf.reduce_mean(tf.square(forward(weights, x) - y))


def adapted(weights, x, y, rate=0.05):
    """The weights after one step of gradient descent on a task; differentiable."""
    with tf.GradientTape() as tape:
        tape.watch(weights)
        loss = error(weights, x, y)
    return [w - rate * g for w, g in zip(weights, tape.gradient(loss, weights))]


def main(steps=300, batch=8, width=32):
    draw = np.random.RandomState(0)
    sizes = [(1, width), (width, width), (width, 1)]
    variables = []
    for rows, columns in sizes:
        start = draw.normal(0, np.sqrt(1.0 / (rows + 1)), (rows, columns)).astype(np.float32)
        variables += [tf.Variable(start), tf.Variable(np.zeros(columns, np.float32))]
    optimizer = tf.keras.optimizers.Adam(0.003)
    optimizer.build(variables)

    def loss_of(weights, task):
        x, y, x_test, y_test = task
        return error(adapted(weights, x, y), x_test, y_test)

    @tf.function
    def meta_step(x, y, x_test, y_test):
        with tf.GradientTape() as tape:
            weights = [tf.convert_to_tensor(v) for v in variables]
            total = 0.0
            for i in range(batch):
                total += loss_of(weights, (x[i], y[i], x_test[i], y_test[i]))
            loss = total / batch
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return loss

    losses = [float(meta_step(*tasks(draw, batch))) for _ in range(steps)]
    new = [t[0] for t in tasks(np.random.RandomState(9), 1)]
    weights = [tf.convert_to_tensor(v) for v in variables]
    before = float(error(weights, new[2], new[3]))
    after = float(loss_of(weights, new))
    return {"losses": losses, "before": before, "after": after}


if __name__ == "__main__":
    found = main()
    print(f"error on new waves: first {np.mean(found['losses'][:20]):.3f}, at the end {np.mean(found['losses'][-20:]):.3f}")
    print(f"on one wave: {found['before']:.3f} before a step, {found['after']:.3f} after it")
