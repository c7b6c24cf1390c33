"""Errors in the middle of a dataset: they are told, and what comes behind them is not lost, whatever stands in between."""

import pytest

import graphrt as tf

INVALID = "InvalidArgumentError"


def bad(x):
    """`x` as a float; an error for 1."""
    return tf.debugging.check_numerics(tf.cast(x, tf.float32) / tf.where(x == 1, 0.0, 1.0), "m")


def seen(dataset, count=14):
    """Elements and names of errors, to the end."""
    elements, found = iter(dataset), []
    for _ in range(count):
        try:
            found.append(next(elements).numpy().tolist())
        except StopIteration:
            break
        except tf.errors.OpError as error:
            found.append(type(error).__name__)
    return found


def numbers(count=4):
    return tf.data.Dataset.range(count)


def failing(count=4):
    return numbers(count).map(bad)


def one(x):
    return tf.data.Dataset.from_tensors(x)


def pairs(x):
    return one(x).repeat(2).map(bad)


def batched(window):
    return window.batch(9)


# As TensorFlow 2.20 gives them.
CASES = {
    "flat_map": (lambda: numbers().flat_map(lambda x: one(bad(x))), [0.0, INVALID, 2.0, 3.0]),
    "flat_map of failing": (lambda: failing().flat_map(one).take(3), [0.0, INVALID, 2.0, 3.0]),
    "interleave": (lambda: numbers(3).interleave(pairs, cycle_length=2, block_length=2), [0.0, 0.0, INVALID, INVALID, 2.0, 2.0]),
    "take": (lambda: failing().take(2), [0.0, INVALID, 2.0]),
    "take before": (lambda: failing().take(1), [0.0]),
    "skip": (lambda: failing().skip(1), [INVALID, 2.0, 3.0]),
    "skip over": (lambda: failing(6).skip(3), [INVALID, 5.0]),
    "shard": (lambda: failing(6).shard(2, 1), [INVALID, 2.0, 4.0]),
    "shard over": (lambda: failing(6).shard(3, 2), [INVALID, 4.0]),
    "shuffle": (lambda: failing().shuffle(1), [0.0, INVALID, 2.0, 3.0]),
    "repeat": (lambda: failing(3).repeat(2), [0.0, INVALID, 2.0, 0.0, INVALID, 2.0]),
    "concatenate": (lambda: failing(3).concatenate(failing(3)), [0.0, INVALID, 2.0, 0.0, INVALID, 2.0]),
    "scan": (lambda: failing(6).scan(0.0, lambda s, x: (s + x, s)), [0.0, INVALID, 0.0, 2.0, 5.0, 9.0]),
    "scan that fails": (lambda: numbers().scan(0.0, lambda s, x: (s + bad(x), s)), [0.0, INVALID, 0.0, 2.0]),
    "take_while": (lambda: failing(6).take_while(lambda x: x < 4), [0.0, INVALID, 2.0, 3.0]),
    "unique": (lambda: failing().map(lambda x: tf.cast(x, tf.int32)).unique(), [0, INVALID, 2, 3]),
    "unbatch": (lambda: numbers().map(lambda x: tf.fill([2], bad(x))).unbatch(), [0.0, 0.0, INVALID, 2.0, 2.0, 3.0, 3.0]),
    "zip": (lambda: tf.data.Dataset.zip((failing(), numbers())).map(lambda a, b: b), [0, INVALID, 2, 3]),
    "batch": (lambda: failing().batch(2), [INVALID, [2.0, 3.0]]),
    "ragged_batch": (lambda: failing(6).ragged_batch(2), [INVALID, [2.0, 3.0], [4.0, 5.0]]),
    "rebatch": (lambda: failing(6).batch(2).rebatch(3), [INVALID, [2.0, 3.0, 4.0], [5.0]]),
    "window": (lambda: failing(5).window(3, 1).flat_map(batched), [INVALID, INVALID, [2.0, 3.0, 4.0], [3.0, 4.0], [4.0]]),
    "window over": (lambda: failing(6).window(1, 4).flat_map(batched), [[0.0], [4.0]]),
    "group_by_window": (lambda: failing(6).group_by_window(lambda x: tf.cast(x > 2, tf.int64), lambda k, d: d.batch(2), 2), [INVALID, [0.0, 2.0], [3.0, 4.0], [5.0]]),
    "key that fails": (lambda: numbers(6).group_by_window(lambda x: tf.cast(bad(x) > 2, tf.int64), lambda k, d: d.batch(2), 2), [INVALID, [0, 2], [3, 4], [5]]),
    "choose": (lambda: tf.data.Dataset.choose_from_datasets([failing(), numbers().map(lambda x: tf.cast(x, tf.float32) * 10)], tf.data.Dataset.from_tensor_slices(tf.constant([0, 1, 0, 1, 0], tf.int64))), [0.0, 0.0, INVALID, 10.0, 2.0]),
    "repeated and ignored": (lambda: failing(3).repeat(2).ignore_errors(), [0.0, 2.0, 0.0, 2.0]),
    "shuffled and ignored": (lambda: failing().shuffle(1).ignore_errors(), [0.0, 2.0, 3.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CASES))
def test_the_next_elements_come_behind_an_error(name):
    dataset, wanted = CASES[name]
    assert seen(dataset()) == wanted


def test_a_cache_keeps_what_could_be_made():
    cached = failing().cache()
    assert seen(cached) == [0.0, INVALID, 2.0, 3.0]
    assert seen(cached) == [0.0, 2.0, 3.0]


def test_a_file_cache_keeps_what_could_be_made(tmp_path):
    cached = failing().cache(str(tmp_path / "kept"))
    assert seen(cached) == [0.0, INVALID, 2.0, 3.0]
    assert seen(cached) == [0.0, 2.0, 3.0]


@pytest.mark.parametrize("promised, wanted", [(2, [0, 1]), (5, [0, 1, 2, 3])])
def test_a_broken_promise_is_told_each_time(promised, wanted):
    dataset = numbers().apply(tf.data.experimental.assert_cardinality(promised))
    assert seen(dataset, len(wanted) + 3) == [*wanted, *["FailedPreconditionError"] * 3]


def test_elements_are_shuffled_alike_with_and_without_an_error_behind_them():
    whole = seen(numbers(6).shuffle(3, seed=1))
    assert sorted(whole) == [0, 1, 2, 3, 4, 5]
    assert sorted(v for v in seen(failing(6).shuffle(3, seed=1)) if v != INVALID) == [0.0, 2.0, 3.0, 4.0, 5.0]
