"""Functions that read nothing but plain values run as they were written, while something else may be staged."""

from __future__ import annotations

import ast
import inspect
import textwrap
from fractions import Fraction

import pytest

import autograph
from autograph.backends.journal import recording
from autograph.backends.trace import tracing
from autograph.operators.closed import closed
from tests.autograph.backends.text_backend import Text

pytestmark = pytest.mark.usefixtures("plain_bodies")
FACTOR = 3
staged_value = 1


def power(x, n):
    result = x - x + 1
    for _ in range(n):
        result = result * x
    return result


def scaled(n):
    total = 0
    while n > 0:
        total += power(FACTOR, n)
        n -= 1
    return total


def rows(n):
    return [[0] * n for _ in range(n)]


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def raising(n):
    for i in range(n):
        if i == 2:
            raise ValueError(i)
    return n


def of_module(n):
    return [Text for _ in range(n)]


def with_default(n, by=FACTOR):
    return sum(by for _ in range(n))


def calls_default(n):
    return [with_default(i) for i in range(n)]


def suspended(n):
    for i in range(n):
        yield i


def defines(n):
    return [(lambda: i)() for i in range(n)]


def reaches(n):
    return [(i).__class__ for i in range(n)]


def sets_global(n):
    global staged_value
    for i in range(n):
        staged_value = i


def short(n):
    return n + 1


class Account:
    rate = 2

    def __init__(self, balance):
        self.balance = balance

    def paid(self, amount):
        self.balance += amount * self.rate
        return self


class Other(Account):
    pass


class Holder:
    held = []


def of_class(n):
    account = Account(0)
    for i in range(n):
        account.paid(i)
    return account.balance


def of_derived(n):
    return [Other(i) for i in range(n)]


def of_holder(n):
    return [Holder for i in range(n)]


def found(f):
    return closed(f, ast.parse(textwrap.dedent(inspect.getsource(f))).body[0])


@pytest.mark.parametrize("f", [power, scaled, rows, fib, raising, with_default, of_class])
def test_closed(f):
    assert found(f) is not None


@pytest.mark.parametrize(
    "f", [of_module, calls_default, suspended, defines, reaches, sets_global, short, of_derived, of_holder]
)
def test_not_closed(f):
    assert found(f) is None


def test_only_for_plain_arguments():
    asked = found(power)
    assert asked(2, 3) and asked("a", 2.5)
    assert not asked(Text("t"), 3)
    assert not asked([Text("t")], 3)
    assert not asked(type("Own", (int,), {})(2), 3)


def total(xs):
    result = 0
    for x in xs:
        result += len(xs) * 2 if x else 1
    return len(xs) + total(xs[1:]) if result else 0


def halves(xs):
    return [x / 2 for x in xs]


def filled(xs):
    for i in range(len(xs)):
        xs[i] = i
    return len(xs)


def joined(xs):
    return sum([x for x in xs], [])


TEXT = Text("t")
CYCLE: list = [1]
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    "value",
    [[], [1, 2.5, "a", None], ((1, 2), [3, (4,)]), {"a": 1, 2: [3]}, {1, "b"}, frozenset({1}), CYCLE, [1] * 1000, [[]]],
)
def test_containers_of_plain_values(value):
    assert found(total)(value)


@pytest.mark.parametrize(
    "value",
    [
        [TEXT], [1, [2, (3, TEXT)]], {"a": TEXT}, {Fraction(1, 2): 1}, {"a": {"b": TEXT}}, (1, TEXT),
        [1] * 2000, [[1] * 600, [1] * 600],
        [type("Own", (int,), {})(2)], type("Own", (list,), {})([1]), iter([1]), [range],
    ],
)  # fmt: skip
def test_containers_of_other_things(value):
    assert not found(total)(value)


def test_containers_in_a_trace():
    with tracing(lambda value, stand_in: None) as trace:
        assert found(total)([1, 2])
        assert not found(halves)([1, 2])  # makes a list
        assert not found(filled)([1, 2])  # may put one that the trace does not know into another
        assert not found(joined)([[1]])
        other = [1]
        trace.set_stand_in(other, TEXT)
        assert not found(total)([1, 2])
        assert found(total)((1, (2,))) and not found(total)((1, [2]))
        trace.set_stand_in(other, None)
    assert all(found(f)([1, 2]) for f in (total, halves, filled, joined))


def test_journals_are_told_of_changes():
    with recording():
        assert not found(filled)([1, 2])
        assert not found(filled)(([1], 2))
    assert found(filled)([1, 2])


def test_gives_up_where_arguments_are_other_things():
    asked = found(power)
    for _ in range(30):
        asked([Text("t")], 1)
    assert not asked.asks


def test_what_it_reads_may_change(monkeypatch):
    asked = found(scaled)
    assert asked(3)
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "FACTOR", Text("t"))
        assert not asked(3)
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "power", pow)
        assert not asked(3)
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "range", lambda n: ())
        assert not asked(3)  # what is called reads it
    with monkeypatch.context() as patch:
        patch.setattr(power, "__defaults__", (Text("t"),))
        assert not asked(3)
    assert asked(3)


def test_a_class_may_change(monkeypatch):
    asked = found(of_class)
    assert asked(3) and autograph.convert(of_class)(4) == 12
    with monkeypatch.context() as patch:
        patch.setattr(Account, "rate", Text("t"))
        assert not asked(3)
    with monkeypatch.context() as patch:
        patch.setattr(Account, "paid", of_holder)
        assert not asked(3)
    with monkeypatch.context() as patch:
        patch.setattr(Account, "__setattr__", lambda self, name, value: None)
        assert not asked(3)
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "Account", Other)
        assert not asked(3)
    assert asked(3)


def test_a_trace_is_told_of_what_is_made():
    with tracing(lambda value, stand_in: None):
        assert found(power)(3, 2)
        assert found(fib)(3)
        assert not found(rows)(3)
    assert found(rows)(3)


def test_staged_arguments_are_staged(backend):
    converted = autograph.convert(power)
    assert converted(2, 5) == 32
    assert repr(converted(Text("x"), 2)) == repr(power(Text("x"), 2))


def test_called_by_converted_code(backend):
    def f(x):
        return x * fib(7) + len(rows(2))

    assert repr(autograph.convert(f)(Text("x"))) == "Text(((x * 13) + 2))"


def test_errors_are_those_of_the_function(backend):
    with pytest.raises(ValueError, match="2") as caught:
        autograph.convert(raising)(4)
    lines = [entry.lineno for entry in caught.traceback]
    assert len(lines) == 2


def test_functions_are_not_kept():
    import gc
    import linecache
    import weakref

    text = "def f(n):\n    for _ in range(n):\n        n += 1\n    return n\n"
    linecache.cache["<kept>"] = (len(text), None, text.splitlines(True), "<kept>")
    space = {"__name__": "kept"}
    exec(compile(text, "<kept>", "exec"), space)
    assert autograph.convert(space["f"])(5) == 10
    code = weakref.ref(space["f"].__code__)
    del space
    gc.collect()
    assert code() is None
