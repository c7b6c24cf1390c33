"""Plain NumPy: points find their centres."""

import numpy as np
from drawing import picture, points

import graphrt as tf


def k_means(places, centres, steps):
    nearest = np.argmin(places[:, :1], axis=1)
    for _ in range(steps):
        distance = np.sum((places[:, None, :] - centres[None, :, :]) ** 2, axis=2)
        nearest = np.argmin(distance, axis=1)
        member = np.equal(nearest[:, None], np.arange(3)[None, :]).astype(np.float64)
        count = np.maximum(np.sum(member, axis=0), 1.0)
        centres = np.matmul(np.transpose(member), places) / count[:, None]
    return centres, nearest


def cloud():
    random = np.random.RandomState(1)
    return np.concatenate([random.randn(60, 2) * 0.4 + c for c in ([0, 0], [3, 1], [1.5, 3])])


SHOWN = tf.function(k_means), (tf.constant(cloud()), tf.constant(cloud()[[0, 70, 130]]), tf.constant(10))


def main():
    centres, nearest = SHOWN[0](*SHOWN[1])
    np.testing.assert_allclose(centres, k_means(cloud(), cloud()[[0, 70, 130]], 10)[0])
    places = cloud()
    return picture(points(places[:, 0], places[:, 1], nearest.numpy(), bounds=(-1.5, 4.5, -1.5, 4.5)))
