"""Records what TensorFlow does with the cases of `dropout_cases`: run with a Python that has TensorFlow."""

import json
import os

from tests.golden.dropout_cases import CASES, look

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

if __name__ == "__main__":
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dropout.json")
    with open(path, "w", encoding="utf-8") as file:
        rows = [json.dumps({"case": list(case)} | look(tf, case)) for case in CASES]
        file.write("[\n" + ",\n".join(rows) + "\n]\n")
    print(len(CASES))
