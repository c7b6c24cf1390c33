"""Name scopes, control dependencies, group and no_op."""

from __future__ import annotations

import pytest

import graphrt as tf


def operations(function, *args):
    return tf.function(function).get_concrete_function(*args).graph.get_operations()


def test_names_and_dependencies_are_those_of_tensorflow():
    def f(x):
        with tf.name_scope("foo") as name:
            assert name == "foo/"
            y = x + 1
            with tf.name_scope("bar"):
                z = y * 2
        with tf.name_scope("foo"):
            k = z - 1
        with tf.control_dependencies([k]):
            q = tf.identity(k, name="qq")
            tf.no_op(name="nn")
            tf.group(q, k)
        tf.group()
        return k

    found = [(o.name, [c.name for c in o.control_inputs]) for o in operations(f, tf.constant(1))]
    assert found == [
        ("x", []), ("foo/add/y", []), ("foo/add", []), ("foo/bar/mul/y", []), ("foo/bar/mul", []), ("foo_1/sub/y", []),
        ("foo_1/sub", []), ("qq", ["foo_1/sub"]), ("nn", ["foo_1/sub"]), ("group_deps", ["foo_1/sub", "qq"]),
        ("group_deps_1", []), ("Identity", []),
    ]  # fmt: skip


def test_scopes_that_are_reentered_or_left():
    def f(x):
        with tf.name_scope("a") as full:
            with tf.name_scope(""):
                u = x + 1
            with tf.name_scope("b"):
                v = u + 1
        with tf.name_scope(full):
            return v + 1

    names = [o.name for o in operations(f, tf.constant(1)) if o.type == "AddV2"]
    assert names == ["add", "a/b/add", "a/add"]


def test_eager_scopes():
    with tf.name_scope("foo") as name:
        assert name == "foo/"
        with tf.name_scope("bar") as inner:
            assert inner == "foo/bar/" and tf.Variable(1.0, name="w").name == "foo/bar/w:0"
        with tf.name_scope("") as root:
            assert root == ""
    assert tf.Variable(1.0).name == "Variable:0" and tf.name_scope("q").name == "q"


def test_a_scope_is_left_when_its_block_fails():
    with pytest.raises(KeyError), tf.name_scope("foo"):
        raise KeyError
    assert tf.Variable(1.0).name == "Variable:0"


@pytest.mark.parametrize("bad", [None, 3, b"a"])
def test_names_of_scopes_are_strings(bad):
    with pytest.raises(ValueError, match="must be a string"):
        tf.name_scope(bad)


def test_none_forgets_dependencies():
    def f(x):
        y = x + 1
        with tf.control_dependencies([y]), tf.control_dependencies(None):
            return tf.identity(x, name="free")

    (free,) = [o for o in operations(f, tf.constant(1)) if o.name == "free"]
    assert free.control_inputs == []


def test_dependencies_on_assignments_and_variables():
    v = tf.Variable(1.0)

    @tf.function
    def f():
        with tf.control_dependencies([v.assign(10.0), [v]]):
            return v.read_value()

    assert float(f()) == 10.0


def test_eagerly_nothing_is_needed():
    assert tf.no_op() is None and tf.group(tf.constant(1)) is None
    called = []
    with tf.control_dependencies([lambda: called.append(1)]):
        pass
    assert called == [1]
