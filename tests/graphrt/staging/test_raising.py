"""`raise` in staged branches, strings that are tensors, and uses of a tensor that Python has to refuse."""

import contextlib
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


# --- errors that come up while a part of a statement is traced -------------------------------------------------------
NOTHING = {}


def from_a_branch(c):
    try:
        if c:
            x = NOTHING["a"]
        else:
            x = 1
    except KeyError:
        x = 2
    return x


def swallowed_by_a_manager(c):
    x = 1
    with contextlib.suppress(KeyError):
        if c:
            x = NOTHING["a"]
    return x


def from_a_while(c):
    try:
        while c:
            NOTHING["a"]
            c = False
    except KeyError:
        return 2
    return 1


def from_a_for(c):
    x = 0
    try:
        for _ in tf.range(3):
            if c:
                x += NOTHING["a"]
    except KeyError:
        x = 2
    return x


def from_an_expression(c):
    try:
        return NOTHING["a"] if c else 1
    except KeyError:
        return 2


def from_an_operand(c):
    try:
        return c and NOTHING["a"]
    except KeyError:
        return False


def from_a_called_function(c):
    def g():
        if c:
            return int("a")
        return 3

    try:
        return g()
    except ValueError:
        return -1


def in_a_branch(c):
    if c:
        return from_a_branch(c)
    return 3


def as_a_default(c):
    class Holder:
        @property
        def value(self):
            if c:
                raise_(AttributeError)
            return 1

    return getattr(Holder(), "value", 2)


def raise_(kind):
    return getattr(kind(), "none")


PARTS = (
    from_a_branch, swallowed_by_a_manager, from_a_while, from_a_for, from_an_expression, from_an_operand,
    from_a_called_function, in_a_branch, as_a_default,
)  # fmt: skip


@pytest.mark.parametrize("function", PARTS, ids=lambda f: f.__name__)
def test_an_error_of_a_part_is_not_caught_for_all_values(function):
    with pytest.raises(
        tf.errors.OperatorNotAllowedInGraphError, match=r"(?s)Error \(.*test_raising.py:\d+.*put the `try`"
    ):
        tf.function(function)(tf.constant(True))


def caught_in_the_branch(c):
    if c:
        try:
            x = NOTHING["a"]
        except KeyError:
            x = 2
    else:
        x = 1
    return x


def of_a_condition(c):
    try:
        if tf.stack([c, c]):
            return 1
    except ValueError:
        return 2
    return 3


def of_what_is_no_part(c):
    x = 1
    if c:
        x = 4
    with contextlib.suppress(KeyError):
        x += NOTHING["a"]
    return x


@pytest.mark.parametrize("value", [True, False])
def test_errors_that_surely_come_up_are_caught(value):
    c = tf.constant(value)
    assert tf.function(caught_in_the_branch)(c) == caught_in_the_branch(value)
    assert tf.function(of_a_condition)(c) == 2
    assert tf.function(of_what_is_no_part)(c) == of_what_is_no_part(value)


def test_an_error_that_nobody_catches_is_itself():
    def f(c):
        if c:
            return NOTHING["a"]
        return 1

    with pytest.raises(KeyError, match="a"):
        tf.function(f)(tf.constant(True))


def smallest_or_two(x, v):
    found = 1
    try:
        if x > 0:
            found = 3
        elif min(v) > 0:
            found = 4
    except:  # noqa: E722  # it would catch the refusal, too
        found = 2
    return found


def test_a_handler_of_all_errors_does_not_catch_that_it_cannot():
    traced = tf.function(
        smallest_or_two, input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.int32)]
    )
    with pytest.raises(
        tf.errors.OperatorNotAllowedInGraphError, match=r"min\(\) arg is an empty sequence.*cannot catch"
    ):
        traced(tf.constant(-2), tf.constant([-2, 2]))
