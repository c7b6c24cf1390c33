"""Records what TensorFlow knows of shapes while it traces public functions: run with a Python that has tensorflow-cpu 2.20.

    python -m tests.golden.record_static_shapes [FILE ...]
"""

import json
import multiprocessing
import os
import sys
import warnings

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

from tests.golden import public_edge_runner as runner
from tests.golden import static_shape_runner


def of_file(name):
    """What is known of the calls of a file."""
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    warnings.simplefilter("ignore")
    known, found = runner.recorded(name), {}
    for call in runner.calls(name):
        number = static_shape_runner.case(call, known[call.text])
        if call.traced and number is not None:
            found[call.text] = [static_shape_runner.static(tf, call, number, ranks) for ranks in (True, False)]
    return found


def main(names):
    everything = static_shape_runner.recorded() if static_shape_runner.RECORD.exists() else {}
    for name in names or runner.files():
        with multiprocessing.get_context("spawn").Pool(1) as pool:  # graphs are kept: each file has a process
            everything[name] = pool.apply(of_file, (name,))
        print(name, len(everything[name]), flush=True)
        parts = [
            f"{json.dumps(name)}: {{\n"
            + ",\n".join(f"{json.dumps(t)}: {json.dumps(v, separators=(',', ':'))}" for t, v in calls.items())
            + "\n}"
            for name, calls in sorted(everything.items())
        ]
        static_shape_runner.RECORD.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
