"""Models of one node, or two, that say in a word what takes a loop: `CASES`, name -> (message, arrays).

PYTHONPATH=. python -m tests.graphrt.export.onnx.recorded_nodes    with a Python that has onnxruntime: records its answers
"""

import json
import pathlib

import numpy as np

from graphrt.export.onnx import schema
from graphrt.export.onnx.writing import write_tensor
from graphrt.types.dtype import from_numpy

ANSWERS = pathlib.Path(__file__).with_name("recorded_nodes.json")
KINDS = {dtype.name: number for number, dtype in schema.DTYPES.items()}


def attribute_of(node, name, value):
    made = node.attribute.add(name=name)
    if isinstance(value, int):
        made.type, made.i = schema.INT, value
    elif isinstance(value, float):
        made.type, made.f = schema.FLOAT, value
    elif isinstance(value, str):
        made.type, made.s = schema.STRING, value.encode()
    elif not isinstance(value, list):
        made.type = schema.GRAPH
        made.g.CopyFrom(value)
    elif isinstance(value[0], str):
        made.type = schema.STRINGS
        made.strings.extend(v.encode() for v in value)
    elif isinstance(value[0], float):
        made.type = schema.FLOATS
        made.floats.extend(value)
    else:
        made.type = schema.INTS
        made.ints.extend(value)


def port(ports, name, dtype, dims):
    made = ports.add(name=name)
    made.type.tensor_type.elem_type = KINDS[dtype]
    for size in dims or ():
        made.type.tensor_type.shape.dim.add(dim_param=size) if isinstance(size, str) else (
            made.type.tensor_type.shape.dim.add(dim_value=size)
        )


def graph_of(graph, nodes, inputs, outputs, constants=()):
    graph.name = "g"
    for op, given, made, attributes in nodes:
        node = graph.node.add(op_type=op, name=f"the_{op}")
        node.input.extend(given.split(" "))
        node.output.extend(made.split(" "))
        for name, value in attributes.items():
            attribute_of(node, name, value)
    for name, dtype, dims in inputs:
        port(graph.input, name, dtype, dims)
    for name, dtype in outputs:
        port(graph.output, name, dtype, None)
    for name, array in dict(constants).items():
        write_tensor(graph.initializer.add(), array, name)
    return graph


def model(nodes, given, outputs, constants=()):
    """`given`: name -> (array, dimensions)."""
    found = schema.message_class("ModelProto")(ir_version=8)
    found.opset_import.add(domain="", version=17)
    inputs = [(name, from_numpy(array.dtype).name, dims) for name, (array, dims) in given.items()]
    graph_of(found.graph, nodes, inputs, outputs, constants)
    return found, [array for array, _ in given.values()]


def numbers(*shape):
    """Numbers of both signs that any Python makes the same."""
    return (np.sin(np.arange(np.prod(shape)) * 1.7 + len(shape)) * 0.9).astype(np.float32).reshape(shape)


GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
STEPS, BATCH, INPUTS, HIDDEN = 4, 2, 2, 3


def recurrent(op, direction="forward", states=False, peepholes=False, biases=True, layout=False, **attributes):
    both, gates = 2 if direction == "bidirectional" else 1, GATES[op] * HIDDEN
    weights = {"W": numbers(both, gates, INPUTS), "R": numbers(both, gates, HIDDEN)}
    if biases:
        weights["B"] = numbers(both, 2 * gates)
    given = {"x": (numbers(STEPS, BATCH, INPUTS), ["t", "b", INPUTS])}
    if states:
        given["lengths"] = np.int32([4, 2]), ["b"]
        weights["h"] = numbers(both, BATCH, HIDDEN)
        if op == "LSTM":
            weights["c"] = -numbers(both, BATCH, HIDDEN)
    if peepholes:
        weights["P"] = numbers(both, 3 * HIDDEN)
    known = {*weights, *given}
    names = " ".join(n if n in known else "" for n in ("x", "W", "R", "B", "lengths", "h", "c", "P"))
    made = ["y", "y_h", *(["y_c"] if op == "LSTM" else [])]
    attributes = {"hidden_size": HIDDEN, "direction": direction, **attributes}
    return model([(op, names.rstrip(" "), " ".join(made), attributes)], given, [(n, "float32") for n in made], weights)


