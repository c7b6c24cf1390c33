"""Specs with constructors of their own, and fields whose types are named before they exist. Covers: extension_fields."""

import pickle
import typing

import pytest

import graphrt as tf


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor

    class Spec:
        def __init__(self, shape, dtype=tf.float32):
            self.values = tf.TensorSpec(shape, dtype)
            self.mask = tf.TensorSpec(shape, tf.bool)

        def __repr__(self):
            return f"Masked.Spec({self.shape}, {self.dtype.name})"

        shape = property(lambda self: self.values.shape)
        dtype = property(lambda self: self.values.dtype)


class Sized(tf.experimental.ExtensionType):
    values: tf.Tensor
    size: int

    class Spec:
        def __init__(self, size):
            self.values = tf.TensorSpec([size])
            self.size = size

        def __validate__(self):
            assert self.size > 0, "a size is positive"


class Node(tf.experimental.ExtensionType):
    value: tf.Tensor
    left: typing.Optional["Node"] = None
    right: "typing.Optional[Node]" = None
    leaf: typing.Optional["Leaf"] = None
    all: tuple["Leaf", ...] = ()


class Leaf(tf.experimental.ExtensionType):
    x: tf.Tensor


def test_own_constructor_of_a_spec():
    spec = Masked.Spec([None])
    assert repr(spec) == "Masked.Spec((None,), float32)"
    assert spec == Masked.Spec(shape=[None], dtype=tf.float32)
    assert spec.is_compatible_with(Masked([1.0], [True]))
    assert tf.type_spec_from_value(Masked([1.0], [True])) == Masked.Spec([1])
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert type(spec).__name__ == "Masked.Spec"


def test_own_spec_as_signature():
    traced = []

    @tf.function(input_signature=[Masked.Spec([None])])
    def total(m):
        traced.append(m)
        return tf.reduce_sum(tf.where(m.mask, m.values, 0.0))

    assert total(Masked([1.0, 2.0], [True, False])).numpy() == 1.0
    assert total(Masked([1.0, 2.0, 3.0], [True, False, True])).numpy() == 4.0
    assert len(traced) == 1
    with pytest.raises(TypeError):
        total(Masked([1, 2], [True, False]))


def test_own_spec_is_validated():
    assert Sized.Spec(3).values.shape == [3]
    with pytest.raises(AssertionError, match="positive"):
        Sized.Spec(0)


def test_fields_that_a_spec_forgets_or_has_not():
    class Forgets(tf.experimental.ExtensionType):
        a: tf.Tensor

        class Spec:
            def __init__(self):
                pass

    class Invents(tf.experimental.ExtensionType):
        a: tf.Tensor

        class Spec:
            def __init__(self):
                self.b = 1

    with pytest.raises(ValueError, match=r"Missing required fields: {'a'}: set them in Forgets.Spec.__init__"):
        Forgets.Spec()
    with pytest.raises(AttributeError, match="no field of Invents"):
        Invents.Spec()
    with pytest.raises(AttributeError, match="Cannot mutate attribute `size`"):
        Sized.Spec(3).size = 4


def test_types_named_before_they_exist():
    node = Node(1, Node(2), leaf=Leaf(3), all=[Leaf(4), Leaf(5)])
    assert node.left.value.numpy() == 2
    assert tf.function(lambda n: n.leaf.x + n.all[1].x + n.left.value)(node).numpy() == 10
    with pytest.raises(TypeError, match="leaf"):
        Node(1, leaf=3)


def test_types_that_never_exist():
    class Broken(tf.experimental.ExtensionType):
        a: "NoSuchType"  # noqa: F821

    with pytest.raises(NameError, match="the type of field 'a' of Broken is 'NoSuchType'"):
        Broken(1)


def test_types_that_fields_cannot_have_are_refused_at_once():
    with pytest.raises(TypeError, match="Unsupported type annotation 'list'"):

        class Named(tf.experimental.ExtensionType):
            a: "list"

    with pytest.raises(TypeError, match="Unsupported type annotation 'list'"):

        class Plain(tf.experimental.ExtensionType):
            a: list


def test_extension_types_that_exec_makes_in_no_module():
    code = "class Pair(tf.experimental.ExtensionType):\n    one: tf.Tensor\n    other: 'tf.Tensor'\n"
    names = {"tf": tf, "__name__": "a_module_that_nobody_imports"}
    exec(code, names)
    assert names["Pair"](tf.constant(1), 2).other.numpy() == 2
