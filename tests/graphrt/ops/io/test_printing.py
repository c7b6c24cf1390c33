"""What `tf.print` and assertions write, eagerly and in graphs: the text TensorFlow writes."""

import json
import os
import sys

import numpy as np
import pytest

import graphrt as tf
from tests import GOLDEN

with open(os.path.join(GOLDEN, "print.json")) as file:
    RECORDED = json.load(file)


def run(case):
    eval(f"tf.print({case}{', ' if case else ''}output_stream=sys.stdout)", {"tf": tf, "np": np, "sys": sys})


@pytest.mark.parametrize("case", RECORDED["print"])
def test_print(case, capsys):
    run(case)
    assert capsys.readouterr().out == RECORDED["print"][case]


@pytest.mark.parametrize("case", [c for c in RECORDED["print"] if "Variable" not in c])
def test_print_in_a_graph(case, capsys):
    f = tf.function(lambda: run(case), autograph=False)
    f()
    f()
    assert capsys.readouterr().out == RECORDED["print"][case] * 2


@pytest.mark.parametrize("summarize", [3, 10, -1])
@pytest.mark.parametrize("case", RECORDED["assert"])
def test_failed_assert_in_a_graph(case, summarize):
    @tf.function(autograph=False)
    def f(holds):
        tf.debugging.Assert(holds, ["text", eval(case, {"tf": tf})], summarize=summarize)
        return holds

    assert f(tf.constant(True)).numpy()
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        f(tf.constant(False))
    text = raised.value.message.split("assertion failed: ")[1].splitlines()[0]
    assert text == RECORDED["assert"][case][str(summarize)]


def test_streams(capsys, tmp_path):
    tf.print("to stderr")
    tf.print("to stdout", output_stream=sys.stdout)
    path = tmp_path / "out.txt"
    tf.print("one", output_stream=f"file://{path}")
    tf.print("two", output_stream=f"file://{path}")
    out, err = capsys.readouterr()
    assert (out, err) == ("to stdout\n", "to stderr\n")
    assert path.read_text() == "one\ntwo\n"
    with pytest.raises(ValueError, match="Unsupported output stream"):
        tf.print(1, output_stream="nope")
    with pytest.raises(ValueError, match="Unrecognized keyword arguments for tf.print: {'foo': 2}"):
        tf.print(1, foo=2)


def test_nodes_of_print():
    @tf.function
    def f(x):
        tf.print("a", x, summarize=2)
        tf.print("b", end="", output_stream=sys.stdout)
        return x

    graph = f.get_concrete_function(tf.TensorSpec([None])).graph
    nodes = [(o.name, o.type) for o in graph.get_operations() if o.type in ("StringFormat", "PrintV2")]
    assert nodes == [
        ("StringFormat", "StringFormat"), ("PrintV2", "PrintV2"),
        ("StringFormat_1", "StringFormat"), ("PrintV2_1", "PrintV2"),
    ]  # fmt: skip
    first = graph.get_operation_by_name("StringFormat")
    assert (first.get_attr("template"), first.get_attr("summarize")) == ("a {}", 2)
    assert graph.get_operation_by_name("PrintV2_1").get_attr("output_stream") == "stdout"


FAILING = [
    ("assert_equal([1, 2], [1, 3], message='hello')", "hello\nCondition x == y did not hold.\nIndices of first 1 different values:\n[[1]]\nCorresponding x values:\n[2]\nCorresponding y values:\n[3]\nFirst 2 elements of x:\n[1 2]\nFirst 2 elements of y:\n[1 3]"),
    ("assert_greater([1, 2], [1, 3])", "Condition x > y did not hold.\nIndices of first 2 different values:\n[[0]\n [1]]\nCorresponding x values:\n[1 2]\nCorresponding y values:\n[1 3]\nFirst 2 elements of x:\n[1 2]\nFirst 2 elements of y:\n[1 3]"),
    ("assert_less(tf.range(20), 5, summarize=2)", "Condition x < y did not hold."),
    ("assert_none_equal([1, 2], [1, 3])", "Condition x != y did not hold."), ("assert_less_equal([4], [3])", "Condition x <= y did not hold."),
    ("assert_greater_equal([1], [3])", "Condition x >= y did not hold."), ("assert_positive([1, -2])", "Condition x > 0 did not hold element-wise:"),
    ("assert_negative([1])", "Condition x < 0 did not hold element-wise:"), ("assert_non_negative([-1])", "Condition x >= 0 did not hold element-wise:"),
    ("assert_non_positive([1])", "Condition x <= 0 did not hold element-wise:"), ("assert_near([1.], [1.1])", "x and y not equal to tolerance"),
    ("check_numerics([1., np.nan], 'bad')", "bad : Tensor had NaN values"), ("assert_all_finite([np.inf], 'bad')", "bad : Tensor had Inf values"),
    ("Assert(False, ['msg', tf.constant([1, 2, 3, 4])])", "Expected 'False' to be true. Summarized data: b'msg'\n1, 2, 3, ..."),
]  # fmt: skip


