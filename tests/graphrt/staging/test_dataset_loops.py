"""Loops over datasets in traced functions: the same results as Python's loops, in one node whatever the data.

Covers: graphrt/data/gradients.py.
"""

import collections

import numpy as np
import pytest

import graphrt as tf

D = tf.data.Dataset
Pair = collections.namedtuple("Pair", "left right")


def i64(value):
    return tf.constant(value, tf.int64)


def total(ds):
    s = i64(0)
    for x in ds:
        s += x
    return s


def until_large(ds):
    s = i64(0)
    for x in ds:
        if x > 3:
            break
        s += x
    return s


def odd_only(ds):
    s = i64(0)
    for x in ds:
        if x % 2 == 0:
            continue
        s = s * 10 + x
    return s


def find(ds):
    for x in ds:
        if x * x > 10:
            return x
    return i64(-1)


def find_pair(ds):
    for x in ds:
        if x == 4:
            return x, "found"
        if x == 99:
            return x, "never"
    return i64(0), "missing"


def with_else(ds):
    s = i64(0)
    for x in ds:
        s += x
        if s > 20:
            break
    else:
        s += 1000
    return s


def nested(ds):
    s = i64(0)
    for x in ds:
        for y in D.range(x):
            if y == 3:
                break
            s += x * 10 + y
    return s


def nested_return(ds):
    for x in ds:
        for y in ds:
            if x + y == 7:
                return x * 10 + y
    return i64(-1)


def in_range_loop(ds):
    s = i64(0)
    for i in tf.range(3):
        for x in ds:
            s += x * tf.cast(i, tf.int64)
    return s


def with_while(ds):
    steps = i64(0)
    for x in ds:
        n = x + 1
        while n > 0:
            n -= 2
            steps += 1
    return steps


def counted(ds):
    s = i64(0)
    for i, x in enumerate(ds):
        s += i * x
    return s


def counted_from(ds):
    s = i64(0)
    for i, x in enumerate(ds, 5):
        s += i * x
    return s


def side_by_side(ds):
    s = i64(0)
    for x, y in zip(ds, ds.skip(1)):
        s += x * y
    return s


def counted_pairs(ds):
    s = i64(0)
    for i, (x, y) in enumerate(zip(ds, ds)):
        s += i * x + y
    return s


def mapped(ds):
    s = i64(0)
    for x in map(lambda v: v * v, ds):
        s += x
    return s


def filtered(ds):
    s = i64(0)
    for x in filter(lambda v: v > 2, ds):
        s += x
    return s


def structure_state(ds):
    state = {"sum": i64(0), "last": (i64(-1), 0)}
    for x in ds:
        state = {"sum": state["sum"] + x, "last": (x, state["last"][1] + 1)}
    return state["sum"], state["last"]


def first_seen(ds):
    best = None
    for x in ds:
        if best is None or x < best:
            best = x
    return best


def set_inside(ds):
    for x in ds:
        y = x * 2
        z = y + 1
    return y + z


def array_state(ds):
    out = tf.TensorArray(tf.int64, size=0, dynamic_size=True)
    n = 0
    for x in ds:
        out = out.write(n, x * 3)
        n += 1
    return out.stack()


def grown(ds):
    s = tf.zeros([0], tf.int64)
    for x in ds:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(s, tf.TensorShape([None]))])
        s = tf.concat([s, [x]], 0)
    return s


def no_state(ds):
    for x in ds:
        tf.debugging.assert_less(x, i64(100))
    return i64(1)


def python_object(ds):
    factor = {"two": 2}
    s = i64(0)
    for x in ds:
        s += x * factor["two"]
    return s


def dataset_state(ds):
    rest = ds
    for x in ds.take(2):
        rest = rest.skip(1)
    return total(rest)


def conditional_dataset(ds):
    chosen = ds.take(2) if total(ds) > 3 else ds.take(1)
    return total(chosen)


def windows(ds):
    s = i64(0)
    for w in ds.window(2):
        inner = i64(1)
        for x in w:
            inner *= x + 1
        s += inner
    return s


