"""`tf.experimental.numpy` gives what TensorFlow's gives."""

import numpy as np
import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("numpy_api/experimental")
tnp = tf.experimental.numpy


@pytest.mark.parametrize("name", [n for n in tnp.__all__ if n not in ("random", "newaxis")])
def test_every_name_is_there(name):
    assert getattr(tnp, name) is not None


def test_what_python_gives_becomes_a_tensor():
    assert tnp.sin(1).dtype == tf.float64 and tnp.sum([1, 2]).numpy() == 3 and tnp.shape([[1]]) == [1, 1]
    assert tnp.result_type(tf.float32, 1.0) == tf.float64 and tnp.promote_types(tf.int32, tf.float32) == tf.float64
    assert (tnp.ndim(tf.ones([2, 3])), tnp.size(tf.ones([2, 3])), tnp.isscalar(tf.constant(1))) == (2, 6, True)
    assert tnp.around(tf.constant([1.25, 2.5], tf.float64), 1).numpy().tolist() == [1.2, 2.5] and tnp.pi == np.pi
    v = tf.Variable([4.0, 9.0])
    assert tnp.sqrt(v).numpy().tolist() == [2, 3] and tnp.array([v[0], 1.0]).numpy().tolist() == [4, 1]
    assert tnp.any([False, True]).numpy() and tnp.max([1, 5, 2]).numpy() == 5  # beside Python's own of these names
    with pytest.raises(AttributeError):
        tnp.no_such_name


def test_traced_with_gradients():
    @tf.function
    def loss(x):
        return tnp.sum(tnp.where(x > tnp.mean(x), x * x, tnp.zeros(tnp.shape(x))))

    x = tf.constant([1.0, 2.0, 6.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loss(x)
    assert y.numpy() == 36 and tape.gradient(y, x).numpy().tolist() == [0, 0, 12]


def test_random_numbers():
    tnp.random.seed(3)
    one = tnp.random.randn(2, 3).numpy()
    tnp.random.seed(3)
    assert (one == tnp.random.standard_normal([2, 3]).numpy()).all() and one.dtype == np.float64
    for found, shape in (
        (tnp.random.rand(2), [2]),
        (tnp.random.uniform(1, 2, [3]), [3]),
        (tnp.random.normal(size=4), [4]),
        (tnp.random.randint(5, size=[6]), [6]),
        (tnp.random.poisson(3.0, [2]), [2]),
        (tnp.random.random(), []),
    ):
        assert found.shape == shape


@pytest.mark.parametrize("name", ["arange", "tri", "diag_indices"])
def test_lists_that_hold_themselves_do_not_end_the_process(name):
    held = []
    held.append(held)
    with pytest.raises(TypeError, match=f"{name} takes numbers"):
        getattr(tf.experimental.numpy, name)(held)


@pytest.mark.parametrize(
    ("name", "number", "numbers", "ours"),
    [  # TensorFlow 2.20's answers
        ("append", "float64", "float64", "float64"), ("hstack", "float64", "float64", "float64"),
        ("vstack", "float64", "float64", "float64"), ("concatenate", None, "float32", "float64"),
        ("stack", None, "float32", "float64"), ("atleast_1d", "float64", "float64", "float64"),
        ("meshgrid", "float64", "float64", "float64"), ("clip", "float32", None, "float64"),
    ],
)  # fmt: skip
def test_what_is_joined_with_a_tensor_is_an_array_of_its_own(name, number, numbers, ours):
    function = getattr(tnp, name)
    x = tf.constant([1.0], tf.float32)
    for value, wanted in ((1.5, number), ([1.5], numbers), (np.array([1.5]), ours)):
        if wanted is None:
            continue
        args = ([x, value],) if name in ("hstack", "vstack", "concatenate", "stack") else (x, value)
        for call in (function, tf.function(function)):
            found = call(*args)
            assert (found[1] if isinstance(found, (list, tuple)) else found).dtype == wanted
