"""Summaries written with a module that has TensorFlow's names; `record_summaries.py` keeps what TensorFlow writes."""

import base64
import glob
import os
import struct

import numpy as np


def write_all(tf, folder):
    """Writes one of each kind; returns what the calls returned, as Python values."""
    s = tf.summary
    found = []
    note = lambda t: found.append(bool(t.numpy()) if hasattr(t, "numpy") else t)
    writer = s.create_file_writer(folder)
    note(s.scalar("nowhere", 1.0, step=1))
    note(s.should_record_summaries())
    with writer.as_default():
        note(s.scalar("x", 1.5, step=1))
        note(s.scalar("whole", 3, step=2, description="a *count*"))
        with s.record_if(False):
            note(s.scalar("x", 1.5, step=1))
            note(s.should_record_summaries())
        with s.record_if(lambda: tf.constant(True)):
            note(s.scalar("x", 2.5, step=3))
        with s.record_if(tf.constant(False)):
            note(s.scalar("x", 3.5, step=4))
        s.experimental.set_step(5)
        note(s.experimental.get_step())
        note(s.scalar("stepped", 2.0))
        with writer.as_default(step=7):
            note(s.experimental.get_step())
            note(s.scalar("inner", 2.0))
        note(s.experimental.get_step())
        s.experimental.set_step(None)
        with tf.name_scope("outer"):
            s.scalar("scoped name", 1, step=1)
        s.histogram("h", np.float32([1, 2, 2, 3]), step=3, buckets=3)
        s.histogram("thirty", np.arange(100) * 0.37, step=3)
        s.histogram("same", np.float32([2, 2]), step=3, buckets=3)
        s.histogram("none", np.float32([]), step=3, buckets=2)
        s.histogram("whole", [[1, 2], [3, 4]], step=3, buckets=4, description="numbers")
        s.text("t", "hello *world*", step=3)
        s.text("table", [["a", "b"]], step=3)
        s.write("raw", tf.constant([[1, 2], [3, 4]]), step=3)
        s.write("flags", tf.constant([True, False]), step=3)
        s.write("halves", tf.constant([1.0, 2.0], tf.float16), step=3)

        @tf.function
        def inside(x, step):
            s.scalar("in_function", x, step=step)
            with tf.name_scope("deep"):
                s.histogram("h", tf.stack([x, x * 2]), step=step, buckets=2)
            with s.record_if(x > 3.5):
                s.scalar("sometimes", x * 10, step=step)
            return s.should_record_summaries()

        note(inside(tf.constant(3.0), tf.constant(9, tf.int64)))
        note(inside(tf.constant(4.0), tf.constant(10, tf.int64)))
        at = tf.Variable(20, dtype=tf.int64)

        @tf.function
        def by_variable(x):
            s.scalar("by_variable", x, step=at)
            at.assign_add(1)

        by_variable(tf.constant(1.0))
        by_variable(tf.constant(2.0))

        @tf.function
        def loop(n):
            for i in tf.range(n):
                s.scalar("in_loop", tf.cast(i, tf.float32), step=tf.cast(i, tf.int64))

        loop(tf.constant(3))
        s.image("i", np.arange(12, dtype=np.float32).reshape(1, 2, 2, 3) / 12, step=3)
        s.image("two", np.zeros([3, 2, 5, 1], np.uint8), step=3, max_outputs=2)
        s.audio("a", np.zeros([1, 4, 1], np.float32), 8000, step=3)
    writer.close()
    return found


def records(path):
    """The records of an event file, checksums aside."""
    data = open(path, "rb").read()
    at, found = 0, []
    while at < len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        found.append(data[at + 12 : at + 12 + length])
        at += length + 16
    return found


def without_time(record):
    """A record without its first field, the time of day."""
    assert record[:1] == b"\x09"
    return record[9:]


def told(tf, folder):
    """What `write_all` returns, and the events without their times, in base64."""
    returned = write_all(tf, folder)
    (path,) = glob.glob(os.path.join(folder, "events.out.tfevents.*"))
    return returned, [base64.b64encode(without_time(r)).decode() for r in records(path)]
