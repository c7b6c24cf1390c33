"""The timeline of traces."""

import graphrt as tf
from graphrt.viewing.history import history_of


def test_the_first_trace_has_no_reason():
    f = tf.function(lambda x: x + 1)
    concrete = f.get_concrete_function(tf.constant(1))
    (found,) = history_of([concrete], concrete)
    assert found["number"] == 1 and found["why"] == [] and found["nearest"] is None and found["shown"]
    assert found["place"].startswith(__file__) and found["ms"] > 0


def test_each_trace_has_the_nearest_before_it():
    f = tf.function(lambda x, k: x * k)
    for value, k in ((1, 2), (1.0, 2), (1.0, 3)):
        f(tf.constant(value), tf.cast(k, tf.constant(value).dtype))
    f(tf.constant([1.0]), tf.constant(2.0))
    traces = f.list_all_concrete_functions()
    found = history_of(traces, traces[-1])
    assert [t["nearest"] for t in found] == [None, 1, 2]
    assert "dtype int32, now a tensor of dtype float32" in found[1]["why"][0]["text"]
    assert found[2]["why"][0]["text"] == "argument 'x' had shape (), now (1,)"


def test_concrete_functions_know_their_function():
    def f(x):
        return x

    made = tf.function(f).get_concrete_function(tf.constant(1))
    assert made.python_function is f and tf.view(made, tf.constant(1), path=None).story.blocks[0]["title"].startswith(
        "f, "
    )

    class Scale:
        @tf.function
        def run(self, x):
            return x * 2

    scale = Scale()
    concrete = scale.run.get_concrete_function(tf.constant(1))
    assert concrete.python_function is Scale.__dict__["run"].python_function
