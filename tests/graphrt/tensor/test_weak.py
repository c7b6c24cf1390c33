"""Numbers of Python in a graph take the dtype of the tensors that they meet; tensors never change theirs.

Covers: graphrt/ir/weak_type.py, graphrt/tensor/weak_use.py.
"""

import math

import numpy as np
import pytest

import graphrt as tf
from graphrt.ir.verify import verify
from graphrt.ir.weak_type import WeakType


def traced(function, *arguments):
    """The result of a graph, whose nodes agree about their dtypes."""
    graph = tf.function(function)
    verify(graph.get_concrete_function(*arguments).graph)
    return graph(*arguments)


X64 = tf.constant(5, tf.int64)
X32 = tf.constant(5)
F16, F32, F64 = (tf.constant(1.5, d) for d in (tf.float16, tf.float32, tf.float64))
N = tf.constant(3)


# --- branches --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "x", [X64, F16, F32, F64, tf.constant(2, tf.int8), tf.constant(2 + 1j), tf.constant(2, tf.uint64)]
)
@pytest.mark.parametrize("first", [True, False])
def test_a_number_beside_a_tensor_in_the_other_branch(x, first):
    def f(x, c):
        if c:
            r = 4
        else:
            r = x
        return r

    result = traced(f, x, tf.constant(first))
    assert result.dtype is x.dtype and result.numpy() == (4 if first else x.numpy())


def test_a_number_that_both_branches_set_meets_a_tensor_later():
    def f(x, c):
        r = 4 if c else 5
        shown = r + 1
        return x + r, r * x, x > r, shown

    for x in (X64, X32, F16, F32, F64):
        total, product, larger, shown = traced(f, x, tf.constant(True))
        assert total.dtype is product.dtype is x.dtype and total.numpy() == x.numpy() + 4
        assert (larger.numpy(), shown.numpy()) == (x.numpy() > 4, 5)


def test_floats_are_written_in_the_width_that_they_meet():
    def f(x, c):
        r = 0.1 if c else 0.2
        return r + x

    assert traced(f, F64, tf.constant(True)).numpy() == 0.1 + 1.5
    assert traced(f, F32, tf.constant(True)).numpy() == np.float32(0.1) + np.float32(1.5)


def test_numbers_of_two_kinds_meet():
    def f(c):
        r = 1 if c else 2.5
        return r

    assert [traced(f, tf.constant(v)).numpy().item() for v in (True, False)] == [1.0, 2.5]


def test_large_numbers_widen():
    def f(c):
        r = 1 if c else 5_000_000_000
        return r + 1

    assert [traced(f, tf.constant(v)).numpy().item() for v in (True, False)] == [2, 5_000_000_001]


def test_alone_they_are_what_tensorflow_makes_of_them():
    def f(c, n):
        r, s = (4, 0.5) if c else (5, 1.5)
        i = 0
        while i < n:
            i += 1
        return r, s, i, r / 2, int(s), float(r)

    found = [t.dtype for t in traced(f, tf.constant(True), N)]
    assert found == [tf.int32, tf.float32, tf.int32, tf.float64, tf.int32, tf.float32]


def test_returns():
    def f(x):
        if x > 7:
            return 0
        if x > 6:
            return x
        return 1

    for x in (X64, F32, F64):
        assert [traced(f, x * 0 + v).numpy() for v in (8, 7, 2)] == [0, 7, 1]
        assert traced(f, x).dtype is x.dtype


def test_public_conditionals():
    x = X64
    assert traced(lambda x: tf.cond(x > 3, lambda: 1, lambda: x), x).dtype is tf.int64
    assert traced(lambda x: tf.cond(x > 3, lambda: 1, lambda: 2) + x, x).numpy() == 6
    branches = [lambda: 1, lambda: X64, lambda: 3]
    assert traced(lambda i: tf.switch_case(i, branches), tf.constant(0)).dtype is tf.int64
    assert traced(lambda x: tf.while_loop(lambda i: i < 3, lambda i: (i + 1,), (0,))[0] + x, x).numpy() == 8


# --- loops -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("start", [0, 0.0])
@pytest.mark.parametrize("xs", [tf.constant([1.5, 2.25], d) for d in (tf.float16, tf.float32, tf.float64)])
def test_a_sum_that_starts_with_a_number(xs, start):
    def f(xs):
        total, count = start, 0
        for x in xs:
            total += x
            count += 1
        return total, count

    total, count = traced(f, xs)
    assert (total.dtype, total.numpy(), count.dtype, count.numpy()) == (xs.dtype, 3.75, tf.int32, 2)


