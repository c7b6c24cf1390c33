"""`converted_call` on every kind of callable, with a resolver of the test's own that marks what it converts."""

import functools
import inspect
import itertools
import operator
import pickle
import sys
import types
import warnings

import pytest

import autograph
import autograph.generated as ag__
from autograph.operators import decisions


class Marking:
    """Converts functions whose names start with `user`: their twins note that they ran."""

    def __init__(self):
        self.ran = []

    def busy(self):
        return False

    def decide(self, f, options):
        if f.__name__.startswith("library"):
            return decisions.LIBRARY
        if "user" in f.__name__ or ".User" in f".{f.__qualname__}":
            return decisions.CONVERT
        return decisions.AS_IS

    def twin_of(self, f, options, staged):
        ran = self.ran
        names = f.__code__.co_freevars

        def twin(*args, **kwargs):
            ran.append(f_name)
            return original(*args, **kwargs)

        f_name = f.__qualname__
        original = f
        return types.FunctionType(twin.__code__, f.__globals__, f.__name__, None, twin.__closure__)


@pytest.fixture
def ran():
    before = decisions._resolver
    marking = Marking()
    decisions.install_resolver(marking)
    yield marking.ran
    decisions.install_resolver(before)


def call(f, *args, **kwargs):
    return ag__.converted_call(f, args, kwargs or None, None)


def user_add(a, b=10, *rest, c=100):
    return a + b + c + sum(rest)


class User:
    def __init__(self, x):
        self.x = x

    def method(self, y):
        return self.x + y

    @classmethod
    def make(cls, x):
        return cls(x)

    @staticmethod
    def twice(x):
        return 2 * x

    def __call__(self, y):
        return self.x * y

    @property
    def user_property(self):
        return self.x


def test_function(ran):
    assert call(user_add, 1) == 111
    assert call(user_add, 1, 2, 3, c=4) == 10
    assert ran == ["user_add", "user_add"]


def test_methods(ran):
    u = User(3)
    assert call(u.method, 4) == 7
    assert call(User.method, u, 4) == 7
    assert type(call(User.make, 5)) is User
    assert call(User.twice, 5) == 10
    assert call(u, 5) == 15
    assert ran == ["User.method", "User.method", "User.make", "User.twice", "User.__call__"]


def test_partial(ran):
    assert call(functools.partial(user_add, 1, c=2), 3) == 6
    assert call(functools.partial(functools.partial(user_add, 1), 2), c=0) == 3
    assert call(functools.partial(user_add, c=5), 1, 2, c=7) == 10
    assert len(ran) == 3


def test_constructor(ran):
    u = call(User, 4)
    assert (type(u), u.x, ran) == (User, 4, ["User.__init__"])


def test_constructor_with_new(ran):
    class UserNew(int):
        def __new__(cls, value):
            return super().__new__(cls, value + 1)

        def __init__(self, value):
            self.given = value

    n = call(UserNew, 4)
    assert (n, n.given, type(n)) == (5, 4, UserNew)
    assert [name.rpartition(".")[2] for name in ran] == ["__new__", "__init__"]


def test_constructor_that_makes_something_else(ran):
    class UserOther:
        def __new__(cls):
            return 3

        def __init__(self):
            raise AssertionError

    assert call(UserOther) == 3


def test_constructor_errors_are_pythons(ran):
    class UserBad:
        def __init__(self):
            return 3

    with pytest.raises(TypeError, match="^__init__\\(\\) should return None, not 'int'$"):
        call(UserBad)

    import abc

    class UserAbstract(abc.ABC):
        def __init__(self):
            pass

        @abc.abstractmethod
        def f(self): ...

    with pytest.raises(TypeError, match="Can't instantiate abstract class UserAbstract"):
        call(UserAbstract)


def test_builtin_and_c_callables():
    l = []
    assert call(l.append, 3) is None and l == [3]
    assert call(len, "abc") == 3
    assert call(str.upper, "a") == "A"
    assert call("a".join, ["x", "y"]) == "xay"
    assert call(dict, a=1) == {"a": 1}
    assert call((3).__add__, 4) == 7
    assert call(type, 3) is int


def test_what_is_not_callable_raises_what_python_raises():
    with pytest.raises(TypeError, match="^'int' object is not callable$"):
        call(3)


def test_callbacks_are_converted(ran):
    def user_key(x):
        return -x

    assert list(call(map, user_key, [1, 2])) == [-1, -2]
    assert call(sorted, [1, 3, 2], key=user_key) == [3, 2, 1]
    assert call(functools.reduce, user_add, [1, 2]) == 103
    assert len(ran) == 2 + 3 + 1


def test_metaclass(ran):
    made = []

    class UserMeta(type):
        def __call__(cls, *args):
            made.append(cls)
            return super().__call__(*args)

    class UserMade(metaclass=UserMeta):
        def __init__(self, x):
            self.x = x

    assert call(UserMade, 3).x == 3 and made == [UserMade]
    assert call(super(UserMeta, UserMade).__call__, 4).x == 4 and made == [UserMade]
    assert [name.rpartition(".")[2] for name in ran] == ["__call__", "__init__"]


def test_key_of_sort_is_converted(ran):
    def user_negative(x):
        return -x

    l = [1, 3, 2]
    call(l.sort, key=user_negative)
    assert (l, len(ran)) == ([3, 2, 1], 3)
    call(l.sort, key=None)
    assert l == [1, 2, 3]


def test_library_function_is_converted_for_staged_arguments_only(ran, backend, stage):
    def library_function(x):
        return x

    assert call(library_function, 3) == 3
    assert ran == []
    call(library_function, stage("a0"))
    call(library_function, [1, stage("a0")])
    assert len(ran) == 2


