"""Plain values run in native code; what turns out to be staged runs in the printed form, on the same variables.

Covers: autograph/emit/load.py, autograph/emit/unit.py.
"""

from __future__ import annotations

import dis
import functools
import gc
import linecache
import sys
import warnings
import weakref

import pytest

import autograph
from autograph.conversion import convert
from autograph.options import STANDARD_OPTIONS
from tests.autograph.backends import text_backend
from tests.autograph.programs import generated_programs


def late_if(x, n):
    total = 0
    for i in range(n):
        if i == 2:
            y = total + 1
        if total > x:
            total += 10
        else:
            total = total + i + x
    return total, y


def late_while(x, n):
    steps = 0
    while steps < n:
        steps += 1
        if steps == 2:
            n = n + x
    return steps, n


def late_break(x, n):
    seen = []
    for i in range(n):
        if i == 3:
            limit = x
            if limit > 100:
                break
        seen.append(i)
    return seen


def late_return(x, n):
    for i in range(n):
        if i > 1 and i + x > 4:
            return i
    return -1


def nested(x, n):
    total = 0
    for i in range(n):
        for j in range(i):
            while total < i * j:
                total += 1
                if j == 1 and x > total:
                    total = total + x
    return total


def operators(x, n):
    first = n or x
    second = (n and x) if n > 1 else not n
    third = 0 < n < x
    return first, second, third, [i for i in range(n) if not (i and n > 2)]


def inner(x, n):
    kept = 0

    def add(k):
        nonlocal kept
        if k > x:
            kept += k
        return kept

    for i in range(n):
        add(i)
    return kept


def deep(x, n):
    r = 0
    if n > 0:
        if n > 1:
            if n > 2:
                if n > 3:
                    if n > 4:
                        if n + x > 5:
                            r = x
    return r


def handlers(x, n):
    log = []
    for i in range(n):
        try:
            if i == 1:
                raise KeyError(i)
            if x + i > 2:
                log.append(i)
        except KeyError as error:
            log.append(error.args[0] + x)
        finally:
            log.append(-1)
    return log


PROGRAMS = [late_if, late_while, late_return, nested, operators, inner, deep]


@pytest.mark.parametrize("n", [1, 3, 6])
@pytest.mark.parametrize("x", [0, 2, 9])
@pytest.mark.parametrize("program", PROGRAMS)
def test_plain_values(program, x, n):
    try:
        expected = program(x, n)
    except UnboundLocalError as error:
        with pytest.raises(UnboundLocalError, match=str(error)):
            autograph.convert(program)(x, n)
    else:
        assert autograph.convert(program)(x, n) == expected


@pytest.mark.parametrize("x", [0, 2, 9])
@pytest.mark.parametrize("n", [3, 4])
@pytest.mark.parametrize("program", [late_if, late_return, nested, inner, deep])
def test_staged_from_some_point_on(backend, program, x, n):
    converted = autograph.convert(program)
    assert text_backend.run(backend, lambda a: converted(a, n), x) == program(x, n)


def printed(function):
    """The function converted without native code."""
    before, convert.FAST_PATHS = convert.FAST_PATHS, False
    try:
        copy = type(function)(function.__code__.replace(), function.__globals__, function.__name__)
        return autograph.convert(copy)
    finally:
        convert.FAST_PATHS = before


@pytest.mark.parametrize("program", [late_if, late_return, late_break, nested, operators, inner, deep, handlers])
def test_both_forms_record_the_same(backend, program):
    def recorded(function):
        try:
            return text_backend.trace(backend, lambda a: function(a, 5), 1)
        except Exception as error:
            return type(error), str(error)

    assert recorded(autograph.convert(program)) == recorded(printed(program))


@pytest.mark.parametrize("seed", range(70_000, 70_040))
def test_printed_form_on_plain_values(monkeypatch, seed):
    monkeypatch.setattr(convert, "FAST_PATHS", False)
    assert generated_programs.compare(seed) is None


def test_plain_calls_have_no_frame_between():
    def f(look):
        for _ in range(1):
            if look:
                return look()
        return None

    def look():
        frame = sys._getframe(1)
        return frame.f_code.co_name, frame.f_back.f_code.co_filename

    assert autograph.convert(f)(look) == ("f", __file__)


def test_no_warnings_of_the_compiler():
    def f(x):
        return len([x]), range(x), isinstance(x, int), x.upper() if isinstance(x, str) else x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert autograph.convert(f)(3) == f(3)


def test_replaced_functions_are_seen(monkeypatch):
    def f(xs):
        result = []
        for x in xs:
            result.append(helper(x))
            monkeypatch.setitem(globals(), "helper", lambda x: -x)
        return result

    assert autograph.convert(f)([1, 2, 3]) == [2, -2, -3]


def helper(x):
    return 2 * x


def test_replaced_builtins_are_seen(monkeypatch):
    def f(x):
        return len(x), isinstance(x, list)

    converted = autograph.convert(f)
    assert converted([1]) == (1, True)
    monkeypatch.setitem(globals(), "len", lambda x: "len")
    monkeypatch.setitem(globals(), "isinstance", lambda x, t: "isinstance")
    assert converted([1]) == ("len", "isinstance")


