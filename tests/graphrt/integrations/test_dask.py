"""Functions on Dask: the bits that they give here, one graph a process, and reasons for what cannot go.

Covers: graphrt/integrations/__init__.py.
"""

import pickle

import numpy as np
import pytest

import graphrt as tf
from graphrt.integrations.dask import Shipped, map_blocks, map_partitions

X = np.random.default_rng(1).random((50, 8), np.float32)
WEIGHTS = np.random.default_rng(0).random((8, 3), np.float32)


def halved():
    """A function with a variable, a loop and a branch."""
    w = tf.Variable(WEIGHTS)

    @tf.function
    def f(x):
        y, i = x @ w, 0
        while tf.reduce_sum(y) > 20.0 and i < 5:
            y = y * 0.5
            i += 1
        return tf.nn.softmax(y)

    return f, w


def local(function, array, size):
    return np.concatenate([function(tf.constant(array[i : i + size])).numpy() for i in range(0, len(array), size)])


def test_blocks_of_an_array():
    da = pytest.importorskip("dask.array")
    function, _ = halved()
    found = map_blocks(function, da.from_array(X, chunks=(20, 8)))
    assert (found.shape, found.dtype, found.chunks) == ((50, 3), np.float32, ((20, 20, 10), (3,)))
    assert found.compute(scheduler="threads").tobytes() == local(function, X, 20).tobytes()
    summed = map_blocks(tf.function(lambda x: tf.reduce_sum(x, 1)), da.from_array(X, chunks=(20, 8)))
    assert summed.shape == (50,)
    both = map_blocks(
        tf.function(lambda a, b: a + b), da.from_array(X, chunks=(20, 4)), da.from_array(X, chunks=(20, 4))
    )
    assert np.array_equal(both.compute(), X + X)


def test_a_cluster_of_processes_gives_the_same_bits():
    da = pytest.importorskip("dask.array")
    distributed = pytest.importorskip("distributed")
    function, variable = halved()
    wanted = local(function, X, 10)
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None, memory_limit=None
    ) as cluster, distributed.Client(cluster):  # fmt: skip
        lazy = map_blocks(function, da.from_array(X, chunks=(10, 8)))
        variable.assign(np.zeros_like(WEIGHTS))  # the values at the time of the call went along
        assert lazy.compute().tobytes() == wanted.tobytes()


def test_one_graph_a_process():
    function, _ = halved()
    shipped = Shipped(tf.freeze(function.get_concrete_function(tf.TensorSpec([None, 8]))))
    first, second = (pickle.loads(pickle.dumps(shipped)) for _ in range(2))
    assert first.function is second.function
    assert first.__dask_tokenize__() == second.__dask_tokenize__()


def test_tokens_are_those_of_what_is_computed():
    function, variable = halved()
    concrete = function.get_concrete_function(tf.TensorSpec([None, 8]))
    token = concrete.__dask_tokenize__()
    assert token == concrete.__dask_tokenize__()
    variable.assign_add(WEIGHTS)
    assert concrete.__dask_tokenize__() != token


@pytest.mark.parametrize("what", [
    lambda x, v: x + tf.cast(v.assign_add(1), tf.float32), lambda x, v: x + tf.random.uniform([]),
    lambda x, v: tf.numpy_function(np.sin, [x], tf.float32),
])  # fmt: skip
def test_effects_are_refused(what):
    da = pytest.importorskip("dask.array")
    v = tf.Variable(0)
    with pytest.raises(ValueError, match=r"cannot run on workers: node .* at .*test_dask.py:\d+"):
        map_blocks(tf.function(lambda x: what(x, v)), da.from_array(X, chunks=(20, 8)))


def test_what_gives_several_tensors_is_refused():
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match="gives 2 tensors"):
        map_blocks(tf.function(lambda x: (x, x)), da.from_array(X, chunks=(20, 8)))
    with pytest.raises(TypeError, match="expected a tf.function"):
        map_blocks(np.sin, da.from_array(X, chunks=(20, 8)))


@tf.function(input_signature=[tf.TensorSpec([None], tf.float64), tf.TensorSpec([None], tf.string)])
def described(w, t):
    return {"twice": w * 2.0, "upper": tf.strings.upper(t)}


def test_partitions_of_a_frame():
    dd = pytest.importorskip("dask.dataframe")
    import pandas as pd

    frame = pd.DataFrame({"w": np.arange(10.0), "t": list("abcdefghij")}, index=range(5, 15))
    lazy = dd.from_pandas(frame, npartitions=3)
    found = map_partitions(described.get_concrete_function(), lazy).compute(scheduler="threads")
    assert found["twice"].tolist() == (np.arange(10.0) * 2).tolist()
    assert found["upper"].tolist() == list("ABCDEFGHIJ")
    assert list(found.index) == list(range(5, 15))
    series = map_partitions(
        tf.function(lambda w: w + 1.0).get_concrete_function(tf.TensorSpec([None], tf.float64)), lazy
    )
    assert series.compute(scheduler="threads").tolist() == (np.arange(10.0) + 1).tolist()
    with pytest.raises(KeyError, match="the frame has the columns"):
        map_partitions(described.get_concrete_function(), lazy[["w"]])
