"""Objects that TensorFlow saves and that are loaded here, and the other way round: each case gives an object and calls.

`python -m tests.golden.record_saved` keeps what TensorFlow writes, in an environment that has it.
"""

import numpy as np

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def values(*shape):
    return np.random.RandomState(7).uniform(-1, 1, shape).astype(np.float32)


@case
def affine(tf):
    class Affine(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(values(2, 3), name="w")
            self.parts = {"b": [tf.Variable([1.0, 2.0, 3.0])], "pair": (tf.Variable(2), tf.Variable("text"))}
            self.large = tf.constant(values(20, 20))

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def __call__(self, x):
            return {"y": x @ self.w + self.parts["b"][0], "sums": [tf.reduce_sum(self.large, 0), self.parts["pair"][0]]}

        @tf.function
        def scaled(self, x, by=2, *, negative=False):
            return -x * by if negative else x * by

        @tf.function(input_signature=[])
        def step(self):
            return self.parts["pair"][0].assign_add(5)

    made = Affine()
    made.scaled(tf.constant(1.5))
    made.scaled(tf.constant([1, 2]), 3, negative=True)
    calls = [
        ("__call__", [values(4, 2)], {}), ("scaled", [np.float32(2.5)], {}),
        ("scaled", [np.array([3, 4], np.int32), 3], {"negative": True}), ("step", [], {}), ("step", [], {}),
    ]  # fmt: skip
    return made, calls


@case
def control_flow(tf):
    class Flow(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def collatz(self, n):
            count = 0
            while n > 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                count += 1
            return count

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def running(self, x):
            out = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
            total = 0.0
            for v in x:
                if v < 0.0:
                    continue
                total += v
                out = out.write(out.size(), total)
            return out.stack()

    return Flow(), [("collatz", [np.int32(27)], {}), ("running", [np.array([1, -1, 2, 3], np.float32)], {})]


@case
def tables(tf):
    class Words(tf.Module):
        def __init__(self):
            super().__init__()
            start = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64))
            self.table = tf.lookup.StaticHashTable(start, -1)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def numbers(self, words):
            return self.table.lookup(words)

    return Words(), [("numbers", [np.array([b"b", b"z", b"a"], object)], {})]


@case
def structures(tf):
    class Nest(tf.Module):
        @tf.function
        def mixed(self, a, flag=True):
            return {"s": a["x"] + a["y"][0], "t": (a["x"], [a["y"][1]])}, flag

        @tf.function
        def text(self, words):
            return tf.strings.join([words, "!"]), tf.strings.length(words)

    made = Nest()
    made.mixed({"x": tf.constant(1.0), "y": [tf.constant(2.0), tf.constant(3)]})
    made.text(tf.constant(["a"]))
    given = {"x": np.float32(5), "y": [np.float32(6), np.int32(7)]}
    return made, [("mixed", [given], {}), ("text", [np.array([b"hey"], object)], {})]
