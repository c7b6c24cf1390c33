"""Tests of lists in a list at an index that only the running graph knows."""

import linecache
from typing import NamedTuple

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


def rows_of_one_length(xs):
    rows, at = [[1, 2, 3], [4, 5, 6]], sum(xs) % 2
    row = rows[at]
    read = row[0], row[-1], len(row), sum(row), max(row), sorted(row)[::-1], row[1:], [v * 2 for v in row], 5 in row
    joined = row + [7], row * 2, row == [1, 2, 3], tuple(row), list(row), row.index(row[1])
    for k, (v, w) in enumerate(zip(row, rows[1 - at])):
        row[k] = v * w
    a, b, c = row
    rows[0].append(a)
    return read, joined, rows, row, b, c


def rows_of_rows(xs):
    rows, at = [[[1], [2, 3]], [[4, 5], []]], sum(xs) % 2
    row = rows[at][1]
    row.append(at)
    rows[at][at].append(8)
    rows[1 - at][0][0] = 9
    return rows, row, [len(row) for row in rows[at]]


def left_in_variables(xs):
    rows, most = [[1, 2], [5, 4], [3, 9]], [0, 0]
    for v in xs:
        if rows[v % 3][0] > most[0]:
            most = rows[v % 3]
    row, other = rows[sum(xs) % 3], rows[0] if sum(xs) > 9 else rows[sum(xs) % 3]
    found = most[1], other[0]
    if sum(xs) > 5:
        rows[1].append(7)
        kept = row[0], len(row)
    else:
        kept = row[1], len(rows[1])
    return found, row, kept


def written_to_after_branches(xs):
    rows = [[1, 2], [5, 4], [3, 9]]
    row = rows[sum(xs) % 3]
    if sum(xs) > 5:
        rows[1].append(7)
    row.append(8)
    for v in xs:
        rows[v % 3][0] += v
        row[1] = v
    return rows, row


def early(xs):
    rows = [[1, 2], [5, 4], [3, 9]]
    for v in xs:
        if rows[v % 3][1] > 3:
            return rows[v % 3]
    return rows[0]


def by_functions(xs):
    rows = [[1, 2], [5, 4], [3, 9]]

    def row_at(i):
        return rows[i]

    def put(row, v):
        row[1] = v
        return row

    put(row_at(sum(xs) % 3), 7)[0] += 1
    return rows


def structures(xs):
    at = sum(xs) % 2
    x, y = [(1, 2.5), (3, 4.5)][at]
    named = [{"n": 1, "of": [1, 2]}, {"n": 3, "of": [3, 4]}][at]
    points = [Point(1, 2.5), Point(3, 4.5)]
    rows = [([1], 2.5), ([4, 5], 4.5)]
    rows[at][0].append(9)
    several = [[1, (2, 3)], [4, (5, 6)]][at]
    return x // 2, y, named, points[at].x // 2, points[at], rows, several[1][0], [["a", 1], ["b", 2]][at > 0][1]


def slices(xs):
    rows, pairs, at = [1, 2, 3, 4], [(1, 2.5), (3, 4.5), (5, 6.5)], sum(xs) % 4
    first = rows[:at]
    first.append(7)
    rows[:at] = [9]
    return (
        first,
        rows,
        rows[at:],
        rows[-at:],
        pairs[: at + 1],
        [a for a, _ in pairs[at:]],
        len(rows[1:at]),
        rows[at:] + first,
    )


def sorted_by_merging(xs):
    def merged(a, b):
        out, i, j = [], 0, 0
        while i < len(a) and j < len(b):
            if a[i] < b[j]:
                out.append(a[i])
                i += 1
            else:
                out.append(b[j])
                j += 1
        return out + a[i:] + b[j:]

    return merged(merged([len(xs)], [3]), merged([2], [sum(xs)]))


def set_at_an_index(xs):
    rows, named, mixed = [[1], [2, 3], [4]], [{"n": 1}, {"n": 2}], [[0, 0], [1, 1], [2, 2]]
    for v in xs:
        rows[v % 3] = [*rows[0], v]
        named[v % 2] = {"n": v}
        mixed[v % 3] = [v, v + 1]
        mixed[v % 3][0] += 5
    rows[sum(xs) % 3].append(9)
    rows[0], rows[sum(xs) % 2] = rows[sum(xs) % 2], rows[0]
    return rows, named, mixed, mixed[0] + [1], mixed[sum(xs) % 3] * 2


def one_object(xs):
    counts = {"n": 0}
    for v in xs:
        [counts, counts][v % 2]["n"] += 1
    return counts


class Point(NamedTuple):
    x: int
    y: float


