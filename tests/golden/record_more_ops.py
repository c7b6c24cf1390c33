"""Records what TensorFlow does with the cases of `more_ops_cases.txt`: run with a Python that has TensorFlow."""

import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import more_ops_runner as runner  # noqa: E402
import tensorflow as tf  # noqa: E402


def main():
    found = {}
    for case in runner.cases():
        result = runner.run(tf, case)
        if "error" in result:
            result = {"error": result["error"][0]}
        found[case] = result
    with open(os.path.join(runner.HERE, "more_ops.json"), "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in found.items()) + "\n}\n")
    print(len(found))


if __name__ == "__main__":
    main()
