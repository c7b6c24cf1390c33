"""Records how TensorFlow parses the messages of `example_cases`: run with a Python that has TensorFlow."""

import json
import os

from tests.golden import example_cases as cases

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf


def main():
    table = {" ".join(case): cases.answer(tf, case) for case in cases.CASES}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "examples.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table.items()) + "\n}\n")
    print(len(table))


if __name__ == "__main__":
    main()
