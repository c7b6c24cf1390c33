"""Deques that change in staged branches and loops."""

import types
from collections import deque

import pytest

import graphrt as tf


def grows(x):
    d = deque([x])
    if x > 0:
        d.append(x * 2)
    return sum(d)


def window(x):
    d = deque([x, x], maxlen=2)
    if x > 0:
        d.append(x * 2)
    else:
        d.append(x * 3)
    return d[0] * 10 + d[-1]


def window_in_a_loop(x):
    d = deque([1, 2])
    while x > 0:
        d.append(x)
        d.popleft()
        x = x - 1
    return d[0] + d[1]


def bounded(x):
    d = deque([1, 2, 3], maxlen=3)
    for i in range(x):
        d.append(i)
    return list(d)


def filled_up(x):
    d = deque(maxlen=4)
    for i in range(x + 4):
        d.append(i * i)
    return len(d), sum(d)


def queue(x):
    q = deque([x + 3])
    n = 0
    while len(q) > 0:
        v = q.popleft()
        n += v
        if v > 1:
            q.append(v - 1)
            q.append(v - 2)
    return n


def from_both_ends(x):
    q = deque([x + 3])
    n = 0
    while q:
        v = q.pop()
        n += v
        if v > 1:
            q.appendleft(v - 2)
    return n


def to_the_left(x):
    q = deque([1, 2, 3], maxlen=3)
    if x > 0:
        q.appendleft(x)
        q.extend([x, x])
    else:
        q.extendleft([5, x])
    return q[0], q[1], q[2], q.maxlen


def under_two_names(x):
    q = deque([1, 2, 3])
    alias = q
    for i in range(x):
        q.extendleft([i, x])
    t = 0
    for v in alias:
        t = t * 3 + v
    return t, len(alias), 2 in q


def in_place(x):
    d = deque([0, 0])
    for i in range(x):
        d += [i]
    d.reverse()
    return d[0], len(d)


def cleared(x):
    d = deque([1, 2])
    if x > 0:
        d.clear()
    return len(d)


def item(x):
    d = deque([1, 2])
    if x > 0:
        d[0] = x
    return list(d)


def returned(x):
    def f(x):
        d = deque([x])
        while x > 0:
            d.append(x)
            x = x - 1
        return d

    return list(f(x))


def in_the_middle(x):
    d = deque([1, 2, 3])
    if x > 0:
        d.remove(2)
    d.insert(1, 7)
    return d[1], d[2], d.count(3), d.index(3)


class Buffer:
    def __init__(self):
        self.q = deque(maxlen=2)

    def push(self, v):
        if v > 0:
            self.q.append(v)


def of_an_object(x):
    b = Buffer()
    for v in [1, x, 3, x, -1]:
        b.push(v)
    return len(b.q), sum(b.q), b.q[-1]


def turned(x):
    d = deque([1, 2, 3])
    if x > 0:
        d.append(4)
    d.rotate()
    a = d[0]
    d.rotate(-2)
    return a, d[0], d[-1]


def only_taken(x):
    q = deque([1, 2])
    if x > 0:
        q.popleft()
    return q[0]


def replaced(x):
    d = deque([1, 2])
    if x > 0:
        d = deque([x, 5])
    d.appendleft(7)
    return d[0], d[1], d[2], len(d)


def two_of_an_object(x):
    p = types.SimpleNamespace(d=None)
    if x > 0:
        p = types.SimpleNamespace(d=deque([(x, 1)], 3))
    else:
        p = types.SimpleNamespace(d=deque([(1, x)], 3))
    p.d.append((4, 5))
    p.d.append((9, 6))
    p.d.append((2, x))
    return [a - b for a, b in p.d], len(p.d)


def two_of_other_lengths(x):
    d = deque([x, 1, 3], 3) if x > 0 else deque([2], 3)
    d.append(5)
    return sum(d), len(d), d[-1]


def two_from_a_function(x):
    def made(y):
        if y > 0:
            return deque([y])
        return deque([1])

    d = made(x)
    d.extend([1, 2])
    d.rotate(1)
    return list(d)


def again_and_again(x):
    d = deque([0, 0])
    while x > 0:
        d = deque([x, *d])
        d.pop()
        x = x - 1
    return list(d)


def joined_and_repeated(x):
    d = deque([1, 2, 3], maxlen=3)
    for i in range(x):
        d.append(i)
    twice, more = d * 2, d + d
    return list(twice), list(more), twice.maxlen


def one_is_removed(x):
    d = deque([1, 2, x])
    if x > 0:
        d = deque([2, x, 1])
    d.remove(2)
    return list(d)


