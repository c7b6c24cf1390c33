"""The nodes that calls and operators make have TensorFlow's names, types, inputs and attributes."""

import json

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN
from tests.golden.node_cases import ATTRIBUTES, specs_of

RECORDED = json.loads((GOLDEN / "nodes.json").read_text())
DIFFERENCES = {  # what is otherwise, and why
    "x * 2 | x:bool[2]": ("other nodes", "one LogicalAnd instead of three casts and a product"),
    "x + 2**40 | x:int32[]": ("raises DTypeMismatchError", "refused while tracing: it could not run"),
    "tf.add(2, x) | x:float32[2]": ("is accepted", "2 + x works as the operator does"),
    "tf.reduce_sum(x, [0, 0]) | x:float32[2,3]": ("raises ShapeError", "refused while tracing: it could not run"),
    "tf.cumsum(x, 4) | x:float32[None,3]": ("raises ShapeError", "refused while tracing: it could not run"),
    "tf.math.segment_sum(x, [0, 1]) | x:float32[2,3]": ("type float32 [2, 3]", "more is known of the shape"),
    "tf.zeros(tf.shape(x) * 2) | x:float32[None,3]": ("type float32 [None, 6]", "more is known of the shape"),
}


def traced(text, specs):
    named = specs_of(tf, specs)
    tf.random.set_seed(None)  # as when nobody chose one
    function = eval(f"lambda {', '.join(n for n, _ in named)}: {text}", {"tf": tf, "np": np})
    return tf.function(function, autograph=False).get_concrete_function(*(s for _, s in named)).graph


@pytest.mark.parametrize(
    ("text", "specs", "recorded"), RECORDED, ids=[f"{text} | {specs}" for text, specs, _ in RECORDED]
)
def test_traced(text, specs, recorded):
    expected = DIFFERENCES.get(f"{text} | {specs}", [None])[0]
    assert traced_difference(text, specs, recorded) == expected


def traced_difference(text, specs, recorded):
    try:
        graph = traced(text, specs)
    except Exception as error:
        classes = [c.__name__ for c in type(error).__mro__]
        return None if recorded["kind"] == "error" and recorded["classes"][0] in classes else f"raises {classes[0]}"
    if recorded["kind"] == "error":
        return "is accepted"
    out = graph.outputs[0]
    dims = None if out.dims is None else list(out.dims)
    if (out.dtype.name, dims) != (recorded["dtype"], recorded["shape"]):
        return f"type {out.dtype.name} {dims}"
    nodes = [(n["name"], n["op"], n["inputs"]) for n in recorded["nodes"]]
    ours = [o for o in graph.get_operations() if o.type != "Placeholder"]
    if [(o.name, o.type, [t.name for t in o.inputs]) for o in ours] != nodes:
        return "other nodes"
    for operation, node in zip(ours, recorded["nodes"]):
        for key in ATTRIBUTES:
            if key in node and operation.node.attrs.get(key) != node[key]:
                return f"{operation.name}.{key}"
        if operation.type == "Const":
            array = np.asarray(operation.node.attrs["value"])
            name = "string" if array.dtype == object else array.dtype.name
            if (name, list(array.shape)) != (node["value"]["dtype"], node["value"]["shape"]):
                return f"{operation.name}.value"
    return None


def test_operands_of_one_dtype_are_recorded_as_all_others_are():
    """The short way of recording: captures, other graphs, weak tensors, other dtypes, subclasses and failures take the long."""

    class Number(float):
        pass

    outer = tf.constant([1.0, 2.0])

    @tf.function
    def f(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * 2 + outer - Number(1.0)
            y = 3 / y if tf.reduce_sum(y) > 0.0 else y
        with tf.name_scope("inner"):
            z = tf.add(x, 1, name="sum")
        return tape.gradient(y, x), z, n // 2 + True if n.dtype == tf.bool else n // 2

    graph = f.get_concrete_function(outer, tf.constant(7)).graph
    nodes = {op.name: [v.name for v in op.inputs] for op in graph.get_operations()}
    assert nodes["mul"] == ["x:0", "mul/y:0"] and nodes["inner/sum"] == ["x:0", "inner/sum/y:0"]
    gradient, z, n = f(outer, tf.constant(7))
    np.testing.assert_allclose(gradient, -6 / (2 * outer.numpy() + outer.numpy() - 1) ** 2, rtol=1e-6)
    assert z.numpy().tolist() == [2.0, 3.0] and n.numpy() == 3
    for wrong in (lambda x: x + 2**40, lambda x: x + 1.5, lambda x: x + "a"):
        with pytest.raises((TypeError, ValueError)):
            tf.function(wrong).get_concrete_function(tf.constant(1))
    with pytest.raises(tf.errors.ShapeError, match=r"Incompatible shapes: \[2\] vs. \[3\] for op 'Mul' named 'mul'"):
        tf.function(lambda x, y: x * y).get_concrete_function(tf.zeros([2]), tf.zeros([3]))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: tf.nn.space_to_depth(x, 2, data_format="x"),
        lambda x: tf.nn.depth_to_space(x, 1),
        lambda x: tf.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], [2, 2], method="x"),
        lambda x: tf.raw_ops.SpaceToDepth(input=x, block_size=2, data_format="x"),
    ],
)
def test_options_are_among_those_that_are_declared(call):
    x = tf.ones([1, 4, 4, 4])
    for run in (call, tf.function(call)):
        with pytest.raises(ValueError, match=r"attribute '\w+' is the (string 'x'|int 1), expected"):
            run(x)


