"""What watches functions run: stale captures, numeric checks, verification; and copies of concrete functions."""

from __future__ import annotations

import concurrent.futures
import copy
import inspect
import multiprocessing
import pickle
import warnings

import numpy as np
import pytest

import graphrt as tf

FACTOR = 2


def value(x):
    return np.asarray(x).tolist()


@pytest.fixture
def stale():
    tf.config.warn_on_stale_capture(True)
    yield
    tf.config.warn_on_stale_capture(False)


@pytest.fixture
def numerics():
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


def line_of(text, function):
    lines, start = inspect.getsourcelines(function)
    return start + next(i for i, line in enumerate(lines) if text in line)


# --- stale captures --------------------------------------------------------------------------------------------------
def told(f, *args):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f(*args)
    return [str(w.message) for w in caught if issubclass(w.category, tf.errors.StaleCaptureWarning)]


def helper(x):
    return x * FACTOR


class Settings:
    scale = 3


def test_changed_globals_and_closures_are_reported_once(stale, monkeypatch):
    offset, items, settings = 10, [1, 2], Settings()
    settings.scale = 3

    @tf.function
    def f(x):
        return helper(x) + offset + len(items) + settings.scale

    x = tf.constant(1)
    assert told(f, x) == [] == told(f, x) == told(f, x)
    monkeypatch.setitem(globals(), "FACTOR", 5)
    (text,) = told(f, x)
    assert "global 'FACTOR' was 2 when f" in text and "is 5 now" in text and "tf.Variable" in text
    assert told(f, x) == []
    offset = 11
    items.append(3)
    settings.scale = 4
    found = "\n".join(told(f, x))
    assert "'offset' was 10" in found and "'items' was [1, 2]" in found and "'settings.scale' was 3" in found
    assert value(f(x)) == 2 + 10 + 2 + 3


def test_attributes_of_self_are_watched(stale):
    class Model:
        def __init__(self):
            self.bias = 5.0

        @tf.function
        def run(self, x):
            return x + self.bias

    model = Model()
    assert told(model.run, 1.0) == []
    model.bias = 6.0
    assert "'self.bias' was 5.0" in told(model.run, 1.0)[0]


def test_variables_and_equal_values_are_not_stale(stale):
    v, data, text = tf.Variable(1.0), np.ones(3, np.float32), "a"

    @tf.function
    def f(x):
        return x + v + tf.reduce_sum(data) if text else x

    f(1.0)
    v.assign(3.0)
    data, text = np.ones(3, np.float32), "".join(["a"])
    assert told(f, 1.0) == []


def test_nothing_is_said_by_default():
    offset = 1
    f = tf.function(lambda x: x + offset)
    assert told(f, 1) == []
    offset = 2
    assert told(f, 1) == [] and not tf.config.stale_captures_are_reported()
    with pytest.raises(TypeError, match="expects a bool"):
        tf.config.warn_on_stale_capture(1)


# --- numeric checks --------------------------------------------------------------------------------------------------
def test_the_first_bad_op_is_named_eagerly(numerics):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r'(?s)eagerly-executing op "Log".*# of -Inf elements: 1'
    ) as caught:
        tf.math.log(tf.constant([1.0, 0.0]))
    assert "test_stale_captures.py" in str(caught.value)
    assert tf.math.log(tf.constant(1.0)).numpy() == 0.0


def test_the_first_bad_op_is_named_in_graphs(numerics):
    @tf.function
    def inner(x):
        return tf.sqrt(x)

    @tf.function
    def f(x):
        total = x
        for i in tf.range(3):
            if i == 1:
                total = inner(total - 10.0)  # bad
            total = total + 1.0
        return total * 0.0

    with pytest.raises(tf.errors.InvalidArgumentError, match=r'(?s)graph op "Sqrt".*# of NaN elements: 1') as caught:
        f(tf.constant(1.0))
    line = inspect.getsourcelines(test_the_first_bad_op_is_named_in_graphs)[1] + 3
    assert f"test_stale_captures.py:{line}" in str(caught.value)
    assert value(f(tf.constant(100.0))) == 0.0


def test_checks_can_be_ended_and_are_off_by_default():
    f = tf.function(lambda x: tf.math.log(x))
    assert value(f(tf.constant(0.0))) == -np.inf
    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match='"Log"'):
            f(tf.constant(0.0))
        with tf.GradientTape() as tape:
            x = tf.constant(4.0)
            tape.watch(x)
            y = f(x) * x
        assert abs(value(tape.gradient(y, x)) - (1 + np.log(4.0))) < 1e-6
    finally:
        tf.debugging.disable_check_numerics()
    assert value(f(tf.constant(0.0))) == -np.inf


# --- verification ----------------------------------------------------------------------------------------------------
def test_what_agrees_passes_and_runs_state_once():
    v = tf.Variable(1.0)

    @tf.function(verify=True)
    def f(x, n):
        total = tf.zeros([])
        for i in tf.range(n):
            if i % 2 == 0:
                total += x * tf.cast(i, tf.float32)
            else:
                v.assign_add(x)
        return {"total": total, "v": v}

    for k in range(1, 4):
        result = f(tf.constant(2.0), tf.constant(4))
        assert value(result["total"]) == 4.0 and value(v) == 1.0 + 4.0 * k


