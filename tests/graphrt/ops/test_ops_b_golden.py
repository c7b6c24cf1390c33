"""Shape, indexing, linear algebra, network and string ops give what TensorFlow gives: values, dtypes, shapes, errors."""

import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from golden_checks import golden_tests  # noqa: E402
from ops_b_cases import CASES  # noqa: E402

# arrays of positions are indices, as in NumPy and in the array API
ROWS = {"dtype": "int32", "shape": [2, 4], "values": [0, 1, 2, 3, 4, 5, 6, 7]}
ROWS_AT = next(repr(c) for c in CASES if c[0] == "a[b]" and c[2] == ([0, 1], "int32"))
EAGER_DIFFERS = {
    ROWS_AT: {"result": [ROWS]},
    "a[np.array([0, 1])]": {"result": [ROWS]},
    # an array of another dtype than announced is refused, as in a graph
    "tf.numpy_function(lambda x: np.float64(1.), [a], tf.float32)": {"error": "InvalidArgumentError"},
}
GRAPH_DIFFERS = {
    ROWS_AT: {"shapes": [[2, 4]]},
    "a[np.array([0, 1])]": {"shapes": [[2, 4]]},
    # a graph takes what an eager call takes
    "tf.reshape(a, 6)": {"shapes": [[6]]},
    "tf.reshape(a, tf.shape(a)[0] * 3)": {"shapes": [[None]]},
    "tf.debugging.assert_equal(a, 1)": {"shapes": [None]},
    # unknown, where TensorFlow says 0
    "tf.linalg.diag(a, k=1)": {"shapes": [[None, None]]},
    # found while tracing
    "tf.reshape(a, [-1, -1])": {"error": "ValueError"},
    # returns an operation, which is None to the caller
    "tf.debugging.assert_near([1.], [1.1])": {"shapes": [None]},
}
test_eager, test_traced, test_graph_gives_what_eager_gives = golden_tests(
    CASES, "ops_b.json", EAGER_DIFFERS, GRAPH_DIFFERS
)