AXES_AND_SIZES = {  # calls that take whole numbers, and the numbers
    "reshape": (lambda n: tf.reshape(tf.range(6), n), [2, 3]),
    "tile": (lambda n: tf.tile([[1, 2]], n), [2, 2]),
    "transpose": (lambda n: tf.transpose([[1, 2]], n), [1, 0]),
    "reduce_sum": (lambda n: tf.reduce_sum([[1, 2]], n), [1]),
    "pad": (lambda n: tf.pad([1, 2], n), [[1, 0]]),
    "diag": (lambda n: tf.linalg.diag([1, 2], k=n), 1),
    "band_part": (lambda n: tf.linalg.band_part(tf.ones([2, 2]), n, n), 0),
    "linspace": (lambda n: tf.linspace(0.0, 1.0, n), 3),
    "resize": (lambda n: tf.image.resize(tf.ones([1, 2, 2, 1]), n), [1, 3]),
    "row_lengths": (lambda n: tf.RaggedTensor.from_row_lengths([1, 2], n).to_tensor(), [0, 2]),
    "seed": (lambda n: tf.random.stateless_uniform([2], n), [1, 2]),
}


@pytest.mark.parametrize("case", AXES_AND_SIZES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, np.int64])
def test_arrays_of_whole_numbers_are_axes_and_sizes_whatever_their_dtype(case, dtype):
    call, numbers = AXES_AND_SIZES[case]
    array = np.array(numbers, dtype)
    for run in (call, lambda n: tf.function(lambda: call(n))()):
        np.testing.assert_array_equal(run(array), call(numbers))


def test_tensors_of_floats_within_lists_are_sizes_where_they_are_whole():
    size = tf.constant(2.0)
    for run in (tf.tile, tf.function(lambda x, n: tf.tile(x, [size, 1]))):
        with tf.GradientTape():
            assert run(tf.constant([[1]]), [size, 1]).numpy().tolist() == [[1], [1]]
    with pytest.raises(TypeError, match=r"float\d+ to a tensor of dtype int32"):
        tf.tile([[1]], [tf.constant(2.5), 1])
    with pytest.raises(TypeError, match="parameter 'multiples'"):
        tf.function(lambda n: tf.tile([[1]], [n, 1]))(size)


def test_arrays_that_are_no_whole_numbers_and_tensors_are_refused():
    with pytest.raises(TypeError, match="float64 to a tensor of dtype int32"):
        tf.tile([1, 2], np.array([2.5]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tmultiples"):
        tf.tile([1, 2], tf.constant([2.0]))
    with pytest.raises(TypeError, match="parameter 'multiples'"):
        tf.function(tf.tile)([1, 2], tf.constant([2.0]))


@pytest.mark.parametrize("traced", [False, True])
def test_whole_floats_among_ints_of_an_attribute(traced):
    """A size that was divided, or NumPy's: `h / 2`; as TensorFlow takes them, in lists as alone."""
    x = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
    for sizes in ([1, np.float64(2.0), 2.0, 1], (1, np.int64(2), 2, 1)):
        call = lambda: tf.image.extract_patches(x, sizes, [1, 1.0, 1, 1], [1, 1, 1, 1], "VALID")  # noqa: B023, E731
        found = tf.function(call, autograph=False)() if traced else call()
        assert found.shape == [1, 3, 3, 4]
        assert found[0, 0, 0].numpy().tolist() == [0.0, 1.0, 4.0, 5.0]