def test_the_first_op_that_differs_is_named():
    counter = [0]

    @tf.function(verify=True)
    def f(x):
        y = x * 2.0
        z = y + float(counter[0])  # here
        return tf.exp(z)

    f(tf.constant(1.0))
    counter[0] = 1
    with pytest.raises(tf.errors.VerificationError, match="first op whose value differs is AddV2") as caught:
        f(tf.constant(1.0))
    line = line_of("# here", test_the_first_op_that_differs_is_named)
    assert f"test_stale_captures.py:{line}" in str(caught.value) and "2.0 in the graph, 3.0 eagerly" in str(
        caught.value
    )


def test_errors_must_agree_too():
    fails = [False]

    @tf.function(verify=True)
    def f(x):
        if fails[0]:
            raise ValueError("now")
        return x

    f(1)
    fails[0] = True
    with pytest.raises(tf.errors.VerificationError, match=r"Python raises ValueError \(now\)"):
        f(1)

    @tf.function(verify=True)
    def g(x):
        tf.debugging.assert_positive(x)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x > 0"):
        g(tf.constant(-1))


def test_random_functions_are_not_verified():
    with pytest.warns(tf.errors.GraphRTWarning, match="random"):
        tf.function(lambda: tf.random.normal([2]), verify=True)()


# --- copies ----------------------------------------------------------------------------------------------------------
WEIGHT = tf.Variable([1.0, 2.0], name="weight")


@tf.function
def affine(x, n=2, *, d=None):
    total = tf.zeros([2])
    for _ in tf.range(n):
        if tf.reduce_sum(x) > 0:
            total += x * WEIGHT + tf.constant([5.0, 6.0])
        else:
            WEIGHT.assign_add(x)
    return {"total": total, "rest": (x, None)}


def test_concrete_functions_are_pickled_with_copies_of_their_variables():
    concrete = affine.get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([], tf.int32), d=[1, None])
    again = pickle.loads(pickle.dumps(concrete))
    args = tf.ones([2]), tf.constant(2)
    for _ in range(3):
        assert value(again(*args, d=[1, None])["total"]) == value(concrete(*args, d=[1, None])["total"]) == [12.0, 16.0]
    again(-tf.ones([2]), 1, d=[1, None])
    assert value(again.variables[0]) == [0.0, 1.0] and value(WEIGHT) == [1.0, 2.0]
    assert again.pretty_printed_signature() == concrete.pretty_printed_signature()
    assert again.structured_input_signature == concrete.structured_input_signature
    with pytest.raises(TypeError, match=r"argument 'd'"):
        again(*args, d=[2, None])
    assert copy.copy(concrete) is concrete and copy.deepcopy([concrete])[0] is concrete


def test_what_cannot_be_pickled_is_told():
    f = tf.function(lambda x: tf.py_function(lambda v: v, [x], tf.float32))
    with pytest.raises((pickle.PicklingError, AttributeError), match="[Cc]an't pickle|Can't get local"):
        pickle.dumps(f.get_concrete_function(1.0))

    @tf.function
    def outer(x):
        inner = tf.function(lambda y: x + y).get_concrete_function(tf.TensorSpec([]))
        pickle.dumps(inner)

    with pytest.raises(pickle.PicklingError, match="cannot be pickled: it captured"):
        outer(tf.constant(1.0))


def negated(x):
    return -x


def test_python_functions_are_pickled_by_reference():
    @tf.function
    def f(x):
        if x > 0:
            return tf.py_function(negated, [x], tf.float32) * x
        return tf.numpy_function(np.cos, [x], tf.float32)

    again = pickle.loads(pickle.dumps(f.get_concrete_function(tf.TensorSpec([]))))
    assert [again(tf.constant(v)).numpy() for v in (3.0, 0.0)] == [-9.0, 1.0]
    with tf.GradientTape() as tape:
        x = tf.constant(3.0)
        tape.watch(x)
        y = again(x)
    assert tape.gradient(y, x).numpy() == -6.0


def test_functions_that_call_themselves_are_pickled():
    @tf.function
    def factorial(n, scale):
        if n <= 1:
            return scale
        return tf.cast(n, tf.float32) * factorial(n - 1, scale)

    @tf.function
    def both(n):
        return factorial(n, 2.0) + factorial(n - 1, tf.constant(1.0))

    spec = tf.TensorSpec([], tf.int32)
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(both.get_concrete_function(spec)))))
    assert again(tf.constant(5)).numpy() == 2 * 120 + 24
    alone = pickle.loads(pickle.dumps(factorial.get_concrete_function(spec, tf.TensorSpec([]))))
    with tf.GradientTape() as tape:
        scale = tf.constant(3.0)
        tape.watch(scale)
        result = alone(tf.constant(4), scale)
    assert result.numpy() == 72.0 and tape.gradient(result, scale).numpy() == 24.0


def test_process_pools_run_concrete_functions():
    square = tf.function(lambda x: x * x).get_concrete_function(tf.TensorSpec([], tf.float32))
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        assert [t.numpy() for t in pool.map(square, [tf.constant(float(i)) for i in range(4)])] == [0.0, 1.0, 4.0, 9.0]
