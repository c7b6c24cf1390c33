"""Tests of functions that branches choose: what is called is the chosen one, with all that it does."""

import functools
import operator

import pytest

import autograph
import graphrt as tf
from tests.graphrt.programs.comparing import plain


def square(v):
    return v * v


def shifted(v, k=1):
    if v > 3:
        return v + k
    return v - k


class Account:
    def __init__(self, balance):
        self.balance = balance

    def add(self, v):
        self.balance = self.balance + v
        return self.balance

    def take(self, v):
        self.balance = self.balance - v
        return self.balance


def lambdas(x, y):
    f = (lambda v: v * 2) if x > y else (lambda v: v + 1)
    return f(x)


def of_three(x, y):
    if x > y:
        f = square
    elif x > 2:
        f = shifted
    else:
        f = functools.partial(shifted, k=3)
    return f(x) + f(y)


def _picked(x):
    if x > 3:
        return square
    if x > 1:
        return shifted
    return operator.neg


def returned(x, y):
    return _picked(x)(y), _picked(y)(x)


def methods(x, y):
    account = Account(x)
    f = account.add if y > x else account.take
    f(y)
    if x > 4:
        f = abs
    return f(y), account.balance


def in_a_list_at_a_tensor(x, y):
    return [square, shifted, abs][x % 3](y), (square, shifted)[-1](x)


def set_in_a_list(x, y):
    fs = [square, shifted]
    if x > y:
        fs[0] = abs
    return fs[0](x - 4)


def set_in_an_object(x, y):
    account = Account(x)
    account.rule = square
    if x > y:
        account.rule = shifted
    return account.rule(y)


def that_change_lists(x, y):
    seen = []

    def once(v):
        seen.append(v)

    def twice(v):
        seen.append(v)
        seen.append(v + 1)

    f = once if x > y else twice
    f(x)
    return len(seen), sum(seen)


def set_in_one_branch(x, y):
    if x > y:
        f = shifted
    if x > y:
        return f(x)
    return y


def in_a_loop(x, y):
    best = max if x > 2 else min
    found = y
    for i in range(x):
        found = best(found, i * 2)
    return found


def handed_on(x, y):
    f = operator.add if x > y else operator.mul
    return functools.reduce(f, [x, y, 3]), list(map(square if x > y else shifted, [x, y]))


def classes(x, y):
    make = Account if x > y else (lambda v: Account(v + 1))
    return make(x).add(y)


PROGRAMS = [
    lambdas, of_three, returned, methods, in_a_list_at_a_tensor, set_in_a_list, set_in_an_object, that_change_lists,
    set_in_one_branch, in_a_loop, handed_on, classes,
]  # fmt: skip


@pytest.mark.parametrize("given", [(5, 3), (2, 7), (1, 1), (4, 2)])
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_python(program, given):
    found = tf.function(program)(*map(tf.constant, given))
    assert plain(found) == plain(program(*given))


@pytest.mark.parametrize("value", [-3.0, 2.0])
def test_ops_and_graphs(value):
    @tf.function
    def run(x):
        f = tf.nn.relu if x > 0 else tf.abs
        g = tf.function(square) if x > 0 else tf.function(shifted)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x) + g(x)
        return y, tape.gradient(y, x)

    found = run(tf.constant(value))
    assert plain(found) == ([6.0, 5.0] if value > 0 else [-1.0, 0.0])


def test_an_index_outside():
    @tf.function
    def run(x):
        return [square, abs][x](x)

    with pytest.raises(tf.errors.InvalidArgumentError, match="IndexError: list index out of range"):
        run(tf.constant(2))
    assert run(tf.constant(-1)).numpy() == 1


@pytest.mark.parametrize("ask", [lambda f: f == square, lambda f: {f: 1}, lambda f: f != abs])
def test_nobody_knows_which_it_is(ask):
    @tf.function
    def run(x):
        f = square if x > 0 else abs
        return ask(f)

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="one of square, abs"):
        run(tf.constant(2))


def test_it_is_something_else_than_what_is_no_function():
    @tf.function
    def run(x):
        f = square if x > 0 else abs
        return f is None, f == None, f != 3, f in (None, 1)  # noqa: E711

    assert run(tf.constant(2)) == (False, False, True, False)


@pytest.mark.parametrize("ask", [lambda f: f is square, lambda f: abs is not f])
def test_whether_it_is_one_of_them_is_refused(ask):
    @tf.function
    def run(x):
        f = square if x > 0 else abs
        return ask(f)

    with pytest.raises(autograph.errors.PythonOnlyConstructError, match="whether two objects .* are one is not known"):
        run(tf.constant(2))


def test_it_is_not_returned():
    with pytest.raises(TypeError, match="must return"):
        tf.function(lambda x: square if x > 0 else abs)(tf.constant(1))


def test_several_are_chosen_by_one_statement():
    def run(x):
        if x > 0:
            f, g, h = abs, square, abs
        else:
            f, g, h = square, operator.neg, square
        k = None
        m = None
        if x > 1:
            k, m = operator.neg, abs
        return f(x), g(x), h(x), f is h, 0 if k is None else k(x), 0 if m is None else m(x)

    traced = tf.function(run)
    for x in (3, 1, -2):
        assert plain(traced(tf.constant(x))) == plain(run(x))


class Adder:
    def __init__(self, number):
        self.number = number

    def more(self, v):
        return v + self.number


def of_a_condition(x, n):
    f = abs
    for i in range(n):
        if i == x:
            f = square
    return f(n - 7)


def called_in_the_loop(x, n):
    f, t = abs, n
    for i in range(n):
        t = f(t - 3) % 50
        f = square
        if i > 1:
            f = operator.neg
    return t, f(t)


def exchanged(x, n):
    f, g = square, operator.neg
    while n > 0:
        f, g = g, f
        n -= 1
    return f(x), g(x)


def methods(x, n):
    adder, f = Adder(3), square
    for i in range(n):
        f = adder.more if i % 2 == 0 else square
        x = f(x) % 100
    return x


def made_in_the_loop(x, n):
    f = None
    for i in range(n):
        f = lambda v: v + 1  # noqa: E731
        g = lambda v: v + i  # noqa: B023, E731
        x = g(x)
    return x if f is None else f(x)


def states(x, n):
    state, out = square, []
    for i in range(n):
        out.append(state(i))
        if i == x:
            state = None
        if state is None:
            state = operator.neg
    return out


@pytest.mark.parametrize(
    "program",
    [of_a_condition, called_in_the_loop, exchanged, methods, made_in_the_loop, states],
    ids=lambda f: f.__name__,
)
def test_loops_carry_them(program):
    traced = tf.function(program, input_signature=[tf.TensorSpec([], tf.int32)] * 2)
    for x, n in ((1, 3), (-1, 3), (0, 0), (2, 5)):
        assert plain(traced(tf.constant(x), tf.constant(n))) == plain(program(x, n))


@pytest.mark.parametrize("other", [square, abs])
def test_whether_a_loop_left_one_of_them_is_refused(other):
    @tf.function
    def run(n):
        f = square
        for _ in tf.range(n):
            f = abs
        return n if f is other else n + 1

    with pytest.raises(autograph.errors.PythonOnlyConstructError, match="whether two objects .* are one is not known"):
        run(tf.constant(2))


def test_one_that_an_iteration_makes_of_its_own_variables_is_not_carried():
    @tf.function
    def run(n):
        f = abs
        for i in tf.range(n):
            f = lambda v: v + i  # noqa: B023, E731
        return f(n)

    with pytest.raises(tf.errors.LoopVariableError, match="made anew, with other variables, in each iteration"):
        run(tf.constant(2))