def batched(ds):
    s = tf.zeros([], tf.int64)
    for b in ds.batch(2):
        s += tf.reduce_sum(b) * tf.cast(tf.shape(b)[0], tf.int64)
    return s


def made_inside(ds):
    s = i64(0)
    for x in D.from_tensor_slices(tf.stack([total(ds), i64(7)])).repeat(2):
        s = s * 3 + x
    return s


def tuple_elements(ds):
    s = i64(0)
    for a, b in D.zip(ds, ds.map(lambda v: v * 2)):
        s += a * b
    return s


def dict_elements(ds):
    s = i64(0)
    for e in ds.map(lambda v: {"a": v, "b": (v, v + 1)}):
        s += e["a"] * e["b"][1]
    return s


def named_elements(ds):
    s = i64(0)
    for e in ds.map(lambda v: Pair(v, v + 1)):
        s += e.left * e.right
    return s


def over_iterator(ds):
    it = iter(ds)
    s = i64(0)
    for x in it:
        if x == 2:
            break
        s += x
    for x in it:
        s = s * 2 + x
    return s


def two_breaks(ds):
    s = i64(0)
    for x in ds:
        if x == 2:
            continue
        if s > 3:
            break
        s += x
        if x == 4:
            break
    return s


def in_branch(ds):
    if total(ds) > 3:
        s = i64(0)
        for x in ds:
            s -= x
    else:
        s = i64(5)
    return s


ALIKE = [
    total, until_large, odd_only, find, find_pair, with_else, nested, nested_return, in_range_loop, with_while, counted,
    counted_from, side_by_side, counted_pairs, mapped, filtered, structure_state, first_seen, set_inside, array_state,
    grown, no_state, python_object, conditional_dataset, windows, batched, made_inside, tuple_elements, dict_elements,
    named_elements, over_iterator, two_breaks, in_branch,
]  # fmt: skip


def plain(value):
    return tf.nest.map_structure(lambda v: np.asarray(v.numpy()).tolist() if hasattr(v, "numpy") else v, value)


@pytest.mark.parametrize("size", [1, 2, 7])
@pytest.mark.parametrize("function", ALIKE, ids=lambda f: f.__name__)
def test_as_in_python(function, size):
    ds = D.range(size)
    expected = plain(function(ds))
    found = plain(tf.function(function)(ds))
    if function is find_pair:
        expected, found = ((a, b if isinstance(b, bytes) else b.encode()) for a, b in (expected, found))
    assert found == expected


@pytest.mark.parametrize(
    "function", [total, until_large, find, odd_only, with_else, structure_state, array_state, over_iterator, first_seen]
)
def test_graphs_do_not_grow_with_the_data(function):
    traced = tf.function(function)
    small, large = (traced.get_concrete_function(D.range(n)).graph for n in (2, 5000))
    assert small is large
    assert len(small.nodes) < 60
    assert traced.experimental_get_tracing_count() == 1


def types(function, *args):
    return [n.type for n in tf.function(function).get_concrete_function(*args).graph.nodes]


def test_a_loop_is_one_node():
    assert types(total, D.range(3)).count("ReduceDataset") == 1
    assert not {"While", "StatelessWhile", "ScanDataset"} & set(types(total, D.range(3)))


def test_a_loop_that_may_end_early_is_three_nodes_as_in_tensorflow():
    found = types(until_large, D.range(3))
    assert [t for t in found if t.endswith("Dataset")] == ["ScanDataset", "TakeWhileDataset", "ReduceDataset"]


@pytest.mark.parametrize("function", [until_large, find, with_else])
def test_nothing_is_read_after_the_end(function):
    seen = []

    def numbers():
        for i in range(50):
            seen.append(i)
            yield i

    ds = D.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int64))
    expected = plain(function(ds))
    counts = [len(seen)]
    seen.clear()
    assert plain(tf.function(function)(ds)) == expected
    assert len(seen) == counts[0] < 50


def test_infinite_datasets_can_be_left():
    assert tf.function(until_large)(D.counter()).numpy() == 6
    assert tf.function(find)(D.counter()).numpy() == 4


