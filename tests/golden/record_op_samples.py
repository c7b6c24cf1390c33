"""Records what TensorFlow does with the samples of `op_samples_cases`: run with a Python that has TensorFlow.

What is recorded already stays, unless `all` is given. A sample that ends TensorFlow's process is recorded as null.
"""

import json
import os
import subprocess
import sys

from tests.golden import op_samples_runner as runner
from tests.golden.op_samples_pictures import CASES

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(HERE, "op_samples.json")
MISSING = ("NotFoundError", "UnimplementedError", "InternalError")  # no kernel for this dtype on a CPU
CRASHED = [None, [{"error": "InternalError"}] * 3]


def record(tf, op, index, sample):
    now = runner.eager(tf, op, index, sample)
    shapes = []
    for how in ("dims", "rank", "nothing"):
        with tf.Graph().as_default():
            shapes.append(runner.known(tf, op, index, sample, how, tf.compat.v1.placeholder))
    return [None if isinstance(now, dict) and now["error"] in MISSING else now, shapes]


def wanted(recorded):
    ops = [op for op in sorted(CASES) if op in runner.SCHEMAS]
    return [(op, i) for op in ops for i in range(len(recorded.get(op, ())), len(CASES[op]))]


def recorded_now(everything):
    return {} if everything else json.load(open(PATH))


def work(first, everything):
    """Prints a line for each sample from the `first` one on."""
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    for op, index in wanted(recorded_now(everything))[first:]:
        known = hasattr(tf.raw_ops, op)
        found = record(tf, op, index, CASES[op][index]) if known else CRASHED
        print(json.dumps(found, separators=(",", ":")), flush=True)


def main(everything):
    recorded = recorded_now(everything)
    samples, found = wanted(recorded), []
    while len(found) < len(samples):
        command = [sys.executable, "-m", "tests.golden.record_op_samples", "from", str(len(found)), *["all"] * everything]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        found += map(json.loads, run.stdout.decode().splitlines())
        if len(found) < len(samples):
            print("ended by", *samples[len(found)])
            found.append(CRASHED)
    for (op, _), result in zip(samples, found):
        recorded.setdefault(op, []).append(result)
    lines = [f"{json.dumps(op)}: {json.dumps(recorded[op], separators=(',', ':'))}" for op in sorted(recorded)]
    with open(PATH, "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")
    print(len(lines), len(samples))


if __name__ == "__main__":
    given = sys.argv[1:]
    work(int(given[1]), "all" in given) if given[:1] == ["from"] else main("all" in given)
