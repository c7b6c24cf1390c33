"""Records what TensorFlow gives for the calls of `public_edges/*.txt`: run with a Python that has tensorflow-cpu 2.20.

    python -m tests.golden.record_public_edges [FILE ...]

With `PUBLIC_EDGES=FOLDER` all cases are recorded, into that folder. TensorFlow runs in a process of its own, for some calls end it: those, and those that take too long, are recorded as null.
"""

import json
import multiprocessing
import os
import signal
import sys
import warnings

from tests.golden import public_edge_runner as runner

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""


SECONDS = 20  # that a call may take


def serve(connection):
    """Answers questions until one ends the process."""
    import tensorflow as tf

    held, calls = "", []
    while True:
        name, index, number = connection.recv()
        if name != held:
            held, calls = name, runner.calls(name)
        signal.alarm(SECONDS)
        connection.send(runner.eager(tf, calls[index], number))
        signal.alarm(0)


def work(connection):
    """Imports TensorFlow once; what serves is forked from here, again where it ended."""
    import tensorflow as tf

    tf.get_logger().setLevel("ERROR")
    warnings.simplefilter("ignore")
    while True:
        child = os.fork()
        if child == 0:
            try:
                serve(connection)
            finally:
                os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            return  # nobody asks any more
        connection.send(None)


def main(names):
    connection, other = multiprocessing.Pipe()
    multiprocessing.get_context("spawn").Process(target=work, args=(other,), daemon=True).start()
    other.close()
    for name in names or runner.files():
        found = {}
        for index, call in enumerate(runner.calls(name)):
            results = []
            for number in call.numbers():
                connection.send((name, index, number))
                result = connection.recv()
                if result is None:
                    print("ended by", call.text, number, str(call.cases[number])[:120], flush=True)
                results.append(None if result in runner.MISSING else result)
            found[call.text] = results
        lines = [f"{json.dumps(text)}: {json.dumps(results, separators=(',', ':'))}" for text, results in found.items()]
        runner.record_of(name).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        print(name, len(found), sum(map(len, found.values())), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
