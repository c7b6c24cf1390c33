"""Lists that a statement joins of two, and what the trace takes for its own, by programs beside Python.

Covers: graphrt/staging/aliases.py.
"""

import collections
import copy
import re

import pytest

import graphrt as tf


class Holder:
    def __init__(self):
        self.items = [1]
        self.rows = dict(a=list((1,)), b=list((2,)))


def two_names(x):
    if x > 0:
        a = b = [x]
    else:
        a = [x + 1]
        b = a
    a.append(x)
    return len(b)


def in_tuple(x):
    a = [x, x]
    p = (a, 1)
    if x > 0:
        p = (a, 2)
    a.append(x)
    return len(p[0])


def no_other_name(x):
    a = [x]
    if x > 0:
        a = [x + 1]
    a.append(x)
    d = {"k": a}
    d["k"].append(3)
    return a


def loop_leaves_two_names(x):
    a = b = [x]
    while x > 0:
        x = x - 1
        a = b = [x]
    a.append(x)
    return len(b)


def alias_ends(x):
    a = b = [x]
    if x > 0:
        a = [x + 1]
    b = None
    a.append(x)
    return a


def made_by_a_call(x):
    rows = {"k": list((1, 2))}
    if x > 0:
        rows["k"].append(7)
    return len(rows["k"])


def copied(x):
    rows = copy.deepcopy([[1], [2]])
    if x > 0:
        for row in rows:
            row.append(7)
    return len(rows[1])


def made_by_default(x):
    rows = collections.defaultdict(list)
    rows["k"].append(1)
    while x > 0:
        rows["k"].append(2)
        x -= 1
    return len(rows["k"])


def in_attribute(x):
    holder = Holder()
    if x > 0:
        holder.rows["a"].append(3)
    return len(holder.rows["a"])


def changed_and_bound_anew_in_a_loop(x):
    d, e = {"j": x}, {"j": x + 7}
    xs = [x]
    for i in range(abs(x)):
        d["j"] = i
        d = {**e}
        xs.append(i)
        if i > 1:
            xs = [x]
    return d["j"], len(xs), sum(xs)


def lists_in_lists_in_a_loop(x):
    rows = [[x], [x + 1]]
    d = {"k": [x]}
    for i in range(abs(x)):
        rows[0][0] = rows[0][0] + i
        rows = [rows[1], rows[0]]
        d["k"][0] += i
        d = {"k": [d["k"][0] * 2]}
    return rows[0][0], rows[1][0], d["k"][0]


def joined_and_changed_within_a_branch(x):
    ys, zs, d = [x, 3], [x, 3], {"k": [x, 3]}
    if x > 0:
        if x > 2:
            ys, zs, d = [1], [1, 2], {"k": [1, 2]}
        for i in range(x - 2):
            zs = [i, x]
        ys[0] = ys[0] + 5
        ys.append(x)
        zs[0] = zs[0] + 5
        d["k"][0] = d["k"][0] + 5
    return sum(ys), sum(zs), sum(d["k"])


def nobody_looks_at_the_other(x):
    a = b = [x]
    if x > 0:
        a = [x + 1]
    first = b[0]
    if x > 2:
        a.append(first)
    elif b:
        x += len(b)
    return x, len(a)


def made_by_one_statement(x):
    d, c = collections.defaultdict(float), dict(k=x)
    q = r = collections.deque()
    for i in range(abs(x)):
        d["z"] += 1.5
        c["k"] = i
        q.append(i)
        if i > 1:
            c["k"] = 7
    return d["z"], c["k"], len(r)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "function",
    [nobody_looks_at_the_other, made_by_one_statement, two_names, in_tuple, no_other_name, loop_leaves_two_names, alias_ends, made_by_a_call, copied, made_by_default, in_attribute,
     changed_and_bound_anew_in_a_loop, lists_in_lists_in_a_loop,
     joined_and_changed_within_a_branch],
)  # fmt: skip
def test_graph_is_python(function):
    traced = tf.function(function)
    for x in (4, -4):
        found = traced(tf.constant(x))
        assert [int(v) for v in tf.nest.flatten(found)] == [int(v) for v in tf.nest.flatten(function(x))]


def changed(x):
    a = b = [x, x]
    if x > 0:
        a = [x]
    a.append(x)
    return len(b)


def key_of_other(x):
    a = b = {"k": x}
    if x > 0:
        a = {"k": x + 1}
    b["k"] = x + 5
    return a["k"]


def after_a_loop(x):
    a = b = collections.deque([x])
    while x > 0:
        x = x - 1
        a = collections.deque([x])
    a.append(x)
    return len(b)


def in_an_object(x):
    holder = Holder()
    a = holder.items
    if x > 0:
        a = [x]
    a[0] = 2
    return holder.items[0]


