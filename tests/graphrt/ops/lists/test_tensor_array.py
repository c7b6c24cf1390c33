"""TensorArray and the lists below it: values, errors, loops, gradients, and what each step costs."""

import time

import numpy as np
import pytest

import graphrt as tf
from graphrt import errors
from graphrt.ir.op import ops
from graphrt.ops.lists.list_value import TensorListValue
from graphrt.types import dtype as dtypes


def test_versions_of_a_list_do_not_disturb_each_other():
    first = TensorListValue([1, 2, 3], dtypes.int32, ())
    second = first.set(1, 20)
    third = second.push(4)
    fourth, last = third.pop()
    fifth = fourth.resize(5)
    branch = second.set(0, 10)
    assert last == 4
    assert first.items() == [1, 2, 3]
    assert second.items() == [1, 20, 3]
    assert third.items() == [1, 20, 3, 4]
    assert fourth.items() == [1, 20, 3]
    assert fifth.items() == [1, 20, 3, None, None]
    assert branch.items() == [10, 20, 3]
    assert [v.length for v in (first, second, third, fourth, fifth)] == [3, 3, 4, 3, 5]


def test_random_versions_agree_with_copies():
    rng = np.random.default_rng(3)
    versions = [(TensorListValue([0, 1], dtypes.int32, ()), [0, 1])]
    for step in range(400):
        value, copy = versions[rng.integers(len(versions))]
        kind = rng.integers(4)
        if kind == 0 and copy:
            i = int(rng.integers(len(copy)))
            versions.append((value.set(i, step), [*copy[:i], step, *copy[i + 1 :]]))
        elif kind == 1:
            versions.append((value.push(step), [*copy, step]))
        elif kind == 2 and copy:
            versions.append((value.pop()[0], copy[:-1]))
        else:
            size = int(rng.integers(6))
            versions.append((value.resize(size), [*copy[:size], *[None] * (size - len(copy))]))
        check, expected = versions[rng.integers(len(versions))]
        assert check.items() == expected
    for value, copy in versions:
        assert value.items() == copy


def test_a_straight_chain_costs_the_same_per_step():
    def seconds(n):
        value = TensorListValue([None] * n, dtypes.int32, ())
        start = time.process_time()
        for i in range(n):
            value = value.set(i, i)
        return (time.process_time() - start) / n

    seconds(1000)
    assert min(seconds(20000) for _ in range(3)) < 20 * min(seconds(1000) for _ in range(3))


def test_written_in_a_loop():
    @tf.function
    def squares(n):
        ta = tf.TensorArray(tf.int32, size=n)
        for i in tf.range(n):
            ta = ta.write(i, i * i)
        return ta.stack()

    assert squares(tf.constant(5)).numpy().tolist() == [0, 1, 4, 9, 16]


def test_grows_in_a_loop():
    @tf.function
    def collect(limit):
        ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        i = 0
        while i * i < limit:
            ta = ta.write(i, i * i)
            i += 1
        return ta.stack(), ta.size()

    values, size = collect(tf.constant(30))
    assert values.numpy().tolist() == [0, 1, 4, 9, 16, 25]
    assert size.numpy() == 6


def test_read_back_in_a_loop():
    @tf.function
    def fibonacci(n):
        ta = tf.TensorArray(tf.int64, size=n, clear_after_read=False)
        ta = ta.write(0, 1).write(1, 1)
        for i in tf.range(2, n):
            ta = ta.write(i, ta.read(i - 1) + ta.read(i - 2))
        return ta.stack()

    assert fibonacci(tf.constant(8)).numpy().tolist() == [1, 1, 2, 3, 5, 8, 13, 21]


def test_written_in_a_branch():
    @tf.function
    def f(x, flag):
        ta = tf.TensorArray(tf.float32, size=2).write(0, x)
        if flag:
            ta = ta.write(1, x + 1.0)
        else:
            ta = ta.write(1, x - 1.0)
        return ta.stack()

    assert f(tf.constant(3.0), tf.constant(True)).numpy().tolist() == [3.0, 4.0]
    assert f(tf.constant(3.0), tf.constant(False)).numpy().tolist() == [3.0, 2.0]


def test_two_arrays_and_rows():
    @tf.function
    def split_signs(x):
        rows = tf.TensorArray(tf.float32, size=tf.shape(x)[0]).unstack(x)
        total = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[])
        for i in tf.range(rows.size()):
            total = total.write(i, tf.reduce_sum(rows.read(i)))
        return total.stack()

    assert split_signs(tf.constant([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist() == [3.0, 7.0]


def test_gradient_through_a_loop():
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            ta = tf.TensorArray(tf.float32, size=4)
            for i in tf.range(4):
                ta = ta.write(i, x * tf.cast(i, tf.float32) * x)
            y = tf.reduce_sum(ta.stack() * tf.constant([1.0, 2.0, 3.0, 4.0]))
        return tape.gradient(y, x)

    assert slope(tf.constant(2.0)).numpy() == pytest.approx(2 * 2.0 * (0 * 1 + 1 * 2 + 2 * 3 + 3 * 4))


def test_gradient_to_what_a_loop_reads():
    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            ta = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
            total = tf.constant(0.0)
            for i in tf.range(3):
                total += ta.read(i) * ta.read(2 - i)
        return tape.gradient(total, x)

    assert slope(tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == [6.0, 4.0, 2.0]


def test_eager_gradient():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        ta = tf.TensorArray(tf.float32, 2).unstack(x)
        y = ta.read(0) * ta.read(1)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 1.0]


def test_passes_into_a_function():
    @tf.function
    def finish(ta):
        return ta.write(1, 5.0).stack()

    assert finish(tf.TensorArray(tf.float32, 2).write(0, 1.0)).numpy().tolist() == [1.0, 5.0]


def test_captured_by_a_function():
    ta = tf.TensorArray(tf.float32, 2, clear_after_read=False).write(0, 1.0).write(1, 7.0)

    @tf.function
    def read(i):
        return ta.read(i)

    assert read(tf.constant(1)).numpy() == 7.0
    assert ta.stack().numpy().tolist() == [1.0, 7.0]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: tf.TensorArray(tf.float32, 3).read(5), "5"),
        (lambda: tf.TensorArray(tf.float32, 3).read(1), "1"),
        (lambda: tf.TensorArray(tf.float32, 3).write(7, 1.0).stack(), "7"),
        (lambda: tf.TensorArray(tf.float32, 3).write(-2, 1.0).stack(), "-2"),
    ],
)
def test_errors_name_the_index(traced, use, message):
    call = tf.function(use, autograph=False) if traced else use
    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.OutOfRangeError), match=message):
        call()


