"""Lists of which few elements are set, and versions that are used again after newer ones."""

import sys

import numpy as np

import graphrt as tf
from graphrt.ops.lists import list_value
from graphrt.ops.lists.list_value import TensorListValue


def reserved(count):
    return list_value.reserved(count, tf.float32, ())


def test_every_version_keeps_its_elements():
    empty = reserved(6)
    versions, wanted, current = [empty], [[None] * 6], empty
    for step in range(9):  # few, then many
        at = step * 5 % 6
        current = current.set(at, np.float32(step))
        wanted.append([*wanted[-1][:at], np.float32(step), *wanted[-1][at + 1 :]])
        versions.append(current)
    for order in (versions, versions[::-1], versions):
        for version in order:
            assert version.items() == wanted[versions.index(version)] and version.length == 6
    assert empty.push(np.float32(1)).items() == [*[None] * 6, 1] and empty.resize(8).length == 8
    assert empty.set(2, np.float32(3)).pop()[0].items() == [None, None, 3, None, None]


def test_sums_with_lists_of_few():
    whole = TensorListValue([np.float32(v) for v in range(5)], tf.float32, ())
    few = reserved(5).set(1, np.float32(10)).set(3, np.float32(20))
    assert (whole + few).items() == [0, 11, 2, 23, 4] == (few + whole).items()
    assert whole.items() == [0, 1, 2, 3, 4] and few.items() == [None, 10, None, 20, None]
    assert (reserved(5) + few).items() == [None, 10, None, 20, None]
    assert (few + few).items() == [None, 20, None, 40, None]


def test_gradients_of_reads_take_work_for_the_elements_read():
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            elements = tf.TensorArray(tf.float32, 0, dynamic_size=True).unstack(x)
            total = tf.constant(0.0)
            for i in tf.range(tf.shape(x)[0]):
                total = total * 0.5 + elements.read(i)
        return tape.gradient(total, x)

    def lines(count):
        ran = 0

        def told(frame, event, argument):
            nonlocal ran
            ran += event == "line" and frame.f_code.co_filename.endswith("list_value.py")
            return told

        before = sys.gettrace()
        sys.settrace(told)
        try:
            slope(tf.ones([count]))
        finally:
            sys.settrace(before)
        return ran

    np.testing.assert_allclose(slope(tf.ones([4])), [0.125, 0.25, 0.5, 1.0])
    assert lines(400) < 10 * lines(50)  # each step looked at each element once
