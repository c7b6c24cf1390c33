"""Records what TensorFlow gives for the samples of `edge_value_cases`: run with a Python that has TensorFlow.

    python -m tests.golden.record_edge_values [op ...]

Without names all ops are recorded, else those, and the others stay as they are. TensorFlow runs in a process of its own, for
some samples end it: those, and those that take too long, are recorded as null.
"""

import json
import multiprocessing
import os
import sys

from tests.golden import edge_value_cases as cases

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
HERE = os.path.dirname(os.path.abspath(__file__))

PATH = os.path.join(HERE, "edge_values.json")
MISSING = ("NotFoundError", "UnimplementedError", "InternalError")  # no kernel for this dtype on a CPU


def work(connection):
    import tensorflow as tf

    from tests.golden import edge_value_runner as runner

    while True:
        op, index = connection.recv()
        connection.send(runner.eager(tf, op, cases.samples(op)[index]) if hasattr(tf.raw_ops, op) else "no op")


class Worker:
    def __init__(self):
        self.started = False
        self.connection, other = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=work, args=(other,), daemon=True)
        self.process.start()
        other.close()

    def ask(self, op, index):
        self.connection.send((op, index))
        if not self.connection.poll(15 if self.started else 200):
            self.process.kill()
            return None
        self.started = True
        return self.connection.recv()


def main(names):
    recorded = json.load(open(PATH)) if names else {}
    worker = Worker()
    for op in names or cases.OPS:
        found = []
        for index in range(len(cases.samples(op))):
            try:
                result = worker.ask(op, index)
            except (EOFError, BrokenPipeError):
                result = None
            if result is None:
                print("ended or stopped by", op, index, cases.samples(op)[index], flush=True)
                worker = Worker()
            found.append(None if result in MISSING else result)
        recorded[op] = found
        print(op, flush=True)
    lines = [f"{json.dumps(op)}: {json.dumps(recorded[op], separators=(',', ':'))}" for op in sorted(recorded)]
    with open(PATH, "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
