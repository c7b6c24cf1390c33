"""Plain NumPy on a torus: Conway's game of life, where a glider comes back after a while."""

import numpy as np
from drawing import image, picture

import graphrt as tf


def live(board, turns):
    seen = board.astype(np.float64)
    for _ in range(turns):
        around = 0
        for i in (-1, 0, 1):
            for j in (-1, 0, 1):
                if i or j:
                    around = around + np.roll(np.roll(board, i, axis=0), j, axis=1)
        board = ((around == 3) | ((around == 2) & (board == 1))).astype(np.int32)
        seen = seen * 0.97 + board.astype(np.float64)
    return board, seen


def glider():
    board = np.zeros([40, 60], np.int32)
    board[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
    board[20:23, 30:33] = [[0, 1, 1], [1, 1, 0], [0, 1, 0]]
    return board


SHOWN = tf.function(live), (tf.constant(glider()), tf.constant(90))


def main():
    board, seen = SHOWN[0](*SHOWN[1])
    np.testing.assert_array_equal(board, live(glider(), 90)[0])
    return picture(image(np.minimum(seen.numpy(), 4)))
