"""`from_onnx`: what was written is read again; models of others; files that nobody should believe.

Covers: graphrt/export/onnx/readings/
"""

import ast
import json
import os
import pathlib
import random

import numpy as np
import pytest

import graphrt as tf
from graphrt.export.onnx import schema, writing
from graphrt.export.onnx.readings import FAMILIES, all_readings
from graphrt.export.onnx.writing import onnx_bytes, write_tensor
from tests import whole
from tests.graphrt.export.onnx import programs, resizes
from tests.graphrt.export.onnx.recorded_nodes import attribute_of
from tests.graphrt.programs import corpus

EMITTERS = ("emit", "emit_all")


def flat(result):
    return [t for t in tf.nest.flatten(result) if tf.is_tensor(t)]


@pytest.mark.parametrize("name", programs.CASES)
def test_program(name, tmp_path):
    function, arguments = programs.CASES[name]
    concrete = tf.function(function).get_concrete_function(*programs.specs(arguments))
    path = tmp_path / "model.onnx"
    tf.export.to_onnx(concrete, path)
    compare_both(tf.export.from_onnx(path), concrete, programs.arrays(arguments))


def compare_both(read, concrete, arrays):
    tensors = [tf.constant(a) for a in arrays]
    for found, wanted in zip(flat(read(*tensors)), flat(concrete(*tensors)), strict=True):
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
        if wanted.dtype.is_floating:
            limit = 2e-3 if wanted.dtype is tf.float16 else 1e-5
            np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=limit, atol=limit)
        else:
            assert np.asarray(found.numpy()).tolist() == np.asarray(wanted.numpy()).tolist()


CORPUS = {n: c for n, c in corpus.CASES.items() if not n.startswith("more_")}


@pytest.mark.parametrize("name", whole.some(sorted(CORPUS), 12))
def test_what_is_written_of_the_corpus_is_read(name, tmp_path):
    function, arguments = CORPUS[name]
    concrete = tf.function(function).get_concrete_function(*programs.specs(arguments))
    try:
        tf.export.to_onnx(concrete, tmp_path / "model.onnx")
    except tf.errors.UnimplementedError:
        return  # ONNX has no counterpart, and nothing was written
    compare_both(tf.export.from_onnx(tmp_path / "model.onnx"), concrete, programs.arrays(arguments))