@pytest.mark.parametrize(("call", "text"), FAILING)
def test_failing_assertions(call, text):
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        eval(f"tf.debugging.{call}", {"tf": tf, "np": np})
    assert text in raised.value.message


@pytest.mark.parametrize(("call", "text"), FAILING)
def test_failing_assertions_in_graphs(call, text):
    def f():
        eval(f"tf.debugging.{call}", {"tf": tf, "np": np})
        return tf.constant(1)

    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(f, autograph=False)()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        ("assert_rank([1, 2], 2)", ValueError, "must have rank 2.  Received rank 1, shape (2,)"),
        ("assert_rank_in([1, 2], [2, 3])", ValueError, "must have rank in (2, 3).  Received rank 1, shape (2,)"),
        ("assert_rank_at_least([1, 2], 2)", ValueError, "must have rank at least 2.  Received rank 1, shape (2,)"),
        ("assert_type([1, 2], tf.float32)", TypeError, "tensor must be of type tf.float32; got tf.int32"),
        ("assert_scalar([1, 2])", ValueError, "Expected scalar shape, saw shape: (2,)."),
        ("assert_integer(1.5)", TypeError, 'Expected "x" to be integer type.'),
        ("assert_proper_iterable(1)", TypeError, 'Expected argument "values" to be iterable.'),
        ("assert_shapes([(tf.ones([2, 3]), ('N', 'M')), (tf.ones([3, 3]), ('N', 'M'))])", ValueError, "Specified by tensor shape=(2, 3) dtype=float32 dimension 0.  Tensor shape=(3, 3) dtype=float32 dimension 0 must have size 2.  Received size 3, shape (3, 3)"),
        ("assert_shapes([(tf.ones([2, 3]), (2, 4))])", ValueError, "must have size 4"),
        ("assert_shapes([(tf.ones([2, 3]), 'N')])", ValueError, "must have rank 1"),
        ("assert_same_float_dtype([tf.ones([1]), tf.constant(1)])", ValueError, "must be of the same type"),
    ],
)  # fmt: skip
def test_static_assertions(call, error, text):
    with pytest.raises(error) as raised:
        eval(f"tf.debugging.{call}", {"tf": tf})
    assert text in str(raised.value)


def test_holding_assertions_in_graphs():
    @tf.function
    def f(x):
        d = tf.debugging
        d.assert_equal(x, x)
        d.assert_less(x, 10.0, message="small")
        d.assert_positive(x)
        d.assert_near(x, x + 1e-9)
        d.assert_rank(x, 1)
        d.assert_shapes([(x, ("N",)), (x[:, None], ("N", 1))])
        d.assert_all_finite(x, "finite")
        return x

    assert f(tf.constant([1.0, 2.0])).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="small"):
        f(tf.constant([11.0, 2.0]))


def test_nothing_happens_after_a_failed_assert(capsys):
    @tf.function
    def f(x):
        tf.print("before", output_stream=sys.stdout)
        tf.debugging.assert_positive(x)
        tf.print("after", output_stream=sys.stdout)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.constant(-1))
    assert capsys.readouterr().out == "before\n"


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (ValueError("why"), tf.errors.InvalidArgumentError), (TypeError("why"), tf.errors.InvalidArgumentError),
        (StopIteration("why"), tf.errors.OutOfRangeError), (NotImplementedError("why"), tf.errors.UnimplementedError),
        (MemoryError("why"), tf.errors.ResourceExhaustedError), (KeyError("why"), tf.errors.UnknownError),
        (tf.errors.DataLossError(None, None, "why"), tf.errors.DataLossError),
    ],
)  # fmt: skip
def test_errors_of_python_functions(raised, expected):
    def fail(x):
        raise raised

    f = tf.function(lambda x: tf.py_function(fail, [x], tf.float32), autograph=False)
    with pytest.raises(expected, match="why"):
        f(tf.constant(1.0))


def test_python_functions_see_concrete_values():
    seen = []

    def look(x, y):
        seen.append((type(x).__name__, x.numpy().tolist()))
        return x + y, tf.cast(x > y, tf.int32)

    @tf.function
    def f(x):
        a, b = tf.py_function(look, [x, 2.0], [tf.float32, tf.int32])
        return a, b, tf.numpy_function(lambda v: np.sort(v), [x], tf.float32)

    a, b, c = f(tf.constant([3.0, 1.0]))
    assert (a.numpy().tolist(), b.numpy().tolist(), c.numpy().tolist()) == ([5.0, 3.0], [1, 0], [1.0, 3.0])
    assert seen == [("EagerTensor", [3.0, 1.0])]
