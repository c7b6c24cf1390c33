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
from tests.graphrt.programs import staged_programs

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")
runtime.set_default_logger_severity(4)
TOLERANCE = {"float32": 2e-5, "float64": 1e-10, "float16": 2e-3, "bfloat16": 2e-2}


def fed(array):
    """An array as ONNX Runtime takes it: strings as text."""
    array = np.asarray(array)
    if array.dtype.kind not in "OS":
        return array
    texts = [s.decode() for s in array.reshape(-1).tolist()]
    return np.array(texts, object).reshape(array.shape) if array.shape else np.array(texts[0], object)


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


def drawn(function, *arguments):
    concrete = tf.function(function).get_concrete_function(*[tf.constant(a) for a in arguments])
    session = runtime.InferenceSession(onnx_bytes(concrete))
    onnx.checker.check_model(onnx_bytes(concrete), full_check=True)
    feed = {p.name: np.asarray(a) for p, a in zip(session.get_inputs(), arguments)}
    return [np.asarray(r) for r in session.run(None, feed)], [np.asarray(r) for r in session.run(None, feed)]


def test_random_numbers_are_of_the_same_distribution_and_new_at_each_call():
    def draw(n):
        tf.random.set_seed(3)
        return (
            tf.random.uniform([1000], 2.0, 4.0),
            tf.random.normal([n, 500]),
            tf.random.uniform([1000], -3, 4, tf.int32),
            tf.random.shuffle(tf.range(50)),
            tf.random.categorical([[0.0, 1.0, -50.0]], 2000),
            tf.nn.dropout(tf.ones([1000]), 0.25),
        )

    first, second = drawn(draw, np.int32(2))
    for one, other in zip(first, second):
        assert one.shape == other.shape and (one != other).any()
    uniform, normal, whole, order, chosen, kept = first
    assert 2 <= uniform.min() < 2.1 and 3.9 < uniform.max() < 4 and uniform.dtype == np.float32
    assert normal.shape == (2, 500) and abs(normal.mean()) < 0.15 and abs(normal.std() - 1) < 0.15
    assert sorted(set(whole.tolist())) == list(range(-3, 4)) and whole.dtype == np.int32
    assert sorted(order.tolist()) == list(range(50))
    share = (chosen == 1).mean()
    assert set(chosen.reshape(-1).tolist()) == {0, 1} and abs(share - np.e / (1 + np.e)) < 0.05
    assert set(np.round(kept * 3).tolist()) == {0, 4} and abs((kept > 0).mean() - 0.75) < 0.06


def test_models_of_keras():
    layers = tf.keras.layers
    images = tf.keras.Sequential([
        layers.Conv2D(4, 3, padding="same", activation="relu"), layers.BatchNormalization(), layers.MaxPooling2D(),
        layers.DepthwiseConv2D(3), layers.UpSampling2D(), layers.Conv2DTranspose(2, 3, strides=2, padding="same"),
        layers.GlobalAveragePooling2D(), layers.LayerNormalization(), layers.Dense(3, activation="softmax"),
    ])  # fmt: skip
    words = tf.keras.Sequential([
        layers.Embedding(10, 4), layers.Bidirectional(layers.LSTM(3, return_sequences=True)), layers.GRU(5),
        layers.Dropout(0.5), layers.Dense(2, activation="gelu"),
    ])  # fmt: skip
    for model, array in ((images, programs.F(3, 12, 12, 3)), (words, programs.I(10, 3, 7))):
        tensor = tf.constant(array)
        wanted = model(tensor).numpy()
        open_ = tf.TensorSpec([None, *array.shape[1:]], tensor.dtype)
        concrete = tf.function(lambda x: model(x, training=False)).get_concrete_function(open_)
        np.testing.assert_allclose(run(onnx_bytes(concrete), [array])[0], wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("program", "calls"), [pytest.param(*p, id=p[0].__name__) for p in staged_programs.PROGRAMS])
def test_staged_program(program, calls):
    """Results are the same, lists as their rows; the only programs that are refused make assertions."""
    known = [tf.constant(a) for a in calls[0]]
    specs = [tf.TensorSpec([None] * t.shape.rank, t.dtype) for t in known]
    try:
        concrete = tf.function(program).get_concrete_function(*specs)
    except Exception:
        pytest.skip("it needs shapes, or Python")
    try:
        session = runtime.InferenceSession(checked(onnx_bytes(concrete)))
    except tf.errors.UnimplementedError as error:
        assert "Assert: " in str(error) or "lists of" in str(error)
        return
    for call in calls:
        tensors = [tf.constant(a) for a in call]
        if [t.dtype for t in tensors] != [s.dtype for s in specs]:
            continue
        try:
            wanted = [t.numpy() for t in tf.nest.flatten(concrete(*tensors)) if tf.is_tensor(t)]
        except tf.errors.OpError:
            continue  # what fails is a runtime's own matter
        found = session.run(None, {p.name: np.asarray(t.numpy()) for p, t in zip(session.get_inputs(), tensors)})
        assert flat_numbers(found) == pytest.approx(flat_numbers(wanted), rel=1e-5, abs=1e-6, nan_ok=True)


def checked(data):
    onnx.checker.check_model(data, full_check=True)
    return data


def flat_numbers(arrays):
    """All numbers, sorted: a list of pairs is two lists of rows in the file."""
    return sorted(float(v) for a in arrays for v in np.asarray(a, "float64").reshape(-1))


# --- samples of single ops -------------------------------------------------------------------------------------------
NO_KERNEL = {  # of float64 ONNX Runtime has none, and float32 would be less exact
    "AvgPool", "AvgPool3D", "Conv2D", "Conv3D", "DepthwiseConv2dNative", "Erf", "Erfc", "MatrixDeterminant",
    "ResizeBicubic", "ResizeBilinear", "ResizeNearestNeighbor",
}  # fmt: skip
OTHER = {
    ("Mean", "float16"),
    ("MatrixBandPart", "string"),
    ("Einsum", "ellipsis"),
}  # an empty mean is 0; no kernel; refused


# ops whose samples have no arrays to be arguments: programs have them
WHOLE = {
    "BroadcastArgs",
    "BroadcastGradientArgs",
    "ConjugateTranspose",
    "InvertPermutation",
    "LinSpace",
    "Range",
    "StringJoin",
    "StringToNumber",
}


def is_left_out(op, inputs):
    every = [a for value in inputs for a in (value if isinstance(value, list) else [value])]
    dtypes = {a.dtype: a for a in every if isinstance(a, samples.A)}
    return (
        not dtypes
        or any("complex" in t or t == "bfloat16" for t in dtypes)
        or (op in NO_KERNEL and "float64" in dtypes)
        or ("string" in dtypes and op in ("Pad", "MirrorPad"))
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
    assert compared > refused or op in {"AsString", "Bitcast", "DiagPart", "MatrixDiagPartV3", "MatrixDiagV3"} | WHOLE
