"""Variables: making, reading, assigning, the protocols of Python and NumPy, and what tracing makes of them.

Covers: graphrt/state/operators.py, graphrt/state/policies.py, graphrt/state/resource_ops.py, graphrt/state/slices.py,
  graphrt/state/storage.py.
"""

from __future__ import annotations

import copy
import pickle
import sys
import threading

import numpy as np
import pytest

import graphrt as tf


def value(x):
    return np.asarray(x).tolist()


# --- making ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("initial", "dtype", "text"),
    [
        (1.0, None, "<tf.Variable 'Variable:0' shape=() dtype=float32, numpy=1.0>"),
        ([1, 2], None, "<tf.Variable 'Variable:0' shape=(2,) dtype=int32, numpy=array([1, 2], dtype=int32)>"),
        (
            [1, 2],
            tf.float32,
            "<tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>",
        ),
        (lambda: 3, None, "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=3>"),
        ("s", None, "<tf.Variable 'Variable:0' shape=() dtype=string, numpy=b's'>"),
        ([], None, "<tf.Variable 'Variable:0' shape=(0,) dtype=float32, numpy=array([], dtype=float32)>"),
    ],
)
def test_repr(initial, dtype, text):
    assert repr(tf.Variable(initial, dtype=dtype)) == text


def test_attributes():
    v = tf.Variable([1.0, 2.0], name="w", trainable=False)
    assert (v.name, v.shape.as_list(), v.dtype, v.trainable, v.ndim) == ("w:0", [2], tf.float32, False, 1)
    assert v.handle.dtype is tf.resource
    assert not isinstance(v, tf.Tensor)


def test_name_scope_prefixes_names():
    with tf.name_scope("outer"), tf.name_scope("inner"):
        assert tf.Variable(1.0, name="w").name == "outer/inner/w:0"


def test_unknown_dimensions_admit_other_shapes():
    v = tf.Variable([1, 2], shape=[None])
    assert v.shape.as_list() == [None]
    assert value(v.assign([1, 2, 3])) == [1, 2, 3]
    with pytest.raises(ValueError, match="Shape mismatch"):
        v.assign(3)
    w = tf.Variable([1, 2], shape=tf.TensorShape(None))
    assert value(w.assign(3)) == 3


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tf.Variable(), ValueError, "initial_value"),
        (lambda: tf.Variable([1, 2], shape=[3]), ValueError, r"\(2,\)\) is not compatible"),
        (lambda: tf.Variable(lambda: None), ValueError, "None values"),
        (lambda: tf.Variable(tf.constant(1), dtype=tf.float32), ValueError, "requested dtype float32"),
        (lambda: tf.Variable(1.0, name=3), ValueError, "must be a string"),
        (lambda: tf.Variable(1.0, constraint=3), ValueError, "callable"),
    ],
)
def test_wrong_initial_values(call, error, text):
    with pytest.raises(error, match=text):
        call()


# --- assigning -------------------------------------------------------------------------------------------------------
def test_assign_returns_the_variable():
    v = tf.Variable(1.0)
    assert v.assign(5.0) is v and v.assign_add(2.0) is v and v.assign_sub(1) is v
    assert value(v) == 6.0
    assert v.assign(1.0, read_value=False) is None


@pytest.mark.parametrize("method", ["assign", "assign_add", "assign_sub"])
@pytest.mark.parametrize(
    ("new", "error"),
    [([1.0, 2.0, 3.0], ValueError), (5.0, ValueError), ("a", (TypeError, ValueError)), (None, ValueError),
     (tf.constant([1, 2]), ValueError), ([1j, 2], TypeError)],
)  # fmt: skip
def test_failed_assignment_leaves_the_value_and_names_the_variable(method, new, error):
    v = tf.Variable([1.0, 2.0], name="weights")
    with pytest.raises(error) as caught:
        getattr(v, method)(new)
    assert "weights" in str(caught.value) + "".join(getattr(caught.value, "__notes__", ()))
    assert value(v) == [1.0, 2.0]


def test_shape_mismatch_is_also_an_op_error():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \[2\] using a Tensor with shape \[3\]"):
        tf.Variable([1.0, 2.0]).assign_add([1.0, 2.0, 3.0])


