"""Tests of loops that change something: what they do when it turns out that they are staged is undone, whenever that is."""

import math

import pytest

import graphrt as tf
from tests.graphrt.programs.number_programs import Thing


def of_an_object(y):
    o, u, i = Thing(-3, -3.25), 4, 2
    while i > 0 and any([o.bump(u), u // 5]):
        i -= 1
        if y > 0:
            u = math.floor(min(7.25, o.w))
    return o.t, o.w, u, i


def of_the_function_around(y):
    t, w, u, i = -3, -3.0, 4, 3

    def bump(v):
        nonlocal t, w
        if v > t:
            t = v
        else:
            w = w + 1
        return t

    while i > 0 and bump(u):
        i -= 1
        if y > 0:
            u = u - 4
    return t, w, u, i


def of_the_test(y):
    u, i, n = 4, 3, 0
    while (n := n + 1) < 3 or u > 2:
        i -= 1
        if y > 0:
            u = u - 1
        if i < 0:
            break
    return u, i, n


def with_continue(y):
    u, i, log = 4, 3, []
    while i > 0 and (log.append(u) or len(log) < 9):
        i -= 1
        if i == 2:
            continue
        if y > 0:
            u = u - 1
    return u, i, len(log)


def in_a_loop(y):
    o = Thing(0, 0)
    for k in range(3):
        i, u = 2, k
        while i > 0 and o.bump(u) < 3:
            i -= 1
            if y > k:
                u += 1
    return o.t, o.w, i, u


PROGRAMS = [of_an_object, of_the_function_around, of_the_test, with_continue, in_a_loop]


@pytest.mark.parametrize("y", [1.0, -1.0])
@pytest.mark.parametrize("program", PROGRAMS)
def test_tests_that_are_staged_later(program, y):
    found = tf.function(program)(tf.constant(y))
    assert tuple(v.numpy().item() if hasattr(v, "numpy") else v for v in found) == program(y)


def second_part(n):
    t = 0
    while n > 0 and (k := n % 3) != 7:
        t += k + 1
        n -= 1
    return t


def second_and_third_part(n):
    t = 0
    while n > 0 and (k := n % 3) != 1 and (j := k * 2) < 5:
        t += k + j
        if t > 10:
            break
        n -= 1
    return t


def either_part(n):
    t = 0
    while (k := n - t) > 2 or (j := k + 1) > 1:
        t += k
        k = 0
    return t, j


def within_a_loop(n):
    t = 0
    for i in range(n):
        while i > 0 and (q := i // 2) > 0:
            t += q
            i = q
    return t


def pairs(n):
    t = 0
    while n > 0 and (p := (n, n * 2))[1] > 3:
        t += p[0] + p[1]
        n -= 1
    return t


@pytest.mark.parametrize("n", [0, 1, 6, 13])
@pytest.mark.parametrize("program", [second_part, second_and_third_part, either_part, within_a_loop, pairs])
def test_parts_of_a_test_set_what_the_body_reads(program, n):
    found = tf.function(program)(tf.constant(n))
    assert [int(v) for v in tf.nest.flatten(found)] == tf.nest.flatten(program(n))


def test_what_a_part_of_a_test_never_set_is_told_of_when_it_runs():
    @tf.function
    def last(n):
        while n > 0 and (k := n % 3) != 7:
            n -= 1
        return k

    assert int(last(tf.constant(5))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="is read, but nothing has set it"):
        last(tf.constant(0))
