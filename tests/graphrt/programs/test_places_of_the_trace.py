"""Tests of Python values in what a trace has made: a staged statement that changes them is right, or refused, never silent."""

import collections
import enum

import pytest

import graphrt as tf
from graphrt.errors import SideEffectWarning


class Kind(enum.Enum):
    ONE = 1
    TWO = 2


def first(v):
    return 1


def second(v):
    return 2


class Holder:
    pass


class Slotted:
    __slots__ = ("value",)


VALUES = {
    "data and None": (5, None),
    "None and data": (None, 5),
    "enumerations": (Kind.ONE, Kind.TWO),
    "None and one": (None, Kind.ONE),
    "functions": (first, second),
    "None and a function": (None, first),
    "texts": ("a", "bb"),
    "a text and None": ("a", None),
    "sets": ({1}, {1, 2}),
    "tuples": ((1,), (1, 2)),
    "dictionaries": ({}, {1: 2}),
    "lists": ([], [1]),
    "classes": (int, str),
    "numbers": (1, 2),
    "flags": (True, False),
}


def number_of(v):
    """A number for each of the values."""
    if v is None:
        return 10
    if isinstance(v, Kind):
        return 20 + v.value
    if tf.is_tensor(v) and v.dtype is tf.string:
        return 30 + tf.strings.length(v)
    if isinstance(v, (str, set, tuple, dict, list)):
        return 30 + len(v)
    if isinstance(v, type):
        return 40 + len(v.__name__)
    return v(0) if callable(v) else v


def attribute(x, a, b):
    o = Holder()
    o.value = a
    if x > 3:
        o.value = b
    return o.value


def attribute_of_both(x, a, b):
    o = Holder()
    if x > 3:
        o.value = b
    else:
        o.value = a
    return o.value


def slot(x, a, b):
    o = Slotted()
    o.value = a
    if x > 3:
        o.value = b
    return o.value


def item(x, a, b):
    o = [a]
    if x > 3:
        o[0] = b
    return o[0]


def appended(x, a, b):
    o = []
    if x > 3:
        o.append(b)
    else:
        o.append(a)
    return o[0]


def value_of_a_key(x, a, b):
    o = {"k": a}
    if x > 3:
        o["k"] = b
    return o["k"]


def value_of_a_new_key(x, a, b):
    o = {}
    if x > 3:
        o["k"] = b
    else:
        o["k"] = a
    return o["k"]


def in_a_deque(x, a, b):
    o = collections.deque([a])
    if x > 3:
        o[0] = b
    return o[0]


def deep_inside(x, a, b):
    o = Holder()
    o.inner = {"k": [a]}
    if x > 3:
        o.inner["k"][0] = b
    return o.inner["k"][0]


def variable_of_a_function(x, a, b):
    v = a

    def change():
        nonlocal v
        v = b

    if x > 3:
        change()
    return v


def class_attribute(x, a, b):
    class K:
        value = a

    if x > 3:
        K.value = b
    return K.value


def by_setattr(x, a, b):
    o = Holder()
    o.value = a
    if x > 3:
        setattr(o, "value", b)  # noqa: B010
    return o.value


def by_a_method(x, a, b):
    class M:
        def __init__(self):
            self.value = a

        def change(self, v):
            self.value = v

    o = M()
    if x > 3:
        o.change(b)
    return o.value


def in_a_loop(x, a, b):
    o = Holder()
    o.value = a
    for i in range(x):
        if i > 2:
            o.value = b
    return o.value


def by_a_loop(x, a, b):
    o = Holder()
    o.value = a
    for _ in range(x - 3):
        o.value = b
    return o.value


def item_by_a_loop(x, a, b):
    o = [a]
    i = 0
    while i < x - 3:
        o[0] = b
        i += 1
    return o[0]


def with_a_tensor_beside(x, a, b):
    o = Holder()
    o.value, o.count = a, x
    for _ in range(x - 3):
        o.value = b
        o.count = o.count + 1
    return o.value


PLACES = [
    attribute, attribute_of_both, slot, item, appended, value_of_a_key, value_of_a_new_key, in_a_deque, deep_inside,
    variable_of_a_function, class_attribute, by_setattr, by_a_method, in_a_loop, by_a_loop, item_by_a_loop,
    with_a_tensor_beside,
]  # fmt: skip
HANDLED = {"numbers", "flags"}  # by all places


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("place", PLACES)
def test_right_or_refused(place):
    for name, (a, b) in VALUES.items():

        def program(x, a=a, b=b):
            return number_of(place(x, a, b))

        for start in (2, 5):
            try:
                found = tf.function(program)(tf.constant(start)).numpy()
            except (TypeError, ValueError, tf.errors.InvalidArgumentError):  # refused
                assert name not in HANDLED
                continue
            assert found == program(start), (name, start)


@pytest.mark.parametrize("start", [2, 5])
@pytest.mark.parametrize("place", [attribute, item, value_of_a_key, by_a_method, variable_of_a_function])
def test_functions_are_chosen(place, start):
    run = tf.function(lambda x: place(x, first, second)(0))
    assert run(tf.constant(start)).numpy() == place(start, first, second)(0)


class Outer:
    mode = "none"


def test_what_is_older_than_the_trace_is_pythons_business_beside_what_is_not():
    outer = Outer()

    @tf.function
    def run(x):
        own = Holder()
        own.count = 0
        for _ in range(x):
            outer.kind = Kind.TWO
            own.count = own.count + 2
        return own.count

    with pytest.warns(SideEffectWarning):
        assert run(tf.constant(3)).numpy() == 6
    assert outer.kind is Kind.TWO


def swapped_in_a_for(x):
    p, q = None, 0
    for _ in range(x):
        p, q = q, p
    return 10 if p is None else p


def swapped_in_a_while(x):
    o = Holder()
    o.p, o.q, i = None, 0, 0
    while i < x:
        o.p, o.q = o.q, o.p
        i += 1
    return 10 if o.p is None else o.p


@pytest.mark.parametrize("program", [swapped_in_a_for, swapped_in_a_while])
def test_none_that_goes_from_variable_to_variable(program):
    traced = tf.function(program)
    for x in (0, 1, 2, 5):
        assert traced(tf.constant(x)).numpy() == program(x)
