"""Interrupts the imports of everything, as Ctrl-C does, and repeats them: `python -m tests.interrupted_imports COUNT [SEED]`.

The imports run once, traced. At each of COUNT sampled lines and calls of our own modules the process forks; the child
raises KeyboardInterrupt there, imports again, and runs functions, gradients, a dataset and a layer. What is not ours
(NumPy, say, which cannot be imported twice) is imported before.
"""

import collections.abc
import json
import os
import random
import sys
import traceback

from tests import ROOT

EVENTS = 190_000  # about as many lines and calls there are
OURS = tuple(f"{ROOT / package}{os.sep}" for package in ("graphrt", "autograph"))

import gast  # noqa: E402, F401
import google.protobuf.text_format  # noqa: E402, F401
import numpy as np  # noqa: E402


def import_everything():
    import graphrt as tf
    from graphrt.ir.op import declare_all

    declare_all()
    for name in dir(tf):
        getattr(tf, name)
    for name in dir(tf.keras):
        getattr(tf.keras, name)


def check():
    """What works after an import."""
    import_everything()
    import autograph
    import graphrt as tf

    @tf.function
    def summed(x, n):
        total = tf.constant(0.0)
        for _ in tf.range(n):
            if total > 3.0:
                total = total + tf.reduce_sum(x) * 2.0
            else:
                total += tf.nn.relu(x[0]) + tf.reduce_sum(x)
        return total

    assert summed(tf.constant([1.0, 2.0]), tf.constant(3)).numpy() == 16.0
    assert "if_stmt" in autograph.to_code(summed.python_function)
    v = tf.Variable(2.0)

    @tf.function
    def gradient():
        with tf.GradientTape() as tape:
            y = v * v * 3.0
        return tape.gradient(y, v)

    assert gradient().numpy() == 12.0
    assert [int(x) for x in tf.data.Dataset.range(3).map(lambda x: x + 1)] == [1, 2, 3]
    layer = tf.keras.layers.Dense(2)
    assert layer(tf.ones([1, 3])).shape == (1, 2)
    assert tf.keras.layers.deserialize(tf.keras.layers.serialize(layer)).units == 2
    assert np.tanh(tf.constant(0.0)).numpy() == 0.0


class Trial:
    """One traced import. In a child, `pipe` is where it tells what came of its interrupt, and `place` where that was."""

    def __init__(self, wanted: collections.abc.Set = frozenset()):
        self.wanted = wanted
        self.events = 0
        self.pipe = None
        self.place = ""
        self.told = []

    def trace(self, frame, event, argument):
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        self.events += 1
        if self.events in self.wanted and self.pipe is None:
            self.fork(frame, event)
        return self.trace

    def fork(self, frame, event):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            self.pipe = write
            self.place = f"{frame.f_code.co_filename}:{frame.f_lineno} ({event} {self.events})"
            sys.settrace(None)
            raise KeyboardInterrupt
        os.close(write)
        with os.fdopen(read) as file:
            self.told.append(file.read() or "died")
        os.waitpid(child, 0)

    def run(self):
        sys.settrace(self.trace)
        try:
            import_everything()
        except KeyboardInterrupt:
            if self.pipe is None:
                raise
        finally:
            sys.settrace(None)
        if self.pipe is not None:
            self.tell()

    def tell(self):
        try:
            check()
            text = "works"
        except BaseException:
            text = f"interrupted at {self.place}\n{traceback.format_exc()}"
        os.write(self.pipe, text.encode()[:60_000])
        os._exit(0)


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    trial = Trial(frozenset(random.Random(seed).sample(range(1, EVENTS), count)))
    trial.run()
    failed = [text for text in trial.told if text != "works"]
    json.dump({"events": trial.events, "interrupts": len(trial.told), "failed": failed}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
