"""The gradient of a loop of unknown length: a ball is aimed until it lands where it should."""

from drawing import curve, picture

import graphrt as tf


@tf.function
def flight(speed):
    place, path = tf.zeros([2]), tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[2])
    n = tf.constant(0)
    while n == 0 or place[1] > 0.0:
        path = path.write(n, place)
        place = place + 0.05 * speed
        speed = speed - 0.05 * (tf.constant([0.0, 9.81]) + 0.05 * speed * tf.norm(speed))
        n += 1
    return place[0], path.stack()


@tf.function
def better(speed, target):
    with tf.GradientTape() as tape:
        tape.watch(speed)
        landed, _ = flight(speed)
        miss = (landed - target) ** 2
    slope = tape.gradient(miss, speed)
    return speed - 0.01 * tf.clip_by_norm(slope, 40.0), miss


SHOWN = better, (tf.constant([4.0, 9.0]), tf.constant(9.0))


def main():
    speed, paths = SHOWN[1][0], []
    for turn in range(81):
        if turn % 20 == 0:
            paths.append(flight(speed)[1].numpy())
        speed, miss = better(speed, SHOWN[1][1])
    assert float(miss) < 0.3
    bounds = 0, 11, 0, 4
    return picture(*(curve(p[:, 1], p[:, 0], colour=i, bounds=bounds) for i, p in enumerate(paths)))
