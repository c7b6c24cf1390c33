"""Records TensorFlow's declarations of the ops that graphrt declares: names, types, attributes, defaults.

    PYTHONPATH=. python -m tests.golden.record_op_schemas
"""

import json
import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf  # noqa: F401  # registers the ops
from google.protobuf import json_format
from tensorflow.python.framework import op_def_registry

import graphrt  # noqa: F401  # declares the ops
from graphrt.ir.op import REGISTRY, declare_all


def argument(arg):
    return {
        "name": arg.name,
        "type": arg.type,
        "type_attr": arg.type_attr,
        "number_attr": arg.number_attr,
        "list_attr": arg.type_list_attr,
    }


def attribute(attr):
    found = {"name": attr.name, "kind": attr.type}
    if attr.HasField("default_value"):
        found["default"] = json_format.MessageToDict(attr.default_value)
    if attr.HasField("allowed_values"):
        among = attr.allowed_values.list
        found["allowed"] = [s.decode() for s in among.s] if attr.type == "string" else list(among.type)
    if attr.has_minimum:
        found["minimum"] = attr.minimum
    return found


def main() -> None:
    declare_all()
    table = {}
    for name in sorted(REGISTRY):
        op = op_def_registry.get(name)
        if op is not None:
            table[name] = {
                "inputs": [argument(a) for a in op.input_arg],
                "outputs": [argument(a) for a in op.output_arg],
                "attrs": [attribute(a) for a in op.attr],
                "stateful": op.is_stateful,
            }
    lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in table.items())
    path = pathlib.Path(__file__).parent / "op_schemas.json"
    path.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
