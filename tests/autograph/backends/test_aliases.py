"""The register of what may be what: sides of statements, what is lost, what is refused."""

import pytest

from autograph.backends import state
from autograph.backends.aliases import Losses
from autograph.backends.instances import freeze, is_one_of
from autograph.backends.trace import current_trace, made, seen


class Lost(Exception):
    pass


@pytest.fixture
def trace():
    with state.tracing(lambda value, stand_in: None):
        yield current_trace()


def lists(count):
    return [made([i]) for i in range(count)]


def test_sides_of_one_statement(trace):
    a, b, c, p, q, r = lists(6)
    for value, sides in ((p, [[a], [b]]), (q, [[b], [a]]), (r, [[c], [b]])):
        is_one_of(value, sides, "first", lambda: Lost)
    one = trace.aliases.may_be_one
    assert (one(p, q), one(p, r), one(q, r), one(p, a), one(q, c)) == (False, True, False, True, False)
    later = made([])
    is_one_of(later, [[q], []], "second", lambda: Lost)
    assert [one(later, value) for value in (q, a, b, p, r, c)] == [True, True, True, False, False, False]
    assert trace.aliases.may_be(later) == [later, q, b, a]


def test_writes_lose_what_may_be_the_same(trace):
    a, b, other, p = lists(4)
    is_one_of(p, [[a], [b]], None, lambda: Lost)
    trace.check(other)
    before = trace.lost
    trace.check(a)
    assert seen(b) is b
    with pytest.raises(Lost):
        seen(p)
    with pytest.raises(Lost):
        trace.check(p)
    trace.lost = before
    trace.check(p)
    assert seen(p) is p
    for value in (a, b):
        with pytest.raises(Lost):
            seen(value)


def test_older_ones_are_not_written_by_another_name(trace):
    p = made([1])
    is_one_of(p, [[[2]], [p]], None, lambda: Lost)
    with pytest.raises(Lost):
        trace.check(p)


def test_frozen(trace):
    a, p, q = lists(3)
    is_one_of(p, [[a], []], None, lambda: Lost)
    freeze(a, Lost)
    is_one_of(q, [[a], []], None, lambda: Lost)
    for value in (a, p):
        assert seen(value) is value
        with pytest.raises(Lost):
            trace.check(value)
    trace.check(q)  # of what a backend joins it says itself whether that is frozen


def test_losses():
    a, b = [1], [2]
    first, second = Losses({id(a): (a, Lost)}), Losses(frozen={id(b): (b, Lost)})
    both = first | second
    assert (len(both), len(Losses())) == (2, 0)
    assert both.since(first, lambda value: True).frozen == second.frozen
    assert len(both.since(first, lambda value: value is a)) == 0
