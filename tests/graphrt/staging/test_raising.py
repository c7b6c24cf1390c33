"""`raise` in staged branches, strings that are tensors, and uses of a tensor that Python has to refuse."""

import subprocess
import sys

import pytest

import autograph
import graphrt as tf
from autograph.operators.variables import Undefined


def raise_alone(x):
    if x > 5:
        raise ValueError("too much")
    return x


def raise_in_else(x):
    if x > 5:
        return 1
    elif x > 0:
        return 2
    else:
        raise ValueError("negative")


def check(x):
    if x < 0:
        raise KeyError(x)


def raise_in_helper(x):
    check(x)
    return x * 2


def raise_in_loop(x):
    total = 0
    for i in range(x):
        if i > 5:
            raise IndexError("too far")
        total += i
    return total


def raise_in_python_try(x):
    try:
        y = 3
    except ValueError:
        y = 4
    if x < 0:
        raise ValueError("negative")
    return y


def length_of_string(x):
    s = "é"
    for _ in range(x):
        s = s + "b"
    return len(s)


@pytest.mark.parametrize(
    "function",
    [raise_alone, raise_in_else, raise_in_helper, raise_in_loop, raise_in_python_try, length_of_string],
    ids=lambda f: f.__name__,
)
def test_graph_is_python(function):
    traced = tf.function(function)
    for x in (3, -3, 7, 0):
        try:
            wanted = function(x)
        except (ValueError, KeyError, IndexError) as error:
            with pytest.raises(tf.errors.InvalidArgumentError, match=type(error).__name__):
                traced(tf.constant(x))
        else:
            assert traced(tf.constant(x)) == wanted


def caught(x):
    try:
        if x > 0:
            raise ValueError("no")
        r = 1
    except (KeyError, ValueError):
        r = 2
    return r


def formatted(x):
    return f"{x:d}"


def key(x):
    return {1: 2}[x]


def element(x):
    return len({x})


def part_of_string(x):
    s = "a"
    if x > 0:
        s = "bc"
    return "b" in s


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (caught, "`except` at .*test_raising.py"),
        (formatted, "tf.strings.as_string"),
        (key, "tf.gather"),
        (element, "tf.gather"),
        (part_of_string, "regex_full_match"),
    ],
)
def test_refused(function, text):
    with pytest.raises(
        autograph.errors.PythonOnlyConstructError, match=rf"(?s)AG203.*{text}.*test_raising.py:\d+:\d+ in .*\^"
    ):
        tf.function(function)(tf.constant(1))


options = tf.autograph.experimental.set_loop_options


def test_loop_options_by_another_name():
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
    def grow(n):
        x = tf.zeros([0], tf.int32)
        for i in range(n):
            options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, [i]], 0)
        return x

    @tf.function
    def lost(n):
        local = tf.autograph.experimental.set_loop_options
        for _ in range(n):
            local(maximum_iterations=1)
        return n

    assert grow(3).shape == [3]
    with pytest.raises(autograph.errors.UsageError, match="its options are lost"):
        lost(tf.constant(3))


def test_an_interrupt_while_variables_without_a_value_get_one(monkeypatch):
    """It comes to the caller, and not that the variable has no value."""

    def total(data):
        found = tf.constant(0.0)
        for x in data:
            found += x
        return found

    data = tf.data.Dataset.from_tensor_slices([1.0, 2.0])
    make, came = Undefined.__init__, []

    def interrupted(self, name):
        if not came:
            came.append(name)
            raise KeyboardInterrupt
        make(self, name)

    monkeypatch.setattr(Undefined, "__init__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tf.function(total)(data)
    assert came and tf.function(total)(data).numpy() == 3.0


def test_what_python_c_is_given_is_read_as_a_file_is():
    """The `except` around a staged `raise` is found, and errors show the line with carets."""
    program = """
import graphrt as tf
@tf.function
def f(x):
    try:
        if x > 0:
            raise ValueError("positive")
        return x
    except ValueError:
        return -x
for call in lambda: f(tf.constant(3.0)), lambda: tf.sqrt("a"):
    try: call()
    except Exception as error: print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "`except` at <string>:9 cannot catch it" in done.stdout
    assert "at <string>:6:12 in f\n    6 |         if x > 0:\n      |            ^^^^^" in done.stdout
    assert ' | for call in lambda: f(tf.constant(3.0)), lambda: tf.sqrt("a"):' in done.stdout
