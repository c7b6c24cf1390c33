"""Records the nodes that TensorFlow makes of the expressions of `node_cases`.

Run it with a Python that has tensorflow-cpu 2.20:  python -m tests.golden.record_nodes
"""

import json
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

from tests.golden.node_cases import ATTRIBUTES, CASES, specs_of


def plain(array):
    array = np.asarray(array)
    if array.dtype.kind in "SO":
        flat = [v.decode("latin-1") if isinstance(v, bytes) else v for v in array.reshape(-1).tolist()]
    elif array.dtype.kind == "c":
        flat = [[v.real, v.imag] for v in array.reshape(-1).tolist()]
    else:
        flat = array.reshape(-1).tolist()
    return {"dtype": "string" if array.dtype.kind in "SO" else array.dtype.name, "shape": list(array.shape), "value": flat}


def node(operation):
    found = {"name": operation.name, "op": operation.type, "inputs": [t.name for t in operation.inputs]}
    for key in ATTRIBUTES:
        if key in operation.node_def.attr:
            found[key] = operation.get_attr(key)
    if operation.type == "Const":
        found["value"] = plain(tf.make_ndarray(operation.get_attr("value")))
    return found


def run_traced(text, specs):
    named = specs_of(tf, specs)
    function = eval(f"lambda {', '.join(n for n, _ in named)}: {text}", {"tf": tf, "np": np})
    try:
        graph = tf.function(function, autograph=False).get_concrete_function(*(s for _, s in named)).graph
    except Exception as error:
        return {"kind": "error", "classes": [c.__name__ for c in type(error).__mro__ if c.__name__ not in ("object", "BaseException")]}
    out = graph.outputs[0]
    return {
        "kind": "graph", "dtype": out.dtype.name, "shape": None if out.shape.rank is None else out.shape.as_list(),
        "nodes": [node(o) for o in graph.get_operations() if o.type != "Placeholder"],
    }  # fmt: skip


def main():
    rows = [json.dumps([text, specs, run_traced(text, specs)]) for text, specs in CASES]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "nodes.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(rows) + "\n]\n")
    print(len(rows))


if __name__ == "__main__":
    main()