def test_reads_taken_before_an_update_keep_their_value():
    v = tf.Variable([0.0, 0.0])
    before = v.value()
    v.assign_add([1.0, 1.0])
    v.scatter_nd_update([[0]], [9.0])
    v[1].assign(7.0)
    assert value(before) == [0.0, 0.0] and value(v) == [9.0, 7.0]


def test_the_callers_array_is_not_shared():
    array = np.ones(3)
    v = tf.Variable(array)
    v2 = tf.Variable(np.zeros(3))
    v2.assign(array)
    array[0] = 5
    v.numpy()[1] = 5
    assert value(v) == [1, 1, 1] and value(v2) == [1, 1, 1]


class Slices:
    def __init__(self, values, indices):
        self.values, self.indices = values, indices


@pytest.mark.parametrize(
    ("method", "expected"),
    [("update", [1.0, 4.0, 5.0]), ("add", [1.0, 6.0, 8.0]), ("sub", [1.0, -2.0, -2.0]), ("mul", [1.0, 8.0, 15.0]),
     ("div", [1.0, 0.5, 0.6]), ("max", [1.0, 4.0, 5.0]), ("min", [1.0, 2.0, 3.0])],
)  # fmt: skip
@pytest.mark.parametrize("traced", [False, True])
def test_scatter(method, expected, traced):
    v = tf.Variable([1.0, 2.0, 3.0])
    run = lambda: getattr(v, f"scatter_{method}")(Slices([4.0, 5.0], [1, 2])).value()
    result = tf.function(run)() if traced else run()
    np.testing.assert_allclose(result, expected, rtol=1e-6)
    np.testing.assert_allclose(v, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("method", "expected"),
    [("update", [[1, 9], [8, 4]]), ("add", [[1, 11], [11, 4]]), ("sub", [[1, -7], [-5, 4]]),
     ("max", [[1, 9], [8, 4]]), ("min", [[1, 2], [3, 4]])],
)  # fmt: skip
def test_scatter_nd(method, expected):
    v = tf.Variable([[1, 2], [3, 4]])
    getattr(v, f"scatter_nd_{method}")([[0, 1], [1, 0]], [9, 8])
    assert value(v) == expected


def test_batch_scatter_update():
    v = tf.Variable([[1, 2, 3], [4, 5, 6]])
    v.batch_scatter_update(Slices([[10, 30], [50, 60]], [[0, 2], [1, 2]]))
    assert value(v) == [[10, 2, 30], [4, 50, 60]]


def test_indices_out_of_range():
    v = tf.Variable([1.0, 2.0])
    for call in (lambda: v.sparse_read([5]), lambda: v.gather_nd([[2]]), lambda: v.scatter_update(Slices([1.0], [2]))):
        with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
            call()
        with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
            tf.function(call)()
    assert value(v) == [1.0, 2.0]


def test_gathering():
    v = tf.Variable([[1, 2], [3, 4], [5, 6]])
    assert value(v.sparse_read([2, 0])) == [[5, 6], [1, 2]]
    assert value(v.gather_nd([[1, 1], [0, 0]])) == [4, 1]
    assert value(tf.function(lambda i: v.sparse_read(i))(tf.constant([1]))) == [[3, 4]]


@pytest.mark.parametrize("traced", [False, True])
def test_assigning_to_slices(traced):
    v = tf.Variable([[1, 2, 3], [4, 5, 6]])

    def change():
        v[0].assign([7, 8, 9])
        v[:, 1].assign([0, 0])
        v[-1, ::2].assign([10, 11])
        return v.value()

    assert value(tf.function(change)() if traced else change()) == [[7, 0, 9], [10, 0, 11]]


def test_only_parts_of_variables_can_be_assigned_to():
    assert not hasattr(tf.constant([1, 2]), "assign")
    with pytest.raises(AttributeError, match="only variables"):
        tf.constant([1, 2])[0].assign(1)


def test_count_up_to():
    v = tf.Variable(0)
    assert [value(v.count_up_to(2)), value(v.count_up_to(2))] == [0, 1]
    with pytest.raises(tf.errors.OutOfRangeError):
        v.count_up_to(2)


