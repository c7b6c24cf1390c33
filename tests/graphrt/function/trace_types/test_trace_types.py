"""Arguments that choose how functions know them: `__tf_tracing_type__`, and extension types."""

from __future__ import annotations

import copy
import pickle
import typing

import numpy as np
import pytest

import graphrt as tf

TraceType = tf.types.experimental.TraceType


def value(x):
    return np.asarray(x).tolist()


class FruitType(TraceType):
    def __init__(self, fruit):
        self.kind, self.example = type(fruit), fruit

    def is_subtype_of(self, other):
        return type(other) is FruitType and issubclass(self.kind, other.kind)

    def most_specific_common_supertype(self, others):
        kind = self.kind
        for other in others:
            kind = next(k for k in kind.__mro__ if issubclass(other.kind, k))
        return FruitType(kind()) if issubclass(kind, Fruit) else None

    def placeholder_value(self, placeholder_context=None):
        return self.example

    def __eq__(self, other):
        return type(other) is FruitType and self.kind is other.kind

    def __hash__(self):
        return hash(self.kind)

    def __repr__(self):
        return f"FruitType({self.kind.__name__})"


class Fruit:
    flavor = "none"

    def __tf_tracing_type__(self, context):
        return FruitType(self)


class Apple(Fruit):
    flavor = "apple"


class Red(Apple):
    flavor = "red"


class Mango(Fruit):
    flavor = "mango"


def counting(**options):
    traced = []

    @tf.function(**options)
    def flavors(a, b):
        traced.append((a.flavor, b.flavor))
        return a.flavor + b.flavor

    return flavors, traced


def test_objects_of_equal_types_share_a_trace():
    flavors, traced = counting()
    for _ in range(3):
        assert flavors(Apple(), Mango()).numpy() == b"applemango" and flavors(Apple(), Apple()).numpy() == b"appleapple"
    assert traced == [("apple", "mango"), ("apple", "apple")]


def test_the_most_specific_of_the_including_traces_serves():
    flavors, traced = counting()
    flavors(Apple(), Fruit())
    flavors(Fruit(), Fruit())
    assert flavors(Red(), Mango()).numpy() == b"applenone" and flavors(Mango(), Red()).numpy() == b"nonenone"
    assert len(traced) == 2
    assert "a (POSITIONAL_OR_KEYWORD): FruitType(Fruit)" in flavors.pretty_printed_concrete_signatures()


def test_retracing_is_reduced_to_the_common_supertype():
    flavors, traced = counting(reduce_retracing=True)
    flavors(Red(), Red())
    flavors(Apple(), Red())
    assert flavors(Mango(), Mango()).numpy() == b"nonenone"
    assert flavors(Red(), Mango()).numpy() == b"nonenone" and len(traced) == 3


def test_concrete_functions_check_the_type():
    flavors, _ = counting()
    concrete = flavors.get_concrete_function(Apple(), Mango())
    assert concrete(Red(), Mango()).numpy() == b"applemango"
    with pytest.raises(TypeError, match="argument 'b': expected FruitType"):
        concrete(Apple(), Apple())


class PairType(TraceType):
    def __init__(self, left, right):
        self.specs = [left, right]

    def is_subtype_of(self, other):
        return type(other) is PairType and all(a.is_subtype_of(b) for a, b in zip(self.specs, other.specs))

    def most_specific_common_supertype(self, others):
        return None

    def placeholder_value(self, placeholder_context):
        return Pair(*(s.placeholder_value(placeholder_context) for s in self.specs))

    def to_tensors(self, value):
        return [value.left, value.right]

    def flatten(self):
        return list(self.specs)

    def __eq__(self, other):
        return type(other) is PairType and self.specs == other.specs

    def __hash__(self):
        return hash(tuple(self.specs))


class Pair:
    def __init__(self, left, right):
        self.left, self.right = left, right

    def __tf_tracing_type__(self, context):
        return PairType(tf.TensorSpec.from_tensor(self.left), tf.TensorSpec.from_tensor(self.right))


def test_tensors_of_a_trace_type_are_arguments():
    f = tf.function(lambda p, n: (p.left - p.right) * n)
    for i in range(4):
        assert value(f(Pair(tf.constant(7), tf.constant(i)), 2)) == (7 - i) * 2
    assert f.experimental_get_tracing_count() == 1
    concrete = f.get_concrete_function(Pair(tf.constant(1), tf.constant(2)), 3)
    assert value(concrete(Pair(tf.constant(5), tf.constant(1)), 3)) == 12
    kind = Pair(tf.constant(1), tf.constant(2)).__tf_tracing_type__(None)
    again = kind.from_tensors(iter([tf.constant(3), tf.constant(4)]))
    assert (value(again.left), value(again.right)) == (3, 4)


