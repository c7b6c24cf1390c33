"""Where it began: a `while` and an `if` in Python, a loop and a branch in the graph."""

from drawing import bars, picture

import graphrt as tf


@tf.function
def collatz(n):
    steps = tf.constant(0)
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


SHOWN = collatz, (tf.constant(27),)


def main():
    assert int(collatz(*SHOWN[1])) == 111
    return picture(bars([int(collatz(tf.constant(n))) for n in range(1, 100)]))
