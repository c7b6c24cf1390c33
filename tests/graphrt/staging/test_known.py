"""Parts of statements that are known never to run, while tracing, may be such as cannot be traced."""

import pytest

import graphrt as tf

EMPTY = tf.constant([], tf.int32)


def statement(v):
    if tf.size(v) == 0:
        return -1
    return v[0]


def chain(v):
    if tf.size(v) == 0:
        return -1
    elif v[0] > 1:
        return 1
    return 2


def ternary(v):
    return -1 if tf.size(v) == 0 else v[0]


def other_way_round(v):
    return v[0] if tf.size(v) > 0 else -1


def both(v):
    return tf.size(v) > 0 and v[0] > 1


def either(v):
    return tf.size(v) == 0 or v[0] > 1


def while_loop(v):
    t = 0
    while tf.size(v) > 0:
        t += v[0]
        break
    return t


def while_with_two_tests(v):
    t = 0
    while tf.size(v) > 0 and v[0] > 2:
        t += 1
        v = v - 1
    return t


def for_loop(v):
    t, rows = 0, []
    for i in range(tf.size(v)):
        rows.append(v[i])
        t += v[0] + i
    return t + len(rows)


def asserted(v):
    assert tf.size(v) == 0 or v[0] > 1
    return 3


@pytest.mark.parametrize(
    "program",
    [
        statement, chain, ternary, other_way_round, both, either, while_loop, while_with_two_tests, for_loop, asserted,
    ],
)  # fmt: skip
def test_what_never_runs_may_fail_to_be_traced(program):
    for v in (EMPTY, tf.constant([3])):
        assert tf.function(program)(v).numpy() == program(v)


def fails_if(v):
    if tf.size(v) == 0:
        return v[0]
    return 0


def fails_ternary(v):
    return v[0] if tf.size(v) == 0 else 0


def fails_while(v):
    t = 0
    while tf.size(v) == 0:
        t += v[0]
    return t


def fails_for(v):
    t = 0
    for i in range(3 + tf.size(v)):
        t += v[0] + i
    return t


def fails_in_test(v):
    t = 0
    while v[0] > t:
        t += 1
    return t


@pytest.mark.parametrize("program", [fails_if, fails_ternary, fails_while, fails_for, fails_in_test])
def test_what_runs_fails_as_it_does_at_once(program):
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index 0"):
        program(EMPTY)
    with pytest.raises(ValueError, match="slice index 0 of dimension 0 out of bounds"):
        tf.function(program)(EMPTY)


def test_branches_of_other_shapes():
    @tf.function
    def squared(v):
        if tf.rank(v) == 2:
            found = tf.matmul(v, v)
        else:
            found = v
        return found

    assert squared(tf.ones([2])).numpy().tolist() == [1.0, 1.0]
