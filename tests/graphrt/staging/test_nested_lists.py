"""Lists in a list that grows in staged code: `nested_lists.py`, and `row_of_list.py` for an element of it."""

import linecache

import pytest

import graphrt as tf
from autograph import errors
from tests.graphrt.programs import generated_tensor_programs as programs
from tests.graphrt.programs.nested_list_programs import Writer

GROWN = """\
def f(n):
    rows = []
    for i in range(n):
        rows.append([i, 2])
"""
EMPTY = """\
def f(n):
    rows, t = [], 0
    for i in range(n):
        {}
        rows.append(i)
    return rows, t
"""
SIZED = """\
class Stack:
    def __init__(self):
        self.rows = []
    def __len__(self):
        return len(self.rows)
def f(n):
    rows, t = Stack(), 0
    for i in range(n):
        rows.rows.append(i)
"""


def function_of(source, name):
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {}
    exec(compile(source, name, "exec"), space)
    return space["f"]


def plain(value):
    return tf.nest.map_structure(lambda v: v.numpy().tolist() if hasattr(v, "numpy") else v, value)


def runs_as_python(source, name):
    f = function_of(source, name)
    traced = tf.function(f, input_signature=[tf.TensorSpec([], tf.int32)])
    for n in (0, 2, 4):
        assert plain(traced(tf.constant(n))) == f(n)


@pytest.mark.parametrize(
    "body",
    [
        "return [row + [1] for row in rows]",
        "return [1] in rows, [1, 2] in rows, rows.count([0, 2])",
        "for row in rows: row.append(n)\n    return rows",
        "for row in rows: row[0] = 7\n    return rows, rows",
        "rows.append([7])\n    return rows, [len(row) for row in rows]",
        "rows.append([])\n    return rows, len(rows[-1])",
        "rows.append([3, 1, 2])\n    rows.sort(key=len)\n    return rows",
        "rows.append([0])\n    return sorted(rows, key=len), min(rows, key=len), max(rows, key=lambda row: row[0])",
        "rows.append([4, 5])\n    rows[0].append(9)\n    return rows, rows[0]",
        "rows.append([4, 5])\n    row = rows[-1]\n    row[1] += n\n    row.extend([1, n])\n    return rows, row",
        "rows.append([4, 5])\n    row = rows.pop(0)\n    row.append(1)\n    return rows, row",
        "rows.insert(0, [8, 9, n])\n    rows.reverse()\n    return rows, rows[:1]",
        "rows.append([4, 5])\n    row = rows[n % 2 - 1]\n    row.reverse()\n    return rows, row",
        "more = [[0, k] for k in range(n)]\n    more.append([n])\n    return more + rows, more == rows",
        "rows.append([7])\n    return sum(rows, []), sum(rows[1:], [n]), sum(sum(rows, []))",
        "r = [3]\n    for i in range(n): r = []\n    return r in [[1, 2], [3]], [] in rows",
        "for i in range(n):\n        if i > 1 and rows: r = rows.pop(0)\n        else: r = [n, n]\n        rows.append(r[::-1])\n    return rows",
    ],
)
def test_lists_in_lists_are_what_they_are_in_python(body):
    runs_as_python(f"{GROWN}    {body}\n", "<lists of lists>")


@pytest.mark.parametrize(
    "statement",
    [
        "t = t + 1 if i > 1 and rows else t", "t = t + 1 if i > 2 or rows else t", "t += 1 if i < 2 and not rows else 0",
        "if rows and i > 1: t += i", "if i > 0 and (i > 1 or rows): t += i", "t += len(rows) if i > 1 and len(rows) else 5",
    ],
)  # fmt: skip
def test_a_list_that_grows_is_the_second_operand(statement):
    runs_as_python(EMPTY.format(statement), "<second operand>")


@pytest.mark.parametrize(
    "body", ["while rows: t += rows.rows.pop()", "if not rows: t = 1", "t = 3 if n > 2 and rows else 4"]
)
def test_objects_with_a_length_that_only_the_graph_knows_have_a_truth(body):
    runs_as_python(f"{SIZED}    {body}\n    return t\n", "<truth of objects>")


def test_what_may_have_changed_in_another_list_is_refused():
    source = f"{GROWN}    row = [n, n]\n    rows.append(row)\n    rows[-1][0] = 9\n    return row[0]\n"
    with pytest.raises(errors.SideEffectError, match=r"which has a copy of it(.|\n)*<looked into>"):
        tf.function(function_of(source, "<looked into>"))(tf.constant(2))


@pytest.mark.parametrize(
    "lines",
    [
        "rows.sort(key=len)\n    rows.append([n])",
        "rows = sorted(rows, key=len, reverse=True), min(rows, key=len), max(rows, key=sum)",
    ],
)
def test_lists_of_which_some_are_staged_are_put_in_order(lines):
    start = "def f(n):\n    rows = [[1, 2], [n, n, 3]]\n    same = rows\n    if n > 2: rows[1] = [7]\n"
    runs_as_python(f"{start}    {lines}\n    return rows, same\n", "<order of lists>")


def test_the_sum_of_lists_begins_with_a_list():
    with pytest.raises(TypeError, match=r"for \+: 'int' and 'list'(.|\n)*<a sum>"):
        tf.function(function_of(f"{GROWN}    return sum(rows)\n", "<a sum>"))(tf.constant(2))


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed):
    assert not [text for what, _, text in programs.faults(seed, write=Writer) if what == "wrong"]
