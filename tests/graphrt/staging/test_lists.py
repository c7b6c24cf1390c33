"""Lists, dictionaries and tensors whose items are set where control flow is staged; `Feature.LISTS` is on by default."""

from __future__ import annotations

import collections
import linecache

import numpy as np
import pytest

import autograph
import graphrt as tf
from graphrt import errors
from tests.graphrt.programs.comparing import plain


def plain(value):
    """Tensors as numbers, in lists and dictionaries too."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value))
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value.numpy().tolist() if hasattr(value, "numpy") else value


def run(f, *args):
    return plain(tf.function(f)(*args))


def test_list_grows_in_a_loop():
    def f(n):
        found = []
        for i in tf.range(n):
            found.append(i * 2)
        return tf.stack(found), found, len(found)

    assert run(f, tf.constant(3)) == ([0, 2, 4], [0, 2, 4], 3)
    assert run(f, tf.constant(0)) == ([], [], 0)


def test_list_grows_in_one_branch():
    def f(x):
        found = [x]
        if x > 0:
            found.append(x + 1)
        return found

    assert run(f, tf.constant(1)) == [1, 2]
    assert run(f, tf.constant(-1)) == [-1]


def test_pop_in_an_augmented_assignment():
    def f(x):
        stack = [1, 2, 3]
        total = 0
        while x > 0:
            total += stack.pop()
            x -= 1
        return total, stack

    assert run(f, tf.constant(2)) == (5, [1])


def test_patterns_take_no_staged_list_apart():
    def f(x):
        found = []
        while x > 0:
            found.append(x)
            x -= 1
        match found:
            case []:
                return 0
            case [_, *_]:
                return 1

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="no pattern of `match`"):
        run(f, tf.constant(2))


def test_items_of_a_tensor():
    def f(x):
        x[0] = 5
        x[1:] = x[1:] * 2
        x[-1] = x[0]
        x[1] += 1
        return x

    assert run(f, tf.constant([1, 2, 3])) == [5, 5, 5]


def test_items_of_a_matrix():
    def f(x, i):
        x[i, 1] = 9
        x[:, 0] *= 2
        return x

    assert run(f, tf.constant([[1, 2], [3, 4]]), tf.constant(1)) == [[2, 2], [6, 9]]


def test_items_set_in_a_loop():
    def f(n):
        squares = tf.zeros([4], tf.int32)
        for i in tf.range(n):
            squares[i] = i * i
        return squares

    assert run(f, tf.constant(3)) == [0, 1, 4, 0]


def test_item_at_a_staged_index_of_a_list():
    def f(x):
        values = [x] * 3
        i = 0
        while i < x:
            values[i] = values[i] + 1
            i += 1
        return values

    assert run(f, tf.constant(2)) == [3, 3, 2]


def test_elements_of_several_types_cannot_grow():
    def f(n):
        values = ["a"]
        for i in tf.range(n):
            values.append(i)
        return values

    with pytest.raises(errors.LoopVariableError, match="one dtype"):
        run(f, tf.constant(2))


@pytest.mark.parametrize("x", [2, -2])
def test_other_names_of_a_list_see_what_a_branch_sets(x):
    def f(x):
        values = [x, x]
        other = values
        i = 0
        if x > 0:
            values[i] = x * 5
        return other, values

    first = 10 if x > 0 else x
    assert run(f, tf.constant(x)) == ([first, x], [first, x])


@pytest.mark.parametrize("x", [2, -2])
def test_list_nobody_reads_by_its_own_name(x):
    def f(x):
        values = [[x, 1], 2]
        other = values
        i = 0
        if x > 0:
            values[i][i] = x * 7
        if x > 0:
            values[i + 1] = 5
        else:
            values[i + 1] = 6
        return other

    assert run(f, tf.constant(x)) == ([[14, 1], 5] if x > 0 else [[-2, 1], 6])


def test_new_list_is_not_the_old_one():
    def f(x):
        values = [x, 1]
        other = values
        if x > 0:
            values = [x + 1, 1]
        else:
            values = [x - 1, 1]
        return values[0], other[0]

    assert run(f, tf.constant(2)) == (3, 2)


@pytest.mark.parametrize("x", [2, -2])
def test_dictionary_of_many_things(x):
    seen = []

    def f(x):
        d = {"f": abs, 1: x, "n": 5, "s": "a"}
        e = d
        d = d
        k = 1
        if x > 0:
            d[k] = x * 2
        seen.append((d["f"], d["n"], d["s"], e is d))
        return e[1]

    assert run(f, tf.constant(x)) == (4 if x > 0 else -2)
    assert seen == [(abs, 5, "a", True)]


def test_new_keys_in_both_branches():
    def f(x):
        d = {}
        for i in range(3):
            if x > i:
                d[i] = x
            else:
                d[i] = -x
        return d

    assert run(f, tf.constant(2)) == {0: 2, 1: 2, 2: -2}


def test_attributes_stay_calls():
    class Holder:
        def __init__(self):
            self.values = []

    holder = Holder()
    before = holder.values

    def f(x):
        holder.values.append(1)
        return x

    run(f, tf.constant(1))
    assert holder.values is before and before == [1]


def test_arrays_are_left_alone():
    def f(x):
        a = np.zeros(3)
        b = a
        a[0] = 1
        a[1:] = 2
        a[a > 1] += 1
        return x + b

    assert run(f, tf.constant(2.0, tf.float64)) == [3.0, 5.0, 5.0]


# What may be done to a list that holds `a`, `b` and two more of its kind, and its length is known only when the graph runs.
OF_GROWN_LISTS = [
    "ys = list(xs); ys.append(c)", "ys = xs.copy(); ys.append(c)", "ys = xs[:]; ys.append(c)", "ys = xs[1:]; ys.append(c)",
    "ys = xs[::-1]; ys.append(c)", "ys = xs[::2] + xs[1::2]", "ys = xs[-3:n]; ys.append(c)", "ys = tuple(xs); xs.pop()",
    "ys = xs + [c]; ys.append(b)", "ys = [c] + xs", "ys = xs * 2", "ys = 2 * xs", "ys = xs * 0; ys.append(c)",
    "ys = xs.index(b), xs.index(a)", "ys = xs.count(a), xs.count(c)", "ys = xs == xs[:]",
    "ys = xs == [a, b], xs != [a, b], xs[:2] == [a, b], [a, b] == xs[:2], xs[:2] != [b, b]", "xs.remove(b); ys = 0",
    "xs[1:3] = [c]; ys = 0", "xs[3:1] = [c, b]; ys = 0", "xs[:] = []; xs.append(c); ys = 0", "xs[::2] = [c, b]; ys = 0",
    "xs[-1:] = xs; ys = 0", "del xs[0]; ys = 0", "del xs[-2]; ys = 0", "del xs[1:3]; ys = 0", "del xs[::2]; ys = 0",
    "del xs[:]; xs.append(c); ys = 0", "xs.insert(1, c); ys = 0", "xs.insert(-1, c); ys = 0",
    "xs.insert(9, c); xs.insert(-9, b); ys = 0", "ys = xs.pop(1)", "xs.extend(x for x in [b, c]); ys = 1",
    "xs.extend(xs); ys = 1", "xs.reverse(); xs.append(c); ys = xs.pop(0)", "ys = xs; ys.reverse(); del ys[0]",
]  # fmt: skip
OF_GROWN_LISTS_OF_NUMBERS = [
    "ys = sorted(xs); ys.append(c)", "ys = sorted(xs, reverse=True); ys.append(c)", "xs.sort(); ys = xs[0]",
    "ys = sorted(xs, key=lambda v: -v); ys.append(c)", "ys = list(reversed(xs)); ys.append(c)", "xs.sort(reverse=True); ys = 0",
    "ys = b in xs, c in xs",
]  # fmt: skip


@pytest.mark.parametrize(
    "element, text",
    [(e, t) for e in ("i", "(i, 2 * i)") for t in OF_GROWN_LISTS] + [("i", t) for t in OF_GROWN_LISTS_OF_NUMBERS],
)
def test_grown_lists_are_lists(element, text):
    name = f"<grown list: {text}, {element}>"
    lines = [
        f"a, b, c = {'1, 6, 10' if element == 'i' else '(1, 3), (6, 2), (0, 5)'}", "xs = [a, b]", "for i in range(n):",
        f"    xs.append({element})", *text.split("; "), "return ys, xs",
    ]  # fmt: skip
    source = "def f(n):\n" + "".join(f"    {line}\n" for line in lines)
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {}
    exec(compile(source, name, "exec"), scope)
    assert listed(run(scope["f"], tf.constant(2))) == listed(scope["f"](2))


def test_a_list_that_is_copied_while_it_grows():
    def f(n, flag):
        xs = [1, 6]
        if flag:
            xs.append(-1)
        for _ in range(n):
            for x in list(xs):
                xs.append(x + 1)
        while xs[1:]:
            del xs[-1:]
        return xs

    assert run(f, tf.constant(2), tf.constant(True)) == f(2, True)


def test_what_is_not_in_a_grown_list():
    @tf.function
    def f(n):
        xs = [5]
        for i in range(n):
            xs.append(i)
        xs.remove(7)
        return xs

    assert len(f(tf.constant(8))) == 8
    with pytest.raises(errors.InvalidArgumentError, match="ValueError: x is not in list"):
        f(tf.constant(2))


def listed(value):
    """Tuples as lists, which they may become."""
    return list(map(listed, value)) if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("start", [[], [1, 2], [[1.0]]])
def test_a_list_that_a_staged_loop_replaces_by_a_tensor_is_told_of(start):
    @tf.function
    def replaced(x):
        xs = list(start)
        for i in tf.range(3):
            xs = x + i
        return xs

    with pytest.raises(tf.errors.LoopVariableError, match="'xs' is .* list.* before the loop, but an int32 tensor"):
        replaced(tf.constant(3))


def put(x, into):
    if x > 1:
        into.append(x)
    return into


def replaced_by_a_display(b, c, v):
    ys = put(b, [c, c])
    total = c
    for i in v:
        total = total * 100 + len(ys) * 10 + ys[0]
        ys = [c, i]
    return total, len(ys)


def returned_from_a_loop(b, c, v):
    ys = put(b, [c, c])
    for i in v:
        if b > 5:
            return len(ys), sum(ys)
        ys = [c, i]
    return len(ys), sum(ys)


def replaced_in_a_dictionary(b, c, v):
    xs = [c]
    d = {"a": xs, "n": c}
    if b > 1:
        xs.append(b)
    total = c
    for i in v:
        total = total * 10 + len(d["a"]) + d["a"][-1]
        d = {"a": [i, i, i], "n": i}
    return total, len(d["a"]), len(xs), d["n"]


def replaced_by_an_empty_list(b, c, v):
    ys = [c, c]
    if b > 1:
        ys.append(b)
    total = c
    while b > 0:
        total = total * 10 + len(ys)
        ys = []
        b -= 4
    return total, len(ys)


def replaced_by_a_sum_that_grows(b, c, v):
    xs = [b, c]
    ys = xs
    for i in v:
        for _ in range(c):
            xs = xs + [i]
            xs.append(b)
            ys = put(b, xs)
    return len(xs), sum(xs), len(ys), sum(ys)


LOOPS = [replaced_by_a_display, returned_from_a_loop, replaced_in_a_dictionary, replaced_by_an_empty_list]


@pytest.mark.parametrize("program", [*LOOPS, replaced_by_a_sum_that_grows])
def test_a_list_that_a_statement_has_grown_is_replaced_in_a_loop(program):
    traced = tf.function(program)
    for numbers in ((8, 1, [1, 2]), (0, 1, [1, 2]), (4, 2, [3, 0])):
        assert plain(traced(*map(tf.constant, numbers))) == program(*numbers)


def grown(x):
    out = []
    for i, v in enumerate(x):
        if v > 0.6:
            out.append((i, v))
    return out


def values(x):
    return [v for _, v in grown(x)]


class Shelf:
    pass


def on_a_shelf(x):
    shelf = Shelf()
    shelf.row = values(x)
    return [v * 2 for _ in range(2) for v in shelf.row if v > 1], max(shelf.row), sorted(shelf.row)


def told_of_all(*rows, **named):
    return [v for r in (*rows, *named.values()) for v in r]


@pytest.mark.parametrize(
    "program",
    [
        lambda x: list(filter(lambda p: p[1] > 1, enumerate(x))),
        lambda x: list(filter(lambda p: p[0] > 1, grown(x))),
        lambda x: list(reversed(grown(x))),
        lambda x: (
            (0, 1.5) in grown(x),
            (0, 9.0) in grown(x),
            1.5 in values(x),
            grown(x).index((2, 2.5)),
            grown(x).count((0, 1.5)),
        ),
        lambda x: [v for r in [grown(x), grown(x)] for _, v in r],
        lambda x: [v for r in (values(x),) for v in r if v > 1],
        lambda x: [v for _ in range(2) for v in values(x)],
        lambda x: [k for r in [values(x), values(x)] for v in r for k in (v, v)],
        lambda x: (any(v > 2 for r in [values(x)] for v in r), sum(v for r in (values(x), values(x)) for v in r)),
        lambda x: [v for r in {"a": values(x), "b": values(x)}.values() for v in r],
        lambda x: ([sum(r) for r in [values(x)]], [len(r) for r in (values(x),)], [r[0] for r in [grown(x)]]),
        lambda x: told_of_all(values(x), values(x), a=values(x)),
        on_a_shelf,
    ],
)
def test_lists_that_grew_are_looked_into_wherever_they_are(program):
    x = [1.5, 0.5, 2.5, 0.75]
    found = tf.nest.map_structure(lambda t: t.numpy().item(), tf.function(program)(tf.constant(x)))
    assert found == tf.nest.map_structure(lambda v: v, program(x))


def aliases(x):
    a = []
    b, held = a, {"k": a}
    a += values(x)
    held["k"].extend(values(x))
    return a, len(b), a is b, held["k"]


def in_branches(x):
    a = [1.0]
    for v in x:
        if v > 1:
            a.extend(values(x))
        else:
            a += [v]
    return a


def by_a_method(x):
    a = [1.0]
    add = a.extend
    add(values(x))
    for key in "ab":
        a += {"a": values(x)}.get(key, [key == "b"])
    return a


def of_several_kinds(x):
    a = [4.0, 5.0, 6.0]
    rows = [values(x)]
    for row in ([7.0], rows[0], [8.0, 9.0]):
        a[1:2] = row
        a += row
    return a


@pytest.mark.parametrize(
    "program",
    [
        aliases, in_branches, by_a_method, of_several_kinds,
        lambda x: added([1.0, 2.0], 1, None, values(x)), lambda x: added([1.0, 2.0, 3.0], 1, 2, values(x)),
        lambda x: added([1.0], 0, 0, filter(lambda v: v > 1, x)), lambda x: added(values(x), 1, None, [1.0]),
        lambda x: added([(7, 7.0)], 1, 1, grown(x)), lambda x: added([], 0, 0, (v for v in x if v > 1)),
    ],
)  # fmt: skip
def test_lists_are_made_longer_by_what_has_grown(program):
    x = [1.5, 0.5, 2.5, 0.75]
    found = tf.nest.map_structure(
        lambda t: t.numpy().item() if isinstance(t, tf.Tensor) else t, tf.function(program)(tf.constant(x))
    )
    assert found == program(x)


def longest_rise(x):
    n = len(x)
    best = [1] * n
    for i in range(n):
        for j in range(i):
            if x[j] < x[i]:
                best[i] = max(best[i], best[j] + 1)
    return max(best), best


@pytest.mark.parametrize(
    "program",
    [
        longest_rise, lambda x: ["a"] * len(x), lambda x: len(x) * [0.5, 1.5], lambda x: [x[0]] * len(x), lambda x: [] * len(x),
        lambda x: [(1, 2.5)] * len(x), lambda x: ([1] * (len(x) - 4), [1] * (len(x) - 9), len([1, 2] * len(x))),
    ],
)  # fmt: skip
@pytest.mark.parametrize("length", [None, 4])
def test_lists_are_repeated_as_often_as_a_number_says(program, length):
    x = [1.5, 0.5, 2.5, 0.75]
    found = tf.function(program, input_signature=[tf.TensorSpec([length], tf.float32)])(x)
    found = tf.nest.map_structure(lambda t: np.asarray(t).tolist(), found)
    assert found == tf.nest.map_structure(lambda v: v.encode() if isinstance(v, str) else v, program(x))


def test_tensors_multiply_lists():
    product = tf.function(lambda x: ([1, 2] * x[0], x[0] * [1, 2], tf.shape(x)[0] * [1, 2]))
    assert [p.numpy().tolist() for p in product(tf.constant([3, 4]))] == [[3, 6], [3, 6], [2, 4]]


def added(a, begin, end, more):
    b = a
    a[begin:end] = more
    return a, b


def test_what_a_list_is_not_made_longer_by():
    x = tf.constant([1.5, 0.5])
    with pytest.raises(ValueError, match="no place in a slice with a step"):
        tf.function(lambda x: added_with_a_step(values(x)))(x)
    with pytest.raises(tf.errors.LoopVariableError, match="found string of shape"):
        tf.function(lambda x: added(["a"], 1, None, values(x)))(x)


def added_with_a_step(more):
    a = [1.0]
    a[::2] = more
    return a


def test_iterators_are_those_of_python():
    x = tf.constant([1.5, 0.5])
    with pytest.raises(TypeError, match="'enumerate' object is not reversible"):
        tf.function(lambda x: reversed(enumerate(x)))(x)
    with pytest.raises(TypeError, match="'zip' object is not reversible"):
        tf.function(lambda x: reversed(zip(x, x)))(x)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match=r"write `items = iter\(...\)` first"):
        tf.function(lambda x: next(zip(x, x)))(x)


@pytest.mark.parametrize("elements", [[None], [1, "a"], [object]])
def test_what_no_list_of_unknown_length_can_hold_is_told_with_what_to_write(elements):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(x):
        return elements * len(x)

    with pytest.raises(TypeError, match=r"holds tensors of one dtype, found \[.*begin with numbers .* `\[0\] \* n`"):
        f(tf.constant([1, 2]))


_AS_PYTHON = (
    "rows.sort(key=lambda v: -v)", "rows.sort(key=lambda v: v % 2, reverse=True)", "rows.sort(reverse=True)",
    "pairs.sort()", "pairs.sort(key=lambda p: -p[0], reverse=True)", "rows = rows * -1", "rows = rows * int(k)",
    "rows = int(k) * rows", "rows = len(rows) * rows", "rows *= 2", "pairs = int(k) * pairs", "rows = rows * True",
    "rows.append(rows.index(rows[1], 1))", "rows.append(rows.index(rows[1], 0, 2))", "rows.append(rows.index(3, -9, k))",
    "rows.append(rows.pop(-2))", "rows = sum([rows, rows], [])", "rows = rows if k > 1 else [9]",
    "rows = rows or [9]", "rows = rows[9:] or [k]; rows.append(k)", "rows = rows[9:] or rows[2:]", "rows = rows and [9, k]",
    "a, b, c, d = rows; rows = [d, c, b, a]", "(a, b), (c, d) = pairs[1:3]; rows = [a, b, c, d]",
    "g = (v + 1 for v in rows if v != 2); a, b, c = g; rows = [a, b, c] + list(g)", "rows = [] or rows", "rows = [1] and rows",
    "rows = [9] if k > 1 else rows", "rows = rows if k > 1 else []", "t = rows[1:] if k > 2 else [7]; t.append(k); rows = t",
)  # fmt: skip


@pytest.mark.parametrize("body", _AS_PYTHON)
def test_methods_and_repetition_as_in_python(body, tmp_path):
    place = tmp_path / "program.py"
    lines = "".join(f"    {line.strip()}\n" for line in body.split(";"))
    grow = "    rows, pairs = [], []\n    for v in xs:\n        rows.append(v)\n        pairs.append((-v, v))\n"
    place.write_text(f"def f(xs, k):\n{grow}{lines}    return rows, pairs\n")
    space = {}
    exec(compile(place.read_text(), str(place), "exec"), space)
    f = space["f"]
    traced = tf.function(f, input_signature=[tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)])
    for k in (1, 3):
        found = tf.nest.map_structure(int, traced(tf.constant([3, 1, 3, 2]), tf.constant(k)))
        assert found == f([3, 1, 3, 2], k)


@pytest.mark.parametrize("times", [2, 2.0, [1, 0, 3]])
def test_a_tensor_multiplies_each_element_as_of_any_list(times):
    def f(xs, times):
        rows = []
        for v in xs:
            rows.append(v)
        return rows * times, times * rows

    xs, times = tf.constant([1, 2, 3], tf.float32 if type(times) is float else tf.int32), tf.constant(times)
    for found, right in zip(tf.function(f)(xs, times), f(list(xs), times)):
        np.testing.assert_array_equal(found, right)


def test_a_tensor_is_added_to_each_element_in_place_too():
    def f(xs):
        rows = []
        for v in xs:
            rows.append(v)
        rows += xs
        return rows

    for spec in ([2], [None]):
        found = tf.function(f, input_signature=[tf.TensorSpec(spec, tf.int32)])(tf.constant([5, 6]))
        assert found.numpy().tolist() == [10, 12]


@pytest.mark.parametrize("element", ["[v, v + 1]", "{'n': v}", "(v, [v])"])
@pytest.mark.parametrize(
    "write",
    [
        "row = rows[0]; row[key] = 9", "rows[-1][key] = 9", "rows[0][key] += 9", "for row in rows: row[key] = 9",
        "row, _ = rows; row[key] = 9", "row = rows[0]; row.clear()",
    ],
)  # fmt: skip
def test_elements_that_are_written_to_are_changed_or_refused(element, write, tmp_path):
    inner = write.replace("rows[-1]", "rows[-1][1]").replace("rows[0]", "rows[0][1]").replace("row[key]", "row[1][key]")
    write = (
        inner.replace("row[1][key]", "row[key]" if "row = rows" in write else "row[1][key]")
        if "(" in element
        else write
    )
    lines = "".join(f"    {line.strip()}\n" for line in write.split(";"))
    place = tmp_path / "program.py"
    place.write_text(
        f"def f(xs, key):\n    rows = []\n    for v in xs:\n        rows.append({element})\n{lines}    return rows\n"
    )
    space = {}
    exec(compile(place.read_text(), str(place), "exec"), space)
    right = space["f"]([1, 2], "n" if "n" in element else 0)
    if element.startswith("["):  # one tensor for each of them, which is written to
        assert plain(tf.function(space["f"])(tf.constant([1, 2]), 0)) == right
        return
    with pytest.raises(errors.SideEffectError, match=r"was taken out of a list that grew(.|\n)*program.py"):
        tf.function(space["f"])(tf.constant([1, 2]), "n" if "n" in element else 0)


def lists_as_elements(xs):
    rows, grown = [[v, v + 1] for v in xs], []
    for v in xs:
        grown.append([v, 2])
    again, some = [row for row in rows], [row for row in rows if row[0] > 1]
    mapped, repeated = list(map(lambda v: [v, [v, 5]], xs)), [[0, 1]] * len(xs)
    for k in range(len(xs)):
        repeated[k] = [xs[k], k]
    sums = [row[0] + [7] for row in (rows, grown, again, some, mapped, repeated)]
    return sums, rows[0] * 2, len(rows[0]), [row + [1] for row in rows], list(filter(lambda row: row[0] > 1, rows))


def test_lists_stay_lists_as_elements():
    traced = tf.function(lists_as_elements, input_signature=[tf.TensorSpec([None], tf.int32)])
    assert plain(traced(tf.constant([1, 2]))) == plain(lists_as_elements([1, 2]))


@pytest.mark.parametrize("element", ["[v, v + 1]", "[[v, 1], [2, v]]", "[[[1, v]], [[v, 2]]]"])
def test_lists_as_elements_are_a_tensor_where_one_is_wanted(element, tmp_path):
    place = tmp_path / "program.py"
    place.write_text(
        f"def f(xs):\n    rows = [{element} for v in xs]\n    return tf.stack(rows), tf.constant(1) + rows\n"
    )
    space = {"tf": tf}
    exec(compile(place.read_text(), str(place), "exec"), space)
    traced = tf.function(space["f"], input_signature=[tf.TensorSpec([None], tf.int32)])
    for found, right in zip(traced(tf.constant([1, 2])), space["f"]([1, 2])):
        np.testing.assert_array_equal(found, right)


def test_comprehensions_over_lists_of_vectors():
    @tf.function
    def f(xs):
        rows = []
        for v in xs:
            rows.append(tf.stack([v, v + 1]))
        return [row for row in rows], [row[1] for row in rows]

    assert plain(f(tf.constant([1, 2]))) == ([[1, 2], [2, 3]], [2, 3])
    assert plain(f(tf.constant([3]))) == ([[3, 4]], [4])


def test_the_least_of_lists_is_the_one_in_the_list():
    @tf.function
    def f(xs):
        rows = [[v, v + 1] for v in xs if v > 0]
        least = min(rows, key=lambda row: -row[0])
        least[0] = 9
        return rows, least

    assert plain(f(tf.constant([1, 2]))) == ([[1, 2], [9, 3]], [9, 3])


def test_copies_of_elements_are_put_back():
    def f(xs):
        rows, stack, total = [], [[0, 1]], 0
        for v in xs:
            rows.append([v, v + 1])
        row = rows[0].copy()
        row[0] = 9
        rows[0] = row
        more = rows[1][:]
        more.append(7)
        while len(stack) > 0:
            node = stack.pop()
            node[0] += 1
            total += node[0]
            if node[1] < 4:
                stack.append([node[0], node[1] + 1])
        return rows, more, total, [a + b for a, b in rows]

    traced = tf.function(f, input_signature=[tf.TensorSpec([None], tf.int32)])
    assert plain(traced(tf.constant([1, 2]))) == plain(f([1, 2]))


def given_to_extend(xs):
    rows, more = [9], []
    rows.extend(xs)
    rows.extend(v * 2 for v in xs if v > 1)
    rows.extend(map(lambda v: v + 1, xs))
    rows.extend(reversed(xs))
    rows[1:2] = xs
    for v in xs:
        more.append(v)
    more.extend(xs)
    return rows, more


def without_elements(xs):
    rows, others = [], []
    for v in xs:
        others.append(v)
        if sum(v) > 100:
            rows.append(v)
    first, twice, turned = rows[:1], rows * 2, rows[::-1]
    rows.extend(others)
    return rows, others + first, first + twice, turned


@pytest.mark.parametrize(("program", "rank"), [(given_to_extend, 1), (without_elements, 2)])
def test_lists_are_extended_by_what_only_the_graph_knows(program, rank):
    traced = tf.function(program, input_signature=[tf.TensorSpec([None] * rank, tf.int32)])
    for xs in [[3, 1, 2]] if rank == 1 else [[[1, 2], [3, 4]], [[100, 1], [2, 3]]]:
        assert plain(traced(tf.constant(xs))) == plain(program(xs))


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("del rows[7]", "element 7 in a list with 2"), ("del rows[-3]", "element -1 in a list with 2"),
        ("rows.pop(9)", "element 9 in a list with 2"), ("rows.pop(-3)", "element -1 in a list"),
        ("rows.append(min(rows[5:]))", r"ValueError: min\(\) arg is an empty sequence"),
        ("a, b, c = rows", r"ValueError: not enough values to unpack \(expected 3\)"),
        ("[a] = rows", r"ValueError: too many values to unpack \(expected 1\)"),
        ("rows.append(max(rows[5:], key=lambda v: -v))", r"ValueError: max\(\) arg is an empty sequence"),
    ],
)  # fmt: skip
def test_what_python_refuses_fails_when_the_graph_runs(body, text, tmp_path):
    place = tmp_path / "program.py"
    place.write_text(
        f"def f(xs):\n    rows = []\n    for v in xs:\n        rows.append(v)\n    {body}\n    return rows\n"
    )
    space = {}
    exec(compile(place.read_text(), str(place), "exec"), space)
    with pytest.raises((IndexError, ValueError)):
        space["f"]([1, 2])
    traced = tf.function(space["f"], input_signature=[tf.TensorSpec([None], tf.int32)])
    with pytest.raises(errors.InvalidArgumentError, match=rf"{text}(.|\n)*program.py:5"):
        traced(tf.constant([1, 2]))


@pytest.mark.parametrize("body", ["return rows[1.5]", "return rows['a']", "return rows * 1.5", "return rows['a':]"])
def test_no_integers(body, tmp_path):
    place = tmp_path / "program.py"
    place.write_text(f"def f(xs):\n    rows = []\n    for v in xs:\n        rows.append(v)\n    {body}\n")
    space = {}
    exec(compile(place.read_text(), str(place), "exec"), space)
    with pytest.raises(TypeError, match=r"integer(.|\n)*program.py:5"):
        tf.function(space["f"])(tf.constant([1, 2]))


@pytest.mark.parametrize("made", ["lo if v < 2 else hi", "pick[0] if v < 2 else pick[1]"])
def test_lists_that_an_expression_chooses_keep_their_names(made, tmp_path):
    place = tmp_path / "program.py"
    text = f"def f(xs):\n    lo, hi = [], []\n    pick = [lo, hi]\n    for v in xs:\n        t = {made}\n"
    place.write_text(text + "        t.append(v)\n    return lo, hi\n")
    space = {}
    exec(compile(place.read_text(), str(place), "exec"), space)
    with pytest.raises(errors.SideEffectError, match="one of two objects"):
        tf.function(space["f"])(tf.constant([1, 2]))


@pytest.mark.parametrize(
    ("body", "instead"),
    [
        ("a, *r = rows", r"write `a, r = rows\[0\], rows\[1:\]`"),
        ("return max(*rows)", "give the list itself"), ("return set(rows)", "loop over it in converted code"),
        ("t = rows or [5]; t.append(9); return t, rows", "one of two objects"),
        ("return rows or 5", "`or` of a list that grew in a staged loop and the Python int 5"),
    ],
)  # fmt: skip
def test_what_is_refused_is_told_what_to_write(body, instead, tmp_path):
    place = tmp_path / "program.py"
    place.write_text(f"def f(xs):\n    rows = []\n    for v in xs:\n        rows.append(v)\n    {body}\n")
    space = {}
    exec(compile(place.read_text(), str(place), "exec"), space)
    with pytest.raises(autograph.AutoGraphError, match=instead):
        tf.function(space["f"])(tf.constant([1, 2]))


class _Numbers:
    def __init__(self, v):
        self.l = [v, 1, 2]

    def put(self, i, v):
        self.l[i] = v

    def add(self, i, v):
        self.l[i] += v


def _set_in_objects(x):
    o = _Numbers(x)
    other = o.l
    o.l[x % 3] = 7
    for i in range(abs(x)):
        o.l[i % 2] += i
        o.l[-(i % 3) - 1] -= 1
    if x > 0:
        o.l[x % 2], o.l[2] = o.l[2], o.l[x % 2]
    return o.l, other[0], len(other)


def _set_in_dictionaries(x):
    d = {"l": [x, 2], "m": [[x, 1], [2, 3]]}
    d["l"][x % 2] = 7
    d["m"][1][x % 2] = 7
    for i in range(abs(x)):
        d["l"][i % 2] += i
        d["m"][i % 2][0] = i
    return d["l"], d["m"]


def _set_at_numbers_first(x):
    o = _Numbers(x)
    for i in (0, 1, 0, x % 2):
        o.put(i, x)
        o.add(i, 5)
    return o.l


@pytest.mark.parametrize("function", [_set_in_objects, _set_in_dictionaries, _set_at_numbers_first])
def test_items_at_a_tensor_of_lists_held_elsewhere(function):
    traced = tf.function(function)
    for x in (4, 3, -4):
        found = tf.nest.map_structure(int, traced(tf.constant(x)))
        assert tf.nest.flatten(found) == tf.nest.flatten(function(x))


def test_items_that_no_tensor_can_hold():
    @tf.function
    def f(x):
        o = _Numbers("a")
        o.l[x] = 7
        return o.l

    with pytest.raises(TypeError, match="its elements must be tensors of one dtype"):
        f(tf.constant(1))


def _chunks(x):
    rows, row = [], []
    for i in range(abs(x) + 3):
        row.append(i)
        if i % 3 == 1:
            rows.append(row)
            row = []
    rows.append(row)
    total = 0
    for row in rows:
        total += len(row)
        for v in row:
            total += v
    rows[0] = [7]
    return rows, total, rows[-1], len(rows[1])


def _words(x):
    words, word = [], []
    for i in range(1, abs(x) + 6):
        if i * i % 5 == 0 or i == x:
            words.append(word)
            word = []
        else:
            word.append(i)
    return words, len(word)


class _Chunks:
    def __init__(self):
        self.rows, self.row = [], []

    def put(self, i):
        self.row.append(i)
        if i % 3 == 1:
            self.rows.append(self.row)
            self.row = []


def _chunks_in_an_object(x):
    chunks = _Chunks()
    for i in range(abs(x) + 3):
        chunks.put(i)
    return chunks.rows


@pytest.mark.parametrize("function", [_chunks, _words, _chunks_in_an_object])
def test_rows_of_several_lengths(function):
    traced = tf.function(function)
    for x in (4, 5, -4):
        found = tf.nest.map_structure(lambda v: v.numpy().tolist(), traced(tf.constant(x)))
        assert found == tf.nest.map_structure(int, function(x))


def test_rows_are_frozen_where_they_become_copies():
    @tf.function
    def before_a_loop(x):
        word = [x]
        rows = [word]
        for i in range(x):
            rows.append([i])
        word[0] = 9
        return rows[0][0]

    @tf.function
    def after_a_branch(x):
        word, rows = [x], []
        if x > 0:
            rows.append(word)
        word[0] = 9
        return rows[0][0]

    @tf.function
    def in_the_other_branch(x):
        word, rows = [x], []
        if x > 0:
            rows.append(word)
        else:
            word[0] = 9
        return len(rows), word[0]

    for function in (before_a_loop, after_a_branch):
        with pytest.raises(errors.SideEffectError, match="is written to after it was put"):
            function(tf.constant(4))
    assert [int(v) for v in in_the_other_branch(tf.constant(4))] == [1, 4]
    assert [int(v) for v in in_the_other_branch(tf.constant(-4))] == [0, 9]


def test_a_list_that_the_first_iteration_makes_and_the_others_let_grow():
    @tf.function
    def f(x):
        rows = collections.defaultdict(list)
        for i in range(x):
            rows["k"].append(i)
        return len(rows["k"])

    with pytest.raises(errors.LoopVariableError, match="has no value before the loop, and is a list that grows in it"):
        f(tf.constant(3))


@tf.autograph.experimental.do_not_convert
def _pair(v):
    return [v, v]


def test_rows_that_code_without_conversion_makes():
    @tf.function
    def f(x):
        rows = []
        for i in range(x):
            rows.append(_pair(i))
        return len(rows), rows[1][0]

    assert [int(v) for v in f(tf.constant(3))] == [3, 1]


def test_what_grew_is_a_list_to_whoever_asks():
    def kinds(x):
        rows = values(x)
        more = rows + [1.0]
        kind = type(more)
        named = [type(v).__name__ for v in (rows, more, rows[1:], more * 2)]
        return [kind is list, type(more) in (list, tuple), more.__class__ is list, named == ["list"] * 4]

    assert [bool(v) for v in tf.function(kinds)(tf.constant([1.5, 2.5]))] == [True] * 4


def test_the_type_of_what_may_be_none_is_that_of_the_value():
    @tf.function
    def f(x):
        found = x if x > 0 else None
        return type(found) is type(None)

    assert not f(tf.constant(1))
    with pytest.raises(tf.errors.InvalidArgumentError, match="is None here"):
        f(tf.constant(-1))


def as_is(xs):
    return [row for row in xs]


def of_several_lengths(xs):
    rows = []
    for i in tf.range(tf.shape(xs)[0]):
        rows.append(xs[0, : i % 3])
    return rows


@pytest.mark.parametrize(
    "joined",
    [
        lambda xs: tf.concat(as_is(xs), 0),
        lambda xs: tf.concat(as_is(xs), -1),
        lambda xs: tf.concat(as_is(xs), tf.constant(0)),
        lambda xs: tf.concat([row[:, None] for row in as_is(xs)], axis=1),
        lambda xs: tf.concat([[row[0], 1.0] for row in as_is(xs)], 0),
        lambda xs: tf.concat(as_is(xs) + as_is(xs), 0),
        lambda xs: tf.concat(of_several_lengths(xs), 0),
        lambda xs: tf.ragged.stack(of_several_lengths(xs)).to_tensor(),
        lambda xs: tf.add_n(as_is(xs)[:2]),
        lambda xs: tf.math.accumulate_n(as_is(xs)),
        lambda xs: tf.strings.join([tf.strings.as_string(row) for row in as_is(xs)], " "),
    ],
)
@pytest.mark.parametrize("dims", [(3, 2), (None, 2)])
def test_what_takes_a_list_of_tensors_joins_them(joined, dims):
    xs = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    traced = tf.function(joined, input_signature=[tf.TensorSpec(dims, tf.float32)])
    np.testing.assert_array_equal(traced(xs).numpy(), joined(xs).numpy())


@pytest.mark.parametrize("axis", [1, -2])
def test_they_are_joined_along_an_axis_that_they_have(axis):
    with pytest.raises(ValueError, match=rf"along an axis that they have: this one is {axis}(.|\n)*test_lists.py"):
        tf.function(lambda xs: tf.concat([row * 2 for row in xs if row[0] > 0], axis))(tf.ones([3, 2]))
