"""A newcomer's questions, answered from the data of a page alone: five programs with planted problems."""

import time

import numpy as np

import graphrt as tf
from graphrt.viewing.findings import findings_of


def asked(story, kind):
    return [finding for finding in story.findings if finding["kind"] == kind]


def line_of(text):
    with open(__file__) as file:
        return next(n for n, line in enumerate(file, 1) if line.strip().startswith(text))


# --- 1: a NaN out of a norm ------------------------------------------------------------------------------------------
def cosine(a, b):
    size = tf.sqrt(tf.reduce_sum(a * a)) * tf.sqrt(tf.reduce_sum(b * b))
    return tf.reduce_sum(a * b) / size


def test_where_the_nan_comes_from():
    story = tf.view(cosine, tf.zeros([3]), tf.ones([3]), run=True, path=None).story
    (found,) = asked(story, "nan")
    assert f"line {line_of('return tf.reduce_sum(a * b) / size')}" in found["text"] and "RealDiv" in found["text"]
    story = tf.view(cosine, tf.constant([1.0, np.nan]), tf.ones([2]), run=True, path=None).story
    assert "the argument a has a NaN already" in asked(story, "nan")[0]["text"]


def test_which_line_makes_a_node():
    story = tf.view(cosine, tf.zeros([3]), tf.ones([3]), path=None).story.as_json()
    (division,) = [f for stage in story["stages"] for f in stage["set"] if f["op"] == "RealDiv"]
    assert division["line"] == f"0:{line_of('return tf.reduce_sum(a * b) / size')}"
    file, first, start, last, end = story["spans"][division["at"]]
    text = story["blocks"][0]["lines"][first - story["blocks"][0]["first"]][start:end]
    assert first == last and text == "tf.reduce_sum(a * b) / size"


# --- 2: a loop over a Python number ----------------------------------------------------------------------------------
def power(matrix, vector, rounds=40):
    for _ in range(rounds):
        vector = tf.linalg.matvec(matrix, vector)
        vector = vector / tf.norm(vector)
    return vector


def test_why_a_loop_is_unrolled():
    story = tf.view(power, tf.eye(3), tf.ones([3]), path=None).story
    (found,) = asked(story, "unrolled")
    assert f"line {line_of('for _ in range(rounds)')}" in found["text"] and "stands 40 times" in found["text"]
    assert "range(rounds) is a Python value" in found["text"] and "Write tf.range(rounds)" in found["text"]
    assert asked(tf.view(power, tf.eye(3), tf.ones([3]), 2, path=None).story, "unrolled") == []


# --- 3: work whose result nobody uses --------------------------------------------------------------------------------
def wasteful(x):
    debug = tf.linalg.inv(x)
    twice = tf.exp(x) + tf.exp(x)
    return twice * (tf.constant(2.0) * 3.0)


def test_which_pass_removed_a_node():
    story = tf.view(wasteful, tf.eye(3), path=None).story
    (found,) = asked(story, "removed")
    assert f"line {line_of('debug = tf.linalg.inv(x)')}" in found["text"] and "drop_dead_nodes" in found["text"]
    data = story.as_json()
    nodes = {f["id"]: f for stage in data["stages"] for f in stage["set"]}
    gone = {node: stage["name"] for stage in data["stages"] for node in stage["gone"]}
    stand_ins = {old: new for stage in data["stages"] for old, new in stage["by"].items()}
    first, second = [key for key, fact in nodes.items() if fact["op"] == "Exp"]
    assert gone[second] == "merge_common_subexpressions" and stand_ins[second] == first and first not in gone
    assert [stage["about"] for stage in data["stages"] if stage["name"] == "merge_common_subexpressions"][0]


# --- 4: a shape that changes with each call --------------------------------------------------------------------------
def growing(x, mode):
    return tf.reduce_sum(x) if mode == "sum" else tf.reduce_max(x)


def test_why_it_is_traced_again():
    traced = tf.function(growing)
    for n in range(1, 4):
        traced(tf.zeros([n]), "sum")
    story = tf.view(traced, tf.zeros([3]), "max", path=None).story
    (found,) = asked(story, "retraced")
    assert found["text"].startswith("4 times in all") and "argument 'mode' was Literal['sum']" in found["text"]
    assert "Pass a tensor" in found["text"]
    second = story.traces[1]
    assert second["why"][0]["text"] == "argument 'x' had shape (1,), now (2,)" and second["nearest"] == 1
    assert "reduce_retracing=True" in second["why"][0]["remedy"] and second["place"].startswith(__file__)
    assert second["ms"] > 0 and second["nodes"] > 1


# --- 5: one dear line among cheap ones -------------------------------------------------------------------------------
def slow_step(x):
    y = x + 1.0
    z = tf.numpy_function(heavy, [y], tf.float32)
    return z * 2.0


def heavy(y):
    time.sleep(0.02)
    return y


def test_what_is_slow():
    story = tf.view(slow_step, tf.ones([10]), run=True, path=None).story
    found = asked(story, "slow")
    assert f"line {line_of('z = tf.numpy_function(heavy')}" in found[0]["text"]
    assert story.run["lines"][[r["line"] for r in story.run["lines"]].index(found[0]["program"])]["ns"] > 15e6


def test_a_plain_function_has_nothing_to_say():
    story = tf.view(lambda x: x + 1.0, tf.ones([2]), path=None).story
    assert findings_of(story) == story.findings == []
