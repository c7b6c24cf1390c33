"""Records what TensorFlow does with the cases of `numpy_cases`: run with a Python that has TensorFlow."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import record_ops_b  # noqa: E402
from numpy_cases import CASES  # noqa: E402


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numpy_names.json")
    found = []
    for case in CASES:
        entry = record_ops_b.record(case)
        if "nodes" in entry["graph"]:  # the names of nodes are what smaller functions are tested for
            del entry["graph"]["nodes"]
        found.append(entry)
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(f) for f in found) + "\n]\n")
    print(len(found))


if __name__ == "__main__":
    main()
