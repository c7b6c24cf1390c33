"""Tests of lists that change while something goes through them: as in Python, or refused, never as they were before."""

import collections

import pytest

import graphrt as tf
from graphrt import errors
from tests.graphrt.programs import list_programs
from tests.graphrt.programs.comparing import plain

LENGTHS = ([3, 1, 2], [5], [], [1, 2, 3, 4, 5, 6])


def grown(xs):
    rows = []
    for v in xs:
        rows.append(v)
    return rows


def appended(xs):
    rows = grown(xs)
    for v in rows:
        if len(rows) < 9:
            rows.append(v + 1)
    return rows


def left_by_break(xs):
    rows, n = grown(xs), 0
    for v in rows:
        n += 1
        if n > 7:
            break
        rows.append(v + 1)
    return rows, n


def with_an_end(xs):
    rows, ended = grown(xs), 0
    for v in rows:
        if len(rows) > 8:
            break
        rows.append(v)
    else:
        ended = 1
    return rows, ended


def numbered(xs):
    rows = grown(xs)
    for i, v in enumerate(rows, 1):
        if i < 6:
            rows.append(v + i)
    return rows


def beside_a_display(xs):
    rows, total = grown(xs), 0
    for a, b in zip(rows, [1, 2, 3, 4, 5, 6, 7, 8]):
        rows.append(a + b)
        total += a * b
    return rows, total


def beside_another(xs):
    rows, others, total = grown(xs), grown(xs), 0
    for a, b in zip(rows, others):
        rows.append(a)
        total += a * b
        if len(others) < 8:
            others.append(a + b)
    return rows, others, total


def backwards(xs):
    rows, total = grown(xs), 0
    for v in reversed(rows):
        total = total * 3 + v
        rows[0] = rows[0] + 1
        rows.append(v)
    return rows, total


def backwards_while_it_shrinks(xs):
    rows, total = grown(xs), 0
    for v in reversed(rows):
        total += v
        if len(rows) > 2:
            rows.pop()
            rows.pop()
    return rows, total


def forwards_and_backwards(xs):
    rows, total = grown(xs), 0
    for a, b in zip(rows, reversed(rows)):
        total += a * b
        if len(rows) < 5:
            rows.append(a)
    return rows, total


def removed(xs):
    rows = grown(xs)
    for v in rows:
        if v % 2 == 1:
            rows.remove(v)
    return rows


def taken(xs):
    rows, total = grown(xs), 0
    for v in rows:
        total += v
        if len(rows) > 1:
            rows.pop()
    return rows, total


def set_ahead(xs):
    rows, total = grown(xs), 0
    for i, v in enumerate(rows):
        total = total * 3 + v
        if i + 1 < len(rows):
            rows[i + 1] = rows[i + 1] + v
    return rows, total


def inserted(xs):
    rows, n = grown(xs), 0
    for v in rows:
        n += 1
        if n < 5:
            rows.insert(0, v + 1)
    return rows


def cleared(xs):
    rows, total = grown(xs), 0
    for v in rows:
        total += v
        rows.clear()
    return rows, total


def another_list_of_that_name(xs):
    rows, total = grown(xs), 0
    for v in rows:
        total += v
        rows = rows + [v]
    return rows, total


def made_longer_by_a_list(xs):
    rows, total = grown(xs), 0
    for v in rows:
        total += v
        if len(rows) < 8:
            rows += [v]
    return rows, total


def copies(xs):
    rows = grown(xs)
    for v in rows[:]:
        rows.append(v)
    for v in list(rows):
        rows.append(v + 1)
    return rows


def under_another_name(xs):
    rows = grown(xs)
    others = rows
    for v in others:
        if len(rows) < 7:
            rows.append(v + 1)
    return rows, others


def of_another_list(xs):
    rows = grown(xs)[:]
    others = rows
    for v in rows:
        if len(rows) < 7:
            rows.append(v + 1)
    for v in others:
        if len(others) < 9:
            others += [v]
    return rows, others


class Shelf:
    pass


def in_an_object(xs):
    shelf = Shelf()
    shelf.rows = []
    for v in xs:
        shelf.rows.append(v)
    for v in shelf.rows:
        if len(shelf.rows) < 7:
            shelf.rows.append(v + 1)
    return shelf.rows


