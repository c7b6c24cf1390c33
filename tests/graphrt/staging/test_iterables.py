"""Python itself iterates over `zip`, `enumerate` and `map` of symbolic tensors of known length."""

from collections import UserList
from collections.abc import MutableSequence, Sequence
from functools import reduce

import pytest

import graphrt as tf
from graphrt import errors


def plain(value):
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value))
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tf.Tensor):
        found = value.numpy()
        return found.decode() if isinstance(found, bytes) else found.tolist()
    return value


def dict_of_zip(x):
    return dict(zip("abc", x)), dict([(k, v) for k, v in zip(("a", "b"), x)])


def dict_of_enumerate(x):
    return dict(enumerate(x)), {i: v for i, v in enumerate(x, 5)}


def update(x):
    found = {}
    found.update(zip("abc", x))
    return found


def keywords(x):
    return dict(p=1, **{k: v for k, v in zip(["q", "r"], x)})


def unpacking(x):
    (a, b), *rest = zip(x, x)
    first, (second, third) = [x[0], map(lambda v: v + 1, x[1:])]
    return a, b, rest, first, second, third


def names(x):
    found = {}
    for name, v in zip(["a", "b", "c"], x):
        if v > 1:
            found[name] = v * 2
        else:
            found[name] = v
    return found


def of_map(x):
    return list(map(lambda s, v: v + len(s), ["a", "bb", "ccc"], x)), list(map(lambda v, w: v * w, x, x))


def reversed_and_nested(x):
    return [(i, a, b) for i, (a, b) in enumerate(zip(x, reversed(x)))], list(zip(x, reversed(x)))


def numbers_beside(x):
    total = x[0] * 0
    for weight, v in zip([1, 2, 3], x):
        total += weight * v
    return total


@pytest.mark.parametrize(
    "function",
    [dict_of_zip, dict_of_enumerate, update, keywords, unpacking, names, of_map, reversed_and_nested, numbers_beside],
)
def test_as_in_python(function):
    x = tf.constant([3, 1, 2])
    assert plain(tf.function(function)(x)) == plain(function(x)) == plain(function([3, 1, 2]))


def test_unknown_length_is_refused():
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(x):
        return dict(zip("abc", x))

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="unknown length"):
        f(tf.constant([1, 2, 3]))


def test_strict():
    x = tf.constant([1, 2, 3])
    with pytest.raises(ValueError, match=r"zip\(\) argument 2 is shorter than argument 1"):
        tf.function(lambda x: list(zip(x, [1, 2], strict=True)))(x)
    with pytest.raises(ValueError, match=r"zip\(\) argument 3 is longer than arguments 1-2"):
        tf.function(lambda x: list(zip(x, x, range(5), strict=True)))(x)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
    def product(x, y):
        total = 0
        for a, b in zip(x, y, strict=True):
            total += a * b
        return total

    assert product(x, x) == 14
    with pytest.raises(tf.errors.InvalidArgumentError, match="differ in length"):
        product(x, x[:2])


def test_an_integer_that_meets_floats_in_a_loop_is_a_float():
    @tf.function
    def total(x):
        count, result = 0, 0
        for a, b in zip(x, x):
            result += a * b
            count += 1
        return result, count

    for dtype in (tf.float16, tf.float32, tf.float64):
        result, count = total(tf.constant([1.0, 2.0], dtype))
        assert (result.dtype, count.dtype, float(result), int(count)) == (dtype, tf.int32, 5.0, 2)


def test_what_a_trial_trace_recorded_of_a_tensor_is_not_used_later():
    def f(x, v):
        k = m = 0
        for a in [x, x]:
            for i, e in enumerate(v, 1):
                m = len([g for g in v if i > k])
                k = e
            q = a > 0  # no value before the loop: an iteration is tried in a graph of its own
        return k, m, q

    traced = tf.function(f, input_signature=[tf.TensorSpec([], tf.int32), tf.TensorSpec([4], tf.int32)])
    assert [v.numpy() for v in traced(tf.constant(1), tf.constant([5, 2, -2, 4]))] == [4, 4, True]


def summed_generator(x):
    return sum(v > 0 for v in [x, x - 1, 4])


def summed_list(x):
    return sum([v > 0 for v in [x, x - 1]], 3) + sum((x > 0, x < 5)) + sum([x > 1, 2, x])


def summed_map(x):
    return sum(map(lambda v: v > x, range(5))) + sum(tf.stack([x, 4]) > 0)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@pytest.mark.parametrize("program", [summed_generator, summed_list, summed_map])
def test_truths_count_in_sums(program, dtype):
    @tf.function
    def f(x):
        return program(x) + x

    for x in (3, 1, -2):
        expected = x + (program(x) if program is not summed_map else sum(v > x for v in range(5)) + (x > 0) + 1)
        found = f(tf.constant(x, dtype))
        assert (found.numpy(), found.dtype) == (expected, dtype)


def reduced(x):
    rest = iter(x)
    first = next(rest)
    products = reduce(lambda a, b: (a[0] + b, a[1] * b), x, (0, 1)), reduce(lambda a, b: a * b, rest, first)
    numbered = reduce(lambda a, b: a + b[0] * b[1], enumerate(x), 0), reduce(max, [v for v in x if v > 1])
    return products, numbered, reduce(lambda a, b: b if b > a else a * 10, x), reduce(lambda a, b: a + [b], x, [])


def test_reduce_is_a_loop():
    f = tf.function(reduced, input_signature=[tf.TensorSpec([None], tf.int32)])
    for x in ([3, 1, 2], [2]):
        assert plain(f(tf.constant(x))) == plain(reduced(x))
    total = tf.function(lambda x: reduce(lambda a, b: a + b, x), input_signature=[tf.TensorSpec([None], tf.int32)])
    with pytest.raises(errors.InvalidArgumentError, match=r"reduce\(\) of empty iterable with no initial value"):
        total(tf.constant([], tf.int32))


class Indexed:
    """Goes by `__len__` and `__getitem__` alone."""

    def __init__(self, n):
        self.rows = [4]
        for i in range(n):
            self.rows.append(i * i)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


class Listed(Indexed, Sequence):
    pass


class Written(Indexed, MutableSequence):
    def __setitem__(self, i, v):
        self.rows[i] = v

    def __delitem__(self, i):
        del self.rows[i]

    def insert(self, i, v):
        self.rows.insert(i, v)


class Counted(Indexed, Sequence):
    def __iter__(self):
        return iter([len(self)])


def user_list(n):
    found = UserList([4])
    for i in range(n):
        found.append(i * i)
    return found


@pytest.mark.parametrize("kind", [Indexed, Listed, Written, Counted, user_list])
def test_sequences_over_a_list_that_grows_end(kind):
    def f(n):
        some = kind(n)
        total = 0
        for v in some:
            if v > 9:
                break
            total += v
        listed, doubled, last = list(some), [v * 2 for v in some], [*reversed(some)]
        return total, len(some), sum(some), max(some), 9 in some, listed, doubled, last, some[0]

    traced = tf.function(f)
    for n in (0, 3, 6):
        assert plain(traced(tf.constant(n))) == f(n)
