"""Records what TensorFlow's linear operators answer: run with a Python that has TensorFlow."""

import json
import os

from tests.golden import linear_operator_cases as cases

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf


def main():
    table = {
        **{name: cases.ask(tf, name) for name in cases.OPERATORS},
        **{f"{a} {b}": cases.join(tf, a, b) for a in cases.PARTNERS for b in cases.PARTNERS},
        **{e: cases.answer(tf, e, {}) for e in cases.ALONE},
    }
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "linear_operators.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table.items()) + "\n}\n")
    print(len(table))


if __name__ == "__main__":
    main()
