"""Records what TensorFlow does with the cases of `regular_expression_cases`: run with a Python that has TensorFlow."""

import json
import os

from tests.golden import regular_expression_cases

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

if __name__ == "__main__":
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "regular_expressions.json")
    with open(path, "w", encoding="utf-8") as file:
        found = regular_expression_cases.results(tf)
        file.write("{\n" + ",\n".join(f"{json.dumps(p)}: {json.dumps(r)}" for p, r in found.items()) + "\n}\n")
    print(len(found))