def test_every_op_that_is_written_is_read():
    """By their names in the source of the rules, where those of ONNX's ops alone begin with a capital."""
    folder = pathlib.Path(writing.__file__).parent
    written = set()
    for path in [*folder.glob("*.py"), *(folder / "mappings").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in EMITTERS:
                names = [a.value for a in node.args[:1] if isinstance(a, ast.Constant)]
                domain = [f"{a.value}." for a in node.args[1:] if isinstance(a, ast.Constant) and "." in str(a.value)]
                written.update(f"{''.join(domain)}{n}" for n in names)
    assert len(written) > 60
    assert written - set(all_readings()) == set()


# --- models of others ------------------------------------------------------------------------------------------------
def model(*nodes, inputs=(), outputs=("y",), constants=None, opset=17):
    """A model of nodes `(op, inputs, outputs, attributes)`; inputs are `(name, dtype, dims)`."""
    found = schema.message_class("ModelProto")(ir_version=8)
    found.opset_import.add(domain="", version=opset)
    found.graph.name = "g"
    for name, dtype, dims in inputs:
        port = found.graph.input.add(name=name).type.tensor_type
        port.elem_type = schema.NUMBERS[dtype]
        port.shape.SetInParent()
        for size in dims:
            port.shape.dim.add(dim_param="n") if size is None else port.shape.dim.add(dim_value=size)
    for name in outputs:
        found.graph.output.add(name=name)
    for name, array in (constants or {}).items():
        write_tensor(found.graph.initializer.add(), np.asarray(array), name)
    add_nodes(found.graph.node, nodes)
    return found


def add_nodes(field, nodes):
    for op, given, made, *attributes in nodes:
        node = field.add(op_type=op, name=f"the_{op}")
        node.input.extend(given)
        node.output.extend(made)
        for name, value in (attributes[0] if attributes else {}).items():
            attribute_of(node, name, value)


def read(message, tmp_path, name="model.onnx"):
    path = tmp_path / name
    path.write_bytes(message if isinstance(message, bytes) else message.SerializeToString())
    return tf.export.from_onnx(path)


X = np.float32([[1, -2, 3], [-4, 5, -6]])
ROW = [("x", tf.float32, [2, 3])]
F = lambda *shape: np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 10 - 0.5
IMAGE = F(1, 2, 5, 6)
SINGLE = [  # op, constants behind x, attributes, what it gives of X
    ("LeakyRelu", [], {"alpha": 0.1}, np.where(X < 0, X * np.float32(0.1), X)),
    ("Celu", [], {"alpha": 2.0}, np.where(X < 0, 2 * np.expm1(X / 2), X)),
    ("ThresholdedRelu", [], {"alpha": 2.0}, np.where(X > 2, X, 0)),
    ("HardSigmoid", [], {}, np.clip(X * 0.2 + 0.5, 0, 1)),
    ("HardSwish", [], {}, X * np.clip(X / 6 + 0.5, 0, 1)),
    ("Mish", [], {}, X * np.tanh(np.log1p(np.exp(X)))),
    ("PRelu", [np.float32([1, 2, 3])], {}, np.where(X < 0, X * [1, 2, 3], X)),
    ("Clip", [np.float32(-1), np.float32(2)], {}, np.clip(X, -1, 2)),
    ("Pow", [np.int64(2)], {}, X**2),
    ("Mod", [np.float32(4)], {"fmod": 1}, np.fmod(X, 4)),
    ("IsInf", [], {"detect_negative": 0}, np.zeros((2, 3), bool)),
    ("ReduceL1", [], {"axes": [1]}, np.abs(X).sum(1, keepdims=True)),
    ("ReduceL2", [], {"axes": [0], "keepdims": 0}, np.sqrt((X**2).sum(0))),
    ("ReduceSumSquare", [], {}, (X**2).sum(keepdims=True)),
    ("ReduceLogSumExp", [], {"axes": [1], "keepdims": 0}, np.log(np.exp(X).sum(1))),
    ("ReduceMax", [], {"axes": [1]}, X.max(1, keepdims=True)),
    ("ReduceSum", [np.int64([1])], {"keepdims": 0}, X.sum(1)),
    ("ReduceSum", [np.int64([])], {"noop_with_empty_axes": 1}, X),
    ("ArgMax", [], {"axis": 1}, X.argmax(1)[:, None]),
    ("CumSum", [np.int64(1)], {"reverse": 1}, X[:, ::-1].cumsum(1)[:, ::-1]),
    ("Flatten", [], {"axis": 0}, X.reshape(1, 6)),
    ("Reshape", [np.int64([0, -1, 1])], {}, X.reshape(2, 3, 1)),
    ("Squeeze", [], {}, X),
    ("Unsqueeze", [np.int64([-1, 0])], {}, X[None, :, :, None]),
    ("Transpose", [], {}, X.T),
    ("Expand", [np.int64([2, 1, 1])], {}, np.broadcast_to(X, [2, 2, 3])),
    ("Slice", [np.int64([-1]), np.int64([-99]), np.int64([1]), np.int64([-2])], {}, X[:, ::-2]),
    ("Slice", [np.int32([0, 1]), np.int32([1, 99])], {}, X[:1, 1:]),
    ("Gather", [np.int64([-1, 0])], {"axis": 1}, X[:, [-1, 0]]),
    ("GatherElements", [np.int64([[0, -1], [1, 1]])], {"axis": 1}, np.float32([[1, 3], [5, 5]])),
    ("GatherND", [np.int64([[1], [2]])], {"batch_dims": 1}, np.float32([-2, -6])),
    ("GatherND", [np.int64([[0, 1], [1, -1]])], {}, np.float32([-2, -6])),
    (
        "ScatterElements",
        [np.int64([[0], [-1]]), np.float32([[9], [8]])],
        {"axis": 1},
        np.float32([[9, -2, 3], [-4, 5, 8]]),
    ),
    ("ScatterND", [np.int64([[1]]), np.ones((1, 3), np.float32)], {"reduction": "add"}, X + np.float32([[0], [1]])),
    ("Pad", [np.int64([0, 1, 1, -1]), np.float32(7)], {}, np.float32([[7, 1, -2], [7, -4, 5], [7, 7, 7]])),
    ("Pad", [np.int64([0, 2, 1, 1])], {"mode": "edge"}, np.pad(X, [(0, 1), (2, 1)], "edge")),
    ("Pad", [np.int64([1, 4, 0, -1])], {"mode": "wrap"}, np.pad(X, [(1, 0), (4, 0)], "wrap")[:, :-1]),
    ("Trilu", [np.int64(1)], {}, np.triu(X, 1)),
    ("Trilu", [], {"upper": 0}, np.tril(X)),
    ("EyeLike", [], {"k": 1}, np.eye(2, 3, 1, dtype=np.float32)),
    ("Compress", [np.array([True, False, True])], {"axis": 1}, X[:, [0, 2]]),
    ("NonZero", [], {}, np.argwhere(X).T),
    ("Shape", [], {"start": -1}, np.int64([3])),
    ("Softmax", [], {"axis": 0}, np.exp(X) / np.exp(X).sum(0)),
    ("Dropout", [], {}, X),
    ("MatMul", [np.float32([1, 2, 3])], {}, X @ np.float32([1, 2, 3])),
    ("Gemm", [F(3, 2), np.float32([1, 2])], {"alpha": 2.0, "beta": 0.5}, 2 * X @ F(3, 2) + 0.5 * np.float32([1, 2])),
    (
        "LayerNormalization",
        [np.ones(3, np.float32)],
        {"epsilon": 0.0},
        (X - X.mean(1, keepdims=True)) / X.std(1, keepdims=True),
    ),
    ("Cast", [], {"to": 7}, X.astype(np.int64)),
    ("Max", [np.float32([0, 1, 2]), np.float32(-1)], {}, np.maximum(X, [0, 1, 2])),
    ("Mean", [np.float32(2)], {}, (X + 2) / 2),
]


@pytest.mark.parametrize("case", SINGLE, ids=lambda c: c[0])
def test_single_op(case, tmp_path):
    op, constants, attributes, wanted = case
    names = [f"c{i}" for i in range(len(constants))]
    message = model((op, ["x", *names], ["y"], attributes), inputs=ROW, constants=dict(zip(names, constants)))
    found = read(message, tmp_path)(tf.constant(X)).numpy()
    assert np.shape(found) == np.shape(wanted)
    np.testing.assert_allclose(np.asarray(found, "f8"), np.asarray(wanted, "f8"), rtol=1e-5, atol=1e-6)


IMAGES = [
    ("MaxPool", {"kernel_shape": [2, 2], "strides": [2, 2], "ceil_mode": 1}, (1, 2, 3, 3)),
    ("AveragePool", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}, (1, 2, 5, 6)),
    ("GlobalAveragePool", {}, (1, 2, 1, 1)),
    ("GlobalMaxPool", {}, (1, 2, 1, 1)),
    ("LRN", {"size": 3}, (1, 2, 5, 6)),
]


