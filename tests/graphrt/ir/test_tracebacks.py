"""Tracebacks show the user's frames."""

import contextlib
import functools
import traceback

import numpy as np
import pytest

import graphrt as tf


def frames(call, *args):
    with pytest.raises(Exception) as raised:  # noqa: PT011  any error
        call(*args)
    return [(f.filename == __file__, f.name) for f in traceback.extract_tb(raised.value.__traceback__)][1:]


def product(x):
    return tf.matmul(x, x)


def fails(x):
    raise KeyError(x)


def test_ops_at_once():
    assert [name for _, name in frames(product, tf.zeros([2, 3]))] == ["product", "matmul"]


def test_what_is_traced():
    def staged(x):
        if tf.reduce_sum(x) > 0:
            return product(x)
        return x

    shown = frames(tf.function(staged), tf.ones([2, 3]))
    assert {ours for ours, _ in shown} == {True}
    assert shown[0] == (True, "staged")
    assert shown[-1] == (True, "product")


@pytest.mark.parametrize("calls", [1, 3])
def test_what_runs(calls):
    f = tf.function(lambda x, i: tf.gather(x, i))
    for _ in range(calls - 1):
        f([1, 2], 1)
        f(tf.constant([1, 2]), tf.constant(1))
    assert frames(f, tf.constant([1, 2]), tf.constant(5)) == []
    concrete = f.get_concrete_function(tf.TensorSpec([2], tf.int32), tf.TensorSpec([], tf.int32))
    assert frames(concrete, tf.constant([1, 2]), tf.constant(5)) == []


def test_concrete_functions_that_cannot_be_made():
    assert frames(tf.function(product).get_concrete_function, tf.TensorSpec([2, 3], tf.float32)) == [(True, "product")]


def test_what_python_is_called_in_a_graph():
    f = tf.function(lambda x: tf.py_function(fails, [x], tf.float32))
    assert not [name for ours, name in frames(f, 1.0) if not ours]


def test_elements_of_datasets():
    def elements():
        yield 1
        fails(2)

    data = tf.data.Dataset.from_generator(elements, output_signature=tf.TensorSpec([], tf.int32))
    assert not [name for ours, name in frames(list, data) if not ours]
    assert not [name for ours, name in frames(list, data.as_numpy_iterator()) if not ours]
    assert list(tf.data.Dataset.range(2).as_numpy_iterator()) == [0, 1]


def test_what_users_call_in_libraries_stays():
    @contextlib.contextmanager
    def managed():
        yield
        fails(1)

    def through(x):
        with managed():
            return np.apply_along_axis(fails, 0, np.ones(2)) if x is None else functools.reduce(lambda a, b: b, [x])

    names = [name for _, name in frames(tf.function(through), 1.0)]
    assert "__exit__" in names
    assert names[-1] == "fails"
    assert "apply_along_axis" in [name for _, name in frames(tf.function(through, autograph=False), None)]


def test_all_is_shown_on_request():
    tf.debugging.disable_traceback_filtering()
    try:
        assert not tf.debugging.is_traceback_filtering_enabled()
        assert "apply_op" in [name for _, name in frames(tf.function(product), tf.ones([2, 3]))]
    finally:
        tf.debugging.enable_traceback_filtering()
    assert "apply_op" not in [name for _, name in frames(tf.function(product), tf.ones([2, 3]))]


def test_the_cause_stays():
    @tf.function
    def f(x):
        try:
            fails(x)
        except KeyError as error:
            raise ValueError("told") from error

    with pytest.raises(ValueError, match="told") as raised:
        f(1)
    assert isinstance(raised.value.__cause__, KeyError)


def chained(call, *args):
    """The error of a call, and those that Python would show before it."""
    with pytest.raises(Exception) as raised:  # noqa: PT011  any error
        call(*args)
    found = [raised.value]
    while behind := found[-1].__cause__ or (not found[-1].__suppress_context__ and found[-1].__context__) or None:
        found.append(behind)
    return found


def test_how_the_library_found_out_is_no_error_of_its_own():
    def grows(n):
        found = []
        for i in tf.range(n):
            found.append(i)
            found.append("a")
        return found

    at_run = tf.function(lambda x: x + tf.ones([3]), input_signature=[tf.TensorSpec([None])])
    assert len(chained(tf.function(grows), tf.constant(3))) == 1
    assert len(chained(at_run, tf.ones([2]))) == 1
    assert len(chained(tf.reshape, tf.ones([2]), [3])) == 1


def test_errors_behind_an_error_keep_the_frames_of_users():
    def handled(x):
        try:
            product(x)
        except tf.errors.InvalidArgumentError:
            return fails(1)

    for call in (handled, tf.function(handled)):
        error, behind = chained(call, tf.zeros([2, 3]))
        assert isinstance(error, KeyError)
        shown = [f.name for f in traceback.extract_tb(behind.__traceback__)]
        assert shown == ["handled", "product"] or (call is handled and shown == ["handled", "product", "matmul"])


def test_layers_and_models():
    class Outer(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.inner = tf.keras.Sequential([tf.keras.layers.Lambda(fails)])

        def call(self, x):
            return self.inner(x)

    model = Outer()
    model.compile("sgd", "mse")
    for call in (model, model.predict, lambda x: model.fit(x, x, verbose=0)):
        assert [name for ours, name in frames(call, tf.ones([2, 3])) if not ours] == []


def test_functions_of_datasets():
    shown = frames(tf.data.Dataset.range(3).map, lambda x: fails(x))
    assert shown == [(False, "map_"), (True, "<lambda>"), (True, "fails")]


@pytest.mark.parametrize("deep", [False, True])
def test_recursion_without_an_end(deep):
    def repeats(x):
        return repeats(x)

    value = []
    for _ in range(100_000 if deep else 0):
        value = [value]
    function = tf.function((lambda x: x) if deep else repeats)
    shown = frames(function, value)
    assert {ours for ours, _ in shown} <= {True}


def test_interrupts_show_what_errors_do():
    def interrupted(x):
        raise KeyboardInterrupt

    layer = tf.keras.layers.Lambda(interrupted)
    numbers = tf.data.Dataset.from_generator(
        lambda: map(interrupted, [1]), output_signature=tf.TensorSpec([], tf.int32)
    )
    for call in (
        tf.function(interrupted),
        tf.function(lambda x: tf.py_function(interrupted, [x], tf.float32)),
        layer,
        lambda x: list(numbers),
    ):
        with pytest.raises(KeyboardInterrupt) as raised:
            call(tf.constant(1.0))
        shown = traceback.extract_tb(raised.value.__traceback__)
        assert [f.name for f in shown if f.filename != __file__] == []
        assert shown[-1].name == "interrupted"
