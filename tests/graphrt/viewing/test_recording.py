"""Recorded runs: values, times, memory."""

import numpy as np

import graphrt as tf
from graphrt.viewing.recording import Memory, Recorder, record


def test_memory_of_lines():
    def f(x):
        return tf.reduce_sum(tf.exp(x) @ tf.exp(x))

    x = tf.ones([200, 200], tf.float64)
    story = tf.view(f, x, run=True, path=None).story
    texts = story.text["lines"]
    bytes_ = {texts[r["line"] - 1].strip().split("(")[0].split("= ")[-1]: r["bytes"] for r in story.run["lines"]}
    assert max(bytes_.values()) >= x.numpy().nbytes and story.run["bytes"] >= x.numpy().nbytes


def test_functions_with_effects_run_once_and_others_are_warmed_up():
    calls = []

    def note(x):
        calls.append(1)
        return x

    concrete = tf.function(lambda x: tf.numpy_function(note, [x], tf.float32)).get_concrete_function(tf.ones([2]))
    recording, results = record(concrete.program, [np.ones(2, np.float32)], Recorder(values=True), memory=True)
    assert concrete.program.has_effects and len(calls) == 1
    assert recording["bytes"] is None and results[0].tolist() == [1.0, 1.0]
    assert not tf.function(lambda x: x + 1).get_concrete_function(tf.ones([2])).program.has_effects


def test_memory_is_that_of_one_run():
    concrete = tf.function(lambda x: tf.exp(x) + 1.0).get_concrete_function(tf.ones([1000]))
    found = Memory()
    found.look_at(concrete.program, [np.ones(1000, np.float32)])
    assert found.most >= 4000 and max(found.lines.values()) >= 4000
