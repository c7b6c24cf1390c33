"""The public functions: identity of what they return, what they take, and which callables are converted.

Covers: autograph/doors.py, autograph/errors.py, autograph/generated.py, autograph/options.py.
"""

import doctest
import functools
import gc
import importlib
import inspect
import os
import pickle
import subprocess
import sys
import types
import warnings
import weakref

import pytest

import autograph
from autograph.operators import frames
from tests import ROOT

PATH = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))


def original(x: int, y: "int" = 2, *rest: int, key: str = "k", **more: object) -> str:
    """Doc of original."""
    if x > y:
        return f"{x}>{y}{rest}{key}{sorted(more)}"
    return f"{x}<={y}{rest}{key}{sorted(more)}"


@autograph.convert
def module_level(x):
    """Doc."""
    if x:
        return "yes"
    return "no"


def plain_add(a, b=10):
    if a > b:
        return a - b
    return a + b


def is_converted(function):
    return frames.is_generated(function.__code__)


def test_convert_keeps_the_identity():
    converted = autograph.convert(original)
    assert is_converted(converted) and not is_converted(original)
    for name in (
        "__name__",
        "__qualname__",
        "__doc__",
        "__module__",
        "__defaults__",
        "__kwdefaults__",
        "__annotations__",
    ):
        assert getattr(converted, name) == getattr(original, name), name
    assert inspect.signature(converted) == inspect.signature(original)
    assert inspect.getsource(converted) == inspect.getsource(original)
    assert converted.__globals__ is original.__globals__
    assert converted.__code__.co_filename == __file__
    assert converted.__code__.co_firstlineno == original.__code__.co_firstlineno
    assert converted(3) == original(3)
    assert converted(1, 2, 3, key="q", z=1) == original(1, 2, 3, key="q", z=1)


def test_decorator_with_and_without_parentheses():
    @autograph.convert
    def f(x):
        return x + 1

    @autograph.convert()
    def g(x):
        return x + 1

    @autograph.convert(recursive=False, optional_features=autograph.Feature.LISTS)
    def h(x):
        return x + 1

    assert [c(1) for c in (f, g, h)] == [2, 2, 2]
    assert all(map(is_converted, (f, g, h)))


def test_pickle_by_reference():
    assert pickle.loads(pickle.dumps(module_level)) is module_level


def test_converting_twice_changes_nothing():
    converted = autograph.convert(original)
    assert autograph.convert(converted) is converted
    assert autograph.to_graph(converted) is converted


class Model:
    """A class with everything that can be decorated."""

    scale = 10

    def __init__(self, x):
        self.x = x

    @autograph.convert
    def method(self, y):
        if y > self.x:
            return self.__private(y)
        return self.scale

    def __private(self, y):
        return y * 100

    @autograph.convert
    @staticmethod
    def static(x):
        return "s" if x else "t"

    @staticmethod
    @autograph.convert
    def static2(x):
        return "s" if x else "t"

    @autograph.convert
    @classmethod
    def make(cls, x):
        if x:
            return cls(x)
        return None

    @autograph.convert
    @property
    def size(self):
        """Doc of size."""
        if self.x > 1:
            return "big"
        return "small"

    @size.setter
    def size(self, value):
        self.x = value

    def plain(self, y):
        if y:
            return self.x
        return -self.x

    def __call__(self, y):
        return self.plain(y)


class Child(Model):
    @autograph.convert
    def method(self, y):
        if y:
            return ("child", super().method(y))
        return __class__


def test_methods_are_bound():
    model = Model(3)
    assert (model.method(5), model.method(1), Model.method(model, 5)) == (500, 10, 500)
    assert (Model.static(1), model.static(0), model.static2(1)) == ("s", "t", "s")
    assert type(Model.make(2)) is Model and Child.make(0) is None and type(Child.make(1)) is Child
    assert (model.size, Model.size.__doc__) == ("big", "Doc of size.")
    model.size = 0
    assert model.size == "small"
    assert Child(3).method(5) == ("child", 500)
    assert Child(3).method(0) is Child


