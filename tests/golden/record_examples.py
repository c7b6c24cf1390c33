"""Records how TensorFlow parses the messages of `example_cases`: run with a Python that has TensorFlow."""

import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import example_cases as cases  # noqa: E402
import tensorflow as tf  # noqa: E402


def main():
    table = {" ".join(case): cases.answer(tf, case) for case in cases.CASES}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "examples.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table.items()) + "\n}\n")
    print(len(table))


if __name__ == "__main__":
    main()
