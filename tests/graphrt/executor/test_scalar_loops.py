"""Loops over whole numbers give what NumPy's numbers give, wrapped around as those are."""

import numpy as np
import pytest

import graphrt as tf
from graphrt import errors

LIMITS = {t: (np.iinfo(t).min, np.iinfo(t).max) for t in ("int8", "uint8", "int16", "int32", "uint32", "int64")}


def program(rng, dtype):
    """A loop of some statements, as a function of its state: two whole numbers, a truth, and a number to stop at."""

    def constant():
        low, high = LIMITS[dtype]
        small = [1, 2, 3, 5, 7] + ([] if low == 0 else [-1, -2, -3])
        return tf.constant(rng.choice([*small, low, high, high // 3]), dtype)

    steps = []
    for _ in range(rng.integers(2, 6)):
        kind, swap = rng.integers(13), rng.integers(2)
        c = constant()
        steps.append((int(kind), int(swap), c))

    def one(kind, swap, c, a, b, flag):
        if swap:
            a, b = b, a
        if kind < 4:
            a = (a + c, a - c, a * b, c - a)[kind]
        elif kind == 4:
            a = a // c
        elif kind == 5:
            a = a % c
        elif kind == 6:
            flag = tf.logical_or(flag, a < b)
        elif kind == 7:
            a = tf.where(flag, a, b + c)
        elif kind == 8:
            a, flag = tf.cond(flag, lambda: (b * c, a == b), lambda: (c, tf.logical_not(flag)))
        elif kind in (11, 12):
            divisor = tf.where(tf.equal(b, tf.zeros_like(b)), tf.ones_like(b), b)
            a = a // divisor if kind == 11 else a % divisor
        elif kind == 9:
            a = tf.maximum(tf.minimum(a, c), b) if dtype.startswith("int") else a + b
        else:
            a, _ = tf.while_loop(
                lambda v, n: tf.logical_and(n < 3, v != c), lambda v, n: (v + b, n + 1), (a, tf.constant(0))
            )
        return (b, a, flag) if swap else (a, b, flag)

    def run(a, b, count):
        def body(a, b, flag, n):
            for step in steps:
                a, b, flag = one(*step, a, b, flag)
            return a, b, flag, n + 1

        start = (a, b, tf.constant(False), tf.zeros([], count.dtype))
        return tf.while_loop(lambda a, b, flag, n: n < count, body, start)

    return run


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_loops_are_equal_to_eager_ones():
    compared = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        dtype = str(rng.choice(list(LIMITS)))
        run = program(rng, dtype)
        low, high = LIMITS[dtype]
        a, b = (tf.constant(v, dtype) for v in rng.integers(low, high, 2, dtype=dtype, endpoint=True))
        count = tf.constant(7)
        function = tf.function(run)
        found, wanted = function(a, b, count), run(a, b, count)
        for one, other in zip(found, wanted, strict=True):
            assert one.dtype is other.dtype and one.shape == ()
            assert type(one.numpy()) is type(other.numpy())
            assert one.numpy() == other.numpy(), (seed, dtype, function.get_concrete_function(a, b, count).source)
        compared += "int(count)" in function.get_concrete_function(a, b, count).source
    assert compared > 50


def source(function, *args):
    return function.get_concrete_function(*args).source


def test_numbers_that_something_else_takes_stay_as_they_are():
    @tf.function
    def f(x, n):
        for i in tf.range(n):
            x = x + tf.cast(i, tf.float16)
        return x

    x, n = tf.ones([3], tf.float16), tf.constant(4)
    assert f(x, n).numpy().tolist() == [7.0, 7.0, 7.0]
    assert "int(" not in source(f, x, n)


def test_arrays_and_numbers_go_side_by_side():
    @tf.function
    def f(x, n):
        i = tf.constant(0)
        while i < n:
            x = x * 2.0
            i += 1
        return x, i

    x, n = tf.ones([3]), tf.constant(4)
    found, i = f(x, n)
    assert found.numpy().tolist() == [16.0] * 3 and i.numpy() == 4 and i.dtype == tf.int32
    assert "int(n)" in source(f, x, n) and "int32(" in source(f, x, n)


def test_what_a_loop_gives_is_of_its_dtype():
    @tf.function
    def f(n):
        found, flag = tf.constant(1, tf.int8), tf.constant(False)
        while n > 0:
            found = found * 3
            flag = found < 0
            n -= 1
        return found + 1, flag, tf.cast(flag, tf.float32)

    found, flag, number = f(tf.constant(5))
    assert found.dtype == tf.int8 and found.numpy() == np.int8(-13 + 1)
    assert type(flag.numpy()) is np.bool_ and bool(flag) and number.numpy() == 1.0


def test_a_failure_beside_numbers_names_its_line():
    @tf.function
    def f(n, d):
        total = tf.constant(0)
        while n > 0:
            total += 10 // (n - d)
            n -= 1
        return total

    assert f(tf.constant(3), tf.constant(9)).numpy() == sum(10 // (n - 9) for n in (1, 2, 3))
    with pytest.raises(errors.InvalidArgumentError, match="(?s)zero.*test_scalar_loops.py"):
        f(tf.constant(3), tf.constant(2))


def test_deep_nests_keep_their_numbers():
    def nest(depth):
        def run(total, n):
            def body(i, total):
                return i + 1, (run_inner(total, n) if depth > 1 else total * 3 + i)

            limit = n if depth % 4 == 0 else n - 1
            return tf.while_loop(lambda i, total: i < limit, body, (tf.constant(0), total))[1]

        run_inner = nest(depth - 1) if depth > 1 else None
        return run

    run = nest(14)
    two = tf.constant(2)
    assert tf.function(run)(tf.constant(1), two).numpy() == run(tf.constant(1), tf.constant(2)).numpy()


@pytest.mark.parametrize("op", ["//", "%"])
def test_a_divisor_that_becomes_zero_is_refused_as_it_is_eagerly(op):
    def f(n):
        found, d = 0 * n, n
        while d > -3:
            found += 100 // d if op == "//" else 100 % d
            d -= 1
        return found

    function, n = tf.function(f), tf.constant(3)
    assert (
        f" {op} " in function.get_concrete_function(n).source
        and "k_Floor" not in function.get_concrete_function(n).source
    )
    with pytest.raises(errors.InvalidArgumentError, match=r"(?s)^Integer division by zero.*test_scalar_loops\.py:\d"):
        function(n)
    with pytest.raises(errors.InvalidArgumentError, match="Integer division by zero"):
        f(n)


# --- loops that count ------------------------------------------------------------------------------------------------
def counted(x, start, stop):
    for i in tf.range(start, stop):
        x = x * 0.5 + tf.cast(i, x.dtype)
    return x


@pytest.mark.parametrize("dtype", ["int8", "uint32", "int32", "int64"])
def test_loops_that_count_count_with_range(dtype):
    function, x = tf.function(counted), tf.constant(1.5, tf.float64)
    most = LIMITS[dtype][1] if dtype in LIMITS else 0
    for start, stop in ((0, 9), (9, 0), (3, 3), (most - 3, most)):
        given = x, tf.constant(start, dtype), tf.constant(stop, dtype)
        assert function(*given).numpy() == counted(*given).numpy()
        assert "for v" in source(function, *given)
    assert "while True:" not in source(function, x, tf.constant(0), tf.constant(1))


def test_rows_that_are_read_in_turn_are_read_by_the_counter():
    @tf.function
    def f(rows, n):
        total, kept = tf.zeros([2]), tf.TensorArray(tf.float32, n)
        for i in tf.range(n):
            total += rows[i] * 2.0
            kept = kept.write(i, total[0])
        for row in rows:
            total += row
        return total, kept.stack()

    rows = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    total, kept = f(rows, tf.constant(2))
    assert (total.numpy().tolist(), kept.numpy().tolist()) == ([17.0, 24.0], [2.0, 8.0])
    text = source(f, rows, tf.constant(2))
    assert text.count("for v") == 1 and "while True:" not in text and ">= 0" not in text
    assert " in rows:" in text
    with pytest.raises(
        errors.InvalidArgumentError, match=r"(?s)slice index 3 of dimension 0.*test_scalar_loops\.py:\d"
    ):
        f(rows, tf.constant(4))


def _rows_and_what_they_are(rows):
    total, last = rows[0] * 0, rows[0]
    for row in rows:
        for element in row:
            total += element * row - last
        last = row
    return total, last


def _also_the_count(rows):
    total = rows[0] * 0
    for i, row in enumerate(rows):
        total += row * tf.cast(i, rows.dtype)
    return total


def _some_rows(rows):
    total = rows[0] * 0
    for row in rows:
        if tf.reduce_sum(row) > 100:
            break
        total += row
    return total


def _two(rows):
    total = rows[0] * 0
    for a, b in zip(rows, rows[::-1]):
        total += a * total - b
    return total


def _next_rows(rows):
    total = rows[0] * 0
    for i in tf.range(3):
        total += rows[tf.minimum(i + 1, 3)]
    return total


def _fewer(rows):
    total = rows[0] * 0
    for i in tf.range(3):
        total += rows[i] * 3
    return total


def _other_rows_each_time(rows):
    total = rows[0] * 0
    for i in tf.range(4):
        total += rows[i] * 3
        rows = rows + 1
    return total


def _only_the_last(rows):
    last = rows[0]
    for row in rows:
        last = row
    return last


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.bool_])
@pytest.mark.parametrize(
    "function, over",
    [
        (_rows_and_what_they_are, True), (_also_the_count, True), (_some_rows, False), (_two, False), (_next_rows, False),
        (_fewer, False), (_other_rows_each_time, False), (_only_the_last, True),
    ],
)  # fmt: skip
def test_loops_over_all_rows_go_over_them(function, over, kind):
    if kind is np.bool_ and function is not _only_the_last:
        pytest.skip("no arithmetic")
    rows = tf.constant(np.random.default_rng(1).integers(-9, 9, (4, 4)).astype(kind))
    staged = tf.function(function)
    found, wanted = staged(rows), function(rows)
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(wanted)):
        assert a.dtype == b.dtype and a.numpy().tobytes() == b.numpy().tobytes()
    assert (" in rows:" in source(staged, rows)) == over


@pytest.mark.parametrize("count", [0, 1, 5])
def test_loops_over_numbers_give_numbers(count):
    @tf.function
    def f(x):
        total, last = tf.constant(0, tf.int64), tf.constant(7, tf.int64)
        for v in x:
            total, last = total + v, v
        return total, last

    given = np.arange(count, dtype=np.int64)
    assert [r.numpy() for r in f(tf.constant(given))] == [given.sum(), count - 1 if count else 7]


def test_rows_of_deep_loops_are_found_where_their_text_stands():
    @tf.function
    def f(x):
        total = tf.constant(0.0)

        def nest(depth, total):
            if depth == 0:
                for v in x:
                    total += v
                return total
            for _ in tf.range(1):
                total = nest(depth - 1, total)
            return total

        return nest(14, total)

    assert f(tf.constant([1.0, 2.0, 4.0])).numpy() == 7.0


def test_gradients_of_loops_over_rows():
    @tf.function
    def f(x):
        y = tf.constant(1.0)
        for v in x:
            y = y * v + v
        return y

    x = tf.constant([2.0, 3.0, 5.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert y.numpy() == 80.0 and tape.gradient(y, x).numpy().tolist() == [30.0, 25.0, 16.0]


@pytest.mark.parametrize(
    "test, step",
    [
        (lambda i, n: i < n, lambda i, n: (i + 2, n)),  # may leave its dtype
        (lambda i, n: i < n, lambda i, n: (i + 1, n - 1)),
        (lambda i, n: i < n, lambda i, n: (i - 1, n)),
        (lambda i, n: i <= n, lambda i, n: (i + 1, n)),
        (lambda i, n: i + 1 < n, lambda i, n: (i + 1, n)),
    ],
)
def test_loops_that_range_does_not_count_do_not(test, step):
    def f(i, n, total):
        return tf.while_loop(
            lambda i, n, total: tf.logical_and(test(i, n), total < 50) if step(0, 0)[0] < 0 else test(i, n),
            lambda i, n, total: (*step(i, n), total + i * n), (i, n, total),
        )[2]  # fmt: skip

    given = tf.constant(3), tf.constant(20), tf.constant(0)
    function = tf.function(f)
    assert function(*given).numpy() == f(*given).numpy()
    assert "while True:" in source(function, *given)


def test_a_counter_that_is_used_behind_its_loop_is_what_ended_it():
    @tf.function
    def f(n):
        i = tf.constant(0)
        while i < n:
            i += 1
        return i

    assert [f(tf.constant(n)).numpy() for n in (-2, 0, 5)] == [0, 0, 5]


def test_steps_that_stay_in_the_dtype_are_counted():
    @tf.function
    def f(x):
        for i in range(3, 20, 4):
            x = x + 1
        i = tf.constant(3)
        while i < 20:
            x = x * 3 + i
            i += 4
        return x

    x = tf.constant(2)
    assert ", 20, 4):" in source(f, x)
    assert f(x).numpy() == f.python_function(x).numpy()


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "uint64"])
def test_ranges_of_unsigned_numbers_that_are_beyond_their_end_are_empty(dtype):
    start, stop = tf.constant(9, dtype), tf.constant(0, dtype)
    assert tf.range(start, stop).numpy().tolist() == []
    assert tf.range(stop, start, tf.constant(4, dtype)).numpy().tolist() == [0, 4, 8]


# --- floats ----------------------------------------------------------------------------------------------------------
FLOATS = [0.0, -0.0, 1.0, -1.5, 0.1, 3e200, -1e-310, np.inf, -np.inf, np.nan]


def float_program(rng):
    """A loop of some statements about two floats, as a function of them and of how often."""
    steps = [
        (int(rng.integers(13)), bool(rng.integers(2)), float(rng.choice(FLOATS))) for _ in range(rng.integers(2, 7))
    ]

    def one(kind, number, a, b, i):
        c = tf.constant(number, tf.float64)
        rules = [
            lambda: a + b, lambda: a - c, lambda: a * b, lambda: c - b, lambda: -a, lambda: tf.abs(b), lambda: a / b, lambda: c / a,
            lambda: tf.where(a < b, a, c), lambda: tf.where(tf.equal(a, b), c, b), lambda: tf.square(a),
            lambda: a + tf.cast(i, tf.float64), lambda: tf.cond(a >= c, lambda: b * 0.5, lambda: a / 3.0),
        ]  # fmt: skip
        return rules[kind]()

    def run(a, b, count):
        for i in tf.range(count):
            for kind, swap, number in steps:
                if swap:
                    b = one(kind, number, a, b, i)
                else:
                    a = one(kind, number, b, a, i)
        return a, b

    return run


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_loops_over_floats_are_equal_to_eager_ones():
    compared = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        run, count = float_program(rng), tf.constant(4, ["int32", "int64", "uint16"][seed % 3])
        function = tf.function(run)
        for _ in range(3):
            given = [tf.constant(v, tf.float64) for v in (*rng.choice(FLOATS, 1), rng.standard_normal())]
            found, wanted = function(*given, count), run(*given, count)
            for one, other in zip(found, wanted, strict=True):
                assert type(one.numpy()) is np.float64, (seed, source(function, *given, count))
                bits = [np.where(np.isnan(v), np.nan, v).view(np.int64) for v in (one.numpy(), other.numpy())]
                assert bits[0] == bits[1], (seed, given, source(function, *given, count))
        compared += "float(" in source(function, *given, count)
    assert compared > 30


def test_floats_that_something_else_takes_stay_as_they_are():
    @tf.function
    def f(x, n):
        total = tf.zeros([2], tf.float64)
        for i in tf.range(n):
            x = tf.sin(x) + tf.cast(i, tf.float64)
            total += x
        return x, total

    given = tf.constant(0.5, tf.float64), tf.constant(3)
    x, total = f(*given)
    assert "float(" not in source(f, *given) and total.shape == (2,)
    assert x.numpy() == np.sin(np.sin(np.sin(0.5)) + 1) + 2


def test_a_state_whose_shape_changes_in_a_loop_is_no_number():
    @tf.function
    def f(x, n):
        return tf.while_loop(
            lambda x, i: i < n, lambda x, i: (x * 2.0, i + 1), (x, tf.constant(0)),
            shape_invariants=(tf.TensorShape(None), tf.TensorShape([])),
        )[0]  # fmt: skip

    assert f(tf.constant(1.5, tf.float64), tf.constant(3)).numpy() == 12.0
    assert f(tf.constant([1.5], tf.float64), tf.constant(3)).numpy().tolist() == [12.0]
