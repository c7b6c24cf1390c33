"""Ragged and sparse tensors in functions: as arguments and results, in loops and branches, printed and differentiated.

Covers: graphrt/control_flow/ragged_map.py, graphrt/control_flow/row_types.py.
"""

import sys

import pytest

import graphrt as tf

ROWS = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
ANY = [tf.RaggedTensorSpec([None, None], tf.int32)]


def test_one_trace_serves_all_sizes():
    double = tf.function(lambda x: x * 2, reduce_retracing=True)
    assert double(ROWS).to_list() == [[2, 4], [], [6, 8, 10]]
    assert double(tf.ragged.constant([[5]])).to_list() == [[10]]
    assert double(tf.ragged.constant([[5], [6, 7]])).to_list() == [[10], [12, 14]]
    assert double.experimental_get_tracing_count() == 2

    declared = tf.function(lambda x: x + 1, input_signature=ANY)
    assert declared(ROWS).to_list() == [[2, 3], [], [4, 5, 6]]
    assert declared(tf.RaggedTensor.from_uniform_row_length([1, 2], 1)).to_list() == [[2], [3]]
    with pytest.raises(TypeError):
        declared(tf.ragged.constant([[[1]]]))


@tf.function(input_signature=ANY)
def loops(rows):
    total = 0
    for i, row in enumerate(rows):
        if tf.size(row) == 0:
            continue
        total += tf.reduce_sum(row) * i
    last = 0
    for row in reversed(rows):
        last = tf.size(row)
        break
    sums = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    for row, k in zip(rows, tf.range(10)):
        sums = sums.write(k, tf.reduce_sum(row) + k)
    return total, last, sums.stack(), [tf.reduce_sum(r) for r in rows]


def test_loops_over_rows():
    total, last, sums, listed = loops(ROWS)
    assert (int(total), int(last), sums.numpy().tolist()) == (24, 3, [3, 1, 14])
    assert tf.stack(listed).numpy().tolist() == [3, 0, 12]


@tf.function
def carried(rows, flag):
    if flag:
        rows = rows + 1
    while tf.reduce_sum(rows) < 30:
        tf.autograph.experimental.set_loop_options(
            shape_invariants=[(rows, tf.RaggedTensorSpec([None, None], tf.int32))]
        )
        rows = tf.concat([rows, rows], 1)
    return rows


def test_branches_and_loops_carry_them():
    assert carried(ROWS, tf.constant(True)).to_list() == [[2, 3, 2, 3], [], [4, 5, 6, 4, 5, 6]]
    assert carried(ROWS, tf.constant(False)).to_list() == [[1, 2, 1, 2], [], [3, 4, 5, 3, 4, 5]]


def test_nested_rows():
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None, None], tf.int32)])
    def greatest(x):
        found = 0
        for rows in x:
            for row in rows:
                found = tf.maximum(found, tf.reduce_max(row))
        return found

    assert greatest(tf.ragged.constant([[[1, 2], [3]], [[9]]])).numpy() == 9


def test_print(capsys):
    @tf.function
    def show(rows, sparse):
        tf.print(rows, [rows[:1]], sparse)

    tf.print(ROWS, output_stream=sys.stdout)
    show(ROWS, tf.sparse.from_dense([[0, 1]]))
    found = capsys.readouterr()
    assert found.out == "[[1, 2], [], [3, 4, 5]]\n"
    assert found.err.startswith("[[1, 2], [], [3, 4, 5]] [[[1, 2]]] 'SparseTensor(indices=[[0 1]], values=[1]")


def test_sparse_arguments():
    @tf.function(input_signature=[tf.SparseTensorSpec([None, None], tf.float32)])
    def both(s):
        return tf.sparse.reduce_sum(s, 1), tf.sparse.reorder(s), tf.sparse.sparse_dense_matmul(s, tf.ones([2, 2]))

    sums, ordered, product = both(tf.SparseTensor([[1, 1], [0, 0]], [2.0, 1.0], [2, 2]))
    assert sums.numpy().tolist() == [1.0, 2.0]
    assert ordered.values.numpy().tolist() == [1.0, 2.0]
    assert product.numpy().tolist() == [[1.0, 1.0], [2.0, 2.0]]


def test_what_is_no_condition():
    with pytest.raises(TypeError):
        tf.function(lambda rows: 1 if rows else 0)(ROWS)
    with pytest.raises(TypeError, match="boolean"):
        bool(ROWS)


def test_gradients_of_values():
    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])

    def of(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, {"x": x}, output_gradients=x)["x"]

    assert of(rows).to_list() == [[2.0, 8.0], [], [18.0]]
    assert tf.function(of)(rows).to_list() == [[2.0, 8.0], [], [18.0]]


class Pair(tf.experimental.ExtensionType):
    rows: tf.RaggedTensor
    sparse: tf.SparseTensor
    scale: tf.Tensor

    def total(self):
        return (tf.reduce_sum(self.rows) + tf.sparse.reduce_sum(self.sparse)) * self.scale


def test_fields_of_extension_types():
    pair = Pair(ROWS, tf.sparse.from_dense([[1, 0], [0, 2]]), 1)
    assert pair.total().numpy() == 18
    doubled = tf.function(lambda p: Pair(p.rows * 2, p.sparse, p.scale))(pair)
    assert doubled.total().numpy() == 33
    assert repr(pair._type_spec).startswith(
        "Pair.Spec(rows=RaggedTensorSpec(TensorShape([3, None]), tf.int32, 1, tf.int64), sparse=SparseTensorSpec("
    )
    with pytest.raises(TypeError, match="expected 'RaggedTensor', got 'list'"):
        Pair([1], pair.sparse, 1)


def test_assertions():
    tf.debugging.assert_equal(ROWS, ROWS)
    tf.debugging.assert_greater(ROWS, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="did not hold"):
        tf.debugging.assert_equal(ROWS, ROWS + 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="did not hold"):
        tf.function(lambda x: tf.debugging.assert_less(x, 4))(ROWS)