def test_library_wrapper_of_a_users_function_is_converted(ran):
    def library_wrap(f):
        @functools.wraps(f)
        def wrapper(*args):
            return f(*args)

        wrapper.__name__ = "library_wrapper"
        return wrapper

    assert call(library_wrap(user_add), 1) == 111
    assert len(ran) == 1


def test_lru_cache_is_passed_by_for_staged_arguments(ran, backend, stage):
    @functools.lru_cache
    def user_cached(x):
        return x

    assert call(user_cached, 3) == 3
    assert call(user_cached, stage("a0")).expression == "a0"
    assert user_cached.cache_info().currsize == 1


# Callables that look at the frame they are called from.


def scoped():
    return ag__.FunctionScope("f", "fscope", ag__.ConversionOptions(recursive=True))


def looks_at_itself():
    a, b = 1, [2]
    with scoped() as fscope:
        return (
            ag__.converted_call(globals, (), None, fscope),
            ag__.converted_call(locals, (), None, fscope),
            ag__.converted_call(vars, (), None, fscope),
            ag__.converted_call(dir, (), None, fscope),
            ag__.converted_call(vars, (types.SimpleNamespace(q=a, r=b),), None, fscope),
        )


def test_globals_locals_vars_dir():
    seen = looks_at_itself()
    assert seen[0] is globals()
    assert seen[1:] == ({"a": 1, "b": [2]}, {"a": 1, "b": [2]}, ["a", "b"], {"q": 1, "r": [2]})


def test_eval_and_exec():
    a = 41
    with scoped() as fscope:
        assert ag__.converted_call(eval, ("a + 1",), None, fscope) == 42
        assert ag__.converted_call(eval, ("a + 1", {"a": 1}), None, fscope) == 2
        assert ag__.converted_call(eval, ("__name__",), None, fscope) == __name__
        target = {}
        ag__.converted_call(exec, ("b = 3", target), None, fscope)
        assert target["b"] == 3
    with pytest.raises(TypeError):
        ag__.converted_call(eval, (), None, None)


class Base:
    def value(self):
        return "base"

    @classmethod
    def name(cls):
        return cls.__name__


builtin_super = super


class Derived(Base):
    def value(self):
        with scoped() as fscope:

            def if_body():
                nonlocal result
                __class__
                result = ag__.converted_call(ag__.converted_call(super, (), None, fscope).value, (), None, fscope)

            result = None
            ag__.if_stmt(1, if_body, if_body, tuple, tuple, (), 0)
            return result

    @classmethod
    def name(cls):
        with scoped() as fscope:
            __class__
            return ag__.converted_call(super, (), None, fscope).name()

    def no_class(self):
        return ag__.converted_call(builtin_super, (), None, None)

    @staticmethod
    def no_arguments():
        __class__
        return ag__.converted_call(super, (), None, None)


def test_super():
    assert Derived().value() == "base"
    assert Derived.name() == "Derived"
    assert ag__.converted_call(super, (Derived, Derived()), None).value() == "base"
    with pytest.raises(RuntimeError, match=r"^super\(\): no arguments$"):
        Derived.no_arguments()
    with pytest.raises(RuntimeError, match=r"^super\(\): __class__ cell not found$"):
        Derived().no_class()


def test_frames():
    frame = ag__.converted_call(sys._getframe, (), None, None)
    assert frame is sys._getframe()
    assert ag__.converted_call(inspect.currentframe, (), None, None) is frame

    def inner():
        def if_body():
            found.append(ag__.converted_call(sys._getframe, (1,), None, None))
            ag__

        ag__.if_stmt(True, if_body, if_body, tuple, tuple, (), 0)

    found = []
    ag__.converted_call(inner, (), None, None)
    assert found == [frame]
    with pytest.raises(ValueError, match="call stack is not deep enough"):
        ag__.converted_call(sys._getframe, (100000,), None, None)


def test_new_types_belong_to_the_users_module():
    import collections
    import enum

    assert ag__.converted_call(type, ("T", (), {}), None).__module__ == __name__
    assert ag__.converted_call(collections.namedtuple, ("P", "x y"), None).__module__ == __name__
    assert ag__.converted_call(enum.Enum, ("E", "A B"), None).__module__ == __name__


def test_warnings_name_the_users_line():
    def warn_here(level):
        ag__.converted_call(warnings.warn, ("careful", UserWarning, level), None, None)

    for level in (1, 2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warn_here(level)
            line = sys._getframe().f_lineno - 1
        assert caught[0].filename == __file__
        expected = line if level == 2 else warn_here.__code__.co_firstlineno + 1
        assert caught[0].lineno == expected


def test_logging_names_the_users_line(caplog):
    import logging

    logger = logging.getLogger("test")
    ag__.converted_call(logger.warning, ("careful",), None, None)
    line = sys._getframe().f_lineno - 1
    record = caplog.records[0]
    assert (record.filename, record.lineno, record.funcName) == (
        "test_calls.py",
        line,
        "test_logging_names_the_users_line",
    )


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python pickles no iterator of itertools")
def test_iterators_over_functions_written_in_c_are_pickled(protocol):
    @autograph.convert()
    def run():
        made = (
            itertools.starmap(operator.pow, [(2, 3), (3, 2)]),
            itertools.accumulate([3, None], operator.is_),
            map(len, ["a", "bc"]),
        )
        return [list(pickle.loads(pickle.dumps(it, protocol))) for it in made]

    assert run() == [[8, 9], [3, False], [1, 2]]


def test_super_asks_the_object_for_nothing():
    class Guarded:
        def __getattribute__(self, name):
            return (name, super().__getattribute__("kept"))

    Guarded.kept = 3
    Guarded.__getattribute__ = autograph.to_graph(Guarded.__getattribute__)
    assert Guarded().any == ("any", 3)
