"""Lists that grew in staged code beside values of Python's and beside each other."""

import pytest

import graphrt as tf
from graphrt import errors


def _grown(xs, of_pairs=False):
    rows = []
    for v in xs:
        rows.append((v, v * 2) if of_pairs else v)
    return rows


_NUMBERS = (
    (1, 2), [1], "a", None, 1.5, 2.0, True, 2**70, float("nan"), 2, 7, [[1], [2]], object,
)  # fmt: skip
_LISTS = (
    [], [1], [1, 2], [1, 2, 3], [1.0, 2.0], [1.5, 2], [1, "a"], [(1, 2), 2], [[1], [2]], [None, 2],
)  # fmt: skip
_PAIRS = ((1, 2), (1, 2.0), (1, 2.5), [1, 2], (1, 2, 3), (1, (2, 3)), 1, None, (2, 4))
_LISTS_OF_PAIRS = ([], [1, 2], [(1, 2), (2, 4)], [(1, 2), (2, 4, 6)], [(1, 2), (2, 5)], [(1, 2)], [[1, 2], [2, 4]])


@pytest.mark.parametrize("dtype", ["int32", "float32", "int64"])
@pytest.mark.parametrize("xs", [[], [1, 2], [2, 2, 1]])
def test_what_is_in_a_list(dtype, xs):
    def f(xs):
        rows, pairs = _grown(xs), _grown(xs, True)
        single = [([v in rows, v not in rows], rows.count(v)) for v in _NUMBERS]
        whole = [(rows == other, rows != other) for other in _LISTS]
        of_pairs = [([v in pairs], pairs.count(v)) for v in _PAIRS]
        return single, whole, of_pairs, [pairs == other for other in _LISTS_OF_PAIRS], rows == pairs

    found = tf.function(f, input_signature=[tf.TensorSpec([None], dtype)])(tf.constant(xs, dtype))
    assert tf.nest.flatten(tf.nest.map_structure(int, found)) == tf.nest.flatten(f(xs))


@pytest.mark.parametrize("dtype", ["int32", "float32"])
@pytest.mark.parametrize("xs", [[], [1], [1, 2], [3, 1, 2]])
def test_lists_are_in_order(dtype, xs):
    def f(xs):
        rows, pairs = _grown(xs), _grown(xs, True)
        tail = rows[1:]
        found = [
            (rows < b, rows <= b, rows > b, rows >= b, b < rows) for b in ([], [1], [1, 2], [1, 3], [2], tail, rows)
        ]
        of_pairs = [(pairs < b, pairs >= b) for b in ([], [(1, 2)], [(1, 3)], [(1, 2), (1, 5)], pairs[1:])]
        return found, of_pairs, max(rows, [1, 2]), min([1, 1], rows), max([rows, tail, [3]])

    found = tf.function(f, input_signature=[tf.TensorSpec([None], dtype)])(tf.constant(xs, dtype))
    flags, wanted = tf.nest.flatten(found[:2]), f(xs)
    assert [bool(v) for v in flags] == tf.nest.flatten(wanted[:2])
    assert [[*map(float, rows)] for rows in found[2:]] == [*wanted[2:]]


def test_lists_without_order():
    @tf.function
    def vectors(xs):
        rows = []
        for v in xs:
            rows.append(tf.stack([v, v]))
        return rows < rows[1:]

    @tf.function
    def others(xs):
        return _grown(xs) < ["a"]

    with pytest.raises(errors.OperatorNotAllowedInGraphError, match=r"expected scalars"):
        vectors(tf.constant([1, 2]))
    with pytest.raises(TypeError, match="no order among each other"):
        others(tf.constant([1, 2]))