# --- protocols -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "operation",
    [lambda v: v + 1, lambda v: 1 - v, lambda v: v * v, lambda v: 6 / v, lambda v: v // 2, lambda v: v % 2, lambda v: v**2,
     lambda v: 2**v, lambda v: -v, lambda v: abs(v), lambda v: v > 2, lambda v: v <= 3, lambda v: v == 3, lambda v: v != 3,
     lambda v: +v, lambda v: divmod(v, 2)],
)  # fmt: skip
def test_operators_agree_with_the_value(operation):
    v, x = tf.Variable(3.0), np.float32(3.0)
    expected = operation(x)
    found = operation(v)
    for f, e in zip(
        found if isinstance(found, tuple) else (found,), expected if isinstance(expected, tuple) else (expected,)
    ):
        assert isinstance(f, tf.Tensor)
        np.testing.assert_allclose(np.asarray(f), e)


def test_python_numbers():
    v = tf.Variable(3)
    assert (int(v), float(v), bool(v), complex(v), list(range(v)), [10, 20, 30, 40][v]) == (
        3,
        3.0,
        True,
        3 + 0j,
        [0, 1, 2],
        40,
    )
    assert f"{tf.Variable(1.0):.2f}" == "1.00"
    assert [value(x) for x in tf.Variable([1, 2])] == [1, 2]
    assert len(tf.Variable([1, 2])) == 2


def test_in_place_operators_are_refused():
    v = tf.Variable(1.0)
    with pytest.raises(RuntimeError, match=r"assign_add"):
        v += 1
    with pytest.raises(RuntimeError, match=r"variable \* value"):
        v *= 2


def test_references():
    v = tf.Variable(1.0)
    with pytest.raises(TypeError, match=r"ref\(\)"):
        hash(v)
    assert {v.ref(): 1}[v.ref()] == 1 and v.ref().deref() is v


def test_copies():
    v = tf.Variable([1.0], name="w", shape=[None], trainable=False)
    assert copy.copy(v) is v
    for other in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        assert repr(other) == repr(v) and other.trainable is False and other.shape.as_list() == [None]
        other.assign([2.0, 3.0])
    assert value(v) == [1.0]


def test_numpy():
    v = tf.Variable([1.0, 2.0])
    assert np.array(v).dtype == np.float32
    assert value(np.add(v, 1)) == [2.0, 3.0]
    assert value(np.ones(2, np.float32) + v) == [2.0, 3.0]
    assert value(np.sum(v)) == 3.0


# --- while tracing ---------------------------------------------------------------------------------------------------
def test_results_of_assignments_have_the_value_of_that_moment():
    v = tf.Variable(0)
    f = tf.function(lambda: (v.assign(5), v.assign_add(2), v.assign_sub(1)))
    assert [value(r) for r in f()] == [5, 7, 6]
    g = tf.function(lambda: v.assign(1) + v.assign(10) + v)
    assert value(g()) == 21


def test_a_later_use_of_an_assignment_reads_its_moment():
    v = tf.Variable(0)

    @tf.function
    def f(x):
        first = v.assign(x)
        v.assign(100)
        y = first + 1 if x > 0 else first - 1
        return y, first, v

    assert [value(r) for r in f(tf.constant(5))] == [6, 5, 100]
    assert [value(r) for r in f(tf.constant(-5))] == [-6, -5, 100]


def test_reads_and_writes_keep_the_order_of_the_source():
    v = tf.Variable(1)

    @tf.function
    def f():
        a = v.value()
        v.assign(2)
        b = v.value()
        v.assign_add(10)
        return a, b, v + 0

    assert [value(r) for r in f()] == [1, 2, 12]


def test_effects_before_a_failure_stay_and_later_ones_do_not_happen():
    v, w = tf.Variable(0.0), tf.Variable([1.0, 2.0])

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def f(x):
        v.assign(7.0)
        w.assign_add(x)
        v.assign(100.0)

    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot update variable"):
        f(tf.constant([1.0, 2.0, 3.0]))
    assert value(v) == 7.0 and value(w) == [1.0, 2.0]