def test_bound_methods_and_objects():
    model = Model(3)
    bound = autograph.convert(model.plain)
    assert bound.__self__ is model and is_converted(bound.__func__) and bound(0) == -3
    assert autograph.to_graph(model.plain)(1) == 3
    assert autograph.to_graph(Model.plain)(model, 1) == 3
    assert autograph.convert(model)(1) == 3
    assert autograph.to_graph(model)(0) == -3
    partial = autograph.convert(functools.partial(plain_add, b=1))
    assert partial(5) == 4 and is_converted(partial.func)
    original = functools.partial(plain_add, b=1)
    assert autograph.convert(original) is autograph.convert(original) is autograph.convert(autograph.convert(original))
    assert is_converted(autograph.to_graph(original).func) and autograph.to_graph(original)(5) == 4
    assert autograph.to_code(original) == autograph.to_code(plain_add)


def test_do_not_convert_takes_other_descriptors():
    class C:
        @autograph.do_not_convert
        @functools.cached_property
        def size(self):
            return 3

        half = autograph.do_not_convert(functools.partialmethod(lambda self, x, y: x / y, 1))

    assert (C().size, C().half(2)) == (3, 0.5)
    assert "do_not_convert" in autograph.explain(C.size.func).reason


def test_class_decorator_converts_the_methods_in_place():
    @autograph.convert
    class Local:
        def __init__(self, x):
            self.x = x if x > 0 else -x

        @property
        def sign(self):
            return 1 if self.x else 0

        @staticmethod
        def s(x):
            return x

    assert isinstance(Local, type) and Local(-3).x == 3 and Local(0).sign == 0 and Local.s(1) == 1
    assert is_converted(Local.__init__) and is_converted(Local.sign.fget) and is_converted(Local.s)


def test_generators_and_coroutines_stay_what_they_are():
    @autograph.convert
    def numbers(n):
        for i in range(n):
            if i % 2:
                yield i

    @autograph.convert
    async def answer(x):
        if x:
            return 42

    assert inspect.isgeneratorfunction(numbers) and list(numbers(5)) == [1, 3]
    assert inspect.iscoroutinefunction(answer)
    import asyncio

    assert asyncio.run(answer(1)) == 42


def test_closures_share_their_cells():
    count = 0

    @autograph.convert
    def bump(by):
        nonlocal count
        if by:
            count += by
        return count

    bump(3)
    count += 10
    assert (bump(0), count) == (13, 13)


def factory(n):
    def inner(x=n):
        if x:
            return x + n
        return n

    return inner


def test_callees_have_their_own_closures_and_the_defaults_of_the_moment():
    first, second = factory(1), factory(5)

    @autograph.convert
    def call(f, *args):
        return f(*args)

    assert (call(first), call(second), call(first, 0)) == (2, 10, 1)
    first.__defaults__ = (100,)
    assert call(first) == 101


def test_arity_errors_are_pythons():
    @autograph.convert
    def call(f, *args):
        return f(*args)

    def texts(attempt):
        with pytest.raises(TypeError) as caught:
            attempt()
        return str(caught.value)

    for f in (original, plain_add, Model, Model(1).plain, factory(1)):
        args = (1,) * 10 if f is not original else ()
        assert texts(lambda: call(f, *args)) == texts(lambda: f(*args))


def test_nothing_is_kept_alive():
    class Token:
        pass

    def make():
        token = Token()

        def recursive(x):
            token
            if x:
                return recursive(x - 1)
            return 0

        return recursive, weakref.ref(token)

    @autograph.convert
    def call(f, x):
        return f(x)

    f, watch = make()
    assert call(f, 3) == 0
    converted = autograph.convert(f)
    assert converted(2) == 0
    del f, converted
    gc.collect()
    assert watch() is None


def test_to_code_is_python_and_stable():
    text = autograph.to_code(plain_add)
    assert text == autograph.to_code(plain_add) == autograph.to_code(autograph.convert(plain_add))
    assert text.startswith("def tf__plain_add(a, b=")
    compile(text, "text", "exec")


@pytest.mark.parametrize("entity", [len, int, 3, Model, "text"])
def test_what_has_no_source_is_refused_by_name(entity):
    for function in (autograph.to_graph, autograph.to_code):
        with pytest.raises(autograph.errors.ConversionError, match="AG102.*has no Python source") as caught:
            function(entity)
    assert repr(entity) in str(caught.value) or "Model" in str(caught.value) or "int" in str(caught.value)


