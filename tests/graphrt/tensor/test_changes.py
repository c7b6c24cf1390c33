"""All assignments of a call take place, or none."""

import signal
import threading
import time

import numpy as np
import pytest

import graphrt as tf


class State:
    """A variable, a vector, a table, and a variable that only a Python function writes to."""

    def __init__(self):
        self.number, self.rows = tf.Variable(1.0), tf.Variable([1.0, 2.0])
        self.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        self.elsewhere = tf.Variable(0)
        self.bump = tf.function(lambda: self.elsewhere.assign_add(1))
        self.concrete = self.bump.get_concrete_function()
        for _ in range(3):  # by now the short way is taken
            self.bump()
            self.concrete()

    def now(self):
        return self.number.numpy().item(), self.rows.numpy().tolist(), self.table.size().numpy(), self.elsewhere.numpy()

    def write(self, fails):
        self.number.assign_add(1.0)
        self.rows.scatter_update(tf.IndexedSlices([9.0], [0]))
        self.table.insert(tf.constant(["a"]), tf.constant([1], tf.int64))
        tf.py_function(self.python, [1.0], tf.float32)
        for _ in tf.range(3):
            self.number.assign_add(10.0)
        tf.debugging.assert_equal(fails, False)
        return self.number.read_value()

    def python(self, x):
        self.elsewhere.assign(100)
        self.bump()
        self.concrete()
        return x


@pytest.fixture
def state():
    return State()


def refused(call):
    with pytest.raises(tf.errors.InvalidArgumentError):
        call(tf.constant(True))


def test_a_call_that_fails_leaves_all_as_it_was(state):
    f = tf.function(state.write, atomic=True)
    before = state.now()
    for _ in range(3):
        refused(f)
        assert state.now() == before
    assert f(tf.constant(False)) == 32.0
    assert state.now() == (32.0, [9.0, 2.0], 1, 102)
    refused(f.get_concrete_function(tf.TensorSpec([], tf.bool)))
    assert state.now() == (32.0, [9.0, 2.0], 1, 102)


def test_without_it_what_came_first_stays(state):
    refused(tf.function(state.write))
    assert state.now() == (32.0, [9.0, 2.0], 1, 102)


def test_inside_of_another_function(state):
    inner = tf.function(state.write, atomic=True)

    @tf.function
    def outer(fails):
        state.number.assign(5.0)
        return inner(fails)

    refused(outer)
    assert state.now() == (5.0, [1.0, 2.0], 0, 6)


def test_around_another_function(state):
    inner = tf.function(state.write)

    @tf.function(atomic=True)
    def outer(fails):
        inner(False)
        return inner(fails)

    before = state.now()
    refused(outer)
    assert state.now() == before


def test_eagerly_and_under_a_tape(state):
    f = tf.function(state.write, atomic=True)
    before = state.now()
    with tf.GradientTape():
        refused(f)
    assert state.now() == before
    tf.config.run_functions_eagerly(True)
    try:
        refused(f)
    finally:
        tf.config.run_functions_eagerly(False)
    assert state.now() == before


def test_an_atomic_call_within_another_is_undone_with_it(state):
    inner = tf.function(lambda: state.number.assign_add(1.0), atomic=True)

    @tf.function(atomic=True)
    def outer(fails):
        tf.py_function(lambda: inner(), [], tf.float32)
        tf.debugging.assert_equal(fails, False)

    refused(outer)
    assert state.now()[0] == 1.0
    outer(tf.constant(False))
    assert state.now()[0] == 2.0


def test_an_interrupt_undoes_it(state):
    @tf.function(atomic=True)
    def endless(n):
        while n > 0:
            state.number.assign_add(1.0)
        return n

    endless(tf.constant(0))
    main = threading.main_thread().ident
    for _ in range(3):
        timer = threading.Timer(0.05, lambda: signal.pthread_kill(main, signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            endless(tf.constant(1))
            time.sleep(5)
        timer.join()
        assert state.now()[0] == 1.0


class Failing(tf.keras.optimizers.Adam):
    def update_step(self, gradient, variable, learning_rate):
        super().update_step(gradient, variable, learning_rate)
        tf.debugging.assert_all_finite(gradient, "a gradient that is none")


@pytest.mark.parametrize("how", [lambda f: f, tf.function], ids=["eager", "traced"])
@pytest.mark.parametrize(
    "options", [{}, {"use_ema": True}, {"weight_decay": 0.1}, {"gradient_accumulation_steps": 2}], ids=str
)
def test_an_update_of_an_optimizer_that_fails_changes_nothing(how, options):
    first, second = tf.Variable([1.0, 2.0]), tf.Variable([3.0])
    optimizer = Failing(**options)
    step = how(lambda a, b: optimizer.apply_gradients([(a, first), (b, second)]))
    good, bad = tf.constant([1.0]), tf.constant([np.nan])
    both = tf.constant([1.0, 1.0])
    for _ in range(2):
        step(both, good)
    step(both, good)
    variables = [first, second, *optimizer.variables]
    before = [v.numpy().tolist() for v in variables]
    with pytest.raises(tf.errors.InvalidArgumentError):
        step(both, bad)
    assert [v.numpy().tolist() for v in variables] == before
    step(both, good)
    assert first.numpy().tolist() != before[0]
