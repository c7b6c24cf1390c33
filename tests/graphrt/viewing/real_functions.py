"""Six functions of the kinds that people look at: a solver, a sampler, a recurrent net, a search, a training step, plain
NumPy. `CASES` has each with arguments; `sampled` takes places of them.
"""

import ast
import random

import numpy as np

import graphrt as tf


def lorenz(state, steps):
    dt = 0.01

    def slope(s):
        x, y, z = s[0], s[1], s[2]
        return tf.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z])

    for _ in tf.range(steps):
        k1 = slope(state)
        k2 = slope(state + dt / 2.0 * k1)
        k3 = slope(state + dt / 2.0 * k2)
        k4 = slope(state + dt * k3)
        state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return state


def metropolis(start, noise, chances):
    here = start
    total = tf.zeros_like(start)
    accepted = tf.constant(0)
    for i in tf.range(tf.shape(noise)[0]):
        there = here + noise[i]
        better = tf.exp(0.5 * (here * here - there * there))
        if chances[i] < better:
            here = there
            accepted += 1
        total += here
    return total / tf.cast(tf.shape(noise)[0], tf.float32), accepted


def recurrent(xs, w, u, b):
    h = tf.zeros([tf.shape(xs)[1], tf.shape(u)[0]])
    outputs = tf.TensorArray(tf.float32, size=tf.shape(xs)[0])
    for t in tf.range(tf.shape(xs)[0]):
        gate = tf.sigmoid(tf.matmul(xs[t], w) + b)
        h = gate * tf.tanh(tf.matmul(h, u)) + (1.0 - gate) * h
        outputs = outputs.write(t, h)
    return tf.transpose(outputs.stack(), [1, 0, 2])


def beam_search(scores, width):
    best = tf.zeros([1])
    paths = tf.zeros([1, 0], tf.int32)
    for t in range(4):
        every = best[:, None] + scores[t][None, :]
        flat = tf.reshape(every, [-1])
        best, index = tf.math.top_k(flat, k=tf.minimum(width, tf.size(flat)))
        parent = index // tf.shape(scores)[1]
        word = index % tf.shape(scores)[1]
        paths = tf.concat([tf.gather(paths, parent), word[:, None]], axis=1)
    return paths, best


def training(x, y, w, b):
    with tf.GradientTape() as tape:
        tape.watch([w, b])
        guess = tf.nn.softmax(tf.matmul(x, w) + b)
        loss = -tf.reduce_mean(tf.reduce_sum(y * tf.math.log(guess + 1e-6), axis=1))
    dw, db = tape.gradient(loss, [w, b])
    size = tf.sqrt(tf.reduce_sum(dw * dw) + tf.reduce_sum(db * db))
    if size > 1.0:
        dw = dw / size
        db = db / size
    return w - 0.1 * dw, b - 0.1 * db, loss


def k_means(points, centers, steps):
    for _ in range(steps):
        distance = np.sum((points[:, None, :] - centers[None, :, :]) ** 2, axis=2)
        nearest = np.argmin(distance, axis=1)
        member = np.equal(nearest[:, None], np.arange(3)[None, :]).astype(np.float64)
        count = np.maximum(np.sum(member, axis=0), 1.0)
        centers = np.matmul(np.transpose(member), points) / count[:, None]
    return centers


MANY = 5000


def large(x, nodes=MANY):
    """So many nodes, and more."""
    for _ in range(nodes // 3):
        x = tf.sin(x) * 1.5 + x
    return x


_RANDOM = np.random.RandomState(3)
CASES = {
    "lorenz": (lorenz, (tf.constant([1.0, 1.0, 1.0]), tf.constant(20))),
    "metropolis": (metropolis, (tf.constant(0.5), tf.constant(_RANDOM.randn(30).astype(np.float32)),
                                tf.constant(_RANDOM.rand(30).astype(np.float32)))),
    "recurrent": (recurrent, tuple(tf.constant(_RANDOM.randn(*s).astype(np.float32))
                                   for s in ([6, 2, 3], [3, 4], [4, 4], [4]))),
    "beam_search": (beam_search, (tf.constant(_RANDOM.randn(4, 5).astype(np.float32)), tf.constant(3))),
    "training": (training, (tf.constant(_RANDOM.randn(8, 3).astype(np.float32)), tf.one_hot(tf.constant([0, 1] * 4), 2),
                            tf.ones([3, 2]), tf.zeros([2]))),
    "k_means": (k_means, (tf.constant(_RANDOM.rand(20, 2)), tf.constant(_RANDOM.rand(3, 2)), tf.constant(4))),
}  # fmt: skip


def sampled(story, count=30):
    """`count` places of a story, as keys of its spans, each with its text; the same ones each time."""
    text = {}
    for key, (file, first, start, last, end) in enumerate(story["spans"]):
        for block in story["blocks"]:
            if (
                block["file"] == file
                and block["first"] <= first
                and first == last < block["first"] + len(block["lines"])
            ):
                text[key] = block["lines"][first - block["first"]][start:end]
    keys = sorted(text)
    chosen = random.Random(1).sample(keys, min(count, len(keys)))
    return {key: text[key] for key in chosen}


def operation(text):
    """What an expression does last: the class of its operator, or the last word of what it calls."""
    (node,) = ast.parse(text.strip()).body
    if isinstance(node, ast.AugAssign):
        return type(node.op).__name__
    node = node.value
    if isinstance(node, ast.Call):
        return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if isinstance(node, (ast.BinOp, ast.UnaryOp)):
        return type(node.op).__name__
    return type(node.ops[0]).__name__ if isinstance(node, ast.Compare) else type(node).__name__
