"""Conversions: as TensorFlow converts; errors that help, names in graphs, arrays that are not shared.

Covers: graphrt/tensor/conversions.py, graphrt/tensor/values.py.
"""

import array
import collections
import enum

import numpy as np
import pytest

import graphrt as tf
from tests.golden.checks import golden_tests

test_calls = golden_tests("tensor/convert")


class Colour(enum.IntEnum):
    RED = 3


class Celsius(float):
    pass


class HasArray:
    def __array__(self, dtype=None, copy=None):
        return np.array([1.5, 2.5], dtype)


@pytest.mark.parametrize(
    ("value", "dtype", "wanted"),
    [
        (Colour.RED, "int32", 3), (Celsius(1.5), "float32", 1.5), (HasArray(), "float64", [1.5, 2.5]),
        (range(3), "int32", [0, 1, 2]), (np.arange(3)[::-1], "int64", [2, 1, 0]), (np.array([258], ">u2"), "uint16", [258]),
        ([np.int64(1), 2], "int32", [1, 2]), ([1, True], "int32", [1, 1]), ([[], []], "float32", [[], []]),
        (["a", b"b"], "string", [b"a", b"b"]), ("é", "string", "é".encode()), (2**40, "int64", 2**40),
    ],
)  # fmt: skip
def test_natural_dtypes(value, dtype, wanted):
    found = tf.convert_to_tensor(value)
    assert found.dtype.name == dtype
    array = found.numpy()
    assert (array.tolist() if hasattr(array, "tolist") else array) == wanted


