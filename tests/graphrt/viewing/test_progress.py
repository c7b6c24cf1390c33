"""Loops that say how far they are, and the long work of graphrt that does."""

import textwrap

import pytest

import graphrt as tf
from tests.autograph.backends.test_progress import on_a_terminal


def test_items_stay_what_they_are():
    numbers = tf.data.Dataset.range(10).batch(4)
    assert [b.numpy().tolist() for b in tf.progress(numbers)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert len(tf.progress(numbers)) == 3 and list(tf.progress(iter("ab"))) == ["a", "b"]
    with pytest.raises(TypeError, match="not known"):
        len(tf.progress(tf.data.Dataset.range(3).filter(lambda x: x > 0)))
    assert len(tf.progress(iter("ab"), total=2)) == 2
    assert list(tf.progress("ab", total=0)) == ["a", "b"]
    with pytest.raises(TypeError, match="found 3"):
        tf.progress(3)
    with pytest.raises(ValueError, match="total=-1"):
        tf.progress("ab", total=-1)
    with pytest.raises(TypeError):
        tf.progress("ab", total=1.5)


FAST = """
import threading, time
real, wait, sleep = time.monotonic, threading.Event.wait, time.sleep  # ten seconds pass in one
time.monotonic = lambda: 10 * real()
threading.Event.wait = lambda self, timeout=None: wait(self, timeout and timeout / 10)
time.sleep = lambda seconds: sleep(seconds / 10)
"""


def test_long_work_is_told():
    """Datasets on request, long traces, saving and loading: in one process, whose clock is fast."""
    seen = on_a_terminal(FAST + textwrap.dedent("""
        import tempfile, numpy as np, graphrt as tf
        for _ in tf.progress(tf.data.Dataset.range(8), "reading"):
            time.sleep(0.3)

        @tf.function
        def slow(x):
            for _ in range(5):
                x = tf.sin(x)
                time.sleep(1.5)
            return x
        slow(tf.constant(1.0))

        from graphrt.saving import bundle
        crc = bundle.masked_crc32c
        bundle.masked_crc32c = lambda data: (time.sleep(0.6), crc(data))[1]  # a slow disk
        prefix = tempfile.mkdtemp() + "/c"
        bundle.write_bundle(prefix, {f"w{i}": np.ones([100, 100]) for i in range(6)})
        with bundle.Bundle(prefix) as found:
            for i in range(6):
                found.read(f"w{i}")
        """))  # fmt: skip
    assert "reading [" in seen and "/8 items" in seen and "left" in seen
    assert "tracing slow: " in seen and "nodes" in seen
    assert "saving [" in seen and "loading [" in seen and "kB/480 kB" in seen
