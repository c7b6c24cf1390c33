"""Records for which ops TensorFlow has a gradient: run with a Python that has TensorFlow."""

import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
HERE = os.path.dirname(os.path.abspath(__file__))
import tensorflow as tf  # noqa: E402
from tensorflow.python.framework import ops  # noqa: E402


def known(name):
    """"yes", "none" (said to have none), "missing" (an error when one is asked for), or "unknown": no such op."""
    if not hasattr(tf.raw_ops, name) and name not in ("Const", "Placeholder"):
        return "unknown"
    try:
        return "none" if ops.gradient_registry.lookup(name) is None else "yes"
    except LookupError:
        return "missing"


def main():
    with open(os.path.join(HERE, "op_schemas.json")) as file:
        names = sorted(json.load(file))
    with open(os.path.join(HERE, "gradient_registry.json"), "w") as file:
        json.dump({name: known(name) for name in names}, file, indent=0)
    print(len(names))


if __name__ == "__main__":
    main()
