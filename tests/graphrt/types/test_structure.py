"""Structures, and composites in them."""

import itertools

import pytest

import graphrt as tf

COMPOSITES = {
    "a RaggedTensor": lambda: tf.ragged.constant([[1], [2, 3]]),
    "an IndexedSlices": lambda: tf.IndexedSlices(tf.constant([[1]]), tf.constant([0])),
    "a TensorArray": lambda: tf.TensorArray(tf.int32, 2).write(0, 1),
    "a single value": lambda: tf.constant(1),
}


@pytest.mark.parametrize(("first", "second"), [*itertools.permutations(COMPOSITES, 2)])
def test_branches_leave_one_kind_of_composite(first, second):
    @tf.function
    def branches(x):
        return COMPOSITES[first]() if x > 0 else COMPOSITES[second]()

    @tf.function
    def loop(x):
        y = COMPOSITES[first]()
        for _ in tf.range(x):
            y = COMPOSITES[second]()
        return y

    with pytest.raises(tf.errors.BranchMismatchError, match=f"the first is {first}, the second {second}"):
        branches(tf.constant(1))
    with pytest.raises(tf.errors.LoopVariableError, match=f"the first is {first}, the second {second}"):
        loop(tf.constant(1))


def test_composites_of_more_tensors_are_of_another_form():
    flat, deep = tf.ragged.constant([[1]]), tf.ragged.constant([[[1]]])
    for a, b in ((flat, deep), (deep, flat)):
        with pytest.raises((ValueError, TypeError), match="a RaggedTensor of . tensors against one of"):
            tf.nest.assert_same_structure(a, b, expand_composites=True)
    tf.nest.assert_same_structure(flat, deep)
