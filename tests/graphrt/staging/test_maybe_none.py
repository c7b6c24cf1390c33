"""What is None on some paths through staged code, and has a value on others."""

import dataclasses
import gc
import importlib
import typing

import pytest

import autograph
import graphrt as tf
from tests.graphrt.programs.comparing import collector, plain

CASES = []
case = collector(CASES)


@case(([1, 5, 3], 2), ([1, 5, 3], 9), ([], 0))
def the_first(xs, k):
    r = None
    for x in xs:
        if x > k:
            r = x
            break
    if r is None:
        return -1
    return r


@case(([1, 5, 3], 2), ([1, 5, 3], 9))
def index_of_the_first(xs, k):
    r = None
    for i, x in enumerate(xs):
        if x > k:
            r = i
            break
    return r


@case(([1, 5, 3], 2), ([1, 5, 3], 9))
def by_next(xs, k):
    return next((x for x in xs if x > k), None)


@case(([1, 5, 3], 0), ([], 0))
def greatest(xs, k):
    best = None
    for x in xs:
        if best is None or x > best:
            best = x
    return best


@case(([1, 5, 3], 2), ([1, 2], 9), ([], 0))
def the_last_two(xs, k):
    last = before = None
    for x in xs:
        if x > k:
            before, last = last, x
    return before, last


@case(([4, 5, 1], 4), ([1, 2], 9))
def forgotten_again(xs, k):
    r = k
    for x in xs:
        if x == k:
            r = None
        elif r is not None:
            r = r + x
    return r


@case(([1, 5, 3], 2), ([1, 2], 9))
def a_pair(xs, k):
    best = None
    for i, x in enumerate(xs):
        if x > k and (best is None or x > best[1]):
            best = i, x
    if best is None:
        return -1, -1
    i, x = best
    return i, x


class Found(typing.NamedTuple):
    place: object
    value: object


@case(([1, 5, 3], 2), ([1, 2], 9))
def a_named_tuple(xs, k):
    found = None
    for i, x in enumerate(xs):
        if x > k:
            found = Found(i, x)
    return found


@dataclasses.dataclass
class Best:
    value: object = None
    seen: object = 0


@case(([1, 5, 3], 2), ([1, 2], 9))
def an_attribute(xs, k):
    best = Best()
    for x in xs:
        best.seen += 1
        if x > k:
            best.value = x
    return (best.seen if best.value is None else best.seen + best.value), best.value


@case(([1, 5, 3], 2), ([1, 2], 9))
def an_item(xs, k):
    found = {"value": None, "rows": [None, k]}
    for x in xs:
        if x > k:
            found["value"] = found["rows"][0] = x
    return found


@case(([1, 5], 0), ([1, 5], 3))
def of_functions(xs, k):
    def look(x):
        if x > k:
            return x - k
        return None

    first, second = look(xs[0]), look(xs[1])
    shown = [0 if v is None else v for v in (first, second)]
    return first, second, shown


@case(([1, 5], 0), ([1, 5], 3))
def asked_in_other_ways(xs, k):
    r = xs[0] if xs[0] > k else None
    s = r if r else k
    flags = [r == None, r != None, not r, bool(r), isinstance(r, type(None)), r == 1, 1 in xs and r in (1, 2)]  # noqa: E711
    return r or 7, r and 8, s, [1 if f else 0 for f in flags]


@case(([1, 5], 0), ([1, 5], 3))
def matched(xs, k):
    r = xs[0] if xs[0] > k else None
    match r:
        case None:
            return k
        case _:
            return r


@case(([1, 5, 3], 4), ([1, 2, 3], 9))
def of_a_while(xs, k):
    r, i = None, 0
    while r is None and i < len(xs):
        if xs[i] > k:
            r = xs[i]
        i += 1
    return r, i


@case(([1, 5], 0), ([1, 5], 3))
def of_a_default(xs, k, given=None):
    if xs[0] > k:
        given = xs[0]
    if given is None:
        given = k
    return given * given


@case(([1, 5, 2], 0), ([1], 3), ([], 3))
def beside_a_list(xs, k):
    rows, before = [], None
    for x in xs:
        if before is not None:
            rows.append(x - before)
        before = x
    return len(rows), before


@case(([1, 5, 2], 0), ([1], 3))
def within_calls(xs, k):
    r = xs[0] if xs[0] > k else None

    def twice(x, y=None):
        return x if y is None else x + y

    return twice(k, r), twice(r, 1) if r is not None else 0


@case(([1, 5, 3], 2), ([1, 2], 9), ([], 0))
def within_what_a_loop_replaces(xs, k):
    state, best = (None, 0), Best()
    for x in xs:
        found, n = state
        if x > k:
            state = (x if found is None else found + x), n + 1
            best = Best(x, n)
        elif best.value is not None:
            best = Best(None, n)
    return state, best.value, best.seen


@case(([1, 5, 3], 2), ([1, 2], 9), ([], 0))
def beside_a_list_of_its_values(xs, k):
    rows = []
    for x in xs:
        r = x if x > k else None
        if r is not None:
            rows.append(r)
    return rows