@pytest.mark.parametrize(
    ("value", "dtype", "words"),
    [
        (300, "uint8", "300 does not fit into uint8, which holds 0 to 255"), (-1, "uint64", "-1 does not fit into uint64"),
        ([1, 2**31], "int32", "2147483648 does not fit into int32"), (np.array([300]), "uint8", "300 does not fit into uint8"),
        (1.5, "int32", "1.5"), (np.array([1.5]), "int32", "float64"), (np.array([np.inf]), "int32", "float64"),
        (1j, "float32", "1j"), ("a", "float32", "'a'"), (1, "string", "1"), (None, None, "None"),
        ([1, None], None, "None"), ([[1, 2], [3]], None, "non-rectangular"), (object(), None, "unsupported type"),
        (["a", 1], None, "mixed types"), ([True, 1], None, "mixed types"), (1e39, None, "does not fit into float32"),
        (2**63, None, "tf.uint64"), (tf.TensorShape([1, None]), None, "partially known"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_in_clear_words(value, dtype, words):
    with pytest.raises((TypeError, ValueError)) as caught:
        tf.convert_to_tensor(value, dtype)
    assert words in str(caught.value)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("use", "advice"),
    [
        (lambda x: tf.zeros(x.shape[0]), "tf.shape(x)[0]"), (lambda x: tf.reshape(x, [x.shape[0], 3, 1]), "tf.shape(x)[0]"),
        (lambda x: tf.cast(x.shape[0], tf.float32), "tf.shape(x)[0]"), (lambda x: tf.zeros(x.shape), "Take `tf.shape(x)`"),
        (lambda x: tf.random.uniform(x.shape), "Take `tf.shape(x)`"),
    ],
)  # fmt: skip
def test_whoever_needs_an_unknown_size_is_told_where_it_is(use, advice):
    with pytest.raises(ValueError) as caught:
        tf.function(use, input_signature=[tf.TensorSpec([None, 3])])(tf.ones([2, 3]))
    assert advice in str(caught.value) and "test_convert.py" in str(caught.value)
    with pytest.raises(ValueError) as caught:
        tf.zeros([None, 2])
    assert "tf.shape" not in str(caught.value)


def test_a_tensor_of_another_dtype_is_refused_and_told_of_cast():
    with pytest.raises(ValueError, match=r"tf\.cast"):
        tf.convert_to_tensor(tf.constant(1), tf.float32)


def test_the_array_of_the_caller_is_copied():
    array = np.zeros(3)
    tensor = tf.constant(array)
    array[0] = 7
    assert tensor.numpy().tolist() == [0, 0, 0]
    tensor.numpy()[0] = 9
    assert tensor.numpy().tolist() == [0, 0, 0]


def test_a_hint_is_taken_where_it_loses_nothing():
    assert tf.convert_to_tensor([1, 2], dtype_hint=tf.float32).dtype is tf.float32
    assert tf.convert_to_tensor([1.5], dtype_hint=tf.int32).dtype is tf.float32
    assert tf.convert_to_tensor(np.arange(2), dtype_hint=tf.float32).dtype is tf.float32


def test_operands_are_named_after_the_parameter():
    graph = (
        tf.function(lambda x: 2.0 * x + 1.0, autograph=False).get_concrete_function(tf.TensorSpec([], tf.float32)).graph
    )
    names = [o.name for o in graph.get_operations()]
    assert names == ["x", "mul/x", "mul", "add/y", "add", "Identity"]


def test_an_operand_that_does_not_fit_is_one_error_for_every_except_clause():
    for kind in (TypeError, ValueError, tf.errors.InvalidArgumentError):
        with pytest.raises(kind, match=r"2\.5"):
            tf.constant([1, 2]) + 2.5


def test_long_lists_convert_in_reasonable_time():
    numbers = list(range(300_000))
    assert int(tf.reduce_sum(tf.constant(numbers, tf.int64))) == sum(numbers)


@pytest.mark.parametrize("traced", [False, True])
def test_lists_of_string_tensors(traced):
    word, words = tf.constant("abc"), tf.constant(["a", "b"])

    def made():
        return (
            tf.convert_to_tensor([word]), tf.constant([[word], ["x"]]), tf.convert_to_tensor([words, ["x", "y"]]),
            tf.strings.join([[word, word], "q"]), tf.strings.length([word, "de"]),
        )  # fmt: skip

    assert [t.numpy().tolist() for t in (tf.function(made) if traced else made)()] == [
        [b"abc"], [[b"abc"], [b"x"]], [[b"a", b"b"], [b"x", b"y"]], [b"abcq", b"abcq"], [3, 2],
    ]  # fmt: skip
    for mixed in ([word, 1], [word, tf.constant(1)]):
        with pytest.raises((TypeError, ValueError)):
            tf.convert_to_tensor(mixed)


class Sequence:
    """A sequence by what it can do."""

    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


@pytest.mark.parametrize(
    "make", [collections.deque, collections.UserList, lambda x: array.array("d", x), lambda x: Sequence(*x)]
)
def test_other_sequences_are_taken_as_lists(make):
    assert tf.constant(make([1.0, 2.0])).dtype is tf.float32
    assert tf.reduce_sum(make([1.0, 2.0])).numpy() == 3.0
    assert tf.constant([make([1.0, 2.0]), [3.0, 4.0]], tf.float64).numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert tf.Variable(make([1.0, 2.0])).shape == [2]


def test_a_sequence_of_tensors():
    @tf.function
    def f(x):
        return tf.convert_to_tensor(collections.deque([x, x + 1]))

    assert f(tf.constant(1)).numpy().tolist() == [1, 2]
    with tf.GradientTape() as tape:
        x = tf.Variable(2.0)
        y = tf.reduce_prod(Sequence(x, x))
    assert tape.gradient(y, x).numpy() == 4.0


@pytest.mark.parametrize(
    "value", [{1, 2}, {"a": 1}, collections.UserDict(a=1), collections.UserString("ab"), {1: 2}.values()]
)
def test_what_is_no_sequence(value):
    with pytest.raises(ValueError, match="unsupported type"):
        tf.constant(value)


def test_tensors_of_several_dtypes_are_no_row():
    row = [tf.constant(1), tf.constant(2.0)]
    for run in (tf.convert_to_tensor, tf.function(tf.convert_to_tensor)):
        with pytest.raises(TypeError, match="int32"):
            run(row)


def test_a_shape_as_floats():
    assert tf.constant(tf.TensorShape([2, 3]), tf.float32).numpy().tolist() == [2.0, 3.0]
    assert tf.constant(tf.TensorShape([]), tf.float32).shape == [0]


def test_a_class_of_variables_with_a_conversion_of_its_own():
    class Held(tf.Variable):
        """A variable in name only: nothing of what makes one is called."""

        def __init__(self, value):
            self.held = value

        shape = property(lambda self: self.held.shape)
        dtype = property(lambda self: self.held.dtype)

        def value(self):
            return self.held

    value = Held(tf.constant([1.0, 2.0]))
    tf.register_tensor_conversion_function(Held, lambda value, dtype=None, name=None, as_ref=False: value.held)
    assert tf.convert_to_tensor(value) is value.held
    assert tf.add(value, 1.0).numpy().tolist() == (value + 1.0).numpy().tolist() == [2, 3]
    assert tf.function(lambda: tf.exp(value) * 0 + value)().numpy().tolist() == [1, 2]
    assert tf.convert_to_tensor(tf.Variable(3.0)).numpy() == 3  # which it says nothing about

    class Nearer(Held):
        def __tf_tensor__(self, dtype=None, name=None):
            return tf.constant([7.0])

    assert tf.convert_to_tensor(Nearer(tf.constant(1.0))).numpy().tolist() == [7]


def test_references_have_an_order():
    tensors = [tf.constant(1), tf.Variable(2), tf.constant(3)]
    ordered = sorted(t.ref() for t in tensors)
    assert {r.deref().ref() for r in ordered} == {t.ref() for t in tensors} and ordered == sorted(ordered[::-1])
    assert ordered[0] < ordered[1] and ordered[1] <= ordered[1] and ordered[2] > ordered[0]
    with pytest.raises(TypeError, match="'<' not supported"):
        tensors[0].ref() < 1  # noqa: B015


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "string", "bool", "complex64"])
def test_lists_of_eager_tensors_of_each_dtype(dtype):
    x = tf.constant("a") if dtype == "string" else tf.cast(1, dtype)
    for nested, shape in (([x], [1]), ([[x, x], [x, x]], [2, 2]), ((x, x), [2])):
        found = tf.convert_to_tensor(nested)
        assert found.dtype == x.dtype and found.shape == shape