def test_wrong_shapes_are_found_while_tracing():
    w = tf.Variable([1.0, 2.0], name="w")
    for bad in (lambda: w.assign([1.0]), lambda: w.assign_add([1.0]), lambda: w.scatter_nd_update([[0]], [1.0, 2.0])):
        with pytest.raises(ValueError):
            tf.function(bad).get_concrete_function()


def test_variables_as_arguments():
    v = tf.Variable(1.0)
    f = tf.function(lambda v, x: v.assign_add(x))
    assert value(f(v, 2.0)) == 3.0 and value(v) == 3.0


def test_program_reads_the_attribute():
    v = tf.Variable(1.0)
    concrete = tf.function(lambda x: x * v).get_concrete_function(tf.constant(1.0))
    assert ".value" in concrete.source
    assert concrete.variables == (v,) and concrete.trainable_variables == (v,)
    assert concrete.captured_inputs[0] is v.handle


def test_numpy_of_a_variable_while_tracing_is_refused():
    v = tf.Variable(1.0)
    with pytest.raises(NotImplementedError, match=r"numpy\(\)"):
        tf.function(lambda: v.numpy())()


def test_control_flow_on_variables():
    v = tf.Variable(0)

    @tf.function
    def f(n):
        while v < n:
            if v % 2 == 0:
                v.assign_add(1)
            else:
                v.assign_add(3)
        return v

    assert value(f(tf.constant(9))) == 9 and value(v) == 9


def test_captured_names_are_those_of_tensorflow():
    v = tf.Variable(1.0)
    concrete = tf.function(lambda x: (x * v, v.read_value())).get_concrete_function(tf.constant(1.0))
    names = [o.name for o in concrete.graph.get_operations()]
    assert names[:4] == ["x", "mul/ReadVariableOp/resource", "mul/ReadVariableOp", "mul"]
    assert "Read/ReadVariableOp" in names


def test_an_assignment_used_in_a_loop_that_writes():
    v = tf.Variable(0.0)

    @tf.function
    def f(n):
        first = v.assign(1.0)
        total = 0.0
        for _ in tf.range(n):
            total += first
            v.assign_add(10.0)
        return total, first, v

    assert [value(r) for r in f(tf.constant(3))] == [3.0, 1.0, 31.0]


def test_an_assignment_used_after_calls_and_branches_that_write():
    v = tf.Variable(0.0)
    change = tf.function(lambda: v.assign_add(100.0))

    @tf.function
    def f(x):
        first = v.assign(x)
        change()
        second = v.assign_sub(1.0)
        if x > 0.0:
            v.assign(0.0)
        third = v.assign_add(0.5)
        return first + 0.0, second, third, v

    assert [value(r) for r in f(tf.constant(3.0))] == [3.0, 102.0, 0.5, 0.5]
    assert [value(r) for r in f(tf.constant(-3.0))] == [-3.0, 96.0, 96.5, 96.5]


def test_an_assignment_tested_by_a_loop():
    v = tf.Variable(0)

    @tf.function
    def f(n):
        limit = v.assign(n)
        v.assign(0)
        while v < limit:
            v.assign_add(2)
        return v, limit

    assert [value(r) for r in f(tf.constant(5))] == [6, 5]


def test_results_of_assignments_that_nobody_needs_add_no_reads():
    v = tf.Variable(0)

    def f():
        v.assign(1)
        v.assign_add(2)
        v.assign_sub(1)

    types = [o.type for o in tf.function(f).get_concrete_function().graph.get_operations()]
    assert types.count("ReadVariableOp") == 0


def test_initial_values_packed_from_symbolic_parts():
    made = []

    @tf.function
    def f():
        if not made:
            made.append(tf.Variable([tf.constant(1.0) * 2.0, 3.0]))
        return made[0]

    assert value(f()) == [2.0, 3.0]


@pytest.mark.parametrize("traced", [False, True])
def test_updates_from_several_threads_are_not_lost(traced):
    v, w = tf.Variable(0), tf.Variable([0, 0])

    def change(x):
        v.assign_add(x)
        w.scatter_nd_add([[1]], [1])

    run = tf.function(change) if traced else change
    one = tf.constant(1)
    run(one)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=lambda: [run(one) for _ in range(200)]) for _ in range(6)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        sys.setswitchinterval(interval)
    assert value(v) == 1201 and value(w) == [0, 1201]