def test_specs_are_trace_types():
    spec = tf.TensorSpec([None], tf.float32)
    assert isinstance(spec, TraceType) and tf.TensorSpec([3], tf.float32).is_subtype_of(spec)
    assert spec.most_specific_common_supertype([tf.TensorSpec([1, 2], tf.float32)]) == tf.TensorSpec(None, tf.float32)
    with pytest.raises(TypeError, match="abstract"):
        TraceType()
    f = tf.function(lambda x: x)
    assert isinstance(f, tf.types.experimental.PolymorphicFunction)
    assert isinstance(f.get_concrete_function(1), tf.types.experimental.ConcreteFunction)
    assert isinstance(Apple(), tf.types.experimental.SupportsTracingProtocol)


# --- extension types -------------------------------------------------------------------------------------------------
class Masked(tf.experimental.ExtensionType):
    """Values, and which of them count."""

    values: tf.Tensor
    mask: tf.Tensor

    def filled(self, default):
        return tf.where(self.mask, self.values, default)


class Person(tf.experimental.ExtensionType):
    name: str
    age: int = 3
    tags: tuple[str, ...] = ()
    scores: typing.Mapping[str, tf.Tensor] = {}
    best: tf.Tensor | None = None
    pair: tuple[int, float] = (1, 2.0)
    dtype_of_scores: tf.DType = tf.float32


MASKED = Masked([1, 2, 3], [True, False, True])


def test_fields_are_converted():
    assert value(MASKED.values) == [1, 2, 3] and MASKED.mask.dtype is tf.bool
    person = Person("a", tags=["x"], scores={"s": 1.0}, best=[1])
    assert person.tags == ("x",) and value(person.scores["s"]) == 1.0 and value(person.best) == [1]
    assert repr(Person("b")) == (
        "Person(name='b', age=3, tags=(), scores=ImmutableDict({}), best=None, pair=(1, 2.0), "
        "dtype_of_scores=tf.float32)"
    )


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda: Masked([1]), TypeError, "missing a required argument: 'mask'"),
        (lambda: Masked(1, 2, 3), TypeError, "too many positional arguments"),
        (lambda: Person("a", age="x"), TypeError, "age: expected 'int', got 'str'"),
        (lambda: Person("a", pair=(1, 2)), TypeError, r"pair\[1\]: expected 'float', got 'int'"),
        (lambda: Person("a", tags=(1,)), TypeError, r"tags\[0\]: expected 'str', got 'int'"),
        (lambda: setattr(MASKED, "values", 3), AttributeError, "Cannot mutate attribute `values`"),
        (lambda: delattr(MASKED, "mask"), AttributeError, "Cannot mutate attribute `mask`"),
        (lambda: hash(MASKED), TypeError, "unhashable"),
        (lambda: type("Bad", (tf.experimental.ExtensionType,), {"__annotations__": {"x": list}, "__module__": __name__}),
         TypeError, "In field 'x': Unsupported type annotation 'list'"),
        (lambda: tf.experimental.ExtensionType(), TypeError, "base class"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(make, kind, text):
    with pytest.raises(kind, match=text):
        make()


def test_constructors_validation_and_inheritance():
    class Counted(tf.experimental.ExtensionType):
        x: tf.Tensor
        n: int

        def __init__(self, x):
            self.x, self.n = x, len(x)

        def __validate__(self):
            self.x.shape.assert_has_rank(1)

    class Named(Masked):
        name: str = "none"

    assert Counted([1, 2]).n == 2
    with pytest.raises(ValueError, match="must have rank 1"):
        Counted([[1]])
    named = Named([1], [True], "n")
    assert isinstance(named, Masked) and named.name == "n" and value(named.filled(0)) == [1]
    assert value(MASKED == Masked([1, 2, 3], [True, False, True])) is True
    assert value(MASKED == Masked([1, 2, 4], [True, False, True])) is False and (MASKED == Masked([1], [True])) is False
    assert copy.deepcopy(MASKED) is MASKED and value(pickle.loads(pickle.dumps(MASKED)).values) == [1, 2, 3]


def test_specs():
    spec = tf.type_spec_from_value(MASKED)
    assert repr(spec) == (
        "Masked.Spec(values=TensorSpec(shape=(3,), dtype=tf.int32, name=None), "
        "mask=TensorSpec(shape=(3,), dtype=tf.bool, name=None))"
    )
    general = Masked.Spec(tf.TensorSpec([None], tf.int32), mask=tf.TensorSpec(None, tf.bool))
    assert spec.is_subtype_of(general) and not general.is_subtype_of(spec) and general.is_compatible_with(MASKED)
    assert spec.most_specific_common_supertype([general]) == general and general.value_type is Masked
    with pytest.raises(TypeError, match="values: expected 'tf.TensorSpec'"):
        Masked.Spec(3, 4)


def test_arguments_and_results_of_functions():
    traced = []

    @tf.function
    def f(x, default):
        traced.append(x)
        return Masked(x.filled(default), tf.logical_not(x.mask))

    for _ in range(3):
        result = f(MASKED, 0)
        assert value(result.values) == [1, 0, 3] and value(result.mask) == [False, True, False]
    f(Masked([4, 5, 6], [True, True, True]), 0)
    f(Masked([4], [True]), 0)
    assert len(traced) == 2 and isinstance(traced[0].values, tf.Tensor)
    assert (
        "x (POSITIONAL_OR_KEYWORD): Masked.Spec(values=TensorSpec(shape=(3,)" in f.pretty_printed_concrete_signatures()
    )
    relaxed = tf.function(lambda x: x.values, reduce_retracing=True)
    for n in range(1, 6):
        assert relaxed(Masked([1] * n, [True] * n)).shape == [n]
    assert relaxed.experimental_get_tracing_count() == 2


def test_python_fields_are_told_apart_by_value():
    f = tf.function(lambda p: p.age * tf.reduce_sum(p.scores["s"]))
    assert [value(f(Person("a", age, scores={"s": 2.0}))) for age in (1, 2, 1, 2)] == [2.0, 4.0, 2.0, 4.0]
    assert f.experimental_get_tracing_count() == 2


def test_declared_extension_types():
    spec = Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))
    f = tf.function(lambda x: x.filled(-1), input_signature=[spec])
    assert value(f(MASKED)) == [1, -1, 3] and value(f(Masked([1], [False]))) == [-1]
    assert f.get_concrete_function().structured_input_signature == ((spec,), {})
    with pytest.raises(TypeError, match="argument 'x'"):
        f(Masked([1.0], [True]))
    with pytest.raises(TypeError, match="argument 'x'"):
        f(3)
    assert f.get_concrete_function().structured_outputs.shape.as_list() == [None]