def test_convert_leaves_what_it_cannot_convert():
    namespace = {}
    exec("def f(x):\n    return x + 1", namespace)
    f = namespace["f"]
    with pytest.warns(autograph.errors.SourceNotFoundWarning, match="'f' could not be converted and runs as it is"):
        assert autograph.convert(namespace["f"]) is namespace["f"]


def test_convert_leaves_objects_whose_calls_are_not_converted(backend):
    import unittest.mock

    mock = unittest.mock.Mock(return_value=3)
    assert autograph.convert(mock) is mock

    class Op:
        def __call__(self, x):
            return x

    assert autograph.convert(Op())(3) == autograph.convert(recursive=False)(Op())(3) == 3
    op = Op()
    autograph.do_not_convert(Op)
    assert autograph.convert(op) is op


def test_callee_without_source_runs_without_a_warning():
    namespace = {}
    exec("def f(x):\n    return x + 1", namespace)
    f = namespace["f"]

    @autograph.convert
    def g(x):
        return f(x)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert g(1) == 2


# do_not_convert


def test_do_not_convert():
    marked = autograph.do_not_convert(plain_add)
    assert marked(1) == 11 and marked.__name__ == "plain_add" and marked.__wrapped__ is plain_add
    assert inspect.signature(marked) == inspect.signature(plain_add)
    assert "do_not_convert" in autograph.explain(marked).reason
    assert autograph.explain(plain_add).action == "converted"
    assert autograph.convert(marked) is marked


def test_do_not_convert_with_parentheses_and_in_classes():
    class C:
        @autograph.do_not_convert()
        def m(self, x):
            return x

        @autograph.do_not_convert
        @staticmethod
        def s(x):
            return x

        @autograph.do_not_convert
        @property
        def p(self):
            return 5

    c = C()
    assert (c.m(1), c.s(2), C.s(3), c.p) == (1, 2, 3, 5)
    assert "do_not_convert" in autograph.explain(c.m).reason

    @autograph.do_not_convert
    class D:
        def __init__(self):
            self.x = 1

    assert isinstance(D, type) and D().x == 1
    assert "do_not_convert" in autograph.explain(D).reason
    assert autograph.do_not_convert(Model(2))(1) == 2
    with pytest.raises(TypeError, match="expects a callable"):
        autograph.do_not_convert(3)


def test_functions_called_from_unconverted_code_run_as_they_are(backend, stage):
    @autograph.do_not_convert
    def outer(x):
        return plain_add(x)

    @autograph.convert
    def f(x):
        return outer(x)

    with pytest.raises(autograph.errors.StagingError, match="truth of"):
        f(stage("a0"))
    assert f(1) == 11


def test_recursive_false_leaves_callees(backend, stage):
    def f(x):
        return plain_add(x)

    with pytest.raises(autograph.errors.StagingError, match="truth of"):
        autograph.to_graph(f, recursive=False)(stage("a0"))
    autograph.to_graph(f)(stage("a0"))
    assert backend.lines[0].startswith("if (a0 > 10)")


# The policy


@pytest.mark.parametrize(
    "f, action, reason",
    [
        (plain_add, "converted", "user's"),
        (lambda x: x, "converted", "user's"),
        (Model, "converted", "__init__"),
        (Model(1).plain, "converted", "user's"),
        (Model(1), "converted", "user's"),
        (functools.partial(plain_add, 1), "converted", "user's"),
        (module_level, "as it is", "converted already"),
        (len, "as it is", "not Python code"),
        (int, "as it is", "constructor"),
        (types.SimpleNamespace, "as it is", "constructor"),
        (inspect.signature, "as it is", "machinery of the standard library"),
        (autograph.to_graph, "as it is", "compiler"),
        (pytest.raises, "as it is", "test runner"),
        (autograph.Feature, "as it is", "metaclass"),
        (3, "as it is", "cannot be called"),
    ],
)
def test_explain(f, action, reason):
    decision = autograph.explain(f)
    assert decision.action == action and reason in decision.reason, decision


def test_standard_library_is_converted_for_staged_arguments(backend, stage):
    import bisect
    import statistics

    assert autograph.explain(statistics.mean).action == "as it is unless an argument is staged"
    assert autograph.explain(statistics.mean).reason == "module 'statistics' is of the standard library"

    @autograph.convert
    def f(x):
        return statistics.mean([1, 2, 3]) + x

    assert f(1) == 3
    assert bisect


