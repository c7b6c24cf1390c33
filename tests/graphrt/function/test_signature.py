"""Random arguments, in random order: a traced function tells of them what the Python function tells."""

from __future__ import annotations

import collections
import random
import warnings

import numpy as np
import pytest

import graphrt as tf

Pair = collections.namedtuple("Pair", "left right")
VARIABLES = [tf.Variable(1.0, name="v0"), tf.Variable([1, 2], name="v1")]
NUMBERS = [0, 1, -1, True, False, 0.0, -0.0, 1.0, 2.5, float("inf"), float("nan"), 1 + 2j, 10**12]
PLAIN = ["a", "", "ü", b"a", None, tf.float32, (), [], {}, range(2), slice(1, None)]


def leaf(rng):
    kind = rng.randrange(8)
    if kind < 3:
        dtype = rng.choice([tf.float32, tf.int32, tf.int64, tf.bool, tf.string])
        shape = rng.choice([[], [1], [2], [2, 2], [0]])
        return tf.fill(shape, "s") if dtype is tf.string else tf.cast(tf.fill(shape, rng.randrange(3)), dtype)
    if kind == 3:
        dtype = rng.choice([np.float32, np.float64, np.int32, np.uint8, ">i4", "U1"])
        array = np.array([str(rng.randrange(3))] * 2, dtype)
        return array if rng.random() < 0.7 or dtype == "U1" else array.astype(np.float32)[0]
    if kind == 4:
        return rng.choice(VARIABLES)
    return rng.choice(NUMBERS if kind < 7 else PLAIN)


def structure(rng, depth=0):
    kind = rng.randrange(10)
    if depth > 2 or kind < 5:
        return leaf(rng)
    parts = [structure(rng, depth + 1) for _ in range(rng.randrange(4))]
    if kind < 7:
        return parts if kind == 5 else tuple(parts)
    if kind < 9:
        keys = rng.sample(["a", "b", "c", "d"], len(parts))
        return dict(zip(keys, parts))
    return Pair(structure(rng, depth + 1), structure(rng, depth + 1))


def tell(value):
    """All of `value` as a list of tensors; Python values as their text."""
    if isinstance(value, dict):
        return [tf.constant("dict")] + [t for k in sorted(value) for t in [tf.constant(k), *tell(value[k])]]
    if isinstance(value, (list, tuple)):
        return [tf.constant(type(value).__name__), *(t for v in value for t in tell(v))]
    if isinstance(value, tf.Variable):
        return [tf.constant(value.name), value.read_value()]
    if isinstance(value, (tf.Tensor, np.ndarray, np.generic)):
        return [tf.identity(value)]
    return [tf.constant(f"{type(value).__name__} {value!r}")]


def told(*args, **kwargs):
    return tell(args) + tell(kwargs)


def shown(tensors):
    return [(t.dtype.name, t.shape.as_list(), np.asarray(t).tolist(), np.signbit(t.numpy()).tolist() if t.dtype.is_floating else 0)
            for t in tensors]  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_random_arguments(seed):
    rng = random.Random(seed)
    f = tf.function(told, autograph=False)
    calls = []
    for _ in range(25):
        args = [structure(rng) for _ in range(rng.randrange(3))]
        kwargs = {k: structure(rng) for k in rng.sample("xyz", rng.randrange(3))}
        calls.append((args, kwargs, repr(shown(told(*args, **kwargs)))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tf.errors.RetracingWarning)
        for number in range(5):
            rng.shuffle(calls)
            if number == 1:
                count = f.experimental_get_tracing_count()
            for args, kwargs, expected in calls:
                turned = dict(sorted(kwargs.items(), reverse=bool(number % 2)))
                assert repr(shown(f(*args, **turned))) == expected
    assert f.experimental_get_tracing_count() == count  # the first round made all traces
