"""Memory and time of the gradient of a loop by its number of iterations, with and without `checkpoint`.

    python -m tests.benchmarks.gradient_memory

Memory is what NumPy and Python allocate at most during the call, in units of the loop's variable (1,000 float64), and
what is left after it.
"""

from __future__ import annotations

import time
import tracemalloc

import numpy as np

import graphrt as tf

SIZE = 1000
UNIT = SIZE * 8


def gradient(checkpoint: bool):
    """A function that takes the gradient of a loop of so many iterations."""

    @tf.function
    def loop(x, w, n):
        for _ in tf.range(n):
            tf.autograph.experimental.set_loop_options(checkpoint=checkpoint)
            x = tf.sin(x) * w
        return tf.reduce_sum(x)

    x, w = tf.constant(np.linspace(0.1, 1.0, SIZE)), tf.constant(np.linspace(0.9, 1.1, SIZE))

    def compute(n):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            y = loop(x, w, n)
        return tape.gradient(y, [x, w])

    return compute


def main() -> None:
    """Prints the table of docs/gradients.md."""
    print("| iterations | all kept: peak | left | seconds | checkpoints: peak | left | seconds |")
    print("|---|---|---|---|---|---|---|")
    for n in (100, 400, 1600, 2500, 10_000):
        row = [f"{n:,}"]
        for checkpoint in (False, True):
            compute = gradient(checkpoint)
            count = tf.constant(n)
            compute(tf.constant(3))
            start = time.perf_counter()
            compute(count)
            seconds = time.perf_counter() - start
            tracemalloc.start()
            before = tracemalloc.get_traced_memory()[0]
            compute(count)
            left, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            row += [f"{peak / UNIT:,.0f}", f"{max(0, left - before) / UNIT:.0f}", f"{seconds:.3f}"]
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