def test_empty_datasets_run_no_iteration():
    empty = D.range(0)
    assert tf.function(total)(empty).numpy() == 0
    assert tf.function(find)(empty).numpy() == -1
    assert tf.function(with_else)(empty).numpy() == 1000
    with pytest.raises(tf.errors.InvalidArgumentError, match="must iterate at least once to initialize .*y"):
        tf.function(set_inside)(empty)


def test_effects_happen_in_order(capfd):
    v = tf.Variable(0, dtype=tf.int64)
    seen = []

    @tf.function
    def run(ds):
        for x in ds:
            v.assign_add(x)
            tf.py_function(lambda a, b: seen.append((int(a), int(b))), [x, v], [])
            if v > 5:
                break
        v.assign(v * 100)
        return v.read_value()

    assert run(D.range(10)).numpy() == 600
    assert seen == [(0, 0), (1, 1), (2, 3), (3, 6)]
    assert run(D.range(1)).numpy() == 60000


def test_closures_and_arguments():
    captured = D.range(4)
    scale = tf.constant(10, tf.int64)

    @tf.function
    def run(ds, factor):
        s = i64(0)
        for x in captured:
            for y in ds:
                s += x * y * factor + scale
        return s

    assert run(D.range(1, 3), i64(2)).numpy() == sum(x * y * 2 + 10 for x in range(4) for y in (1, 2))


def test_gradients_inside_the_loop():
    w = tf.Variable(2.0)

    @tf.function
    def train(ds):
        for x in ds:
            with tf.GradientTape() as tape:
                loss = (w * x - 1.0) ** 2
            w.assign_sub(0.1 * tape.gradient(loss, w))
        return w.read_value()

    expected = 2.0
    for x in (1.0, 2.0, 3.0):
        expected -= 0.1 * 2 * (expected * x - 1.0) * x
    assert train(D.from_tensor_slices([1.0, 2.0, 3.0])).numpy() == pytest.approx(expected, abs=1e-6)


def test_a_variable_that_changes_its_dtype_is_named():
    @tf.function
    def run(ds):
        s = i64(0)
        for x in ds:
            s = tf.cast(x, tf.float32)
        return s

    with pytest.raises(TypeError, match=r"'s' has dtype int64 before the loop, but dtype float32"):
        run(D.range(3))


def test_the_shape_of_a_variable_may_change():
    @tf.function
    def run(ds):
        s = tf.zeros([0], tf.int64)
        for x in ds:
            s = tf.concat([s, [x]], 0)
        return s

    assert run(D.range(3)).numpy().tolist() == [0, 1, 2]
    assert run.get_concrete_function(D.range(3)).structured_outputs.shape.as_list() == [None]


def test_a_failing_body_names_the_line():
    @tf.function
    def run(ds):
        s = i64(0)
        for x in ds:
            s += 6 // (x - 2)
        return s

    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"(?s)division by zero.*test_dataset_loops.py:\d+.*element number 2"
    ):
        run(D.range(5))


def test_functions_return_datasets():
    @tf.function
    def pipeline(ds, n):
        return {"x": ds.map(lambda x: x * n), "n": n}

    found = pipeline(D.range(3), i64(4))
    assert list(found["x"].as_numpy_iterator()) == [0, 4, 8]
    assert found["x"].element_spec == tf.TensorSpec([], tf.int64)


def test_datasets_as_results_of_branches_and_in_state():
    assert tf.function(dataset_state)(D.range(5)).numpy() == 9


def test_len_and_reductions_of_datasets():
    @tf.function
    def measures(ds):
        return len(ds), sum(ds), max(ds), min(ds), any(ds.map(lambda x: x > 2)), all(ds.map(lambda x: x > 2))

    assert plain(measures(D.range(1, 5))) == (4, 10, 4, 1, True, False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="len requires a dataset"):
        measures(D.range(5).filter(lambda x: x > 1))


def test_lists_grow_in_loops():
    @tf.function
    def collected(ds):
        found = []
        for x in ds:
            found.append(x * 2)
        return tf.stack(found)

    assert collected(D.range(4)).numpy().tolist() == [0, 2, 4, 6]