def test_a_counter_meets_a_tensor_in_and_after_the_loop():
    def f(x, n):
        i, total = 0, x
        while i < n:
            total += i
            i += 1
        return total, i, x * i

    for x in (X64, F16, F64, tf.constant(1, tf.int8)):
        total, _, product = traced(f, x, N)
        assert (total.dtype, total.numpy(), product.numpy()) == (x.dtype, x.numpy() + 3, x.numpy() * 3)


def test_a_loop_carries_the_width_that_is_needed_after_it():
    def f(x, n):
        p = 1
        for _ in tf.range(n):
            p *= 10
        return x + p

    assert traced(f, X64, tf.constant(12)).numpy() == 5 + 10**12
    assert traced(f, F64, tf.constant(12)).numpy() == 1.5 + 1e12


def test_a_loop_that_asks_for_its_end_in_the_width_that_it_gets_later():
    def f(x, n):
        t, steps = 0.0, 0
        while t < 1.0:
            t += 0.1
            steps += 1
        return x + t, steps

    total, steps = traced(f, F64, N)
    expected = 0.0
    for _ in range(11):  # `sum` of floats is exact to the last bit since Python 3.12
        expected += 0.1
    assert (total.numpy(), steps.numpy()) == (1.5 + expected, 11)


def test_narrow_uses_of_a_wide_number_are_checked():
    def f(wide, narrow, n):
        k = 0
        for _ in tf.range(n):
            k += 50
        return wide + k, narrow + k

    small = tf.constant(1, tf.int8)
    assert [v.numpy() for v in traced(f, X64, small, tf.constant(2))] == [105, 101]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"the Python int .*k.* does not fit into int8, which holds -128 to 127"
    ):
        traced(f, X64, small, N)


def test_a_variable_that_becomes_a_number_in_the_loop():
    def f(x, n):
        for _ in tf.range(n):
            x = 7
        return x

    for x in (X64, F16, F64):
        assert (traced(f, x, N).dtype, traced(f, x, N).numpy()) == (x.dtype, 7)


def test_range_len_and_enumerate_give_numbers():
    def f(x, xs, n):
        total = x
        for i in range(n):
            total += i
        for i, _ in enumerate(xs):
            total += i * 10
        return total + len(xs)

    for x in (X64, F16, F64):
        assert traced(f, x, tf.constant([1, 2, 3]), N).numpy() == x.numpy() + 3 + 30 + 3
    open_ended = tf.function(f, input_signature=[tf.TensorSpec([], "int64"), tf.TensorSpec([None]), tf.TensorSpec([])])
    with pytest.raises(TypeError):
        open_ended(X64, tf.constant([1.0]), tf.constant(1.0))  # a range of floats
    open_ended = tf.function(
        f, input_signature=[tf.TensorSpec([], "int64"), tf.TensorSpec([None]), tf.TensorSpec([], "int32")]
    )
    assert open_ended(X64, tf.constant([1.0, 2.0]), N).numpy() == 5 + 3 + 10 + 2


def test_tensors_of_range_keep_their_dtype():
    def f(x, n):
        for i in tf.range(n):
            x += i
        return x

    with pytest.raises(TypeError, match="int32.*int64|int64.*int32"):
        traced(f, X64, N)


def test_elements_of_lists_of_numbers():
    def f(x, n):
        weights = [0.1, 0.2, 0.3]
        grown = []
        total = x * 0
        for i in range(n):
            total += weights[i]
            grown.append(i + 0.5)
        for w, x in zip(weights, tf.stack([x, x, x])):
            total += w * x
        return total, total + sum(grown), grown

    total, more, grown = traced(f, F64, N)
    assert total.numpy() == pytest.approx(0.6 + 0.6 * 1.5, abs=1e-15)
    assert (more - total).numpy() == pytest.approx(4.5) and [g.numpy() for g in grown] == [0.5, 1.5, 2.5]


def test_nested_loops_and_branches():
    def f(x, n):
        best, rounds = 0, 0
        for i in range(n):
            if i > 1:
                for j in range(i):
                    best = max(best, i * j)
                    rounds += 1
            elif x > 3:
                best = x
        return best, x + rounds

    for x in (X64, F16, F64):
        best, total = traced(f, x, tf.constant(5))
        assert (best.dtype, best.numpy()) == (x.dtype, 12) and total.numpy() == x.numpy() + 9