@pytest.mark.parametrize(
    "program",
    [
        appended, made_longer, of_several_lengths, items_of_items, rows_of_numbers, by_another_name, under_conditions,
        without_a_loop, rows_of_one_length, rows_of_rows, left_in_variables, written_to_after_branches, early,
        by_functions, structures, slices, sorted_by_merging,
        set_at_an_index, one_object,
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


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gradients(dtype):
    def f(w, i):
        rows = [[w[0], w[1]], [w[1], w[2] * w[0]]]
        row = rows[i]
        rows[0][1] = row[0] * 3
        return w * row[1], sum(row), tf.reduce_sum(rows[i])

    w = tf.constant([2.0, 3, 5], dtype)
    for i in (0, 1):
        found = []
        for program in (f, tf.function(f)):
            with tf.GradientTape() as tape:
                tape.watch(w)
                y = program(w, tf.constant(i) if found else i)
                total = tf.add_n([tf.reduce_sum(v) for v in y])
            found.append((*y, tape.gradient(total, w)))
        for a, b in zip(*found):
            assert a.dtype == b.dtype == dtype and a.numpy().tolist() == b.numpy().tolist()


def test_a_tensor_multiplies_the_row():
    @tf.function
    def f(x, i, n):
        rows = [[1, 2], [3, 4]]
        return x * rows[i], rows[i] * x, rows[i] * n, rows[i] * len(rows)

    found = f(tf.constant([10, 20]), tf.constant(1), tf.constant(2))
    assert plain(found) == [[30, 80], [30, 80], [6, 8], [3, 4, 3, 4]]


@pytest.mark.parametrize("rows", [[[1, "a"], [2, "b"]], [{"n": 1}, {"n": 2}], [[(1, 2)], [(3, 4)]]])
def test_copies_are_not_written_to(rows):
    def written(i, key):
        own = [one.copy() for one in rows]
        one = own[i]
        one[key] = one[key]
        return own

    def stale(i, key):
        own = [one.copy() for one in rows]
        one = own[i]
        own[1][key] = own[0][key]
        return one

    key = "n" if isinstance(rows[0], dict) else 0
    for program in (written, stale):
        with pytest.raises(errors.SideEffectError, match=r"written to(.|\n)*test_chosen_lists.py"):
            tf.function(program)(tf.constant(1), key)


def test_a_list_that_a_slice_has_copied_is_not_written_to():
    @tf.function
    def f(i):
        rows = [[1, 2], [3, 4]]
        first = rows[:i]
        rows[0][0] = 9
        return first

    with pytest.raises(errors.SideEffectError, match=r"a list is written to after it was put at"):
        f(tf.constant(1))
    rows = [1, None]
    with pytest.raises(TypeError, match=r"a slice whose length only the graph knows (.|\n)*found \[1, None\]"):
        tf.function(lambda i: rows[:i])(tf.constant(1))


def test_what_loops_have_chosen_is_one_of_several():
    @tf.function
    def f(i):
        rows, row = [[1, 2], [3, 4]], [0, 0]
        rows[0].append(i)
        rows[1].append(i)
        for _ in range(i):
            row = rows[i]
        rows[1][0] = 5
        return row

    with pytest.raises(errors.SideEffectError, match=r"'row' is one of two objects"):
        f(tf.constant(1))


def test_rows_that_a_branch_chooses_are_one_of_several():
    @tf.function
    def f(i):
        rows, row = [[1, 2], [3, 4]], [0]
        if i > 0:
            row = rows[i]
        rows[1][0] = 5
        return row

    with pytest.raises(errors.SideEffectError, match=r"'row' is one of two objects"):
        f(tf.constant(1))


@pytest.mark.parametrize("rows", [[(1, 2.5), (3, 4.5)], [{"n": 1}, {"n": 2}], [[1, 2], [3, 4]], [[1], [3, 4]]])
def test_an_index_outside_of_structures(rows):
    f = tf.function(lambda i: rows[i])
    assert plain(f(tf.constant(-2))) == plain(rows[0])
    for i in (2, -3):
        with pytest.raises(errors.InvalidArgumentError):
            f(tf.constant(i))


@pytest.mark.parametrize(
    "lines",
    [
        "for i in range(n):\n        rows[i % 2], rows[(i + 1) % 2] = rows[(i + 1) % 2], rows[i % 2]",
        "rows[n % 3] = rows[(n + 1) % 3]",
        "a, b = n % 3, (n + 1) % 3\n    rows[a], rows[b] = rows[b], rows[a]",
        "rows[n % 3] += [n]\n    row = rows[n % 3]\n    rows[n % 3] = row\n    row.append(5)",
    ],
)
@pytest.mark.parametrize("start", ["[[0, 0], [1, 1], [2, 2]]", "[[0], [1, 1], [2, 2, 2]]"])
def test_lists_are_put_in_other_places(lines, start):
    source = f"def f(n):\n    rows = {start}\n    {lines}\n    return rows\n"
    name = f"<put {lines} {start}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {}
    exec(compile(source, name, "exec"), space)
    traced = tf.function(space["f"], input_signature=[tf.TensorSpec([], tf.int32)])
    for n in (0, 1, 2, 5):
        found = tf.nest.map_structure(lambda v: v.numpy().item() if hasattr(v, "numpy") else v, traced(tf.constant(n)))
        assert found == space["f"](n)


def test_what_is_written_to_a_list_that_may_be_in_two_places_is_refused():
    @tf.function
    def f(n):
        rows = [[0, 0], [1, 1]]
        rows[n % 2] = rows[(n + 1) % 2]
        rows[0][0] = 7
        return rows

    with pytest.raises(errors.SideEffectError, match="is one of two objects"):
        f(tf.constant(1))
