"""What happens when a callable cannot be converted: for a call, a region, a module.

Covers: autograph/conversion/log.py.
"""

import collections
import contextlib
import dataclasses
import functools
import io
import linecache
import logging
import operator
import threading
import types
import warnings

import pytest

import autograph
from autograph.backends.threads import INHERITED
from autograph.conversion import strictness as room


@pytest.fixture(autouse=True)
def nothing_set():
    yield
    autograph.set_strictness(None, None)
    for module in list(room._modules):
        autograph.set_strictness(module, None)


def sourceless(text="def f(x):\n    return x + 1\n", module="test_strictness_module", filename="<nowhere>"):
    namespace = {"__name__": module}
    exec(compile(text, filename, "exec"), namespace)
    return next(v for k, v in namespace.items() if isinstance(v, types.FunctionType))


def caller_of(callee):
    def caller(x):
        return callee(x)

    return caller


def told(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
    return [w.message for w in caught if isinstance(w.message, autograph.errors.ConversionWarning)]


def test_by_default_a_named_function_warns():
    f = sourceless()
    found = told(lambda: autograph.convert(f))
    assert [type(w) for w in found] == [autograph.errors.SourceNotFoundWarning]
    assert autograph.convert(f, strict="silent") is f


def test_warnings_carry_their_parts():
    (warning,) = told(lambda: autograph.convert(sourceless()))
    assert (warning.function, warning.file, warning.line) == ("f", "<nowhere>", 1)
    assert "no source text" in warning.reason and "linecache" in warning.suggestion
    assert str(warning).startswith("AG501 <nowhere>:1: 'f' could not be converted and runs as it is: ")
    assert str(warning).endswith("(docs/errors.md#ag501)")


def test_warnings_come_from_the_line_of_the_function():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        autograph.convert(sourceless("\n\ndef f(x): return x\n"))
    assert (caught[0].filename, caught[0].lineno) == ("<nowhere>", 3)


@pytest.mark.parametrize(("level", "outcome"), [("strict", "raises"), (True, "raises"), ("warn", "warns"), (False, "warns"),
                                                ("silent", "logs")])  # fmt: skip
def test_of_a_call(level, outcome, caplog):
    caplog.set_level(logging.INFO, "autograph")
    f = sourceless()
    for entity, use in ((f, lambda g: g(1)), (caller_of(f), lambda g: g(1))):
        caplog.clear()

        def work(entity=entity, use=use):
            assert use(autograph.convert(entity, strict=level)) == 2

        if outcome == "raises":
            with pytest.raises(autograph.errors.SourceNotFoundError):
                work()
            continue
        assert bool(told(work)) is (outcome == "warns")
        assert any("'f' could not be converted" in r.getMessage() for r in caplog.records) is (outcome == "logs")
        assert all(r.name == "autograph" for r in caplog.records)


def test_of_a_call_holds_for_what_is_called_from_there():
    f = sourceless()
    with pytest.raises(autograph.errors.SourceNotFoundError):
        autograph.convert(caller_of(caller_of(f)), strict="strict")(1)


def test_of_a_region():
    f = sourceless()
    g = autograph.convert(caller_of(f))
    assert g(1) == 2  # a function without source runs on plain values as it should
    with autograph.strictness("strict"):
        with pytest.raises(autograph.errors.SourceNotFoundError):
            g(1)
        with autograph.strictness("silent"):
            assert told(lambda: g(1)) == []
        with pytest.raises(autograph.errors.SourceNotFoundError):
            g(1)
    with autograph.strictness("warn"):
        assert len(told(lambda: g(1))) == 1
    assert told(lambda: g(1)) == []


def test_a_region_can_decorate():
    @autograph.strictness("strict")
    def work():
        return autograph.convert(sourceless())

    with pytest.raises(autograph.errors.SourceNotFoundError):
        work()


def test_a_region_is_of_its_thread():
    f, found = sourceless(), []
    with autograph.strictness("strict"):
        thread = threading.Thread(target=lambda: found.append(told(lambda: autograph.convert(f))))
        thread.start()
        thread.join()
    assert [len(w) for w in found] == ([] if INHERITED else [1])  # a setting, which Python may hand on: it raises there


def test_of_a_module():
    f, other = sourceless(module="pkg.part.deep"), sourceless(module="pkg2.part")
    autograph.set_strictness("pkg", "strict")
    autograph.set_strictness("pkg.part", "silent")
    assert told(lambda: autograph.convert(f)) == []
    autograph.set_strictness("pkg.part", None)
    with pytest.raises(autograph.errors.SourceNotFoundError):
        autograph.convert(f)
    assert len(told(lambda: autograph.convert(other))) == 1
    autograph.set_strictness(None, "silent")
    assert told(lambda: autograph.convert(other)) == []
    with pytest.raises(autograph.errors.SourceNotFoundError):
        autograph.convert(f)


def test_the_nearest_that_says_something_holds():
    f = sourceless(module="pkg")
    autograph.set_strictness("pkg", "strict")
    with autograph.strictness("warn"):
        assert told(lambda: autograph.convert(f, strict="silent")) == []
        assert len(told(lambda: autograph.convert(f))) == 1


@functools.lru_cache
def cached(x):
    return x


@pytest.mark.parametrize("entity", [len, str.upper, "a".upper, int, dict.fromkeys, operator.itemgetter(0), cached])
def test_what_is_no_python_code(entity):
    (warning,) = told(lambda: autograph.convert(entity))
    assert type(warning) is autograph.errors.SourceNotFoundWarning and warning.file == __file__
    assert ("'cached'" in warning.suggestion) == (entity is cached)
    assert told(lambda: autograph.convert(entity, strict="silent")) == []
    with autograph.strictness("silent"):
        assert autograph.convert(entity) is entity
    with pytest.raises(autograph.errors.SourceNotFoundError), autograph.strictness("strict"):
        autograph.convert(entity)
    with pytest.raises(autograph.errors.SourceNotFoundError):
        autograph.convert(entity, strict="strict")


@pytest.mark.parametrize("entity", [3, "text", [len], object()])
def test_what_cannot_be_called(entity):
    with pytest.raises(autograph.errors.UsageError, match="expects a callable"):
        autograph.convert(entity)


@pytest.mark.parametrize("known", [(), ("<string>",)])
def test_methods_that_nobody_wrote_are_left_alone(known, monkeypatch):
    for filename in known:
        monkeypatch.setitem(linecache.cache, filename, (7, None, ["x = 1\n"], filename))

    @dataclasses.dataclass(order=True)
    class Point:
        x: int = 0

        def sign(self):
            return 1 if self.x > 0 else -1

    Pair = collections.namedtuple("Pair", "a b")
    assert told(lambda: autograph.convert(Point)) == told(lambda: autograph.convert(Pair)) == []
    assert autograph.convert(Point, strict="strict") is Point
    assert (Point(3).sign(), Point(1) < Point(2), Pair(1, 2)._replace(a=3)) == (1, True, (3, 2))
    made = {}
    exec("class Written:\n    def f(self): return 1", {"__name__": "made"}, made)
    assert len(told(lambda: autograph.convert(made["Written"]))) == 1


@pytest.mark.parametrize("level", ["loud", 3, ""])
def test_other_levels_are_refused(level):
    with pytest.raises(autograph.errors.UsageError, match="strict"):
        autograph.convert(sourceless(), strict=level)
    with pytest.raises(autograph.errors.UsageError):
        autograph.set_strictness("a", level)
    with pytest.raises(autograph.errors.UsageError), autograph.strictness(level):
        pass
    with pytest.raises(autograph.errors.UsageError):
        autograph.set_strictness(3, "warn")


# One class for each cause


def registered(text, filename):
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    return sourceless(text, filename=filename)


def test_changed_source():
    f = registered("def f(x):\n    return x\n", "<changed>")
    registered("def other(x):\n    return x\n", "<changed>")
    (warning,) = told(lambda: autograph.convert(f))
    assert type(warning) is autograph.errors.SourceChangedWarning and "import it again" in warning.suggestion
    with pytest.raises(autograph.errors.SourceChangedError):
        autograph.to_graph(f)


def test_lambdas_that_cannot_be_told_apart(monkeypatch):
    text = "def f():\n    return (lambda x: x + 1), (lambda x: 1 + x)\n"
    f, _ = registered(text, "<twins>")()
    # As under an interpreter that keeps no columns.
    monkeypatch.setattr("autograph.pyct.parse._spans", lambda code: iter(()))
    monkeypatch.setattr("autograph.pyct.parse.same_code", lambda node, function: True)
    (warning,) = told(lambda: autograph.convert(f))
    assert type(warning) is autograph.errors.AmbiguousSourceWarning and "line of its own" in warning.suggestion


def test_code_that_is_refused():
    f = registered("def f(x):\n    set_loop_options(maximum_iterations=x)\n    return x\n", "<refused>")
    f.__globals__["set_loop_options"] = autograph.set_loop_options
    (warning,) = told(lambda: autograph.convert(f))
    assert type(warning) is autograph.errors.UnsupportedCodeWarning
    assert (warning.file, warning.line) == ("<refused>", 2)


def test_a_failure_of_the_converter(monkeypatch):
    f = registered("def f(x):\n    return x\n", "<fails>")

    def fail(*_):
        raise ZeroDivisionError("of the converter")

    monkeypatch.setattr("autograph.conversion.convert.run_pipeline", fail)
    with autograph.strictness("warn"):
        (warning,) = told(lambda: autograph.convert(f))
    assert type(warning) is autograph.errors.ConverterFailureWarning
    assert "ZeroDivisionError: of the converter" in warning.reason and "report" in warning.suggestion


def test_verbosity_goes_through_logging(caplog, capsys):
    autograph.set_verbosity(1, alsologtostdout=True)
    try:
        with autograph.strictness("silent"):
            autograph.convert(sourceless())
    finally:
        autograph.set_verbosity(0)
    assert [r.name for r in caplog.records] == ["autograph"]
    shown = capsys.readouterr()
    assert shown.out == shown.err and shown.out.startswith("autograph: AG501 <nowhere>:1: 'f' could not be converted")
    autograph.convert(sourceless(), strict="silent")
    assert capsys.readouterr().err == ""


def test_trace_goes_through_logging_too(caplog, capsys):
    caplog.set_level(logging.INFO, "autograph")
    autograph.trace("x is", 3)
    assert [(r.name, r.getMessage()) for r in caplog.records] == [("autograph.trace", "x is 3")]
    assert capsys.readouterr().out == "x is 3\n"


def test_each_conversion_is_told():
    out = io.StringIO()
    with contextlib.redirect_stderr(out):
        autograph.set_verbosity(1)
        try:
            autograph.convert(test_each_conversion_is_told)
        finally:
            autograph.set_verbosity(0)
    line = test_each_conversion_is_told.__code__.co_firstlineno
    assert out.getvalue() == f"autograph: {__name__}.test_each_conversion_is_told ({__file__}:{line}) is converted\n"


class Staged:
    """What the backend below stages."""


class StagesNothing(autograph.backends.StagingBackend):
    name = "of staged arguments"
    staged_types = (Staged,)


@pytest.mark.parametrize("arguments, count", [([1, 2], 0), ([Staged()], 1), ([1, Staged(), 2, Staged()], 1)])
def test_a_callee_without_source_is_told_of_at_its_first_staged_argument(arguments, count):
    f = sourceless("def f(x):\n    return x\n")
    caller = autograph.convert(lambda x: f(x))
    backend = StagesNothing()
    autograph.backends.register_backend(backend)
    try:
        assert len(told(lambda: [caller(x) for x in arguments])) == count
    finally:
        autograph.backends.unregister_backend(backend)
