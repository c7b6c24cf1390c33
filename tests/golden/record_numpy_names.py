"""Records what TensorFlow does with the cases of `numpy_cases`: run with a Python that has TensorFlow."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import record_ops_b  # noqa: E402
from numpy_cases import CASES  # noqa: E402

if __name__ == "__main__":
    # the names of nodes are what smaller functions are tested for
    record_ops_b.write(CASES, "numpy_names.json")
