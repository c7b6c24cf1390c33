"""`sorted`, `min` and `max` of what is staged: as Python has them, of plain numbers."""

import functools
import operator
from collections import Counter

import numpy as np
import pytest

import graphrt as tf
from tests.graphrt.staging.test_lists import grown

VALUES = [1.5, 0.5, 2.5, 0.5]


class Scores:
    def __init__(self):
        self.weight = 2.0

    def score(self, v):
        if v > 1:
            return -v
        return v * self.weight

    def __call__(self, v):
        return -v


class Held:
    def __init__(self, v):
        self.v = v


SCORES = Scores()
UNITS = ["b", "a", "c", "d"]


def counted(x):
    asked = []

    def key(i):
        asked.append(i)
        return x[i]

    return sorted(range(4), key=key), max((0, 1, 2), key=key), asked


PROGRAMS = [
    lambda x: max(enumerate(x), key=lambda p: p[1]),
    lambda x: min(zip(x, range(4)), key=lambda p: p[0]),
    lambda x: max(zip(x, x), key=operator.itemgetter(0)),
    lambda x: sorted(enumerate(x), key=lambda p: p[1]),
    lambda x: sorted(enumerate(x), key=operator.itemgetter(1), reverse=True),
    lambda x: sorted(enumerate(x)),
    lambda x: max(enumerate(x)),
    lambda x: min(enumerate(x, 3)),
    lambda x: [i for i, _ in sorted(enumerate(x), key=lambda p: p[1])],
    lambda x: sorted(zip(x, range(4)), key=lambda p: (p[0], -p[1])),
    lambda x: sorted(zip(x, range(4)), key=lambda p: (p[0] > 1, -p[0], p[1]), reverse=True),
    lambda x: sorted([(v, i) for i, v in enumerate(x)]),
    lambda x: max([(v, i) for i, v in enumerate(x)]),
    lambda x: sorted([(x[0], 1), (x[1], 2)], key=lambda p: p[0]),
    lambda x: sorted(map(lambda v: (v, v * 2), x), key=lambda p: -p[1]),
    lambda x: sorted(grown(x), key=lambda p: p[1]),
    lambda x: max(grown(x), key=lambda p: p[1]),
    lambda x: max(grown(x - 5), key=lambda p: p[1], default=(7, -1.0)),
    lambda x: min(grown(x)),
    lambda x: sorted(x, key=SCORES.score),
    lambda x: sorted(x, key=SCORES),
    lambda x: sorted(x, key=functools.partial(operator.sub, 3.0)),
    lambda x: sorted(x, key=lambda v: (v > 1, v)),
    lambda x: sorted(range(4), key=lambda i: x[i]),
    lambda x: max(range(4), key=lambda i: x[i]),
    lambda x: max(range(4), key=lambda i: (x[i], i)),
    lambda x: min(range(4), key=lambda i: (x[i], -i)),
    lambda x: max([3, 1], key=lambda i: (i, x[0])),
    lambda x: sorted(UNITS, key=lambda c: x[UNITS.index(c)]),
    lambda x: sorted({"a": x[0], "b": x[1]}.items(), key=lambda kv: kv[1]),
    lambda x: min({"a": x[0], "b": x[1]}, key={"a": x[0], "b": x[1]}.get),
    lambda x: (sorted([3, 1, 2], key=lambda v: -v), sorted("hello", key=ord), max("abc", key=ord), max((), key=abs, default=1)),
    lambda x: max((x[0], 1), (x[1], 2), key=lambda p: -p[0]),
    lambda x: max((1, x[0]), (1, x[1])),
    lambda x: min([(x[0], 1), (x[1], 2), (x[3], 0)]),
    lambda x: sorted([(x[1], 1), (x[0], 2), (x[3], 0)], reverse=True),
    lambda x: (min(3, 2), max(3, 4, key=lambda v: -v), max((1, 2), (1, 3)), max(1, x[0], 2), max(x[0], x[1], key=lambda v: -v)),
    lambda x: functools.reduce(lambda best, p: max(best, p, key=lambda q: q[1]), [(0, x[0]), (1, x[1]), (2, x[2])]),
    lambda x: Counter("abca").most_common(1),
    counted,
]  # fmt: skip
OF_KNOWN_LENGTH = [
    lambda x: sorted(zip(x, UNITS), key=lambda p: p[0]),
    lambda x: max([Held(v) for v in x], key=lambda h: h.v).v,
]


def plain(value):
    value = value.numpy() if isinstance(value, tf.Tensor) else value
    value = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
    if isinstance(value, bytes):
        return value.decode()
    return type(value)(map(plain, value)) if isinstance(value, (list, tuple)) else value


def compare(program, length):
    staged = tf.function(program, input_signature=[tf.TensorSpec([length], tf.float64)])
    assert plain(staged(tf.constant(VALUES, tf.float64))) == plain(program(np.array(VALUES)))


@pytest.mark.parametrize("length", [4, None])
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_python(program, length):
    compare(program, length)


@pytest.mark.parametrize("program", OF_KNOWN_LENGTH)
def test_what_python_makes_one_by_one(program):
    compare(program, 4)


def test_what_gives_the_elements_is_called_once_for_each(capfd):
    def noted(v):
        tf.print("called", v)
        return v, v

    places = tf.function(lambda x: (sorted(map(noted, x), key=lambda p: -p[1]), max(map(noted, x), key=lambda p: p[1])))
    assert plain(places(tf.constant([1, 2]))) == ([(2, 2), (1, 1)], (2, 2))
    out, err = capfd.readouterr()
    assert (out + err).count("called") == 4


def test_numbers_keep_their_dtype():
    place, value = tf.function(lambda x: max(enumerate(x), key=lambda p: p[1]))(tf.constant(VALUES))
    assert (place.dtype, value.dtype) == (tf.int32, tf.float32)


def test_what_has_no_order_in_a_graph():
    with pytest.raises(TypeError, match="found: Held"):
        tf.function(lambda x: sorted([Held(x[0]), Held(x[1])], key=lambda h: h.v))(tf.constant(VALUES))
    with pytest.raises(ValueError, match=r"the key of sorted\(\) gives tensors of shape \(2,\), expected scalars"):
        tf.function(lambda x: sorted(x, key=lambda v: tf.stack([v, v])))(tf.constant(VALUES))
    with pytest.raises(ValueError, match=r"max\(\) of structures that hold tensors of shape \(3,\), expected scalars"):
        tf.function(lambda x: max(zip(tf.eye(3), x)))(tf.constant(VALUES))
    with pytest.raises(TypeError, match="'int' object is not iterable"):
        tf.function(lambda x: sorted(3, key=lambda v: x[0]))(tf.constant(VALUES))