def test_containers_and_objects_keep_their_identity():
    @tf.function
    def run(ds):
        table = {"n": i64(0)}
        alias = table
        for x in ds:
            table["n"] += x
        return alias["n"]

    assert run(D.range(5)).numpy() == 10


def test_comprehensions_run_over_datasets():
    @tf.function
    def squares(ds):
        return tf.stack([x * x for x in ds])

    assert squares(D.range(4)).numpy().tolist() == [0, 1, 4, 9]


def test_python_loops_that_nobody_converts_are_refused():
    @tf.function(autograph=False)
    def run(ds):
        return [x for x in iter(ds)]

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="has no end there"):
        run(D.range(3))


def test_long_loops_are_quick_and_take_no_memory():
    import tracemalloc

    run = tf.function(total)
    run(D.range(10))
    tracemalloc.start()
    assert run(D.range(20000).map(lambda x: x + 1)).numpy() == 20000 * 20001 // 2
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


def test_datasets_of_other_functions_elements():
    ds = D.from_tensor_slices(np.arange(12, dtype=np.float32).reshape(6, 2)).batch(2)

    @tf.function
    def run(ds):
        best = tf.constant(-1.0)
        for b in ds:
            for row in b:
                best = tf.maximum(best, tf.reduce_sum(row))
        return best

    assert run(ds).numpy() == 21.0


# --- gradients -------------------------------------------------------------------------------------------------------
NUMBERS = tf.data.Dataset.from_tensor_slices(np.array([0.3, -0.5, 0.8, 1.2]))
SCALE = tf.Variable(np.float64(0.9))


def plain_sum(x, w):
    for e in NUMBERS:
        x = tf.sin(x) * w + e * SCALE
    return x


def with_break(x, w):
    for e in NUMBERS.repeat():
        x = tf.sin(x) * w + e * SCALE * x
        if e > 1.0:
            break
        if e < 0.0:
            continue
        x = x * 1.1
    return x


def with_return(x, w):
    for _, e in enumerate(NUMBERS):
        if e > 0.7:
            return x * e
        for f in NUMBERS.take(2):
            x = x * w + f
    return x


def with_array(x, w):
    array = tf.TensorArray(tf.float64, 0, dynamic_size=True)
    for i, e in NUMBERS.enumerate():
        x = tf.sin(x * w) + e
        array = array.write(tf.cast(i, tf.int32), x)
    return tf.reduce_sum(array.stack() * SCALE)


def reduced(x, w):
    return NUMBERS.reduce(x, lambda s, e: tf.sin(s) * w + e * SCALE)


def with_iterator(x, w):
    for e in iter(NUMBERS):
        x = tf.sin(x) * w + e * SCALE
    return x


def derivatives(f, x, w):
    with tf.GradientTape() as outer:
        outer.watch([x, w])
        with tf.GradientTape() as inner:
            inner.watch([x, w])
            y = f(x, w)
        first = inner.gradient(y, [x, w, SCALE], unconnected_gradients="zero")
        z = sum(tf.sin(g) * g for g in first)
    return [y, *first, *outer.gradient(z, [x, w, SCALE], unconnected_gradients="zero")]


@pytest.mark.parametrize("f", [plain_sum, with_break, with_return, with_array, reduced, with_iterator])
def test_gradients_are_those_of_the_python_loop(f):
    x, w = tf.constant(0.3, tf.float64), tf.constant(1.1, tf.float64)
    expected = derivatives(plain_sum if f in (reduced, with_iterator) else f, x, w)
    staged = tf.function(f)
    for found in (
        derivatives(f, x, w), derivatives(staged, x, w), tf.function(lambda x, w: derivatives(f, x, w))(x, w),
        tf.function(lambda x, w: derivatives(staged, x, w))(x, w),
    ):  # fmt: skip
        for a, b in zip(expected, found):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-10)


def test_a_gradient_reads_no_more_elements():
    seen = []

    def numbers():
        for i in range(100):
            seen.append(i)
            yield float(i)

    dataset = tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.float32))

    @tf.function
    def f(x):
        for e in dataset:
            x = x * 2.0
            if e > 2.0:
                break
        return x

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert tape.gradient(y, x).numpy() == 16.0
    assert seen == [0, 1, 2, 3]
