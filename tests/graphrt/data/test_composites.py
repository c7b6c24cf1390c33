"""Ragged and sparse tensors in pipelines, as TensorFlow has them."""

import json
import pathlib
import sys

import numpy as np
import pytest

import graphrt as tf

GOLDEN = pathlib.Path(__file__).parents[2] / "golden"
sys.path.insert(0, str(GOLDEN))
import composite_pipelines  # noqa: E402

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
