"""Records what TensorFlow does with the samples of `op_samples_cases`: run with a Python that has TensorFlow."""

import json
import os

from tests.golden import op_samples_runner as runner
from tests.golden.op_samples_cases import CASES

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
HERE = os.path.dirname(os.path.abspath(__file__))
import tensorflow as tf  # noqa: E402

MISSING = ("NotFoundError", "UnimplementedError", "InternalError")  # no kernel for this dtype on a CPU


def record(op, index, sample):
    now = runner.eager(tf, op, index, sample)
    shapes = []
    for how in ("dims", "rank", "nothing"):
        with tf.Graph().as_default():
            shapes.append(runner.known(tf, op, index, sample, how, tf.compat.v1.placeholder))
    return [None if isinstance(now, dict) and now["error"] in MISSING else now, shapes]


def main():
    lines = []
    count = 0
    for op in sorted(CASES):
        if not hasattr(tf.raw_ops, op) or op not in runner.SCHEMAS:
            print("no op", op)
            continue
        found = [record(op, i, sample) for i, sample in enumerate(CASES[op])]
        count += len(found)
        lines.append(f"{json.dumps(op)}: {json.dumps(found, separators=(',', ':'))}")
    with open(os.path.join(HERE, "op_samples.json"), "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
    print(len(lines), count)


if __name__ == "__main__":
    main()
