"""What eager tensors have of their own."""

import array
import collections

import numpy as np
import pytest

import graphrt as tf


def test_eager_tensors_are_in_the_memory_of_the_host():
    x = tf.constant([1.0, 2.0])
    assert x.cpu() is x and x.cpu().backing_device == x.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    with pytest.raises(RuntimeError, match="GPU:0 unknown device"):
        x.gpu()


class Counted(collections.abc.Sequence):
    """A sequence of the program's own, without operators."""

    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        return range(self.size)[i]


class Shifted(Counted):
    def __radd__(self, other):
        return ("shifted", other)


OTHER_SEQUENCES = {
    "range": range(3), "deque": collections.deque([0, 1, 2]), "array": array.array("i", [0, 1, 2]),
    "memory": memoryview(np.array([0, 1, 2], np.int32)), "own": Counted(3),
}  # fmt: skip


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", OTHER_SEQUENCES)
def test_operators_take_the_sequences_that_become_tensors(name, traced):
    other = OTHER_SEQUENCES[name]

    def run(x, v):
        return [x + other, x - other, x * other, x < other, v + other, other + x, other * x]

    run = tf.function(run, autograph=False) if traced else run
    found = [y.numpy().tolist() for y in run(tf.constant([1, 2, 3]), tf.Variable([1, 2, 3]))]
    assert found == [[1, 3, 5], [1, 1, 1], [0, 2, 6], [False] * 3, [1, 3, 5], [1, 3, 5], [0, 2, 6]]


def test_a_sequence_with_operators_of_its_own_answers_itself():
    x = tf.constant([1, 2, 3])
    assert x + Shifted(3) == ("shifted", x)
    assert len(x + collections.UserList([0])) == 4


@pytest.mark.parametrize("other", [{0: 1}, {1, 2}, iter([1]), slice(1), None])
def test_operators_leave_what_is_no_sequence_to_python(other):
    with pytest.raises(TypeError, match="unsupported operand"):
        tf.constant([1]) + other
