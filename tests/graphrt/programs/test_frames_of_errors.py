"""The frames that an error has left in converted code stand on a line: IPython asks them, and shows nothing if one has none."""

import contextlib

import pytest

import graphrt as tf


def fail(*args):
    return {}["missing"]


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


@contextlib.contextmanager
def managed():
    yield 1


class Holder:
    def method(self, x):
        if x > 0:
            return simple(x)
        return x

    @property
    def value(self):
        return fail()

    def __getitem__(self, key):
        return fail()

    def __add__(self, other):
        return fail()


def simple(x):
    y = x
    return fail(y)


def in_if(x):
    if x > 0:
        fail()
    return x


def in_else(x):
    if x < 0:
        y = 1
    else:
        y = fail()
    return x


def in_subscript(x):
    if x > 0:
        return [x][fail()]
    return x


def in_while(x):
    while x > 0:
        fail()
        x = x - 1
    return x


def in_for(x):
    for i in tf.range(x):
        fail()
    return x


def in_python_loop(x):
    for i in range(3):
        if x > i:
            fail()
    return x


def with_break(x):
    for i in tf.range(x):
        if i > 1:
            break
        fail()
    return x


def with_continue(x):
    while x > 0:
        if x > 1:
            fail()
            continue
        x -= 1
    return x


def with_return(x):
    for i in tf.range(x):
        if i > 1:
            return fail()
    return x


def with_manager(x):
    with Manager():
        fail()
    return x


def with_managers(x):
    with Manager() as m, managed() as k:
        if x > 0:
            fail()
    return x


def with_finally(x):
    try:
        if x > 0:
            return fail()
    finally:
        x = x + 1
    return x


def with_handler_of_others(x):
    try:
        if x > 0:
            fail()
    except ValueError:
        x = x + 1
    return x


def raised_again(x):
    try:
        if x > 0:
            fail()
    except KeyError:
        raise
    return x


def raised_from(x):
    try:
        simple(x)
    except KeyError as error:
        raise ValueError("more") from error
    return x


def undefined_names(x):
    if x > 0:
        z = 1
        if x > 1:
            w = fail()
    return x


def in_inner(x):
    def inner(y):
        if y > 0:
            return simple(y)
        return y

    return inner(x)


def in_lambda(x):
    return (lambda y: fail() if y > 0 else y)(x)


def in_comprehension(x):
    return [simple(v) for v in [x]]


def in_generator(x):
    def values():
        yield simple(x)

    return list(values())


def in_and(x):
    return x > 0 and simple(x)


def in_star_call(x):
    return simple(*[x])


def in_match(x):
    match 1:
        case 1:
            return simple(x)


def in_assert(x):
    assert simple(x)
    return x


def in_method(x):
    return Holder().method(x)


def in_property(x):
    if x > 0:
        return Holder().value
    return x


def in_item(x):
    return Holder()[x]


def in_operator(x):
    return Holder() + x


CASES = [f for name, f in list(globals().items()) if name.startswith(("in_", "with_", "raised_", "undefined_"))]


@pytest.mark.parametrize("function", CASES, ids=lambda f: f.__name__)
def test_each_frame_has_a_line(function):
    with pytest.raises((KeyError, ValueError)) as caught:
        tf.function(function)(tf.constant(3))
    errors = [caught.value, caught.value.__cause__]
    for error in filter(None, errors):
        traceback = error.__traceback__
        while traceback is not None:
            code = traceback.tb_frame.f_code
            assert traceback.tb_frame.f_lineno is not None, code
            if code.co_filename == __file__ and code.co_name == function.__name__:
                first = function.__code__.co_firstlineno
                assert (
                    first
                    <= traceback.tb_frame.f_lineno
                    <= max(line for *_, line in function.__code__.co_lines() if line)
                )
            traceback = traceback.tb_next


def after_the_error(x):
    y = Holder() + x
    y = y + 1
    if x > 0:
        y = y + 2
    return y


@pytest.mark.parametrize("wrapper", [tf.function, tf.autograph.to_graph, lambda f: tf.data.Dataset.range(1).map(f)])
def test_the_frame_of_a_function_stays_on_the_line_of_the_error(wrapper):
    with pytest.raises(KeyError) as caught:
        wrapper(after_the_error)(tf.constant(3))
    entry = caught.value.__traceback__
    while entry.tb_frame.f_code.co_name != after_the_error.__name__:
        entry = entry.tb_next
    assert entry.tb_frame.f_lineno == entry.tb_lineno == after_the_error.__code__.co_firstlineno + 1
