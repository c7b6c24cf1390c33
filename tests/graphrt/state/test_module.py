"""Modules find their variables and submodules."""

from __future__ import annotations

import pytest

import graphrt as tf


class Net(tf.Module):
    def __init__(self, name=None):
        super().__init__(name=name)
        with self.name_scope:
            self.w = tf.Variable(1.0, name="w")
        self.d = {"b": tf.Variable(2.0, name="b", trainable=False), "a": [tf.Variable(3.0, name="a")]}
        self.sub = None

    @tf.Module.with_name_scope
    def build(self):
        self.z = tf.Variable(1.0, name="zz")


def test_order_and_uniqueness():
    net = Net()
    net.build()
    net.sub = Net("other")
    net.d["m"] = Net()
    net.zagain = net.w
    names = [v.name for v in net.variables]
    assert names == ["a:0", "b:0", "net/w:0", "net/zz:0", "a:0", "b:0", "net/w:0", "a:0", "b:0", "other/w:0"]
    assert [v.name for v in net.trainable_variables] == [n for n in names if n != "b:0"]
    assert [v.name for v in net.non_trainable_variables] == ["b:0"] * 3
    assert net.submodules == (net.d["m"], net.sub)


def test_cycles_end():
    net, other = Net(), Net()
    net.sub, other.sub = other, net
    net.list = [1]
    net.list.append(net.list)
    assert net.submodules == (other,) and len(net.variables) == 6


@pytest.mark.parametrize(
    ("cls", "name"), [("Net", "net"), ("CamelCaseXYZModule2", "camel_case_xyz_module2"), ("A", "a")]
)
def test_default_names(cls, name):
    assert type(cls, (tf.Module,), {})().name == name


@pytest.mark.parametrize("bad", ["1a", "a b", "", "a/b"])
def test_names_must_be_identifiers(bad):
    with pytest.raises(ValueError, match="valid Python identifiers"):
        tf.Module(name=bad)


def test_without_init():
    class Bare(tf.Module):
        def __init__(self):
            self.x = 1

    assert Bare().variables == ()
    with pytest.raises(AttributeError, match="_name"):
        Bare().name


def test_call_decorated_with_function():
    class Scale(tf.Module):
        def __init__(self, k):
            super().__init__()
            self.k = tf.Variable(k)

        @tf.function
        def __call__(self, x):
            return x * self.k

    one, two = Scale(2.0), Scale(3.0)
    assert float(one(tf.constant(4.0))) == 8.0 and float(two(tf.constant(4.0))) == 12.0
    assert float(one(tf.constant(5.0))) == 10.0
    assert one.__call__.experimental_get_tracing_count() == 1


def test_module_attribute_created_on_first_call():
    class Lazy(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(x * 2.0)
            return self.v + x

    lazy = Lazy()
    assert float(lazy(tf.constant(1.0))) == 3.0
    assert float(lazy(tf.constant(5.0))) == 7.0
    assert len(lazy.variables) == 1


def test_trainable_variables_do_not_ask_for_variables():
    class Strict(tf.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = tf.Variable(1.0), tf.Variable(2.0, trainable=False)

        @property
        def variables(self):
            raise ValueError("not yet")

    strict = Strict()
    assert strict.trainable_variables == (strict.a,) and strict.non_trainable_variables == (strict.b,)


def test_scopes_of_modules_in_a_graph_have_numbers():
    class Nested(tf.Module):
        def __init__(self, depth):
            super().__init__(name="n")
            with self.name_scope:
                self.inner = Nested(depth - 1) if depth else None

    def names():
        made = [Nested(1) for _ in range(2)]
        return [m.name_scope.name for outer in made for m in (outer, outer.inner)]

    with tf.Graph().as_default():
        assert names() == ["n/", "n/n/", "n_1/", "n_1/n/"]
    assert names() == ["n/", "n/n/", "n/", "n/n/"]


def test_attributes_that_come_while_it_is_saved(tmp_path):
    class Growing(tf.Module):
        class Ignored:
            def __contains__(self, name):  # another thread, between two attributes
                net.later = 1
                return name == "_awaited"

        _TF_MODULE_IGNORED_PROPERTIES = Ignored()

    net = Growing()
    net.v = tf.Variable(2.0)
    prefix = tf.train.Checkpoint(net=net).write(str(tmp_path / "c"))
    assert ("net/v/.ATTRIBUTES/VARIABLE_VALUE", []) in tf.train.list_variables(prefix)
