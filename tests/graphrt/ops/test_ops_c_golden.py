"""Signals, images, sets and the wider linear algebra, networks and strings give what TensorFlow gives."""

import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from golden_checks import golden_tests  # noqa: E402
from ops_c_cases import CASES  # noqa: E402

EAGER_DIFFERS = {
    # the class of mistakes with dtypes
    "tf.image.convert_image_dtype(a, tf.string)": {"error": "TypeError"},
}
GRAPH_DIFFERS = {
    # a dtype that shapes do not have, whether the shape is known or not
    "tf.shape(a, out_type=tf.float32)": {"error": "TypeError"},
    # a constant is looked at while tracing
    "tf.image.adjust_hue(a, 3.)": {"error": "ValueError"},
    "tf.image.convert_image_dtype(a, tf.string)": {"error": "TypeError"},
}
test_eager, test_traced, test_graph_gives_what_eager_gives = golden_tests(
    CASES, "ops_c.json", EAGER_DIFFERS, GRAPH_DIFFERS
)
