"""What is known of shapes while tracing: arithmetic on them is followed, however long it is."""

import pytest

import graphrt as tf


def static_shape(function, *specs):
    graph = tf.function(function, autograph=False).get_concrete_function(*specs).graph
    dims = graph.outputs[0].dims
    return None if dims is None else list(dims)


X = tf.TensorSpec([None, 3], tf.float32)


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (lambda x: tf.zeros([tf.shape(x)[0] * 2, 3]), [None, 3]),
        (lambda x: tf.zeros([tf.shape(x)[1] + 1]), [4]),
        (lambda x: tf.zeros(tf.shape(x) * 2), [None, 6]),
        (lambda x: tf.zeros([2, 5] + tf.shape(x)), [None, 8]),
        (lambda x: tf.zeros([tf.maximum(tf.shape(x)[1], 5), tf.minimum(tf.shape(x)[1], 2)]), [5, 2]),
        (lambda x: tf.zeros([tf.cast(tf.cast(tf.shape(x)[1], tf.int64), tf.int32) // 2]), [1]),
        (lambda x: tf.zeros([tf.shape(x)[1] % 2, 7 - tf.shape(x)[1], tf.shape(x)[1] ** 2]), [1, 4, 9]),
        (lambda x: tf.zeros([tf.bitwise.left_shift(tf.shape(x)[1], 2)]), [12]),
        (lambda x: tf.reshape(x, [tf.size(x)]), [None]),
    ],
)
def test_arithmetic_on_shapes(function, wanted):
    assert static_shape(function, X) == wanted


def test_a_chain_of_thousands():
    def long(x):
        n = tf.shape(x)[0]
        for _ in range(3000):
            n = n + 1
        return tf.zeros([n, 2])

    assert static_shape(long, X) == [None, 2]
    assert tf.function(long, autograph=False)(tf.zeros([4, 3])).shape == [3004, 2]


def test_a_diamond_a_hundred_deep():
    def wide(x):
        n = tf.shape(x)[1]
        for _ in range(100):
            n = n + n - n
        return tf.zeros([n])

    assert static_shape(wide, X) == [3]


def test_division_by_an_unknown_zero_is_left_to_the_run():
    function = tf.function(lambda x: tf.zeros([6 // tf.shape(x)[0]]), autograph=False)
    assert function(tf.zeros([3, 3])).shape == [2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        function.get_concrete_function(X)(tf.zeros([0, 3]))
