"""docs/adding_a_numpy_function.md: the rule of the page, written in the file of its subject, is NumPy's function on tensors."""

from tests.docs import fresh

PROGRAM = """
import numpy as np
import graphrt as tf

a = np.array([[1.0, np.nan, 3.0], [np.nan, 7.0, 6.0]])
for options in ({}, {"axis": 0}, {"axis": 1}, {"axis": 1, "keepdims": True}):
    wanted = np.nanargmax(a, **options)
    eager = np.nanargmax(tf.constant(a), **options)
    traced = tf.function(lambda x: np.nanargmax(x, **options), input_signature=[tf.TensorSpec([None, None], tf.float64)])(a)
    print(isinstance(eager, tf.Tensor), *(np.array_equal(v, wanted) and v.numpy().dtype == wanted.dtype for v in (eager, traced)))
print(np.nanargmax(tf.constant([1, 5, 2])).numpy())
try:
    tf.function(lambda x: np.nanargmax(x))(tf.constant([1, 5, 2]))
except TypeError as error:
    print(str(error).partition(",")[0])
"""


def test_a_rule_is_a_function(tmp_path):
    packages = fresh.Packages(tmp_path)
    path = "graphrt/numpy_api/without_nan.py"
    text = (fresh.ROOT / path).read_text()
    packages.edit(path, text, f"{text}\n\n{fresh.blocks('adding_a_numpy_function.md')[0]}")
    found = packages.run(PROGRAM).splitlines()
    assert found[:5] == ["True True True"] * 4 + ["1"]
    assert found[5].startswith("np.nanargmax has no counterpart with these arguments")