PROGRAMS = [
    joined_and_repeated,
    one_is_removed,
    replaced,
    two_of_an_object,
    two_of_other_lengths,
    two_from_a_function,
    again_and_again,
    grows,
    window,
    window_in_a_loop,
    bounded,
    filled_up,
    queue,
    from_both_ends,
    to_the_left,
    under_two_names,
    in_place,
    cleared,
    item,
    returned,
    in_the_middle,
    of_an_object,
    turned,
]


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value.numpy().tolist() if hasattr(value, "numpy") else value


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_graph_is_python(program):
    traced = tf.function(program)
    for x in (3, -2):
        assert plain(traced(tf.constant(x))) == plain(program(x))


def test_what_is_returned_is_a_deque_again():
    @tf.function
    def f(x):
        d = deque([1], maxlen=3)
        for i in range(x):
            d.append(i)
        return d

    found = f(tf.constant(5))
    assert (type(found), found.maxlen, plain(list(found))) == (deque, 3, [2, 3, 4])


def test_deques_older_than_the_trace_stay_the_very_deques():
    outer = deque([1, 2], maxlen=4)

    @tf.function
    def f(x):
        for i in range(x):
            outer.append(i)
        return len(outer), sum(outer)

    assert plain(f(tf.constant(3))) == [4, 5]
    assert (type(outer), outer.maxlen) == (deque, 4)
    with pytest.raises(tf.errors.InaccessibleTensorError):
        tf.identity(outer[0])


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (lambda d, x: d.pop(1), TypeError, "takes no arguments"),
        (lambda d, x: d.insert(0, x), tf.errors.InvalidArgumentError, "maximum size"),
    ],
)
def test_errors_are_pythons(change, error, said):
    @tf.function
    def f(x):
        d = deque([1], maxlen=2)
        if x > 0:
            d.append(2)
        change(d, x)
        return len(d)

    with pytest.raises(error, match=said):
        f(tf.constant(3))


def test_bounds_that_differ_are_refused():
    @tf.function
    def f(x):
        if x > 0:
            d = deque([x], 2)
        else:
            d = deque([2], 3)
        return sum(d)

    with pytest.raises(
        tf.errors.BranchMismatchError, match="at most 2 in .*, at most 3 in .* Make both with one `maxlen`"
    ):
        f(tf.constant(3))


def pairs(x):
    d = deque(maxlen=3)
    for i in range(x):
        d.extendleft([(i, 1), (i, 2)])
        d.extend([(i, 3)])
    return list(d), d, [a + b for a, b in d]


def pairs_at_both_ends(x):
    d = deque([(x, 1)])
    d += [(x, 2)]
    for i in range(x):
        d.insert(1, (i, i))
        d.reverse()
        d.appendleft((i, 2 * i))
    d.rotate(1)
    d[0] = (7, 7)
    others = d.copy()
    others.clear()
    return d, others, d[-1], d.count((0, 0)), max(d), sorted(d), (7, 7) in d, len(d)


def records(x):
    d = deque()
    for i in range(x + 2):
        if i % 2 == 0:
            d.append({"a": i, "b": [i, 2]})
        else:
            d.pop()
    return list(d)


def breadth_first(x):
    grid = [[0] * 4 for _ in range(4)]
    left = deque([(0, 0)])
    grid[0][0] = 1
    while left:
        i, j = left.popleft()
        for down, right in [(0, 1), (1, 0)]:
            a, b = i + down, j + right
            if a < 4 and b < 4 and grid[a][b] == 0:
                grid[a][b] = grid[i][j] + x
                left.append((a, b))
    return grid


def lists(x):
    d = deque([[0]])
    while d:
        path = d.popleft()
        if len(path) < x:
            d.append(path + [1])
            d.append(path + [2])
        elif len(path) > 3:
            d.clear()
    return d, [len(path) for path in d]


@pytest.mark.parametrize("f", [pairs, pairs_at_both_ends, records, breadth_first, lists])
def test_deques_of_tuples_and_dictionaries(f):
    traced = tf.function(f, input_signature=[tf.TensorSpec([], tf.int32)])
    for x in (0, 1, 4):
        found = traced(tf.constant(x))
        assert tf.nest.map_structure(lambda v: v.numpy().item() if hasattr(v, "numpy") else v, found) == f(x)


def test_elements_that_no_graph_carries_are_refused():
    @tf.function
    def f(x):
        d = deque([object()])
        for _ in range(x):
            d.append(object())
        return len(d)

    with pytest.raises(tf.errors.SideEffectError, match=r"a deque changes in a staged loop by `d.append"):
        f(tf.constant(3))
