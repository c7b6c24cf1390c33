"""Records what TensorFlow gives for the calls of `half_precision_cases`: run with a Python that has TensorFlow."""

import json
import os

from tests.golden.half_precision_cases import DTYPES, EXACT, NEAR, run

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
HERE = os.path.dirname(os.path.abspath(__file__))
import tensorflow as tf  # noqa: E402


def main():
    found = {dtype: {call: run(tf, call, dtype) for call in EXACT + NEAR} for dtype in DTYPES}
    with open(os.path.join(HERE, "half_precision.json"), "w") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(d)}: " + "{\n" + ",\n".join(f"{json.dumps(c)}: {json.dumps(v, separators=(',', ':'))}" for c, v in calls.items()) + "\n}" for d, calls in found.items()) + "\n}\n")
    print({d: len(c) for d, c in found.items()})


if __name__ == "__main__":
    main()