@pytest.mark.parametrize(("op", "attributes", "shape"), IMAGES)
def test_images_agree_with_the_runtime(op, attributes, shape, tmp_path):
    message = model((op, ["x"], ["y"], attributes), inputs=[("x", tf.float32, IMAGE.shape)])
    found = read(message, tmp_path)(tf.constant(IMAGE)).numpy()
    assert found.shape == shape
    compare_with_runtime(message, found, x=IMAGE)


def compare_with_runtime(message, found, **given):
    runtime = pytest.importorskip("onnxruntime")
    for port in message.graph.output:
        port.type.tensor_type.elem_type = 1
    (wanted,) = runtime.InferenceSession(message.SerializeToString()).run(None, given)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


RESIZED = json.loads(resizes.ANSWERS.read_text())


@pytest.mark.parametrize("name", sorted(RESIZED))
def test_resizing_is_that_of_the_runtime(name, tmp_path):
    message, array = resizes.CASES[name]
    found = read(message, tmp_path)(tf.constant(array)).numpy()
    shape, numbers = RESIZED[name]
    assert list(found.shape) == shape
    limit = 3e-2 if name == "cubic asymmetric sized" else 2e-5  # the op for images looks up 1024 weights
    np.testing.assert_allclose(found.ravel(), numbers, rtol=1e-5, atol=limit)


def test_sizes_that_are_known_when_it_is_run(tmp_path):
    """Along a dimension of any length, to a size that is an argument."""
    message, _ = resizes.model(resizes.LINE, mode="linear", antialias=1, axes=[3])
    message.graph.input[0].type.tensor_type.shape.dim[3].dim_param = "n"
    port = message.graph.input.add(name="sizes").type.tensor_type
    port.elem_type = 7
    port.shape.dim.add(dim_value=1)
    message.graph.node[0].input[3] = "sizes"
    concrete = read(message, tmp_path)
    constant = resizes.model(resizes.LINE, sizes=[5], mode="linear", antialias=1, axes=[3])[0]
    found = concrete(tf.constant(resizes.LINE), tf.constant([5], tf.int64)).numpy()
    assert found.tolist() == read(constant, tmp_path, "b.onnx")(tf.constant(resizes.LINE)).numpy().tolist()
    assert concrete(tf.constant(resizes.LINE[..., :2]), tf.constant([3], tf.int64)).shape == (1, 1, 1, 3)


