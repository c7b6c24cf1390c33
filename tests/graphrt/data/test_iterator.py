"""Iterators and optionals: eagerly, as values in functions, as arguments of them.

Covers: graphrt/data/optional.py.
"""

import gc
import weakref

import numpy as np
import pytest

import graphrt as tf

D = tf.data.Dataset


def test_next_in_functions():
    @tf.function
    def step(it):
        return next(it)

    a, b = iter(D.range(3)), iter(D.range(10, 20))
    assert [step(a).numpy(), step(b).numpy(), step(a).numpy()] == [0, 10, 1]
    assert step.experimental_get_tracing_count() == 1
    assert next(a).numpy() == 2
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        step(a)
    with pytest.raises(StopIteration):
        next(a)
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        a.get_next()


def test_the_default_of_next_counts_in_functions():
    @tf.function
    def step(it):
        return next(it, tf.constant(-1, tf.int64))

    it = iter(D.range(1))
    assert [step(it).numpy() for _ in range(3)] == [0, -1, -1]


def test_a_default_of_another_type_is_refused():
    with pytest.raises(TypeError, match="needs a default of the type of the elements"):
        tf.function(lambda it: next(it, None))(iter(D.range(1)))


def test_iterators_are_made_in_functions():
    @tf.function
    def firsts(n):
        it = iter(D.range(n, n + 5))
        return next(it), it.get_next(), next(it)

    assert [x.numpy() for x in firsts(tf.constant(7, tf.int64))] == [7, 8, 9]
    assert [x.numpy() for x in firsts(tf.constant(0, tf.int64))] == [0, 1, 2]


def test_functions_capture_iterators():
    it = iter(D.range(5))

    @tf.function
    def two():
        return next(it) * 10 + next(it)

    assert [two().numpy(), two().numpy()] == [1, 23]


def test_structures_and_specs():
    it = iter(D.from_tensor_slices({"a": [1, 2], "b": (["x", "y"], [0.5, 1.5])}))
    assert it.element_spec["b"][0] == tf.TensorSpec([], tf.string)
    first = next(it)
    assert first["b"][0].numpy() == b"x" and first["b"][1].dtype == tf.float32
    assert tf.data.IteratorSpec.from_value(it).element_spec == it.element_spec


def test_signatures_name_datasets_and_iterators():
    vectors = tf.TensorSpec([None], tf.int64)

    @tf.function(input_signature=[tf.data.DatasetSpec(vectors), tf.data.IteratorSpec(vectors)])
    def run(ds, it):
        s = tf.reduce_sum(next(it))
        for x in ds:
            s += tf.reduce_sum(x)
        return s

    ds = D.range(5).batch(2)
    assert run(ds, iter(ds)).numpy() == 11
    assert run(D.range(4).batch(2, drop_remainder=True), iter(ds)).numpy() == 7
    assert run.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match="expected DatasetSpec"):
        run(D.range(3), iter(ds))


def test_datasets_of_one_type_share_a_trace():
    @tf.function
    def total(ds):
        return ds.reduce(tf.constant(0, tf.int64), lambda s, x: s + x)

    assert [total(D.range(3)).numpy(), total(D.range(9).map(lambda x: x).cache()).numpy()] == [3, 36]
    total(D.range(4).batch(2))
    assert total.experimental_get_tracing_count() == 2


def test_traces_do_not_keep_iterators_alive():
    step = tf.function(lambda it: next(it))
    it = iter(D.range(3))
    step(it)
    gone = weakref.ref(it._handle._value)
    del it
    gc.collect()
    assert gone() is None


def test_optionals():
    Optional = tf.experimental.Optional
    it = iter(D.range(1))
    some, none = it.get_next_as_optional(), it.get_next_as_optional()
    assert bool(some.has_value()) and not bool(none.has_value())
    assert some.get_value().numpy() == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        none.get_value()
    pair = Optional.from_value((1, "a"))
    assert pair.get_value()[1].numpy() == b"a"
    assert pair.element_spec == (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.string))
    assert not bool(Optional.empty(tf.TensorSpec([2], tf.float32)).has_value())


def test_optionals_pass_through_functions():
    @tf.function
    def following(it):
        return it.get_next_as_optional()

    @tf.function
    def value(optional):
        if optional.has_value():
            return optional.get_value()
        return tf.constant(-1, tf.int64)

    it = iter(D.range(1))
    assert [value(following(it)).numpy(), value(following(it)).numpy()] == [0, -1]


def test_numpy_iterators():
    ds = D.from_tensor_slices(({"a": [[1, 2], [3, 4]]}, ["x", "y"]))
    (first, _) = list(ds.as_numpy_iterator())
    assert first[0]["a"].tolist() == [1, 2] and first[1] == b"x"
    first[0]["a"][0] = 99
    assert next(ds.as_numpy_iterator())[0]["a"].tolist() == [1, 2]
    with pytest.raises(TypeError, match="as_numpy_iterator"):
        D.range(3).window(2).as_numpy_iterator()
    with pytest.raises(RuntimeError, match="while tracing"):
        tf.function(lambda: D.range(3).as_numpy_iterator())()


