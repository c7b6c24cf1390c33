"""`if`, `while` and `for`: plain values run as in Python, staged conditions go to their backend."""

import itertools

import pytest

import autograph.generated as ag__
from autograph.operators import control_flow
from tests.autograph.backends import text_backend


class State:
    """Hand-written state functions over a dictionary."""

    def __init__(self, **variables):
        self.variables = variables

    def get(self):
        return tuple(self.variables.values())

    def set(self, values):
        self.variables = dict(zip(self.variables, values))

    @property
    def names(self):
        return tuple(self.variables)


def forbidden(*args):
    raise AssertionError("state is not touched on plain values")


@pytest.mark.parametrize(
    "cond, taken", [(True, "body"), (False, "orelse"), (1, "body"), ("", "orelse"), (None, "orelse")]
)
def test_if_runs_one_branch(cond, taken):
    ran = []
    result = ag__.if_stmt(cond, lambda: ran.append("body"), lambda: ran.append("orelse"), forbidden, forbidden, (), 0)
    assert (result, ran) == (None, [taken])


def test_if_asks_for_the_truth_once():
    class Counted:
        asked = 0

        def __bool__(self):
            self.asked += 1
            return True

    cond = Counted()
    ag__.if_stmt(cond, lambda: None, forbidden, forbidden, forbidden, (), 0)
    assert cond.asked == 1


def test_while_stops_at_the_first_false_test():
    tests = iter([True, 1, "x", 0])
    count = []
    ag__.while_stmt(lambda: next(tests), lambda: count.append(1), forbidden, forbidden, (), {})
    assert len(count) == 3


def test_for_without_extra_test_takes_everything():
    seen = []
    ag__.for_stmt("abc", None, seen.append, forbidden, forbidden, (), {"iterate_names": "c"})
    assert seen == ["a", "b", "c"]


def test_for_leaves_the_iterator_where_break_does():
    source = iter(range(10))
    seen = []
    ag__.for_stmt(source, lambda: len(seen) < 3, seen.append, forbidden, forbidden, (), {})
    assert (seen, next(source)) == ([0, 1, 2], 3)


def test_for_over_what_is_not_iterable_raises_what_python_raises():
    with pytest.raises(TypeError, match="^'int' object is not iterable$"):
        ag__.for_stmt(3, None, print, forbidden, forbidden, (), {})


def test_staged_if_records_both_branches(backend, stage):
    state = State(y=ag__.Undefined("y"))

    def body():
        state.variables["y"] = 1

    def orelse():
        state.variables["y"] = 2

    ag__.if_stmt(stage("a0"), body, orelse, state.get, state.set, ("y",), 1)
    assert backend.lines == ["if a0:", "    s1 = 1", "else:", "    s1 = 2"]
    assert state.variables["y"].expression == "s1"


def test_while_that_becomes_staged_goes_on_staged(backend, stage):
    state = State(i=0)

    def test():
        i = state.variables["i"]
        return i < 2 if isinstance(i, int) and i < 2 else stage("a0")

    def body():
        state.variables["i"] = state.variables["i"] + 1

    ag__.while_stmt(test, body, state.get, state.set, ("i",), {})
    assert backend.lines[0] == "v1 = 2"
    assert backend.lines[1] == "while True:"


def test_python_for_with_staged_break_is_unrolled_with_guards(backend, stage):
    state = State(total=0, broken=False)

    def body(step):
        state.variables["total"] = state.variables["total"] + step
        state.variables["broken"] = stage(f"b{step}")

    ag__.for_stmt([1, 2, 3], lambda: ag__.not_(state.variables["broken"]), body, state.get, state.set, state.names, {})
    text = "\n".join(backend.lines)
    assert text.count("if (not b1):") == 1
    assert text.count("if (not ") == 2
    namespace = {"b1": False, "b2": True, "b3": False}
    exec(text, namespace)
    assert namespace[state.variables["total"].expression] == 3


def test_endless_unrolling_is_an_error(backend, stage, monkeypatch):
    monkeypatch.setattr(control_flow, "UNROLL_LIMIT", 20)
    with pytest.raises(ag_errors().UnrollLimitError, match="AG206.*unrolled 20 times"):
        ag__.for_stmt(itertools.count(), lambda: stage("a0"), lambda i: None, tuple, lambda v: None, (), {})


def ag_errors():
    from autograph import errors

    return errors


def test_staged_iterable_goes_to_its_backend(backend, stage):
    state = State(total=0)

    def body(value):
        state.variables["total"] = state.variables["total"] + value

    ag__.for_stmt(stage("a0"), None, body, state.get, state.set, state.names, {"iterate_names": "value"})
    namespace = {"a0": [1, 2, 3]}
    exec("\n".join(backend.lines), namespace)
    assert namespace[state.variables["total"].expression] == 6


def test_two_backends_at_once(backend, stage):
    class Other(text_backend.Text):
        pass

    class OtherBackend(text_backend.TextBackend):
        staged_types = (Other,)

    other = ag_backends().register_backend(OtherBackend())
    try:
        ag__.if_stmt(stage("a0"), lambda: None, lambda: None, tuple, lambda v: None, (), 0)
        ag__.if_stmt(Other("b0"), lambda: None, lambda: None, tuple, lambda v: None, (), 0)
    finally:
        ag_backends().unregister_backend(other)
    assert (backend.lines[0], other.lines[0]) == ("if a0:", "if b0:")


def ag_backends():
    import autograph

    return autograph.backends