@pytest.mark.parametrize(("attributes", "told"), [
    ({"mode": "square"}, "resizing by 'square' cannot be read"), ({"coordinate_transformation_mode": "x"}, "the coordinates of 'x'"),
    ({"nearest_mode": "x"}, "the nearest by 'x'"), ({"keep_aspect_ratio_policy": "x"}, "its policy 'x'"),
    ({"axes": [4]}, r"its axes \[4\] of a tensor of rank 4"),
])  # fmt: skip
def test_other_resizing_is_told(attributes, told, tmp_path):
    sizes = [3] * len(attributes.get("axes", [0] * 4))
    with pytest.raises(tf.errors.DataLossError, match=told):
        read(resizes.model(resizes.PLANE, sizes=sizes, **attributes)[0], tmp_path)


@pytest.mark.parametrize("stays", [0, 1])
@pytest.mark.parametrize("op", ["ReduceSum", "ReduceL1", "ReduceMax", "ReduceLogSumExp"])
def test_axes_that_are_known_when_it_is_run(op, stays, tmp_path):
    message = model(
        (op, ["x", "axes"], ["y"], {"noop_with_empty_axes": stays}), inputs=[*ROW, ("axes", tf.int64, [None])], opset=18
    )
    concrete = read(message, tmp_path)
    for axes in ([], [1], [0, -1]):
        constant = model(
            (op, ["x", "axes"], ["y"], {"noop_with_empty_axes": stays}),
            inputs=ROW,
            constants={"axes": np.int64(axes)},
            opset=18,
        )
        found = concrete(tf.constant(np.abs(X)), tf.constant(axes, tf.int64)).numpy()
        wanted = read(constant, tmp_path, "b.onnx")(tf.constant(np.abs(X))).numpy()
        assert found.shape == ((2, 3) if stays and not axes else (2, 1) if axes == [1] else (1, 1))
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize(("op", "places"), [("ArgMax", [2, 3]), ("ArgMin", [3, 2])])
def test_the_last_of_equal_elements(op, places, tmp_path):
    message = model(
        (op, ["x"], ["y"], {"axis": -1, "select_last_index": 1, "keepdims": 0}), inputs=[("x", tf.float32, [2, 4])]
    )
    assert read(message, tmp_path)(tf.constant([[1.0, 2, 2, 1], [2, 1, 1, 2]])).numpy().tolist() == places


