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


def test_lines_are_counted_and_moves_are_not_timed():
    def f(x):
        for _ in tf.range(4):
            x = tf.exp(x) * 0.5
        return x

    concrete = tf.function(f).get_concrete_function(tf.ones([2]))
    texts = concrete.program.source.splitlines()
    recorder = Recorder(values=False, moments=True)
    lines = record(concrete.program, [np.ones(2, np.float32)], recorder)[0]["lines"]
    assert {texts[r["line"] - 1].partition("=")[0].strip(): r["count"] for r in lines}["while_Exp"] == 4
    assert len(recorder.moments) == sum(r["count"] for r in lines) and all(b <= e for _, b, e in recorder.moments)
    moves = {
        i
        for i, text in enumerate(texts, 1)
        if text.strip().startswith("v") and text.strip().split(" = ")[-1].isidentifier()
    }
    assert moves and not moves & {r["line"] for r in lines}
    watched = record(concrete.program, [np.ones(2, np.float32)], Recorder(values=True))[0]["lines"]
    assert moves <= {r["line"] for r in watched} and all(r["ns"] == 0 for r in watched if r["line"] in moves)


def test_names_of_the_user_are_none_of_the_clock():
    def f(line_now, start_line, look_):
        return tf.exp(line_now) + start_line * look_

    x = tf.constant([0.0])
    assert tf.profile(f, x, x + 1.0, x + 2.0).result[0].tolist() == [3.0]
    assert tf.view(f, x, x + 1.0, x + 2.0, run=True, path=None).story.run["first_nan"] is None


def test_a_nan_among_several_results_is_found():
    def f(x):
        same, bad = tf.numpy_function(lambda v: (v, v * np.float32("nan")), [x], [tf.float32, tf.float32])
        return same + bad

    story = tf.view(f, tf.ones([2]), run=True, path=None).story
    assert "PyFunc" in story.findings[0]["text"] and story.findings[0]["kind"] == "nan"
    concrete = tf.function(lambda x: tf.linalg.svd(x)).get_concrete_function(tf.ones([2, 2]))
    found = record(concrete.program, [np.ones([2, 2], np.float32)], Recorder(values=True))[0]["lines"]
    assert any("one of" in run["value"]["type"] for run in found)


def test_what_the_clock_takes_is_taken_off():
    def f(n):
        total = tf.constant(0)
        for i in tf.range(n):
            total += i * 2
        return total

    concrete = tf.function(f).get_concrete_function(tf.constant(2000))
    recorder = Recorder(values=False, moments=True)
    found, results = record(concrete.program, [np.int32(2000)], recorder)
    charged, whole = recorder.own_cost()
    assert 0 < charged < whole and results[0] == 2000 * 1999
    raw = sum(end - begin for _, begin, end in recorder.moments)
    assert 0 < sum(line["ns"] for line in found["lines"]) < raw and found["clock"] > 0
    assert sum(line["ns"] for line in found["lines"]) <= found["ns"]