def test_conversions_give_numbers():
    def f(x, y):
        return y + int(x), y * float(x), y + round(int(x)), y - len([x, x])

    for y in (X32, X64):
        assert traced(lambda x, y: y + int(x), tf.constant(2.75), y).dtype is y.dtype
    for x in (tf.constant(2.75), tf.constant(2.75, tf.float64), tf.constant(2), tf.constant(2, tf.int64)):
        for y in (F16, F32, F64):
            a, b, c, d = traced(f, x, y)
            assert {t.dtype for t in (a, b, c, d)} == {y.dtype}
            assert (a.numpy(), float(b.numpy()), d.numpy()) == (3.5, 1.5 * x.numpy(), -0.5)


def test_text_of_numbers_shows_their_last_width(capfd):
    def f(x, n):
        p = 1
        for _ in tf.range(n):
            p *= 10
        tf.print(p)
        return x + p

    traced(f, X64, tf.constant(12))
    assert capfd.readouterr().err == "1000000000000\n"


def test_what_took_a_number_for_int32_still_gets_it():
    def f(x, c):
        k = 4 if c else 5
        rows = tf.zeros([k, 2])
        same = tf.zeros([2], k.dtype) + k
        return tf.shape(rows), same, x + k

    rows, same, total = traced(f, X64, tf.constant(True))
    assert (rows.numpy().tolist(), same.dtype, same.numpy().tolist(), total.numpy()) == ([4, 2], tf.int32, [4, 4], 9)


def test_functions_take_numbers_as_tensors_of_the_dtype_that_they_have():
    @tf.function
    def inner(k):
        return k + tf.constant(1)

    def f(x, c):
        k = 4 if c else 5
        return inner(k), x + k

    assert [v.numpy() for v in traced(f, X64, tf.constant(True))] == [5, 9]


def test_gradients():
    def f(x, n):
        scale, i = 1.0, 0
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            while i < n:
                y = y * x * scale
                scale = scale * 0.5
                i += 1
        return tape.gradient(y, x), y * i

    for x in (F32, F64):
        slope, y = traced(f, x, N)
        assert slope.dtype is x.dtype and slope.numpy() == 4 * 1.5**3 / 8 and y.numpy() == 3 * 1.5**4 / 8


# --- what cannot be ----------------------------------------------------------------------------------------------------
def test_losses_are_refused_when_tracing():
    def branch(x, c):
        r = x
        if c:
            r = 0.5
        return r

    def later(x, c):
        if c:
            r = 0.5
        else:
            r = 1.5
        return r + x

    def loop(x, c):
        total = 0.5
        for _ in tf.range(3):
            total = x
        return total

    def flag(x, c):
        r = c
        if x > 3:
            r = 2
        return r

    for function, name, parts in (
        (branch, "'r'", ["0.5", "int64"]),
        (later, "'r'", ["float32", "int64", "tf.cast"]),
        (loop, "'total'", ["float32", "int64", "tf.cast"]),
        (flag, "'r'", ["int", "bool"]),
    ):
        with pytest.raises(TypeError) as caught:
            tf.function(function)(X64, tf.constant(True))
        text = str(caught.value)
        assert all(part in text for part in [name, __file__, *parts]), text


def test_a_constant_that_does_not_fit_is_refused_when_tracing():
    def f(x, c):
        r = x
        if c:
            r = 300
        return r

    x, c = tf.constant(1, tf.int8), tf.constant(True)
    with pytest.raises(TypeError, match=r"(?s)'r' is the Python int 300 .*300 does not fit into int8"):
        tf.function(f)(x, c)
    for function in (lambda x, c: 300 if c else x, lambda x, c: x + (300 if c else 400)):
        with pytest.raises(TypeError, match="does not fit into int8, which holds -128 to 127: it is 300"):
            tf.function(function)(x, c)


def test_tensors_of_two_dtypes_do_not_mix():
    def f(x, y, c):
        r = x if c else y
        return r

    with pytest.raises(TypeError, match="int64.*int32"):
        tf.function(f)(X64, X32, tf.constant(True))


# --- truth -----------------------------------------------------------------------------------------------------------
VALUES = [0, 3, -1, 0.0, 0.5, float("nan"), True, False, "", "a", 0j, 1j]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_truth(value):
    def f(x):
        found = "yes" if x else "no"
        if x:
            a = 1
        else:
            a = 0
        n = 0
        while x:
            n += 1
            if n > 1:
                break
        return found, a, n, not x, bool(x)

    result = [v.numpy() for v in traced(f, tf.constant(value))]
    truth = bool(value)
    assert result == [b"yes" if truth else b"no", int(truth), 2 if truth else 0, not truth, truth]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_operands(value):
    other = type(value)(1) if not isinstance(value, str) else "other"

    def f(x):
        return x or other, x and other, other and x

    expected = [v.encode() if isinstance(v, str) else v for v in f(value)]
    np.testing.assert_equal([v.numpy() for v in traced(f, tf.constant(value))], expected)


