"""A message of a staged `assert` is of concern where the test fails, and nowhere else."""

import pytest

import graphrt as tf
from graphrt import errors


class Told:
    def __init__(self):
        self.n = 0
        self.rows = []
        self.by = {}

    def tell(self, x):
        self.n += 1
        self.rows.append(x)
        return f"told {self.n} times, by {self.by.setdefault('first', x)}"


def messages_that_change(x):
    told = Told()
    for i in range(x):
        assert i < 5, told.tell(i)
        assert i < 5, [told.tell(i), 10 // (i - 7)]
    assert x < 6, told.tell(x)
    return told.n, len(told.rows), len(told.by)


def messages_that_would_fail(x):
    bad = []
    for i in range(x):
        if i > 4:
            bad.append(i)
    assert not bad, bad[0]
    assert x > 0 or x == 0, 10 // x
    return x


@pytest.mark.parametrize("program", [messages_that_change, messages_that_would_fail])
def test_messages_count_where_the_test_fails(program):
    traced = tf.function(program)
    for x in (0, 3, 5):
        found = traced(tf.constant(x))
        assert tf.nest.map_structure(int, found) == program(x)
    for x in (6, 8):
        with pytest.raises(AssertionError):
            program(x)
        with pytest.raises(errors.InvalidArgumentError, match="told 1 times" if "change" in program.__name__ else "5"):
            traced(tf.constant(x))


def test_a_message_that_cannot_fail_needs_no_conditional():
    @tf.function
    def f(x):
        assert x > 0, x + 1
        return x

    kinds = [op.type for op in f.get_concrete_function(tf.constant(1)).graph.get_operations()]
    assert "Assert" in kinds
    assert not {"If", "StatelessIf"} & {*kinds}