@pytest.mark.parametrize("attributes", [
    {"pads": [1, 0, 2, 1]}, {"auto_pad": "SAME_LOWER", "strides": [2, 2]}, {"dilations": [2, 1]}, {"group": 2},
])  # fmt: skip
def test_convolutions_agree_with_the_runtime(attributes, tmp_path):
    weights, bias = F(4, 2 // attributes.get("group", 1), 3, 2), np.float32([1, 2, 3, 4])
    message = model(
        ("Conv", ["x", "w", "b"], ["y"], attributes), inputs=[("x", tf.float32, IMAGE.shape)],
        constants={"w": weights, "b": bias},
    )  # fmt: skip
    compare_with_runtime(message, read(message, tmp_path)(tf.constant(IMAGE)).numpy(), x=IMAGE)


@pytest.mark.parametrize(
    "attributes", [{"strides": [2, 2]}, {"pads": [1, 1, 0, 1], "output_padding": [1, 0], "strides": [2, 2]}]
)
def test_transposed_convolutions_agree_with_the_runtime(attributes, tmp_path):
    message = model(
        ("ConvTranspose", ["x", "w"], ["y"], attributes), inputs=[("x", tf.float32, IMAGE.shape)],
        constants={"w": F(2, 3, 3, 2)},
    )  # fmt: skip
    compare_with_runtime(message, read(message, tmp_path)(tf.constant(IMAGE)).numpy(), x=IMAGE)


def test_a_loop_whose_carried_value_grows_and_which_stops_by_number(tmp_path):
    body = model(
        ("Concat", ["v", "v"], ["w"], {"axis": 0}), ("Identity", ["go"], ["again"]), ("Add", ["i", "i"], ["row"])
    ).graph
    body.input.add(name="i"), body.input.add(name="go"), body.input.add(name="v")
    del body.output[:]
    body.output.add(name="again"), body.output.add(name="w")
    row = body.output.add(name="row").type.tensor_type
    row.elem_type = 7
    row.shape.SetInParent()
    message = model(
        ("Loop", ["n", "", "x"], ["y", "rows"], {"body": body}),
        inputs=ROW,
        outputs=("y", "rows"),
        constants={"n": np.int64(3)},
    )
    message.graph.node[0].input[1] = ""
    found = read(message, tmp_path)(tf.constant(X))
    assert found["y"].shape == [16, 3]
    assert found["rows"].numpy().tolist() == [0, 2, 4]


I64 = np.int64
SEQUENCES = [  # nodes from x to y, constants, what y is of X
    ([("SplitToSequence", ["x"], ["s"]), ("SequenceLength", ["s"], ["y"])], {}, I64(2)),
    ([("SplitToSequence", ["x"], ["s"], {"axis": 1, "keepdims": 0}), ("SequenceAt", ["s", "i"], ["y"])], {"i": I64(-1)}, X[:, 2]),
    ([("SplitToSequence", ["x"], ["s"], {"axis": -1}), ("SequenceAt", ["s", "i"], ["y"])], {"i": I64(1)}, X[:, 1:2]),
    ([("SplitToSequence", ["x", "n"], ["s"], {"axis": 1}), ("SequenceAt", ["s", "i"], ["y"])], {"i": I64(1), "n": I64(2)}, X[:, 2:]),
    ([("SplitToSequence", ["x", "n"], ["s"], {"axis": 1}), ("SequenceAt", ["s", "i"], ["y"])],
     {"i": I64(1), "n": I64([1, 2])}, X[:, 1:]),
    ([("SplitToSequence", ["x"], ["s"]), ("ConcatFromSequence", ["s"], ["y"], {"axis": 1})], {}, X.reshape(1, 6)),
    ([("SplitToSequence", ["x"], ["s"], {"keepdims": 0}), ("ConcatFromSequence", ["s"], ["y"], {"axis": -1, "new_axis": 1})], {}, X.T),
    ([("SequenceConstruct", ["x", "a"], ["s"]), ("ConcatFromSequence", ["s"], ["y"], {"axis": -2})], {"a": X[:1]}, np.float32([*X, X[0]])),
    ([("SequenceEmpty", [], ["e"]), ("SequenceInsert", ["e", "x"], ["s"]), ("SequenceAt", ["s", "i"], ["y"])], {"i": I64(0)}, X),
    ([("SplitToSequence", ["x"], ["s"], {"axis": 1}), ("SequenceErase", ["s", "i"], ["t"]),
      ("ConcatFromSequence", ["t"], ["y"], {"axis": 1})], {"i": I64(-3)}, X[:, 1:]),
    ([("SplitToSequence", ["x"], ["s"], {"axis": 1}), ("SequenceErase", ["s"], ["t"]),
      ("ConcatFromSequence", ["t"], ["y"], {"axis": 1})], {}, X[:, :2]),
    ([("SplitToSequence", ["x"], ["s"], {"axis": 1}), ("SequenceInsert", ["s", "a", "i"], ["t"]),
      ("ConcatFromSequence", ["t"], ["y"], {"axis": 1})], {"i": I64(-1), "a": X}, np.concatenate([X[:, :2], X, X[:, 2:]], 1)),
    ([("SplitToSequence", ["x"], ["s"], {"axis": 1}), ("SequenceErase", ["s", "i"], ["t"]), ("SequenceInsert", ["t", "a", "i"], ["u"]),
      ("ConcatFromSequence", ["u"], ["y"], {"axis": 1})], {"i": I64(1), "a": X}, np.concatenate([X[:, :1], X, X[:, 2:]], 1)),
    ([("SplitToSequence", ["x"], ["s"], {"axis": 1}), ("SequenceErase", ["s", "i"], ["t"]), ("SequenceInsert", ["t", "a", "j"], ["u"]),
      ("ConcatFromSequence", ["u"], ["y"], {"axis": 1})], {"i": I64(0), "j": I64(2), "a": X}, np.concatenate([X[:, 1:], X], 1)),
]  # fmt: skip


@pytest.mark.parametrize(
    "case", SEQUENCES, ids=[f"{i} {'-'.join(n[0] for n in c[0])}" for i, c in enumerate(SEQUENCES)]
)
def test_sequences(case, tmp_path):
    nodes, constants, wanted = case
    message = model(*nodes, inputs=ROW, constants=constants)
    message.graph.output[0].type.tensor_type.elem_type = 7 if wanted.dtype == np.int64 else 1
    found = read(message, tmp_path)(tf.constant(X)).numpy()
    assert (found.dtype, found.shape, found.tolist()) == (wanted.dtype, wanted.shape, wanted.tolist())


@pytest.mark.parametrize("place", [2, -3])
@pytest.mark.parametrize("op", ["SequenceErase", "SequenceAt"])
def test_places_outside_of_a_sequence_are_told(op, place, tmp_path):
    nodes = [("SplitToSequence", ["x"], ["s"]), (op, ["s", "i"], ["t"])]
    last = ("SequenceLength", ["t"], ["y"]) if op == "SequenceErase" else ("Identity", ["t"], ["y"])
    concrete = read(model(*nodes, last, inputs=ROW, constants={"i": I64(place)}), tmp_path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="in a list with 2 elements"):
        concrete(tf.constant(X))


@pytest.mark.parametrize(("nodes", "told"), [
    ([("SplitToSequence", ["x"], ["s"]), ("Abs", ["s"], ["y"])], "its input 0 is a sequence, expected a tensor"),
    ([("SequenceLength", ["x"], ["y"])], "its input 0 is a tensor, expected a sequence"),
    ([("SequenceLength", [], ["y"])], "its input 0 is missing, expected a sequence"),
    ([("SequenceEmpty", [], ["s"], {"dtype": 99}), ("SequenceLength", ["s"], ["y"])], "its element type 99 is not known"),
    ([("SequenceEmpty", [], ["s"], {"dtype": 7}), ("SequenceInsert", ["s", "x"], ["y"])], "an element of float32 for a sequence of int64"),
    ([("SplitToSequence", ["x"], ["s"], {"axis": 2}), ("SequenceLength", ["s"], ["y"])], "the axis 2 of a tensor of rank 2"),
])  # fmt: skip
def test_sequences_that_do_not_fit_are_told(nodes, told, tmp_path):
    with pytest.raises(tf.errors.DataLossError, match=told):
        read(model(*nodes, inputs=ROW), tmp_path)


def test_a_sequence_as_a_result_is_refused(tmp_path):
    with pytest.raises(tf.errors.UnimplementedError, match="a result is a sequence"):
        read(model(("SplitToSequence", ["x"], ["y"]), inputs=ROW), tmp_path)


def encoder(dtype, tensors=(), **lists):
    """A model of one LabelEncoder."""
    message = model(("LabelEncoder", ["x"], ["y"]), inputs=[("x", dtype, [None])])
    message.opset_import.add(domain="ai.onnx.ml", version=4)
    (node,) = message.graph.node
    node.domain = "ai.onnx.ml"
    for name, value in lists.items():
        attribute = node.attribute.add(name=name)
        kinds = {float: ("floats", schema.FLOATS), int: ("ints", schema.INTS), bytes: ("strings", schema.STRINGS)}
        if isinstance(value, list):
            field, attribute.type = kinds[type(value[0])]
            getattr(attribute, field).extend(value)
        else:
            attribute.type = kinds[type(value)][1] - 5
            setattr(attribute, {float: "f", int: "i", bytes: "s"}[type(value)], value)
    for name, value in tensors:
        attribute = node.attribute.add(name=name, type=schema.TENSOR)
        write_tensor(attribute.t, value)
    return message


NAN = float("nan")
ENCODERS = [
    (encoder(tf.string, keys_strings=[b"a", b"b"], values_int64s=[5, 6]), [b"b", b"c", b"a"], [6, -1, 5]),
    (encoder(tf.int64, keys_int64s=[3, -2], values_strings=[b"x", b"y"]), [-2, 0, 3], [b"y", b"_Unused", b"x"]),
    (encoder(tf.float32, keys_floats=[0.5, NAN], values_floats=[1.5, 2.5], default_float=9.0), [NAN, 0.5, 1.0], [2.5, 1.5, 9.0]),
    (encoder(tf.string, keys_strings=[b"a"], values_strings=[b"b"], default_string=b"none"), [b"", b"a"], [b"none", b"b"]),
    (encoder(tf.int64, [("keys_tensor", I64([4, 5])), ("values_tensor", np.float64([0.25, 0.5])), ("default_tensor", np.float64([7]))]),
     [5, 6, 4], [0.5, 7.0, 0.25]),
    (encoder(tf.string, classes_strings=[b"p", b"q"]), [b"q", b"r"], [1, -1]),
    (encoder(tf.int64, classes_strings=[b"p", b"q"]), [1, 2, 0], [b"q", b"_Unused", b"p"]),
]  # fmt: skip


@pytest.mark.parametrize(("message", "given", "wanted"), ENCODERS)
def test_encoders_of_labels(message, given, wanted, tmp_path):
    concrete = read(message, tmp_path)
    (spec,) = concrete.structured_input_signature[0]
    assert concrete(tf.constant(given, spec.dtype)).numpy().tolist() == wanted
    assert concrete(tf.constant([], spec.dtype)).numpy().tolist() == []


@pytest.mark.parametrize(("lists", "told"), [
    ({"keys_int64s": [1]}, "its values are missing"), ({"keys_int64s": [1, 2], "values_int64s": [1]}, "2 keys and 1 values"),
    ({"keys_int64s": 1, "values_int64s": [1]}, "its attribute 'keys_int64s' is no list"),
])  # fmt: skip
def test_encoders_that_do_not_fit_are_told(lists, told, tmp_path):
    with pytest.raises(tf.errors.DataLossError, match=told):
        read(encoder(tf.int64, **lists), tmp_path)


def test_texts_are_joined_where_one_is_for_all(tmp_path):
    message = model(
        ("StringConcat", ["x", "c"], ["y"]),
        inputs=[("x", tf.string, [None, 1])],
        constants={"c": np.array([b"p", b"q"], object)},
        opset=20,
    )
    assert read(message, tmp_path)(tf.constant([["a"], ["b"]])).numpy().tolist() == [[b"ap", b"aq"], [b"bp", b"bq"]]


def test_functions_of_a_model_are_put_in_place(tmp_path):
    message = model(("Twice", ["x"], ["y"], {"by": 3.0}), inputs=ROW)
    message.graph.node[0].domain = "own"
    made = message.functions.add(name="Twice", domain="own")
    made.input.append("a")
    made.output.append("b")
    made.attribute.append("by")
    add_nodes(made.node, [("Elu", ["a"], ["b"])])
    made.node[0].attribute.add(name="alpha", ref_attr_name="by", type=schema.FLOAT)
    found = read(message, tmp_path)(tf.constant(X)).numpy()
    np.testing.assert_allclose(found, np.where(X < 0, 3 * np.expm1(X), X), rtol=1e-5)


def test_inputs_keep_their_names_and_open_dimensions(tmp_path):
    concrete = read(model(("Neg", ["x"], ["y"]), inputs=[("x", tf.float32, [None, 3])]), tmp_path)
    (spec,) = concrete.structured_input_signature[0]
    assert (spec.name, spec.shape.as_list()) == ("x", [None, 3])
    assert concrete(tf.constant(X)).numpy().tolist() == (-X).tolist()


def test_constants_in_a_file_beside_the_model(tmp_path):
    message = model(("Add", ["x", "c"], ["y"]), inputs=ROW)
    tensor = message.graph.initializer.add(name="c", data_type=1, data_location=1)
    tensor.dims.extend([3])
    for key, value in (("location", "weights.bin"), ("offset", "4"), ("length", "12")):
        tensor.external_data.add(key=key, value=value)
    (tmp_path / "weights.bin").write_bytes(np.float32([9, 1, 2, 3]).tobytes())
    assert read(message, tmp_path)(tf.constant(X)).numpy().tolist() == (X + np.float32([1, 2, 3])).tolist()
    tensor.external_data[1].value = "8"
    with pytest.raises(tf.errors.DataLossError, match="8 bytes in a tensor of 12"):
        read(message, tmp_path)
    for place in ("../weights.bin", "/etc/hostname", "a/../../weights.bin"):
        tensor.external_data[0].value = place
        with pytest.raises(tf.errors.PermissionDeniedError, match="outside of the directory of the model"):
            read(message, tmp_path)
    os.symlink("/etc/hostname", tmp_path / "link")
    tensor.external_data[0].value = "link"
    with pytest.raises(tf.errors.PermissionDeniedError, match="outside"):
        read(message, tmp_path)
    tensor.external_data[0].value = "nothing.bin"
    with pytest.raises(tf.errors.DataLossError, match="which is not there"):
        read(message, tmp_path)


# --- what is refused -------------------------------------------------------------------------------------------------
def test_unknown_ops_are_listed_with_their_nodes(tmp_path):
    message = model(("Hardmax", ["x"], ["a"]), ("Abs", ["a"], ["b"]), ("Bernoulli", ["b"], ["y"]), inputs=ROW)
    with pytest.raises(tf.errors.UnimplementedError) as caught:
        read(message, tmp_path)
    assert str(caught.value).splitlines()[1:] == ["  Hardmax: node 'the_Hardmax'", "  Bernoulli: node 'the_Bernoulli'"]


@pytest.mark.parametrize("opset", [0, 12, 22])
def test_other_opsets_are_refused(opset, tmp_path):
    with pytest.raises(tf.errors.UnimplementedError, match=f"opset {opset}; from 13 to 21 can be read"):
        read(model(("Abs", ["x"], ["y"]), inputs=ROW, opset=opset), tmp_path)


@pytest.mark.parametrize(("nodes", "told"), [
    ([("Abs", ["z"], ["y"])], "node 'the_Abs' .Abs.: there is no value 'z' before it"),
    ([("Abs", [], ["y"])], "its input 0 is missing"),
    ([("Cast", ["x"], ["y"])], "its attribute 'to' is missing"),
    ([("Cast", ["x"], ["y"], {"to": "no"})], "its attribute 'to' is of kind 3, expected 2"),
    ([("Concat", ["x", "x"], ["y"], {"axis": 7})], "node 'the_Concat'"),
    ([("Abs", ["x"], ["a"])], "an output of a graph: there is no value 'y' before it"),
    ([("Abs", ["x"], ["y", "z"])], "it has 2 outputs, its op 1"),
    ([("Split", ["x"], ["y"], {"axis": -9})], "the axis -9 of a tensor of rank 2"),
])  # fmt: skip
def test_malformed_models_are_told(nodes, told, tmp_path):
    with pytest.raises(tf.errors.DataLossError, match=told):
        read(model(*nodes, inputs=ROW), tmp_path)


def test_what_is_no_model_is_told(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="there is no ONNX file"):
        tf.export.from_onnx(tmp_path / "nothing.onnx")
    for data in (b"", b"\xff\xff\xff", b"PK\x03\x04 not a model"):
        with pytest.raises(tf.errors.DataLossError):
            read(data, tmp_path)


def test_limits_hold(tmp_path):
    many = model(
        *[("Neg", ["x" if i == 0 else f"v{i - 1}"], [f"v{i}"]) for i in range(50)], inputs=ROW, outputs=("v49",)
    )
    with tf.config.limits(nodes=40), pytest.raises(tf.errors.ResourceExhaustedError, match="nodes"):
        read(many, tmp_path)
    big = model(("Add", ["x", "c"], ["y"]), inputs=ROW, constants={"c": np.zeros([100, 2, 3], np.float32)})
    with (
        tf.config.limits(elements=100),
        pytest.raises(tf.errors.ResourceExhaustedError, match="a constant of 600 elements"),
    ):
        read(big, tmp_path)
    huge = model(("Abs", ["c"], ["y"]))
    huge.graph.initializer.add(name="c", data_type=1, raw_data=b"").dims.extend([1 << 20, 1 << 30])
    with pytest.raises(tf.errors.ResourceExhaustedError):
        read(huge, tmp_path)
    calls_itself = model(("F", ["x"], ["y"]), inputs=ROW)
    calls_itself.graph.node[0].domain = "own"
    made = calls_itself.functions.add(name="F", domain="own")
    made.input.append("a")
    made.output.append("b")
    add_nodes(made.node, [("F", ["a"], ["b"])])
    made.node[0].domain = "own"
    with pytest.raises(tf.errors.ResourceExhaustedError, match="functions that use each other"):
        read(calls_itself, tmp_path)


def test_a_loop_without_end_stops_at_the_limit(tmp_path):
    body = model(("Identity", ["go"], ["again"]), ("Neg", ["v"], ["w"])).graph
    body.input.add(name="i"), body.input.add(name="go"), body.input.add(name="v")
    del body.output[:]
    body.output.add(name="again"), body.output.add(name="w")
    endless = read(model(("Loop", ["", "", "x"], ["y"], {"body": body}), inputs=ROW), tmp_path)
    with tf.config.limits(iterations=100), pytest.raises(tf.errors.ResourceExhaustedError, match="iterations"):
        endless(tf.constant(X))


def test_a_result_of_a_terabyte_is_refused_when_it_runs(tmp_path):
    message = model(("ConstantOfShape", ["n"], ["y"]), inputs=[("n", tf.int64, [1])])
    large = read(message, tmp_path)
    with tf.config.limits(bytes=1 << 20), pytest.raises(tf.errors.ResourceExhaustedError):
        large(tf.constant([1 << 40], tf.int64))


def test_corrupted_files_are_refused_or_read(tmp_path):
    """Any change of any byte gives a model or one of the errors that are told; nothing else, and soon."""
    function, arguments = programs.CASES["read_while_written"]
    data = onnx_bytes(tf.function(function).get_concrete_function(*programs.specs(arguments)))
    told = (
        tf.errors.DataLossError,
        tf.errors.UnimplementedError,
        tf.errors.ResourceExhaustedError,
        tf.errors.PermissionDeniedError,
    )
    chance = random.Random(5)
    outcomes = {True: 0, False: 0}
    for turn in range(150):
        changed = bytearray(data)
        if turn % 3 == 0:
            del changed[chance.randrange(len(changed)) :]
        else:
            for _ in range(1 + turn % 4):
                changed[chance.randrange(len(changed))] = chance.randrange(256)
        try:
            read(bytes(changed), tmp_path)
            outcomes[True] += 1
        except told as error:
            assert "model.onnx" in str(error)
            outcomes[False] += 1
    assert outcomes[False] > 50


def test_rules_stand_in_one_family():
    names = [name for family in FAMILIES for name in family.READINGS]
    assert len(set(names)) == len(names) == len(all_readings()) > 130


def test_a_model_that_was_read_is_written_again(tmp_path):
    function, arguments = programs.CASES["dense_layer"]
    tf.export.to_onnx(tf.function(function).get_concrete_function(*programs.specs(arguments)), tmp_path / "one.onnx")
    again = tf.export.from_onnx(tmp_path / "one.onnx")
    tf.export.to_onnx(again, tmp_path / "two.onnx")
    x = tf.constant(programs.arrays(arguments)[0])
    assert tf.export.from_onnx(tmp_path / "two.onnx")(x).numpy().tolist() == again(x).numpy().tolist()
