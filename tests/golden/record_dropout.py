"""Records what TensorFlow does with the cases of `dropout_cases`: run with a Python that has TensorFlow."""

import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tensorflow as tf  # noqa: E402
from dropout_cases import CASES, look  # noqa: E402

if __name__ == "__main__":
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dropout.json")
    with open(path, "w", encoding="utf-8") as file:
        rows = [json.dumps({"case": list(case)} | look(tf, case)) for case in CASES]
        file.write("[\n" + ",\n".join(rows) + "\n]\n")
    print(len(CASES))
