"""`tf.types.experimental`, and extension types whose tensors share their first dimension."""

import typing

import numpy as np
import pytest

import graphrt as tf

types = tf.types.experimental


class Pair(tf.experimental.BatchableExtensionType):
    x: tf.Tensor
    y: tf.Tensor


class Whole(tf.experimental.ExtensionType):
    x: tf.Tensor


PAIR = Pair(x=tf.constant([[1.0, 2.0], [3.0, 4.0]]), y=tf.constant([[5.0], [6.0]]))


def values(pair):
    return pair.x.numpy().tolist(), pair.y.numpy().tolist()


def test_functions_belong_to_the_abstract_classes():
    function = tf.function(lambda x, n=3: x)
    concrete = function.get_concrete_function(tf.constant(1))
    assert isinstance(function, types.PolymorphicFunction) and isinstance(function, types.Callable)
    assert isinstance(concrete, types.ConcreteFunction) and isinstance(concrete, types.Callable)
    assert isinstance(concrete.function_type, types.FunctionType)
    assert isinstance(concrete.inference_fn, types.AtomicFunction)
    assert not isinstance(function, types.ConcreteFunction) and not isinstance(concrete, types.AtomicFunction)


def test_function_types_bind():
    bound = tf.function(lambda x, *, n=3: x).get_concrete_function(tf.constant(1)).function_type
    assert bound.bind(1, n=2).arguments == {"x": 1, "n": 2}
    assert bound.bind_partial().arguments == {}
    with pytest.raises(TypeError, match="'x'"):
        bound.bind()


def test_calls_with_other_captures():
    mine, other = tf.Variable(2.0), tf.Variable(10.0)
    concrete = tf.function(lambda x: x * mine).get_concrete_function(tf.constant(1.0))
    atomic = concrete.inference_fn
    assert atomic(tf.constant(3.0)).numpy() == 6.0
    assert atomic.call_with_captures([tf.constant(3.0)], {}, [other.handle]).numpy() == 30.0
    assert atomic.call_flat(tf.constant(3.0), other.handle)[0].numpy() == 30.0
    assert atomic.name == concrete.name and atomic.function_type == concrete.function_type
    with pytest.raises(ValueError, match="captured 1 tensors, found 0"):
        atomic.call_with_captures([tf.constant(3.0)], {}, [])


def test_what_converts_to_a_tensor():
    members = typing.get_args(types.TensorLike)
    assert {int, float, bool, str, bytes, complex, tuple, list, np.ndarray, np.generic} <= set(members)


def test_there_is_one_replica():
    assert issubclass(types.distributed.Mirrored, types.distributed.PerReplica)
    assert not isinstance(tf.constant(1), types.distributed.PerReplica)


@pytest.mark.parametrize("traced", [False, True])
def test_map_fn_goes_along_the_rows(traced):
    def doubled(pair):
        same = tf.map_fn(lambda p: Pair(p.x * 2, p.y), pair)
        plain = tf.map_fn(lambda p: tf.reduce_sum(p.x) + p.y[0], pair, fn_output_signature=tf.float32)
        return same, plain

    same, plain = (tf.function(doubled) if traced else doubled)(PAIR)
    assert values(same) == ([[2.0, 4.0], [6.0, 8.0]], [[5.0], [6.0]])
    assert plain.numpy().tolist() == [8.0, 13.0]


def test_datasets_take_them_apart_and_stack_them():
    rows = tf.data.Dataset.from_tensor_slices(PAIR)
    assert rows.element_spec == Pair.Spec(x=tf.TensorSpec([2]), y=tf.TensorSpec([1]))
    assert [values(r) for r in rows] == [([1.0, 2.0], [5.0]), ([3.0, 4.0], [6.0])]
    (batch,) = rows.batch(2, drop_remainder=True)
    assert values(batch) == values(PAIR)
    assert rows.batch(2, drop_remainder=True).element_spec == Pair.Spec(
        x=tf.TensorSpec([2, 2]), y=tf.TensorSpec([2, 1])
    )
    assert [values(r) for r in rows.batch(2).unbatch()] == [values(r) for r in rows]


def test_others_are_not_taken_apart():
    whole = Whole(tf.constant([1, 2]))
    with pytest.raises(TypeError, match="derive it from BatchableExtensionType"):
        tf.data.Dataset.from_tensor_slices(whole)
    with pytest.raises(TypeError, match="derive it from BatchableExtensionType"):
        tf.data.Dataset.from_tensors(whole).batch(1)


class Kind(types.TraceType):
    """Python values by their class: values of one class share a trace."""

    def __init__(self, example):
        self.example = example

    def is_subtype_of(self, other):
        return type(other) is Kind and type(self.example) is type(other.example)

    def most_specific_common_supertype(self, others):
        return self if all(self == other for other in others) else None

    def placeholder_value(self, placeholder_context=None):
        return self.example

    def __eq__(self, other):
        return self.is_subtype_of(other)

    def __hash__(self):
        return hash(type(self.example))


def test_a_trace_type_without_tensors_has_none():
    kind = Kind("a")
    assert kind.flatten() == [] and kind.to_tensors("b") == [] and kind.from_tensors(iter(())) == "a"
    assert kind.cast("b", None) == "b"


def test_kinds_share_traces():
    class Fruit:
        def __tf_tracing_type__(self, context):
            return Kind(self)

    traces = []
    f = tf.function(lambda fruit, x: traces.append(1) or x + 1)
    assert [int(f(Fruit(), tf.constant(i))) for i in (1, 2)] == [2, 3] and len(traces) == 1