@pytest.mark.parametrize("use", [tf.constant, tf.stack, lambda v: tf.add(v, 1), tf.data.Dataset.from_tensors])
def test_lists_that_are_nested_too_deeply_or_hold_themselves(use):
    deep, itself = 1, []
    for _ in range(5000):
        deep = [deep]
    itself.append(itself)
    for value in (deep, itself):
        with pytest.raises(ValueError, match="nested more than 254 levels"):
            use(value)


def in_modes(mode, call):
    if mode == "graph":
        return tf.function(call, autograph=False)()
    if mode == "tape":
        with tf.GradientTape():
            return call()
    return call()


LISTS_THAT_ARE_CAST = {
    "asked": (lambda i, f, v: tf.convert_to_tensor([i, 5], tf.int32), [3, 5], "int32"),
    "asked of nested lists": (lambda i, f, v: tf.convert_to_tensor([[i, 1], [2, i]], tf.float64), [[3, 1], [2, 3]], "float64"),
    "floats": (lambda i, f, v: tf.convert_to_tensor((f, 1), tf.float64), [2.5, 1], "float64"),
    "booleans": (lambda i, f, v: tf.convert_to_tensor([i > 0, i > 9], tf.int32), [1, 0], "int32"),
    "to complex numbers": (lambda i, f, v: tf.convert_to_tensor([f], tf.complex64), [2.5], "complex64"),
    "several": (lambda i, f, v: tf.convert_to_tensor([i, tf.constant(1)], tf.float32), [3, 1], "float32"),
    "a variable": (lambda i, f, v: tf.convert_to_tensor([v, 1.0], tf.float64), [4, 1], "float64"),
    "beside an operator": (lambda i, f, v: tf.constant([1, 2]) + [i, i], [4, 5], "int32"),
    "of an op": (lambda i, f, v: tf.multiply(tf.constant([1.0, 2.0]), [i, f]), [3, 5], "float32"),
    "joined": (lambda i, f, v: tf.concat((tf.shape([1, 2]), (i,), [7]), 0), [2, 3, 7], "int32"),
    "joined before a tensor": (lambda i, f, v: tf.concat(([i], [7], tf.shape([1, 2])), 0), [3, 7, 2], "int32"),
}  # fmt: skip


@pytest.mark.parametrize("mode", ["eager", "tape", "graph"])
@pytest.mark.parametrize("name", LISTS_THAT_ARE_CAST)
def test_tensors_in_a_list_of_another_dtype_are_cast(name, mode):
    """As TensorFlow packs them; a tensor by itself is not."""
    call, values, dtype = LISTS_THAT_ARE_CAST[name]
    i, f, v = tf.constant(3, tf.int64), tf.constant(2.5), tf.Variable(4.0)
    found = in_modes(mode, lambda: call(i, f, v))
    assert found.numpy().tolist() == values
    assert found.dtype.name == dtype


def test_gradients_go_through_the_elements_of_a_list():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.constant([1.0, 2.0], tf.float64) * [x, x * x])
    assert tape.gradient(y, x).numpy() == 13.0


@pytest.mark.parametrize("traced", [False, True])
def test_an_element_of_a_list_that_would_lose_something_is_refused(traced):
    """TensorFlow cuts parts off in silence."""

    def run(call, *args):
        return tf.function(call, autograph=False)(*args) if traced else call(*args)

    with pytest.raises(TypeError, match="float32"):
        run(lambda x: tf.convert_to_tensor([x], tf.int32), tf.constant(2.5))
    with pytest.raises(TypeError, match="complex64"):
        run(lambda x: tf.convert_to_tensor([x, 1], tf.float32), tf.constant(2j, tf.complex64))
    with pytest.raises((TypeError, ValueError)):
        run(lambda x: tf.convert_to_tensor([x, tf.constant(1)], tf.int64), tf.constant(1, tf.int64))
