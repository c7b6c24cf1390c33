"""What functions say of their parameters."""

import inspect

import pytest

import graphrt as tf

T = tf.types.experimental


def add(x, /, y: int = 1, *rest, k=2, **more):
    return x


def test_a_function_has_the_parameters_of_its_source():
    found = tf.function(add).function_type
    assert isinstance(found, T.FunctionType)
    assert str(found) == "(x, /, y=1, *rest, k=2, **more)" == repr(found)
    assert [p.kind for p in found.parameters.values()] == [p.kind for p in inspect.signature(add).parameters.values()]
    assert dict(found.bind(1, k=3).arguments) == {"x": 1, "k": 3}
    assert dict(found.bind_partial().arguments) == {}
    assert found.return_annotation is inspect.Signature.empty and found.output is None
    with pytest.raises(TypeError, match="missing a required"):
        found.bind()


def test_declared_types_are_told():
    specs = [tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)]
    found = tf.function(lambda x, y=1: x, input_signature=specs).function_type
    assert [p.type_constraint for p in found.parameters.values()] == specs
    assert found.parameters["y"].default == 1
    assert found.bind(1).signature.parameters["x"].annotation == specs[0]


def test_methods_are_told_without_self():
    class Scale:
        @tf.function
        def run(self, x):
            return x

    assert str(Scale().run.function_type) == "(x)"


def test_a_trace_knows_types():
    concrete = tf.function(lambda x, y=1: {"a": x, "b": (x, y)}).get_concrete_function(tf.TensorSpec([2]))
    found = concrete.function_type
    x = "TensorSpec(shape=(2,), dtype=tf.float32, name=None)"
    y = "TensorSpec(shape=(), dtype=tf.int32, name=None)"
    assert str(found) == f"(x: {x}, y: Literal[1]) -> Dict[['a', {x}], ['b', Tuple[{x}, {y}]]]"
    assert repr(found.return_annotation) == f"Dict[['a', {x}], ['b', Tuple[{x}, {y}]]]"
    assert found == concrete.function_type and hash(found) == hash(concrete.function_type)
    assert found.verbose().splitlines()[0] == "Input Parameters:"


def test_of_plain_functions():
    assert str(type(tf.function(add).function_type).from_callable(lambda a, *b, c=2, **d: 0)) == "(a, *b, c=2, **d)"


def test_atomic_functions():
    concrete = tf.function(lambda x, y=1: x + tf.cast(y, x.dtype)).get_concrete_function(tf.TensorSpec([2]))
    atomic = concrete.inference_fn
    assert isinstance(atomic, T.AtomicFunction) and isinstance(atomic, T.Callable)
    assert atomic.function_type == concrete.function_type
    assert atomic(tf.constant([1.0, 2.0])).numpy().tolist() == [2, 3]
    assert atomic.call_with_captures((tf.constant([1.0, 2.0]),), {}, []).numpy().tolist() == [2, 3]
    assert repr(atomic).startswith("<AtomicFunction> ")


def test_the_compiled_form():
    f = tf.function(lambda x: x + 1)
    assert "def " in f.experimental_get_compiler_ir(tf.constant([1.0]))()
    assert str(f.function_spec) == "(x)" and f.input_signature is None