def test_control_flow_and_nest():
    @tf.function
    def f(x, n, flip):
        for _ in tf.range(n):
            x = Masked(x.values + 1, x.mask)
        return tf.cond(flip, lambda: Masked(x.values, tf.logical_not(x.mask)), lambda: x)

    for flip in (True, False):
        result = f(MASKED, tf.constant(3), tf.constant(flip))
        assert value(result.values) == [4, 5, 6] and value(result.mask) == [
            not flip if m else flip for m in value(MASKED.mask)
        ]
    assert len(tf.nest.flatten(MASKED, expand_composites=True)) == 2
    doubled = tf.nest.map_structure(lambda t: t, {"m": MASKED}, expand_composites=True)
    assert value(doubled["m"].values) == [1, 2, 3]


def test_concrete_functions_of_extension_types_are_pickled():
    f = tf.function(lambda x: Masked(x.values * 2, x.mask))
    again = pickle.loads(pickle.dumps(f.get_concrete_function(MASKED)))
    assert value(again(MASKED).values) == [2, 4, 6]


class RaggedAndSparse(tf.experimental.ExtensionType):
    rows: tf.RaggedTensor
    cells: tf.SparseTensor


def _cells(count):
    return tf.SparseTensor([[0, i] for i in range(count)], [1.0] * count, [1, 4])


@pytest.mark.parametrize("make", [
    lambda n: tf.ragged.constant([[1] * n, [2]]), lambda n: _cells(n), lambda n: RaggedAndSparse(tf.ragged.constant([[1] * n]), _cells(n)),
    lambda n: {"a": [_cells(n)]},
])  # fmt: skip
def test_how_many_values_there_are_is_no_part_of_a_type(make):
    seen = []

    @tf.function
    def f(x):
        seen.append(x)
        return sum(tf.reduce_sum(tf.cast(t, tf.float32)) for t in tf.nest.flatten(x, expand_composites=True))

    for n in range(1, 5):
        expected = f.python_function(make(n)).numpy()
        assert f(make(n)).numpy() == expected
    assert len(seen) == 4 + 1  # the calls of the Python function, and one trace


def test_the_shape_of_a_sparse_tensor_is_known_in_a_trace():
    layer = tf.keras.layers.Dense(2, kernel_initializer="ones")
    seen = []

    @tf.function
    def f(x):
        seen.append(x.shape.as_list())
        return layer(x)

    assert f(_cells(2)).numpy().tolist() == [[2.0, 2.0]]
    assert f(_cells(3)).numpy().tolist() == [[3.0, 3.0]]
    assert seen == [[1, 4]]
    f(tf.SparseTensor([[1, 0]], [1.0], [2, 4]))
    assert seen == [[1, 4], [2, 4]]


def test_shapes_of_sparse_tensors_are_relaxed():
    seen = []

    @tf.function(reduce_retracing=True)
    def f(x):
        seen.append(x.shape.as_list())
        return tf.sparse.reduce_sum(x)

    for rows in range(1, 5):
        assert f(tf.SparseTensor([[0, 0]], [1.0], [rows, 4])).numpy() == 1.0
    assert seen == [[1, 4], [None, 4]]
