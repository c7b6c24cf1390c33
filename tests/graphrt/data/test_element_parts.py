"""Ragged and sparse tensors in pipelines, as TensorFlow has them."""

import json
import pickle

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden import composite_pipelines

RECORDED = json.loads((GOLDEN / "composite_pipelines.json").read_text())


@pytest.fixture(scope="module")
def found():
    return composite_pipelines.run(tf)


@pytest.mark.parametrize("name", RECORDED)
def test_as_recorded(name, found):
    assert found[name] == RECORDED[name]


def test_loops_in_functions_take_them():
    @tf.function
    def total(dataset):
        t = tf.constant(0, tf.int64)
        for x in dataset:
            t += tf.reduce_sum(x)
        return t

    lengths = tf.data.Dataset.range(5).map(tf.range)
    assert total(lengths.ragged_batch(2)).numpy() == 10


def test_as_numpy_iterator():
    lengths = tf.data.Dataset.range(4).map(tf.range)
    first, second = lengths.ragged_batch(2).as_numpy_iterator()
    assert [r.tolist() for r in first] == [[], [0]]
    assert [r.tolist() for r in second] == [[0, 1], [0, 1, 2]]
    assert [x.tolist() for x in lengths.sparse_batch(2, [3]).as_numpy_iterator()] == [
        [[0, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 1, 2]],
    ]  # fmt: skip
    assert isinstance(next(lengths.ragged_batch(2).map(lambda x: x.to_tensor()).as_numpy_iterator()), np.ndarray)


def test_elements_need_a_known_rank():
    dataset = tf.data.Dataset.from_generator(lambda: [1], output_types=tf.int32)
    with pytest.raises(ValueError, match="rank"):
        dataset.ragged_batch(2)


def test_concrete_functions_with_them_are_pickled():
    @tf.function
    def f(n):
        dataset = tf.data.Dataset.range(n).map(lambda k: (tf.range(k), k)).ragged_batch(2).unbatch().batch(3)
        return dataset.reduce(tf.constant(0, tf.int64), lambda s, x: s + tf.reduce_sum(x[0]) + tf.reduce_sum(x[1]))

    n = tf.constant(4, tf.int64)
    concrete = f.get_concrete_function(n)
    assert pickle.loads(pickle.dumps(concrete))(n).numpy() == concrete(n).numpy() == 10
