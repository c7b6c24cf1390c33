"""The twin of a function is the function: identity, closures, private names, names of inner things, lines.

Covers: autograph/conversion/sources.py.
"""

from __future__ import annotations

import ast
import gc
import inspect
import sys
import threading
import traceback
import weakref

import pytest

import autograph
from autograph import generated
from autograph.conversion import convert
from autograph.conversion.cache import CodeCache
from autograph.errors import ConversionError, UsageError
from autograph.options import STANDARD_OPTIONS, ConversionOptions, Feature


def twin_of(f):
    return convert.convert_function(f, STANDARD_OPTIONS)


def sample(a, b=[1], *c, d: int = 3, **e) -> str:
    """Doc."""
    if a:

        def inner():
            return c

        class Local:
            def method(self):
                return __class__

        return inner, Local, (lambda: a)
    return None


def test_identity():
    sample.mark = "kept"
    twin = twin_of(sample)
    for name in ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__"):
        assert getattr(twin, name) == getattr(sample, name)
    assert twin.__defaults__ is sample.__defaults__ and twin.__kwdefaults__ is sample.__kwdefaults__
    assert twin.__globals__ is sample.__globals__ and twin.mark == "kept" and twin.ag_original is sample
    assert inspect.signature(twin) == inspect.signature(sample)
    assert not hasattr(twin, "__wrapped__")
    assert "ag__" not in sample.__globals__


def test_code_says_where_it_is_from():
    twin = twin_of(sample)
    for name in (
        "co_name",
        "co_qualname",
        "co_filename",
        "co_firstlineno",
        "co_argcount",
        "co_kwonlyargcount",
        "co_flags",
    ):
        if name == "co_flags":  # a closure is nested
            assert (twin.__code__.co_flags ^ sample.__code__.co_flags) & ~(inspect.CO_NESTED | 0x40) == 0
        else:
            assert getattr(twin.__code__, name) == getattr(sample.__code__, name)


def test_names_of_inner_things():
    inner, local, function = twin_of(sample)(1)
    assert inner.__qualname__ == "sample.<locals>.inner"
    assert local.__qualname__ == "sample.<locals>.Local"
    assert local.method.__qualname__ == "sample.<locals>.Local.method"
    assert local().method() is local
    assert function.__qualname__ == "sample.<locals>.<lambda>"


def test_closure_cells_are_shared():
    def make():
        n = 0

        def add(k):
            nonlocal n
            if k:
                n += k
            return n

        return add, lambda: n

    add, read = make()
    twin = twin_of(add)
    assert twin(3) == 3 and read() == 3 and add(1) == 4 and twin(0) == 4


class Base:
    def __private(self):
        return "base private"

    def greet(self):
        return "base"


class Derived(Base):
    __secret = 5

    def greet(self, loud=False):
        if loud:
            return super().greet().upper(), __class__, self.__secret
        for _ in range(1):
            self.__other = 1
        return super().greet(), self.__other


def test_private_names_and_super():
    twin = twin_of(Derived.greet)
    assert twin(Derived(), True) == ("BASE", Derived, 5)
    assert twin(Derived()) == ("base", 1)


def test_cells_that_are_empty_yet():
    def outer():
        def f(x):
            if x:
                return later

        twin = twin_of(f)
        later = 7
        return twin

    assert outer()(1) == 7


def test_user_names_like_generated_ones():
    def f(ag__, fscope, tuple, dict):
        do_return = 1
        for itr in range(2):
            if itr:
                break_ = ag__
        vars_ = fscope(*[1], **{"k": 2})
        return do_return, break_, vars_, tuple, dict, lambda: ag__

    found = twin_of(f)(9, lambda *a, **k: (a, k), 3, 4)
    assert found[:5] == (1, 9, ((1,), {"k": 2}), 3, 4)
    assert found[5]() == 9


def test_conversion_is_cached_and_let_go():
    cache = CodeCache()
    code = compile("x = 1", "f", "exec")
    assert (
        cache.get(code, STANDARD_OPTIONS, lambda: "made")
        == cache.get(code, STANDARD_OPTIONS, lambda: "again")
        == "made"
    )
    assert cache.get(code, ConversionOptions(), lambda: "other") == "other"
    assert len(cache) == 1
    del code
    gc.collect()
    assert len(cache) == 0


def test_functions_are_not_kept_alive():
    def make():
        def f(x):
            return x

        return f

    f = make()
    twin = twin_of(f)
    watch = weakref.ref(f)
    del f, twin
    gc.collect()
    assert watch() is None


def test_threads_convert_once():
    made = []

    def f(x):
        while x:
            x -= 1
        return x

    def run():
        made.append(twin_of(f).__code__)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(code) for code in made}) == 1


def test_text_is_the_same_each_time():
    options = ConversionOptions(
        recursive=True, user_requested=True, optional_features=(Feature.LISTS, Feature.EQUALITY_OPERATORS)
    )
    texts = {convert.function_text(sample, options) for _ in range(3)}
    assert len(texts) == 1
    assert "optional_features=(ag__.Feature.EQUALITY_OPERATORS, ag__.Feature.LISTS)" in texts.pop()


def test_stages_can_be_printed():
    assert convert.function_text(sample, STANDARD_OPTIONS, after="functions").startswith("def tf__sample(")
    with pytest.raises(UsageError, match="no converter is called 'functoins'"):
        convert.function_text(sample, STANDARD_OPTIONS, after="functoins")


