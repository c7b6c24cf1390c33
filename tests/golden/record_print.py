"""Records what TensorFlow's `tf.print` and failed asserts write: run with a Python that has TensorFlow."""

import json
import os
import re
import tempfile

from tests.golden.print_cases import ASSERTED, CASES

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf


def printed(case):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        eval(f"tf.print({case}{', ' if case else ''}output_stream='file://{path}')", {"tf": tf, "np": np})
        with open(path, encoding="utf-8") as file:
            return file.read()


def asserted(case, summarize):
    @tf.function(autograph=False)
    def f(holds):
        value = eval(case, {"tf": tf})
        tf.debugging.Assert(holds, ["text", value], summarize=summarize)
        return holds

    try:
        f(tf.constant(False))
    except tf.errors.InvalidArgumentError as error:
        return re.search(r"assertion failed: (.*)", error.message)[1]


def main():
    found = {
        "print": {case: printed(case) for case in CASES},
        "assert": {case: {str(n): asserted(case, n) for n in (3, 10, -1)} for case in ASSERTED},
    }
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "print.json")
    with open(path, "w") as file:
        json.dump(found, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