def test_operands_are_evaluated_as_python_does():
    def f(x):
        return x and 10 // x, (x == 0) or 10 // x > 3

    assert [v.numpy() for v in traced(f, tf.constant(0))] == [0, True]
    assert [v.numpy() for v in traced(f, tf.constant(2))] == [5, True]


def test_operands_of_two_dtypes_have_a_truth():
    def f(x, s):
        if x and s and x > 2:
            return 1
        return 2 if not (x or s) else 3

    found = [traced(f, tf.constant(x), tf.constant(s)).numpy() for x, s in ((3, "a"), (0, ""), (0, "a"), (3, ""))]
    assert found == [1, 2, 3, 3]


def test_a_condition_of_one_element():
    def f(x):
        n = 0
        while x:
            n += 1
            x = x - 1
        return n, 1 if x else 2

    for shape in ([1], [1, 1]):
        assert [v.numpy() for v in traced(f, tf.fill(shape, 3))] == [3, 2]
        assert traced(lambda x: 1 if x > 2 else 2, tf.fill(shape, 3)).numpy() == 1
    with pytest.raises(ValueError, match="tf.reduce_any"):
        traced(f, tf.constant([1, 2]))


def test_any_and_all_of_numbers():
    def f(v):
        return any(v), all(v), any([v[0], v[1]]), all([v[0] > 0, True])

    assert [bool(r) for r in traced(f, tf.constant([0, 3]))] == [True, False, True, False]


def test_the_condition_of_a_loop_widens_what_it_starts_with():
    def f(x, tolerance):
        old, value = 0.0, 1.0
        while abs(value - old) > tolerance:
            old = value
            value = value * x
        return value, old

    found = traced(f, tf.constant(0.5, tf.float64), tf.constant(0.1, tf.float64))
    assert [(v.numpy(), v.dtype) for v in found] == [(0.0625, tf.float64), (0.125, tf.float64)]


def test_absolute_values_of_unsigned_integers():
    assert traced(lambda x: abs(x), tf.constant(200, tf.uint8)).numpy() == 200


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
def test_a_number_that_a_loop_puts_in_place_of_a_tensor_is_of_its_dtype_for_good(dtype):
    @tf.function
    def f(x, rows, n):
        for _ in rows:
            x = 6.25
        for i in range(1, n + 1):
            x -= i
        return x

    found = f(tf.constant(1.5, dtype), tf.constant([1.0, 2.0]), tf.constant(3, tf.int64))
    assert found.dtype is dtype and found.numpy() == 0.25
    (concrete,) = f.list_all_concrete_functions()
    verify(concrete.graph)


def test_types_that_join_one_after_the_other_cost_no_more_each_time():
    first = last = WeakType(tf.int32)
    members = first.members
    members.extend(tf.function(lambda: 1).get_concrete_function().graph.outputs * 5)
    for _ in range(1000):
        following = WeakType(tf.int32)
        following.absorb(first.representative())
        assert first.representative() is following
        last = following
    assert last.members is members  # what is large does not move
    steps = 0
    while first is not last:
        first, steps = first._joined, steps + 1
    assert steps < 5


@pytest.mark.parametrize(("function", "wanted"), [(math.floor, 2), (math.ceil, 3), (math.trunc, 2)])
def test_whole_parts_are_numbers_of_python(function, wanted):
    def f(x, n, m):
        total = 1.5
        for _ in range(n):
            total = function(x)
        return function(x), function(x) + n, m * function(x), function(x) * x, function(x) * 0.5, total

    found = traced(f, F32, N, X64)
    small = wanted - 1  # F32 is 1.5
    assert [v.dtype.name for v in found[:4]] == ["int64", "int32", "int64", "float32"]
    assert [v.numpy() for v in found] == [small, small + 3, 5 * small, small * 1.5, small / 2, small]


@pytest.mark.parametrize("dtype", [tf.uint8, tf.uint32, tf.int8])
def test_a_number_that_a_dtype_does_not_hold_has_a_truth(dtype):
    far = -3 if dtype.is_unsigned else 300

    @tf.function
    def f(x):
        if x or far:
            return x + 1
        return x

    @tf.function
    def g(x):
        return x or far

    assert f(tf.constant(0, dtype)).numpy() == 1
    with pytest.raises((tf.errors.OpError, ValueError, TypeError), match=str(far)):
        g(tf.constant(0, dtype))
