"""Sizes as TensorFlow 1's shapes hold them, and what `tf.compat.v1` has about them."""

import numpy as np  # noqa: F401  used in the texts
import pytest

import graphrt as tf

V1 = tf.compat.v1
A, B, N = V1.Dimension(3), V1.Dimension(5), V1.Dimension(None)

COMPUTED = {  # an expression and its result in TensorFlow 2.20
    "A + B": 8, "A * B": 15, "A // B": 0, "B % A": 2, "2 + A": 5, "10 - A": 7, "10 // A": 3, "10 % A": 1, "2 * A": 6,
    "N + 1": None, "A + N": None, "A.merge_with(N)": 3, "N.merge_with(A)": 3, "V1.Dimension(np.int64(3))": 3,
    "V1.dimension_at_index(tf.TensorShape([2, None]), 1)": None, "V1.dimension_at_index(tf.TensorShape(None), 1)": None,
}  # fmt: skip
COMPARED = {
    "A == B": False, "A == 3": True, "A != N": None, "N == N": None, "A == None": None, "A < B": True, "A <= N": None,
    "A > B": False, "N > 1": None, "A >= 3": True, "A.is_compatible_with(N)": True, "A.is_compatible_with(4)": False,
    "int(A)": 3, "str(A)": "3", "str(N)": "?", "repr(N)": "Dimension(None)", "V1.dimension_value(A)": 3,
    "V1.dimension_value(4)": 4, "[0, 1, 2, 3][A]": 3, "tf.TensorShape([A, N]).as_list()": [3, None], "A == 'x'": False,
    "tf.zeros([A, B]).shape.as_list()": [3, 5], "np.ones(A).shape": (3,), "tf.constant(A).numpy()": 3,
}  # fmt: skip
REFUSED = {
    "A - B": (ValueError, "must be >= 0"), "hash(A)": (TypeError, "unhashable"), "int(N)": (TypeError, "NoneType"),
    "V1.Dimension(-1)": (ValueError, "must be >= 0"), "V1.Dimension('x')": (TypeError, "__index__"),
    "A.merge_with(4)": (ValueError, "not compatible"), "A / B": (TypeError, "use // instead"), "A + 'x'": (TypeError, "str"),
    "tf.constant(N)": ((TypeError, ValueError), "not known"),
}  # fmt: skip


@pytest.mark.parametrize("text", COMPUTED)
def test_arithmetic_gives_sizes(text):
    found = eval(text)
    assert isinstance(found, V1.Dimension) and found.value == COMPUTED[text]


@pytest.mark.parametrize("text", COMPARED)
def test_comparisons_of_what_is_unknown_are_none(text):
    assert eval(text) == COMPARED[text]


@pytest.mark.parametrize("text", REFUSED)
def test_wrong_uses_are_refused(text):
    kind, words = REFUSED[text]
    with pytest.raises(kind, match=words):
        eval(text)


def test_shapes_have_them():
    dims = tf.TensorShape([2, None]).dims
    assert [d.value for d in dims] == [2, None] and all(isinstance(d, V1.Dimension) for d in dims)
    assert tf.TensorShape(None).dims is None and tf.ones([4]).shape.dims[0] == 4
    assert tf.TensorShape(dims) == [2, None]


def test_placeholders_with_a_default_forget_sizes_in_graphs():
    shapes = []

    @tf.function
    def f(x):
        y = V1.placeholder_with_default(x, [None, 3])
        shapes.append(y.shape.as_list())
        return tf.gradients(y * y, x)[0], tf.shape(y)

    gradient, shape = f(tf.ones([2, 3]))
    assert shapes == [[None, 3]] and shape.numpy().tolist() == [2, 3] and gradient.numpy().tolist() == [[2.0] * 3] * 2
    assert V1.placeholder_with_default([1, 2], None).numpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match="not compatible"):
        tf.function(lambda x: V1.placeholder_with_default(x, [3]))(tf.ones([2]))