def test_modules_of_backends_are_left_alone(backend):
    backend.unconverted_modules = ("test_api_fake",)
    module = types.ModuleType("test_api_fake.part")
    f = types.FunctionType(plain_add.__code__.replace(), {"__name__": "test_api_fake.part"}, "f")
    assert autograph.explain(f).reason == "module 'test_api_fake.part' belongs to backend 'text'"
    assert module.__name__.startswith("test_api_fake")


def test_functions_given_to_a_backend_are_converted(backend, stage):
    backend.unconverted_modules = ("test_api_fake",)
    namespace = {"__name__": "test_api_fake.ops"}
    exec("def apply(f, x, *, key=None):\n    return f(x) if key is None else key(f(x))", namespace)
    apply = namespace["apply"]

    @autograph.convert
    def f(x):
        return apply(plain_add, x)

    assert f(3) == 13
    assert f(stage("a0")).expression
    assert backend.lines[0] == "if (a0 > 10):"

    @autograph.do_not_convert
    def unconverted(x):
        return plain_add(x)

    @autograph.convert
    def g(x):
        return apply(unconverted, x, key=lambda v: v)

    assert g(3) == 13
    with pytest.raises(autograph.errors.StagingError, match="truth of"):
        g(stage("a0"))


# Conversion in calls


def test_decorators_of_the_standard_library(backend, stage):
    import contextlib

    calls = []

    @functools.lru_cache
    def cached(x):
        calls.append(x)
        return x * 2 if x > 0 else x

    @functools.singledispatch
    def dispatched(x):
        return "object" if x else "nothing"

    @dispatched.register
    def _(x: int):
        return "int" if x else "zero"

    class Context(contextlib.ContextDecorator):
        def __enter__(self):
            calls.append("enter")

        def __exit__(self, *error):
            calls.append("exit")

    @Context()
    def wrapped(x):
        if x > 1:
            return 1
        return 2

    @contextlib.contextmanager
    def managed(x):
        calls.append(("open", x))
        yield x
        calls.append(("close", x))

    @autograph.convert
    def f(x):
        with managed(x) as y:
            return cached(y), cached(y), dispatched(y), dispatched("q"), wrapped(y)

    assert f(2) == (4, 4, "int", "object", 1)
    assert calls == [("open", 2), 2, "enter", "exit", ("close", 2)]
    backend.lines = []
    with pytest.raises(autograph.errors.StagingError):
        bool(stage("a"))

    @autograph.convert
    def g(x):
        return wrapped(x)

    assert g(stage("a0")).expression.startswith("s")
    assert backend.lines[0] == "if (a0 > 1):"