def test_misplaced_directive():
    def f(x):
        autograph.set_loop_options(maximum_iterations=1)
        return x

    with pytest.raises(ConversionError, match=r"test_convert.py:\d+: set_loop_options advises the loop around it"):
        twin_of(f)


SOURCE = '''"""Module doc."""
import functools

@functools.lru_cache
def f(x, y=functools):
    if x:
        return 1

class A:
    n: int = 1
    def m(self):
        return super().__init__(), self.__p
    def plain(self): return 1
    if n:
        def late(self): pass

if True:
    def g(): return [lambda: 0]
'''


def test_whole_modules():
    text = ast.unparse(convert.convert_source(SOURCE, "m.py", STANDARD_OPTIONS))
    assert text.count("ag__.FunctionScope(") == 5
    assert "@functools.lru_cache\n@ag__.autograph_artifact\ndef f(x, y=ag__.ld(functools)):" in text
    assert "n: int = 1" in text


def test_single_functions_of_a_module():
    def text(name):
        return ast.unparse(convert.convert_source_function(SOURCE, "m.py", name, STANDARD_OPTIONS))

    assert text("f").startswith("@ag__.autograph_artifact\ndef f(x")
    assert text("A.m").startswith("class A:") and text("A.plain").startswith("@ag__")
    assert "def late" in text("A.late") and "def g" in text("g")
    with pytest.raises(UsageError, match="has no function 'A.none'"):
        text("A.none")


def lines_of(function, *args):
    """The lines that tracing reports, as a debugger or coverage tool sees them."""
    lines = []
    filename = sample.__code__.co_filename

    def tracer(frame, event, arg):
        if frame.f_code.co_filename == filename and event == "line":
            lines.append(frame.f_lineno)
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        result = function(*args)
        if hasattr(result, "__next__"):
            list(result)
    finally:
        sys.settrace(before)
    return lines


def many_statements(xs, limit):
    total = 0
    for x in xs:
        if x < 0:
            continue
        total += x
        if x > limit:
            break
    else:
        total += 100
    while total > 5:
        total -= 2
        if total == 6:
            return "six"
    try:
        if limit:
            y = 1
        else:
            y = 2
    finally:
        total += 1
    with open(__file__) as h:
        z = 3
    if y == 1:
        return (
            total,
            z,
        )
    return total


def yielding(n):
    for i in range(n):
        if i == 1:
            continue
        yield i


@pytest.mark.parametrize(
    ("function", "args"),
    [(many_statements, ([1, -1, 2], 3)), (many_statements, ([1, 9], 3)), (many_statements, ([0], 0)), (yielding, (3,))],
)
def test_lines_run_are_those_of_the_original(function, args):
    found, expected = lines_of(autograph.to_graph(function), *args), lines_of(function, *args)
    assert set(found) == set(expected)
    body = function.__code__.co_firstlineno + 5
    assert found.count(body) == expected.count(body)


def test_lines_run_are_the_same_when_loops_are_marked():
    class Marking(autograph.backends.StagingBackend):
        name, staged_types = "marking", (type("Staged", (), {}),)
        checkpoint = staticmethod(int)  # no frame, which would be traced too

    backend = autograph.backends.register_backend(Marking())
    try:
        test_lines_run_are_those_of_the_original(many_statements, ([1, -1, 2], 3))
        test_lines_run_are_those_of_the_original(loops_that_call, (3,))
    finally:
        autograph.backends.unregister_backend(backend)


def loops_that_call(n):
    while abs(n) > 1:
        m = n
        n -= 1
    return m


def fails_deep(x):
    for i in range(x):
        if i > 1:
            with open(__file__):
                raise KeyError(i)
        i + 1
    return x


def test_tracebacks_show_the_user_s_lines():
    frames = []
    for f in (fails_deep, twin_of(fails_deep)):
        with pytest.raises(KeyError) as caught:
            f(4)
        found = traceback.extract_tb(caught.value.__traceback__)[-1]
        frames.append((found.filename, found.lineno, found.line, found.colno, found.end_colno))
    assert frames[0] == frames[1]


def test_deep_recursion_of_the_source():
    import linecache

    source = "def deep(x):\n    return " + "(" * 150 + "x" + " + 1)" * 150 + "\n"
    source += "def chain(x):\n" + "".join(
        f"    {'el' if i else ''}if x == {i}:\n        return {i} * 2\n" for i in range(300)
    )
    linecache.cache["<deep>"] = (len(source), None, source.splitlines(True), "<deep>")
    namespace = {}
    exec(compile(source, "<deep>", "exec"), namespace)
    assert twin_of(namespace["deep"])(0) == 150
    assert [twin_of(namespace["chain"])(i) for i in (0, 30, 299, 300)] == [0, 60, 598, None]


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
def test_annotations_of_modules_do_not_see_deleted_variables(future):
    text = f"{future}def f(b=1):\n    del b\n    def g(x: [b]): pass\n    return g.__annotations__\n"
    namespace = {"ag__": generated}
    converted = ast.unparse(convert.convert_source(text, "m.py", STANDARD_OPTIONS))
    exec(compile(converted, "m.py", "exec", dont_inherit=True), namespace)
    if future:
        assert namespace["f"]() == {"x": "[b]"}
    else:
        with pytest.raises(NameError, match="'b'"):
            namespace["f"]()
