"""Reading ahead: what runs at the same time, in which order results come, and that no thread is left behind."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import graphrt as tf
from tests import ROOT

D = tf.data.Dataset


def python(function, x):
    return tf.py_function(function, [x], tf.int64)


def running():
    """The threads of iterators; those of the one pool of the process stay."""
    names = [t.name for t in threading.enumerate()]
    return [n for n in names if n.startswith("graphrt") and not n.startswith("graphrt work")]


def slowly(x):
    time.sleep(0.001)
    return x


@pytest.fixture(autouse=True)
def no_thread_is_left():
    gc.disable()  # threads end when the iterator is dropped, not when the collector comes round
    try:
        yield
        assert running() == []
    finally:
        gc.enable()


def ahead():
    return D.range(1000).map(lambda x: python(slowly, x), num_parallel_calls=3).prefetch(2)


def test_leaving_a_loop_ends_its_threads():
    for i, _ in enumerate(ahead()):
        if i == 0:
            assert len(running()) == 4
        if i == 5:
            break


def test_dropping_an_iterator_ends_its_threads():
    it = iter(ahead())
    next(it)
    assert running()
    del it


def test_the_end_of_the_data_ends_the_threads_while_the_iterator_lives():
    it = iter(D.range(5).prefetch(2))
    assert len(list(it)) == 5
    assert running() == []
    assert next(it, None) is None


@pytest.mark.parametrize("wrap", [lambda ds: ds, lambda ds: ds.prefetch(1), lambda ds: ds.batch(2).prefetch(2)])
def test_an_error_ends_the_threads(wrap):
    def fail(x):
        if x == 5:
            raise ValueError("five")
        return x

    ds = wrap(D.range(100).map(lambda x: python(fail, x), num_parallel_calls=3))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)five.*Dataset.map at .*test_parallel.py.*number 5"):
        for _ in ds:
            pass
    # pytest keeps the error, and with it the frames: a program that has left its `except` does not
    gc.collect()


def test_an_error_in_a_function_ends_the_threads():
    @tf.function
    def run(ds):
        s = tf.constant(0, tf.int64)
        for x in ds:
            s += x
        return s

    with pytest.raises(tf.errors.InvalidArgumentError):
        run(D.range(100).map(lambda x: 1 // (x - 3)).prefetch(2))
    assert running() == []
    assert run(D.range(100).prefetch(2).take(3)).numpy() == 3


def test_leaving_a_loop_in_a_function_ends_the_threads():
    @tf.function
    def run(ds):
        for x in ds:
            if x > 4:
                return x
        return tf.constant(0, tf.int64)

    assert run(ahead()).numpy() == 5


def test_taking_some_elements_ends_the_threads():
    assert len(list(ahead().take(3))) == 3


@pytest.fixture
def interruptible():
    """Ctrl-C raises KeyboardInterrupt, in tests run by `nohup` or in the background, too, where it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_interrupts_end_the_threads(interruptible):
    def pressed(x):
        if x == 3:
            signal.raise_signal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else os.kill(
                os.getpid(), signal.SIGINT
            )
        time.sleep(0.005)
        return x

    with pytest.raises(KeyboardInterrupt):
        for _ in D.range(1000).map(lambda x: python(pressed, x), num_parallel_calls=2).prefetch(2):
            pass
    gc.collect()


@pytest.mark.parametrize("begun", [False, True])
def test_an_interrupt_while_a_thread_starts_is_the_one_error(monkeypatch, begun):
    start = threading.Thread.start

    def interrupted(thread):
        if begun:
            start(thread)
        raise KeyboardInterrupt

    data = D.range(10).prefetch(2)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt) as raised:
        patch.setattr(threading.Thread, "start", interrupted)
        next(iter(data))
    assert raised.value.__context__ is None
    assert [int(x) for x in data] == list(range(10))


def test_programs_end_with_an_iterator_still_open():
    text = (
        "import graphrt as tf\n"
        "it = iter(tf.data.Dataset.range(10**9).batch(2).prefetch(4))\n"
        "print(next(it).numpy()[1])\n"
    )
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("1\n", "", 0)
    assert time.perf_counter() - begun < 30


def test_calls_run_at_the_same_time():
    barrier = threading.Barrier(3)

    def meet(x):
        barrier.wait(20)
        return x

    ds = D.range(6).map(lambda x: python(meet, x), num_parallel_calls=3)
    assert list(ds.as_numpy_iterator()) == list(range(6))


