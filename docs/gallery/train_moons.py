"""Training with `tf.keras`: a small net learns which of two moons a point is on."""

import numpy as np
from drawing import image, picture

import graphrt as tf


def moons(n=200):
    random = np.random.RandomState(0)
    t = np.pi * random.rand(n)
    kind = (np.arange(n) % 2).astype(np.int32)
    x = np.where(kind == 0, np.cos(t), 1 - np.cos(t))
    y = np.where(kind == 0, np.sin(t), 0.5 - np.sin(t))
    return (np.stack([x, y], 1) + 0.1 * random.randn(n, 2)).astype(np.float32), kind


def model():
    tf.keras.utils.set_random_seed(1)
    hidden = [tf.keras.layers.Dense(24, activation="tanh") for _ in range(2)]
    net = tf.keras.Sequential([*hidden, tf.keras.layers.Dense(2)])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    net.compile(optimizer=tf.keras.optimizers.Adam(0.02), loss=loss, metrics=["accuracy"])
    return net


NET = model()
SHOWN = tf.function(lambda x: tf.nn.softmax(NET(x))), (tf.constant(moons()[0]),)


def main():
    x, y = moons()
    NET.fit(x, y, epochs=25, batch_size=50, verbose=0)
    assert NET.evaluate(x, y, verbose=0)[1] > 0.95
    a, b = np.meshgrid(np.linspace(-1.5, 2.5, 60), np.linspace(1.5, -1.0, 40))
    chance = SHOWN[0](tf.constant(np.stack([a.ravel(), b.ravel()], 1), tf.float32)).numpy()[:, 1]
    return picture(image(chance.reshape(a.shape)))
