"""Records how TensorFlow traces: number of traces, signatures, classes of errors. Run with a Python that has it.

    python -m tests.golden.record_function
"""

from __future__ import annotations

import json
import os
import pathlib

from tests.golden import function_cases

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf


def _count(options, function, calls):
    traced = tf.function(function, **options)
    for args, kwargs in calls:
        traced(*args, **kwargs)
    return traced.experimental_get_tracing_count()


def _concrete(options, function, args, kwargs):
    concrete = tf.function(function, **options).get_concrete_function(*args, **kwargs)
    return {
        "pretty": concrete.pretty_printed_signature(),
        "text": concrete.pretty_printed_signature(False),
        "inputs": [t.name for t in concrete.inputs],
        "signature": repr(concrete.structured_input_signature),
        "dtypes": repr(concrete.output_dtypes),
        "nodes": [[n.name, n.op] for n in concrete.graph.as_graph_def().node],
    }


def main() -> None:
    data = {
        "version": tf.__version__,
        "traces": {name: _count(o, f, calls) for name, o, f, calls in function_cases.trace_cases(tf)},
        "polymorphism": {name: run() for name, run in function_cases.polymorphism(tf).items()},
        "concrete": {name: _concrete(o, f, a, k) for name, o, f, a, k in function_cases.concrete_cases(tf)},
    }
    path = pathlib.Path(__file__).with_name("function.json")
    path.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
