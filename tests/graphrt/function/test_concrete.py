"""Concrete functions: how they are called, and what they tell of themselves."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import graphrt as tf


def value(x):
    return np.asarray(x).tolist()


@pytest.fixture
def concrete():
    @tf.function
    def f(x, y=2, *args, k=3, **kw):
        return x + 1

    return f.get_concrete_function(tf.constant(1.0), k=tf.constant(2), z=tf.constant(3))


def test_calls(concrete):
    two, three = tf.constant(2), tf.constant(3)
    assert value(concrete(tf.constant(1.0), k=two, z=three)) == 2.0
    assert value(concrete(tf.constant(1.0), 2, k=two, z=three)) == 2.0
    assert value(concrete(x=tf.constant(1.0), k=two, z=three)) == 2.0
    assert value(concrete(1.0, k=2, z=3)) == 2.0
    assert value(concrete(tf.constant(1.0), two, three)) == 2.0  # flat


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((tf.constant(1.0),), {}, r"missing required arguments: k, z"),
        ((tf.constant(1.0), 3), {"k": tf.constant(2), "z": tf.constant(3)}, r"expected Literal\[2\], found 3"),
        ((tf.constant(1.0),), {"k": 2, "z": 3, "w": 4}, r"unexpected keyword arguments: w"),
        ((tf.constant([1.0]),), {"k": 2, "z": 3}, r"argument 'x': expected TensorSpec\(shape=\(\).*shape \(1,\)"),
        (("a",), {"k": 2, "z": 3}, r"argument 'x': expected TensorSpec.*found 'a' of type str"),
    ],
)
def test_wrong_calls(concrete, args, kwargs, text):
    with pytest.raises(TypeError, match=text) as caught:
        concrete(*args, **kwargs)
    assert "test_concrete.py:" in str(caught.value)


def test_wrong_dtype(concrete):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"input #0\(zero-based\) was expected to be a float tensor but is a int32"
    ):
        concrete(tf.constant(1), k=tf.constant(2), z=tf.constant(3))


def test_names(concrete):
    assert concrete.name.startswith(b"__inference_f_") and concrete.name.split(b"_")[-1].isdigit()
    assert [t.name for t in concrete.inputs] == ["x:0", "k:0", "z:0"]
    attrs = concrete.graph.get_operation_by_name("x")
    assert attrs.get_attr("_user_specified_name") == b"x"
    assert repr(concrete).startswith(
        "<ConcreteFunction (x: TensorSpec(shape=(), dtype=tf.float32, name=None), y: Literal[2], /, *"
    )


def test_unknown_dimensions_serve_all_sizes():
    f = tf.function(lambda x: tf.reduce_sum(x) * 2.0).get_concrete_function(tf.TensorSpec([None, 2]))
    for n in (0, 1, 5):
        assert value(f(tf.ones([n, 2]))) == 4.0 * n
    with pytest.raises(TypeError):
        f(tf.ones([3, 3]))


def test_results_and_types():
    f = tf.function(lambda x: {"a": x, "b": [None, tf.shape(x)]}).get_concrete_function(tf.TensorSpec([3]))
    assert f.output_dtypes == {"a": tf.float32, "b": [None, tf.int32]}
    assert f.output_shapes["a"].as_list() == [3] and f.structured_outputs["b"][0] is None
    assert str(f.function_type) == f.pretty_printed_signature(False)
    assert repr(f.function_type.parameters["x"]) == (
        "Parameter(name=x, kind=POSITIONAL_OR_KEYWORD, optional=False, "
        "type_constraint=TensorSpec(shape=(3,), dtype=tf.float32, name=None))"
    )
    assert f.function_type == pickle.loads(pickle.dumps(f)).function_type and f.function_type.captures == {}
    assert value(f(tf.ones([3]))["b"][1]) == [3]


def test_all_traces_are_listed():
    f = tf.function(lambda x: x)
    f(1)
    f(tf.constant(1))
    assert f.pretty_printed_concrete_signatures(False).split("\n\n") == [
        "(x: Literal[1]) -> TensorSpec(shape=(), dtype=tf.int32, name=None)",
        "(x: TensorSpec(shape=(), dtype=tf.int32, name=None)) -> TensorSpec(shape=(), dtype=tf.int32, name=None)",
    ]


def test_same_trace_same_object():
    f = tf.function(lambda x: x)
    assert f.get_concrete_function(tf.constant(1)) is f.get_concrete_function(tf.TensorSpec([], tf.int32))


def test_inside_of_another_trace():
    inner = tf.function(lambda x: x * 2).get_concrete_function(tf.TensorSpec([None]))
    outer = tf.function(lambda x: inner(x) + 1.0)
    assert value(outer(tf.ones([2]))) == [3.0, 3.0]


def test_the_program_is_python(concrete):
    compile(concrete.source, "<test>", "exec")
    assert "x +" in concrete.source


def test_second_gradients_of_what_was_pickled():
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def inner(x, v):
        return tf.reduce_sum(x * v) ** 2

    @tf.function
    def total(x):
        s = tf.constant(0.0)
        for _ in tf.range(3):
            s += inner(x, w)
        return s

    def second(function):
        x = tf.constant([1.0, 3.0])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            first = tape.gradient(y, x)
        return outer.gradient(first, x).numpy().tolist()

    concrete = total.get_concrete_function(tf.TensorSpec([2]))
    assert second(pickle.loads(pickle.dumps(concrete))) == second(concrete) == [18.0, 36.0]


def test_what_is_no_tensor_is_shown():
    concrete = tf.function(lambda p: p[0] + p[1]).get_concrete_function([tf.TensorSpec([2]), tf.TensorSpec([2])])
    with pytest.raises(TypeError, match=r"argument #1\(zero-based\) to be a Tensor; got str \('a'\)"):
        concrete(tf.ones(2), "a")


@pytest.mark.parametrize(
    "names", [("x-y", "d", "A/b c", "_u"), ("x_y", "d", "A_b_c", "_u"), ("x-y", "d", "A/b_c", "arg_u")]
)
def test_tensors_go_by_declared_names_and_by_those_that_python_has_a_place_for(names):
    x, y, e, g = (tf.TensorSpec([], name=n) for n in ("x-y", None, "A/b c", "_u"))
    f = tf.function(lambda d, e, g: d["x"] - d["y"] * e + g, input_signature=[{"x": x, "y": y}, e, g])
    concrete = f.get_concrete_function()
    given = dict(zip(names, map(tf.constant, (1.0, 2.0, 3.0, 4.0))))
    assert concrete(**given).numpy() == -1.0
    with pytest.raises(TypeError, match="got two values for 'x-y'"):
        concrete(**given, **{"x_y" if "x-y" in given else "x-y": tf.constant(1.0)})


def test_keyword_arguments_are_shown_in_the_order_of_the_parameters():
    def f(x, *, b, a, **more):
        return x + b

    for order in ("b a z y", "y a b z"):
        given = dict.fromkeys(order.split(), tf.constant(1))
        concrete = tf.function(f).get_concrete_function(tf.constant(1), **given)
        assert list(concrete.structured_input_signature[1]) == ["b", "a", "y", "z"]
        assert list(concrete.function_type.parameters) == ["x", "b", "a", "y", "z"]
        assert value(concrete(tf.constant(1), tf.constant(2), tf.constant(4), *[tf.constant(0)] * 2)) == 5  # by name
