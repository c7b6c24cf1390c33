"""Functions that move to machine code while they run."""

import threading

import numpy as np
import pytest

import graphrt as tf
from graphrt.native import NativeProgram, auto


@pytest.fixture
def at_once(monkeypatch):
    """Everything is hot, and native programs are the Python that they are: no Numba is needed."""
    monkeypatch.setattr(auto, "HOT", 0.0)
    monkeypatch.setattr(auto, "is_installed", lambda: True)
    made = []

    def program_for(concrete):
        made.append(NativeProgram(concrete.graph, plain=True))
        return made[-1]

    monkeypatch.setattr(auto, "program_for", program_for)
    return made


def warming(concrete):
    return concrete.executable.__self__


def test_hot_functions_move(at_once):
    f = tf.function(lambda x: tf.reduce_sum(tf.tanh(x) * 2.0, 0), jit_compile="auto")
    x = tf.constant(np.arange(12, dtype=np.float32).reshape(4, 3))
    wanted = f(x).numpy()
    auto.wait()
    concrete = f.get_concrete_function(x)
    warm = warming(concrete)
    assert warm.state == "trying" and len(at_once) == 1 and len(at_once[0].regions) == 1
    for _ in range(8):
        np.testing.assert_array_equal(f(x).numpy(), wanted)
    assert warm.state in ("native", "kept")  # whichever is faster
    for best, state in (([2.0, 1.0], "native"), ([0.0, 2.0], "kept")):
        other = auto.Warming(concrete)
        other.prepare()
        other._best, other._left = best, 1
        other.run(*concrete.raw_inputs((x,), {}))
        assert other.state == state
        np.testing.assert_array_equal(other.run(*concrete.raw_inputs((x,), {}))[0], wanted)


def test_effects_happen_once_and_failures_are_those_of_numpy(at_once):
    v = tf.Variable(0.0)

    @tf.function(jit_compile="auto")
    def f(x, i):
        v.assign_add(tf.reduce_sum(x * x))
        return tf.gather(x, i) + v

    x = tf.constant([1.0, 2.0, 3.0])
    for turn in range(1, 25):
        assert f(x, tf.constant(1)).numpy() == 2.0 + 14.0 * turn
        auto.wait()
    with pytest.raises(tf.errors.InvalidArgumentError, match="test_auto.py"):
        f(x, tf.constant(9))


def test_what_cannot_be_compiled_stays(at_once, monkeypatch):
    words = tf.function(lambda x: tf.strings.upper(x), jit_compile="auto")
    for _ in range(3):
        assert words(tf.constant("a")).numpy() == b"A"
        auto.wait()
    assert warming(words.get_concrete_function(tf.constant("a"))).state == "kept"
    monkeypatch.setattr(auto, "program_for", lambda concrete: 1 / 0)
    broken = tf.function(lambda x: x * 2.0 + 1.0, jit_compile="auto")
    for _ in range(3):
        assert broken(tf.constant(1.0)).numpy() == 3.0
        auto.wait()
    assert warming(broken.get_concrete_function(tf.constant(1.0))).state == "kept"


def test_the_thread_takes_so_many_and_ends(monkeypatch):
    held, done = threading.Event(), []
    monkeypatch.setattr(auto, "_MOST", 2)
    assert auto._give(lambda: held.wait(10))
    taken = [auto._give(lambda i=i: done.append(i)) for i in range(5)]
    held.set()
    auto.wait()
    assert sum(taken) in (1, 2) and done == [i for i, t in enumerate(taken) if t]
    assert not [t for t in threading.enumerate() if t.name == "graphrt compiler"]


def test_without_numba_functions_are_what_they_were(monkeypatch):
    monkeypatch.setattr(auto, "is_installed", lambda: False)
    f = tf.function(lambda x: x * 2.0, jit_compile="auto")
    assert f(tf.constant(2.0)).numpy() == 4.0
    concrete = f.get_concrete_function(tf.constant(2.0))
    assert concrete.executable is concrete.program.function


def test_the_switch(at_once):
    assert tf.config.optimizer.get_jit() == ""
    tf.config.optimizer.set_jit(True)
    try:
        assert tf.config.optimizer.get_jit() == "autoclustering"
        f = tf.function(lambda x: tf.tanh(x) * 2.0)
        assert isinstance(warming(f.get_concrete_function(tf.zeros([3]))), auto.Warming)
        g = tf.function(lambda x: tf.tanh(x) * 2.0, jit_compile=False)
        assert not hasattr(g.get_concrete_function(tf.zeros([3])).executable, "__self__")
    finally:
        tf.config.optimizer.set_jit(False)
    h = tf.function(lambda x: tf.tanh(x) * 2.0)
    assert not hasattr(h.get_concrete_function(tf.zeros([3])).executable, "__self__")


def test_machine_code(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setenv("GRAPHRT_NATIVE_CACHE", "")
    monkeypatch.setattr(auto, "HOT", 0.0)

    @tf.function(jit_compile="auto")
    def steps(n):
        count = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        return count

    assert steps(tf.constant(27)).numpy() == 111
    auto.wait()
    assert [steps(tf.constant(27)).numpy().item() for _ in range(10)] == [111] * 10
    assert warming(steps.get_concrete_function(tf.constant(27))).state == "native"
