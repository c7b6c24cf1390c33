"""Structures of `tf.nest`: what has parts, in which order, and what refusals say.

Covers: graphrt/types/structure.py.
"""

import collections
import types

import pytest

import graphrt as tf

Point = collections.namedtuple("Point", "x y")
nest = tf.nest


class Words(collections.UserList):
    pass


@pytest.mark.parametrize(
    ("value", "leaves", "packed"),
    [
        ([1, (2,)], [1, 2], [0, (1,)]),
        (range(5, 7), [5, 6], [0, 1]),
        (collections.deque([1, [2]], maxlen=4), [1, 2], collections.deque([0, [1]])),
        (Words([3]), [3], Words([0])),
        ({"b": 1, "a": [2]}, [2, 1], {"b": 1, "a": [0]}),
        (types.MappingProxyType({"b": 1, "a": 2}), [2, 1], {"a": 0, "b": 1}),
        ({"b": 1}.values(), [1], [0]),
        ({"b": 1}.keys(), ["b"], [0]),
        ({"b": 1}.items(), ["b", 1], [(0, 1)]),
        (Point(1, [2]), [1, 2], Point(0, [1])),
    ],
)
def test_structures(value, leaves, packed):
    assert nest.is_nested(value)
    assert nest.flatten(value) == leaves
    found = nest.pack_sequence_as(value, range(len(leaves)))
    assert found == packed and type(found) is type(packed) or isinstance(value, types.MappingProxyType)
    assert nest.flatten(nest.map_structure(lambda x: (x,), value)) == leaves


@pytest.mark.parametrize("value", [1, "ab", b"ab", bytearray(b"a"), {1, 2}, frozenset([1]), None, slice(1, 2), object])
def test_leaves(value):
    assert not nest.is_nested(value) and nest.flatten(value) == [value]
    nest.assert_same_structure(value, 5)


def test_deques_keep_their_length():
    assert nest.map_structure(lambda x: x + 1, collections.deque([1, 2], maxlen=2)).maxlen == 2


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: nest.map_structure(lambda a, b: a, [1], (2,)), TypeError, "list against tuple"),
        (lambda: nest.map_structure(lambda a, b: a, [1], [2, 3]), ValueError, "1 elements against 2"),
        (lambda: nest.map_structure(3, [1]), TypeError, "func must be callable"),
        (lambda: nest.map_structure(abs), ValueError, "at least one structure"),
        (lambda: nest.map_structure(abs, [1], foo=1), ValueError, "not: `foo`"),
        (lambda: nest.pack_sequence_as([1, 2], [1]), ValueError, "2 atoms, but flat_sequence had 1 items"),
        (lambda: nest.pack_sequence_as([1, 2], 5), TypeError, "has to be a sequence"),
        (lambda: nest.pack_sequence_as([1, 2], "ab"), TypeError, "has to be a sequence"),
        (lambda: nest.assert_same_structure([1], [[1]]), ValueError, r"at \[0\]: the second is a list"),
        (lambda: nest.assert_same_structure(nest1={"a": 1}, nest2={"b": 1}), ValueError, "keys"),
        (lambda: nest.assert_same_structure(Point(1, 2), (1, 2)), TypeError, "Point against tuple"),
        (lambda: nest.assert_same_structure(Point(1, 2), collections.namedtuple("Q", "x y")(1, 2)), TypeError, "Q"),
        (lambda: nest.flatten({1: 2, "a": 3}), TypeError, "sortable keys"),
    ],
)
def test_refusals(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_what_may_differ():
    nest.assert_same_structure([1], (1,), check_types=False)
    nest.assert_same_structure({"a": 1}, collections.OrderedDict(a=1))
    nest.assert_same_structure(Point(1, 2), collections.namedtuple("Point", "x y")(3, 4))
    assert nest.map_structure(lambda a, b: a + b, [1], (2,), check_types=False) == [3]
    assert nest.is_nested(seq=[]) and nest.pack_sequence_as(structure=[0], flat_sequence=[3]) == [3]


def test_composites_are_taken_apart_on_request():
    ragged = tf.ragged.constant([[1], [2, 3]])
    assert nest.flatten([ragged])[0] is ragged and len(nest.flatten([ragged], expand_composites=True)) == 2
    doubled = nest.map_structure(lambda t: t, ragged, expand_composites=True)
    assert doubled.to_list() == [[1], [2, 3]]
