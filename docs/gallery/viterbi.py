"""The likeliest hidden states behind what was seen: forth with a maximum, and back through the choices."""

import numpy as np
from drawing import curve, picture, points

import graphrt as tf


@tf.function
def decode(start, move, show, seen):
    length = tf.shape(seen)[0]
    choices = tf.TensorArray(tf.int32, size=length, element_shape=[2])
    level = start + show[:, seen[0]]
    for t in tf.range(1, length):
        every = level[:, None] + move
        choices = choices.write(t, tf.argmax(every, axis=0, output_type=tf.int32))
        level = tf.reduce_max(every, axis=0) + show[:, seen[t]]
    state = tf.argmax(level, output_type=tf.int32)
    path = tf.TensorArray(tf.int32, size=length, element_shape=[])
    path = path.write(length - 1, state)
    for t in tf.range(length - 1, 0, -1):
        state = choices.read(t)[state]
        path = path.write(t - 1, state)
    return path.stack()


def weather():
    random = np.random.RandomState(4)
    hidden = np.repeat([0, 1, 0, 1, 0], [20, 15, 25, 20, 20])
    seen = (random.rand(100) < np.where(hidden == 1, 0.8, 0.2)).astype(np.int32)
    return hidden, seen


def model():
    chances = [0.5, 0.5], [[0.95, 0.05], [0.05, 0.95]], [[0.8, 0.2], [0.2, 0.8]]
    return [tf.constant(np.log(m), tf.float32) for m in chances]


SHOWN = decode, (*model(), tf.constant(weather()[1]))


def main():
    hidden, seen = weather()
    found = decode(*SHOWN[1]).numpy()
    assert (found == hidden).mean() > 0.9
    bounds = 0, 100, -0.2, 1.2
    return picture(curve(hidden, bounds=bounds, width=5, colour=5), curve(found, bounds=bounds, colour=1),
                   points(np.arange(100), seen, bounds=bounds))  # fmt: skip