def in_a_dictionary(xs):
    found = {"rows": grown(xs)}
    for v in found["rows"]:
        if len(found["rows"]) < 7:
            found["rows"].append(v + 1)
    return found["rows"]


def add(rows, v):
    if len(rows) < 7:
        rows.append(v)


def by_a_function(xs):
    rows = grown(xs)
    for v in rows:
        add(rows, v + 1)
    return rows


def of_pairs(xs):
    rows = []
    for v in xs:
        rows.append((v, v + 1))
    for i, (a, b) in enumerate(rows):
        if len(rows) < 7:
            rows.append((b, a + i))
    for a, b in rows:
        if len(rows) < 9:
            rows.append((b, a))
    return rows


def of_strings(xs):
    rows = []
    for _ in xs:
        rows.append("a")
    for v in rows:
        if len(rows) < 5:
            rows.append(v + "b")
    return rows


def mapped(xs):
    rows, total = grown(xs), 0
    for v in map(lambda v: v * 2, rows):
        total += v
        if len(rows) < 7:
            rows.append(v)
    return rows, total


def in_two_loops(xs):
    rows, total = grown(xs), 0
    for a in rows:
        for b in rows:
            total += b
            if len(rows) < 6:
                rows.append(a + b)
    return rows, total


def in_a_loop_around(xs):
    rows, pairs = [1, 2], [1, 2]
    for v in xs:
        for w in rows:
            if len(rows) < 6:
                rows.append(v + w)
        for i, _ in enumerate(pairs):
            if len(pairs) < 6:
                pairs.append(v + i)
    return rows, pairs


def iterators_made_before(xs):
    rows, total = grown(xs), 0
    numbered, pairs, turned, doubled = enumerate(rows), zip(rows, rows), reversed(rows), map(lambda v: v * 2, rows)
    rows.append(7)
    for i, v in numbered:
        total = total * 2 + v + i
    return total, list(pairs), list(turned), list(doubled)


def in_comprehensions(xs):
    rows = grown(xs)
    taken = [rows.pop() for _ in rows]
    return taken, rows


def chosen(xs):
    rows, others = grown(xs), [1, 2]
    for v in xs:
        others.append(v)
    either = rows if len(rows) > 2 else others
    for v in either:
        if len(either) < 6:
            either.append(v)
    return either


def repeated_in_place(xs):
    rows = [1, 2]
    others = rows
    rows *= len(grown(xs))
    return rows, others


def left_deque(xs):
    rows = collections.deque()
    for v in xs:
        rows.append(v)
    for v in rows:
        if v == 2:
            rows.remove(v)
            break
    for i, v in enumerate(rows):
        rows[0] = rows[0] + v * i
    return list(rows)


PROGRAMS = [
    appended, left_by_break, with_an_end, numbered, beside_a_display, beside_another, backwards,
    backwards_while_it_shrinks, forwards_and_backwards, removed, taken, set_ahead, inserted, cleared,
    another_list_of_that_name, made_longer_by_a_list, copies, under_another_name, of_another_list, in_an_object,
    in_a_dictionary, by_a_function, of_pairs, of_strings, mapped, in_two_loops, in_a_loop_around,
    iterators_made_before, in_comprehensions, chosen, repeated_in_place, left_deque,
]  # fmt: skip


def as_text(value):
    if isinstance(value, list):
        return [as_text(v) for v in value]
    return value.decode() if isinstance(value, bytes) else value


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_python(program):
    traced = tf.function(program, input_signature=[tf.TensorSpec([None], tf.int32)])
    for xs in LENGTHS:
        assert as_text(plain(traced(tf.constant(xs, tf.int32)))) == plain(program(xs))


def filtered(xs):
    rows = grown(xs)
    for v in filter(lambda v: v > 1, rows):
        rows.append(v)
    return rows


def generated(xs):
    rows = grown(xs)
    for v in (2 * v for v in rows):
        rows.append(v)
    return rows


def iterated(xs):
    rows = grown(xs)
    for v in iter(rows):
        rows.append(v)
    return rows


def taken_after_a_change(xs):
    rows = grown(xs)
    items = iter(rows)
    rows.append(7)
    return next(items)


