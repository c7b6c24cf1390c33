"""Records what TensorFlow does with the cases of `ops_b_cases`: run with a Python that has TensorFlow."""

import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ops_b_runner as runner  # noqa: E402
import tensorflow as tf  # noqa: E402
from ops_b_cases import CASES  # noqa: E402


def record(case):
    eager, _ = runner.run_eagerly(tf, case)
    f = tf.function(runner.function_of(tf, case), autograph=False)

    def build():
        concrete = f.get_concrete_function(*runner.specs_of(tf, case))
        leaves = concrete.structured_outputs
        leaves = list(leaves) if isinstance(leaves, (list, tuple)) else [leaves]
        return {
            "shapes": [runner.shape_of(v) for v in leaves],
            "nodes": [[o.name, o.type] for o in concrete.graph.get_operations()],
        }

    graph, _ = runner.outcome(build)
    run, _ = runner.outcome(lambda: f(*[tf.constant(a[0], a[1]) for a in case[1:]]))
    ran = run if isinstance(run, dict) and "error" in run else {"ok": True}
    return {"case": repr(case), "eager": eager, "graph": graph, "run": ran}


def write(cases, name, nodes=False):
    """Records `cases` in the file `name` beside this one; with `nodes` the names and types of the nodes, too."""
    found = [record(case) for case in cases]
    if not nodes:
        for entry in found:
            entry["graph"].pop("nodes", None)
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(f) for f in found) + "\n]\n")
    print(len(found))


if __name__ == "__main__":
    write(CASES, "ops_b.json", nodes=True)
