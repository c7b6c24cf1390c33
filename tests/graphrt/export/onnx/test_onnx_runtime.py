"""What ONNX Runtime makes of the files written here is what graphrt makes of the functions.

Covers: graphrt/export/onnx/mappings/
"""

import numpy as np
import pytest

import graphrt as tf
from graphrt.export.onnx.mappings import all_rules
from graphrt.export.onnx.writing import onnx_bytes
from tests.golden import op_samples_cases as samples
from tests.golden import op_samples_runner as sampling
from tests.graphrt.export.onnx import programs

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")
runtime.set_default_logger_severity(4)
TOLERANCE = {"float32": 2e-5, "float64": 1e-10, "float16": 2e-3, "bfloat16": 2e-2}


def fed(array):
    """An array as ONNX Runtime takes it: strings as text."""
    array = np.asarray(array)
    if array.dtype.kind not in "OS":
        return array
    return np.array([s.decode() for s in array.reshape(-1).tolist()], "U").reshape(array.shape)


def run(data, arrays):
    """What ONNX Runtime gives, once the checker has passed the model."""
    onnx.checker.check_model(data, full_check=True)
    session = runtime.InferenceSession(data)
    return session.run(None, {p.name: fed(a) for p, a in zip(session.get_inputs(), arrays)})


def assert_same(found, wanted, dtype):
    found = np.asarray(found)
    wanted = fed(wanted)
    assert found.shape == wanted.shape
    if dtype.is_floating:
        limit = TOLERANCE[dtype.name]
        np.testing.assert_allclose(found.astype("float64"), wanted.astype("float64"), rtol=limit, atol=limit)
    else:
        assert found.tolist() == wanted.tolist()


@pytest.mark.parametrize("name", programs.CASES)
def test_program(name):
    function, arguments = programs.CASES[name]
    concrete = tf.function(function).get_concrete_function(*programs.specs(arguments))
    arrays = programs.arrays(arguments)
    wanted = [t for t in tf.nest.flatten(concrete(*map(tf.constant, arrays))) if tf.is_tensor(t)]
    found = run(onnx_bytes(concrete), arrays)
    assert len(found) == len(wanted) > 0
    for one, tensor in zip(found, wanted):
        assert_same(one, tensor.numpy(), tensor.dtype)


def test_bicubic_resizing_is_that_of_a_table_here():
    images = tf.constant(programs.IMAGE)
    concrete = tf.function(lambda x: tf.image.resize(x, [11, 13], "bicubic")).get_concrete_function(images)
    (found,) = run(onnx_bytes(concrete), [programs.IMAGE])
    np.testing.assert_allclose(found, concrete(images).numpy(), atol=3e-3)  # 1024 weights for all places between two


# --- samples of single ops -------------------------------------------------------------------------------------------
NO_KERNEL = {  # of float64 ONNX Runtime has none, and float32 would be less exact
    "AvgPool", "AvgPool3D", "Conv2D", "Conv3D", "DepthwiseConv2dNative", "Erf", "Erfc", "MatrixDeterminant",
    "ResizeBicubic", "ResizeBilinear", "ResizeNearestNeighbor",
}  # fmt: skip
# of strings of rank 0, and some gathered ones, the runtime gives back what is not in them
STRINGS = {"Fill", "GatherV2", "Identity", "OneHot", "PreventGradient", "SelectV2", "StopGradient"}
OTHER = {
    ("Mean", "float16"),
    ("MatrixBandPart", "string"),
    ("Einsum", "ellipsis"),
}  # an empty mean is 0; no kernel; refused


# ops whose samples have no arrays to be arguments: programs have them
WHOLE = {"BroadcastArgs", "BroadcastGradientArgs", "ConjugateTranspose", "InvertPermutation", "LinSpace", "Range"}


def is_left_out(op, inputs):
    every = [a for value in inputs for a in (value if isinstance(value, list) else [value])]
    dtypes = {a.dtype: a for a in every if isinstance(a, samples.A)}
    return (
        not dtypes
        or any("complex" in t or t == "bfloat16" for t in dtypes)
        or (op in NO_KERNEL and "float64" in dtypes)
        or ("string" in dtypes and (op in STRINGS or 0 in dtypes["string"].shape))
        or (op == "Mean" and 0 in next(iter(dtypes.values())).shape)
        or (op, "string") in OTHER
        and "string" in dtypes
    )


def exported(op, inputs, attrs, tensors, is_open):
    """The model of a call whose arrays are arguments; or, when one of them must be known, only the first."""
    places = [i for i, a in enumerate(inputs) if isinstance(a, samples.A)]
    for chosen in (places, places[:1]):
        specs = [
            tf.TensorSpec([None] * tensors[i].shape.rank if is_open else tensors[i].shape, tensors[i].dtype)
            for i in chosen
        ]

        def call(*arguments):
            given = dict(zip(chosen, arguments))
            return sampling.flat(sampling.call(tf, op, [given.get(i, t) for i, t in enumerate(tensors)], attrs))

        try:
            return onnx_bytes(tf.function(call, autograph=False).get_concrete_function(*specs)), [
                tensors[i] for i in chosen
            ]
        except tf.errors.UnimplementedError:
            pass
    return None, []


@pytest.mark.parametrize("op", sorted(set(samples.CASES) & set(all_rules())))
def test_samples(op):
    compared = refused = 0
    for index, (inputs, attrs) in enumerate(samples.CASES[op]):
        if is_left_out(op, inputs):
            continue
        tensors = [sampling.tensor(tf, v, (op, index, i)) for i, v in enumerate(inputs)]
        try:
            wanted = sampling.flat(sampling.call(tf, op, tensors, attrs))
        except Exception:
            continue  # bad input, which is refused here
        if any(t.dtype.is_complex or t.dtype is tf.bfloat16 for t in wanted):
            continue
        data, given = exported(op, inputs, attrs, tensors, index % 2 == 1)
        if data is None or (op == "Einsum" and "..." in attrs["equation"]):
            refused += 1
            continue
        for one, tensor in zip(run(data, [t.numpy() for t in given]), wanted, strict=True):
            assert_same(one, tensor.numpy(), tensor.dtype)
        compared += 1
    assert compared > refused or op in {"Bitcast", "DiagPart", "MatrixDiagPartV3", "MatrixDiagV3"} | WHOLE