def iterated_beside(xs):
    rows = grown(xs)
    for i, v in enumerate(iter(rows)):
        rows.append(v + i)
    return rows


@pytest.mark.parametrize("program", [filtered, generated, iterated, taken_after_a_change, iterated_beside])
def test_what_was_computed_ahead_of_a_change_is_refused(program):
    text = r"a list changes while this `.*`, made at .*test_lists_that_change.py:\d+, goes through it(.|\n)*loop over"
    with pytest.raises(errors.OperatorNotAllowedInGraphError, match=text):
        tf.function(program, input_signature=[tf.TensorSpec([None], tf.int32)])(tf.constant([1, 2]))


def changed_and_replaced(xs):
    rows, total = grown(xs), 0
    for v in rows:
        total += v
        if len(rows) < 7:
            rows.append(v)
        rows = rows + [v]
    return rows, total


def test_a_list_that_is_changed_and_replaced_is_refused():
    with pytest.raises(errors.SideEffectError, match="'rows' is one of two objects"):
        tf.function(changed_and_replaced, input_signature=[tf.TensorSpec([None], tf.int32)])(tf.constant([1, 2]))


def test_a_deque_must_not_change_its_length():
    @tf.function
    def f(xs):
        rows = collections.deque()
        for v in xs:
            rows.append(v)
        for v in rows:
            if v == 5:
                rows.append(v)
        return list(rows)

    assert plain(f(tf.constant([1, 2]))) == [1, 2]
    with pytest.raises(errors.InvalidArgumentError, match="deque mutated during iteration"):
        f(tf.constant([1, 5]))


def rows_of_rows(xs):
    rows, total = [], 0
    for v in xs:
        row = []
        for w in xs:
            if w > 1:
                row.append(v + w)
        rows.append(row)
        total += len(row)
    for v in xs:
        row = []
        for w in range(v):
            row.append(w)
        rows.append(row)
    return rows, total, [len(row) for row in rows]


def rows_with_others(xs):
    rows, found = [[1, 2]], []
    for v in xs:
        row = []
        for w in range(v):
            row.append(w)
        rows.append(row)
        entry = {"a": v}
        entry["a"] += 1
        found.append(entry)
    return rows, found


@pytest.mark.parametrize("program", [rows_of_rows, rows_with_others])
def test_lists_in_lists(program):
    traced = tf.function(program, input_signature=[tf.TensorSpec([None], tf.int32)])
    for xs in LENGTHS:
        assert plain(traced(tf.constant(xs, tf.int32))) == plain(program(xs))


def grown_afterwards(xs):
    rows = []
    for v in xs:
        row = []
        rows.append(row)
        for w in range(v):
            row.append(w)
    return rows


def set_afterwards(xs):
    rows = []
    for v in xs:
        row = [v, v]
        rows.append(row)
        row[0] = 7
    return rows


def of_all_iterations(xs):
    rows, row = [], [0, 0]
    for v in xs:
        row[0] = v
        rows.append(row)
    return rows


def key_set_afterwards(xs):
    rows = []
    for v in xs:
        entry = {"a": v}
        rows.append(entry)
        entry["a"] = 3
    return rows


@pytest.mark.parametrize("program", [grown_afterwards, set_afterwards, of_all_iterations, key_set_afterwards])
def test_what_is_in_a_list_as_a_copy_is_not_written_to(program):
    text = r"is written to after it was put at .*test_lists_that_change.py:\d+ into a list that grows"
    with pytest.raises(errors.SideEffectError, match=text):
        tf.function(program, input_signature=[tf.TensorSpec([None], tf.int32)])(tf.constant([1, 2]))


def grown_beside_a_tensor(v):
    rows = [1, 2]
    for e, _ in zip(v, rows):
        rows.append(e)
    return sum(rows)


def set_beside_a_tensor(v):
    rows = [v[0], v[1]]
    total = 0
    for e, i in zip(v, rows):
        if e > 1:
            rows[1] = e + 10
        total += i
    return total


def grown_ahead_of_the_loop(v):
    rows = [1, 2, 3]
    pairs = zip(v, rows)
    rows.append(9)
    return sum([a * b for a, b in pairs])


