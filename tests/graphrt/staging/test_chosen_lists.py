"""Tests of lists in a list at an index that only the running graph knows."""

import pytest

import graphrt as tf
from graphrt import errors
from tests.graphrt.programs.comparing import plain

LENGTHS = ([3, 1, 2], [5], [], [1, 2, 3, 4, 5, 6])


def appended(xs):
    rows = [[] for _ in range(3)]
    for v in xs:
        rows[v % 3].append(v)
        rows[-(v % 3)].append(v + 1)
    return rows, [len(row) for row in rows], rows[sum(xs) % 3]


def made_longer(xs):
    rows, full = [[] for _ in range(3)], [[0] for _ in range(3)]
    for v in xs:
        rows[v % 3] += [v]
        full[v % 3] += [v, v]
        rows[v % 2].extend([v, v + 1])
        rows[v % 2].insert(0, v)
    return rows, full


def of_several_lengths(xs):
    rows, total = [[1], [2, 3], [4, 5, 6]], 0
    for v in xs:
        if len(rows[v % 3]) > 0:
            total += rows[v % 3].pop()
        for w in rows[v % 2]:
            total = total * 2 + w
    return rows, total


def items_of_items(xs):
    rows = [[1], [2, 3]]
    for v in xs:
        rows[v % 2][0] = v
        rows[v % 2][-1] += v
    return rows


def rows_of_numbers(xs):
    rows, total = [[1, 2, 3], [4, 5, 6], [7, 8, 9]], 0
    for v in xs:
        total += rows[v % 3][v % 2]
        rows[v % 3][v % 2] = v
        rows[v % 3][v % 2] += v
    return rows, total


def by_another_name(xs):
    rows = ([], [])
    for v in xs:
        row = rows[v % 2]
        row.append(v)
        if v > 2:
            row.append(v + 1)
    return rows


def under_conditions(xs):
    rows = [[], []]
    for v in xs:
        if len(rows[v % 2]) < 1:
            rows[v % 2].append(v)
        elif v not in rows[0]:
            rows[0].append(v)
    rows[sum(xs) % 2].sort()
    return rows


def without_a_loop(xs):
    rows = [[], []]
    at = sum(xs) % 2
    rows[at].append(at)
    rows[1 - at].append(3)
    rows[at].append(4)
    return rows, rows[at]


@pytest.mark.parametrize(
    "program",
    [
        appended, made_longer, of_several_lengths, items_of_items, rows_of_numbers, by_another_name, under_conditions,
        without_a_loop,
    ],
)  # fmt: skip
def test_as_python(program):
    traced = tf.function(program, input_signature=[tf.TensorSpec([None], tf.int32)])
    for xs in LENGTHS:
        assert plain(traced(tf.constant(xs, tf.int32))) == plain(program(xs))


def test_an_index_outside():
    @tf.function
    def f(i):
        rows = [[], []]
        rows[i].append(i)
        return rows

    assert plain(f(tf.constant(-2))) == [[-2], []]
    with pytest.raises(errors.InvalidArgumentError, match="IndexError: list index out of range"):
        f(tf.constant(2))


@pytest.mark.parametrize("element", [(1, 2), {"a": 1}])
def test_structures_are_refused(element):
    @tf.function
    def f(i):
        rows = [[], []]
        rows[i].append(element)
        return rows

    text = r"a list at an index that only the running graph knows(.|\n)*for k in range(.|\n)*test_chosen_lists.py"
    with pytest.raises(errors.OperatorNotAllowedInGraphError, match=text):
        f(tf.constant(1))


def test_nothing_to_look_at():
    @tf.function
    def f(i):
        rows = [[], []]
        return rows[i][-1]

    with pytest.raises(errors.OperatorNotAllowedInGraphError, match="found nothing in any of the lists as yet"):
        f(tf.constant(1))