def test_results_come_in_order_unless_order_is_given_up():
    late = threading.Event()

    def first_is_late(x):
        if x == 0:
            assert late.wait(20)
        elif x == 3:
            late.set()
        return x

    ds = D.range(6).map(lambda x: python(first_is_late, x), num_parallel_calls=3, deterministic=False)
    found = list(ds.as_numpy_iterator())
    assert found[0] != 0 and sorted(found) == list(range(6))
    late.clear()
    options = tf.data.Options()
    options.deterministic = False
    relaxed = D.range(6).map(lambda x: python(first_is_late, x), num_parallel_calls=3).with_options(options)
    it = iter(relaxed)
    assert next(it).numpy() != 0
    late.set()
    del it


def test_elements_are_made_ahead():
    made = []
    ready = threading.Event()

    def note(x):
        made.append(int(x))
        if len(made) == 4:
            ready.set()
        return x

    it = iter(D.range(100).map(lambda x: python(note, x)).prefetch(3))
    next(it)
    assert ready.wait(20)
    time.sleep(0.02)
    assert len(made) == 4
    del it


def test_nothing_starts_before_the_first_element_is_asked_for():
    it = iter(ahead())
    assert running() == []
    del it


def test_quick_functions_need_no_threads():
    it = iter(D.range(100).map(lambda x: x + 1, num_parallel_calls=tf.data.AUTOTUNE))
    assert [next(it).numpy() for _ in range(50)] == list(range(1, 51))
    assert running() == []


def test_iterators_may_be_shared_by_threads():
    it = iter(D.range(2000).map(lambda x: x * 2).prefetch(4))
    found = []

    def read():
        for x in it:
            found.append(x.numpy())

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert sorted(found) == list(range(0, 4000, 2))


def test_parallel_interleave_keeps_the_order():
    def inner(x):
        return D.range(x).map(lambda v: v + 100 * x).prefetch(1)

    plain = D.range(8).interleave(inner, cycle_length=3, block_length=2)
    parallel = D.range(8).interleave(inner, cycle_length=3, block_length=2, num_parallel_calls=2)
    assert list(parallel.as_numpy_iterator()) == list(plain.as_numpy_iterator())
    it = iter(parallel)
    next(it)
    del it


def test_errors_do_not_end_what_can_go_on():
    ds = D.range(6).map(lambda x: 6 // (x - 2), num_parallel_calls=2).ignore_errors()
    assert list(ds.as_numpy_iterator()) == [-3, -6, 6, 3, 2]
    it = iter(D.range(4).map(lambda x: 1 // (x - 1)).prefetch(1))
    assert next(it).numpy() == -1
    with pytest.raises(tf.errors.InvalidArgumentError):
        next(it)
    assert [x.numpy() for x in it] == [1, 0]


@pytest.mark.parametrize("loop", ["eager", "function", "iterator"])
def test_ctrl_c_in_a_program_of_its_own(loop, tmp_path):
    text = f"""
import signal, sys, threading, time
import graphrt as tf

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what `nohup` or a shell's background runs

def slow(x):
    time.sleep(0.01)
    return x

ds = tf.data.Dataset.range(10**6).map(
    lambda x: tf.py_function(slow, [x], tf.int64), num_parallel_calls=2).prefetch(4)

@tf.function
def total(ds):
    t = tf.constant(0, tf.int64)
    for x in ds:
        t += x
    return t

print("ready", flush=True)
try:
    if {loop!r} == "eager":
        for x in ds:
            pass
    elif {loop!r} == "function":
        total(ds)
    else:
        it = iter(ds)
        while True:
            next(it)
except KeyboardInterrupt:
    del ds
    print("interrupted", flush=True)
    if {loop!r} == "iterator":
        del it
deadline = time.time() + 20
while threading.active_count() > 1 and time.time() < deadline:
    time.sleep(0.01)
print(threading.active_count())
"""
    (tmp_path / "program.py").write_text(text)
    with subprocess.Popen(
        [sys.executable, str(tmp_path / "program.py")],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.4)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (out, err, process.returncode) == ("interrupted\n1\n", "", 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("make", [lambda d: d.prefetch(2), lambda d: d.map(lambda x: slowly(x), num_parallel_calls=2)])
def test_an_iterator_whose_threads_stayed_in_another_process_says_so(make):
    iterator = iter(make(tf.data.Dataset.range(100)))
    next(iterator)
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(20)
            try:
                for _ in iterator:
                    pass
            except tf.errors.FailedPreconditionError as error:
                again = [int(x) for x in make(tf.data.Dataset.range(5))] == [0, 1, 2, 3, 4]
                os._exit(3 if again and "make a new iterator" in str(error) else 4)
        finally:
            os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    assert len(list(iterator)) == 99


def slowly(x):
    return tf.py_function(lambda v: (time.sleep(0.001), v)[1], [x], tf.int64)