@pytest.mark.parametrize("traced", [False, True])
def test_an_element_of_another_shape(traced):
    def use():
        return tf.TensorArray(tf.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0]).stack()

    with pytest.raises(ValueError, match=r"saw \(2,\) at index 1 but expected \(1,\)"):
        (tf.function(use, autograph=False) if traced else use)()


def test_cleared_elements_cannot_be_read_twice():
    ta = tf.TensorArray(tf.float32, 1).write(0, 1.0)
    assert ta.read(0).numpy() == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not read index 0 twice"):
        ta.read(0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not read index 0 twice"):
        ta.stack()  # not zeros
    ta = tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0])
    ta.read(1)
    assert ta.gather([2, 0]).numpy().tolist() == [3.0, 1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not read index 1 twice"):
        ta.gather([0, 1])


def test_elements_that_nobody_wrote_can_be_read_again():
    ta = tf.TensorArray(tf.float32, 0, dynamic_size=True).write(0, [1.0]).write(2, [3.0])
    assert [ta.read(1).numpy().tolist() for _ in range(2)] == [[0.0], [0.0]]
    assert ta.stack().numpy().tolist() == [[1.0], [0.0], [3.0]]


def test_facts():
    ta = tf.TensorArray(tf.float32, 3, dynamic_size=True)
    assert (ta.dtype, ta.dynamic_size, ta.element_shape.rank, ta.handle) == (tf.float32, True, None, None)
    assert ta.write(0, [1.0, 2.0]).element_shape.as_list() == [2]
    assert ta.flow.dtype == tf.variant
    spec = ta.spec
    assert spec == tf.TensorArraySpec([2], tf.float32, dynamic_size=True)
    assert spec.is_compatible_with(ta)
    assert (spec.value_type, spec.element_shape, spec.dtype) == (tf.TensorArray, [2], tf.float32)
    assert spec.dynamic_size and spec.infer_shape
    with pytest.raises(ValueError):
        tf.TensorArray(None)


def test_node_names():
    @tf.function
    def f(x):
        ta = tf.TensorArray(tf.float32, size=3)
        ta = ta.write(0, x)
        return ta.read(0), ta.stack(), ta.gather([0]), ta.concat()

    nodes = [(o.name, o.type) for o in f.get_concrete_function(tf.TensorSpec([2])).graph.get_operations()]
    for name, kind in [
        ("TensorArrayV2", "TensorListReserve"), ("TensorArrayV2Write/TensorListSetItem", "TensorListSetItem"),
        ("TensorArrayV2Read/TensorListGetItem", "TensorListGetItem"),
        ("TensorArrayV2Stack/TensorListStack", "TensorListStack"), ("TensorListGather", "TensorListGather"),
        ("TensorListConcatV2", "TensorListConcatV2"),
    ]:  # fmt: skip
        assert (name, kind) in nodes


def test_lists_of_lists():
    inner = ops.TensorListFromTensor(tf.constant([1.0, 2.0]), np.zeros(0, np.int32), element_dtype=tf.float32)
    outer = ops.TensorListPushBack(ops.EmptyTensorList(-1, -1, element_dtype=tf.variant), inner)
    _, back = ops.TensorListPopBack(outer, -1, element_dtype=tf.variant)
    assert ops.TensorListStack(back, [], element_dtype=tf.float32).numpy().tolist() == [1.0, 2.0]


def test_loops_over_lists_are_linear():
    @tf.function
    def fill(n):
        ta = tf.TensorArray(tf.int32, size=n)
        for i in tf.range(n):
            ta = ta.write(i, i)
        return ta.stack()

    fill(tf.constant(10))

    def seconds(n):
        start = time.process_time()
        fill(tf.constant(n))
        return (time.process_time() - start) / n

    assert min(seconds(20000) for _ in range(3)) < 20 * min(seconds(1000) for _ in range(3))


@pytest.mark.parametrize("way", [lambda f: f, tf.function])
def test_a_declared_shape_is_not_narrowed_by_elements_unless_shapes_are_inferred(way):
    def written(infer, shape, sizes):
        array = tf.TensorArray(tf.float32, len(sizes), infer_shape=infer, element_shape=shape)
        for i, size in enumerate(sizes):
            array = array.write(i, tf.ones(size))
        return array.concat()

    assert way(lambda: written(False, [None], [[1], [2]]))().shape == (3,)
    assert way(lambda: written(False, [None, 2], [[2, 2], [1, 2]]))().shape == (3, 2)
    for infer, shape in ((True, [None]), (False, [2]), (True, None)):
        with pytest.raises(errors.ShapeError, match="Inconsistent shapes"):
            way(lambda: written(infer, shape, [[1], [2]]))()
