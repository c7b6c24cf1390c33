"""Tests of lists whose length only the graph knows: they are lists for those who ask."""

import collections.abc
import copy  # noqa: F401  # which the operations use
import functools
import linecache
import operator  # noqa: F401

import pytest

import graphrt as tf
from tests.graphrt.programs.comparing import plain


class Holder:
    pass


def replaced(x):
    rows = [1]
    if x > 2:
        rows = [1, 2]
    return rows


def in_an_object(x):
    o = Holder()
    o.rows = [1]
    if x > 2:
        o.rows = [1, 2]
    return o.rows


def grown(x):
    rows = []
    for i in range(x):
        rows.append(i)
    return rows


def made_anew_in_a_loop(x):
    rows = []
    for i in range(x):
        rows = rows + [i]
    return rows


def of_a_comprehension(x):
    return [v * 2 for v in range(x)]


def of_a_call(x):
    return list(v * 2 for v in range(x))  # noqa: C400


def kind_of(rows):
    match rows:
        case tuple():
            return 1
        case list(found):
            return 2 + len(found)
    return 0


@pytest.mark.parametrize("make", [replaced, in_an_object, grown, made_anew_in_a_loop, of_a_comprehension, of_a_call])
def test_they_are_lists(make):
    def asked(x):
        rows = make(x)
        return (
            isinstance(rows, list), type(rows) is list, isinstance(rows, (str, collections.abc.Sequence)),
            isinstance(rows, tuple), tf.is_tensor(rows), kind_of(rows), sum(rows),
        )  # fmt: skip

    for x in (3, 1):
        assert plain(tf.function(asked)(tf.constant(x))) == plain(asked(x))


@pytest.mark.parametrize("x", [3, 1])
def test_elements_are_taken_out_and_put_in_order(x):
    def program(x):
        rows = [x, 3, 1, x]
        rows.remove(x)
        pairs = [(x, 1), (2, 2), (x, 0)]
        pairs.sort()
        named = [("b", x), ("a", 2)]
        named.sort(key=lambda p: -p[1])
        return rows, pairs, [p[1] for p in named]

    assert plain(tf.function(program)(tf.constant(x))) == plain(program(x))


@pytest.mark.parametrize("x", [1, 3, 5])
def test_texts_beside_tensors_are_in_order(x):
    def program(x):
        pairs = [(x, "b"), (1, "a"), (3, "c"), (3, "aa")]
        pairs.sort()
        best = max([(x, "z"), (3, "y")]), min([("q", x), ("p", 2)])
        return (
            pairs,
            sorted(zip([3, x, 1], "nmk"), reverse=True),
            sorted(["bb", "a"], key=lambda s: (x - len(s), s)),
            best,
        )

    def shown(found):
        if isinstance(found, (list, tuple)):
            return [shown(v) for v in found]
        found = found.numpy() if tf.is_tensor(found) else found
        return found.decode() if isinstance(found, bytes) else found

    assert shown(tf.function(program)(tf.constant(x))) == shown(program(x))


def test_an_element_that_is_not_there():
    @tf.function
    def program(x):
        rows = [1, 2]
        rows.remove(x)
        return rows

    assert plain(program(tf.constant(1))) == [2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="is not in the list"):
        program(tf.constant(7))


OPERATIONS = [
    "rows.__len__()", "rows.__contains__(2)", "rows.__getitem__(0)", "rows.__add__([7])", "rows.__mul__(2)", "rows.__eq__([1, 2])",
    "rows.__setitem__(0, 5) or rows", "rows.__iadd__([7]) and rows", "list(rows.__iter__())", "list.__len__(rows)",
    "list.append(rows, 3) or rows", "list.index(rows, 2)", "list.pop(rows)", "operator.contains(rows, 2)",
    "operator.length_hint(rows)", "operator.concat(rows, [1])", "functools.reduce(operator.add, rows)",
    "functools.reduce(lambda a, b: a * 10 + b, rows, 4)", "functools.reduce(max, rows)", "copy.copy(rows)", "copy.deepcopy(rows)",
]  # fmt: skip
LISTS = [
    "[1, 2] + [x] * 0 if x > 5 else [1, 2, 4]",
    "[[1, 2, x], [x, 1, 2]][0 if x > 5 else 1]",
    "[v for v in (1, 2, 3) if v < x]",
]


ASKED_OF_ONE_OF_TWO = [o for o in OPERATIONS if "__" not in o and not o.startswith("list.")]  # whose type is no list
ASKED = [(made, o) for made in LISTS for o in (ASKED_OF_ONE_OF_TWO if made is LISTS[1] else OPERATIONS)]


@pytest.mark.parametrize(("made", "operation"), ASKED)
def test_operations_by_other_names(made, operation):
    text = f"def f(x):\n    rows = {made}\n    return {operation}\n"
    name = f"<{made}: {operation}>"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    names = {**globals()}
    exec(compile(text, name, "exec"), names)
    traced = tf.function(names["f"])
    for x in (3, 6):
        assert plain(traced(tf.constant(x))) == plain(names["f"](x))


def test_reductions_of_tensors():
    @tf.function
    def f(v):
        return functools.reduce(lambda a, b: a * b, v), functools.reduce(lambda p, b: (p[0] + b, p[1] - b), v, (0, 0))

    assert plain(f(tf.constant([2, 3, 4]))) == [24, [9, -9]]
    with pytest.raises(
        (TypeError, tf.errors.InvalidArgumentError), match="reduce.. of empty iterable with no initial value"
    ):
        f(tf.constant([], tf.int32))