def test_changed_functions_are_seen():
    converted = autograph.convert(lambda: changing())
    assert converted() == converted() == 1
    before = changing.__code__
    changing.__code__ = (lambda a=5: a).__code__
    changing.__defaults__ = (7,)
    try:
        assert converted() == 7
    finally:
        changing.__code__, changing.__defaults__ = before, None


def changing():
    return 1


class Kept:
    def truth(self):
        return True

    def __bool__(self):
        return True


def test_tested_values_are_let_go():
    found = []

    def f(make):
        if make():
            found.append(1)
        x = make() or 3
        del x
        for _ in iter([make()]):
            pass
        del _
        return [ref() for ref in refs]

    def make():
        value = Kept()
        refs.append(weakref.ref(value))
        return value

    refs: list[weakref.ref[Kept]] = []
    assert autograph.convert(f)(make) == [None, None, None]


def test_stages_builtin_types():
    class Numbers(autograph.backends.StagingBackend):
        name, staged_types = "numbers", (int,)

        def if_stmt(self, cond, body, orelse, get_state, set_state, symbol_names, nouts):
            asked.append(cond)
            body()

    def f(x):
        if x:
            return "yes"
        return "no"

    asked: list[int] = []
    numbers = autograph.backends.register_backend(Numbers())
    try:
        assert autograph.convert(f)(0) == "yes"
        assert asked == [0]
    finally:
        autograph.backends.unregister_backend(numbers)


def test_constants_survive_pickling():
    import pickle

    code = convert.convert_function(late_if, STANDARD_OPTIONS).__code__
    values = [getattr(c, "__self__", c) for c in code.co_consts]
    scopes = [value for value in values if type(value).__name__.endswith("Scope")]
    again = pickle.loads(pickle.dumps(scopes[0]))
    assert again.options == scopes[0].options and again.name == scopes[0].name
    assert "FunctionScope" not in [i.argval for i in dis.get_instructions(code)]


def test_parameters_with_the_name_of_a_loop_variable():
    def f(n):
        if n:
            for w in map(lambda w: w + 1, range(n)):
                pass
            return w
        return [w for w in (1, 2)]

    assert autograph.convert(f)(3) == 3
    assert autograph.convert(f)(0) == [1, 2]


def test_variable_that_an_inner_function_sets_on_a_staged_path(backend):
    def f(x, known):
        if known:
            y = 0

        def g():
            nonlocal y
            if x > 1:
                y = 5
            else:
                y = 6

        g()
        return y

    converted = autograph.convert(f)
    assert text_backend.run(backend, lambda a: converted(a, False), 3) == 5
    assert text_backend.run(backend, lambda a: converted(a, True), 0) == 6


class Counter:
    def __init__(self, start=0):
        self.count = start

    def add(self, n):
        self.count += n
        return self.count

    def total(self):
        return sum(map(type(self).weight, range(self.count)))

    @staticmethod
    def weight(n):
        return n * 2


class Heavy(Counter):
    def add(self, n):
        result = super().add(n + 1)
        return result, type(self).__name__, [super(Heavy, self).add(0) for _ in range(2)]


def test_methods_in_loops(monkeypatch):
    def f():
        found = []
        for counter in (Counter(), Heavy(), Counter(3), {1, 2}, Heavy(5)):
            for n in range(3):
                if n == 2 and isinstance(counter, Counter):
                    monkeypatch.setattr(type(counter), "weight", staticmethod(lambda n: 1))
                found.append(counter.add(n))
            found.append(len(counter) if isinstance(counter, set) else counter.total())
            monkeypatch.undo()
        return found

    assert autograph.convert(f)() == f()


def test_methods_and_receivers_are_let_go():
    def f():
        found = []
        for n in range(3):
            counter = Counter(n)
            found.append(weakref.ref(counter))
            counter.add(1)
            del counter
        return [ref() for ref in found]

    assert autograph.convert(f)() == [None] * 3


MODULE = """
def program(x, n):
    def scaled(v):
        return v * 2 if v > 0 and n > 1 or v == 7 else v
    total = x
    for i in range(n):
        if total > 3 and not total > 100:
            total = scaled(total)
        while total > 50:
            total = total - 7 if total > 51 or n > 2 else 0
    return [scaled(v) for v in (total, x) if n]
"""


def _with_three(function, a):
    return function(a, 3)


def test_a_module_is_let_go_with_the_pieces_of_its_functions(backend):
    space = {"__name__": "dropped"}
    linecache.cache["<dropped>"] = (len(MODULE), None, MODULE.splitlines(True), "<dropped>")
    exec(compile(MODULE, "<dropped>", "exec"), space)
    program = space["program"]
    converted = autograph.convert(program)
    assert converted(5, 3) == program(5, 3)
    assert text_backend.run(backend, functools.partial(_with_three, converted), 5) == program(5, 3)
    left = weakref.ref(program)
    del space, converted, program
    gc.collect()
    assert left() is None
