"""Which callables are converted: the rules of the user's, and what `explain` says.

Covers: autograph/conversion/rules.py, autograph/conversion/resolution.py.
"""

import functools
import statistics
import textwrap
import types

import pytest

import autograph
from autograph import policy
from tests import ROOT


@pytest.fixture(autouse=True)
def no_rules():
    yield
    policy.reset()


def of_module(module, name="f"):
    """A function that seems to lie in a module, and says whether it runs converted."""
    namespace = {"__name__": module, "sys": __import__("sys"), "autograph": autograph}
    f = types.FunctionType(runs_converted.__code__.replace(), {**globals(), **namespace}, name)
    f.__module__ = module
    return f


def runs_converted():
    from autograph.operators import frames

    return frames.is_generated(sys._getframe().f_code)


import sys  # noqa: E402


def called(f):
    def caller(g):
        return g()

    return autograph.to_graph(caller)(f)


def test_modules_with_their_submodules():
    rule = policy.exclude("pkg.part")
    for module, action in [("pkg", "converted"), ("pkg.part", "as it is"), ("pkg.part.deep", "as it is"),
                           ("pkg.parts", "converted")]:  # fmt: skip
        assert autograph.explain(of_module(module)).action == action
    assert autograph.explain(of_module("pkg.part")).reason == "autograph.policy.exclude('pkg.part') says so"
    rule.remove()
    assert autograph.explain(of_module("pkg.part")).action == "converted"


def test_the_latest_rule_holds():
    policy.exclude("pkg")
    policy.include("pkg.part")
    assert autograph.explain(of_module("pkg.other")).action == "as it is"
    assert autograph.explain(of_module("pkg.part.deep")).action == "converted"
    policy.exclude("pkg.part.deep")
    assert autograph.explain(of_module("pkg.part.deep")).action == "as it is"
    assert [repr(r) for r in policy.rules()] == ["exclude('pkg.part.deep')", "include('pkg.part')", "exclude('pkg')"]


@pytest.mark.parametrize(("pattern", "module", "matches"), [
    ("pkg.*.tests", "pkg.a.tests", True), ("pkg.*.tests", "pkg.a.tests.deep", True), ("pkg.*.tests", "pkg.tests", False),
    ("p?g", "pkg", True), ("p[ab]g", "pkg", False),
])  # fmt: skip
def test_patterns(pattern, module, matches):
    policy.exclude(pattern)
    assert (autograph.explain(of_module(module)).action == "as it is") is matches


class Net:
    def call(self):
        return 1


def test_names_in_a_module():
    policy.exclude(f"{__name__}:Net")
    assert autograph.explain(Net().call).action == "as it is"
    assert autograph.explain(called).action == "converted"
    policy.include(f"{__name__}:Net.call")
    assert autograph.explain(Net.call).action == "converted"


def test_module_objects_and_predicates():
    policy.include(statistics, lambda f: f.__name__ == "dedent")
    assert autograph.explain(statistics.mean).action == "converted"
    assert autograph.explain(textwrap.dedent).action == "converted"
    assert autograph.explain(textwrap.fill).action == "as it is unless an argument is staged"


def test_rules_change_what_calls_do():
    f = of_module("some_library")
    assert called(f) is True
    with policy.exclude("some_library"):
        assert called(f) is False
    assert called(f) is True
    numpy_like = of_module("scipy.part")
    assert called(numpy_like) is False
    with policy.include("scipy.part"):
        assert called(numpy_like) is True


def test_what_no_rule_changes():
    policy.include("autograph", "gast", "builtins")
    assert autograph.explain(autograph.check).action == "as it is"
    assert autograph.explain(len).action == "as it is"
    assert autograph.explain(autograph.do_not_convert(Net.call)).reason == "it is marked with do_not_convert"
    policy.exclude(__name__)
    assert autograph.to_graph(runs_converted)() is True  # asked for by name


@pytest.mark.parametrize("target", [3, None])
def test_other_targets_are_refused(target):
    with pytest.raises(autograph.errors.UsageError):
        policy.include(target)
    with pytest.raises(autograph.errors.UsageError):
        policy.exclude()


def plain(x):
    return x


def test_explain_tells_all():
    decision = autograph.explain(plain)
    line = plain.__code__.co_firstlineno
    assert (decision.name, decision.place) == ("plain", f"{__file__}:{line}")
    assert decision.describe() == (
        f"plain ({__file__}:{line})\n  action: converted\n  reason: it is Python code of the user's\n"
        "  advice: autograph.do_not_convert, or autograph.policy.exclude, has it called as it is"
    )
    assert str(decision) == "converted: it is Python code of the user's"
    assert "include('statistics')" in autograph.explain(statistics.mean).advice


def test_explain_looks_for_the_source():
    decision = autograph.explain(eval(compile("lambda x: x", "<typed in>", "eval")))
    assert decision.action == "as it is" and "no source text" in decision.reason and "linecache" in decision.advice


def test_explain_looks_into_wrappers():
    assert autograph.explain(functools.partial(plain, 1)).name == "plain"
    assert "converted" in autograph.explain(functools.lru_cache(plain)).advice
    assert autograph.explain(3).reason == "it cannot be called"


def test_the_page_names_the_lists():

    page = (ROOT / "docs" / "policy.md").read_text()
    from autograph.conversion import policy as room

    for name in ("ARRAY_LIBRARIES", "TOOLS", "MANAGING"):
        assert f"`{name}`:" in page and isinstance(getattr(room, name), frozenset)
    for name in room.COMPILER:
        assert name in page