def test_wraps_chains(backend, stage):
    def deco(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            return f(*args, **kwargs)

        return wrapper

    @deco
    @deco
    def f(x):
        return 1 if x > 0 else 2

    @autograph.convert
    def g(x):
        return f(x)

    assert g(3) == 1
    assert g(stage("a0")).expression == "t1"


def test_eval_super_locals_in_converted_functions():
    @autograph.convert
    def f(a, b):
        c = a + b
        if c > 2:
            d = eval("a * b")
        else:
            d = 0
        return sorted(locals()), d, dir(), eval("c + d", {"c": 1, "d": 1})

    assert f(2, 3) == (["a", "b", "c", "d"], 6, ["a", "b", "c", "d"], 2)


def test_recursion_goes_as_deep_as_in_python(request):
    def depth(n):
        if n == 0:
            return 0
        return 1 + depth(n - 1)

    limit = 1000
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    request.addfinalizer(lambda: sys.setrecursionlimit(before))
    room = limit - len(inspect.stack()) - 60
    assert depth(room) == room
    assert autograph.convert(depth)(room) == room
    assert sys.getrecursionlimit() == limit

    @autograph.convert
    def endless(n):
        if n >= 0:
            return endless(n + 1)

    with pytest.raises(RecursionError):
        endless(0)
    assert sys.getrecursionlimit() == limit

    @autograph.convert
    def limits():
        return inner_limit()

    def inner_limit():
        return sys.getrecursionlimit()

    assert limits() == limit


class Grandchild(Child):
    def method(self, y):
        if y:
            return super(Grandchild, self).method(y), Grandchild
        return None


def test_a_method_that_names_its_own_class():
    assert autograph.to_graph(Grandchild.method)(Grandchild(3), 5) == (("child", 500), Grandchild)


def test_loop_whose_test_sets_a_variable():
    def follow(links, x):
        while (key := x.lower()) in links:
            x = links[key]
        return x

    assert autograph.convert(follow)({"a": "B", "b": "C"}, "A") == follow({"a": "B", "b": "C"}, "A") == "C"


def test_set_verbosity_and_trace(capsys):
    autograph.trace("a", 1)
    assert capsys.readouterr().out == "a 1\n"

    def callee_of_verbosity(x):
        return x

    @autograph.convert
    def f(x):
        return callee_of_verbosity(x)

    autograph.set_verbosity(1)
    try:
        f(1)
    finally:
        autograph.set_verbosity(0)
    assert "callee_of_verbosity is called converted: it is Python code of the user's" in capsys.readouterr().err
    with pytest.raises(TypeError):
        autograph.set_verbosity("loud")


def test_set_loop_options_does_nothing_in_python():
    @autograph.convert
    def f(n):
        total = 0
        for i in range(n):
            autograph.set_loop_options(maximum_iterations=1, parallel_iterations=2)
            total += i
        return total

    assert f(4) == 6
    assert autograph.set_loop_options(swap_memory=True) is None


# The package


def test_public_names_exist():
    for door in (autograph, autograph.backends, autograph.errors):
        assert len(set(door.__all__)) == len(door.__all__)
        for name in door.__all__:
            assert hasattr(door, name)
            assert name in dir(door)
    assert len(autograph.__all__) == 16
    assert autograph.errors.__all__ == sorted(n for n, v in vars(autograph.errors).items() if isinstance(v, type))
    generated = importlib.import_module("autograph.generated")
    for name in generated.__all__:
        assert hasattr(generated, name)


def test_names_that_have_moved_are_found_by_their_old_names_with_a_warning():
    with pytest.warns(DeprecationWarning, match=r"autograph.UsageError is autograph.errors.UsageError now") as told:
        assert autograph.UsageError is autograph.errors.UsageError
    assert told[0].filename == __file__
    with pytest.warns(DeprecationWarning, match=r"is autograph.backends.StagingBackend now") as told:
        exec("from autograph import StagingBackend", found := {})
    assert found["StagingBackend"] is autograph.backends.StagingBackend
    with pytest.raises(AttributeError, match="module 'autograph' has no attribute 'convrt'"):
        autograph.convrt
    assert "Did you mean: 'convert'?" in run("import autograph\nautograph.convrt(len)", fails=True).stderr
    with pytest.raises(ImportError, match="cannot import name 'registr_backend' from 'autograph.backends'"):
        exec("from autograph.backends import registr_backend")


def test_what_is_not_asked_for_is_not_imported():
    code = (
        "import sys, autograph; print(*sorted(n for n in sys.modules if n.partition('.')[0] in ('autograph', 'gast')))"
    )
    assert run(code).stdout.split() == ["autograph", "autograph.doors"]


def test_a_dumped_module_needs_nothing_else_to_have_been_imported():
    run(
        "import autograph.generated as ag__, sys\n"
        "assert type(sys.modules['autograph.operators.decisions']._resolver).__name__ == 'ConversionResolver'\n"
    )


def run(code, *options, env=None, fails=False):
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": PATH, **(env or {})},
    )
    assert bool(done.returncode) == fails, done.stderr
    return done


def test_neither_numpy_nor_graphrt_is_imported():
    run(
        "import sys, autograph, autograph.__main__\n"
        "f = autograph.convert(lambda x: 1 if x else 2)\n"
        "assert f(0) == 2\n"
        "assert not {'numpy', 'graphrt', 'tensorflow'} & set(sys.modules), sorted(sys.modules)"
    )


def test_import_is_cheap():  # its time is measured in tests/benchmarks
    run("import sys, autograph\nassert 'gast' not in sys.modules and 'autograph.pyct' not in sys.modules")


def test_examples_in_docstrings():
    import autograph.__main__  # noqa: F401

    count = 0
    for name in ("api", "errors", "options", "__main__", "operators.variables", "conversion.policy"):
        result = doctest.testmod(importlib.import_module(f"autograph.{name}"))
        assert result.failed == 0, name
        count += result.attempted
    assert count > 10
