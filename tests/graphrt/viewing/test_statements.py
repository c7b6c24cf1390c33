"""What pages say of loops and branches."""

import numpy as np

import autograph
import graphrt as tf

X = tf.constant([1.0, 2.0])


def notes(function, *args):
    return {(n["what"], n["kind"], n["times"]): n["text"] for n in tf.view(function, *args, path=None).story.notes}


def test_staged_loops_and_branches():
    def f(x, n):
        while tf.reduce_sum(x) < 10.0:
            x = x * 2.0
        for _ in tf.range(n):
            if x[0] > 0.0:
                x = x + 1.0
        return x if x[0] > 2.0 else -x

    found = notes(f, X, tf.constant(3))
    assert set(found) == {("while", "staged", 1), ("for", "staged", 1), ("if", "staged", 1)}


def test_python_loops_say_how_often_and_why():
    def f(x, n):
        for k in [1.0, 2.0, 3.0]:
            x = x + tf.sin(x) * k
        while n > 0:
            x, n = tf.exp(x), n - 1
        if n == 0:
            x = x * 3.0
        return x

    found = notes(f, X, 2)
    assert "because [1.0, 2.0, 3.0] is a Python value" in found["for", "unrolled", 3]
    assert "tf.constant" in found["while", "unrolled", 2]
    assert "decided in Python" in found["if", "chosen", 1] and "its body" in found["if", "chosen", 1]


def test_loops_of_functions_that_are_not_converted():
    @autograph.do_not_convert
    def f(x):
        for _ in range(3):
            x = tf.sin(x)
        return x

    assert "not converted: it is marked with do_not_convert" in notes(f, X)["for", "unrolled", 3]
    found = notes(tf.function(lambda x: [tf.sin(x) for _ in range(3)][0], autograph=False), X)
    assert found == {}


def test_loops_over_datasets_are_staged():
    def f(x):
        for row in tf.data.Dataset.range(3):
            x = x + tf.cast(row, tf.float32)
        return x

    assert ("for", "staged", 1) in notes(f, X)


def test_loops_inside_loops():
    def f(x):
        for _ in range(2):
            for _ in range(3):
                x = np.sin(x)
        return x

    assert set(notes(f, X)) == {("for", "unrolled", 6)}
