"""What an error advises about a dtype can be done, and mends the program."""

import re

import numpy as np
import pytest

import graphrt as tf

ADVICE = re.compile(r"(?:instance with|[Uu]se|with|first:) (tf\.[\w.]+\((?:x|\.\.\.)(?:, tf\.\w+)?\))")


def advice_of(call, *args):
    with pytest.raises((TypeError, ValueError)) as raised:
        call(*args)
    found = ADVICE.search(str(raised.value))
    assert found, str(raised.value)
    return found[1].replace("...", "x")


MISTAKES = {  # an operation, its operands, and which of them is converted
    "a fraction and integers": (lambda x: x + 1.5, 1),
    "fractions and integers": (lambda x: x * [1.5, 2.0], [1, 2]),
    "a text and a number": (lambda x: x + "a", 1),
    "a number and a text": (lambda x: x + 1, "1"),
    "a number and a truth": (lambda x: x + 1, True),
    "a large number": (lambda x: x + 2**40, 1),
    "a complex number": (lambda x: x + 1j, 1.0),
    "the root of an integer": (tf.sqrt, 4),
    "the root of a text": (tf.sqrt, "4"),
    "a place that is no integer": (lambda x: tf.one_hot(x, 3), 1.0),
    "truths that are numbers": (tf.logical_not, 1),
    "the length of a number": (tf.strings.length, 12),
    "the mean of texts": (tf.reduce_mean, ["1", "2"]),
    "a product of truths": (lambda x: tf.matmul(x, x), [[True]]),
    "a tensor beside": (lambda x: tf.constant([1.5]) + x, [1]),
    "a text beside": (lambda x: tf.constant(["a"]) + x, [1]),
    "a wider tensor beside": (lambda x: x + tf.constant(1.5), 1),
}


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
@pytest.mark.parametrize("name", MISTAKES)
def test_what_is_advised_mends_the_operation(name, traced):
    operation, value = MISTAKES[name]
    call = tf.function(operation) if traced else operation
    x = tf.constant(value)
    converted = eval(advice_of(call, x), {"tf": tf, "x": x})
    call(converted)


def test_what_is_advised_mends_loops_arrays_signatures_and_variables():
    @tf.function
    def repeat(text, step):
        return tf.while_loop(lambda x: True, lambda x: (step(x),), [text], maximum_iterations=1)

    after = advice_of(repeat, tf.constant("1"), lambda x: tf.constant(1))
    repeat(tf.constant("1"), lambda x: eval(after, {"tf": tf, "x": tf.constant(1)}))

    f = tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.float32)])
    f(eval(advice_of(f, tf.constant("1")), {"tf": tf, "x": tf.constant("1")}))

    variable, texts = tf.Variable(1.0), tf.constant("2")
    variable.assign(eval(advice_of(variable.assign, texts), {"tf": tf, "x": texts}))
    assert variable.numpy() == 2.0


def test_nothing_is_advised_where_nothing_helps():
    array = tf.raw_ops.EmptyTensorList(element_shape=[], max_num_elements=-1, element_dtype=tf.int32)
    for call in (lambda: tf.sqrt(array), lambda: tf.constant(1) + array, lambda: tf.strings.length(array)):
        for way in (call, tf.function(call)):
            with pytest.raises((TypeError, ValueError)) as raised:
                way()
            assert ADVICE.search(str(raised.value)) is None


def test_what_has_no_value_is_told_of_before_its_dtype():
    kept = []

    @tf.function
    def f(n):
        for i in tf.range(n):
            kept.append(i)
        return n

    f(tf.constant(2))
    for call in (lambda: kept[0] + 1, tf.function(lambda: kept[0] + np.float32(1))):
        with pytest.raises(TypeError, match="is out of scope") as raised:
            call()
        assert "test_advice.py" in str(raised.value)
