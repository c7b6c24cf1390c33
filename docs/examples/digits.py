"""The handwritten digits of scikit-learn: 1797 images of 8 by 8, split into a part to train on and one to test on."""

import os
import pathlib

import numpy as np


def load(test_share=0.2, seed=0):
    """`(x_train, y_train), (x_test, y_test)`: rows of 64 numbers up to 1, and the digits."""
    path = os.environ.get("DIGITS")
    if path and pathlib.Path(path).exists():  # the same data as a NumPy archive
        with np.load(path) as archive:
            data, target = archive["data"], archive["target"]
    else:
        from sklearn.datasets import load_digits

        digits = load_digits()
        data, target = digits.data, digits.target
    order = np.random.RandomState(seed).permutation(len(data))
    x, y = (data[order] / 16.0).astype(np.float32), target[order].astype(np.int64)
    n = int(len(x) * (1 - test_share))
    return (x[:n], y[:n]), (x[n:], y[n:])