def test_elements_are_not_changed_by_what_users_do_with_them():
    source = np.arange(4)
    ds = D.from_tensor_slices(source)
    source[:] = 7
    assert list(ds.as_numpy_iterator()) == [0, 1, 2, 3]


def test_batches_of_unequal_shapes_name_them():
    ds = D.range(1, 4).map(lambda x: tf.range(x)).batch(2)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"First element had shape \[1\] and element 1 had shape \[2\]"
    ):
        list(ds)


def test_caches_are_filled_by_a_whole_iteration(tmp_path):
    calls = []

    def noted(x):
        calls.append(int(x))
        return x

    for name in ("", str(tmp_path / "cache")):
        calls.clear()
        ds = D.range(3).map(lambda x: tf.py_function(noted, [x], tf.int64)).cache(name)
        next(iter(ds))
        assert list(ds.as_numpy_iterator()) == list(ds.as_numpy_iterator()) == [0, 1, 2]
        assert calls == [0, 0, 1, 2]
    again = D.range(99).map(lambda x: (x, "s")).cache(str(tmp_path / "strings"))
    assert list(again.as_numpy_iterator())[-1] == (98, b"s")
    assert list(again.as_numpy_iterator())[-1] == (98, b"s")


def test_seeds_of_the_program_make_orders_repeatable():
    def order():
        tf.random.set_seed(5)
        return [list(D.range(9).shuffle(9).as_numpy_iterator()) for _ in range(2)]

    assert order() == order()
    tf.random.set_seed(None)


def test_a_dataset_reshuffles_for_each_iteration():
    ds = D.range(50).shuffle(50, seed=1)
    a, b = list(ds.as_numpy_iterator()), list(ds.as_numpy_iterator())
    assert a != b and sorted(a) == sorted(b)
    fixed = D.range(50).shuffle(50, seed=1, reshuffle_each_iteration=False)
    assert list(fixed.as_numpy_iterator()) == list(fixed.as_numpy_iterator())


def test_functions_that_make_variables_are_refused():
    with pytest.raises(ValueError, match="cannot make tf.Variables"):
        D.range(3).map(lambda x: tf.Variable(1.0))


def test_map_functions_are_traced_once():
    traces = []

    def noted(x):
        traces.append(x)
        return x + 1

    ds = D.range(10).map(noted)
    list(ds), list(ds)
    assert len(traces) == 1


def test_memory_stays_flat():
    import tracemalloc

    ds = D.range(40000).map(lambda x: x + 1).filter(lambda x: x > 0).shuffle(64, seed=1).batch(16).prefetch(2)
    it = iter(ds)
    for _ in range(100):
        next(it)
    tracemalloc.start()
    count = sum(1 for _ in it)
    size, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 2400
    assert peak < 1_000_000


def test_random_functions_start_anew_with_each_iteration():
    """The numbers are TensorFlow's."""
    tf.random.set_seed(3)
    drawn = tf.data.Dataset.range(4).map(lambda x: tf.random.uniform([]))
    first = [0.12736404, 0.8580158, 0.88987064, 0.513566]
    for _ in range(2):
        np.testing.assert_allclose(list(drawn.as_numpy_iterator()), first)
    seeded = tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([], seed=7)).repeat(2)
    six = [0.7300215, 0.3250357, 0.756536, 0.9940778, 0.27124965, 0.018206239]
    for _ in range(2):
        np.testing.assert_allclose(list(seeded.as_numpy_iterator()), six)  # the second round goes on

    @tf.function
    def total(dataset):
        found = 0.0
        for x in dataset:
            found += x
        return found

    assert total(seeded) == total(seeded)


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("numpy", [False, True])
def test_an_interrupt_on_the_way_to_an_element_is_not_taken_for_the_end(interrupt, numpy):
    asked = []

    def element(x):
        asked.append(int(x))
        if asked == [0, 1]:
            raise interrupt
        return x

    data = tf.data.Dataset.range(4).map(lambda x: tf.py_function(element, [x], tf.int64)).batch(1)
    iterator = data.as_numpy_iterator() if numpy else iter(data)
    assert next(iterator).tolist() == [0] if numpy else next(iterator).numpy().tolist() == [0]
    with pytest.raises(interrupt):
        next(iterator)
    for _ in range(2):
        with pytest.raises(
            tf.errors.AbortedError, match=f"{interrupt.__name__} ended this iterator .* element 1: .*iter()"
        ):
            next(iterator)
    assert [x.numpy().tolist() for x in data] == [[0], [1], [2], [3]]
