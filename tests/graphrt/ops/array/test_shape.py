"""Where a single size stands for a shape, and where it is refused, as TensorFlow has it: `graphrt/ops/array/shape.py`, `graphrt/ops/array/creation.py`."""

import graphrt.experimental.numpy as tnp
import numpy as np
import pytest

import graphrt as tf

GENERATOR = tf.random.Generator.from_seed(1)
X = tf.ones([2, 3])
REFUSED = {
    "broadcast_to": lambda n: tf.broadcast_to(1.0, n),
    "uniform": lambda n: tf.random.uniform(n),
    "normal": lambda n: tf.random.normal(n),
    "truncated_normal": lambda n: tf.random.truncated_normal(n),
    "stateless_uniform": lambda n: tf.random.stateless_uniform(n, [1, 2]),
    "poisson": lambda n: tf.random.poisson(n, 2.0),
    "Generator": lambda n: GENERATOR.normal(n),
    "gamma": lambda n: tf.random.gamma(n, 2.0),
}
EAGER = {"reshape": lambda n: tf.reshape(X, n), "fill": lambda n: tf.fill(n, 1.0)}
TAKEN = {
    "zeros": lambda n: tf.zeros(n),
    "ones": lambda n: tf.ones(n),
    "method": lambda n: tf.experimental.numpy.array(X).reshape(n),
    "np.reshape": lambda n: np.reshape(X, n),
    "tnp.reshape": lambda n: tnp.reshape(X, n),
    "tnp.full": lambda n: tnp.full(n, 1.0),
    "tnp.broadcast_to": lambda n: tnp.broadcast_to(1.0, n),
}


@pytest.mark.parametrize("name", [*REFUSED, *EAGER])
@pytest.mark.parametrize("size", [6, np.int64(6), tf.constant(6)], ids=["int", "numpy", "tensor"])
def test_graphs_take_vectors(name, size):
    function = {**REFUSED, **EAGER}[name]
    with pytest.raises(ValueError, match="Shape must be rank 1 but is rank 0"):
        tf.function(lambda: function(size), autograph=False)()
    if name in REFUSED:
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be 1-D"):
            function(size)
    else:
        assert function(size).shape == [6]


@pytest.mark.parametrize("name", [*TAKEN])
def test_where_numpy_takes_one(name):
    function = TAKEN[name]
    assert function(6).shape == [6]
    assert tf.function(lambda: function(6), autograph=False)().shape == [6]


def test_shapes_of_unknown_rank_are_asked_when_the_graph_runs():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)])
    def wide(size):
        return tf.broadcast_to(1.0, size)

    assert wide(tf.constant([2, 2])).shape == [2, 2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="1-D, not 0-D"):
        wide(tf.constant(2))