@pytest.mark.parametrize("function", [grown_beside_a_tensor, set_beside_a_tensor, grown_ahead_of_the_loop])
def test_lists_of_python_that_change_beside_a_tensor_are_refused(function):
    with pytest.raises(
        tf.errors.OperatorNotAllowedInGraphError, match=r"a list changes while this `zip\(...\)`, made at"
    ):
        tf.function(function)(tf.constant([1, 2, 3]))


def appended_or_new(rows, x):
    if x > 0:
        rows.append(1)
    else:
        rows = []
    return rows


def new_or_set(rows, x):
    if x > 0:
        rows = [7]
    else:
        rows[0] = 5
    return rows


def another_or_inserted(rows, x):
    others = [7]
    if x > 0:
        rows = others
    else:
        rows.insert(0, 5)
    return rows


def extended_or_sliced(rows, x):
    if x > 0:
        rows += [1]
    else:
        rows = rows[:1]
    return rows


def changed_and_replaced_or_changed(rows, x):
    if x > 0:
        rows.append(1)
        rows = rows[1:]
    else:
        rows.append(2)
    return rows


def in_a_dictionary(rows, x):
    held = {"rows": rows}
    if x > 0:
        held["rows"] = [1]
    else:
        held["rows"].insert(0, 1)
    return held["rows"]


_CHANGED_OR_REPLACED = [
    appended_or_new, new_or_set, another_or_inserted, extended_or_sliced, changed_and_replaced_or_changed, in_a_dictionary,
]  # fmt: skip


@pytest.mark.parametrize("x", [3, -3])
@pytest.mark.parametrize("function", _CHANGED_OR_REPLACED)
def test_lists_that_one_branch_changes_and_the_other_replaces(function, x):
    def program(v, x):
        rows = []
        for e in v:
            rows.append(e)
        found = function(rows, x)
        return len(found), sum(found)

    found = tf.function(program)(tf.constant([1, 2, 3]), tf.constant(x))
    assert [int(n) for n in found] == [*program([1, 2, 3], x)]


def empty_and_new(n):
    rows = [1, 2]
    rows.clear()
    for _ in range(n):
        rows = list(reversed(rows))
    return len(rows)


def empty_dictionary_and_new(n):
    held = {}
    for _ in range(n):
        held = dict(held)
    return len(held)


def of_functions(n):
    rows = [len]
    for _ in range(n):
        rows = [len]
    return len(rows)


def test_loops_that_set_an_empty_list_anew_come_to_an_end():
    assert int(tf.function(empty_and_new)(tf.constant(2))) == 0
    assert int(tf.function(empty_dictionary_and_new)(tf.constant(2))) == 0
    with pytest.raises(errors.LoopVariableError, match="'rows' is a list of 1 elements before the loop"):
        tf.function(of_functions)(tf.constant(2))


@pytest.mark.parametrize("seed", range(3000, 3012))
def test_random_programs_on_lists(seed):
    assert list_programs.wrong(seed) is None


def replaced_or_appended_to_before_a_return(xs):
    rows, n = [1, 2], 0
    for v in xs:
        if len(rows) < 6:
            if n > v:
                return n, sum(rows)
            rows = rows + [1]
        else:
            rows.append(v)
        n += 1
    return n, sum(rows)


@pytest.mark.parametrize("values", [*LENGTHS, [9] * 8])
def test_what_a_loop_learns_of_itself_leaves_its_lists_alone(values):
    run = tf.function(replaced_or_appended_to_before_a_return, input_signature=[tf.TensorSpec([None], tf.int32)])
    assert plain(run(tf.constant(values, tf.int32))) == plain(replaced_or_appended_to_before_a_return(values))


@pytest.mark.parametrize("first", [0, None])
def test_a_loop_that_is_traced_again_begins_with_its_own_lists(first):
    @tf.function
    def f(xs):
        found = {"k": first}
        rows = []
        for _ in xs:
            if rows:
                found["k"] = 1
            for _ in xs:
                rows = [1]
        return found["k"], rows

    for xs in ([1, 2, 3], [1], []):
        k, rows = f(tf.constant(xs, tf.int32))
        assert (k if k is None else int(k), [int(v) for v in rows]) == (1 if len(xs) > 1 else first, [1] if xs else [])