def first_iteration(x):
    a = b = [x]
    while x > 0:
        x = x - 1
        a[0] = x
        a = [x]
    return b[0]


def through_two_statements(x):
    d, a = {"k": x}, {"k": x + 1}
    if x < 0:
        x = x + 1
    elif x > 1:
        a = d
    a["k"] += 1
    return d["k"]


GLOBAL = [0]


def of_the_module(x):
    a = GLOBAL
    if x > 0:
        a = [x]
    a.append(2)
    return x


def deep(x):
    b = [x]
    places = {"p": {"q": [(b,)]}}
    a = b
    if x > 0:
        a = [x + 1]
    a.append(3)
    return len(places["p"]["q"][0][0])


def left_in_both_by_an_iteration(x):
    b, a = [x], [x + 1]
    for _ in range(abs(x)):
        a[0] += 1
        b[0] += 10
        a = b
    return b[0], a[0]


def read_ahead_of_the_write_of_the_last_iteration(x):
    b = a = [x]
    if x > 0:
        a = [x + 1]
    found = 0
    for _ in range(abs(x)):
        found += b[0]
        a[0] += 1
    return found


def sibling(x):
    a = b = c = [x]
    if x > 0:
        a = [x + 1]
    if x > 1:
        b = [x + 2]
    a[0] = 3
    return b[0]


@pytest.mark.parametrize(
    "function",
    [changed, key_of_other, after_a_loop, in_an_object, first_iteration, through_two_statements, of_the_module, deep,
     left_in_both_by_an_iteration, read_ahead_of_the_write_of_the_last_iteration, sibling],
)  # fmt: skip
def test_one_of_two_is_not_changed_while_both_have_names(function):
    with pytest.raises(tf.errors.SideEffectError) as caught:
        tf.function(function)(tf.constant(2))
    assert re.search("'[ab]' is one of two objects", str(caught.value))
    assert re.search("It is written at .*test_aliases.py:\\d", str(caught.value))


OLDER = Holder()


def older(x):
    rows = {"k": OLDER.items}
    if x > 0:
        rows["k"].append(3)
    return len(rows["k"])


def test_what_others_have_is_not_the_traces_own():
    with pytest.warns(tf.errors.SideEffectWarning, match="older than the trace"):
        assert int(tf.function(older)(tf.constant(-2))) == 2
    assert OLDER.items == [1, 3]


def made_by_the_first_iteration(x):
    d = {}
    for i in range(x):
        d.setdefault("z", i + 3)
        d["z"] += 1
    return d["z"]


def test_a_key_that_the_first_iteration_makes_is_refused_where_it_is_asked_for():
    with pytest.raises(tf.errors.LoopVariableError, match="the first iteration is not as the others. Set it ahead"):
        tf.function(made_by_the_first_iteration)(tf.constant(3))


def counted(x):
    d = collections.defaultdict(float)
    c = {}
    for i in range(x):
        d["z"] += 1.5
        c["k"] = i
        d["y"] = c["k"] + 1.0
    return d["z"], d["y"]


def test_keys_with_a_default_are_counted():
    assert [float(v) for v in tf.function(counted)(tf.constant(3))] == [4.5, 3.0]


def attribute_of_a_loop(x, xs):
    h = Holder()
    h.items = [x]
    if x > 2:
        for w in xs:
            h.items = [x + w]
        h.items[0] = h.items[0] + 1
    return h.items[0]


@pytest.mark.parametrize("x", [1, 5])
def test_what_a_loop_puts_into_an_attribute_may_be_changed_in_the_same_branch(x):
    assert int(tf.function(attribute_of_a_loop)(tf.constant(x), tf.constant([1, 2]))) == attribute_of_a_loop(x, [1, 2])


def bound_by_star(x):
    *found, last = collections.Counter(), {}
    first = found[0]
    if x > 1:
        first["k"] = last["k"] = x
    else:
        first["k"] = last["k"] = 2
    return first["k"] + last["k"]


def bound_in_expressions(x):
    if (a := collections.Counter()) is not None:
        len(b := collections.OrderedDict())
    c: dict = dict.fromkeys([])
    (d,) = (each for each in [dict()])
    for each in a, b, c, d:
        if x > 1:
            each["k"] = x
        else:
            each["k"] = 2
    return a["k"] + b["k"] + c["k"] + d["k"]


@pytest.mark.parametrize("function", [bound_by_star, bound_in_expressions])
def test_what_is_bound_by_star_walrus_and_annotated_assignment_is_the_traces_own(function, recwarn):
    for x in 1, 5:
        assert int(tf.function(function)(tf.constant(x))) == function(x)
    assert not recwarn.list
