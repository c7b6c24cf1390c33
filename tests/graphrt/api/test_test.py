"""`tf.test.TestCase` and `tf.test.compute_gradient`."""

import numpy as np
import pytest

import graphrt as tf

CASE = tf.test.TestCase("run")


@pytest.mark.parametrize(
    ("name", "passing", "failing"),
    [
        ("assertAllEqual", ([1, 2], tf.constant([1, 2])), ([1, 2], [1, 3])),
        ("assertAllEqual", (tf.constant(["a"]), ["a"]), (tf.constant(["a"]), ["b"])),
        ("assertAllEqual", (tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]]), (tf.ragged.constant([[1]]), [[2]])),
        ("assertAllEqual", ([np.nan], [np.nan]), ([1], [1, 1])),
        ("assertNotAllEqual", ([1], [2]), ([1], [1])),
        ("assertAllClose", ([1.0, 2.0], tf.constant([1.0, 2.0000001])), ([1.0], [1.1])),
        ("assertAllClose", ({"a": [1.0]}, {"a": tf.constant([1.0])}), ({"a": 1.0}, {"b": 1.0})),
        ("assertAllClose", ([tf.constant([1.0]), 2.0], [[1.0], 2.0]), ([1.0, 2.0], [1.0])),
        ("assertNotAllClose", ([1.0], [1.1]), ([1.0], [1.0])),
        ("assertAllCloseAccordingToType", (np.float16([1]), np.float16([1.001])), ([1.0], [1.001])),
        ("assertNear", (1.0, 1.05, 0.1), (1.0, 2.0, 0.1)),
        ("assertArrayNear", ([1.0], [1.05], 0.1), ([1.0], [2.0], 0.1)),
        ("assertAllGreater", ([2, 3], 1), ([1, 2], 1)),
        ("assertAllLessEqual", ([2, 3], 3), ([2, 4], 3)),
        ("assertAllInRange", ([1, 2], 1, 2), ([1, 3], 1, 2)),
        ("assertAllInSet", ([1, 2], [1, 2, 3]), ([1, 4], [1, 2, 3])),
        ("assertShapeEqual", (np.zeros([2]), tf.zeros([2])), (np.zeros([2]), tf.zeros([3]))),
        ("assertDTypeEqual", (tf.zeros([1]), np.float32), (tf.zeros([1]), np.int32)),
        ("assertLen", ([1], 1), ([1], 2)),
        ("assertStartsWith", ("abc", "a"), ("abc", "b")),
    ],
)
def test_assertions(name, passing, failing):
    getattr(CASE, name)(*passing)
    with pytest.raises(AssertionError):
        getattr(CASE, name)(*failing)


def test_values_and_errors():
    assert CASE.evaluate({"a": tf.constant([1])})["a"].tolist() == [1]
    with CASE.assertRaisesOpError("must be equal|[Ii]ncompatible"):
        tf.add(tf.ones([2]), tf.ones([3]))
    with pytest.raises(AssertionError), CASE.assertRaisesOpError("something else"):
        tf.add(tf.ones([2]), tf.ones([3]))


def test_jacobians():
    exact, numeric = tf.test.compute_gradient(lambda a, b: a * b, [tf.constant([1.0, 2.0]), tf.constant(3.0)])
    assert [e.tolist() for e in exact] == [[[3.0, 0.0], [0.0, 3.0]], [[1.0], [2.0]]]
    for one, two in zip(exact, numeric, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-2)


def test_the_method_that_makes_sessions_is_no_test():
    case = type("Case", (tf.test.TestCase,), {"test_use": lambda self: self.enterContext(self.test_session())})
    assert len(case("test_session").run().skipped) == 1
    assert case("test_use").run().wasSuccessful()
