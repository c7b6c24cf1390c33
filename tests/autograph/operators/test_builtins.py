"""Built-in functions: plain arguments give Python's results and errors, staged ones go to the backend."""

import functools
import io

import pytest

import autograph
import autograph.generated as ag__
from autograph.backends import registry


def call(f, *args, **kwargs):
    return ag__.converted_call(f, args, kwargs or None, None)


PLAIN = [
    (abs, (-3,)), (all, ([1, 0],)), (any, ([0, 1],)), (bool, ("",)), (bool, ()), (float, ("2.5",)), (float, ()),
    (int, ("12",)), (int, ("ff", 16)), (int, ()), (len, ("abc",)), (max, ([1, 3, 2],)), (max, (1, 2)), (min, ("ba",)),
    (round, (2.567, 2)), (round, (2.5,)), (sorted, ([3, 1],)), (sum, ([1, 2],)), (sum, ([1, 2], 10)),
]  # fmt: skip
LAZY = [
    (enumerate, ("ab",)), (enumerate, ("ab", 5)), (filter, (None, [0, 1])), (iter, ("ab",)), (map, (str, [1, 2])),
    (range, (3,)), (range, (1, 8, 3)), (reversed, ([1, 2],)), (zip, ("ab", [1, 2])), (zip, ()),
]  # fmt: skip
WRONG = [
    (len, ()), (len, (3,)), (len, ("a", "b")), (abs, ("x",)), (int, ("x",)), (max, ()), (max, ([],)), (sum, (3,)),
    (next, (iter([]),)), (round, ("x",)), (range, ("x",)), (sorted, (3,)), (all, ()), (any, (1, 2)), (min, (x for x in ())),
]  # fmt: skip


@pytest.mark.parametrize("f, args", PLAIN, ids=lambda v: getattr(v, "__name__", repr(v)))
def test_plain(f, args, backend):
    assert call(f, *args) == f(*args)


@pytest.mark.parametrize("f, args", LAZY, ids=lambda v: getattr(v, "__name__", repr(v)))
def test_lazy(f, args, backend):
    result = call(f, *args)
    assert type(result) is type(f(*args))
    assert list(result) == list(f(*args))


@pytest.mark.parametrize("f, args", WRONG, ids=[f"{f.__name__}_{i}" for i, (f, _) in enumerate(WRONG)])
def test_errors(f, args, backend):
    with pytest.raises(Exception) as expected:
        f(*args)
    with pytest.raises(Exception) as found:
        call(f, *args)
    assert (found.type, str(found.value)) == (expected.type, str(expected.value))


@pytest.mark.parametrize(
    "name", "abs all any bool enumerate float int iter len max min next reversed round sorted sum".split()
)
def test_staged(name, backend, stage):
    import builtins

    assert call(getattr(builtins, name), stage("a0")).expression == f"{name}(a0)"


def test_staged_with_more_arguments(backend, stage):
    a = stage("a0")
    assert call(range, 1, a).expression == "range(1, a0)"
    assert call(zip, [1], a).expression == "zip([1], a0)"
    assert call(enumerate, a, start=2).expression == "enumerate(a0, start=2)"
    assert call(max, 1, a).expression == "max(1, a0)"
    assert call(sum, [1], a).expression == "sum([1], a0)"


def test_staged_elements(backend, stage):
    a, b = stage("a"), stage("b")
    assert call(max, [a, b]).expression == "max(a, b)"
    assert call(min, (a, 3)).expression == "min(a, 3)"
    assert call(max, (v for v in (a, 1, b))).expression == "max(max(a, 1), b)"
    for function in (any, all):
        backend.lines = []
        result = call(function, [False, a, b] if function is any else (v for v in (1, a, b)))
        program = "\n".join([*backend.lines, f"r = {result.expression}"])
        for values in [(0, 0), (0, 1), (1, 0), (1, 1)]:
            namespace = dict(zip("ab", values))
            exec(program, namespace)
            assert namespace["r"] == function(values), values
    assert call(any, [True, a]) is True
    assert call(all, [0, a]) is False


def test_generators_are_read_as_far_as_python_reads_them(backend):
    source = iter([0, 1, 2])
    assert call(any, (v for v in source)) is True
    assert next(source) == 2
    source = iter([1, 0, 2])
    assert call(all, (v for v in source)) is False
    assert next(source) == 2


def test_print(backend, stage):
    stream = io.StringIO()
    call(print, 1, "b", sep="-", file=stream)
    assert stream.getvalue() == "1-b\n"
    call(print, "x", stage("a0"))
    assert backend.lines == ["print('x', a0)"]


def test_users_own_function_named_like_a_builtin(backend, stage):
    class Sized:
        len = staticmethod(lambda x: "mine")

    assert call(functools.partial(Sized.len), stage("a0")) == "mine"


def test_every_operator_has_its_method_in_the_protocol():
    from autograph.backends.protocol import StagingBackend
    from autograph.operators.builtins import OPERATORS

    for function in OPERATORS:
        assert hasattr(StagingBackend, function.__name__ + "_")
        assert hasattr(ag__, function.__name__ + "_")


class Called:
    """What can be called, gone through and compared, by code of the user's."""

    def __init__(self):
        self.log = []

    def __call__(self, value=1):
        self.log.append(("call", value))
        return value

    def __iter__(self):
        self.log.append("iter")
        yield from (1, 2)

    def __eq__(self, other):
        self.log.append("eq")
        return other == 1

    __hash__ = None


CALLED = {
    "map": lambda o: list(map(o, [3, 4])), "map of itself": lambda o: list(map(o, o)),
    "filter": lambda o: list(filter(o, [0, 5])), "sentinel": lambda o: list(iter(lambda: 1, o)),
    "called to an end": lambda o: list(iter(o, 1)), "gone through": lambda o: (list(iter(o)), list(zip(o, o)), list(enumerate(o, 1))),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLED)
def test_what_is_called_is_not_gone_through(name):
    before = registry.always_staging(True)
    try:
        outcomes = []
        for function in (CALLED[name], autograph.convert()(CALLED[name])):
            o = Called()
            outcomes.append((function(o), o.log))
        assert outcomes[0] == outcomes[1]
    finally:
        registry.always_staging(before)
