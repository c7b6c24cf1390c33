"""`tf.xla.experimental`: the results, and the structures they come in, are TensorFlow's."""

import numpy as np
import pytest

import graphrt as tf

XLA = tf.xla.experimental

RESULTS = {  # what a computation of one number gives, and what `compile` makes of it
    "one": (lambda x: x + 1, [2.0]),
    "several": (lambda x: (x, 2 * x), [1.0, 2.0]),
    "a Python number": (lambda x: 5, [5]),
    "a list of one": (lambda x: [x], [1.0]),
    "a dictionary": (lambda x: {"a": x, "b": [x]}, {"a": 1.0, "b": [1.0]}),
    "nested": (lambda x: (x, (x, x)), (1.0, (1.0, 1.0))),
    "an operation beside it": (lambda x: (x, tf.group(x)), [1.0]),
}


@pytest.mark.parametrize("case", RESULTS)
@pytest.mark.parametrize("traced", [False, True])
def test_results_come_as_tensorflow_gives_them(case, traced):
    computation, expected = RESULTS[case]

    def run():
        return XLA.compile(computation, [1.0])

    found = tf.function(run)() if traced else run()
    assert tf.nest.map_structure(lambda t: t.numpy(), found) == expected


def test_inputs_are_made_tensors_also_within_structures():
    assert XLA.compile(lambda d: d["a"] + d["b"][0], [{"a": 1.0, "b": [np.float32(2)]}])[0].numpy() == 3
    assert XLA.compile(lambda: tf.constant(3.0))[0].numpy() == 3


@pytest.mark.parametrize("traced", [False, True])
def test_variables_are_changed_and_read(traced):
    v = tf.Variable(1.0)

    def run(x):
        return XLA.compile(lambda a: v.assign_add(a), [x])

    assert (tf.function(run) if traced else run)(tf.constant(2.0))[0].numpy() == 3
    assert v.numpy() == 3


def test_nothing_returned_is_nothing():
    v = tf.Variable(1.0)

    def add():
        v.assign_add(1.0)

    assert XLA.compile(add) is None
    assert v.numpy() == 2


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: XLA.compile(lambda x: x, 1.0), TypeError, "inputs must be a list"),
        (lambda: XLA.compile(3, [1.0]), TypeError, "not callable"),
        (lambda: XLA.compile(lambda x: x, [1.0, 2.0]), TypeError, "takes 1 positional argument but 2 were given"),
        (lambda: XLA.compile(lambda x: (None, x), [1.0]), ValueError, "must be tensors"),
        (XLA.jit_scope().__enter__, RuntimeError, "tf.function"),
    ],
)
def test_wrong_uses_are_refused_in_words(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_scopes_change_no_value():
    @tf.function
    @XLA.jit_scope()
    def decorated(x):
        return x + 1

    @tf.function
    def f(x):
        with XLA.jit_scope(compile_ops=lambda op: True, separate_compiled_gradients=True) as scope:
            y = x * x
        assert scope is None
        return tf.gradients(y, x)[0], decorated(y)

    assert [t.numpy() for t in f(tf.constant(3.0))] == [6, 10]
