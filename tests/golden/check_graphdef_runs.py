"""Runs the GraphDefs of graphrt in TensorFlow. By hand, with a Python that has TensorFlow, from the project's root:

    PYTHONPATH=. python -m tests.golden.check_graphdef_runs

Each program is run three ways: by graphrt, by TensorFlow, and as the bytes that graphrt writes, imported by TensorFlow.
All three must agree. Prints a line for each program, and exits with 1 when one failed.
"""

import os
import sys
import traceback

from tests.golden import graphdef_programs as programs

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow

import graphrt

F = np.float32
INPUTS = {
    "simple_relu": [(np.int32(3),), (np.int32(-3),)],
    "add_one": [(np.ones((2, 3), F),)],
    "power": [(np.full((2, 2), 3, np.int32), np.int32(0)), (np.full((2, 2), 3, np.int32), np.int32(2))],
    "fizzbuzz": [(np.int32(6),)],
    "collatz": [(np.int64(27),), (np.int64(1),)],
    "nested_cond": [(F(1), F(2)), (F(1), F(-2)), (F(-1), F(2))],
    "nested_while": [(np.int32(5),), (np.int32(0),)],
    "tensor_array": [(np.int32(5),)],
    "rnn": [(np.linspace(-1, 1, 24).astype(F).reshape(2, 3, 4), np.ones((2, 4), F))],
    "rows": [(np.arange(-6, 6).astype(F).reshape(4, 3),)],
    "break_loop": [(np.arange(5).astype(F), F(2.5)), (np.arange(5).astype(F), F(9))],
    "variables": [(F(1),), (F(-1),)],
    "prints": [(np.int32(2),)],
    "calls": [(np.array([1, -2], F), np.array([3, 4], F))],
    "switch_case": [(np.int32(i), np.array([1, 2, 3], F)) for i in (0, 1, 2, 7)],
    "asserts": [(np.int32(3),)],
    "cond_print": [(np.int32(1),)],
    "constants": [()],
    "arrays": [(np.arange(8).astype(F).reshape(2, 4),)],
    "early_return": [(F(1),), (F(-1),), (F(0),)],
    "logical": [(np.int32(1), np.int32(0)), (np.int32(1), np.int32(1))],
    "while_print": [(np.int32(2),)],
    "closure": [(F(1),), (F(-1),)],
    "control_dependencies": [(F(2),)],
    "strings": [(np.array([b"a", b"bcd"]),)],
    "loop_with_tuple": [(np.int32(10),)],
    "maximum_iterations": [(F(1),), (F(60),)],
    "gradients": [(np.array([0.5, 1, 2], F),)],
}


def outputs_of(function, tf, arguments):
    result = function(*[tf.constant(a) for a in arguments])
    return [np.asarray(t.numpy()) for t in tf.nest.flatten(result) if t is not None]


def run_imported(concrete, arguments, variables):
    """The GraphDef of a concrete function, imported and run by TensorFlow."""
    data = concrete.graph.as_graph_def().SerializeToString()
    message = tensorflow.compat.v1.GraphDef.FromString(data)
    open_ends = {n.name for n in message.node if n.op == "Placeholder"}
    names = [v.name for v in concrete.graph.inputs if v.node.name in open_ends]
    fetches = [v.name for v in concrete.graph.outputs]
    effects = [n.name for n in message.node if n.op == "NoOp"] or [
        n.name for n in message.node if n.op in ("If", "While", "StatefulPartitionedCall", "PrintV2")
    ]

    def body(*tensors):
        handles = [tensorflow.compat.v1.get_default_graph().capture(v.handle) for v in variables]
        feeds = dict(zip(names, [*tensors, *handles], strict=True))
        found = tensorflow.graph_util.import_graph_def(message, feeds, [*fetches, *effects], name="")
        with tensorflow.control_dependencies(found[len(fetches) :]):
            return [tensorflow.identity(t) for t in found[: len(fetches)]]

    specs = [tensorflow.TensorSpec(np.shape(a), np.asarray(a).dtype) for a in arguments]
    wrapped = tensorflow.compat.v1.wrap_function(body, specs)
    return [t.numpy() for t in wrapped(*[tensorflow.constant(a) for a in arguments])]


def check(program, arguments):
    mine, specs = program(graphrt)
    theirs, _ = program(tensorflow)
    concrete = mine.get_concrete_function(*specs)
    variables = [tensorflow.Variable(v.numpy()) for v in concrete.graph.variables]
    imported = run_imported(concrete, arguments, variables)
    expected = outputs_of(theirs, tensorflow, arguments)
    found = outputs_of(mine, graphrt, arguments)
    for a, *others in zip(expected, found, imported, strict=True):
        for other in others:
            if np.asarray(a).dtype.kind in "OS":
                assert np.asarray(a).tolist() == np.asarray(other).tolist()
            else:
                np.testing.assert_allclose(other, a, rtol=1e-6)
    for before, after in zip(concrete.graph.variables, variables):
        np.testing.assert_allclose(before.numpy(), after.numpy())


def main():
    failed = 0
    for program in programs.PROGRAMS:
        name = program.__name__
        if (len(sys.argv) > 1 and name not in sys.argv[1:]) or name not in INPUTS:
            continue
        try:
            for arguments in INPUTS[name]:
                check(program, arguments)
            print(f"{name}: ok", flush=True)
        except Exception as error:
            failed = 1
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
            if len(sys.argv) > 1:
                traceback.print_exc()
    sys.exit(failed)


if __name__ == "__main__":
    main()