@case(([1, 5], 0), ([1, 5], 3))
def in_a_dataclass(xs, k):
    r = xs[0] if xs[0] > k else None
    best = dataclasses.replace(Best(r, k), seen=k + 1)
    return best.value, best.seen


@case(([1, 5, 3], 2), ([1, 2], 9), ([], 0))
def in_a_dataclass_that_a_loop_replaces(xs, k):
    best = Best()
    for x in xs:
        if x > k:
            best = dataclasses.replace(best, value=x)
    return best.value, best.seen


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("program", "calls"), CASES)
def test_as_python(program, calls, exact):
    signature = [tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)]
    traced = tf.function(program, input_signature=None if exact else signature)
    for xs, k in calls:
        found = traced(tf.constant(xs, tf.int32), tf.constant(k))
        assert plain(found) == plain(program(xs, k))
        assert type(found) is type(program(xs, k)) or isinstance(found, tf.Tensor)


def some(x):
    return x if x > 2 else None


def test_a_value_that_is_not_there():
    @tf.function
    def f(x):
        r = some(x)
        return r + 1

    assert f(tf.constant(3)).numpy() == 4
    with pytest.raises(tf.errors.InvalidArgumentError, match="the value is None here: ask `is None`"):
        f(tf.constant(1))


def test_a_test_around_it_settles_it():
    @tf.function
    def f(x):
        r = None
        if x > 2:
            r = x
        if r is None:
            return x
        return r + 1 if r is not None and r > 0 else r

    graph = f.get_concrete_function(tf.TensorSpec([], tf.int32)).graph
    assert not [op for op in graph.get_operations() if op.type == "Assert"]
    assert [f(tf.constant(x)).numpy() for x in (1, 4)] == [1, 5]


def test_what_a_default_replaces_is_a_tensor_again():
    @tf.function
    def f(x):
        r = None
        if x > 2:
            r = x
        if r is None:
            r = x * 10
        assert isinstance(r, tf.Tensor) and tf.is_tensor(r) is True
        return r

    assert [f(tf.constant(x)).numpy() for x in (1, 4)] == [10, 4]


def test_whether_it_is_a_tensor():
    @tf.function
    def f(x):
        r = some(x)
        return tf.is_tensor(r), isinstance(r, tf.Tensor)

    assert plain(f(tf.constant(3))) == [True, True]
    assert plain(f(tf.constant(1))) == [False, False]


def test_functions_within_functions():
    @tf.function
    def inner(x, y):
        return x + 1 if y is None else x + y

    found = tf.function(some)

    @tf.function
    def f(x):
        r = found(x)
        return inner(x, r), r

    for _ in range(2):
        assert plain(f(tf.constant(3))) == [6, 3]
        assert plain(f(tf.constant(1))) == [2, None]


def test_gradients():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            r = some(x)
            y = x if r is None else r * r
        return tape.gradient(y, x)

    assert [f(tf.constant(x)).numpy() for x in (1.0, 4.0)] == [1, 8]


def test_datasets():
    @tf.function
    def f(k):
        last, big = None, None
        for x in tf.data.Dataset.range(5):
            last = x
            if x > k:
                big = x
        return last, big

    assert plain(f(tf.constant(2, tf.int64))) == [4, 4]
    assert plain(f(tf.constant(9, tf.int64))) == [4, None]


def test_code_that_is_not_converted_is_given_the_value():
    @tf.autograph.experimental.do_not_convert
    def double(x):
        return 0 if x is None else x * 2

    @tf.function
    def f(x):
        return double(some(x))

    assert f(tf.constant(3)).numpy() == 6
    with pytest.raises(tf.errors.InvalidArgumentError, match="is None here"):
        f(tf.constant(1))


def test_printed_code_has_none_of_it():
    names = {"ag__": importlib.import_module("autograph.generated")}
    exec(autograph.to_code(some), names)
    printed = names["tf__some"]
    with pytest.raises(tf.errors.BranchMismatchError, match="is None at the end of the else branch"):
        tf.function(printed)(tf.constant(1))

    def asks(x):
        return 1 if x is None else x

    exec(autograph.to_code(asks), names)
    asks = names["tf__asks"]

    @tf.function
    def f(x):
        return asks(some(x))

    with pytest.raises(autograph.errors.PythonOnlyConstructError, match="printed form"):
        f(tf.constant(1))


class Kept:
    def __init__(self):
        self.value = None


def test_objects_that_are_older_hold_what_they_may():
    kept = Kept()

    @tf.function
    def f(x):
        if x > 2:
            kept.value = x
        return x

    with pytest.raises(tf.errors.BranchMismatchError, match="'kept.value' is None"):
        f(tf.constant(1))
    assert kept.value is None


def test_none_of_it_outlives_the_trace():
    from graphrt.staging.maybe_none import MaybeNone

    f = tf.function(the_first)
    f(tf.constant([1, 2]), tf.constant(1))
    gc.collect()
    alive = [o for o in gc.get_objects() if isinstance(o, MaybeNone)]
    held = [
        o for o in alive if f.get_concrete_function(tf.constant([1, 2]), tf.constant(1)).structured_outputs is not o
    ]
    assert not held