def scan(axis, direction):
    body = graph_of(
        schema.message_class("GraphProto")(),
        [("Add", "state e", "next", {}), ("Mul", "next w", "row", {})],
        [("state", "float32", [3]), ("e", "float32", [3])],
        [("next", "float32"), ("row", "float32")],
    )
    for own in body.output:
        own.type.tensor_type.shape.dim.add(dim_value=3)
    attributes = {
        "body": body, "num_scan_inputs": 1, "scan_input_axes": [axis], "scan_output_axes": [-axis],
        "scan_input_directions": [direction], "scan_output_directions": [1 - direction],
    }  # fmt: skip
    shape = ["n", 3] if axis == 0 else [3, "n"]
    x = numbers(4, 3) if axis == 0 else numbers(3, 4)
    return model(
        [("Scan", "zero x", "last rows", attributes)], {"x": (x, shape)}, [("last", "float32"), ("rows", "float32")],
        {"zero": np.zeros(3, np.float32), "w": numbers(3)},
    )  # fmt: skip


def pooled(**attributes):
    attributes = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1], "ceil_mode": 1, **attributes}
    return model(
        [("AveragePool", "x", "y", attributes)], {"x": (numbers(1, 2, 6, 6), [1, 2, 6, 6])}, [("y", "float32")]
    )


CASES = {f"{op} {d}": recurrent(op, d, True) for op in GATES for d in ("forward", "reverse", "bidirectional")}
CASES |= {
    "LSTM with activations": recurrent(
        "LSTM", "bidirectional", clip=0.7, activations=["HardSigmoid", "Softsign", "Relu", "Sigmoid", "LeakyRelu", "Elu"],
        activation_alpha=[0.3, 0.05], activation_beta=[0.4],
    ),
    "LSTM that looks at its memory": recurrent("LSTM", "bidirectional", True, peepholes=True),
    "LSTM with one gate for two": recurrent("LSTM", biases=False, input_forget=1),
    "GRU with activations": recurrent("GRU", clip=0.5, activations=["Sigmoid", "ScaledTanh"], activation_alpha=[0.8], activation_beta=[0.6]),
    "GRU linear before reset": recurrent("GRU", "bidirectional", True, linear_before_reset=1),
    "GRU linear before reset, no biases": recurrent("GRU", biases=False, linear_before_reset=1),
    "RNN affine": recurrent("RNN", activations=["Affine"], activation_alpha=[0.5], activation_beta=[0.1]),
    "RNN above": recurrent("RNN", "reverse", activations=["ThresholdedRelu"], activation_alpha=[0.2]),
    "Scan": scan(0, 0),
    "Scan backwards": scan(0, 1),
    "Scan of columns": scan(1, 0),
    "mean of whole windows": pooled(),
    "mean of whole windows and padding": pooled(count_include_pad=1),
    "DepthToSpace by columns": model(
        [("DepthToSpace", "x", "y", {"blocksize": 2, "mode": "CRD"})], {"x": (numbers(1, 8, 2, 3), [1, 8, 2, 3])},
        [("y", "float32")],
    ),
    "quantized and back": model(
        [("QuantizeLinear", "x s z", "q", {"axis": 1}), ("DequantizeLinear", "q s z", "y", {"axis": 1})],
        {"x": (numbers(4, 3) * 9, ["n", 3])}, [("q", "int8"), ("y", "float32")],
        {"s": np.float32([0.1, 0.2, 0.05]), "z": np.int8([0, 3, -5])},
    ),
    "quantized without zero": model(
        [("QuantizeLinear", "x s", "q", {}), ("DequantizeLinear", "q s", "y", {})],
        {"x": (numbers(4, 3) * 300, ["n", 3])}, [("q", "uint8"), ("y", "float32")], {"s": np.float32(0.5)},
    ),
    "a product of dynamic numbers": model(
        [("DynamicQuantizeLinear", "x", "q s z", {}), ("MatMulInteger", "q w z of_w", "y", {})],
        {"x": (numbers(2, 3), ["n", 3])},
        [("q", "uint8"), ("s", "float32"), ("z", "uint8"), ("y", "int32")],
        {"w": np.int8([[1, -2], [100, 7], [-128, 127]]), "of_w": np.int8([3, -4])},
    ),
}  # fmt: skip


if __name__ == "__main__":
    import onnxruntime

    answers = {}
    for name, (message, arrays) in CASES.items():
        session = onnxruntime.InferenceSession(message.SerializeToString())
        found = session.run(None, {p.name: a for p, a in zip(session.get_inputs(), arrays)})
        answers[name] = [[a.dtype.name, list(a.shape), [round(float(v), 7) for v in a.ravel()]] for a in found]
    ANSWERS.write_text("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in answers.items()) + "\n}\n")
    print(len(answers))
