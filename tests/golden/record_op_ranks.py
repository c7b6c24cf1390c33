"""Records which ranks TensorFlow takes for the inputs of raw ops while tracing: `python -m tests.golden.record_op_ranks`."""

import json
import os

from tests.golden import op_rank_runner as runner


def main():
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow as tf

    found = {}
    left = list(runner.SCHEMAS)
    while left:
        reading, writing = os.pipe()
        child = os.fork()  # some ops end the process
        if child == 0:
            for op in left:
                os.write(writing, (json.dumps([op, runner.ranks_of(tf, op)]) + "\n").encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as lines:
            for line in lines:
                op, told = json.loads(line)
                left.remove(op)
                if told:
                    found[op] = told
        if os.waitpid(child, 0)[1]:
            print("ended TensorFlow:", left.pop(0))
    text = ",\n".join(f"{json.dumps(op)}: {json.dumps(told)}" for op, told in sorted(found.items()))
    with open(runner.GOLDEN, "w", encoding="utf-8") as file:
        file.write("{\n" + text + "\n}\n")


if __name__ == "__main__":
    main()
