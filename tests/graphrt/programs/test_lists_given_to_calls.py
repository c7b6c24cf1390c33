"""Tests of lists that grew in staged loops and are given to functions of others: what these make of them, or who is told."""

import collections
import dataclasses
import itertools
import operator

import numpy as np
import pytest

import graphrt as tf
from graphrt import errors
from tests.graphrt.programs.comparing import plain

LENGTHS = ([3, 1, 2], [5], [], [1, 2, 3, 4, 5, 6])


def grown(xs):
    rows = []
    for v in xs:
        rows.append(v)
    return rows


@tf.autograph.experimental.do_not_convert
def listed(rows):
    return [v for v in rows]


@dataclasses.dataclass
class Account:
    total: int = 0
    entries: list = dataclasses.field(default_factory=list)

    def add(self, amount):
        self.total += amount
        self.entries.append(amount)


def made_after_the_list(xs):
    rows = grown(xs)
    account = Account()
    if len(rows) > 2:
        account.add(2)
    else:
        account.add(3)
    return account.total, len(account.entries), account.entries[0]


def joined_by_an_operator(xs):
    return operator.concat(grown(xs), [1])


def as_python(program):
    traced = tf.function(program, input_signature=[tf.TensorSpec([None], tf.int32)])
    for xs in LENGTHS:
        assert plain(traced(tf.constant(xs, tf.int32))) == plain(program(xs))


@pytest.mark.parametrize("program", [made_after_the_list, joined_by_an_operator])
def test_as_python(program):
    as_python(program)


@pytest.mark.parametrize(
    "program",
    [
        lambda xs: listed(grown(xs)),
        lambda xs: collections.deque(grown(xs)),
        lambda xs: list(itertools.chain.from_iterable([grown(xs)])),
        lambda xs: list(itertools.combinations(grown(xs), 2)),
        lambda xs: dict.fromkeys(grown(xs)),
    ],
)
def test_a_list_that_an_argument_has_grown_is_not_taken_for_an_empty_one(program):
    with pytest.raises(errors.OperatorNotAllowedInGraphError, match="this list grew in a staged loop"):
        tf.function(program, input_signature=[tf.TensorSpec([None], tf.int32)])(tf.constant([1, 2]))


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (lambda xs: operator.concat(grown(xs), 1), "_operator.concat"),
        (lambda xs: ",".join(grown(xs)), "str.join"),
    ],
)
def test_functions_written_in_c_say_what_to_write(program, name):
    with pytest.raises(
        TypeError, match=rf"AG203: `{name}` cannot look into a list that grew in staged code(.|\n)*a loop"
    ):
        tf.function(program, input_signature=[tf.TensorSpec([None], tf.int32)])(tf.constant([1, 2]))


@pytest.mark.parametrize(
    "program",
    [
        lambda xs: np.sum(grown(xs)),
        lambda xs: (np.max(grown(xs)), np.argmax(grown(xs)))[1],
        lambda xs: np.add(grown(xs), 1),
        lambda xs: np.multiply.outer(grown(xs), grown(xs)),
        lambda xs: np.concatenate([grown(xs), grown(xs)]),
        lambda xs: np.isin(1, grown(xs)),
        lambda xs: np.ones_like(grown(xs)),
        lambda xs: np.shape(grown(xs))[0] + np.ndim(grown(xs)) + np.size(grown(xs)),
        lambda xs: np.array([1, 2]) * grown(xs),
    ],
)
def test_functions_of_numpy_are_given_what_is_in_it(program):
    traced = tf.function(program, input_signature=[tf.TensorSpec([None], tf.int32)])
    np.testing.assert_array_equal(traced(tf.constant([3, 1])), program([3, 1]))


@pytest.mark.parametrize("function", [bytes, bytearray])
def test_bytes_are_not_made_of_what_it_was(function):
    with pytest.raises(TypeError, match="StagedList"):
        tf.function(lambda xs: function(grown(xs)))(tf.constant([1, 2]))


def test_it_is_shown_as_what_it_is():
    found = tf.function(lambda xs: (ascii(grown(xs)), format(grown(xs)), f"{grown(xs)}"))(tf.constant([1, 2]))
    assert {text.numpy() for text in found} == {b"<staged list of int32 ()>"}
